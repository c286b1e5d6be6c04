"""The exact classifier."""

from __future__ import annotations

import time
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypedDict

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from certitree import _core
from certitree._base import TreeClassifier
from certitree._binning import MAX_BINS, code_records
from certitree._builder import build_tree
from certitree._coding import CodedTable
from certitree._frame import Records, read_records
from certitree._limits import count_threads, draw_seed, parse_memory, relative_gap, seconds_left
from certitree._model_file import storable
from certitree._progress import Callback, live_progress
from certitree._split import Split, select
from certitree._targets import Targets, read_targets
from certitree.exceptions import translate_core_errors


class CoreRequest(TypedDict):
    """What every solver of the core is told."""

    labels: NDArray[np.int32]
    n_labels: int
    weights: NDArray[np.float64] | None
    costs: None
    max_depth: int
    max_nodes: int | None
    min_samples_leaf: int
    node_penalty: float
    aggregate: bool
    time_limit: float | None
    memory_limit: int | None
    n_threads: int
    seed: int
    progress: Callback | None


@storable
class OptimalTreeClassifier(TreeClassifier):
    """The decision tree that provably errs least on the training records.

    Among all trees of at most `max_depth` levels and `max_nodes` branching nodes whose leaves hold
    at least `min_samples_leaf` records each, `fit` finds one that minimises

        misclassified weight + complexity_penalty x total weight x number of branching nodes,

    and among equally good trees one with the fewest nodes. If it is stopped early, the best tree
    so far is kept, with a lower bound on what any tree can reach.

    Limits combine: the tightest one counts. A limit that leaves no split (`max_depth=0`,
    `max_nodes=0`, `min_samples_leaf` above the number of records) gives a single leaf.

    Parameters
    ----------
    max_depth : int, default=3
        Most branching nodes on a path from the root to a leaf; 0 is a single leaf.
    max_nodes : int or None, default=None
        Most branching nodes; None for as many as the depth allows.
    min_samples_leaf : int, default=1
        Fewest records (of non-zero weight) in a leaf.
    complexity_penalty : float, default=0.0
        Price of a branching node, as a share of the total weight: with 0.01, a node must repay
        itself by one error less in every hundred records.
    max_bins : int, default=100
        Most bins of a numeric column, 2 to 255. A column of no more distinct values is split
        between any two of them; otherwise at quantiles of the training weight.
    candidates : list or None, default=None
        The candidate set: names or indices of features (all their splits), `Split` objects, or
        pairs (feature, threshold) and (feature, category). None for all splits.
    aggregate : bool, default=True
        Merge records that no candidate split tells apart. The result is the same either way.
    time_limit : float or None, default=None
        Seconds for the whole of `fit`.
    memory_limit : int, str or None, default=None
        Bytes for the cache and the workspaces of the search; also "800MB", "1GiB".
    n_jobs : int or None, default=None
        Threads: None is 1 unless in a `joblib.parallel_config` context; -1 is all processors.
        The tree does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the heuristics that find first trees. None is a fixed seed.
    verbose : int, default=0
        1 shows a live table of the search.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted"}
        Why the search ended; "optimal" is a proof.
    objective_ : float
        Misclassified weight plus penalty of `tree_`.
    lower_bound_ : float
        No tree within the limits has an objective below this.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``, in [0, 1]; exactly 0 if optimal.
    n_branching_nodes_, n_leaves_ : int
    search_stats_ : dict
        Counters of the search; ``"seconds"`` is a dict of the seconds by stage (``"solve"`` is
        merging, warm start and search together with handing them over).
    n_records_ : int
        Training records of non-zero weight.
    n_unique_ : int
        Records left after merging those with equal splits.
    n_unique_labelled_ : int
        The same, counting those with different labels apart.
    classes_ : array of shape (n_classes,)
    features_ : tuple of Feature
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        Only if the training table had column names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from certitree import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.status_, model.objective_, model.gap_
    ('optimal', 6.0, 0.0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_depth": [Interval(Integral, 0, None, closed="left")],
        "max_nodes": [Interval(Integral, 0, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "complexity_penalty": [Interval(Real, 0, None, closed="left")],
        "max_bins": [Interval(Integral, 2, MAX_BINS, closed="both")],
        "candidates": ["array-like", None],
        "aggregate": ["boolean"],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "memory_limit": [Interval(Integral, 1, None, closed="left"), str, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            numpy, scipy sparse, or any frame narwhals reads (pandas, Polars, PyArrow). Numbers
            make numeric features; strings, categoricals and bools make nominal ones. NaN, None,
            null and pandas.NA are missing values, which the tree may split on.
        y : array-like of shape (n_rows,)
            Labels of any sortable type.
        sample_weight : array-like of shape (n_rows,), or None
            Weights, finite and not negative; a record of weight zero is left out.

        Returns
        -------
        self

        Raises
        ------
        InputError, InputTypeError
            If the table, the labels or the weights cannot be used.
        ParameterError
            If a parameter is out of range, or a candidate split does not exist.
        """
        started = time.perf_counter()
        self._validate_params()
        n_threads = count_threads(self.n_jobs)
        memory_limit = parse_memory(self.memory_limit)
        name = type(self).__name__
        records = read_records(X, name)
        targets = read_targets(y, sample_weight, records.n_rows, name)
        selections = select(self.candidates, records.names, records.n_features)
        read = time.perf_counter()
        coded = code_records(
            records,
            targets.rows,
            targets.weights,
            max_bins=self.max_bins,
            selections=selections,
        )
        with translate_core_errors():
            table = _core.Table(coded.codes, coded.kinds, coded.n_codes, coded.n_splits)
            coded_at = time.perf_counter()
            with live_progress(self.verbose, started) as progress:
                request: CoreRequest = {
                    "labels": targets.labels,
                    "n_labels": targets.classes.size,
                    "weights": targets.weights,
                    "costs": None,
                    "max_depth": self.max_depth,
                    "max_nodes": self.max_nodes,
                    "min_samples_leaf": self.min_samples_leaf,
                    "node_penalty": self.complexity_penalty * targets.total_weight,
                    "aggregate": bool(self.aggregate),
                    "time_limit": seconds_left(self.time_limit, started),
                    "memory_limit": memory_limit,
                    "n_threads": n_threads,
                    "seed": draw_seed(self.random_state),
                    "progress": progress,
                }
                result = self._search(table, coded, request)
        solved = time.perf_counter()
        self._keep_table(records, coded, targets)
        self._keep_result(result, coded, targets)
        stats = self.search_stats_
        stats["seconds"] = {
            "read": read - started,
            "code": coded_at - read,
            **{
                key.removesuffix("_seconds"): stats.pop(key)
                for key in list(stats)
                if key.endswith("_seconds")
            },
            "solve": solved - coded_at,
            "total": time.perf_counter() - started,
        }
        return self

    def _search(
        self, table: _core.Table, coded: CodedTable, request: CoreRequest
    ) -> _core.SolveResult:
        """Ask the core for a tree."""
        return _core.solve(table, candidates=None, **request)

    def _keep_table(self, records: Records, coded: CodedTable, targets: Targets) -> None:
        self.n_features_in_ = records.n_features
        if records.names is not None:
            self.feature_names_in_: NDArray[np.object_] = np.array(records.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.features_ = coded.features
        self.classes_ = targets.classes

    def _keep_result(self, result: _core.SolveResult, coded: CodedTable, targets: Targets) -> None:
        self.tree_ = build_tree(
            result["nodes"], coded, targets.labels, targets.weights, targets.classes.size
        )
        self.status_ = result["status"]
        self.objective_ = float(result["objective"])
        optimal = self.status_ == "optimal"
        self.lower_bound_ = self.objective_ if optimal else float(result["lower_bound"])
        self.gap_ = relative_gap(self.objective_, self.lower_bound_)
        self.n_records_ = int(result["n_records"])
        self.n_unique_ = int(result["n_unique"])
        self.n_unique_labelled_ = int(result["n_unique_labelled"])
        self.search_stats_: dict[str, Any] = dict(result["stats"])
