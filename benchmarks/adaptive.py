"""Adaptive trees beside the yardstick: training errors and seconds on the reference problems.

    python benchmarks/adaptive.py --problems compas heloc --depths 3 4 --candidates 20

Each row is one problem, depth and candidate set size; `--no-yardstick` leaves the slow part out.
"""

from __future__ import annotations

import argparse
import time

from adaptive_yardstick import Settings, run
from certitree import AdaptiveTreeClassifier
from problems import REFERENCE_NAMES, Problem, load_reference

HEADINGS = "problem depth K | effort errors seconds status | yardstick errors seconds | ratio"


def main() -> None:
    """Parse the arguments, run, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", nargs="+", default=list(REFERENCE_NAMES))
    parser.add_argument("--depths", nargs="+", type=int, default=[2, 3, 4, 5, 6, 7])
    parser.add_argument("--candidates", nargs="+", type=int, default=[20])
    parser.add_argument("--efforts", nargs="+", default=["high", "paper"])
    parser.add_argument("--time-limit", type=float, default=600.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-yardstick", action="store_true")
    arguments = parser.parse_args()
    print(HEADINGS)
    for name in arguments.problems:
        problem = load_reference(name)
        for depth in arguments.depths:
            for size in arguments.candidates:
                compare(problem, depth, size, arguments)


def compare(problem: Problem, depth: int, size: int, arguments: argparse.Namespace) -> None:
    """Print one row per effort."""
    yardstick = None
    if not arguments.no_yardstick:
        settings = Settings(max_candidates=size, time_limit=arguments.time_limit)
        yardstick = run(problem, depth, settings, arguments.jobs)
    for effort in arguments.efforts:
        started = time.perf_counter()
        model = AdaptiveTreeClassifier(
            max_depth=depth,
            max_candidates=size,
            effort=effort,
            certify=False,
            time_limit=arguments.time_limit,
            n_jobs=arguments.jobs,
        ).fit(problem.X, problem.y)
        seconds = time.perf_counter() - started
        row = f"{problem.name} {depth} {size} | {effort} {model.objective_:.0f} {seconds:.2f}"
        row += f" {model.status_}"
        if yardstick is not None:
            ratio = yardstick.seconds / seconds
            row += f" | {yardstick.errors} {yardstick.seconds:.1f} | {ratio:.0f}x"
        print(row, flush=True)


if __name__ == "__main__":
    main()
