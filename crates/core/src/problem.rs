//! The problem a search works on: merged rows over the candidate splits, with whole costs per label.

use crate::error::Error;
use crate::table::{Kind, SplitRef, Table, group_rows};
use crate::task::{AdditiveTask, quantise};

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
    /// [`Error::Statistics`] if the task does not fit the table, no record has a positive weight, or the costs have no finite sum.
    pub fn build(
        table: &Table,
        keep: &[SplitRef],
        task: &dyn AdditiveTask,
        aggregate: bool,
    ) -> Result<Self, Error> {
        task.validate()?;
        if task.n_records() != table.n_rows() {
            return Err(Error::Statistics(format!(
                "the task has {} records but the table has {} rows; give one per row",
                task.n_records(),
                table.n_rows()
            )));
        }
        let projection = table.project(keep)?;
        let present: Vec<u32> = (0..table.n_rows() as u32)
            .filter(|&r| task.is_present(r as usize))
            .collect();
        if present.is_empty() {
            return Err(Error::Statistics(
                "no record has a positive weight; at least one is needed".into(),
            ));
        }
        let columns = projection.table.columns();
        let (group_of_row, n_groups) = if aggregate {
            let slices: Vec<&[u8]> = columns.iter().map(|c| c.codes.as_slice()).collect();
            let groups = group_rows(&slices, table.n_rows());
            let n_groups = groups.representative.len();
            (groups.group_of_row, n_groups)
        } else {
            ((0..table.n_rows() as u32).collect(), table.n_rows())
        };
        let merged = Merged::sum(task, &present, &group_of_row, n_groups)?;
        let n_rows = merged.counts.len();
        let mut codes = vec![0_u8; n_rows * columns.len()];
        for (c, column) in columns.iter().enumerate() {
            for (row, &record) in merged.first_record.iter().enumerate() {
                codes[row * columns.len() + c] = column.codes[record as usize];
            }
        }
        let columns = columns
            .iter()
            .zip(projection.origin)
            .map(|(column, origin)| ProblemColumn {
                kind: column.kind,
                n_codes: column.n_codes,
                n_splits: column.n_splits,
                origin,
            })
            .collect();
        Ok(Self {
            columns,
            codes,
            costs: merged.costs,
            counts: merged.counts,
            n_labels: task.n_labels(),
            unit: merged.unit,
            n_records: present.len(),
            n_unique_labelled: merged.n_labelled,
        })
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

struct Merged {
    costs: Vec<i64>,
    counts: Vec<u32>,
    first_record: Vec<u32>,
    unit: f64,
    n_labelled: usize,
}

impl Merged {
    fn sum(
        task: &dyn AdditiveTask,
        present: &[u32],
        group_of_row: &[u32],
        n_groups: usize,
    ) -> Result<Self, Error> {
        let k = task.n_labels();
        let real: Vec<f64> = present
            .iter()
            .flat_map(|&r| (0..k).map(move |label| task.cost(r as usize, label)))
            .collect();
        if !real.iter().sum::<f64>().is_finite() {
            return Err(Error::Statistics(
                "the costs of all records and labels have no finite sum; costs must add up to less than 1.8e308 \
                 (scale all of them down by the same factor: that changes no tree)"
                    .into(),
            ));
        }
        let quantised = quantise(&real);
        // Groups without a present record vanish; the others keep their order.
        let mut place = vec![u32::MAX; n_groups];
        let mut merged = Self {
            costs: Vec::new(),
            counts: Vec::new(),
            first_record: Vec::new(),
            unit: quantised.unit,
            n_labelled: 0,
        };
        let mut labelled = LabelledCount::default();
        for (i, &record) in present.iter().enumerate() {
            let group = group_of_row[record as usize] as usize;
            if place[group] == u32::MAX {
                place[group] = merged.counts.len() as u32;
                merged.counts.push(0);
                merged.costs.resize(merged.costs.len() + k, 0);
                merged.first_record.push(record);
            }
            let row = place[group] as usize;
            merged.counts[row] += 1;
            for label in 0..k {
                merged.costs[row * k + label] += quantised.units[i * k + label];
            }
            labelled.insert(row, task.class(record as usize).unwrap_or(0));
        }
        merged.n_labelled = labelled.count;
        Ok(merged)
    }
}

/// Counts distinct (row, class) pairs; classes beyond 64 need the set.
#[derive(Default)]
struct LabelledCount {
    masks: Vec<u64>,
    beyond: hashbrown::HashSet<(usize, u32)>,
    count: usize,
}

impl LabelledCount {
    fn insert(&mut self, row: usize, class: u32) {
        let new = if class < 64 {
            if self.masks.len() <= row {
                self.masks.resize(row + 1, 0);
            }
            let before = self.masks[row];
            self.masks[row] |= 1 << class;
            self.masks[row] != before
        } else {
            self.beyond.insert((row, class))
        };
        self.count += usize::from(new);
    }
}
