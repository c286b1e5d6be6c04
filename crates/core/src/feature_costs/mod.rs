//! Trees of least cost where looking at a feature costs something too.
//!
//! A record pays for every distinct feature that is tested on its path, less if another feature of the same group was
//! paid before. So the cost of a subtree depends on the path above it, and the kernels of `search`, which know a set of
//! rows and nothing else, do not apply. The state here is a set of rows and what was paid on the way; leaving feature
//! costs out bounds what is to come. Merging is lossless, because records that agree on all splits share their path.
//! This recursion over histograms is exact and runs on one thread.
//!
//! Features with a price of nothing, and groups that save nothing, are no part of the state.

mod depth_two;
mod paid;
mod priced;
mod rows;
mod solver;
mod tariff;

pub use priced::Priced;
pub use tariff::{Price, Tariff};

use hashbrown::HashMap;

use self::paid::Paid;
use self::rows::Rows;
use self::solver::{Answer, Solver};
use crate::error::Error;
use crate::search::cost::{Scale, UNREACHABLE};
use crate::search::{Control, Observer, Params};
use crate::tree::Tree;

/// Bytes that a kept result takes, roughly.
const BYTES_PER_RESULT: usize = 256;

/// What was found.
#[derive(Clone, Debug)]
pub struct FeatureCostsOutcome {
    /// The tree; `units` is the cost of its predictions alone.
    pub tree: Tree,
    /// Cost of predictions and features, plus penalties.
    pub objective: f64,
    /// No tree has less; `objective` if that is proven least.
    pub lower_bound: f64,
    /// Subproblems solved.
    pub n_nodes: u64,
}

/// Find the tree of least summed cost of predictions and features; among those, one with fewest branching nodes.
///
/// Of `params`, depth, nodes, leaf size, penalty and memory count.
///
/// # Errors
/// [`Error::Parameter`] if a parameter is out of range.
pub fn minimise_feature_costs(
    priced: &Priced,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<FeatureCostsOutcome, Error> {
    params.validate()?;
    let problem = &priced.problem;
    let rows = Rows::new(priced, params.min_samples_leaf);
    let root = rows.set((0..problem.n_rows() as u32).collect());
    let worst = rows.leaf(&root.sums);
    let mut solver = Solver {
        rows: &rows,
        paid: Paid::nothing(priced),
        scale: Scale::new(params.node_penalty / problem.unit, worst),
        control,
        observer,
        cache: HashMap::new(),
        cache_size: (params.memory_limit.unwrap_or(Params::DEFAULT_MEMORY) / BYTES_PER_RESULT)
            .max(1),
        incumbent: worst as f64 * problem.unit,
        n_nodes: 0,
    };
    let scale = solver.scale;
    let value = |answer: &Answer| {
        let nodes = answer.shape.n_branching() as i64;
        let units = (answer.cost - nodes * scale.node) / scale.per_unit;
        units as f64 * problem.unit + nodes as f64 * params.node_penalty
    };
    // Level by level: an interrupted search then has the best tree of a lesser depth.
    let mut best = solver.solve(&root, 0, 0, UNREACHABLE);
    let quick = solver.quick_lower(&root.sums);
    let budget = params.budget();
    for depth in 1..=params.max_depth.min(budget) {
        let found = solver.solve(&root, depth, budget, UNREACHABLE);
        let is_last = depth == params.max_depth.min(budget);
        let lower = if is_last { found.lower } else { quick };
        if found.cost < best.cost {
            best = found;
        }
        best.lower = lower.min(best.cost);
        solver.incumbent = value(&best);
    }
    let objective = value(&best);
    let lower_bound = if best.lower >= best.cost {
        objective
    } else {
        // Without the steps that break ties, of which a tree has one per node, and half a one for the rounded penalty.
        let steps = (best.lower - 2 * i64::from(budget)).max(0);
        (steps as f64 / scale.per_unit as f64 * problem.unit).min(objective)
    };
    Ok(FeatureCostsOutcome {
        tree: Tree::label(problem, &best.shape),
        objective,
        lower_bound,
        n_nodes: solver.n_nodes,
    })
}
