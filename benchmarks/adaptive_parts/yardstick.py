"""Part `yardstick`: the loop beside the paper's algorithm from scikit-learn and pystreed."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from adaptive_parts.choices import add_efforts, add_numbers, add_problems
from adaptive_parts.curve import seconds_to
from adaptive_parts.part import Part, Record, in_order, markdown_table
from problems import Problem, load_reference
from report import format_seconds

SCRIPT = Path(__file__).resolve().parents[1] / "adaptive_yardstick.py"
LEAST_LIMIT = 10.0
MOST_LIMIT = 120.0
"""Of the paper's 600, so that the whole grid is done in two to three hours."""
POLL = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_problems(parser)
    add_numbers(parser, "--depth", range(2, 8), "depths")
    add_numbers(parser, "--candidates", (20, 30, 40), "candidate set sizes K")
    add_efforts(parser)
    parser.add_argument(
        "--yardstick-limit-factor", type=float, default=25.0, metavar="F",
        help="end the yardstick after F x the time of the default effort (25); its ratio is then a "
        "bound",
    )  # fmt: skip
    parser.add_argument(
        "--yardstick-limit-most", type=float, default=MOST_LIMIT, metavar="SECONDS",
        help=f"but after this long at the latest ({MOST_LIMIT:.0f}), and not before "
        f"{LEAST_LIMIT:.0f} s",
    )  # fmt: skip
    parser.add_argument(
        "--no-yardstick", action="store_true", help="fit certitree only; nothing to tabulate"
    )


def measure(options: argparse.Namespace) -> Iterator[Record]:
    from adaptive_parts.fits import warm_up
    from adaptive_parts.watched import WatchedTree

    warm_up(WatchedTree(max_depth=3).fit)
    for name in options.only:
        problem = load_reference(name)
        for depth in options.depth:
            for size in options.candidates:
                record: Record = {"problem": name, "depth": depth, "candidates": size}
                record["load"] = round(os.getloadavg()[0], 2)
                for effort in options.effort:
                    record[effort] = fit_watched(problem, depth, size, effort, options.jobs)
                if not options.no_yardstick:
                    first = "high" if "high" in options.effort else options.effort[0]
                    limit = yardstick_limit(
                        options.yardstick_limit_factor * record[first]["seconds"],
                        options.yardstick_limit_most,
                    )
                    record["yardstick"] = run_yardstick(name, depth, size, options.jobs, limit)
                yield record


def fit_watched(problem: Problem, depth: int, size: int, effort: str, n_jobs: int) -> Record:
    """Time the loop without certificate, and say when it found which tree."""
    from adaptive_parts.fits import timed
    from adaptive_parts.watched import WatchedTree

    def fit() -> WatchedTree:
        model = WatchedTree(
            max_depth=depth, max_candidates=size, effort=effort, certify=False, n_jobs=n_jobs
        )
        return model.fit(problem.X, problem.y)

    fitted = timed(fit)
    return {
        "errors": round(fitted.model.objective_),
        "seconds": fitted.seconds,
        "repeats": fitted.repeats,
        "status": fitted.model.status_,
        "curve": fitted.model.improvements_,
    }


def yardstick_limit(wanted: float, most: float) -> float:
    """Return the seconds that the yardstick gets."""
    return min(most, max(LEAST_LIMIT, wanted))


