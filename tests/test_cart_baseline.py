"""CART on coded columns is scikit-learn's CART on the raw ones, and keeps to the limits."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier

from certitree import OptimalTreeClassifier
from certitree._cart_baseline import cart_beside


def _numbers(seed: int, n_rows: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 40, (n_rows, 4)) / 8
    y = ((X[:, 0] > 2) ^ (X[:, 1] + X[:, 2] > 6) ^ (generator.random(n_rows) < 0.2)).astype(int)
    return X, y, generator.integers(1, 4, n_rows).astype(float)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_as_scikit_learn_on_every_threshold(depth: int, weighted: bool) -> None:
    for seed in range(5):
        X, y, weights = _numbers(seed)
        weights = weights if weighted else None
        model = OptimalTreeClassifier(max_depth=1).fit(X, y, weights)
        model.set_params(max_depth=depth, min_samples_leaf=4)
        ours = cart_beside(model, X, y, weights)
        theirs = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=4, random_state=0)
        theirs.fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(ours.model.predict(X), theirs.predict(X))
        assert ours.n_splits == sum(len(np.unique(column)) - 1 for column in X.T)


def test_nominal_and_missing_values() -> None:
    table = pa.table(
        {
            "city": ["a", "b", None, "c"] * 30,
            "age": [1.0, None, 3.0, 4.0] * 30,
        }
    )
    y = np.array([1, 0, 1, 0] * 30)
    model = OptimalTreeClassifier(max_depth=2).fit(table, y)
    cart = cart_beside(model, table, y).model
    np.testing.assert_array_equal(cart.predict(table), y)
    assert cart.tree_.max_depth <= 2


def test_the_model_keeps_its_own_tree() -> None:
    X, y, _ = _numbers(1)
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    own = model.tree_
    assert cart_beside(model, X, y).model.tree_ is not own
    assert model.tree_ is own


@pytest.mark.parametrize("limits", [{"max_depth": 0}, {"max_nodes": 0}])
def test_no_branching_node_allowed(limits: dict[str, int]) -> None:
    X, y, weights = _numbers(2)
    y[:] = np.where(np.arange(y.size) < 10, 2, y)
    model = OptimalTreeClassifier(**limits).fit(X, y, weights)
    cart = cart_beside(model, X, y, weights).model
    heaviest = np.argmax(np.bincount(y, weights=weights))
    assert cart.tree_.node_count == 1
    assert set(cart.predict(X)) == {heaviest}


def test_node_budget() -> None:
    X, y, _ = _numbers(3)
    model = OptimalTreeClassifier(max_depth=3, max_nodes=2).fit(X, y)
    assert cart_beside(model, X, y).model.tree_.n_branching_nodes == 2


def test_records_of_zero_weight_are_left_out() -> None:
    X, y, weights = _numbers(4)
    weights[::2] = 0
    model = OptimalTreeClassifier(max_depth=2).fit(X, y, weights)
    cart = cart_beside(model, X, y, weights).model
    assert cart.tree_.n_node_samples[0] == y.size / 2


def test_sparse_indicators_give_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = _numbers(5)
    table = pa.table({"a": X[:, 0], "b": [f"c{int(v * 8)}" for v in X[:, 1]]})
    model = OptimalTreeClassifier(max_depth=3).fit(table, y)
    dense = cart_beside(model, table, y).model.predict(table)
    monkeypatch.setattr("certitree._cart_baseline._MAX_DENSE_BYTES", 0)
    np.testing.assert_array_equal(cart_beside(model, table, y).model.predict(table), dense)
