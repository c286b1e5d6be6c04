//! One thread of a search: the shared facts, its own buffers and what its path has paid, and the doorway to every subproblem.

use super::amounts::Amounts;
use super::charges::{Charges, Rates};
use super::margins::{Margins, Places};
use super::paid::Paid;
use super::priced::Priced;
use super::score::{Children, Scores, score_whole};
use crate::search::aligned::Aligned;
use crate::search::cache::{Cache, Key};
use crate::search::cost::{Cost, Scale, UNREACHABLE};
use crate::search::fill::{Fill, FillBuffers, FillCost, Source, UsedBits, used_bits};
use crate::search::kernel::score::{LeafRule, PairTable, Profile, cumulate};
use crate::search::lane::{Lane, LaneWidth};
use crate::search::layout::{CHUNK, Layout};
use crate::search::node::Node;
use crate::search::shape::Solved;
use crate::search::{Control, Shape, full_budget};

/// Costs of a set of rows with exactly 0 to 3 branching nodes.
pub type Costs = [Cost; 4];

/// Costs of a set of rows, and bounds on those of all sets that hold it.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    /// Of trees whose tests all part rows, as a tree's tests must.
    pub exact: Costs,
    /// Of trees whose tests may part nothing, as those of a tree for more rows may here. Such a test can only be worth the discount
    /// that it opens, with one more behind it.
    pub relaxed: Costs,
}

/// What all threads of a search share.
#[derive(Debug)]
pub struct Shared<'a> {
    /// Merged rows and prices.
    pub priced: &'a Priced,
    /// How losses and node prices add up.
    pub scale: Scale,
    /// What a leaf needs.
    pub rule: LeafRule,
    /// Whether bounds may come from other sets of rows: see [`Shared::new`].
    pub nests: bool,
    /// Bytes that a thread's pair tables may take.
    pub table_bytes: usize,
    /// Flag and clock.
    pub control: &'a Control,
    /// Results of subproblems, by rows and what was paid.
    pub cache: Cache,
}

impl<'a> Shared<'a> {
    /// The facts of a search.
    ///
    /// A tree for some rows also serves fewer of them, without the tests that part nothing any more. With a least size of leaves it
    /// may not be allowed: then no bound may come from other sets of rows. Where a test may be worth its discount alone, leaving it
    /// out may cost more: then bounds come from costs that are relaxed by that ([`Scored::relaxed`], [`Searcher::door_gap`]).
    pub fn new(
        priced: &'a Priced,
        scale: Scale,
        min_records: u32,
        control: &'a Control,
        (cache_bytes, table_bytes): (usize, usize),
    ) -> Self {
        let counted = min_records > 1;
        Self {
            priced,
            scale,
            rule: LeafRule {
                lanes: priced.problem.n_labels - 1,
                min_records: if counted { i64::from(min_records) } else { 0 },
            },
            nests: !counted,
            table_bytes,
            control,
            cache: Cache::new(cache_bytes),
        }
    }
}

impl Shared<'_> {
    /// Cost of a loss, in units of cost.
    #[inline]
    pub fn loss(&self, units: i64) -> Cost {
        self.scale.loss(units * self.priced.unit)
    }

    /// Above every charge, and all that a test can gain, at a node; in units of price.
    pub fn most_charge(&self, node: &Node) -> i64 {
        let amounts = &self.priced.amounts;
        let dearest = amounts.amounts.len().checked_sub(1);
        let due = dearest.map_or(0, |price| self.due(node, price));
        (node.mass * self.priced.unit).max(due) + 1
    }

    /// What a node owes for a price.
    pub fn due(&self, node: &Node, price: usize) -> i64 {
        let amounts = &self.priced.amounts;
        let amount = amounts.amounts[price];
        amount.factor * self.weight(node, amount.weight)
    }

    /// One of the weights of a node.
    fn weight(&self, node: &Node, weight: usize) -> i64 {
        let Amounts {
            n_weights, weights, ..
        } = &self.priced.amounts;
        let rows = node.rows.iter();
        rows.map(|&row| weights[row as usize * n_weights + weight])
            .sum()
    }

    /// The narrowest lane for a node's scores, less its charges.
    pub fn lane_width(&self, node: &Node) -> LaneWidth {
        LaneWidth::for_mass(self.most_charge(node), true)
    }
}

