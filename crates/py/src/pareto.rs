//! The doorway to the objectives that are no sum over leaves: Matthews correlation and group fairness.

use std::time::{Duration, Instant};

use certitree_core::Error;
use certitree_core::pareto::{
    FairTree, Fairness, Grouped, Records, maximise_correlation, minimise_errors, trace_trade_off,
};
use certitree_core::search::{Bounds, Control, KernelChoice, Params, Stop};
use certitree_core::table::SplitRef;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::solve::{Watcher, node_list};
use crate::statistics::contiguous;
use crate::table::{Table, to_value_error};

/// What these searches take, converted.
pub(crate) struct Request {
    pub(crate) control: Control,
    pub(crate) params: Params,
}

impl Request {
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        max_depth: u32,
        max_nodes: Option<u32>,
        min_samples_leaf: u32,
        time_limit: Option<f64>,
        memory_limit: Option<usize>,
        n_threads: usize,
    ) -> Self {
        let limit = time_limit.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)));
        let control = Control::new(limit.transpose().unwrap_or(None));
        let params = Params {
            max_depth,
            max_nodes,
            min_samples_leaf,
            node_penalty: 0.0,
            kernel: KernelChoice::Auto,
            bounds: Bounds::default(),
            memory_limit,
            n_threads,
        };
        Self { control, params }
    }

    pub(crate) fn status(&self, is_optimal: bool) -> &'static str {
        match self.control.reason() {
            _ if is_optimal => "optimal",
            Some(Stop::Memory) => "memory_limit",
            Some(Stop::Interrupt) => "interrupted",
            Some(Stop::Time) | None => "time_limit",
        }
    }
}

/// The splits to choose from: those named, or all distinct ones.
///
/// # Errors
/// None on a table that is consistent.
pub(crate) fn splits_of(
    table: &Table,
    candidates: Option<Vec<(u32, u32)>>,
) -> Result<Vec<SplitRef>, Error> {
    let Some(pairs) = candidates else {
        return Ok(table.distinct()?.splits.clone());
    };
    let pairs = pairs.into_iter();
    Ok(pairs
        .map(|(column, split)| SplitRef { column, split })
        .collect())
}

/// Find the tree with the largest Matthews correlation; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (table, *, labels, weights, max_depth, max_nodes, min_samples_leaf, candidates, aggregate, time_limit,
    memory_limit, n_threads, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_matthews<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    labels: PyReadonlyArray1<'py, i32>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    max_depth: u32,
    max_nodes: Option<u32>,
    min_samples_leaf: u32,
    candidates: Option<Vec<(u32, u32)>>,
    aggregate: bool,
    time_limit: Option<f64>,
    memory_limit: Option<usize>,
    n_threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let request = Request::new(
        max_depth,
        max_nodes,
        min_samples_leaf,
        time_limit,
        memory_limit,
        n_threads,
    );
    let labels = contiguous(&labels);
    let weights = weights.as_ref().map(contiguous);
    let groups = vec![0; labels.len()];
    let task = Grouped {
        labels: &labels,
        groups: &groups,
        n_groups: 1,
        weights: weights.as_deref(),
    };
    let core = &*table;
    let mut watcher = Watcher::new(progress);
    let (records, outcome, merge_seconds) = py
        .detach(|| {
            let started = Instant::now();
            let keep = splits_of(core, candidates)?;
            let mut records = Records::build(&core.table, &keep, &task, aggregate)?;
            let merge_seconds = started.elapsed().as_secs_f64();
            let outcome = maximise_correlation(
                &mut records,
                &request.params,
                &request.control,
                &mut watcher,
            )?;
            Ok((records, outcome, merge_seconds))
        })
        .map_err(to_value_error)?;
    if let Some(error) = watcher.error() {
        return Err(error);
    }
    let dict = PyDict::new(py);
    dict.set_item("status", request.status(outcome.is_optimal))?;
    dict.set_item("objective", outcome.correlation)?;
    dict.set_item("upper_bound", outcome.upper_bound)?;
    dict.set_item("nodes", node_list(&outcome.tree))?;
    let unit = records.problem.unit;
    dict.set_item("false_positives", outcome.errors[0] as f64 * unit)?;
    dict.set_item("false_negatives", outcome.errors[1] as f64 * unit)?;
    dict.set_item("n_searches", outcome.n_searches)?;
    dict.set_item("merge_seconds", merge_seconds)?;
    counts(&dict, &records)?;
    Ok(dict)
}

