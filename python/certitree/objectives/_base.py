"""What an objective is: a plain description, which meets the data in a `Goal`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from certitree._column import Array
from certitree._frame import Records
from certitree._schema import available
from certitree._targets import Targets
from certitree.exceptions import InputError, ParameterError
from certitree.objectives._search import Found, Search

Kind = Literal["additive", "fractional", "impurity", "pareto", "feature_costs"]


@dataclass(frozen=True)
class Objective(ABC):
    """What makes one tree better than another.

    Subclasses are frozen dataclasses of plain values, so that estimators that hold one can be
    cloned, compared, pickled and written to a file. They know no data: `bind` makes a `Goal`.

    Attributes
    ----------
    name : str
        Its name in ``objective="..."`` and in model files.
    kind : {"additive", "fractional", "impurity", "pareto", "feature_costs"}
        How it is optimised: by one additive search, by a few of them (Dinkelbach), by a search
        with a leaf cost that is no sum over records, by fronts of statistics, or by a search that
        keeps account of the features tested.
    maximize : bool
        Whether more is better.
    """

    name: ClassVar[str]
    kind: ClassVar[Kind]
    maximize: ClassVar[bool]

    @abstractmethod
    def bind(self, targets: Targets, costs: NDArray[np.float64] | None = None) -> Goal:
        """Meet the training records.

        Parameters
        ----------
        targets : Targets
            Labels and weights of the records of non-zero weight.
        costs : float64 array of shape (n_records, n_labels), or None
            Costs given to `fit`, for those records.

        Raises
        ------
        InputError
            If the records do not suit the objective.
        """

    def bind_records(
        self,
        records: Records,
        targets: Targets,
        costs: NDArray[np.float64] | None = None,
        sensitive: Any = None,
    ) -> Goal:
        """Meet the training records, with what the table itself says about them.

        Parameters
        ----------
        records : Records
            The whole table.
        targets, costs
            As for `bind`.
        sensitive : array-like of shape (n_rows,), or None
            Groups given to `fit`; only fairness objectives take them.

        Raises
        ------
        ParameterError
            If `sensitive` came to an objective that compares no groups.
        """
        if sensitive is not None:
            raise ParameterError(
                f"fit was given sensitive, but objective {self.name!r} compares no groups; set "
                f"objective=DemographicParity(limit=...) or EqualOpportunity(limit=...)"
            )
        return self.bind(targets, costs)

    def for_classes(self, classes: Array) -> Self:
        """Return the objective with what it takes from the classes of training written out.

        The records of a fold may not show every class; a score of theirs then still speaks of the
        positive class of training.

        Parameters
        ----------
        classes : array of shape (n_classes,)
            Sorted, as a fitted model's `classes_`.
        """
        if getattr(self, "pos_label", self) is None and len(classes) == 2:
            return replace(self, pos_label=classes.tolist()[1])  # type: ignore[call-arg]
        return self

    @property
    def score_name(self) -> str:
        """Name of what `score` returns."""
        return "accuracy"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Score predictions; greater is better. Accuracy unless the objective says otherwise.

        What the objective leaves to the classes of training, such as the positive class, is taken
        from the labels here; `for_classes` settles it beforehand, as `scorer` does.
        """
        from sklearn.metrics import accuracy_score  # noqa: PLC0415

        return float(accuracy_score(y_true, y_pred, sample_weight=sample_weight))

    def scorer(self) -> Scorer:
        """Return a scorer for `cross_val_score` and `GridSearchCV`; greater is better."""
        return Scorer(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the objective as plain values, for a model file."""
        parameters = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"objective": self.name, "parameters": parameters}


@dataclass(frozen=True)
class Scorer:
    """Scores an estimator's predictions with an objective."""

    objective: Objective

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score; greater is better.

        Raises
        ------
        InputError
            If the estimator knows its classes, and the positive one is not among them.
        """
        objective, classes = self.objective, getattr(estimator, "classes_", None)
        if classes is not None:
            objective = objective.for_classes(classes)
            positive = getattr(objective, "pos_label", None)
            if positive is not None and positive not in classes:
                raise InputError(
                    f"the positive label {positive!r} is none of the classes of the estimator, "
                    f"{available(np.asarray(classes).tolist())}"
                )
        return objective.score(y, estimator.predict(X), sample_weight)


class Goal(ABC):
    """An objective that has met the training records.

    Attributes
    ----------
    classes : array of shape (n_labels,)
        What a leaf can predict.
    labels : int32 array of shape (n_records,)
        Index in `classes` of each record's label.
    weights : float64 array of shape (n_records,), or None for ones
    """

    classes: Array
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None

    @property
    def left_out(self) -> int | None:
        """Index of a feature that the tree must not split on, or None."""
        return None

    @property
    def stand_ins(self) -> Sequence[int] | None:
        """For each feature the first that could replace it at no loss; None if all could.

        Of features that split the records alike, the coded table keeps only one where one could
        replace the other.
        """
        return None

    @abstractmethod
    def search(self, search: Search, complexity_penalty: float) -> Found:
        """Find the best tree within the limits of `search`."""


def refuse_penalty(complexity_penalty: float, name: str) -> None:
    """Raise if a penalty came with an objective that cannot take one."""
    if complexity_penalty > 0:
        raise ParameterError(
            f"complexity_penalty={complexity_penalty} cannot be combined with objective "
            f"{name!r}: its exact search has no place for a price per node. Use 0, and limit the "
            f"tree with max_nodes"
        )


def refuse_costs(costs: NDArray[np.float64] | None, name: str) -> None:
    """Raise if `fit` was given costs that the objective does not use."""
    if costs is not None:
        raise ParameterError(
            f"fit was given costs, but objective {name!r} does not use them; set "
            f"objective='record_costs'"
        )
