import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from certitree import OptimalTreeClassifier
from checking import check_fitted


@parametrize_with_checks([OptimalTreeClassifier()])
def test_estimator_contract(estimator, check):
    check(estimator)


def test_is_a_classifier():
    assert is_classifier(OptimalTreeClassifier())


def test_cross_validation_and_search():
    X, y = load_iris(return_X_y=True)
    scores = cross_val_score(OptimalTreeClassifier(max_depth=2), X, y, cv=3)
    assert scores.min() > 0.85
    search = GridSearchCV(OptimalTreeClassifier(), {"max_depth": [0, 2]}, cv=3).fit(X, y)
    assert search.best_params_ == {"max_depth": 2}


def test_works_in_a_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=2)).fit(X, y)
    assert pipeline.score(X, y) > 0.9


@pytest.mark.parametrize("copy_model", [lambda m: pickle.loads(pickle.dumps(m)), lambda m: m])
def test_pickle_keeps_predictions(copy_model):
    X, y = load_iris(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    copied = copy_model(model)
    np.testing.assert_array_equal(copied.predict_proba(X), model.predict_proba(X))
    assert copied.tree_ == model.tree_


def test_joblib_round_trip(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    assert joblib.load(tmp_path / "model.joblib").tree_ == model.tree_


def test_clone_forgets_the_fit_and_keeps_parameters():
    X, y = load_iris(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=1, candidates=[0, (2, 2.5)]).fit(X, y)
    copied = clone(model)
    assert not hasattr(copied, "tree_")
    assert copied.get_params() == model.get_params()


def test_known_optimum_of_breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    model = check_fitted(OptimalTreeClassifier(max_depth=2, max_bins=10).fit(X, y), X, y)
    assert model.status_ == "optimal"
    assert model.score(X, y) >= 0.94
