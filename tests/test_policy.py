"""Policy trees: the estimates, the optimum over all trees, and what they refuse."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import certitree
from brute_force import all_splits
from certitree import InputError, InputTypeError, OptimalPolicyTree, ParameterError
from checking import raw_columns
from objective_oracle import cost_leaf, reachable_statistics

METHODS = ("direct", "ipw", "doubly_robust")


def trial(n_rows=600, seed=0):
    """Draw a trial whose best treatment is b where x0 is true, else a; c is never best."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, 4))
    treatment = rng.choice(["a", "b", "c"], n_rows, p=[0.5, 0.3, 0.2])
    good = np.where(X[:, 0] == 1, "b", "a")
    outcome = 2.0 * (treatment == good) + X[:, 1] - 3.0 + rng.normal(0, 0.1, n_rows)
    propensities = pd.Series(treatment).map({"a": 0.5, "b": 0.3, "c": 0.2}).to_numpy()
    return X, treatment, outcome, propensities


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("maximize", [True, False])
def test_optimal_among_all_trees(method, maximize):
    for seed in range(120):
        rng = np.random.default_rng([seed, maximize])
        n_rows, k = int(rng.integers(6, 12)), int(rng.integers(2, 4))
        X = rng.integers(0, 2, (n_rows, 3))
        treatment = rng.permutation(np.arange(n_rows) % k)
        outcome = rng.normal(0, 3, n_rows)
        propensities = rng.uniform(0.05, 1, n_rows)
        predicted = rng.normal(0, 3, (n_rows, k))
        weights = rng.integers(1, 4, n_rows).astype(float)
        depth, penalty = int(rng.integers(0, 3)), float(rng.choice([0, 0.2]))
        models = [
            OptimalPolicyTree(
                method=method,
                maximize=maximize,
                max_depth=depth,
                complexity_penalty=penalty,
                aggregate=aggregate,
            ).fit(
                X,
                treatment,
                outcome,
                weights,
                propensities=propensities,
                outcome_predictions=predicted,
            )
            for aggregate in (True, False)
        ]
        is_received = treatment[:, None] == np.arange(k)
        shift = 0.0 if method == "ipw" else predicted
        residual = is_received * (outcome[:, None] - shift) / propensities[:, None]
        scores = predicted if method == "direct" else shift + residual
        sign = 1 if maximize else -1
        gains = -sign * scores * weights[:, None] / weights.sum()
        found = reachable_statistics(all_splits(raw_columns(X)), cost_leaf(gains), max_depth=depth)
        best = -sign * min(cost + penalty * nodes for cost, nodes in found)
        for model in models:
            assert model.status_ == "optimal"
            assert model.objective_ == pytest.approx(best, rel=1e-9, abs=1e-9)
            assert model.lower_bound_ == model.objective_ == model.upper_bound_
            value = model.estimate_value(
                X,
                treatment,
                outcome,
                weights,
                propensities=propensities,
                outcome_predictions=predicted,
            )
            paid = sign * penalty * model.n_branching_nodes_
            assert value - paid == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_finds_the_policy_that_made_the_data(method):
    models = {"outcome_model": LinearRegression(), "propensity_model": LogisticRegression()}
    model = OptimalPolicyTree(method=method, max_depth=1, random_state=0, **models)
    model.fit(*trial(1500)[:3])
    assert model.predict([[0, 0, 0, 0], [1, 0, 0, 0]]).tolist() == ["a", "b"]
    assert model.treatments_.tolist() == ["a", "b", "c"]
    value = model.estimate_value(*trial(1500, seed=1)[:3])
    assert value == pytest.approx(-0.5, abs=0.35)  # 2 + E[x1] - 3


