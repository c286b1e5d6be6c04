"""`certitree predict`: a saved model on the rows of a file."""

from pathlib import Path
from typing import Annotated

import typer

from certitree._predict_file import predict_file


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL.json", help="Written by certitree fit.")],
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Any format that certitree fit reads. Columns that the model lacks are ignored.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="CSV, TSV, Parquet or Feather, as its name says; one row per row of FILE."
        ),
    ],
    proba: Annotated[
        bool, typer.Option("--proba", help="Add a column of probabilities for each class.")
    ] = False,
) -> None:
    """Predict every row of FILE, in order."""
    n_rows = predict_file(model, file, out, proba=proba)
    typer.echo(f"{n_rows:,} predictions written to {out}")
