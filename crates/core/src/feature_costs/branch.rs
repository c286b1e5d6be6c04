//! Depth four and more (and any depth without pair tables): split by split, midpoints first.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::searcher::Searcher;
use crate::search::bounds::{Known, neighbour};
use crate::search::cost::{Cost, UNREACHABLE};
use crate::search::incumbent::{Incumbent, Order};
use crate::search::node::Node;
use crate::search::shape::Solved;
use crate::search::{Shape, full_budget};

/// Trees by their root.
type Found = Incumbent<Arc<Shape>>;

/// A node with what all its columns need.
struct Branching<'n> {
    node: &'n Node,
    depth: u32,
    budget: u32,
    /// A bound on all rows one level shallower with one branching node fewer, whatever test is paid for first; `None` if bounds may
    /// not come from other sets of rows.
    shallower: Option<Cost>,
    /// Columns in the order in which they are tried.
    order: Vec<usize>,
}

/// A column whose feature is paid.
struct Column<'n> {
    index: usize,
    /// What a split of it costs by itself.
    price: Cost,
    rows: Vec<u32>,
    /// For each code where its rows begin, and the mass before it.
    starts: Vec<usize>,
    masses: Vec<i64>,
    branching: &'n Branching<'n>,
}

/// Splits `from..to` of a column that are still open, between two that are known.
struct Item {
    from: usize,
    to: usize,
    left: Known,
    right: Known,
}

