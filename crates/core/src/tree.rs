//! Labelled trees over the splits of the original table.

mod leaves;

pub use leaves::find_leaves;

use crate::problem::Problem;
use crate::search::Shape;
use crate::table::{Kind, SplitRef};

/// A node of a tree, in pre-order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeNode {
    /// Predicts a label.
    Leaf {
        /// The label.
        label: u32,
    },
    /// Sends rows on.
    Branch {
        /// The table's split.
        split: SplitRef,
        /// Index of the child where the split is true.
        inside: u32,
        /// Index of the child where it is false.
        outside: u32,
    },
}

/// A tree in pre-order, and what it costs on the merged rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The nodes; the root is the first.
    pub nodes: Vec<TreeNode>,
    /// Summed cost of the leaves, in units.
    pub units: i64,
}

impl Tree {
    /// Number of branching nodes.
    pub fn n_branching(&self) -> usize {
        self.nodes
            .iter()
            .filter(|node| matches!(node, TreeNode::Branch { .. }))
            .count()
    }

    /// Label the leaves of a shape: each gets the label of least summed cost, the first of equals. Branching nodes whose leaves all agree
    /// become leaves.
    pub fn label(problem: &Problem, shape: &Shape) -> Self {
        let rows: Vec<u32> = (0..problem.n_rows() as u32).collect();
        let mut tree = Self {
            nodes: Vec::new(),
            units: 0,
        };
        tree.grow(problem, shape, &rows);
        tree
    }

    /// Append the subtree for `rows`; returns its label if it is a leaf.
    fn grow(&mut self, problem: &Problem, shape: &Shape, rows: &[u32]) -> Option<u32> {
        let at = self.nodes.len();
        let Shape::Branch {
            split,
            inside,
            outside,
        } = shape
        else {
            let (label, units) = best_label(problem, rows);
            self.nodes.push(TreeNode::Leaf { label });
            self.units += units;
            return Some(label);
        };
        let column = &problem.columns[split.column as usize];
        let (inside_rows, outside_rows): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| {
            let code = u32::from(problem.row(row as usize)[split.column as usize]);
            match column.kind {
                Kind::Ordered => code <= split.split,
                Kind::Nominal => code == split.split,
            }
        });
        let origin = column.origin[split.split as usize];
        self.nodes.push(TreeNode::Branch {
            split: origin,
            inside: 0,
            outside: 0,
        });
        let first = self.nodes.len() as u32;
        let a = self.grow(problem, inside, &inside_rows);
        let second = self.nodes.len() as u32;
        let b = self.grow(problem, outside, &outside_rows);
        if let (Some(label), true) = (a, a == b) {
            self.nodes.truncate(at);
            self.nodes.push(TreeNode::Leaf { label });
            return Some(label);
        }
        self.nodes[at] = TreeNode::Branch {
            split: origin,
            inside: first,
            outside: second,
        };
        None
    }
}

fn best_label(problem: &Problem, rows: &[u32]) -> (u32, i64) {
    let k = problem.n_labels;
    let mut costs = vec![0_i64; k];
    for &row in rows {
        for (sum, cost) in costs.iter_mut().zip(&problem.costs[row as usize * k..]) {
            *sum += cost;
        }
    }
    let best = (0..k).min_by_key(|&label| costs[label]).unwrap_or(0);
    (best as u32, costs[best])
}
