//! Local search over the upper levels: from the lowest nodes up, windows and bottoms are solved anew and splits exchanged, until nothing helps.

use std::sync::Arc;

use super::crew::{Crew, Worker};
use super::improve::{EXACT_DEPTH, Part};
use crate::problem::ProblemColumn;
use crate::search::Shape;
use crate::search::cost::Cost;
use crate::search::node::Node;
use crate::search::searcher::full_budget;
use crate::table::{Kind, SplitRef};

/// How far thresholds are moved, far moves first.
const STEPS: [i64; 6] = [8, -8, 3, -3, 1, -1];
/// Levels of a window: more labels than 2^2 cost more than they bring.
const WINDOW: u32 = 2;

/// A subtree to be improved on its own.
struct Job {
    /// From the root: whether each step goes inside.
    path: Vec<bool>,
    node: Node,
    known: Part,
    depth: u32,
    /// Most branching nodes it may have, as long as the other subtrees stay as they are.
    budget: u32,
}

impl Crew<'_> {
    /// Improve a tree by all moves in subtrees of up to `tallest` levels until none of them helps. Where `width` is not 0, subtrees are also
    /// grown anew, so wide at their top.
    pub fn improve(
        &mut self,
        known: Part,
        node: &Node,
        depth: u32,
        budget: u32,
        width: usize,
        tallest: u32,
    ) -> Part {
        let mut best = known;
        loop {
            let before = best.cost;
            for height in EXACT_DEPTH.min(depth)..=depth.min(tallest) {
                best = self.improve_at(best, node, depth, budget, height, width);
                if self.alone().stopped() {
                    return best;
                }
            }
            if best.cost >= before || depth <= EXACT_DEPTH {
                return best;
            }
        }
    }

    /// Solve the bottoms of a tree anew.
    pub fn solve_bottoms(&mut self, known: Part, node: &Node, depth: u32, budget: u32) -> Part {
        self.improve_at(known, node, depth, budget, EXACT_DEPTH.min(depth), 0)
    }

    /// Improve the subtrees that may have `height` levels: exactly where that is possible.
    fn improve_at(
        &mut self,
        known: Part,
        node: &Node,
        depth: u32,
        budget: u32,
        height: u32,
        width: usize,
    ) -> Part {
        if depth <= EXACT_DEPTH {
            let found = self.solve_exactly(node, depth, budget, known.cost);
            return found.unwrap_or(known);
        }
        let mut jobs = Vec::new();
        let mut path = Vec::new();
        self.alone()
            .collect(&known.shape, node, depth, height, &mut path, &mut jobs);
        let most = full_budget(height);
        let ample = budget >= full_budget(depth);
        jobs.retain(|job| {
            height <= EXACT_DEPTH
                || self.settled.get(&(job.node.key, height, most)) != Some(&job.known.cost)
                || !ample
        });
        let work = |worker: &mut Worker<'_, '_>, job: &Job| {
            let (known, depth) = (job.known.clone(), job.depth);
            if height <= EXACT_DEPTH {
                let found = worker.exact(&job.node, depth.min(EXACT_DEPTH), job.budget, known.cost);
                Worker::better(known, found)
            } else {
                worker.improve_top(known, &job.node, depth, job.budget, width)
            }
        };
        let found = if ample {
            self.share(&jobs, work)
        } else {
            // What one subtree does not use, the next one may.
            let mut spare = budget.saturating_sub(known.shape.n_branching() as u32);
            let mut worker = self.alone();
            jobs.iter_mut()
                .map(|job| {
                    let own = job.known.shape.n_branching() as u32;
                    job.budget = (own + spare).min(job.budget);
                    let found = work(&mut worker, job);
                    spare = (own + spare) - found.shape.n_branching() as u32;
                    found
                })
                .collect()
        };
        let stopped = self.alone().stopped();
        let mut best = known;
        for (job, found) in jobs.iter().zip(found) {
            if found.cost < job.known.cost {
                best.cost -= job.known.cost - found.cost;
                best.shape = exchange(&best.shape, &job.path, found.shape);
            } else if ample && height > EXACT_DEPTH && !stopped {
                self.settled
                    .insert((job.node.key, height, most), job.known.cost);
            }
        }
        best
    }
}

impl Worker<'_, '_> {
    /// The subtrees of a shape that may have `height` levels, and leaves that may have more.
    fn collect(
        &self,
        shape: &Arc<Shape>,
        node: &Node,
        depth: u32,
        height: u32,
        path: &mut Vec<bool>,
        jobs: &mut Vec<Job>,
    ) {
        if let Shape::Branch {
            split,
            inside,
            outside,
        } = &**shape
            && depth > height
        {
            let (a, b) = self.divide(*split, node);
            for (side, shape, node) in [(true, inside, a), (false, outside, b)] {
                path.push(side);
                self.collect(shape, &node, depth - 1, height, path, jobs);
                path.pop();
            }
        } else if node.len() > 0
            && (depth == height || height <= EXACT_DEPTH)
            && let Some(known) = self.part(shape.clone(), node)
        {
            jobs.push(Job {
                path: path.clone(),
                node: node.clone(),
                known,
                depth,
                budget: full_budget(depth),
            });
        }
    }

