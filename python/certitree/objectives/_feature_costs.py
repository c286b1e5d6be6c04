"""Costs of errors, and of the features that a record's path looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from certitree import _core
from certitree._coding import CodedTable
from certitree._column import Array
from certitree._frame import Records
from certitree._limits import seconds_left
from certitree._targets import Targets
from certitree.exceptions import ParameterError
from certitree.objectives._base import Goal, Kind, Objective, Scorer, refuse_costs
from certitree.objectives._cost_matrix import CostMatrix
from certitree.objectives._prices import (
    Groups,
    PriceList,
    Prices,
    price_list,
    read_groups,
    read_prices,
)
from certitree.objectives._registry import register
from certitree.objectives._search import CoreNodes, Found, Search, count_branching

_CORE_LIMITS = (
    "max_depth",
    "max_nodes",
    "min_samples_leaf",
    "aggregate",
    "memory_limit",
    "n_threads",
    "progress",
)
"""The limits that the core's search for feature costs knows."""


@register
@dataclass(frozen=True)
class FeatureCosts(Objective):
    """Minimise what errors cost plus what it costs to look at features.

    A record pays for every distinct feature that is tested on its path: a second test of a feature
    is free, and once one feature of a group is paid, the others of the group cost their
    discounted price. So medical tests that are dear are made only for patients for whom they
    matter, and tests of one blood sample share the price of drawing it.

    Parameters
    ----------
    costs : mapping from feature to float, finite and >= 0
        Price of a feature per record, by name or index of the column of X. Features not named are
        free.
    groups : mapping from name to features, optional
        Features that share a cost.
    discounted_costs : mapping from feature to float, optional
        Price of a feature once another one of its group was paid, at most its full price. By
        default the full price.
    error_costs : array-like of shape (n_classes, n_classes), optional
        ``error_costs[i][j]`` is the cost of predicting class j where class i is true, as in
        `CostMatrix`. By default 1 for each error.
    labels : sequence, optional
        The classes of rows and columns of `error_costs`, in order.

    Notes
    -----
    A sample weight multiplies all costs of its record. A penalty of 0.01 means that a branching
    node must save 0.01 of cost per unit of weight. `score` counts the cost of errors alone,
    because it sees no tree; `scorer` counts both.

    References
    ----------
    P. D. Turney, "Cost-sensitive classification: empirical evaluation of a hybrid genetic decision
    tree induction algorithm", 1995: costs of tests with group discounts.

    Examples
    --------
    >>> from certitree import OptimalTreeClassifier
    >>> from certitree.objectives import FeatureCosts
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, [0, 0, 0, 1] * 5
    >>> model = OptimalTreeClassifier(objective=FeatureCosts({0: 0.125, 1: 0.25})).fit(X, y)
    >>> model.objective_  # 20 times 0.125, and 10 times 0.25 where feature 0 leaves doubt
    5.0
    """

    name: ClassVar[str] = "feature_costs"
    kind: ClassVar[Kind] = "feature_costs"
    maximize: ClassVar[bool] = False

    costs: Prices
    groups: Groups | None = None
    discounted_costs: Prices | None = None
    error_costs: Sequence[Sequence[float]] | None = None
    labels: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        """Check the prices and keep them as tuples of pairs, which can be compared and hashed."""
        discounted = () if self.discounted_costs is None else self.discounted_costs
        object.__setattr__(self, "costs", read_prices("costs", self.costs))
        object.__setattr__(self, "groups", read_groups(self.groups))
        object.__setattr__(self, "discounted_costs", read_prices("discounted_costs", discounted))
        if self.error_costs is not None:
            matrix = CostMatrix(self.error_costs, self.labels)
            object.__setattr__(self, "error_costs", matrix.costs)
            object.__setattr__(self, "labels", matrix.labels)
        elif self.labels is not None:
            raise ParameterError("labels came without error_costs, whose classes it names")

    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Refuse: the features are needed, which `bind_records` knows."""
        raise ParameterError(f"objective {self.name!r} needs the features of the records")

    def bind_records(
        self,
        records: Records,
        targets: Targets,
        costs: NDArray[np.float64] | None = None,
        sensitive: Any = None,
    ) -> Goal:
        """Meet the training records and their features; see `Objective.bind_records`."""
        refuse_costs(costs, self.name)
        if sensitive is not None:
            return super().bind_records(records, targets, costs, sensitive)  # which refuses
        prices = self.prices(records.names, records.n_features)
        classes, labels, matrix = self._classes(targets)
        return FeatureCostsGoal(
            classes=classes,
            labels=labels,
            weights=targets.weights,
            error_costs=matrix,
            prices=prices,
            total_weight=targets.total_weight,
        )

    def _classes(self, targets: Targets) -> tuple[Array, NDArray[np.int32], NDArray[np.float64]]:
        """Return the classes, the class of each record, and the costs of errors between them."""
        if self.error_costs is None:
            return targets.classes, targets.labels, 1.0 - np.eye(targets.classes.size)
        return CostMatrix(self.error_costs, self.labels).match(targets)

    def prices(self, names: Sequence[str] | None, n_features: int) -> PriceList:
        """Return the prices of a table's features.

        Raises
        ------
        ParameterError
            If a feature does not exist, or its discounted price does not suit.
        """
        # Pairs since __post_init__, whatever came in.
        costs: Any = self.costs
        groups: Any = self.groups
        discounted: Any = self.discounted_costs
        return price_list(costs, groups, discounted, names, n_features)

    def for_classes(self, classes: Array) -> Self:
        """Name the classes of `error_costs`; see `Objective.for_classes`."""
        matrix = self.error_costs
        if matrix is not None and self.labels is None and len(classes) == len(matrix):
            return replace(self, labels=classes.tolist())
        return self

    @property
    def score_name(self) -> str:
        """Name of what `score` returns; see `Objective.score_name`."""
        return "minus mean cost of errors"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return minus the mean cost of errors; what features cost cannot be seen here."""
        classes = np.unique(np.concatenate([np.asarray(y_true), np.asarray(y_pred)]))
        return self._errors(classes.size).score(y_true, y_pred, sample_weight)

    def scorer(self) -> Scorer:
        """Return a scorer: minus the mean cost of errors and features."""
        return FeatureCostsScorer(self)

    def _errors(self, n_classes: int) -> CostMatrix:
        if self.error_costs is None:
            return CostMatrix((1.0 - np.eye(n_classes)).tolist())
        return CostMatrix(self.error_costs, self.labels)


