"""`certitree fit`: what it prints, saves and refuses."""

import re
from pathlib import Path

import pyarrow.csv as pa_csv
import pytest

import certitree as library
from certitree._files import read_source, write_table

from .conftest import Command, Run


def _line(run: Run, start: str) -> str:
    (line,) = [line for line in run.out.splitlines() if line.startswith(start)]
    return line.removeprefix(start).strip()


def _percentages(run: Run, start: str) -> list[float]:
    return [float(number) for number in re.findall(r"([\d.]+)%", _line(run, start))]


def test_an_embedded_data_set(certitree: Command) -> None:
    run = certitree("fit", "sklearn:breast_cancer", "--max-depth", 2, "--quiet")
    assert run.code == 0, run
    assert run.err == ""
    assert run.out.startswith("sklearn:breast_cancer\n")
    assert _line(run, "rows") == "569 (455 to fit, 114 to test)"
    assert _line(run, "columns") == "30"
    assert int(_line(run, "splits").replace(",", "")) > 500
    assert _line(run, "status").startswith("optimal (")
    assert _line(run, "objective") == _line(run, "lower bound")
    assert _line(run, "gap") == "0.00%"
    assert "benign" in run.out
    train, test = _percentages(run, "this tree")
    cart_train, _ = _percentages(run, "CART, depth 2, same splits")
    constant_train, _ = _percentages(run, "most frequent class")
    assert train >= cart_train > constant_train
    assert test > 85
    errors = round(455 * (1 - train / 100))
    assert _line(run, "objective") == str(errors)