    /// Moves at the top of a subtree: its upper levels solved anew, its split moved, all of it grown anew.
    fn improve_top(
        &mut self,
        known: Part,
        node: &Node,
        depth: u32,
        budget: u32,
        width: usize,
    ) -> Part {
        let mut best = known;
        if let Some(found) = self.solve_window(&best, node, WINDOW, budget) {
            let solved = self.solve_bottoms(&found.shape, node, depth, budget, found.cost);
            best = solved.unwrap_or(found);
        }
        best = self.move_split(best, node, depth, budget);
        if width > 0 {
            let found = self.construct(node, depth, budget, width, best.cost);
            best = Self::better(best, found);
        }
        best
    }

    /// Move the threshold at the top as long as that helps, solving the bottoms below it anew.
    fn move_split(&mut self, known: Part, node: &Node, depth: u32, budget: u32) -> Part {
        let mut best = known;
        let mut tried: Vec<u32> = Vec::new();
        while let Shape::Branch {
            split,
            inside,
            outside,
        } = &*best.shape.clone()
        {
            let before = self.divide(*split, node);
            let column = &self.problem.columns[split.column as usize];
            let moved = neighbours(column, *split).into_iter().find_map(|next| {
                if self.stopped() || tried.contains(&next.split) {
                    return None;
                }
                tried.push(next.split);
                let after = self.divide(next, node);
                let sides = [
                    (inside, &before.0, &after.0),
                    (outside, &before.1, &after.1),
                ];
                self.solve_sides(next, sides, depth, budget, best.cost)
            });
            match moved {
                Some(found) => best = found,
                None => break,
            }
        }
        best
    }

    /// Solve the bottoms below both sides of a split anew, if all of it then costs less than `upper`.
    ///
    /// Each side comes with the rows that it had when its bottoms were solved last, and those that it has now: without rows it can only save
    /// what these rows may cost, and with more rows it saves nothing.
    fn solve_sides(
        &mut self,
        split: SplitRef,
        [(a_shape, a_before, a_now), (b_shape, b_before, b_now)]: [(&Arc<Shape>, &Node, &Node); 2],
        depth: u32,
        budget: u32,
        upper: Cost,
    ) -> Option<Part> {
        if a_now.len() == 0 || b_now.len() == 0 {
            return None;
        }
        let upper = upper - self.price();
        let a_least = self.least(a_shape, a_before, a_now);
        let b_least = self.least(b_shape, b_before, b_now);
        if a_least + b_least >= upper {
            return None;
        }
        let nodes = |shape: &Shape| shape.n_branching() as u32;
        let spare = budget.saturating_sub(1 + nodes(a_shape) + nodes(b_shape));
        let most = full_budget(depth - 1);
        let a_budget = (nodes(a_shape) + spare).min(most);
        let a = self.solve_moved(
            a_shape,
            a_before,
            a_now,
            depth - 1,
            a_budget,
            upper - b_least,
        )?;
        let b_budget = (budget - 1 - nodes(&a.shape)).min(most);
        let b = self.solve_moved(
            b_shape,
            b_before,
            b_now,
            depth - 1,
            b_budget,
            upper - a.cost,
        )?;
        Some(Part {
            cost: self.price() + a.cost + b.cost,
            shape: Shape::branch(split, a.shape, b.shape),
        })
    }

    /// Solve the bottoms of a subtree anew after its rows have changed, if it then costs less than `upper`.
    fn solve_moved(
        &mut self,
        shape: &Arc<Shape>,
        before: &Node,
        now: &Node,
        depth: u32,
        budget: u32,
        upper: Cost,
    ) -> Option<Part> {
        if depth > EXACT_DEPTH
            && let Shape::Branch {
                split,
                inside,
                outside,
            } = &**shape
        {
            let (a, b) = (self.divide(*split, before), self.divide(*split, now));
            if b.0.len() > 0 && b.1.len() > 0 {
                let sides = [(inside, &a.0, &b.0), (outside, &a.1, &b.1)];
                return self.solve_sides(*split, sides, depth, budget, upper);
            }
        }
        self.solve_bottoms(shape, now, depth, budget, upper)
    }

    /// The least that a subtree whose bottoms are best for `before` can cost for `now`.
    fn least(&self, shape: &Arc<Shape>, before: &Node, now: &Node) -> Cost {
        let mut kept = now.rows.iter().copied().peekable();
        let mut lost = 0;
        for (&row, &spread) in before.rows.iter().zip(&before.spreads) {
            while kept.next_if(|&other| other < row).is_some() {}
            if kept.peek() != Some(&row) {
                lost += spread;
            }
        }
        let cost = self.part(shape.clone(), before).map_or(0, |part| part.cost);
        (cost - self.searcher.shared.scale.loss(lost)).max(0)
    }
}

/// The shape with the subtree at the end of a path exchanged.
fn exchange(shape: &Arc<Shape>, path: &[bool], new: Arc<Shape>) -> Arc<Shape> {
    match (&**shape, path.split_first()) {
        (
            Shape::Branch {
                split,
                inside,
                outside,
            },
            Some((&side, rest)),
        ) => {
            if side {
                Shape::branch(*split, exchange(inside, rest, new), outside.clone())
            } else {
                Shape::branch(*split, inside.clone(), exchange(outside, rest, new))
            }
        }
        _ => new,
    }
}

fn neighbours(column: &ProblemColumn, split: SplitRef) -> Vec<SplitRef> {
    if column.kind == Kind::Nominal {
        return Vec::new();
    }
    STEPS
        .iter()
        .map(|step| i64::from(split.split) + step)
        .filter(|&at| at >= 0 && at < column.n_splits as i64)
        .map(|at| SplitRef {
            column: split.column,
            split: at as u32,
        })
        .collect()
}
