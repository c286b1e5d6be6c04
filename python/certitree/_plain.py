"""Values as JSON holds them, and reading them back with checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from certitree._split import Split
from certitree.exceptions import ModelFileError

T = TypeVar("T")

NUMBER = (int, float)
"""The types of a number in JSON."""


def to_plain(value: Any) -> Any:
    """Return dicts, lists, numbers and texts for what holds them; None for what is not finite."""
    if isinstance(value, dict):
        return {str(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(entry) for entry in value]
    if isinstance(value, np.generic | np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def get(content: dict[str, Any], key: str, kind: type | tuple[type, ...]) -> Any:
    """Return an entry of a dict.

    Raises
    ------
    ModelFileError
        If it is missing or of another type than `kind`.
    """
    if key not in content:
        raise ModelFileError(f"{key!r} is missing")
    value = content[key]
    # A bool passes for an int in Python, but not in a file.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ModelFileError(f"{key!r} holds {value!r}, of another type than expected")
    return value


def get_list(content: dict[str, Any], key: str, read: Callable[[dict[str, Any]], T]) -> list[T]:
    """Return a list of dicts, each read by a function.

    Raises
    ------
    ModelFileError
        If it is missing, or is no such list.
    """
    entries = get(content, key, list)
    if not all(isinstance(entry, dict) for entry in entries):
        raise ModelFileError(f"{key!r} does not hold a list of objects")
    return [read(entry) for entry in entries]


def split_to_plain(split: Split) -> dict[str, Any]:
    """Return a split as a dict."""
    return {"feature": to_plain(split.feature), "value": to_plain(split.value)}


def read_split(plain: dict[str, Any]) -> Split:
    """Rebuild a split whose feature is an index.

    Raises
    ------
    ModelFileError
        If it has another form.
    """
    feature, value = get(plain, "feature", int), plain.get("value")
    if feature < 0 or not (value is None or isinstance(value, str | bool | int | float)):
        raise ModelFileError(f"{plain!r} is no split")
    return Split(feature, value)
