"""`certitree fit`: from a file to a certified tree."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from certitree._binning import MAX_BINS
from certitree._files import check_writable, read_source
from certitree._fit_report import fit_beside_cart
from certitree._limits import MAX_DEPTH
from certitree._objective_choice import ObjectiveChoice, offered_names
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
    objective: Annotated[
        str,
        typer.Option(metavar="NAME", help=f"One of {', '.join(offered_names())}."),
    ] = "accuracy",
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The positive class of f1, f_beta, jaccard, matthews and fairness; the last one "
            "in sorted order if not given.",
        ),
    ] = None,
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="balanced|CLASS=X",
            help="Of accuracy: all classes weigh the same, or multiply the weight of a class (may "
            "be given several times).",
        ),
    ] = None,
    cost_matrix: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Of cost_matrix: predicted classes in the first line, a line for each true one.",
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(metavar="X", help="Of f_beta: how much more recall counts than precision."),
    ] = None,
    sensitive: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Of demographic_parity and equal_opportunity: the groups to compare. The tree "
            "does not split on this column.",
        ),
    ] = None,
    limit: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Of the same two: largest difference between the groups' rates; 0.05 if not "
            "given.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="exact: search all splits. adaptive: search small candidate sets, for depth 4 and "
            "more. auto: adaptive from depth 4 on, and exact, from its tree on.",
        ),
    ] = "auto",
    certify: Annotated[
        bool,
        typer.Option(
            "--certify",
            help="With --method adaptive: search all splits in the time left, as others always do.",
        ),
    ] = False,
    max_depth: Annotated[
        int, typer.Option(metavar="N", min=0, max=MAX_DEPTH, help="Levels of branching nodes.")
    ] = 3,
    max_nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Branching nodes at most; all that the depth allows if not given.",
        ),
    ] = None,
    min_samples_leaf: Annotated[
        int, typer.Option(metavar="N", min=1, help="Records in every leaf, at least.")
    ] = 1,
    complexity_penalty: Annotated[
        float,
        typer.Option(
            metavar="X", min=0, help="Cost of a branching node, as a fraction of the total weight."
        ),
    ] = 0.0,
    max_bins: Annotated[
        int,
        typer.Option(metavar="N", min=2, max=MAX_BINS, help="Bins of a numeric column, at most."),
    ] = 100,
    time_limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="Stop searching after that long; 0 for never."),
    ] = 60.0,
    memory_limit: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory for the search, such as 500MB or 4GB."),
    ] = None,
    test_size: Annotated[
        float,
        typer.Option(
            metavar="X", help="Fraction of the rows kept for testing; 0 fits on all of them."
        ),
    ] = 0.2,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, max=2**32 - 1, help="Chooses the rows for testing.")
    ] = 0,
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
    choice = ObjectiveChoice(
        objective,
        positive=positive,
        class_weight=class_weight or None,
        cost_matrix=cost_matrix,
        beta=beta,
        sensitive=sensitive,
        limit=limit,
    )
    if out is not None:
        # Found out before reading, which may take long.
        check_writable(out, [file] if cost_matrix is None else [file, cost_matrix])
    with redirect_stdout(sys.stderr):  # where the progress goes, beside the result
        report = fit_beside_cart(
            read_source(file),
            target=target,
            weight=weight,
            drop=drop or (),
            test_size=test_size,
            seed=seed,
            save_to=out,
            objective=choice,
            method=method,
            certify=certify,
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
