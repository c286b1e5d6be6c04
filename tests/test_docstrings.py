"""The examples in docstrings give what they say."""

import doctest
import importlib
import pkgutil

import pytest

import certitree

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(certitree.__path__, "certitree.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    modules = map(importlib.import_module, MODULES)
    assert sum(bool(test.examples) for module in modules for test in finder.find(module)) >= 2
