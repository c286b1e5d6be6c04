"""Measure adaptive trees: against the paper's algorithm, other solvers, and themselves.

    python benchmarks/adaptive.py all --out results.jsonl           # at most five hours
    python benchmarks/adaptive.py yardstick --only compas --depth 3 4 --out results.jsonl
    python benchmarks/adaptive.py render --results results.jsonl

Each part is a sub-command with its own choices (`--help`); `all` runs every part as it is by
default. Records are appended to the file as JSON lines, flushed after each measurement, so that an
interrupted run loses nothing; `render` fills the tables of docs/benchmarks.md from the latest
record of each measurement, part by part: the tables of parts without records stay as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import measure
import report
from adaptive_parts import certificate, curves, inner, large, merge, scaling, yardstick
from adaptive_parts.part import Part, Record, latest
from peers import PAGE, RESULTS

PARTS = {
    module.PART.name: module.PART
    for module in (yardstick, inner, merge, large, curves, scaling, certificate)
}
BEGIN = "<!-- adaptive:begin (written by benchmarks/adaptive.py render) -->"
END = "<!-- adaptive:end -->"
PACKAGES = {
    name: name
    for name in (
        "certitree", "pystreed", "pydl8.5", "pytrees-rs", "licketysplit", "pandas", "scikit-learn"
    )
}  # fmt: skip


def run(parts: Sequence[tuple[Part, argparse.Namespace]], out: Path) -> None:
    """Measure the parts one after the other."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a") as file:
        print(json.dumps(measure.machine_record(PACKAGES)), file=file, flush=True)
        for part, options in parts:
            started = time.perf_counter()
            for measured in part.measure(options):
                record = {"n_jobs": options.jobs} | measured | {"kind": part.name}
                print(json.dumps(record), file=file, flush=True)
                print(describe(record), flush=True)
            minutes = (time.perf_counter() - started) / 60
            print(f"{part.name}: {minutes:.1f} minutes", flush=True)
    print(f"wrote {out}")


def describe(record: Record) -> str:
    """Describe a record on one line, for the terminal."""
    return "  ".join(
        [record["kind"], *(f"{name}={brief(value)}" for name, value in record.items()
                           if name not in ("kind", "n_jobs", "curve", "stages", "steps"))]
    )  # fmt: skip


def brief(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        inner = (f"{name} {brief(part)}" for name, part in value.items() if name != "curve")
        return f"({', '.join(inner)})"
    return str(value)


def tables(records: list[Record]) -> tuple[dict[str, str], list[str]]:
    """Render the parts that have records, by title, and list what contradicts itself in them."""
    sections, quarrels = {}, []
    for part in PARTS.values():
        measured = [record for record in records if record["kind"] in (part.name, "machine")]
        chosen = latest((r for r in measured if r["kind"] == part.name), part.key)
        if chosen:
            about = [report.machine_text(run) for run in by_machine(measured, chosen)]
            sections[part.title] = "\n\n".join([part.tabulate(chosen), *about])
            quarrels += part.disagreements(chosen)
    return sections, quarrels


def by_machine(measured: list[Record], chosen: list[Record]) -> list[list[Record]]:
    """Group the chosen records by the machine that they were measured on, which comes first.

    Parameters
    ----------
    measured : list of records, those of the machines before the records measured there
    chosen : list of the same records
    """
    groups: dict[tuple[str, ...], list[Record]] = {}
    machine: Record = {}
    for record in measured:
        if record["kind"] == "machine":
            machine = record
        elif any(record is other for other in chosen):
            key = machine["date"], machine["processor"], str(machine["versions"])
            groups.setdefault(key, [machine]).append(record)
    return list(groups.values())


def kept_sections(page: str) -> dict[str, str]:
    """Return what the page has under the titles of the parts."""
    _, block = page.split(BEGIN)
    pieces = block.split(END)[0].split("\n### ")[1:]
    sections = (piece.partition("\n") for piece in pieces)
    return {title.strip(): text.strip() for title, _, text in sections}


def fill(page: str, measured: dict[str, str]) -> str:
    """Put sections into a page; those of other parts stay.

    Raises
    ------
    ValueError
        If the page has a section that is no part's: it would be lost.
    """
    sections = kept_sections(page) | measured
    strange = sections.keys() - {part.title for part in PARTS.values()}
    if strange:
        raise ValueError(f"the page has sections of no part: {', '.join(sorted(strange))}")
    titles = (part.title for part in PARTS.values() if part.title in sections)
    text = "\n\n".join(f"### {title}\n\n{sections[title]}" for title in titles)
    return report.fill_page(page, text, BEGIN, END)


def render(options: argparse.Namespace) -> None:
    """Write the tables into the page."""
    files = options.results or sorted(RESULTS.glob("adaptive-*.jsonl"))[-1:]
    if not files:
        sys.exit(f"no results in {RESULTS}; measure first: python benchmarks/adaptive.py all")
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    sections, quarrels = tables(records)
    options.page.write_text(fill(options.page.read_text(), sections))
    print(f"filled {options.page} from {', '.join(file.name for file in files)}")
    if quarrels:
        sys.exit("results contradict each other:\n" + "\n".join(quarrels))


def parser_of(part: Part, parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add what a part takes."""
    parser.add_argument("--jobs", type=int, default=2, help="threads of certitree (2)")
    parser.add_argument("--out", type=Path, help="file to append to")
    part.add_arguments(parser)
    return parser


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for part in PARTS.values():
        summary = f"{part.title} (at most about {part.minutes} minutes)"
        parser_of(part, commands.add_parser(part.name, help=summary, description=summary))
    everything = commands.add_parser("all", help="all parts, as they are by default")
    everything.add_argument("--jobs", type=int, default=2, help="threads of certitree (2)")
    everything.add_argument("--out", type=Path, help="file to append to")
    everything.add_argument(
        "--skip", nargs="+", choices=list(PARTS), default=[], help="leave these out"
    )
    rendering = commands.add_parser("render", help="fill the tables of docs/benchmarks.md")
    rendering.add_argument("--results", nargs="+", type=Path, help="files (the newest)")
    rendering.add_argument("--page", type=Path, default=PAGE, help="page to fill")
    return parser.parse_args(arguments)


def chosen_parts(options: argparse.Namespace) -> list[tuple[Part, argparse.Namespace]]:
    """Return the parts asked for, with their options."""
    if options.command != "all":
        return [(PARTS[options.command], options)]
    jobs = ["--jobs", str(options.jobs)]
    return [
        (part, parser_of(part, argparse.ArgumentParser()).parse_args(jobs))
        for part in PARTS.values()
        if part.name not in options.skip
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    options = parse(arguments)
    if options.command == "render":
        render(options)
        return
    out = options.out or RESULTS / time.strftime("adaptive-%Y%m%d-%H%M%S.jsonl")
    run(chosen_parts(options), out)


if __name__ == "__main__":
    main()
