//! Multipliers: one line search per allowance, every step of it a scalar search.

use super::additive::{Inside, Scalar, solve_scalar};
use super::fair::Incumbent;
use super::records::Records;
use super::relaxation::Relaxation;
use crate::error::Error;
use crate::search::{Control, Observer, Params};

/// Steps of one line search; each needs a corner of the hull of (errors, use), of which there are few.
const MOST_STEPS: usize = 40;
/// Passes over the multipliers when there are several.
const PASSES: usize = 2;

/// The best Lagrangian bound found.
#[derive(Clone, Debug)]
pub struct Bound {
    /// No tree within the allowances has fewer errors.
    pub errors: i64,
    /// The cells of the tree that is best at the multipliers of the bound.
    pub cells: Vec<i64>,
}

/// Raise the Lagrangian bound by choosing the multipliers of `relaxation`, which keeps the best ones.
///
/// Every tree met on the way is offered to the incumbent.
///
/// # Errors
/// [`Error::Parameter`] if a parameter is out of range.
pub fn raise_bound(
    records: &mut Records,
    relaxation: &mut Relaxation,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
    incumbent: &mut Incumbent<'_>,
) -> Result<Bound, Error> {
    let best = Bound {
        errors: 0,
        cells: Vec::new(),
    };
    let mut dual = Dual {
        records,
        params,
        control,
        observer,
        incumbent,
        best,
        multipliers: None,
    };
    let n = relaxation.constraints.len();
    let passes = if n > 1 { PASSES } else { 1 };
    for _ in 0..passes {
        for j in (0..n).rev() {
            dual.search_line(relaxation, j)?;
        }
    }
    if let Some(multipliers) = dual.multipliers {
        for (constraint, multiplier) in relaxation.constraints.iter_mut().zip(multipliers) {
            constraint.multiplier = multiplier;
        }
    }
    Ok(dual.best)
}

struct Dual<'d, 'i> {
    records: &'d mut Records,
    params: &'d Params,
    control: &'d Control,
    observer: &'d mut dyn Observer,
    incumbent: &'d mut Incumbent<'i>,
    best: Bound,
    multipliers: Option<Vec<f64>>,
}

/// A tree as a point: errors with all but one use priced in, and that use.
#[derive(Clone, Copy)]
struct Place {
    value: f64,
    used: f64,
}

impl Dual<'_, '_> {
    /// Find the multiplier of constraint `j` that raises the bound most, the others fixed.
    ///
    /// The bound as a function of it is the lower envelope of one line per tree. Between a tree over the allowance and one within, the
    /// next multiplier is where their lines cross; a tree below the crossing replaces one of them (Handler and Zang 1980).
    fn search_line(&mut self, relaxation: &mut Relaxation, j: usize) -> Result<(), Error> {
        let allowance = relaxation.constraints[j].allowance as f64;
        let Some(mut over) = self.step(relaxation, j, 0.0)? else {
            return Ok(());
        };
        if over.used <= allowance {
            return Ok(());
        }
        // The best constant tree uses nothing.
        let all_positive = self.records.class_total(0) - self.records.class_total(1);
        let mut within = Place {
            value: all_positive.min(0) as f64,
            used: 0.0,
        };
        for _ in 0..MOST_STEPS {
            let multiplier = ((within.value - over.value) / (over.used - within.used)).max(0.0);
            let Some(place) = self.step(relaxation, j, multiplier)? else {
                return Ok(());
            };
            let crossing = over.value + multiplier * over.used;
            let here = place.value + multiplier * place.used;
            // Rounded prices make equal trees differ by a little.
            if here >= crossing - 1e-6 * (1.0 + crossing.abs()) {
                return Ok(());
            }
            if place.used > allowance {
                over = place;
            } else {
                within = place;
            }
        }
        Ok(())
    }

    /// Solve for one multiplier; `None` once the search is to stop.
    fn step(
        &mut self,
        relaxation: &mut Relaxation,
        j: usize,
        multiplier: f64,
    ) -> Result<Option<Place>, Error> {
        relaxation.constraints[j].multiplier = multiplier;
        let prices = relaxation.prices();
        let mut inside = Inside {
            observer: self.observer,
            objective: self.incumbent.best.errors as f64 * self.records.problem.unit,
            bound: self.best.errors as f64 * self.records.problem.unit,
        };
        let found: Scalar = solve_scalar(
            self.records,
            &prices.rows,
            self.params,
            self.control,
            &mut inside,
        )?;
        let bound = relaxation.least_errors(&prices, found.lower);
        if bound > self.best.errors || self.multipliers.is_none() {
            self.best = Bound {
                errors: bound.max(self.best.errors),
                cells: found.cells.clone(),
            };
            self.multipliers = Some(
                relaxation
                    .constraints
                    .iter()
                    .map(|c| c.multiplier)
                    .collect(),
            );
        }
        if !found.is_optimal {
            return Ok(None);
        }
        let place = self.incumbent.place(relaxation, &found.cells);
        let value = place.iter().zip(&relaxation.constraints).enumerate().fold(
            Relaxation::errors_of(&found.cells) as f64,
            |sum, (i, (used, constraint))| {
                if i == j {
                    sum
                } else {
                    sum + used * constraint.multiplier
                }
            },
        );
        self.incumbent.offer(&found.tree, &found.cells);
        Ok(Some(Place {
            value,
            used: place[j],
        }))
    }
}
