//! One search from start to end: all boxes at once if the splits are few, else level by level down to the depth asked for; then the
//! certificate.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::boxes;
use super::priced::Priced;
use super::searcher::{Searcher, Shared};
use crate::error::Error;
use crate::search::cost::{Cost, Scale, UNREACHABLE};
use crate::search::cube;
use crate::search::node::Node;
use crate::search::shape::Solved;
use crate::search::{Control, Observer, Params, Progress, Shape, Stop};
use crate::tree::Tree;

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
    /// Boxes solved, where the splits are few.
    pub n_boxes: u64,
}

/// How often the observer is called.
const POLL: Duration = Duration::from_millis(25);

/// Find the tree of least summed cost of predictions and features; among those, one with fewest branching nodes.
///
/// Of `params`, depth, nodes, leaf size, penalty, memory and threads count. The tree does not depend on the number of threads.
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
    let leaf_loss = cost_of_one_label(priced) - floor(priced);
    let price_unit = problem.unit / priced.unit as f64;
    let scale = Scale::new(
        params.node_penalty / price_unit,
        cost_of_one_label(priced) * priced.unit,
    );
    let shared = Shared::new(
        priced,
        scale,
        params.min_samples_leaf,
        control,
        params.memory_shares(),
    );
    let worth = Worth {
        price_unit,
        floor: floor(priced) as f64 * problem.unit,
        scale,
        node_penalty: params.node_penalty,
        budget: params.budget(),
    };
    let plan = boxes::plan(priced, params, control);
    let n_boxes = AtomicU64::new(0);
    let leaf = Levels {
        lower: 0,
        cost: shared.loss(leaf_loss),
        tree: Shape::Leaf,
    };
    let root = || Node::root(problem, params.min_samples_leaf > 1, true);
    let work = |best: &Mutex<Levels>| match &plan {
        Some(plan) => {
            let found = all_boxes(&shared, params, plan, root, best);
            n_boxes.store(found, Ordering::Relaxed);
        }
        None => levels(&shared, params, &root(), best),
    };
    let best = if cube::is_short(plan.as_ref(), params, problem) {
        // Starting a thread and waiting for it would take as long again.
        let best = Mutex::new(leaf);
        work(&best);
        best.into_inner().unwrap_or_else(PoisonError::into_inner)
    } else {
        watched(work, leaf, |best| {
            let progress = Progress {
                elapsed: control.elapsed(),
                objective: worth.objective(best),
                lower_bound: worth.lower_bound(best),
                depth: best.tree.depth() as u32,
                nodes: control.nodes(),
            };
            if !observer.poll(&progress) {
                control.stop(Stop::Interrupt);
            }
        })
    };
    let objective = worth.objective(&best);
    Ok(FeatureCostsOutcome {
        tree: Tree::label(problem, &best.tree),
        objective,
        lower_bound: worth.lower_bound(&best).min(objective),
        n_nodes: control.nodes(),
        n_boxes: n_boxes.into_inner(),
    })
}

/// The best tree so far, and what is proven of all.
#[derive(Clone)]
struct Levels {
    lower: Cost,
    cost: Cost,
    tree: Shape,
}

impl Levels {
    fn take(&mut self, solved: Solved, is_last: bool) {
        if is_last {
            self.lower = solved.lower;
        }
        if let Some((cost, tree)) = solved.tree
            && cost < self.cost
        {
            self.cost = cost;
            self.tree = Shape::clone(&tree);
        }
    }
}

