//! `effort = "high"` and `"max"`: trees grown and improved with exact subtrees, one depth after the other, and candidate sets.
//!
//! Each depth starts from the best tree of the depth before, and what is done at a depth depends on no deeper one: a run for a greater depth
//! goes through all that a run for a lesser depth does, so that its tree is never worse.

use std::time::Instant;

use super::coarse::Promise;
use super::crew::Crew;
use super::history::{Seconds, Step, StopReason};
use super::improve::{EXACT_DEPTH, Part};
use super::incumbent::State;
use super::monitor::Stage;
use super::paper::{refine_candidates, refine_candidates_while};
use super::proposer::Proposer;
use super::run::{QUICK_SECONDS, depth_three_seconds, is_quick};
use super::settings::Effort;
use crate::error::Error;
use crate::problem::Problem;
use crate::search::cost::UNREACHABLE;
use crate::search::node::Node;
use crate::search::searcher::Shared;
use crate::search::{Params, Shape};
use crate::table::SplitRef;
use crate::tree::Tree;

/// How a tree of each depth is sought, all depths in turn.
struct Pass {
    /// Splits in a candidate set, besides the incumbent's.
    size: usize,
    /// Splits tried at the root; half as many one level down.
    width: usize,
    /// Thresholds offered on either side of the incumbent's.
    near: &'static [usize],
    /// Most candidate sets at one depth.
    rounds: usize,
    /// Most levels of the subtrees in which moves are sought: those higher up take longest and bring least.
    tallest: u32,
}

impl Pass {
    /// Lesser depths take so little time that they get more splits.
    fn size_at(&self, level: u32) -> usize {
        self.size.max(60 + (60 >> (level - EXACT_DEPTH)))
    }

    /// Lesser depths get more roots, too.
    fn width_at(&self, level: u32) -> usize {
        self.width.max(16 >> (level - EXACT_DEPTH))
    }
}

/// A single pass goes a long way; the others take several times as long each.
const PASSES: [Pass; 4] = [
    Pass {
        size: 60,
        width: 1,
        near: &[],
        rounds: 1,
        tallest: 5,
    },
    Pass {
        size: 60,
        width: 6,
        near: &[4],
        rounds: 2,
        tallest: u32::MAX,
    },
    Pass {
        size: 120,
        width: 6,
        near: &[2, 6],
        rounds: 3,
        tallest: u32::MAX,
    },
    Pass {
        size: 200,
        width: 12,
        near: &[1, 2, 4, 8],
        rounds: 4,
        tallest: u32::MAX,
    },
];

/// Merged rows times splits up to which Algorithm 1 is also run from its start, at every depth.
const MOST_CELLS: f64 = 1e8;

/// A restart goes on after its first candidate set only if that set's tree costs at most so many times what the known one does: further sets
/// seldom take off more.
const PROMISING: f64 = 1.05;
/// Share of the objective that the candidate sets of a restart must save within `patience` iterations: what is less than that, the
/// improvement afterwards finds as well.
const PACE: f64 = 1e-3;
/// The tree of a restart is improved only if it costs at most so many times what the known one does: the known one was improved, too, and
/// seldom by more.
const CLOSE: f64 = 1.04;

/// The best tree of some depth.
#[derive(Clone)]
struct Best {
    tree: Tree,
    objective: f64,
}

/// Improve the incumbent at every depth from two to the one asked for.
pub(super) fn improve_thoroughly(
    state: &mut State<'_, '_>,
    proposer: &mut dyn Proposer,
) -> Result<StopReason, Error> {
    let asked = state.params.max_depth;
    let depth = asked.min(state.params.budget());
    let start = Best {
        tree: state.tree.clone(),
        objective: state.objective,
    };
    let lowest = 2.min(depth);
    let mut bests = vec![start; (depth - lowest + 1) as usize];
    let mut reason = StopReason::Patience;
    // A greedy tree of every depth first: where time is short there is something to show, and where there is none, that of the depth asked for.
    let base = state.base;
    for level in lowest..=depth {
        if level < depth && state.stop_reason().is_some() {
            continue;
        }
        let at = (level - lowest) as usize;
        state.params.max_depth = level;
        improve_over(state, base, Vec::new(), 0.0, |crew, known, node, params| {
            let found = crew.greedy(node, params.max_depth, params.budget());
            if found.cost < known.cost {
                found
            } else {
                known
            }
        })?;
        bests[at] = Best {
            tree: state.tree.clone(),
            objective: state.objective,
        };
    }
    let promise = {
        let params = state.params.clone();
        state
            .monitor
            .run(|control| Promise::of(base, &params, control))
    };
    let passes = if state.settings.effort == Effort::Max {
        &PASSES[..]
    } else {
        &PASSES[..1]
    };
    'passes: for pass in passes {
        for level in lowest..=depth {
            let at = (level - lowest) as usize;
            if at > 0 && bests[at - 1].objective < bests[at].objective {
                bests[at] = bests[at - 1].clone();
            }
            state.params.max_depth = level;
            state.replace(bests[at].tree.clone(), bests[at].objective);
            let ended = improve_level(state, proposer, &promise, pass);
            bests[at] = Best {
                tree: state.tree.clone(),
                objective: state.objective,
            };
            reason = ended?;
            let perfect = state.is_best_possible();
            if perfect {
                reason = StopReason::BestPossible;
            }
            if perfect || state.stop_reason().is_some() {
                break 'passes;
            }
        }
    }
    // However the loop ended: what follows is to hold for the depth asked for.
    if state.params.max_depth != depth {
        state.proven_for = None;
    }
    state.params.max_depth = asked;
    let best = bests
        .into_iter()
        .min_by(|a, b| a.objective.total_cmp(&b.objective));
    if let Some(best) = best
        && best.objective < state.objective
    {
        state.replace(best.tree, best.objective);
    }
    Ok(state.stop_reason().unwrap_or(reason))
}

