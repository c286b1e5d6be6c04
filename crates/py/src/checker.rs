//! Independent scoring of a tree on raw rows.

use certitree_checker::{CheckError, Node, Rows, Test, Tree, score};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;

/// A node as Python gives it: feature, operator, value, missing left, left, right, label.
type RawNode = (i64, String, f64, bool, i64, i64, i64);

/// Score a tree on raw rows: objective, number of leaves, records of non-zero weight per leaf.
#[pyfunction]
pub(crate) fn score_tree(
    py: Python<'_>,
    values: Vec<PyReadonlyArray1<'_, f64>>,
    nodes: Vec<RawNode>,
    labels: PyReadonlyArray1<'_, i32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    node_penalty: f64,
) -> PyResult<(f64, usize, Vec<usize>)> {
    let nodes = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| parse_node(index, node));
    let nodes = nodes.collect::<PyResult<Vec<_>>>()?;
    let values: Vec<Cow<'_, [f64]>> = values.iter().map(contiguous).collect();
    let values: Vec<&[f64]> = values.iter().map(|column| &**column).collect();
    let labels = contiguous(&labels);
    let weights = weights.as_ref().map(contiguous);
    let rows = Rows {
        values: &values,
        labels: &labels,
        weights: weights.as_deref(),
    };
    let found = py
        .detach(|| score(&Tree::new(nodes)?, rows, node_penalty))
        .map_err(|error: CheckError| PyValueError::new_err(error.to_string()))?;
    Ok((found.objective, found.n_leaves(), found.leaf_counts))
}

/// The entries of an array, copied only if they do not lie side by side.
fn contiguous<'a, T: numpy::Element + Copy>(array: &'a PyReadonlyArray1<'_, T>) -> Cow<'a, [T]> {
    match array.as_slice() {
        Ok(slice) => Cow::Borrowed(slice),
        Err(_) => Cow::Owned(array.as_array().iter().copied().collect()),
    }
}

fn parse_node(index: usize, node: &RawNode) -> PyResult<Node> {
    let (feature, operator, value, missing_left, left, right, label) = node;
    let refuse = |problem: String| PyValueError::new_err(format!("node {index} {problem}"));
    if *feature == -1 {
        let label = i32::try_from(*label).map_err(|_| {
            refuse(format!(
                "is a leaf with label {label}; labels must fit 32 bits"
            ))
        })?;
        return Ok(Node::Leaf { label });
    }
    let index_of = |what: &str, number: i64| {
        usize::try_from(number).map_err(|_| {
            refuse(format!(
                "has {what} {number}; give an index from 0 on (a leaf has feature -1)"
            ))
        })
    };
    let test = match operator.as_str() {
        "<=" => Test::AtMost(*value),
        "==" => Test::Equals(*value),
        "missing" => Test::Missing,
        other => {
            return Err(refuse(format!(
                "has operator {other:?}; \"<=\", \"==\" and \"missing\" are allowed"
            )));
        }
    };
    Ok(Node::Branch {
        feature: index_of("feature", *feature)?,
        test,
        missing_left: *missing_left,
        left: index_of("left child", *left)?,
        right: index_of("right child", *right)?,
    })
}
