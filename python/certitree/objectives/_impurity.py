"""Gini impurity and entropy of the leaves, as an optimum and not as a greedy guide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from certitree import _core
from certitree._column import Array
from certitree._limits import seconds_left
from certitree._targets import Targets
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs
from certitree.objectives._registry import register
from certitree.objectives._search import Found, Search

_CORE_LIMITS = (
    "max_depth",
    "max_nodes",
    "min_samples_leaf",
    "candidates",
    "aggregate",
    "memory_limit",
    "progress",
)
"""The limits that the core's search for least impurity knows; it runs on one thread."""


@dataclass(frozen=True, eq=False)
class ImpurityGoal(Goal):
    """Minimise the summed impurity of the leaves.

    Attributes
    ----------
    classes, labels, weights
        See `Goal`.
    impurity : {"gini", "entropy"}
    total_weight : float
    """

    classes: Array
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    impurity: Literal["gini", "entropy"]
    total_weight: float

    def search(self, search: Search, complexity_penalty: float) -> Found:
        """Find the best tree; see `Goal.search`."""
        limits: dict[str, Any] = {name: search.limits[name] for name in _CORE_LIMITS}
        result = _core.solve_impurity(
            search.table,
            impurity=self.impurity,
            labels=self.labels,
            n_labels=self.classes.size,
            weights=self.weights,
            node_penalty=complexity_penalty * self.total_weight,
            time_limit=seconds_left(search.time_limit, search.started),
            **limits,
        )
        return Found(
            nodes=result["nodes"],
            status=result["status"],
            objective=result["objective"],
            lower_bound=result["lower_bound"],
            upper_bound=result["objective"],
            n_records=result["n_records"],
            n_unique=result["n_unique"],
            n_unique_labelled=result["n_unique_labelled"],
            stats=dict(result["stats"]),
        )


@register
@dataclass(frozen=True)
class Gini(Objective):
    """Minimise the summed Gini impurity of the leaves.

    A leaf of weight W with class shares p costs W (1 - sum of p^2): what its shares are wrong by,
    as probabilities (their Brier score), when all classes are counted. Trees for good
    probabilities; `predict` gives the class of most weight.
    """

    name: ClassVar[str] = "gini"
    kind: ClassVar[Kind] = "impurity"
    maximize: ClassVar[bool] = False

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        return _bind("gini", targets, costs)


@register
@dataclass(frozen=True)
class Entropy(Objective):
    """Minimise the summed entropy of the leaves, in bits.

    A leaf of weight W with class shares p costs -W sum of p log2 p: the log loss of its shares
    as probabilities.
    """

    name: ClassVar[str] = "entropy"
    kind: ClassVar[Kind] = "impurity"
    maximize: ClassVar[bool] = False

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        return _bind("entropy", targets, costs)


def _bind(
    impurity: Literal["gini", "entropy"], targets: Targets, costs: NDArray[np.float64] | None
) -> Goal:
    refuse_costs(costs, impurity)
    return ImpurityGoal(
        classes=targets.classes,
        labels=targets.labels,
        weights=targets.weights,
        impurity=impurity,
        total_weight=targets.total_weight,
    )
