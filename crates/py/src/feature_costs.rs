//! The doorway to trees whose features have a price.

use std::time::Instant;

use certitree_core::feature_costs::{Price, Priced, Tariff, minimise_feature_costs};
use certitree_core::merging::Merging;
use certitree_core::table::all_splits;
use certitree_core::task::MatrixCosts;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::pareto::Request;
use crate::solve::{Watcher, node_list};
use crate::statistics::contiguous;
use crate::table::{Table, to_value_error};

/// Find the tree of least cost of predictions and features; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (table, *, error_costs, labels, weights, prices, feature_of_column, max_depth, max_nodes, min_samples_leaf,
    node_penalty, aggregate, time_limit, memory_limit, n_threads = 1, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_feature_costs<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    error_costs: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, i32>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    prices: Vec<(f64, f64, Option<u32>)>,
    feature_of_column: Vec<u32>,
    max_depth: u32,
    max_nodes: Option<u32>,
    min_samples_leaf: u32,
    node_penalty: f64,
    aggregate: bool,
    time_limit: Option<f64>,
    memory_limit: Option<usize>,
    n_threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut request = Request::new(
        max_depth,
        max_nodes,
        min_samples_leaf,
        time_limit,
        memory_limit,
        n_threads,
    );
    request.params.node_penalty = node_penalty;
    let tariff = Tariff {
        prices: prices
            .into_iter()
            .map(|(full, discounted, group)| Price {
                full,
                discounted,
                group,
            })
            .collect(),
        feature_of_column,
    };
    let n_labels = error_costs.shape()[1];
    let matrix: Vec<f64> = error_costs.as_array().iter().copied().collect();
    let labels = contiguous(&labels);
    let weights = weights.as_ref().map(contiguous);
    let task = MatrixCosts {
        matrix: &matrix,
        n_labels,
        classes: &labels,
        weights: weights.as_deref(),
    };
    let core = &*table;
    let mut watcher = Watcher::new(progress);
    let (priced, outcome, merge_seconds) = py
        .detach(|| {
            let started = Instant::now();
            tariff.validate(core.table.columns().len())?;
            // Splits that equal each other may differ in price: all are candidates.
            let merging = if aggregate {
                core.kinds.over_all_splits()?
            } else {
                Merging::new(&core.table, &all_splits(&core.table), false)?
            };
            let priced = Priced::build(&merging, task, &tariff)?;
            let merge_seconds = started.elapsed().as_secs_f64();
            let outcome =
                minimise_feature_costs(&priced, &request.params, &request.control, &mut watcher)?;
            Ok((priced, outcome, merge_seconds))
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
    dict.set_item("n_records", priced.problem.n_records)?;
    dict.set_item("n_unique", priced.problem.n_rows())?;
    dict.set_item("n_unique_labelled", priced.problem.n_unique_labelled)?;
    let stats = PyDict::new(py);
    stats.set_item("nodes", outcome.n_nodes)?;
    stats.set_item("boxes", outcome.n_boxes)?;
    stats.set_item("merge_seconds", merge_seconds)?;
    stats.set_item("warm_start_seconds", 0.0)?;
    stats.set_item(
        "search_seconds",
        request.control.elapsed().as_secs_f64() - merge_seconds,
    )?;
    dict.set_item("stats", stats)?;
    Ok(dict)
}
