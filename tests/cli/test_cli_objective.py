"""`certitree fit --objective`: every objective by name, its options, and what is refused."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import certitree as library
from certitree import OptimalTreeClassifier
from certitree._files import read_source, write_table
from certitree._objective_choice import offered_names
from certitree.objectives import (
    F1,
    Accuracy,
    BalancedAccuracy,
    CostMatrix,
    DemographicParity,
    EqualOpportunity,
    FBeta,
    Jaccard,
    Matthews,
)
from certitree.objectives._registry import objective_class

from .conftest import Command

COSTS = "true\\predicted,granted,refused\nrefused,5,0\ngranted,0,1\n"


def loans() -> pa.Table:
    """Loans of two groups, of which one is granted more often."""
    rng = np.random.default_rng(3)
    group = rng.choice(["blue", "green"], 300)
    income = rng.integers(0, 10, 300) + 2 * (group == "blue")
    debt = rng.integers(0, 8, 300)
    granted = (income - debt / 2 + rng.normal(0, 2, 300)) > 4
    answer = np.where(granted, "granted", "refused")
    return pa.table(
        {"group": group, "income": income, "debt": debt, "paid": granted * 1, "answer": answer}
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "loans.parquet"
    write_table(loans(), path)
    (tmp_path / "costs.csv").write_text(COSTS)
    return path


CASES = {
    "accuracy": ((), Accuracy()),
    "balanced_accuracy": ((), BalancedAccuracy()),
    "cost_matrix": (
        ("--cost-matrix", "costs.csv"),
        CostMatrix([[0, 1], [5, 0]], ["granted", "refused"]),
    ),
    "demographic_parity": (
        ("--sensitive", "group", "--limit", 0.05, "--positive", "granted"),
        DemographicParity("group", 0.05, "granted"),
    ),
    "entropy": ((), "entropy"),
    "equal_opportunity": (("--sensitive", "group"), EqualOpportunity("group")),
    "f1": (("--positive", "granted"), F1("granted")),
    "f_beta": (("--beta", 2), FBeta(2)),
    "gini": ((), "gini"),
    "jaccard": (("--positive", "refused"), Jaccard("refused")),
    "matthews": ((), Matthews()),
}


def test_every_objective_is_tried() -> None:
    ours = [
        name
        for name in offered_names()
        if objective_class(name).__module__.startswith("certitree.")  # others may be registered
    ]
    assert sorted(CASES) == sorted(ours)


@pytest.mark.parametrize("name", CASES)
def test_the_same_as_in_python(
    certitree: Command, table: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(table.parent)
    words, objective = CASES[name]
    run = certitree(
        "fit", table, "--target", "answer", "--drop", "paid", "--max-depth", 2, "--test-size", 0,
        "--objective", name, *words, "--out", "model.json", "--quiet",
    )  # fmt: skip
    assert run.code == 0, run
    columns = loans().drop_columns(["answer", "paid"])
    expected = OptimalTreeClassifier(objective=objective, max_depth=2)
    expected.fit(columns, loans()["answer"].to_numpy())
    model = library.load(table.parent / "model.json")
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-12)
    assert model.status_ == "optimal"
    np.testing.assert_array_equal(model.predict(columns), expected.predict(columns))
    if name != "accuracy":
        assert re.search(rf"\({name}( of granted| of refused)?\)", run.out)
    shown = certitree("show", "model.json")
    assert shown.code == 0
    assert re.search(r"(?m)^objective .*$", shown.out)[0] in run.out


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        (["balanced"], "balanced"),
        (["refused=3"], {"refused": 3.0}),
        (["refused=3", "granted=0.5"], {"refused": 3.0, "granted": 0.5}),
    ],
)
def test_class_weights(
    certitree: Command, table: Path, tmp_path: Path, text: list[str], factors: object
) -> None:
    words = [word for entry in text for word in ("--class-weight", entry)]
    out = tmp_path / "model.json"
    run = certitree("fit", table, "--target", "answer", *words, "--out", out, "--quiet")
    assert run.code == 0, run
    assert library.load(out).objective == Accuracy(factors)
    assert "accuracy by class weights" in run.out


def test_the_objective_is_measured_beside_cart(certitree: Command, table: Path) -> None:
    run = certitree("fit", table, "--target", "answer", "--objective", "f1", "--quiet")
    block = run.out[run.out.index("F1  ") :].split("\n\n")[0].splitlines()
    scores = [[float(number) for number in line.split()[-2:]] for line in block[1:]]
    tree, cart, constant = scores
    assert tree[0] >= max(cart[0], constant[0])
    objective = float(re.search(r"objective +([\d.]+) \(f1 of refused\)", run.out)[1])
    assert objective == pytest.approx(tree[0], abs=1e-4)


def test_groups_and_their_rates_are_printed(certitree: Command, table: Path) -> None:
    run = certitree(
        "fit", table, "--target", "answer", "--drop", "paid", "--max-depth", 2, "--quiet",
        "--objective", "demographic_parity", "--sensitive", "group", "--limit", 0.02,
    )  # fmt: skip
    assert run.code == 0, run
    disparity = float(re.search(r"disparity +([\d.]+)%", run.out)[1])
    blue, green = (float(text) for text in re.findall(r"(?:blue|green) ([\d.]+)%", run.out))
    assert disparity <= 2.0
    assert abs(blue - green) == pytest.approx(disparity, abs=0.02)
    assert not re.search(r"(?m)^[│├└─ ]*(?:yes: |no:  )?group ", run.out)


def test_labels_that_are_numbers(certitree: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    costs = tmp_path / "numbers.csv"
    costs.write_text(",0,1,2\n0,0,1,9\n1,5,0,9\n2,9,9,0\n")  # 2 does not occur
    common = ("fit", table, "--target", "paid", "--drop", "answer", "--out", out, "--quiet")
    assert certitree(*common, "--objective", "f1", "--positive", "0").code == 0
    assert library.load(out).objective == F1(0)
    run = certitree(*common, "--objective", "cost_matrix", "--cost-matrix", costs)
    assert run.code == 0, run
    model = library.load(out)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.objective == CostMatrix([[0, 1, 9], [5, 0, 9], [9, 9, 0]], [0, 1, 2])


def test_labels_that_are_truth_values(certitree: Command, tmp_path: Path) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "model.json"
    path.write_text("x,y\n" + "1,true\n2,false\n" * 20)
    run = certitree(
        "fit", path, "--target", "y", "--objective", "f1", "--positive", "false", "--out", out,
        "--quiet",
    )  # fmt: skip
    assert run.code == 0, run
    assert library.load(out).objective == F1(False)


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("--objective", "jacard"), "no objective 'jacard'", "did you mean jaccard?"),
        (("--objective", "record_costs"), "a cost for each record", "in Python"),
        (("--objective", "feature_costs"), "a price for each feature", "in Python"),
        (("--objective", "f_beta"), "needs --beta", "add --beta"),
        (("--objective", "f_beta", "--beta", "-1"), "beta=-1.0 must be", "--help"),
        (("--objective", "cost_matrix"), "needs --cost-matrix", "add --cost-matrix"),
        (("--objective", "equal_opportunity"), "needs --sensitive", "add --sensitive"),
        (("--limit", "0.1"), "accuracy does not use --limit", "demographic_parity or equal_opp"),
        (("--beta", "2"), "accuracy does not use --beta", "--objective f_beta"),
        (("--objective", "gini", "--positive", "granted"), "gini does not use", "f1 or f_beta"),
        (
            ("--objective", "f1", "--positive", "Granted"),
            "no class 'Granted' in answer",
            "'granted', 'refused'",
        ),
        (("--class-weight", "refused"), "neither 'balanced' nor CLASS=FACTOR", "yes=5"),
        (("--class-weight", "refused=much"), "neither 'balanced'", "yes=5"),
        (("--class-weight", "other=2"), "no class 'other'", "'granted', 'refused'"),
        (("--class-weight", "refused=-2"), "the factor -2.0", "--help"),
        (
            ("--objective", "demographic_parity", "--sensitive", "Group"),
            "no sensitive column 'Group'",
            "did you mean 'group'?",
        ),
        (
            ("--objective", "demographic_parity", "--sensitive", "group", "--drop", "group"),
            "also to be dropped",
            "does not split on",
        ),
        (
            ("--objective", "demographic_parity", "--sensitive", "group", "--limit", "5"),
            "limit=5.0 must be a number from 0",
            "--help",
        ),
        (
            ("--objective", "f1", "--complexity-penalty", "0.1"),
            "cannot be combined with objective 'f1'",
            "--help",
        ),
    ],
)
def test_refusals(
    certitree: Command, table: Path, words: tuple[str, ...], message: str, hint: str
) -> None:
    error, advice = certitree("fit", table, "--target", "answer", "--quiet", *words).one_error()
    assert message in error
    assert hint in advice


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("x,granted,refused\ngranted,0,1\n", "lines for granted"),
        ("x,granted\ngranted,0\n", "lacks the class 'refused'"),
        ("x,granted,refused\ngranted,0,much\nrefused,1,0\n", "class granted: could not convert"),
        ("x,granted,refused\ngranted,0\nrefused,1,0\n", "1 costs for class granted, but 2"),
        ("x,granted,refused\ngranted,0,-1\nrefused,1,0\n", "costs holds -1.0"),
        (None, "cannot read the cost matrix"),
    ],
)
def test_damaged_cost_matrices(
    certitree: Command, table: Path, tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "matrix.csv"
    if content is not None:
        path.write_text(content)
    words = ("--objective", "cost_matrix", "--cost-matrix", path, "--quiet")
    error, _ = certitree("fit", table, "--target", "answer", *words).one_error()
    assert message in error


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["refused=3", "refused=2"], "names the class 'refused' twice"),
        (["balanced", "refused=2"], "balanced came together with others"),
    ],
)
def test_contradictory_class_weights(
    certitree: Command, table: Path, texts: list[str], message: str
) -> None:
    words = [word for text in texts for word in ("--class-weight", text)]
    error, _ = certitree("fit", table, "--target", "answer", *words, "--quiet").one_error()
    assert message in error


def test_class_weights_are_named_with_the_objective(certitree: Command, table: Path) -> None:
    words = ("--target", "answer", "--class-weight", "refused=3", "--quiet")
    assert "(class weights included)" in certitree("fit", table, *words).out


@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity"])
def test_groups_are_compared_on_both_parts(
    certitree: Command, table: Path, tmp_path: Path, name: str
) -> None:
    words, _ = CASES[name]
    run = certitree(
        "fit", table, "--target", "answer", "--drop", "paid", "--objective", name, *words,
        "--out", tmp_path / "model.json", "--quiet",
    )  # fmt: skip
    assert run.code == 0, run
    lines = run.out[run.out.index("disparity  ") :].split("\n\n")[0].splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "this tree", "CART, depth 3, same splits", "most frequent class",
    ]  # fmt: skip
    on_train = [float(line.split()[-2].rstrip("%")) / 100 for line in lines[1:]]
    model = library.load(tmp_path / "model.json")
    assert on_train[0] == pytest.approx(model.disparity_, abs=1e-4)
    assert on_train[1] >= on_train[0]
    assert on_train[2] == 0


def test_prediction_needs_no_groups(certitree: Command, table: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model.json", tmp_path / "predictions.parquet"
    words = ("--objective", "demographic_parity", "--sensitive", "group", "--out", model, "--quiet")
    assert certitree("fit", table, "--target", "answer", "--drop", "paid", *words).code == 0
    without = tmp_path / "without.parquet"
    write_table(loans().drop_columns(["group", "answer"]), without)
    assert certitree("predict", model, without, "--out", out).code == 0
    expected = library.load(model).predict(loans().select(["group", "income", "debt"]))
    np.testing.assert_array_equal(read_source(str(out)).table["prediction"], expected)
    write_table(loans().select(["group", "income"]), without)
    error, _ = certitree("predict", model, without, "--out", out).one_error()
    assert "'debt'" in error


def test_the_groups_are_neither_target_nor_weight(certitree: Command, table: Path) -> None:
    words = ("--objective", "demographic_parity", "--sensitive", "answer", "--quiet")
    error, _ = certitree("fit", table, "--target", "answer", *words).one_error()
    assert error == "the sensitive column 'answer' is also the target or the weight column"
