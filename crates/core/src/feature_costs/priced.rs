//! Merged rows with what each price amounts to on them.

use super::amounts::{Amounts, common_divisor};
use super::tariff::Tariff;
use crate::error::Error;
use crate::merging::Merging;
use crate::problem::Problem;
use crate::task::{AdditiveTask, MatrixCosts, quantise_total};

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
    /// Merge the records of `costs` as [`Merging::problem`] does; their weight times a price is what a record pays. The tariff must have
    /// passed [`Tariff::validate`].
    ///
    /// # Errors
    /// [`Error::Statistics`] as [`Merging::problem`].
    pub fn build(
        merging: &Merging,
        costs: MatrixCosts<'_>,
        tariff: &Tariff,
    ) -> Result<Self, Error> {
        let distinct = tariff.amounts();
        let Merged {
            problem,
            unit,
            amounts,
        } = match Merged::of_equal_records(merging, costs, &distinct)? {
            Some(merged) => merged,
            None => Merged::of_any(merging, costs, &distinct)?,
        };
        let place = |amount: f64| distinct.iter().position(|&known| known == amount);
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
            unit,
            amounts,
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

/// Merged rows with what they owe.
struct Merged {
    problem: Problem,
    unit: i64,
    amounts: Amounts,
}

impl Merged {
    /// Of records that all weigh one: they owe prices by their number. `None` if weights came in, or where the costs of errors are no
    /// whole multiples of a unit that serves prices too.
    fn of_equal_records(
        merging: &Merging,
        costs: MatrixCosts<'_>,
        distinct: &[f64],
    ) -> Result<Option<Self>, Error> {
        if costs.weights.is_some() {
            return Ok(None);
        }
        let mut problem = merging.problem(&costs)?;
        let n_records = problem.n_records as f64;
        let errors = problem.costs.iter().sum::<i64>() as f64 * problem.unit;
        let total = errors + n_records * distinct.iter().sum::<f64>();
        let prices = quantise_total(&[&[problem.unit], distinct].concat(), total)?;
        let unit = prices.units[0];
        let is_whole = (problem.unit - unit as f64 * prices.unit).abs() <= 1e-12 * problem.unit;
        if unit == 0 || !is_whole {
            return Ok(None);
        }
        problem.unit = unit as f64 * prices.unit;
        Ok(Some(Self {
            unit,
            amounts: Amounts::of_records(&problem.counts, &prices.units[1..]),
            problem,
        }))
    }

    /// Of any records: costs and dues are summed and rounded alike.
    fn of_any(merging: &Merging, costs: MatrixCosts<'_>, distinct: &[f64]) -> Result<Self, Error> {
        let task = PricedCosts {
            costs,
            amounts: distinct,
        };
        let mut problem = merging.problem(&task)?;
        let (k, p) = (costs.n_labels, distinct.len());
        let mut label_costs = Vec::with_capacity(problem.n_rows() * k);
        let mut dues = Vec::with_capacity(problem.n_rows() * p);
        for row in problem.costs.chunks_exact(k + p) {
            label_costs.extend_from_slice(&row[..k]);
            dues.extend_from_slice(&row[k..]);
        }
        let unit = label_costs.iter().copied().fold(0, common_divisor).max(1);
        for cost in &mut label_costs {
            *cost /= unit;
        }
        problem.unit *= unit as f64;
        problem.costs = label_costs;
        problem.n_labels = k;
        Ok(Self {
            unit,
            amounts: Amounts::factor(&problem.counts, &dues, p),
            problem,
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

    fn validate(&self) -> Result<(), Error> {
        self.costs.validate()
    }
}