/// One depth: rounds over spread candidate sets, the bottoms over all splits, candidate sets as in Algorithm 1, and a restart.
fn improve_level(
    state: &mut State<'_, '_>,
    proposer: &mut dyn Proposer,
    promise: &Promise,
    pass: &Pass,
) -> Result<StopReason, Error> {
    let level = state.params.max_depth;
    let base = state.base;
    if level < EXACT_DEPTH {
        // Depth two takes no longer over all splits.
        improve_over(state, base, Vec::new(), 0.0, |crew, known, node, params| {
            crew.solve_bottoms(known, node, params.max_depth, params.budget())
        })?;
        return Ok(state.stop_reason().unwrap_or(StopReason::Patience));
    }
    if level > EXACT_DEPTH && is_quick(base, &state.params) {
        // As a run for this depth alone would do.
        state.solve_level()?;
        return Ok(state.stop_reason().unwrap_or(StopReason::Solved));
    }
    let n_splits = state.source.splits().len();
    let mut complete = false;
    for round in 0..pass.rounds {
        if let Some(reason) = state.stop_reason() {
            return Ok(reason);
        }
        let candidates = promise.spread(pass.size_at(level), &state.support(), pass.near, round);
        complete = candidates.len() == n_splits;
        let started = Instant::now();
        let own;
        let problem = if complete {
            base
        } else {
            own = state.source.project(&candidates)?;
            &own
        };
        let projection = started.elapsed().as_secs_f64();
        let width = if round == 0 { pass.width_at(level) } else { 0 };
        let better = improve_over(
            state,
            problem,
            candidates,
            projection,
            |crew, known, node, params| {
                let (depth, budget) = (params.max_depth, params.budget());
                if width > 0 && depth > EXACT_DEPTH {
                    let grown = crew.construct(node, depth, budget, width, UNREACHABLE);
                    if let Some(grown) = grown {
                        let grown =
                            crew.improve(grown, node, depth, budget, width / 2, pass.tallest);
                        if grown.cost < known.cost {
                            return grown;
                        }
                    }
                }
                crew.improve(known, node, depth, budget, width / 2, pass.tallest)
            },
        )?;
        if complete || (!better && round > 0) {
            break;
        }
    }
    if !complete {
        polish(state)?;
    }
    if level <= EXACT_DEPTH {
        return Ok(state.stop_reason().unwrap_or(StopReason::Patience));
    }
    let capacity = state.settings.max_candidates;
    let reason = refine_candidates(state, proposer, 2, capacity)?;
    if state.stop_reason().is_some() || n_splits as f64 * base.n_rows() as f64 > MOST_CELLS {
        return Ok(reason);
    }
    restart(state, proposer, promise, pass)
}

