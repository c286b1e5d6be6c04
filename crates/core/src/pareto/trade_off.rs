//! The whole trade-off between errors and disparity: one limit after the other, each just below what the last tree reached.

use super::constraints::Fairness;
use super::fair::{FairOutcome, FairTree, TOLERANCE, minimise_errors};
use super::records::Records;
use crate::error::Error;
use crate::search::{Control, Observer, Params};

/// The best trees for falling disparity.
#[derive(Clone, Debug)]
pub struct TradeOff {
    /// For every disparity that pays, the tree with fewest errors among those that are at most so unequal; in rising order of errors.
    pub proven: Vec<FairTree>,
    /// Whether these are all: the last one has no disparity.
    pub is_complete: bool,
}

/// Trace the trade-off downwards from `limit` (the epsilon-constraint method of Haimes et al. 1971).
///
/// # Errors
/// As [`minimise_errors`].
pub fn trace_trade_off(
    records: &mut Records,
    fairness: Fairness,
    limit: f64,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<TradeOff, Error> {
    let mut trace = TradeOff {
        proven: Vec::new(),
        is_complete: false,
    };
    let mut limit = limit;
    loop {
        let outcome: FairOutcome =
            minimise_errors(records, fairness, limit, params, control, observer)?;
        if !outcome.is_optimal {
            return Ok(trace);
        }
        // Of trees with as few errors the last one found is the fairest.
        if trace
            .proven
            .last()
            .is_some_and(|last| last.errors == outcome.best.errors)
        {
            trace.proven.pop();
        }
        limit = outcome.best.disparity - 2.0 * TOLERANCE;
        trace.proven.push(outcome.best);
        if limit < 0.0 {
            trace.is_complete = true;
            return Ok(trace);
        }
    }
}
