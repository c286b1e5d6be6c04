"""Every objective against the list of all trees, on small random tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from brute_force import all_splits
from certitree import AdaptiveTreeClassifier, OptimalTreeClassifier
from certitree.objectives import (
    F1,
    Accuracy,
    BalancedAccuracy,
    CostMatrix,
    FBeta,
    Jaccard,
    Objective,
    RecordCosts,
)
from checking import raw_columns
from objective_oracle import cost_leaf, error_leaf, least_cost, reachable_statistics

N_INSTANCES = 150


def instance(seed: int, n_classes: int, max_rows: int = 13):
    """Draw a table with repeated rows, labels that use every class, and weights."""
    rng = np.random.default_rng([seed, n_classes])
    n_rows = int(rng.integers(n_classes + 2, max_rows))
    X = rng.integers(0, 2, (n_rows, 3))
    if seed % 3 == 0:
        X = rng.integers(0, 3, (n_rows, 2)).astype(float)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    weights = rng.integers(1, 5, n_rows).astype(float)
    if seed % 2:
        weights = np.ones(n_rows)
    elif seed % 4 == 0:
        weights /= 8
    limits = {
        "max_depth": int(rng.integers(0, 4)),
        "max_nodes": [None, 2, 4][seed % 3],
        "min_samples_leaf": [1, 1, 2][int(rng.integers(3))],
    }
    return rng, X, y, weights, limits


def fit_both(objective: str | Objective, X, y, weights, limits, *, costs=None, **parameters):
    """Fit merged and unmerged; they must agree to the last unit and prove themselves optimal."""
    models = [
        OptimalTreeClassifier(
            objective=objective, aggregate=aggregate, max_bins=10, **limits, **parameters
        ).fit(X, y, sample_weight=weights, costs=costs)
        for aggregate in (True, False)
    ]
    merged, plain = models
    assert merged.status_ == plain.status_ == "optimal"
    assert merged.objective_ == plain.objective_
    for model in models:
        assert model.lower_bound_ == model.objective_ == model.upper_bound_
        assert model.gap_ == 0.0
    return merged


def best_cost(X, costs, limits, node_penalty=0.0):
    splits = all_splits(raw_columns(X))
    found = reachable_statistics(splits, cost_leaf(costs), **limits)
    return min(cost + node_penalty * nodes for cost, nodes in found)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_cost_matrix(n_classes):
    for seed in range(N_INSTANCES):
        rng, X, y, weights, limits = instance(seed, n_classes)
        matrix = rng.integers(0, 9, (n_classes, n_classes)).astype(float)
        penalty = float(rng.choice([0, 0.125]))
        model = fit_both(CostMatrix(matrix), X, y, weights, limits, complexity_penalty=penalty)
        costs = matrix[y] * weights[:, None]
        node_penalty = penalty * weights.sum()
        assert model.objective_ == best_cost(X, costs, limits, node_penalty)
        predicted = model.predict(X)
        own = costs[np.arange(y.size), predicted].sum()
        assert model.objective_ == own + node_penalty * model.n_branching_nodes_


@pytest.mark.parametrize("n_classes", [2, 3])
def test_record_costs(n_classes):
    for seed in range(N_INSTANCES):
        rng, X, y, weights, limits = instance(seed, n_classes)
        costs = rng.integers(0, 40, (y.size, n_classes)) / rng.choice([1.0, 4.0])
        model = fit_both("record_costs", X, y, weights, limits, costs=costs)
        assert model.objective_ == best_cost(X, costs * weights[:, None], limits)


def test_record_costs_that_are_no_whole_multiples():
    for seed in range(N_INSTANCES):
        rng, X, y, weights, limits = instance(seed, 3)
        costs = rng.random((y.size, 3))
        model = fit_both("record_costs", X, y, weights, limits, costs=costs)
        best = best_cost(X, costs * weights[:, None], limits)
        assert model.objective_ == pytest.approx(best, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_balanced_accuracy(n_classes):
    for seed in range(N_INSTANCES):
        _, X, y, weights, limits = instance(seed, n_classes)
        model = fit_both("balanced_accuracy", X, y, weights, limits)
        totals = np.bincount(y, weights=weights)
        costs = np.repeat((weights / totals[y] / n_classes)[:, None], n_classes, axis=1)
        costs[np.arange(y.size), y] = 0.0
        best = 1.0 - best_cost(X, costs, limits)
        assert model.objective_ == pytest.approx(best, rel=1e-12)
        own = BalancedAccuracy().score(y, model.predict(X), weights)
        assert own == pytest.approx(model.objective_, rel=1e-12)


def test_class_weight():
    for seed in range(N_INSTANCES):
        rng, X, y, weights, limits = instance(seed, 3)
        factors = {0: 2.0, 2: float(rng.choice([0.5, 3.0]))}
        model = fit_both(Accuracy(class_weight=factors), X, y, weights, limits)
        weighted = weights * np.array([factors.get(label, 1.0) for label in y.tolist()])
        costs = np.repeat(weighted[:, None], 3, axis=1)
        costs[np.arange(y.size), y] = 0.0
        assert model.objective_ == best_cost(X, costs, limits)


def test_balanced_class_weight_is_balanced_accuracy():
    for seed in range(0, N_INSTANCES, 5):
        _, X, y, weights, limits = instance(seed, 3)
        by_weight = fit_both(Accuracy(class_weight="balanced"), X, y, weights, limits)
        by_score = fit_both("balanced_accuracy", X, y, weights, limits)
        share = by_weight.objective_ / weights.sum()
        assert 1 - share == pytest.approx(by_score.objective_, rel=1e-10)


RATIOS = [
    (F1(), lambda tp, fn, fp: 2 * tp / (2 * tp + fn + fp)),
    (FBeta(2.0), lambda tp, fn, fp: 5 * tp / (5 * tp + 4 * fn + fp)),
    (FBeta(0.1), lambda tp, fn, fp: 1.01 * tp / (1.01 * tp + 0.01 * fn + fp)),
    (Jaccard(pos_label=0), lambda tp, fn, fp: tp / (tp + fn + fp)),
]


@pytest.mark.parametrize(("objective", "ratio"), RATIOS, ids=lambda value: str(value)[:12])
def test_ratios(objective, ratio):
    for seed in range(N_INSTANCES * 2):
        _, X, y, weights, limits = instance(seed, 2)
        model = fit_both(objective, X, y, weights, limits)
        is_positive = y == (1 if objective.pos_label is None else objective.pos_label)
        total = weights[is_positive].sum()
        splits = all_splits(raw_columns(X))
        found = reachable_statistics(splits, error_leaf(is_positive, weights), **limits)
        best = max(ratio(total - fn, fn, fp) for fn, fp, _ in found)
        assert model.objective_ == pytest.approx(best, rel=1e-12)
        own = objective.score(y, model.predict(X), weights)
        assert own == pytest.approx(model.objective_, rel=1e-12)


def test_ratio_with_weights_that_are_no_whole_multiples():
    for seed in range(N_INSTANCES):
        rng, X, y, _, limits = instance(seed, 2)
        weights = rng.random(y.size) + 0.01
        model = fit_both("f1", X, y, weights, limits)
        total = weights[y == 1].sum()
        found = reachable_statistics(
            all_splits(raw_columns(X)), error_leaf(y == 1, weights), **limits
        )
        best = max(2 * (total - fn) / (2 * (total - fn) + fn + fp) for fn, fp, _ in found)
        assert model.objective_ == pytest.approx(best, rel=1e-9)


def test_record_costs_need_no_sorted_labels():
    X = np.array([[0], [0], [1], [1]])
    y = np.array(["b", "b", "a", "a"])
    costs = np.array([[0, 5], [0, 5], [5, 0], [5, 0.0]])
    model = OptimalTreeClassifier(objective=RecordCosts(labels=["b", "a"])).fit(X, y, costs=costs)
    assert model.objective_ == 0.0
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict(X).tolist() == y.tolist()


def test_a_class_of_the_cost_matrix_that_does_not_occur_can_be_predicted():
    X = np.array([[0], [0], [1], [1]])
    y = np.array(["no", "yes", "no", "no"])
    refer = CostMatrix([[0, 8, 1], [8, 0, 1], [0, 0, 0]], labels=["no", "yes", "refer"])
    model = OptimalTreeClassifier(objective=refer).fit(X, y)
    assert model.predict([[0], [1]]).tolist() == ["refer", "no"]
    assert model.objective_ == 2.0


def gini(masses):
    return masses.sum() - (masses**2).sum() / masses.sum()


def entropy(masses):
    present = masses[masses > 0]
    return (present * np.log2(masses.sum() / present)).sum()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("name", "impurity"), [("gini", gini), ("entropy", entropy)])
def test_impurity(name, impurity, n_classes):
    for seed in range(N_INSTANCES):
        rng, X, y, weights, limits = instance(seed, n_classes)
        penalty = float(rng.choice([0, 0, 0.125]))

        def leaf(rows, y=y, weights=weights):
            masses = np.bincount(y[rows], weights=weights[rows], minlength=n_classes)
            return [(round(float(impurity(masses)), 9),)]

        model = fit_both(name, X, y, weights, limits, complexity_penalty=penalty)
        found = reachable_statistics(all_splits(raw_columns(X)), leaf, **limits)
        price = penalty * weights.sum()
        best = min(cost + price * nodes for cost, nodes in found)
        assert model.objective_ == pytest.approx(best, abs=1e-7)
        leaves = model.tree_.value[model.tree_.is_leaf()]
        own = sum(impurity(masses) for masses in leaves) + price * model.n_branching_nodes_
        assert model.objective_ == pytest.approx(own, abs=1e-9)
        smallest = model.tree_.n_node_samples[model.tree_.is_leaf()].min()
        assert smallest >= min(limits["min_samples_leaf"], y.size)


@pytest.mark.parametrize(("name", "impurity"), [("gini", gini), ("entropy", entropy)])
def test_impurity_on_long_ordered_columns(name, impurity):
    """Many nested splits, where whole stretches of them are ruled out at once."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X = rng.permutation(np.arange(40) % 14).reshape(20, 2).astype(float)
        y = rng.integers(0, 3, 20)
        depth = 3 + seed % 2

        def leaf(rows, y=y):
            return float(impurity(np.bincount(y[rows], minlength=3).astype(float)))

        model = OptimalTreeClassifier(objective=name, max_depth=depth).fit(X, y)
        expected = least_cost(all_splits(raw_columns(X)), leaf, depth)
        assert model.objective_ == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["gini", "entropy"])
