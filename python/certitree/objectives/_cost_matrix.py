"""A cost for each pair of true and predicted class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from certitree._column import Array
from certitree._schema import available
from certitree._targets import Targets
from certitree.exceptions import InputError, ParameterError
from certitree.objectives._additive import AdditiveGoal
from certitree.objectives._base import Goal, Kind, Objective, refuse_costs
from certitree.objectives._registry import register


@register
@dataclass(frozen=True)
class CostMatrix(Objective):
    """Minimise the summed cost of the predictions.

    Parameters
    ----------
    costs : array-like of shape (n_classes, n_classes), finite and >= 0
        ``costs[i][j]`` is the cost of predicting class j where class i is true. The diagonal
        need not be zero.
    labels : sequence, optional
        The classes of rows and columns, in order. By default the sorted classes of the training
        labels. Classes that do not occur there may be listed; they can be predicted.

    Notes
    -----
    A penalty of 0.01 means that a branching node must save 0.01 of cost per unit of weight.
    """

    name: ClassVar[str] = "cost_matrix"
    kind: ClassVar[Kind] = "additive"
    maximize: ClassVar[bool] = False

    costs: Sequence[Sequence[float]]
    labels: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        """Check the matrix and keep it as nested tuples, which can be compared and hashed."""
        try:
            matrix = np.array(self.costs, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"costs must be a square table of numbers: {error}") from error
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
            raise ParameterError(
                f"costs has shape {matrix.shape}; one row per true and one column per predicted "
                f"class is expected"
            )
        if not np.isfinite(matrix).all() or (matrix < 0).any():
            bad = matrix[~(np.isfinite(matrix) & (matrix >= 0))][0]
            raise ParameterError(
                f"costs holds {bad}; costs must be finite and at least 0 (adding a constant to a "
                f"row changes no tree)"
            )
        object.__setattr__(self, "costs", tuple(map(tuple, matrix.tolist())))
        if self.labels is not None:
            labels = tuple(np.asarray(self.labels).tolist())
            if len(labels) != len(matrix) or len(set(labels)) != len(labels):
                raise ParameterError(
                    f"labels names {len(set(labels))} distinct classes in {len(labels)} entries, "
                    f"but costs has {len(matrix)} rows; name each class once"
                )
            object.__setattr__(self, "labels", labels)

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        refuse_costs(costs, self.name)
        classes, labels, matrix = self.match(targets)
        return AdditiveGoal(
            classes=classes,
            labels=labels,
            weights=targets.weights,
            cost_matrix=matrix,
            penalty_unit=targets.total_weight,
        )

    def match(self, targets: Targets) -> tuple[Array, NDArray[np.int32], NDArray[np.float64]]:
        """Return the classes in sorted order, the class of each record, and the costs in order.

        Raises
        ------
        InputError
            If a record has a class that the matrix does not know.
        """
        classes, matrix = self._sorted(targets.classes)
        if classes is targets.classes:
            return classes, targets.labels, matrix
        place = np.searchsorted(classes, targets.classes).astype(np.int32)
        return classes, place[targets.labels], matrix

    def for_classes(self, classes: Array) -> Self:
        """Name the classes of rows and columns; see `Objective.for_classes`."""
        if self.labels is None and len(classes) == len(self.costs):
            return replace(self, labels=classes.tolist())
        return self

    @property
    def score_name(self) -> str:
        """Name of what `score` returns; see `Objective.score_name`."""
        return "minus mean cost"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return minus the mean cost of predictions."""
        y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
        classes, matrix = self._sorted(np.unique(np.concatenate([y_true, y_pred])))
        costs = matrix[np.searchsorted(classes, y_true), np.searchsorted(classes, y_pred)]
        return -float(np.average(costs, weights=sample_weight))

    def _sorted(self, occurring: Array) -> tuple[Array, NDArray[np.float64]]:
        """Return the classes in sorted order, and the matrix in that order."""
        matrix = np.array(self.costs)
        if self.labels is None:
            if occurring.size != len(matrix):
                raise InputError(
                    f"y has {occurring.size} classes ({available(occurring.tolist())}), but the "
                    f"cost matrix has {len(matrix)} rows; give one per class, or name the classes "
                    f"of the matrix with labels=[...]"
                )
            return occurring, matrix
        unknown = sorted(set(occurring.tolist()) - set(self.labels))
        if unknown:
            raise InputError(
                f"y holds the class {unknown[0]!r}, which the cost matrix does not know; its "
                f"labels are {available(self.labels)}"
            )
        classes = np.array(self.labels, dtype=object if occurring.dtype == object else None)
        order = np.argsort(classes)
        return classes[order], matrix[np.ix_(order, order)]
