"""The extension module's tables and structure detection, on made-up and on real matrices."""

import numpy as np
import pytest

from certitree import _core
from core_search import grouped_table
from shared_data import reference_matrix


def assert_reproduces(bits, codes, groups, dropped):
    """Check by definition that nothing was lost."""
    assert codes.dtype == np.uint8
    assert codes.shape == (len(groups), bits.shape[0])
    kept = []
    for column, group in zip(codes, groups, strict=True):
        assert column.max() < group["n_codes"]
        for split, (member, negated) in enumerate(group["members"]):
            is_true = column <= split if group["kind"] == "ordered" else column == split
            np.testing.assert_array_equal(is_true, (bits[:, member] == 1) != negated)
            kept.append(member)
    assert sorted(kept + dropped) == list(range(bits.shape[1]))
    known = {bits[:, k].tobytes() for k in kept} | {(1 - bits[:, k]).tobytes() for k in kept}
    for column in dropped:
        assert bits[:, column].min() == bits[:, column].max() or bits[:, column].tobytes() in known


@pytest.mark.parametrize("name", ["compas", "heloc", "gmsc", "diabetes"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_original_columns_are_recovered(name, order):
    problem = reference_matrix(name)
    bits = np.asarray(problem["X"][problem["train"]], order=order)
    codes, groups, dropped = _core.group_binary(bits)
    assert_reproduces(bits, codes, groups, dropped)
    place = {member: i for i, g in enumerate(groups) for member, _ in g["members"]}
    places = {}
    for split, column in enumerate(problem["column"].tolist()):
        if split in place:
            places.setdefault(column, set()).add(place[split])
    # Each original column ends up in one coded column, which it may share with another one.
    assert {column: len(found) for column, found in places.items() if len(found) > 1} == {}
    table = grouped_table(codes, groups)
    assert (table.n_rows, table.n_columns) == (bits.shape[0], len(groups))
    assert table.n_splits == bits.shape[1] - len(dropped)


def test_any_memory_layout_gives_the_same_answer():
    rng = np.random.default_rng(0)
    bits = (rng.random((130, 40)) < rng.random(40)).astype(np.uint8)
    codes, groups, dropped = _core.group_binary(bits)
    assert_reproduces(bits, codes, groups, dropped)
    strided = np.repeat(np.repeat(bits, 2, axis=0), 3, axis=1)[::2, ::3]
    for other in (np.asfortranarray(bits), strided):
        found = _core.group_binary(other)
        np.testing.assert_array_equal(found[0], codes)
        assert found[1:] == (groups, dropped)


def test_group_binary_refuses_other_values():
    bits = np.zeros((4, 3), dtype=np.uint8)
    bits[2, 1] = 5
    with pytest.raises(ValueError, match="holds 5 in row 2, column 1; only 0 and 1"):
        _core.group_binary(bits)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_group_binary_of_nothing(shape):
    codes, groups, dropped = _core.group_binary(np.zeros(shape, dtype=np.uint8))
    assert (codes.shape, groups, dropped) == ((0, shape[0]), [], list(range(shape[1])))


def test_table_keeps_distinct_splits():
    codes = np.array([[0, 1, 2, 2], [1, 0, 0, 0], [0, 1, 2, 3]], dtype=np.uint8)
    table = _core.Table(codes, ["ordered", "nominal", "nominal"], [4, 2, 4], [3, 2, 3])
    # (0, 2) is constant; (1, 0) complements (0, 0), and (1, 1) and (2, 0) equal it.
    assert table.splits() == [(0, 0), (0, 1), (2, 1), (2, 2)]
    assert (table.n_rows, table.n_columns, table.n_splits) == (4, 3, 4)


@pytest.mark.parametrize(
    ("kinds", "n_codes", "n_splits", "message"),
    [
        (["ordered"], [2], [2], "2 codes and 2 splits"),
        (["ordered"], [1], [0], "code 1; codes must be below 1"),
        (["ordinal"], [2], [1], 'kind "ordinal"'),
        ([], [2], [1], "kinds has 0 entries but codes has 1 rows"),
        (["nominal"], [2], [2, 2], "n_splits has 2 entries"),
    ],
)
def test_table_refuses_what_does_not_fit(kinds, n_codes, n_splits, message):
    with pytest.raises(ValueError, match=message):
        _core.Table(np.array([[0, 1]], dtype=np.uint8), kinds, n_codes, n_splits)


def test_every_row_finds_its_leaf():
    codes = np.array([[0, 1, 2, 3, 3], [2, 0, 1, 1, 2]], dtype=np.uint8)
    nodes = [
        (0, 1, 1, 2, -1),
        (-1, -1, -1, -1, 0),
        (1, 2, 4, 3, -1),
        (-1, -1, -1, -1, 1),
        (-1, -1, -1, -1, 0),
    ]
    leaves = _core.find_leaves(codes, ["ordered", "nominal"], nodes)
    assert leaves.tolist() == [1, 1, 3, 3, 4]


@pytest.mark.parametrize(
    ("kinds", "nodes", "message"),
    [
        (["ordered"], [], "the tree has no nodes"),
        (["ordered"], [(0, 0, 0, 1, -1), (-1, -1, -1, -1, 0)], "node 0 of the tree has child 0"),
        (["ordered"], [(7, 0, 1, 1, -1), (-1, -1, -1, -1, 0)], "splits on column 7"),
        (["ordered"], [(0, -2, 1, 1, -1), (-1, -1, -1, -1, 0)], "a node of the tree holds -2"),
        (["ordinal"], [(-1, -1, -1, -1, 0)], 'kind "ordinal"'),
        ([], [(-1, -1, -1, -1, 0)], "0 kinds came with 1 columns"),
    ],
)
def test_what_is_no_tree_has_no_leaves(kinds, nodes, message):
    with pytest.raises(ValueError, match=message):
        _core.find_leaves(np.array([[0, 1]], dtype=np.uint8), kinds, nodes)
