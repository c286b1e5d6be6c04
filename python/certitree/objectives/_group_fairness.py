"""Fewest errors under a limit on how differently groups are treated."""

from __future__ import annotations

import time
from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from certitree import _core
from certitree._column import Array
from certitree._frame import Records
from certitree._targets import Targets
from certitree.exceptions import InputError, ParameterError
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs, refuse_penalty
from certitree.objectives._fair_labels import label_fairly
from certitree.objectives._groups import Groups, encode_groups, read_groups
from certitree.objectives._positive import are_positive, positive_index
from certitree.objectives._search import CoreNodes, Found, Search, relabel

FairnessTask = Literal["demographic_parity", "equal_opportunity"]

_FIRST_DEPTH = 2
"""Depth of a first search, before a deeper one; it is over soon."""

_FIRST_SHARE = 0.1
"""Share of the time that it may take."""

_MOST_RELABELLED = 10
"""Trees of fewest errors that are labelled anew after a search that was stopped."""


@dataclass(frozen=True)
class FairnessPoint:
    """One tree of a trade-off.

    Attributes
    ----------
    errors : float
        Summed weight of the misclassified training records.
    disparity : float
        Largest difference between the rates of two groups.
    rates : dict from group to float
    is_proven : bool
        Whether no tree of at most this disparity has fewer errors.
    """

    errors: float
    disparity: float
    rates: dict[Any, float]
    is_proven: bool


