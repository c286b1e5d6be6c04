"""Model files: a fitted estimator as plain JSON, versioned, checked when read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from certitree._column import Array
from certitree._core import __version__
from certitree._optional_results import read_optional, write_optional
from certitree._plain import NUMBER, get, split_to_plain, to_plain
from certitree._schema import Feature, FeatureKind
from certitree._split import Split
from certitree._tree import Tree
from certitree.exceptions import CertitreeError, ModelFileError
from certitree.objectives import Objective
from certitree.objectives._registry import as_objective, objective_from_dict

if TYPE_CHECKING:
    from certitree._base import TreeModel

FORMAT = "certitree model"
VERSION = 1
"""Raised whenever older readers would misread a file."""

_ESTIMATORS: dict[str, type[TreeModel]] = {}
"""Estimators that can be in a file; see `storable`."""

_RESULTS: dict[str, type | tuple[type, ...]] = {
    "status_": str,
    "objective_": NUMBER,
    "lower_bound_": NUMBER,
    "upper_bound_": NUMBER,
    "gap_": NUMBER,
    "n_records_": int,
    "n_unique_": int,
    "n_unique_labelled_": int,
    "search_stats_": dict,
}
"""Fitted attributes that all models have, kept as they are, and their types."""


EstimatorClass = TypeVar("EstimatorClass", bound="type[TreeModel]")


def storable(estimator: EstimatorClass) -> EstimatorClass:
    """Register an estimator class whose models may be written to files."""
    _ESTIMATORS[estimator.__name__] = estimator
    return estimator


def save(model: TreeModel, path: str | Path) -> None:
    """Write a fitted model to a JSON file.

    Parameters
    ----------
    model : fitted estimator of certitree
    path : str or Path
        Overwritten if it exists.
    """
    text = json.dumps(to_dict(model), indent=1, allow_nan=False, ensure_ascii=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


def load(path: str | Path) -> TreeModel:
    """Read a model file written by `save`.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    fitted estimator
        Of the class that was saved; it predicts as the original does.

    Raises
    ------
    ModelFileError
        If the file is damaged, is no model file, or is of a newer format.
    OSError
        If it cannot be opened.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:  # no text, no JSON, or no sane JSON
        raise ModelFileError(
            f"{path} is not a JSON file ({error}); give a file written by model.save"
        ) from error
    try:
        return from_dict(content)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error


def to_dict(model: TreeModel) -> dict[str, Any]:
    """Return a fitted model as a dict of plain numbers, strings, lists and dicts."""
    check_is_fitted(model)
    classes = model.classes_.tolist()
    if not all(isinstance(label, str | bool | int | float) for label in classes):
        kind = type(classes[0]).__name__
        raise ModelFileError(
            f"labels of type {kind} cannot be written to a model file; fit with labels that are "
            f"strings, numbers or bools (y.astype(str)), or pickle the model"
        )
    return {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"certitree {__version__}",
        "estimator": type(model).__name__,
        "parameters": {
            name: _plain_parameter(value)
            for name, value in model.get_params(deep=False).items()
            if not callable(value)  # a proposer of the user: the default takes its place
        },
        "classes": {"dtype": _dtype_name(model.classes_), "values": classes},
        "has_feature_names": hasattr(model, "feature_names_in_"),
        "features": [
            {
                "name": feature.name,
                "kind": feature.kind,
                "categories": list(feature.categories),
                "has_missing": feature.has_missing,
            }
            for feature in model.features_
        ],
        "results": {name: to_plain(getattr(model, name)) for name in _RESULTS}
        | write_optional(model),
        "tree": model.tree_.to_dict(),
    }


