//! The doorway to trees of least impurity.

use std::time::Instant;

use certitree_core::impurity::{Impurity, minimise_impurity};
use certitree_core::problem::Problem;
use certitree_core::task::Accuracy;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::pareto::{Request, splits_of};
use crate::solve::{Watcher, node_list};
use crate::statistics::contiguous;
use crate::table::{Table, to_value_error};

/// Find the tree of least summed impurity; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (table, *, impurity, labels, n_labels, weights, max_depth, max_nodes, min_samples_leaf, node_penalty,
    candidates, aggregate, time_limit, memory_limit, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_impurity<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    impurity: &str,
    labels: PyReadonlyArray1<'py, i32>,
    n_labels: usize,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    max_depth: u32,
    max_nodes: Option<u32>,
    min_samples_leaf: u32,
    node_penalty: f64,
    candidates: Option<Vec<(u32, u32)>>,
    aggregate: bool,
    time_limit: Option<f64>,
    memory_limit: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let impurity = match impurity {
        "gini" => Impurity::Gini,
        "entropy" => Impurity::Entropy,
        _ => {
            return Err(PyValueError::new_err(format!(
                "impurity is {impurity:?}; \"gini\" and \"entropy\" are allowed"
            )));
        }
    };
    let mut request = Request::new(
        max_depth,
        max_nodes,
        min_samples_leaf,
        time_limit,
        memory_limit,
        1,
    );
    request.params.node_penalty = node_penalty;
    let labels = contiguous(&labels);
    let weights = weights.as_ref().map(contiguous);
    let task = Accuracy {
        labels: &labels,
        n_labels,
        weights: weights.as_deref(),
    };
    let core = &*table;
    let mut watcher = Watcher::new(progress);
    let (problem, outcome, merge_seconds) = py
        .detach(|| {
            let started = Instant::now();
            let keep = splits_of(core, candidates)?;
            let problem = Problem::build(&core.table, &keep, &task, aggregate)?;
            let merge_seconds = started.elapsed().as_secs_f64();
            let outcome = minimise_impurity(
                &problem,
                impurity,
                &request.params,
                &request.control,
                &mut watcher,
            )?;
            Ok((problem, outcome, merge_seconds))
        })
        .map_err(to_value_error)?;
    if let Some(error) = watcher.error() {
        return Err(error);
    }
    let dict = PyDict::new(py);
    dict.set_item(
        "status",
        request.status(outcome.lower_bound >= outcome.objective),
    )?;
    dict.set_item("objective", outcome.objective)?;
    dict.set_item("lower_bound", outcome.lower_bound)?;
    dict.set_item("nodes", node_list(&outcome.tree))?;
    dict.set_item("n_records", problem.n_records)?;
    dict.set_item("n_unique", problem.n_rows())?;
    dict.set_item("n_unique_labelled", problem.n_unique_labelled)?;
    let stats = PyDict::new(py);
    stats.set_item("nodes", outcome.n_nodes)?;
    stats.set_item("merge_seconds", merge_seconds)?;
    stats.set_item("warm_start_seconds", 0.0)?;
    stats.set_item(
        "search_seconds",
        request.control.elapsed().as_secs_f64() - merge_seconds,
    )?;
    dict.set_item("stats", stats)?;
    Ok(dict)
}
