//! The doorway to the search: takes arrays, releases the GIL, watches for Ctrl-C, reports progress.

use std::time::{Duration, Instant};

use certitree_core::problem::Problem;
use certitree_core::propose::{Cart, Forest};
use certitree_core::refine::{Effort, TableSource, TreeProposer, search_with_head_start};
use certitree_core::search::{
    Bounds, Control, KernelChoice, Observer, Outcome, Params, Progress, Stats, Status, search,
};
use certitree_core::table::SplitRef;
use certitree_core::tree::{Tree, TreeNode};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::statistics::Arrays;
use crate::table::{Table, to_value_error};
use crate::watch::Callback;

/// Find the tree of least cost; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (table, *, labels, n_labels, weights, costs, max_depth, max_nodes, min_samples_leaf, node_penalty,
    candidates, aggregate, time_limit, memory_limit, n_threads, seed, kernel = "auto", disable_bounds = Vec::new(),
    progress = None, cost_matrix = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    labels: Option<PyReadonlyArray1<'py, i32>>,
    n_labels: usize,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    costs: Option<PyReadonlyArray2<'py, f64>>,
    max_depth: u32,
    max_nodes: Option<u32>,
    min_samples_leaf: u32,
    node_penalty: f64,
    candidates: Option<Vec<(u32, u32)>>,
    aggregate: bool,
    time_limit: Option<f64>,
    memory_limit: Option<usize>,
    n_threads: usize,
    seed: u64,
    kernel: &str,
    disable_bounds: Vec<String>,
    progress: Option<Py<PyAny>>,
    cost_matrix: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let limit = time_limit.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)));
    let limit = limit.transpose().unwrap_or(None);
    let control = Control::new(limit);
    let params = Params {
        max_depth,
        max_nodes,
        min_samples_leaf,
        node_penalty,
        kernel: parse_kernel(kernel)?,
        bounds: parse_bounds(&disable_bounds)?,
        memory_limit,
        n_threads,
    };
    let keep = candidates.map(|pairs| {
        let splits = pairs.into_iter();
        splits
            .map(|(column, split)| SplitRef { column, split })
            .collect::<Vec<_>>()
    });
    let arrays = Arrays {
        labels,
        n_labels,
        weights,
        costs,
        cost_matrix,
    };
    let statistics = arrays.statistics()?;
    let task = statistics.task();
    let core = &*table;
    let mut watcher = Watcher::new(progress);
    let (problem, outcome, build_seconds) = py
        .detach(|| {
            let started = Instant::now();
            let problem = if keep.is_none() && aggregate {
                core.distinct()?.merging.problem(&*task)?
            } else {
                let keep = match &keep {
                    Some(keep) => keep,
                    None => &core.distinct()?.splits,
                };
                Problem::build(&core.table, keep, &*task, aggregate)?
            };
            let build_seconds = started.elapsed().as_secs_f64();
            if keep.is_some() {
                let outcome = search(&problem, &params, &control, &mut watcher)?;
                return Ok((problem, outcome, build_seconds));
            }
            let splits = &core.distinct()?.splits;
            let source = TableSource {
                table: &core.table,
                splits,
                task: &*task,
                aggregate,
            };
            let most = Forest::default();
            let forest = Forest {
                n_trees: Effort::High.forest_trees(most.n_trees),
                ..most
            };
            let cart = Cart::default();
            let mut proposer =
                TreeProposer::new(&core.table, splits, &*task, forest, cart, n_threads, seed);
            let outcome = search_with_head_start(
                &source,
                &problem,
                &mut proposer,
                &params,
                seed,
                &control,
                &mut watcher,
            )?;
            Ok((problem, outcome, build_seconds))
        })
        .map_err(to_value_error)?;
    if let Some(error) = watcher.error() {
        return Err(error);
    }
    result(py, &problem, &outcome, build_seconds)
}

/// Checks signals, and calls `progress` now and then.
pub(crate) struct Watcher(Callback);

impl Watcher {
    /// Nothing reported yet.
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self(Callback::new(progress))
    }

    /// An exception that is no interrupt: to be raised after the search has stopped.
    pub(crate) fn error(self) -> Option<PyErr> {
        self.0.error
    }
}

impl Observer for Watcher {
    fn poll(&mut self, progress: &Progress) -> bool {
        self.0
            .poll(progress.objective.is_finite(), |py| report(py, progress))
    }
}

