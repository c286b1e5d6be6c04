//! An adaptive run from start to end: the loop, what surrounds it, and the certificate.

use std::time::{Duration, Instant};

use super::history::{Record, StopReason};
use super::incumbent::State;
use super::monitor::{Monitor, Observer};
use super::paper::refine_candidates;
use super::proposer::Proposer;
use super::settings::{Certify, Effort, Settings};
use super::source::Source;
use super::thorough::improve_thoroughly;
use crate::error::Error;
use crate::problem::Problem;
use crate::search::cube::Plan;
use crate::search::{self, Control, Params, Stats};
use crate::table::SplitRef;
use crate::tree::Tree;

/// What is proven of the tree of an adaptive run, or why nothing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Best over all splits.
    Optimal,
    /// Best over a candidate set.
    OptimalForCandidates,
    /// Nothing is proven, and no limit was met: the loop ended by itself.
    Feasible,
    /// Time ran out.
    TimeLimit,
    /// Memory ran out.
    MemoryLimit,
    /// The user stopped it.
    Interrupted,
}

/// What an adaptive run found.
#[derive(Clone, Debug)]
pub struct Refined {
    /// What is proven.
    pub status: Status,
    /// Why the loop ended.
    pub stop: StopReason,
    /// The best tree found.
    pub tree: Tree,
    /// Its cost, penalties included.
    pub objective: f64,
    /// No tree over all splits costs less.
    pub lower_bound: f64,
    /// Iterations.
    pub history: Vec<Record>,
    /// The candidate set over which the tree is proven best, or else the last one.
    pub candidates: Vec<SplitRef>,
    /// Counters of all searches.
    pub stats: Stats,
    /// The problem over all splits.
    pub base: Problem,
    /// Seconds for merging over all splits.
    pub merge_seconds: f64,
}

/// Find a good tree by small candidate sets, and certify it where that is asked for.
///
/// # Errors
/// [`Error`] if a parameter is out of range, the source is inconsistent, or the proposer fails.
pub fn refine(
    source: &dyn Source,
    proposer: &mut dyn Proposer,
    params: &Params,
    settings: &Settings,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<Refined, Error> {
    params.validate()?;
    settings.validate()?;
    let started = Instant::now();
    let base = source.project(source.splits())?;
    let merge_seconds = started.elapsed().as_secs_f64();
    let mut monitor = Monitor::new(control, observer);
    let mut state = State::new(source, &base, params.clone(), settings, &mut monitor);
    let stop = match settings.effort {
        Effort::Paper => refine_candidates(&mut state, proposer, 1, settings.max_candidates)?,
        Effort::High | Effort::Max if is_quick(&base, params) => {
            state.solve_all(None)?;
            state.stop_reason().unwrap_or(StopReason::Solved)
        }
        Effort::High | Effort::Max => improve_thoroughly(&mut state, proposer)?,
    };
    certify(&mut state)?;
    let status = status(&state);
    let floor = floor(&base);
    let proven = status == Status::Optimal;
    let lower_bound = if proven {
        state.objective
    } else {
        state.lower_bound.max(floor).min(state.objective)
    };
    let State {
        tree,
        objective,
        proven_for,
        candidates,
        history,
        stats,
        ..
    } = state;
    Ok(Refined {
        status,
        stop,
        tree,
        objective,
        lower_bound,
        history,
        candidates: proven_for.unwrap_or(candidates),
        stats,
        base,
        merge_seconds,
    })
}

/// Cells per second of the depth-three kernel on one thread, most of them skipped by bounds; for rough estimates.
const CELLS_PER_SECOND: f64 = 5e8;
/// Seconds that solving three levels over all splits may be expected to take without asking.
pub(super) const QUICK_SECONDS: f64 = 10.0;

/// Longest search over all splits that nobody asked for, where it will hardly end.
const MOST_UNASKED: Duration = Duration::from_secs(5);

/// Rough seconds that depth three takes over all splits: the pairs of splits are scored once per split.
pub(super) fn depth_three_seconds(base: &Problem) -> f64 {
    let splits: f64 = base
        .columns
        .iter()
        .map(|column| column.n_splits as f64)
        .sum();
    splits.powi(3) / 2.0 * (base.n_labels.max(2) as f64 - 1.0) / CELLS_PER_SECOND
}

/// Boxes are solved first where that takes less, by a rough upper estimate: about what the loop takes.
const QUICK_BOXES: Duration = Duration::from_millis(500);

/// Whether the exact search over all splits is likely to be faster than the loop.
pub(super) fn is_quick(base: &Problem, params: &Params) -> bool {
    let depth = params.max_depth.min(params.budget());
    depth <= 2
        || (depth == 3 && depth_three_seconds(base) < QUICK_SECONDS)
        || Plan::choose(base, params, Some(QUICK_BOXES)).is_some()
}

/// Prove the incumbent over all splits, improve it, or bound it, in the time left.
fn certify(state: &mut State<'_, '_>) -> Result<(), Error> {
    let solved = state.lower_bound >= state.objective;
    if solved || state.monitor.control.stopped() {
        return Ok(());
    }
    let limit = match state.settings.certify {
        Certify::Never => return Ok(()),
        Certify::Always => None,
        Certify::Auto => {
            if state.params.max_depth.min(state.params.budget()) > 4 {
                return Ok(());
            }
            // Worth as much time again as finding the tree took, within reason, and a little more.
            let spent = state.monitor.control.elapsed().min(MOST_UNASKED);
            (!is_quick(state.base, &state.params)).then(|| spent + Duration::from_secs(1))
        }
    };
    state.solve_all(limit)?;
    Ok(())
}

/// The equivalent-points bound over all splits.
fn floor(base: &Problem) -> f64 {
    let units: i64 = base
        .costs
        .chunks_exact(base.n_labels)
        .map(|costs| costs.iter().copied().min().unwrap_or(0))
        .sum();
    units as f64 * base.unit
}

fn status(state: &State<'_, '_>) -> Status {
    let best = state.lower_bound.max(floor(state.base));
    if best >= state.objective {
        return Status::Optimal;
    }
    if state.proven_for.is_some() && state.stop_reason() != Some(StopReason::Interrupted) {
        return Status::OptimalForCandidates;
    }
    match state.stop_reason() {
        Some(StopReason::Interrupted) => Status::Interrupted,
        Some(StopReason::MemoryLimit) => Status::MemoryLimit,
        Some(_) => Status::TimeLimit,
        None => match state.last_status {
            Some(search::Status::MemoryLimit) => Status::MemoryLimit,
            Some(search::Status::Interrupted) => Status::Interrupted,
            Some(search::Status::TimeLimit) => Status::TimeLimit,
            Some(search::Status::Optimal) | None => Status::Feasible,
        },
    }
}
