//! The upper levels of a subtree solved anew while what hangs below them stays as it is.
//!
//! Each subtree at the lower rim of the window becomes a label, and a row costs under it what the subtree, with its labels as they are,
//! makes of the row. The exact search over that problem finds the best way to lead rows to subtrees, some of them perhaps twice.

use std::sync::Arc;

use super::crew::Worker;
use super::improve::Part;
use crate::problem::Problem;
use crate::search::cost::UNREACHABLE;
use crate::search::node::Node;
use crate::search::searcher::{Searcher, Shared, full_budget};
use crate::search::{Params, Shape};
use crate::tree::{Tree, TreeNode};

/// A subtree at the lower rim, and the node's local rows that reach it.
struct Hanging {
    shape: Arc<Shape>,
    rows: Vec<u32>,
}

impl Worker<'_, '_> {
    /// Solve the upper `height` levels of `known` anew, if that makes it better; `budget` is what the whole subtree may use.
    pub fn solve_window(
        &mut self,
        known: &Part,
        node: &Node,
        height: u32,
        budget: u32,
    ) -> Option<Part> {
        let mut rim = Vec::new();
        let all: Vec<u32> = (0..node.len() as u32).collect();
        self.collect_rim(&known.shape, node, all.clone(), height, &mut rim);
        if rim.len() < 2 || self.stopped() {
            return None;
        }
        let m = rim.len();
        let mut costs = vec![0_i64; node.len() * m];
        for (label, hanging) in rim.iter().enumerate() {
            let own = hanging.rows.clone();
            self.cost_rows(&hanging.shape, node, own, all.clone(), &mut |row, cost| {
                costs[row as usize * m + label] = cost;
            });
        }
        let problem = Problem {
            costs,
            n_labels: m,
            ..self.problem.part(&node.rows)
        };
        let params = Params {
            max_depth: height,
            max_nodes: Some(budget.min(full_budget(height))),
            n_threads: 1,
            ..self.params.clone()
        };
        let shared = Shared::new(&problem, &params, self.searcher.shared.control);
        let counted = params.counts_records();
        let solved = Searcher::new(&shared).solve(
            &Node::root(&problem, counted, counted),
            height,
            params.budget(),
            UNREACHABLE,
        );
        let (_, upper) = solved.tree?;
        let upper = Tree::label(&problem, &upper);
        let shape = self.hang(&upper, 0, &rim);
        let shape = self.tidy(&shape, node, &all);
        let fits = shape.n_branching() <= budget as usize;
        let found = fits.then(|| self.part(shape, node)).flatten()?;
        (found.cost < known.cost).then_some(found)
    }

    /// The subtrees `height` levels down, and the rows that reach them.
    fn collect_rim(
        &self,
        shape: &Arc<Shape>,
        node: &Node,
        rows: Vec<u32>,
        height: u32,
        rim: &mut Vec<Hanging>,
    ) {
        match &**shape {
            Shape::Branch {
                split,
                inside,
                outside,
            } if height > 0 => {
                let (a, b) = self.divide_rows(*split, node, &rows);
                self.collect_rim(inside, node, a, height - 1, rim);
                self.collect_rim(outside, node, b, height - 1, rim);
            }
            _ => rim.push(Hanging {
                shape: shape.clone(),
                rows,
            }),
        }
    }

    /// Cost of each of `rows` under a subtree whose leaves are labelled by the rows `own`.
    fn cost_rows(
        &self,
        shape: &Shape,
        node: &Node,
        own: Vec<u32>,
        rows: Vec<u32>,
        put: &mut dyn FnMut(u32, i64),
    ) {
        match shape {
            Shape::Leaf => {
                let k = self.problem.n_labels;
                let cost = |row: u32, label: usize| {
                    self.problem.costs[node.rows[row as usize] as usize * k + label]
                };
                let sum = |label: usize| own.iter().map(|&row| cost(row, label)).sum::<i64>();
                let label = (0..k).min_by_key(|&label| sum(label)).unwrap_or(0);
                for row in rows {
                    put(row, cost(row, label));
                }
            }
            Shape::Branch {
                split,
                inside,
                outside,
            } => {
                let (own_a, own_b) = self.divide_rows(*split, node, &own);
                let (a, b) = self.divide_rows(*split, node, &rows);
                self.cost_rows(inside, node, own_a, a, put);
                self.cost_rows(outside, node, own_b, b, put);
            }
        }
    }

    /// A tree whose leaves are labelled by subtrees, with these in their place.
    fn hang(&self, tree: &Tree, at: usize, rim: &[Hanging]) -> Arc<Shape> {
        match tree.nodes[at] {
            TreeNode::Leaf { label } => rim[label as usize].shape.clone(),
            TreeNode::Branch {
                split,
                inside,
                outside,
            } => {
                let a = self.hang(tree, inside as usize, rim);
                let b = self.hang(tree, outside as usize, rim);
                // The window's columns are the problem's, so that its splits always exist there.
                match self.problem.locate(split) {
                    Some(split) => Shape::branch(split, a, b),
                    None => a,
                }
            }
        }
    }

    /// The shape without splits that do not divide the rows that reach them.
    fn tidy(&self, shape: &Arc<Shape>, node: &Node, rows: &[u32]) -> Arc<Shape> {
        let Shape::Branch {
            split,
            inside,
            outside,
        } = &**shape
        else {
            return shape.clone();
        };
        let (a, b) = self.divide_rows(*split, node, rows);
        if a.is_empty() {
            return self.tidy(outside, node, rows);
        }
        if b.is_empty() {
            return self.tidy(inside, node, rows);
        }
        Shape::branch(
            *split,
            self.tidy(inside, node, &a),
            self.tidy(outside, node, &b),
        )
    }
}
