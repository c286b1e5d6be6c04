"""Part `curves`: training errors against time, beside solvers that search all splits.

A solver that cannot be watched is run with several time limits, each in a fresh process. What a
run found counts from the moment it ended, which may be later than its limit.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

import measure as measurement
import problems
from adaptive_parts.choices import add_numbers, add_problems
from adaptive_parts.curve import improvements, objective_at
from adaptive_parts.part import Part, Record, in_order, markdown_table
from report import format_seconds

OURS = "certitree"
EXACT = ("pystreed", "pydl8.5", "pytrees-dl85", "pytrees-contree")
"""Run with each of the limits."""
GREEDY = ("cart", "licketysplit")
"""Take no limit: run once."""
TIMES = (0.3, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
SHOWN = TIMES[1:]
TOLERANCE = 1.1
"""A run may end so much later than a time of the table and still be counted there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_problems(parser)
    add_numbers(parser, "--depth", range(5, 9), "depths")
    every = (OURS, *GREEDY, *EXACT)
    parser.add_argument(
        "--solver", nargs="+", choices=every, default=list(every), metavar="SOLVER",
        help=f"from: {', '.join(every)} (all)",
    )  # fmt: skip
    add_numbers(parser, "--limits", (1, 5, 20, 60), "time limits, ascending, of the exact solvers")
    parser.add_argument(
        "--curve-limit", type=float, default=60.0, help="time limit of certitree (60)"
    )


def measure(options: argparse.Namespace) -> Iterator[Record]:
    for name in options.only:
        for depth in options.depth:
            where = {"problem": name, "depth": depth}
            for solver in options.solver:
                if solver == OURS:
                    yield where | watch(name, depth, options.curve_limit, options.jobs)
                elif solver in GREEDY:
                    yield where | run_peer(name, depth, solver, [options.curve_limit])
                else:
                    yield where | run_peer(name, depth, solver, sorted(options.limits))


def watch(name: str, depth: int, limit: float, n_jobs: int) -> Record:
    """Fit an adaptive tree, the exact search following for the time left; note its curve."""
    from adaptive_parts.fits import warm_up
    from adaptive_parts.watched import WatchedTree

    def make() -> Any:
        limits: Any = {"max_depth": depth, "time_limit": limit, "n_jobs": n_jobs}
        return WatchedTree(effort="max", certify=True, **limits)

    load = round(os.getloadavg()[0], 2)
    problem = problems.load_reference(name)
    warm_up(make().fit)
    model = make().fit(problem.X, problem.y)
    return {
        "solver": OURS,
        "n_jobs": n_jobs,
        "load": load,
        "curve": model.improvements_,
        "seconds": model.search_stats_["seconds"]["total"],
        "errors": round(model.objective_),
        "proven": model.status_ == "optimal",
    }


def run_peer(name: str, depth: int, solver: str, limits: list[float]) -> Record:
    """Run another solver with one limit after the other, and note what it had when it ended."""
    settings = measurement.Settings(n_jobs=1, memory_gb=None, repeat=False)
    known: list[tuple[float, float]] = []
    record: Record = {"solver": solver, "load": round(os.getloadavg()[0], 2), "notes": []}
    took, proven = 0.0, False
    for limit in limits:
        # Proven, or past this limit already with a shorter one: nothing new would come.
        if proven or took > TOLERANCE * limit:
            continue
        run: Record = measurement.run_item(measurement.Item(name, depth, limit), solver, settings)
        if run["status"] in ("missing", "crashed", "memory", "failed"):
            record["notes"].append(f"limit {limit:.0f} s: {run['status']} {run.get('note', '')}")
            break
        took = run["seconds"]
        if run["status"] == "killed":
            record["notes"].append(f"limit {limit:.0f} s: did not end within {took:.0f} s")
            continue
        proven = run["proven"]
        if run["errors"] is not None:
            known.append((took, run["errors"]))
    curve = improvements(known)
    errors = curve[-1][1] if curve else None
    return record | {"curve": curve, "seconds": took, "errors": errors, "proven": proven}


def tabulate(records: list[Record]) -> str:
    head = ["problem", "depth", "solver", *(f"{time:.0f} s" for time in SHOWN), "ended"]
    rows = []
    for record in in_order(records):
        cells = [shown(objective_at(record["curve"], TOLERANCE * time)) for time in SHOWN]
        ended = format_seconds(record["seconds"]) if record["curve"] else ""
        if record["proven"]:
            ended += " (proven)"
        rows.append([record["problem"], str(record["depth"]), record["solver"], *cells, ended])
    parts = [markdown_table(head, rows)]
    notes = [
        f"- {record['solver']}, {record['problem']}, depth {record['depth']}: {note}"
        for record in records
        for note in record.get("notes", [])
    ]
    if notes:
        parts.append("Runs that did not end well:\n\n" + "\n".join(notes))
    return "\n\n".join(parts)


def shown(errors: float | None) -> str:
    return "" if errors is None else f"{errors:.0f}"


def disagreements(records: list[Record]) -> list[str]:
    """List where a tree has fewer errors than one that is proven best."""
    least: dict[tuple[str, int], float] = {}
    for record in records:
        if record["errors"] is not None:
            key = record["problem"], record["depth"]
            least[key] = min(least.get(key, record["errors"]), record["errors"])
    return [
        f"curves, {r['problem']}, depth {r['depth']}: {r['solver']} proves {r['errors']}, "
        f"a tree has {least[r['problem'], r['depth']]}"
        for r in records
        if r["proven"] and r["errors"] > least[r["problem"], r["depth"]]
    ]


PART = Part(
    "curves",
    "Errors against time at depth 5 and more",
    110,
    add_arguments,
    measure,
    tabulate,
    ("problem", "depth", "solver"),
    disagreements,
)
