"""One search as an objective sees it: a table, limits, and the solvers that work on them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from certitree import _core
from certitree._coding import CodedTable
from certitree._limits import seconds_left

Status: TypeAlias = Literal[
    "optimal", "optimal_for_candidates", "feasible", "time_limit", "memory_limit", "interrupted"
]
CoreNodes: TypeAlias = Sequence[tuple[int, int, int, int, int]]
"""Nodes as `_core.solve` returns them: (column, split, left, right, label)."""


@dataclass(frozen=True)
class Found:
    """The best tree found, in the objective's own units.

    Attributes
    ----------
    nodes : list of tuples, as `_core.solve` returns them
    status : str
        "optimal", "time_limit", "memory_limit" or "interrupted"; of an adaptive search also
        "optimal_for_candidates" and "feasible".
    objective : float
        Value of the tree.
    lower_bound, upper_bound : float
        The best value that any tree reaches lies between them. One of the two is `objective`:
        the upper one where less is better, the lower one where more is better.
    n_records, n_unique, n_unique_labelled : int
    stats : dict
    attributes : dict
        Further fitted attributes of the estimator, by name.
    leaves : uint32 array of shape (n_records,), or None
        The node that is each record's leaf, where that was looked up.
    """

    nodes: CoreNodes
    status: Status
    objective: float
    lower_bound: float
    upper_bound: float
    n_records: int
    n_unique: int
    n_unique_labelled: int
    stats: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    leaves: NDArray[np.uint32] | None = None


@dataclass(frozen=True)
class Search:
    """A table and the limits of a search; runs the additive solver with any statistics.

    An estimator that searches in another way (over changing candidate sets, say) passes a
    subclass with its own `additive`, and every additive and fractional objective works with it.

    Attributes
    ----------
    coded : CodedTable
    table : _core.Table
        Made of `coded`.
    limits : dict
        Arguments of `_core.solve` other than the statistics, the penalty and the time limit.
    time_limit : float or None
        Seconds for all searches together, counted from `started`.
    started : float
        On the clock of `time.perf_counter`.
    """

    coded: CodedTable
    table: _core.Table
    limits: dict[str, Any]
    time_limit: float | None = None
    started: float = field(default_factory=time.perf_counter)

    def additive(
        self,
        *,
        labels: NDArray[np.int32] | None,
        n_labels: int,
        weights: NDArray[np.float64] | None = None,
        costs: NDArray[np.float64] | None = None,
        cost_matrix: NDArray[np.float64] | None = None,
        node_penalty: float = 0.0,
        time_share: float = 1.0,
        max_depth: int | None = None,
    ) -> _core.SolveResult:
        """Find the tree of least summed cost; see `_core.solve` for the arguments.

        Parameters
        ----------
        time_share : float
            Share of the time left that this search may take.
        max_depth : int, optional
            Replaces the one of `limits`.
        """
        left = seconds_left(self.time_limit, self.started)
        limits = self.limits if max_depth is None else self.limits | {"max_depth": max_depth}
        return _core.solve(
            self.table,
            labels=labels,
            n_labels=n_labels,
            weights=weights,
            costs=costs,
            cost_matrix=cost_matrix,
            node_penalty=node_penalty,
            time_limit=None if left is None else left * time_share,
            **limits,
        )

    def matthews(
        self, *, labels: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> _core.MatthewsResult:
        """Find the tree of greatest Matthews correlation; see `_core.solve_matthews`."""
        return _core.solve_matthews(
            self.table,
            labels=labels,
            weights=weights,
            time_limit=seconds_left(self.time_limit, self.started),
            **self._plain_limits(),
        )

    def fairness(
        self,
        *,
        labels: NDArray[np.int32],
        groups: NDArray[np.int32],
        n_groups: int,
        task: Literal["demographic_parity", "equal_opportunity"],
        limit: float,
        weights: NDArray[np.float64] | None,
        trade_off: bool,
        time_share: float = 1.0,
        max_depth: int | None = None,
    ) -> _core.FairnessResult:
        """Find the tree with fewest errors under a limit; see `_core.solve_fairness`.

        Parameters
        ----------
        time_share, max_depth
            As for `additive`.
        """
        left = seconds_left(self.time_limit, self.started)
        limits = self._plain_limits()
        if max_depth is not None:
            limits["max_depth"] = max_depth
        return _core.solve_fairness(
            self.table,
            labels=labels,
            groups=groups,
            n_groups=n_groups,
            task=task,
            limit=limit,
            weights=weights,
            trade_off=trade_off,
            time_limit=None if left is None else left * time_share,
            **limits,
        )

    def _plain_limits(self) -> dict[str, Any]:
        """Return the limits without those that only the additive solver has."""
        names = (
            "max_depth",
            "max_nodes",
            "min_samples_leaf",
            "candidates",
            "aggregate",
            "memory_limit",
            "n_threads",
            "progress",
        )
        return {name: self.limits[name] for name in names}

    def predict(self, nodes: CoreNodes) -> NDArray[np.int32]:
        """Return the label that a tree gives each record of the table."""
        return labels_at(nodes, self.coded.find_leaves(nodes))


def labels_at(nodes: CoreNodes, leaves: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return the labels of leaves, given by node."""
    labels = np.array([label for *_, label in nodes], dtype=np.int32)
    return labels[leaves]


def relabel(nodes: CoreNodes, labels: Sequence[int]) -> CoreNodes:
    """Replace each leaf's label by that entry of `labels`."""
    return [
        (column, split, left, right, labels[label] if column < 0 else label)
        for column, split, left, right, label in nodes
    ]


def count_branching(nodes: CoreNodes) -> int:
    """Return the number of branching nodes."""
    return sum(column >= 0 for column, *_ in nodes)


def gap_between(lower_bound: float, upper_bound: float) -> float:
    """Return the share of a value that is not proven, in [0, 1].

    The width of the interval, relative to the larger of its ends in size: for a cost that is
    ``(objective - lower_bound) / objective``, for a score ``(upper_bound - objective) /
    upper_bound``. Exactly 0 if the bounds meet.
    """
    if upper_bound <= lower_bound:
        return 0.0
    size = max(abs(lower_bound), abs(upper_bound))
    return min(1.0, (upper_bound - lower_bound) / size)
