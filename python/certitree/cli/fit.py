"""`certitree fit`: from a file to a certified tree."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from certitree._files import read_source
from certitree._fit_report import fit_beside_cart
from certitree.cli import _render


def fit(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV or TSV (also .gz), Parquet, Feather/Arrow, or an embedded data set: "
            "sklearn:breast_cancer, sklearn:digits, sklearn:iris, sklearn:wine.",
            show_default=False,
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column to predict. Embedded data sets: 'target'."),
    ] = None,
    max_depth: Annotated[int, typer.Option(help="Levels of branching nodes.")] = 3,
    max_nodes: Annotated[
        int | None,
        typer.Option(help="Branching nodes at most; all that the depth allows if not given."),
    ] = None,
    min_samples_leaf: Annotated[int, typer.Option(help="Records in every leaf, at least.")] = 1,
    complexity_penalty: Annotated[
        float, typer.Option(help="Cost of a branching node, as a fraction of the total weight.")
    ] = 0.0,
    max_bins: Annotated[int, typer.Option(help="Bins of a numeric column, at most.")] = 100,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", help="Stop searching after that long; 0 for never.")
    ] = 60.0,
    memory_limit: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory for the search, such as 500MB or 4GB."),
    ] = None,
    test_size: Annotated[
        float, typer.Option(help="Fraction of the rows kept for testing; 0 fits on all of them.")
    ] = 0.2,
    seed: Annotated[int, typer.Option(help="Chooses the rows for testing.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Threads; all cores if not given.")
    ] = None,
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the weight of each row.")
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave a column out. May be given several times."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="MODEL.json", help="Save the model here.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose/--quiet", help="Show the search while it runs.")
    ] = True,
) -> None:
    """Fit the best tree to FILE; print it, its accuracy beside CART's, and its certificate."""
    with redirect_stdout(sys.stderr):  # where the progress goes, beside the result
        report = fit_beside_cart(
            read_source(file),
            target=target,
            weight=weight,
            drop=drop or (),
            test_size=test_size,
            seed=seed,
            save_to=out,
            max_depth=max_depth,
            max_nodes=max_nodes,
            min_samples_leaf=min_samples_leaf,
            complexity_penalty=complexity_penalty,
            max_bins=max_bins,
            time_limit=time_limit or None,
            memory_limit=memory_limit,
            n_jobs=-1 if jobs is None else jobs,
            verbose=int(verbose),
        )
        if verbose:
            typer.echo()  # between the progress and the result
    _render.print_report(report)
