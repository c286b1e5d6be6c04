"""Splits named by the user, and the candidate set made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

from certitree._schema import Feature, available, category_key
from certitree.exceptions import ParameterError


@dataclass(frozen=True)
class Split:
    """A split to put into the candidate set.

    Parameters
    ----------
    feature : str or int
        Name or index of the column.
    value : number, category or None
        The threshold t of ``x <= t`` for a numeric feature, the category c of ``x == c`` for a
        nominal one, or None for "x is missing". Where training values are missing, a threshold
        stands for two splits: missing values may go left or right.

    Examples
    --------
    >>> from certitree import Split
    >>> candidates = ["income", Split("age", 30), Split("city", "Delft"), Split("age", None)]
    """

    feature: str | int
    value: Any


@dataclass
class Selection:
    """The part of the candidate set that concerns one feature.

    Attributes
    ----------
    everything : bool
        All splits of the feature.
    values : list
        Thresholds or categories named one by one.
    missing : bool
        "Is missing" was named.
    """

    everything: bool = False
    values: list[Any] = field(default_factory=list)
    missing: bool = False


def select(
    candidates: Iterable[Any] | None, names: Sequence[str] | None, n_features: int
) -> dict[int, Selection] | None:
    """Sort a candidate set by feature.

    Parameters
    ----------
    candidates : iterable of str, int, `Split`, or pairs (feature, value); or None
        None means all splits of all features, and is returned as None.
    names : sequence of str or None
        Names of the columns, if they have any.
    n_features : int

    Raises
    ------
    ParameterError
        If an entry is of another form, or names a feature that does not exist.
    """
    if candidates is None:
        return None
    if isinstance(candidates, Mapping):
        raise ParameterError(
            "candidates is a mapping; give a list of features, Split objects, or pairs (feature, "
            "threshold) and (feature, category)"
        )
    selections: dict[int, Selection] = {}
    for entry in candidates:
        whole = isinstance(entry, str | Integral) and not isinstance(entry, bool)
        split = Split(entry, None) if whole else _as_split(entry)
        feature = _feature_index(split.feature, names, n_features)
        selection = selections.setdefault(feature, Selection())
        if whole:
            selection.everything = True
        elif split.value is None:
            selection.missing = True
        else:
            selection.values.append(split.value)
    if not selections:
        raise ParameterError(
            "candidates is empty; name at least one feature or split, or give None for all splits"
        )
    return selections


def leave_out(
    feature: int, selections: dict[int, Selection] | None, n_features: int
) -> dict[int, Selection]:
    """Take one feature out of a candidate set, as `select` returns it."""
    if selections is None:
        selections = {index: Selection(everything=True) for index in range(n_features)}
    return {index: kept for index, kept in selections.items() if index != feature}


def _as_split(entry: Any) -> Split:
    if isinstance(entry, Split):
        return entry
    if isinstance(entry, tuple) and len(entry) == 2:
        return Split(*entry)
    raise ParameterError(
        f"candidates holds {entry!r}; an entry is the name or index of a feature, a Split, or a "
        f"pair (feature, threshold) or (feature, category)"
    )


def _feature_index(feature: Any, names: Sequence[str] | None, n_features: int) -> int:
    if isinstance(feature, str):
        if names is None:
            raise ParameterError(
                f"candidates names the feature {feature!r}, but the table has no column names; "
                f"give an index from 0 to {n_features - 1}"
            )
        if feature not in names:
            raise ParameterError(
                f"candidates names the feature {feature!r}, which does not exist; "
                f"there are {available(names)}"
            )
        return list(names).index(feature)
    if isinstance(feature, Integral) and not isinstance(feature, bool):
        if not 0 <= int(feature) < n_features:
            raise ParameterError(
                f"candidates names the feature {feature}; indices go from 0 to {n_features - 1}"
            )
        return int(feature)
    raise ParameterError(
        f"candidates names the feature {feature!r} of type {type(feature).__name__}; "
        f"give its name or its index"
    )


def selected_thresholds(selection: Selection, feature: Feature) -> list[float]:
    """Return the thresholds a selection names for a numeric feature, sorted."""
    thresholds = set()
    for value in selection.values:
        if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(float(value)):
            raise ParameterError(
                f"candidates holds ({feature.name!r}, {value!r}), but {feature.name!r} is numeric; "
                f"give a finite number t for the split 'x <= t', or None for 'x is missing'"
            )
        thresholds.add(float(value))
    return sorted(thresholds)


def selected_categories(selection: Selection, feature: Feature) -> list[int]:
    """Return the indices of the categories a selection names for a nominal feature, sorted."""
    place = {category_key(category): i for i, category in enumerate(feature.categories)}
    indices = set()
    for value in selection.values:
        index = place.get(category_key(value))
        if index is None:
            raise ParameterError(
                f"candidates holds ({feature.name!r}, {value!r}), but {feature.name!r} has no such "
                f"category; there are {available(feature.categories)}"
            )
        indices.add(index)
    return sorted(indices)
