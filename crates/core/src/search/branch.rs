//! Depth four and more (and any depth without pair tables): split by split, midpoints first.
//!
//! An item is a stretch of splits of one column between two that are known. Expanding it evaluates its middle split, solving both sides one
//! level deeper, and leaves two shorter items; bounds from the known ends rule most items out before that.

use std::collections::VecDeque;

use super::bounds::{Known, interval, neighbour};
use super::cost::{Cost, UNREACHABLE};
use super::incumbent::{Incumbent, Order};
use super::node::Node;
use super::searcher::{Searcher, full_budget};
use super::shape::{Shape, Solved};
use std::sync::Arc;

/// A node with what all its items need.
#[derive(Debug)]
pub struct Branching<'n> {
    /// The node.
    pub node: &'n Node,
    /// Depth left.
    pub depth: u32,
    /// Branching nodes left.
    pub budget: u32,
    /// Columns in the order in which they are tried.
    pub order: Vec<usize>,
    /// Best cost one level shallower with one branching node fewer, or a bound on it.
    pub shallower: Cost,
    /// Per column: rows by code, where each code begins, and the mass before it.
    columns: Vec<ColumnRows>,
}

#[derive(Debug)]
struct ColumnRows {
    rows: Vec<u32>,
    starts: Vec<usize>,
    masses: Vec<i64>,
}

/// A stretch of splits of one column.
#[derive(Clone, Debug)]
pub struct Item {
    /// Place of the column in the order.
    pub rank: usize,
    /// First split.
    pub from: usize,
    /// One past the last split.
    pub to: usize,
    /// What is known left of it.
    pub left: Known,
    /// What is known right of it.
    pub right: Known,
    /// No tree with such a split at its root costs less.
    pub lower: Cost,
}

/// Trees whose root is found by branching.
pub type Found = Incumbent<Arc<Shape>>;

impl<'n> Branching<'n> {
    /// Make a node ready: `shallower` is the cost of its best tree one level shallower.
    pub fn new(
        node: &'n Node,
        depth: u32,
        budget: u32,
        shallower: Cost,
        order: Vec<usize>,
    ) -> Self {
        let columns = (0..node.columns.len())
            .map(|column| {
                let (rows, starts) = node.rows_by_code(column);
                let mut masses = vec![0_i64; starts.len()];
                for code in 0..starts.len() - 1 {
                    let mass: i64 = rows[starts[code]..starts[code + 1]]
                        .iter()
                        .map(|&row| node.spreads[row as usize])
                        .sum();
                    masses[code + 1] = masses[code] + mass;
                }
                ColumnRows {
                    rows,
                    starts,
                    masses,
                }
            })
            .collect();
        Self {
            node,
            depth,
            budget,
            order,
            shallower,
            columns,
        }
    }

    /// The items that cover all splits of the column at place `rank`.
    pub fn items(&self, searcher: &Searcher<'_>, rank: usize) -> Vec<Item> {
        let scale = searcher.shared.scale;
        let column = self.order[rank];
        let n_splits = self.node.columns[column].n_splits;
        let shallower = if searcher.shared.bounds.shallower {
            self.shallower
        } else {
            0
        };
        if self.node.columns[column].ordered {
            let left = Known::before_all(shallower, scale);
            let right = Known::after_all(shallower, scale, self.node.spread);
            let lower = scale.node;
            return vec![Item {
                rank,
                from: 0,
                to: n_splits,
                left,
                right,
                lower,
            }];
        }
        let masses = &self.columns[column].masses;
        (0..n_splits)
            .map(|split| {
                // A category stands alone; what it can save is bounded by its own mass, and by the mass of the rest.
                let mass = masses[split + 1] - masses[split];
                let moved = mass.min(self.node.spread - mass);
                let lower = (scale.node + shallower - scale.loss(moved)).max(scale.node);
                let known = Known {
                    inside: 0,
                    outside: 0,
                    whole: lower,
                    mass: 0,
                };
                Item {
                    rank,
                    from: split,
                    to: split + 1,
                    left: known,
                    right: known,
                    lower,
                }
            })
            .collect()
    }

    /// Place of a split in the order of candidates.
    fn order_of(&self, rank: usize, split: usize) -> Order {
        ((rank as Order + 1) << 16) + split as Order
    }

    fn is_ordered(&self, item: &Item) -> bool {
        self.node.columns[self.order[item.rank]].ordered
    }

    fn mass_before(&self, item: &Item, code: usize) -> i64 {
        self.columns[self.order[item.rank]].masses[code]
    }

