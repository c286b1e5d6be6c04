//! Objectives. A task turns the statistics of a record into a cost per label; the search sees nothing else.
//!
//! See `docs/adding_a_task.md`.

mod accuracy;
mod matrix;
mod quantise;
mod record_costs;

pub use accuracy::Accuracy;
pub use matrix::MatrixCosts;
pub use quantise::{Quantised, quantise, quantise_total};
pub use record_costs::RecordCosts;

use std::borrow::Cow;

use crate::error::Error;

/// A scalar additive objective: the cost of a tree is the sum, over its leaves, of the least summed cost of a label.
///
/// Merging is lossless for every such task, because records that agree on all candidate splits always share a leaf, so
/// only their summed costs matter (Proposition 2 of the Weighted STreeD paper).
pub trait AdditiveTask: Sync {
    /// Number of labels a leaf can predict.
    fn n_labels(&self) -> usize;

    /// Number of records.
    fn n_records(&self) -> usize;

    /// Whether a record takes part at all (a record of zero weight does not).
    fn is_present(&self, record: usize) -> bool;

    /// Cost of giving `record` the label `label`; finite and at least zero.
    fn cost(&self, record: usize, label: usize) -> f64;

    /// The class of a record, where the task has one: counts the paper's (x, y) merge key.
    fn class(&self, record: usize) -> Option<u32>;

    /// The records that take part.
    fn present(&self) -> Vec<u32> {
        (0..self.n_records() as u32)
            .filter(|&record| self.is_present(record as usize))
            .collect()
    }

    /// The costs of some records, each named once and in rising order, row-major: record x label.
    fn costs_of(&self, records: &[u32]) -> Cow<'_, [f64]> {
        let k = self.n_labels();
        let mut costs = vec![0.0; records.len() * k];
        for (cells, &record) in costs.chunks_exact_mut(k.max(1)).zip(records) {
            for (label, cell) in cells.iter_mut().enumerate() {
                *cell = self.cost(record as usize, label);
            }
        }
        costs.into()
    }

    /// The classes of some records; zero where the task has none.
    fn classes_of(&self, records: &[u32]) -> Vec<u32> {
        let records = records.iter();
        records
            .map(|&record| self.class(record as usize).unwrap_or(0))
            .collect()
    }

    /// Costs that depend on a record's class alone, row-major: class x label. `None` if they depend on more, such as a weight. Each
    /// record then has a class below the number of rows, and takes part.
    fn costs_by_class(&self) -> Option<Vec<f64>> {
        None
    }

    /// Check lengths and ranges.
    ///
    /// # Errors
    /// [`Error::Statistics`] saying what came in and what is allowed.
    fn validate(&self) -> Result<(), Error>;
}
