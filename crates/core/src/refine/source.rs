//! Where inner problems come from.

use crate::error::Error;
use crate::problem::Problem;
use crate::table::{SplitRef, Table};
use crate::task::AdditiveTask;

/// Whatever can project its records onto a candidate set and merge those that then agree.
///
/// All problems of a source must count costs in the same unit, and refer to splits by the same names.
pub trait Source: Sync {
    /// All splits, distinct, ascending.
    fn splits(&self) -> &[SplitRef];

    /// The problem over these candidates.
    ///
    /// # Errors
    /// [`Error`] if a candidate does not exist or the statistics are inconsistent.
    fn project(&self, candidates: &[SplitRef]) -> Result<Problem, Error>;
}

/// A coded table in memory.
#[derive(Clone, Copy)]
pub struct TableSource<'a> {
    /// The table.
    pub table: &'a Table,
    /// Its distinct splits.
    pub splits: &'a [SplitRef],
    /// Costs of its records.
    pub task: &'a dyn AdditiveTask,
    /// Whether to merge records.
    pub aggregate: bool,
}

impl Source for TableSource<'_> {
    fn splits(&self) -> &[SplitRef] {
        self.splits
    }

    fn project(&self, candidates: &[SplitRef]) -> Result<Problem, Error> {
        Problem::build(self.table, candidates, self.task, self.aggregate)
    }
}