/// Buffers of one lane width.
#[derive(Debug, Default)]
pub struct Workspace<T: Lane> {
    /// Table of all rows of the node.
    pub total: PairTable<T>,
    /// Table of the rows on one side.
    pub part: PairTable<T>,
    /// For filling.
    pub fill: FillBuffers<T>,
    /// For scoring: factors of charges, the running sums, then charges and best children of the part and of the rest.
    pub rates: Rates<T>,
    pub running: Aligned<T>,
    pub charges: [Charges<T>; 2],
    pub children: [Children<T>; 2],
    pub rest_margins: Aligned<T>,
    pub rest_sums: Vec<T>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Workspaces {
    /// 16-bit lanes.
    pub narrow: Workspace<i16>,
    /// 32-bit lanes.
    pub medium: Workspace<i32>,
    /// 64-bit lanes.
    pub wide: Workspace<i64>,
}

/// One thread of a search.
#[derive(Debug)]
pub struct Searcher<'a> {
    /// Shared facts.
    pub shared: &'a Shared<'a>,
    /// What the path to the current node has paid.
    pub paid: Paid<'a>,
    /// Buffers.
    pub workspaces: Workspaces,
    /// Whether long fills of pair tables look at the clock.
    pub stoppable: bool,
}

/// A node made ready for pair tables.
#[derive(Debug)]
pub struct Prepared<'n> {
    /// The node.
    pub node: &'n Node,
    /// Its splits.
    pub layout: Layout,
    bits: Vec<u32>,
    used: Vec<UsedBits>,
    fill: Fill,
    /// Cost of adding all rows to a table, row by row.
    pub add_cost: f64,
    /// Where its rows count in margins.
    pub places: Places,
    /// See [`Shared::most_charge`].
    pub most_charge: i64,
}

impl<'n> Prepared<'n> {
    /// Lay a node out for adding `rows` rows in `batches` batches to tables of lanes `T`.
    pub fn new<T: Lane>(node: &'n Node, shared: &Shared<'_>, rows: usize, batches: usize) -> Self {
        let layout = node.layout();
        let bits = node.split_bits(&layout);
        let used = used_bits(node, shared.rule);
        let cost = FillCost::new(node, &layout, T::ROWS_PER_WORD, &used);
        let fill = if cost.of(Fill::Bitset, rows, batches) < cost.of(Fill::Histogram, rows, batches)
        {
            Fill::Bitset
        } else {
            Fill::Histogram
        };
        Self {
            node,
            places: Places::new(node, &layout),
            most_charge: shared.most_charge(node),
            layout,
            bits,
            used,
            fill,
            add_cost: cost.of(Fill::Histogram, node.len(), 1),
        }
    }

    /// Its rows, for filling tables; `stoppable` if long fills look at the clock.
    pub fn source<'s>(&'s self, shared: &'s Shared<'_>, stoppable: bool) -> Source<'s> {
        Source {
            node: self.node,
            layout: &self.layout,
            bits: &self.bits,
            rule: shared.rule,
            unit: shared.priced.unit,
            fill: self.fill,
            used: &self.used,
            control: stoppable.then_some(shared.control),
        }
    }

    /// Whether a filled table is cumulated already.
    pub fn is_cumulated(&self) -> bool {
        self.fill == Fill::Bitset
    }
}

impl<'a> Searcher<'a> {
    /// A fresh thread at the root.
    pub fn new(shared: &'a Shared<'a>) -> Self {
        Self {
            shared,
            paid: Paid::nothing(shared.priced),
            workspaces: Workspaces::default(),
            stoppable: true,
        }
    }

