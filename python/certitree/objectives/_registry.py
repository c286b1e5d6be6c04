"""Objectives by name."""

from __future__ import annotations

from typing import Any, TypeVar

from certitree.exceptions import ParameterError
from certitree.objectives._base import Objective

_OBJECTIVES: dict[str, type[Objective]] = {}

_REFUSED = {
    "f1_macro": "macro-averaged F1 is a sum of ratios, for which no exact search is known here",
    "f1_weighted": "weighted F1 is a sum of ratios, for which no exact search is known here",
    "f1_micro": "micro-averaged F1 of one label per record is the accuracy; use 'accuracy'",
}
"""Names one might expect, and why they are not offered."""

ObjectiveClass = TypeVar("ObjectiveClass", bound=type[Objective])


def register(objective: ObjectiveClass) -> ObjectiveClass:
    """Make an objective known by its name."""
    _OBJECTIVES[objective.name] = objective
    return objective


def objective_names() -> list[str]:
    """List the names that ``objective=`` takes."""
    return sorted(_OBJECTIVES)


def objective_class(name: str) -> type[Objective]:
    """Return the class of the objective of that name.

    Raises
    ------
    ParameterError
        If there is none.
    """
    if name in _REFUSED:
        raise ParameterError(f"objective={name!r} is not offered: {_REFUSED[name]}")
    if name not in _OBJECTIVES:
        raise ParameterError(
            f"objective={name!r} is unknown; there are {', '.join(objective_names())}, "
            f"and the classes of certitree.objectives"
        )
    return _OBJECTIVES[name]


def as_objective(objective: str | Objective) -> Objective:
    """Return the objective that a name or an object stands for.

    Raises
    ------
    ParameterError
        If the name is unknown, or names an objective that needs arguments.
    """
    if isinstance(objective, Objective):
        return objective
    kind = objective_class(objective)
    try:
        return kind()
    except TypeError as error:
        raise ParameterError(
            f"objective={objective!r} needs arguments: {error}. Give an object, "
            f"certitree.objectives.{kind.__name__}(...)"
        ) from error


def objective_from_dict(plain: dict[str, Any]) -> Objective:
    """Rebuild an objective from `Objective.to_dict`.

    Raises
    ------
    ValueError
        If the name or the parameters are unknown.
    """
    name, parameters = plain.get("objective"), plain.get("parameters")
    if not isinstance(name, str) or name not in _OBJECTIVES or not isinstance(parameters, dict):
        raise ValueError(f"there is no objective {name!r}")
    try:
        return _OBJECTIVES[name](**parameters)
    except TypeError as error:
        raise ValueError(f"objective {name!r}: {error}") from error
