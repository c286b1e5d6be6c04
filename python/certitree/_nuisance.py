"""Estimates of what each treatment would do to each record, from what was observed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from certitree._column import Array, NominalColumn
from certitree._frame import Records
from certitree.exceptions import InputError, InputTypeError, ParameterError

Method: TypeAlias = Literal["direct", "ipw", "doubly_robust"]


@dataclass(frozen=True)
class Observed:
    """What happened to the records that count.

    Attributes
    ----------
    given : any table
        Their features as they came in, for models that the user gave.
    records : Records
        The whole table.
    rows : intp array or None
        The records that count; None for all.
    treatment : int32 array of shape (n_records,)
        Index of the treatment received.
    treatments : array of shape (n_treatments,)
    outcome : float64 array of shape (n_records,)
    weights : float64 array of shape (n_records,), or None for ones
    """

    given: Any
    records: Records
    rows: NDArray[np.intp] | None
    treatment: NDArray[np.int32]
    treatments: Array
    outcome: NDArray[np.float64]
    weights: NDArray[np.float64] | None

    def numbers(self) -> NDArray[np.float64]:
        """Return the features as numbers, for the models used by default."""
        return numeric_table(self.records, self.rows)


@dataclass(frozen=True)
class Nuisance:
    """How to estimate outcomes and propensities where they are not known.

    Attributes
    ----------
    outcome_model, propensity_model : estimator or None
        None for scikit-learn's gradient boosting.
    n_folds : int
        Folds of the cross-fitting: the estimates for a record come from models that have not
        seen it.
    min_propensity : float
        Smaller propensities are raised to it.
    seed : int
    n_threads : int
        Threads of the models: as many as the search has, not as many as there are processors.
    """

    outcome_model: Any
    propensity_model: Any
    n_folds: int
    min_propensity: float
    seed: int
    n_threads: int

    def scores(
        self,
        method: Method,
        observed: Observed,
        propensities: NDArray[np.float64] | None,
        outcomes: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """Estimate the outcome of each record under each treatment.

        Parameters
        ----------
        method : {"direct", "ipw", "doubly_robust"}
        observed : Observed
        propensities : array of shape (n_records,), or None to estimate them
            Probability with which each record received the treatment that it did receive.
        outcomes : array of shape (n_records, n_treatments), or None to estimate them

        Returns
        -------
        float64 array of shape (n_records, n_treatments)
            With m the predicted outcomes, e the propensities, t and y what was observed:
            direct m; ipw 1{t = k} y / e; doubly robust m + 1{t = k} (y - m) / e
            (Dudik, Langford and Li 2011).
        """
        rows = np.arange(observed.outcome.size)
        received = rows, observed.treatment
        predicted = np.zeros((rows.size, observed.treatments.size))
        if method != "ipw":
            if outcomes is None:
                with threadpool_limits(self.n_threads):
                    outcomes = self._predict_outcomes(observed)
            predicted = outcomes
        if method == "direct":
            return predicted
        if propensities is None:
            with threadpool_limits(self.n_threads):
                propensities = self._estimate_propensities(observed)
        propensities = self._positive(propensities)
        estimated = predicted.copy()
        with np.errstate(over="ignore"):
            estimated[received] += (observed.outcome - predicted[received]) / propensities
        if not np.isfinite(estimated).all():
            raise InputError(
                f"the least propensity is {propensities.min()}, so that outcomes divided by it "
                f"exceed the largest number; set min_propensity (such as 0.01) to raise it"
            )
        return estimated

    def _predict_outcomes(self, observed: Observed) -> NDArray[np.float64]:
        model, table = self.outcome_model, observed.given
        if model is None:
            model = HistGradientBoostingRegressor(random_state=self.seed)
            table = observed.numbers()
        predicted = np.empty((observed.outcome.size, observed.treatments.size))
        for train, test in self._folds(observed):
            for treatment in range(observed.treatments.size):
                rows = train[observed.treatment[train] == treatment]
                fitted = _fit(model, table, rows, observed.outcome[rows], observed.weights)
                predicted[test, treatment] = _expect(fitted, _safe_indexing(table, test))
        if not np.isfinite(predicted).all():
            raise InputError(
                f"the outcome model {model!r} predicts outcomes that are not finite; give one "
                f"that does not, or pass outcome_predictions"
            )
        return predicted

    def _estimate_propensities(self, observed: Observed) -> NDArray[np.float64]:
        model, table = self.propensity_model, observed.given
        if model is None:
            model = HistGradientBoostingClassifier(random_state=self.seed)
            table = observed.numbers()
        propensities = np.empty(observed.outcome.size)
        for train, test in self._folds(observed):
            fitted = _fit(model, table, train, observed.treatment[train], observed.weights)
            if not hasattr(fitted, "predict_proba"):
                raise ParameterError(
                    f"propensity_model={model!r} has no predict_proba; give a classifier that has"
                )
            shares = fitted.predict_proba(_safe_indexing(table, test))
            propensities[test] = shares[np.arange(test.size), observed.treatment[test]]
        return propensities

    def _positive(self, propensities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Apply the minimum; refuse propensities of zero."""
        raised = np.maximum(propensities, self.min_propensity)
        if not (raised > 0).all():
            row = int(np.flatnonzero(~(raised > 0))[0])
            raise InputError(
                f"the propensity of record {row} is {propensities[row]}: it received a treatment "
                f"that it had no chance to receive. Propensities must be above 0; set "
                f"min_propensity (such as 0.01) to raise them, or use a smoother propensity_model"
            )
        return raised

    def _folds(self, observed: Observed) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        counts = np.bincount(observed.treatment)
        if counts.min() < self.n_folds:
            rare = observed.treatments.tolist()[int(counts.argmin())]
            raise InputError(
                f"treatment {rare!r} was given to {counts.min()} records, fewer than the "
                f"{self.n_folds} folds of the cross-fitting; lower n_folds, drop the treatment, "
                f"or pass propensities and outcome_predictions"
            )
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=self.seed)
        yield from folds.split(np.zeros(observed.treatment.size), observed.treatment)


