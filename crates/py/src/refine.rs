//! The doorway to the adaptive loop.

use std::time::Duration;

use certitree_core::Error;
use certitree_core::propose::{Cart, Forest};
use certitree_core::refine::{
    Certify, Effort, Monitor, Observer, Progress, Proposer, Record, Refined, Request, Settings,
    Stage, Status, TableSource, TreeProposer, refine as refine_core,
};
use certitree_core::search::{Control, Params};
use certitree_core::table::SplitRef;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::solve::{counters, node_list, parse_kernel, status_name};
use crate::statistics::Arrays;
use crate::table::{Table, to_value_error};
use crate::watch::Callback;

/// Find a good tree by adaptive candidate sets, and certify it; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (table, *, labels, n_labels, weights, costs, max_depth, max_nodes, min_samples_leaf, node_penalty,
    aggregate, max_candidates, time_limit, inner_time_limit, max_iterations, patience, switch_after, tolerance, cart_fits,
    cart_depth, forest_trees, proposer, effort, certify, memory_limit, n_threads, seed, kernel = "auto", progress = None, cost_matrix = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn refine<'py>(
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
    aggregate: bool,
    max_candidates: usize,
    time_limit: Option<f64>,
    inner_time_limit: f64,
    max_iterations: usize,
    patience: usize,
    switch_after: usize,
    tolerance: f64,
    cart_fits: usize,
    cart_depth: usize,
    forest_trees: usize,
    proposer: Option<Py<PyAny>>,
    effort: &str,
    certify: &str,
    memory_limit: Option<usize>,
    n_threads: usize,
    seed: u64,
    kernel: &str,
    progress: Option<Py<PyAny>>,
    cost_matrix: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let limit = time_limit.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)));
    let control = Control::new(limit.transpose().unwrap_or(None));
    let params = Params {
        max_depth,
        max_nodes,
        min_samples_leaf,
        node_penalty,
        kernel: parse_kernel(kernel)?,
        memory_limit,
        n_threads,
        ..Params::default()
    };
    let settings = Settings {
        max_candidates,
        inner_time_limit,
        max_iterations,
        patience,
        switch_after,
        tolerance,
        effort: parse(
            effort,
            "effort",
            &[
                ("paper", Effort::Paper),
                ("high", Effort::High),
                ("max", Effort::Max),
            ],
        )?,
        certify: parse(
            certify,
            "certify",
            &[
                ("auto", Certify::Auto),
                ("always", Certify::Always),
                ("never", Certify::Never),
            ],
        )?,
        seed,
    };
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
    let mut watcher = Watcher(Callback::new(progress));
    let mut outside = proposer.map(|callable| PythonProposer {
        callable,
        error: None,
    });
    let refined = py.detach(|| {
        let splits = &core.distinct()?.splits;
        let source = TableSource {
            table: &core.table,
            splits,
            task: &*task,
            aggregate,
        };
        let forest = Forest {
            n_trees: settings.effort.forest_trees(forest_trees),
            ..Forest::default()
        };
        let cart = Cart {
            n_fits: cart_fits,
            max_depth: cart_depth,
        };
        let mut inside =
            TreeProposer::new(&core.table, splits, &*task, forest, cart, n_threads, seed);
        let proposer: &mut dyn Proposer = match &mut outside {
            Some(proposer) => proposer,
            None => &mut inside,
        };
        refine_core(
            &source,
            proposer,
            &params,
            &settings,
            &control,
            &mut watcher,
        )
    });
    if let Some(error) = outside
        .and_then(|proposer| proposer.error)
        .or(watcher.0.error)
    {
        return Err(error);
    }
    result(py, &refined.map_err(to_value_error)?)
}

fn parse<T: Copy>(name: &str, what: &str, known: &[(&str, T)]) -> PyResult<T> {
    known
        .iter()
        .find(|(other, _)| *other == name)
        .map(|(_, value)| *value)
        .ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            PyValueError::new_err(format!("{what} is {name:?}; {names:?} are allowed"))
        })
}

/// Asks a Python callable: (iteration, excluded splits, count) to a list of splits.
struct PythonProposer {
    callable: Py<PyAny>,
    /// What the callable raised; an interrupt ends the run instead.
    error: Option<PyErr>,
}

