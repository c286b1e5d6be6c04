"""Everything a user may get wrong: a clear error, or a sensible result."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from certitree import (
    CertitreeError,
    InputError,
    InputTypeError,
    ModelFileError,
    OptimalTreeClassifier,
    ParameterError,
    Split,
    load,
)
from checking import check_fitted

X = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]])
Y = np.array([0, 0, 1, 1])


def fit(X=X, y=Y, weights=None, **parameters):
    return OptimalTreeClassifier(**parameters).fit(X, y, weights)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_empty_table(shape):
    with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
        fit(np.empty(shape), np.zeros(shape[0]))


def test_one_row():
    model = check_fitted(fit([[1.0, 2.0]], ["a"]), [[1.0, 2.0]], ["a"])
    assert model.predict([[9.0, 9.0]]).tolist() == ["a"]
    assert (model.objective_, model.gap_, model.status_) == (0, 0, "optimal")


def test_one_class():
    model = check_fitted(fit(X, ["a"] * 4), X, ["a"] * 4)
    assert model.n_leaves_ == 1
    assert model.predict_proba(X).tolist() == [[1.0]] * 4


@pytest.mark.parametrize("value", [7.0, 0.0, 1.0, np.nan])
def test_constant_columns(value):
    table = np.full((4, 3), value)
    model = check_fitted(fit(table, [0, 1, 1, 1]), table, [0, 1, 1, 1])
    assert model.objective_ == 1


@pytest.mark.parametrize("table", [np.zeros((4, 3)), np.ones((4, 2), bool)])
def test_constant_binary_columns(table):
    assert check_fitted(fit(table, [0, 1, 1, 1]), table, [0, 1, 1, 1]).n_leaves_ == 1


def test_constant_text_column():
    frame = pd.DataFrame({"x": ["a"] * 4})
    assert check_fitted(fit(frame), frame, Y).n_leaves_ == 1


def test_three_dimensions():
    with pytest.raises(ValueError, match="dim 3"):
        fit(np.zeros((2, 2, 2)))


@pytest.mark.parametrize("table", [None, 5, "text", {"a": 1}])
def test_no_table_at_all(table):
    with pytest.raises((ValueError, TypeError)):
        fit(table)


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ([0, 1, np.nan, 1], "y contains NaN: the label of row 2"),
        ([0, 1, np.inf, 1], "y contains infinity"),
        (["a", None, "b", "b"], "y contains NaN: the label of row 1 is None"),
        (pd.Series(["a", pd.NA, "b", "b"], dtype="string"), "y contains NaN"),
        (pd.Series([1, None, 0, 0], dtype="Int64"), "y contains NaN"),
        (pl.Series([1, None, 0, 0]), "y contains NaN"),
        (pl.Series(["a", None, "b", "b"]), "y contains NaN"),
        ([0, 1], "X has 4 rows, but y has 2 labels"),
        ([[0, 1], [1, 0], [0, 0], [1, 1]], "y should be a 1d array"),
        (None, "requires y to be passed, but the target y is None"),
    ],
)
def test_labels(labels, match):
    with pytest.raises(InputError, match=match):
        fit(X, labels)


def test_labels_of_mixed_types():
    with pytest.raises(InputTypeError, match="y mixes labels of the types number, str"):
        fit(X, np.array([0, "a", 1, "b"], dtype=object))


def test_continuous_labels():
    with pytest.raises(ValueError, match="Unknown label type"):
        fit(X, [0.1, 0.2, 0.3, 0.4])


def test_a_frame_of_one_column_as_labels():
    with pytest.warns(UserWarning, match="column-vector y"):
        assert fit(X, pd.DataFrame({"y": Y})).objective_ == 0


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        ([1, -1, 1, 1], "sample_weight is negative: row 1 has weight -1"),
        ([1, 1, np.nan, 1], "sample_weight contains NaN: row 2"),
        ([1, 1, 1, np.inf], "sample_weight contains infinity: row 3"),
        ([0, 0, 0, 0], "every weight is zero"),
        ([1, 1], r"sample_weight has shape \(2,\), but X has 4 rows"),
        ([[1], [1], [1], [1]], r"sample_weight has shape \(4, 1\)"),
        (["a", "b", "c", "d"], "sample_weight must hold numbers"),
    ],
)
def test_weights(weights, match):
    with pytest.raises(CertitreeError, match=match):
        fit(weights=weights)


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_extreme_weights(weight):
    weights = np.full(4, weight)
    model = fit(weights=weights, max_depth=1)
    assert model.objective_ == 0
    assert model.predict(X).tolist() == Y.tolist()


def test_wrong_width_at_predict():
    with pytest.raises(
        InputError, match="X has 3 features, but OptimalTreeClassifier is expecting 2"
    ):
        fit().predict(np.zeros((1, 3)))


def test_wrong_names_at_predict():
    model = fit(pd.DataFrame(X, columns=["a", "b"]))
    with pytest.raises(
        InputError, match=r"unseen at fit time:\n- c\n.*now missing:\n- b\n"
    ) as error:
        model.predict(pd.DataFrame(X, columns=["a", "c"]))
    assert "has the columns 'a', 'c'" in str(error.value)
    with pytest.raises(InputError, match="unseen at fit time:\n- c"):
        model.predict(pd.DataFrame(np.zeros((1, 3)), columns=["a", "b", "c"]))


def test_names_on_one_side_only():
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fit(frame).predict(X)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        fit().predict(frame)


@pytest.mark.parametrize(
    ("train", "later", "match"),
    [
        ([1, 2, 3, 4], ["a", "b"], "was numeric at fit, but now holds strings such as 'a'"),
        (["a", "b", "a", "c"], [1.0, 2.0], "had categories such as 'a' at fit, but now holds"),
        (["a", "b", "a", "c"], [True, False], "had categories such as 'a' at fit, but now holds"),
        ([True, False, True, True], ["yes", "no"], "had categories such as False at fit"),
    ],
)
def test_columns_that_change_their_type(train, later, match):
    model = fit(pl.DataFrame({"x": train}), [0, 1, 0, 0])
    with pytest.raises(InputTypeError, match=match):
        model.predict(pl.DataFrame({"x": later}))


def test_bools_and_zero_one_are_interchangeable_at_predict():
    model = fit(pl.DataFrame({"x": [True, False, True, True]}), [0, 1, 0, 0])
    assert model.predict(pl.DataFrame({"x": [1, 0]})).tolist() == [0, 1]
    model = fit(pl.DataFrame({"x": [1, 0, 1, 1]}), [0, 1, 0, 0])
    assert model.predict(pl.DataFrame({"x": [True, False]})).tolist() == [0, 1]


def test_categories_of_numbers_take_numbers_at_predict():
    frame = pd.DataFrame({"x": pd.Categorical([10, 20, 30, 20])})
    model = fit(frame, [0, 1, 0, 1], max_depth=1)
    assert model.predict(pd.DataFrame({"x": [20.0, 10.0, 99.0]})).tolist() == [1, 0, 0]


def test_a_column_of_text_without_entries_at_predict():
    frame = pd.DataFrame({"x": ["a", "b", "a", "a"]})
    model = fit(frame, [0, 1, 0, 0])
    assert model.predict(pd.DataFrame({"x": [None, None]})).tolist() == [0, 0]


def test_empty_table_at_predict():
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        fit().predict(np.empty((0, 2)))


@pytest.mark.parametrize(
    ("candidates", "match"),
    [
        (["c"], "'c', which does not exist; there are 'a', 'b', 'city'"),
        ([3], "feature 3; indices go from 0 to 2"),
        ([-1], "feature -1"),
        ("a", "'candidates' parameter .* must be an array-like or None. Got 'a'"),
        ([], "candidates is empty"),
        ([("a", "x")], "'a' is numeric; give a finite number"),
        ([("a", np.nan)], "'a' is numeric; give a finite number"),
        ([("city", "Rome")], "'city' has no such category; there are 'ams', 'urk'"),
        ([("a", 1, 2)], "an entry is the name or index"),
        ([1.5], "an entry is the name or index"),
        ([Split(1.5, 2)], "of type float"),
        ([True], "an entry is the name or index"),
    ],
)
def test_candidates(candidates, match):
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "city": ["ams", "urk"] * 2})
    with pytest.raises(ValueError, match=match):
        fit(frame, candidates=candidates)


def test_candidates_by_name_in_a_table_without_names():
    with pytest.raises(ParameterError, match="has no column names; give an index from 0 to 1"):
        fit(candidates=["a"])


def test_object_columns_of_mixed_types():
    with pytest.raises(InputTypeError, match="'x' mixes numbers and strings"):
        fit(pd.DataFrame({"x": [1, "a", 2, "b"]}))


def test_integers_that_floats_would_merge():
    table = np.array([[2**60], [2**60 + 1], [0], [1]])
    with pytest.raises(InputError, match="no float64 equals"):
        fit(table)
    with pytest.raises(InputError, match="no float64 equals"):
        fit(np.array([[1], [2], [3], [4]])).predict(np.array([[2**60 + 1]]))


def test_large_exact_integers():
    table = np.array([[2**60], [2**60 + 2**10], [0], [1]])
    assert check_fitted(fit(table, [0, 1, 1, 1]), table, [0, 1, 1, 1]).objective_ == 0


def test_float32_values_are_read_exactly():
    table = np.array([[0.1], [np.nextafter(np.float32(0.1), np.float32(1))], [0.3], [0.4]])
    table = table.astype(np.float32)
    model = check_fitted(fit(table, [0, 1, 1, 1], max_depth=1), table, [0, 1, 1, 1])
    assert model.objective_ == 0


@pytest.mark.parametrize("n_jobs", [10**6, 2**70])
def test_more_threads_than_the_system_has(n_jobs):
    model = OptimalTreeClassifier(max_depth=2, n_jobs=n_jobs).fit(X, [0, 1, 1, 0])
    assert (model.status_, model.objective_) == ("optimal", 0.0)


@pytest.mark.parametrize("name", ["max_nodes", "min_samples_leaf", "memory_limit"])
def test_limits_beyond_every_integer_of_the_core(name):
    model = OptimalTreeClassifier(max_depth=2, **{name: 2**80}).fit(X, [0, 1, 1, 0])
    assert model.status_ == "optimal"
    assert model.objective_ == (2.0 if name == "min_samples_leaf" else 0.0)


def test_masked_entries_are_missing():
    hidden = np.ma.masked_array(X, mask=X == 5.0)
    plain = np.where(X == 5.0, np.nan, X)
    y = [0, 1, 1, 0]
    assert (
        OptimalTreeClassifier().fit(hidden, y).tree_ == OptimalTreeClassifier().fit(plain, y).tree_
    )
    with pytest.raises(InputError, match="label of row 1 is None"):
        OptimalTreeClassifier().fit(X, np.ma.masked_array([0, 1, 1, 0], mask=[0, 1, 0, 0]))


def test_text_that_is_no_unicode():
    with pytest.raises(InputError, match="no valid text"):
        OptimalTreeClassifier().fit(pd.DataFrame({"a": ["\ud800", "b"]}, dtype=object), [0, 1])


def test_integers_of_128_bits():
    wide = pl.DataFrame({"a": pl.Series([2**100, None, 7, 7], dtype=pl.Int128)})
    model = OptimalTreeClassifier(max_depth=1).fit(wide, [0, 0, 1, 1])
    assert model.objective_ == 0.0
    wrong = pl.DataFrame({"a": pl.Series([2**100 + 1, 7], dtype=pl.Int128)})
    with pytest.raises(InputError, match="no float64 equals"):
        OptimalTreeClassifier().fit(wrong, [0, 1])


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_do_not_overflow():
    wide = np.array([[1.7e308, -1.7e308], [-1.7e308, 1.7e308], [1.7e308, 1.7e308], [1.6e308, 0.0]])
    model = check_fitted(
        OptimalTreeClassifier().fit(wide, [0, 1, 2, 2]), wide, np.array([0, 1, 2, 2])
    )
    assert model.objective_ == 0.0
    with pytest.raises(InputError, match="divide them all"):
        OptimalTreeClassifier().fit(X, [0, 1, 1, 0], sample_weight=np.full(4, 1e308))
    with pytest.raises(InputTypeError, match="must hold numbers: its dtype is complex128"):
        OptimalTreeClassifier().fit(X, [0, 1, 1, 0], sample_weight=np.full(4, 1j))


def test_labels_that_no_model_file_can_hold(tmp_path):
    y = np.array(["2020", "2021", "2021", "2020"], dtype="M8[Y]")
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert (model.predict(X) == y).all()
    with pytest.raises(ModelFileError, match="labels of type date"):
        model.save(tmp_path / "model.json")
    with pytest.raises(InputTypeError, match="of type complex"):
        OptimalTreeClassifier().fit(X, np.array([1j, 2j, 1j, 2j], dtype=object))


@pytest.mark.parametrize("candidates", [{0}, range(1), pd.Index(["x0"]), np.array([0])])
def test_candidates_in_any_container_are_saved(candidates, tmp_path):
    table = pd.DataFrame(X, columns=["x0", "x1"])
    model = OptimalTreeClassifier(max_depth=1, candidates=candidates).fit(table, [0, 0, 1, 1])
    model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").candidates == list(candidates)
    with pytest.raises(ParameterError, match="is a mapping"):
        OptimalTreeClassifier(candidates={"x0": 1.5}).fit(table, [0, 0, 1, 1])


def test_a_default_that_is_not_allowed_is_refused_like_any_value():
    class Careless(OptimalTreeClassifier):
        def __init__(self, *, max_depth=-1, max_nodes=None):
            super().__init__(max_depth=max_depth, max_nodes=max_nodes)

    with pytest.raises(ValueError, match="'max_depth' parameter of Careless"):
        Careless().fit(X, Y)
    assert Careless(max_depth=1).fit(X, Y).status_ == "optimal"
