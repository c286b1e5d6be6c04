//! A complete tree before anything is proved: CART, with exact depth-two subtrees at the bottom.
//!
//! The upper levels are grown greedily (Breiman et al. 1984) by each of several impurities; the two lowest levels are solved exactly, so
//! that each tree is at least as good on the training data as the greedy tree with the same upper levels.

use std::sync::Arc;

use super::cost::Cost;
use super::node::Node;
use super::searcher::{Searcher, full_budget};
use super::shape::{Shape, Solved};
use crate::problem::Problem;

/// What greedy growth minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impurity {
    /// Gini index.
    Gini,
    /// Entropy.
    Entropy,
}

impl Searcher<'_> {
    /// Grow the upper levels by `impurity`, solve the lower ones exactly. The tree may exceed no limit but is not proven.
    pub(crate) fn grow(
        &mut self,
        masses: &ClassMasses,
        node: &Node,
        depth: u32,
        budget: u32,
        impurity: Impurity,
    ) -> (Cost, Arc<Shape>) {
        let depth = depth.min(budget);
        let leaf = (self.leaf_cost(node), Shape::leaf());
        if depth == 0 || node.columns.is_empty() || leaf.0 <= self.shared.scale.node {
            return leaf;
        }
        if depth == 1 {
            return super::depth_one::depth_one(self.shared, node)
                .tree
                .unwrap_or(leaf);
        }
        if depth == 2 && self.has_time_for_table(node) {
            let solved = self.depth_two_at_last(node, budget.min(full_budget(depth)));
            if let Some(found) = solved.tree {
                return found;
            }
        }
        let Some((column, split)) =
            best_split(masses, node, impurity, self.shared.rule.min_records)
        else {
            return leaf;
        };
        let (inside, outside) = node.partition(column, split);
        let (inside, outside) = (node.child(&inside), node.child(&outside));
        // Give each side its share of the node budget by its mass.
        let rest = budget - 1;
        let most = full_budget(depth - 1);
        let share = (i128::from(rest) * i128::from(inside.spread)
            / i128::from((inside.spread + outside.spread).max(1))) as u32;
        let first = share.min(most).max(rest.saturating_sub(most));
        let (a_cost, a) = self.grow(masses, &inside, depth - 1, first, impurity);
        let left_over = rest - (a.n_branching() as u32).min(rest);
        let (b_cost, b) = self.grow(masses, &outside, depth - 1, left_over.min(most), impurity);
        let cost = self.shared.scale.node + a_cost + b_cost;
        if cost < leaf.0 {
            (
                cost,
                Shape::branch(node.columns[column].problem_split(split), a, b),
            )
        } else {
            leaf
        }
    }
}

impl Searcher<'_> {
    /// The best tree of depth one or two, if that takes no time to speak of.
    pub(super) fn solve_shallow(&mut self, node: &Node, depth: u32, budget: u32) -> Option<Solved> {
        let leaf = self.leaf_cost(node);
        if node.columns.is_empty() || leaf <= self.shared.scale.node {
            return Some(Solved::exactly(leaf, Shape::leaf()));
        }
        match depth {
            1 => Some(super::depth_one::depth_one(self.shared, node)),
            2 if self.has_time_for_table(node) => Some(self.depth_two_at_last(node, budget)),
            _ => None,
        }
    }

    /// Whether a pair table is worth its while before the search has begun: it may take a tenth of the time left.
    fn has_time_for_table(&self, node: &Node) -> bool {
        const AT_ONCE: f64 = 0.02;
        const SHARE: f64 = 0.1;
        let left = self.shared.control.time_left();
        let most = left.map_or(f64::INFINITY, |left| {
            (left.as_secs_f64() * SHARE).max(AT_ONCE)
        });
        self.uses_table(node) && self.table_seconds(node) <= most
    }
}

/// The split of least weighted impurity, over the class masses that the costs imply.
fn best_split(
    masses: &ClassMasses,
    node: &Node,
    impurity: Impurity,
    min_records: i64,
) -> Option<(usize, usize)> {
    let k = masses.n_labels;
    let masses: Vec<f64> = node
        .rows
        .iter()
        .flat_map(|&row| masses.of(row as usize).iter().copied())
        .collect();
    let mut total = vec![0.0; k];
    for row in masses.chunks_exact(k) {
        for (sum, mass) in total.iter_mut().zip(row) {
            *sum += mass;
        }
    }
    let f = node.columns.len();
    let mut best: Option<(f64, usize, usize)> = None;
    for (c, column) in node.columns.iter().enumerate() {
        let mut sums = vec![0.0; column.code_of.len() * k];
        let mut counts = vec![0_i64; column.code_of.len()];
        for (row, masses) in masses.chunks_exact(k).enumerate() {
            let code = usize::from(node.codes[row * f + c]);
            counts[code] += node.counts.get(row).map_or(0, |&count| i64::from(count));
            for (sum, mass) in sums[code * k..(code + 1) * k].iter_mut().zip(masses) {
                *sum += mass;
            }
        }
        let (mut inside, mut outside) = (vec![0.0; k], vec![0.0; k]);
        let mut count = 0;
        for split in 0..column.n_splits {
            let cell = &sums[split * k..(split + 1) * k];
            if column.ordered {
                for (sum, mass) in inside.iter_mut().zip(cell) {
                    *sum += mass;
                }
                count += counts[split];
            } else {
                inside.copy_from_slice(cell);
                count = counts[split];
            }
            if min_records > count.min(node.count - count) {
                continue;
            }
            for ((rest, all), part) in outside.iter_mut().zip(&total).zip(&inside) {
                *rest = all - part;
            }
            let value = measure(impurity, &inside) + measure(impurity, &outside);
            if best.is_none_or(|(least, _, _)| value < least) {
                best = Some((value, c, split));
            }
        }
    }
    best.map(|(_, column, split)| (column, split))
}

/// Class masses of every merged row.
///
/// For misclassified weight, the cost of label l is the total mass less that of class l, so the masses follow from the costs; for other
/// costs this measures how much each label suits the row.
#[derive(Clone, Debug)]
pub struct ClassMasses {
    masses: Vec<f64>,
    n_labels: usize,
}

impl ClassMasses {
    /// Of all rows of a problem.
    pub fn new(problem: &Problem) -> Self {
        let k = problem.n_labels;
        let mut masses = Vec::with_capacity(problem.costs.len());
        for costs in problem.costs.chunks_exact(k) {
            let total = costs.iter().sum::<i64>() as f64 / (k.max(2) - 1) as f64;
            masses.extend(costs.iter().map(|&cost| (total - cost as f64).max(0.0)));
        }
        Self {
            masses,
            n_labels: k,
        }
    }

    fn of(&self, row: usize) -> &[f64] {
        &self.masses[row * self.n_labels..(row + 1) * self.n_labels]
    }
}

/// Weighted impurity of a set of class masses.
fn measure(impurity: Impurity, masses: &[f64]) -> f64 {
    let total: f64 = masses.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    match impurity {
        Impurity::Gini => total - masses.iter().map(|m| m * m).sum::<f64>() / total,
        Impurity::Entropy => masses
            .iter()
            .filter(|&&m| m > 0.0)
            .map(|m| -m * (m / total).ln())
            .sum(),
    }
}
