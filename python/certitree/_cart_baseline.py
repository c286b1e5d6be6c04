"""scikit-learn's CART on the splits of a coded table, as a tree of ours: what to be better than."""

import math
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from certitree import _core
from certitree._binning import code_records
from certitree._builder import build_tree
from certitree._classifier import OptimalTreeClassifier
from certitree._coding import CodedTable
from certitree._frame import read_records
from certitree._split import leave_out
from certitree._targets import read_targets
from certitree._tree import Tree
from certitree.objectives import as_objective

_MAX_DENSE_BYTES = 2**28


@dataclass(frozen=True)
class CartBaseline:
    """CART's answer to the problem that a model was fitted to.

    Attributes
    ----------
    model : OptimalTreeClassifier
        The model with CART's tree in place of its own: for predicting, not for its certificate.
    n_splits : int
        Number of different splits that both could choose among.
    """

    model: OptimalTreeClassifier
    n_splits: int


def cart_beside(
    model: OptimalTreeClassifier, X: Any, y: Any, sample_weight: Any = None
) -> CartBaseline:
    """Fit CART with the limits of a fitted model, to the same records, weights and splits.

    Class weights of the objective are part of the weights; CART knows nothing else of it.

    Parameters
    ----------
    model : OptimalTreeClassifier
        Fitted to `X`, `y` and `sample_weight` and nothing else, without a candidate set.
    X, y, sample_weight
        As for `OptimalTreeClassifier.fit`.

    Returns
    -------
    CartBaseline
    """
    name = type(model).__name__
    records = read_records(X, name)
    targets = read_targets(y, sample_weight, records.n_rows, name)
    goal = as_objective(model.objective).bind_records(records, targets)
    selections = None
    if goal.left_out is not None:
        selections = leave_out(goal.left_out, None, records.n_features)
    coded = code_records(
        records, targets.rows, targets.weights, max_bins=model.max_bins, selections=selections
    )
    baseline = copy(model)
    baseline.tree_ = cart_tree(
        coded,
        goal.labels,
        goal.weights,
        goal.classes.size,
        max_depth=model.max_depth,
        max_nodes=model.max_nodes,
        min_samples_leaf=model.min_samples_leaf,
    )
    table = _core.Table(coded.codes, coded.kinds, coded.n_codes, coded.n_splits)
    return CartBaseline(baseline, table.n_splits)


def cart_tree(
    table: CodedTable,
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    n_classes: int,
    *,
    max_depth: int,
    max_nodes: int | None,
    min_samples_leaf: int,
    random_state: int = 0,
) -> Tree:
    """Fit CART to a coded table.

    An ordered column is given to CART as its codes, whose thresholds are just its splits, and a
    nominal one as an indicator for each of its splits. So CART chooses among the very splits that
    the exact search has.

    Parameters
    ----------
    table : CodedTable
        The training records.
    labels : int32 array of shape (n_rows,)
        Values in [0, n_classes).
    weights : float64 array of shape (n_rows,), or None for ones
    n_classes : int
    max_depth, max_nodes, min_samples_leaf
        As for `OptimalTreeClassifier`. With `max_nodes` CART grows the best node first.
    random_state : int
        Breaks CART's ties.

    Returns
    -------
    Tree
    """
    indicators = _indicators(table)
    if 0 in (max_depth, max_nodes) or not indicators:  # scikit-learn has no tree of one leaf
        heaviest = int(np.argmax(np.bincount(labels, weights=weights)))
        nodes = [(-1, -1, -1, -1, heaviest)]
    else:
        cart = DecisionTreeClassifier(
            max_depth=max_depth,
            max_leaf_nodes=None if max_nodes is None else max_nodes + 1,
            min_samples_leaf=min_samples_leaf,
            random_state=random_state,
        )
        cart.fit(_matrix(table, indicators), labels, sample_weight=weights)
        nodes = _nodes(cart, indicators)
    return build_tree(nodes, table, labels, weights, n_classes)


@dataclass(frozen=True)
class _Indicator:
    """A column for CART: the codes of an ordered column, or one category of a nominal one."""

    column: int
    category: int | None


def _indicators(table: CodedTable) -> list[_Indicator]:
    indicators: list[_Indicator] = []
    for column, (kind, n_splits) in enumerate(zip(table.kinds, table.n_splits, strict=True)):
        if kind == "nominal":
            indicators.extend(_Indicator(column, category) for category in range(n_splits))
        elif n_splits:
            indicators.append(_Indicator(column, None))
    return indicators


def _matrix(
    table: CodedTable, indicators: list[_Indicator]
) -> NDArray[np.float32] | scipy.sparse.csc_matrix:
    """Spread the codes out, one column per indicator; sparse where that would be large."""
    n_rows = table.codes.shape[1]
    if n_rows * len(indicators) * 4 <= _MAX_DENSE_BYTES:
        dense = np.empty((n_rows, len(indicators)), dtype=np.float32, order="F")
        for place, indicator in enumerate(indicators):
            dense[:, place] = _values(table, indicator)
        return dense
    columns = [
        scipy.sparse.csc_matrix(_values(table, indicator).reshape(-1, 1), dtype=np.float32)
        for indicator in indicators
    ]
    return scipy.sparse.csc_matrix(scipy.sparse.hstack(columns, format="csc"))


def _values(table: CodedTable, indicator: _Indicator) -> NDArray[np.uint8]:
    codes: NDArray[np.uint8] = table.codes[indicator.column]
    if indicator.category is None:
        return codes
    return np.equal(codes, indicator.category).view(np.uint8)


def _nodes(
    cart: DecisionTreeClassifier, indicators: list[_Indicator]
) -> list[tuple[int, int, int, int, int]]:
    """Write CART's tree as the core would: (column, split, true child, false child, label)."""
    tree = cart.tree_
    nodes: list[tuple[int, int, int, int, int]] = []
    for node in range(tree.node_count):
        low, high = int(tree.children_left[node]), int(tree.children_right[node])
        if low == -1:
            label = int(cart.classes_[np.argmax(tree.value[node, 0])])
            nodes.append((-1, -1, -1, -1, label))
            continue
        indicator = indicators[tree.feature[node]]
        if indicator.category is None:
            # CART's threshold lies between two codes, so it cuts where the split below it does.
            split = math.floor(tree.threshold[node])
            nodes.append((indicator.column, split, low, high, -1))
        else:
            nodes.append((indicator.column, indicator.category, high, low, -1))
    return nodes
