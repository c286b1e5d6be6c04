"""`certitree show`: what a model file holds."""

from pathlib import Path
from typing import Annotated

import typer

from certitree._model_file import load
from certitree.cli import _render


def show(
    model: Annotated[Path, typer.Argument(metavar="MODEL.json", help="Written by certitree fit.")],
) -> None:
    """Print the tree of a model file and its certificate."""
    _render.print_model(load(model))
