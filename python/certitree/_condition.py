"""The question a branching node asks about one feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Operator: TypeAlias = Literal["<=", "==", "missing"]
OPERATORS: tuple[Operator, ...] = ("<=", "==", "missing")


@dataclass(frozen=True)
class Condition:
    """A split in the terms of the user's table. Records for which it is true go left.

    Attributes
    ----------
    feature : int
        Index of the feature.
    operator : {"<=", "==", "missing"}
        ``value <= threshold``, ``value == category``, or "the value is missing".
    threshold : float
        For ``<=``; NaN otherwise.
    category : int
        For ``==``, index into the feature's categories; -1 otherwise.
    missing_left : bool or None
        Whether a missing value goes left. None if no training record lacked the value: then it
        goes the way of the greater training weight.
    """

    feature: int
    operator: Operator
    threshold: float = float("nan")
    category: int = -1
    missing_left: bool | None = None


def goes_left(
    values: NDArray[np.float64],
    operator: str,
    threshold: float,
    category: int,
    missing_left: bool,
) -> NDArray[np.bool_]:
    """Evaluate a condition.

    Parameters
    ----------
    values : float64 array of shape (n_rows,)
        Values of a numeric feature, or indices of categories; NaN is missing.

    Returns
    -------
    bool array of shape (n_rows,)
    """
    if operator == "missing":
        return np.isnan(values)
    # A comparison with NaN is false, so only "missing goes left" needs a second look.
    left: NDArray[np.bool_] = values <= threshold if operator == "<=" else values == category
    if missing_left:
        left |= np.isnan(values)
    return left
