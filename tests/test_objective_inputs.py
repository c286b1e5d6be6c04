"""Objectives as parameters: names, cloning, files, scorers, and what they refuse."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score

import certitree
from certitree import InputError, InputTypeError, OptimalTreeClassifier, ParameterError
from certitree.objectives import (
    F1,
    Accuracy,
    CostMatrix,
    FBeta,
    FeatureCosts,
    Jaccard,
    RecordCosts,
    as_objective,
    objective_names,
)
from certitree.objectives._fractional import Ratio

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]])
Y = np.array(["no", "yes", "no", "yes", "yes"])
COSTS = np.ones((5, 2))


def refuses(error, match, y=Y, sample_weight=None, costs=None, **parameters):
    with pytest.raises(error, match=match):
        OptimalTreeClassifier(**parameters).fit(X, y, sample_weight, costs=costs)


def test_names():
    names = objective_names()
    assert {"accuracy", "balanced_accuracy", "f1", "f_beta", "jaccard", "record_costs"} <= set(
        names
    )
    assert as_objective("f1") == F1()
    assert as_objective(FBeta(2)) == FBeta(2)


def test_unknown_and_refused_names():
    refuses(ParameterError, "'f2' is unknown; there are accuracy, ", objective="f2")
    refuses(ParameterError, "no exact search is known", objective="f1_macro")
    refuses(ParameterError, "needs arguments: .*'beta'", objective="f_beta")
    refuses(ParameterError, "needs arguments: .*'costs'", objective="cost_matrix")
    refuses(ValueError, "'objective' parameter", objective=3)


@pytest.mark.parametrize("costs", [[[0, -1], [1, 0]], [[0, np.nan], [1, 0]], [[0, np.inf], [1, 0]]])
def test_cost_matrix_refuses_values(costs):
    with pytest.raises(ParameterError, match="finite and at least 0"):
        CostMatrix(costs)


def test_cost_matrix_refuses_shapes():
    with pytest.raises(ParameterError, match=r"shape \(1, 2\)"):
        CostMatrix([[0, 1]])
    with pytest.raises(ParameterError, match="square table of numbers"):
        CostMatrix([[0, "a"], [1, 0]])
    with pytest.raises(ParameterError, match="name each class once"):
        CostMatrix([[0, 1], [1, 0]], labels=["no", "no"])
    refuses(InputError, "y has 2 classes", objective=CostMatrix(np.ones((3, 3))))
    refuses(
        InputError,
        "class 'yes', which the cost matrix",
        objective=CostMatrix([[0, 1], [1, 0]], labels=["no", "maybe"]),
    )


def test_record_costs_refuse():
    refuses(InputError, "needs costs", objective="record_costs")
    refuses(InputError, "has 3 columns", costs=np.ones((5, 3)), objective="record_costs")
    refuses(
        InputError, r"shape \(4, 2\), but X has 5", costs=np.ones((4, 2)), objective="record_costs"
    )
    refuses(InputTypeError, "must hold numbers", costs=[["a"]] * 5, objective="record_costs")
    for bad in (-1.0, np.nan, np.inf):
        costs = COSTS.copy()
        costs[2, 1] = bad
        refuses(InputError, "row 2, column 1", costs=costs, objective="record_costs")
    refuses(
        InputError,
        "class 'yes', for which there are no costs",
        costs=COSTS,
        objective=RecordCosts(labels=["no", "maybe"]),
    )
    refuses(ParameterError, "'accuracy' does not use them", costs=COSTS)


@pytest.mark.parametrize("objective", [F1, Jaccard, lambda pos_label: FBeta(2, pos_label)])
def test_ratios_refuse(objective):
    refuses(InputError, "'maybe' does not occur", objective=objective(pos_label="maybe"))
    refuses(
        InputError,
        "two classes, but y has 3",
        y=["a", "b", "c", "a", "b"],
        objective=objective(pos_label="a"),
    )
    refuses(InputError, "two classes, but y has 1", y=["a"] * 5, objective=objective(pos_label="a"))
    refuses(
        ParameterError,
        "limit the tree with max_nodes",
        objective=objective(pos_label="no"),
        complexity_penalty=0.1,
    )


def test_a_positive_class_of_weight_zero_is_absent():
    weights = (Y == "no").astype(float)
    refuses(InputError, "'yes' does not occur", sample_weight=weights, objective=F1("yes"))


@pytest.mark.parametrize("beta", [0, -1, np.nan, np.inf, "2"])
def test_beta_refused(beta):
    with pytest.raises(ParameterError, match="beta"):
        FBeta(beta)


def test_class_weight_refused():
    unknown = Accuracy(class_weight={"maybe": 2})
    refuses(ParameterError, "'maybe', but y has 'no', 'yes'", objective=unknown)
    refuses(ParameterError, "divide them all", objective=Accuracy(class_weight={"no": 1e308}))
    for bad in (0, -1, np.nan, np.inf, "2"):
        with pytest.raises(ParameterError, match="positive number"):
            Accuracy(class_weight={"no": bad})
    for bad in ("unbalanced", 3, ["classes"]):
        with pytest.raises(ParameterError, match="'balanced' or None"):
            Accuracy(class_weight=bad)


def test_class_weights_count_in_the_score():
    factors = Accuracy(class_weight={"no": 3})
    assert factors.score(Y, ["yes"] * 5) == 3 / 9
    assert factors.score(Y, ["yes"] * 5, [1, 1, 0, 1, 1]) == 3 / 6
    balanced = Accuracy(class_weight="balanced")
    assert balanced.score(Y, ["yes"] * 5) == 0.5
    assert hash(factors) == hash(clone(OptimalTreeClassifier(objective=factors)).objective)
    assert factors != balanced


def test_objects_are_cloned_and_compared():
    model = OptimalTreeClassifier(
        objective=CostMatrix(np.array([[0, 1], [2, 0]]), labels=["a", "b"])
    )
    copied = clone(model)
    assert copied.objective == model.objective
    assert hash(copied.objective) == hash(model.objective)
    assert copied.objective != CostMatrix([[0, 1], [1, 0]])


@pytest.mark.parametrize(
    "objective",
    [
        FBeta(2, pos_label="yes"),
        "jaccard",
        CostMatrix([[0, 1], [2, 0]]),
        Accuracy(class_weight={np.str_("no"): np.float32(2)}),
        Accuracy(class_weight="balanced"),
    ],
)
def test_model_files_keep_the_objective(tmp_path, objective):
    model = OptimalTreeClassifier(objective=objective, max_depth=1)
    model.fit(X, Y).save(tmp_path / "model.json")
    json.loads((tmp_path / "model.json").read_text())
    loaded = certitree.load(tmp_path / "model.json")
    assert loaded.get_params() == model.get_params()
    assert loaded.upper_bound_ == model.upper_bound_
    assert loaded.fit(X, Y).objective_ == model.objective_
    assert str(loaded) == str(model)


def test_text_states_the_direction():
    assert "no tree within the limits is below" in str(OptimalTreeClassifier().fit(X, Y))
    assert "no tree within the limits is above" in str(
        OptimalTreeClassifier(objective="f1").fit(X, Y)
    )


def test_score_is_accuracy_and_scorers_are_the_objective():
    data, target = load_breast_cancer(return_X_y=True)
    model = OptimalTreeClassifier(objective=F1(pos_label=0), max_depth=2, max_bins=5)
    model.fit(data, target)
    predicted = model.predict(data)
    assert model.score(data, target) == (predicted == target).mean()
    own = F1(pos_label=0).scorer()(model, data, target)
    assert own == f1_score(target, predicted, pos_label=0) == model.objective_
    scores = cross_val_score(model, data, target, cv=3, scoring=F1(pos_label=0).scorer())
    same = cross_val_score(model, data, target, cv=3, scoring=make_scorer(f1_score, pos_label=0))
    np.testing.assert_allclose(scores, same)


def test_search_over_objectives():
    data, target = load_iris(return_X_y=True)
    grid = {"objective": ["accuracy", "balanced_accuracy", Accuracy(class_weight="balanced")]}
    search = GridSearchCV(OptimalTreeClassifier(max_depth=2, max_bins=5), grid, cv=3)
    assert search.fit(data, target).best_score_ > 0.9


def test_costs_go_through_cross_validation():
    data, target = load_iris(return_X_y=True)
    costs = 1.0 - np.eye(3)[target]
    model = OptimalTreeClassifier(objective="record_costs", max_depth=2, max_bins=5)
    scores = cross_val_score(model, data, target, cv=3, params={"costs": costs})
    plain = cross_val_score(model.set_params(objective="accuracy"), data, target, cv=3)
    np.testing.assert_allclose(scores, plain)


def test_stopped_early_the_bounds_still_hold():
    rng = np.random.default_rng(0)
    data = rng.random((1500, 12))
    target = (data[:, 0] * data[:, 1] + 0.3 * rng.random(1500) > 0.45).astype(int)
    for objective in ("f1", "jaccard", "balanced_accuracy"):
        exact = OptimalTreeClassifier(objective=objective, max_depth=2, max_bins=30).fit(
            data, target
        )
        stopped = OptimalTreeClassifier(
            objective=objective, max_depth=4, max_bins=30, time_limit=0.3
        ).fit(data, target)
        assert stopped.status_ == "time_limit"
        assert stopped.lower_bound_ == stopped.objective_ <= stopped.upper_bound_ <= 1.0
        assert stopped.upper_bound_ >= exact.objective_
        assert 0 < stopped.gap_ < 1
        own = as_objective(objective).score(target, stopped.predict(data))
        assert own == pytest.approx(stopped.objective_, rel=1e-12)


def test_the_bound_of_a_ratio_holds_for_every_bound_on_its_cost():
    rng = np.random.default_rng(1)
    for _ in range(500):
        p, n = (int(v) for v in rng.integers(1, 9, 2))
        ratio = Ratio(Fraction(int(rng.integers(1, 6))), Fraction(int(rng.integers(1, 6))))
        t = Fraction(int(rng.integers(1, 20)), 20)
        price_fn, price_fp = ratio.prices(t)
        errors = [(fn, fp) for fn in range(p + 1) for fp in range(n + 1)]
        chosen = [errors[i] for i in rng.integers(0, len(errors), 4)]
        least = min(price_fn * fn + price_fp * fp for fn, fp in chosen)
        best = max(ratio.value(Fraction(p), Fraction(fn), Fraction(fp)) for fn, fp in chosen)
        assert best <= ratio.bound(Fraction(p), Fraction(n), t, least)


LABELS = (["no", "yes"], [0, 1], [False, True])


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("objective", [F1(), FBeta(2), Jaccard()], ids=str)
def test_a_fold_is_scored_by_the_positive_class_of_training(objective, labels):
    y = np.array(labels)[np.array([0, 1, 0, 1, 1])]  # numpy text, not objects
    model = OptimalTreeClassifier(objective=objective, max_depth=1).fit(X, y)
    assert objective.scorer()(model, X, y) == pytest.approx(model.objective_)
    negatives = y == y[0]
    wrong = X[negatives].copy()
    wrong[:, 1] = 1  # are called positive: no true positives, so the score is 0
    assert objective.scorer()(model, wrong, y[negatives]) == 0.0
    assert objective.scorer()(model, X[negatives], y[negatives]) == 0.0


def test_a_fold_is_scored_by_the_cost_matrix_of_training():
    scorer = CostMatrix([[0, 1], [5, 0]]).scorer()
    model = OptimalTreeClassifier(objective=scorer.objective, max_depth=0).fit(X, Y)
    assert scorer(model, X, Y) == pytest.approx(-2 / 5)
    assert scorer(model, X[Y == "no"], Y[Y == "no"]) == -1.0
    priced = FeatureCosts({0: 0.5}, error_costs=[[0, 1], [5, 0]]).scorer()
    assert priced(model, X[Y == "no"], Y[Y == "no"]) == -1.0


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 0.3, 1e300])
@pytest.mark.parametrize("objective", ["f1", FBeta(2), "jaccard"], ids=str)
def test_the_unit_of_weights_does_not_matter(objective, scale):
    rng = np.random.default_rng(0)
    table = rng.integers(0, 9, (80, 3))
    y = (table[:, 0] + rng.integers(0, 6, 80)) > 6
    weights = rng.integers(1, 4, 80).astype(float)
    models = [
        OptimalTreeClassifier(objective=objective, max_depth=2).fit(table, y, unit * weights)
        for unit in (1.0, scale)
    ]
    assert [model.status_ for model in models] == ["optimal"] * 2
    assert models[0].objective_ == pytest.approx(models[1].objective_, rel=1e-9)


@pytest.mark.parametrize("objective", [F1(), FBeta(2), Jaccard()], ids=str)
def test_any_sortable_labels_are_scored(objective):
    days = np.array([dt.date(2020, 1, 1 + (label == "yes")) for label in Y], dtype=object)
    model = OptimalTreeClassifier(objective=objective, max_depth=1).fit(X, days)
    assert objective.scorer()(model, X, days) == pytest.approx(model.objective_)


def test_a_scorer_needs_no_classes_but_refuses_a_positive_class_that_they_lack():
    X, y = load_breast_cancer(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=1, max_bins=5).fit(X, y)

    class Wrapper:
        def predict(self, X):
            return model.predict(X)

    assert F1(0).scorer()(Wrapper(), X, y) == F1(0).scorer()(model, X, y) > 0.5
    with pytest.raises(InputError, match=r"positive label 'yse' is none of the classes .*0, 1"):
        F1("yse").scorer()(model, X, y)
