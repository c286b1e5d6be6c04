"""Misclassified weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from certitree._targets import Targets
from certitree.objectives._additive import AdditiveGoal
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs
from certitree.objectives._registry import register


@register
@dataclass(frozen=True)
class Accuracy(Objective):
    """Minimise the misclassified weight: the number of errors, if all weights are one."""

    name: ClassVar[str] = "accuracy"
    kind: ClassVar[Kind] = "additive"
    maximize: ClassVar[bool] = False

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        refuse_costs(costs, self.name)
        return AdditiveGoal(
            classes=targets.classes,
            labels=targets.labels,
            weights=targets.weights,
            penalty_unit=targets.total_weight,
        )
