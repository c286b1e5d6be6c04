//! The upper levels of a subtree solved anew while what hangs below them stays as it is.
//!
//! Each subtree at the lower rim of the window becomes a label, and a row costs under it what the subtree, with its labels as they are,
//! makes of the row. The exact search over that problem finds the best way to lead rows to subtrees, some of them perhaps twice.

use std::sync::Arc;

use super::improve::{Improver, Part};
use super::monitor::{Inner, Stage};
use crate::error::Error;
use crate::problem::Problem;
use crate::search::{Params, Shape, full_budget, search_from};
use crate::tree::{Tree, TreeNode};

impl Improver<'_, '_> {
    /// Solve the upper `height` levels of `known` anew; `budget` is what the whole subtree may use.
    pub fn solve_window(
        &mut self,
        known: &Part,
        rows: &[u32],
        height: u32,
        budget: u32,
    ) -> Result<Part, Error> {
        let mut rim = Vec::new();
        self.collect_rim(&known.shape, rows.to_vec(), height, &mut rim);
        if rim.len() < 2 || self.stopped() {
            return Ok(known.clone());
        }
        let m = rim.len();
        let mut place = vec![u32::MAX; self.base.n_rows()];
        for (at, &row) in rows.iter().enumerate() {
            place[row as usize] = at as u32;
        }
        let mut costs = vec![0_i64; rows.len() * m];
        for (label, (shape, own)) in rim.iter().enumerate() {
            self.cost_rows(shape, own.clone(), rows.to_vec(), &mut |row, cost| {
                costs[place[row as usize] as usize * m + label] = cost;
            });
        }
        let problem = Problem {
            costs,
            n_labels: m,
            ..self.base.part(rows)
        };
        let params = Params {
            max_depth: height,
            max_nodes: Some(budget.min(full_budget(height))),
            ..self.params.clone()
        };
        let top = Tree::label(&problem, &upper(&known.shape, height));
        self.monitor.progress.stage = Stage::Improve;
        let control = self.monitor.control;
        let mut observer = Inner {
            monitor: &mut *self.monitor,
            certifies: false,
        };
        let initial = (top.n_branching() > 0).then_some(&top);
        let outcome = search_from(&problem, &params, control, &mut observer, initial)?;
        self.stats.add(&outcome.stats);
        let shape = self.hang(&outcome.tree, 0, &rim);
        let shape = self.tidy(&shape, rows);
        let found = self.part(shape, rows);
        let fits =
            found.shape.n_branching() <= budget as usize && self.is_allowed(&found.shape, rows);
        Ok(if fits && found.beats(known) {
            found
        } else {
            known.clone()
        })
    }

    /// The subtrees `height` levels down, and the rows that reach them.
    fn collect_rim(
        &self,
        shape: &Arc<Shape>,
        rows: Vec<u32>,
        height: u32,
        rim: &mut Vec<(Arc<Shape>, Vec<u32>)>,
    ) {
        match &**shape {
            Shape::Branch {
                split,
                inside,
                outside,
            } if height > 0 => {
                let (a, b) = self.divide(*split, &rows);
                self.collect_rim(inside, a, height - 1, rim);
                self.collect_rim(outside, b, height - 1, rim);
            }
            _ => rim.push((shape.clone(), rows)),
        }
    }

    /// Cost of each of `rows` under a subtree whose leaves are labelled by the rows `own`.
    fn cost_rows(
        &self,
        shape: &Shape,
        own: Vec<u32>,
        rows: Vec<u32>,
        put: &mut dyn FnMut(u32, i64),
    ) {
        match shape {
            Shape::Leaf => {
                let k = self.base.n_labels;
                let label = self.best_label(&own);
                for row in rows {
                    put(row, self.base.costs[row as usize * k + label]);
                }
            }
            Shape::Branch {
                split,
                inside,
                outside,
            } => {
                let (own_a, own_b) = self.divide(*split, &own);
                let (a, b) = self.divide(*split, &rows);
                self.cost_rows(inside, own_a, a, put);
                self.cost_rows(outside, own_b, b, put);
            }
        }
    }

    /// A tree whose leaves are labelled by subtrees, with these in their place.
    fn hang(&self, tree: &Tree, node: usize, rim: &[(Arc<Shape>, Vec<u32>)]) -> Arc<Shape> {
        match tree.nodes[node] {
            TreeNode::Leaf { label } => rim[label as usize].0.clone(),
            TreeNode::Branch {
                split,
                inside,
                outside,
            } => {
                let a = self.hang(tree, inside as usize, rim);
                let b = self.hang(tree, outside as usize, rim);
                // The problem's columns are the base's, so that its splits always exist there.
                match self.base.locate(split) {
                    Some(split) => Shape::branch(split, a, b),
                    None => a,
                }
            }
        }
    }

    /// The shape without splits that do not divide the rows that reach them.
    pub fn tidy(&self, shape: &Arc<Shape>, rows: &[u32]) -> Arc<Shape> {
        let Shape::Branch {
            split,
            inside,
            outside,
        } = &**shape
        else {
            return shape.clone();
        };
        let (a, b) = self.divide(*split, rows);
        if a.is_empty() {
            return self.tidy(outside, rows);
        }
        if b.is_empty() {
            return self.tidy(inside, rows);
        }
        Shape::branch(*split, self.tidy(inside, &a), self.tidy(outside, &b))
    }
}

/// The upper levels of a shape.
fn upper(shape: &Arc<Shape>, height: u32) -> Arc<Shape> {
    match &**shape {
        Shape::Branch {
            split,
            inside,
            outside,
        } if height > 0 => Shape::branch(
            *split,
            upper(inside, height - 1),
            upper(outside, height - 1),
        ),
        _ => Shape::leaf(),
    }
}
