"""The live table of a running search."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.console import Console
from rich.live import Live
from rich.table import Table

from certitree import _core
from certitree._limits import relative_gap

Callback: TypeAlias = "Callable[[_core.Progress], None]"

_ROWS = 12  # improvements shown; older ones scroll out of the table


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
    """Snapshots of a search: one for each improvement, and the latest."""

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
        table = Table(title="certitree")
        for heading in ("seconds", "incumbent", "lower bound", "gap", "nodes", "stage"):
            table.add_column(heading, justify="left" if heading == "stage" else "right")
        for seconds, progress in self.entries[-_ROWS:]:
            objective, bound = _figures(progress)
            table.add_row(
                f"{seconds:.1f}",
                _figure(objective),
                _figure(bound),
                f"{relative_gap(objective, bound):.2%}",
                f"{progress['nodes']:,}",
                progress["stage"],
            )
        return table


def _figure(value: float) -> str:
    return f"{value:.8g}" if math.isfinite(value) else "-"  # no tree yet


def _figures(progress: _core.Progress) -> tuple[float, float]:
    return progress["objective"], progress["lower_bound"]
