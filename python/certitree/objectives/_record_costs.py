"""A cost for each record and label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certitree._schema import available
from certitree._targets import Targets
from certitree.exceptions import InputError, InputTypeError, ParameterError
from certitree.objectives._additive import AdditiveGoal
from certitree.objectives._base import Goal, Kind, Objective
from certitree.objectives._registry import register


@register
@dataclass(frozen=True)
class RecordCosts(Objective):
    """Minimise the summed cost of the predictions, given record by record.

    The costs are an argument of `fit`: ``fit(X, y, costs=C)``, with C of shape
    (n_rows, n_classes), finite and >= 0; column j is the cost of predicting class j.

    Parameters
    ----------
    labels : sequence, optional
        The classes of the columns, in order. By default the sorted classes of y.

    Notes
    -----
    A penalty of 0.01 means that a branching node must save 0.01 of cost per unit of weight.
    """

    name: ClassVar[str] = "record_costs"
    kind: ClassVar[Kind] = "additive"
    maximize: ClassVar[bool] = False

    labels: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        """Keep the labels as a tuple."""
        if self.labels is not None:
            labels = tuple(np.asarray(self.labels).tolist())
            if not labels or len(set(labels)) != len(labels):
                raise ParameterError(f"labels={labels} must name each class once")
            object.__setattr__(self, "labels", labels)

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records; see `Objective.bind`."""
        if costs is None:
            raise InputError(
                "objective 'record_costs' needs costs: fit(X, y, costs=C), one row per record "
                "and one column per class"
            )
        classes = targets.classes
        if self.labels is not None:
            classes = np.array(self.labels, dtype=object if classes.dtype == object else None)
        if costs.shape[1] != classes.size:
            raise InputError(
                f"costs has {costs.shape[1]} columns, but there are {classes.size} classes "
                f"({available(classes.tolist())}); give one column per class, or name the classes "
                f"of the columns with RecordCosts(labels=[...])"
            )
        order = np.argsort(classes)
        classes, costs = classes[order], costs[:, order]
        unknown = sorted(set(targets.classes.tolist()) - set(classes.tolist()))
        if unknown:
            raise InputError(
                f"y holds the class {unknown[0]!r}, for which there are no costs; the columns "
                f"are {available(classes.tolist())}"
            )
        place = np.searchsorted(classes, targets.classes).astype(np.int32)
        weighted = costs if targets.weights is None else costs * targets.weights[:, None]
        return AdditiveGoal(
            classes=classes,
            labels=place[targets.labels],
            weights=targets.weights,
            costs=np.ascontiguousarray(weighted),
            penalty_unit=targets.total_weight,
        )


def read_costs(
    costs: Any, n_rows: int, rows: NDArray[np.intp] | None
) -> NDArray[np.float64] | None:
    """Check costs given to `fit`, and keep those of the records that count.

    Parameters
    ----------
    costs : array-like of shape (n_rows, n_labels), or None
    n_rows : int
    rows : intp array or None
        The records that count; None for all.

    Raises
    ------
    InputError, InputTypeError
        If they are of the wrong shape or type, negative or not finite.
    """
    if costs is None:
        return None
    try:
        table = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"costs must hold numbers: {error}") from error
    if table.ndim != 2 or table.shape[0] != n_rows or table.shape[1] == 0:
        raise InputError(
            f"costs has shape {table.shape}, but X has {n_rows} rows; shape ({n_rows}, number of "
            f"classes) is expected"
        )
    bad = ~(np.isfinite(table) & (table >= 0))
    if bad.any():
        row, column = (int(index) for index in np.argwhere(bad)[0])
        raise InputError(
            f"costs holds {table[row, column]} in row {row}, column {column}; costs must be "
            f"finite and at least 0 (adding a constant to all costs of a record changes no tree)"
        )
    return table if rows is None else table[rows]
