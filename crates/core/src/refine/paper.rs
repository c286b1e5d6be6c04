//! Algorithm 1: candidate sets that keep the incumbent's splits and take in newly proposed ones.

use std::collections::BTreeSet;
use std::time::Instant;

use super::history::StopReason;
use super::incumbent::State;
use super::monitor::Stage;
use super::proposer::{Proposer, Request};
use crate::error::Error;
use crate::table::SplitRef;

/// Run the loop from the incumbent on.
///
/// `retired` (R) holds the splits of former incumbents, `proposed` (P) all that were ever proposed. Neither is proposed again, the latter
/// only once `switch_after` iterations brought nothing. Iterations are counted from `first` on: the first candidate set of all comes from
/// the forest in iteration 1. Candidate sets hold at most `capacity` splits.
pub(super) fn refine_candidates(
    state: &mut State<'_, '_>,
    proposer: &mut dyn Proposer,
    first: usize,
    capacity: usize,
) -> Result<StopReason, Error> {
    refine_candidates_while(state, proposer, first, capacity, &mut |_| true)
}

/// The same, as long as the objective after an iteration `goes_on`; where it does not, the loop has run out of patience.
pub(super) fn refine_candidates_while(
    state: &mut State<'_, '_>,
    proposer: &mut dyn Proposer,
    first: usize,
    capacity: usize,
    goes_on: &mut dyn FnMut(f64) -> bool,
) -> Result<StopReason, Error> {
    let settings = state.settings;
    let mut retired: BTreeSet<SplitRef> = BTreeSet::new();
    let mut proposed: BTreeSet<SplitRef> = BTreeSet::new();
    let mut failures = 0;
    for iteration in first..=settings.max_iterations {
        if let Some(reason) = state.stop_reason() {
            return Ok(reason);
        }
        if state.is_best_possible() {
            return Ok(StopReason::BestPossible);
        }
        let support = state.support();
        if support.len() >= capacity {
            return Ok(StopReason::Capacity);
        }
        // The incumbent's own splits are candidates anyway: proposing them again would waste places.
        let mut excluded: BTreeSet<SplitRef> = retired.union(&support).copied().collect();
        if failures >= settings.switch_after {
            excluded.extend(&proposed);
        }
        state.monitor.progress.stage = Stage::Propose;
        state.monitor.progress.iteration = state.history.len() + 1;
        let started = Instant::now();
        let request = Request {
            iteration,
            excluded: &excluded,
            count: capacity - support.len(),
        };
        let new = take(proposer.propose(&request, state.monitor)?, &request);
        let proposal = started.elapsed().as_secs_f64();
        if new.is_empty() {
            return Ok(state.stop_reason().unwrap_or(StopReason::NoCandidates));
        }
        let Some((n_new, set)) = state.candidate_set(&support, &new)? else {
            return Ok(StopReason::Capacity);
        };
        proposed.extend(&new[..n_new]);
        if state.solve_candidates(set, proposal)? {
            retired.extend(state.support());
            failures = 0;
        } else {
            failures += 1;
        }
        if failures >= settings.patience || !goes_on(state.objective) {
            return Ok(state.stop_reason().unwrap_or(StopReason::Patience));
        }
    }
    Ok(StopReason::MaxIterations)
}

/// Hold a proposer to its contract.
fn take(proposed: Vec<SplitRef>, request: &Request<'_>) -> Vec<SplitRef> {
    let mut seen = BTreeSet::new();
    proposed
        .into_iter()
        .filter(|&split| !request.excluded.contains(&split) && seen.insert(split))
        .take(request.count)
        .collect()
}
