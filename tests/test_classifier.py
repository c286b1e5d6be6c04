import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from certitree import OptimalTreeClassifier, ParameterError, Split
from checking import check_fitted


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_fitted_attributes(iris, depth):
    X, y = iris
    model = check_fitted(OptimalTreeClassifier(max_depth=depth).fit(X, y), X, y)
    assert model.status_ == "optimal"
    assert model.objective_ == [100, 50, 6, 1][depth]
    assert model.n_features_in_ == 4
    assert not hasattr(model, "feature_names_in_")
    assert model.n_records_ == 150
    assert model.n_unique_ <= model.n_unique_labelled_ <= 150
    seconds = model.search_stats_["seconds"]
    assert set(seconds) == {"read", "code", "merge", "warm_start", "search", "solve", "total"}
    assert seconds["total"] >= seconds["read"] + seconds["code"] + seconds["solve"]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_worse_than_greedy_trees(depth):
    X, y = load_wine(return_X_y=True)
    model = check_fitted(OptimalTreeClassifier(max_depth=depth, max_bins=255).fit(X, y), X, y)
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    assert model.objective_ <= (greedy.predict(X) != y).sum()


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes"],
        [False, True],
        [-5, 7],
        [0.5, 2.5],
        [10**12, 10**13],
        np.array(["a", "bb"], dtype=object),
    ],
    ids=str,
)
def test_labels_of_any_type(labels):
    X = np.arange(6.0).reshape(-1, 1)
    y = np.array(labels)[[0, 0, 0, 1, 1, 1]]
    if isinstance(labels[0], float):
        # scikit-learn takes floats with a fractional part for a regression target.
        with pytest.raises(ValueError, match="Unknown label type"):
            OptimalTreeClassifier().fit(X, y)
        y = np.round(y)
    model = check_fitted(OptimalTreeClassifier(max_depth=1).fit(X, y), X, y)
    assert model.classes_.tolist() == sorted(set(y.tolist()))
    assert model.classes_.dtype == y.dtype
    assert model.predict(X).tolist() == y.tolist()


def test_probabilities_are_shares_of_training_weight():
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    model = OptimalTreeClassifier(max_depth=1).fit(X, ["a", "b", "b", "a"], [1, 2, 1, 5])
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]]), [[0.25, 0.75], [1, 0]])


def test_apply_and_decision_path(iris):
    X, y = iris
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    leaves = model.apply(X)
    assert model.tree_.is_leaf()[leaves].all()
    counts = np.bincount(leaves, minlength=model.tree_.node_count)
    is_leaf = model.tree_.is_leaf()
    np.testing.assert_array_equal(counts[is_leaf], model.tree_.n_node_samples[is_leaf])
    path = model.decision_path(X)
    assert path.shape == (150, model.tree_.node_count)
    np.testing.assert_array_equal(np.asarray(path.sum(axis=0)).ravel(), model.tree_.n_node_samples)
    assert (np.asarray(path[np.arange(150), leaves]) == 1).all()


@pytest.mark.parametrize("aggregate", [True, False])
def test_merging_is_lossless(aggregate):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (80, 3))
    y = rng.integers(0, 3, 80)
    model = check_fitted(OptimalTreeClassifier(aggregate=aggregate).fit(X, y), X, y)
    assert model.objective_ == OptimalTreeClassifier().fit(X, y).objective_
    assert model.n_unique_ <= (27 if aggregate else 80)


def test_threads_do_not_change_the_tree():
    rng = np.random.default_rng(0)
    for seed in range(5):
        X = rng.normal(size=(200, 5)).round(1)
        y = rng.integers(0, 3, 200)
        one = OptimalTreeClassifier(n_jobs=1, max_bins=20).fit(X, y)
        two = OptimalTreeClassifier(n_jobs=2, max_bins=20).fit(X, y)
        assert one.tree_ == two.tree_, seed


@pytest.mark.parametrize("factor", [2, 0.5, 1000, 0.1, 1 / 3])
def test_scaled_weights_give_the_same_tree(factor):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 6, (100, 4))
    y = rng.integers(0, 3, 100)
    weights = rng.integers(1, 5, 100).astype(float)
    model = OptimalTreeClassifier(max_depth=2, complexity_penalty=0.01).fit(X, y, weights)
    scaled = OptimalTreeClassifier(max_depth=2, complexity_penalty=0.01).fit(X, y, weights * factor)
    for name in ("children_left", "feature", "threshold", "label", "n_node_samples"):
        np.testing.assert_array_equal(getattr(model.tree_, name), getattr(scaled.tree_, name))
    assert scaled.objective_ == pytest.approx(model.objective_ * factor, rel=1e-9)


def test_repeated_rows_give_the_same_tree_as_weights():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3)).round(1)
    y = rng.integers(0, 2, 60)
    weights = rng.integers(0, 4, 60)
    model = OptimalTreeClassifier(max_depth=2, max_bins=10).fit(X, y, weights)
    repeated = OptimalTreeClassifier(max_depth=2, max_bins=10).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    assert model.objective_ == repeated.objective_
    np.testing.assert_array_equal(model.tree_.threshold, repeated.tree_.threshold)
    np.testing.assert_array_equal(model.tree_.value, repeated.tree_.value)


def test_records_of_weight_zero_are_absent():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = OptimalTreeClassifier(min_samples_leaf=2).fit(X, ["a", "a", "b", "c"], [1, 1, 1, 0])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.n_records_ == 3
    assert model.n_leaves_ == 1