@dataclass(frozen=True)
class GroupFairness(Objective, ABC):
    """Minimise errors under a limit on the difference between groups.

    Parameters
    ----------
    sensitive : str or int, optional
        Name or index of the column of X that holds the groups. Without it, the groups are given
        to ``fit(X, y, sensitive=...)``. Any values will do, several groups too.
    limit : float, 0 to 1
        Largest difference allowed between the rates of any two groups. Every limit can be met: a
        constant tree treats all alike.
    pos_label : label, optional
        The positive class; by default the second of the sorted classes.
    split_on_sensitive : bool
        Whether the tree may split on the column `sensitive`.
    curve : bool
        Whether to prove the whole trade-off from the best tree without a limit down to disparity
        0, one search per tree on it. Otherwise `fairness_curve_` holds the trees met on the way.
    """

    kind: ClassVar[Kind] = "pareto"
    maximize: ClassVar[bool] = False
    task: ClassVar[FairnessTask]

    sensitive: str | int | None = None
    limit: float = 0.05
    pos_label: Any = None
    split_on_sensitive: bool = False
    curve: bool = False

    def __post_init__(self) -> None:
        """Check the limit."""
        if not isinstance(self.limit, Real) or not 0 <= float(self.limit) <= 1:
            raise ParameterError(
                f"limit={self.limit!r} must be a number from 0 (all groups have the same rate) to "
                f"1 (no limit): it is the largest difference allowed between two groups' rates"
            )

    def rates(
        self, y_true: Any, y_pred: Any, sensitive: Any, sample_weight: Any = None
    ) -> dict[Any, float]:
        """Return the rate of positive predictions of each group, on any records.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_records,)
            Labels and predictions. If the objective names no `pos_label`, the greatest label that
            occurs is the positive one.
        sensitive : array-like of shape (n_records,)
            The groups; records without one are left out.
        sample_weight : array-like of shape (n_records,), or None

        Returns
        -------
        dict from group to float
            Without groups whose rate is undefined: those of no weight and, for equal opportunity,
            those without positive records.

        Raises
        ------
        InputError
            If there is not one group for each record.
        """
        truth, called = are_positive(y_true, y_pred, self.pos_label)
        weights = np.ones(truth.size) if sample_weight is None else np.asarray(sample_weight, float)
        codes, groups = encode_groups(sensitive, truth.size)
        counts = codes >= 0
        if self.task == "equal_opportunity":
            counts &= truth
        called &= counts
        totals = np.bincount(codes[counts], weights[counts], len(groups))
        found = np.bincount(codes[called], weights[called], len(groups))
        return {
            group: float(rate / total)
            for group, rate, total in zip(groups, found, totals, strict=True)
            if total > 0
        }

    def disparity(
        self, y_true: Any, y_pred: Any, sensitive: Any, sample_weight: Any = None
    ) -> float:
        """Return the largest difference between the `rates` of two groups, on any records."""
        rates = self.rates(y_true, y_pred, sensitive, sample_weight).values()
        return max(rates, default=0.0) - min(rates, default=0.0)

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Refuse: groups are needed, which `bind_records` reads."""
        raise ParameterError(f"objective {self.name!r} needs the groups of the records")

    def bind_records(
        self,
        records: Records,
        targets: Targets,
        costs: NDArray[np.float64] | None = None,
        sensitive: Any = None,
    ) -> Goal:
        """Meet the training records and their groups; see `Objective.bind_records`."""
        refuse_costs(costs, self.name)
        groups = read_groups(self.sensitive, sensitive, records, targets.rows)
        positive = positive_index(self.name, targets.classes, self.pos_label)
        goal = FairnessGoal(
            classes=targets.classes,
            labels=targets.labels,
            weights=targets.weights,
            objective=self,
            groups=groups,
            positive=positive,
        )
        goal.check_groups()
        return goal


@dataclass(frozen=True, eq=False)
class FairnessGoal(Goal):
    """A fairness objective on the training records.

    Attributes
    ----------
    classes, labels, weights
        See `Goal`; there are two classes.
    objective : GroupFairness
    groups : Groups
    positive : int
        Index of the positive class, 0 or 1.
    """

    classes: Array
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    objective: GroupFairness
    groups: Groups
    positive: int

    @property
    def left_out(self) -> int | None:
        """The column that holds the groups, unless the tree may split on it."""
        return None if self.objective.split_on_sensitive else self.groups.feature

    def check_groups(self) -> None:
        """Raise if a group's rate is undefined."""
        if self.objective.task == "demographic_parity":
            return
        found = np.bincount(
            self.groups.codes[self.labels == self.positive], minlength=len(self.groups.names)
        )
        if not found.all():
            raise InputError(
                f"group {self.groups.names[int(found.argmin())]!r} has no record of the positive "
                f"class {self.classes.tolist()[self.positive]!r}, so its true positive rate is "
                f"undefined; leave the group out, or join it with another"
            )

    def search(self, search: Search, complexity_penalty: float) -> Found:
        """Find the best tree within the limit; see `Goal.search`."""
        refuse_penalty(complexity_penalty, self.objective.name)
        started = time.perf_counter()
        result, lower_bound, first = self._solve(search)
        met = [tree for found in (result, *first) for tree in found["met"]]
        found: list[_core.FairTree] = [result, *first]
        if result["objective"] > lower_bound:
            accurate = sorted(met, key=lambda tree: tree["objective"])[:_MOST_RELABELLED]
            relabelled = self._label_fairly(search, [tree["nodes"] for tree in accurate])
            found += relabelled
            met += relabelled
        best = min(found, key=lambda tree: tree["objective"])
        optimal = best["objective"] <= lower_bound
        nodes = relabel(best["nodes"], (1 - self.positive, self.positive))
        # Summed anew: the core's sum is of rounded weights.
        errors = self._errors(search, nodes)
        merge_seconds = sum(run["merge_seconds"] for run in (result, *first))
        return Found(
            nodes=nodes,
            status="optimal" if optimal else result["status"],
            objective=errors,
            lower_bound=errors if optimal else min(errors, lower_bound),
            upper_bound=errors,
            n_records=result["n_records"],
            n_unique=result["n_unique"],
            n_unique_labelled=result["n_unique_labelled"],
            stats={
                "limits_enforced": result["n_enforced"],
                "merge_seconds": merge_seconds,
                "warm_start_seconds": 0.0,
                "search_seconds": time.perf_counter() - started - merge_seconds,
            },
            attributes={
                "disparity_": best["disparity"],
                "group_rates_": self._rates(best["rates"]),
                "fairness_curve_": self._curve(
                    result.get("trade_off"), met, best["nodes"] if optimal else None
                ),
            },
        )

    def _solve(
        self, search: Search
    ) -> tuple[_core.FairnessResult, float, Sequence[_core.FairnessResult]]:
        """Search at a small depth first: stopped early, a deep one may have met no tree to use.

        Returns
        -------
        result
            Of the last search.
        lower_bound : float
            No tree of the full depth has fewer errors.
        first : sequence
            The result of a search before it, if there was one.
        """
        first = []
        if search.limits["max_depth"] > _FIRST_DEPTH:
            found = self._solve_depth(search, time_share=_FIRST_SHARE, max_depth=_FIRST_DEPTH)
            if found["status"] == "interrupted":
                return found, 0.0, ()
            first.append(found)
        result = self._solve_depth(search, curve=self.objective.curve)
        optimal = result["status"] == "optimal"
        return result, result["objective"] if optimal else result["lower_bound"], first

    def _solve_depth(
        self,
        search: Search,
        *,
        curve: bool = False,
        time_share: float = 1.0,
        max_depth: int | None = None,
    ) -> _core.FairnessResult:
        return search.fairness(
            labels=(self.labels == self.positive).astype(np.int32),
            groups=self.groups.codes,
            n_groups=len(self.groups.names),
            task=self.objective.task,
            limit=float(self.objective.limit),
            weights=self.weights,
            trade_off=curve,
            time_share=time_share,
            max_depth=max_depth,
        )

    def _label_fairly(self, search: Search, trees: Sequence[CoreNodes]) -> list[_core.FairTree]:
        """Label the leaves of trees that were met anew, within the limit."""
        positive = self.labels == self.positive
        labelled = (
            label_fairly(
                nodes,
                search.coded.find_leaves(nodes),
                positive.astype(np.int32),
                self.weights,
                self.groups.codes,
                positive if self.objective.task == "equal_opportunity" else None,
                float(self.objective.limit),
            )
            for nodes in trees
        )
        return [tree for tree in labelled if tree is not None]

    def _curve(
        self,
        proven: Sequence[_core.FairTree] | None,
        met: Sequence[_core.FairTree],
        best: CoreNodes | None,
    ) -> list[FairnessPoint]:
        """List the trade-off: proven trees, or else those met that no other beats.

        Parameters
        ----------
        proven, met : sequence of trees
        best : list of tuples, or None
            The tree that is proven best, if there is one.
        """
        return [
            FairnessPoint(
                tree["objective"],
                tree["disparity"],
                self._rates(tree["rates"]),
                proven is not None or tree["nodes"] == best,
            )
            for tree in (_unbeaten(met) if proven is None else proven)
        ]

    def _rates(self, rates: list[float]) -> dict[Any, float]:
        return dict(zip(self.groups.names, rates, strict=True))

    def _errors(self, search: Search, nodes: CoreNodes) -> float:
        wrong = search.predict(nodes) != self.labels
        return float(wrong.sum() if self.weights is None else self.weights[wrong].sum())


def _unbeaten(met: Sequence[_core.FairTree]) -> list[_core.FairTree]:
    """Leave out trees that another one beats in errors and disparity; sort by errors."""
    kept: list[_core.FairTree] = []
    for tree in sorted(met, key=lambda tree: (tree["objective"], tree["disparity"])):
        if not kept or tree["disparity"] < kept[-1]["disparity"]:
            kept.append(tree)
    return kept
