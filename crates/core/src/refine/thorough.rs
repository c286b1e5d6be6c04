//! `effort = "high"`: grow and improve trees with exact subtrees, one depth after the other, then try candidate sets.
//!
//! Each depth starts from the tree of the depth before, so that a deeper tree is never worse.

use std::time::Instant;

use super::coarse::spread_candidates;
use super::history::{Record, Seconds, Step, StopReason};
use super::improve::{EXACT_DEPTH, Improver, Part};
use super::incumbent::State;
use super::monitor::Stage;
use super::paper::refine_candidates;
use super::proposer::Proposer;
use super::run::depth_three_seconds;
use crate::error::Error;
use crate::problem::Problem;
use crate::search::{Shape, Stats};
use crate::tree::Tree;

/// Splits tried at the root; half as many one level down.
const WIDTH: usize = 6;
/// Most rounds over spread candidate sets at one depth.
const ROUNDS: usize = 4;
/// Seconds that solving the bottoms over all splits may be expected to take.
const POLISH_SECONDS: f64 = 5.0;

/// Improve the incumbent at every depth from three to the one asked for.
pub(super) fn improve_thoroughly(
    state: &mut State<'_, '_>,
    proposer: &mut dyn Proposer,
) -> Result<StopReason, Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(state.params.n_threads)
        .build()
        .map_err(|error| Error::Parameter(format!("cannot start threads: {error}")))?;
    let asked = state.params.max_depth;
    let reason = deepen(state, proposer, &pool, asked.min(state.params.budget()));
    // However the loop ended: what follows is to hold for the depth asked for.
    state.params.max_depth = asked;
    reason
}

/// One depth after the other; leaves the last one tried in the parameters.
fn deepen(
    state: &mut State<'_, '_>,
    proposer: &mut dyn Proposer,
    pool: &rayon::ThreadPool,
    depth: u32,
) -> Result<StopReason, Error> {
    let mut reason = StopReason::Patience;
    for level in EXACT_DEPTH.min(depth)..=depth {
        state.params.max_depth = level;
        improve_level(state, pool)?;
        if let Some(reason) = state.stop_reason() {
            return Ok(reason);
        }
        if state.is_best_possible() {
            return Ok(StopReason::BestPossible);
        }
        if level > EXACT_DEPTH {
            reason = refine_candidates(state, proposer, 2, state.settings.max_candidates)?;
        }
    }
    Ok(reason)
}

/// One depth: rounds over spread candidate sets, then the bottoms over all splits.
fn improve_level(state: &mut State<'_, '_>, pool: &rayon::ThreadPool) -> Result<(), Error> {
    for round in 0..ROUNDS {
        if state.stop_reason().is_some() {
            return Ok(());
        }
        let candidates = spread_candidates(state.source.splits(), &state.support(), round);
        let started = Instant::now();
        let problem = state.source.project(&candidates)?;
        let projection = started.elapsed().as_secs_f64();
        let grow = round == 0;
        let better = improve_over(
            state,
            &problem,
            candidates,
            projection,
            pool,
            |improver, known, rows| {
                let (depth, budget) = (improver.params.max_depth, improver.params.budget());
                let mut best = improver.improve(known, rows, depth, budget)?;
                if grow && depth > EXACT_DEPTH && !improver.stopped() {
                    let grown = improver.construct(rows, depth, budget, WIDTH)?;
                    if improver.is_allowed(&grown.shape, rows) {
                        let grown = improver.improve(grown, rows, depth, budget)?;
                        if grown.beats(&best) {
                            best = grown;
                        }
                    }
                }
                Ok(best)
            },
        )?;
        if !better && round > 0 {
            break;
        }
    }
    let affordable = depth_three_seconds(state.base) < POLISH_SECONDS;
    if affordable && state.stop_reason().is_none() {
        let base = state.base;
        improve_over(
            state,
            base,
            Vec::new(),
            0.0,
            pool,
            |improver, known, rows| {
                let (depth, budget) = (improver.params.max_depth, improver.params.budget());
                improver.solve_bottoms(&known, rows, depth, budget)
            },
        )?;
    }
    Ok(())
}

/// Put the incumbent in terms of `problem`, let `work` improve it, and keep the outcome if it is better.
fn improve_over(
    state: &mut State<'_, '_>,
    problem: &Problem,
    candidates: Vec<crate::table::SplitRef>,
    projection: f64,
    pool: &rayon::ThreadPool,
    work: impl FnOnce(&mut Improver<'_, '_>, Part, &[u32]) -> Result<Part, Error>,
) -> Result<bool, Error> {
    let started = Instant::now();
    let params = state.params.clone();
    let rows: Vec<u32> = (0..problem.n_rows() as u32).collect();
    let known = Shape::of_tree(&state.tree, problem)?;
    state.monitor.progress.stage = Stage::Improve;
    state.monitor.progress.iteration = state.history.len() + 1;
    state.monitor.progress.n_candidates =
        problem.columns.iter().map(|column| column.n_splits).sum();
    state.monitor.progress.compression = problem.n_records as f64 / problem.n_rows().max(1) as f64;
    let mut improver = Improver {
        base: problem,
        params: &params,
        monitor: &mut *state.monitor,
        pool,
        stats: Stats::default(),
    };
    let known = improver.part(known, &rows);
    let found = work(&mut improver, known, &rows)?;
    let stats = std::mem::take(&mut improver.stats);
    state.stats.add(&stats);
    let tree = Tree::label(problem, &found.shape);
    let solve = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let objective = state.objective_of(&tree);
    let accepted = state.improves(objective);
    if accepted {
        state.replace(tree, objective);
    }
    state.history.push(Record {
        step: Step::Subtrees,
        candidates,
        n_records: problem.n_records,
        n_unique: problem.n_rows(),
        seconds: Seconds {
            projection,
            solve,
            score: started.elapsed().as_secs_f64(),
            ..Seconds::default()
        },
        objective,
        incumbent: state.objective,
        accepted,
        status: None,
    });
    Ok(accepted)
}
