"""Timing fits in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker import repeats_after


@dataclass(frozen=True)
class Timed:
    """The fit of median duration among its repeats."""

    model: Any
    seconds: float
    repeats: int


def warm_up(fit: Callable[[Any, Any], object]) -> None:
    """Fit a small table, so that lazy imports are paid for."""
    X = np.random.default_rng(0).integers(0, 2, (64, 6)).astype(np.uint8)
    fit(X, X[:, 0] ^ X[:, 1])


def timed(
    fit: Callable[[], Any],
    limit: float = float("inf"),
    read: Callable[[Any], float] | None = None,
) -> Timed:
    """Time a fit, several times if it is short and did not come near its time limit.

    Parameters
    ----------
    fit : makes a new estimator and fits it.
    limit : its time limit.
    read : what to take as its seconds, from the model; None for all of `fit`.
    """
    fits: list[tuple[float, Any]] = []
    wanted = 1
    while len(fits) < wanted:
        start = time.perf_counter()
        model = fit()
        elapsed = time.perf_counter() - start
        if not fits and elapsed <= 0.9 * limit:
            wanted = repeats_after(elapsed)
        fits.append((elapsed if read is None else read(model), model))
    fits.sort(key=lambda fit: fit[0])
    seconds, model = fits[len(fits) // 2]
    return Timed(model, seconds, len(fits))
