//! Labels, weights and costs as Python gives them, and the task they make.

use std::borrow::Cow;

use certitree_core::task::{Accuracy, AdditiveTask, RecordCosts};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The arrays of a task; they stay borrowed while a solver reads them.
pub(crate) struct Arrays<'py> {
    pub labels: Option<PyReadonlyArray1<'py, i32>>,
    pub n_labels: usize,
    pub weights: Option<PyReadonlyArray1<'py, f64>>,
    pub costs: Option<PyReadonlyArray2<'py, f64>>,
}

/// The same as slices, copied only where the entries do not lie side by side.
pub(crate) struct Statistics<'a> {
    labels: Option<Cow<'a, [i32]>>,
    n_labels: usize,
    weights: Option<Cow<'a, [f64]>>,
    costs: Option<Cow<'a, [f64]>>,
}

impl Arrays<'_> {
    /// Check that they make a task.
    pub fn statistics(&self) -> PyResult<Statistics<'_>> {
        match (&self.labels, &self.costs) {
            (_, Some(costs)) if costs.shape()[1] != self.n_labels => {
                return Err(PyValueError::new_err(format!(
                    "invalid statistics: costs have {} columns but there are {} labels; give one column per label",
                    costs.shape()[1],
                    self.n_labels
                )));
            }
            (None, None) => {
                return Err(PyValueError::new_err(
                    "invalid statistics: neither labels nor costs came in; one of them is needed",
                ));
            }
            _ => {}
        }
        Ok(Statistics {
            labels: self.labels.as_ref().map(contiguous),
            n_labels: self.n_labels,
            weights: self.weights.as_ref().map(contiguous),
            costs: self.costs.as_ref().map(|costs| match costs.as_slice() {
                Ok(slice) if costs.is_c_contiguous() => Cow::Borrowed(slice),
                _ => costs.as_array().iter().copied().collect(),
            }),
        })
    }
}

impl Statistics<'_> {
    /// The task: misclassified weight, or the costs if there are some.
    pub fn task(&self) -> Box<dyn AdditiveTask + '_> {
        let weights = self.weights.as_deref();
        match (&self.labels, &self.costs) {
            (Some(labels), None) => Box::new(Accuracy {
                labels,
                n_labels: self.n_labels,
                weights,
            }),
            (classes, costs) => Box::new(RecordCosts {
                costs: costs.as_deref().unwrap_or(&[]),
                n_labels: self.n_labels,
                classes: classes.as_deref(),
                weights,
            }),
        }
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
