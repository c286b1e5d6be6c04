"""Balanced accuracy: the mean over classes of the share of a class that is found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certitree._targets import Targets
from certitree.objectives._additive import AdditiveGoal, is_whole
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs
from certitree.objectives._registry import register

_EXACT_TOTAL = 2**40
"""Up to this total the core keeps whole costs as they are."""


@register
@dataclass(frozen=True)
class BalancedAccuracy(Objective):
    """Maximise the balanced accuracy, in [0, 1].

    A penalty of 0.01 means that a branching node must raise the balanced accuracy by 0.01.
    """

    name: ClassVar[str] = "balanced_accuracy"
    kind: ClassVar[Kind] = "additive"
    maximize: ClassVar[bool] = True

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        refuse_costs(costs, self.name)
        n_classes = targets.classes.size
        weights = np.ones(targets.labels.size) if targets.weights is None else targets.weights
        totals = np.bincount(targets.labels, weights=weights, minlength=n_classes)
        prices, unit = 1.0 / totals, 1.0
        if is_whole(targets.weights):
            # Whole prices in the ratio of 1 / total keep every sum exact.
            multiple = math.lcm(*(int(total) for total in totals))
            if multiple * n_classes <= _EXACT_TOTAL:
                prices, unit = multiple / totals, 1.0 / multiple
        record_costs = np.repeat((weights * prices[targets.labels])[:, None], n_classes, axis=1)
        record_costs[np.arange(weights.size), targets.labels] = 0.0
        return AdditiveGoal(
            classes=targets.classes,
            labels=targets.labels,
            weights=targets.weights,
            costs=record_costs,
            scale=unit / n_classes,
            offset=1.0,
            maximize=True,
        )

    @property
    def score_name(self) -> str:
        """Name of what `score` returns; see `Objective.score_name`."""
        return "balanced accuracy"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the balanced accuracy of predictions."""
        from sklearn.metrics import balanced_accuracy_score  # noqa: PLC0415

        return float(balanced_accuracy_score(y_true, y_pred, sample_weight=sample_weight))