    /// Local rows on both sides of a split.
    fn sides(&self, item: &Item, split: usize) -> (Vec<u32>, Vec<u32>) {
        let column = &self.columns[self.order[item.rank]];
        if self.is_ordered(item) {
            let (left, right) = column.rows.split_at(column.starts[split + 1]);
            return (left.to_vec(), right.to_vec());
        }
        let (from, to) = (column.starts[split], column.starts[split + 1]);
        let rest = column.rows[..from]
            .iter()
            .chain(&column.rows[to..])
            .copied()
            .collect();
        (column.rows[from..to].to_vec(), rest)
    }
}

impl<'a> Searcher<'a> {
    /// Best tree of the node by branching, if it costs less than `upper`.
    pub(super) fn branch(&mut self, node: &Node, depth: u32, budget: u32, upper: Cost) -> Solved {
        let leaf = self.leaf_cost(node);
        // One level shallower first: a tree to beat, and a bound for every child.
        let shallower = self.solve(node, depth - 1, budget - 1, UNREACHABLE);
        let found = Found::below(upper);
        found.offer(leaf, 1, Shape::leaf);
        if let Some((cost, tree)) = &shallower.tree {
            found.offer(*cost, 2, || tree.clone());
        }
        let order = self.column_order(node);
        let branching = Branching::new(node, depth, budget, shallower.lower, order);
        let mut lower = leaf;
        for rank in 0..branching.order.len() {
            let mut items: VecDeque<Item> = branching.items(self, rank).into();
            while let Some(item) = items.pop_front() {
                if self.shared.control.stopped() {
                    lower = lower.min(item.lower).min(self.shared.scale.node);
                    break;
                }
                let expansion = self.expand(&branching, &item, &found);
                lower = lower.min(expansion.lower);
                items.extend(expansion.items.into_iter().flatten());
            }
        }
        match found.best() {
            None => Solved::at_least(lower),
            Some((cost, tree)) => Solved {
                lower: lower.min(cost),
                tree: Some((cost, tree)),
            },
        }
    }

    /// Columns by their best single split: good trees first.
    pub(super) fn column_order(&self, node: &Node) -> Vec<usize> {
        let f = node.columns.len();
        let score = |c: usize| {
            let column = &node.columns[c];
            let stride = node.lanes;
            let mut sums = vec![0_i64; column.code_of.len() * stride];
            for row in 0..node.len() {
                let at = usize::from(node.codes[row * f + c]) * stride;
                for lane in 0..stride {
                    sums[at + lane] += node.gains[row * stride + lane];
                }
            }
            let mut inside = vec![0_i64; stride];
            let mut best = 0;
            for split in 0..column.n_splits {
                for lane in 0..stride {
                    let cell = sums[split * stride + lane];
                    inside[lane] = if column.ordered {
                        inside[lane] + cell
                    } else {
                        cell
                    };
                }
                let outside: Vec<i64> = node
                    .gain_sums
                    .iter()
                    .zip(&inside)
                    .map(|(a, b)| a - b)
                    .collect();
                let score = super::node::leaf_score(&inside) + super::node::leaf_score(&outside);
                best = best.max(score);
            }
            best
        };
        let mut order: Vec<usize> = (0..f).collect();
        order.sort_by_cached_key(|&column| std::cmp::Reverse(score(column)));
        order
    }

    /// Evaluate the middle of an item, unless bounds rule it out.
    pub(super) fn expand(
        &mut self,
        branching: &Branching<'_>,
        item: &Item,
        found: &Found,
    ) -> Expansion {
        let shared = self.shared;
        let middle = (item.from + item.to) / 2;
        let order = branching.order_of(item.rank, middle);
        let first_order = branching.order_of(item.rank, item.from);
        if !branching.is_ordered(item) {
            if item.lower >= found.limit(order) {
                self.stats.pruned_neighbour += 1;
                return Expansion::pruned(item.lower);
            }
            let known = self.evaluate(branching, item, middle, found, order);
            return Expansion::pruned(known.whole);
        }
        let mut bound = shared.scale.node;
        if shared.bounds.interval {
            bound = bound.max(interval(&item.left, &item.right, shared.scale));
            if bound >= found.limit(first_order) {
                self.stats.pruned_interval += 1;
                return Expansion::pruned(bound);
            }
        }
        let mass = branching.mass_before(item, middle + 1);
        if shared.bounds.neighbour {
            let lower = neighbour(&item.left, &item.right, mass, shared.scale);
            if lower >= found.limit(order) {
                self.stats.pruned_neighbour += 1;
                return Expansion::split(
                    item,
                    middle,
                    None,
                    lower,
                    shared.scale,
                    shared.bounds.interval,
                );
            }
        }
        let known = self.evaluate(branching, item, middle, found, order);
        Expansion::split(
            item,
            middle,
            Some(known),
            known.whole,
            shared.scale,
            shared.bounds.interval,
        )
    }