impl<'a> Searcher<'a> {
    /// Best tree of the node by branching, if it costs less than `upper`; with the help of other threads' searchers, which
    /// must have paid the same.
    pub(super) fn branch(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        upper: Cost,
        helpers: &mut [Searcher<'a>],
    ) -> Solved {
        // One level shallower first: a tree to beat, and a bound for every child.
        let shallower = self.solve(node, depth - 1, budget - 1, UNREACHABLE);
        let leaf = self.leaf_cost(node);
        let found = Found::below(upper);
        found.offer(leaf, 1, Shape::leaf);
        if let Some((cost, tree)) = &shallower.tree {
            found.offer(*cost, 2, || tree.clone());
        }
        // Less what tests for a discount alone can save below, and what the discount that the first test opens saves beyond its price.
        let gaps = [depth - 1, 2].map(|levels| self.door_gap(node, levels));
        let relaxed = |gap: Cost| shallower.lower - gap;
        let gap = gaps[0].zip(gaps[1]).map(|(below, first)| below + first);
        let branching = Branching {
            node,
            depth,
            budget,
            shallower: gap.map(relaxed).filter(|_| self.shared.nests),
            order: self.column_order(node),
        };
        let next = AtomicUsize::new(0);
        let lower = self.share_columns(helpers, |searcher| {
            let mut lower = leaf;
            loop {
                let rank = next.fetch_add(1, Ordering::Relaxed);
                if rank >= branching.order.len() {
                    return lower;
                }
                lower = lower.min(searcher.branch_on(&branching, rank, &found));
            }
        });
        match found.best() {
            None => Solved::at_least(lower),
            Some((cost, tree)) => Solved {
                lower: lower.min(cost),
                tree: Some((cost, tree)),
            },
        }
    }

    /// Columns by the cost of the best single split: good trees first.
    fn column_order(&self, node: &Node) -> Vec<usize> {
        let mut order: Vec<usize> = (0..node.columns.len()).collect();
        order.sort_by_cached_key(|&column| {
            self.best_split_on(node, column)
                .map_or(UNREACHABLE, |(cost, _)| cost)
        });
        order
    }

    /// Try the splits of the column at place `rank`; returns a lower bound on trees with one of them as root.
    fn branch_on(&mut self, branching: &Branching<'_>, rank: usize, found: &Found) -> Cost {
        let node = branching.node;
        let index = branching.order[rank];
        let first: Order = (rank as Order + 1) << 16;
        let price = self.split_price(node, index);
        if price >= found.limit(first) || self.shared.control.stopped() {
            return price;
        }
        let feature = self.paid.feature_of(&node.columns[index]);
        let is_new = self.paid.push(feature);
        let lower = self.branch_on_paid(branching, index, price, first, found);
        if is_new {
            self.paid.pop(feature);
        }
        lower
    }

    fn branch_on_paid(
        &mut self,
        branching: &Branching<'_>,
        index: usize,
        price: Cost,
        first: Order,
        found: &Found,
    ) -> Cost {
        let shared = self.shared;
        let column = Column::new(self, branching, index, price);
        let mut items: VecDeque<Item> = column.items(self).into();
        let mut lower = UNREACHABLE;
        while let Some(item) = items.pop_front() {
            let between = price + item.left.inside + item.right.outside;
            if between >= found.limit(first + item.from as Order) || shared.control.stopped() {
                lower = lower.min(between);
                continue;
            }
            let middle = usize::midpoint(item.from, item.to);
            let order = first + middle as Order;
            let mass = column.masses[middle + 1];
            let bound = if column.is_bounded() {
                neighbour(&item.left, &item.right, mass, shared.scale)
            } else {
                between.max(item.left.whole)
            };
            let known = if bound >= found.limit(order) {
                lower = lower.min(bound);
                None
            } else {
                let (whole, known) = self.evaluate(&column, &item, middle, found, order);
                lower = lower.min(whole);
                Some(known)
            };
            let parts = [
                (item.from, middle, item.left, known.unwrap_or(item.right)),
                (middle + 1, item.to, known.unwrap_or(item.left), item.right),
            ];
            items.extend(parts.into_iter().filter(|&(from, to, ..)| from < to).map(
                |(from, to, left, right)| Item {
                    from,
                    to,
                    left,
                    right,
                },
            ));
        }
        lower
    }

    /// Solve both sides of a split, and offer the tree if it is good. Returns a bound on trees with that root, and what bounds other
    /// splits.
    fn evaluate(
        &mut self,
        column: &Column<'_>,
        item: &Item,
        split: usize,
        found: &Found,
        order: Order,
    ) -> (Cost, Known) {
        let (scale, branching) = (self.shared.scale, column.branching);
        let mut known = Known {
            inside: item.left.inside,
            outside: item.right.outside,
            whole: UNREACHABLE,
            mass: column.masses[split + 1],
        };
        let Some([inside, outside]) = column.sides(split, self.shared.rule.min_records) else {
            return (UNREACHABLE, known);
        };
        let depth = branching.depth - 1;
        let budget = (branching.budget - 1).min(full_budget(depth));
        // Solve somewhat beyond the limit: higher bounds rule out neighbours too.
        let limit = found.limit(order);
        let slack = if column.is_bounded() {
            let reach = (item.right.mass - known.mass).max(known.mass - item.left.mass);
            scale.loss(reach).min(limit / 1000 + scale.per_unit)
        } else {
            0
        };
        let reach = limit.saturating_add(slack).min(UNREACHABLE) - column.price;
        let inside_first = inside.len() >= outside.len();
        let (first, second, first_least, second_least) = if inside_first {
            (&inside, &outside, known.inside, known.outside)
        } else {
            (&outside, &inside, known.outside, known.inside)
        };
        let a = self.solve(first, depth, budget, reach - second_least);
        let first_lower = a.lower.max(first_least);
        let b = if first_lower + second_least >= reach {
            Solved::at_least(second_least)
        } else {
            self.solve(second, depth, budget, reach - first_lower)
        };
        let second_lower = b.lower.max(second_least);
        let mut whole = column.price + first_lower + second_lower;
        let offer = |a: &Solved, b: &Solved| {
            let (Some((cost_a, a)), Some((cost_b, b))) = (&a.tree, &b.tree) else {
                return false;
            };
            let fits = 1 + a.n_branching() + b.n_branching() <= branching.budget as usize;
            if fits {
                let (a, b) = if inside_first { (a, b) } else { (b, a) };
                let split = branching.node.columns[column.index].problem_split(split);
                found.offer(column.price + cost_a + cost_b, order, || {
                    Shape::branch(split, a.clone(), b.clone())
                });
            }
            fits
        };
        let fits = offer(&a, &b);
        let complete = a.tree.is_some() && b.tree.is_some();
        if complete && !fits && whole < found.limit(order) {
            // Both best children together take too many branching nodes: share them out.
            let mut shared_out = UNREACHABLE;
            for first_budget in 0..=budget {
                let second_budget = (branching.budget - 1 - first_budget).min(budget);
                let limit = found.limit(order) - column.price;
                let a = self.solve(first, depth, first_budget, limit - second_lower);
                if a.lower + second_lower >= limit {
                    shared_out = shared_out.min(column.price + a.lower + second_lower);
                    continue;
                }
                let b = self.solve(second, depth, second_budget, limit - a.lower);
                shared_out = shared_out.min(column.price + a.lower + b.lower);
                offer(&a, &b);
            }
            whole = whole.max(shared_out);
        }
        if branching.shallower.is_some() {
            let gap = |side: &Node| self.door_gap(side, depth).unwrap_or(UNREACHABLE);
            let (first_gap, second_gap) = (gap(first), gap(second));
            known.whole = whole - first_gap - second_gap;
            let first = first_least.max(first_lower - first_gap);
            let second = second_least.max(second_lower - second_gap);
            (known.inside, known.outside) = if inside_first {
                (first, second)
            } else {
                (second, first)
            };
        }
        (whole, known)
    }
}

impl<'n> Column<'n> {
    fn new(
        searcher: &Searcher<'_>,
        branching: &'n Branching<'n>,
        index: usize,
        price: Cost,
    ) -> Self {
        let node = branching.node;
        let (rows, starts) = node.rows_by_code(index);
        let reaches = searcher.reaches(node, branching.depth - 1);
        let mut masses = vec![0];
        let mut mass = 0;
        for code in starts.windows(2) {
            mass += rows[code[0]..code[1]]
                .iter()
                .map(|&row| reaches[row as usize])
                .sum::<i64>();
            masses.push(mass);
        }
        Self {
            index,
            price,
            rows,
            starts,
            masses,
            branching,
        }
    }

