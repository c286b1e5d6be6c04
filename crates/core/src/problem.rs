//! The problem a search works on: merged rows over the candidate splits, with whole costs per label.

use crate::error::Error;
use crate::merging::Merging;
use crate::table::{Kind, SplitRef, Table};
use crate::task::AdditiveTask;

/// A column of a problem: as in a table, with the way back to the splits it came from.
#[derive(Clone, Debug)]
pub struct ProblemColumn {
    /// How the codes are to be read.
    pub kind: Kind,
    /// Number of codes.
    pub n_codes: usize,
    /// Number of splits.
    pub n_splits: usize,
    /// For each split, the split of the original table.
    pub origin: Vec<SplitRef>,
}

/// Merged rows with summed statistics (Weighted STreeD; one row per distinct projection onto the candidate splits).
#[derive(Clone, Debug)]
pub struct Problem {
    /// The columns.
    pub columns: Vec<ProblemColumn>,
    /// Codes, row-major: merged row x column.
    pub codes: Vec<u8>,
    /// Summed costs in units, row-major: merged row x label.
    pub costs: Vec<i64>,
    /// Records merged into each row.
    pub counts: Vec<u32>,
    /// Number of labels.
    pub n_labels: usize,
    /// Worth of one unit of cost.
    pub unit: f64,
    /// Records that take part.
    pub n_records: usize,
    /// Rows that the paper's merge key (projection, class) would leave.
    pub n_unique_labelled: usize,
}

impl Problem {
    /// Project `table` onto the splits `keep` and merge the records of `task` (each on its own if not `aggregate`).
    ///
    /// # Errors
    /// As [`Merging::new`] and [`Merging::problem`].
    pub fn build(
        table: &Table,
        keep: &[SplitRef],
        task: &dyn AdditiveTask,
        aggregate: bool,
    ) -> Result<Self, Error> {
        Merging::new(table, keep, aggregate)?.problem(task)
    }

    /// Number of merged rows.
    pub fn n_rows(&self) -> usize {
        self.counts.len()
    }

    /// The split of this problem that stands for a split of the table, if it is a candidate.
    pub fn locate(&self, split: SplitRef) -> Option<SplitRef> {
        self.columns.iter().enumerate().find_map(|(index, column)| {
            let place = column.origin.binary_search(&split).ok()?;
            Some(SplitRef {
                column: index as u32,
                split: place as u32,
            })
        })
    }

    /// The problem of some of the merged rows.
    pub fn part(&self, rows: &[u32]) -> Self {
        let (f, k) = (self.columns.len(), self.n_labels);
        let mut codes = Vec::with_capacity(rows.len() * f);
        let mut costs = Vec::with_capacity(rows.len() * k);
        let mut counts = Vec::with_capacity(rows.len());
        for &row in rows {
            let row = row as usize;
            codes.extend_from_slice(self.row(row));
            costs.extend_from_slice(&self.costs[row * k..(row + 1) * k]);
            counts.push(self.counts[row]);
        }
        Self {
            columns: self.columns.clone(),
            codes,
            costs,
            n_records: counts.iter().map(|&count| count as usize).sum(),
            n_unique_labelled: counts.len(),
            counts,
            n_labels: k,
            unit: self.unit,
        }
    }

    /// Whether a split of this problem is true for a merged row.
    pub fn is_true(&self, split: SplitRef, row: usize) -> bool {
        let code = u32::from(self.codes[row * self.columns.len() + split.column as usize]);
        match self.columns[split.column as usize].kind {
            Kind::Ordered => code <= split.split,
            Kind::Nominal => code == split.split,
        }
    }

    /// The codes of a merged row.
    pub fn row(&self, row: usize) -> &[u8] {
        let f = self.columns.len();
        &self.codes[row * f..(row + 1) * f]
    }
}
