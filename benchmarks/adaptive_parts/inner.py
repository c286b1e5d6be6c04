"""Part `inner`: searches over one candidate set, merging included, beside pystreed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import measure as measurement
import report
from adaptive_parts.choices import add_numbers, add_problems
from adaptive_parts.part import Part, Record

SOLVERS = ("certitree", "pystreed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_problems(parser)
    add_numbers(parser, "--depth", range(3, 7), "depths")
    add_numbers(parser, "--candidates", (20,), "the first so many splits of a forest's ranking")
    parser.add_argument("--inner-limit", type=float, default=600.0, help="seconds each (600)")


def measure(options: argparse.Namespace) -> Iterator[Record]:
    settings = measurement.Settings(options.jobs, memory_gb=None, repeat=True)
    for name in options.only:
        for size in options.candidates:
            for depth in options.depth:
                item = measurement.Item(f"{name}_top{size}", depth, options.inner_limit)
                for solver in SOLVERS:
                    yield measurement.run_item(item, solver, settings)


def as_runs(records: list[Record]) -> list[Record]:
    """Give the records the kind that `report` looks for."""
    return [record | {"kind": "run"} for record in records]


def tabulate(records: list[Record]) -> str:
    return report.time_table(report.by_item(as_runs(records)))


def disagreements(records: list[Record]) -> list[str]:
    return report.disagreements(as_runs(records))


PART = Part(
    "inner",
    "Searches over a candidate set beside pystreed",
    10,
    add_arguments,
    measure,
    tabulate,
    ("problem", "depth", "solver"),
    disagreements,
)