    /// Whether the splits of the column bound each other.
    fn is_bounded(&self) -> bool {
        self.is_ordered() && self.branching.shallower.is_some()
    }

    fn is_ordered(&self) -> bool {
        self.branching.node.columns[self.index].ordered
    }

    /// Items that cover all splits of the column.
    fn items(&self, searcher: &Searcher<'_>) -> Vec<Item> {
        let scale = searcher.shared.scale;
        let n_splits = self.branching.node.columns[self.index].n_splits;
        let nothing = Known {
            inside: 0,
            outside: 0,
            whole: self.price,
            mass: 0,
        };
        let Some(shallower) = self.branching.shallower else {
            return (0..n_splits)
                .map(|split| Item {
                    from: split,
                    to: split + 1,
                    left: nothing,
                    right: nothing,
                })
                .collect();
        };
        // With the column's feature paid all rows cost no more than without, and at most its price less.
        let side = (shallower + scale.node - self.price).max(0);
        let whole = self.price.max(scale.node + shallower);
        let all = self.masses[self.masses.len() - 1];
        if self.is_ordered() {
            let left = Known {
                outside: side,
                whole,
                ..nothing
            };
            let right = Known {
                inside: side,
                whole,
                mass: all,
                ..nothing
            };
            return vec![Item {
                from: 0,
                to: n_splits,
                left,
                right,
            }];
        }
        (0..n_splits)
            .map(|split| {
                // A category stands alone; what it can save is bounded by its own mass, and by the mass of the rest.
                let mass = self.masses[split + 1] - self.masses[split];
                let moved = scale.loss(mass.min(all - mass));
                let left = Known {
                    whole: self.price.max(whole - moved),
                    ..nothing
                };
                Item {
                    from: split,
                    to: split + 1,
                    left,
                    right: nothing,
                }
            })
            .collect()
    }

    /// The nodes on both sides of a split; none if a side holds too few records.
    fn sides(&self, split: usize, min_records: i64) -> Option<[Node; 2]> {
        let node = self.branching.node;
        let (from, to) = (self.starts[split], self.starts[split + 1]);
        let (inside, outside) = if self.is_ordered() {
            let (inside, outside) = self.rows.split_at(to);
            (inside.to_vec(), outside.to_vec())
        } else {
            let rest = [&self.rows[..from], &self.rows[to..]].concat();
            (self.rows[from..to].to_vec(), rest)
        };
        let sides = [node.child(&inside), node.child(&outside)];
        sides
            .iter()
            .all(|side| side.count >= min_records)
            .then_some(sides)
    }
}
