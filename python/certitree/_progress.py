"""The live table of a running search."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias, cast

from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table

from certitree import _core
from certitree._limits import relative_gap

Callback: TypeAlias = "Callable[[_core.Progress], None]"

_ROWS = 12  # improvements shown; older ones scroll out of the table
_DOING = {
    "propose": "ranking splits",
    "solve": "searching over candidates",
    "improve": "solving subtrees anew",
    "certify": "searching over all splits",
}
"""What an adaptive search is at, by its stage."""


@contextmanager
def live_progress(verbose: int | bool, started: float) -> Iterator[Callback | None]:
    """Show a table of the search while the block runs.

    Parameters
    ----------
    verbose : int
        0 shows nothing, and yields None.
    started : float
        `time.perf_counter` at the start of the fit, from which seconds are counted.

    Yields
    ------
    callable or None
        To be called with each `Progress`.
    """
    if not verbose:
        yield None
        return
    log = ProgressLog(started)
    live = Live(console=Console(), refresh_per_second=4)

    def show(progress: _core.Progress) -> None:
        log.add(progress)
        live.update(log.table())
        live.start()  # with the first snapshot: a fit that is over before has nothing to show

    try:
        yield show
    finally:
        live.stop()


class ProgressLog:
    """Snapshots of a search: one for each iteration and each improvement, and the latest."""

    def __init__(self, started: float) -> None:
        self.started = started
        self.entries: list[tuple[float, _core.Progress]] = []

    def add(self, progress: _core.Progress) -> None:
        """Take a snapshot; one that shows the same figures as the last one replaces it."""
        entry = (time.perf_counter() - self.started, progress)
        if self.entries and _figures(self.entries[-1][1]) == _figures(progress):
            self.entries[-1] = entry
        else:
            self.entries.append(entry)

    def table(self) -> Table:
        """Render the last snapshots as a table of Rich."""
        shown = self.entries[-_ROWS:]
        latest = shown[-1][1] if shown else None
        adaptive = latest is not None and "iteration" in latest
        title = f"certitree: {_DOING[latest['stage']]}" if latest and adaptive else "certitree"
        # Narrow enough for a terminal of 80 characters.
        table = Table(title=title, box=box.SIMPLE)
        rows = [_adaptive_row(entry) if adaptive else _exact_row(entry) for entry in shown]
        for heading in rows[0] if rows else ():
            table.add_column(heading, justify="left" if heading == "stage" else "right")
        for row in rows:
            table.add_row(*row.values())
        return table


def _exact_row(entry: tuple[float, _core.Progress]) -> dict[str, str]:
    seconds, progress = entry
    return {
        "seconds": f"{seconds:.1f}",
        **_certificate(progress),
        "nodes": f"{progress['nodes']:,}",
        "stage": progress["stage"],
    }


def _adaptive_row(entry: tuple[float, _core.Progress]) -> dict[str, str]:
    seconds, progress = entry[0], cast("_core.RefineProgress", entry[1])
    return {
        "seconds": f"{seconds:.1f}",
        "iteration": str(progress["iteration"]),
        "candidates": f"{progress['n_candidates']:,}" if progress["n_candidates"] else "-",
        "n/u": f"{progress['compression']:.1f}",
        **_certificate(progress),
    }


def _certificate(progress: _core.Progress) -> dict[str, str]:
    objective, bound = progress["objective"], progress["lower_bound"]
    return {
        "incumbent": _figure(objective),
        "lower bound": _figure(bound),
        "gap": f"{relative_gap(objective, bound):.2%}",
    }


def _figure(value: float) -> str:
    return f"{value:.8g}" if math.isfinite(value) else "-"  # no tree yet


def _figures(progress: _core.Progress) -> tuple[float, float, int | None]:
    iteration = cast("_core.RefineProgress", progress).get("iteration")
    return progress["objective"], progress["lower_bound"], iteration
