"""Measure certitree beside other solvers of optimal trees, and tabulate the results.

    python benchmarks/peers.py run --quick
    python benchmarks/peers.py run --only heloc --depth 3 --solver certitree pystreed
    python benchmarks/peers.py render

`run` writes JSON lines to benchmarks/results/, flushed after each measurement, so that an
interrupted run loses nothing; `render` fills the tables of docs/benchmarks.md from them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import measure
import report

FOLDER = Path(__file__).resolve().parent
RESULTS = FOLDER / "results"
PAGE = FOLDER.parent / "docs" / "benchmarks.md"

SOLVERS = {
    "certitree": "certitree",
    "pystreed": "pystreed",
    "pydl8.5": "pydl8.5",
    "pycontree": "pycontree",
    "gosdt": "gosdt",
    "pytrees-dl85": "pytrees-rs",
    "pytrees-contree": "pytrees-rs",
    "licketysplit": "licketysplit",
    "cart": "scikit-learn",
}
"""Solver to the package it comes in; `solvers.ADAPTERS` has the same keys."""


def chosen_items(options: argparse.Namespace) -> list[measure.Item]:
    """Return the work items the command line asks for. Raises SystemExit if there are none."""
    every = [*measure.GENERATED_ITEMS, *measure.REFERENCE_ITEMS]
    items = measure.QUICK_ITEMS if options.quick else every
    if options.only:
        known = {item.problem for item in every}
        unknown = sorted(set(options.only) - known)
        if unknown:
            sys.exit(f"unknown problem {', '.join(unknown)}; there are: {', '.join(sorted(known))}")
        items = [item for item in items if item.problem in options.only]
    if options.depth:
        items = [item for item in items if item.depth in options.depth]
    if not items:
        sys.exit("no work item is left; loosen --only, --depth or --quick")
    if options.time_limit is not None:
        items = [
            replace(item, time_limit=min(item.time_limit, options.time_limit)) for item in items
        ]
    return items


def run(options: argparse.Namespace) -> None:
    """Measure every chosen solver on every chosen item, one at a time."""
    settings = measure.Settings(options.jobs, options.memory_gb, repeat=not options.no_repeat)
    out = options.out or RESULTS / time.strftime("peers-%Y%m%d-%H%M%S.jsonl")
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a") as file:
        print(json.dumps(measure.machine_record(SOLVERS)), file=file, flush=True)
        for item in chosen_items(options):
            # Solvers run back to back on one item, so that they share the machine's mood.
            for solver in options.solver:
                record = measure.run_item(item, solver, settings)
                print(json.dumps(record), file=file, flush=True)
                print(report.describe(record), flush=True)
    print(f"wrote {out}")


def render(options: argparse.Namespace) -> None:
    """Write the tables of the newest results (or of those named) into the page."""
    files = options.results or sorted(RESULTS.glob("peers-*.jsonl"))[-1:]
    if not files:
        sys.exit(f"no results in {RESULTS}; measure first: python benchmarks/peers.py run")
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    quarrels = report.disagreements(records)
    page = options.page.read_text()
    options.page.write_text(report.fill_page(page, report.tables(records)))
    print(f"filled {options.page} from {', '.join(file.name for file in files)}")
    if quarrels:
        sys.exit("proven optima differ:\n" + "\n".join(quarrels))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("run", help="measure and write benchmarks/results/*.jsonl")
    measuring.add_argument("--only", nargs="+", metavar="PROBLEM", help="these problems only")
    measuring.add_argument("--depth", nargs="+", type=int, help="these depths only")
    measuring.add_argument(
        "--solver", nargs="+", choices=list(SOLVERS), default=list(SOLVERS), metavar="SOLVER",
        help=f"from: {', '.join(SOLVERS)} (all)",
    )  # fmt: skip
    measuring.add_argument("--quick", action="store_true", help="five small items")
    measuring.add_argument("--time-limit", type=float, help="seconds, at most the item's own")
    measuring.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1,
        help="threads for solvers that can use several (all cores)",
    )  # fmt: skip
    measuring.add_argument("--memory-gb", type=float, help="limit on a run's address space")
    measuring.add_argument("--no-repeat", action="store_true", help="one fit each")
    measuring.add_argument("--out", type=Path, help="file to append to")
    measuring.set_defaults(action=run)
    rendering = commands.add_parser("render", help="fill the tables of docs/benchmarks.md")
    rendering.add_argument("--results", nargs="+", type=Path, help="files (the newest)")
    rendering.add_argument("--page", type=Path, default=PAGE, help="page to fill")
    rendering.set_defaults(action=render)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    options = parse(arguments)
    options.action(options)


if __name__ == "__main__":
    main()
