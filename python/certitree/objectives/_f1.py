"""F1 and F-beta of a positive class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certitree._targets import Targets
from certitree.exceptions import ParameterError
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs
from certitree.objectives._fractional import FractionalGoal, Ratio
from certitree.objectives._positive import are_positive, positive_index
from certitree.objectives._registry import register


@register
@dataclass(frozen=True)
class F1(Objective):
    """Maximise F1, the harmonic mean of precision and recall: 2 TP / (2 TP + FN + FP).

    For two classes. A tree that predicts no positive record scores 0, as in scikit-learn.

    Parameters
    ----------
    pos_label : label, optional
        The positive class; by default the second of the sorted classes.
    """

    name: ClassVar[str] = "f1"
    kind: ClassVar[Kind] = "fractional"
    maximize: ClassVar[bool] = True

    pos_label: Any = None

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        refuse_costs(costs, self.name)
        return bind_ratio(self.name, targets, self.pos_label, Ratio(Fraction(2), Fraction(1)))

    @property
    def score_name(self) -> str:
        """Name of what `score` returns; see `Objective.score_name`."""
        return "F1"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the F1 of predictions."""
        return fbeta_of(y_true, y_pred, 1.0, self.pos_label, sample_weight)


@register
@dataclass(frozen=True)
class FBeta(Objective):
    """Maximise F-beta, which weighs recall beta times as much as precision.

    Parameters
    ----------
    beta : float, > 0
    pos_label : label, optional
        The positive class; by default the second of the sorted classes.
    """

    name: ClassVar[str] = "f_beta"
    kind: ClassVar[Kind] = "fractional"
    maximize: ClassVar[bool] = True

    beta: float
    pos_label: Any = None

    def __post_init__(self) -> None:
        """Check beta."""
        if not isinstance(self.beta, Real) or not 0 < float(self.beta) < np.inf:
            raise ParameterError(
                f"beta={self.beta!r} must be a positive number; 2 favours recall, 0.5 precision"
            )

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        refuse_costs(costs, self.name)
        # 0.1 means one tenth, not the binary fraction next to it: that keeps the costs small.
        squared = Fraction(repr(float(self.beta))) ** 2
        return bind_ratio(self.name, targets, self.pos_label, Ratio(1 + squared, squared))

    @property
    def score_name(self) -> str:
        """Name of what `score` returns; see `Objective.score_name`."""
        return f"F-beta, beta {self.beta:g}"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the F-beta of predictions."""
        return fbeta_of(y_true, y_pred, float(self.beta), self.pos_label, sample_weight)


def bind_ratio(name: str, targets: Targets, pos_label: Any, ratio: Ratio) -> FractionalGoal:
    """Bind a ratio of the positive class to two-class records.

    Raises
    ------
    InputError
        If there are not two classes, or the positive one is not among them.
    """
    positive = positive_index(name, targets.classes, pos_label)
    return FractionalGoal(
        classes=targets.classes,
        labels=targets.labels,
        weights=targets.weights,
        positive=positive,
        ratio=ratio,
        name=name,
    )


def fbeta_of(y_true: Any, y_pred: Any, beta: float, pos_label: Any, sample_weight: Any) -> float:
    """Return the F-beta of predictions; 0 where it is 0/0."""
    from sklearn.metrics import fbeta_score  # noqa: PLC0415

    truth, called = are_positive(y_true, y_pred, pos_label)
    return float(
        fbeta_score(truth, called, beta=beta, sample_weight=sample_weight, zero_division=0)
    )
