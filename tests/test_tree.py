import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from certitree import OptimalTreeClassifier, Tree
from certitree._condition import goes_left


@pytest.fixture(scope="module")
def tree():
    X, y = load_iris(return_X_y=True)
    return OptimalTreeClassifier(max_depth=2).fit(X, y).tree_


def test_counts(tree):
    assert (tree.node_count, tree.n_leaves, tree.n_branching_nodes, tree.max_depth) == (5, 3, 2, 2)
    assert tree.node_depths().tolist().count(2) == 2
    assert tree.n_node_samples[0] == 150
    np.testing.assert_array_equal(tree.value[0], [50, 50, 50])
    np.testing.assert_array_equal(tree.value.sum(axis=1), tree.weighted_n_node_samples)


def test_children_come_after_parents_and_share_their_records(tree):
    for node in np.flatnonzero(~tree.is_leaf()):
        left, right = tree.children_left[node], tree.children_right[node]
        assert node < left < right
        np.testing.assert_array_equal(tree.value[left] + tree.value[right], tree.value[node])
        assert tree.label[node] == -1
    assert (tree.label[tree.is_leaf()] == tree.value[tree.is_leaf()].argmax(axis=1)).all()


def test_paths_end_in_their_leaf(tree):
    paths = tree.paths()
    assert sorted(paths) == np.flatnonzero(tree.is_leaf()).tolist()
    assert all(path[0] == 0 and path[-1] == leaf for leaf, path in paths.items())


def test_dict_round_trip_through_json(tree):
    again = Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False)))
    assert again == tree
    for name in tree.to_dict():
        assert getattr(again, name).dtype == getattr(tree, name).dtype


def test_trees_compare_by_content(tree):
    other = tree.to_dict()
    other["threshold"][0] += 1.0
    assert Tree.from_dict(other) != tree
    assert tree != "tree"


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda t: t.pop("label"), "lacks 'label'"),
        (lambda t: t["feature"].pop(), "'feature' of the tree has shape"),
        (lambda t: t["children_left"].__setitem__(0, 99), "has child 99"),
        (lambda t: t["children_right"].__setitem__(2, 0), "has child 0"),
        (lambda t: t["children_right"].__setitem__(0, 1), "parents instead of one"),
        (lambda t: t["operator"].__setitem__(0, ">"), "operator '>'"),
        (lambda t: t["threshold"].__setitem__(0, None), "no finite threshold"),
        (lambda t: t["feature"].__setitem__(0, -1), "splits on feature -1"),
        (lambda t: t["label"].__setitem__(1, 7), "predicts class 7"),
        (lambda t: t["value"].__setitem__(0, [-1.0, 0.0, 0.0]), "negative"),
        (lambda t: t["feature"].__setitem__(0, 0.5), "another type"),
        (lambda t: t["feature"].__setitem__(0, 2**40), "out of range"),
        (lambda t: t["missing_left"].__setitem__(0, "yes"), "another type"),
        (lambda t: t.update({name: [] for name in t}), "0 nodes"),
    ],
)
def test_damaged_trees_are_refused(tree, change, match):
    plain = tree.to_dict()
    change(plain)
    with pytest.raises(ValueError, match=match):
        Tree.from_dict(plain)


def test_conditions():
    values = np.array([0.0, 1.0, 2.0, np.nan])
    assert goes_left(values, "<=", 1.0, -1, False).tolist() == [True, True, False, False]
    assert goes_left(values, "<=", 1.0, -1, True).tolist() == [True, True, False, True]
    assert goes_left(values, "==", np.nan, 2, False).tolist() == [False, False, True, False]
    assert goes_left(values, "==", np.nan, 2, True).tolist() == [False, False, True, True]
    assert goes_left(values, "missing", np.nan, -1, True).tolist() == [False, False, False, True]
