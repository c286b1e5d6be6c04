import numpy as np
import pandas as pd
import polars as pl
import pytest

from certitree import InputError, InputTypeError
from certitree._targets import read_targets


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([3, 1, 3, -2], [-2, 1, 3]),
        ([10**12, 0, 5, 5], [0, 5, 10**12]),
        (np.array([250, 3, 250, 7], dtype=np.uint8), [3, 7, 250]),
        (np.array([100, -100, 100, 0], dtype=np.int8), [-100, 0, 100]),
        (
            np.array([2**64 - 1, 2**64 - 9, 2**64 - 1, 2**64 - 5], np.uint64),
            [2**64 - 9, 2**64 - 5, 2**64 - 1],
        ),
        (np.array([2**63 - 1, 2**63 - 2, 2**63 - 1, 2**63 - 4]), [2**63 - 4, 2**63 - 2, 2**63 - 1]),
        ([True, False, True, True], [False, True]),
        ([2.0, 1.0, 2.0, 2.0], [1.0, 2.0]),
        (["b", "a", "c", "b"], ["a", "b", "c"]),
        (np.array(["b", "aa", "c", "b"]), ["aa", "b", "c"]),
        (np.array([True, False, True, True], dtype=object), [False, True]),
        (np.array([2, 1, 2, 2], dtype=object), [1, 2]),
        (pd.Series(["b", "a", "b", "b"], dtype="category"), ["a", "b"]),
        (pd.Series(["b", "a", "b", "b"], dtype="string"), ["a", "b"]),
        (pd.Series([2, 1, 2, 2], dtype="Int64"), [1, 2]),
        (pd.Series([True, False, True, True], dtype="boolean"), [False, True]),
        (pl.Series(["b", "a", "b", "b"], dtype=pl.Categorical), ["a", "b"]),
        (pl.DataFrame({"y": [2, 1, 2, 2]}), [1, 2]),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_labels(y, classes):
    targets = read_targets(y, None, 4, "test")
    assert targets.classes.tolist() == classes
    assert [type(c) for c in targets.classes.tolist()] == [type(c) for c in classes]
    assert targets.labels.dtype == np.int32
    entries = y["y"].to_list() if isinstance(y, pl.DataFrame) else list(y)
    assert [classes[label] for label in targets.labels] == entries
    assert (targets.rows, targets.weights, targets.total_weight) == (None, None, 4.0)


def test_weights_of_zero_leave_records_out():
    targets = read_targets(["a", "b", "c", "a"], [2, 0, 0.5, 1], 4, "test")
    assert targets.rows.tolist() == [0, 2, 3]
    assert targets.classes.tolist() == ["a", "c"]
    assert targets.labels.tolist() == [0, 1, 0]
    assert targets.weights.tolist() == [2, 0.5, 1]
    assert targets.total_weight == 3.5


def test_a_single_number_weighs_every_record():
    assert read_targets([0, 1], 2, 2, "test").total_weight == 4


def test_weights_are_not_the_users_array():
    weights = np.array([1.0, 2.0])
    targets = read_targets([0, 1], weights, 2, "test")
    targets.weights[0] = 9.0
    assert weights[0] == 1.0


def test_a_missing_label_among_texts_is_no_text():
    with pytest.raises(InputError, match="row 1 is None"):
        read_targets(["a", None], None, 2, "test")


def test_labels_of_other_types_are_refused():
    with pytest.raises((InputTypeError, ValueError)):
        read_targets(np.array([(1, 2), "a"], dtype=object), None, 2, "test")


def test_numbers_that_are_no_classes():
    with pytest.raises(InputError, match=r"continuous\. y holds numbers such as 0\.5, .*pd\.cut"):
        read_targets(np.array([1.0, 0.5]), None, 2, "test")
    assert read_targets(np.array([1.0, 3.0]), None, 2, "test").classes.tolist() == [1.0, 3.0]
