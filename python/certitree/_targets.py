"""Labels and weights of the training records."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from certitree._column import Array
from certitree.exceptions import InputError, InputTypeError


@dataclass(frozen=True)
class Targets:
    """Labels and weights of the records that count.

    Attributes
    ----------
    rows : intp array or None
        The records of non-zero weight; None if these are all.
    labels : int32 array of shape (n_records,)
        Index of each record's class.
    classes : array of shape (n_classes,)
        The labels that occur, sorted.
    weights : float64 array of shape (n_records,), or None for ones
    total_weight : float
    """

    rows: NDArray[np.intp] | None
    labels: NDArray[np.int32]
    classes: Array
    weights: NDArray[np.float64] | None
    total_weight: float


def read_targets(y: Any, sample_weight: Any, n_rows: int, estimator_name: str) -> Targets:
    """Read labels and weights; records of zero weight are left out.

    Raises
    ------
    InputError, ValueError
        For labels that are missing, continuous or too few; for weights that are negative, not
        finite, or all zero.
    """
    y = read_labels(y, n_rows, estimator_name)
    weights, rows = read_weights(sample_weight, n_rows)
    if rows is not None:
        y = y[rows]
    classes, labels = _encode(y)
    total = float(labels.size if weights is None else weights.sum())
    return Targets(rows, labels.astype(np.int32), classes, weights, total)


def read_labels(y: Any, n_rows: int, estimator_name: str) -> Array:
    """Turn labels of any source into a one-dimensional array without missing entries."""
    if y is None:
        raise InputError(
            f"{estimator_name} requires y to be passed, but the target y is None. Give one label "
            f"per row."
        )
    values = _to_numpy(y)
    if values.ndim == 2 and values.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        values = values.ravel()
    if values.ndim != 1:
        raise InputError(
            f"y should be a 1d array, got an array of shape {values.shape} instead. Give one "
            f"label per row."
        )
    if values.size != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, "
            f"but y has {values.size} labels."
        )
    if values.dtype == object and set(map(type, values.tolist())) != {str}:
        _refuse_missing(values)
        values = _plain_objects(values)
    elif values.dtype.kind == "f":
        _refuse_missing(values)
    if values.dtype.kind == "f":
        _refuse_fractions(values)
    elif values.dtype.kind not in "biuUO":  # whole numbers and texts are classes for certain
        check_classification_targets(values)
    return values


def _to_numpy(y: Any) -> Array:
    if isinstance(y, np.ma.MaskedArray):
        return np.array(y.tolist(), object) if np.ma.is_masked(y) else np.asarray(y.data)
    if isinstance(y, np.ndarray):
        return y
    if nw.dependencies.is_into_series(y):
        return np.asarray(nw.from_native(y, series_only=True).to_numpy())
    if nw.dependencies.is_into_dataframe(y):
        return np.asarray(nw.from_native(y, eager_only=True).to_numpy())
    values = np.asarray(y)
    if values.dtype.kind == "U" and isinstance(y, list | tuple):
        return np.array(y, dtype=object)  # a missing label must not become the text "None"
    return values


def _refuse_missing(values: Array) -> None:
    if values.dtype.kind == "f":
        bad = ~np.isfinite(values)
    else:
        bad = np.fromiter((_lacks_value(value) for value in values), bool, values.size)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        found = values[row]
        what = "infinity" if isinstance(found, float | np.floating) and np.isinf(found) else "NaN"
        raise InputError(
            f"Input y contains {what}: the label of row {row} is {found}, and "
            f"{int(bad.sum())} in all are missing or not finite. Drop these rows, or give them "
            f"a label of their own."
        )


def _refuse_fractions(values: Array) -> None:
    fractions = values[values != np.floor(values)]
    if fractions.size:
        raise InputError(
            f"Unknown label type: continuous. y holds numbers such as {fractions[0].item()}, but "
            f"trees predict one of a few classes here, not a number. Cut the values into ranges "
            f"(pandas: pd.cut), or give whole numbers or strings as labels."
        )


def _lacks_value(value: object) -> bool:
    if isinstance(value, float | np.floating):
        return not np.isfinite(value)
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def _plain_objects(values: Array) -> Array:
    """Give an object array of bools or integers its proper dtype; refuse labels of mixed types."""
    kinds = {
        "bool" if isinstance(v, bool | np.bool_) else "str" if isinstance(v, str) else "number"
        for v in values
    }
    if len(kinds) > 1:
        raise InputTypeError(
            f"y mixes labels of the types {', '.join(sorted(kinds))}. Give labels of one type, "
            f"such as y.astype(str)."
        )
    if kinds in ({"bool"}, {"number"}):
        plain = np.array(values.tolist())
        return plain if plain.dtype.kind in "biuf" else values
    return values


def _encode(y: Array) -> tuple[Array, NDArray[np.intp]]:
    """Return the sorted classes and each record's class."""
    if y.dtype.kind in "iu" and y.size:
        low = int(y.min())
        span = int(y.max()) - low + 1
        if span <= 4096:  # counting beats sorting
            # Narrow signed types cannot hold the difference, unsigned ones have no room above.
            wide = y.astype(np.int64) if y.dtype.kind == "i" else y
            shifted = (wide - wide.dtype.type(low)).astype(np.intp)
            present = np.flatnonzero(np.bincount(shifted, minlength=span))
            classes = np.array([low + place for place in present.tolist()], y.dtype)
            if present.size == span:
                return classes, shifted
            place = np.zeros(span, dtype=np.intp)
            place[present] = np.arange(present.size)
            return classes, place[shifted]
    if y.dtype.kind in "OU":  # texts: hashing beats sorting
        texts = y.tolist()
        try:
            found = sorted(set(texts))
        except TypeError as error:
            raise InputTypeError(
                f"y holds labels of type {type(texts[0]).__name__}, which cannot be sorted and "
                f"compared ({error}). Give strings, numbers or bools, such as y.astype(str)."
            ) from error
        index = {text: place for place, text in enumerate(found)}
        codes = np.fromiter(map(index.__getitem__, texts), np.intp, y.size)
        return np.array(found, dtype=y.dtype), codes
    classes, labels = np.unique(y, return_inverse=True)
    return classes, labels


