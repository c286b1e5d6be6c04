import numpy as np
import pytest

from certitree import (
    CertitreeError,
    InputError,
    InputTypeError,
    ModelFileError,
    ParameterError,
    _core,
    exceptions,
)
from certitree.exceptions import translate_core_errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InputError, ValueError),
        (InputTypeError, TypeError),
        (ModelFileError, ValueError),
        (ParameterError, ValueError),
    ],
)
def test_errors_are_the_builtin_ones_too(error, builtin):
    assert issubclass(error, CertitreeError)
    assert issubclass(error, builtin)


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("invalid table", InputError),
        ("invalid statistics", InputError),
        ("invalid parameter", ParameterError),
        ("invalid candidate split", ParameterError),
    ],
)
def test_errors_of_the_core_are_translated(prefix, expected):
    with pytest.raises(expected, match=f"{prefix}: what and why"), translate_core_errors():
        raise ValueError(f"{prefix}: what and why")


def test_other_errors_pass_through():
    with pytest.raises(ValueError, match="something else") as error, translate_core_errors():
        raise ValueError("something else")
    assert not isinstance(error.value, CertitreeError)


def test_a_real_error_of_the_core():
    with pytest.raises(InputError, match="code 5"), translate_core_errors():
        _core.Table(np.array([[0, 5]], dtype=np.uint8), ["ordered"], [2], [1])


def test_every_public_error_is_listed():
    assert set(exceptions.__all__) == {
        name for name in dir(exceptions) if name.endswith("Error") and not name.startswith("_")
    }
