"""Jaccard index of a positive class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certitree._targets import Targets
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs
from certitree.objectives._f1 import bind_ratio
from certitree.objectives._fractional import Ratio
from certitree.objectives._positive import are_positive
from certitree.objectives._registry import register


@register
@dataclass(frozen=True)
class Jaccard(Objective):
    """Maximise the Jaccard index TP / (TP + FN + FP).

    For two classes. It ranks trees as F1 does, so the best tree is the same; the value differs.

    Parameters
    ----------
    pos_label : label, optional
        The positive class; by default the second of the sorted classes.
    """

    name: ClassVar[str] = "jaccard"
    kind: ClassVar[Kind] = "fractional"
    maximize: ClassVar[bool] = True

    pos_label: Any = None

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        refuse_costs(costs, self.name)
        return bind_ratio(self.name, targets, self.pos_label, Ratio(Fraction(1), Fraction(1)))

    @property
    def score_name(self) -> str:
        """Name of what `score` returns; see `Objective.score_name`."""
        return "Jaccard index"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the Jaccard index of predictions."""
        from sklearn.metrics import jaccard_score  # noqa: PLC0415

        truth, called = are_positive(y_true, y_pred, self.pos_label)
        return float(jaccard_score(truth, called, sample_weight=sample_weight, zero_division=0))
