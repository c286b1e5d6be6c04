"""Fit a table and summarise the fit, beside scikit-learn's CART, in a record that others render."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

from certitree._cart_baseline import cart_beside
from certitree._classifier import OptimalTreeClassifier
from certitree._files import FileError, Source, check_writable, require_columns
from certitree._methods import make_classifier
from certitree._objective_choice import ObjectiveChoice
from certitree.objectives._group_fairness import GroupFairness


@dataclass(frozen=True)
class Score:
    """A measure of predictions.

    Attributes
    ----------
    train : float
        On the rows that were fitted.
    test : float or None
        On the rows kept aside; None if there are none.
    """

    train: float
    test: float | None


@dataclass(frozen=True)
class Comparison:
    """The same measure of three models.

    Attributes
    ----------
    measure : str
        Its name.
    tree, cart, constant : Score
        Of the tree, of CART with the same depth on the same splits, and of always giving the class
        that weighs most.
    """

    measure: str
    tree: Score
    cart: Score
    constant: Score


@dataclass(frozen=True)
class FitReport:
    """What a fit did to a table and what came of it.

    Attributes
    ----------
    source, target : str
        The table and the column that is predicted.
    n_rows, n_train, n_test : int
        Rows of the table, and how they were shared out.
    n_columns, n_splits : int
        Columns that the tree may use, and the different splits they give.
    saved_to : pathlib.Path or None
        Where the model was written.
    accuracy : Comparison
        Fractions of the weight that are predicted right.
    own_score : Comparison or None
        What the objective scores, if that is another measure.
    disparity : Comparison or None
        With a fairness objective, the largest difference between two groups' rates: less is
        better.
    seconds : float
        Wall time of the fit.
    model : OptimalTreeClassifier
        The fitted model, with the certificate.
    """

    source: str
    target: str
    n_rows: int
    n_train: int
    n_test: int
    n_columns: int
    n_splits: int
    saved_to: Path | None
    accuracy: Comparison
    own_score: Comparison | None
    disparity: Comparison | None
    seconds: float
    model: OptimalTreeClassifier


@dataclass(frozen=True)
class _Rows:
    """Features, labels and weights of some rows."""

    features: pa.Table
    labels: NDArray[Any]
    weights: NDArray[np.float64] | None

    def take(self, rows: NDArray[np.intp]) -> "_Rows":
        weights = None if self.weights is None else self.weights[rows]
        return _Rows(self.features.take(pa.array(rows)), self.labels[rows], weights)


def fit_beside_cart(
    source: Source,
    *,
    target: str | None = None,
    weight: str | None = None,
    drop: Sequence[str] = (),
    test_size: float = 0.2,
    seed: int = 0,
    save_to: Path | None = None,
    objective: ObjectiveChoice | None = None,
    method: str = "exact",
    certify: bool = False,
    **parameters: Any,
) -> FitReport:
    """Share out the rows, fit the tree and CART, save the tree, and measure both.

    Parameters
    ----------
    source : Source
        The table.
    target : str, optional
        The column to predict; the source's own if it has one and none is given.
    weight : str, optional
        A numeric column with the weight of each row.
    drop : sequence of str
        Columns that the tree may not use.
    test_size : float
        Fraction of the rows, in [0, 1), kept for testing, chosen at random within each class.
    seed : int
        Of that choice, and `random_state` of the model.
    save_to : pathlib.Path, optional
        Where to save the model.
    objective : ObjectiveChoice, optional
        What the tree is to be best at; accuracy if not given.
    method, certify
        How to search; see `make_classifier`.
    **parameters
        Of `OptimalTreeClassifier`.

    Returns
    -------
    FitReport

    Raises
    ------
    FileError
        If a column is missing or cannot serve, or the rows cannot be shared out.
    ValueError
        If the model refuses the data or the parameters.
    """
    if save_to is not None:
        check_writable(save_to)  # found out before the search, which may take long
    choice = ObjectiveChoice() if objective is None else objective
    target = _target(source, target)
    rows = _rows(source, target, weight, drop)
    _check_sensitive(choice.sensitive, rows, source, drop)
    goal = choice.make(np.unique(rows.labels).tolist(), target)
    train, test = _share_out(rows, test_size, seed)
    model = make_classifier(
        method, certify=certify, objective=goal, random_state=seed, **parameters
    )
    start = time.perf_counter()
    model.fit(train.features, train.labels, sample_weight=train.weights)
    seconds = time.perf_counter() - start
    if save_to is not None:
        _save(model, save_to)
    cart = cart_beside(model, train.features, train.labels, train.weights)
    heaviest = _heaviest_class(train)
    predictors = (model.predict, cart.model.predict, lambda x: np.full(x.num_rows, heaviest))
    goal = goal.for_classes(model.classes_)
    own_score = disparity = None
    if goal.score_name != "accuracy":
        own_score = _compare(goal.score_name, _plain(goal.score), predictors, train, test)
    if isinstance(goal, GroupFairness):
        disparity = _compare("disparity", _between_groups(goal), predictors, train, test)
    return FitReport(
        source=source.name,
        target=target,
        n_rows=source.table.num_rows,
        n_train=train.features.num_rows,
        n_test=test.features.num_rows if test else 0,
        n_columns=train.features.num_columns,
        n_splits=cart.n_splits,
        saved_to=save_to,
        accuracy=_compare("accuracy", _plain(accuracy_score), predictors, train, test),
        own_score=own_score,
        disparity=disparity,
        seconds=seconds,
        model=model,
    )


def _target(source: Source, target: str | None) -> str:
    if target is None:
        target = source.default_target
    if target is None:
        raise FileError(
            "no target column was named",
            f"add --target COLUMN, one of: {', '.join(source.table.column_names)}",
        )
    require_columns(source.table, [target], "target column", source.name)
    return target


def _rows(source: Source, target: str, weight: str | None, drop: Sequence[str]) -> _Rows:
    table = source.table
    require_columns(table, drop, "column to drop", source.name)
    if target in drop:
        raise FileError(
            f"the target column {target!r} is also to be dropped", "leave out that --drop"
        )
    weights = None
    if weight is not None:
        require_columns(table, [weight], "weight column", source.name)
        if weight == target:
            raise FileError(f"{weight!r} is both target and weight column", "name two columns")
        weights = _weights(table.column(weight), weight)
    labels = _labels(table.column(target), target)
    features = table.drop_columns(list({target, *drop, *([weight] if weight else [])}))
    if not features.num_columns:
        raise FileError("no column is left to split on", "keep more columns than target and weight")
    return _Rows(features, labels, weights)


def _labels(column: pa.ChunkedArray, name: str) -> NDArray[Any]:
    if column.null_count:
        raise FileError(
            f"the target column {name!r} has {column.null_count:,} missing values",
            "leave out the rows without a label",
        )
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_decimal(kind):
        column, kind = column.cast(pa.float64()), pa.float64()
    known = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    texts = (pa.types.is_string, pa.types.is_large_string)
    if not any(fits(kind) for fits in (*known, *texts)):
        raise FileError(
            f"the target column {name!r} has type {kind}",
            "classes are texts, whole numbers or booleans; convert the column to one of these",
        )
    return np.asarray(column.to_numpy())


def _check_sensitive(
    sensitive: str | None, rows: _Rows, source: Source, drop: Sequence[str]
) -> None:
    if sensitive is None:
        return
    if sensitive in drop:
        raise FileError(
            f"the sensitive column {sensitive!r} is also to be dropped",
            "leave out that --drop: the tree does not split on the column anyway",
        )
    if sensitive in source.table.column_names and sensitive not in rows.features.column_names:
        raise FileError(
            f"the sensitive column {sensitive!r} is also the target or the weight column",
            "name another column: the groups to compare",
        )
    require_columns(rows.features, [sensitive], "sensitive column", source.name)


def _weights(column: pa.ChunkedArray, name: str) -> NDArray[np.float64]:
    number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if not number or column.null_count:
        found = f"{column.null_count} missing values" if number else f"type {column.type}"
        raise FileError(
            f"the weight column {name!r} has {found}", "every row needs a number as its weight"
        )
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _share_out(rows: _Rows, test_size: float, seed: int) -> tuple[_Rows, _Rows | None]:
    n_rows = rows.features.num_rows
    if not 0 <= test_size < 1:
        raise FileError(
            f"the test size is {test_size}", "give a fraction of at least 0 and below 1"
        )
    n_test = int(np.ceil(test_size * n_rows))
    if not n_test:
        return rows, None
    if n_test >= n_rows:
        raise FileError(
            f"a test size of {test_size} leaves none of {n_rows} rows to fit", "set --test-size 0"
        )
    counts = np.unique(rows.labels, return_counts=True)[1]
    # Sharing out within classes needs two rows of each and room for each on both sides.
    within = counts.min() >= 2 and len(counts) <= min(n_test, n_rows - n_test)
    train, test = train_test_split(
        np.arange(n_rows),
        test_size=n_test,
        random_state=seed,
        stratify=rows.labels if within else None,
    )
    return rows.take(np.sort(train)), rows.take(np.sort(test))


_Measure: TypeAlias = Callable[[_Rows, NDArray[Any]], float]
"""Of some rows and what is predicted for them."""


def _plain(score: Callable[..., float]) -> _Measure:
    return lambda rows, predicted: score(rows.labels, predicted, sample_weight=rows.weights)


def _between_groups(goal: GroupFairness) -> _Measure:
    def measure(rows: _Rows, predicted: NDArray[Any]) -> float:
        groups = rows.features.column(goal.sensitive).to_pylist()
        return goal.disparity(rows.labels, predicted, groups, rows.weights)

    return measure


def _compare(
    name: str,
    measure: _Measure,
    predictors: Sequence[Callable[[pa.Table], NDArray[Any]]],
    train: _Rows,
    test: _Rows | None,
) -> Comparison:
    """Measure the tree, CART and the constant, in this order."""

    def on(rows: _Rows, predict: Callable[[pa.Table], NDArray[Any]]) -> float:
        return float(measure(rows, predict(rows.features)))

    tree, cart, constant = (
        Score(on(train, predict), on(test, predict) if test else None) for predict in predictors
    )
    return Comparison(name, tree, cart, constant)


def _heaviest_class(rows: _Rows) -> Any:
    classes, codes = np.unique(rows.labels, return_inverse=True)
    return classes[np.argmax(np.bincount(codes, weights=rows.weights))]


def _save(model: OptimalTreeClassifier, path: Path) -> None:
    try:
        model.save(path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror}", "choose another file") from error
