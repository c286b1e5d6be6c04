//! The best single split of a node, from one histogram per column.

use super::cost::UNREACHABLE;
use super::node::{Node, leaf_score};
use super::searcher::Shared;
use super::shape::{Shape, Solved};

/// Best leaf or single split. Of equally good ones the leaf, then the first split.
pub fn depth_one(shared: &Shared<'_>, node: &Node) -> Solved {
    let lanes = node.lanes;
    let scale = shared.scale;
    let leaf = if shared.rule.min_records > node.count {
        UNREACHABLE
    } else {
        scale.loss(node.leaf_loss())
    };
    let mut best = (leaf, None);
    let mut sums = Vec::new();
    let f = node.columns.len();
    for (c, column) in node.columns.iter().enumerate() {
        let n_codes = column.code_of.len();
        // Per code: the gain lanes, then the count.
        let stride = lanes + 1;
        sums.clear();
        sums.resize(n_codes * stride, 0_i64);
        for row in 0..node.len() {
            let at = usize::from(node.codes[row * f + c]) * stride;
            for lane in 0..lanes {
                sums[at + lane] += node.gains[row * lanes + lane];
            }
            sums[at + lanes] += node.counts.get(row).map_or(0, |&count| i64::from(count));
        }
        let mut inside = vec![0_i64; stride];
        for split in 0..column.n_splits {
            let cell = &sums[split * stride..(split + 1) * stride];
            if column.ordered {
                for (sum, value) in inside.iter_mut().zip(cell) {
                    *sum += value;
                }
            } else {
                inside.copy_from_slice(cell);
            }
            let count = inside[lanes];
            if shared.rule.min_records > count.min(node.count - count) {
                continue;
            }
            let outside: Vec<i64> = node
                .gain_sums
                .iter()
                .zip(&inside)
                .map(|(total, part)| total - part)
                .collect();
            let score = leaf_score(&inside[..lanes]) + leaf_score(&outside);
            let cost = scale.loss(node.potential - score) + scale.node;
            if cost < best.0 {
                best = (cost, Some((c, split)));
            }
        }
    }
    let shape = match best.1 {
        None => Shape::leaf(),
        Some((column, split)) => Shape::branch(
            node.columns[column].problem_split(split),
            Shape::leaf(),
            Shape::leaf(),
        ),
    };
    Solved::exactly(best.0, shape)
}
