//! Interrupts and progress: what every solver asks of Python while it runs.

use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How often `progress` is called.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// Checks signals, and calls `progress` now and then.
pub(crate) struct Callback {
    progress: Option<Py<PyAny>>,
    reported: Instant,
    /// An exception that is no interrupt: to be raised after the solver has stopped.
    pub error: Option<PyErr>,
}

impl Callback {
    pub fn new(progress: Option<Py<PyAny>>) -> Self {
        Self {
            progress,
            reported: Instant::now(),
            error: None,
        }
    }

    /// Returns whether the solver is to go on; there is something to report if `ready`.
    pub fn poll(
        &mut self,
        ready: bool,
        report: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyDict>>,
    ) -> bool {
        Python::attach(|py| match self.call(py, ready, report) {
            Ok(()) => true,
            Err(error) => {
                if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    self.error = Some(error);
                }
                false
            }
        })
    }

    fn call(
        &mut self,
        py: Python<'_>,
        ready: bool,
        report: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        py.check_signals()?;
        if let Some(callback) = &self.progress
            && ready
            && self.reported.elapsed() >= PROGRESS_INTERVAL
        {
            self.reported = Instant::now();
            callback.call1(py, (report(py)?,))?;
        }
        Ok(())
    }
}
