//! A tree known before the search, put in terms of the problem's splits.

use std::sync::Arc;

use super::params::Params;
use super::shape::Shape;
use crate::error::Error;
use crate::problem::Problem;
use crate::tree::{Tree, TreeNode};

/// The tree as a shape over the problem's splits, and its cost in units when its leaves are labelled anew.
pub(super) fn initial_shape(
    tree: &Tree,
    problem: &Problem,
    params: &Params,
) -> Result<(Arc<Shape>, i64), Error> {
    let shape = Shape::of_tree(tree, problem)?;
    let refuse = |what: String| Err(Error::Parameter(format!("the initial tree {what}")));
    if shape.depth() > params.max_depth as usize {
        return refuse(format!(
            "has {} levels of branching nodes; at most max_depth = {} are allowed",
            shape.depth(),
            params.max_depth
        ));
    }
    if shape.n_branching() > params.budget() as usize {
        return refuse(format!(
            "has {} branching nodes; at most {} are allowed",
            shape.n_branching(),
            params.budget()
        ));
    }
    let units = Tree::label(problem, &shape).units;
    let least = shape.least_leaf(problem);
    if least < u64::from(params.min_samples_leaf) && shape.n_branching() > 0 {
        return refuse(format!(
            "has a leaf of {least} records; at least min_samples_leaf = {} are asked for",
            params.min_samples_leaf
        ));
    }
    Ok((shape, units))
}

impl Shape {
    /// A tree over the table's splits as a shape over the problem's.
    ///
    /// # Errors
    /// [`Error::Candidate`] if the problem lacks a split, [`Error::Parameter`] if the tree lacks a node.
    pub fn of_tree(tree: &Tree, problem: &Problem) -> Result<Arc<Self>, Error> {
        translate(tree, 0, problem)
    }

    /// Records in the smallest leaf.
    pub fn least_leaf(&self, problem: &Problem) -> u64 {
        least_leaf(problem, self, (0..problem.n_rows() as u32).collect())
    }
}

/// The subtree at a node as a shape over the problem's splits.
fn translate(tree: &Tree, node: usize, problem: &Problem) -> Result<Arc<Shape>, Error> {
    let Some(found) = tree.nodes.get(node) else {
        return Err(Error::Parameter("the initial tree lacks a child".into()));
    };
    match *found {
        TreeNode::Leaf { .. } => Ok(Shape::leaf()),
        TreeNode::Branch {
            split,
            inside,
            outside,
        } => {
            let split = problem.locate(split).ok_or_else(|| {
                Error::Candidate(format!(
                    "split {} of column {} is in the initial tree but not among the candidates; add it to them",
                    split.split, split.column
                ))
            })?;
            Ok(Shape::branch(
                split,
                translate(tree, inside as usize, problem)?,
                translate(tree, outside as usize, problem)?,
            ))
        }
    }
}

/// Records in the smallest leaf.
fn least_leaf(problem: &Problem, shape: &Shape, rows: Vec<u32>) -> u64 {
    match shape {
        Shape::Leaf => rows
            .iter()
            .map(|&row| u64::from(problem.counts[row as usize]))
            .sum(),
        Shape::Branch {
            split,
            inside,
            outside,
        } => {
            let (a, b): (Vec<u32>, Vec<u32>) = rows
                .into_iter()
                .partition(|&row| problem.is_true(*split, row as usize));
            least_leaf(problem, inside, a).min(least_leaf(problem, outside, b))
        }
    }
}
