//! Instances that keep their raw rows, so that trees can be scored without the core's own merging.

use certitree_core::Error;
use certitree_core::problem::Problem;
use certitree_core::table::{Column, Kind, SplitRef, Table};
use certitree_core::task::{Accuracy, RecordCosts};

/// Which task states the costs.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Classes, and weights unless all are one.
    Classes {
        labels: Vec<i32>,
        weights: Option<Vec<f64>>,
    },
    /// Costs per record and label, and weights that only say who takes part.
    Costs {
        costs: Vec<f64>,
        weights: Option<Vec<f64>>,
    },
}

/// A table, the candidate splits, and what its records cost.
#[derive(Clone, Debug)]
pub struct Instance {
    pub n_rows: usize,
    pub columns: Vec<Column>,
    pub n_labels: usize,
    pub statement: Statement,
    pub keep: Vec<SplitRef>,
}

impl Instance {
    /// An instance whose candidate splits are all splits of its columns.
    pub fn new(columns: Vec<Column>, n_rows: usize, n_labels: usize, statement: Statement) -> Self {
        let keep = all_splits(&columns);
        Self {
            n_rows,
            columns,
            n_labels,
            statement,
            keep,
        }
    }

    /// The core's view of it.
    pub fn problem(&self, aggregate: bool) -> Result<Problem, Error> {
        let table = Table::new(self.n_rows, self.columns.clone())?;
        match &self.statement {
            Statement::Classes { labels, weights } => {
                let task = Accuracy {
                    labels,
                    n_labels: self.n_labels,
                    weights: weights.as_deref(),
                };
                Problem::build(&table, &self.keep, &task, aggregate)
            }
            Statement::Costs { costs, weights } => {
                let task = RecordCosts {
                    costs,
                    n_labels: self.n_labels,
                    classes: None,
                    weights: weights.as_deref(),
                };
                Problem::build(&table, &self.keep, &task, aggregate)
            }
        }
    }

    /// Whether a record takes part.
    pub fn is_present(&self, record: usize) -> bool {
        match &self.statement {
            Statement::Classes { weights, .. } | Statement::Costs { weights, .. } => {
                weights.as_ref().is_none_or(|weights| weights[record] > 0.0)
            }
        }
    }

    /// Records that take part.
    pub fn present(&self) -> Vec<usize> {
        (0..self.n_rows)
            .filter(|&record| self.is_present(record))
            .collect()
    }

    /// What giving `record` the label `label` costs.
    pub fn cost(&self, record: usize, label: usize) -> f64 {
        match &self.statement {
            Statement::Classes { labels, .. } if labels[record] as usize == label => 0.0,
            Statement::Classes { weights, .. } => weights.as_ref().map_or(1.0, |w| w[record]),
            Statement::Costs { costs, .. } => costs[record * self.n_labels + label],
        }
    }

    /// Summed costs of all records and labels: the scale of rounding errors.
    pub fn total(&self) -> f64 {
        let records = self.present();
        records
            .iter()
            .flat_map(|&r| (0..self.n_labels).map(move |l| self.cost(r, l)))
            .sum()
    }

    /// Whether the raw row satisfies a split, read off the definition of the two kinds.
    pub fn is_true(&self, split: SplitRef, record: usize) -> bool {
        let column = &self.columns[split.column as usize];
        let code = u32::from(column.codes[record]);
        match column.kind {
            Kind::Ordered => code <= split.split,
            Kind::Nominal => code == split.split,
        }
    }

    /// The same instance with all costs times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        let times = |values: &[f64]| values.iter().map(|v| v * factor).collect::<Vec<f64>>();
        let statement = match &self.statement {
            Statement::Classes { labels, weights } => {
                let ones = vec![1.0; self.n_rows];
                let weights = Some(times(weights.as_ref().unwrap_or(&ones)));
                Statement::Classes {
                    labels: labels.clone(),
                    weights,
                }
            }
            Statement::Costs { costs, weights } => Statement::Costs {
                costs: times(costs),
                weights: weights.clone(),
            },
        };
        Self {
            statement,
            ..self.clone()
        }
    }
}

/// Every split of some columns.
pub fn all_splits(columns: &[Column]) -> Vec<SplitRef> {
    columns
        .iter()
        .enumerate()
        .flat_map(|(column, c)| {
            (0..c.n_splits).map(move |split| SplitRef {
                column: column as u32,
                split: split as u32,
            })
        })
        .collect()
}

/// An ordered column.
pub fn ordered(codes: Vec<u8>, n_codes: usize) -> Column {
    Column {
        kind: Kind::Ordered,
        codes,
        n_codes,
        n_splits: n_codes - 1,
    }
}

/// A nominal column; `other` leaves its last code without a split.
pub fn nominal(codes: Vec<u8>, n_codes: usize, other: bool) -> Column {
    Column {
        kind: Kind::Nominal,
        codes,
        n_codes,
        n_splits: n_codes - usize::from(other),
    }
}
