"""Exact searches whose proof takes long begin with a short adaptive run."""

import numpy as np
import pytest

from certitree import OptimalTreeClassifier
from checking import check_fitted
from core_search import code_table, solve


@pytest.fixture
def table():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 30, (500, 8)).astype(float)
    y = (X[:, 0] > 14) ^ (X[:, 1] > 14) ^ (X[:, 2] > 14) ^ (rng.random(500) < 0.1)
    return X, y.astype(np.int32)


def test_the_first_tree_is_better(table):
    X, y = table
    shown = []
    coded = code_table(X)
    with_run = solve(coded, y, 5, time_limit=6, progress=shown.append)
    without = solve(coded, y, 5, time_limit=1, kernel="general")
    assert with_run["stats"]["warm_start_objective"] < without["stats"]["warm_start_objective"]
    assert with_run["stats"]["warm_start_seconds"] > without["stats"]["warm_start_seconds"]
    assert {progress["stage"] for progress in shown} >= {"depth 5"}
    floor = without["lower_bound"]
    assert floor <= with_run["lower_bound"] <= with_run["objective"]


def test_limits_hold(table):
    X, y = table
    for limits in ({"max_nodes": 9}, {"min_samples_leaf": 12}, {"complexity_penalty": 0.004}):
        model = OptimalTreeClassifier(max_depth=6, time_limit=3, random_state=1, **limits)
        check_fitted(model.fit(X, y), X, y)
        assert model.status_ == "time_limit"
        assert model.search_stats_["seconds"]["total"] < 20


@pytest.mark.parametrize("objective", ["f1", "balanced_accuracy"])
def test_other_objectives(table, objective):
    X, y = table
    model = OptimalTreeClassifier(objective=objective, max_depth=5, time_limit=4).fit(X, y)
    assert model.lower_bound_ == model.objective_ <= model.upper_bound_
    assert model.search_stats_["seconds"]["total"] < 20