    /// Find the best tree of at most `depth` levels and `budget` branching nodes, if it costs less than `upper`.
    ///
    /// Which of several best trees is found does not depend on `upper`, the cache or the thread.
    pub fn solve(&mut self, node: &Node, depth: u32, budget: u32, upper: Cost) -> Solved {
        self.solve_with(node, depth, budget, upper, &mut [])
    }

    /// The same, with the help of other threads' searchers, which must have paid the same.
    pub fn solve_with(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        upper: Cost,
        helpers: &mut [Searcher<'a>],
    ) -> Solved {
        let depth = depth.min(budget);
        let budget = budget.min(full_budget(depth));
        let leaf = self.leaf_cost(node);
        let cheapest = self.cheapest_test(node);
        // Any other tree has a test to pay for.
        if depth == 0 || leaf <= cheapest {
            return Solved::exactly(leaf, Shape::leaf()).below(upper);
        }
        if upper <= cheapest || self.shared.control.stopped() {
            return Solved::at_least(cheapest);
        }
        if depth == 1 {
            return self.depth_one(node).below(upper);
        }
        let key = self.key(node, depth, budget);
        if let Some(known) = self.shared.cache.get(&key)
            && (known.tree.is_some() || known.lower >= upper)
        {
            return known.below(upper);
        }
        self.shared.control.count_node();
        let solved = match depth {
            2 if self.uses_table(node) => self.depth_two(node, budget, upper),
            3 if self.uses_table(node) => self.depth_three(node, budget, upper, helpers),
            _ => self.branch(node, depth, budget, upper, helpers),
        };
        self.shared.cache.put(key, &solved);
        solved
    }

    fn key(&self, node: &Node, depth: u32, budget: u32) -> Key {
        Key {
            rows: node.key.wrapping_add(self.paid.key),
            depth: depth as u8,
            budget,
        }
    }

    /// Cost of the node as a leaf, above what no tree can avoid.
    pub fn leaf_cost(&self, node: &Node) -> Cost {
        self.shared.loss(node.leaf_loss())
    }

    /// The least that any test of the node costs.
    fn cheapest_test(&self, node: &Node) -> Cost {
        let prices = node
            .columns
            .iter()
            .map(|column| self.paid.price(self.paid.feature_of(column)));
        // No price comes before the lowest one, and they ascend.
        match prices.min() {
            None => UNREACHABLE,
            Some(None) => self.shared.scale.node,
            Some(Some(price)) => {
                let charge = self.shared.due(node, price);
                self.shared.scale.node + self.shared.scale.loss(charge)
            }
        }
    }

    /// What a split on a local column costs at a node: its branching node, and its feature if that is not paid yet.
    pub fn split_price(&self, node: &Node, column: usize) -> Cost {
        let price = self.paid.price(self.paid.feature_of(&node.columns[column]));
        let charge = price.map_or(0, |price| self.shared.due(node, price));
        self.shared.scale.node + self.shared.scale.loss(charge)
    }

    /// The most that a row can change the cost of a tree of `depth` more levels by coming or going, in units of price, per local row
    /// of a node.
    pub fn reaches(&self, node: &Node, depth: u32) -> Vec<i64> {
        let amounts = &self.shared.priced.amounts;
        let mut features: Vec<usize> = node
            .columns
            .iter()
            .map(|c| self.paid.feature_of(c))
            .collect();
        features.sort_unstable();
        features.dedup();
        let mut prices: Vec<usize> = features
            .into_iter()
            .filter_map(|feature| self.paid.price(feature))
            .collect();
        prices.sort_unstable_by_key(|&price| std::cmp::Reverse(price));
        prices.truncate(depth as usize);
        // The dues of a path, gathered by weight.
        let mut factors = vec![0; amounts.n_weights];
        for price in prices {
            let amount = amounts.amounts[price];
            factors[amount.weight] += amount.factor;
        }
        let unit = self.shared.priced.unit;
        node.rows
            .iter()
            .zip(&node.spreads)
            .map(|(&row, &spread)| {
                let weights = amounts.of(row as usize).iter();
                let path: i64 = weights.zip(&factors).map(|(w, factor)| w * factor).sum();
                spread * unit + path
            })
            .collect()
    }

    /// Whether the node's pair tables fit.
    pub fn uses_table(&self, node: &Node) -> bool {
        let splits: usize = node.columns.iter().map(|column| column.n_splits).sum();
        let width = splits.div_ceil(CHUNK) * CHUNK;
        let lane = match self.shared.lane_width(node) {
            LaneWidth::Narrow => 2,
            LaneWidth::Medium => 4,
            LaneWidth::Wide => 8,
        };
        // Two tables, each about half the square.
        splits
            .saturating_mul(width)
            .saturating_mul(lane * self.shared.rule.planes())
            <= self.shared.table_bytes
    }

    /// Fill the cumulated table and the margins of all rows. Returns whether it was not stopped.
    pub fn fill_total<T: Lane>(
        &self,
        prepared: &Prepared<'_>,
        workspace: &mut Workspace<T>,
        margins: &mut Margins,
    ) -> bool {
        let (shared, layout) = (self.shared, &prepared.layout);
        let planes = shared.rule.planes();
        let all: Vec<u32> = (0..prepared.node.len() as u32).collect();
        workspace.total.reset(layout, planes);
        let source = prepared.source(shared, self.stoppable);
        let complete = source.add(&all, 1, &mut workspace.total, &mut workspace.fill);
        if complete && !prepared.is_cumulated() {
            cumulate(layout, planes, &mut workspace.total);
        }
        let amounts = &shared.priced.amounts;
        let mut by_code = Margins::default();
        by_code.reset(layout, amounts.n_weights);
        by_code.add(prepared.node, &prepared.places, amounts, &all);
        by_code.cumulate(layout, margins);
        complete
    }

    /// Score the table of all rows, with the prices that hold now; leaves rates and charges set for those.
    pub fn score_total<T: Lane>(
        &mut self,
        prepared: &Prepared<'_>,
        margins: &Margins,
        table: &PairTable<T>,
        (rates, charges, children): (&mut Rates<T>, &mut Charges<T>, &mut Children<T>),
    ) -> Scored {
        let (node, layout) = (prepared.node, &prepared.layout);
        let amounts = &self.shared.priced.amounts;
        rates.set(node, layout, &mut self.paid, amounts);
        charges.set(layout, rates, amounts, margins, prepared.most_charge);
        let scores = score_whole(layout, self.shared.rule, rates, table, charges, children);
        self.scored(node.potential, &scores)
    }

    /// Costs from the scores of a set of rows with this potential, which is in units of cost.
    pub fn scored(&self, potential: i64, scores: &Scores) -> Scored {
        let exact = self.costs(potential, &scores.exact);
        let mut relaxed = exact;
        let forbidden = -1;
        let [_, _, behind_door, _] =
            self.costs(potential, &[forbidden, forbidden, scores.door, forbidden]);
        relaxed[2] = relaxed[2].min(behind_door);
        Scored { exact, relaxed }
    }

    /// What a tree of `depth` more levels can save at a node, at most, by tests that part nothing there: bounds on sets of rows that
    /// hold the node's are that much below its cost. `None` if that is not known.
    pub fn door_gap(&self, node: &Node, depth: u32) -> Option<Cost> {
        let priced = self.shared.priced;
        if priced.dropping_saves {
            return Some(0);
        }
        let weight = priced.amounts.single_weight()?;
        let weights = self.shared.weight(node, weight);
        // Each such test has one behind it, of a group of its own.
        let tests = i64::from(depth / 2);
        Some(
            self.shared
                .scale
                .loss(tests * self.paid.best_door() * weights),
        )
    }

    fn costs(&self, potential: i64, profile: &Profile) -> Costs {
        let (scale, unit) = (self.shared.scale, self.shared.priced.unit);
        let mut costs = [UNREACHABLE; 4];
        for (nodes, (cost, &score)) in costs.iter_mut().zip(profile).enumerate() {
            if score >= 0 {
                *cost = scale.loss(potential * unit - score) + nodes as Cost * scale.node;
            }
        }
        costs
    }
}