    /// Solve both sides of a split, and offer the tree if it is good.
    fn evaluate(
        &mut self,
        branching: &Branching<'_>,
        item: &Item,
        split: usize,
        found: &Found,
        order: Order,
    ) -> Known {
        let scale = self.shared.scale;
        let (inside_rows, outside_rows) = branching.sides(item, split);
        let inside = branching.node.child(&inside_rows);
        let outside = branching.node.child(&outside_rows);
        let mass = inside.spread;
        let ordered = branching.is_ordered(item) && self.shared.bounds.interval;
        let (inside_least, outside_least) = if ordered {
            (item.left.inside, item.right.outside)
        } else {
            (0, 0)
        };
        let limit = found.limit(order);
        // Solve somewhat beyond the limit: higher bounds rule out neighbours too.
        let slack = if branching.is_ordered(item) && self.shared.bounds.neighbour {
            let reach = (item.right.mass - mass).max(mass - item.left.mass);
            scale.loss(reach).min(limit / 1000 + scale.per_unit)
        } else {
            0
        };
        let reach = limit.saturating_add(slack).min(UNREACHABLE) - scale.node;
        let depth = branching.depth - 1;
        let budget = (branching.budget - 1).min(full_budget(depth));
        let inside_first = inside.len() >= outside.len();
        let (first, first_least, second, second_least) = if inside_first {
            (&inside, inside_least, &outside, outside_least)
        } else {
            (&outside, outside_least, &inside, inside_least)
        };
        let first_solved = self.solve(first, depth, budget, reach - second_least);
        let first_lower = first_solved.lower.max(first_least);
        let second_solved = if first_lower + second_least >= reach {
            self.stats.pruned_sibling += 1;
            Solved::at_least(second_least)
        } else {
            self.solve(second, depth, budget, reach - first_lower)
        };
        let second_lower = second_solved.lower.max(second_least);
        let mut whole = scale.node + first_lower + second_lower;
        let column = branching.order[item.rank];
        let offer = |first: &Solved, second: &Solved| {
            let (Some((cost_a, a)), Some((cost_b, b))) = (&first.tree, &second.tree) else {
                return None;
            };
            let nodes = 1 + a.n_branching() + b.n_branching();
            if nodes > branching.budget as usize {
                return None;
            }
            let cost = scale.node + cost_a + cost_b;
            let (a, b) = if inside_first { (a, b) } else { (b, a) };
            found.offer(cost, order, || {
                Shape::branch(
                    branching.node.columns[column].problem_split(split),
                    a.clone(),
                    b.clone(),
                )
            });
            Some(cost)
        };
        let fits = offer(&first_solved, &second_solved);
        let complete = first_solved.tree.is_some() && second_solved.tree.is_some();
        if complete && fits.is_none() && whole < found.limit(order) {
            // Both best children together take too many branching nodes: share them out.
            let mut shared_out = UNREACHABLE;
            for first_budget in 0..=budget {
                let second_budget = (branching.budget - 1 - first_budget).min(budget);
                let limit = found.limit(order) - scale.node;
                let a = self.solve(first, depth, first_budget, limit - second_lower);
                if a.lower + second_lower >= limit {
                    shared_out = shared_out.min(scale.node + a.lower + second_lower);
                    continue;
                }
                let b = self.solve(second, depth, second_budget, limit - a.lower);
                shared_out = shared_out.min(scale.node + a.lower + b.lower);
                offer(&a, &b);
            }
            whole = whole.max(shared_out);
        }
        let (inside_lower, outside_lower) = if inside_first {
            (first_lower, second_lower)
        } else {
            (second_lower, first_lower)
        };
        Known {
            inside: inside_lower,
            outside: outside_lower,
            whole,
            mass,
        }
    }
}

/// What expanding an item leaves.
#[derive(Debug)]
pub struct Expansion {
    /// A lower bound on the splits that are done with.
    pub lower: Cost,
    /// The items still to expand.
    pub items: [Option<Item>; 2],
}

impl Expansion {
    fn pruned(lower: Cost) -> Self {
        Self {
            lower,
            items: [None, None],
        }
    }

    fn split(
        item: &Item,
        middle: usize,
        known: Option<Known>,
        lower: Cost,
        scale: super::cost::Scale,
        use_interval: bool,
    ) -> Self {
        let part = |from: usize, to: usize, left: Known, right: Known| {
            (from < to).then(|| {
                let least = if use_interval {
                    interval(&left, &right, scale)
                } else {
                    scale.node
                };
                Item {
                    rank: item.rank,
                    from,
                    to,
                    left,
                    right,
                    lower: item.lower.max(least),
                }
            })
        };
        let below = part(item.from, middle, item.left, known.unwrap_or(item.right));
        let above = part(middle + 1, item.to, known.unwrap_or(item.left), item.right);
        Self {
            lower,
            items: [below, above],
        }
    }
}
