import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from certitree._binning import binary_matrix, code_records
from certitree._condition import goes_left
from certitree._frame import read_records
from certitree._matching import feature_values
from certitree._split import select


def code(X, rows=None, weights=None, max_bins=100, candidates=None):
    records = read_records(X, "test")
    selections = select(candidates, records.names, records.n_features)
    return records, code_records(records, rows, weights, max_bins=max_bins, selections=selections)


def check_conditions(records, coded):
    """Every coded split says of each row what its condition says of the raw value."""
    rows = np.arange(records.n_rows)
    n_checked = 0
    for column, coding in enumerate(coded.codings):
        for split in range(coded.n_splits[column]):
            condition, swapped = coding.condition(split)
            values = feature_values(
                records.column(condition.feature), coded.features[condition.feature]
            )
            left = goes_left(
                values,
                condition.operator,
                condition.threshold,
                condition.category,
                bool(condition.missing_left),
            )
            np.testing.assert_array_equal(left != swapped, coded.goes_left(column, split, rows))
            n_checked += 1
    return n_checked


numbers = st.floats(allow_infinity=False, width=64)


@given(arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=numbers))
def test_training_values_go_as_they_went_in_training(X):
    records, coded = code(X, max_bins=5)
    check_conditions(records, coded)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("span", [7, 100])
def test_integers_are_coded_as_the_same_floats(dtype, weighted, span):
    rng = np.random.default_rng(span)
    low = {np.int8: -128, np.uint8: 40, np.int64: -(2**52), np.uint64: 2**53 - 200}[dtype]
    X = (rng.integers(0, span, (80, 3)) + low).astype(dtype)
    rows = np.flatnonzero(rng.random(80) < 0.8)
    weights = rng.random(rows.size) + 0.1 if weighted else None
    _, integers = code(X, rows, weights, max_bins=20)
    _, floats = code(X.astype(np.float64), rows, weights, max_bins=20)
    np.testing.assert_array_equal(integers.codes, floats.codes)
    assert integers.n_splits == floats.n_splits
    assert integers.features == floats.features
    for one, other in zip(integers.codings, floats.codings, strict=True):
        np.testing.assert_array_equal(one.thresholds, other.thresholds)


def test_integers_of_a_wide_range_are_sorted():
    X = np.array([[0], [2**50], [2**63], [5]], dtype=np.uint64)
    _, coded = code(X)
    np.testing.assert_array_equal(coded.codes, [[0, 2, 3, 1]])


@given(st.lists(st.sampled_from(["a", "b", "c", None, "d"]), min_size=1, max_size=30))
def test_training_categories_go_as_they_went_in_training(values):
    records, coded = code(pd.DataFrame({"x": pd.Series(values, dtype=object)}))
    check_conditions(records, coded)


def test_neighbours_in_the_last_bit():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    records, coded = code(X)
    assert check_conditions(records, coded) == 1
    assert coded.codes.tolist() == [[0, 1]]


def test_missing_values_are_coded_below_and_above():
    records, coded = code(np.array([[1.0], [np.nan], [2.0], [3.0]]))
    assert coded.codes.tolist() == [[1, 0, 2, 3], [0, 3, 1, 2]]
    conditions = [coded.codings[0].condition(j)[0] for j in range(3)]
    assert [c.operator for c in conditions] == ["missing", "<=", "<="]
    assert [c.missing_left for c in conditions] == [True, True, True]
    assert [coded.codings[1].condition(j)[0].missing_left for j in range(2)] == [False, False]
    assert coded.features[0].has_missing
    check_conditions(records, coded)


def test_the_most_bins_and_missing_values_fit_a_byte():
    X = np.arange(1000.0).reshape(-1, 1)
    X[0] = np.nan
    records, coded = code(X, max_bins=255)
    assert coded.n_codes == [256, 256]
    check_conditions(records, coded)


