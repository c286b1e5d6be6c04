"""`certitree predict` and `certitree show`: rows in order, columns by name, clear refusals."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import certitree as library
from certitree._files import read_source, write_table

from .conftest import Command


@pytest.fixture
def model(certitree: Command, people: Path, tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    run = certitree(
        "fit", people, "--target", "buys", "--drop", "id", "--drop", "weight", "--max-depth", 2,
        "--test-size", 0, "--out", path, "--quiet",
    )  # fmt: skip
    assert run.code == 0, run
    return path


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".parquet", ".feather"])
def test_rows_keep_their_order(
    certitree: Command, people: Path, model: Path, tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"predictions{suffix}"
    run = certitree("predict", model, people, "--out", out)
    assert run.code == 0, run
    assert run.out == f"120 predictions written to {out}\n"
    predictions = read_source(str(out)).table
    assert predictions.column_names == ["prediction"]
    assert predictions.column("prediction").to_pylist() == (
        read_source(str(people)).table.column("buys").to_pylist()
    )


def test_probabilities(certitree: Command, people: Path, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.parquet"
    assert certitree("predict", model, people, "--out", out, "--proba").code == 0
    table = read_source(str(out)).table
    assert table.column_names == ["prediction", "probability of no", "probability of yes"]
    features = read_source(str(people)).table.select(["city", "age", "income"])
    expected = library.load(model).predict_proba(features)
    np.testing.assert_array_equal(table.column("probability of yes").to_numpy(), expected[:, 1])


def test_policies_have_no_probabilities(certitree: Command, tmp_path: Path) -> None:
    path, out = tmp_path / "policy.json", tmp_path / "treatments.csv"
    patients = pa.table({"age": [30, 70] * 20})
    write_table(patients, tmp_path / "patients.csv")
    policy = library.OptimalPolicyTree(max_depth=1, method="ipw")
    drugs = ["new", "new", "old", "old"] * 10
    policy.fit(patients, drugs, [1, 0, 0, 1] * 10, propensities=np.full(40, 0.5)).save(path)
    arguments = ("predict", path, tmp_path / "patients.csv", "--out", out)
    error, hint = certitree(*arguments, "--proba").one_error()
    assert "OptimalPolicyTree" in error and "--proba" in hint
    assert certitree(*arguments).code == 0
    assert read_source(str(out)).table.column("prediction").to_pylist() == ["new", "old"] * 20


def test_columns_are_found_by_name(
    certitree: Command, people: Path, model: Path, tmp_path: Path
) -> None:
    table = read_source(str(people)).table
    shuffled = table.select(["income", "age", "weight", "city"]).append_column(
        "extra", pa.array(range(120))
    )
    other, out = tmp_path / "other.parquet", tmp_path / "predictions.csv"
    write_table(shuffled, other)
    assert certitree("predict", model, other, "--out", out).code == 0
    predicted = read_source(str(out)).table.column("prediction").to_pylist()
    assert predicted == table.column("buys").to_pylist()


def test_missing_columns_are_named(
    certitree: Command, people: Path, model: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.csv"
    write_table(
        read_source(str(people)).table.rename_columns(["id", "town", "Age", "income", "b", "w"]),
        other,
    )
    error, hint = certitree("predict", model, other, "--out", tmp_path / "p.csv").one_error()
    assert error == f"no columns 'city', 'age' in {other}"
    assert hint == "did you mean 'Age'? The columns are: id, town, Age, income, b, w"


def test_categories_that_look_like_numbers(certitree: Command, tmp_path: Path) -> None:
    train, later = tmp_path / "train.csv", tmp_path / "later.csv"
    train.write_text("code,y\n" + "01,a\n1,b\nX,b\n" * 10)
    later.write_text("code\n01\n1\n")
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    assert (
        certitree("fit", train, "--target", "y", "--test-size", 0, "--out", model, "--quiet").code
        == 0
    )
    assert certitree("predict", model, later, "--out", out).code == 0
    assert read_source(str(out)).table.column("prediction").to_pylist() == ["a", "b"]


def test_empty_columns_and_new_categories(certitree: Command, model: Path, tmp_path: Path) -> None:
    later, out = tmp_path / "later.csv", tmp_path / "out.csv"
    later.write_text("city,age,income\nPrague,30,\nDelft,30,\n,30,\n")
    assert certitree("predict", model, later, "--out", out).code == 0
    assert read_source(str(out)).table.column("prediction").to_pylist() == ["no", "yes", "no"]


def test_text_where_numbers_were(certitree: Command, model: Path, tmp_path: Path) -> None:
    later = tmp_path / "later.csv"
    later.write_text("city,age,income\nDelft,old,1\n")
    error, _ = certitree("predict", model, later, "--out", tmp_path / "out.csv").one_error()
    assert "'age'" in error


def test_show(certitree: Command, model: Path) -> None:
    run = certitree("show", model)
    assert run.code == 0, run
    assert "Delft" in run.out and "yes" in run.out
    assert "optimal" in run.out and "lower bound" in run.out


def test_show_names_the_bound_that_counts(certitree: Command, tmp_path: Path) -> None:
    path = tmp_path / "f1.json"
    model = library.OptimalTreeClassifier(objective="f1", max_depth=1)
    model.fit([[0], [1], [1]], [0, 1, 0]).save(path)
    run = certitree("show", path)
    assert "upper bound" in run.out and "lower bound" not in run.out
    assert "1 branching node, 2 leaves" in run.out


@pytest.mark.parametrize("command", ["show", "predict"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no file"),
        ("not JSON", "model.json"),
        ("{}", "model.json"),
        ("[1]", "model.json"),
    ],
)
def test_damaged_models(
    certitree: Command,
    people: Path,
    tmp_path: Path,
    command: str,
    content: str | None,
    message: str,
) -> None:
    path = tmp_path / "model.json"
    if content is not None:
        path.write_text(content)
    words = ("--out", tmp_path / "p.csv") if command == "predict" else ()
    files = (people,) if command == "predict" else ()
    error, hint = certitree(command, path, *files, *words).one_error()
    assert message in error
    assert "path" in hint if content is None else "certitree fit --out" in hint


def test_the_output_is_checked_before_reading(certitree: Command, tmp_path: Path) -> None:
    for out, message in [("p.xlsx", "cannot tell the format"), ("absent/p.csv", "cannot write")]:
        words = (tmp_path / "no model.json", "no table.csv", "--out", tmp_path / out)
        error, _ = certitree("predict", *words).one_error()
        assert message in error


def test_a_model_of_the_future(certitree: Command, model: Path) -> None:
    content = json.loads(model.read_text())
    key = next(key for key in content if "version" in key)
    content[key] = 999
    model.write_text(json.dumps(content))
    error, _ = certitree("show", model).one_error()
    assert "999" in error


def test_the_input_is_not_overwritten(certitree: Command, people: Path, tmp_path: Path) -> None:
    content = people.read_bytes()
    model = tmp_path / "model.json"
    fit = ("fit", people, "--target", "buys", "--max-depth", 1, "--quiet", "--out")
    assert "what is read here" in certitree(*fit, people).one_error()[0]
    assert certitree(*fit, model).code == 0
    assert (
        "what is read here" in certitree("predict", model, people, "--out", people).one_error()[0]
    )
    assert people.read_bytes() == content
