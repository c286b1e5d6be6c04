"""Trees that prescribe a treatment."""

from __future__ import annotations

import time
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from certitree._base import TreeModel
from certitree._column import Array
from certitree._exact import ExactSearch
from certitree._frame import Records, read_records
from certitree._limits import count_threads, draw_seed
from certitree._model_file import storable
from certitree._nuisance import Method, Nuisance, Observed, read_numbers
from certitree._schema import available
from certitree._split import Split
from certitree._targets import Targets, read_targets
from certitree.exceptions import InputError
from certitree.objectives._additive import AdditiveGoal

_PROPENSITY_TOLERANCE = 1e-3
"""How far a record's propensities may add up to something else than 1; float32 is that coarse."""


@storable
class OptimalPolicyTree(ExactSearch, TreeModel):
    """The tree of treatments whose estimated mean outcome is provably best.

    From records of who received which treatment, with what outcome, the outcome of each record
    under each treatment is estimated. Among all trees within the limits, `fit` finds one that
    assigns treatments with the best mean estimate.

    Parameters
    ----------
    method : {"doubly_robust", "direct", "ipw"}, default="doubly_robust"
        How outcomes are estimated. "direct" trusts the outcome model. "ipw" weighs what was
        observed by the inverse of its probability (inverse propensity weighting). "doubly_robust"
        corrects the outcome model by what was observed; it is right if either model is.
    maximize : bool, default=True
        Whether a greater outcome is better.
    outcome_model : estimator or None, default=None
        Predicts the outcome from the features; one copy per treatment and fold. A regressor, or a
        classifier whose classes are numbers. It is given the rows of X as they came in. None is
        `HistGradientBoostingRegressor` on the features as numbers (categories by index).
    propensity_model : estimator or None, default=None
        A classifier with `predict_proba` that predicts the treatment from the features. None is
        `HistGradientBoostingClassifier`.
    n_folds : int, default=5
        Folds of the cross-fitting of both models, at least 2.
    min_propensity : float, default=0.0
        Propensities below are raised to it; with 0, a propensity of 0 is an error.
    max_depth, max_nodes, min_samples_leaf, max_bins, candidates, aggregate, time_limit, \
memory_limit, n_jobs, random_state, verbose
        As in `OptimalTreeClassifier`; `random_state` also draws the folds.
    complexity_penalty : float, default=0.0
        How much a branching node must improve the mean outcome.

    Attributes
    ----------
    treatments_ : array of shape (n_treatments,)
        The treatments, sorted; `classes_` is the same.
    objective_ : float
        Estimated mean outcome of the tree's treatments on the training records, worsened by the
        penalty. An estimate on the data the tree was chosen by: it flatters the tree. Use
        `estimate_value` on other records.
    lower_bound_, upper_bound_ : float
        The best value of any tree lies between them; one is `objective_`.
    gap_ : float
        ``(upper_bound_ - lower_bound_) / max(abs(lower_bound_), abs(upper_bound_))``, at most 1.
    tree_, status_, search_stats_, n_records_, n_unique_, n_unique_labelled_, features_, \
n_features_in_, feature_names_in_
        As in `OptimalTreeClassifier`; ``tree_.value`` holds the weight of each treatment received.

    Examples
    --------
    >>> import numpy as np
    >>> from certitree import OptimalPolicyTree
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (400, 3))
    >>> drug = rng.choice(["new", "old"], 400)
    >>> recovery = np.where((drug == "new") == (X[:, 0] == 1), 1.0, 0.0)
    >>> model = OptimalPolicyTree(max_depth=1).fit(X, drug, recovery)
    >>> model.predict([[0, 0, 0], [1, 0, 0]]).tolist()
    ['old', 'new']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [StrOptions({"doubly_robust", "direct", "ipw"})],
        "maximize": ["boolean"],
        "outcome_model": [HasMethods(["fit", "predict"]), None],
        "propensity_model": [HasMethods(["fit", "predict"]), None],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "min_propensity": [Interval(Real, 0, 1, closed="both")],
        **ExactSearch._parameter_constraints,
    }

    def __init__(
        self,
        *,
        method: Method = "doubly_robust",
        maximize: bool = True,
        outcome_model: Any = None,
        propensity_model: Any = None,
        n_folds: int = 5,
        min_propensity: float = 0.0,
        max_depth: int = 3,
        max_nodes: int | None = None,
        min_samples_leaf: int = 1,
        complexity_penalty: float = 0.0,
        max_bins: int = 100,
        candidates: Iterable[str | int | Split | tuple[str | int, Any]] | None = None,
        aggregate: bool = True,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.maximize = maximize
        self.outcome_model = outcome_model
        self.propensity_model = propensity_model
        self.n_folds = n_folds
        self.min_propensity = min_propensity
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.min_samples_leaf = min_samples_leaf
        self.complexity_penalty = complexity_penalty
        self.max_bins = max_bins
        self.candidates = candidates
        self.aggregate = aggregate
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def maximizes(self) -> bool:
        """Whether more is better for `objective_`."""
        return bool(self.maximize)

    @property
    def counts_errors(self) -> bool:
        """Whether a record whose label is not that of its leaf is an error."""
        return False

    @property
    def treatments_(self) -> Array:
        """The treatments, sorted."""
        return self.classes_

    def fit(
        self,
        X: Any,
        treatment: Any,
        outcome: Any,
        sample_weight: Any = None,
        *,
        propensities: Any = None,
        outcome_predictions: Any = None,
    ) -> Self:
        """Find the best tree of treatments.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            As for `OptimalTreeClassifier.fit`.
        treatment : array-like of shape (n_rows,)
            The treatment each record received: labels of any sortable type, at least two.
        outcome : array-like of shape (n_rows,), finite
        sample_weight : array-like of shape (n_rows,), or None
        propensities : array-like of shape (n_rows,) or (n_rows, n_treatments), or None
            Known probabilities of the treatment received, or of every treatment (sorted), in
            (0, 1]; estimated if None.
        outcome_predictions : array-like of shape (n_rows, n_treatments), or None
            Predicted outcomes under every treatment (sorted), in place of an outcome model.

        Returns
        -------
        self

        Raises
        ------
        InputError, InputTypeError
            If the data cannot be used: wrong shapes, numbers that are not finite, a single
            treatment, one that is too rare for the folds, a propensity of 0 or above 1.
        ParameterError
            If a parameter is out of range.
        """
        started = time.perf_counter()
        self._validate_params()
        records = read_records(X, type(self).__name__)
        targets = self._read_treatments(treatment, sample_weight, records.n_rows)
        if targets.classes.size < 2:
            raise InputError(
                f"treatment holds one treatment, {targets.classes.tolist()[0]!r}; a policy chooses "
                f"among at least two"
            )
        scores = self._scores(X, records, targets, outcome, propensities, outcome_predictions)
        goal = self._goal(targets, scores)
        return self._search(records, targets.rows, targets.weights, goal, started)

    def estimate_value(
        self,
        X: Any,
        treatment: Any,
        outcome: Any,
        sample_weight: Any = None,
        *,
        propensities: Any = None,
        outcome_predictions: Any = None,
    ) -> float:
        """Estimate the mean outcome if records were treated as the tree says.

        Parameters
        ----------
        X, treatment, outcome, sample_weight, propensities, outcome_predictions
            Observations as for `fit`; those that the tree was not fitted on give an honest
            estimate. The models are fitted anew on them.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        records = read_records(X, type(self).__name__)
        targets = self._read_treatments(treatment, sample_weight, records.n_rows)
        unknown = sorted(set(self.classes_.tolist()) - set(targets.classes.tolist()))
        if unknown or targets.classes.size != self.classes_.size:
            raise InputError(
                f"treatment holds {available(targets.classes.tolist())}, but the tree was fitted "
                f"with {available(self.classes_.tolist())}; all of these must occur, and no others"
            )
        scores = self._scores(X, records, targets, outcome, propensities, outcome_predictions)
        assigned = self.tree_.label[self.apply(X)]
        assigned = assigned if targets.rows is None else assigned[targets.rows]
        values = scores[np.arange(assigned.size), assigned]
        return float(np.average(values, weights=targets.weights))

    def _read_treatments(self, treatment: Any, sample_weight: Any, n_rows: int) -> Targets:
        try:
            return read_targets(treatment, sample_weight, n_rows, type(self).__name__)
        except InputError as error:
            raise InputError(f"treatment or sample_weight cannot be used: {error}") from error

    def _scores(
        self,
        X: Any,
        records: Records,
        targets: Targets,
        outcome: Any,
        propensities: Any,
        outcome_predictions: Any,
    ) -> NDArray[np.float64]:
        """Estimate the outcome of each record that counts under each treatment."""
        n_rows, rows, n_treatments = records.n_rows, targets.rows, targets.classes.size
        if propensities is not None:
            propensities = _read_propensities(propensities, targets, n_rows)
        if outcome_predictions is not None:
            outcome_predictions = read_numbers(
                outcome_predictions, "outcome_predictions", (n_rows, n_treatments), rows
            )
        observed = Observed(
            given=X if rows is None else _safe_indexing(X, rows),
            records=records,
            rows=rows,
            treatment=targets.labels,
            treatments=targets.classes,
            outcome=read_numbers(outcome, "outcome", (n_rows,), rows),
            weights=targets.weights,
        )
        nuisance = Nuisance(
            self.outcome_model,
            self.propensity_model,
            self.n_folds,
            self.min_propensity,
            draw_seed(self.random_state),
            count_threads(self.n_jobs),
        )
        return nuisance.scores(self.method, observed, propensities, outcome_predictions)

    def _goal(self, targets: Targets, scores: NDArray[np.float64]) -> AdditiveGoal:
        """Turn estimates into costs: how far a treatment is from the record's best one."""
        best = scores.max(axis=1) if self.maximize else scores.min(axis=1)
        costs = np.abs(best[:, None] - scores)
        if targets.weights is not None:
            costs *= targets.weights[:, None]
        return AdditiveGoal(
            classes=targets.classes,
            labels=targets.labels,
            weights=targets.weights,
            costs=costs,
            scale=1.0 / targets.total_weight,
            offset=float(np.average(best, weights=targets.weights)),
            maximize=bool(self.maximize),
        )


def _read_propensities(propensities: Any, targets: Targets, n_rows: int) -> NDArray[np.float64]:
    """Return the probability of the treatment received, for the records that count."""
    if np.ndim(propensities) == 2:
        shape = (n_rows, targets.classes.size)
        table = read_numbers(propensities, "propensities", shape, targets.rows)
        total = table.sum(axis=1)
        if (np.abs(total - 1.0) > _PROPENSITY_TOLERANCE).any():
            row = int(np.abs(total - 1.0).argmax())
            raise InputError(
                f"propensities holds {table[row].tolist()} for one record, which add up to "
                f"{total[row]:.6g}; the probabilities of all treatments add up to 1. Give one "
                f"column per treatment, in the order {available(targets.classes.tolist())}"
            )
        received = table[np.arange(targets.labels.size), targets.labels]
    else:
        received = read_numbers(propensities, "propensities", (n_rows,), targets.rows)
    if (received > 1).any() or (received < 0).any():
        bad = received[(received > 1) | (received < 0)][0]
        raise InputError(f"propensities holds {bad}; probabilities lie in (0, 1]")
    return received
