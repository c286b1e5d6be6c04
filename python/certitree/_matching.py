"""Reading a later table as the training table was read: columns by name, categories by value."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certitree._column import Column, NominalColumn
from certitree._frame import Records
from certitree._schema import Feature, available, category_key
from certitree.exceptions import InputError, InputTypeError

_SHOWN_NAMES = 5  # as in scikit-learn's message


def match_columns(
    records: Records,
    names: Sequence[str] | None,
    features: Sequence[Feature],
    estimator_name: str,
) -> dict[int, int]:
    """Find the place of each training feature in a later table.

    Named columns are found by name, in whatever order they come; a table without names is read
    by place.

    Parameters
    ----------
    records : Records
    names : sequence of str or None
        Names at fit, if there were any.
    features : sequence of Feature
        The features at fit. Those that fit did not read may be absent from a named table: the
        groups of a fairness objective, say, or what lies outside the candidate set.
    estimator_name : str
        For messages.

    Returns
    -------
    dict from index of a feature to that of a column

    Raises
    ------
    InputError
        If the names or the number of columns differ.
    """
    n_features = len(features)
    by_place = {index: index for index in range(n_features)}
    if names is not None and records.names is not None:
        if records.names == tuple(names):
            return by_place
        unread = {
            name for name, feature in zip(names, features, strict=True) if not feature.is_read
        }
        _compare_names(records.names, names, unread)
        place = {name: index for index, name in enumerate(records.names)}
        return {index: place[name] for index, name in enumerate(names) if name in place}
    if records.n_features != n_features:
        raise InputError(
            f"X has {records.n_features} features, but {estimator_name} is expecting {n_features} "
            f"features as input."
        )
    if names is not None:
        warnings.warn(
            f"X does not have valid feature names, but {estimator_name} was fitted with feature "
            f"names",
            UserWarning,
            stacklevel=4,
        )
    elif records.names is not None:
        warnings.warn(
            f"X has feature names, but {estimator_name} was fitted without feature names",
            UserWarning,
            stacklevel=4,
        )
    return by_place


def _compare_names(found: Sequence[str], expected: Sequence[str], unread: set[str]) -> None:
    unexpected = sorted(set(found) - set(expected))
    absent = sorted(set(expected) - set(found) - unread)
    if not unexpected and not absent:
        return
    message = "The feature names should match those that were passed during fit.\n"
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _bullets(unexpected)
    if absent:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(absent)
        message += f"The table has the columns {available(found)}.\n"
    raise InputError(message)


def _bullets(names: Sequence[str]) -> str:
    more = "- ...\n" if len(names) > _SHOWN_NAMES else ""
    return "".join(f"- {name}\n" for name in names[:_SHOWN_NAMES]) + more


def feature_values(column: Column, feature: Feature) -> NDArray[np.float64]:
    """Return a column's values in the terms of the training table.

    Returns
    -------
    float64 array of shape (n_rows,)
        Values of a numeric feature, indices of categories of a nominal one; NaN is missing. A
        category that training did not show gets the index ``len(feature.categories)``.

    Raises
    ------
    InputTypeError
        If the column holds strings where numbers were, or the reverse.
    """
    if feature.kind == "nominal":
        return _category_indices(column, feature)
    if not isinstance(column, NominalColumn):
        return column.as_float()
    if any(isinstance(category, str) for category in column.categories):
        raise InputTypeError(
            f"feature {feature.name!r} was numeric at fit, but now holds strings such as "
            f"{column.categories[0]!r}. Convert the column to numbers."
        )
    return _lookup(column.codes, [float(category) for category in column.categories])


def _category_indices(column: Column, feature: Feature) -> NDArray[np.float64]:
    unknown = float(len(feature.categories))
    textual = any(isinstance(category, str) for category in feature.categories)
    if isinstance(column, NominalColumn):
        found_textual = any(isinstance(category, str) for category in column.categories)
        if column.categories and feature.categories and textual != found_textual:
            _refuse_type(feature, column.categories[0])
        place = {category_key(category): i for i, category in enumerate(feature.categories)}
        places = [place.get(category_key(category), unknown) for category in column.categories]
        return _lookup(column.codes, places)
    values = column.as_float()
    if textual and not np.isnan(values).all():
        _refuse_type(feature, values[~np.isnan(values)][0].item())
    result = np.where(np.isnan(values), np.nan, unknown)
    if not textual:
        for index, category in enumerate(feature.categories):
            result[values == float(category)] = index
    return result


def _refuse_type(feature: Feature, found: object) -> None:
    raise InputTypeError(
        f"feature {feature.name!r} had categories such as {feature.categories[0]!r} at fit, but "
        f"now holds {found!r}. Convert the column to the type it had."
    )


def _lookup(codes: NDArray[np.int64], places: Sequence[float]) -> NDArray[np.float64]:
    """Replace codes by `places`, and -1 by NaN."""
    return np.array([*places, np.nan])[codes]
