"""The exact classifier."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np

from certitree._base import TreeClassifier
from certitree._exact import ExactSearch
from certitree._frame import read_records
from certitree._model_file import storable
from certitree._split import Split
from certitree._targets import read_targets
from certitree.objectives import Objective, as_objective
from certitree.objectives._record_costs import read_costs


@storable
class OptimalTreeClassifier(ExactSearch, TreeClassifier):
    """The decision tree that is provably best on the training records.

    Among all trees of at most `max_depth` levels and `max_nodes` branching nodes whose leaves hold
    at least `min_samples_leaf` records each, `fit` finds one that is best by `objective`. By
    default it minimises

        misclassified weight + complexity_penalty x total weight x number of branching nodes,

    and among equally good trees it takes one with the fewest nodes. If it is stopped early, the
    best tree so far is kept, with a bound on what any tree can reach.

    Limits combine: the tightest one counts. A limit that leaves no split (`max_depth=0`,
    `max_nodes=0`, `min_samples_leaf` above the number of records) gives a single leaf.

    Parameters
    ----------
    objective : str or Objective, default="accuracy"
        What the tree is to be best at: a name of `certitree.objectives.objective_names`, or an
        object of `certitree.objectives` such as ``F1(pos_label="yes")`` or
        ``Accuracy(class_weight="balanced")``.
    max_depth : int, default=3
        Most branching nodes on a path from the root to a leaf, 0 (a single leaf) to 16.
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
        Seconds for the whole of `fit`. Where a proof takes long (depth 4 and more), up
        to a fifth is spent on an adaptive run (see `AdaptiveTreeClassifier`) for a better first
        tree.
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
        Value of `tree_` in the units of the objective, penalty included; by default the
        misclassified weight plus penalty.
    lower_bound_, upper_bound_ : float
        The best value of any tree within the limits lies between them. Where less is better,
        `upper_bound_` is `objective_` and no tree has a value below `lower_bound_`; where more is
        better, `lower_bound_` is `objective_` and none has a value above `upper_bound_`.
    gap_ : float
        ``(upper_bound_ - lower_bound_) / max(abs(lower_bound_), abs(upper_bound_))``, in [0, 1];
        exactly 0 if optimal.
    n_branching_nodes_, n_leaves_ : int
    search_stats_ : dict
        Counters of the search; ``"seconds"`` is a dict of the seconds by stage (``"code"`` finds
        the records that merge; ``"solve"`` is merging them, warm start and search together with
        handing them over).
    n_records_ : int
        Training records of non-zero weight.
    n_unique_ : int
        Records left after merging those with equal splits.
    n_unique_labelled_ : int
        The same, counting those with different labels apart.
    disparity_ : float
        Only with a fairness objective: largest difference between the rates of two groups.
    group_rates_ : dict from group to float
        Only with a fairness objective: rate of positive predictions of each group.
    fairness_curve_ : list of FairnessPoint
        Only with a fairness objective: trade-off between errors and disparity.
    feature_cost_ : float
        Only with objective `FeatureCosts`: what the features on the records' paths cost.
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
        "objective": [str, Objective],
        **ExactSearch._parameter_constraints,
    }

    def __init__(
        self,
        *,
        objective: str | Objective = "accuracy",
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
        self.objective = objective
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
        return as_objective(self.objective).maximize

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        costs: Any = None,
        sensitive: Any = None,
    ) -> Self:
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
        costs : array-like of shape (n_rows, n_classes), or None
            Cost of predicting each class, for objective ``"record_costs"``; finite and >= 0.
        sensitive : array-like of shape (n_rows,), or None
            Group of each record, for fairness objectives that name no column of X.

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
        name = type(self).__name__
        records = read_records(X, name)
        targets = read_targets(y, sample_weight, records.n_rows, name)
        costs = read_costs(costs, records.n_rows, targets.rows)
        objective = as_objective(self.objective)
        goal = objective.bind_records(records, targets, costs, sensitive)
        return self._search(records, targets.rows, targets.weights, goal, started)
