"""`certitree fit --method`: the exact search, the adaptive loop, or both in turn."""

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import certitree as library
from certitree import AdaptiveTreeClassifier, OptimalTreeClassifier
from certitree._files import write_table

from .conftest import Command, Run


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """A table that no small tree predicts, so that depth 4 is not over by luck."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, 12, (400, 8))
    y = np.where((X[:, 0] > 5) ^ (X[:, 1] > 5) ^ (rng.random(400) < 0.35), "yes", "no")
    columns = {f"c{index}": X[:, index] for index in range(8)}
    path = tmp_path / "noisy.parquet"
    write_table(pa.table(columns | {"y": y}), path)
    return path


def _fit(certitree: Command, path: Path, out: Path, *words: object) -> tuple[Run, object]:
    run = certitree(
        "fit", path, "--target", "y", "--test-size", 0, "--out", out, "--quiet", *words
    )  # fmt: skip
    assert run.code == 0, run
    return run, library.load(out)


@pytest.mark.parametrize("depth", [0, 2, 3])
def test_all_methods_prove_shallow_trees(
    certitree: Command, noisy: Path, tmp_path: Path, depth: int
) -> None:
    models = []
    for method in ("exact", "adaptive", "auto"):
        words = ("--method", method, "--max-depth", depth)
        run, model = _fit(certitree, noisy, tmp_path / f"{method}.json", *words)
        assert "optimal (no better tree exists within these limits)" in run.out
        models.append(model)
    assert len({model.objective_ for model in models}) == 1
    assert type(models[0]) is type(models[2]) is OptimalTreeClassifier
    assert type(models[1]) is AdaptiveTreeClassifier
    assert models[1].stop_reason_ == "solved"


def test_methods_at_depth_four(certitree: Command, noisy: Path, tmp_path: Path) -> None:
    fits = {
        name: _fit(certitree, noisy, tmp_path / f"{name}.json", "--max-depth", 4, *words)
        for name, words in {
            "exact": ("--method", "exact"),
            "adaptive": ("--method", "adaptive"),
            "certified": ("--method", "adaptive", "--certify"),
            "auto": (),
        }.items()
    }
    proven = {fits[name][1].objective_ for name in ("exact", "certified", "auto")}
    assert len(proven) == 1
    for name in ("exact", "certified", "auto"):
        assert fits[name][1].status_ == "optimal"
    run, adaptive = fits["adaptive"]
    assert adaptive.status_ == "optimal_for_candidates"
    assert "no better tree exists over its candidate set" in run.out
    assert adaptive.lower_bound_ <= min(proven) <= adaptive.objective_
    assert {entry.step for entry in adaptive.history_} == {"candidates", "subtrees"}
    assert fits["auto"][1].history_[-1].step == "all_splits"


@pytest.mark.parametrize("method", ["exact", "adaptive", "auto"])
def test_models_of_every_method_show_and_predict(
    certitree: Command, noisy: Path, tmp_path: Path, method: str
) -> None:
    path, out = tmp_path / "model.json", tmp_path / "predictions.csv"
    fitted, model = _fit(certitree, noisy, path, "--max-depth", 4, "--method", method)
    shown = certitree("show", path)
    assert shown.code == 0, shown
    tree = shown.out.strip().split("\n\n")[0]
    assert tree in fitted.out
    assert ("iterations" in shown.out) == (method != "exact")
    run = certitree("predict", path, noisy, "--out", out)
    assert run.out == f"400 predictions written to {out}\n"
    assert model.status_ in shown.out


def test_both_steps_of_auto_share_the_time_limit(certitree: Command, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    started = time.perf_counter()
    run = certitree(
        "fit", "sklearn:digits", "--max-depth", 5, "--time-limit", 2, "--out", out, "--quiet"
    )
    assert run.code == 0, run
    assert time.perf_counter() - started < 30
    model = library.load(out)
    assert (model.time_limit, model.certify, model.status_) == (2.0, True, "time_limit")


def test_the_live_table_of_the_loop(process: Command) -> None:
    run = process("fit", "sklearn:digits", "--max-depth", "5", "--time-limit", "3")
    assert run.code == 0, run
    for heading in ("iteration", "candidates", "n/u", "incumbent", "bound", "gap"):
        assert heading in run.err


def test_the_live_table_of_the_exact_search(process: Command) -> None:
    run = process(
        "fit", "sklearn:digits", "--max-depth", "5", "--time-limit", "2", "--method", "exact"
    )
    assert run.code == 0, run
    assert "nodes" in run.err and "candidates" not in run.err


def test_unknown_methods_are_refused(certitree: Command) -> None:
    error, hint = certitree("fit", "sklearn:wine", "--method", "greedy").one_error()
    assert error == "there is no method 'greedy'; there are auto, exact, adaptive"
    assert hint == "see certitree fit --help"
