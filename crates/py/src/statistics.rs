//! Labels, weights and costs as Python gives them, and the task they make.

use std::borrow::Cow;

use certitree_core::task::{Accuracy, AdditiveTask, MatrixCosts, RecordCosts};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The arrays of a task; they stay borrowed while a solver reads them.
pub(crate) struct Arrays<'py> {
    pub labels: Option<PyReadonlyArray1<'py, i32>>,
    pub n_labels: usize,
    pub weights: Option<PyReadonlyArray1<'py, f64>>,
    pub costs: Option<PyReadonlyArray2<'py, f64>>,
    pub cost_matrix: Option<PyReadonlyArray2<'py, f64>>,
}

/// The same as slices, copied only where the entries do not lie side by side.
pub(crate) struct Statistics<'a> {
    labels: Option<Cow<'a, [i32]>>,
    n_labels: usize,
    weights: Option<Cow<'a, [f64]>>,
    costs: Option<Cow<'a, [f64]>>,
    cost_matrix: Option<Cow<'a, [f64]>>,
}

impl Arrays<'_> {
    /// Check that they make a task.
    pub fn statistics(&self) -> PyResult<Statistics<'_>> {
        for costs in [&self.costs, &self.cost_matrix].into_iter().flatten() {
            if costs.shape()[1] != self.n_labels {
                return Err(PyValueError::new_err(format!(
                    "invalid statistics: costs have {} columns but there are {} labels; give one column per label",
                    costs.shape()[1],
                    self.n_labels
                )));
            }
        }
        if self.labels.is_none() && self.costs.is_none() {
            return Err(PyValueError::new_err(
                "invalid statistics: neither labels nor costs came in; one of them is needed",
            ));
        }
        if self.costs.is_some() && self.cost_matrix.is_some() {
            return Err(PyValueError::new_err(
                "invalid statistics: costs per record and a cost matrix came in; give one of them",
            ));
        }
        Ok(Statistics {
            labels: self.labels.as_ref().map(contiguous),
            n_labels: self.n_labels,
            weights: self.weights.as_ref().map(contiguous),
            costs: self.costs.as_ref().map(row_major),
            cost_matrix: self.cost_matrix.as_ref().map(row_major),
        })
    }
}

impl Statistics<'_> {
    /// The task: misclassified weight, or the costs if there are some, by record or by class.
    pub fn task(&self) -> Box<dyn AdditiveTask + '_> {
        let weights = self.weights.as_deref();
        match (&self.labels, &self.cost_matrix, &self.costs) {
            (Some(labels), None, None) => Box::new(Accuracy {
                labels,
                n_labels: self.n_labels,
                weights,
            }),
            (Some(classes), Some(matrix), _) => Box::new(MatrixCosts {
                matrix,
                n_labels: self.n_labels,
                classes,
                weights,
            }),
            (classes, _, costs) => Box::new(RecordCosts {
                costs: costs.as_deref().unwrap_or(&[]),
                n_labels: self.n_labels,
                classes: classes.as_deref(),
                weights,
            }),
        }
    }
}

/// The entries of a table row by row, copied only if they do not lie so.
fn row_major<'a>(table: &'a PyReadonlyArray2<'_, f64>) -> Cow<'a, [f64]> {
    match table.as_slice() {
        Ok(slice) if table.is_c_contiguous() => Cow::Borrowed(slice),
        _ => table.as_array().iter().copied().collect(),
    }
}

/// The entries of an array, copied only if they do not lie side by side.
pub(crate) fn contiguous<'a, T: numpy::Element + Copy>(
    array: &'a PyReadonlyArray1<'_, T>,
) -> Cow<'a, [T]> {
    match array.as_slice() {
        Ok(slice) => Cow::Borrowed(slice),
        Err(_) => array.as_array().iter().copied().collect(),
    }
}
