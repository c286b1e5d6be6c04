import copy
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import certitree
from certitree import ModelFileError, OptimalTreeClassifier, Split
from certitree._model_file import from_dict, to_dict

FRAME = pd.DataFrame(
    {
        "city": ["ams", "urk", None, "ams", "delft", "urk"],
        "age": [31.0, np.nan, 27.5, 60.0, 52.0, 38.0],
        "smoker": [True, False, True, True, False, False],
        "size": pd.Categorical([1, 2, 3, 2, 1, 3]),
    }
)


@pytest.mark.parametrize(
    "y",
    [
        ["yes", "né", "yes", "né", "né", "yes"],
        [0, 1, 2, 0, 1, 2],
        [True, False, True, True, False, False],
        [1.0, -2.0, 1.0, 1.0, -2.0, -2.0],
        np.array(["a", "b", "a", "b", "a", "b"], dtype=object),
        np.array([3, 5, 3, 5, 3, 3], dtype=np.uint8),
    ],
    ids=str,
)
def test_round_trip(tmp_path, y):
    model = OptimalTreeClassifier(max_depth=2, time_limit=60).fit(FRAME, y)
    model.save(tmp_path / "model.json")
    again = certitree.load(tmp_path / "model.json")
    assert type(again) is OptimalTreeClassifier
    assert again.get_params() == model.get_params()
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.classes_.dtype == model.classes_.dtype
    assert again.tree_ == model.tree_
    assert again.features_ == model.features_
    assert [type(c) for f in again.features_ for c in f.categories] == [
        type(c) for f in model.features_ for c in f.categories
    ]
    np.testing.assert_array_equal(again.feature_names_in_, model.feature_names_in_)
    np.testing.assert_array_equal(again.predict_proba(FRAME), model.predict_proba(FRAME))
    assert str(again) == str(model)
    for name in ("status_", "objective_", "lower_bound_", "gap_", "n_records_", "search_stats_"):
        assert getattr(again, name) == getattr(model, name)