@dataclass(frozen=True)
class FeatureCostsScorer(Scorer):
    """Scores an estimator's predictions and the features that its tree looks at."""

    objective: FeatureCosts

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return minus the mean cost; greater is better."""
        errors = super().__call__(estimator, X, y, sample_weight)
        prices = self.objective.prices(
            getattr(estimator, "feature_names_in_", np.array([])).tolist(),
            estimator.n_features_in_,
        )
        paid = prices.leaf_prices(estimator.tree_)[estimator.apply(X)]
        return errors - float(np.average(paid, weights=sample_weight))


@dataclass(frozen=True, eq=False)
class FeatureCostsGoal(Goal):
    """Minimise the summed cost of errors and features.

    Attributes
    ----------
    classes, labels, weights
        See `Goal`.
    error_costs : float64 array of shape (n_classes, n_classes), finite and >= 0
        By true and by predicted class.
    prices : PriceList
    total_weight : float
    """

    classes: Array
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    error_costs: NDArray[np.float64]
    prices: PriceList
    total_weight: float

    @cached_property
    def stand_ins(self) -> list[int]:
        """For each feature the first of the same cost: of two that split alike, one is cheaper."""
        return self.prices.stand_ins()

    def search(self, search: Search, complexity_penalty: float) -> Found:
        """Find the best tree; see `Goal.search`."""
        penalty = complexity_penalty * self.total_weight
        limits: dict[str, Any] = {name: search.limits[name] for name in _CORE_LIMITS}
        coded, stand_ins = search.coded, self.stand_ins
        result = _core.solve_feature_costs(
            search.table,
            error_costs=self.error_costs,
            labels=self.labels,
            weights=self.weights,
            prices=list(
                zip(self.prices.full, self.prices.discounted, self.prices.group, strict=True)
            ),
            feature_of_column=[
                stand_ins[coding.condition(0)[0].feature] if n_splits else 0
                for coding, n_splits in zip(coded.codings, coded.n_splits, strict=True)
            ],
            node_penalty=penalty,
            time_limit=seconds_left(search.time_limit, search.started),
            **limits,
        )
        # Summed anew: the core's sum is of rounded costs.
        nodes = result["nodes"]
        leaves = coded.find_leaves(nodes)
        errors, feature_cost = self._costs(coded, nodes, leaves)
        objective = errors + feature_cost + penalty * count_branching(nodes)
        optimal = result["status"] == "optimal"
        return Found(
            nodes=nodes,
            status=result["status"],
            objective=objective,
            lower_bound=objective if optimal else min(objective, result["lower_bound"]),
            upper_bound=objective,
            n_records=result["n_records"],
            n_unique=result["n_unique"],
            n_unique_labelled=result["n_unique_labelled"],
            stats=dict(result["stats"]),
            attributes={"feature_cost_": feature_cost},
            leaves=leaves,
        )

    def _costs(
        self, coded: CodedTable, nodes: CoreNodes, leaves: NDArray[np.uint32]
    ) -> tuple[float, float]:
        """Return what errors cost, and what the records pay for features."""
        n_classes = self.classes.size
        cells = leaves.astype(np.intp) * n_classes + self.labels
        n_cells = len(nodes) * n_classes
        weights = np.bincount(cells, self.weights, n_cells).reshape(-1, n_classes)
        errors = paid_in_all = 0.0
        waiting = [(0, 0.0, frozenset[int]())]
        while waiting:
            node, price, paid = waiting.pop()
            column, split, left, right, label = nodes[node]
            if column < 0:
                errors += float(weights[node] @ self.error_costs[:, label])
                paid_in_all += price * float(weights[node].sum())
                continue
            feature = coded.codings[column].condition(split)[0].feature
            price += self.prices.charge(feature, paid)
            paid |= {feature}
            waiting += [(left, price, paid), (right, price, paid)]
        return errors, paid_in_all
