//! Python bindings of the certitree solver.
use pyo3::prelude::*;

#[pymodule]
mod _core {}
