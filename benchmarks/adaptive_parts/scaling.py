"""Part `scaling`: how the time of an adaptive fit grows with rows, candidates and depth."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from adaptive_parts.choices import add_efforts, add_numbers, add_problems
from adaptive_parts.large import fit_generated
from adaptive_parts.part import Part, Record, markdown_table
from problems import Problem, load_reference
from report import format_memory, format_seconds

DEPTH, CANDIDATES = 4, 20
"""What the others are where one of them varies."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_problems(parser)
    parser.add_argument(
        "--vary", nargs="+", choices=["rows", "candidates", "depth"],
        default=["rows", "candidates", "depth"], help="what to vary (all three)",
    )  # fmt: skip
    add_numbers(
        parser, "--rows", (50_000, 100_000, 200_000, 400_000, 800_000), "rows of a generated table"
    )
    add_numbers(parser, "--candidates", range(10, 61, 10), f"K, at depth {DEPTH}")
    add_numbers(parser, "--depth", range(2, 8), f"depths, at K = {CANDIDATES}")
    add_efforts(parser)


def measure(options: argparse.Namespace) -> Iterator[Record]:
    if "rows" in options.vary:
        for n_rows in options.rows:
            fitted = fit_generated(n_rows, DEPTH, options.jobs)
            yield {
                "vary": "rows",
                "problem": "generated",
                "value": n_rows,
                "effort": "high",
            } | fitted
    if {"candidates", "depth"} & set(options.vary):
        yield from measure_reference(options)


def measure_reference(options: argparse.Namespace) -> Iterator[Record]:
    from adaptive_parts.fits import warm_up
    from certitree import AdaptiveTreeClassifier

    warm_up(AdaptiveTreeClassifier(max_depth=3).fit)
    for name in options.only:
        problem = load_reference(name)
        for vary in ("candidates", "depth"):
            for value in getattr(options, vary) if vary in options.vary else ():
                for effort in options.effort:
                    chosen = {"depth": DEPTH, "candidates": CANDIDATES} | {vary: value}
                    yield {
                        "vary": vary,
                        "problem": name,
                        "value": value,
                        "effort": effort,
                        "load": round(os.getloadavg()[0], 2),
                        **fit(problem, chosen, effort, options.jobs),
                    }


def fit(problem: Problem, chosen: dict[str, int], effort: str, n_jobs: int) -> Record:
    """Time a fit without certificate."""
    from adaptive_parts.fits import timed
    from certitree import AdaptiveTreeClassifier

    fitted = timed(
        lambda: AdaptiveTreeClassifier(
            max_depth=chosen["depth"],
            max_candidates=chosen["candidates"],
            effort=effort,
            certify=False,
            n_jobs=n_jobs,
        ).fit(problem.X, problem.y)
    )
    return {
        "status": "ok",
        "seconds": fitted.seconds,
        "repeats": fitted.repeats,
        "errors": round(fitted.model.objective_),
        "iterations": len(fitted.model.history_),
    }


def tabulate(records: list[Record]) -> str:
    parts = []
    rows = [record for record in records if record["vary"] == "rows"]
    if rows:
        parts += [f"Rows of the generated table (depth {DEPTH}):", rows_table(rows)]
    for vary, fixed in (("candidates", f"depth {DEPTH}"), ("depth", f"K = {CANDIDATES}")):
        chosen = [record for record in records if record["vary"] == vary]
        if chosen:
            parts += [f"{vary.capitalize()} ({fixed}): seconds, errors", grid(chosen)]
    return "\n\n".join(parts)


def rows_table(records: list[Record]) -> str:
    head = ["rows", "time", "seconds per million rows", "peak memory"]
    return markdown_table(
        head,
        [
            [
                f"{record['value']:,}",
                format_seconds(record["seconds"]),
                f"{record['seconds'] / record['value'] * 1e6:.1f}",
                format_memory(record["peak_mb"]),
            ]
            if record["status"] == "ok"
            else [f"{record['value']:,}", str(record["status"]), "", ""]
            for record in records
        ],
    )


def grid(records: list[Record]) -> str:
    """Put the values that vary side by side."""
    values = sorted({record["value"] for record in records})
    lines: dict[tuple[str, str], dict[int, Record]] = {}
    for record in records:
        lines.setdefault((record["problem"], record["effort"]), {})[record["value"]] = record
    rows = []
    for (problem, effort), line in lines.items():
        cells = [
            f"{format_seconds(line[value]['seconds'])}, {line[value]['errors']}"
            if value in line
            else ""
            for value in values
        ]
        rows.append([problem, effort, *cells])
    return markdown_table(["problem", "effort", *map(str, values)], rows)


PART = Part(
    "scaling",
    "Growth with rows, candidates and depth",
    10,
    add_arguments,
    measure,
    tabulate,
    ("vary", "problem", "value", "effort"),
)
