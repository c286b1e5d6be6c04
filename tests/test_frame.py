import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from certitree import InputError, InputTypeError, OptimalTreeClassifier
from certitree._column import NominalColumn, NumericColumn
from certitree._frame import read_records
from checking import check_fitted

DATA = {
    "age": [31, 45, 27, 60, 52, 38, 41, 29],
    "income": [1.5, None, 2.5, 3.0, None, 0.5, 2.0, 1.0],
    "city": ["ams", "urk", None, "ams", "delft", "urk", "ams", "delft"],
    "smoker": [True, False, True, True, False, False, True, False],
    "flag": [0, 1, 1, 0, 1, 0, 0, 1],
}
Y = ["no", "yes", "no", "yes", "yes", "no", "yes", "no"]


def pandas_nullable(data):
    return pd.DataFrame(data).convert_dtypes()


def pandas_categorical(data):
    return pd.DataFrame(data).astype({"city": "category"})


def pandas_arrow(data):
    return pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow")


def pandas_object(data):
    return pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in data.items()})


def polars_categorical(data):
    return pl.DataFrame(data).with_columns(pl.col("city").cast(pl.Categorical))


def polars_enum(data):
    return pl.DataFrame(data).with_columns(pl.col("city").cast(pl.Enum(["urk", "delft", "ams"])))


def arrow_dictionary(data):
    table = pa.table(data)
    return table.set_column(2, "city", table["city"].dictionary_encode())


BACKENDS = [
    pd.DataFrame,
    pandas_nullable,
    pandas_categorical,
    pandas_arrow,
    pandas_object,
    pl.DataFrame,
    polars_categorical,
    polars_enum,
    pa.table,
    arrow_dictionary,
]


@pytest.fixture(params=BACKENDS, ids=lambda make: make.__name__)
def make(request):
    return request.param


def test_columns_read_alike_from_every_backend(make):
    records = read_records(make(DATA), "test")
    assert records.names == tuple(DATA)
    assert (records.n_rows, records.n_features) == (8, 5)
    age, income, city, smoker, flag = (records.column(j) for j in range(5))
    assert age.as_float().tolist() == DATA["age"]
    expected = [np.nan if value is None else value for value in DATA["income"]]
    np.testing.assert_array_equal(income.as_float(), expected)
    assert city.categories == ("ams", "delft", "urk")
    assert city.codes.tolist() == [0, 2, -1, 0, 1, 2, 0, 1]
    assert smoker.categories == (False, True)
    assert [type(c) for c in smoker.categories] == [bool, bool]
    assert smoker.codes.tolist() == DATA["smoker"]
    assert flag.as_float().tolist() == DATA["flag"]


def test_every_backend_gives_the_same_tree(make):
    expected = OptimalTreeClassifier(max_depth=2).fit(pd.DataFrame(DATA), Y)
    model = OptimalTreeClassifier(max_depth=2).fit(make(DATA), Y)
    assert model.tree_ == expected.tree_
    assert model.features_ == expected.features_
    assert model.feature_names_in_.tolist() == list(DATA)
    check_fitted(model, make(DATA), Y)


def test_a_model_predicts_on_any_backend(make):
    model = OptimalTreeClassifier(max_depth=2).fit(pd.DataFrame(DATA), Y)
    expected = model.predict(pd.DataFrame(DATA))
    np.testing.assert_array_equal(model.predict(make(DATA)), expected)


def test_reordered_columns_predict_the_same(make):
    model = OptimalTreeClassifier(max_depth=3).fit(make(DATA), Y)
    reordered = make({name: DATA[name] for name in reversed(DATA)})
    np.testing.assert_array_equal(model.predict(reordered), model.predict(make(DATA)))


def test_lazy_frames_are_collected():
    model = OptimalTreeClassifier(max_depth=2).fit(pl.DataFrame(DATA).lazy(), Y)
    assert model.tree_ == OptimalTreeClassifier(max_depth=2).fit(pl.DataFrame(DATA), Y).tree_


@pytest.mark.parametrize("convert", [list, pl.Series, pd.Series, np.array, pa.array])
def test_labels_and_weights_of_any_source(convert):
    weights = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0]
    expected = OptimalTreeClassifier(max_depth=2).fit(pd.DataFrame(DATA), Y, weights)
    y, w = (
        pa.chunked_array([convert(v)]) if convert is pa.array else convert(v) for v in (Y, weights)
    )
    model = OptimalTreeClassifier(max_depth=2).fit(pl.DataFrame(DATA), y, w)
    assert model.tree_ == expected.tree_
    assert model.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize("convert", [scipy.sparse.csr_matrix, scipy.sparse.coo_array])
@pytest.mark.parametrize("scale", [1, 0.5])
def test_sparse_matrices(convert, scale):
    rng = np.random.default_rng(0)
    dense = (rng.random((30, 5)) < 0.3) * scale
    y = rng.integers(0, 2, 30)
    model = OptimalTreeClassifier(max_depth=2).fit(convert(dense), y)
    assert model.tree_ == OptimalTreeClassifier(max_depth=2).fit(dense, y).tree_
    np.testing.assert_array_equal(model.predict(convert(dense)), model.predict(dense))
    check_fitted(model, dense, y)


