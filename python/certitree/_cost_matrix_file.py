"""A cost matrix in a file: predicted classes in the first line, a line for each true class."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from certitree._files import FileError
from certitree._labels import label_of
from certitree.objectives import CostMatrix

_FORM = (
    "the first line names the predicted classes after one field for the corner, and each line "
    "after it a true class and its costs: 'true,no,yes', 'no,0,1', 'yes,5,0'"
)


def read_cost_matrix(path: Path, classes: list[Any]) -> CostMatrix:
    """Read a cost matrix.

    Parameters
    ----------
    path : pathlib.Path
        Comma-separated text. Lines and columns may come in any order.
    classes : list
        The classes of the target. The file must name them all, and may name others, which can then
        be predicted.

    Returns
    -------
    CostMatrix

    Raises
    ------
    FileError
        If the file cannot be read, is not of this form, or lacks a class.
    """
    rows = _rows(path)
    predicted = [text.strip() for text in rows[0][1:]]
    true = [row[0].strip() for row in rows[1:]]
    if sorted(true) != sorted(predicted) or len(set(true)) != len(true):
        raise FileError(
            f"the cost matrix {path} has columns for {', '.join(predicted) or 'no class'} and "
            f"lines for {', '.join(true) or 'no class'}",
            f"each class needs one of both; {_FORM}",
        )
    order = [true.index(text) for text in predicted]
    costs = [_numbers(rows[1 + line], len(predicted), path) for line in order]
    labels = [label_of(text, classes) for text in predicted]
    missing = [label for label in classes if label not in labels]
    if missing:
        raise FileError(
            f"the cost matrix {path} lacks the class {missing[0]!r}; it has {', '.join(predicted)}",
            "add a column and a line for it",
        )
    return CostMatrix(costs, labels)


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(field.strip() for field in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"cannot read the cost matrix {path}: {error}", _FORM) from error
    if not rows:
        raise FileError(f"the cost matrix {path} is empty", _FORM)
    return rows


def _numbers(row: list[str], count: int, path: Path) -> list[float]:
    try:
        numbers = [float(text) for text in row[1:]]
    except ValueError as error:
        raise FileError(
            f"the cost matrix {path}, class {row[0]}: {error}", "costs are numbers, 0 or more"
        ) from error
    if len(numbers) != count:
        raise FileError(
            f"the cost matrix {path} has {len(numbers)} costs for class {row[0]}, but {count} "
            f"columns",
            _FORM,
        )
    return numbers