impl Proposer for PythonProposer {
    fn propose(
        &mut self,
        request: &Request<'_>,
        monitor: &mut Monitor<'_>,
    ) -> Result<Vec<SplitRef>, Error> {
        let excluded: Vec<(u32, u32)> = request
            .excluded
            .iter()
            .map(|split| (split.column, split.split))
            .collect();
        let answer = Python::attach(|py| {
            let answer = self
                .callable
                .call1(py, (request.iteration, excluded, request.count));
            answer
                .and_then(|splits| splits.extract::<Vec<(u32, u32)>>(py))
                .map_err(|error| {
                    let interrupt = error.is_instance_of::<PyKeyboardInterrupt>(py);
                    (error, interrupt)
                })
        });
        match answer {
            Ok(splits) => Ok(splits
                .into_iter()
                .map(|(column, split)| SplitRef { column, split })
                .collect()),
            Err((_, true)) => {
                monitor
                    .control
                    .stop(certitree_core::search::Stop::Interrupt);
                Ok(Vec::new())
            }
            Err((error, false)) => {
                self.error = Some(error);
                Err(Error::Parameter("the proposer failed".into()))
            }
        }
    }
}

struct Watcher(Callback);

impl Observer for Watcher {
    fn poll(&mut self, progress: &Progress) -> bool {
        self.0.poll(true, |py| report(py, progress))
    }
}

fn report<'py>(py: Python<'py>, progress: &Progress) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let stage = match progress.stage {
        Stage::Propose => "propose",
        Stage::Solve => "solve",
        Stage::Improve => "improve",
        Stage::Certify => "certify",
    };
    dict.set_item("seconds", progress.elapsed.as_secs_f64())?;
    dict.set_item("objective", progress.objective)?;
    dict.set_item("lower_bound", progress.lower_bound)?;
    dict.set_item("nodes", progress.nodes)?;
    dict.set_item("stage", stage)?;
    dict.set_item("iteration", progress.iteration)?;
    dict.set_item("n_candidates", progress.n_candidates)?;
    dict.set_item("compression", progress.compression)?;
    Ok(dict)
}

fn result<'py>(py: Python<'py>, refined: &Refined) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let status = match refined.status {
        Status::Optimal => "optimal",
        Status::OptimalForCandidates => "optimal_for_candidates",
        Status::Feasible => "feasible",
        Status::TimeLimit => "time_limit",
        Status::MemoryLimit => "memory_limit",
        Status::Interrupted => "interrupted",
    };
    dict.set_item("status", status)?;
    dict.set_item("stop_reason", refined.stop.name())?;
    dict.set_item("objective", refined.objective)?;
    dict.set_item("lower_bound", refined.lower_bound)?;
    dict.set_item("nodes", PyList::new(py, node_list(&refined.tree))?)?;
    dict.set_item("n_records", refined.base.n_records)?;
    dict.set_item("n_unique", refined.base.n_rows())?;
    dict.set_item("n_unique_labelled", refined.base.n_unique_labelled)?;
    dict.set_item("candidates", pairs(&refined.candidates))?;
    let records = refined.history.iter().map(|entry| record(py, entry));
    dict.set_item(
        "history",
        PyList::new(py, records.collect::<PyResult<Vec<_>>>()?)?,
    )?;
    let stats = counters(py, &refined.stats)?;
    stats.set_item("merge_seconds", refined.merge_seconds)?;
    dict.set_item("stats", stats)?;
    Ok(dict)
}

fn record<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("step", record.step.name())?;
    dict.set_item("candidates", pairs(&record.candidates))?;
    dict.set_item("n_unique", record.n_unique)?;
    dict.set_item(
        "compression",
        record.n_records as f64 / record.n_unique.max(1) as f64,
    )?;
    let seconds = PyDict::new(py);
    seconds.set_item("proposal", record.seconds.proposal)?;
    seconds.set_item("projection", record.seconds.projection)?;
    seconds.set_item("solve", record.seconds.solve)?;
    seconds.set_item("score", record.seconds.score)?;
    dict.set_item("seconds", seconds)?;
    dict.set_item("objective", record.objective)?;
    dict.set_item("incumbent", record.incumbent)?;
    dict.set_item("accepted", record.accepted)?;
    dict.set_item("status", record.status.map(status_name))?;
    Ok(dict)
}

fn pairs(splits: &[SplitRef]) -> Vec<(u32, u32)> {
    splits
        .iter()
        .map(|split| (split.column, split.split))
        .collect()
}
