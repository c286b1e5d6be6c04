"""Matthews correlation and group fairness through the estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import GridSearchCV

from certitree import OptimalTreeClassifier, load
from certitree.exceptions import InputError, ParameterError
from certitree.objectives import DemographicParity, EqualOpportunity, Matthews, _group_fairness

FAIR = {"demographic_parity": DemographicParity, "equal_opportunity": EqualOpportunity}


@pytest.fixture(scope="module")
def people():
    """Loans: income tells most, but differs between the towns, as does the label."""
    rng = np.random.default_rng(7)
    n = 600
    town = rng.choice(["north", "south", "west"], n, p=[0.5, 0.3, 0.2])
    income = rng.normal(50, 15, n) + np.where(town == "north", 12, 0)
    debt = rng.integers(0, 6, n)
    chance = 1 / (1 + np.exp(-(income - 52) / 8 + 0.5 * debt - 1))
    repaid = np.where(rng.random(n) < chance, "yes", "no")
    X = pd.DataFrame({"income": income.round(), "debt": debt, "town": town})
    return X, repaid


def rates_of(model, X, y, task):
    rows = np.ones(len(X), dtype=bool) if task == "demographic_parity" else y == "yes"
    called = model.predict(X) == "yes"
    return {name: called[rows & (X.town == name)].mean() for name in ("north", "south", "west")}


@pytest.mark.parametrize("task", FAIR)
def test_the_limit_holds_and_costs_errors(people, task):
    X, y = people
    free = OptimalTreeClassifier(max_depth=2, max_bins=20).fit(X.drop(columns="town"), y)
    objective = FAIR[task](sensitive="town", limit=0.05)
    model = OptimalTreeClassifier(objective=objective, max_depth=2, max_bins=20).fit(X, y)
    assert model.status_ == "optimal"
    assert model.lower_bound_ == model.objective_ == model.upper_bound_ > free.objective_
    assert model.objective_ == (model.predict(X) != y).sum()
    rates = rates_of(model, X, y, task)
    assert model.group_rates_ == pytest.approx(rates)
    assert model.disparity_ == pytest.approx(max(rates.values()) - min(rates.values()))
    assert model.disparity_ <= 0.05
    assert 2 not in set(model.tree_.used_features())


def test_without_a_limit_the_tree_is_the_most_accurate_one(people):
    X, y = people
    free = OptimalTreeClassifier(max_depth=2, max_bins=20).fit(X, y)
    objective = DemographicParity(sensitive="town", limit=1.0, split_on_sensitive=True)
    model = OptimalTreeClassifier(objective=objective, max_depth=2, max_bins=20).fit(X, y)
    assert model.objective_ == free.objective_


def test_groups_may_be_a_column_its_index_or_an_array(people):
    X, y = people
    settings = {"max_depth": 2, "max_bins": 20}
    models = [
        OptimalTreeClassifier(objective=DemographicParity(sensitive="town"), **settings).fit(X, y),
        OptimalTreeClassifier(objective=DemographicParity(sensitive=2), **settings).fit(X, y),
        OptimalTreeClassifier(objective=DemographicParity(), **settings).fit(
            X.drop(columns="town"), y, sensitive=X.town
        ),
        OptimalTreeClassifier(objective=DemographicParity(), **settings).fit(
            X[["income", "debt"]].to_numpy(), y, sensitive=X.town.tolist()
        ),
    ]
    assert len({model.objective_ for model in models}) == 1
    assert all(model.disparity_ <= 0.05 for model in models)


def test_records_of_no_weight_do_not_count(people):
    X, y = people
    weights = np.where(X.town == "west", 0.0, 2.0)
    objective = DemographicParity(sensitive="town")
    model = OptimalTreeClassifier(objective=objective, max_depth=2, max_bins=20)
    model.fit(X, y, sample_weight=weights)
    assert set(model.group_rates_) == {"north", "south"}
    kept = X.town != "west"
    other = clone(model).fit(X[kept], y[kept])
    assert model.objective_ == 2 * other.objective_


def test_the_whole_curve_is_proven(people):
    X, y = people
    settings = {"max_depth": 2, "max_bins": 6}
    whole = DemographicParity(sensitive="town", curve=True)
    curve = OptimalTreeClassifier(objective=whole, **settings).fit(X, y).fairness_curve_
    assert all(point.is_proven for point in curve)
    assert curve[-1].disparity == 0
    assert [point.errors for point in curve] == sorted({point.errors for point in curve})
    assert [-point.disparity for point in curve] == sorted({-point.disparity for point in curve})
    for limit in (0.3, 0.1, 0.03):
        objective = DemographicParity(sensitive="town", limit=limit)
        model = OptimalTreeClassifier(objective=objective, **settings).fit(X, y)
        assert model.objective_ == next(p.errors for p in curve if p.disparity <= limit)
        met = [p for p in model.fairness_curve_ if p.is_proven]
        assert [p.errors for p in met] == [model.objective_]


def test_the_other_class_can_be_the_positive_one(people):
    X, y = people
    settings = {"max_depth": 2, "max_bins": 20}
    objective = EqualOpportunity(sensitive="town", limit=0.02, pos_label="no")
    model = OptimalTreeClassifier(objective=objective, **settings).fit(X, y)
    refused = (model.predict(X) == "no") & (y == "no")
    for name, rate in model.group_rates_.items():
        group = X.town == name
        assert rate == pytest.approx(refused[group].sum() / (y[group] == "no").sum())
    assert model.disparity_ <= 0.02


def test_matthews_is_what_scikit_learn_computes(people):
    X, y = people
    model = OptimalTreeClassifier(objective="matthews", max_depth=2, max_bins=20).fit(X, y)
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(matthews_corrcoef(y, model.predict(X)))
    assert model.lower_bound_ == model.objective_ == model.upper_bound_
    accurate = OptimalTreeClassifier(max_depth=2, max_bins=20).fit(X, y)
    assert model.objective_ >= matthews_corrcoef(y, accurate.predict(X))
    swapped = OptimalTreeClassifier(objective=Matthews(pos_label="no"), max_depth=2, max_bins=20)
    assert swapped.fit(X, y).objective_ == pytest.approx(model.objective_)
    assert Matthews().scorer()(model, X, y) == pytest.approx(model.objective_)


def test_objectives_survive_pickles_files_and_grid_search(people, tmp_path):
    X, y = people
    objective = DemographicParity(sensitive="town")
    model = OptimalTreeClassifier(objective=objective, max_depth=2, max_bins=10).fit(X, y)
    assert pickle.loads(pickle.dumps(model)).fairness_curve_ == model.fairness_curve_
    model.save(tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(X) == model.predict(X)).all()
    grid = {"objective": [objective, DemographicParity(sensitive="town", limit=0.2)]}
    search = GridSearchCV(OptimalTreeClassifier(max_depth=1, max_bins=10), grid, cv=2).fit(X, y)
    assert search.best_params_["objective"] in grid["objective"]


@pytest.mark.parametrize(
    ("objective", "given", "error", "message"),
    [
        (DemographicParity(sensitive="city"), None, ParameterError, "'city' is no column of X"),
        (DemographicParity(sensitive=7), None, ParameterError, "counted from 0 to 2"),
        (DemographicParity(), None, ParameterError, "neither came"),
        (DemographicParity(sensitive="town"), ["a"] * 600, ParameterError, "both came"),
        (DemographicParity(), ["a"] * 600, InputError, "make 1 group .*nothing to compare"),
        (DemographicParity(), np.arange(600), InputError, "make 600 groups"),
        (DemographicParity(), ["a", "b"], InputError, "X has 600 rows; give one per row"),
        (DemographicParity(), ["a", None] * 300, InputError, "sensitive value of row 1 is missing"),
        (DemographicParity(sensitive="town", pos_label=1), None, InputError, "does not occur in y"),
        (Matthews(), ["a", "b"] * 300, ParameterError, "compares no groups"),
        (Matthews(pos_label="maybe"), None, InputError, "'maybe' does not occur in y"),
    ],
)
def test_bad_input_is_explained(people, objective, given, error, message):
    X, y = people
    with pytest.raises(error, match=message):
        OptimalTreeClassifier(objective=objective).fit(X, y, sensitive=given)


@pytest.mark.parametrize("limit", [-0.1, 1.5, float("nan"), "small"])
def test_a_limit_that_makes_no_sense_is_refused(limit):
    with pytest.raises(ParameterError, match="must be a number from 0"):
        DemographicParity(limit=limit)


def test_a_group_without_positive_records_is_named(people):
    X, y = people
    y = np.where(X.town == "west", "no", y)
    objective = EqualOpportunity(sensitive="town")
    with pytest.raises(InputError, match="group 'west' has no record of the positive class 'yes'"):
        OptimalTreeClassifier(objective=objective).fit(X, y)


def test_a_penalty_and_several_classes_are_refused(people):
    X, y = people
    model = OptimalTreeClassifier(objective="matthews", complexity_penalty=0.01)
    with pytest.raises(ParameterError, match=r"complexity_penalty=0\.01"):
        model.fit(X, y)
    with pytest.raises(InputError, match="needs two classes, but y has 6"):
        OptimalTreeClassifier(objective=DemographicParity(sensitive="town")).fit(X, X.debt)


def test_out_of_time_there_is_a_fair_tree_with_a_bound(people):
    X, y = people
    objective = DemographicParity(sensitive="town", limit=0.01)
    model = OptimalTreeClassifier(objective=objective, max_depth=5, time_limit=0.01).fit(X, y)
    assert model.disparity_ <= 0.01
    assert model.lower_bound_ <= model.objective_ == (model.predict(X) != y).sum()
    assert (model.status_ == "optimal") == (model.gap_ == 0)


def test_the_tree_may_split_on_a_twin_of_the_sensitive_column(people):
    X, y = people
    X = X.assign(is_north=(X.town == "north").astype(float), sensitive=(X.town == "north") * 1.0)
    X = X[["sensitive", "is_north"]]
    objective = DemographicParity(sensitive="sensitive", limit=1.0)
    model = OptimalTreeClassifier(objective=objective, max_depth=1).fit(X, y)
    alone = OptimalTreeClassifier(max_depth=1).fit(X[["is_north"]], y)
    assert model.objective_ == alone.objective_
    assert set(model.tree_.used_features()) <= {1}


def test_with_the_sensitive_column_alone_the_tree_is_constant(people):
    X, y = people
    objective = DemographicParity(sensitive="town")
    model = OptimalTreeClassifier(objective=objective).fit(X[["town"]], y)
    assert (model.n_branching_nodes_, model.disparity_, model.status_) == (0, 0.0, "optimal")


@pytest.mark.parametrize("task", FAIR)
def test_rates_on_any_records(people, task):
    X, y = people
    objective = FAIR[task](sensitive="town", limit=0.05)
    model = OptimalTreeClassifier(objective=objective, max_depth=2, max_bins=20).fit(X, y)
    predicted = model.predict(X)
    assert objective.rates(y, predicted, X.town) == pytest.approx(model.group_rates_)
    assert objective.disparity(y, predicted, X.town) == pytest.approx(model.disparity_)
    weights = np.where(X.town == "west", 0.0, 2.0)
    towns = X.town.where(X.index % 10 > 0, None)  # the group of some is not known
    rates = objective.rates(y, predicted, towns, weights)
    assert set(rates) == {"north", "south"}
    counts = (X.town == "north") & (X.index % 10 > 0) & ((task[0] == "d") | (y == "yes"))
    assert rates["north"] == pytest.approx((predicted[counts] == "yes").mean())
    assert objective.rates([], [], []) == {}
    assert objective.disparity([], [], []) == 0.0
    with pytest.raises(InputError, match="sensitive has shape"):
        objective.rates(y, predicted, ["north"])


def test_prediction_needs_no_groups(people, tmp_path):
    X, y = people
    model = OptimalTreeClassifier(objective=DemographicParity("town"), max_depth=2).fit(X, y)
    model.save(tmp_path / "model.json")
    without = X.drop(columns="town")
    for fitted in (model, load(tmp_path / "model.json")):
        assert (fitted.predict(without) == model.predict(X)).all()
        assert (fitted.predict(without[["debt", "income"]]) == model.predict(X)).all()
        with pytest.raises(InputError, match="now missing:\\n- debt"):
            fitted.predict(X.drop(columns="debt"))
        with pytest.raises(InputError, match="unseen at fit time:\\n- age"):
            fitted.predict(without.assign(age=1))
    splits = DemographicParity("town", split_on_sensitive=True)
    model = OptimalTreeClassifier(objective=splits, max_depth=2).fit(X, y)
    with pytest.raises(InputError, match="now missing:\\n- town"):
        model.predict(without)


def stopped(solve_depth, status):
    """Let searches of the full depth end at once, with the constant tree."""

    def solve(self, search, *, max_depth=None, **options):
        found = solve_depth(
            self, search, max_depth=0 if max_depth is None else max_depth, **options
        )
        if max_depth is None:
            found |= {"status": status, "lower_bound": 1.0}
        return found

    return solve


@pytest.mark.parametrize("status", ["time_limit", "memory_limit", "interrupted"])
def test_a_deep_search_that_is_stopped_has_a_tree_of_depth_two(people, monkeypatch, status):
    X, y = people
    objective = DemographicParity(sensitive="town", limit=0.05)
    shallow = OptimalTreeClassifier(objective=objective, max_depth=2).fit(X, y)
    goal = _group_fairness.FairnessGoal
    monkeypatch.setattr(goal, "_solve_depth", stopped(goal._solve_depth, status))
    model = OptimalTreeClassifier(objective=objective, max_depth=3).fit(X, y)
    assert model.status_ == status
    assert model.tree_ == shallow.tree_
    assert (model.objective_, model.lower_bound_) == (shallow.objective_, 1.0)
    assert model.group_rates_ == shallow.group_rates_
    points = [(point.errors, point.disparity) for point in model.fairness_curve_]
    assert (model.objective_, model.disparity_) in points
    assert points == sorted(points)
    assert not any(point.is_proven for point in model.fairness_curve_)


def test_an_interrupt_of_the_first_search_ends_all(people, monkeypatch):
    X, y = people
    goal = _group_fairness.FairnessGoal
    solve_depth, depths = goal._solve_depth, []

    def solve(self, search, *, max_depth=None, **options):
        depths.append(max_depth)
        return solve_depth(self, search, max_depth=max_depth, **options) | {"status": "interrupted"}

    monkeypatch.setattr(goal, "_solve_depth", solve)
    objective = DemographicParity(sensitive="town", limit=0.05)
    model = OptimalTreeClassifier(objective=objective, max_depth=4).fit(X, y)
    assert depths == [2]
    assert (model.status_, model.lower_bound_) == ("interrupted", 0.0)


def test_few_of_the_trees_met_are_labelled_anew(people, monkeypatch):
    X, y = people
    goal = _group_fairness.FairnessGoal
    solve_depth, labelled = goal._solve_depth, []

    def solve(self, search, **options):
        found = solve_depth(self, search, **options)
        met = [tree | {"objective": 100.0 - i} for i in range(30) for tree in found["met"][:1]]
        return found | {"status": "time_limit", "lower_bound": 0.0, "met": met}

    def note(nodes, *rest):
        labelled.append(nodes)

    monkeypatch.setattr(goal, "_solve_depth", solve)
    monkeypatch.setattr(_group_fairness, "label_fairly", note)
    objective = DemographicParity(sensitive="town", limit=0.05)
    OptimalTreeClassifier(objective=objective, max_depth=2).fit(X, y)
    assert 0 < len(labelled) == _group_fairness._MOST_RELABELLED


def test_strict_limits_for_several_groups_leave_a_tree_when_time_is_up():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 12)).round(1)
    groups = rng.integers(0, 4, 4000)
    y = (X[:, 0] + groups / 2 + rng.normal(size=4000) > 1).astype(int)
    objective = EqualOpportunity(limit=0.0)
    model = OptimalTreeClassifier(objective=objective, max_depth=4, time_limit=0.3)
    model.fit(X, y, sensitive=groups)
    assert model.status_ == "time_limit"
    assert model.disparity_ <= 1e-9
    assert 0 <= model.lower_bound_ < model.objective_ == (model.predict(X) != y).sum()