def test_impurity_of_deeper_trees_on_ordered_and_nominal_columns(name):
    """Depth by depth, the deeper tree is never worse, and worth what it says."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(
            {
                "a": rng.integers(0, 9, 150),
                "b": rng.choice(["x", "y", "z"], 150),
                "c": rng.integers(0, 5, 150),
            }
        )
        y = ((X["a"] > 4) ^ (X["c"] > 2) ^ (rng.random(150) < 0.2)).astype(int)
        values = []
        for depth in range(5):
            model = OptimalTreeClassifier(objective=name, max_depth=depth).fit(X, y)
            assert model.status_ == "optimal"
            values.append(model.objective_)
            impurity = gini if name == "gini" else entropy
            leaves = model.tree_.value[model.tree_.is_leaf()]
            assert model.objective_ == pytest.approx(sum(map(impurity, leaves)), abs=1e-8)
        assert values == sorted(values, reverse=True)
        few = OptimalTreeClassifier(objective=name, max_depth=3, max_nodes=3).fit(X, y)
        assert values[3] - 1e-9 <= few.objective_ <= values[2] + 1e-9


def test_impurity_stopped_early():
    rng = np.random.default_rng(0)
    X = rng.random((4000, 25))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.random(4000) > 0.9).astype(int)
    model = OptimalTreeClassifier(objective="gini", max_depth=4, time_limit=0.5).fit(X, y)
    assert model.status_ == "time_limit"
    assert 0 <= model.lower_bound_ < model.objective_ == model.upper_bound_
    leaves = model.tree_.value[model.tree_.is_leaf()]
    assert model.objective_ == pytest.approx(sum(map(gini, leaves)), rel=1e-9)


@pytest.mark.parametrize(
    "objective", ["accuracy", "balanced_accuracy", CostMatrix([[0, 1], [3, 0]]), F1(), Jaccard()]
)
def test_adaptive_is_exact_with_all_splits_as_candidates(objective):
    for seed in range(25):
        _, X, y, weights, limits = instance(seed, 2)
        limits["min_samples_leaf"] = 1
        exact = fit_both(objective, X, y, weights, limits)
        adaptive = AdaptiveTreeClassifier(
            objective=objective, max_candidates=50, max_bins=10, **limits
        ).fit(X, y, sample_weight=weights)
        assert adaptive.objective_ == pytest.approx(exact.objective_, rel=1e-12)
        assert adaptive.lower_bound_ <= exact.objective_ + 1e-12
        assert adaptive.upper_bound_ >= exact.objective_ - 1e-12