def test_a_mixed_list_keeps_its_numbers():
    records = read_records([[1, "a"], [2, "b"], [None, "a"]], "test")
    assert isinstance(records.column(0), NumericColumn)
    np.testing.assert_array_equal(records.column(0).as_float(), [1, 2, np.nan])
    assert isinstance(records.column(1), NominalColumn)


def test_arrays_of_text_are_nominal():
    X = np.array([["a", "x"], ["b", "x"], ["a", "y"]])
    model = OptimalTreeClassifier(max_depth=1).fit(X, [0, 1, 0])
    check_fitted(model, X, [0, 1, 0])
    assert model.objective_ == 0.0


def test_decimals_are_numbers():
    records = read_records(pl.DataFrame({"x": [Decimal("1.5"), None]}), "test")
    np.testing.assert_array_equal(records.column(0).as_float(), [1.5, np.nan])


def test_a_categorical_of_numbers_is_nominal():
    frame = pd.DataFrame({"x": pd.Categorical([10, 2, 10, None])})
    column = read_records(frame, "test").column(0)
    assert column.categories == (2, 10)
    assert column.codes.tolist() == [1, 0, 1, -1]


def test_intervals_are_read_as_text():
    frame = pd.DataFrame({"x": pd.cut([1, 5, 9], [0, 3, 10])})
    assert read_records(frame, "test").column(0).categories == ("(0, 3]", "(3, 10]")


def test_column_names_that_are_not_text_are_no_names():
    frame = pd.DataFrame(np.arange(6).reshape(3, 2), columns=[7, 8])
    model = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 1, 1])
    assert not hasattr(model, "feature_names_in_")
    assert [f.name for f in model.features_] == ["x0", "x1"]


def test_mixed_column_names_are_refused():
    with pytest.raises(InputTypeError, match="string names"):
        read_records(pd.DataFrame([[1, 2]], columns=["a", 1]), "test")


def test_duplicate_column_names_are_refused():
    with pytest.raises(InputError, match="duplicate column names: 'a'"):
        read_records(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), "test")


@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    "values", [[dt.date(2020, 1, 1)], [dt.datetime(2020, 1, 1)], [dt.timedelta(1)]]
)
def test_dates_are_refused_with_a_hint(make_frame, values):
    with pytest.raises(InputTypeError, match=r"'when' holds dates or times.*the year, the month"):
        read_records(make_frame({"when": values}), "test").column(0)


@pytest.mark.parametrize("dtype", ["datetime64[s]", "timedelta64[s]"])
def test_arrays_of_dates_are_refused(dtype):
    with pytest.raises((InputTypeError, TypeError)):
        OptimalTreeClassifier().fit(np.zeros((2, 1), dtype=dtype), [0, 1])


@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_nested_columns_are_refused(make_frame):
    with pytest.raises(InputTypeError, match="'x'"):
        read_records(make_frame({"x": [[1, 2], [3]]}), "test").column(0)


@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_infinity_is_refused(make_frame):
    frame = make_frame({"a": [1.0, 2.0], "x": [1.0, -np.inf]})
    with pytest.raises(ValueError, match="infinity"):
        OptimalTreeClassifier().fit(frame, [0, 1])


@pytest.mark.parametrize("make_frame", [pd.DataFrame, pl.DataFrame])
def test_empty_frames_are_refused(make_frame):
    with pytest.raises(InputError, match=r"0 sample\(s\)"):
        OptimalTreeClassifier().fit(make_frame({"x": []}), [])
    with pytest.raises(InputError, match=r"0 (feature|sample)"):
        OptimalTreeClassifier().fit(make_frame({}), [])


def test_a_series_is_no_table():
    with pytest.raises(ValueError, match="2-dimensional"):
        OptimalTreeClassifier().fit(pd.Series([1.0, 2.0]), [0, 1])


def test_sparse_columns_of_pandas():
    sparse = pd.arrays.SparseArray([0.0, 0.0, 2.5, np.nan])
    frame = pd.DataFrame({"amount": sparse, "city": list("abab")})
    records = read_records(frame, "test")
    np.testing.assert_array_equal(records.column(0).as_float(), [0, 0, 2.5, np.nan])
    assert records.column(1).categories == ("a", "b")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.full(3, 1j), "complex128"),
        (pd.period_range("2020-01-01", periods=3), r"period\[D\]"),
        (pd.interval_range(0, 3), "interval"),
    ],
)
def test_dtypes_that_are_not_read_are_named(values, dtype):
    frame = pd.DataFrame({"odd": values, "city": list("aba")})
    with pytest.raises(InputTypeError, match=f"'odd' has dtype {dtype}"):
        read_records(frame, "test").column(0)
