"""The fit report: how rows are shared out and what is measured on them."""

import datetime as dt
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from certitree import load
from certitree._files import FileError, Source, read_source
from certitree._fit_report import fit_beside_cart


def _source(**columns: object) -> Source:
    return Source("table", pa.table(columns), None)


def test_classes_are_shared_out_evenly() -> None:
    y = ["a"] * 80 + ["b"] * 20
    report = fit_beside_cart(_source(x=range(100), y=y), target="y", max_depth=0, test_size=0.25)
    assert (report.n_rows, report.n_train, report.n_test) == (100, 75, 25)
    assert report.accuracy.constant.train == pytest.approx(0.8)
    assert report.accuracy.constant.test == pytest.approx(0.8)
    assert report.model.n_records_ == 75


def test_accuracy_counts_weights() -> None:
    source = _source(x=[1, 1, 1, 1], y=["a", "a", "b", "b"], w=[1.0, 1.0, 2.0, 4.0])
    report = fit_beside_cart(source, target="y", weight="w", test_size=0, max_depth=1)
    assert report.n_test == 0
    assert report.n_columns == 1
    for accuracy in (report.accuracy.tree, report.accuracy.cart, report.accuracy.constant):
        assert accuracy.train == pytest.approx(6 / 8)
        assert accuracy.test is None
    assert report.own_score is None
    assert report.model.objective_ == 2.0


def test_training_rows_do_not_depend_on_the_columns() -> None:
    source = read_source("sklearn:wine")
    whole = fit_beside_cart(source, max_depth=0, seed=5)
    part = fit_beside_cart(source, max_depth=0, seed=5, drop=["alcohol", "hue"])
    np.testing.assert_array_equal(whole.model.tree_.value, part.model.tree_.value)
    assert whole.n_columns == part.n_columns + 2


def test_the_default_target_can_be_replaced() -> None:
    source = Source("table", pa.table({"target": [1, 2] * 5, "y": ["a", "b"] * 5}), "target")
    assert fit_beside_cart(source, max_depth=1).target == "target"
    report = fit_beside_cart(source, target="y", max_depth=1)
    assert (report.target, report.n_columns) == ("y", 1)


def test_a_missing_folder_is_found_before_the_search(tmp_path: Path) -> None:
    source = Source("table", pa.table({"y": ["a", None]}), "y")  # would fail later, differently
    with pytest.raises(FileError, match="cannot write"):
        fit_beside_cart(source, save_to=tmp_path / "absent" / "model.json")


@pytest.mark.parametrize(
    "labels",
    [
        pa.array([dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 10),
        pa.array([b"x", b"y"] * 10),
        pa.array([[1], [2]] * 10),
        pa.array([{"a": 1}, {"a": 2}] * 10),
    ],
    ids=lambda labels: str(labels.type),
)
def test_labels_that_no_model_file_holds_are_refused_before_the_search(labels: pa.Array) -> None:
    source = Source("t", pa.table({"x": [0, 1] * 10, "y": labels}), "y")
    with pytest.raises(FileError, match="the target column 'y' has type"):
        fit_beside_cart(source)


@pytest.mark.parametrize(
    "labels",
    [
        pa.array(["n", "y"] * 10, pa.string()),
        pa.array(["n", "y"] * 10, pa.large_string()),
        pa.array(["n", "y"] * 10, pa.string_view()),
        pa.array(["n", "y"] * 10).dictionary_encode(),
        pa.array([Decimal(0), Decimal(1)] * 10),
    ],
    ids=lambda labels: str(labels.type),
)
def test_kinds_of_labels(tmp_path: Path, labels: pa.Array) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [0, 1] * 10, "y": labels, "same": labels}), path)
    report = fit_beside_cart(
        read_source(str(path)), target="y", max_depth=1, save_to=tmp_path / "m"
    )
    assert report.accuracy.tree.test == 1.0
    assert load(tmp_path / "m").objective_ == 0
