"""Columns of small codes, and what their splits mean in the user's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from certitree import _core
from certitree._condition import Condition
from certitree._schema import Feature


class Coding(Protocol):
    """What the splits of a coded column mean."""

    def condition(self, split: int) -> tuple[Condition, bool]:
        """Return a split as a condition, and whether its sides are to be swapped."""


@dataclass(frozen=True)
class ThresholdCoding:
    """Splits of an ordered column.

    Attributes
    ----------
    feature : int
    thresholds : float64 array
    missing : {"left", "right"} or None
        Side of the missing values at every threshold; None if there are none.
    has_missing_split : bool
        Missing values have a code of their own, so that one more split, the first or the last,
        tells them from all others.
    """

    feature: int
    thresholds: NDArray[np.float64]
    missing: Literal["left", "right"] | None = None
    has_missing_split: bool = False

    def condition(self, split: int) -> tuple[Condition, bool]:
        """Return a split as a condition, and whether its sides are to be swapped."""
        if self.missing is None:
            return Condition(self.feature, "<=", float(self.thresholds[split])), False
        place = split - 1 if self.missing == "left" and self.has_missing_split else split
        if place == -1:
            return Condition(self.feature, "missing", missing_left=True), False
        if place == self.thresholds.size:
            return Condition(self.feature, "missing", missing_left=True), True
        threshold = float(self.thresholds[place])
        return Condition(self.feature, "<=", threshold, missing_left=self.missing == "left"), False


@dataclass(frozen=True)
class CategoryCoding:
    """Splits of a nominal column: for each, the index of a category, or -1 for "is missing"."""

    feature: int
    categories: tuple[int, ...]
    has_missing: bool

    def condition(self, split: int) -> tuple[Condition, bool]:
        """Return a split as a condition, and whether its sides are to be swapped."""
        category = self.categories[split]
        if category == -1:
            return Condition(self.feature, "missing", missing_left=True), False
        missing_left = False if self.has_missing else None
        return Condition(self.feature, "==", category=category, missing_left=missing_left), False


@dataclass(frozen=True)
class GroupCoding:
    """Splits of a column recovered from several 0/1 features: (feature, is nominal, negated)."""

    members: tuple[tuple[int, bool, bool], ...]

    def condition(self, split: int) -> tuple[Condition, bool]:
        """Return a split as a condition, and whether its sides are to be swapped."""
        feature, nominal, negated = self.members[split]
        if nominal:
            return Condition(feature, "==", category=0 if negated else 1), False
        return Condition(feature, "<=", 0.5), not negated


@dataclass(frozen=True)
class CodedTable:
    """A table ready for the core.

    Attributes
    ----------
    codes : uint8 array of shape (n_coded_columns, n_rows), C-ordered
    kinds, n_codes, n_splits : lists of length n_coded_columns
        As `_core.Table` takes them.
    codings : list of length n_coded_columns
        Meaning of the splits.
    features : tuple of Feature
        The user's columns.
    """

    codes: NDArray[np.uint8]
    kinds: list[_core.ColumnKind]
    n_codes: list[int]
    n_splits: list[int]
    codings: list[Coding]
    features: tuple[Feature, ...]

    def find_leaves(self, nodes: Sequence[tuple[int, int, int, int, int]]) -> NDArray[np.uint32]:
        """Return, for each row, which of the nodes that `_core.solve` returned is its leaf."""
        return _core.find_leaves(self.codes, self.kinds, nodes)

    def goes_left(self, column: int, split: int, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Evaluate a coded split on some of the rows."""
        codes = self.codes[column, rows]
        left: NDArray[np.bool_] = (
            codes <= split if self.kinds[column] == "ordered" else codes == split
        )
        return left
