import numpy as np
import pandas as pd
import polars as pl
import pytest

from certitree import OptimalTreeClassifier
from checking import check_fitted

NAN = np.nan


def fit(X, y, weights=None, **parameters):
    return check_fitted(OptimalTreeClassifier(**parameters).fit(X, y, weights), X, y, weights)


def test_is_missing_is_a_split_of_its_own():
    X = np.array([[1.0], [NAN], [2.0], [NAN], [3.0]])
    model = fit(X, [0, 1, 0, 1, 0], max_depth=1)
    assert model.objective_ == 0
    assert model.tree_.operator[0] == "missing"
    assert model.predict([[NAN], [99.0]]).tolist() == [1, 0]


@pytest.mark.parametrize(("label", "missing_left"), [(0, True), (1, False)])
def test_a_threshold_sends_missing_values_either_way(label, missing_left):
    X = np.array([[1.0], [2.0], [3.0], [4.0], [NAN], [NAN]])
    model = fit(X, [0, 0, 1, 1, label, label], max_depth=1)
    assert model.objective_ == 0
    assert model.tree_.operator[0] == "<="
    assert model.tree_.threshold[0] == 2.5
    assert model.tree_.missing_left[0] == missing_left
    assert model.predict([[NAN]]).tolist() == [label]


@pytest.mark.parametrize(("weights", "expected"), [([1, 1, 1, 1, 1], 0), ([1, 1, 1, 3, 3], 1)])
def test_a_feature_never_missing_sends_later_gaps_the_way_of_the_weight(weights, expected):
    X = np.array([[1.0], [2.0], [3.0], [11.0], [12.0]])
    model = fit(X, [0, 0, 0, 1, 1], weights, max_depth=1)
    assert model.predict([[NAN]]).tolist() == [expected]


def test_the_way_of_the_weight_is_found_at_each_node():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 5.0], [1.0, 5.0], [1.0, 8.0], [1.0, 8.0]])
    y = ["a", "a", "b", "c", "d", "d"]
    model = fit(X, y, max_depth=2)
    assert model.objective_ == 0
    assert model.predict([[0.0, NAN], [1.0, NAN]]).tolist() == ["a", "d"]


def test_missing_categories():
    frame = pl.DataFrame({"x": ["a", "b", None, "a", None]})
    y = [0, 0, 1, 0, 1]
    model = fit(frame, y, max_depth=1)
    assert model.objective_ == 0
    assert model.predict(frame).tolist() == y
    assert model.tree_.operator[0] == "missing"


def test_a_missing_category_is_not_the_category():
    frame = pd.DataFrame({"x": ["a", "a", "b", None, "c"]})
    model = fit(frame, [1, 1, 0, 0, 0], max_depth=1)
    assert model.tree_.operator[0] == "=="
    assert model.predict(pd.DataFrame({"x": [None, "a", "new"]})).tolist() == [0, 1, 0]


def test_a_nominal_feature_never_missing_sends_later_gaps_the_way_of_the_weight():
    frame = pd.DataFrame({"x": ["a", "a", "a", "b"]})
    model = fit(frame, [1, 1, 1, 0], max_depth=1)
    assert model.predict(pd.DataFrame({"x": pd.Series([None], dtype=object)})).tolist() == [1]


def test_unseen_categories_equal_none_of_the_known_ones():
    frame = pd.DataFrame({"x": ["a", "b", "c"] * 3})
    model = fit(frame, [1, 0, 0] * 3, max_depth=1)
    assert model.tree_.operator[0] == "=="
    assert model.predict(pd.DataFrame({"x": ["z", "a"]})).tolist() == [0, 1]


def test_bools_with_gaps():
    frame = pd.DataFrame({"x": [True, False, None, True, None]})
    model = fit(frame, [1, 0, 2, 1, 2], max_depth=2)
    assert model.objective_ == 0
    assert model.predict(pd.DataFrame({"x": [None, True]})).tolist() == [2, 1]


def test_all_missing():
    model = fit(np.full((4, 1), NAN), [0, 1, 1, 1])
    assert model.n_leaves_ == 1
    assert model.predict([[NAN], [1.0]]).tolist() == [1, 1]


def test_missing_values_of_several_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.3] = NAN
    y = (np.isnan(X[:, 0]) ^ (X[:, 1] > 0)).astype(int)
    assert fit(X, y, max_depth=2).objective_ <= fit(X, y, max_depth=1).objective_
