"""Objectives beyond accuracy: certitree beside pystreed's same task, in one run.

    python benchmarks/objectives.py                     # COMPAS and HELOC, depth 3 and 4
    python benchmarks/objectives.py --only compas --objective f1 --depth 3 --time-limit 60

Needs the reference matrices and pystreed (see docs/benchmarks.md). Prints a Markdown table; every
line is printed when it is known. Each fit is timed as a whole, after one fit of a small problem
that pays for lazy imports. Short fits of either solver are repeated, the first one is discarded and
the median of the others is shown. Values are computed here from the predictions and paths of both,
and the run fails if pystreed's value is better than a proven optimum of certitree. "claims" marks a
worse tree that pystreed calls optimal.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pystreed
from numpy.typing import NDArray
from sklearn.metrics import f1_score

from certitree import OptimalPolicyTree, OptimalTreeClassifier
from certitree.objectives import CostMatrix
from feature_prices import Discount, priced
from problems import Problem, load_reference, load_top

PRICES = [[0.0, 1.0], [5.0, 0.0]]
"""Missing a positive record costs five times as much as a false alarm."""

N_TOP = 20
"""Splits of the small candidate set: the first of the forest's ranking."""

REPEATS = ((0.01, 99), (0.1, 9), (1.0, 5), (10.0, 3))
"""(seconds, fits): a first fit below that many seconds is repeated that often."""


@dataclass(frozen=True)
class Fitted:
    """What a fit gave: predictions, whether they are proven best, and what features cost in it."""

    predicted: NDArray[Any]
    proven: bool
    feature_cost: float = 0.0


@dataclass(frozen=True)
class Job:
    """A fit ready to be timed; `fit` makes a new estimator each time it is called."""

    fit: Callable[[], Any]
    read: Callable[[Any], Fitted]


Adapter: TypeAlias = Callable[[Problem, int, float], Job]


@dataclass(frozen=True)
class Task:
    """One objective for both solvers, and the value of predictions; less is better."""

    certitree: Adapter
    pystreed: Adapter
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


def _ours(X: NDArray[Any], make: Callable[[], Any], *fit: Any, **options: Any) -> Job:
    def read(model: Any) -> Fitted:
        return Fitted(model.predict(X), model.status_ == "optimal")

    return Job(lambda: make().fit(X, *fit, **options), read)


def _classify(objective: Any, **fit: Callable[[Problem], Any]) -> Adapter:
    def prepare(problem: Problem, depth: int, limit: float) -> Job:
        def make() -> Any:
            return OptimalTreeClassifier(objective=objective, max_depth=depth, time_limit=limit)

        options = {name: made(problem) for name, made in fit.items()}
        return _ours(problem.X, make, problem.y, **options)

    return prepare


def _prescribe(problem: Problem, depth: int, limit: float) -> Job:
    treatment, outcome, received, predicted = trial(problem)
    options = {"propensities": received, "outcome_predictions": predicted}

    def make() -> Any:
        return OptimalPolicyTree(max_depth=depth, time_limit=limit)

    return _ours(problem.X, make, treatment, outcome, **options)


def _feature_costs(
    problem: Problem, depth: int, limit: float, discount: Discount = "shared"
) -> Job:
    table = priced(problem, discount)
    objective = table.objective()
    prices = objective.prices(None, table.X.shape[1])

    def fit() -> Any:
        model = OptimalTreeClassifier(objective=objective, max_depth=depth, time_limit=limit)
        return model.fit(table.X, problem.y)

    def read(model: Any) -> Fitted:
        paid = prices.leaf_prices(model.tree_)[model.apply(table.X)].sum()
        return Fitted(model.predict(table.X), model.status_ == "optimal", float(paid))

    return Job(fit, read)


def _peer(X: NDArray[Any], make: Callable[[], Any], *fit: Any) -> Job:
    def read(model: Any) -> Fitted:
        return Fitted(model.predict(X), bool(model.fit_result.is_optimal()))

    return Job(lambda: make().fit(X, *fit), read)


def _peer_classify(task: str) -> Adapter:
    def prepare(problem: Problem, depth: int, limit: float) -> Job:
        def make() -> Any:
            return pystreed.STreeDClassifier(
                task, max_depth=depth, time_limit=limit, cost_complexity=0.0
            )

        return _peer(problem.X, make, problem.y)

    return prepare


