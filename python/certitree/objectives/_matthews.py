"""Matthews correlation of a positive class."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from certitree._column import Array
from certitree._targets import Targets
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs, refuse_penalty
from certitree.objectives._positive import positive_index
from certitree.objectives._registry import register
from certitree.objectives._search import Found, Search, relabel


@register
@dataclass(frozen=True)
class Matthews(Objective):
    """Maximise the Matthews correlation between labels and predictions.

    For two classes; swapping them changes nothing. A constant tree has correlation 0, so the best
    tree has at least that. The correlation is quasi-convex in the numbers of false positives and
    false negatives, so the best tree is a corner of the convex hull of these, which a few additive
    searches find: see ``crates/core/src/pareto/matthews.rs``.

    Parameters
    ----------
    pos_label : label, optional
        The positive class; by default the second of the sorted classes.

    References
    ----------
    B. W. Matthews, "Comparison of the predicted and observed secondary structure of T4 phage
    lysozyme", 1975.
    """

    name: ClassVar[str] = "matthews"
    kind: ClassVar[Kind] = "pareto"
    maximize: ClassVar[bool] = True

    pos_label: Any = None

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        refuse_costs(costs, self.name)
        return MatthewsGoal(
            classes=targets.classes,
            labels=targets.labels,
            weights=targets.weights,
            positive=positive_index(self.name, targets.classes, self.pos_label),
        )

    def for_classes(self, classes: Array) -> Self:
        """Return itself: the correlation is the same whichever class is the positive one."""
        return self

    @property
    def score_name(self) -> str:
        """Name of what `score` returns; see `Objective.score_name`."""
        return "Matthews correlation"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the Matthews correlation of predictions."""
        from sklearn.metrics import matthews_corrcoef  # noqa: PLC0415

        return float(matthews_corrcoef(y_true, y_pred, sample_weight=sample_weight))


@dataclass(frozen=True, eq=False)
class MatthewsGoal(Goal):
    """The Matthews correlation on the training records.

    Attributes
    ----------
    classes, labels, weights
        See `Goal`; there are two classes.
    positive : int
        Index of the positive class, 0 or 1.
    """

    classes: Array
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    positive: int

    def search(self, search: Search, complexity_penalty: float) -> Found:
        """Find the best tree; see `Goal.search`."""
        refuse_penalty(complexity_penalty, Matthews.name)
        started = time.perf_counter()
        result = search.matthews(
            labels=(self.labels == self.positive).astype(np.int32), weights=self.weights
        )
        optimal = result["status"] == "optimal"
        score = result["objective"]
        return Found(
            nodes=relabel(result["nodes"], (1 - self.positive, self.positive)),
            status=result["status"],
            objective=score,
            lower_bound=score,
            upper_bound=score if optimal else max(score, result["upper_bound"]),
            n_records=result["n_records"],
            n_unique=result["n_unique"],
            n_unique_labelled=result["n_unique_labelled"],
            stats={
                "searches": result["n_searches"],
                "merge_seconds": result["merge_seconds"],
                "warm_start_seconds": 0.0,
                "search_seconds": time.perf_counter() - started - result["merge_seconds"],
            },
        )
