//! The records that trees are grown on: merged rows of codes, and each record's class masses.

use crate::error::Error;
use crate::table::{Kind, SplitRef, Table, group_rows};
use crate::task::{AdditiveTask, quantise};

use super::random::Random;

/// A split as the grower reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BinarySplit {
    /// Index among the kept columns.
    pub column: u32,
    /// Code: the split is true up to it (ordered) or at it (nominal).
    pub code: u8,
    /// Whether it is a threshold.
    pub ordered: bool,
}

impl BinarySplit {
    /// Whether it is true at a code of its column.
    #[inline(always)]
    pub fn is_true(self, code: u8) -> bool {
        if self.ordered {
            code <= self.code
        } else {
            code == self.code
        }
    }
}

/// Merged rows and the masses of the records behind them.
#[derive(Clone, Debug)]
pub struct Records {
    /// Number of labels.
    pub(super) n_labels: usize,
    /// The splits to rank.
    pub(super) splits: Vec<SplitRef>,
    /// The same, as the grower reads them.
    pub(super) binary: Vec<BinarySplit>,
    /// Number of columns that have a split.
    pub(super) n_columns: usize,
    /// Where each column's bins begin in a histogram; one more entry than columns.
    pub(super) first_bin: Vec<usize>,
    /// Codes, row-major: merged row x column.
    pub(super) codes: Vec<u8>,
    /// Number of merged rows.
    pub(super) n_rows: usize,
    /// Merged row of each record.
    row_of_record: Vec<u32>,
    /// Class masses, row-major: record x label.
    masses: Vec<i64>,
}

impl Records {
    /// Take the records of `task` that take part, and the `splits` of `table` that are to be ranked.
    ///
    /// Class masses follow from the costs: for misclassified weight, (number of labels - 1) times the record's weight at its
    /// class and 0 elsewhere; for other costs, how much better than the average label a label suits the record.
    ///
    /// # Errors
    /// [`Error::Candidate`] if a split does not exist, [`Error::Statistics`] if the task does not fit the table.
    pub fn new(table: &Table, splits: &[SplitRef], task: &dyn AdditiveTask) -> Result<Self, Error> {
        task.validate()?;
        if task.n_records() != table.n_rows() {
            return Err(Error::Statistics(format!(
                "the task has {} records but the table has {} rows; give one per row",
                task.n_records(),
                table.n_rows()
            )));
        }
        let mut place = vec![u32::MAX; table.columns().len()];
        let mut kept = Vec::new();
        let mut binary = Vec::with_capacity(splits.len());
        for &split in splits {
            table.check_split(split)?;
            let column = &table.columns()[split.column as usize];
            let at = &mut place[split.column as usize];
            if *at == u32::MAX {
                *at = kept.len() as u32;
                kept.push(column);
            }
            binary.push(BinarySplit {
                column: *at,
                code: split.split as u8,
                ordered: column.kind == Kind::Ordered,
            });
        }
        let mut first_bin = vec![0];
        for column in &kept {
            first_bin.push(first_bin.last().copied().unwrap_or(0) + column.n_codes);
        }
        let slices: Vec<&[u8]> = kept.iter().map(|column| column.codes.as_slice()).collect();
        let groups = group_rows(&slices, table.n_rows());
        let mut codes = vec![0_u8; groups.representative.len() * kept.len()];
        for (c, column) in kept.iter().enumerate() {
            for (row, &record) in groups.representative.iter().enumerate() {
                codes[row * kept.len() + c] = column.codes[record as usize];
            }
        }
        let present: Vec<usize> = (0..table.n_rows())
            .filter(|&record| task.is_present(record))
            .collect();
        Ok(Self {
            n_labels: task.n_labels(),
            splits: splits.to_vec(),
            binary,
            n_columns: kept.len(),
            first_bin,
            codes,
            n_rows: groups.representative.len(),
            row_of_record: present
                .iter()
                .map(|&record| groups.group_of_row[record])
                .collect(),
            masses: class_masses(task, &present),
        })
    }

    /// The splits to rank.
    pub fn splits(&self) -> &[SplitRef] {
        &self.splits
    }

    /// Summed masses per merged row and label of all records.
    pub(super) fn all(&self) -> Vec<i64> {
        let mut sums = vec![0; self.n_rows * self.n_labels];
        for record in 0..self.row_of_record.len() {
            self.add(record, &mut sums);
        }
        sums
    }

    /// Summed masses of as many records as there are, drawn with replacement.
    pub(super) fn bootstrap(&self, random: &mut Random) -> Vec<i64> {
        let mut sums = vec![0; self.n_rows * self.n_labels];
        for _ in 0..self.row_of_record.len() {
            self.add(random.below(self.row_of_record.len()), &mut sums);
        }
        sums
    }

    fn add(&self, record: usize, sums: &mut [i64]) {
        let k = self.n_labels;
        let row = self.row_of_record[record] as usize;
        for (sum, mass) in sums[row * k..(row + 1) * k]
            .iter_mut()
            .zip(&self.masses[record * k..(record + 1) * k])
        {
            *sum += mass;
        }
    }

    /// Codes of a merged row.
    #[inline]
    pub(super) fn row(&self, row: u32) -> &[u8] {
        let start = row as usize * self.n_columns;
        &self.codes[start..start + self.n_columns]
    }

    /// Number of bins of a histogram.
    pub(super) fn n_bins(&self) -> usize {
        self.first_bin.last().copied().unwrap_or(0)
    }
}

fn class_masses(task: &dyn AdditiveTask, present: &[usize]) -> Vec<i64> {
    let k = task.n_labels();
    let real: Vec<f64> = present
        .iter()
        .flat_map(|&record| (0..k).map(move |label| task.cost(record, label)))
        .collect();
    let mut masses = quantise(&real).units;
    let others = k.max(2) as i64 - 1;
    for record in masses.chunks_exact_mut(k.max(1)) {
        let total: i64 = record.iter().sum();
        for mass in record {
            *mass = (total - others * *mass).max(0);
        }
    }
    masses
}
