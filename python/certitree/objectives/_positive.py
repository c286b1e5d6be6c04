"""The positive class of an objective for two classes."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def positive_of(y_true: Any, y_pred: Any, pos_label: Any) -> Any:
    """Return the positive label for scoring: the one given, or the greatest that occurs."""
    if pos_label is not None:
        return pos_label
    return max(np.unique(values)[-1] for values in (np.asarray(y_true), np.asarray(y_pred)))