/// Find the tree with fewest errors under a fairness limit; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (table, *, labels, groups, n_groups, task, limit, weights, max_depth, max_nodes, min_samples_leaf,
    candidates, aggregate, time_limit, memory_limit, n_threads, trade_off = false, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_fairness<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    labels: PyReadonlyArray1<'py, i32>,
    groups: PyReadonlyArray1<'py, i32>,
    n_groups: usize,
    task: &str,
    limit: f64,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    max_depth: u32,
    max_nodes: Option<u32>,
    min_samples_leaf: u32,
    candidates: Option<Vec<(u32, u32)>>,
    aggregate: bool,
    time_limit: Option<f64>,
    memory_limit: Option<usize>,
    n_threads: usize,
    trade_off: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let fairness = match task {
        "demographic_parity" => Fairness::DemographicParity,
        "equal_opportunity" => Fairness::EqualOpportunity,
        _ => {
            return Err(PyValueError::new_err(format!(
                "task is {task:?}; \"demographic_parity\" and \"equal_opportunity\" are allowed"
            )));
        }
    };
    let request = Request::new(
        max_depth,
        max_nodes,
        min_samples_leaf,
        time_limit,
        memory_limit,
        n_threads,
    );
    let labels = contiguous(&labels);
    let groups = contiguous(&groups);
    let weights = weights.as_ref().map(contiguous);
    let task = Grouped {
        labels: &labels,
        groups: &groups,
        n_groups,
        weights: weights.as_deref(),
    };
    let core = &*table;
    let mut watcher = Watcher::new(progress);
    let (records, outcome, trace, merge_seconds) = py
        .detach(|| {
            let started = Instant::now();
            let keep = splits_of(core, candidates)?;
            let mut records = Records::build(&core.table, &keep, &task, aggregate)?;
            let merge_seconds = started.elapsed().as_secs_f64();
            let outcome = minimise_errors(
                &mut records,
                fairness,
                limit,
                &request.params,
                &request.control,
                &mut watcher,
            )?;
            let trace = trade_off.then(|| {
                trace_trade_off(
                    &mut records,
                    fairness,
                    1.0,
                    &request.params,
                    &request.control,
                    &mut watcher,
                )
            });
            Ok((records, outcome, trace.transpose()?, merge_seconds))
        })
        .map_err(to_value_error)?;
    if let Some(error) = watcher.error() {
        return Err(error);
    }
    let unit = records.problem.unit;
    let dict = PyDict::new(py);
    dict.set_item("status", request.status(outcome.is_optimal))?;
    dict.set_item("objective", outcome.best.errors as f64 * unit)?;
    dict.set_item("lower_bound", outcome.lower as f64 * unit)?;
    dict.set_item("nodes", node_list(&outcome.best.tree))?;
    dict.set_item("disparity", outcome.best.disparity)?;
    dict.set_item("rates", &outcome.best.rates)?;
    let met = outcome.met.iter().map(|tree| fair_tree(py, tree, unit));
    dict.set_item("met", PyList::new(py, met.collect::<PyResult<Vec<_>>>()?)?)?;
    dict.set_item("n_enforced", outcome.n_enforced)?;
    if let Some(trace) = trace {
        let proven = trace.proven.iter().map(|tree| fair_tree(py, tree, unit));
        dict.set_item(
            "trade_off",
            PyList::new(py, proven.collect::<PyResult<Vec<_>>>()?)?,
        )?;
        dict.set_item("trade_off_complete", trace.is_complete)?;
    }
    dict.set_item("merge_seconds", merge_seconds)?;
    counts(&dict, &records)?;
    Ok(dict)
}

fn fair_tree<'py>(py: Python<'py>, tree: &FairTree, unit: f64) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("objective", tree.errors as f64 * unit)?;
    dict.set_item("disparity", tree.disparity)?;
    dict.set_item("rates", &tree.rates)?;
    dict.set_item("nodes", node_list(&tree.tree))?;
    Ok(dict)
}

fn counts(dict: &Bound<'_, PyDict>, records: &Records) -> PyResult<()> {
    dict.set_item("n_records", records.problem.n_records)?;
    dict.set_item("n_unique", records.problem.n_rows())?;
    dict.set_item("n_unique_labelled", records.problem.n_unique_labelled)
}
