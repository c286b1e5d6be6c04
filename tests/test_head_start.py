"""Exact searches whose proof takes long begin with a short adaptive run."""

import numpy as np
import pytest

from certitree import OptimalTreeClassifier, _core
from certitree._binning import code_records
from certitree._frame import read_records
from checking import check_fitted


@pytest.fixture
def table():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 30, (500, 8)).astype(float)
    y = (X[:, 0] > 14) ^ (X[:, 1] > 14) ^ (X[:, 2] > 14) ^ (rng.random(500) < 0.1)
    return X, y.astype(np.int32)


def solve(X, y, **options):
    coded = code_records(read_records(X, "test"), None, None, max_bins=100, selections=None)
    return _core.solve(
        _core.Table(coded.codes, coded.kinds, coded.n_codes, coded.n_splits),
        labels=y,
        n_labels=2,
        weights=None,
        costs=None,
        max_nodes=None,
        min_samples_leaf=1,
        node_penalty=0.0,
        candidates=None,
        aggregate=True,
        memory_limit=None,
        n_threads=1,
        seed=0,
        **options,
    )


def test_the_first_tree_is_better(table):
    X, y = table
    shown = []
    with_run = solve(X, y, max_depth=5, time_limit=6, progress=shown.append)
    without = solve(X, y, max_depth=5, time_limit=1, kernel="general")
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
