"""The errors certitree raises, and the one mapping from errors of the core to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "CertitreeError",
    "InputError",
    "InputTypeError",
    "ModelFileError",
    "ParameterError",
]


class CertitreeError(Exception):
    """Base of every error raised by certitree.

    Each subclass is also the built-in error that a scikit-learn user would expect
    (`ValueError` or `TypeError`). Messages say what came in, what is allowed, and a hint.
    """


class InputError(CertitreeError, ValueError):
    """The table, the labels or the weights cannot be used as they are."""


class InputTypeError(CertitreeError, TypeError):
    """The table, the labels or the weights are, or hold, objects of an unusable type."""


class ParameterError(CertitreeError, ValueError):
    """A parameter is out of range, contradicts another, or names something that does not exist."""


class ModelFileError(CertitreeError, ValueError):
    """A model file is damaged, or was not written by a compatible version of certitree."""


_CORE_ERRORS: dict[str, type[CertitreeError]] = {
    "invalid table": InputError,
    "invalid statistics": InputError,
    "invalid parameter": ParameterError,
    "invalid candidate split": ParameterError,
}
"""Error of certitree for each prefix of a message of the core (`crates/core/src/error.rs`)."""


@contextmanager
def translate_core_errors() -> Iterator[None]:
    """Raise errors of the core as the errors documented here."""
    try:
        yield
    except ValueError as error:
        message = str(error)
        kind = _CORE_ERRORS.get(message.partition(":")[0])
        if kind is None:
            raise
        raise kind(message) from error
