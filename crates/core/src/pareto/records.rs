//! Merged rows with the weight of each (class, group) cell.

use crate::error::Error;
use crate::problem::Problem;
use crate::table::{Kind, SplitRef, Table};
use crate::task::AdditiveTask;
use crate::tree::{Tree, TreeNode};

/// Two classes, and the group of every record.
#[derive(Clone, Copy, Debug)]
pub struct Grouped<'a> {
    /// Class of each record: 1 for the positive one, 0 for the other.
    pub labels: &'a [i32],
    /// Group of each record, below `n_groups`.
    pub groups: &'a [i32],
    /// Number of groups.
    pub n_groups: usize,
    /// Weight of each record; `None` means one.
    pub weights: Option<&'a [f64]>,
}

impl Grouped<'_> {
    fn weight(&self, record: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[record])
    }
}

/// As a task, a record "costs" its weight in its own cell: merging then sums the weight per cell, which is all that the statistics of a
/// tree depend on (Proposition 2 of the Weighted STreeD paper).
impl AdditiveTask for Grouped<'_> {
    fn n_labels(&self) -> usize {
        2 * self.n_groups
    }

    fn n_records(&self) -> usize {
        self.labels.len()
    }

    fn is_present(&self, record: usize) -> bool {
        self.weight(record) > 0.0
    }

    fn cost(&self, record: usize, label: usize) -> f64 {
        let cell = self.labels[record] as usize * self.n_groups + self.groups[record] as usize;
        if cell == label {
            self.weight(record)
        } else {
            0.0
        }
    }

    fn class(&self, record: usize) -> Option<u32> {
        Some((self.labels[record] as usize * self.n_groups + self.groups[record] as usize) as u32)
    }

    fn validate(&self) -> Result<(), Error> {
        let n = self.labels.len();
        if let Some(label) = self.labels.iter().find(|label| !(0..=1).contains(*label)) {
            return Err(Error::Statistics(format!(
                "label {label} is not allowed; labels must be 1 (the positive class) or 0 (the other)"
            )));
        }
        if self.groups.len() != n || self.weights.is_some_and(|weights| weights.len() != n) {
            return Err(Error::Statistics(format!(
                "{n} labels came with {} groups and {} weights; give one of each per record",
                self.groups.len(),
                self.weights.map_or(n, <[f64]>::len)
            )));
        }
        let limit = self.n_groups as i64;
        if let Some(group) = self
            .groups
            .iter()
            .find(|&&g| !(0..limit).contains(&i64::from(g)))
        {
            return Err(Error::Statistics(format!(
                "group {group} is out of range; groups must be numbered from 0 to {}",
                limit - 1
            )));
        }
        if let Some(weight) = self
            .weights
            .and_then(|weights| weights.iter().find(|w| !w.is_finite() || **w < 0.0))
        {
            return Err(Error::Statistics(format!(
                "weight {weight} is not allowed; weights must be finite and at least 0"
            )));
        }
        Ok(())
    }
}

/// Merged rows, and the weight of each of their cells in units.
#[derive(Clone, Debug)]
pub struct Records {
    /// The rows; its costs hold two labels and are rewritten for every scalar search.
    pub problem: Problem,
    /// Weights, row-major: row x (class, group), all groups of class 0 first.
    pub cells: Vec<i64>,
    /// Number of groups.
    pub n_groups: usize,
    /// Summed weight per (class, group).
    pub totals: Vec<i64>,
}

impl Records {
    /// Project `table` onto the splits `keep` and merge (each record on its own if not `aggregate`).
    ///
    /// # Errors
    /// [`Error::Statistics`] if labels, groups or weights do not fit the table.
    pub fn build(
        table: &Table,
        keep: &[SplitRef],
        task: &Grouped<'_>,
        aggregate: bool,
    ) -> Result<Self, Error> {
        let mut problem = Problem::build(table, keep, task, aggregate)?;
        let cells = std::mem::take(&mut problem.costs);
        let width = 2 * task.n_groups;
        let mut totals = vec![0; width];
        for row in cells.chunks_exact(width) {
            for (total, weight) in totals.iter_mut().zip(row) {
                *total += weight;
            }
        }
        problem.n_labels = 2;
        problem.costs = vec![0; 2 * problem.counts.len()];
        Ok(Self {
            problem,
            cells,
            n_groups: task.n_groups,
            totals,
        })
    }

    /// Number of merged rows.
    pub fn n_rows(&self) -> usize {
        self.problem.n_rows()
    }

    /// The cells of a row: class 0 by group, then class 1 by group.
    pub fn row(&self, row: usize) -> (&[i64], &[i64]) {
        let width = 2 * self.n_groups;
        self.cells[row * width..(row + 1) * width].split_at(self.n_groups)
    }

    /// Weight of a class, by group.
    pub fn class_totals(&self, class: usize) -> &[i64] {
        &self.totals[class * self.n_groups..(class + 1) * self.n_groups]
    }

    /// Weight of a class.
    pub fn class_total(&self, class: usize) -> i64 {
        self.class_totals(class).iter().sum()
    }

    /// The cells of the records to which a tree gives label 1, summed.
    pub fn predicted_positive(&self, tree: &Tree) -> Vec<i64> {
        let mut sums = vec![0; self.totals.len()];
        let route = self.router(tree);
        for (row, cells) in self.cells.chunks_exact(self.totals.len()).enumerate() {
            if self.label(tree, &route, row) == 1 {
                for (sum, weight) in sums.iter_mut().zip(cells) {
                    *sum += weight;
                }
            }
        }
        sums
    }

    /// For each node of a tree over the table's splits, the problem's (column, split).
    fn router(&self, tree: &Tree) -> Vec<(usize, usize)> {
        let find = |split: &SplitRef| {
            self.problem
                .columns
                .iter()
                .enumerate()
                .find_map(|(c, column)| {
                    column
                        .origin
                        .iter()
                        .position(|origin| origin == split)
                        .map(|s| (c, s))
                })
        };
        tree.nodes
            .iter()
            .map(|node| match node {
                TreeNode::Branch { split, .. } => find(split).unwrap_or((0, 0)),
                TreeNode::Leaf { .. } => (0, 0),
            })
            .collect()
    }

    fn label(&self, tree: &Tree, route: &[(usize, usize)], row: usize) -> u32 {
        let codes = self.problem.row(row);
        let mut at = 0;
        loop {
            match tree.nodes[at] {
                TreeNode::Leaf { label } => return label,
                TreeNode::Branch {
                    inside, outside, ..
                } => {
                    let (column, split) = route[at];
                    let code = usize::from(codes[column]);
                    let is_true = match self.problem.columns[column].kind {
                        Kind::Ordered => code <= split,
                        Kind::Nominal => code == split,
                    };
                    at = if is_true { inside } else { outside } as usize;
                }
            }
        }
    }
}
