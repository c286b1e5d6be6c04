"""An objective as it is asked for on a command line, before the table is read."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import Any

from certitree._cost_matrix_file import read_cost_matrix
from certitree._files import FileError
from certitree._labels import spells
from certitree._schema import available
from certitree.objectives import Objective, objective_names
from certitree.objectives._registry import objective_class

_FIELDS = {
    "--positive": "pos_label",
    "--class-weight": "class_weight",
    "--cost-matrix": "costs",
    "--beta": "beta",
    "--sensitive": "sensitive",
    "--limit": "limit",
}
"""The parameter of an objective that each option sets."""

_METAVARS = {"--cost-matrix": "FILE.csv", "--beta": "X", "--sensitive": "COLUMN"}
"""What follows each option that an objective may need."""

_ONLY_IN_PYTHON = {
    "record_costs": "a cost for each record and class",
    "feature_costs": "a price for each feature",
}
"""Objectives that need more than a command line holds, and what."""


@dataclass(frozen=True)
class ObjectiveChoice:
    """The name of an objective, and the options given with it; None for those not given.

    Attributes
    ----------
    name : str
        One of `offered_names`.
    positive : str
        The positive class, as text.
    class_weight : sequence of str
        ``["balanced"]``, or texts of the form ``CLASS=FACTOR``.
    cost_matrix : pathlib.Path
        See `read_cost_matrix`.
    beta : float
    sensitive : str
        The column that holds the groups.
    limit : float
        Largest difference between groups.
    """

    name: str = "accuracy"
    positive: str | None = None
    class_weight: Sequence[str] | None = None
    cost_matrix: Path | None = None
    beta: float | None = None
    sensitive: str | None = None
    limit: float | None = None

    def __post_init__(self) -> None:
        """Check that the objective exists, and that its options and no others are given.

        Raises
        ------
        ParameterError, FileError
        """
        if self.name in _ONLY_IN_PYTHON:
            raise FileError(
                f"objective {self.name} needs {_ONLY_IN_PYTHON[self.name]}, which the command line "
                f"cannot give",
                f"use it in Python; here there are {', '.join(offered_names())}",
            )
        if self.name not in objective_names():
            closest = difflib.get_close_matches(self.name.casefold(), offered_names(), n=1)
            raise FileError(
                f"there is no objective {self.name!r}",
                (f"did you mean {closest[0]}? " if closest else "")
                + f"There are {', '.join(offered_names())}",
            )
        parameters = {field.name: field for field in fields(objective_class(self.name))}
        for option, value in self._options().items():
            if value is not None and _FIELDS[option] not in parameters:
                raise FileError(
                    f"objective {self.name} does not use {option}",
                    f"leave it out, or choose --objective {' or '.join(_taking(option))}",
                )
            if value is None and _needs(parameters.get(_FIELDS[option])):
                raise FileError(
                    f"objective {self.name} needs {option}", f"add {option} {_METAVARS[option]}"
                )

    def make(self, classes: list[Any], target: str) -> Objective:
        """Return the objective.

        Parameters
        ----------
        classes : list
            The labels of the target.
        target : str
            Its column, for messages.

        Raises
        ------
        FileError
            If a class is named that does not occur, or a file cannot be read.
        ParameterError
            If a value is out of range.
        """
        if self.cost_matrix is not None:
            return read_cost_matrix(self.cost_matrix, classes)
        given = {option: value for option, value in self._options().items() if value is not None}
        if self.positive is not None:
            given["--positive"] = _known(self.positive, classes, target)
        if self.class_weight is not None:
            given["--class-weight"] = _class_weight(self.class_weight, classes, target)
        parameters = {_FIELDS[option]: value for option, value in given.items()}
        return objective_class(self.name)(**parameters)

    def _options(self) -> dict[str, Any]:
        return {
            "--positive": self.positive,
            "--class-weight": self.class_weight,
            "--cost-matrix": self.cost_matrix,
            "--beta": self.beta,
            "--sensitive": self.sensitive,
            "--limit": self.limit,
        }


def offered_names() -> list[str]:
    """List the objectives that a command line can name."""
    return [name for name in objective_names() if name not in _ONLY_IN_PYTHON]


def _needs(parameter: Field[Any] | None) -> bool:
    if parameter is None:
        return False
    # Groups can come to `fit` on their own, but not from a command line.
    return parameter.default is MISSING or parameter.name == "sensitive"


def _taking(option: str) -> list[str]:
    return [
        name
        for name in offered_names()
        if _FIELDS[option] in {field.name for field in fields(objective_class(name))}
    ]


def _known(text: str, classes: list[Any], target: str) -> Any:
    for label in classes:
        if spells(text, label):
            return label
    raise FileError(
        f"there is no class {text!r} in {target}", f"the classes are {available(classes)}"
    )


def _class_weight(texts: Sequence[str], classes: list[Any], target: str) -> Any:
    if list(texts) == ["balanced"]:
        return "balanced"
    if "balanced" in texts:
        raise FileError(
            "--class-weight balanced came together with others",
            "give it alone, or a factor for each class",
        )
    factors: dict[Any, float] = {}
    for text in texts:
        label, separator, factor = text.rpartition("=")
        try:
            if not separator:
                raise ValueError(text)
            number = float(factor)
        except ValueError:
            raise FileError(
                f"the class weight {text!r} is neither 'balanced' nor CLASS=FACTOR",
                "give --class-weight balanced, or --class-weight yes=5, once for each class",
            ) from None
        known = _known(label, classes, target)
        if known in factors:
            raise FileError(
                f"--class-weight names the class {label!r} twice", "give one factor for each class"
            )
        factors[known] = number
    return factors
