"""Objectives that are a sum over records of a cost of the label given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certitree._column import Array
from certitree.objectives._base import Goal
from certitree.objectives._search import Found, Search, count_branching, labels_at


@dataclass(frozen=True, eq=False)
class AdditiveGoal(Goal):
    """Minimise a summed cost, or maximise a constant minus it; solved by one search.

    Costs that are whole numbers are summed exactly. Others are rounded by the core to a fraction
    2^-38 to 2^-37 of their total; "optimal" then means optimal up to that rounding.

    Attributes
    ----------
    classes, labels, weights
        See `Goal`.
    costs : float64 array of shape (n_records, n_labels), finite and >= 0, weights included
        None for the weight of a record as the cost of a wrong label.
    cost_matrix : float64 array of shape (n_classes, n_labels), finite and >= 0
        Or the cost of each label where a class is true, per unit of weight.
    scale : float
        Worth of one unit of cost in the objective's units.
    offset : float
        The objective at cost 0.
    maximize : bool
        The objective is ``offset - scale * cost`` instead of ``offset + scale * cost``.
    penalty_unit : float
        What ``complexity_penalty=1`` means in the objective's units.
    """

    classes: Array
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    costs: NDArray[np.float64] | None = None
    cost_matrix: NDArray[np.float64] | None = None
    scale: float = 1.0
    offset: float = 0.0
    maximize: bool = False
    penalty_unit: float = 1.0

    def search(self, search: Search, complexity_penalty: float) -> Found:
        """Find the best tree; see `Goal.search`."""
        penalty = complexity_penalty * self.penalty_unit / self.scale
        result = search.additive(
            labels=self.labels,
            n_labels=self.classes.size,
            weights=self.weights if self.costs is None else None,
            costs=self.costs,
            cost_matrix=self.cost_matrix,
            node_penalty=penalty,
        )
        # Summed anew: the core's sum is of rounded costs.
        nodes = result["nodes"]
        leaves = search.coded.find_leaves(nodes)
        cost = self.cost(labels_at(nodes, leaves)) + penalty * count_branching(nodes)
        optimal = result["status"] == "optimal"
        least = cost if optimal else min(cost, result["lower_bound"])
        objective, bound = self._value(cost), self._value(least)
        return Found(
            nodes=nodes,
            status=result["status"],
            objective=objective,
            lower_bound=objective if self.maximize else bound,
            upper_bound=bound if self.maximize else objective,
            n_records=result["n_records"],
            n_unique=result["n_unique"],
            n_unique_labelled=result["n_unique_labelled"],
            stats=dict(result["stats"]),
            leaves=leaves,
        )

    def cost(self, predicted: NDArray[np.int32]) -> float:
        """Return the summed cost of giving the records these labels, without penalty."""
        if self.costs is not None:
            return float(self.costs[np.arange(predicted.size), predicted].sum())
        if self.cost_matrix is not None:
            cells = self.labels * np.int32(self.classes.size) + predicted
            weights = np.bincount(cells, self.weights, self.cost_matrix.size)
            return float(weights @ self.cost_matrix.ravel())
        wrong = predicted != self.labels
        return float(wrong.sum() if self.weights is None else self.weights[wrong].sum())

    def _value(self, cost: float) -> float:
        return self.offset + (-self.scale if self.maximize else self.scale) * cost


def is_whole(values: NDArray[np.float64] | None) -> bool:
    """Tell whether values (None for ones) are whole numbers that floats hold exactly."""
    if values is None:
        return True
    return bool((values == np.floor(values)).all() and values.sum() <= 2**53)