def read_weights(
    sample_weight: Any, n_rows: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.intp] | None]:
    """Check sample weights.

    Returns
    -------
    weights : float64 array of the non-zero weights, or None for ones
    rows : the records they belong to, or None for all
    """
    if sample_weight is None:
        return None, None
    if isinstance(sample_weight, int | float):
        sample_weight = np.full(n_rows, sample_weight)
    try:
        given = _to_numpy(sample_weight)
        if given.dtype.kind == "c":
            raise TypeError(f"its dtype is {given.dtype}")
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"sample_weight must hold numbers: {error}") from error
    if weights.ndim != 1 or weights.size != n_rows:
        raise InputError(
            f"sample_weight has shape {weights.shape}, but X has {n_rows} rows; "
            f"sample_weight.shape == {(n_rows,)} is expected."
        )
    for bad, what in (
        (np.isnan(weights), "contains NaN"),
        (np.isinf(weights), "contains infinity"),
        (weights < 0, "is negative"),
    ):
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"sample_weight {what}: row {row} has weight {weights[row]}. Weights are finite "
                f"and not negative; zero leaves a record out."
            )
    positive = weights > 0
    if not positive.any():
        raise InputError(
            "Sample weights must contain at least one non-zero number, but every weight is zero, "
            "so there is no record to learn from."
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise InputError(
            "sample_weight adds up to more than the largest number, 1.8e308. Only ratios of "
            "weights matter for the tree: divide them all by the same number."
        )
    if positive.all():
        return weights, None
    rows = np.flatnonzero(positive)
    return weights[rows], rows
