"""Curves of objectives over time: when a fit found each of its better trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

Curve = list[tuple[float, float]]
"""(seconds since the start, objective) of each better tree, ascending in time."""


class Iteration(Protocol):
    """What is read of an entry of `AdaptiveTreeClassifier.history_`."""

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds by stage."""

    @property
    def incumbent(self) -> float:
        """Objective of the best tree afterwards."""


def iteration_ends(history: Sequence[Iteration], ended: float) -> Curve:
    """Return the incumbent's objective at the end of each iteration.

    Counted backwards from the end of the loop, so that whatever no iteration accounts for lies
    before the first of them, and no tree is dated too early.
    """
    ends = []
    for iteration in reversed(history):
        ends.append((ended, iteration.incumbent))
        ended -= sum(iteration.seconds.values())
    return ends[::-1]


def improvements(known: Iterable[tuple[float, float]]) -> Curve:
    """Keep, in order of time, what is better than all before."""
    kept: Curve = []
    for seconds, objective in sorted(known):
        if not kept or objective < kept[-1][1]:
            kept.append((seconds, objective))
    return kept


def seconds_to(curve: Iterable[Sequence[float]], target: float) -> float | None:
    """Return when the objective first was at most `target`, or None if it never was."""
    return next((seconds for seconds, objective in curve if objective <= target), None)


def objective_at(curve: Iterable[Sequence[float]], seconds: float) -> float | None:
    """Return the objective reached within `seconds`, or None if there was no tree yet."""
    reached = [objective for time, objective in curve if time <= seconds]
    return min(reached, default=None)