def test_default_models_take_categories_and_missing_values():
    X, treatment, outcome, _ = trial(300)
    frame = pd.DataFrame({"sex": np.where(X[:, 0] == 1, "f", "m"), "age": X[:, 1] * 1.0})
    frame.loc[::7, "age"] = np.nan
    model = OptimalPolicyTree(max_depth=1, n_folds=2).fit(frame, treatment, outcome)
    assert model.predict(frame)[0] == ("b" if X[0, 0] else "a")


def test_known_and_estimated_propensities_agree_roughly():
    X, treatment, outcome, propensities = trial(3000)
    model = OptimalPolicyTree(method="ipw", propensity_model=DummyClassifier(strategy="prior"))
    estimated = model.fit(X, treatment, outcome).objective_
    known = clone(model).fit(X, treatment, outcome, propensities=propensities).objective_
    table = np.tile([0.5, 0.3, 0.2], (treatment.size, 1))
    assert known == clone(model).fit(X, treatment, outcome, propensities=table).objective_
    assert known == pytest.approx(estimated, abs=0.1)


def test_cross_fitting_never_predicts_what_it_was_fitted_on():
    seen = []

    class Recorder(DummyRegressor):
        def fit(self, X, y, sample_weight=None):
            self.rows_ = set(np.asarray(X)[:, 0].tolist())
            return super().fit(X, y, sample_weight)

        def predict(self, X):
            rows = set(np.asarray(X)[:, 0].tolist())
            seen.append(rows & self.rows_)
            return super().predict(X)

    X = np.arange(60.0)[:, None]
    treatment = np.arange(60) % 2
    model = OptimalPolicyTree(method="direct", outcome_model=Recorder(), n_folds=3)
    model.fit(X, treatment, X[:, 0])
    assert seen == [set()] * 6  # three folds, two treatments


def test_frames_pipelines_and_outcome_classifiers():
    X, treatment, outcome, _ = trial(400)
    frame = pd.DataFrame({"sex": np.where(X[:, 0] == 1, "f", "m"), "age": X[:, 1]})
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    model = OptimalPolicyTree(
        outcome_model=make_pipeline(encode, LinearRegression()),
        propensity_model=make_pipeline(encode, LogisticRegression()),
        max_depth=1,
    ).fit(frame, treatment, outcome)
    assert model.predict(frame)[0] == ("b" if X[0, 0] else "a")
    recovered = (outcome > -2).astype(int)
    by_class = OptimalPolicyTree(
        method="direct", outcome_model=DecisionTreeClassifier(max_depth=2), max_depth=1
    ).fit(X, treatment, recovered)
    assert 0 <= by_class.objective_ <= 1
    assert by_class.predict([[1, 1, 0, 0]]) == ["b"]


def test_weight_zero_leaves_a_record_out():
    X, treatment, outcome, propensities = trial(200)
    weights = (np.arange(200) % 2).astype(float)
    kept = weights > 0
    model = OptimalPolicyTree(method="ipw", max_depth=2)
    weighted = clone(model).fit(X, treatment, outcome, weights, propensities=propensities)
    plain = clone(model).fit(
        X[kept], treatment[kept], outcome[kept], propensities=propensities[kept]
    )
    assert weighted.objective_ == pytest.approx(plain.objective_, rel=1e-12)
    assert weighted.tree_ == plain.tree_


def test_is_no_classifier_and_its_text_counts_no_errors(tmp_path):
    X, treatment, outcome, propensities = trial(100)
    model = OptimalPolicyTree(method="ipw", max_depth=1, outcome_model=LinearRegression())
    model.fit(X, treatment, outcome, propensities=propensities)
    assert not is_classifier(model)
    assert "wrong" not in str(model)
    assert "above" in str(model)
    model.save(tmp_path / "policy.json")
    loaded = certitree.load(tmp_path / "policy.json")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.outcome_model is None


class Infinite(DummyRegressor):
    def predict(self, X):
        return super().predict(X) + np.inf


X, TREATMENT, OUTCOME, PROPENSITIES = trial(40)


