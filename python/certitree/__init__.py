"""Certified decision trees: the best small tree for a table, or how far from it you can be."""

from certitree._adaptive import AdaptiveTreeClassifier
from certitree._classifier import OptimalTreeClassifier
from certitree._core import __version__
from certitree._export import export_text
from certitree._model_file import load
from certitree._policy import OptimalPolicyTree
from certitree._schema import Feature
from certitree._split import Split
from certitree._tree import Tree
from certitree.exceptions import (
    CertitreeError,
    InputError,
    InputTypeError,
    ModelFileError,
    ParameterError,
)

__all__ = [
    "AdaptiveTreeClassifier",
    "CertitreeError",
    "Feature",
    "InputError",
    "InputTypeError",
    "ModelFileError",
    "OptimalPolicyTree",
    "OptimalTreeClassifier",
    "ParameterError",
    "Split",
    "Tree",
    "__version__",
    "export_text",
    "load",
]
