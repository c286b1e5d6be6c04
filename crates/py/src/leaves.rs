//! Where the rows of a coded table end up in a tree.

use certitree_core::table::SplitRef;
use certitree_core::tree::{TreeNode, find_leaves as find_leaves_core};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::solve::PyNode;
use crate::table::{parse_kind, to_value_error};

/// For each row the index of its leaf; see `_core.pyi`.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn find_leaves<'py>(
    py: Python<'py>,
    codes: PyReadonlyArray2<'py, u8>,
    kinds: Vec<String>,
    nodes: Vec<PyNode>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let (n_columns, n_rows) = (codes.shape()[0], codes.shape()[1]);
    let cells = codes.as_slice()?;
    if kinds.len() != n_columns || !codes.is_c_contiguous() {
        return Err(PyValueError::new_err(format!(
            "invalid table: {} kinds came with {n_columns} columns of codes; give one per column, and the codes in C order",
            kinds.len()
        )));
    }
    let kinds = kinds
        .iter()
        .map(|name| parse_kind(name))
        .collect::<PyResult<Vec<_>>>()?;
    let nodes = nodes.iter().map(tree_node).collect::<PyResult<Vec<_>>>()?;
    let leaves = py.detach(|| {
        let columns: Vec<_> = kinds
            .into_iter()
            .enumerate()
            .map(|(column, kind)| (kind, &cells[column * n_rows..(column + 1) * n_rows]))
            .collect();
        find_leaves_core(&columns, n_rows, &nodes)
    });
    Ok(leaves.map_err(to_value_error)?.into_pyarray(py))
}

/// A node as `node_list` gave it.
fn tree_node(&(column, split, inside, outside, label): &PyNode) -> PyResult<TreeNode> {
    let index = |number: i64| {
        u32::try_from(number).map_err(|_| {
            PyValueError::new_err(format!(
                "invalid parameter: a node of the tree holds {number}; columns, splits, children and labels count from 0"
            ))
        })
    };
    Ok(if column < 0 {
        TreeNode::Leaf {
            label: index(label)?,
        }
    } else {
        TreeNode::Branch {
            split: SplitRef {
                column: index(column)?,
                split: index(split)?,
            },
            inside: index(inside)?,
            outside: index(outside)?,
        }
    })
}