def _peer_matrix(problem: Problem, depth: int, limit: float) -> Job:
    free = [
        pystreed.FeatureCostSpecifier(0.0, 0.0, f"g{column}", column, column)
        for column in range(problem.X.shape[1])
    ]

    def make() -> Any:
        return pystreed.STreeDCostSensitiveClassifier(max_depth=depth, time_limit=limit)

    return _peer(problem.X, make, problem.y, pystreed.CostSpecifier(PRICES, free))


def _peer_feature_costs(
    problem: Problem, depth: int, limit: float, discount: Discount = "shared"
) -> Job:
    table = priced(problem, discount)
    specifiers = [
        pystreed.FeatureCostSpecifier(full, less, f"g{group}", first, last)
        for full, less, group, (first, last) in zip(
            table.full, table.discounted, table.group, table.ranges, strict=True
        )
    ]
    costs = pystreed.CostSpecifier([[0.0, 1.0], [1.0, 0.0]], specifiers)

    def fit() -> Any:
        model = pystreed.STreeDCostSensitiveClassifier(max_depth=depth, time_limit=limit)
        return model.fit(table.bits, problem.y, costs)

    def read(model: Any) -> Fitted:
        paid = table.paid(model.get_tree())
        return Fitted(model.predict(table.bits), bool(model.fit_result.is_optimal()), paid)

    return Job(fit, read)


def _peer_costs(problem: Problem, depth: int, limit: float) -> Job:
    def make() -> Any:
        return pystreed.STreeDInstanceCostSensitiveClassifier(max_depth=depth, time_limit=limit)

    return _peer(problem.X, make, record_costs(problem))


def _peer_prescribe(problem: Problem, depth: int, limit: float) -> Job:
    def make() -> Any:
        return pystreed.STreeDPrescriptivePolicyGenerator(
            max_depth=depth, time_limit=limit, teacher_method="DR"
        )

    return _peer(problem.X, make, np.column_stack(trial(problem)))


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
    "feature_costs": Task(
        _feature_costs,
        _peer_feature_costs,
        lambda problem, predicted: float((predicted != problem.y).sum()),
    ),
    "feature_costs_half": Task(
        partial(_feature_costs, discount="half"),
        partial(_peer_feature_costs, discount="half"),
        lambda problem, predicted: float((predicted != problem.y).sum()),
    ),
    "policy": Task(
        _prescribe,
        _peer_prescribe,
        lambda problem, predicted: -_given(doubly_robust(problem), predicted) / problem.y.size,
    ),
}


def timed(job: Job, limit: float) -> tuple[Fitted, float]:
    """Fit; return what came out and the seconds: the median of repeats if the fit is short."""
    times: list[float] = []
    repeats = 1
    while len(times) < repeats:
        started = time.perf_counter()
        model = job.fit()
        times.append(time.perf_counter() - started)
        # A fit that ran into its limit would do so again.
        if len(times) == 1 and times[0] < 0.9 * limit:
            repeats = 1 + next((count for seconds, count in REPEATS if times[0] < seconds), 0)
    return job.read(model), statistics.median(times[1:] or times)


def compare(task: Task, problem: Problem, depth: int, limit: float, peer_limit: float) -> list[str]:
    """Fit both; return the cells of a line."""
    ours, our_seconds = timed(task.certitree(problem, depth, limit), limit)
    theirs, their_seconds = timed(task.pystreed(problem, depth, peer_limit), peer_limit)
    our_value = task.value(problem, ours.predicted) + ours.feature_cost
    their_value = task.value(problem, theirs.predicted) + theirs.feature_cost
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
        f"{our_seconds:.4f}",
        f"{their_seconds:.4f}" + note,
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
    parser.add_argument(
        "--peer-time-limit", type=float, help="time limit of pystreed (that of certitree)"
    )
    options = parser.parse_args()
    limits = [options.time_limit, options.peer_time_limit or options.time_limit]
    bits, labels = np.eye(8, dtype=np.uint8)[:, :4], np.arange(8, dtype=np.int32) % 2
    small = Problem("", bits, labels, np.arange(4))
    for task in TASKS.values():
        for adapter in (task.certitree, task.pystreed):
            timed(adapter(small, 1, 10.0), 10.0)
    print("| problem | splits | depth | objective | value | certitree s | pystreed s | ratio |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in options.only:
        for splits in options.splits:
            problem = load_reference(name) if splits == "all" else load_top(name, N_TOP)
            for depth in options.depth:
                for objective in options.objective:
                    cells = compare(TASKS[objective], problem, depth, *limits)
                    head = [name, splits, str(depth), objective]
                    print(f"| {' | '.join(head + cells)} |", flush=True)


if __name__ == "__main__":
    main()
