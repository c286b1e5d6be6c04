"""Split rankings by scikit-learn's trees, to compare with certitree's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from certitree._coding import CodedTable


class PeerProposer:
    """Ranks splits by `RandomForestClassifier`, later by `DecisionTreeClassifier`.

    Both see a 0/1 matrix with a column per split: n_rows x n_splits bytes.

    Parameters
    ----------
    splits : sequence of (coded column, split)
    table : CodedTable
    labels : int32 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), or None for ones
    forest_trees, cart_fits, cart_depth : int
        As `AdaptiveTreeClassifier` takes them.
    n_jobs : int
    seed : int
    """

    def __init__(
        self,
        splits: Sequence[tuple[int, int]],
        table: CodedTable,
        labels: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        *,
        forest_trees: int,
        cart_fits: int,
        cart_depth: int,
        n_jobs: int,
        seed: int,
    ) -> None:
        self.splits = splits
        rows = np.arange(labels.size)
        columns = [table.goes_left(column, split, rows) for column, split in splits]
        self.matrix = np.array(columns, dtype=np.float32).T
        self.labels = labels
        self.weights = weights
        self.forest_trees = forest_trees
        self.cart_fits = cart_fits
        self.cart_depth = cart_depth
        self.n_jobs = n_jobs
        self.seed = seed

    def __call__(
        self, iteration: int, excluded: Sequence[tuple[int, int]], count: int
    ) -> list[tuple[int, int]]:
        """Return at most `count` splits, the most important first."""
        barred = set(excluded)
        allowed = [place for place, split in enumerate(self.splits) if split not in barred]
        if not allowed or count == 0:
            return []
        matrix = self.matrix[:, allowed]
        seed = (self.seed + iteration) % 2**31
        if iteration == 1:
            forest = RandomForestClassifier(
                self.forest_trees, n_jobs=self.n_jobs, random_state=seed
            )
            importance = forest.fit(matrix, self.labels, self.weights).feature_importances_
        else:
            importance = np.zeros(len(allowed))
            for fit in range(self.cart_fits):
                tree = DecisionTreeClassifier(
                    max_depth=self.cart_depth, random_state=(seed + 7919 * fit) % 2**31
                )
                importance += tree.fit(matrix, self.labels, self.weights).feature_importances_
        order = np.argsort(-importance, kind="stable")[:count]
        if iteration > 1:
            order = order[importance[order] > 0]
        return [self.splits[allowed[place]] for place in order]