/// Solve all boxes; returns how many.
fn all_boxes(
    shared: &Shared<'_>,
    params: &Params,
    plan: &cube::Plan,
    root: impl FnOnce() -> Node,
    best: &Mutex<Levels>,
) -> u64 {
    let lock = || best.lock().unwrap_or_else(PoisonError::into_inner);
    if plan.may_be_stopped() {
        // There is no tree before the last level is done: begin with one of two levels.
        let mut searcher = Searcher::new(shared);
        let depth = params.max_depth.min(2);
        let solved = searcher.solve(&root(), depth, params.budget(), UNREACHABLE);
        lock().take(solved, false);
    }
    if plan.exceeds_memory(params) {
        shared.control.stop(Stop::Memory);
    }
    let found = boxes::solve_boxes(shared.priced, plan, params, shared.scale, shared.control);
    let mut best = lock();
    if let Some((cost, tree)) = found.tree
        && cost < best.cost
    {
        best.cost = cost;
        best.tree = Shape::clone(&tree);
    }
    if found.finished {
        best.lower = best.cost;
    }
    found.boxes
}

/// Level by level: an interrupted search then has the best tree of a lesser depth.
fn levels(shared: &Shared<'_>, params: &Params, root: &Node, best: &Mutex<Levels>) {
    let budget = params.budget();
    let deepest = params.max_depth.min(budget);
    let mut searcher = Searcher::new(shared);
    let mut helpers: Vec<Searcher<'_>> = (1..params.n_threads)
        .map(|_| Searcher::new(shared))
        .collect();
    for depth in 0..=deepest {
        // Depth one is part of depth two, and that of depth three.
        if depth < deepest && (depth == 1 || (depth == 2 && deepest == 3)) {
            continue;
        }
        let solved = searcher.solve_with(root, depth, budget, UNREACHABLE, &mut helpers);
        let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
        best.take(solved, depth == deepest);
    }
}

/// Work on a thread of its own, and look at the result so far now and then.
fn watched<R: Clone + Send>(
    work: impl FnOnce(&Mutex<R>) + Send,
    start: R,
    mut look: impl FnMut(&R),
) -> R {
    let state = Mutex::new(start);
    let done = (Mutex::new(false), Condvar::new());
    let lock =
        |flag: &Mutex<bool>| -> bool { *flag.lock().unwrap_or_else(PoisonError::into_inner) };
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _guard = SetOnDrop(&done);
            work(&state);
        });
        while !lock(&done.0) {
            let guard = done.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (finished, _) = done
                .1
                .wait_timeout_while(guard, POLL, |finished| !*finished)
                .unwrap_or_else(PoisonError::into_inner);
            if !*finished {
                drop(finished);
                let so_far = state.lock().unwrap_or_else(PoisonError::into_inner).clone();
                look(&so_far);
            }
        }
        worker
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    state.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct SetOnDrop<'a>(&'a (Mutex<bool>, Condvar));

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

/// What no tree can avoid, in units: every row at its best label.
fn floor(priced: &Priced) -> i64 {
    let rows = priced.problem.costs.chunks_exact(priced.problem.n_labels);
    rows.map(|costs| costs.iter().copied().min().unwrap_or(0))
        .sum()
}

/// What a single leaf costs, in units.
fn cost_of_one_label(priced: &Priced) -> i64 {
    let k = priced.problem.n_labels;
    let costs = |label: usize| priced.problem.costs.iter().skip(label).step_by(k);
    (0..k)
        .map(|label| costs(label).sum())
        .min()
        .unwrap_or_default()
}

/// Costs in the task's own terms.
struct Worth {
    /// Of one unit of price.
    price_unit: f64,
    /// Of what no tree can avoid.
    floor: f64,
    scale: Scale,
    node_penalty: f64,
    budget: u32,
}

impl Worth {
    fn objective(&self, best: &Levels) -> f64 {
        let nodes = best.tree.n_branching() as i64;
        let units = (best.cost - nodes * self.scale.node) / self.scale.per_unit;
        self.floor + units as f64 * self.price_unit + nodes as f64 * self.node_penalty
    }

    fn lower_bound(&self, best: &Levels) -> f64 {
        if best.lower >= best.cost {
            return self.objective(best);
        }
        // Without the steps that break ties, of which a tree has one per node, and half a one for the rounded penalty.
        let steps = (best.lower - 2 * i64::from(self.budget)).max(0);
        self.floor + steps as f64 / self.scale.per_unit as f64 * self.price_unit
    }
}
