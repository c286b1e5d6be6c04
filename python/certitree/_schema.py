"""What a fitted model knows of each feature: its name, its kind, its categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

FeatureKind: TypeAlias = Literal["numeric", "nominal", "unread"]
Category: TypeAlias = str | bool | int | float
"""Value of a nominal feature."""


@dataclass(frozen=True)
class Feature:
    """A feature as it was in the training table.

    Attributes
    ----------
    name : str
        Name of the column, or ``x0``, ``x1``, ... where the table had no names.
    kind : {"numeric", "nominal", "unread"}
        Numeric features are split by thresholds, nominal ones by "one category against the rest".
        Features outside the candidate set are not read.
    categories : tuple
        Categories of a nominal feature, sorted; empty for a numeric one.
    has_missing : bool
        Whether a training record lacked the value.
    """

    name: str
    kind: FeatureKind
    categories: tuple[Category, ...] = ()
    has_missing: bool = False

    @property
    def is_read(self) -> bool:
        """Whether `fit` read the column, so that a tree may split on it."""
        return self.kind != "unread"


def category_key(value: object) -> tuple[bool, object]:
    """Return a key under which categories are compared: True and 1 differ, 1 and 1.0 do not."""
    return isinstance(value, bool), value


def available(names: Sequence[object], limit: int = 20) -> str:
    """List names for an error message, shortened to `limit`."""
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown + (f", ... ({len(names)} in all)" if len(names) > limit else "")
