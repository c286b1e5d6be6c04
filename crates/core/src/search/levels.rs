//! The levels of a run: warm start, then depth by depth up to the one asked for; few splits go to the cube solver instead.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use super::control::Stop;
use super::cost::{Cost, UNREACHABLE};
use super::cube;
use super::node::Node;
use super::root::RootState;
use super::run::Run;
use super::searcher::{Searcher, Shared};
use super::shape::{Shape, Solved};
use super::stats::Stats;
use super::warm_start::{ClassMasses, Impurity};

/// Share of the time left that a level above the last may take.
const SHALLOWER_SHARE: f64 = 0.2;

/// A complete tree before the search.
pub(super) struct WarmStart {
    pub(super) cost: Cost,
    pub(super) tree: Arc<Shape>,
    /// Whether no better tree exists.
    pub(super) exact: bool,
}

pub(super) struct Levels {
    pub(super) cost: Cost,
    pub(super) tree: Arc<Shape>,
    pub(super) lower: Cost,
    pub(super) stats: Stats,
    pub(super) warm_start: Arc<Shape>,
    pub(super) seconds: [f64; 2],
}

impl Run<'_> {
    /// Whether the search ends before an observer would hear of it.
    pub(super) fn is_short(&self) -> bool {
        cube::is_short(self.plan.as_ref(), self.params, self.problem)
    }

    /// Warm start, then one level after the other.
    pub(super) fn levels(&self) -> Levels {
        let counted = self.params.counts_records();
        let started = Instant::now();
        let shared = Shared::new(self.problem, self.params, self.control);
        let mut searcher = Searcher::new(&shared);
        let mut helpers: Vec<Searcher<'_>> = (1..self.params.n_threads)
            .map(|_| Searcher::new(&shared))
            .collect();
        let depth = self.params.max_depth.min(self.params.budget());
        let budget = self.params.budget();
        let node = Node::root(self.problem, counted, counted);
        if let Some(plan) = &self.plan
            && let Some(levels) = self.cube(plan, &mut searcher, &node)
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
        if plan.exceeds_memory(self.params) {
            self.control.stop(Stop::Memory);
        }
        let state = Arc::new(RootState::new(best.0, best.1.clone()));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some((plan.depth, state));
        let n_threads = self.params.n_threads;
        let found = cube::solve(
            self.problem,
            plan,
            self.scale,
            searcher.shared.rule,
            &cube::Charging::NOTHING,
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
            if self.is_alone {
                return best;
            }
        }
        if let Some(solved) = searcher.solve_shallow(node, depth, budget)
            && let Some((cost, tree)) = solved.tree
        {
            // A leaf beyond the limits stays, being all there is.
            let is_better = cost < best.cost;
            return WarmStart {
                cost: cost.min(best.cost),
                tree: if is_better { tree } else { best.tree },
                exact: true,
            };
        }
        // CART sees every record, also those that cancel out in the search.
        let counted = self.params.counts_records();
        let all = Node::root(self.problem, counted, true);
        let masses = ClassMasses::new(self.problem);
        for impurity in [Impurity::Gini, Impurity::Entropy] {
            let (cost, tree) = searcher.grow(&masses, &all, depth, budget, impurity);
            if cost < best.cost {
                best = WarmStart {
                    cost,
                    tree,
                    exact: false,
                };
            }
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
}
