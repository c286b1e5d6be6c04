"""The solver against trying all trees, on small random tables of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from brute_force import all_splits, best_objective
from certitree import OptimalTreeClassifier
from checking import check_fitted, raw_columns

N_INSTANCES = 150


def random_table(rng: np.random.Generator, kind: str, n_rows: int) -> Any:
    if kind == "binary":
        return rng.integers(0, 2, (n_rows, 6)).astype(np.uint8)
    if kind == "numeric":
        return rng.integers(0, 4, (n_rows, 3)).astype(float)
    if kind == "chains":  # thresholds of two columns as a user might have binarised them
        base = rng.integers(0, 4, (n_rows, 2))
        return np.column_stack([base[:, j] <= t for j in (0, 1) for t in (0, 1, 2)]).astype(int)
    if kind == "one-hot":
        base = rng.integers(0, 4, (n_rows, 2))
        return np.column_stack([base[:, j] == t for j in (0, 1) for t in range(4)]).astype(float)
    if kind == "missing":
        values = rng.integers(0, 3, (n_rows, 3)).astype(float)
        values[rng.random(values.shape) < 0.25] = np.nan
        return values
    frame = pd.DataFrame(
        {
            "city": pd.Series(rng.choice(["ams", "delft", "urk"], n_rows), dtype=object),
            "age": rng.integers(0, 3, n_rows),
            "smoker": rng.random(n_rows) < 0.5,
        }
    )
    if kind == "nominal with missing":
        frame.loc[rng.random(n_rows) < 0.2, "city"] = None
    return frame


KINDS = ("binary", "numeric", "chains", "one-hot", "missing", "nominal", "nominal with missing")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("aggregate", [True, False])
def test_agrees_with_trying_all_trees(kind, aggregate):
    for seed in range(N_INSTANCES):
        rng = np.random.default_rng([seed, KINDS.index(kind), aggregate])
        n_rows = int(rng.integers(4, 25))
        X = random_table(rng, kind, n_rows)
        y = rng.integers(0, rng.integers(2, 5), n_rows)
        weights = rng.integers(1, 6, n_rows) / rng.choice([1.0, 4.0])
        if rng.random() < 0.4:
            weights = np.ones(n_rows)
        model = OptimalTreeClassifier(
            max_depth=int(rng.integers(0, 4)),
            max_nodes=rng.choice([None, 1, 2, 3, 4]),
            min_samples_leaf=int(rng.choice([1, 1, 2, 4])),
            complexity_penalty=float(rng.choice([0.0, 0.0, 1 / 64, 1 / 16])),
            aggregate=aggregate,
        ).fit(X, y, weights)
        check_fitted(model, X, y, weights)
        assert model.status_ == "optimal"
        expected, n_nodes = best_objective(
            all_splits(raw_columns(X)),
            np.unique(y, return_inverse=True)[1],
            weights,
            max_depth=model.max_depth,
            max_nodes=model.max_nodes,
            min_samples_leaf=model.min_samples_leaf,
            node_penalty=model.complexity_penalty * weights.sum(),
        )
        assert model.objective_ == pytest.approx(expected, abs=1e-9), seed
        assert model.n_branching_nodes_ == n_nodes, seed


@pytest.mark.parametrize("kernel_kind", ["binary", "numeric", "nominal with missing"])
def test_real_weights_agree_with_trying_all_trees(kernel_kind):
    for seed in range(N_INSTANCES):
        rng = np.random.default_rng([seed, 99])
        X = random_table(rng, kernel_kind, 14)
        y = rng.integers(0, 3, 14)
        weights = rng.random(14) + 0.01
        model = OptimalTreeClassifier(max_depth=2).fit(X, y, weights)
        check_fitted(model, X, y, weights)
        expected, _ = best_objective(
            all_splits(raw_columns(X)),
            np.unique(y, return_inverse=True)[1],
            weights,
            max_depth=2,
        )
        assert model.objective_ == pytest.approx(expected, rel=1e-9), seed


@pytest.mark.parametrize("candidates", [[0], [0, 2], [(1, 0.5), 2], [(0, 1.5), (1, 0.5), (1, 1.5)]])
def test_candidate_sets_agree_with_trying_all_trees(candidates):
    for seed in range(20):
        rng = np.random.default_rng([seed, 7])
        X = random_table(rng, "numeric", 18)
        y = rng.integers(0, 2, 18)
        model = OptimalTreeClassifier(max_depth=2, candidates=candidates).fit(X, y)
        check_fitted(model, X, y)
        splits = []
        for entry in candidates:
            if isinstance(entry, tuple):
                splits.append(X[:, entry[0]] <= entry[1])
            else:
                splits += all_splits([X[:, entry].tolist()])
        expected, n_nodes = best_objective(splits, y, np.ones(18), max_depth=2)
        assert (model.objective_, model.n_branching_nodes_) == (expected, n_nodes)
