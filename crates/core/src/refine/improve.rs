//! What one worker does to a part of the rows: measure a subtree, divide the rows, solve the bottoms anew.
//!
//! The idea of local improvement with an exact method at its heart is Schidler and Szeider's (2021), who use a SAT solver; here the kernel
//! for depth three takes its place. `construct` grows trees from scratch, `exchange` and `window` change upper levels.

use std::sync::Arc;

use super::crew::Worker;
use crate::search::cost::Cost;
use crate::search::node::Node;
use crate::search::searcher::full_budget;
use crate::search::{Shape, Solved};
use crate::table::SplitRef;

/// Levels that are solved exactly in one go.
pub(super) const EXACT_DEPTH: u32 = 3;

/// A tree of part of the rows, within all limits.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Loss, with the price of its branching nodes: of equal losses the one with fewer nodes is less.
    pub cost: Cost,
    /// Over the splits of the problem.
    pub shape: Arc<Shape>,
}

impl Part {
    /// The tree found, if one was.
    pub fn of(solved: Solved) -> Option<Self> {
        solved.tree.map(|(cost, shape)| Self { cost, shape })
    }
}

impl Worker<'_, '_> {
    pub fn stopped(&self) -> bool {
        self.searcher.shared.control.stopped()
    }

    /// Price of a branching node.
    pub fn price(&self) -> Cost {
        self.searcher.shared.scale.node
    }

    /// A shape with its cost on a node's rows; none if a leaf is too small.
    pub fn part(&self, shape: Arc<Shape>, node: &Node) -> Option<Part> {
        let rows: Vec<u32> = (0..node.len() as u32).collect();
        let cost = self.cost(&shape, node, &rows)?;
        Some(Part { cost, shape })
    }

    fn cost(&self, shape: &Shape, node: &Node, rows: &[u32]) -> Option<Cost> {
        match shape {
            Shape::Leaf => self.leaf_cost(node, rows),
            Shape::Branch {
                split,
                inside,
                outside,
            } => {
                let (a, b) = self.divide_rows(*split, node, rows);
                Some(self.price() + self.cost(inside, node, &a)? + self.cost(outside, node, &b)?)
            }
        }
    }

    fn leaf_cost(&self, node: &Node, rows: &[u32]) -> Option<Cost> {
        let mut gains = vec![0_i64; node.lanes];
        let (mut potential, mut count) = (0, 0);
        for &row in rows {
            let r = row as usize;
            potential += node.potentials[r];
            count += node.counts.get(r).map_or(0, |&count| i64::from(count));
            for (sum, gain) in gains.iter_mut().zip(&node.gains[r * node.lanes..]) {
                *sum += gain;
            }
        }
        let shared = self.searcher.shared;
        let loss = potential - crate::search::node::leaf_score(&gains);
        (count >= shared.rule.min_records).then(|| shared.scale.loss(loss))
    }

    /// Those of a node's local rows where a split is true, and the others.
    pub fn divide_rows(&self, split: SplitRef, node: &Node, rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
        rows.iter().partition(|&&row| {
            self.problem
                .is_true(split, node.rows[row as usize] as usize)
        })
    }

    /// The two sides of a split.
    pub fn divide(&self, split: SplitRef, node: &Node) -> (Node, Node) {
        let (a, b): (Vec<u32>, Vec<u32>) = (0..node.len() as u32).partition(|&row| {
            self.problem
                .is_true(split, node.rows[row as usize] as usize)
        });
        (node.child(&a), node.child(&b))
    }

    /// The best tree of at most three levels, if it costs less than `upper`.
    pub fn exact(&mut self, node: &Node, depth: u32, budget: u32, upper: Cost) -> Option<Part> {
        Part::of(self.searcher.solve(node, depth, budget, upper))
    }

    /// A subtree with its three lowest levels solved anew, if it then costs less than `upper`. A leaf higher up gets as many levels as can be
    /// solved. `depth` and `budget` are what the subtree may use.
    pub fn solve_bottoms(
        &mut self,
        shape: &Arc<Shape>,
        node: &Node,
        depth: u32,
        budget: u32,
        upper: Cost,
    ) -> Option<Part> {
        let Shape::Branch {
            split,
            inside,
            outside,
        } = &**shape
        else {
            return self.exact(node, depth.min(EXACT_DEPTH), budget, upper);
        };
        if depth <= EXACT_DEPTH {
            return self.exact(node, depth, budget, upper);
        }
        let (a_node, b_node) = self.divide(*split, node);
        if a_node.len() == 0 {
            return self.solve_bottoms(outside, node, depth, budget, upper);
        }
        if b_node.len() == 0 {
            return self.solve_bottoms(inside, node, depth, budget, upper);
        }
        let spare = budget.saturating_sub(shape.n_branching() as u32);
        let most = full_budget(depth - 1);
        let upper = upper - self.price();
        let a_budget = (inside.n_branching() as u32 + spare).min(most);
        let a = self.solve_bottoms(inside, &a_node, depth - 1, a_budget, upper)?;
        let b_budget = (budget - 1 - a.shape.n_branching() as u32).min(most);
        let b = self.solve_bottoms(outside, &b_node, depth - 1, b_budget, upper - a.cost)?;
        Some(Part {
            cost: self.price() + a.cost + b.cost,
            shape: Shape::branch(*split, a.shape, b.shape),
        })
    }

    /// The part itself, or what a change made of it.
    pub fn better(known: Part, found: Option<Part>) -> Part {
        found
            .filter(|found| found.cost < known.cost)
            .unwrap_or(known)
    }
}
