"""Reading a user's table: numpy arrays, scipy sparse matrices, and every frame narwhals knows."""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from certitree._column import (
    Array,
    Column,
    NumericColumn,
    bool_column,
    date_message,
    dictionary_column,
    nominal_column,
    numeric_column,
    object_column,
)
from certitree.exceptions import InputError, InputTypeError


class Records(Protocol):
    """A table of records, read column by column."""

    @property
    def n_rows(self) -> int:
        """Number of records."""

    @property
    def n_features(self) -> int:
        """Number of columns."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the columns, or None if the source has none."""

    def name(self, index: int) -> str:
        """Name of a column, made up if the source has none."""

    def column(self, index: int) -> Column:
        """Read one column; raises `InputError` or `InputTypeError` if it is unusable."""


class MatrixRecords:
    """Records held in a two-dimensional numpy array."""

    def __init__(self, matrix: Array, names: tuple[str, ...] | None = None) -> None:
        self.matrix = matrix
        self.names = names

    @property
    def n_rows(self) -> int:
        """Number of records."""
        return int(self.matrix.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.matrix.shape[1])

    def name(self, index: int) -> str:
        """Name of a column, made up if the source has none."""
        return self.names[index] if self.names is not None else f"x{index}"

    def column(self, index: int) -> Column:
        """Read one column."""
        name = self.name(index)
        values = np.ascontiguousarray(self.matrix[:, index])
        kind = values.dtype.kind
        if kind == "b":
            return bool_column(values)
        if kind in "UT":
            return nominal_column(values.tolist(), np.zeros(values.size, dtype=bool))
        if kind == "O":
            return object_column(values, name)
        if kind in "mM":
            raise InputTypeError(date_message(name, f"dtype {values.dtype}"))
        return numeric_column(values, name)


class FrameRecords:
    """Records held in a data frame."""

    def __init__(self, frame: nw.DataFrame[Any], names: tuple[str, ...] | None) -> None:
        self._frame = frame
        self.names = names

    @property
    def n_rows(self) -> int:
        """Number of records."""
        return len(self._frame)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self._frame.columns)

    def name(self, index: int) -> str:
        """Name of a column, made up if the source has none."""
        return self.names[index] if self.names is not None else f"x{index}"

    def column(self, index: int) -> Column:
        """Read one column."""
        name = self.name(index)
        return _series_column(self._frame[:, index], name)


def read_records(X: Any, estimator_name: str) -> Records:
    """Wrap a user's table.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features), or data frame
    estimator_name : str
        For messages.

    Raises
    ------
    InputError, InputTypeError, ValueError, TypeError
        If it is empty, not two-dimensional, complex, or has duplicate column names.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biu" and X.size:
        return MatrixRecords(X)  # nothing that the checks below could object to
    if scipy.sparse.issparse(X):
        return MatrixRecords(_densify(X, estimator_name))
    if not isinstance(X, np.ndarray | list | tuple) and nw.dependencies.is_into_dataframe(X):
        return _read_frame(X, estimator_name)
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        return _read_frame(X.collect(), estimator_name)
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind == "U":
        # numpy would turn every number of a mixed list into text.
        X = np.array(X, dtype=object)
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        X = np.array(X.tolist(), dtype=object)  # masked entries become None
    with np.errstate(invalid="ignore"):  # its sum of the largest numbers may be inf - inf
        matrix = check_array(
            X, dtype=None, ensure_all_finite="allow-nan", estimator=estimator_name, input_name="X"
        )
    return MatrixRecords(matrix)


def _densify(matrix: Any, estimator_name: str) -> Array:
    """Turn a sparse matrix into an array, of bytes if it holds nothing but 0 and 1."""
    matrix = check_array(
        matrix.tocsc(),
        accept_sparse="csc",
        dtype=None,
        ensure_all_finite="allow-nan",
        estimator=estimator_name,
        input_name="X",
    )
    if matrix.dtype.kind not in "biuf":
        raise InputTypeError(
            f"Sparse matrix X has dtype {matrix.dtype}. Complex data not supported; give numbers."
        )
    matrix.sum_duplicates()
    if ((matrix.data == 0) | (matrix.data == 1)).all():
        matrix = matrix.astype(np.uint8)
    return np.asarray(matrix.toarray())


def _read_frame(X: Any, estimator_name: str) -> Records:
    shape = tuple(X.shape)
    if shape[1] == 0 or shape[0] == 0:
        what = "sample" if shape[0] == 0 else "feature"
        raise InputError(
            f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required by "
            f"{estimator_name}. Give a table with at least one row and one column."
        )
    names = _frame_names(list(X.columns if not hasattr(X, "column_names") else X.column_names))
    if hasattr(X, "dtypes") and hasattr(X, "set_axis"):  # pandas, or a frame that acts like it
        dtypes = set(X.dtypes.tolist())
        matrix = _uniform_matrix(X, dtypes)
        if matrix is not None:
            return MatrixRecords(matrix, names)
        # narwhals asks for unique names of type str; columns are read by place.
        X = X.set_axis([f"x{index}" for index in range(shape[1])], axis=1)
        if any(type(dtype).__name__ == "SparseDtype" for dtype in dtypes):
            X = X.apply(_densify_series)  # narwhals does not know sparse columns
    return FrameRecords(nw.from_native(X, eager_only=True), names)


def _frame_names(labels: list[Any]) -> tuple[str, ...] | None:
    """Names as scikit-learn has them: all strings, or none at all."""
    are_names = [isinstance(label, str) for label in labels]
    if not any(are_names):
        return None
    if not all(are_names):
        raise InputTypeError(
            f"Feature names are only supported if all input features have string names, but the "
            f"columns are named {labels[:10]!r}. Rename them: X.columns = X.columns.astype(str)."
        )
    duplicates = sorted(label for label, count in Counter(labels).items() if count > 1)
    if duplicates:
        raise InputError(
            f"duplicate column names: {', '.join(map(repr, duplicates))}. Rename or drop columns "
            f"until each name occurs once."
        )
    return tuple(str(label) for label in labels)


def _densify_series(series: Any) -> Any:
    return series.sparse.to_dense() if type(series.dtype).__name__ == "SparseDtype" else series


def _uniform_matrix(X: Any, dtypes: set[Any]) -> Array | None:
    """Return a pandas frame's values without a loop over its columns, if all are of one dtype."""
    dtype = next(iter(dtypes))
    if len(dtypes) == 1 and isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return np.asarray(X.to_numpy())
    return None


