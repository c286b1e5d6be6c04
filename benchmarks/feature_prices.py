"""The same prices of features for both solvers, drawn for what a 0/1 matrix was made of.

pystreed takes the 0/1 columns and the range of them that a feature became. certitree takes the
features themselves: a chain of thresholds is read back as one ordered feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from certitree.objectives import FeatureCosts
from problems import Problem

GROUP_SIZE = 3
"""Ordered features that share a cost, as tests of one blood sample do."""

Discount: TypeAlias = Literal["shared", "half"]
"""What all but the first of a group save: the same shared cost of 0.02, or half of their own price.

Half of a dear one may be more than a cheap one costs, which is then worth a test for that alone.
"""


@dataclass(frozen=True)
class PricedProblem:
    """A problem whose features cost something.

    Attributes
    ----------
    bits : uint8 array of shape (n_rows, n_columns)
        The 0/1 columns, those of a feature side by side.
    ranges : list of (first column, last column), one per feature
    X : int array of shape (n_rows, n_inputs)
        An ordered feature is one input, its value the number of thresholds that it exceeds. A
        feature of several exclusive categories is one 0/1 input for each.
    inputs : list of list of int, one per feature
    full, discounted : list of float, one per feature
        Price per record; the error of a record costs 1.
    group : list of int, one per feature
    """

    bits: NDArray[np.uint8]
    ranges: list[tuple[int, int]]
    X: NDArray[np.int64]
    inputs: list[list[int]]
    full: list[float]
    discounted: list[float]
    group: list[int]

    @property
    def feature_of_bit(self) -> NDArray[np.int64]:
        """Feature of each 0/1 column."""
        return np.repeat(
            np.arange(len(self.ranges)), [last - first + 1 for first, last in self.ranges]
        )

    def objective(self) -> FeatureCosts:
        """Return the prices for certitree."""
        full: dict[str | int, float] = {}
        less: dict[str | int, float] = {}
        groups: dict[str, list[str | int]] = {}
        for feature, inputs in enumerate(self.inputs):
            several = len(inputs) > 1  # 0/1 inputs of one feature, which are paid for together
            name = f"{'one' if several else 'group'} {self.group[feature]}"
            groups.setdefault(name, []).extend(inputs)
            for column in inputs:
                full[column] = self.full[feature]
                less[column] = 0.0 if several else self.discounted[feature]
        return FeatureCosts(full, groups, less)

    def paid(self, tree: Any) -> float:
        """Sum what the records pay in a pystreed tree."""

        def below(node: Any, rows: NDArray[np.intp], seen: frozenset[int]) -> float:
            if node.is_leaf_node():
                return 0.0
            feature = int(self.feature_of_bit[node.feature])
            price = 0.0
            if feature not in seen:
                shared = any(self.group[other] == self.group[feature] for other in seen)
                price = (self.discounted if shared else self.full)[feature]
            holds, seen = self.bits[rows, node.feature] == 1, seen | {feature}
            right = below(node.right_child, rows[holds], seen)
            return price * rows.size + right + below(node.left_child, rows[~holds], seen)

        return below(tree, np.arange(len(self.bits)), frozenset())


def priced(problem: Problem, discount: Discount = "shared") -> PricedProblem:
    """Draw prices: 0.01 to 0.08 of an error, and the shared cost where there is one."""
    if problem.source is None:
        raise ValueError(f"problem {problem.name!r} does not say what its columns were made of")
    sources = np.unique(problem.source)
    order = np.argsort(problem.source, kind="stable")
    columns, inputs, ranges, ordered = [], [], [], []
    n_inputs = first = 0
    for source in sources:
        chosen = problem.X[:, order[problem.source[order] == source]]
        ranges.append((first, first + chosen.shape[1] - 1))
        first += chosen.shape[1]
        values = _ordered(chosen)
        ordered.append(values is not None)
        made = chosen if values is None else values[:, None]
        columns.append(made.astype(np.int64))
        inputs.append(list(range(n_inputs, n_inputs + made.shape[1])))
        n_inputs += made.shape[1]
    rng = np.random.default_rng(0)
    full = [round(int(price) / 100, 2) for price in rng.integers(1, 9, sources.size)]
    members = rng.permutation(np.flatnonzero(ordered))
    group = list(range(sources.size))
    discounted = list(full)
    for start in range(0, members.size, GROUP_SIZE):
        for feature in members[start : start + GROUP_SIZE]:
            group[feature] = int(members[start])
            if discount == "half":
                discounted[feature] = full[feature] / 2
            else:
                full[feature] = round(full[feature] + 0.02, 2)
    return PricedProblem(
        np.ascontiguousarray(problem.X[:, order]),
        ranges,
        np.concatenate(columns, axis=1),
        inputs,
        full,
        discounted,
        group,
    )


def _ordered(bits: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """Read a chain of thresholds back as one value; None if the columns are no chain."""
    if bits.shape[1] == 2 and (bits[:, 0] != bits[:, 1]).all():
        return bits[:, 0].astype(np.int64)  # two categories
    bits = bits[:, np.argsort(bits.sum(axis=0), kind="stable")]
    if (bits[:, :-1] > bits[:, 1:]).any():
        return None
    return np.asarray(bits.shape[1] - bits.sum(axis=1, dtype=np.int64))
