from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from certitree import InputError, InputTypeError
from certitree._column import dictionary_column, numeric_column, object_column


def objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def test_numbers_of_any_kind():
    column = object_column(objects(1, 2.5, Decimal("3.5"), None, np.int8(4), pd.NA), "x")
    np.testing.assert_array_equal(column.values, [1, 2.5, 3.5, np.nan, 4, np.nan])


def test_strings_and_bools():
    column = object_column(objects("b", None, "a", float("nan")), "x")
    assert column.categories == ("a", "b")
    assert column.codes.tolist() == [1, -1, 0, -1]
    column = object_column(objects(True, None, np.False_), "x")
    assert column.categories == (False, True)
    assert column.codes.tolist() == [1, -1, 0]


def test_all_missing_is_numeric():
    assert np.isnan(object_column(objects(None, None), "x").values).all()


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ((1, "1"), "numbers and strings"),
        ((True, 1), "bools and numbers"),
        ((None, "a", True), "bools and strings"),
    ],
)
def test_mixed_types_are_refused(values, kinds):
    with pytest.raises(InputTypeError, match=rf"'x' mixes {kinds}.*row 0.*astype\(str\)") as error:
        object_column(objects(*values[-2:]), "x")
    assert repr(values[-1]) in str(error.value)


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="argument must be a string or a number"):
        object_column(objects(1, {"a": 1}), "x")
    with pytest.raises(InputTypeError, match="dates or times"):
        object_column(objects(pd.Timestamp("2020-01-01")), "x")


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_without_a_float_of_their_own_are_refused(dtype):
    with pytest.raises(InputError, match=f"integer {2**53 + 1}, which no float64 equals"):
        numeric_column(np.array([0, 2**53 + 1], dtype=dtype), "x")


def test_large_integers_that_are_exact_pass():
    values = np.array([2**53, 2**60, -(2**62)])
    np.testing.assert_array_equal(numeric_column(values, "x").as_float(), values.astype(float))
    numeric_column(np.array([2**63], dtype=np.uint64), "x")


@pytest.mark.parametrize("value", [2**53 + 1, 10**400])
def test_large_python_integers_are_refused(value):
    with pytest.raises(InputError, match="no float64 equals"):
        object_column(objects(1, value), "x")


def test_infinity_is_refused_by_row():
    with pytest.raises(InputError, match=r"infinity.*'x' holds -inf at row 1"):
        numeric_column(np.array([1.0, -np.inf]), "x")


def test_huge_floats_are_no_infinity():
    assert numeric_column(np.array([1.5e308, 1.6e308]), "x").values.size == 2


def test_unused_and_odd_categories():
    column = dictionary_column(np.array([3, 0, -1, 3]), ["b", "unused", "c", "a"])
    assert column.categories == ("a", "b")
    assert column.codes.tolist() == [0, 1, -1, 0]
    column = dictionary_column(np.array([0, 1, 2]), [pd.Interval(0, 1), True, 1])
    assert column.categories == (True, 1, "(0, 1]")
