"""Every error of a command is one line and a hint on stderr; no traceback reaches the user."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer
from sklearn.utils._param_validation import InvalidParameterError
from typer.core import TyperGroup

from certitree.exceptions import ModelFileError, ParameterError

ERROR_EXIT_CODE = 2
INTERRUPTED_EXIT_CODE = 130
TRACEBACK_VARIABLE = "CERTITREE_TRACEBACK"


class OneLineErrors(TyperGroup):
    """The group of commands, with one place that turns exceptions into messages and exit codes."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; see `click.Command.main`, which this replaces, for the parameters."""
        try:
            result = super().main(
                args=args,
                prog_name=prog_name or "certitree",
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
        except (KeyboardInterrupt, typer.Abort):
            _print_lines("interrupted", None)
            sys.exit(INTERRUPTED_EXIT_CODE)
        except BrokenPipeError:
            # The reader of our output went away (`certitree show ... | head`): nothing left to say.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except Exception as error:
            if os.environ.get(TRACEBACK_VARIABLE):
                raise
            _print_lines(*_describe(error))
            sys.exit(ERROR_EXIT_CODE)
        if result == INTERRUPTED_EXIT_CODE:  # how newer versions of Typer report Ctrl-C
            _print_lines("interrupted", None)
        if standalone_mode:
            # Without standalone mode an early exit (--help, --version) comes back as its code.
            sys.exit(result if isinstance(result, int) else 0)
        return result


def _describe(error: Exception) -> tuple[str, str]:
    """Say what went wrong, and what to do about it."""
    format_message = getattr(error, "format_message", None)
    if format_message is not None:  # the parser of the command line
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "certitree"
        return format_message(), f"see {command} --help"
    hint = getattr(error, "hint", None)
    if isinstance(hint, str):
        return str(error), hint
    for kind, describe in _DESCRIPTIONS.items():
        if isinstance(error, kind):
            return describe(error)
    return (
        f"internal error: {type(error).__name__}: {error}",
        f"please report it, with the traceback that {TRACEBACK_VARIABLE}=1 shows",
    )


def _describe_file(error: Any) -> tuple[str, str]:
    if error.filename is None:
        return _describe_input(error)
    if isinstance(error, FileNotFoundError):
        return f"there is no file {error.filename}", "check the path"
    return f"cannot open {error.filename}: {error.strerror}", "check the path and permissions"


def _describe_input(error: Exception) -> tuple[str, str]:
    message = str(error) or type(error).__name__
    return message, "see certitree fit --help; --drop COLUMN leaves a column out"


_DESCRIPTIONS: dict[type[Exception], Callable[[Exception], tuple[str, str]]] = {
    MemoryError: lambda _: (
        "out of memory",
        "set --memory-limit, lower --max-depth or --max-bins, or --drop columns",
    ),
    ModelFileError: lambda error: (
        str(error),
        "give a file that certitree fit --out or model.save wrote; write a damaged one again",
    ),
    ParameterError: lambda error: (str(error), "see certitree fit --help"),
    InvalidParameterError: lambda error: (str(error), "see certitree fit --help"),
    OSError: _describe_file,
    ValueError: _describe_input,
    TypeError: _describe_input,
}
"""What to say of errors without a hint of their own; the first class that fits counts."""


def _print_lines(message: str, hint: str | None) -> None:
    sys.stderr.write(f"error: {_one_line(message)}\n")
    if hint is not None:
        sys.stderr.write(f"hint: {_one_line(hint)}\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())
