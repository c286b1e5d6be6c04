"""The arithmetic of the benchmarks of adaptive trees: curves, logs, tables, the generated table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import adaptive
import report
from adaptive_parts import certificate, curves, large, merge, yardstick
from adaptive_parts.curve import improvements, iteration_ends, objective_at, seconds_to
from adaptive_parts.fits import timed
from adaptive_parts.part import in_order, latest
from adaptive_parts.solver_choice import FixedSolverTree
from adaptive_parts.tables import CATEGORIES, N_CONTINUOUS, WHOLE_NUMBERS, mixed_table
from adaptive_parts.watched import WatchedTree
from benchmark_records import MACHINE


def fitted(errors: int, seconds: float, curve: list[list[float]]) -> dict[str, Any]:
    return {"errors": errors, "seconds": seconds, "curve": curve, "status": "feasible"}


def yardstick_record(finished: bool, **changes: Any) -> dict[str, Any]:
    return {
        "kind": "yardstick",
        "n_jobs": 2,
        "load": 0.5,
        "problem": "heloc",
        "depth": 4,
        "candidates": 20,
        "high": fitted(2230, 2.0, [[0.5, 2240], [1.5, 2230]]),
        "paper": fitted(2250, 0.5, [[0.2, 2250]]),
        "yardstick": {"limit": 50.0, "errors": 2240, "finished": finished, "seconds": 40.0},
    } | changes


def merge_record(merged: dict[str, Any], unmerged: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "merge",
        "n_jobs": 2,
        "load": 0.5,
        "problem": "heloc",
        "depth": 4,
        "candidates": 20,
        "solver": "general",
        "limit": 60.0,
        "compression": 116.2,
        "merged": {"errors": 2427, "seconds": 0.01, "proven": True} | merged,
        "unmerged": {"errors": 2427, "seconds": 0.5, "proven": True} | unmerged,
    }


def test_iterations_are_dated_from_the_end_of_the_fit() -> None:
    history = [
        SimpleNamespace(seconds={"proposal": 1.0, "solve": 2.0}, incumbent=9.0),
        SimpleNamespace(seconds={"proposal": 0.5, "solve": 0.5}, incumbent=7.0),
    ]
    assert iteration_ends(history, 10.0) == [(9.0, 9.0), (10.0, 7.0)]


def test_a_curve_holds_what_is_better_than_all_before() -> None:
    curve = improvements([(3.0, 5.0), (1.0, 9.0), (2.0, 9.0), (2.5, 12.0), (4.0, 5.0)])
    assert curve == [(1.0, 9.0), (3.0, 5.0)]
    assert [seconds_to(curve, target) for target in (20.0, 9.0, 6.0, 5.0, 4.0)] == [
        1.0, 1.0, 3.0, 3.0, None,
    ]  # fmt: skip
    assert [objective_at(curve, at) for at in (0.5, 1.0, 2.9, 100.0)] == [None, 9.0, 9.0, 5.0]


def test_a_watched_fit_ends_with_its_tree() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = WatchedTree(max_depth=4, effort="paper", certify=False, forest_trees=20).fit(X, y)
    times, objectives = zip(*model.improvements_, strict=True)
    assert list(times) == sorted(times)
    assert list(objectives) == sorted(objectives, reverse=True)
    assert objectives[-1] == model.objective_
    assert 0 < times[0] < times[-1] <= model.search_stats_["seconds"]["total"]
    assert objectives[0] == model.history_[0].incumbent


@pytest.mark.parametrize("solver", ["general", "cube", "auto"])
@pytest.mark.parametrize("aggregate", [True, False])
def test_both_ways_and_all_solvers_find_the_same_optimum(solver: str, aggregate: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 8)).astype(np.uint8)
    y = (X[:, :3].sum(axis=1) + rng.integers(0, 2, 300)) % 2
    model = FixedSolverTree(solver=solver, max_depth=3, aggregate=aggregate).fit(X, y)
    assert model.objective_ == FixedSolverTree(max_depth=3).fit(X, y).objective_
    # Only the solver of boxes counts boxes.
    assert (model.search_stats_["boxes"] > 0) == (solver != "general") or solver == "auto"
    assert (model.n_unique_ < 300) == aggregate


def test_short_fits_are_repeated_and_long_ones_are_not() -> None:
    assert timed(SimpleNamespace).repeats == 9
    assert timed(SimpleNamespace, limit=0.0).repeats == 1
    seconds = iter([5.0, 1.0, 2.0, 9.0, 4.0, 8.0, 3.0, 7.0, 6.0])
    median = timed(lambda: SimpleNamespace(took=next(seconds)), read=lambda model: model.took)
    assert (median.seconds, median.model.took) == (5.0, 5.0)


def test_the_log_of_a_yardstick_that_was_ended_gives_what_it_had() -> None:
    lines = [
        {"event": "started", "errors": 100},
        {"event": "better", "seconds": 3.0, "errors": 60},
        {"event": "ended", "seconds": 9.0, "errors": 60, "iterations": 4},
    ]
    texts = [json.dumps(line) + "\n" for line in lines]
    assert yardstick.read_log("".join(texts[:1])) == {
        "errors": None, "finished": False, "seconds": 0.0,
    }  # fmt: skip
    cut = yardstick.read_log("".join(texts[:2]) + texts[2][:20])
    assert cut == {"errors": 60, "finished": False, "seconds": 3.0}
    assert yardstick.read_log("".join(texts)) == {"errors": 60, "finished": True, "seconds": 9.0}
    with pytest.raises(ValueError, match="never started"):
        yardstick.read_log("")


def test_the_yardstick_gets_a_multiple_of_our_time_within_bounds() -> None:
    limits = [yardstick.yardstick_limit(25.0 * seconds, 600.0) for seconds in (0.1, 4.0, 60.0)]
    assert limits == [10.0, 100.0, 600.0]


def test_a_yardstick_is_ended_at_its_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text(
        "import sys, time\n"
        "log = open(sys.argv[sys.argv.index('--log') + 1], 'a')\n"
        'print(\'{"event": "started", "errors": 8}\', file=log, flush=True)\n'
        'print(\'{"event": "better", "errors": 7, "seconds": 0.1}\', file=log, flush=True)\n'
        "time.sleep(600)\n"
    )
    monkeypatch.setattr(yardstick, "SCRIPT", endless)
    found = yardstick.run_yardstick("compas", 3, 20, 1, limit=0.5)
    assert found == {"limit": 0.5, "errors": 7, "finished": False, "seconds": 0.1}


def test_the_ratio_to_a_yardstick_that_was_ended_is_a_bound() -> None:
    done = yardstick.tabulate([yardstick_record(finished=True)])
    assert (
        "| heloc | 4 | 20 | 2240, 40 s | 2230, 2.00 s | 0.50 s | 20x | 2250, 0.50 s | never | 80x |"
        in done
    )
    assert "| 4 | high | 2.00 s | 20x | 20x | 1 | 0 | 0 |" in done
    ended = yardstick.tabulate([yardstick_record(finished=False)])
    assert "| 2240, > 50 s | 2230, 2.00 s | 0.50 s | > 25x |" in ended
    assert "| 4 | paper | 0.50 s | >= 100x | 100x | 0 | 0 | 1 |" in ended
    nothing = {"limit": 50.0, "errors": None, "finished": False, "seconds": 0.0}
    without = yardstick.tabulate([yardstick_record(False, yardstick=nothing)])
    assert "| no tree, > 50 s | 2230, 2.00 s |  | > 25x |" in without
    assert "| 4 | high | 2.00 s | >= 25x | 25x | 0 | 0 | 0 |" in without


def test_merging_must_not_change_an_optimum() -> None:
    same = merge_record({}, {})
    assert merge.disagreements([same]) == []
    assert "| heloc | 20 | 116 | 4 | general | 2427 | 10 ms | 0.50 s | 50x |" in merge.tabulate(
        [same]
    )
    assert len(merge.disagreements([merge_record({"errors": 2426}, {})])) == 1
    unproven = merge_record({}, {"errors": 2500, "seconds": 60.2, "proven": False})
    assert merge.disagreements([unproven]) == []
    assert "| 10 ms | > 60 s | > 6.02e+03x |" in merge.tabulate([unproven])


def test_a_tree_better_than_a_proof_is_found() -> None:
    def record(solver: str, errors: int, proven: bool) -> dict[str, Any]:
        place = {"problem": "heloc", "depth": 5, "solver": solver}
        return place | {"errors": errors, "proven": proven, "curve": [[0.9, errors]]}

    right = [record("certitree", 2100, True), record("cart", 2300, False)]
    assert curves.disagreements(right) == []
    assert len(curves.disagreements([*right, record("pystreed", 2099, False)])) == 1
    optima = [
        {"problem": "heloc", "depth": 4, "estimator": name, "errors": errors, "proven": True}
        for name, errors in zip(certificate.ESTIMATORS, (2223, 2224), strict=True)
    ]
    assert certificate.disagreements(optima) == ["certificate, heloc, depth 4: optima [2223, 2224]"]


def test_the_generated_table_has_its_kinds_and_repeats() -> None:
    first, second = mixed_table(5000), mixed_table(5000)
    assert first.X.shape == (5000, N_CONTINUOUS + len(WHOLE_NUMBERS) + len(CATEGORIES))
    distinct = first.X.nunique()
    assert (distinct[:N_CONTINUOUS] == 5000).all()
    assert tuple(distinct[N_CONTINUOUS:]) == (*WHOLE_NUMBERS, *CATEGORIES)
    assert 0.3 < first.y.mean() < 0.7
    assert first.X.equals(second.X)
    np.testing.assert_array_equal(first.y, second.y)


def test_a_fit_of_the_generated_table_in_its_own_process() -> None:
    record = large.fit_generated(3000, 2, 1) | {"kind": "large"}
    assert record["status"] == "ok", record
    assert record["peak_mb"] >= record["before_mb"]
    assert 400 < record["n_splits"] <= 501
    stages = large.stage_seconds(record)
    assert sum(stages.values()) == pytest.approx(record["seconds"])
    assert "| 3,000 |" in large.tabulate([record])


def test_the_latest_record_of_a_measurement_counts() -> None:
    old, new = yardstick_record(True), yardstick_record(False)
    other = yardstick_record(True, depth=5)
    assert latest([old, other, new], yardstick.PART.key) == [new, other]


def test_rows_are_sorted_within_problems_which_stay_as_they_came() -> None:
    def record(problem: str, depth: int, size: int) -> dict[str, Any]:
        return {"problem": problem, "depth": depth, "candidates": size}

    came = [record("heloc", 5, 20), record("compas", 3, 40), record("compas", 3, 20)]
    came.append(record("heloc", 4, 30))
    assert in_order(came) == [came[3], came[0], came[2], came[1]]


def test_the_page_has_the_markers_and_takes_the_tables() -> None:
    records = [MACHINE, yardstick_record(True), merge_record({}, {})]
    sections, quarrels = adaptive.tables(records)
    assert quarrels == []
    assert list(sections) == [yardstick.PART.title, merge.PART.title]
    filled = adaptive.fill(adaptive.PAGE.read_text(), sections)
    assert adaptive.fill(filled, sections) == filled
    assert adaptive.kept_sections(filled) | sections == adaptive.kept_sections(filled)
    assert report.BEGIN in filled


def test_tables_of_parts_without_records_stay() -> None:
    page = f"before\n{adaptive.BEGIN}\n{adaptive.END}\nafter"
    first, _ = adaptive.tables([MACHINE, yardstick_record(True)])
    other = MACHINE | {"processor": "another one"}
    second, _ = adaptive.tables([MACHINE, yardstick_record(True), other, merge_record({}, {})])
    filled = adaptive.fill(adaptive.fill(page, first), {merge.PART.title: second[merge.PART.title]})
    kept = adaptive.kept_sections(filled)
    assert list(kept) == [yardstick.PART.title, merge.PART.title]
    assert "a processor" in kept[yardstick.PART.title]
    assert "another one" in kept[merge.PART.title]
    # Each part names the machine that it was measured on.
    assert "a processor" in second[yardstick.PART.title]
    with pytest.raises(ValueError, match="no part: Another title"):
        adaptive.fill(page, {"Another title": "a table"})
    deeper = yardstick_record(True, depth=5)
    both, _ = adaptive.tables([MACHINE, yardstick_record(True), other, deeper])
    assert "a processor" in both[yardstick.PART.title]
    assert "another one" in both[yardstick.PART.title]
    assert filled.startswith("before") and filled.endswith("after")


def test_all_runs_every_part_but_those_left_out() -> None:
    options = adaptive.parse(["all", "--skip", "curves", "--jobs", "1"])
    chosen = adaptive.chosen_parts(options)
    assert [part.name for part, _ in chosen] == [
        name for name in adaptive.PARTS if name != "curves"
    ]
    assert all(own.jobs == 1 for _, own in chosen)
    assert all(f"| `{name}` |" in adaptive.PAGE.read_text() for name in adaptive.PARTS)
