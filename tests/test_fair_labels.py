"""Labels of a given tree's leaves: all labellings, one by one."""

import itertools

import numpy as np
import pytest

from certitree import OptimalTreeClassifier
from certitree.objectives import DemographicParity, _group_fairness
from certitree.objectives._fair_labels import MAX_LEAVES, label_fairly

LEAF = (-1, -1, -1, -1, 0)
# Leaves 2, 4, 5 and 6; those of node 3 are 4 and 5.
NODES = [(0, 0, 1, 6, -1), (1, 0, 2, 3, -1), LEAF, (2, 0, 4, 5, -1), LEAF, LEAF, LEAF]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("limit", [0.0, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("positives_only", [False, True])
def test_no_labelling_is_better(seed, limit, positives_only):
    rng = np.random.default_rng(seed)
    leaves = rng.choice(np.array([2, 4, 5, 6], dtype=np.uint32), 60)
    labels = (rng.random(60) < leaves / 8).astype(np.int32)
    groups = np.concatenate([[0, 1, 2], rng.integers(0, 3, 57)]).astype(np.int32)
    labels[:3] = 1
    weights = None if seed % 2 else rng.integers(1, 5, 60).astype(float)
    counts = labels == 1 if positives_only else None
    found = label_fairly(NODES, leaves, labels, weights, groups, counts, limit)
    mass = np.ones(60) if weights is None else weights
    counted = np.ones(60, dtype=bool) if counts is None else counts

    def rate(called, group):
        rows = counted & (groups == group)
        return np.average(called[rows], weights=mass[rows])

    errors = []
    for chosen in itertools.product([0, 1], repeat=4):
        called = np.array(chosen)[np.searchsorted([2, 4, 5, 6], leaves)]
        rates = [rate(called, group) for group in range(3)]
        if max(rates) - min(rates) <= limit + 1e-9:
            errors.append(mass[called != labels].sum())
    assert found["objective"] == min(errors)
    assert found["disparity"] == pytest.approx(max(found["rates"]) - min(found["rates"]))
    assert found["disparity"] <= limit + 1e-9


def test_sibling_leaves_of_one_label_become_one():
    leaves = np.array([2, 4, 5, 6] * 2, dtype=np.uint32)
    groups = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    labels = np.array([1, 0, 0, 1] * 2, dtype=np.int32)
    found = label_fairly(NODES, leaves, labels, None, groups, None, 0.0)
    assert (found["objective"], found["disparity"], found["rates"]) == (0.0, 0.0, [0.5, 0.5])
    assert found["nodes"] == [
        (0, 0, 1, 4, -1), (1, 0, 2, 3, -1), (-1, -1, -1, -1, 1), (-1, -1, -1, -1, 0),
        (-1, -1, -1, -1, 1),
    ]  # fmt: skip
    found = label_fairly(NODES, leaves, np.ones(8, np.int32), None, groups, None, 0.0)
    assert found["nodes"] == [(-1, -1, -1, -1, 1)]


def test_large_trees_are_left_alone():
    nodes = [(0, 0, 2 * i + 1, 2 * i + 2, -1) for i in range(MAX_LEAVES)] + [LEAF] * (
        MAX_LEAVES + 1
    )
    leaves = np.full(4, len(nodes) - 1, dtype=np.uint32)
    codes = np.array([0, 1, 0, 1], dtype=np.int32)
    assert label_fairly(nodes, leaves, codes, None, codes, None, 0.5) is None


def test_a_stopped_search_has_more_than_a_constant_tree(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (400, 3))
    town = rng.choice(["east", "west"], 400)
    y = X[:, 0] + (town == "east") + rng.integers(0, 3, 400) > 4
    goal = _group_fairness.FairnessGoal
    solve_depth = goal._solve_depth

    def stopped(self, search, **options):
        found = solve_depth(self, search, **options)
        accurate = found["met"][0]
        constant = solve_depth(self, search, max_depth=0)
        return constant | {"met": [accurate], "lower_bound": 0.0, "status": "time_limit"}

    monkeypatch.setattr(goal, "_solve_depth", stopped)
    limit = DemographicParity(limit=0.05)
    model = OptimalTreeClassifier(objective=limit, max_depth=2).fit(X, y, sensitive=town)
    errors = (model.predict(X) != y).sum()
    assert (model.status_, model.objective_) == ("time_limit", errors)
    assert errors < min(y.sum(), (~y).sum())
    assert limit.disparity(y, model.predict(X), town) == pytest.approx(model.disparity_)
    assert model.disparity_ <= 0.05