def _series_column(series: nw.Series[Any], name: str) -> Column:
    dtype = series.dtype
    missing = series.is_null().to_numpy().astype(bool, copy=False)
    if missing.all():
        return NumericColumn(np.full(len(series), np.nan))
    if dtype.is_numeric():
        return _numeric_series(series, missing, name)
    if isinstance(dtype, nw.Boolean):
        return bool_column(_filled(series, missing, False).astype(bool), missing)
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum):
        try:
            return _dictionary_series(series)
        except UnicodeEncodeError as error:
            raise InputError(
                f"feature {name!r} holds {error.object!r:.60}, which is no valid text ({error}); "
                f"repair or drop such values"
            ) from error
    if isinstance(dtype, nw.Object):
        return object_column(np.asarray(series.to_numpy(), dtype=object), name)
    if dtype.is_temporal():
        raise InputTypeError(date_message(name, f"dtype {dtype}"))
    native = getattr(series.to_native(), "dtype", dtype)  # narwhals calls some dtypes "Unknown"
    raise InputTypeError(
        f"feature {name!r} has dtype {native}; numbers, strings, categories and bools are read. "
        f"Convert the column or drop it."
    )


def _numeric_series(series: nw.Series[Any], missing: NDArray[np.bool_], name: str) -> Column:
    if isinstance(series.dtype, nw.Int128 | nw.UInt128):  # numpy has no such type
        return object_column(np.array(series.to_list(), dtype=object), name)
    if not series.dtype.is_integer():
        return numeric_column(_floats(series.cast(nw.Float64), missing), name)
    integers = _filled(series, missing, 0)
    integers = integers.astype(np.uint64 if _is_unsigned(series.dtype) else np.int64, copy=False)
    column = numeric_column(integers, name)
    if not missing.any():
        return column
    floats = integers.astype(np.float64)
    floats[missing] = np.nan
    return NumericColumn(floats)


def _is_unsigned(dtype: Any) -> bool:
    return bool(dtype.is_unsigned_integer())


def _floats(series: nw.Series[Any], missing: NDArray[np.bool_]) -> NDArray[np.float64]:
    floats = np.array(_filled(series, missing, 0.0), dtype=np.float64)
    floats[missing] = np.nan
    return floats


def _filled(series: nw.Series[Any], missing: NDArray[np.bool_], value: Any) -> Array:
    if not missing.any():
        return np.asarray(series.to_numpy())
    return np.asarray(series.fill_null(value).to_numpy())


def _dictionary_series(series: nw.Series[Any]) -> Column:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # a pandas categorical
        return dictionary_column(
            native.cat.codes.to_numpy().astype(np.int64), native.cat.categories.tolist()
        )
    array = series.to_arrow()
    if hasattr(array, "combine_chunks"):
        array = array.combine_chunks()
    if not hasattr(array, "dictionary"):
        array = array.dictionary_encode()
    codes = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return dictionary_column(codes, array.dictionary.to_pylist())
