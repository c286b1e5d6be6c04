"""The yardstick of the adaptive loop: the paper's Algorithm 1 from scikit-learn and pystreed.

The forest and the CART fits are scikit-learn's, the inner solver is pystreed (plain STreeD: it
merges no records); nothing of certitree is used. Run by `adaptive.py` in a process of its own,
which may end it at any time and then knows from the log what was found by then. Or alone:

    python benchmarks/adaptive_yardstick.py compas 3
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pystreed
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from problems import Problem, load_reference


@dataclass(frozen=True)
class Settings:
    """The paper's defaults."""

    max_candidates: int = 20
    time_limit: float = 600.0
    inner_time_limit: float = 100.0
    max_iterations: int = 300
    patience: int = 3
    switch_after: int = 2
    tolerance: float = 1e-9
    forest_trees: int = 500
    cart_fits: int = 20
    cart_depth: int = 5


@dataclass(frozen=True)
class Found:
    """The best tree's errors, and how long the run took."""

    errors: int
    seconds: float
    iterations: int


Report = Callable[[float, int], None]
"""Called with the seconds so far and the errors of a tree better than all before."""


def rank_by_forest(problem: Problem, settings: Settings, n_jobs: int) -> list[int]:
    """Return the columns by importance in a random forest."""
    forest = RandomForestClassifier(settings.forest_trees, n_jobs=n_jobs, random_state=0)
    importance = forest.fit(problem.X, problem.y).feature_importances_
    return np.argsort(-importance, kind="stable").tolist()


def rank_by_cart(
    problem: Problem, allowed: NDArray[np.intp], settings: Settings, seed: int
) -> list[int]:
    """Return the allowed columns that repeated CART fits use, by summed importance."""
    importance = np.zeros(allowed.size)
    X = problem.X[:, allowed]
    for fit in range(settings.cart_fits):
        tree = DecisionTreeClassifier(
            max_depth=settings.cart_depth, random_state=seed * settings.cart_fits + fit
        )
        importance += tree.fit(X, problem.y).feature_importances_
    order = np.argsort(-importance, kind="stable")
    return allowed[order[importance[order] > 0]].tolist()


def solve(
    problem: Problem, candidates: list[int], depth: int, limit: float
) -> tuple[int, set[int]] | None:
    """Return errors and columns of pystreed's tree over the candidates, if it found one."""
    X = np.ascontiguousarray(problem.X[:, candidates])
    model = pystreed.STreeDClassifier(max_depth=depth, max_num_nodes=2**depth - 1, time_limit=limit)
    model.fit(X, problem.y)
    if not model.is_fitted():
        return None
    errors = int(np.count_nonzero(np.asarray(model.predict(X)).ravel() != problem.y))
    return errors, {candidates[place] for place in used_columns(model.get_tree())}


def used_columns(node: Any) -> set[int]:
    """Return the columns that a tree of pystreed splits on."""
    if node.is_leaf_node():
        return set()
    below = used_columns(node.left_child) | used_columns(node.right_child)
    return below | {int(node.feature)}


def run(
    problem: Problem, depth: int, settings: Settings, n_jobs: int = 2, report: Report | None = None
) -> Found:
    """Run Algorithm 1."""
    started = time.perf_counter()
    n = problem.y.size
    errors = int(n - np.bincount(problem.y).max())
    support: set[int] = set()
    retired: set[int] = set()
    proposed: set[int] = set()
    failures = iteration = 0
    for iteration in range(1, settings.max_iterations + 1):
        elapsed = time.perf_counter() - started
        if elapsed >= settings.time_limit or errors / n <= settings.tolerance:
            break
        room = settings.max_candidates - len(support)
        if iteration == 1:
            new = rank_by_forest(problem, settings, n_jobs)[:room]
        elif room <= 0:
            break
        else:
            barred = retired if failures < settings.switch_after else retired | proposed
            allowed = np.setdiff1d(np.arange(problem.X.shape[1]), list(barred))
            new = rank_by_cart(problem, allowed, settings, iteration)[:room]
            if not new:
                break
        proposed |= set(new)
        left = settings.time_limit - (time.perf_counter() - started)
        found = solve(
            problem, sorted(support | set(new)), depth, min(settings.inner_time_limit, max(left, 1))
        )
        if found is not None and found[0] < errors - settings.tolerance * n:
            errors, support = found
            retired |= support
            failures = 0
            if report is not None:
                report(time.perf_counter() - started, errors)
        else:
            failures += 1
        if failures >= settings.patience:
            break
    return Found(errors, time.perf_counter() - started, iteration)


def main() -> None:
    """Run on one reference problem; log each better tree, and the end, as JSON lines."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("problem")
    parser.add_argument("depth", type=int)
    parser.add_argument("--candidates", type=int, default=Settings.max_candidates)
    parser.add_argument("--jobs", type=int, default=2, help="threads of the forest")
    parser.add_argument("--log", type=Path, default=Path("/dev/stdout"))
    options = parser.parse_args()
    problem = load_reference(options.problem)
    settings = Settings(max_candidates=options.candidates)
    with options.log.open("a") as log:

        def note(event: str, **values: float) -> None:
            print(json.dumps({"event": event, **values}), file=log, flush=True)

        constant = int(problem.y.size - np.bincount(problem.y).max())
        note("started", errors=constant)
        found = run(
            problem,
            options.depth,
            settings,
            options.jobs,
            lambda seconds, errors: note("better", seconds=seconds, errors=errors),
        )
        note("ended", seconds=found.seconds, errors=found.errors, iterations=found.iterations)


if __name__ == "__main__":
    main()
