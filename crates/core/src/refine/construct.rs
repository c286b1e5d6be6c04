//! Trees grown from scratch: upper splits by an exact look three levels ahead, the three lowest levels exact.
//!
//! Choosing a split by what the best shallow tree below it would cost, in place of an impurity, is the idea of SPLIT (Babbar et al. 2025);
//! here the look ahead is as deep as the fast kernel goes, and several splits are tried where there is time.

use super::crew::{Crew, Worker};
use super::improve::{EXACT_DEPTH, Part};
use crate::search::Shape;
use crate::search::cost::Cost;
use crate::search::node::Node;
use crate::search::searcher::{CheapRoot, full_budget};
use crate::search::warm_start::{ClassMasses, Impurity};

/// Roots looked at cost at most this share more than the best one of three levels.
const SLACK_SHARE: i64 = 8;
/// Thresholds of one column no further apart than this count as one.
const NEAR: usize = 2;
/// Roots tried side by side with one upper bound: a number of its own, so that the result does not depend on the threads.
const ROUND: usize = 2;

impl Worker<'_, '_> {
    /// Grow a tree that costs less than `upper`: each upper node tries the `width` splits that the look ahead favours, half as many one
    /// level down.
    pub fn construct(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        width: usize,
        upper: Cost,
    ) -> Option<Part> {
        let (mut best, roots) = self.prepare(node, depth, budget, width, upper);
        for root in roots {
            if self.stopped() {
                break;
            }
            let limit = best.as_ref().map_or(upper, |best| best.cost);
            if let Some(found) = self.grow_below(node, root, depth, budget, width, limit) {
                best = Some(found);
            }
        }
        best
    }

    /// The best tree of three levels, and the roots to try for more.
    fn prepare(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        width: usize,
        upper: Cost,
    ) -> (Option<Part>, Vec<CheapRoot>) {
        let shallow = depth.min(EXACT_DEPTH);
        let shallow_budget = budget.min(full_budget(shallow));
        let solved = self.searcher.solve(node, shallow, shallow_budget, upper);
        let least = solved.lower;
        let best = Part::of(solved);
        let scale = self.searcher.shared.scale;
        // A tree without loss can only be had for the price of nodes: no deeper one is sought.
        let is_enough = depth <= EXACT_DEPTH
            || budget <= EXACT_DEPTH
            || least < scale.per_unit
            || node.columns.is_empty()
            || !self.searcher.uses_table(node);
        if is_enough || self.stopped() {
            return (best, Vec::new());
        }
        let slack = (least / SLACK_SHARE).max(2 * scale.per_unit);
        let mut roots =
            self.searcher
                .roots_below(node, shallow_budget, least.saturating_add(slack));
        roots.sort_by_key(|root| (root.inside + root.outside, root.column, root.split));
        let mut kept: Vec<CheapRoot> = Vec::new();
        for root in roots {
            let near = kept.iter().any(|other| {
                other.column == root.column
                    && node.columns[root.column].ordered
                    && other.split.abs_diff(root.split) <= NEAR
            });
            if !near {
                kept.push(root);
            }
            if kept.len() >= width {
                break;
            }
        }
        (best, kept)
    }

    /// The tree grown below a given root, if it costs less than `upper`.
    fn grow_below(
        &mut self,
        node: &Node,
        root: CheapRoot,
        depth: u32,
        budget: u32,
        width: usize,
        upper: Cost,
    ) -> Option<Part> {
        let (a, b) = node.partition(root.column, root.split);
        let (a_node, b_node) = (node.child(&a), node.child(&b));
        let full = full_budget(depth - 1);
        let rest = budget - 1;
        let total = (a_node.spread + b_node.spread).max(1);
        let share = (i128::from(rest) * i128::from(a_node.spread) / i128::from(total)) as u32;
        let a_budget = share.min(full).max(rest.saturating_sub(full));
        let width = (width / 2).max(1);
        let upper = upper - self.price();
        let a = self.construct(&a_node, depth - 1, a_budget, width, upper)?;
        let b_budget = (rest - a.shape.n_branching() as u32).min(full);
        let b = self.construct(&b_node, depth - 1, b_budget, width, upper - a.cost)?;
        let split = node.columns[root.column].problem_split(root.split);
        Some(Part {
            cost: self.price() + a.cost + b.cost,
            shape: Shape::branch(split, a.shape, b.shape),
        })
    }
}

impl Crew<'_> {
    /// A greedy tree whose two lowest levels are exact: a matter of moments.
    pub fn greedy(&mut self, node: &Node, depth: u32, budget: u32) -> Part {
        let worker = self.alone();
        let masses = ClassMasses::new(worker.problem);
        let (cost, shape) = worker
            .searcher
            .grow(&masses, node, depth, budget, Impurity::Gini);
        Part { cost, shape }
    }

    /// The tree grown below a given root, both sides at once, if it costs less than `upper`; with as many nodes as the depth allows. Both
    /// have the same bound, so that the tree does not depend on the threads.
    fn grow_sides(
        &mut self,
        node: &Node,
        root: CheapRoot,
        depth: u32,
        width: usize,
        upper: Cost,
    ) -> Option<Part> {
        let (a, b) = node.partition(root.column, root.split);
        let price = self.alone().price();
        let sides = [node.child(&a), node.child(&b)];
        let grown = self.share(&sides, |worker, side| {
            let full = full_budget(depth - 1);
            worker.construct(side, depth - 1, full, (width / 2).max(1), upper - price)
        });
        let Ok([Some(a), Some(b)]) = <[Option<Part>; 2]>::try_from(grown) else {
            return None;
        };
        let split = node.columns[root.column].problem_split(root.split);
        let cost = price + a.cost + b.cost;
        (cost < upper).then(|| Part {
            cost,
            shape: Shape::branch(split, a.shape, b.shape),
        })
    }

    /// The same as [`Worker::construct`], with all threads.
    pub fn construct(
        &mut self,
        node: &Node,
        depth: u32,
        budget: u32,
        width: usize,
        upper: Cost,
    ) -> Option<Part> {
        let (mut best, roots) = self.alone().prepare(node, depth, budget, width, upper);
        if let ([root], true) = (&roots[..], budget >= full_budget(depth)) {
            let limit = best.as_ref().map_or(upper, |best| best.cost);
            return self.grow_sides(node, *root, depth, width, limit).or(best);
        }
        for round in roots.chunks(ROUND) {
            let limit = best.as_ref().map_or(upper, |best| best.cost);
            let found = self.share(round, |worker, &root| {
                worker.grow_below(node, root, depth, budget, width, limit)
            });
            for part in found.into_iter().flatten() {
                if best.as_ref().is_none_or(|best| part.cost < best.cost) {
                    best = Some(part);
                }
            }
            if self.alone().stopped() {
                break;
            }
        }
        best
    }
}