def run_yardstick(problem: str, depth: int, size: int, n_jobs: int, limit: float) -> Record:
    """Run the yardstick in a process of its own, and end that at the limit.

    pystreed overruns time limits, hence the process. What was found by then is in its log.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        log.touch()
        process = subprocess.Popen(
            [
                sys.executable, str(SCRIPT), problem, str(depth), "--log", str(log),
                f"--candidates={size}", f"--jobs={n_jobs}",
            ],
            stderr=subprocess.PIPE,
        )  # fmt: skip
        # The clock starts when the data and all imports are there.
        while not log.read_text() and process.poll() is None:
            time.sleep(POLL)
        try:
            _, complaint = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        else:
            if process.returncode:
                raise RuntimeError(f"the yardstick failed: {complaint.decode()[-500:]}")
        return {"limit": limit, **read_log(log.read_text())}


def read_log(text: str) -> Record:
    """Summarise the log of a yardstick; a line cut off by its end is left out."""
    lines = text.splitlines(keepends=True)
    events = [json.loads(line) for line in lines if line.endswith("\n")]
    if not events:
        raise ValueError("the log of the yardstick is empty: it never started")
    return {
        # It starts from a constant leaf, which is no find.
        "errors": None if events[-1]["event"] == "started" else events[-1]["errors"],
        "finished": events[-1]["event"] == "ended",
        "seconds": events[-1].get("seconds", 0.0),
    }


def ratio(yardstick: Record, seconds: float) -> tuple[float, bool]:
    """Return how many times longer the yardstick took, and whether that is only a lower bound."""
    if yardstick["finished"]:
        return yardstick["seconds"] / seconds, False
    return yardstick["limit"] / seconds, True


def tabulate(records: list[Record]) -> str:
    records = in_order([record for record in records if "yardstick" in record])
    efforts = [effort for effort in ("high", "paper") if any(effort in r for r in records)]
    head = ["problem", "depth", "K", "yardstick"]
    for effort in efforts:
        head += [effort, "as good as the yardstick", "ratio"]
    rows = []
    for record in records:
        yardstick = record["yardstick"]
        shown = format_seconds(yardstick["seconds"])
        if not yardstick["finished"]:
            shown = f"> {format_seconds(yardstick['limit'])}"
        row = [record["problem"], str(record["depth"]), str(record["candidates"])]
        found = "no tree" if yardstick["errors"] is None else yardstick["errors"]
        row.append(f"{found}, {shown}")
        for effort in efforts:
            row += effort_cells(record.get(effort), yardstick)
        rows.append(row)
    return "\n\n".join([markdown_table(head, rows), summary(records, efforts)])


def effort_cells(ours: Record | None, yardstick: Record) -> list[str]:
    """Give errors and time, time until as good as the yardstick, and ratio of total times."""
    if ours is None:
        return ["", "", ""]
    if yardstick["errors"] is None:
        as_good = ""
    else:
        reached = seconds_to(ours["curve"], yardstick["errors"])
        as_good = "never" if reached is None else format_seconds(min(reached, ours["seconds"]))
    times, is_bound = ratio(yardstick, ours["seconds"])
    return [
        f"{ours['errors']}, {format_seconds(ours['seconds'])}",
        as_good,
        f"{'> ' if is_bound else ''}{times:.3g}x",
    ]


def summary(records: list[Record], efforts: list[str]) -> str:
    """Give, per depth and effort, medians over the problems and candidate set sizes."""
    by_depth = defaultdict(list)
    for record in records:
        by_depth[record["depth"]].append(record)
    rows = []
    for depth, group in sorted(by_depth.items()):
        for effort in efforts:
            pairs = [(r[effort], r["yardstick"]) for r in group if effort in r]
            if not pairs:
                continue
            ratios = [ratio(yardstick, ours["seconds"]) for ours, yardstick in pairs]
            times = [times for times, _ in ratios]
            least = ">= " if any(is_bound for _, is_bound in ratios) else ""
            signs = [
                (ours["errors"] > yardstick["errors"]) - (ours["errors"] < yardstick["errors"])
                for ours, yardstick in pairs
                if yardstick["errors"] is not None
            ]
            rows.append([
                str(depth), effort,
                format_seconds(statistics.median(ours["seconds"] for ours, _ in pairs)),
                f"{least}{statistics.median(times):.3g}x", f"{min(times):.3g}x",
                *(str(signs.count(sign)) for sign in (-1, 0, 1)),
            ])  # fmt: skip
    head = ["depth", "effort", "median time", "median ratio", "least ratio"]
    return markdown_table([*head, "fewer errors", "as many", "more errors"], rows)


PART = Part(
    "yardstick",
    "Adaptive trees beside the paper's algorithm",
    100,
    add_arguments,
    measure,
    tabulate,
    ("problem", "depth", "candidates"),
)
