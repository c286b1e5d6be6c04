"""The limits of a fit, as the core takes them, and the gap that they leave."""

from __future__ import annotations

import re
import time
from numbers import Integral
from typing import Any

import joblib
from sklearn.utils import check_random_state

from certitree.exceptions import ParameterError

MAX_DEPTH = 16
"""Deepest tree that the core searches for; a deeper one explains little."""

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def parse_memory(limit: int | str | None) -> int | None:
    """Return a number of bytes.

    Parameters
    ----------
    limit : int, str or None
        Bytes, or a text such as ``"800MB"``, ``"1.5 GB"`` (powers of 1000) or ``"1GiB"`` (powers
        of 1024).

    Raises
    ------
    ParameterError
        If the text is not of this form, or the limit is not positive.
    """
    if limit is None:
        return None
    if isinstance(limit, Integral):
        size = int(limit)
    else:
        match = _SIZE.fullmatch(str(limit))
        if match is None or (match[3] and not match[2]):
            raise ParameterError(
                f"memory_limit={limit!r} is not a size; give bytes as an integer, or a text such "
                f"as '800MB', '1.5GB' or '1GiB'"
            )
        units = _BINARY_UNITS if match[3] else _UNITS
        size = int(float(match[1]) * units[match[2].lower()])
    if size <= 0:
        raise ParameterError(f"memory_limit={limit!r} must be positive; give at least some MB")
    return min(size, 2**62)  # what the core can hold, and more than there is


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` means, as scikit-learn's glossary has it."""
    if n_jobs == 0:
        raise ParameterError("n_jobs=0 has no meaning; give 1 or more, or -1 for all processors")
    n_threads = int(joblib.effective_n_jobs(n_jobs))
    # More than four per processor only cost memory; the tree does not depend on their number.
    return n_threads if n_threads <= 4 else min(n_threads, 4 * int(joblib.cpu_count()))


def capped(limit: int) -> int:
    """Return a limit that the core's integers can hold; above, larger means no more."""
    return min(int(limit), 2**31 - 1)


def draw_seed(random_state: Any) -> int:
    """Return a seed for the core; 0 for None, so that a fit repeats unless told otherwise."""
    if random_state is None:
        return 0
    return int(check_random_state(random_state).randint(2**31 - 1))


def seconds_left(time_limit: float | None, started: float) -> float | None:
    """Return what reading and coding the table have left of the time limit."""
    if time_limit is None:
        return None
    return max(0.0, float(time_limit) - (time.perf_counter() - started))


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return the share of the objective that is not proven, in [0, 1]; 1 if there is no tree."""
    if lower_bound >= objective:
        return 0.0
    return 1.0 if objective == float("inf") else (objective - lower_bound) / objective