def _fit(
    model: Any,
    table: Any,
    rows: NDArray[np.intp],
    target: Array,
    weights: NDArray[np.float64] | None,
) -> Any:
    """Fit a copy of a nuisance model on some records, with weights if it takes them."""
    extra = {}
    if weights is not None and has_fit_parameter(model, "sample_weight"):
        extra["sample_weight"] = weights[rows]
    return clone(model).fit(_safe_indexing(table, rows), target, **extra)


def _expect(fitted: Any, table: Any) -> NDArray[np.float64]:
    """Predict the mean outcome; for a classifier of outcomes, that of its probabilities."""
    if is_classifier(fitted):
        mean: NDArray[np.float64] = fitted.predict_proba(table) @ fitted.classes_
        return mean
    return np.asarray(fitted.predict(table), dtype=np.float64)


def numeric_table(records: Records, rows: NDArray[np.intp] | None) -> NDArray[np.float64]:
    """Return the records as numbers, categories as their indices and missing values as NaN.

    A column without any value is all 0: scikit-learn's gradient boosting cannot bin it.
    """
    columns = []
    for index in range(records.n_features):
        column = records.column(index)
        if isinstance(column, NominalColumn):
            values = np.where(column.codes < 0, np.nan, column.codes.astype(np.float64))
        else:
            values = column.as_float()
        values = values if rows is None else values[rows]
        columns.append(np.zeros(values.size) if np.isnan(values).all() else values)
    return np.stack(columns, axis=1)


def read_numbers(
    values: Any, name: str, shape: tuple[int | None, ...], rows: NDArray[np.intp] | None
) -> NDArray[np.float64]:
    """Check an array of finite numbers, and keep the rows that count.

    Parameters
    ----------
    values : array-like
    name : str
        What to call it in messages.
    shape : tuple
        Expected shape; None for any length.
    rows : intp array or None
    """
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{name} must hold numbers: {error}") from error
    fits = array.ndim == len(shape) and all(
        wanted is None or found == wanted for found, wanted in zip(array.shape, shape, strict=True)
    )
    if not fits:
        raise InputError(f"{name} has shape {array.shape}; {shape} is expected")
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise InputError(f"{name} is not finite in row {row}; drop such rows, or fill them")
    return array if rows is None else array[rows]
