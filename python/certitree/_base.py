"""What all estimators share once a tree is found: prediction, inspection, model files."""

from __future__ import annotations

import inspect
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.validation import check_is_fitted

from certitree import _model_file
from certitree._column import Array
from certitree._export import summarize
from certitree._frame import read_records
from certitree._matching import feature_values, match_columns
from certitree._schema import Feature
from certitree._tree import Tree
from certitree.exceptions import ModelFileError


@cache
def _valid_defaults(estimator: type[Any]) -> dict[str, Any]:
    """Return the parameters of an estimator with their defaults, or `_INVALID` for bad ones."""
    defaults = {}
    for name, parameter in inspect.signature(estimator).parameters.items():
        defaults[name] = parameter.default
        try:
            _check_parameters(estimator, {name: parameter.default})
        except ValueError:
            defaults[name] = _INVALID
    return defaults


_INVALID = object()


def _check_parameters(estimator: type[Any], given: dict[str, Any]) -> None:
    validate_parameter_constraints(
        estimator._parameter_constraints, given, caller_name=estimator.__name__
    )


class TreeModel(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators: a fitted tree and how to use it.

    Subclasses set the attributes below in `fit`.

    Attributes
    ----------
    tree_ : Tree
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        Only if the training table had column names.
    features_ : tuple of Feature
        Name, kind and categories of each column.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]]
    tree_: Tree
    classes_: Array
    n_features_in_: int
    features_: tuple[Feature, ...]

    @property
    def maximizes(self) -> bool:
        """Whether more is better for `objective_`."""
        return False

    @property
    def counts_errors(self) -> bool:
        """Whether a record whose label is not that of its leaf is an error."""
        return True

    def predict(self, X: Any) -> Array:
        """Predict the label of each record.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features_in_)
            Columns of a data frame are found by name, in any order; those that the tree does not
            split on are not read, and those that `fit` was told not to split on (the groups of a
            fairness objective, what lies outside `candidates`) may be absent. A missing value of a
            feature that was never missing in training goes the way of the greater training weight
            at each node. A category that was not seen in training equals none of the known ones.

        Returns
        -------
        array of shape (n_rows,)

        Raises
        ------
        NotFittedError
            Before `fit`.
        InputError, InputTypeError
            If columns are missing, unknown, or hold values of another type than in training.
        """
        leaves = self.apply(X)
        labels: Array = self.classes_[self.tree_.label[leaves]]
        return labels

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the index of the leaf each record ends up in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features_in_)

        Returns
        -------
        int64 array of shape (n_rows,)
        """
        check_is_fitted(self)
        columns, n_rows = self._read_used_columns(X)
        return self.tree_.apply(columns, n_rows)

    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return which nodes each record passes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features_in_)

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 where the record passes the node, the leaf included.
        """
        return self.tree_.decision_path(self.apply(X))

    def get_depth(self) -> int:
        """Return the length of the longest path from the root to a leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def n_leaves_(self) -> int:
        """Number of leaves."""
        return self.tree_.n_leaves

    @property
    def n_branching_nodes_(self) -> int:
        """Number of branching nodes."""
        return self.tree_.n_branching_nodes

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a JSON file; `certitree.load` reads it.

        Parameters
        ----------
        path : str or Path
        """
        _model_file.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model file of this class; see `certitree.load`."""
        model = _model_file.load(path)
        if not isinstance(model, cls):
            raise ModelFileError(
                f"{path} holds a model of class {type(model).__name__}, not {cls.__name__}; "
                f"read it with certitree.load"
            )
        return model

    def __str__(self) -> str:
        """Show the certificate and the tree; as repr() if not fitted."""
        if not hasattr(self, "tree_"):
            return repr(self)
        return summarize(self)

    def _validate_params(self) -> None:
        """Check the parameters as scikit-learn does, save those that have a valid default."""
        defaults = _valid_defaults(type(self))  # type: ignore[arg-type]  # classes are hashable
        given = {
            name: getattr(self, name)
            for name, default in defaults.items()
            if getattr(self, name) is not default
        }
        _check_parameters(type(self), given)

    def __sklearn_tags__(self) -> Any:
        """Declare what the estimator takes.

        Strings are read too, but `input_tags.string` stays False: it promises that any object is
        taken as a category, while certitree refuses what is neither text, number nor bool.
        """
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        return tags

    def _read_used_columns(self, X: Any) -> tuple[dict[int, NDArray[np.float64]], int]:
        """Read the columns that the tree splits on, after checking the shape of the table."""
        name = type(self).__name__
        records = read_records(X, name)
        place = match_columns(
            records, getattr(self, "feature_names_in_", None), self.features_, name
        )
        columns = {
            feature: feature_values(records.column(place[feature]), self.features_[feature])
            for feature in self.tree_.used_features()
        }
        return columns, records.n_rows


class TreeClassifier(ClassifierMixin, TreeModel):  # type: ignore[misc]
    """Base of the classifiers."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return each class's share of the training weight in the record's leaf.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features_in_)

        Returns
        -------
        float64 array of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        leaves = self.apply(X)
        shares = self.tree_.value / self.tree_.weighted_n_node_samples[:, np.newaxis]
        probabilities: NDArray[np.float64] = shares[leaves]
        return probabilities
