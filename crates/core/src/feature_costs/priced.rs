//! Merged rows with what each price amounts to on them.

use super::amounts::{Amounts, common_divisor};
use super::tariff::Tariff;
use crate::error::Error;
use crate::merging::Merging;
use crate::problem::Problem;
use crate::task::{AdditiveTask, MatrixCosts};

/// A problem, and beside its costs per label, the weight of each row times each price.
#[derive(Clone, Debug)]
pub struct Priced {
    /// The merged rows with their costs per label.
    pub problem: Problem,
    /// How many units of price one unit of cost is worth. Costs of errors are few small numbers, and tables of those are
    /// filled faster than tables of the fine units that decimal prices need.
    pub unit: i64,
    /// What the merged rows owe for each distinct price, ascending, in units of price.
    pub amounts: Amounts,
    /// For each feature, which price it has: none if it is free, in full and discounted.
    pub price_of: Vec<[Option<usize>; 2]>,
    /// For each feature, its group.
    pub group_of: Vec<Option<u32>>,
    /// For each column of the problem, its feature.
    pub feature_of_column: Vec<usize>,
    /// See [`Tariff::dropping_saves`].
    pub dropping_saves: bool,
}

impl Priced {
    /// Merge the records of `costs` as [`Merging::problem`] does; their weight times a price is what a record pays.
    ///
    /// # Errors
    /// [`Error::Parameter`] for bad prices, [`Error::Statistics`] as [`Merging::problem`].
    pub fn build(
        merging: &Merging,
        costs: MatrixCosts<'_>,
        tariff: &Tariff,
    ) -> Result<Self, Error> {
        let amounts = tariff.amounts();
        let task = PricedCosts {
            costs,
            amounts: &amounts,
        };
        let mut problem = merging.problem(&task)?;
        let (k, p) = (costs.n_labels, amounts.len());
        let mut label_costs = Vec::with_capacity(problem.n_rows() * k);
        let mut dues = Vec::with_capacity(problem.n_rows() * p);
        for row in problem.costs.chunks_exact(k + p) {
            label_costs.extend_from_slice(&row[..k]);
            dues.extend_from_slice(&row[k..]);
        }
        let divisor = label_costs.iter().copied().fold(0, common_divisor).max(1);
        for cost in &mut label_costs {
            *cost /= divisor;
        }
        problem.unit *= divisor as f64;
        problem.costs = label_costs;
        problem.n_labels = k;
        let place = |amount: f64| amounts.iter().position(|&known| known == amount);
        let feature_of_column = problem
            .columns
            .iter()
            .map(|column| {
                // A column of a problem keeps at least one split.
                let table_column = column.origin[0].column as usize;
                tariff.feature_of_column[table_column] as usize
            })
            .collect();
        Ok(Self {
            unit: divisor,
            amounts: Amounts::factor(&problem.counts, &dues, p),
            problem,
            price_of: tariff
                .prices
                .iter()
                .map(|price| [place(price.full), place(price.discounted)])
                .collect(),
            group_of: tariff.prices.iter().map(|price| price.group).collect(),
            feature_of_column,
            dropping_saves: tariff.dropping_saves(),
        })
    }
}

/// Costs per label, followed by weight times price, so that both are summed and rounded alike.
struct PricedCosts<'a> {
    costs: MatrixCosts<'a>,
    amounts: &'a [f64],
}

impl AdditiveTask for PricedCosts<'_> {
    fn n_labels(&self) -> usize {
        self.costs.n_labels + self.amounts.len()
    }

    fn n_records(&self) -> usize {
        self.costs.n_records()
    }

    fn is_present(&self, record: usize) -> bool {
        self.costs.is_present(record)
    }

    fn cost(&self, record: usize, label: usize) -> f64 {
        match label.checked_sub(self.costs.n_labels) {
            None => self.costs.cost(record, label),
            Some(price) => {
                self.amounts[price] * self.costs.weights.map_or(1.0, |weights| weights[record])
            }
        }
    }

    fn class(&self, record: usize) -> Option<u32> {
        self.costs.class(record)
    }

    fn costs_by_class(&self) -> Option<Vec<f64>> {
        let by_class = self.costs.costs_by_class()?;
        let rows = by_class.chunks_exact(self.costs.n_labels);
        Some(
            rows.flat_map(|costs| costs.iter().chain(self.amounts))
                .copied()
                .collect(),
        )
    }

    fn validate(&self) -> Result<(), Error> {
        self.costs.validate()
    }
}
