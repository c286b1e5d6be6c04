//! Depth three: walk the splits of every column, keeping the pair table of the rows on one side.
//!
//! Each step adds the rows between two thresholds to the table and scores both sides in one pass. Coarse steps come first where scoring
//! costs more than adding: their results bound, and mostly rule out, the thresholds between them.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bounds::{Known, interval, neighbour};
use super::cost::{Cost, UNREACHABLE};
use super::depth_two::{Costs, Root, cheapest};
use super::fill::{Fill, FillCost, Source, bit_groups, used_bits};
use super::incumbent::{Incumbent, Order};
use super::kernel::score::{PairTable, score_both, score_whole};
use super::lane::{Lane, LaneWidth};
use super::layout::{CHUNK, Layout};
use super::node::Node;
use super::searcher::{CheapRoot, Searcher, Workspace};
use super::shape::{Shape, Solved};

/// What a sweep found: a tree at most two levels deep, or a root with the budgets of its children.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    Shallower,
    Root(Root),
}

/// A node made ready for sweeping; shared by all threads that sweep it.
struct Prepared<'a, T: Lane> {
    source: Source<'a>,
    total: &'a PairTable<T>,
    /// Best cost one level shallower with one branching node fewer.
    shallower: Cost,
    budget: u32,
    /// Cost of adding all rows to a table, and of scoring it once.
    add_cost: f64,
    score_cost: f64,
    /// Per column, mass and potential of the rows before each code.
    columns: Vec<ColumnSums>,
    /// Columns in the order in which they are swept.
    order: Vec<usize>,
}

/// Passes when scoring a split costs far more than adding its rows, and when it costs less.
const MANY_PASSES: &[usize] = &[8, 4, 2, 1];
const TWO_PASSES: &[usize] = &[4, 1];
const ONE_PASS: &[usize] = &[1];
/// Cost of scoring a cell chunk on both sides, in histogram steps.
const SCORE_STEP: f64 = 12.0;

impl<'a> Searcher<'a> {
    /// Roughly how long sweeping a node takes, in seconds: an upper estimate on a slow machine.
    pub(super) fn sweep_seconds(&self, node: &Node) -> f64 {
        const SECONDS_PER_STEP: f64 = 1e-9;
        let layout = node.layout();
        let used = used_bits(node, self.shared.rule);
        let cost = FillCost::new(node, &layout, i16::ROWS_PER_WORD, bit_groups(&used));
        let batches = layout.n_splits.div_ceil(layout.spans.len().max(1));
        let add = cost.of(Fill::Histogram, node.len(), batches).min(cost.of(
            Fill::Bitset,
            node.len(),
            batches,
        ));
        let score = layout.cells as f64 / CHUNK as f64 * SCORE_STEP;
        (add * layout.spans.len() as f64 + score * layout.n_splits as f64) * SECONDS_PER_STEP
    }

    /// Best tree of depth three with at most `budget` branching nodes, if it costs less than `upper`.
    pub(super) fn depth_three(&mut self, node: &Node, budget: u32, upper: Cost) -> Solved {
        self.depth_three_with(node, budget, upper, &mut [])
    }

