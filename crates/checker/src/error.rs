//! What can be wrong with a tree or the rows it is scored on.

use thiserror::Error;

/// Every message says what came in, what is allowed, and a hint where there is one.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum CheckError {
    /// The tree has no node.
    #[error("the tree has no node; give at least one leaf")]
    Empty,
    /// A child index does not exist.
    #[error("node {node} has child {child}, but the tree has nodes 0 to {last}")]
    ChildOutOfRange {
        /// The branching node.
        node: usize,
        /// Its child.
        child: usize,
        /// The last node.
        last: usize,
    },
    /// A node is reached on two ways, or from itself.
    #[error(
        "node {node} is reached twice; every node but the root, node 0, must be the child of exactly one node"
    )]
    ReachedTwice {
        /// The node.
        node: usize,
    },
    /// A node is not reached from the root.
    #[error("node {node} is not reached from the root, node 0; leave it out or make it a child")]
    Unreachable {
        /// The node.
        node: usize,
    },
    /// A threshold or category is not a number.
    #[error("node {node} compares with NaN; use the test for missing values instead")]
    NanOperand {
        /// The branching node.
        node: usize,
    },
    /// A branching node tests a feature that does not exist.
    #[error(
        "node {node} tests feature {feature}, but there are {n_features} features, counted from 0"
    )]
    FeatureOutOfRange {
        /// The branching node.
        node: usize,
        /// Its feature.
        feature: usize,
        /// Number of features.
        n_features: usize,
    },
    /// Columns, labels or weights differ in length.
    #[error(
        "{what} holds {found} entries, but there are {expected} labels; give one entry per row"
    )]
    Length {
        /// What is of the wrong length.
        what: String,
        /// Its length.
        found: usize,
        /// Number of rows.
        expected: usize,
    },
    /// A weight or the penalty is negative or not finite.
    #[error("{what} is {value}; it must be finite and at least 0")]
    NotACost {
        /// What is out of range.
        what: String,
        /// Its value.
        value: f64,
    },
}