def from_dict(content: Any) -> TreeModel:
    """Rebuild a fitted model from `to_dict`.

    Raises
    ------
    ModelFileError
        If something is missing, of the wrong type, or contradictory.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError(f"not a model file: its 'format' is not {FORMAT!r}")
    version = content.get("version")
    if version != VERSION:
        raise ModelFileError(
            f"the file has format version {version!r}, but this certitree reads version {VERSION}; "
            f"upgrade certitree, or save the model again"
        )
    estimator = get(content, "estimator", str)
    if estimator not in _ESTIMATORS:
        raise ModelFileError(
            f"the file holds an estimator {estimator!r}; known are {', '.join(_ESTIMATORS)}"
        )
    model = _ESTIMATORS[estimator]()
    try:
        model.set_params(**_read_parameters(get(content, "parameters", dict)))
    except ValueError as error:
        raise ModelFileError(f"its 'parameters' are not those of {estimator}: {error}") from error
    model.classes_ = _read_classes(get(content, "classes", dict))
    model.features_ = tuple(_read_feature(entry) for entry in get(content, "features", list))
    model.n_features_in_ = len(model.features_)
    if get(content, "has_feature_names", bool):
        names = [feature.name for feature in model.features_]
        model.feature_names_in_ = np.array(names, dtype=object)
    results = get(content, "results", dict)
    for name, kind in _RESULTS.items():
        setattr(model, name, get(results, name, kind))
    read_optional(model, results)
    try:
        model.tree_ = Tree.from_dict(get(content, "tree", dict))
    except (ValueError, TypeError, OverflowError, CertitreeError) as error:
        raise ModelFileError(str(error)) from error
    _check_consistency(model)
    return model


def _plain_parameter(value: Any) -> Any:
    """Return a parameter as JSON holds it; what it cannot becomes None.

    That is a random generator, and the models that a policy tree estimates outcomes with.
    """
    if isinstance(value, np.random.RandomState | np.random.Generator | BaseEstimator):
        return None
    if isinstance(value, Objective):
        return to_plain(value.to_dict())
    if isinstance(value, tuple) and len(value) == 2:
        value = Split(*value)
    if isinstance(value, Split):
        return split_to_plain(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain_parameter(entry) for entry in value]
    return to_plain(value)


def _read_parameters(plain: dict[str, Any]) -> dict[str, Any]:
    parameters = dict(plain)
    if "objective" in parameters:
        objective = parameters["objective"]
        if isinstance(objective, str):
            as_objective(objective)
        elif isinstance(objective, dict):
            parameters["objective"] = objective_from_dict(objective)
        else:
            raise ModelFileError(f"'objective' holds {objective!r}; a name or a dict is expected")
    candidates = parameters.get("candidates")
    if candidates is not None:
        if not isinstance(candidates, list):
            raise ModelFileError("'candidates' is not a list")
        parameters["candidates"] = [
            Split(**entry)
            if isinstance(entry, dict) and set(entry) == {"feature", "value"}
            else entry
            for entry in candidates
        ]
    return parameters


def _dtype_name(classes: Array) -> str:
    return "object" if classes.dtype == object else classes.dtype.str


def _read_classes(plain: dict[str, Any]) -> Array:
    values = get(plain, "values", list)
    name = get(plain, "dtype", str)
    if not values:
        raise ModelFileError("'classes' is empty")
    try:
        dtype = np.dtype(name)
        classes = np.array(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"'classes' cannot be read as {name!r}: {error}") from error
    if classes.ndim != 1 or classes.tolist() != values:
        raise ModelFileError(f"'classes' holds values that are not of type {name!r}")
    return classes


def _read_feature(plain: Any) -> Feature:
    if not isinstance(plain, dict):
        raise ModelFileError(f"'features' holds {plain!r} instead of a description of a feature")
    kind = get(plain, "kind", str)
    if kind not in get_args(FeatureKind):
        raise ModelFileError(f"a feature is of kind {kind!r}; there are {get_args(FeatureKind)}")
    categories = get(plain, "categories", list)
    if not all(isinstance(category, str | bool | int | float) for category in categories):
        raise ModelFileError("a feature has a category that is neither text, number nor bool")
    return Feature(
        get(plain, "name", str), kind, tuple(categories), get(plain, "has_missing", bool)
    )


def _check_consistency(model: TreeModel) -> None:
    """Compare the tree with the features and the classes."""
    tree = model.tree_
    if tree.value.shape[1] != model.classes_.size:
        raise ModelFileError(
            f"the tree counts {tree.value.shape[1]} classes, but there are {model.classes_.size}"
        )
    for node in np.flatnonzero(~tree.is_leaf()):
        index = int(tree.feature[node])
        if index >= model.n_features_in_:
            raise ModelFileError(
                f"node {node} of the tree splits on feature {index}, but there are "
                f"{model.n_features_in_}"
            )
        feature = model.features_[index]
        operator = str(tree.operator[node])
        fits = {"<=": feature.kind == "numeric", "==": feature.kind == "nominal", "missing": True}
        if not fits[operator]:
            raise ModelFileError(
                f"node {node} of the tree asks {operator!r} of the {feature.kind} feature "
                f"{feature.name!r}"
            )
        if operator == "==" and not 0 <= tree.category[node] < len(feature.categories):
            raise ModelFileError(
                f"node {node} of the tree names category {tree.category[node]} of feature "
                f"{feature.name!r}, which has {len(feature.categories)}"
            )