def test_a_file_with_weights_and_dropped_columns(
    certitree: Command, people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "model.json"
    run = certitree(
        "fit", people, "--target", "buys", "--weight", "weight", "--drop", "id", "--drop", "income",
        "--max-depth", 2, "--test-size", 0, "--out", out, "--quiet",
    )  # fmt: skip
    assert run.code == 0, run
    assert _line(run, "rows") == "120"
    assert _line(run, "columns") == "2"
    assert _line(run, "objective") == "0"
    assert _percentages(run, "this tree") == [100.0]
    assert f"model saved to {out}" in run.out
    model = library.load(out)
    assert list(model.feature_names_in_) == ["city", "age"]
    assert model.classes_.tolist() == ["no", "yes"]
    assert "age" in run.out and "Delft" in run.out


@pytest.mark.parametrize("suffix", [".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".feather", ".arrow"])
def test_every_format_gives_the_same(
    certitree: Command, people: Path, tmp_path: Path, suffix: str
) -> None:
    other = tmp_path / f"people{suffix}"
    write_table(read_source(str(people)).table, other)
    options = ("--target", "buys", "--max-depth", 2, "--quiet")
    first, second = (certitree("fit", path, *options) for path in (people, other))
    assert first.code == second.code == 0
    assert _without_time(second).replace(str(other), str(people)) == _without_time(first)


def _without_time(run: Run) -> str:
    return re.sub(r"(?m)^seconds.*$", "", run.out)


def test_limits_reach_the_model(certitree: Command, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    run = certitree(
        "fit", people, "--target", "buys", "--max-depth", 4, "--max-nodes", 2,
        "--min-samples-leaf", 7, "--complexity-penalty", 0.001, "--max-bins", 5,
        "--time-limit", 0, "--memory-limit", "100MB", "--seed", 3, "--jobs", 1,
        "--out", out, "--quiet",
    )  # fmt: skip
    assert run.code == 0, run
    model = library.load(out)
    expected = {
        "max_depth": 4,
        "max_nodes": 2,
        "min_samples_leaf": 7,
        "complexity_penalty": 0.001,
        "max_bins": 5,
        "time_limit": None,
        "memory_limit": "100MB",
        "n_jobs": 1,
        "random_state": 3,
    }
    assert {name: model.get_params()[name] for name in expected} == expected
    assert model.n_branching_nodes_ <= 2


def test_progress_goes_to_stderr(process: Command) -> None:
    run = process("fit", "sklearn:digits", "--max-depth", "5", "--time-limit", "1.5")
    assert run.code == 0, run
    assert run.out.startswith("sklearn:digits\n")
    assert "gap" in run.err


def test_seed_chooses_the_test_rows(certitree: Command) -> None:
    runs = [
        certitree("fit", "sklearn:wine", "--max-depth", 1, "--seed", seed, "--quiet")
        for seed in (1, 1, 2)
    ]
    first, again, other = (_without_time(run) for run in runs)
    assert first == again != other


def test_brackets_in_the_data_are_no_markup(certitree: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("[red]age[/red],y\n" + "[0-10),a\n[10-20),b\n" * 20)
    run = certitree("fit", path, "--target", "y", "--test-size", 0, "--quiet")
    assert run.code == 0, run
    assert "[red]age[/red]" in run.out
    assert "[0-10)" in run.out or "[10-20)" in run.out


def test_one_class(certitree: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i},same\n" for i in range(10)))
    run = certitree("fit", path, "--target", "y", "--quiet")
    assert run.code == 0, run
    assert _line(run, "objective") == "0"
    assert _line(run, "status").startswith("optimal")


def test_a_class_with_one_row(certitree: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i},{'b' if i == 9 else 'a'}\n" for i in range(10)))
    assert certitree("fit", path, "--target", "y", "--quiet").code == 0


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ((), "no target column was named", "--target"),
        (
            ("--target", "buy"),
            "no target column 'buy'",
            "did you mean 'buys'? The columns are: id, city",
        ),
        (("--target", "buys", "--drop", "ID"), "no column to drop 'ID'", "did you mean 'id'?"),
        (("--target", "buys", "--drop", "buys"), "also to be dropped", "--drop"),
        (("--target", "buys", "--weight", "wait"), "no weight column 'wait'", "'weight'"),
        (
            ("--target", "buys", "--weight", "city"),
            "weight column 'city' has type string",
            "number",
        ),
        (("--target", "buys", "--weight", "income"), "24 missing values", "number"),
        (("--target", "buys", "--weight", "buys"), "both target and weight", "two"),
        (("--target", "city"), "40 missing values", "label"),
        (("--target", "buys", "--test-size", "1.5"), "test size is 1.5", "below 1"),
        (("--target", "buys", "--test-size", "0.999"), "leaves none of 120 rows", "--test-size 0"),
        (("--target", "buys", "--max-depth", "-1"), "--max-depth", "--help"),
        (("--target", "buys", "--max-depth", "deep"), "max-depth", "fit --help"),
        (("--target", "buys", "--memory-limit", "lots"), "'lots' is not a size", "--help"),
        (("--target", "buys", "--out", "/absent/m.json"), "cannot write /absent/m.json", "folder"),
        (("--target", "buys", "--out", "/"), "cannot write /: it is a folder", "name a file in it"),
        (("--colour", "red"), "--colour", "fit --help"),
    ],
)
def test_errors(
    certitree: Command, people: Path, words: tuple[str, ...], message: str, hint: str
) -> None:
    run = certitree("fit", people, "--quiet", *words)
    error, advice = run.one_error()
    assert message in error
    assert hint in advice
    assert run.out == ""


def test_the_output_is_checked_before_reading(certitree: Command) -> None:
    error, _ = certitree("fit", "no table.csv", "--out", "/absent/m.json").one_error()
    assert error == "cannot write /absent/m.json"


def test_an_empty_name(certitree: Command) -> None:
    error, hint = certitree("fit", "").one_error()
    assert error == "the name of the file is empty: ''"
    assert ".csv" in hint


def test_another_encoding(certitree: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("city,y\nKöln,a\nDelft,b\n".encode("latin-1"))
    error, hint = certitree("fit", path, "--target", "y").one_error()
    assert error.endswith("is not UTF-8 text: line 2 holds the byte 0xf6, which in Latin-1 would "
                          "be 'ö'")  # fmt: skip
    assert "iconv" in hint


def test_all_columns_dropped(certitree: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,w\na,1\nb,2\n")
    error, _ = certitree("fit", path, "--target", "y", "--weight", "w").one_error()
    assert "no column is left" in error


def test_dates_are_refused_with_advice(certitree: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("day,y\n" + "2024-01-02,a\n2024-02-03,b\n" * 10)
    error, hint = certitree("fit", path, "--target", "y").one_error()
    assert "'day'" in error
    assert "--drop" in hint


def test_errors_in_a_process_of_its_own(process: Command, people: Path) -> None:
    error, hint = process("fit", people, "--target", "nothing").one_error()
    assert error == f"no target column 'nothing' in {people}"
    assert hint == "The columns are: id, city, age, income, buys, weight"


def test_traceback_on_demand(process: Command, people: Path) -> None:
    run = process("fit", people, "--target", "nothing", CERTITREE_TRACEBACK="1")
    assert run.code != 0
    assert "Traceback" in run.err


@pytest.mark.parametrize(
    ("file", "target", "rows"),
    [
        ("compas.csv", "two_year_recid", "6,172 (4,937 to fit, 1,235 to test)"),
        ("heloc.csv", "RiskPerformance", "10,459 (8,367 to fit, 2,092 to test)"),
        ("gmsc.csv.gz", "SeriousDlqin2yrs", "150,000 (120,000 to fit, 30,000 to test)"),
        ("diabetes.csv.gz", "readmitted", "101,766 (81,412 to fit, 20,354 to test)"),
    ],
)
def test_real_tables(
    certitree: Command,
    data: Path,
    tmp_path: Path,
    file: str,
    target: str,
    rows: str,
) -> None:
    model, predictions = tmp_path / "model.json", tmp_path / "predictions.csv"
    run = certitree(
        "fit",
        data / file,
        "--target",
        target,
        "--seed",
        42,
        "--out",
        model,
        "--quiet",
        "--time-limit",
        20,
    )
    assert run.code == 0, run
    assert _line(run, "rows") == rows
    assert len(_percentages(run, "this tree")) == 2
    assert _percentages(run, "this tree")[0] >= _percentages(run, "CART, depth 3, same splits")[0]
    assert certitree("show", model).code == 0
    run = certitree("predict", model, data / file, "--out", predictions)
    assert run.code == 0, run
    predicted = pa_csv.read_csv(predictions).column("prediction").to_pylist()
    truth = read_source(str(data / file)).table.column(target).to_pylist()
    assert len(predicted) == len(truth)
    right = sum(a == b for a, b in zip(predicted, truth, strict=True))
    assert right / len(truth) > 0.5
