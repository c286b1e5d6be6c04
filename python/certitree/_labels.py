"""Labels as they are written on a command line or in a file of text."""

from __future__ import annotations

from typing import Any


def label_of(text: str, classes: list[Any]) -> Any:
    """Return the class that a text spells, or else a label of the same type as the classes.

    ``"1"`` spells 1, 1.0 and "1"; ``"true"`` spells True.

    Parameters
    ----------
    text : str
    classes : list
        The labels that occur; not empty.

    Returns
    -------
    label
        One of `classes` if the text spells one.
    """
    for label in classes:
        if spells(text, label):
            return label
    if isinstance(classes[0], int | float) and not isinstance(classes[0], bool):
        try:
            return type(classes[0])(text)
        except ValueError:
            return text
    return text


def spells(text: str, label: Any) -> bool:
    """Tell whether a text is a way to write a label."""
    if isinstance(label, bool):
        return text.casefold() == str(label).casefold()
    if isinstance(label, int | float):
        try:
            return float(text) == label
        except ValueError:
            return False
    return text == str(label)
