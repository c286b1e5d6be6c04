"""The command `certitree`. Each of its commands parses, makes one library call and renders."""

from typing import Annotated

import typer

from certitree import __version__
from certitree.cli import fit, predict, show
from certitree.cli._errors import OneLineErrors

app = typer.Typer(
    name="certitree",
    cls=OneLineErrors,
    help="Certified decision trees: the best small tree, or how far from it you can be.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("fit", short_help="Fit the best tree to a table, and print it.")(fit.fit)
app.command("predict")(predict.predict)
app.command("show")(show.show)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"certitree {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line; the process ends with 0, 2 after an error, or 130 after Ctrl-C."""
    app()


__all__ = ["app", "main"]