/// Algorithm 1 from its start, and its tree improved: it may end in another valley. The better tree is kept. Ends early where its tree stays
/// far behind.
fn restart(
    state: &mut State<'_, '_>,
    proposer: &mut dyn Proposer,
    promise: &Promise,
    pass: &Pass,
) -> Result<StopReason, Error> {
    let base = state.base;
    let known = Best {
        tree: state.tree.clone(),
        objective: state.objective,
    };
    let proof = (state.proven_for.clone(), state.candidates.clone());
    let leaf = Tree::label(base, &Shape::Leaf);
    let objective = state.objective_of(&leaf);
    state.replace(leaf, objective);
    let mut objectives = Vec::new();
    let patience = state.settings.patience;
    let mut goes_on = |objective: f64| {
        objectives.push(objective);
        keeps_pace(&objectives, known.objective, patience)
    };
    let capacity = state.settings.max_candidates;
    let mut outcome = refine_candidates_while(state, proposer, 1, capacity, &mut goes_on);
    let is_close = state.objective <= CLOSE * known.objective;
    if outcome.is_ok() && is_close && state.stop_reason().is_none() {
        let level = state.params.max_depth;
        let candidates = promise.spread(pass.size_at(level), &state.support(), pass.near, 0);
        let problem = state.source.project(&candidates)?;
        let improved = improve_over(
            state,
            &problem,
            candidates,
            0.0,
            |crew, known, node, params| {
                crew.improve(
                    known,
                    node,
                    params.max_depth,
                    params.budget(),
                    0,
                    pass.tallest,
                )
            },
        );
        if let Err(error) = improved.and_then(|_| polish(state)) {
            outcome = Err(error);
        }
    }
    if known.objective <= state.objective {
        state.replace(known.tree, known.objective);
        (state.proven_for, state.candidates) = proof;
    }
    outcome
}

/// Whether a restart that has had these objectives, one per candidate set, is worth another set beside a `known` one.
fn keeps_pace(objectives: &[f64], known: f64, patience: usize) -> bool {
    let Some(&last) = objectives.last() else {
        return true;
    };
    let before = objectives.iter().nth_back(patience);
    last <= PROMISING * known && before.is_none_or(|before| last <= (1.0 - PACE) * before)
}

/// Solve the three lowest levels over all splits, where that takes no long time.
fn polish(state: &mut State<'_, '_>) -> Result<(), Error> {
    let base = state.base;
    if depth_three_seconds(base) < QUICK_SECONDS && state.stop_reason().is_none() {
        improve_over(state, base, Vec::new(), 0.0, |crew, known, node, params| {
            crew.solve_bottoms(known, node, params.max_depth, params.budget())
        })?;
    }
    Ok(())
}

/// Put the tree in terms of `problem`, let `work` improve it, and keep the outcome if it is better. Returns whether it is.
fn improve_over(
    state: &mut State<'_, '_>,
    problem: &Problem,
    candidates: Vec<SplitRef>,
    projection: f64,
    work: impl FnOnce(&mut Crew<'_>, Part, &Node, &Params) -> Part + Send,
) -> Result<bool, Error> {
    let started = Instant::now();
    let params = state.params.clone();
    let known = Shape::of_tree(&state.tree, problem)?;
    let iteration = state.history.len() + 1;
    let progress = &mut state.monitor.progress;
    progress.iteration = iteration;
    progress.stage = Stage::Improve;
    progress.n_candidates = problem.columns.iter().map(|column| column.n_splits).sum();
    progress.compression = problem.n_records as f64 / problem.n_rows().max(1) as f64;
    let (shape, stats) = state.monitor.run(|control| {
        let shared = Shared::new(problem, &params, control);
        let mut crew = Crew::new(problem, &params, &shared);
        let counted = params.counts_records();
        let node = Node::root(problem, counted, counted);
        // A lone leaf is always allowed.
        let cost = crew.alone().part(known.clone(), &node);
        let known = cost.unwrap_or(Part {
            cost: UNREACHABLE,
            shape: known,
        });
        let found = work(&mut crew, known, &node, &params);
        (found.shape, crew.stats())
    });
    state.stats.add(&stats);
    let tree = Tree::label(problem, &shape);
    let solve = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let objective = state.objective_of(&tree);
    let improved = state.improves(objective);
    let accepted = improved && objective < state.incumbent;
    if improved {
        state.replace(tree, objective);
    }
    let seconds = Seconds {
        projection,
        solve,
        score: started.elapsed().as_secs_f64(),
        ..Seconds::default()
    };
    let end = (objective, accepted, None);
    state.record(Step::Subtrees, candidates, problem, seconds, end);
    Ok(improved)
}

#[cfg(test)]
mod tests {
    use super::keeps_pace;

    #[test]
    fn a_restart_ends_far_behind_or_at_a_standstill() {
        assert!(keeps_pace(&[], 100.0, 3));
        assert!(keeps_pace(&[105.0], 100.0, 3));
        assert!(!keeps_pace(&[106.0], 100.0, 3));
        // Three sets together must bring a thousandth.
        assert!(keeps_pace(&[104.0, 104.0, 104.0], 100.0, 3));
        assert!(!keeps_pace(&[104.0, 104.0, 104.0, 104.0], 100.0, 3));
        assert!(keeps_pace(&[104.0, 104.0, 104.0, 103.8], 100.0, 3));
        // Better than what is known, all is well as long as it moves.
        assert!(keeps_pace(&[99.0, 98.0, 97.0, 96.0], 100.0, 3));
    }
}
