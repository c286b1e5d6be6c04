//! Trees as the search builds them: splits only, subtrees shared.

use std::sync::Arc;

use crate::table::SplitRef;

/// A tree without labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A leaf.
    Leaf,
    /// A branching node.
    Branch {
        /// The problem's split.
        split: SplitRef,
        /// Where it is true.
        inside: Arc<Shape>,
        /// Where it is false.
        outside: Arc<Shape>,
    },
}

impl Shape {
    /// A leaf.
    pub fn leaf() -> Arc<Self> {
        Arc::new(Self::Leaf)
    }

    /// A branching node.
    pub fn branch(split: SplitRef, inside: Arc<Self>, outside: Arc<Self>) -> Arc<Self> {
        Arc::new(Self::Branch { split, inside, outside })
    }

    /// Number of branching nodes.
    pub fn n_branching(&self) -> usize {
        match self {
            Self::Leaf => 0,
            Self::Branch { inside, outside, .. } => 1 + inside.n_branching() + outside.n_branching(),
        }
    }

    /// Number of levels of branching nodes.
    pub fn depth(&self) -> usize {
        match self {
            Self::Leaf => 0,
            Self::Branch { inside, outside, .. } => 1 + inside.depth().max(outside.depth()),
        }
    }
}

/// What solving a subproblem below an upper bound found.
#[derive(Clone, Debug)]
pub struct Solved {
    /// No tree costs less. Equals the tree's cost if there is one.
    pub lower: super::cost::Cost,
    /// The best tree, if it costs less than the upper bound that was asked for.
    pub tree: Option<Arc<Shape>>,
}

impl Solved {
    /// A best tree of cost `cost`.
    pub fn exactly(cost: super::cost::Cost, tree: Arc<Shape>) -> Self {
        Self { lower: cost, tree: Some(tree) }
    }

    /// No tree below the upper bound; none costs less than `lower`.
    pub fn at_least(lower: super::cost::Cost) -> Self {
        Self { lower, tree: None }
    }
}
