//! Trees on raw values.

use crate::error::CheckError;

/// The question that a branching node asks about a value. NaN stands for a missing value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// Is the value at most this threshold?
    AtMost(f64),
    /// Is the value this category?
    Equals(f64),
    /// Is the value missing?
    Missing,
}

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// Sends a row left if the test holds, right if not.
    Branch {
        /// Index of the feature that is tested.
        feature: usize,
        /// The test.
        test: Test,
        /// Whether a missing value goes left; without effect for [`Test::Missing`], where it always does.
        missing_left: bool,
        /// Index of the left child.
        left: usize,
        /// Index of the right child.
        right: usize,
    },
    /// Gives a row its label.
    Leaf {
        /// The label.
        label: i32,
    },
}

/// A tree that was found to be one: every node but the root is the child of exactly one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Check nodes and make a tree of them; node 0 is the root.
    ///
    /// # Errors
    /// [`CheckError`] if a child does not exist, a node is shared, part of a cycle or out of reach, or a test compares
    /// with NaN.
    pub fn new(nodes: Vec<Node>) -> Result<Self, CheckError> {
        let Some(last) = nodes.len().checked_sub(1) else {
            return Err(CheckError::Empty);
        };
        let mut reached = vec![false; nodes.len()];
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut reached[node], true) {
                return Err(CheckError::ReachedTwice { node });
            }
            if let Node::Branch {
                test, left, right, ..
            } = nodes[node]
            {
                if matches!(test, Test::AtMost(value) | Test::Equals(value) if value.is_nan()) {
                    return Err(CheckError::NanOperand { node });
                }
                for child in [right, left] {
                    if child > last {
                        return Err(CheckError::ChildOutOfRange { node, child, last });
                    }
                    open.push(child);
                }
            }
        }
        match reached.iter().position(|&reached| !reached) {
            Some(node) => Err(CheckError::Unreachable { node }),
            None => Ok(Self { nodes }),
        }
    }

    /// The nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Check that every tested feature exists.
    ///
    /// # Errors
    /// [`CheckError::FeatureOutOfRange`] for the first node whose feature does not.
    pub fn check_features(&self, n_features: usize) -> Result<(), CheckError> {
        for (node, content) in self.nodes.iter().enumerate() {
            if let Node::Branch { feature, .. } = *content
                && feature >= n_features
            {
                return Err(CheckError::FeatureOutOfRange {
                    node,
                    feature,
                    n_features,
                });
            }
        }
        Ok(())
    }

    /// Index of the leaf that a row falls in, and its label. `value` gives the row's value of a feature.
    pub fn route(&self, value: impl Fn(usize) -> f64) -> (usize, i32) {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf { label } => return (node, label),
                Node::Branch {
                    feature,
                    test,
                    missing_left,
                    left,
                    right,
                } => {
                    let value = value(feature);
                    let goes_left = match test {
                        Test::Missing => value.is_nan(),
                        _ if value.is_nan() => missing_left,
                        Test::AtMost(threshold) => value <= threshold,
                        Test::Equals(category) => value == category,
                    };
                    node = if goes_left { left } else { right };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAF: Node = Node::Leaf { label: 0 };

    fn branch(test: Test, missing_left: bool, left: usize, right: usize) -> Node {
        Node::Branch {
            feature: 0,
            test,
            missing_left,
            left,
            right,
        }
    }

    #[test]
    fn damaged_trees_are_refused() {
        let test = Test::AtMost(0.0);
        assert_eq!(Tree::new(vec![]), Err(CheckError::Empty));
        let own_child = Tree::new(vec![branch(test, true, 0, 1), LEAF]);
        assert_eq!(own_child, Err(CheckError::ReachedTwice { node: 0 }));
        let shared = Tree::new(vec![branch(test, true, 1, 1), LEAF]);
        assert_eq!(shared, Err(CheckError::ReachedTwice { node: 1 }));
        let out_of_range = Tree::new(vec![branch(test, true, 1, 2), LEAF]);
        assert_eq!(
            out_of_range,
            Err(CheckError::ChildOutOfRange {
                node: 0,
                child: 2,
                last: 1
            })
        );
        // Nodes 1 and 2 are each the child of one node, but of one another.
        let island = Tree::new(vec![
            LEAF,
            branch(test, true, 2, 3),
            branch(test, true, 1, 4),
            LEAF,
            LEAF,
        ]);
        assert_eq!(island, Err(CheckError::Unreachable { node: 1 }));
        let nan = Tree::new(vec![branch(Test::Equals(f64::NAN), true, 1, 2), LEAF, LEAF]);
        assert_eq!(nan, Err(CheckError::NanOperand { node: 0 }));
    }

    #[test]
    fn features_must_exist() {
        let nodes = vec![branch(Test::Missing, true, 1, 2), LEAF, LEAF];
        let tree = Tree::new(nodes).unwrap();
        assert_eq!(tree.check_features(1), Ok(()));
        let error = CheckError::FeatureOutOfRange {
            node: 0,
            feature: 0,
            n_features: 0,
        };
        assert_eq!(tree.check_features(0), Err(error));
    }

    #[test]
    fn tests_on_numbers_and_missing_values() {
        let goes_left = |test, missing_left, value| {
            let tree = Tree::new(vec![branch(test, missing_left, 1, 2), LEAF, LEAF]).unwrap();
            tree.route(|_| value).0 == 1
        };
        for missing_left in [false, true] {
            assert!(goes_left(Test::AtMost(1.5), missing_left, 1.5));
            assert!(!goes_left(
                Test::AtMost(1.5),
                missing_left,
                1.5f64.next_up()
            ));
            assert!(goes_left(
                Test::AtMost(1.5),
                missing_left,
                f64::NEG_INFINITY
            ));
            assert!(goes_left(Test::Equals(2.0), missing_left, 2.0));
            assert!(!goes_left(Test::Equals(2.0), missing_left, 1.0));
            assert_eq!(
                goes_left(Test::AtMost(1.5), missing_left, f64::NAN),
                missing_left
            );
            assert_eq!(
                goes_left(Test::Equals(2.0), missing_left, f64::NAN),
                missing_left
            );
            assert!(goes_left(Test::Missing, missing_left, f64::NAN));
            assert!(!goes_left(Test::Missing, missing_left, 0.0));
        }
    }
}
