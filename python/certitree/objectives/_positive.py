"""The positive class of an objective for two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certitree._column import Array
from certitree._schema import available
from certitree.exceptions import InputError


def positive_index(name: str, classes: Array, pos_label: Any) -> int:
    """Return the index of the positive class, by default the second one.

    Raises
    ------
    InputError
        If there are not two classes, or the positive one is not among them.
    """
    known = classes.tolist()
    if pos_label is not None and pos_label not in known:
        raise InputError(
            f"the positive label {pos_label!r} does not occur in y, whose classes are "
            f"{available(known)}"
        )
    if len(known) != 2:
        raise InputError(
            f"objective {name!r} needs two classes, but y has {len(known)} "
            f"({available(known)}); for several, make one of them the positive class against "
            f"the rest"
        )
    return 1 if pos_label is None else known.index(pos_label)


def are_positive(
    y_true: Any, y_pred: Any, pos_label: Any
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which labels and which predictions are positive, for scoring.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_records,)
    pos_label : label, or None for the greatest one that occurs
    """
    truth, predicted = np.asarray(y_true), np.asarray(y_pred)
    if pos_label is None and truth.size:
        pos_label = max(np.unique(labels)[-1] for labels in (truth, predicted))
    return truth == pos_label, predicted == pos_label
