//! The recursion: leaves, single splits, depth two outright, and branch and bound above.

use std::sync::Arc;

use hashbrown::HashMap;

use super::sums::{Masses, Set, Side};
use crate::search::{Control, Observer, Progress, Shape, Stop};
use crate::table::{Kind, SplitRef};

/// A tree for a set, and what is proven of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// No tree costs less.
    pub lower: f64,
    /// Cost of `shape`; `lower` if that is proven best.
    pub cost: f64,
    /// The tree.
    pub shape: Arc<Shape>,
}

impl Answer {
    /// A best tree.
    pub fn exactly(cost: f64, shape: Arc<Shape>) -> Self {
        Self {
            lower: cost,
            cost,
            shape,
        }
    }
}

/// One search.
pub struct Solver<'a> {
    /// Rows and leaf cost.
    pub masses: &'a Masses<'a>,
    /// Price of a branching node, in units.
    pub penalty: f64,
    /// Improvements below this are rounding.
    pub tolerance: f64,
    /// Flag and clock.
    pub control: &'a Control,
    /// Told now and then.
    pub observer: &'a mut dyn Observer,
    /// Results of subproblems.
    pub cache: HashMap<(u128, u32, u32), Answer>,
    /// Most results to keep.
    pub cache_size: usize,
    /// Worth of a unit.
    pub unit: f64,
    /// Cost of the best complete tree so far, for progress.
    pub incumbent: f64,
    /// Subproblems solved.
    pub n_nodes: u64,
}

/// Splits `first..end` of an ordered column that are still open, between two that are known.
#[derive(Clone, Copy)]
struct Stretch {
    first: u32,
    end: u32,
    /// Least cost of the inside at the split before, and of the outside at the split after.
    inside: f64,
    outside: f64,
}

/// Most branching nodes of a tree of some depth.
fn full(depth: u32) -> u32 {
    if depth >= 31 {
        u32::MAX >> 1
    } else {
        (1 << depth) - 1
    }
}

