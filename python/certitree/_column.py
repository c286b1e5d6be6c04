"""One column of a user's table as numbers: floats, or codes of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from certitree._schema import Category, category_key
from certitree.exceptions import InputError, InputTypeError

Array: TypeAlias = NDArray[Any]

_EXACT = 2**53  # every integer up to here has a float64 of its own


@dataclass(frozen=True)
class NumericColumn:
    """Values of a numeric feature.

    Attributes
    ----------
    values : array of shape (n_rows,)
        Integers or floats; NaN is missing.
    """

    values: Array

    @cached_property
    def integer_range(self) -> tuple[int, int] | None:
        """Smallest and largest value of a column of integers; None for floats and no records."""
        if self.values.dtype.kind not in "iu" or self.values.size == 0:
            return None
        return int(self.values.min()), int(self.values.max())

    def as_float(self) -> NDArray[np.float64]:
        """Return the values as float64; exact, because `numeric_column` has checked it."""
        return self.values.astype(np.float64, copy=False)


@dataclass(frozen=True)
class NominalColumn:
    """Values of a nominal feature.

    Attributes
    ----------
    codes : int64 array of shape (n_rows,)
        Index of each record's category; -1 is missing.
    categories : tuple
        The categories that occur, sorted.
    """

    codes: NDArray[np.int64]
    categories: tuple[Category, ...]


Column: TypeAlias = NumericColumn | NominalColumn


def numeric_column(values: Array, name: str) -> NumericColumn:
    """Check an array of numbers and wrap it.

    Parameters
    ----------
    values : array of shape (n_rows,), of integers or floats
    name : str
        For messages.

    Raises
    ------
    InputError
        For an infinite value, or an integer that no float64 equals.
    """
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
        # The sum shows at once that there is no infinity; only if it does not, look closer.
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
        if not np.isfinite(total) and np.isinf(values).any():
            raise InputError(
                f"Input X contains infinity or a value too large for dtype('float64'): "
                f"feature {name!r} holds {values[np.isinf(values)][0]} at row "
                f"{int(np.flatnonzero(np.isinf(values))[0])}. Give a finite number, or NaN for "
                f"a missing value."
            )
    elif values.dtype.kind in "iu":
        column = NumericColumn(values)
        _check_integers_fit(column, name)
        return column
    else:
        raise InputTypeError(f"feature {name!r} has dtype {values.dtype}; numbers were expected")
    return NumericColumn(values)


def _check_integers_fit(column: NumericColumn, name: str) -> None:
    values = column.values
    if values.dtype.itemsize < 8 or column.integer_range is None:
        return
    low, high = column.integer_range
    if low >= -_EXACT and high <= _EXACT:
        return
    # Compared as Python integers: a float may lie outside the range of the integer type.
    large = values[(values > _EXACT) | (values < -_EXACT)]
    for value in np.unique(large):
        if int(float(value)) != int(value):
            raise InputError(_inexact_message(name, int(value)))


def _inexact_message(name: str, value: int) -> str:
    return (
        f"feature {name!r} holds the integer {value}, which no float64 equals, so that different "
        f"values could be taken for the same. Integers up to 2**53 = {_EXACT} always fit. Subtract "
        f"an offset, or convert the column to strings if its values are identifiers."
    )


def nominal_column(values: Sequence[Any], missing: NDArray[np.bool_]) -> NominalColumn:
    """Code a column of strings, or of other categories of one sortable type.

    Parameters
    ----------
    values : sequence of length n_rows
        The categories; arbitrary where `missing`.
    missing : bool array of shape (n_rows,)
    """
    categories = sorted({value for value, lacks in zip(values, missing, strict=True) if not lacks})
    index = {category: code for code, category in enumerate(categories)}
    codes = np.fromiter((index.get(value, -1) for value in values), np.int64, missing.size)
    codes[missing] = -1
    return NominalColumn(codes, tuple(categories))


def dictionary_column(codes: NDArray[np.int64], categories: Sequence[object]) -> NominalColumn:
    """Code a column that comes with a dictionary of categories, some of them perhaps unused.

    Categories of other types than string, bool and number (such as intervals) are read as their
    text. Categories of several types are sorted by type first.

    Parameters
    ----------
    codes : int64 array of shape (n_rows,)
        Index into `categories`; -1 is missing.
    """
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(categories)))
    plain = [_plain_category(categories[index]) for index in used.tolist()]
    distinct = {category_key(value): value for value in plain}
    kept = sorted(distinct.values(), key=lambda value: (type(value).__name__, value))
    place = {category_key(value): index for index, value in enumerate(kept)}
    recode = np.full(len(categories) + 1, -1, dtype=np.int64)  # the last entry serves code -1
    recode[used] = [place[category_key(value)] for value in plain]
    return NominalColumn(recode[codes], tuple(kept))


def _plain_category(value: Any) -> Category:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, str | bool | int | float) else str(value)


def bool_column(
    values: NDArray[np.bool_], missing: NDArray[np.bool_] | None = None
) -> NominalColumn:
    """Code a column of bools; the categories are always False and True."""
    codes = values.astype(np.int64)
    if missing is not None:
        codes[missing] = -1
    return NominalColumn(codes, (False, True))


def object_column(values: Array, name: str) -> Column:
    """Read an array of Python objects: all numbers, all strings, or all bools; None is missing.

    Raises
    ------
    InputTypeError
        If types are mixed, or are none of these.
    InputError
        As for `numeric_column`.
    """
    missing = np.fromiter((_is_missing(value) for value in values), bool, values.size)
    kinds: dict[str, int] = {}
    for row in np.flatnonzero(~missing):
        kinds.setdefault(_object_kind(values[row], name, int(row)), int(row))
    if len(kinds) > 1:
        examples = " and ".join(f"{values[row]!r} (row {row})" for row in kinds.values())
        raise InputTypeError(
            f"feature {name!r} mixes {' and '.join(sorted(kinds))}: {examples}. A column must be "
            f"all numbers, all strings or all bools. Convert it with astype(str) to read its "
            f"values as categories, or to numbers with unreadable values as missing "
            f"(pandas: pd.to_numeric(column, errors='coerce'))."
        )
    kind = next(iter(kinds), "numbers")
    if kind == "numbers":
        return _numbers_column(values, missing, name)
    if kind == "bools":
        return bool_column(np.where(missing, False, values).astype(bool), missing)
    return nominal_column([str(value) for value in values], missing)


def _numbers_column(values: Array, missing: NDArray[np.bool_], name: str) -> NumericColumn:
    floats = np.full(values.size, np.nan)
    for row in np.flatnonzero(~missing):
        value = values[row]
        try:
            floats[row] = float(value)
        except OverflowError:
            raise InputError(_inexact_message(name, int(value))) from None
        if isinstance(value, Integral) and int(floats[row]) != int(value):
            raise InputError(_inexact_message(name, int(value)))
    return numeric_column(floats, name)


def _is_missing(value: object) -> bool:
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return type(value).__name__ in {"NAType", "NaTType"}  # pandas, which need not be installed


def _object_kind(value: object, name: str, row: int) -> str:
    if isinstance(value, bool | np.bool_):
        return "bools"
    if isinstance(value, str):
        return "strings"
    if isinstance(value, Real | Decimal | Fraction):
        return "numbers"
    if isinstance(value, date | datetime | time | timedelta | np.datetime64 | np.timedelta64):
        raise InputTypeError(date_message(name, f"{value!r} at row {row}"))
    raise InputTypeError(
        f"feature {name!r} holds {value!r} of type {type(value).__name__} at row {row}; "
        f"an argument must be a string or a number (or a bool, or None for a missing value)."
    )


def date_message(name: str, found: str) -> str:
    """Say that dates are not read, and what to do instead."""
    return (
        f"feature {name!r} holds dates or times ({found}), which certitree does not split on. "
        f"Convert it to numbers that mean something for the task, such as the year, the month, "
        f"the weekday, or the days since a fixed date, or drop the column."
    )
