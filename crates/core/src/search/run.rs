//! One search from start to end: warm start, level by level down to the depth asked for, certificate.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::bounds::Bounds;
use super::cache::Cache;
use super::control::{Control, Stop};
use super::cost::{Cost, Scale, UNREACHABLE};
use super::cube;
use super::initial::initial_shape;
use super::kernel::score::LeafRule;
use super::node::Node;
use super::params::Params;
use super::root::RootState;
use super::searcher::{Searcher, Shared};
use super::shape::{Shape, Solved};
use super::stats::Stats;
use super::warm_start::{ClassMasses, Impurity};
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
/// Share of the time left that a level above the last may take.
const SHALLOWER_SHARE: f64 = 0.2;

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
    params.validate()?;
    let mut run = Run::new(problem, params, control);
    run.initial = initial
        .map(|tree| initial_shape(tree, problem, params))
        .transpose()?;
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

/// The most that a tree can lose, in units: every record at its worst label.
fn most_loss(problem: &Problem) -> i64 {
    let rows = problem.costs.chunks_exact(problem.n_labels);
    rows.map(|costs| costs.iter().copied().max().unwrap_or(0))
        .sum()
}

struct Run<'a> {
    problem: &'a Problem,
    params: &'a Params,
    control: &'a Control,
    scale: Scale,
    rule: LeafRule,
    bounds: Bounds,
    /// The level being searched, once there is a tree.
    current: RwLock<Option<(u32, Arc<RootState>)>>,
    is_last_level: AtomicBool,
    /// A tree known before the search, and its cost in units.
    initial: Option<(Arc<Shape>, i64)>,
    /// The equivalent-points bound: what every tree over these splits costs at least, in units.
    floor: i64,
}

/// A complete tree before the search.
struct WarmStart {
    cost: Cost,
    tree: Arc<Shape>,
    /// Whether no better tree exists.
    exact: bool,
}

