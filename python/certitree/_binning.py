"""From the columns of a user's table to columns of small codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certitree import _core
from certitree._coding import CategoryCoding, CodedTable, Coding, GroupCoding, ThresholdCoding
from certitree._column import Array, Column, NominalColumn, NumericColumn
from certitree._frame import MatrixRecords, Records
from certitree._schema import Feature
from certitree._split import Selection, selected_categories, selected_thresholds
from certitree._thresholds import cut_between, find_thresholds

MAX_BINS = 255
"""Most bins of a numeric column: codes are bytes, and missing values take one more."""

_MAX_CATEGORIES = 254
"""Most categories in one coded column; more are spread over several columns."""

_WIDEST_COUNT = 1 << 12
"""Integers within a range of this are counted one by one, which takes no sorting."""

_EVERYTHING = Selection(everything=True)


def code_records(
    records: Records,
    rows: NDArray[np.intp] | None,
    weights: NDArray[np.float64] | None,
    *,
    max_bins: int,
    selections: dict[int, Selection] | None,
    stand_ins: Sequence[int] | None = None,
) -> CodedTable:
    """Code the records that train a model.

    Parameters
    ----------
    records : Records
    rows : intp array or None
        The records to use; None for all.
    weights : float64 array, positive; or None
        Weights of those records.
    max_bins : int
    selections : dict or None
        The candidate set, by feature; None for all splits.
    stand_ins : sequence of int, or None
        For each feature the first that could replace it. Only such 0/1 features share columns, and
        are left out where they equal or complement another one. None lets all do so.

    Raises
    ------
    InputError, InputTypeError
        If a column is unusable.
    ParameterError
        If a candidate split does not exist.
    """
    coder = _Coder(records, rows, weights, max_bins, stand_ins)
    if selections is None and isinstance(records, MatrixRecords):
        bits = binary_matrix(records.matrix)
        if bits is not None:
            return coder.code_binary(bits, nominal=records.matrix.dtype.kind == "b")
    return coder.code_columns(selections)


def binary_matrix(matrix: Array) -> NDArray[np.uint8] | None:
    """Return a matrix of nothing but 0 and 1 as bytes, or None; quick to say no."""
    if matrix.dtype.kind not in "biuf":
        return None
    if matrix.dtype.kind == "b":
        return matrix.view(np.uint8)
    if not _all_binary(matrix[:64]) or not _all_binary(matrix):
        return None
    return matrix.astype(np.uint8, copy=False)


def _all_binary(values: Array) -> bool:
    if values.dtype.kind == "u":
        return bool(values.max() <= 1)
    if values.dtype.kind == "i":
        return bool(values.max() <= 1 and values.min() >= 0)
    return bool(((values == 0) | (values == 1)).all())


def _binary_column(column: Column, rows: NDArray[np.intp] | None) -> NDArray[np.uint8] | None:
    """Return a column of nothing but 0 and 1, or False and True, as bytes, or None."""
    if isinstance(column, NominalColumn):
        if not _is_boolean(column):
            return None
        codes = column.codes if rows is None else column.codes[rows]
        return None if (codes < 0).any() else codes.astype(np.uint8)
    if column.integer_range is not None and rows is None:
        return column.values.astype(np.uint8) if _is_binary(*column.integer_range) else None
    values = column.values if rows is None else column.values[rows]
    if not _all_binary(values[:64]) or not _all_binary(values):
        return None
    return values.astype(np.uint8)


def _is_binary(low: int, high: int) -> bool:
    return low >= 0 and high <= 1


def _is_boolean(column: NominalColumn) -> bool:
    return column.categories == (False, True) and isinstance(column.categories[0], bool)


def _binary_feature(name: str, nominal: bool) -> Feature:
    return Feature(name, "nominal", (False, True)) if nominal else Feature(name, "numeric")


class _Coder:
    """Codes the columns of one table, one after the other."""

    def __init__(
        self,
        records: Records,
        rows: NDArray[np.intp] | None,
        weights: NDArray[np.float64] | None,
        max_bins: int,
        stand_ins: Sequence[int] | None,
    ) -> None:
        self.records = records
        self.rows = rows
        self.weights = weights
        self.max_bins = max_bins
        self.stand_ins = stand_ins
        self.n_rows = records.n_rows if rows is None else rows.size
        self.blocks: list[NDArray[np.uint8]] = []
        self.kinds: list[_core.ColumnKind] = []
        self.n_codes: list[int] = []
        self.n_splits: list[int] = []
        self.codings: list[Coding] = []

    def code_binary(self, bits: NDArray[np.uint8], nominal: bool) -> CodedTable:
        """Code a table of nothing but 0 and 1."""
        members = [(feature, nominal) for feature in range(self.records.n_features)]
        self._add_binary(bits if self.rows is None else bits[self.rows], members)
        return self._finish(
            [_binary_feature(self.records.name(feature), nominal) for feature, _ in members]
        )

    def code_columns(self, selections: dict[int, Selection] | None) -> CodedTable:
        """Code a table column by column; 0/1 columns are gathered and coded together."""
        features: list[Feature] = []
        binary: list[NDArray[np.uint8]] = []
        members: list[tuple[int, bool]] = []
        for index in range(self.records.n_features):
            selection = _EVERYTHING if selections is None else selections.get(index)
            if selection is None:
                features.append(Feature(self.records.name(index), "unread"))
                continue
            column = self.records.column(index)
            bits = _binary_column(column, self.rows) if selection.everything else None
            if bits is not None:
                nominal = isinstance(column, NominalColumn)
                features.append(_binary_feature(self.records.name(index), nominal))
                binary.append(bits)
                members.append((index, nominal))
            elif isinstance(column, NominalColumn):
                features.append(self._code_nominal(index, column, selection))
            elif selection == _EVERYTHING and self._code_counted(index, column):
                features.append(Feature(self.records.name(index), "numeric"))
            else:
                values = column.as_float()
                values = values if self.rows is None else values[self.rows]
                features.append(self._code_numeric(index, values, selection))
        if binary:
            self._add_binary(np.stack(binary).T, members)
        return self._finish(features)

    def _code_counted(self, index: int, column: NumericColumn) -> bool:
        """Code a column of integers within a narrow range, as `_code_numeric` does; or do not."""
        if column.integer_range is None:
            return False
        low, high = column.integer_range
        values = column.values if self.rows is None else column.values[self.rows]
        if high - low >= _WIDEST_COUNT or high >= 2**62:  # `intp` ends just above
            return False
        places = values.astype(np.intp, copy=False) - low
        counts = np.bincount(places)
        distinct = np.flatnonzero(counts)
        masses = counts if self.weights is None else np.bincount(places, self.weights)
        thresholds = cut_between(
            (distinct + low).astype(np.float64), masses[distinct], self.max_bins
        )
        if thresholds.size:
            codes = np.searchsorted(thresholds, np.arange(low, high + 1)).astype(np.uint8)
            coding = ThresholdCoding(index, thresholds)
            self._add(codes[places], "ordered", coding, thresholds.size)
        return True

    def _code_numeric(
        self, index: int, values: NDArray[np.float64], selection: Selection
    ) -> Feature:
        missing = np.isnan(values)
        has_missing = bool(missing.any())
        feature = Feature(self.records.name(index), "numeric", has_missing=has_missing)
        thresholds = np.array(selected_thresholds(selection, feature))
        if selection.everything:
            present, weights = values, self.weights
            if has_missing:
                present = values[~missing]
                weights = None if weights is None else weights[~missing]
            found = find_thresholds(present, weights, self.max_bins)
            thresholds = np.union1d(thresholds, found) if thresholds.size else found
        with_split = has_missing and (selection.everything or selection.missing)
        # Only a long list of candidate thresholds needs more than one column.
        n_parts = max(1, -(-thresholds.size // (MAX_BINS - 1)))
        for part in np.array_split(thresholds, n_parts) if n_parts > 1 else [thresholds]:
            if has_missing:
                self._add_with_missing(index, values, part, with_split)
            elif part.size:
                self._add(
                    np.searchsorted(part, values),
                    "ordered",
                    ThresholdCoding(index, part),
                    part.size,
                )
        return feature

    def _add_with_missing(
        self,
        index: int,
        values: NDArray[np.float64],
        thresholds: NDArray[np.float64],
        with_split: bool,
    ) -> None:
        """Code a column twice: missing values below all others, and above them.

        Where "is missing" is a split, missing values have a code of their own; otherwise they
        share the lowest (highest) one, with which they go together at every threshold anyway.
        Splits that the two columns have in common are dropped by `_core.Table`.
        """
        missing = np.isnan(values)
        bins = np.searchsorted(thresholds, values)  # NaN is put last, and overwritten
        n_splits = thresholds.size + with_split
        if n_splits:
            low = np.where(missing, 0, bins + with_split)
            self._add(
                low, "ordered", ThresholdCoding(index, thresholds, "left", with_split), n_splits
            )
        if thresholds.size:
            high = np.where(missing, n_splits, bins)
            coding = ThresholdCoding(index, thresholds, "right", with_split)
            self._add(high, "ordered", coding, n_splits)

    def _code_nominal(self, index: int, column: NominalColumn, selection: Selection) -> Feature:
        codes = column.codes if self.rows is None else column.codes[self.rows]
        counts = np.bincount(codes + 1, minlength=len(column.categories) + 1)
        has_missing = bool(counts[0])
        occurring = np.flatnonzero(counts[1:])
        categories = column.categories
        if occurring.size < len(categories) and not _is_boolean(column):
            # Records of weight zero are absent, and so are the categories that only they have.
            recode = np.full(len(categories) + 1, -1, dtype=np.int64)
            recode[occurring] = np.arange(occurring.size)
            codes = recode[codes]
            categories = tuple(categories[place] for place in occurring.tolist())
        feature = Feature(self.records.name(index), "nominal", categories, has_missing)
        chosen = selected_categories(selection, feature)
        if selection.everything:
            chosen = list(range(len(categories)))
        if has_missing and (selection.everything or selection.missing):
            chosen.append(-1)
        for start in range(0, len(chosen), _MAX_CATEGORIES):
            part = chosen[start : start + _MAX_CATEGORIES]
            place = np.full(len(categories) + 1, len(part), dtype=np.int64)
            place[part] = np.arange(len(part))  # -1 is the last entry, as in the codes
            has_others = len(part) < len(categories) + has_missing
            coding = CategoryCoding(index, tuple(part), has_missing)
            self._add(place[codes], "nominal", coding, len(part), len(part) + has_others)
        return feature

    def _add_binary(self, bits: NDArray[np.uint8], members: Sequence[tuple[int, bool]]) -> None:
        """Add 0/1 columns, those that could replace each other together; see `_add_group`."""
        if self.stand_ins is None:
            self._add_group(bits, members)
            return
        together: dict[int, list[int]] = {}
        for bit, (feature, _) in enumerate(members):
            together.setdefault(self.stand_ins[feature], []).append(bit)
        for chosen in together.values():
            self._add_group(bits[:, chosen], [members[bit] for bit in chosen])

    def _add_group(self, bits: NDArray[np.uint8], members: Sequence[tuple[int, bool]]) -> None:
        """Add 0/1 columns, looking for nested chains and exclusive groups among them.

        Parameters
        ----------
        bits : uint8 array of shape (n_rows, n_members)
        members : sequence of (feature, is nominal)
        """
        if len(members) == 1:
            self._add(1 - bits[:, 0], "ordered", GroupCoding(((*members[0], False),)), 1)
            return
        codes, groups, _dropped = _core.group_binary(bits)
        if groups:
            self.blocks.append(codes)
        for group in groups:
            self.kinds.append(group["kind"])
            self.n_codes.append(group["n_codes"])
            self.n_splits.append(len(group["members"]))
            self.codings.append(
                GroupCoding(tuple((*members[bit], negated) for bit, negated in group["members"]))
            )

    def _add(
        self,
        codes: Array,
        kind: _core.ColumnKind,
        coding: Coding,
        n_splits: int,
        n_codes: int | None = None,
    ) -> None:
        self.blocks.append(codes.astype(np.uint8).reshape(1, -1))
        self.kinds.append(kind)
        self.n_codes.append(n_splits + 1 if n_codes is None else n_codes)
        self.n_splits.append(n_splits)
        self.codings.append(coding)

    def _finish(self, features: Sequence[Feature]) -> CodedTable:
        if not self.blocks:  # nothing to split on: one constant column keeps the shapes regular
            self._add(np.zeros(self.n_rows), "ordered", GroupCoding(()), 0)
        codes = self.blocks[0] if len(self.blocks) == 1 else np.concatenate(self.blocks)
        return CodedTable(
            np.ascontiguousarray(codes),
            self.kinds,
            self.n_codes,
            self.n_splits,
            self.codings,
            tuple(features),
        )
