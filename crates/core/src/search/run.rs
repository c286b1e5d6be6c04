//! One search from start to end: warm start, level by level down to the depth asked for, certificate.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::Duration;

use super::control::{Control, Stop};
use super::cost::{Cost, Scale};
use super::cube::Plan;
use super::initial::initial_shape;
use super::levels::Levels;
use super::params::Params;
use super::root::RootState;
use super::searcher::scale_of;
use super::shape::Shape;
use super::stats::Stats;
use crate::error::Error;
use crate::problem::Problem;
use crate::tree::Tree;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The tree is proven best.
    Optimal,
    /// Time ran out.
    TimeLimit,
    /// Memory ran out.
    MemoryLimit,
    /// The user stopped it.
    Interrupted,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended; decided by the bounds.
    pub status: Status,
    /// The best tree found.
    pub tree: Tree,
    /// Its cost in the task's own terms, penalties included.
    pub objective: f64,
    /// No tree costs less.
    pub lower_bound: f64,
    /// Counters.
    pub stats: Stats,
    /// Seconds for the warm start and for the search after it.
    pub seconds: [f64; 2],
    /// Whether the objective of the warm start was already the final one.
    pub warm_start_objective: f64,
}

/// A look at a running search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time since the start.
    pub elapsed: Duration,
    /// Cost of the best tree so far.
    pub objective: f64,
    /// No tree costs less.
    pub lower_bound: f64,
    /// Depth being searched.
    pub depth: u32,
    /// Subproblems solved so far.
    pub nodes: u64,
}

/// Watches a search from the thread that called it.
pub trait Observer {
    /// Called a few dozen times a second; `false` stops the search.
    fn poll(&mut self, progress: &Progress) -> bool;
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {
    fn poll(&mut self, _progress: &Progress) -> bool {
        true
    }
}

/// How often the observer is called.
const POLL: Duration = Duration::from_millis(25);

/// Find the best tree for `problem`.
///
/// # Errors
/// [`Error::Parameter`] if a parameter is out of range.
pub fn search(
    problem: &Problem,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    search_from(problem, params, control, observer, None)
}

/// Find the best tree for `problem`, starting from a tree that is already known: it takes the place of the warm start and wins ties.
///
/// # Errors
/// [`Error::Parameter`] if a parameter is out of range, or `initial` breaks a limit or has splits that the problem lacks.
pub fn search_from(
    problem: &Problem,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
    initial: Option<&Tree>,
) -> Result<Outcome, Error> {
    let is_alone = initial.is_some();
    search_with(problem, params, control, observer, initial, is_alone)
}

/// The same, but the warm start is made too, and the better of both trees taken; the one given wins ties.
pub(crate) fn search_beside(
    problem: &Problem,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
    initial: Option<&Tree>,
) -> Result<Outcome, Error> {
    search_with(problem, params, control, observer, initial, false)
}

fn search_with(
    problem: &Problem,
    params: &Params,
    control: &Control,
    observer: &mut dyn Observer,
    initial: Option<&Tree>,
    is_alone: bool,
) -> Result<Outcome, Error> {
    params.validate()?;
    let mut run = Run::new(problem, params, control);
    run.initial = initial
        .map(|tree| initial_shape(tree, problem, params))
        .transpose()?;
    run.is_alone = is_alone;
    if run.is_short() {
        // Starting a thread and waiting for it would take as long again.
        return Ok(run.outcome(run.levels()));
    }
    let done = (Mutex::new(false), Condvar::new());
    let result = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let guard = SetOnDrop(&done);
            let result = run.levels();
            drop(guard);
            result
        });
        run.watch(&done, observer);
        worker
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    Ok(run.outcome(result))
}

struct SetOnDrop<'a>(&'a (Mutex<bool>, Condvar));

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

