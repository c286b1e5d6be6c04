//! Scoring of a tree on labelled rows.

use crate::error::CheckError;
use crate::tree::{Node, Tree};

/// Rows to score a tree on.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// For each feature the value of every row; NaN is missing.
    pub values: &'a [&'a [f64]],
    /// The label of every row.
    pub labels: &'a [i32],
    /// The weight of every row, finite and at least 0; 1 each if not given.
    pub weights: Option<&'a [f64]>,
}

/// What a tree is worth on some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Weighted errors plus penalty times branching nodes.
    pub objective: f64,
    /// Summed weight of the rows whose leaf has another label.
    pub weighted_errors: f64,
    /// Number of branching nodes.
    pub n_branching: usize,
    /// For each leaf, in the order of the nodes, the number of rows of non-zero weight in it.
    pub leaf_counts: Vec<usize>,
}

impl Score {
    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.leaf_counts.len()
    }
}

/// Send every row through the tree and add up what it costs.
///
/// # Errors
/// [`CheckError`] if lengths differ, a feature of the tree does not exist, or a weight or the penalty is negative or
/// not finite.
pub fn score(tree: &Tree, rows: Rows<'_>, node_penalty: f64) -> Result<Score, CheckError> {
    check(rows, node_penalty)?;
    tree.check_features(rows.values.len())?;
    let mut weighted_errors = 0.0;
    let mut counts = vec![0; tree.nodes().len()];
    for (row, &truth) in rows.labels.iter().enumerate() {
        let (leaf, label) = tree.route(|feature| rows.values[feature][row]);
        let weight = rows.weights.map_or(1.0, |weights| weights[row]);
        counts[leaf] += usize::from(weight != 0.0);
        if label != truth {
            weighted_errors += weight;
        }
    }
    let is_leaf = |node: &Node| matches!(node, Node::Leaf { .. });
    let leaves = tree
        .nodes()
        .iter()
        .zip(counts)
        .filter(|(node, _)| is_leaf(node));
    let leaf_counts: Vec<usize> = leaves.map(|(_, count)| count).collect();
    let n_branching = tree.nodes().len() - leaf_counts.len();
    let objective = weighted_errors + node_penalty * n_branching as f64;
    Ok(Score {
        objective,
        weighted_errors,
        n_branching,
        leaf_counts,
    })
}

/// Check lengths and ranges.
fn check(rows: Rows<'_>, node_penalty: f64) -> Result<(), CheckError> {
    let expected = rows.labels.len();
    let length = |what: String, found: usize| {
        let error = CheckError::Length {
            what,
            found,
            expected,
        };
        if found == expected {
            Ok(())
        } else {
            Err(error)
        }
    };
    let cost = |what: String, value: f64| {
        let error = CheckError::NotACost { what, value };
        if value.is_finite() && value >= 0.0 {
            Ok(())
        } else {
            Err(error)
        }
    };
    for (feature, values) in rows.values.iter().enumerate() {
        length(format!("feature {feature}"), values.len())?;
    }
    if let Some(weights) = rows.weights {
        length("the list of weights".to_string(), weights.len())?;
        for (row, &weight) in weights.iter().enumerate() {
            cost(format!("the weight of row {row}"), weight)?;
        }
    }
    cost("the node penalty".to_string(), node_penalty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Test;

    /// Is feature 0 missing? If not: is feature 1 at most 2 (missing: no)?
    fn tree() -> Tree {
        let branch = |feature, test, left, right| Node::Branch {
            feature,
            test,
            missing_left: false,
            left,
            right,
        };
        let leaf = |label| Node::Leaf { label };
        Tree::new(vec![
            branch(0, Test::Missing, 1, 2),
            leaf(7),
            branch(1, Test::AtMost(2.0), 3, 4),
            leaf(0),
            leaf(1),
        ])
        .unwrap()
    }

    const FIRST: [f64; 5] = [f64::NAN, 0.0, 0.0, 0.0, f64::NAN];
    const SECOND: [f64; 5] = [0.0, 2.0, 3.0, f64::NAN, 0.0];
    const LABELS: [i32; 5] = [7, 0, 0, 1, 1];

    #[test]
    fn errors_are_weighted_and_nodes_penalised() {
        let values: [&[f64]; 2] = [&FIRST, &SECOND];
        let plain = Rows {
            values: &values,
            labels: &LABELS,
            weights: None,
        };
        let found = score(&tree(), plain, 0.25).unwrap();
        let expected = Score {
            objective: 2.5,
            weighted_errors: 2.0,
            n_branching: 2,
            leaf_counts: vec![2, 1, 2],
        };
        assert_eq!(found, expected);
        assert_eq!(found.n_leaves(), 3);
        let weights = [1.0, 1.0, 8.0, 0.0, 0.5];
        let found = score(
            &tree(),
            Rows {
                weights: Some(&weights),
                ..plain
            },
            0.0,
        )
        .unwrap();
        assert_eq!((found.objective, found.leaf_counts), (8.5, vec![2, 1, 1]));
    }

    #[test]
    fn a_single_leaf_needs_no_feature() {
        let leaf = Tree::new(vec![Node::Leaf { label: 1 }]).unwrap();
        let rows = Rows {
            values: &[],
            labels: &LABELS,
            weights: None,
        };
        let found = score(&leaf, rows, 9.0).unwrap();
        assert_eq!((found.objective, found.n_branching), (3.0, 0));
        let none = score(
            &leaf,
            Rows {
                labels: &[],
                ..rows
            },
            9.0,
        )
        .unwrap();
        assert_eq!((none.objective, none.leaf_counts), (0.0, vec![0]));
    }

    #[test]
    fn inconsistent_rows_are_refused() {
        let values: [&[f64]; 2] = [&FIRST, &SECOND[..4]];
        let rows = Rows {
            values: &values,
            labels: &LABELS,
            weights: None,
        };
        let message = |rows, penalty| score(&tree(), rows, penalty).unwrap_err().to_string();
        assert!(message(rows, 0.0).contains("feature 1 holds 4 entries"));
        let rows = Rows {
            values: &values[..1],
            ..rows
        };
        assert!(message(rows, 0.0).contains("node 2 tests feature 1"));
        let weights = [1.0, 2.0, -3.0, 1.0, 1.0];
        let negative = Rows {
            weights: Some(&weights),
            ..rows
        };
        assert!(message(negative, 0.0).contains("the weight of row 2 is -3"));
        let short = Rows {
            weights: Some(&weights[..2]),
            ..rows
        };
        assert!(message(short, 0.0).contains("the list of weights holds 2 entries"));
        for penalty in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(message(rows, penalty).contains("the node penalty"));
        }
    }
}
