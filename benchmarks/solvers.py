"""One adapter per solver: how to set it up, and how to read what it found.

An adapter takes the problem in the form the solver likes best (converted before the clock
starts) and returns a `Job`. Imports happen when the adapter is called, not inside the timed fit.
Errors are counted from the tree's predictions, never taken from the solver's own report.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from problems import Problem


@dataclass(frozen=True)
class Outcome:
    """What a solver found.

    Attributes
    ----------
    errors : misclassified training rows, None if it returned no tree.
    proven : the solver says that no tree of this depth has fewer errors.
    lower_bound : its bound on the errors, None if it reports none.
    """

    errors: int | None
    proven: bool
    lower_bound: float | None = None


@dataclass(frozen=True)
class Job:
    """A fit ready to be timed; `fit` makes a new estimator each time it is called."""

    fit: Callable[[], Any]
    read: Callable[[Any], Outcome]


Adapter = Callable[[Problem, int, float, int], Job]


def count_errors(predictions: Any, problem: Problem) -> int:
    return int(np.count_nonzero(np.asarray(predictions).ravel() != problem.y))


def certitree(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from certitree import OptimalTreeClassifier

    def fit() -> Any:
        model = OptimalTreeClassifier(max_depth=depth, time_limit=time_limit, n_jobs=n_jobs)
        return model.fit(problem.X, problem.y)

    def read(model: Any) -> Outcome:
        errors = count_errors(model.predict(problem.X), problem)
        if errors != model.objective_:
            raise AssertionError(
                f"objective_ is {model.objective_}, the tree makes {errors} errors"
            )
        return Outcome(errors, model.status_ == "optimal", float(model.lower_bound_))

    return Job(fit, read)


def pystreed(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from pystreed import STreeDClassifier

    bits = problem.X.astype(np.intc)

    def fit() -> Any:
        model = STreeDClassifier(
            optimization_task="accuracy",
            max_depth=depth,
            max_num_nodes=2**depth - 1,
            time_limit=time_limit,
        )
        return model.fit(bits, problem.y)

    def read(model: Any) -> Outcome:
        if not model.is_fitted():
            return Outcome(None, proven=False)
        errors = count_errors(model.predict(bits), problem)
        return Outcome(errors, bool(model.fit_result.is_optimal()))

    return Job(fit, read)


def pydl85(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from pydl85 import DL85Classifier

    bits = problem.X.astype(np.int32)

    def fit() -> Any:
        return DL85Classifier(max_depth=depth, time_limit=round(time_limit)).fit(bits, problem.y)

    def read(model: Any) -> Outcome:
        if model.tree_ is None:
            return Outcome(None, proven=False)
        return Outcome(count_errors(model.predict(bits), problem), not model.timeout_)

    return Job(fit, read)


def pycontree(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from pycontree import ConTree

    values = problem.X.astype(np.float64)
    labels = problem.y.astype(np.intc)

    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Fitting exceeds time limit")
            return ConTree(max_depth=depth, time_limit=time_limit).fit(values, labels)

    def read(model: Any) -> Outcome:
        in_time = bool(model._config.is_within_time_limit())
        return Outcome(count_errors(model.predict(values), problem), in_time)

    return Job(fit, read)


def gosdt(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from gosdt import GOSDTClassifier, Status

    bits = problem.X.astype(bool)
    # GOSDT asks for a penalty per leaf. This one is too small to trade a single error for all
    # the leaves a tree of this depth can have, so that its optimum is the fewest errors.
    penalty = 0.5 / (len(problem.y) * 2**depth)

    def fit() -> Any:
        model = GOSDTClassifier(
            regularization=penalty,
            allow_small_reg=True,
            depth_budget=depth,
            time_limit=round(time_limit),
        )
        return model.fit(bits, problem.y)

    def read(model: Any) -> Outcome:
        # Its `predict` fails with scikit-learn >= 1.8, so its loss is taken as it is.
        errors = round(model.result_.model_loss * len(problem.y))
        return Outcome(errors, model.result_.status == Status.CONVERGED)

    return Job(fit, read)


def pytrees_dl85(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from pytrees import DL85Classifier

    def fit() -> Any:
        return DL85Classifier(max_depth=depth, max_time=time_limit).fit(problem.X, problem.y)

    def read(model: Any) -> Outcome:
        if model.tree_ is None:
            return Outcome(None, proven=False)
        errors = count_errors(model.predict(problem.X), problem)
        return Outcome(errors, model.status_ == "optimal")

    return Job(fit, read)


def pytrees_contree(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from pytrees import ConTreeClassifier

    values = problem.X.astype(np.float64)

    def fit() -> Any:
        return ConTreeClassifier(max_depth=depth, max_time=time_limit).fit(values, problem.y)

    def read(model: Any) -> Outcome:
        errors = count_errors(model.predict(values), problem)
        return Outcome(errors, model.status_ == "optimal")

    return Job(fit, read)


def licketysplit(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from licketysplit import LicketySPLITClassifier

    def fit() -> Any:
        model = LicketySPLITClassifier(lambda_leaf=0.0, depth_budget=depth)
        return model.fit(problem.X, problem.y)

    def read(model: Any) -> Outcome:
        return Outcome(count_errors(model.predict(problem.X), problem), proven=False)

    return Job(fit, read)


def cart(problem: Problem, depth: int, time_limit: float, n_jobs: int) -> Job:
    from sklearn.tree import DecisionTreeClassifier

    def fit() -> Any:
        return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(problem.X, problem.y)

    def read(model: Any) -> Outcome:
        return Outcome(count_errors(model.predict(problem.X), problem), proven=False)

    return Job(fit, read)


ADAPTERS: dict[str, Adapter] = {
    "certitree": certitree,
    "pystreed": pystreed,
    "pydl8.5": pydl85,
    "pycontree": pycontree,
    "gosdt": gosdt,
    "pytrees-dl85": pytrees_dl85,
    "pytrees-contree": pytrees_contree,
    "licketysplit": licketysplit,
    "cart": cart,
}
