"""Misclassified weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from certitree._column import Array
from certitree._schema import available
from certitree._targets import Targets
from certitree.exceptions import ParameterError
from certitree.objectives._additive import AdditiveGoal
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs
from certitree.objectives._registry import register


@register
@dataclass(frozen=True)
class Accuracy(Objective):
    """Minimise the misclassified weight: the number of errors, if all weights are one.

    Parameters
    ----------
    class_weight : dict from class to factor, "balanced" or None, default=None
        Factor by which the weight of each record of a class is multiplied, finite and > 0; 1 for
        classes that are not named. "balanced" makes the total weight of all classes equal and
        keeps that of all records.
    """

    name: ClassVar[str] = "accuracy"
    kind: ClassVar[Kind] = "additive"
    maximize: ClassVar[bool] = False

    class_weight: Mapping[Any, float] | Literal["balanced"] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        """Check the factors, and keep a copy of them."""
        given = self.class_weight
        if given is None or (isinstance(given, str) and given == "balanced"):
            return
        try:
            factors = dict(given)  # a model file holds a list of pairs
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"class_weight={given!r} is not allowed; give a dict from class to factor, "
                f"'balanced' or None"
            ) from error
        for label, factor in factors.items():
            if not isinstance(factor, Real) or not 0 < float(factor) < np.inf:
                raise ParameterError(
                    f"class_weight gives class {label!r} the factor {factor!r}; a positive number "
                    f"is expected (to leave a class out, drop its records)"
                )
        object.__setattr__(self, "class_weight", factors)

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        refuse_costs(costs, self.name)
        weights, total = targets.weights, targets.total_weight
        if self.class_weight is not None:
            classes = targets.classes.tolist()
            unknown = [label for label in self._named() if label not in classes]
            if unknown:
                raise ParameterError(
                    f"class_weight names the class {unknown[0]!r}, but y has {available(classes)}"
                )
            weights = self._weigh(targets.classes, targets.labels, weights)
            with np.errstate(over="ignore"):
                total = float(weights.sum())
            if not np.isfinite(total):
                raise ParameterError(
                    "class_weight makes the total weight of the records exceed the largest "
                    "number; only ratios of factors matter, so divide them all"
                )
        return AdditiveGoal(
            classes=targets.classes,
            labels=targets.labels,
            weights=weights,
            penalty_unit=total,
        )

    @property
    def score_name(self) -> str:
        """Name of what `score` returns; see `Objective.score_name`."""
        return "accuracy" if self.class_weight is None else "accuracy by class weights"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the share of the weight that is classified rightly, class weights included."""
        if self.class_weight is not None:
            classes, labels = np.unique(np.asarray(y_true), return_inverse=True)
            sample_weight = self._weigh(classes, labels, sample_weight)
        return super().score(y_true, y_pred, sample_weight)

    def to_dict(self) -> dict[str, Any]:
        """Return the objective as plain values; the factors as pairs, for JSON has text keys."""
        given = self.class_weight
        pairs = [list(item) for item in given.items()] if isinstance(given, Mapping) else given
        return {"objective": self.name, "parameters": {"class_weight": pairs}}

    def _named(self) -> Mapping[Any, float]:
        return self.class_weight if isinstance(self.class_weight, Mapping) else {}

    def _weigh(
        self, classes: Array, labels: NDArray[np.integer[Any]], weights: Any
    ) -> NDArray[np.float64]:
        """Multiply weights (None for ones) by the factors of the classes of their records."""
        weights = np.ones(labels.size) if weights is None else np.asarray(weights, np.float64)
        if self.class_weight == "balanced":
            totals = np.bincount(labels, weights=weights, minlength=classes.size)
            factors = weights.sum() / (classes.size * totals)
        else:
            named = self._named()
            factors = np.array([named.get(label, 1.0) for label in classes.tolist()])
        with np.errstate(over="ignore"):
            weighted: NDArray[np.float64] = weights * factors[labels]
        return weighted
