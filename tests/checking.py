"""Checks that every fitted model must pass, made on the raw rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from certitree import OptimalTreeClassifier, _core


def raw_column(X: Any, index: int) -> list[Any]:
    """A column of a table as a list of plain values."""
    if isinstance(X, np.ndarray):
        return X[:, index].tolist()
    if hasattr(X, "toarray"):
        return raw_column(X.toarray(), index)
    if hasattr(X, "to_pydict"):
        return X.column(index).to_pylist()
    if hasattr(X, "to_dicts"):
        return X[X.columns[index]].to_list()
    if hasattr(X, "iloc"):
        return X.iloc[:, index].tolist()
    return [row[index] for row in X]


def raw_columns(X: Any) -> list[list[Any]]:
    """Columns of a table as lists of plain values."""
    width = X.shape[1] if hasattr(X, "shape") else len(X[0])
    return [raw_column(X, index) for index in range(width)]


def is_missing(value: object) -> bool:
    return (
        value is None
        or type(value).__name__ == "NAType"
        or (isinstance(value, float) and math.isnan(value))
    )


def check_fitted(
    model: OptimalTreeClassifier, X: Any, y: Any, sample_weight: Any = None
) -> OptimalTreeClassifier:
    """Score the tree with the independent checker, and compare it with all the model says."""
    y = np.asarray(y)
    weights = np.ones(y.size) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    penalty = model.complexity_penalty * weights.sum()
    predicted = model.predict(X)
    wrong = float(weights[predicted != y].sum())
    branching = model.n_branching_nodes_
    assert wrong + penalty * branching == pytest.approx(model.objective_, rel=1e-9, abs=1e-9)

    kept = np.flatnonzero(weights > 0)
    classes, names = model.classes_.tolist(), y.tolist()
    labels = np.array([classes.index(names[row]) for row in kept], dtype=np.int32)
    values = _values(model, X, kept)
    scored, n_leaves, leaf_sizes = _core.score_tree(
        values, _nodes(model), labels, weights[kept], penalty
    )
    assert scored == pytest.approx(model.objective_, rel=1e-9, abs=1e-9)
    assert n_leaves == model.n_leaves_ == model.get_n_leaves() == branching + 1
    assert min(leaf_sizes) >= min(model.min_samples_leaf, kept.size)
    assert sorted(leaf_sizes) == sorted(model.tree_.n_node_samples[model.tree_.is_leaf()])
    assert model.get_depth() <= model.max_depth
    if model.max_nodes is not None:
        assert branching <= model.max_nodes
    assert model.n_records_ == kept.size
    assert model.lower_bound_ <= model.objective_ + 1e-9
    assert 0.0 <= model.gap_ <= 1.0
    if model.status_ == "optimal":
        assert model.gap_ == 0.0
        assert model.lower_bound_ == model.objective_
    return model


def _values(model: OptimalTreeClassifier, X: Any, rows: np.ndarray) -> list[np.ndarray]:
    values = []
    used = model.tree_.used_features()
    for place, feature in enumerate(model.features_):
        if place not in used:
            values.append(np.zeros(rows.size))
            continue
        column = raw_column(X, place)
        entries = [column[row] for row in rows]
        if feature.kind == "nominal":
            index = {category: float(i) for i, category in enumerate(feature.categories)}
            values.append(np.array([np.nan if is_missing(e) else index[e] for e in entries]))
        else:
            values.append(np.array([np.nan if is_missing(e) else float(e) for e in entries]))
    return values


def _nodes(model: OptimalTreeClassifier) -> list[tuple[int, str, float, bool, int, int, int]]:
    tree = model.tree_
    return [
        (
            int(tree.feature[node]),
            str(tree.operator[node]),
            float(tree.category[node] if tree.operator[node] == "==" else tree.threshold[node]),
            bool(tree.missing_left[node]),
            int(tree.children_left[node]),
            int(tree.children_right[node]),
            int(tree.label[node]),
        )
        for node in range(tree.node_count)
    ]
