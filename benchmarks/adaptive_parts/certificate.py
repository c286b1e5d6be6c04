"""Part `certificate`: proof by the exact search alone, and by the adaptive loop before it."""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator
from typing import Any

from adaptive_parts.choices import add_numbers, add_problems
from adaptive_parts.part import Part, Record, markdown_table
from problems import load_reference
from report import format_seconds

ESTIMATORS = ("OptimalTreeClassifier", "AdaptiveTreeClassifier")


LONG = 10.0
"""Fits of so many seconds are not repeated."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_problems(parser, ("compas", "heloc"))
    add_numbers(parser, "--depth", (4,), "depths")
    parser.add_argument("--repeats", type=int, default=3, help="fits of each, in turns (3)")
    parser.add_argument("--proof-limit", type=float, default=300.0, help="seconds each (300)")


def measure(options: argparse.Namespace) -> Iterator[Record]:
    import certitree
    from adaptive_parts.fits import warm_up

    def make(estimator: str, depth: int) -> Any:
        extra = {"certify": True} if estimator == "AdaptiveTreeClassifier" else {}
        return getattr(certitree, estimator)(
            max_depth=depth, time_limit=options.proof_limit, n_jobs=options.jobs, **extra
        )

    for estimator in ESTIMATORS:
        warm_up(make(estimator, 3).fit)
    for name in options.only:
        problem = load_reference(name)
        for depth in options.depth:
            runs: dict[str, list[tuple[float, Any]]] = {name: [] for name in ESTIMATORS}
            load = round(os.getloadavg()[0], 2)
            for _ in range(options.repeats):
                for estimator, fits in runs.items():
                    started = time.perf_counter()
                    model = make(estimator, depth).fit(problem.X, problem.y)
                    fits.append((time.perf_counter() - started, model))
                if max(fits[0][0] for fits in runs.values()) > LONG:
                    break
            for estimator, fits in runs.items():
                model = fits[0][1]
                yield {
                    "problem": name,
                    "depth": depth,
                    "estimator": estimator,
                    "load": load,
                    "seconds": statistics.median(seconds for seconds, _ in fits),
                    "repeats": len(fits),
                    "errors": round(model.objective_),
                    "lower_bound": model.lower_bound_,
                    "proven": all(model.status_ == "optimal" for _, model in fits),
                }


def disagreements(records: list[Record]) -> list[str]:
    """List where the two prove different optima."""
    proven: dict[tuple[str, int], set[int]] = {}
    for record in records:
        if record["proven"]:
            proven.setdefault((record["problem"], record["depth"]), set()).add(record["errors"])
    return [
        f"certificate, {problem}, depth {depth}: optima {sorted(optima)}"
        for (problem, depth), optima in proven.items()
        if len(optima) > 1
    ]


def tabulate(records: list[Record]) -> str:
    places: dict[tuple[str, int], dict[str, Record]] = {}
    for record in records:
        place = places.setdefault((record["problem"], record["depth"]), {})
        place[record["estimator"]] = record
    rows = []
    for (problem, depth), runs in places.items():
        errors = min(record["errors"] for record in runs.values())
        row = [problem, str(depth), str(errors)]
        for estimator in ESTIMATORS:
            record = runs.get(estimator)
            if record is None:
                row.append("")
            elif record["proven"]:
                row.append(format_seconds(record["seconds"]))
            else:
                row.append(f"> {format_seconds(record['seconds'])} ({record['errors']})")
        rows.append(row)
    return markdown_table(["problem", "depth", "optimum", *ESTIMATORS], rows)


PART = Part(
    "certificate",
    "To the proof: the exact search alone, and after the loop",
    4,
    add_arguments,
    measure,
    tabulate,
    ("problem", "depth", "estimator"),
    disagreements,
)