def refuses(error, match, *, treatment=TREATMENT, outcome=OUTCOME, fit=None, **parameters):
    with pytest.raises(error, match=match):
        OptimalPolicyTree(**parameters).fit(X, treatment, outcome, **(fit or {}))


def test_refuses_data():
    refuses(InputError, "chooses among", treatment=["a"] * 40)
    refuses(InputError, "treatment or sample_weight.*NaN", treatment=[None, *TREATMENT[1:]])
    refuses(InputError, r"outcome has shape \(39,\)", outcome=OUTCOME[1:])
    refuses(InputError, "outcome is not finite in row 1", outcome=[0, np.nan, *OUTCOME[2:]])
    refuses(InputTypeError, "outcome must hold numbers", outcome=["a"] * 40)
    refuses(InputError, r"outcome_predictions has shape", fit={"outcome_predictions": OUTCOME})


def test_refuses_propensities():
    zero = np.where(np.arange(40) == 3, 0.0, PROPENSITIES)
    refuses(InputError, "record 3 is 0.0: it received", method="ipw", fit={"propensities": zero})
    refuses(InputError, "holds 1.5; prob", fit={"propensities": np.full(40, 1.5)})
    refuses(InputError, "holds -0.5; prob", fit={"propensities": np.full(40, -0.5)})
    refuses(InputError, r"propensities has shape", fit={"propensities": PROPENSITIES[1:]})
    model = OptimalPolicyTree(method="ipw", min_propensity=0.2)
    model.fit(X, TREATMENT, OUTCOME, propensities=zero)
    raised = np.maximum(zero, 0.2)
    other = clone(model).fit(X, TREATMENT, OUTCOME, propensities=raised)
    assert model.objective_ == other.objective_
    never = DummyClassifier(strategy="most_frequent")
    refuses(InputError, "min_propensity", method="ipw", propensity_model=never)


def test_refuses_models_and_parameters():
    rare = ["rare", "rare", *["a"] * 19, *["b"] * 19]
    refuses(InputError, "'rare' was given to 2 records, fewer than the 5", treatment=rare)
    refuses(ParameterError, "no predict_proba", method="ipw", propensity_model=LinearRegression())
    refuses(InputError, "not finite", outcome_model=Infinite())
    refuses(ValueError, "'method' parameter", method="magic")
    refuses(ValueError, "'n_folds' parameter", n_folds=1)


def test_estimate_value_refuses_other_treatments():
    model = OptimalPolicyTree(method="ipw").fit(X, TREATMENT, OUTCOME, propensities=PROPENSITIES)
    with pytest.raises(InputError, match="no others"):
        model.estimate_value(X, np.where(TREATMENT == "a", "z", TREATMENT), OUTCOME)


def test_a_column_without_values_is_no_matter():
    X, treatment, outcome, _ = trial()
    table = pd.DataFrame(X).add_prefix("x").assign(empty=np.nan)
    model = OptimalPolicyTree(max_depth=1, random_state=0).fit(table, treatment, outcome)
    assert model.tree_.used_features() == [0]


@pytest.mark.parametrize(
    ("propensities", "message"),
    [
        (np.full((600, 3), 0.5), r"add up to 1\.5; .* 'a', 'b', 'c'"),
        (np.full(600, 1e-320), "the least propensity is 1e-320, .*min_propensity"),
    ],
)
def test_unusable_propensities(propensities, message):
    X, treatment, outcome, _ = trial()
    with pytest.raises(InputError, match=message):
        OptimalPolicyTree().fit(X, treatment, outcome, propensities=propensities)


def test_a_treatment_is_named_as_it_was_given():
    X, treatment, outcome, _ = trial(30)
    with pytest.raises(InputError, match="treatment 'c' was given to"):
        OptimalPolicyTree(n_folds=20).fit(X, treatment, outcome)
    with pytest.raises(InputError, match="one treatment, 'a'"):
        OptimalPolicyTree().fit(X, np.full(30, "a"), outcome)
