//! The best single split of a node, from one histogram per column.

use super::searcher::Searcher;
use crate::search::Shape;
use crate::search::cost::Cost;
use crate::search::node::{Node, leaf_score};
use crate::search::shape::Solved;

impl Searcher<'_> {
    /// Best leaf or single split. Of equally good ones the leaf, then the first split.
    pub(super) fn depth_one(&self, node: &Node) -> Solved {
        let mut best = (self.leaf_cost(node), Shape::leaf());
        for (index, column) in node.columns.iter().enumerate() {
            if self.split_price(node, index) >= best.0 {
                continue;
            }
            if let Some((cost, split)) = self.best_split_on(node, index)
                && cost < best.0
            {
                let split = column.problem_split(split);
                best = (cost, Shape::branch(split, Shape::leaf(), Shape::leaf()));
            }
        }
        Solved::exactly(best.0, best.1)
    }

    /// The best split on a column, with leaves on both sides, and what that costs; none if leaves would be too small.
    pub(super) fn best_split_on(&self, node: &Node, index: usize) -> Option<(Cost, usize)> {
        let (lanes, f) = (node.lanes, node.columns.len());
        let column = &node.columns[index];
        let price = self.split_price(node, index);
        // Per code: the gain lanes, then the count.
        let stride = lanes + 1;
        let mut sums = vec![0_i64; column.code_of.len() * stride];
        for row in 0..node.len() {
            let at = usize::from(node.codes[row * f + index]) * stride;
            for lane in 0..lanes {
                sums[at + lane] += node.gains[row * lanes + lane];
            }
            sums[at + lanes] += node.counts.get(row).map_or(0, |&count| i64::from(count));
        }
        let mut inside = vec![0_i64; stride];
        let mut outside = vec![0_i64; lanes];
        let mut best: Option<(Cost, usize)> = None;
        for (split, cell) in sums.chunks_exact(stride).take(column.n_splits).enumerate() {
            for (sum, value) in inside.iter_mut().zip(cell) {
                *sum = if column.ordered { *sum + value } else { *value };
            }
            if self.shared.rule.min_records > inside[lanes].min(node.count - inside[lanes]) {
                continue;
            }
            for ((rest, total), part) in outside.iter_mut().zip(&node.gain_sums).zip(&inside) {
                *rest = total - part;
            }
            let score = leaf_score(&inside[..lanes]) + leaf_score(&outside);
            let cost = self.shared.loss(node.potential - score) + price;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, split));
            }
        }
        best
    }
}