pub(super) struct Run<'a> {
    pub(super) problem: &'a Problem,
    pub(super) params: &'a Params,
    pub(super) control: &'a Control,
    pub(super) scale: Scale,
    /// The level being searched, once there is a tree.
    pub(super) current: RwLock<Option<(u32, Arc<RootState>)>>,
    pub(super) is_last_level: AtomicBool,
    /// A tree known before the search, and its cost in units.
    pub(super) initial: Option<(Arc<Shape>, i64)>,
    /// Whether that tree takes the place of the warm start.
    pub(super) is_alone: bool,
    /// The equivalent-points bound: what every tree over these splits costs at least, in units.
    pub(super) floor: i64,
    /// How to solve all boxes of the splits, if that is the cheaper way.
    pub(super) plan: Option<Plan>,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem, params: &'a Params, control: &'a Control) -> Self {
        Self {
            problem,
            params,
            control,
            scale: scale_of(problem, params),
            current: RwLock::new(None),
            is_last_level: AtomicBool::new(false),
            initial: None,
            is_alone: false,
            floor: problem
                .costs
                .chunks_exact(problem.n_labels)
                .map(|costs| costs.iter().copied().min().unwrap_or(0))
                .sum(),
            plan: Plan::choose(problem, params, control.time_left()),
        }
    }

    /// Call the observer until the worker is done.
    fn watch(&self, done: &(Mutex<bool>, Condvar), observer: &mut dyn Observer) {
        let mut finished = done.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !*finished {
            finished = done
                .1
                .wait_timeout(finished, POLL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            if *finished {
                break;
            }
            drop(finished);
            let current = self
                .current
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            if let Some((depth, state)) = current {
                let cost = state.found.cost();
                let lower = if self.is_last_level.load(Ordering::Relaxed) {
                    state.lower()
                } else {
                    0
                };
                let progress = Progress {
                    elapsed: self.control.elapsed(),
                    objective: self.worth(cost),
                    lower_bound: self.lower_worth(lower.min(cost)),
                    depth,
                    nodes: self.control.nodes(),
                };
                if !observer.poll(&progress) {
                    self.control.stop(Stop::Interrupt);
                }
            } else {
                let nothing = Progress {
                    elapsed: self.control.elapsed(),
                    objective: f64::INFINITY,
                    lower_bound: 0.0,
                    depth: 0,
                    nodes: 0,
                };
                if !observer.poll(&nothing) {
                    self.control.stop(Stop::Interrupt);
                }
            }
            finished = done.0.lock().unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A cost in the task's own terms, for display.
    fn worth(&self, cost: Cost) -> f64 {
        // Without a penalty what is left of a unit is the tie-break.
        let steps = if self.params.node_penalty == 0.0 {
            cost % Scale::STEPS
        } else {
            0
        };
        (self.floor as f64 + (cost - steps) as f64 / Scale::STEPS as f64) * self.problem.unit
    }

    /// A valid lower bound in the task's own terms: the tie-break and the rounding of the penalty are taken off.
    fn lower_worth(&self, lower: Cost) -> f64 {
        let extra = 1.5 * f64::from(self.params.budget());
        let mut units = (lower as f64 - extra).max(0.0) / Scale::STEPS as f64;
        if self.params.node_penalty == 0.0 {
            units = (units - 1e-9).ceil().max(0.0);
        }
        (self.floor as f64 + units) * self.problem.unit
    }

    fn outcome(&self, levels: Levels) -> Outcome {
        let tree = Tree::label(self.problem, &levels.tree);
        let objective = self.objective(&tree);
        let optimal = levels.lower >= levels.cost;
        let status = match self.control.reason() {
            _ if optimal => Status::Optimal,
            Some(Stop::Memory) => Status::MemoryLimit,
            Some(Stop::Interrupt) => Status::Interrupted,
            Some(Stop::Time) | None => Status::TimeLimit,
        };
        let lower_bound = if optimal {
            objective
        } else {
            self.lower_worth(levels.lower).min(objective)
        };
        Outcome {
            status,
            objective,
            lower_bound,
            stats: levels.stats,
            seconds: levels.seconds,
            warm_start_objective: self.objective(&Tree::label(self.problem, &levels.warm_start)),
            tree,
        }
    }

    fn objective(&self, tree: &Tree) -> f64 {
        tree.units as f64 * self.problem.unit + self.params.node_penalty * tree.n_branching() as f64
    }
}
