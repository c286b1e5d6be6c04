//! Scalar searches over the same rows, one after the other, for whatever it costs to label a row positive.

use super::records::Records;
use crate::error::Error;
use crate::search::{Control, Observer, Params, Progress, Status, search};
use crate::tree::Tree;

/// A tree of a scalar search.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The tree.
    pub tree: Tree,
    /// The cells of the records labelled positive, summed.
    pub cells: Vec<i64>,
    /// No tree's summed cost over the rows labelled positive is less.
    pub lower: i64,
    /// Whether the tree reaches that.
    pub is_optimal: bool,
}

/// Most that the costs of all rows may sum up to: the search keeps twenty bits for ties.
pub const MAX_MASS: i64 = 1 << 42;

/// Find the tree for which the sum of `price` over the rows labelled positive is least.
///
/// # Errors
/// [`Error::Parameter`] if a parameter is out of range.
pub fn solve_scalar(
    records: &mut Records,
    price: &[i64],
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<Scalar, Error> {
    // Costs must not be negative: what label 1 would save is charged to label 0 instead.
    let mut offset = 0;
    for (costs, &price) in records.problem.costs.chunks_exact_mut(2).zip(price) {
        costs[0] = (-price).max(0);
        costs[1] = price.max(0);
        offset += costs[0];
    }
    let unit = std::mem::replace(&mut records.problem.unit, 1.0);
    let outcome = search(&records.problem, params, control, observer);
    records.problem.unit = unit;
    let outcome = outcome?;
    let is_optimal = outcome.status == Status::Optimal;
    let lower = if is_optimal {
        outcome.tree.units
    } else {
        outcome.lower_bound.floor() as i64
    };
    let cells = records.predicted_positive(&outcome.tree);
    Ok(Scalar {
        cells,
        lower: lower - offset,
        is_optimal,
        tree: outcome.tree,
    })
}

/// Passes progress on with what is known of the whole task in place of one scalar search's costs.
pub struct Inside<'o> {
    /// Who is told.
    pub observer: &'o mut dyn Observer,
    /// Value of the best tree so far.
    pub objective: f64,
    /// Bound on the value of every tree.
    pub bound: f64,
}

impl Observer for Inside<'_> {
    fn poll(&mut self, progress: &Progress) -> bool {
        let known = Progress {
            objective: self.objective,
            lower_bound: self.bound,
            ..*progress
        };
        self.observer.poll(&known)
    }
}