def test_many_categories_are_spread_over_columns():
    values = [f"c{i:04d}" for i in range(600)]
    records, coded = code(pd.DataFrame({"x": [*values, None]}))
    assert coded.n_splits == [254, 254, 93]
    assert coded.n_codes == [255, 255, 94]
    assert check_conditions(records, coded) == 601


def test_a_binary_matrix_is_grouped_whatever_its_dtype():
    bits = np.array([[0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1]])
    for dtype in (np.uint8, np.int8, np.int64, np.float32, np.float64):
        records, coded = code(bits.astype(dtype))
        assert {f.kind for f in coded.features} == {"numeric"}
        assert check_conditions(records, coded) >= 3
    records, coded = code(bits.astype(bool))
    assert {f.categories for f in coded.features} == {(False, True)}
    check_conditions(records, coded)


def test_binary_columns_among_others():
    X = np.array([[0, 1.5, 1], [1, 2.5, 0], [1, 3.5, 0], [0, 0.5, 0]])
    records, coded = code(X)
    assert check_conditions(records, coded) >= 5
    frame = pd.DataFrame({"a": [True, False, True], "b": [0, 1, 1], "c": ["x", "y", "x"]})
    records, coded = code(frame)
    assert [f.kind for f in coded.features] == ["nominal", "numeric", "nominal"]
    check_conditions(records, coded)


def test_a_single_binary_column():
    records, coded = code(pd.DataFrame({"a": [0, 1, 1], "b": [2.0, 3.0, 4.0]}))
    assert check_conditions(records, coded) == 3


@pytest.mark.parametrize(
    "matrix",
    [np.array([[0, 2]]), np.array([[0.5, 1.0]]), np.array([[-1, 0]]), np.array([[np.nan, 1.0]])],
)
def test_other_matrices_are_not_binary(matrix):
    assert binary_matrix(matrix) is None


def test_a_late_value_is_noticed():
    matrix = np.zeros((1000, 2))
    matrix[999, 1] = 0.5
    assert binary_matrix(matrix) is None


def test_a_binary_byte_matrix_is_not_copied():
    matrix = np.eye(5, dtype=np.uint8)
    assert binary_matrix(matrix) is matrix


def test_constant_table_keeps_its_shape():
    _, coded = code(np.full((3, 2), 7.0))
    assert coded.codes.tolist() == [[0, 0, 0]]
    assert coded.n_splits == [0]


def test_categories_of_absent_records_are_forgotten():
    frame = pd.DataFrame({"x": ["a", "b", "c", "b"]})
    _, coded = code(frame, rows=np.array([1, 2, 3]))
    assert coded.features[0].categories == ("b", "c")
    assert coded.codes.tolist() == [[0, 1, 0]]


def test_candidate_thresholds_are_taken_as_given():
    X = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0]])
    records, coded = code(X, candidates=[(0, 1.25), (0, 2.5)])
    check_conditions(records, coded)
    conditions = [c.condition(j)[0] for c in coded.codings for j in range(2)]
    assert {(c.threshold, c.missing_left) for c in conditions} == {
        (1.25, True),
        (2.5, True),
        (1.25, False),
        (2.5, False),
    }
    assert coded.features[1].kind == "unread"


def test_candidates_is_missing_alone():
    X = np.array([[1.0], [np.nan], [3.0]])
    records, coded = code(X, candidates=[(0, None)])
    assert check_conditions(records, coded) == 1
    assert coded.codings[0].condition(0)[0].operator == "missing"


def test_candidate_categories():
    frame = pd.DataFrame({"x": ["a", "b", None, "c"]})
    records, coded = code(frame, candidates=[("x", "b"), ("x", None)])
    assert coded.n_splits == [2]
    assert coded.n_codes == [3]
    assert check_conditions(records, coded) == 2


def test_more_candidate_thresholds_than_codes():
    X = np.arange(400.0).reshape(-1, 1)
    records, coded = code(X, candidates=[(0, t + 0.5) for t in range(300)])
    assert check_conditions(records, coded) == 300
