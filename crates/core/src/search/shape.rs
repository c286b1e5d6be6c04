//! Trees as the search builds them: splits only, subtrees shared.

use std::sync::Arc;

use super::cost::Cost;
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
        Arc::new(Self::Branch {
            split,
            inside,
            outside,
        })
    }

    /// Number of branching nodes.
    pub fn n_branching(&self) -> usize {
        match self {
            Self::Leaf => 0,
            Self::Branch {
                inside, outside, ..
            } => 1 + inside.n_branching() + outside.n_branching(),
        }
    }

    /// Number of levels of branching nodes.
    pub fn depth(&self) -> usize {
        match self {
            Self::Leaf => 0,
            Self::Branch {
                inside, outside, ..
            } => 1 + inside.depth().max(outside.depth()),
        }
    }
}

/// What solving a subproblem below an upper bound found.
#[derive(Clone, Debug)]
pub struct Solved {
    /// No tree costs less.
    pub lower: Cost,
    /// The best tree and its cost, if that is below the upper bound that was asked for. Its cost is `lower` unless the search was
    /// stopped on the way.
    pub tree: Option<(Cost, Arc<Shape>)>,
}

impl Solved {
    /// A best tree of cost `cost`.
    pub fn exactly(cost: Cost, tree: Arc<Shape>) -> Self {
        Self {
            lower: cost,
            tree: Some((cost, tree)),
        }
    }

    /// No tree below the upper bound; none costs less than `lower`.
    pub fn at_least(lower: Cost) -> Self {
        Self { lower, tree: None }
    }

    /// Whether the tree is proven best.
    pub fn is_exact(&self) -> bool {
        self.tree
            .as_ref()
            .is_some_and(|(cost, _)| *cost == self.lower)
    }

    /// The tree, or a leaf where none was found.
    pub fn into_shape(self) -> Arc<Shape> {
        self.tree.map_or_else(Shape::leaf, |(_, tree)| tree)
    }

    /// Drop a tree that does not cost less than `upper`.
    pub fn below(mut self, upper: Cost) -> Self {
        if self.tree.as_ref().is_some_and(|(cost, _)| *cost >= upper) {
            self.tree = None;
        }
        self
    }
}
