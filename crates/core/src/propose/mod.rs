//! Which splits deserve a place in a candidate set: rankings by impurity, grown on the coded table.
//!
//! Both rankings grow trees with one `grow`: the forest many and deep, each node choosing among a few random
//! *binary splits*; the CART fits few and shallow, each node choosing among all allowed splits. A ranking is the impurity decrease
//! that a split brought, summed over nodes and trees. It depends on the seed and not on the number of threads.

mod cart;
mod forest;
mod grow;
pub(crate) mod random;
mod records;
mod small;
#[cfg(test)]
mod tests;

pub use cart::{Cart, rank_by_cart};
pub use forest::{Forest, rank_by_forest};
pub use random::Random;
pub use records::Records;

use std::ops::Range;

use crate::table::SplitRef;

/// A split and the impurity decrease it brought, as a share of all decrease.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The table's split.
    pub split: SplitRef,
    /// Importance, at least 0.
    pub importance: f64,
}

/// The most important first; of equals the one that comes first in the table.
fn rank(splits: &[SplitRef], importance: &[f64]) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = splits
        .iter()
        .zip(importance)
        .map(|(&split, &importance)| Ranked { split, importance })
        .collect();
    ranked.sort_by(|a, b| {
        b.importance
            .total_cmp(&a.importance)
            .then(a.split.cmp(&b.split))
    });
    ranked
}

/// Trees grown before their importances are added up: bounds the memory that any number of trees takes.
const BATCH: usize = 64;

/// Sum of trees' importances, each tree's scaled to sum to 1 (as scikit-learn does), in the order of the trees.
///
/// `grow` returns the importances of a range of trees, in order; it is not asked for more once `stopped` returns true.
fn sum_normalised(
    n_splits: usize,
    n_trees: usize,
    stopped: &(dyn Fn() -> bool + Sync),
    grow: impl Fn(Range<usize>) -> Vec<Vec<f64>>,
) -> Vec<f64> {
    let mut sums = vec![0.0; n_splits];
    let mut first = 0;
    while first < n_trees && !stopped() {
        let end = n_trees.min(first + BATCH);
        for tree in grow(first..end) {
            let total: f64 = tree.iter().sum();
            if total > 0.0 {
                for (sum, value) in sums.iter_mut().zip(&tree) {
                    *sum += value / total;
                }
            }
        }
        first = end;
    }
    let all: f64 = sums.iter().sum();
    if all > 0.0 {
        for sum in &mut sums {
            *sum /= all;
        }
    }
    sums
}
