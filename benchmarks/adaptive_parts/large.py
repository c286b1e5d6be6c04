"""Part `large`: a table of the paper's largest size, from a data frame, in a fresh process."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import measure as measurement
from adaptive_parts.choices import add_numbers
from adaptive_parts.part import Part, Record, markdown_table
from adaptive_parts.tables import N_ROWS
from report import format_memory, format_seconds

WORKER = Path(__file__).resolve().parents[1] / "adaptive_worker.py"
ALLOWANCE = 300.0
"""Seconds beyond a fit's time limit after which its process is ended."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_numbers(parser, "--rows", (N_ROWS,), "rows")
    add_numbers(parser, "--depth", (4,), "depths")


def measure(options: argparse.Namespace) -> Iterator[Record]:
    for n_rows in options.rows:
        for depth in options.depth:
            yield fit_generated(n_rows, depth, options.jobs)


def fit_generated(n_rows: int, depth: int, n_jobs: int) -> Record:
    """Fit the generated table in a process of its own."""
    task: Record = {"n_rows": n_rows, "depth": depth, "n_jobs": n_jobs, "time_limit": 600.0}
    return task | measurement.run_task(WORKER, task, task["time_limit"] + ALLOWANCE)


STAGES = ("read", "code", "merge", "search", "rest")


def stage_seconds(record: Record) -> dict[str, float]:
    """Split the time of a fit into reading, coding, merging all splits, the loop, and the rest."""
    seconds = record["stages"]
    stages = {
        "read": seconds["read"],
        "code": seconds["code"],
        "merge": seconds["merge"],
        # "solve" covers merging too.
        "search": seconds["solve"] - seconds["merge"],
    }
    return stages | {"rest": max(0.0, record["seconds"] - sum(stages.values()))}


def tabulate(records: list[Record]) -> str:
    head = ["rows", "splits", "depth", "fit", "peak memory", "errors", "status", *STAGES]
    rows = []
    for record in records:
        row = [f"{record['n_rows']:,}"]
        if record["status"] != "ok":
            rows.append([*row, "", str(record["depth"]), record["status"], *[""] * 8])
            continue
        shares = stage_seconds(record)
        rows.append([
            *row, str(record["n_splits"]), str(record["depth"]),
            format_seconds(record["seconds"]), format_memory(record["peak_mb"]),
            f"{record['errors'] / record['n_rows']:.2%}", record["found"],
            *(format_seconds(shares[stage]) for stage in STAGES),
        ])  # fmt: skip
    return markdown_table(head, rows)


PART = Part(
    "large",
    "A large table of numbers and categories",
    2,
    add_arguments,
    measure,
    tabulate,
    ("n_rows", "depth"),
)
