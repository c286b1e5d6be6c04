//! Trees of least summed impurity (Gini, entropy): leaf costs that are no sum over records.
//!
//! Merging is lossless here too, because a leaf's cost depends on summed class masses only. The kernels of `search` do
//! not apply; this recursion over histograms of class masses is slower, exact, and runs on one thread.

mod criterion;
mod depth_two;
mod solver;
mod sums;

pub use criterion::Impurity;

use hashbrown::HashMap;

use self::solver::Solver;
use self::sums::{Masses, Set};
use crate::error::Error;
use crate::problem::Problem;
use crate::search::{Control, Observer, Params, Shape};
use crate::tree::{Tree, TreeNode};

/// Bytes that a kept result takes, roughly.
const BYTES_PER_RESULT: usize = 256;

/// What was found.
#[derive(Clone, Debug)]
pub struct ImpurityOutcome {
    /// The tree; `units` is zero.
    pub tree: Tree,
    /// Summed impurity of its leaves plus penalties, in weight (Gini) or bits times weight (entropy).
    pub objective: f64,
    /// No tree has less; `objective` if that is proven least.
    pub lower_bound: f64,
    /// Subproblems solved.
    pub n_nodes: u64,
}

/// Find the tree of least summed impurity.
///
/// `problem` must be built of [`crate::task::Accuracy`]: class masses are read off its costs. Of `params`, depth, nodes,
/// leaf size, penalty and memory count.
///
/// # Errors
/// [`Error::Parameter`] if a parameter is out of range.
pub fn minimise_impurity(
    problem: &Problem,
    impurity: Impurity,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<ImpurityOutcome, Error> {
    params.validate()?;
    let masses = Masses::new(problem, impurity, params.min_samples_leaf);
    let root = masses.set((0..problem.n_rows() as u32).collect());
    let leaf = masses.leaf(&root.sums);
    let mut solver = Solver {
        masses: &masses,
        penalty: params.node_penalty / problem.unit,
        tolerance: leaf * 1e-12,
        control,
        observer,
        cache: HashMap::new(),
        cache_size: (params.memory_limit.unwrap_or(Params::DEFAULT_MEMORY) / BYTES_PER_RESULT)
            .max(1),
        unit: problem.unit,
        incumbent: leaf,
        n_nodes: 0,
    };
    // Level by level: an interrupted search then has the best tree of a lesser depth.
    let mut best = solver.solve(&root, 0, 0, f64::INFINITY);
    let budget = params.budget();
    for depth in 1..=params.max_depth.min(budget) {
        let last = depth == params.max_depth.min(budget);
        let found = solver.solve(&root, depth, budget, f64::INFINITY);
        let cost = found.cost.min(best.cost);
        let lower = if last {
            found.lower.min(cost)
        } else {
            root.floor.min(cost)
        };
        let shape = if found.cost < best.cost {
            found.shape
        } else {
            best.shape
        };
        best = solver::Answer { lower, cost, shape };
        solver.incumbent = best.cost;
    }
    let n_nodes = solver.n_nodes;
    let mut tree = Tree {
        nodes: Vec::new(),
        units: 0,
    };
    label(&masses, &best.shape, &root, &mut tree);
    Ok(ImpurityOutcome {
        tree,
        objective: best.cost * problem.unit,
        lower_bound: best.lower * problem.unit,
        n_nodes,
    })
}

/// Append the subtree for `set`; leaves get the class of most mass, the first of equals.
fn label(masses: &Masses<'_>, shape: &Shape, set: &Set, tree: &mut Tree) {
    let at = tree.nodes.len();
    let parted = match shape {
        Shape::Leaf => None,
        Shape::Branch {
            split,
            inside,
            outside,
        } => masses
            .part(set, *split)
            .ok()
            .map(|sides| (split, inside, outside, sides)),
    };
    let Some((split, inside, outside, sides)) = parted else {
        let mut best = 0;
        for class in 1..masses.width - 1 {
            if set.sums[class + 1] > set.sums[best + 1] {
                best = class;
            }
        }
        tree.nodes.push(TreeNode::Leaf { label: best as u32 });
        return;
    };
    let origin = masses.problem.columns[split.column as usize].origin[split.split as usize];
    tree.nodes.push(TreeNode::Branch {
        split: origin,
        inside: 0,
        outside: 0,
    });
    let first = tree.nodes.len() as u32;
    label(masses, inside, &sides.0, tree);
    let second = tree.nodes.len() as u32;
    label(masses, outside, &sides.1, tree);
    tree.nodes[at] = TreeNode::Branch {
        split: origin,
        inside: first,
        outside: second,
    };
}
