"""The least cost of errors and features by trying all trees: slow, and plain enough to be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np


def least_cost(
    splits: Sequence[tuple[int, np.ndarray]],
    errors: np.ndarray,
    weights: np.ndarray,
    full: Mapping[int, float],
    discounted: Mapping[int, float],
    group: Mapping[int, str],
    *,
    max_depth: int,
    max_nodes: int | None = None,
    min_samples_leaf: int = 1,
    node_penalty: float = 0.0,
) -> tuple[float, int]:
    """Return the least cost of a tree, and the fewest branching nodes of one that reaches it.

    `splits` are pairs of a feature and a bool array over the rows, `errors` has a row per record
    and a column per label, weights included. All numbers should be multiples of a power of two.
    """
    n_rows = weights.size
    masks = [(feature, sum(1 << int(row) for row in np.flatnonzero(s))) for feature, s in splits]
    budget = 2**max_depth - 1 if max_nodes is None else min(max_nodes, 2**max_depth - 1)

    @cache
    def rows(node: int) -> list[int]:
        return [row for row in range(n_rows) if node >> row & 1]

    def charge(feature: int, paid: frozenset[int], node: int) -> float:
        if feature in paid:
            return 0.0
        price = full.get(feature, 0.0)
        if feature in group and any(group.get(other) == group[feature] for other in paid):
            price = discounted.get(feature, price)
        return price * float(weights[rows(node)].sum())

    @cache
    def best(node: int, depth: int, nodes: int, paid: frozenset[int]) -> tuple[float, int]:
        found = (float(errors[rows(node)].sum(axis=0).min()), 0)
        if depth == 0 or nodes == 0:
            return found
        for feature, mask in masks:
            left, right = node & mask, node & ~mask
            if min(left.bit_count(), right.bit_count()) < max(1, min_samples_leaf):
                continue
            price = charge(feature, paid, node) + node_penalty
            for left_nodes in range(nodes):
                a = best(left, depth - 1, left_nodes, paid | {feature})
                b = best(right, depth - 1, nodes - 1 - left_nodes, paid | {feature})
                found = min(found, (a[0] + b[0] + price, a[1] + b[1] + 1))
        return found

    return best((1 << n_rows) - 1, max_depth, budget, frozenset())
