//! Exact re-optimisation of subtrees over all splits, with only the rows that reach them.
//!
//! The idea of local improvement with an exact method at its heart is Schidler and Szeider's (2021), who use a SAT solver; here the kernel
//! for depth three takes its place. Three moves are made: subtrees of at most three levels at the bottom are solved anew; a *window* of
//! levels further up is solved anew while the subtrees below it stay as they are (each is a label of the window's problem, and a row
//! costs under it what that subtree makes of it); and the split of a node further up is exchanged for one that a look ahead favours,
//! with everything below it grown and solved anew.

use std::sync::Arc;

use super::lookahead::{Looked, look_ahead};
use super::monitor::{Inner, Monitor, Stage};
use crate::error::Error;
use crate::problem::Problem;
use crate::search::{Params, Shape, Stats, search_from};
use crate::tree::Tree;

/// Levels that are solved exactly in one go.
pub(super) const EXACT_DEPTH: u32 = 3;
/// Splits looked at two levels ahead for each that is tried.
const WIDER: usize = 8;

/// A tree of part of the rows.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Over the splits of the base problem.
    pub shape: Arc<Shape>,
    /// Its cost: units, penalties included.
    pub cost: f64,
}

impl Part {
    /// Cheaper, or as cheap with fewer branching nodes; rounding of penalties does not count.
    pub fn beats(&self, other: &Self) -> bool {
        let slack = 1e-9 * other.cost.abs().max(1.0);
        self.cost < other.cost - slack
            || (self.cost <= other.cost + slack
                && self.shape.n_branching() < other.shape.n_branching())
    }
}

/// Solves parts of the base problem.
pub(super) struct Improver<'r, 'm> {
    /// The problem over all splits.
    pub base: &'r Problem,
    /// Limits of the whole tree.
    pub params: &'r Params,
    /// Clock and observer.
    pub monitor: &'r mut Monitor<'m>,
    /// Threads for looking ahead.
    pub pool: &'r rayon::ThreadPool,
    /// Counters.
    pub stats: Stats,
}

impl Improver<'_, '_> {
    pub fn stopped(&self) -> bool {
        self.monitor.control.stopped()
    }

    /// Cost of a shape on some rows, in units with penalties.
    pub fn cost(&self, shape: &Shape, rows: &[u32]) -> f64 {
        self.units(shape, rows) as f64
            + self.params.node_penalty / self.base.unit * shape.n_branching() as f64
    }

    fn units(&self, shape: &Shape, rows: &[u32]) -> i64 {
        match shape {
            Shape::Leaf => self.label_costs(rows).into_iter().min().unwrap_or(0),
            Shape::Branch {
                split,
                inside,
                outside,
            } => {
                let (a, b) = self.divide(*split, rows);
                self.units(inside, &a) + self.units(outside, &b)
            }
        }
    }

    fn label_costs(&self, rows: &[u32]) -> Vec<i64> {
        let k = self.base.n_labels;
        let mut sums = vec![0_i64; k];
        for &row in rows {
            for (sum, cost) in sums.iter_mut().zip(&self.base.costs[row as usize * k..]) {
                *sum += cost;
            }
        }
        sums
    }

    /// The label of least summed cost, the first of equals.
    pub fn best_label(&self, rows: &[u32]) -> usize {
        let sums = self.label_costs(rows);
        (0..sums.len())
            .min_by_key(|&label| sums[label])
            .unwrap_or(0)
    }

    /// Rows where a split is true, and the others.
    pub fn divide(&self, split: crate::table::SplitRef, rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
        rows.iter()
            .partition(|&&row| self.base.is_true(split, row as usize))
    }

    pub fn part(&self, shape: Arc<Shape>, rows: &[u32]) -> Part {
        let cost = self.cost(&shape, rows);
        Part { shape, cost }
    }

    /// Every leaf of the shape holds as many records as it must; a lone leaf always does.
    pub fn is_allowed(&self, shape: &Shape, rows: &[u32]) -> bool {
        match shape {
            Shape::Leaf => {
                let records: u64 = rows
                    .iter()
                    .map(|&row| u64::from(self.base.counts[row as usize]))
                    .sum();
                records >= u64::from(self.params.min_samples_leaf)
            }
            Shape::Branch {
                split,
                inside,
                outside,
            } => {
                let (a, b) = self.divide(*split, rows);
                self.is_allowed(inside, &a) && self.is_allowed(outside, &b)
            }
        }
    }

    /// The best tree of at most three levels for some rows, if it beats `known`.
    pub fn solve_exactly(
        &mut self,
        known: &Part,
        rows: &[u32],
        depth: u32,
        budget: u32,
    ) -> Result<Part, Error> {
        if depth == 0 || budget == 0 || rows.len() < 2 || self.stopped() {
            return Ok(known.clone());
        }
        let problem = self.base.part(rows);
        self.solve_problem(&problem, known, rows, depth, budget)
    }

    fn solve_problem(
        &mut self,
        problem: &Problem,
        known: &Part,
        rows: &[u32],
        depth: u32,
        budget: u32,
    ) -> Result<Part, Error> {
        let params = Params {
            max_depth: depth,
            max_nodes: Some(budget),
            // Threads cost more than they bring on few rows or levels.
            n_threads: if depth >= EXACT_DEPTH {
                self.params.n_threads
            } else {
                1
            },
            ..self.params.clone()
        };
        self.monitor.progress.stage = Stage::Improve;
        let initial = Tree::label(problem, &known.shape);
        let initial = (known.shape.n_branching() > 0).then_some(&initial);
        let control = self.monitor.control;
        let mut observer = Inner {
            monitor: &mut *self.monitor,
            certifies: false,
        };
        let outcome = search_from(problem, &params, control, &mut observer, initial)?;
        self.stats.add(&outcome.stats);
        let found = self.part(Shape::of_tree(&outcome.tree, self.base)?, rows);
        Ok(if found.beats(known) {
            found
        } else {
            known.clone()
        })
    }

