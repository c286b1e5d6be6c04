"""Part `merge`: searches over merged records against the same searches over all records.

The candidates are the first splits of a forest's ranking. By default both sides use the general
search, as the paper compares weighted with plain STreeD; the solver that is chosen for few splits
("auto") folds records into boxes in any case.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import problems
from adaptive_parts.choices import add_numbers, add_problems
from adaptive_parts.part import Part, Record, markdown_table
from report import format_seconds

SIDES = {"merged": True, "unmerged": False}
"""Name to the value of `aggregate`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_problems(parser)
    add_numbers(parser, "--depth", range(2, 7), "depths")
    add_numbers(parser, "--candidates", (10, 20, 30, 40, 50), "splits K of a forest's ranking")
    parser.add_argument(
        "--solver", nargs="+", choices=["general", "auto"], default=["general"],
        help="the general search, or the one that is chosen (general)",
    )  # fmt: skip
    parser.add_argument("--merge-limit", type=float, default=60.0, help="seconds each (60)")


def measure(options: argparse.Namespace) -> Iterator[Record]:
    from adaptive_parts.fits import warm_up
    from adaptive_parts.solver_choice import FixedSolverTree

    warm_up(FixedSolverTree().fit)
    for name in options.only:
        for size in options.candidates:
            problem = problems.load_top(name, size)
            for depth in options.depth:
                for solver in options.solver:

                    def make(aggregate: bool, depth: int = depth, solver: str = solver) -> Any:
                        return FixedSolverTree(
                            solver=solver,
                            max_depth=depth,
                            aggregate=aggregate,
                            time_limit=options.merge_limit,
                            n_jobs=options.jobs,
                        )

                    yield {
                        "problem": name,
                        "depth": depth,
                        "candidates": size,
                        "solver": solver,
                        "limit": options.merge_limit,
                        "load": round(os.getloadavg()[0], 2),
                        **compare(make, problem),
                    }


def compare(make: Callable[[bool], Any], problem: problems.Problem) -> Record:
    """Fit both ways; return how long the searches took, merging included, and what they found."""
    from adaptive_parts.fits import timed

    record: Record = {}
    for side, aggregate in SIDES.items():
        fitted = timed(
            lambda aggregate=aggregate: make(aggregate).fit(problem.X, problem.y),
            limit=make(aggregate).time_limit,
            read=lambda model: float(model.search_stats_["seconds"]["solve"]),
        )
        record[side] = {
            "seconds": fitted.seconds,
            "repeats": fitted.repeats,
            "errors": round(fitted.model.objective_),
            "proven": fitted.model.status_ == "optimal",
        }
        if aggregate:
            record["compression"] = fitted.model.n_records_ / fitted.model.n_unique_
    return record


def disagreements(records: list[Record]) -> list[str]:
    """List where both sides prove an optimum, and not the same."""
    return [
        f"merge, {r['problem']}, K {r['candidates']}, depth {r['depth']}, {r['solver']}: "
        f"{r['merged']['errors']} merged, {r['unmerged']['errors']} unmerged"
        for r in records
        if r["merged"]["proven"]
        and r["unmerged"]["proven"]
        and r["merged"]["errors"] != r["unmerged"]["errors"]
    ]


def shown_seconds(side: Record) -> str:
    return format_seconds(side["seconds"]) if side["proven"] else f"> {side['seconds']:.0f} s"


def shown_ratio(record: Record) -> str:
    merged, unmerged = record["merged"], record["unmerged"]
    if not merged["proven"]:
        return ""
    return f"{'' if unmerged['proven'] else '> '}{unmerged['seconds'] / merged['seconds']:.3g}x"


def tabulate(records: list[Record]) -> str:
    parts = [cases(records)]
    for solver in dict.fromkeys(record["solver"] for record in records):
        parts.append(summary(solver, [r for r in records if r["solver"] == solver]))
    return "\n\n".join(parts)


def summary(solver: str, records: list[Record]) -> str:
    """Sum up the cases that both sides solved, as the paper does."""
    ratios = [
        record["unmerged"]["seconds"] / record["merged"]["seconds"]
        for record in records
        if record["merged"]["proven"] and record["unmerged"]["proven"]
    ]
    if not ratios:
        return f"Solver {solver}: no case was solved both ways."
    slower = sum(ratio < 1 for ratio in ratios)
    return (
        f"Solver {solver}, the {len(ratios)} of {len(records)} cases solved both ways: merging is "
        f"{statistics.mean(ratios):.3g}x as fast on average, {statistics.median(ratios):.3g}x in "
        f"the median, {max(ratios):.3g}x at most; slower in {slower}."
    )


def cases(records: list[Record]) -> str:
    head = ["problem", "K", "n/u", "depth", "solver", "optimum", "merged", "unmerged", "ratio"]
    rows = [
        [
            record["problem"],
            str(record["candidates"]),
            f"{record['compression']:.3g}",
            str(record["depth"]),
            record["solver"],
            str(record["merged"]["errors"]) if record["merged"]["proven"] else "",
            shown_seconds(record["merged"]),
            shown_seconds(record["unmerged"]),
            shown_ratio(record),
        ]
        for record in records
    ]
    return markdown_table(head, rows)


PART = Part(
    "merge",
    "Merged against unmerged records",
    60,
    add_arguments,
    measure,
    tabulate,
    ("problem", "candidates", "depth", "solver"),
    disagreements,
)