fn report<'py>(py: Python<'py>, progress: &Progress) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("seconds", progress.elapsed.as_secs_f64())?;
    dict.set_item("objective", progress.objective)?;
    dict.set_item("lower_bound", progress.lower_bound)?;
    dict.set_item("nodes", progress.nodes)?;
    dict.set_item("stage", format!("depth {}", progress.depth))?;
    Ok(dict)
}

fn result<'py>(
    py: Python<'py>,
    problem: &Problem,
    outcome: &Outcome,
    build_seconds: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("status", status_name(outcome.status))?;
    dict.set_item("objective", outcome.objective)?;
    dict.set_item("lower_bound", outcome.lower_bound)?;
    dict.set_item("nodes", PyList::new(py, node_list(&outcome.tree))?)?;
    dict.set_item("n_records", problem.n_records)?;
    dict.set_item("n_unique", problem.n_rows())?;
    dict.set_item("n_unique_labelled", problem.n_unique_labelled)?;
    dict.set_item("stats", stats(py, outcome, build_seconds)?)?;
    Ok(dict)
}

/// A node as `_core.pyi` has it.
pub(crate) type PyNode = (i64, i64, i64, i64, i64);

/// A tree as `_core.pyi` has it: (column, split, left, right, label), -1 where there is none.
pub(crate) fn node_list(tree: &Tree) -> Vec<PyNode> {
    let node = |node: &TreeNode| match *node {
        TreeNode::Leaf { label } => (-1, -1, -1, -1, i64::from(label)),
        TreeNode::Branch {
            split,
            inside,
            outside,
        } => (
            i64::from(split.column),
            i64::from(split.split),
            i64::from(inside),
            i64::from(outside),
            -1,
        ),
    };
    tree.nodes.iter().map(node).collect()
}

/// The name of a status that users see.
pub(crate) fn status_name(status: Status) -> &'static str {
    match status {
        Status::Optimal => "optimal",
        Status::TimeLimit => "time_limit",
        Status::MemoryLimit => "memory_limit",
        Status::Interrupted => "interrupted",
    }
}

fn stats<'py>(
    py: Python<'py>,
    outcome: &Outcome,
    build_seconds: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = counters(py, &outcome.stats)?;
    dict.set_item("warm_start_objective", outcome.warm_start_objective)?;
    dict.set_item("merge_seconds", build_seconds)?;
    dict.set_item("warm_start_seconds", outcome.seconds[0])?;
    dict.set_item("search_seconds", outcome.seconds[1])?;
    Ok(dict)
}

/// The counters of a search.
pub(crate) fn counters<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in [
        ("nodes", stats.nodes),
        ("depth_three", stats.depth_three),
        ("scored", stats.scored),
        ("histogram_rows", stats.histogram_rows),
        ("bitset_rows", stats.bitset_rows),
        ("boxes", stats.boxes),
        ("cache_hits", stats.cache_hits),
        ("cache_stores", stats.cache_stores),
        ("cache_evictions", stats.cache_evictions),
        ("pruned_neighbour", stats.pruned_neighbour),
        ("pruned_interval", stats.pruned_interval),
        ("pruned_similarity", stats.pruned_similarity),
        ("pruned_sibling", stats.pruned_sibling),
    ] {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

pub(crate) fn parse_kernel(name: &str) -> PyResult<KernelChoice> {
    match name {
        "auto" => Ok(KernelChoice::Auto),
        "histogram" => Ok(KernelChoice::Histogram),
        "bitset" => Ok(KernelChoice::Bitset),
        "recursive" => Ok(KernelChoice::Recursive),
        "cube" => Ok(KernelChoice::Cube),
        "general" => Ok(KernelChoice::General),
        _ => Err(PyValueError::new_err(format!(
            "kernel is {name:?}; \"auto\", \"histogram\", \"bitset\", \"recursive\", \"cube\" and \"general\" are allowed"
        ))),
    }
}

pub(crate) fn parse_bounds(disabled: &[String]) -> PyResult<Bounds> {
    let mut bounds = Bounds::default();
    for name in disabled {
        match bounds.by_name(name) {
            Some(bound) => *bound = false,
            None => {
                return Err(PyValueError::new_err(format!(
                    "there is no bound called {name:?}; {:?} can be turned off",
                    Bounds::NAMES
                )));
            }
        }
    }
    Ok(bounds)
}