def test_order_of_rows_does_not_matter(iris):
    X, y = iris
    order = np.random.default_rng(0).permutation(150)
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    shuffled = OptimalTreeClassifier(max_depth=2).fit(X[order], y[order])
    assert model.objective_ == shuffled.objective_


def test_budget_of_nodes_and_penalty(iris):
    X, y = iris
    for nodes in range(4):
        model = check_fitted(OptimalTreeClassifier(max_nodes=nodes).fit(X, y), X, y)
        assert model.objective_ == [100, 50, 6, 3][nodes]
    model = check_fitted(OptimalTreeClassifier(complexity_penalty=0.02).fit(X, y), X, y)
    assert model.n_branching_nodes_ == 2
    assert model.objective_ == pytest.approx(6 + 2 * 0.02 * 150)


def test_fewest_nodes_of_equally_good_trees():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    model = OptimalTreeClassifier(max_depth=4).fit(X, [0, 0, 1, 1])
    assert model.n_branching_nodes_ == 1


def test_candidates_by_name_index_and_split():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1.0, 1.0, 2.0, 2.0], "c": ["x", "y", "x", "y"]})
    y = [0, 0, 1, 1]
    for candidates, error in [
        (["b"], 0),
        ([1], 0),
        ([Split("a", 2)], 0),
        ([("a", 1)], 1),
        ([("c", "x")], 2),
        (["c", ("a", 3.5)], 1),
        (None, 0),
    ]:
        model = OptimalTreeClassifier(max_depth=1, candidates=candidates).fit(frame, y)
        assert check_fitted(model, frame, y).objective_ == error, candidates
    model = OptimalTreeClassifier(max_depth=1, candidates=[("a", 2)]).fit(frame, y)
    assert model.tree_.threshold[0] == 2.0


def test_columns_outside_the_candidate_set_are_not_read():
    frame = pd.DataFrame({"a": [1, 2], "when": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    model = OptimalTreeClassifier(candidates=["a"]).fit(frame, [0, 1])
    assert model.predict(frame).tolist() == [0, 1]


def test_a_tiny_time_limit_still_gives_a_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    y = rng.integers(0, 2, 3000)
    model = check_fitted(OptimalTreeClassifier(max_depth=5, time_limit=0.01).fit(X, y), X, y)
    assert model.status_ == "time_limit"
    assert 0 < model.gap_ <= 1
    assert model.gap_ == (model.objective_ - model.lower_bound_) / model.objective_
    assert model.search_stats_["seconds"]["total"] < 2.0


def test_time_limit_is_kept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    y = rng.integers(0, 2, 3000)
    model = OptimalTreeClassifier(max_depth=6, time_limit=0.5).fit(X, y)
    assert model.status_ == "time_limit"
    assert model.search_stats_["seconds"]["total"] < 1.5  # slack for a busy machine


def test_two_fits_in_two_threads(iris):
    X, y = iris
    models = [OptimalTreeClassifier(max_depth=depth) for depth in (2, 3)]
    threads = [threading.Thread(target=model.fit, args=(X, y)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [model.objective_ for model in models] == [6, 1]


def test_refitting_forgets_names(iris):
    X, y = iris
    model = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert not hasattr(model.fit(X, y), "feature_names_in_")


def test_same_input_same_tree():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 5, (100, 4)), rng.integers(0, 2, 100)
    trees = [OptimalTreeClassifier(max_depth=3).fit(X, y).tree_ for _ in range(3)]
    assert trees[0] == trees[1] == trees[2]


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": -1},
        {"max_depth": 2.5},
        {"max_depth": None},
        {"max_nodes": -1},
        {"min_samples_leaf": 0},
        {"complexity_penalty": -0.1},
        {"complexity_penalty": float("inf")},
        {"max_bins": 1},
        {"max_bins": 256},
        {"time_limit": 0},
        {"time_limit": -1},
        {"memory_limit": 0},
        {"memory_limit": 1.5},
        {"n_jobs": 1.5},
        {"aggregate": "yes"},
        {"random_state": "seed"},
    ],
    ids=str,
)
def test_parameters_out_of_range(iris, parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        OptimalTreeClassifier(**parameters).fit(*iris)


@pytest.mark.parametrize(
    "parameters",
    [{"n_jobs": 0}, {"memory_limit": "much"}, {"memory_limit": "0 MB"}],
    ids=str,
)
def test_parameters_that_make_no_sense(iris, parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        OptimalTreeClassifier(**parameters).fit(*iris)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 0, "max_nodes": 5},
        {"max_depth": 3, "max_nodes": 0},
        {"min_samples_leaf": 100},
        {"complexity_penalty": 1e300},
    ],
    ids=str,
)
def test_limits_that_leave_no_split_give_a_leaf(iris, parameters):
    X, y = iris
    model = check_fitted(OptimalTreeClassifier(**parameters).fit(X, y), X, y)
    assert model.n_leaves_ == 1
    assert model.status_ == "optimal"


def test_more_nodes_than_the_depth_allows(iris):
    X, y = iris
    model = OptimalTreeClassifier(max_depth=2, max_nodes=1000).fit(X, y)
    assert model.tree_ == OptimalTreeClassifier(max_depth=2).fit(X, y).tree_


def test_depth_eight(iris):
    X, y = iris[0][:, 2:], iris[1]
    model = check_fitted(OptimalTreeClassifier(max_depth=8).fit(X, y), X, y)
    assert (model.objective_, model.status_) == (1, "optimal")


def test_memory_limit_as_text(iris):
    X, y = iris
    model = check_fitted(OptimalTreeClassifier(memory_limit="64MB").fit(X, y), X, y)
    assert model.objective_ == 1
