"""One exact search over a table: what the exact estimators have in common."""

from __future__ import annotations

import time
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from certitree import _core
from certitree._binning import MAX_BINS, code_records
from certitree._builder import build_tree
from certitree._coding import CodedTable
from certitree._column import Array
from certitree._frame import Records
from certitree._limits import MAX_DEPTH, capped, count_threads, draw_seed, parse_memory
from certitree._progress import live_progress
from certitree._schema import Feature
from certitree._split import Split, leave_out, select
from certitree._tree import Tree
from certitree.exceptions import translate_core_errors
from certitree.objectives import Found, Goal, Search
from certitree.objectives._search import gap_between


class ExactSearch:
    """Mixin with the parameters that limit a search, and the search itself."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_depth": [Interval(Integral, 0, MAX_DEPTH, closed="both")],
        "max_nodes": [Interval(Integral, 0, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "complexity_penalty": [Interval(Real, 0, None, closed="left")],
        "max_bins": [Interval(Integral, 2, MAX_BINS, closed="both")],
        "candidates": ["array-like", None],
        "aggregate": ["boolean"],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "memory_limit": [Interval(Integral, 1, None, closed="left"), str, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    max_depth: int
    max_nodes: int | None
    min_samples_leaf: int
    complexity_penalty: float
    max_bins: int
    candidates: Iterable[str | int | Split | tuple[str | int, Any]] | None
    aggregate: bool
    time_limit: float | None
    memory_limit: int | str | None
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    verbose: int
    tree_: Tree
    classes_: Array
    features_: tuple[Feature, ...]
    n_features_in_: int

    def _search(
        self,
        records: Records,
        rows: NDArray[np.intp] | None,
        weights: NDArray[np.float64] | None,
        goal: Goal,
        started: float,
    ) -> Self:
        """Code the records, search, and keep what was found.

        Parameters
        ----------
        records : Records
        rows : intp array or None
            The records that count; None for all.
        weights : float64 array or None
            Their weights.
        goal : Goal
            Bound to those records.
        started : float
            When `fit` began, on the clock of `time.perf_counter`.
        """
        n_threads = count_threads(self.n_jobs)
        memory_limit = parse_memory(self.memory_limit)
        selections = select(self.candidates, records.names, records.n_features)
        if goal.left_out is not None:
            selections = leave_out(goal.left_out, selections, records.n_features)
        read = time.perf_counter()
        coded = code_records(
            records,
            rows,
            weights,
            max_bins=self.max_bins,
            selections=selections,
            stand_ins=goal.stand_ins,
        )
        with translate_core_errors():
            table = _core.Table(coded.codes, coded.kinds, coded.n_codes, coded.n_splits)
            coded_at = time.perf_counter()
            with live_progress(self.verbose, started) as progress:
                limits = {
                    "max_depth": int(self.max_depth),
                    "max_nodes": None if self.max_nodes is None else capped(self.max_nodes),
                    "min_samples_leaf": capped(self.min_samples_leaf),
                    "candidates": None,
                    "aggregate": bool(self.aggregate),
                    "memory_limit": memory_limit,
                    "n_threads": n_threads,
                    "seed": draw_seed(self.random_state),
                    "progress": progress,
                }
                search = self._make_search(coded, table, limits, started)
                found = goal.search(search, self.complexity_penalty)
        solved = time.perf_counter()
        self._keep_table(records, coded, goal)
        self._keep_result(found, coded, goal)
        self._keep_search(search)
        stats = self.search_stats_
        stats["seconds"] = {
            "read": read - started,
            "code": coded_at - read,
            **{
                key.removesuffix("_seconds"): stats.pop(key)
                for key in list(stats)
                if key.endswith("_seconds")
            },
            "solve": solved - coded_at,
            "total": time.perf_counter() - started,
        }
        return self

    def _make_search(
        self, coded: CodedTable, table: _core.Table, limits: dict[str, Any], started: float
    ) -> Search:
        """Say how objectives are to search; other estimators search in other ways."""
        return Search(coded, table, limits, self.time_limit, started)

    def _keep_search(self, search: Search) -> None:
        """Keep what only another kind of search knows; nothing here."""

    def _keep_table(self, records: Records, coded: CodedTable, goal: Goal) -> None:
        self.n_features_in_ = records.n_features
        if records.names is not None:
            self.feature_names_in_: NDArray[np.object_] = np.array(records.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.features_ = coded.features
        self.classes_ = goal.classes

    def _keep_result(self, found: Found, coded: CodedTable, goal: Goal) -> None:
        self.tree_ = build_tree(
            found.nodes, coded, goal.labels, goal.weights, goal.classes.size, found.leaves
        )
        self.status_ = found.status
        self.objective_ = found.objective
        self.lower_bound_ = found.lower_bound
        self.upper_bound_ = found.upper_bound
        self.gap_ = gap_between(found.lower_bound, found.upper_bound)
        self.n_records_ = found.n_records
        self.n_unique_ = found.n_unique
        self.n_unique_labelled_ = found.n_unique_labelled
        self.search_stats_: dict[str, Any] = dict(found.stats)
        for name, value in found.attributes.items():
            setattr(self, name, value)