struct Levels {
    cost: Cost,
    tree: Arc<Shape>,
    lower: Cost,
    stats: Stats,
    warm_start: Arc<Shape>,
    seconds: [f64; 2],
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem, params: &'a Params, control: &'a Control) -> Self {
        let counted = params.min_samples_leaf > 1;
        Self {
            problem,
            params,
            control,
            scale: Scale::new(params.node_penalty / problem.unit, most_loss(problem)),
            rule: LeafRule {
                lanes: problem.n_labels - 1,
                min_records: if counted {
                    i64::from(params.min_samples_leaf)
                } else {
                    0
                },
            },
            bounds: if counted {
                params.bounds.when_counted()
            } else {
                params.bounds
            },
            current: RwLock::new(None),
            is_last_level: AtomicBool::new(false),
            initial: None,
            floor: problem
                .costs
                .chunks_exact(problem.n_labels)
                .map(|costs| costs.iter().copied().min().unwrap_or(0))
                .sum(),
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

    /// Warm start, then one level after the other.
    fn levels(&self) -> Levels {
        let counted = self.rule.min_records > 0;
        let started = Instant::now();
        let (cache_bytes, table_bytes) = self.params.memory_shares();
        let shared = Shared {
            scale: self.scale,
            rule: self.rule,
            bounds: self.bounds,
            kernel: self.params.kernel,
            table_bytes,
            n_rows: self.problem.n_rows(),
            control: self.control,
            cache: Cache::new(cache_bytes),
        };
        let mut searcher = Searcher::new(&shared);
        let mut helpers: Vec<Searcher<'_>> = (1..self.params.n_threads)
            .map(|_| Searcher::new(&shared))
            .collect();
        let depth = self.params.max_depth.min(self.params.budget());
        let budget = self.params.budget();
        let node = Node::root(self.problem, counted, counted);
        if let Some(plan) = cube::Plan::choose(self.problem, self.params, self.control.time_left())
            && let Some(levels) = self.cube(&plan, &mut searcher, &node)
        {
            return levels;
        }
        let at_once = depth == 3 && self.is_over_at_once(&searcher, &node);
        let start = if at_once {
            let leaf = self.scale.loss(node.leaf_loss());
            WarmStart {
                cost: leaf,
                tree: Shape::leaf(),
                exact: false,
            }
        } else {
            self.warm_start(&mut searcher, &node, depth, budget)
        };
        let warm_start = start.tree.clone();
        let (mut cost, mut tree) = (start.cost, start.tree);
        let warm_seconds = started.elapsed().as_secs_f64();
        if start.exact {
            let seconds = [warm_seconds, 0.0];
            return Levels {
                cost,
                tree,
                lower: cost,
                stats: searcher.stats,
                warm_start,
                seconds,
            };
        }
        if self.exceeds_memory(&node) {
            self.control.stop(Stop::Memory);
        }
        let mut lower = self.scale.node.min(cost);
        let mut shallower = Solved::at_least(lower);
        for level in depth.min(3)..=depth {
            let last = level == depth;
            let state = Arc::new(RootState::new(cost, tree.clone()));
            self.is_last_level.store(last, Ordering::Relaxed);
            *self.current.write().unwrap_or_else(PoisonError::into_inner) =
                Some((level, state.clone()));
            if !last && let Some(left) = self.control.time_left() {
                self.control.pause_after(left.mul_f64(SHALLOWER_SHARE));
            }
            // A level above the last has the node budget of that depth, but one node less than the whole.
            let level_budget = if last {
                budget
            } else {
                budget - (depth - level)
            };
            // A better tree pays for fewer branching nodes than the best one costs.
            let affordable = u32::try_from((cost - 1) / self.scale.node).unwrap_or(u32::MAX);
            if affordable < level && shallower.lower >= cost {
                // Such a tree has no more levels than that: the level before has proven that there is none.
                lower = cost;
                break;
            }
            let level_budget = level_budget.min(affordable);
            let found = self.level(
                &mut searcher,
                &mut helpers,
                &node,
                level.min(level_budget),
                level_budget,
                &shallower,
                &state,
            );
            self.control.resume();
            if let Some((found_cost, found_tree)) = &found.tree
                && *found_cost < cost
            {
                (cost, tree) = (*found_cost, found_tree.clone());
            }
            if last {
                lower = found.lower.min(cost);
            }
            shallower = Solved {
                lower: found.lower.min(cost),
                tree: Some((cost, tree.clone())),
            };
            if self.control.stopped() {
                break;
            }
        }
        if at_once && lower < cost {
            // Stopped against expectation: the tree that other searches start from is due now.
            let late = self.warm_start(&mut searcher, &node, depth, budget);
            if late.cost < cost {
                (cost, tree) = (late.cost, late.tree);
            }
        }
        for helper in &helpers {
            searcher.stats.add(&helper.stats);
        }
        searcher.stats.cache_evictions = shared.cache.evictions();
        let search_seconds = started.elapsed().as_secs_f64() - warm_seconds;
        Levels {
            cost,
            tree,
            lower,
            stats: searcher.stats,
            warm_start,
            seconds: [warm_seconds, search_seconds],
        }
    }

    /// Solve all boxes of the splits; `None` for a problem that is none (its root is a leaf at no cost).
    fn cube(&self, plan: &cube::Plan, searcher: &mut Searcher<'_>, node: &Node) -> Option<Levels> {
        let started = Instant::now();
        // As a leaf the root is always allowed.
        let leaf = self.scale.loss(node.leaf_loss());
        let mut best = (leaf, Shape::leaf());
        if leaf <= self.scale.node {
            return None;
        }
        let budget = self.params.budget();
        if plan.may_be_stopped() {
            let start = self.warm_start(searcher, node, plan.depth, budget);
            best = (start.cost, start.tree);
        }
        let warm_start = best.1.clone();
        let warm_seconds = started.elapsed().as_secs_f64();
        if self
            .params
            .memory_limit
            .is_some_and(|limit| plan.bytes > limit as f64)
        {
            self.control.stop(Stop::Memory);
        }
        let state = Arc::new(RootState::new(best.0, best.1.clone()));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some((plan.depth, state));
        let n_threads = self.params.n_threads;
        let found = cube::solve(
            self.problem,
            plan,
            self.scale,
            self.rule,
            n_threads,
            self.control,
        );
        if let Some(tree) = found.tree
            && tree.0 < best.0
        {
            best = tree;
        }
        let lower = if found.finished {
            best.0
        } else {
            self.scale.node.min(best.0)
        };
        searcher.stats.boxes += found.boxes;
        let search_seconds = started.elapsed().as_secs_f64() - warm_seconds;
        Some(Levels {
            cost: best.0,
            tree: best.1,
            lower,
            stats: searcher.stats.clone(),
            warm_start,
            seconds: [warm_seconds, search_seconds],
        })
    }

    /// Solve one level; its lower bound holds for that level only.
    #[allow(clippy::too_many_arguments)]
    fn level<'s>(
        &self,
        searcher: &mut Searcher<'s>,
        helpers: &mut [Searcher<'s>],
        node: &Node,
        level: u32,
        budget: u32,
        shallower: &Solved,
        state: &RootState,
    ) -> Solved {
        let upper = state.found.cost();
        let trivial = searcher.leaf_cost(node) <= self.scale.node || node.columns.is_empty();
        if trivial || level < 3 {
            return searcher.solve(node, level, budget, upper);
        }
        if level == 3 && searcher.uses_table(node) {
            if upper <= self.scale.node {
                return Solved::at_least(self.scale.node);
            }
            return searcher.depth_three_with(node, budget, upper, helpers);
        }
        let shallower = if level == 3 {
            searcher.solve(node, 2, budget - 1, UNREACHABLE)
        } else {
            shallower.clone()
        };
        let lower = searcher.search_root(node, level, budget, &shallower, state, helpers);
        Solved {
            lower,
            tree: state.found.best(),
        }
    }

    /// The best of the greedy trees with exact bottoms. Up to depth two that is the best tree there is.
    fn warm_start(
        &self,
        searcher: &mut Searcher<'_>,
        node: &Node,
        depth: u32,
        budget: u32,
    ) -> WarmStart {
        // As a leaf the root is always allowed: a limit that no leaf can meet would leave nothing to return.
        let leaf = self.scale.loss(node.leaf_loss());
        let mut best = WarmStart {
            cost: leaf,
            tree: Shape::leaf(),
            exact: depth == 0,
        };
        if depth == 0 {
            return best;
        }
        if let Some((shape, units)) = &self.initial {
            let price = self.scale.node * shape.n_branching() as Cost;
            let cost = self.scale.loss(units - self.floor) + price;
            if cost <= best.cost {
                best = WarmStart {
                    cost,
                    tree: shape.clone(),
                    exact: false,
                };
            }
            return best;
        }
        let shallow = depth == 1 || (depth == 2 && searcher.uses_table(node));
        // CART sees every record, also those that cancel out in the search.
        let counted = self.rule.min_records > 0;
        let all;
        let (seen, masses) = if shallow {
            (node, ClassMasses::default())
        } else {
            all = Node::root(self.problem, counted, true);
            (&all, ClassMasses::new(self.problem))
        };
        for impurity in [Impurity::Gini, Impurity::Entropy] {
            let (cost, tree) = searcher.grow(&masses, seen, depth, budget, impurity);
            if cost < best.cost {
                best = WarmStart {
                    cost,
                    tree,
                    exact: false,
                };
            }
            best.exact = shallow;
            // A second one is worth its while where the search that follows is long.
            if self.control.stopped() || depth <= 3 {
                break;
            }
        }
        best
    }

    /// Whether sweeping the root takes so little time that a warm start would only hold it up.
    fn is_over_at_once(&self, searcher: &Searcher<'_>, node: &Node) -> bool {
        const LONGEST: f64 = 0.5;
        searcher.uses_table(node)
            && searcher.sweep_seconds(node) < LONGEST
            && self
                .control
                .time_left()
                .is_none_or(|left| left.as_secs_f64() > 10.0 * LONGEST)
    }

    /// Whether the rows alone take more than the memory limit leaves.
    fn exceeds_memory(&self, node: &Node) -> bool {
        let per_row = node.columns.len() + 8 * (node.lanes + 2) + 4;
        self.params
            .memory_limit
            .is_some_and(|limit| node.len().saturating_mul(per_row) > limit)
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
