//! `effort = "high"`: grow and improve trees with exact subtrees over all splits, one depth after the other, then try candidate sets.
//!
//! Each depth starts from the tree of the depth before, so that a deeper tree is never worse.

use std::time::Instant;

use super::history::{Record, Seconds, Step, StopReason};
use super::improve::{EXACT_DEPTH, Improver, Part};
use super::incumbent::State;
use super::monitor::Stage;
use super::paper::refine_candidates;
use super::proposer::Proposer;
use crate::error::Error;
use crate::search::{Shape, Stats};
use crate::tree::Tree;

/// Splits tried at the root; half as many one level down.
const WIDTH: usize = 4;

/// Improve the incumbent at every depth from three to the one asked for.
pub(super) fn improve_thoroughly(
    state: &mut State<'_, '_>,
    proposer: &mut dyn Proposer,
) -> Result<StopReason, Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(state.params.n_threads)
        .build()
        .map_err(|error| Error::Parameter(format!("cannot start threads: {error}")))?;
    let depth = state.params.max_depth.min(state.params.budget());
    let mut reason = StopReason::Solved;
    for level in EXACT_DEPTH.min(depth)..=depth {
        state.params.max_depth = level;
        improve_level(state, &pool)?;
        if let Some(reason) = state.stop_reason() {
            return Ok(reason);
        }
        if state.is_best_possible() {
            return Ok(StopReason::BestPossible);
        }
        if level > EXACT_DEPTH {
            let support = state.support().len();
            let capacity = state.settings.max_candidates.max(support + support / 2 + 1);
            reason = refine_candidates(state, proposer, 2, capacity)?;
        }
    }
    Ok(reason)
}

/// One depth: improve the incumbent, grow another tree, improve the better of the two.
fn improve_level(
    state: &mut State<'_, '_>,
    pool: &rayon::ThreadPool,
) -> Result<(), Error> {
    let started = Instant::now();
    let base = state.base;
    let params = state.params.clone();
    let rows: Vec<u32> = (0..base.n_rows() as u32).collect();
    state.monitor.progress.stage = Stage::Improve;
    let known = Shape::of_tree(&state.tree, base)?;
    let mut improver =
        Improver { base, params: &params, monitor: &mut *state.monitor, pool, stats: Stats::default() };
    let known = improver.part(known, &rows);
    let found = best_tree(&mut improver, known, &rows)?;
    let stats = std::mem::take(&mut improver.stats);
    state.stats.add(&stats);
    let tree = Tree::label(base, &found.shape);
    let objective = state.objective_of(&tree);
    let accepted = state.improves(objective);
    if accepted {
        state.replace(tree, objective);
    }
    state.history.push(Record {
        step: Step::Subtrees,
        candidates: Vec::new(),
        n_records: base.n_records,
        n_unique: base.n_rows(),
        seconds: Seconds { solve: started.elapsed().as_secs_f64(), ..Seconds::default() },
        objective,
        incumbent: state.objective,
        accepted,
        status: None,
    });
    Ok(())
}

fn best_tree(improver: &mut Improver<'_, '_>, known: Part, rows: &[u32]) -> Result<Part, Error> {
    let (depth, budget) = (improver.params.max_depth, improver.params.budget());
    let mut best = improver.solve_bottoms(&known, rows, depth, budget)?;
    if depth > EXACT_DEPTH && !improver.stopped() {
        let grown = improver.construct(rows, depth, budget, WIDTH)?;
        if grown.beats(&best) && improver.is_allowed(&grown.shape, rows) {
            best = grown;
        }
        best = improver.improve(best, rows, depth, budget)?;
    }
    Ok(best)
}
