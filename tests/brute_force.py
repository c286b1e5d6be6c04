"""The best tree by trying all of them: slow, and simple enough to be seen to be right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from checking import is_missing


def best_objective(
    splits: Sequence[np.ndarray],
    labels: np.ndarray,
    weights: np.ndarray,
    *,
    max_depth: int,
    max_nodes: int | None = None,
    min_samples_leaf: int = 1,
    node_penalty: float = 0.0,
) -> tuple[float, int]:
    """Return the least objective and the fewest branching nodes of a tree that reaches it.

    `splits` are bool arrays over the rows. Weights and penalty should be multiples of a power of
    two, so that sums are exact and ties are ties.
    """
    masks = list(dict.fromkeys(_mask(split) for split in splits))
    rows = list(range(labels.size))
    n_classes = int(labels.max()) + 1
    budget = 2**max_depth - 1 if max_nodes is None else min(max_nodes, 2**max_depth - 1)

    def leaf(node: int) -> float:
        totals = [0.0] * n_classes
        for row in rows:
            if node >> row & 1:
                totals[labels[row]] += float(weights[row])
        return sum(totals) - max(totals)

    @cache
    def best(node: int, depth: int, nodes: int) -> tuple[float, int]:
        found = (leaf(node), 0)
        if depth == 0 or nodes == 0:
            return found
        for mask in masks:
            left, right = node & mask, node & ~mask
            if min(left.bit_count(), right.bit_count()) < max(1, min_samples_leaf):
                continue
            for left_nodes in range(nodes):
                a = best(left, depth - 1, left_nodes)
                b = best(right, depth - 1, nodes - 1 - left_nodes)
                found = min(found, (a[0] + b[0] + node_penalty, a[1] + b[1] + 1))
        return found

    return best((1 << labels.size) - 1, max_depth, budget)


def _mask(split: np.ndarray) -> int:
    return sum(1 << int(row) for row in np.flatnonzero(split))


def all_splits(columns: Sequence[Any]) -> list[np.ndarray]:
    """List every split of a table: one between any two distinct values, missing either way.

    A column is a sequence of numbers (thresholds) or of strings and bools (categories); None and
    NaN are missing.
    """
    splits = []
    for column in columns:
        missing = np.array([is_missing(value) for value in column])
        present = [value for value, lacks in zip(column, missing, strict=True) if not lacks]
        splits.append(missing)
        for value in sorted(set(present)):
            if isinstance(value, str | bool | np.bool_):
                splits.append(np.array([entry == value for entry in column]))
                continue
            below = np.array([not m and e <= value for e, m in zip(column, missing, strict=True)])
            splits += [below, below | missing]
    return splits
