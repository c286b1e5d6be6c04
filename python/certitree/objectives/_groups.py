"""The groups that a fairness objective compares: a column of X, or values given to `fit`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from certitree._column import Column, NumericColumn, object_column
from certitree._frame import Records
from certitree._schema import available
from certitree.exceptions import InputError, ParameterError

MAX_GROUPS = 64
"""More groups than that are most likely a column of numbers or names."""


@dataclass(frozen=True)
class Groups:
    """The group of every record.

    Attributes
    ----------
    codes : int32 array of shape (n_records,)
        Index in `names`.
    names : tuple
        The groups that occur, sorted.
    feature : int or None
        The column of the table that they were read from.
    """

    codes: NDArray[np.int32]
    names: tuple[Any, ...]
    feature: int | None = None


def read_groups(
    column: str | int | None,
    given: Any,
    records: Records,
    rows: NDArray[np.intp] | None,
) -> Groups:
    """Find the groups of the records that count.

    Parameters
    ----------
    column : str, int or None
        Name or index of a column of the table, or None for `given`.
    given : array-like of shape (n_rows,), or None
        Values given to ``fit(sensitive=...)``.
    records : Records
    rows : intp array or None
        The records that count; None for all.

    Raises
    ------
    ParameterError
        If both or neither of `column` and `given` are there, or the column does not exist.
    InputError
        If a value is missing, or there are fewer than two groups or more than `MAX_GROUPS`.
    """
    if (column is None) == (given is None):
        what = "neither came" if column is None else "both came"
        raise ParameterError(
            f"groups are read either from a column, DemographicParity(sensitive='race'), or from "
            f"fit(X, y, sensitive=values): {what}, give one of the two"
        )
    feature = None if column is None else _find(column, records)
    values = _given(given, records.n_rows) if feature is None else records.column(feature)
    codes, names = _encode(values)
    missing = np.flatnonzero(codes < 0)
    if missing.size:
        raise InputError(
            f"the sensitive value of row {missing[0]} is missing ({missing.size} are); every "
            f"record needs a group. Leave those records out, or give them a group of their own"
        )
    if rows is not None:
        codes = codes[rows]
        used = np.unique(codes)
        names = tuple(names[code] for code in used.tolist())
        codes = np.searchsorted(used, codes)
    if not 2 <= len(names) <= MAX_GROUPS:
        many = len(names) > MAX_GROUPS
        raise InputError(
            f"the sensitive values make {len(names)} group{'s' if many else ''} "
            f"({available(names, 5)}); 2 to {MAX_GROUPS} can be compared. "
            + ("Cut numbers into ranges first" if many else "With one there is nothing to compare")
        )
    return Groups(codes.astype(np.int32), names, feature)


def encode_groups(values: Any, n_rows: int) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Return the group of each record, -1 where it is missing, and the sorted groups.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
    n_rows : int

    Raises
    ------
    InputError, InputTypeError
        If there is not one value for each record, or values are of mixed types.
    """
    return _encode(_given(values, n_rows))


def _find(column: str | int, records: Records) -> int:
    if isinstance(column, str):
        names = records.names or ()
        if column not in names:
            raise ParameterError(
                f"sensitive={column!r} is no column of X"
                + (f", whose columns are {available(names)}" if names else ", which has no names")
            )
        return names.index(column)
    if not 0 <= column < records.n_features:
        raise ParameterError(
            f"sensitive={column} is no column of X; columns are counted from 0 to "
            f"{records.n_features - 1}"
        )
    return column


def _given(values: Any, n_rows: int) -> Column:
    series = nw.from_native(values, series_only=True, allow_series=True, pass_through=True)
    plain = series.to_list() if isinstance(series, nw.Series) else np.asarray(values).tolist()
    array = np.empty(len(plain) if isinstance(plain, list) else 0, dtype=object)
    if array.size != n_rows or any(isinstance(value, list) for value in plain):
        raise InputError(
            f"sensitive has shape {np.shape(plain)}, but X has {n_rows} rows; give one per row"
        )
    array[:] = plain
    return object_column(array, "sensitive")


def _encode(column: Column) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Code groups by their sorted values; -1 is missing."""
    if not isinstance(column, NumericColumn):
        used = np.unique(column.codes[column.codes >= 0])
        place = np.full(len(column.categories) + 1, -1, dtype=np.int64)
        place[used] = np.arange(used.size)
        return place[column.codes], tuple(column.categories[code] for code in used.tolist())
    values = column.as_float()
    known = ~np.isnan(values)
    distinct = np.unique(values[known])
    codes = np.full(values.size, -1, dtype=np.int64)
    codes[known] = np.searchsorted(distinct, values[known])
    names = [int(value) if value.is_integer() else value for value in distinct.tolist()]
    return codes, tuple(names)
