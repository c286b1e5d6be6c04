"""The independent checker, as Python calls it."""

import numpy as np
import pytest

from certitree import _core

NAN = float("nan")
LEAF = (-1, "", 0.0, False, -1, -1)
VALUES = [np.array([1.0, 2.0, NAN, 3.0]), np.array([0.0, 1.0, 1.0, NAN])]
LABELS = np.array([0, 1, 1, 2], dtype=np.int32)


def tree(operator, value, missing_left, feature=0):
    return [(feature, operator, value, missing_left, 1, 2, -1), (*LEAF, 0), (*LEAF, 1)]


@pytest.mark.parametrize(
    ("nodes", "errors", "counts"),
    [
        ([(*LEAF, 1)], 2, [4]),
        (tree("<=", 1.0, False), 1, [1, 3]),
        (tree("<=", 1.0, True), 2, [2, 2]),
        (tree("==", 1.0, False, feature=1), 4, [2, 2]),
        (tree("missing", 0.0, False), 3, [1, 3]),
    ],
)
def test_score(nodes, errors, counts):
    penalty = 0.5 * (len(nodes) > 1)
    found = _core.score_tree(VALUES, nodes, LABELS, None, 0.5)
    assert found == (errors + penalty, len(counts), counts)


def test_weights_and_strided_columns():
    wide = np.array([VALUES[0], VALUES[1]]).T
    weights = np.array([1.0, 0.0, 4.0, 0.25])
    nodes = tree("<=", 2.0, True)
    found = _core.score_tree([wide[:, 0], wide[:, 1]], nodes, LABELS, weights, 0.0)
    assert found == (4.25, 2, [2, 1])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "no node"),
        (tree("<", 1.0, True), 'node 0 has operator "<"; "<=", "==" and "missing" are allowed'),
        (tree("<=", NAN, True), "compares with NaN"),
        (tree("<=", 1.0, True, feature=2), "feature 2, but there are 2 features"),
        (tree("<=", 1.0, True, feature=-2), "has feature -2"),
        (tree("<=", 1.0, True)[:2], "child 2, but the tree has nodes 0 to 1"),
        ([(0, "<=", 1.0, True, 0, 1, -1), (*LEAF, 0)], "node 0 is reached twice"),
        ([(*LEAF, 0), (*LEAF, 0)], "node 1 is not reached"),
    ],
)
def test_damaged_trees(nodes, message):
    with pytest.raises(ValueError, match=message):
        _core.score_tree(VALUES, nodes, LABELS, None, 0.0)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="weights holds 2 entries, but there are 4 labels"):
        _core.score_tree(VALUES, [(*LEAF, 0)], LABELS, np.ones(2), 0.0)
