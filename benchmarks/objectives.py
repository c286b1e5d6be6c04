"""Objectives beyond accuracy: certitree beside pystreed's same task, in one run.

    python benchmarks/objectives.py                     # COMPAS and HELOC, depth 3 and 4
    python benchmarks/objectives.py --only compas --objective f1 --depth 3 --time-limit 60

Needs the reference matrices and pystreed (see docs/benchmarks.md). Prints a Markdown table; every
line is printed when it is known. Each fit is timed as a whole, once, after one fit of a small
problem that pays for lazy imports. Values are computed here from the predictions of both, and the
run fails if pystreed's value is better than a proven optimum of certitree. "claims" marks a worse
tree that pystreed calls optimal.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pystreed
from numpy.typing import NDArray
from sklearn.metrics import f1_score

from certitree import OptimalPolicyTree, OptimalTreeClassifier
from certitree.objectives import CostMatrix
from problems import Problem, load_reference, load_top

PRICES = [[0.0, 1.0], [5.0, 0.0]]
"""Missing a positive record costs five times as much as a false alarm."""

N_TOP = 20
"""Splits of the small candidate set: the first of the forest's ranking."""


@dataclass(frozen=True)
class Fitted:
    """What a fit gave: predictions, and whether they are proven best."""

    predicted: NDArray[Any]
    proven: bool


@dataclass(frozen=True)
class Task:
    """One objective for both solvers, and the value of predictions; less is better."""

    certitree: Callable[[Problem, int, float], Fitted]
    pystreed: Callable[[Problem, int, float], Fitted]
    value: Callable[[Problem, NDArray[Any]], float]


def record_costs(problem: Problem) -> NDArray[np.float64]:
    """Draw whole costs: nothing for the right label, 1 to 20 for the wrong one."""
    rng = np.random.default_rng(0)
    costs = rng.integers(1, 21, (problem.y.size, 2)).astype(float)
    costs[np.arange(problem.y.size), problem.y] = 0.0
    return costs


def trial(problem: Problem) -> tuple[NDArray[Any], ...]:
    """Make a trial of the labels: treatment 1 helps where the label is 1, and harms elsewhere."""
    rng = np.random.default_rng(0)
    propensity = 0.3 + 0.4 * problem.X[:, 0]
    treatment = (rng.random(problem.y.size) < propensity).astype(np.int32)
    effect = np.where(problem.y == 1, 1.0, -0.8)
    outcome = np.round(effect * treatment + rng.normal(0, 0.5, problem.y.size), 3)
    predicted = np.column_stack([np.zeros(problem.y.size), np.full(problem.y.size, 0.1)])
    received = np.where(treatment == 1, propensity, 1 - propensity)
    return treatment, outcome, received, predicted


def doubly_robust(problem: Problem) -> NDArray[np.float64]:
    """Estimate the outcome of each record under both treatments."""
    treatment, outcome, received, predicted = trial(problem)
    rows = np.arange(outcome.size)
    scores = predicted.copy()
    scores[rows, treatment] += (outcome - predicted[rows, treatment]) / received
    return scores


def _classify(objective: Any, **fit: Callable[[Problem], Any]) -> Callable[..., Fitted]:
    def run(problem: Problem, depth: int, limit: float) -> Fitted:
        model = OptimalTreeClassifier(objective=objective, max_depth=depth, time_limit=limit)
        model.fit(problem.X, problem.y, **{name: make(problem) for name, make in fit.items()})
        return Fitted(model.predict(problem.X), model.status_ == "optimal")

    return run


def _prescribe(problem: Problem, depth: int, limit: float) -> Fitted:
    treatment, outcome, received, predicted = trial(problem)
    model = OptimalPolicyTree(max_depth=depth, time_limit=limit)
    model.fit(problem.X, treatment, outcome, propensities=received, outcome_predictions=predicted)
    return Fitted(model.predict(problem.X), model.status_ == "optimal")


def _peer(model: Any, problem: Problem, *fit: Any) -> Fitted:
    model.fit(problem.X, *fit)
    return Fitted(model.predict(problem.X), bool(model.fit_result.is_optimal()))


def _peer_classify(task: str) -> Callable[..., Fitted]:
    def run(problem: Problem, depth: int, limit: float) -> Fitted:
        model = pystreed.STreeDClassifier(
            task, max_depth=depth, time_limit=limit, cost_complexity=0.0
        )
        return _peer(model, problem, problem.y)

    return run


