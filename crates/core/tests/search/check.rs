//! Runs a search and checks whatever must hold of any outcome.

use std::time::Duration;

use certitree_core::problem::Problem;
use certitree_core::search::{
    Bounds, Control, KernelChoice, Outcome, Params, Progress, Quiet, Status, search,
};
use certitree_core::tree::{Tree, TreeNode};

use crate::instance::Instance;

/// The kernels that suit any size.
pub const KERNELS: [KernelChoice; 5] = [
    KernelChoice::Auto,
    KernelChoice::General,
    KernelChoice::Histogram,
    KernelChoice::Bitset,
    KernelChoice::Recursive,
];

/// All kernels: the cube solver takes few splits only.
pub const ALL_KERNELS: [KernelChoice; 6] = [
    KernelChoice::Auto,
    KernelChoice::General,
    KernelChoice::Histogram,
    KernelChoice::Bitset,
    KernelChoice::Cube,
    KernelChoice::Recursive,
];

/// All bounds, each bound off alone, and none.
pub fn bound_sets() -> Vec<Bounds> {
    let mut sets = vec![Bounds::default()];
    let mut none = Bounds::default();
    for name in Bounds::NAMES {
        let mut one_off = Bounds::default();
        *one_off.by_name(name).expect("a listed bound") = false;
        *none.by_name(name).expect("a listed bound") = false;
        sets.push(one_off);
    }
    sets.push(none);
    sets
}

/// Rounding that a search is allowed: its costs keep 37 bits of the total, penalties 20 bits of a unit.
pub fn tolerance(instance: &Instance, problem: &Problem) -> f64 {
    1e-9 * instance.total() + 1e-5 * problem.unit
}

/// Search without limits on time; the tree must be proven.
pub fn solve(instance: &Instance, problem: &Problem, params: &Params) -> Outcome {
    let control = Control::new(None);
    let outcome = search(problem, params, &control, &mut Quiet).expect("parameters are in range");
    assert_eq!(outcome.status, Status::Optimal, "{params:?}");
    assert_eq!(outcome.lower_bound, outcome.objective, "{params:?}");
    check_tree(instance, problem, params, &outcome);
    outcome
}

/// Search under a control; `polls` is how often the observer is asked before it stops the search.
pub fn solve_until(
    instance: &Instance,
    problem: &Problem,
    params: &Params,
    limit: Option<Duration>,
    polls: Option<usize>,
) -> (Outcome, Vec<Progress>) {
    struct Counting {
        left: Option<usize>,
        seen: Vec<Progress>,
    }
    impl certitree_core::search::Observer for Counting {
        fn poll(&mut self, progress: &Progress) -> bool {
            self.seen.push(*progress);
            match &mut self.left {
                None => true,
                Some(0) => false,
                Some(left) => {
                    *left -= 1;
                    *left > 0
                }
            }
        }
    }
    let control = Control::new(limit);
    let mut observer = Counting {
        left: polls,
        seen: Vec::new(),
    };
    let outcome =
        search(problem, params, &control, &mut observer).expect("parameters are in range");
    check_tree(instance, problem, params, &outcome);
    (outcome, observer.seen)
}

/// Walk the tree over the raw rows: limits are met, and the objective is what the tree costs.
fn check_tree(instance: &Instance, problem: &Problem, params: &Params, outcome: &Outcome) {
    let tree = &outcome.tree;
    let mut walk = Walk {
        instance,
        tree,
        loss: 0.0,
        smallest: usize::MAX,
        depth: 0,
        met: 0,
    };
    let present = instance.present();
    walk.down(0, &present, 0);
    assert_eq!(
        walk.met,
        tree.nodes.len(),
        "every node is reached once: {tree:?}"
    );
    assert!(walk.depth <= params.max_depth, "{params:?} {tree:?}");
    assert!(
        tree.n_branching() <= params.budget() as usize,
        "{params:?} {tree:?}"
    );
    if tree.n_branching() > 0 {
        assert!(
            walk.smallest >= params.min_samples_leaf as usize,
            "{params:?} {tree:?}"
        );
    }
    let scored = walk.loss + params.node_penalty * tree.n_branching() as f64;
    let slack = tolerance(instance, problem);
    let same = (scored - outcome.objective).abs() <= slack;
    assert!(
        same,
        "the tree costs {scored}, not {}: {params:?} {tree:?}",
        outcome.objective
    );
    assert!(
        outcome.lower_bound <= outcome.objective,
        "{params:?} {outcome:?}"
    );
    assert!(
        outcome.objective <= outcome.warm_start_objective + slack,
        "{params:?} {outcome:?}"
    );
}

struct Walk<'a> {
    instance: &'a Instance,
    tree: &'a Tree,
    loss: f64,
    smallest: usize,
    depth: u32,
    met: usize,
}

impl Walk<'_> {
    fn down(&mut self, at: usize, rows: &[usize], depth: u32) {
        self.met += 1;
        match self.tree.nodes[at] {
            TreeNode::Leaf { label } => {
                let costs = rows
                    .iter()
                    .map(|&row| self.instance.cost(row, label as usize));
                self.loss += costs.sum::<f64>();
                self.smallest = self.smallest.min(rows.len());
                self.depth = self.depth.max(depth);
            }
            TreeNode::Branch {
                split,
                inside,
                outside,
            } => {
                assert!(
                    self.instance.keep.contains(&split),
                    "{split:?} is no candidate"
                );
                let (a, b): (Vec<usize>, Vec<usize>) = rows
                    .iter()
                    .partition(|&&row| self.instance.is_true(split, row));
                self.down(inside as usize, &a, depth + 1);
                self.down(outside as usize, &b, depth + 1);
            }
        }
    }
}