def test_thresholds_keep_every_bit(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    model = OptimalTreeClassifier().fit(X, rng.integers(0, 2, 50))
    model.save(tmp_path / "m.json")
    np.testing.assert_array_equal(
        OptimalTreeClassifier.load(tmp_path / "m.json").tree_.threshold, model.tree_.threshold
    )


def test_candidates_and_generators(tmp_path):
    candidates = ["age", 0, ("age", 30), Split("city", "urk"), (3, np.int64(2))]
    model = OptimalTreeClassifier(candidates=candidates, random_state=np.random.RandomState(0))
    model.fit(FRAME, [0, 1, 0, 1, 1, 0]).save(tmp_path / "m.json")
    again = certitree.load(tmp_path / "m.json")
    assert again.candidates == [
        "age",
        0,
        Split("age", 30),
        Split("city", "urk"),
        Split(3, 2),
    ]
    assert again.random_state is None
    assert again.fit(FRAME, [0, 1, 0, 1, 1, 0]).tree_ == model.tree_


def test_copies_are_equal():
    X, y = load_iris(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert copy.copy(model).tree_ == copy.deepcopy(model).tree_ == model.tree_


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        OptimalTreeClassifier().save(tmp_path / "m.json")


@pytest.fixture
def content():
    X, y = load_iris(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    return json.loads(json.dumps(to_dict(model)))


def put(*path):
    *parents, last, value = path

    def change(content):
        for key in parents:
            content = content[key]
        content[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (put("format", "other"), "not a model file"),
        (put("version", 2), "format version 2, but this certitree reads version 1"),
        (put("version", None), "format version None"),
        (put("estimator", "Forest"), "estimator 'Forest'; known are OptimalTreeClassifier"),
        (put("parameters", "depth", 3), "'parameters' are not those"),
        (put("parameters", []), "'parameters' holds"),
        (put("parameters", "candidates", 3), "'candidates' is not a list"),
        (put("classes", "values", []), "'classes' is empty"),
        (put("classes", "values", [0, 1]), "counts 3 classes, but there are 2"),
        (put("classes", "values", [0, 1, "x"]), "'classes' cannot be read"),
        (put("classes", "values", [0, 1, 2.5]), "not of type"),
        (put("classes", "dtype", "nonsense"), "'classes' cannot be read as 'nonsense'"),
        (put("features", []), "splits on feature . *but there are 0|splits on feature"),
        (put("features", [1, 2, 3, 4]), "'features' holds 1"),
        (put("features", 2, "kind", "odd"), "of kind 'odd'"),
        (put("features", 2, "has_missing", 1), "'has_missing' holds 1"),
        (put("features", 2, "categories", [None]), "neither text, number nor bool"),
        (put("results", {}), "'status_' is missing"),
        (put("results", "objective_", "6"), "'objective_' holds '6'"),
        (put("results", "n_records_", True), "'n_records_' holds True"),
        (put("tree", {}), "lacks 'children_left'"),
        (put("tree", "feature", 0, 7), "splits on feature 7, but there are 4"),
        (put("tree", "children_left", 0, 0), "has child 0"),
        (put("tree", "operator", 0, "=="), "asks '==' of the numeric feature"),
    ],
)
def test_damaged_files_are_refused(content, change, match):
    change(content)
    with pytest.raises(ModelFileError, match=match):
        from_dict(content)


@pytest.mark.parametrize(
    "key",
    ["estimator", "parameters", "classes", "features", "results", "tree", "has_feature_names"],
)
def test_incomplete_files_are_refused(content, key):
    del content[key]
    with pytest.raises(ModelFileError, match=f"'{key}' is missing"):
        from_dict(content)


@pytest.mark.parametrize("content", [[], None, 3, "text", {}])
def test_other_content_is_refused(content):
    with pytest.raises(ModelFileError, match="not a model file"):
        from_dict(content)


def test_an_unknown_category_is_refused():
    model = OptimalTreeClassifier(max_depth=1, candidates=["city"]).fit(FRAME, [0, 1, 0, 0, 0, 1])
    content = to_dict(model)
    content["tree"]["category"][0] = 9
    with pytest.raises(ModelFileError, match="names category 9 of feature 'city', which has 3"):
        from_dict(content)


@pytest.mark.parametrize("text", ["", "{", "no json", '{"a": }'])
def test_files_that_are_no_json(tmp_path, text):
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=r"m\.json is not a JSON file"):
        certitree.load(path)


def test_binary_files(tmp_path):
    path = tmp_path / "m.json"
    path.write_bytes(b"\x80\x81\xff")
    with pytest.raises(ModelFileError, match="is not a JSON file"):
        certitree.load(path)


def test_a_cut_file_names_its_path(tmp_path, content):
    path = tmp_path / "m.json"
    del content["tree"]["label"]
    path.write_text(json.dumps(content))
    with pytest.raises(ModelFileError, match=r"m\.json: the tree lacks 'label'"):
        certitree.load(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        certitree.load(tmp_path / "none.json")


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 10_000, '{"format": '])
def test_json_that_cannot_be_read(text, tmp_path):
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(ModelFileError, match="is not a JSON file"):
        certitree.load(tmp_path / "model.json")


@pytest.mark.parametrize("objective", [None, 1, "nonsense", [], {"objective": []}])
def test_objectives_that_do_not_exist(objective):
    X, y = load_iris(return_X_y=True)
    content = to_dict(OptimalTreeClassifier(max_depth=1).fit(X, y))
    content["parameters"]["objective"] = objective
    with pytest.raises(ModelFileError, match="objective"):
        from_dict(content)


@pytest.mark.parametrize("weight", [0, -1.0, float("nan"), 1e400])
def test_nodes_weigh_something(weight):
    X, y = load_iris(return_X_y=True)
    content = to_dict(OptimalTreeClassifier(max_depth=1).fit(X, y))
    content["tree"]["weighted_n_node_samples"][1] = weight
    with pytest.raises(ModelFileError, match="not finite and positive"):
        from_dict(content)