    /// The same, with the help of other threads' searchers.
    pub(super) fn depth_three_with(
        &mut self,
        node: &Node,
        budget: u32,
        upper: Cost,
        helpers: &mut [Searcher<'a>],
    ) -> Solved {
        self.stats.depth_three += 1;
        let incumbent = Incumbent::below(upper);
        let lower = self.sweep(node, budget, &incumbent, helpers);
        match incumbent.best() {
            None => Solved::at_least(lower),
            Some((cost, Candidate::Shallower)) => {
                let tree = self.solve_unstoppable(node, 2, budget);
                Solved {
                    lower: lower.min(cost),
                    tree: Some((cost, tree)),
                }
            }
            Some((cost, Candidate::Root(root))) => {
                let tree = self.depth_three_tree(node, root);
                Solved {
                    lower: lower.min(cost),
                    tree: Some((cost, tree)),
                }
            }
        }
    }

    /// All splits that root a tree of depth three and of a cost below `upper`; incomplete if the search was stopped.
    pub(crate) fn roots_below(&mut self, node: &Node, budget: u32, upper: Cost) -> Vec<CheapRoot> {
        self.stats.depth_three += 1;
        self.roots = Some(Vec::new());
        let incumbent = Incumbent::below(upper);
        self.sweep(node, budget, &incumbent, &mut []);
        self.roots.take().unwrap_or_default()
    }

    fn sweep(
        &mut self,
        node: &Node,
        budget: u32,
        incumbent: &Incumbent<Candidate>,
        helpers: &mut [Searcher<'a>],
    ) -> Cost {
        match self.lane_width(node) {
            LaneWidth::Narrow => self.sweep_node(node, budget, incumbent, helpers, |s| {
                &mut s.workspaces.narrow
            }),
            LaneWidth::Medium => self.sweep_node(node, budget, incumbent, helpers, |s| {
                &mut s.workspaces.medium
            }),
            LaneWidth::Wide => {
                self.sweep_node(node, budget, incumbent, helpers, |s| &mut s.workspaces.wide)
            }
        }
    }

    fn depth_three_tree(&mut self, node: &Node, root: Root) -> Arc<Shape> {
        let (inside, outside) = node.partition(root.column, root.split);
        let mut side = |rows: &[u32], budget: u32| {
            let child = node.child(rows);
            self.solve_unstoppable(&child, 2, budget)
        };
        let inside = side(&inside, root.inside);
        let outside = side(&outside, root.outside);
        Shape::branch(
            node.columns[root.column].problem_split(root.split),
            inside,
            outside,
        )
    }

    /// Depth two at most, whatever the clock says: it costs one pass.
    fn solve_unstoppable(&mut self, node: &Node, depth: u32, budget: u32) -> Arc<Shape> {
        let depth = depth.min(budget);
        let leaf = self.leaf_cost(node);
        let solved = if depth == 0 || node.columns.is_empty() || leaf <= self.shared.scale.node {
            return Shape::leaf();
        } else if depth == 1 {
            super::depth_one::depth_one(self.shared, node)
        } else {
            self.depth_two(node, budget, UNREACHABLE)
        };
        solved.into_shape()
    }

    /// Sweep all columns; returns a lower bound on the node's cost.
    fn sweep_node<T: Lane>(
        &mut self,
        node: &Node,
        budget: u32,
        incumbent: &Incumbent<Candidate>,
        helpers: &mut [Searcher<'a>],
        workspace_of: impl for<'w> Fn(&'w mut Searcher<'a>) -> &'w mut Workspace<T> + Send + Sync + Copy,
    ) -> Cost {
        let layout = node.layout();
        let bits = node.split_bits(&layout);
        let rows = node.len() * node.columns.len();
        let used = used_bits(node, self.shared.rule);
        let fill = self.choose_fill(
            node,
            &layout,
            T::ROWS_PER_WORD,
            rows,
            layout.n_splits,
            &used,
        );
        let rule = self.shared.rule;
        let source = Source {
            node,
            layout: &layout,
            bits: &bits,
            rule,
            fill,
            used: &used,
        };
        let mut workspace = std::mem::take(workspace_of(self));
        self.fill_total(&source, &mut workspace);
        self.stats.scored += 1;
        let profile = score_whole(
            &layout,
            self.shared.rule,
            &workspace.total,
            &mut workspace.score,
        );
        let costs = self.costs(node.potential, &profile);
        let shallow = cheapest(&costs, budget);
        // The upper bound stays where all roots below it are wanted.
        if self.roots.is_none() {
            incumbent.offer(shallow, 1, || Candidate::Shallower);
        }
        let total = std::mem::take(&mut workspace.total);
        let prepared = Prepared {
            source,
            total: &total,
            shallower: cheapest(&costs, budget - 1),
            budget,
            add_cost: FillCost::new(node, &layout, T::ROWS_PER_WORD, 1).of(
                Fill::Histogram,
                node.len(),
                1,
            ),
            score_cost: layout.cells as f64 / CHUNK as f64 * SCORE_STEP,
            columns: ColumnSums::of(node),
            order: column_order(
                &layout,
                &workspace.score.part.inside,
                &workspace.score.part.outside,
            ),
        };
        let next = AtomicUsize::new(0);
        let mut lower = shallow;
        if helpers.is_empty() {
            lower = lower.min(self.sweep_columns(&prepared, &next, incumbent, &mut workspace));
        } else {
            std::thread::scope(|scope| {
                let threads: Vec<_> = helpers
                    .iter_mut()
                    .map(|helper| {
                        let (prepared, next) = (&prepared, &next);
                        scope.spawn(move || {
                            let mut workspace = std::mem::take(workspace_of(helper));
                            helper.sweep_columns(prepared, next, incumbent, &mut workspace)
                        })
                    })
                    .collect();
                lower = lower.min(self.sweep_columns(&prepared, &next, incumbent, &mut workspace));
                for thread in threads {
                    // A panic in a helper goes on here.
                    lower = lower.min(
                        thread
                            .join()
                            .unwrap_or_else(|e| std::panic::resume_unwind(e)),
                    );
                }
            });
        }
        workspace.total = total;
        *workspace_of(self) = workspace;
        lower
    }

    /// Take columns in turn until none is left.
    fn sweep_columns<T: Lane>(
        &mut self,
        prepared: &Prepared<'_, T>,
        next: &AtomicUsize,
        incumbent: &Incumbent<Candidate>,
        workspace: &mut Workspace<T>,
    ) -> Cost {
        let mut lower = UNREACHABLE;
        loop {
            let rank = next.fetch_add(1, Ordering::Relaxed);
            let Some(&column) = prepared.order.get(rank) else {
                break;
            };
            // Orders within a column stay below 2^16: at most 255 splits, each met in at most 4 passes.
            let first: Order = ((rank as Order + 1) << 16) + 1;
            let mut sweep = Sweep::new(self, prepared, column, incumbent, workspace);
            lower = lower.min(if prepared.source.layout.spans[column].ordered {
                sweep.ordered(first)
            } else {
                sweep.nominal(first)
            });
        }
        lower
    }
}

/// Sums over the rows before each code of a column; one entry more than codes.
#[derive(Clone, Debug)]
struct ColumnSums {
    masses: Vec<i64>,
    potentials: Vec<i64>,
    rows: Vec<i64>,
}

impl ColumnSums {
    /// Of every column, in one pass over the rows.
    fn of(node: &Node) -> Vec<Self> {
        let f = node.columns.len();
        let mut places = Vec::with_capacity(f);
        let mut total = 0;
        for column in &node.columns {
            places.push(total);
            total += column.code_of.len();
        }
        let mut sums = vec![[0_i64; 3]; total];
        for ((codes, &spread), &potential) in node
            .codes
            .chunks_exact(f)
            .zip(&node.spreads)
            .zip(&node.potentials)
        {
            for (&place, &code) in places.iter().zip(codes) {
                let cell = &mut sums[place + usize::from(code)];
                cell[0] += spread;
                cell[1] += potential;
                cell[2] += 1;
            }
        }
        let cumulate = |cells: &[[i64; 3]], which: usize| {
            let mut sum = 0;
            let mut cumulated = vec![0];
            cumulated.extend(cells.iter().map(|cell| {
                sum += cell[which];
                sum
            }));
            cumulated
        };
        node.columns
            .iter()
            .zip(&places)
            .map(|(column, &place)| {
                let cells = &sums[place..place + column.code_of.len()];
                Self {
                    masses: cumulate(cells, 0),
                    potentials: cumulate(cells, 1),
                    rows: cumulate(cells, 2),
                }
            })
            .collect()
    }

    /// The same with the codes in falling order.
    fn mirrored(&self) -> Self {
        let mirror = |sums: &[i64]| {
            let all = sums.last().copied().unwrap_or(0);
            sums.iter().rev().map(|sum| all - sum).collect()
        };
        Self {
            masses: mirror(&self.masses),
            potentials: mirror(&self.potentials),
            rows: mirror(&self.rows),
        }
    }

    fn rows_of(&self, code: usize) -> i64 {
        self.rows[code + 1] - self.rows[code]
    }
}

/// Columns by the best depth-two tree that they root, best first.
fn column_order<T: Lane>(layout: &Layout, inside: &[T], outside: &[T]) -> Vec<usize> {
    let score = |column: usize| {
        let span = &layout.spans[column];
        (span.start..span.start + span.len)
            .map(|g| inside[g].widen() + outside[g].widen())
            .max()
    };
    let mut order: Vec<usize> = (0..layout.spans.len()).collect();
    order.sort_by_key(|&column| std::cmp::Reverse(score(column)));
    order
}

/// The sweep of one column.
struct Sweep<'s, 'a, 'p, T: Lane> {
    searcher: &'s mut Searcher<'a>,
    prepared: &'p Prepared<'p, T>,
    column: usize,
    incumbent: &'s Incumbent<Candidate>,
    workspace: &'s mut Workspace<T>,
    /// Whether the codes are walked from the last to the first. The rows of the last code met are never added, so the walk ends at the
    /// larger end. Splits below are numbered along the walk, and "inside" is the side of the codes met.
    mirrored: bool,
    sums: Cow<'p, ColumnSums>,
    /// Rows in the order of the walk; sorted when first needed.
    sorted: Option<Vec<u32>>,
    /// Number of leading codes whose rows are in the part table.
    position: usize,
    /// Least cost met.
    lower: Cost,
}

impl<'s, 'a, 'p, T: Lane> Sweep<'s, 'a, 'p, T> {
    fn new(
        searcher: &'s mut Searcher<'a>,
        prepared: &'p Prepared<'p, T>,
        column: usize,
        incumbent: &'s Incumbent<Candidate>,
        workspace: &'s mut Workspace<T>,
    ) -> Self {
        let sums = &prepared.columns[column];
        let last = sums.rows.len() - 2;
        let ordered = prepared.source.layout.spans[column].ordered;
        let mirrored = ordered && sums.rows_of(0) > sums.rows_of(last);
        Self {
            searcher,
            prepared,
            column,
            incumbent,
            workspace,
            mirrored,
            sums: if mirrored {
                Cow::Owned(sums.mirrored())
            } else {
                Cow::Borrowed(sums)
            },
            sorted: None,
            position: usize::MAX,
            lower: UNREACHABLE,
        }
    }

    /// An ordered column: passes of falling stride.
    fn ordered(&mut self, first: Order) -> Cost {
        let n_splits = self.prepared.source.layout.spans[self.column].len;
        let scale = self.searcher.shared.scale;
        let all = self.sums.masses[n_splits + 1];
        let shallower = if self.searcher.shared.bounds.shallower {
            self.prepared.shallower
        } else {
            0
        };
        let mut known: Vec<Option<Known>> = vec![None; n_splits];
        let mut order = first;
        let strides = self.strides(n_splits);
        for (pass, &stride) in strides.iter().enumerate() {
            let last_pass = pass + 1 == strides.len();
            let mut left = Known::before_all(shallower, scale);
            let mut right_at = 0;
            let mut right = left;
            for split in 0..n_splits {
                if let Some(here) = known[split] {
                    left = here;
                    continue;
                }
                order += 1;
                if (split + 1) % stride != 0 {
                    continue;
                }
                if split >= right_at {
                    let next = (split + 1..n_splits).find(|&s| known[s].is_some());
                    right_at = next.unwrap_or(n_splits);
                    right = next
                        .and_then(|s| known[s])
                        .unwrap_or(Known::after_all(shallower, scale, all));
                }
                let bound = self.bound(&left, &right, self.sums.masses[split + 1], order);
                if let Err(lower) = bound {
                    // Only the last pass may leave a split out for good.
                    if last_pass {
                        self.lower = self.lower.min(lower);
                    }
                    continue;
                }
                if self.searcher.shared.control.stopped() {
                    self.lower = self.lower.min(scale.node);
                    return self.lower;
                }
                left = self.evaluate_threshold(split, order);
                known[split] = Some(left);
            }
        }
        self.lower
    }

    /// Passes that suit the column: coarse ones first if scoring dominates.
    fn strides(&self, n_splits: usize) -> &'static [usize] {
        let scoring = self.prepared.score_cost * n_splits as f64;
        if n_splits < 8 || scoring < 4.0 * self.prepared.add_cost {
            ONE_PASS
        } else if scoring < 12.0 * self.prepared.add_cost {
            TWO_PASSES
        } else {
            MANY_PASSES
        }
    }

    /// A lower bound on a split that rules it out, if there is one.
    fn bound(&mut self, left: &Known, right: &Known, mass: i64, order: Order) -> Result<(), Cost> {
        let shared = self.searcher.shared;
        let limit = self.incumbent.limit(order);
        if shared.bounds.interval {
            let lower = interval(left, right, shared.scale);
            if lower >= limit {
                self.searcher.stats.pruned_interval += 1;
                return Err(lower);
            }
        }
        if shared.bounds.neighbour {
            let lower = neighbour(left, right, mass, shared.scale);
            if lower >= limit {
                self.searcher.stats.pruned_neighbour += 1;
                return Err(lower);
            }
        }
        Ok(())
    }

    fn evaluate_threshold(&mut self, split: usize, order: Order) -> Known {
        self.move_to(split + 1);
        let (met, rest) = self.score(self.sums.potentials[split + 1]);
        self.consider(split, &met, &rest, self.sums.masses[split + 1], order)
    }

    /// A nominal column: every category on its own.
    fn nominal(&mut self, first: Order) -> Cost {
        let n_splits = self.prepared.source.layout.spans[self.column].len;
        let shared = self.searcher.shared;
        let mut order = first;
        for split in 0..n_splits {
            order += 1;
            let mass = self.sums.masses[split + 1] - self.sums.masses[split];
            if shared.bounds.shallower {
                let rest = self.prepared.source.node.spread - mass;
                let lower = scale_bound(self.prepared.shallower, shared.scale, mass.min(rest));
                if lower >= self.incumbent.limit(order) {
                    self.searcher.stats.pruned_neighbour += 1;
                    self.lower = self.lower.min(lower);
                    continue;
                }
            }
            if shared.control.stopped() {
                self.lower = self.lower.min(shared.scale.node);
                return self.lower;
            }
            let potential = self.sums.potentials[split + 1] - self.sums.potentials[split];
            let n_rows = self.prepared.source.node.len() as i64;
            let (inside, outside) = if 2 * self.sums.rows_of(split) <= n_rows {
                self.load(split..split + 1);
                self.score(potential)
            } else {
                self.load(0..split);
                self.add(split + 1..self.sums.rows.len() - 1);
                let (others, category) =
                    self.score(self.prepared.source.node.potential - potential);
                (category, others)
            };
            self.consider(split, &inside, &outside, mass, order);
        }
        self.lower
    }

    /// Fill the part table with the rows of some codes only.
    fn load(&mut self, codes: std::ops::Range<usize>) {
        let layout = self.prepared.source.layout;
        self.workspace
            .part
            .reset(layout, self.prepared.source.rule.planes());
        self.position = usize::MAX;
        self.add(codes);
    }

    /// Add the rows of some codes to the part table.
    fn add(&mut self, codes: std::ops::Range<usize>) {
        let (node, column, mirrored) = (self.prepared.source.node, self.column, self.mirrored);
        let sorted = self.sorted.get_or_insert_with(|| {
            let (mut rows, _) = node.rows_by_code(column);
            if mirrored {
                rows.reverse();
            }
            rows
        });
        let place = |code: usize| self.sums.rows[code] as usize;
        let rows = &sorted[place(codes.start)..place(codes.end)];
        let Workspace { part, fill, .. } = &mut *self.workspace;
        self.prepared.source.add(rows, 1, part, fill);
        self.searcher
            .count_rows(self.prepared.source.fill, rows.len());
    }

    /// Bring the part table to hold the rows of the first `codes` codes.
    fn move_to(&mut self, codes: usize) {
        if self.position == usize::MAX || self.position > codes {
            self.load(0..codes);
        } else {
            self.add(self.position..codes);
        }
        self.position = codes;
    }

    /// Costs of the part, whose potential is given, and of the rest.
    fn score(&mut self, potential: i64) -> (Costs, Costs) {
        let Prepared { source, total, .. } = self.prepared;
        let Workspace { part, score, .. } = &mut *self.workspace;
        self.searcher.stats.scored += 1;
        let cumulated = source.fill == Fill::Bitset;
        let (part, rest) = score_both(source.layout, source.rule, total, part, cumulated, score);
        (
            self.searcher.costs(potential, &part),
            self.searcher
                .costs(source.node.potential - potential, &rest),
        )
    }

    /// Offer the best tree with this split at its root.
    fn consider(
        &mut self,
        split: usize,
        inside: &Costs,
        outside: &Costs,
        mass: i64,
        order: Order,
    ) -> Known {
        let node_price = self.searcher.shared.scale.node;
        let left = self.prepared.budget - 1;
        let mut whole = UNREACHABLE;
        let mut best = (0, 0);
        for m0 in 0..=left.min(3) {
            for m1 in 0..=(left - m0).min(3) {
                let cost = inside[m0 as usize] + outside[m1 as usize] + node_price;
                if cost < whole {
                    whole = cost;
                    best = (m0, m1);
                }
            }
        }
        self.lower = self.lower.min(whole);
        let column = self.column;
        let n_splits = self.prepared.source.layout.spans[column].len;
        let root = if self.mirrored {
            Root {
                column,
                split: n_splits - 1 - split,
                inside: best.1,
                outside: best.0,
            }
        } else {
            Root {
                column,
                split,
                inside: best.0,
                outside: best.1,
            }
        };
        let (least_in, least_out) = (cheapest(inside, left), cheapest(outside, left));
        if let Some(roots) = &mut self.searcher.roots {
            if whole < self.incumbent.cost() {
                let (inside, outside) = if self.mirrored {
                    (least_out, least_in)
                } else {
                    (least_in, least_out)
                };
                roots.push(CheapRoot {
                    column,
                    split: root.split,
                    inside,
                    outside,
                });
            }
        } else if whole < UNREACHABLE {
            self.incumbent.offer(whole, order, || Candidate::Root(root));
        }
        Known {
            inside: least_in,
            outside: least_out,
            whole,
            mass,
        }
    }
}

fn scale_bound(shallower: Cost, scale: super::cost::Scale, mass: i64) -> Cost {
    scale.node + shallower - scale.loss(mass)
}
