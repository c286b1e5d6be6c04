"""The values of all small trees, listed one by one: slow, and simple enough to be right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

Statistics = tuple[float, ...]
LeafValues = Callable[[np.ndarray], Iterable[Statistics]]
"""From the rows of a leaf to the statistics of each way to label it."""


def reachable_statistics(
    splits: Sequence[np.ndarray],
    leaf_values: LeafValues,
    *,
    max_depth: int,
    max_nodes: int | None = None,
    min_samples_leaf: int = 1,
) -> set[Statistics]:
    """List the summed statistics of every tree; the last entry counts the branching nodes.

    Weights should be multiples of a power of two, so that equal sums are equal.
    """
    n_rows = splits[0].size
    masks = list(dict.fromkeys(_mask(split) for split in splits))
    budget = 2**max_depth - 1 if max_nodes is None else min(max_nodes, 2**max_depth - 1)

    @cache
    def trees(node: int, depth: int, nodes: int) -> frozenset[Statistics]:
        rows = np.array([row for row in range(n_rows) if node >> row & 1])
        found = {(*values, 0) for values in leaf_values(rows)}
        if depth == 0 or nodes == 0:
            return frozenset(found)
        for mask in masks:
            left, right = node & mask, node & ~mask
            if min(left.bit_count(), right.bit_count()) < max(1, min_samples_leaf):
                continue
            for left_nodes in range(nodes):
                for a in trees(left, depth - 1, left_nodes):
                    for b in trees(right, depth - 1, nodes - 1 - left_nodes):
                        total = tuple(x + y for x, y in zip(a, b, strict=True))
                        found.add((*total[:-1], total[-1] + 1))
        return frozenset(found)

    return set(trees((1 << n_rows) - 1, max_depth, budget))


def least_cost(
    splits: Sequence[np.ndarray],
    leaf_cost: Callable[[np.ndarray], float],
    max_depth: int,
) -> float:
    """Return the least summed leaf cost of a tree of some depth, with no limit on its nodes."""
    n_rows = splits[0].size
    masks = list(dict.fromkeys(_mask(split) for split in splits))

    @cache
    def best(node: int, depth: int) -> float:
        found = leaf_cost(np.array([row for row in range(n_rows) if node >> row & 1]))
        if depth > 0:
            for mask in masks:
                if node & mask and node & ~mask:
                    both = best(node & mask, depth - 1) + best(node & ~mask, depth - 1)
                    found = min(found, both)
        return found

    return best((1 << n_rows) - 1, max_depth)


def cost_leaf(costs: np.ndarray) -> LeafValues:
    """Leaves of an additive objective: the cost of the best label."""

    def values(rows: np.ndarray) -> list[Statistics]:
        return [(float(costs[rows].sum(axis=0).min()),)]

    return values


def error_leaf(is_positive: np.ndarray, weights: np.ndarray) -> LeafValues:
    """Leaves of a ratio: (false negatives, false positives) of both labels."""

    def values(rows: np.ndarray) -> list[Statistics]:
        positive = float(weights[rows][is_positive[rows]].sum())
        negative = float(weights[rows][~is_positive[rows]].sum())
        return [(positive, 0.0), (0.0, negative)]

    return values


def _mask(split: np.ndarray) -> int:
    return sum(1 << int(row) for row in np.flatnonzero(split))