    /// Solve all subtrees of three levels at the bottom anew; `depth` and `budget` are what this subtree may use.
    pub fn solve_bottoms(
        &mut self,
        known: &Part,
        rows: &[u32],
        depth: u32,
        budget: u32,
    ) -> Result<Part, Error> {
        if depth <= EXACT_DEPTH {
            return self.solve_exactly(known, rows, depth, budget);
        }
        let Shape::Branch {
            split,
            inside,
            outside,
        } = &*known.shape
        else {
            // A leaf high up gets as many levels as can be solved.
            return self.solve_exactly(known, rows, EXACT_DEPTH, budget);
        };
        let (a_rows, b_rows) = self.divide(*split, rows);
        let (a, b) = (
            self.part(inside.clone(), &a_rows),
            self.part(outside.clone(), &b_rows),
        );
        let spare = budget - known.shape.n_branching() as u32;
        let a_budget = a.shape.n_branching() as u32 + spare;
        let a = self.solve_bottoms(&a, &a_rows, depth - 1, a_budget)?;
        let b_budget = budget - 1 - a.shape.n_branching() as u32;
        let b = self.solve_bottoms(&b, &b_rows, depth - 1, b_budget)?;
        let found = self.part(Shape::branch(*split, a.shape, b.shape), rows);
        Ok(if found.beats(known) {
            found
        } else {
            known.clone()
        })
    }

    /// Grow a tree from scratch: each upper node takes the best of `width` splits that a look ahead favours, half as many on the
    /// next level; the three lowest levels are exact.
    pub fn construct(
        &mut self,
        rows: &[u32],
        depth: u32,
        budget: u32,
        width: usize,
    ) -> Result<Part, Error> {
        let leaf = self.part(Shape::leaf(), rows);
        if depth <= EXACT_DEPTH || budget <= EXACT_DEPTH {
            return self.solve_exactly(&leaf, rows, depth, budget);
        }
        let mut best = leaf;
        for looked in self.favoured(rows, width, depth)? {
            if self.stopped() {
                break;
            }
            if let Some(found) = self.construct_below(looked, rows, depth, budget, width)?
                && found.beats(&best)
            {
                best = found;
            }
        }
        Ok(best)
    }

    /// The tree grown below a given split, if it is allowed.
    pub fn construct_below(
        &mut self,
        looked: Looked,
        rows: &[u32],
        depth: u32,
        budget: u32,
        width: usize,
    ) -> Result<Option<Part>, Error> {
        let (a_rows, b_rows) = self.divide(looked.split, rows);
        if a_rows.is_empty() || b_rows.is_empty() {
            return Ok(None);
        }
        let full = crate::search::full_budget(depth - 1);
        let rest = budget - 1;
        let share = (f64::from(rest) * a_rows.len() as f64 / rows.len() as f64) as u32;
        let a_budget = share.min(full).max(rest.saturating_sub(full));
        let width = (width / 2).max(1);
        let a = self.construct(&a_rows, depth - 1, a_budget, width)?;
        let b_budget = (rest - a.shape.n_branching() as u32).min(full);
        let b = self.construct(&b_rows, depth - 1, b_budget, width)?;
        let shape = Shape::branch(looked.split, a.shape, b.shape);
        Ok(self
            .is_allowed(&shape, rows)
            .then(|| self.part(shape, rows)))
    }

    /// The `width` best splits by looking ahead, two levels for a wider choice of those that are best by one; no two of them neighbours.
    pub fn favoured(
        &mut self,
        rows: &[u32],
        width: usize,
        depth: u32,
    ) -> Result<Vec<Looked>, Error> {
        let (base, pool) = (self.base, self.pool);
        let stopped = |control: &crate::search::Control| control.stopped();
        let looked = self
            .monitor
            .run(|_| pool.install(|| look_ahead(base, rows)));
        let spread = spread_out(looked, WIDER * width, 1);
        let deeper: Vec<Looked> = if depth <= 2 {
            spread
        } else {
            self.monitor.run(|control| {
                spread
                    .iter()
                    .filter(|_| !stopped(control))
                    .map(|&looked| {
                        let (a, b): (Vec<u32>, Vec<u32>) = rows
                            .iter()
                            .partition(|&&row| base.is_true(looked.split, row as usize));
                        let least = |rows: &[u32]| {
                            let ahead = pool.install(|| look_ahead(base, rows));
                            ahead.iter().map(|looked| looked.units).min()
                        };
                        let units =
                            least(&a).unwrap_or(looked.units) + least(&b).unwrap_or(looked.units);
                        Looked {
                            units: units.min(looked.units),
                            ..looked
                        }
                    })
                    .collect()
            })
        };
        Ok(spread_out(deeper, width, 2))
    }
}

/// The best `count`, leaving out thresholds at most `distance` away from a better one of the same column.
fn spread_out(mut looked: Vec<Looked>, count: usize, distance: u32) -> Vec<Looked> {
    looked.sort_by_key(|looked| (looked.units, looked.split));
    let mut kept: Vec<Looked> = Vec::new();
    for candidate in looked {
        let near = kept.iter().any(|other| {
            other.split.column == candidate.split.column
                && other.split.split.abs_diff(candidate.split.split) <= distance
        });
        if !near {
            kept.push(candidate);
        }
        if kept.len() >= count {
            break;
        }
    }
    kept
}
