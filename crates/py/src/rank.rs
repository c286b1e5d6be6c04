//! Rankings of splits, as the adaptive loop uses them.

use certitree_core::Error;
use certitree_core::propose::{Cart, Forest, Records, rank_by_cart, rank_by_forest};
use certitree_core::table::SplitRef;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::statistics::Arrays;
use crate::table::{Table, to_value_error};

/// Column, split, importance.
type Row = (u32, u32, f64);

/// Rank splits by a random forest or by repeated CART fits; see `_core.pyi`.
#[pyfunction]
#[pyo3(signature = (table, *, labels, n_labels, weights, costs, method, n_trees, max_depth, excluded, n_threads, seed))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn rank_splits<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    labels: Option<PyReadonlyArray1<'py, i32>>,
    n_labels: usize,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    costs: Option<PyReadonlyArray2<'py, f64>>,
    method: &str,
    n_trees: usize,
    max_depth: Option<usize>,
    excluded: Vec<(u32, u32)>,
    n_threads: usize,
    seed: u64,
) -> PyResult<Vec<Row>> {
    let arrays = Arrays {
        labels,
        n_labels,
        weights,
        costs,
        cost_matrix: None,
    };
    let statistics = arrays.statistics()?;
    let task = statistics.task();
    let max_depth = max_depth.unwrap_or(usize::MAX);
    let by_forest = match method {
        "forest" => true,
        "cart" => false,
        _ => {
            return Err(PyValueError::new_err(format!(
                "method is {method:?}; \"forest\" and \"cart\" are allowed"
            )));
        }
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads.max(1))
        .build()
        .map_err(|error| PyValueError::new_err(format!("cannot start threads: {error}")))?;
    let table = &*table;
    let excluded: Vec<SplitRef> = excluded
        .into_iter()
        .map(|(column, split)| SplitRef { column, split })
        .collect();
    let ranked = py
        .detach(|| {
            let never = || false;
            let is_excluded = |split: SplitRef| excluded.contains(&split);
            let splits = &table.distinct()?.splits;
            let offered: Vec<SplitRef> = if by_forest {
                splits
                    .iter()
                    .copied()
                    .filter(|&split| !is_excluded(split))
                    .collect()
            } else {
                splits.clone()
            };
            let records = Records::new(&table.table, &offered, &*task)?;
            Ok::<_, Error>(pool.install(|| {
                if by_forest {
                    rank_by_forest(&records, Forest { n_trees, max_depth }, seed, &never)
                } else {
                    let cart = Cart {
                        n_fits: n_trees,
                        max_depth,
                    };
                    rank_by_cart(&records, cart, &is_excluded, seed, &never)
                }
            }))
        })
        .map_err(to_value_error)?;
    Ok(ranked
        .iter()
        .map(|r| (r.split.column, r.split.split, r.importance))
        .collect())
}
