import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from certitree import OptimalTreeClassifier, export_text
from certitree._export import describe_condition
from certitree._schema import Feature


@pytest.fixture
def model():
    frame = pd.DataFrame(
        {
            "city": ["ams", "ams", "urk", "urk", "urk", "urk"],
            "age": [30.0, 31.0, 40.0, np.nan, 50.0, 60.0],
        }
    )
    y = ["yes", "yes", "no", "no", "maybe", "maybe"]
    return OptimalTreeClassifier(max_depth=2, min_samples_leaf=2).fit(frame, y, [1] * 5 + [2.5])


def test_text_shows_every_condition_and_leaf(model):
    text = export_text(model)
    lines = text.splitlines()
    assert len(lines) == 5
    assert text.count("yes: ") == text.count("no:  ") == 2
    assert "or missing" in text
    assert "maybe  (2 records of weight 3.5, 0 wrong)" in text
    assert "yes  (2 records, 0 wrong)" in text


def test_text_without_weights(model):
    assert "records" not in export_text(model, show_weights=False)


def test_digits():
    X = np.array([[1.23456], [2.34567]])
    model = OptimalTreeClassifier().fit(X, [0, 1])
    assert export_text(model, digits=3).startswith("x0 <= 1.79\n")


def test_a_single_leaf():
    model = OptimalTreeClassifier(max_depth=0).fit([[1.0], [2.0], [3.0]], [1, 1, 0])
    assert export_text(model) == "1  (3 records, 1 wrong)"


def test_printing_shows_certificate_and_tree(model):
    text = str(model)
    assert text.startswith("OptimalTreeClassifier: 2 branching nodes, 3 leaves, depth 2")
    assert "proven optimal" in text
    assert export_text(model) in text
    assert repr(model).startswith("OptimalTreeClassifier(")


def test_printing_an_unproven_tree(model):
    model.status_, model.lower_bound_, model.objective_, model.gap_ = "time_limit", 1.0, 4.0, 0.75
    assert "stopped by time_limit" in str(model)
    assert "below 1 (gap 75.00%)" in str(model)


def test_an_unfitted_model_prints_its_parameters():
    model = OptimalTreeClassifier(max_depth=7)
    assert str(model) == repr(model) == "OptimalTreeClassifier(max_depth=7)"
    with pytest.raises(NotFittedError):
        export_text(model)


def test_conditions_in_words():
    age, city = Feature("age", "numeric"), Feature("city", "nominal", ("a", True, 3))
    assert describe_condition(age, "<=", 30.5, -1) == "age <= 30.5"
    assert describe_condition(age, "missing", np.nan, -1) == "age is missing"
    assert describe_condition(city, "==", np.nan, 0) == 'city == "a"'
    assert describe_condition(city, "==", np.nan, 1) == "city == True"
    assert describe_condition(city, "==", np.nan, 2) == "city == 3"
