"""Where to cut a numeric column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SLACK = 1e-9
"""Relative tolerance on quantiles, so that scaled weights, which round differently, cut alike."""


def find_thresholds(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    max_bins: int,
) -> NDArray[np.float64]:
    """Choose thresholds that cut a column into at most `max_bins` bins.

    Every distinct value gets a bin of its own if there are no more than `max_bins`; otherwise
    the bins hold about equal shares of the weight. A threshold lies midway between two
    neighbouring data values.

    Parameters
    ----------
    values : float64 array of shape (n_rows,), finite
    weights : float64 array of shape (n_rows,), positive; or None for equal weights
    max_bins : int, at least 2

    Returns
    -------
    float64 array, increasing, of at most ``max_bins - 1`` thresholds
    """
    if weights is None:
        distinct, masses = np.unique(values, return_counts=True)
        return cut_between(distinct, masses, max_bins)
    distinct = np.unique(values)
    masses = np.bincount(
        np.searchsorted(distinct, values), weights=weights, minlength=distinct.size
    )
    return cut_between(distinct, masses, max_bins)


def cut_between(
    distinct: NDArray[np.float64], masses: NDArray[Any], max_bins: int
) -> NDArray[np.float64]:
    """Choose thresholds between distinct values, ascending, of given masses.

    See `find_thresholds`.
    """
    if distinct.size <= max_bins:
        return midpoints(distinct[:-1], distinct[1:])
    cumulated = np.cumsum(masses)
    targets = cumulated[-1] * np.arange(1, max_bins) / max_bins
    cuts = np.unique(np.searchsorted(cumulated, targets * (1.0 - _SLACK)))
    cuts = cuts[cuts < distinct.size - 1]
    return midpoints(distinct[cuts], distinct[cuts + 1])


def midpoints(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return thresholds t with ``low <= t < high``, midway where rounding allows it.

    For neighbours that differ in the last bit, and for subnormal numbers, the rounded midpoint
    may be `high` itself or fall outside; then t = low, so that every value seen in training goes
    the way it went in training.
    """
    middle = 0.5 * low + 0.5 * high  # halved first: the sum of two large values would overflow
    result: NDArray[np.float64] = np.where((low <= middle) & (middle < high), middle, low)
    return result