impl Solver<'_> {
    /// Find the best tree of at most `depth` levels and `budget` branching nodes.
    ///
    /// If no tree costs less than `upper`, any tree may come back, with a lower bound of at least `upper`.
    pub fn solve(&mut self, set: &Set, depth: u32, budget: u32, upper: f64) -> Answer {
        let depth = depth.min(budget);
        let budget = budget.min(full(depth));
        let leaf = Answer::exactly(self.masses.leaf(&set.sums), Shape::leaf());
        if depth == 0 || set.floor + self.penalty >= leaf.cost - self.tolerance {
            return leaf;
        }
        if depth == 1 {
            return self.depth_one(set, leaf);
        }
        self.poll();
        if self.control.stopped() {
            return Answer {
                lower: set.floor,
                ..leaf
            };
        }
        let key = (set.key, depth, budget);
        if let Some(known) = self.cache.get(&key)
            && (known.lower >= known.cost || known.lower >= upper)
        {
            return known.clone();
        }
        let answer = if depth == 2 {
            self.depth_two(set, budget)
        } else {
            self.branch(set, depth, budget, upper)
        };
        if self.cache.len() >= self.cache_size {
            self.cache.clear();
        }
        self.cache.insert(key, answer.clone());
        answer
    }

    fn depth_one(&self, set: &Set, leaf: Answer) -> Answer {
        let mut histogram = self.masses.histogram();
        for &row in &set.rows {
            self.masses.count(&mut histogram, row);
        }
        match self.masses.best_split(&histogram, &set.sums) {
            Some((cost, split)) if cost + self.penalty < leaf.cost - self.tolerance => {
                Answer::exactly(
                    cost + self.penalty,
                    Shape::branch(split, Shape::leaf(), Shape::leaf()),
                )
            }
            _ => leaf,
        }
    }

    /// Depth three and more: every split, or a reason why it cannot be better.
    fn branch(&mut self, set: &Set, depth: u32, budget: u32, upper: f64) -> Answer {
        // The best shallower tree is quickly found, and bounds what follows.
        let mut best = self.solve(set, depth - 1, budget, f64::INFINITY);
        let mut open = f64::INFINITY;
        // Sides nest along an ordered column, so their costs rise; too small a leaf breaks that.
        let nested = self.masses.min_records <= 1.0;
        for (index, column) in self.masses.problem.columns.iter().enumerate() {
            let n_splits = column.n_splits as u32;
            let whole = Stretch {
                first: 0,
                end: n_splits,
                inside: 0.0,
                outside: 0.0,
            };
            let mut waiting = if nested && column.kind == Kind::Ordered {
                vec![whole]
            } else {
                (0..n_splits)
                    .rev()
                    .map(|s| Stretch {
                        first: s,
                        end: s + 1,
                        ..whole
                    })
                    .collect()
            };
            while let Some(stretch) = waiting.pop() {
                if stretch.first >= stretch.end {
                    continue;
                }
                let bound = set.floor.max(stretch.inside + stretch.outside) + self.penalty;
                if bound >= best.cost.min(upper) - self.tolerance || self.control.stopped() {
                    open = open.min(bound);
                    continue;
                }
                let middle = stretch.first + (stretch.end - stretch.first) / 2;
                let split = SplitRef {
                    column: index as u32,
                    split: middle,
                };
                let (mut below, mut above) = (
                    Stretch {
                        end: middle,
                        ..stretch
                    },
                    Stretch {
                        first: middle + 1,
                        ..stretch
                    },
                );
                match self.masses.part(set, split) {
                    Err(Side::Inside) => waiting.push(above),
                    Err(Side::Outside) => waiting.push(below),
                    Err(Side::TooSmall) => {}
                    Ok(sides) => {
                        let lowers =
                            self.try_split(split, &sides, (depth, budget), upper, &mut best);
                        open = open.min(lowers[2]);
                        below.outside = lowers[1];
                        above.inside = lowers[0];
                        waiting.push(above);
                        waiting.push(below);
                    }
                }
            }
        }
        let lower = if open >= best.cost - self.tolerance {
            best.cost
        } else {
            open.max(set.floor)
        };
        Answer {
            lower: lower.min(best.cost),
            ..best
        }
    }

    /// Solve both sides of a split. Returns lower bounds on the inside, on the outside, and on any tree with this split.
    fn try_split(
        &mut self,
        split: SplitRef,
        (inside, outside): &(Set, Set),
        (depth, budget): (u32, u32),
        upper: f64,
        best: &mut Answer,
    ) -> [f64; 3] {
        let most = full(depth - 1).min(budget - 1);
        let least = budget - 1 - most.min(budget - 1);
        let shared = budget - 1 < 2 * full(depth - 1);
        let shares: Vec<(u32, u32)> = if shared {
            (least..=most)
                .rev()
                .map(|nodes| (nodes, budget - 1 - nodes))
                .collect()
        } else {
            vec![(most, most)]
        };
        let mut lowers = [inside.floor, outside.floor, f64::INFINITY];
        for (inside_nodes, outside_nodes) in shares {
            let limit = best.cost.min(upper) - self.penalty;
            let a = self.solve(inside, depth - 1, inside_nodes, limit - outside.floor);
            if inside_nodes == most {
                lowers[0] = a.lower;
            }
            if a.lower + outside.floor >= limit - self.tolerance {
                lowers[2] = lowers[2].min(a.lower + outside.floor + self.penalty);
                continue;
            }
            let b = self.solve(outside, depth - 1, outside_nodes, limit - a.lower);
            if outside_nodes == most {
                lowers[1] = b.lower;
            }
            lowers[2] = lowers[2].min(a.lower + b.lower + self.penalty);
            let cost = a.cost + b.cost + self.penalty;
            if cost < best.cost - self.tolerance {
                *best = Answer {
                    lower: 0.0,
                    cost,
                    shape: Shape::branch(split, a.shape, b.shape),
                };
            }
        }
        lowers
    }

    fn poll(&mut self) {
        self.n_nodes += 1;
        if self.n_nodes.is_multiple_of(16) {
            let progress = Progress {
                elapsed: self.control.elapsed(),
                objective: self.incumbent * self.unit,
                lower_bound: 0.0,
                depth: 0,
                nodes: self.n_nodes,
            };
            if !self.observer.poll(&progress) {
                self.control.stop(Stop::Interrupt);
            }
        }
    }
}
