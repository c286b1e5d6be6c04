//! The Lagrangian: errors plus a price on the use of every allowance, as one whole price per row.
//!
//! For any multipliers m >= 0, a tree within all allowances has `errors >= least (errors + m . uses) - m . allowances`: the scalar search
//! on the right bounds every fair tree, and every subtree's part of it bounds the subtree.

use super::constraints::{Pair, Rates};
use super::records::Records;

/// One allowance with its multiplier.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The groups compared.
    pub pair: Pair,
    /// Use by each row, if it is labelled positive.
    pub uses: Vec<i64>,
    /// Most that a tree may use.
    pub allowance: i64,
    /// Price of one unit of use, in errors; at least 0.
    pub multiplier: f64,
}

/// Errors and allowances over merged rows.
#[derive(Clone, Debug)]
pub struct Relaxation {
    /// Errors that labelling a row positive adds to those of the all-negative tree.
    pub errors: Vec<i64>,
    /// Errors of the all-negative tree.
    pub base: i64,
    /// The allowances enforced.
    pub constraints: Vec<Constraint>,
}

/// Whole prices per row.
#[derive(Clone, Debug)]
pub struct Prices {
    /// Price of labelling a row positive.
    pub rows: Vec<i64>,
    /// Prices per error.
    pub scale: f64,
    /// Most by which rounding can change the sum over any set of rows.
    pub rounding: i64,
}

/// Sum of all prices: with it the pair tables of the scalar search fit 32 bits, also where they hold counts.
const PRICE_MASS: f64 = (1_u64 << 27) as f64;
/// Most prices per error.
const FINEST: f64 = (1_u64 << 20) as f64;

impl Relaxation {
    /// Without constraints yet.
    pub fn new(records: &Records) -> Self {
        let errors = (0..records.n_rows())
            .map(|row| {
                let (negative, positive) = records.row(row);
                negative.iter().sum::<i64>() - positive.iter().sum::<i64>()
            })
            .collect();
        Self {
            errors,
            base: records.class_total(1),
            constraints: Vec::new(),
        }
    }

    /// Enforce a pair's allowance from now on.
    pub fn add(&mut self, records: &Records, rates: &Rates, pair: Pair, limit: f64) {
        let (uses, allowance) = rates.uses(records, pair, limit);
        self.constraints.push(Constraint {
            pair,
            uses,
            allowance,
            multiplier: 0.0,
        });
    }

    /// Rounded prices under the present multipliers.
    pub fn prices(&self) -> Prices {
        let real: Vec<f64> = self
            .errors
            .iter()
            .enumerate()
            .map(|(row, &errors)| {
                let uses = self
                    .constraints
                    .iter()
                    .map(|c| c.multiplier * c.uses[row] as f64);
                errors as f64 + uses.sum::<f64>()
            })
            .collect();
        let mass: f64 = real.iter().map(|price| price.abs()).sum();
        let scale = (PRICE_MASS / mass.max(1e-9)).min(FINEST);
        Prices {
            rows: real
                .iter()
                .map(|price| (price * scale).round() as i64)
                .collect(),
            scale,
            rounding: real.len() as i64 / 2 + 1,
        }
    }

    /// Worth of all allowances, in errors.
    fn allowed(&self) -> f64 {
        self.constraints
            .iter()
            .map(|c| c.multiplier * c.allowance as f64)
            .sum()
    }

    /// Errors that every tree within the allowances has at least, if every tree's price is at least `price`.
    pub fn least_errors(&self, prices: &Prices, price: i64) -> i64 {
        let bound = (price - prices.rounding) as f64 / prices.scale - self.allowed();
        self.base + (bound - 1e-6).ceil() as i64
    }

    /// Price that a tree within the allowances and with at most so many errors cannot exceed.
    pub fn most_price(&self, prices: &Prices, errors: i64) -> i64 {
        let worth = (errors - self.base) as f64 + self.allowed();
        (worth * prices.scale + 1e-6).floor() as i64 + prices.rounding
    }

    /// Sum of a row statistic given the rows labelled positive is linear in cells; this one is errors above the all-negative tree.
    pub fn errors_of(cells: &[i64]) -> i64 {
        let (negative, positive) = cells.split_at(cells.len() / 2);
        negative.iter().sum::<i64>() - positive.iter().sum::<i64>()
    }
}
