"""The benchmark's own arithmetic: generated problems, measurement, tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import feature_prices
import measure
import peers
import problems
import report
import solvers
from benchmark_records import MACHINE


def run_record(solver: str, **changes: Any) -> report.Record:
    record = {
        "kind": "run",
        "problem": "heloc",
        "depth": 3,
        "solver": solver,
        "time_limit": 60.0,
        "n_jobs": 1,
        "load": 0.5,
        "status": "ok",
        "seconds": 2.0,
        "repeats": 3,
        "errors": 2313,
        "proven": True,
        "peak_mb": 200.0,
        "n_rows": 8367,
        "n_columns": 781,
    }
    return record | changes


@pytest.mark.parametrize("name", list(problems.GENERATED))
def test_generated_problem_has_its_shape_and_repeats(name: str) -> None:
    shape = problems.GENERATED[name]
    first, second = problems.generate(name), problems.generate(name)
    assert first.X.shape == (shape.n_rows, shape.n_columns)
    assert set(np.unique(first.X)) == {0, 1}
    assert 0.3 < first.y.mean() < 0.7
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)


def test_planted_labels_follow_a_tree_of_the_planted_depth() -> None:
    bits = (np.random.default_rng(0).random((200, 1)) < 0.5).astype(np.uint8)
    labels = problems.planted_labels(bits, 1, np.random.default_rng(0))
    assert np.array_equal(labels, bits[:, 0]) or np.array_equal(labels, 1 - bits[:, 0])


def test_unknown_problem_lists_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'iris'.*heloc.*gen_1000x110"):
        problems.load_problem("iris")


def test_missing_reference_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CERTITREE_SHARED", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="CERTITREE_SHARED"):
        problems.load_reference("heloc")


def test_every_solver_on_the_command_line_has_an_adapter() -> None:
    assert set(peers.SOLVERS) == set(solvers.ADAPTERS)
    assert set(peers.SOLVERS) >= report.HEURISTICS | {report.OURS, report.YARDSTICK}


def test_a_measurement_counts_the_errors_of_the_tree() -> None:
    settings = measure.Settings(n_jobs=1, memory_gb=None, repeat=True)
    record = measure.run_item(measure.Item("small_150", 2, 20.0), "cart", settings)
    problem = problems.small_problem()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(problem.X, problem.y)
    assert record["status"] == "ok", record
    assert record["errors"] == int((tree.predict(problem.X) != problem.y).sum())
    assert record["repeats"] == 9
    assert record["proven"] is False


def test_a_failing_worker_leaves_a_record() -> None:
    settings = measure.Settings(n_jobs=1, memory_gb=None, repeat=False)
    record = measure.run_item(measure.Item("no_such_problem", 2, 20.0), "cart", settings)
    assert record["status"] == "failed"
    assert "no_such_problem" in str(record["note"])


def test_ratio_is_a_bound_where_the_peer_has_no_proof() -> None:
    ours = run_record("certitree", seconds=0.5)
    assert report.ratio(ours, run_record("pystreed")) == "4x"
    assert report.ratio(ours, run_record("pystreed", proven=False, seconds=60.1)) == "> 120x"
    assert report.ratio(run_record("certitree", proven=False), run_record("pystreed")) == ""


def test_cells_tell_proof_from_the_best_tree_found() -> None:
    assert report.cell(run_record("pystreed", seconds=0.0123)) == "12 ms"
    assert report.cell(run_record("pystreed", seconds=61.7, proven=False)) == "62 s (2313)"
    assert report.cell(run_record("gosdt", status="killed")) == "> 60 s (ended)"
    assert report.cell(None) == ""


def test_disagreements_name_two_different_optima_and_a_tree_below_a_proof() -> None:
    right = run_record("certitree")
    assert report.disagreements([right, run_record("pystreed")]) == []
    assert report.disagreements([right, run_record("cart", proven=False, errors=2400)]) == []
    assert report.disagreements([right, run_record("pystreed", errors=2312)])
    assert report.disagreements([right, run_record("cart", proven=False, errors=2312)])


def test_filled_page_keeps_what_is_around_the_markers_and_can_be_filled_again() -> None:
    records = [MACHINE, run_record("certitree", seconds=0.01), run_record("pystreed")]
    page = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
    once = report.fill_page(page, report.tables(records))
    assert once.startswith("before\n") and once.endswith("\nafter\n")
    assert "old" not in once
    assert "| heloc, 8,367 x 781, depth 3 | 2313 | 10 ms | 2.00 s | 200x |" in once
    assert report.fill_page(once, report.tables(records)) == once
    with pytest.raises(ValueError, match="peers:begin"):
        report.fill_page("no markers", "text")


def test_the_page_has_the_markers() -> None:
    assert report.fill_page(peers.PAGE.read_text(), "text").count("text\n\n" + report.END) == 1


def test_unknown_problem_on_the_command_line_lists_those_there_are() -> None:
    with pytest.raises(SystemExit, match=r"unknown problem iris; there are: .*heloc"):
        peers.main(["run", "--only", "iris"])


@pytest.mark.parametrize("discount", ["shared", "half"])
def test_priced_problem_is_the_same_for_both_solvers(discount: feature_prices.Discount) -> None:
    rng = np.random.default_rng(0)
    values, city = rng.integers(0, 4, (50, 2)), rng.integers(0, 3, 50)
    chains = [values[:, [j]] <= np.arange(3) for j in range(2)]
    bits = np.concatenate([*chains, city[:, None] == np.arange(3)], axis=1).astype(np.uint8)
    source = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    shuffled = rng.permutation(9)
    problem = problems.Problem(
        "small", bits[:, shuffled], np.zeros(50, dtype=np.int32), source[shuffled]
    )
    table = feature_prices.priced(problem, discount)
    assert table.ranges == [(0, 2), (3, 5), (6, 8)]
    assert table.inputs == [[0], [1], [2, 3, 4]]
    assert (table.X[:, :2] == values).all()
    assert table.group[0] == table.group[1] != table.group[2]
    assert (np.array(table.discounted) < table.full).tolist() == [True, True, False]
    prices = table.objective().prices(None, 5)
    assert prices.charge(0, frozenset()) == table.full[0]
    assert prices.charge(0, frozenset({1})) == table.discounted[0]
    assert prices.charge(3, frozenset({2})) == 0.0  # a category of a feature that is paid


def test_problem_without_sources_has_no_prices() -> None:
    with pytest.raises(ValueError, match="does not say what its columns were made of"):
        feature_prices.priced(problems.small_problem())
