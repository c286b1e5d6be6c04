"""The core's exact search with its defaults, for tests that turn its inner switches."""

from __future__ import annotations

from typing import Any

import numpy as np

from certitree import _core
from certitree._binning import code_records
from certitree._frame import read_records


def code_table(X: Any) -> _core.Table:
    """Code a table as the estimators do."""
    coded = code_records(read_records(X, "test"), None, None, max_bins=100, selections=None)
    return _core.Table(coded.codes, coded.kinds, coded.n_codes, coded.n_splits)


def code_splits(bits: np.ndarray) -> _core.Table:
    """Code a matrix of 0/1 splits, gathering those of one column."""
    codes, groups, _ = _core.group_binary(bits)
    return grouped_table(codes, groups)


def grouped_table(codes: np.ndarray, groups: list[Any]) -> _core.Table:
    """Return the table that `_core.group_binary` describes."""
    return _core.Table(
        codes,
        [group["kind"] for group in groups],
        [group["n_codes"] for group in groups],
        [len(group["members"]) for group in groups],
    )


def solve(table: _core.Table, labels: np.ndarray, max_depth: int, **options: Any) -> Any:
    """Minimise the errors of two classes; `options` replace the defaults of `_core.solve`."""
    parameters: dict[str, Any] = {
        "n_labels": 2,
        "weights": None,
        "costs": None,
        "max_nodes": None,
        "min_samples_leaf": 1,
        "node_penalty": 0.0,
        "candidates": None,
        "aggregate": True,
        "time_limit": None,
        "memory_limit": None,
        "n_threads": 1,
        "seed": 0,
    }
    return _core.solve(
        table, labels=labels.astype(np.int32), max_depth=max_depth, **(parameters | options)
    )
