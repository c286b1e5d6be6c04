"""Fitted attributes that only some models have survive a model file."""

import json

import numpy as np
import pandas as pd
import pytest

import certitree
from certitree import AdaptiveTreeClassifier, ModelFileError, OptimalTreeClassifier, Split
from certitree._iteration import Iteration
from certitree._model_file import from_dict, to_dict
from certitree.objectives import DemographicParity, FeatureCosts


def frame() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, 300),
            "city": rng.choice(["ams", "urk", "delft"], 300),
            "smoker": rng.random(300) < 0.5,
            "score": np.where(rng.random(300) < 0.2, np.nan, rng.integers(0, 9, 300)),
        }
    )
    y = (X["age"] > 38) ^ (X["city"] == "urk") ^ (rng.random(300) < 0.3)
    return X, np.where(y, "yes", "no")


def reread(model, tmp_path):
    model.save(tmp_path / "model.json")
    return certitree.load(tmp_path / "model.json")


@pytest.mark.parametrize("depth", [2, 4])
@pytest.mark.parametrize("effort", ["paper", "high"])
def test_adaptive_models_keep_their_history(tmp_path, depth, effort):
    X, y = frame()
    model = AdaptiveTreeClassifier(max_depth=depth, effort=effort, time_limit=60).fit(X, y)
    again = reread(model, tmp_path)
    assert type(again) is AdaptiveTreeClassifier
    assert again.stop_reason_ == model.stop_reason_
    assert again.candidates_ == model.candidates_
    assert again.history_ == model.history_
    assert model.history_ and all(type(entry) is Iteration for entry in again.history_)
    if effort == "paper":  # numbers, texts, truth values and "is missing" are all among them
        assert {type(split.value) for split in again.candidates_} >= {float, str}
    assert reread(again, tmp_path).history_ == model.history_


def test_splits_of_every_kind(tmp_path):
    X, y = frame()
    splits = [(0, 40.0), (1, "urk"), (2, True), (3, None), (3, 4.0)]
    model = AdaptiveTreeClassifier(
        max_depth=2, effort="paper", certify=False, candidates=splits, time_limit=60
    ).fit(X, y)
    again = reread(model, tmp_path)
    assert again.candidates_ == model.candidates_
    values = {split.value for split in again.candidates_ if split.feature == 2}
    assert all(type(value) is bool for value in values)
    assert Split(3, None) in again.candidates_


def test_a_model_without_a_loop(tmp_path):
    X, y = frame()
    model = AdaptiveTreeClassifier(objective="gini", max_depth=1).fit(X, y)
    again = reread(model, tmp_path)
    assert (again.history_, again.candidates_, again.stop_reason_) == ([], (), "solved")


def test_fairness_and_prices(tmp_path):
    X, y = frame()
    fair = OptimalTreeClassifier(objective=DemographicParity("city", 0.1), max_depth=2).fit(X, y)
    again = reread(fair, tmp_path)
    assert again.disparity_ == fair.disparity_
    assert again.group_rates_ == fair.group_rates_
    assert again.fairness_curve_ == fair.fairness_curve_
    groups = np.random.default_rng(0).integers(0, 2, 300)
    fair = OptimalTreeClassifier(objective=DemographicParity(limit=0.1), max_depth=1)
    assert list(reread(fair.fit(X, y, sensitive=groups), tmp_path).group_rates_) == [0, 1]
    priced = OptimalTreeClassifier(objective=FeatureCosts({"age": 0.01}), max_depth=2).fit(X, y)
    assert reread(priced, tmp_path).feature_cost_ == priced.feature_cost_


def test_files_of_before_these_were_kept(tmp_path):
    X, y = frame()
    model = AdaptiveTreeClassifier(max_depth=2, time_limit=60).fit(X, y)
    content = to_dict(model)
    for name in ("history_", "candidates_", "stop_reason_"):
        del content["results"][name]
    again = from_dict(json.loads(json.dumps(content)))
    assert not hasattr(again, "history_")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("history_", 3, "'history_' holds 3"),
        ("history_", [3], "'history_' does not hold a list of objects"),
        ("history_", [{}], "'step' is missing"),
        ("stop_reason_", None, "'stop_reason_' holds None"),
        ("candidates_", [{"feature": "age", "value": 1}], "'feature' holds 'age'"),
        ("candidates_", [{"feature": -1, "value": 1}], "is no split"),
        ("candidates_", [{"feature": 0, "value": []}], "is no split"),
        ("disparity_", "0.1", "'disparity_' holds '0.1'"),
        ("group_rates_", [["a"]], "instead of a group and its rate"),
        ("group_rates_", [["a", "b"]], "'group_rates_' holds 'b'"),
        ("fairness_curve_", [{"errors": 1}], "'disparity' is missing"),
    ],
)
def test_damaged_results_are_refused(name, value, match):
    X, y = frame()
    content = to_dict(AdaptiveTreeClassifier(max_depth=1, time_limit=60).fit(X, y))
    content["results"][name] = value
    with pytest.raises(ModelFileError, match=match):
        from_dict(content)


@pytest.mark.parametrize("key", ["step", "status"])
def test_iterations_end_in_known_ways(key):
    X, y = frame()
    content = to_dict(AdaptiveTreeClassifier(max_depth=1, time_limit=60).fit(X, y))
    content["results"]["history_"][0][key] = "luck"
    with pytest.raises(ModelFileError, match="'luck' where one of"):
        from_dict(content)