def _peer_matrix(problem: Problem, depth: int, limit: float) -> Fitted:
    free = [
        pystreed.FeatureCostSpecifier(0.0, 0.0, f"g{column}", column, column)
        for column in range(problem.X.shape[1])
    ]
    model = pystreed.STreeDCostSensitiveClassifier(max_depth=depth, time_limit=limit)
    return _peer(model, problem, problem.y, pystreed.CostSpecifier(PRICES, free))


def _peer_costs(problem: Problem, depth: int, limit: float) -> Fitted:
    model = pystreed.STreeDInstanceCostSensitiveClassifier(max_depth=depth, time_limit=limit)
    return _peer(model, problem, record_costs(problem))


def _peer_prescribe(problem: Problem, depth: int, limit: float) -> Fitted:
    model = pystreed.STreeDPrescriptivePolicyGenerator(
        max_depth=depth, time_limit=limit, teacher_method="DR"
    )
    return _peer(model, problem, np.column_stack(trial(problem)))


def _given(costs: NDArray[np.float64], predicted: NDArray[Any]) -> float:
    return float(costs[np.arange(predicted.size), predicted.astype(int)].sum())


TASKS = {
    "accuracy": Task(
        _classify("accuracy"),
        _peer_classify("accuracy"),
        lambda problem, predicted: float((predicted != problem.y).sum()),
    ),
    "cost_matrix": Task(
        _classify(CostMatrix(PRICES)),
        _peer_matrix,
        lambda problem, predicted: _given(np.array(PRICES)[problem.y], predicted),
    ),
    "record_costs": Task(
        _classify("record_costs", costs=record_costs),
        _peer_costs,
        lambda problem, predicted: _given(record_costs(problem), predicted),
    ),
    "f1": Task(
        _classify("f1"),
        _peer_classify("f1-score"),
        lambda problem, predicted: -float(f1_score(problem.y, predicted)),
    ),
    "policy": Task(
        _prescribe,
        _peer_prescribe,
        lambda problem, predicted: -_given(doubly_robust(problem), predicted) / problem.y.size,
    ),
}


def timed(fit: Callable[[], Fitted]) -> tuple[Fitted, float]:
    """Run a fit; return it and its seconds."""
    started = time.perf_counter()
    fitted = fit()
    return fitted, time.perf_counter() - started


def compare(task: Task, problem: Problem, depth: int, limit: float) -> list[str]:
    """Fit both; return the cells of a line."""
    ours, our_seconds = timed(lambda: task.certitree(problem, depth, limit))
    theirs, their_seconds = timed(lambda: task.pystreed(problem, depth, limit))
    our_value = task.value(problem, ours.predicted)
    their_value = task.value(problem, theirs.predicted)
    tolerance = 1e-6 * max(1.0, abs(our_value))
    if ours.proven and their_value < our_value - tolerance:
        raise SystemExit(f"pystreed found {their_value}, below the proven {our_value}")
    # Then its claim is refuted by a tree, whose value was computed from its predictions.
    refuted = theirs.proven and our_value < their_value - tolerance
    ratio = f"{their_seconds / our_seconds:.1f}"
    if not theirs.proven:
        ratio = f"> {ratio}" if ours.proven else ""
    note = "" if theirs.proven else f" (found {abs(their_value):.6g})"
    if refuted:
        note = f" (claims {abs(their_value):.6g})"
    return [
        f"{abs(our_value):.6g}" + ("" if ours.proven else " (not proven)"),
        f"{our_seconds:.3f}",
        f"{their_seconds:.3f}" + note,
        ratio,
    ]


def main() -> None:
    """Run all that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=["compas", "heloc"])
    parser.add_argument("--objective", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--depth", nargs="+", type=int, default=[3, 4])
    parser.add_argument("--splits", nargs="+", default=["20", "all"], choices=["20", "all"])
    parser.add_argument("--time-limit", type=float, default=300.0)
    options = parser.parse_args()
    small = Problem("", np.eye(8, dtype=np.uint8)[:, :4], np.arange(8, dtype=np.int32) % 2)
    for task in TASKS.values():
        task.certitree(small, 1, 10.0)
        task.pystreed(small, 1, 10.0)
    print("| problem | splits | depth | objective | value | certitree s | pystreed s | ratio |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in options.only:
        for splits in options.splits:
            problem = load_reference(name) if splits == "all" else load_top(name, N_TOP)
            for depth in options.depth:
                for objective in options.objective:
                    cells = compare(TASKS[objective], problem, depth, options.time_limit)
                    head = [name, splits, str(depth), objective]
                    print(f"| {' | '.join(head + cells)} |", flush=True)


if __name__ == "__main__":
    main()
