//! Coded tables and the structure of 0/1 matrices.

use std::sync::OnceLock;

use certitree_core::Error;
use certitree_core::merging::{Merging, RowKinds};
use certitree_core::table::{self, BinaryMatrix, Column, Kind, Layout, SplitRef, Structure};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A group as Python sees it: kind, members as (0/1 column, negated), number of codes.
#[derive(IntoPyObject)]
pub(crate) struct BinaryGroup {
    kind: &'static str,
    members: Vec<(u32, bool)>,
    n_codes: usize,
}

/// Codes, groups and dropped columns.
type Grouped<'py> = (Bound<'py, PyArray2<u8>>, Vec<BinaryGroup>, Vec<u32>);

/// Find nested chains and mutually exclusive groups in a 0/1 matrix.
#[pyfunction]
pub(crate) fn group_binary<'py>(
    py: Python<'py>,
    bits: PyReadonlyArray2<'py, u8>,
) -> PyResult<Grouped<'py>> {
    let (n_rows, n_columns) = (bits.shape()[0], bits.shape()[1]);
    let copy;
    // A Fortran-ordered array is contiguous too, but a slice of it is column-major.
    let (cells, layout) = match bits.as_slice() {
        Ok(cells) if bits.is_c_contiguous() => (cells, Layout::RowMajor),
        Ok(cells) => (cells, Layout::ColumnMajor),
        Err(_) => {
            copy = bits.as_array().iter().copied().collect::<Vec<u8>>();
            (copy.as_slice(), Layout::RowMajor)
        }
    };
    let matrix = BinaryMatrix {
        cells,
        n_rows,
        n_columns,
        layout,
    };
    let found = py
        .detach(|| table::group_binary(matrix))
        .map_err(to_value_error)?;
    let Structure {
        codes,
        groups,
        dropped,
    } = found;
    let codes = Array2::from_shape_vec((groups.len(), n_rows), codes)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let groups = groups.into_iter().map(BinaryGroup::from).collect();
    Ok((codes.into_pyarray(py), groups, dropped))
}

impl From<table::BinaryGroup> for BinaryGroup {
    fn from(group: table::BinaryGroup) -> Self {
        Self {
            kind: kind_name(group.kind),
            members: group
                .members
                .iter()
                .map(|m| (m.column, m.negated))
                .collect(),
            n_codes: group.n_codes,
        }
    }
}

/// A coded table and its distinct splits.
#[pyclass(frozen, module = "certitree._core")]
pub(crate) struct Table {
    /// The table as given.
    pub(crate) table: table::Table,
    /// Its rows, grouped.
    pub(crate) kinds: RowKinds,
    /// Found when first asked for: not all objectives do.
    distinct: OnceLock<Distinct>,
}

/// The splits of a table without constant, repeated and complementary ones, and its rows grouped by those.
pub(crate) struct Distinct {
    pub(crate) splits: Vec<SplitRef>,
    pub(crate) merging: Merging,
}

impl Table {
    /// Its distinct splits.
    ///
    /// # Errors
    /// None on a table that is consistent.
    pub(crate) fn distinct(&self) -> Result<&Distinct, Error> {
        if let Some(distinct) = self.distinct.get() {
            return Ok(distinct);
        }
        let (splits, merging) = self.kinds.over_distinct_splits()?;
        Ok(self.distinct.get_or_init(|| Distinct { splits, merging }))
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(
        py: Python<'_>,
        codes: PyReadonlyArray2<'_, u8>,
        kinds: Vec<String>,
        n_codes: Vec<usize>,
        n_splits: Vec<usize>,
    ) -> PyResult<Self> {
        let (n_columns, n_rows) = (codes.shape()[0], codes.shape()[1]);
        for (name, length) in [
            ("kinds", kinds.len()),
            ("n_codes", n_codes.len()),
            ("n_splits", n_splits.len()),
        ] {
            if length != n_columns {
                return Err(PyValueError::new_err(format!(
                    "invalid table: {name} has {length} entries but codes has {n_columns} rows; \
                     give one entry per coded column"
                )));
            }
        }
        let kinds = kinds
            .iter()
            .map(|name| parse_kind(name))
            .collect::<PyResult<Vec<_>>>()?;
        let codes = codes.as_array();
        py.detach(|| {
            let columns = codes.outer_iter().enumerate().map(|(index, codes)| Column {
                kind: kinds[index],
                codes: codes.to_vec(),
                n_codes: n_codes[index],
                n_splits: n_splits[index],
            });
            let table = table::Table::new(n_rows, columns.collect())?;
            let kinds = RowKinds::new(&table)?;
            Ok(Self {
                table,
                kinds,
                distinct: OnceLock::new(),
            })
        })
        .map_err(to_value_error)
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.table.n_rows()
    }

    #[getter]
    fn n_columns(&self) -> usize {
        self.table.columns().len()
    }

    #[getter]
    fn n_splits(&self) -> PyResult<usize> {
        Ok(self.distinct().map_err(to_value_error)?.splits.len())
    }

    /// List the kept splits as (coded column, split).
    fn splits(&self) -> PyResult<Vec<(u32, u32)>> {
        let distinct = self.distinct().map_err(to_value_error)?;
        let splits = distinct.splits.iter();
        Ok(splits.map(|split| (split.column, split.split)).collect())
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Ordered => "ordered",
        Kind::Nominal => "nominal",
    }
}

pub(crate) fn parse_kind(name: &str) -> PyResult<Kind> {
    match name {
        "ordered" => Ok(Kind::Ordered),
        "nominal" => Ok(Kind::Nominal),
        _ => Err(PyValueError::new_err(format!(
            "invalid table: a column is of kind {name:?}; \"ordered\" and \"nominal\" are allowed"
        ))),
    }
}

pub(crate) fn to_value_error(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
