"""Typed interface of the Rust extension module. Internal: use the estimators instead."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str

ColumnKind = Literal["ordered", "nominal"]

class BinaryGroup(TypedDict):
    """One coded column recovered from several 0/1 columns."""

    kind: ColumnKind
    members: list[tuple[int, bool]]
    """For each split of the coded column, in split order: (index of the 0/1 column, negated).

    The split is true where the 0/1 column is 1, or where it is 0 if `negated`.
    """
    n_codes: int

def group_binary(
    bits: NDArray[np.uint8],
) -> tuple[NDArray[np.uint8], list[BinaryGroup], list[int]]:
    """Find nested chains and mutually exclusive groups in a 0/1 matrix.

    Parameters
    ----------
    bits : uint8 array of shape (n_rows, n_columns), C- or Fortran-ordered, values 0 or 1.

    Returns
    -------
    codes : uint8 array of shape (n_coded_columns, n_rows).
    groups : one entry per coded column.
    dropped : indices of constant, duplicate and complementary columns.
    """

class Table:
    """A coded table: every column holds small integer codes.

    An ordered column with m codes has m - 1 splits; split j is true where code <= j.
    A nominal column has `n_splits` splits; split j is true where code == j. If it has one more
    code than splits, the last code belongs to no split of its own ("any other value").
    Splits that equal, or complement, an earlier split on every row are dropped when the table is
    built.
    """

    def __init__(
        self,
        codes: NDArray[np.uint8],
        kinds: Sequence[ColumnKind],
        n_codes: Sequence[int],
        n_splits: Sequence[int],
    ) -> None:
        """Take codes of shape (n_coded_columns, n_rows), C-ordered.

        Raises ValueError if inconsistent.
        """

    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def n_splits(self) -> int:
        """Number of distinct splits after dropping duplicates, complements and constants."""

    def splits(self) -> list[tuple[int, int]]:
        """List the kept splits as (coded column, split)."""

def find_leaves(
    codes: NDArray[np.uint8],
    kinds: Sequence[ColumnKind],
    nodes: Sequence[tuple[int, int, int, int, int]],
) -> NDArray[np.uint32]:
    """Find, for each row of a coded table, the node of a tree that is its leaf.

    `codes` and `kinds` are as in `Table`; `nodes` is as in `SolveResult`. Raises ValueError if the
    nodes make no tree over those columns.
    """

class SolveResult(TypedDict):
    """What a search returns."""

    status: Literal[
        "optimal",
        "optimal_for_candidates",
        "feasible",
        "time_limit",
        "memory_limit",
        "interrupted",
    ]
    objective: float
    """Cost of the tree: summed cost over the rows plus node_penalty x branching nodes."""
    lower_bound: float
    nodes: list[tuple[int, int, int, int, int]]
    """Pre-order list of (column, split, left, right, label); column = -1 for a leaf.

    `left` is the child where the split is true. left/right = -1 for a leaf; label = -1 for a
    branching node.
    """
    n_records: int
    n_unique: int
    n_unique_labelled: int
    stats: dict[str, Any]

class Progress(TypedDict):
    """A snapshot of a running search."""

    seconds: float
    objective: float
    lower_bound: float
    nodes: int
    stage: str

class RefineProgress(Progress):
    """A snapshot of a running adaptive loop; `stage` is propose, solve, improve or certify."""

    iteration: int
    n_candidates: int
    compression: float

class Iteration(TypedDict):
    """What one iteration of the adaptive loop did."""

    step: Literal["candidates", "subtrees", "all_splits"]
    candidates: list[tuple[int, int]]
    """The candidate set; empty where all splits were candidates."""
    n_unique: int
    compression: float
    seconds: dict[Literal["proposal", "projection", "solve", "score"], float]
    objective: float
    incumbent: float
    accepted: bool
    status: Literal["optimal", "time_limit", "memory_limit", "interrupted"] | None

class RefineResult(SolveResult):
    """What the adaptive loop returns; `lower_bound` holds for all splits."""

    stop_reason: str
    candidates: list[tuple[int, int]]
    history: list[Iteration]

def solve(
    table: Table,
    *,
    labels: NDArray[np.int32] | None,
    n_labels: int,
    weights: NDArray[np.float64] | None,
    costs: NDArray[np.float64] | None,
    max_depth: int,
    max_nodes: int | None,
    min_samples_leaf: int,
    node_penalty: float,
    candidates: Sequence[tuple[int, int]] | None,
    aggregate: bool,
    time_limit: float | None,
    memory_limit: int | None,
    n_threads: int,
    seed: int,
    kernel: Literal["auto", "histogram", "bitset", "recursive", "cube", "general"] = "auto",
    disable_bounds: Sequence[str] = (),
    progress: Callable[[Progress], None] | None = None,
    cost_matrix: NDArray[np.float64] | None = None,
) -> SolveResult:
    """Find the tree of least cost.

    Either `labels` (int32, shape (n_rows,), values in [0, n_labels)) with optional `weights`
    (cost of a record: its weight if mislabelled), or `costs` (float64, shape (n_rows, n_labels),
    finite, >= 0) must be given. With `labels`, `cost_matrix` (float64, shape (n_classes,
    n_labels), finite, >= 0) says what label j costs where label i is true, per unit of weight.
    `node_penalty` is absolute (per branching node). `candidates` restricts the splits to those
    (column, split) pairs. `kernel` "auto" takes the cube solver (all boxes of the splits) where
    its estimated work is the smaller one, and the general search otherwise; "cube" and "general"
    force the choice, the others are kernels of the general search. `time_limit` is the seconds
    left. At depth 5 and more, with kernel "auto", all splits and a time limit that a proof will
    hardly meet, a fifth of it goes to an adaptive run (see `refine`), whose random numbers come
    from `seed`. The GIL is released; signals are polled: Ctrl-C ends the search with status
    "interrupted". `progress` is called about four times a second from the calling thread. Raises
    ValueError with a message that begins with "invalid table", "invalid statistics", "invalid
    parameter" or "invalid candidate split"; `certitree.exceptions` turns it into an error for
    users.
    """

class MatthewsResult(TypedDict):
    """What `solve_matthews` returns."""

    status: Literal["optimal", "time_limit", "memory_limit", "interrupted"]
    objective: float
    """Matthews correlation of the tree, 0 or more."""
    upper_bound: float
    nodes: list[tuple[int, int, int, int, int]]
    """As in `SolveResult`."""
    false_positives: float
    false_negatives: float
    n_searches: int
    """Scalar searches, each for one corner of the hull of (false positives, false negatives)."""
    merge_seconds: float
    n_records: int
    n_unique: int
    n_unique_labelled: int

def solve_matthews(
    table: Table,
    *,
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    max_depth: int,
    max_nodes: int | None,
    min_samples_leaf: int,
    candidates: Sequence[tuple[int, int]] | None,
    aggregate: bool,
    time_limit: float | None,
    memory_limit: int | None,
    n_threads: int,
    progress: Callable[[Progress], None] | None = None,
) -> MatthewsResult:
    """Find the tree with the largest Matthews correlation.

    `labels` is 1 for the positive class and 0 for the other; both must occur with positive weight.
    Other arguments as in `solve`. A constant tree has correlation 0, so the best tree has at least
    that. Real weights are rounded to a fraction 2^-38 of their total: the optimum is proven up to
    that.
    """

class FairTree(TypedDict):
    """A tree, its errors and how differently it treats the groups."""

    objective: float
    """Summed weight of the errors."""
    disparity: float
    """Largest difference between the rates of two groups."""
    rates: list[float]
    """Rate of positive predictions per group (equal opportunity: among its positive records)."""
    nodes: list[tuple[int, int, int, int, int]]

class _FairnessTradeOff(TypedDict, total=False):
    trade_off: list[FairTree]
    """Only if asked for: for every disparity that pays, the tree with fewest errors, each proven.

    In rising order of errors.
    """
    trade_off_complete: bool
    """Whether it goes down to disparity 0."""

class FairnessResult(_FairnessTradeOff):
    """What `solve_fairness` returns."""

    status: Literal["optimal", "time_limit", "memory_limit", "interrupted"]
    objective: float
    lower_bound: float
    disparity: float
    rates: list[float]
    nodes: list[tuple[int, int, int, int, int]]
    met: list[FairTree]
    """Trees met in the search, those that another beats left out, in rising order of errors."""
    n_enforced: int
    """Ordered pairs of groups whose difference had to be bounded."""
    merge_seconds: float
    n_records: int
    n_unique: int
    n_unique_labelled: int

def solve_fairness(
    table: Table,
    *,
    labels: NDArray[np.int32],
    groups: NDArray[np.int32],
    n_groups: int,
    task: Literal["demographic_parity", "equal_opportunity"],
    limit: float,
    weights: NDArray[np.float64] | None,
    max_depth: int,
    max_nodes: int | None,
    min_samples_leaf: int,
    candidates: Sequence[tuple[int, int]] | None,
    aggregate: bool,
    time_limit: float | None,
    memory_limit: int | None,
    n_threads: int,
    trade_off: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> FairnessResult:
    """Find the tree with fewest errors whose group rates differ by no more than `limit` (0 to 1).

    `labels` is 1 for the positive class and 0 for the other; `groups` holds values in
    [0, n_groups), and each group must have weight (equal opportunity: weight in the positive
    class). A constant tree has disparity 0, so there always is a tree. Other arguments as in
    `solve`.
    """

def solve_impurity(
    table: Table,
    *,
    impurity: Literal["gini", "entropy"],
    labels: NDArray[np.int32],
    n_labels: int,
    weights: NDArray[np.float64] | None,
    max_depth: int,
    max_nodes: int | None,
    min_samples_leaf: int,
    node_penalty: float,
    candidates: Sequence[tuple[int, int]] | None,
    aggregate: bool,
    time_limit: float | None,
    memory_limit: int | None,
    progress: Callable[[Progress], None] | None = None,
) -> SolveResult:
    """Find the tree of least summed impurity of its leaves, on one thread.

    The impurity of a leaf of weight W with shares p is W (1 - sum p^2) for Gini, and
    -W sum p log2 p for entropy. Otherwise as `solve`.
    """

def solve_feature_costs(
    table: Table,
    *,
    error_costs: NDArray[np.float64],
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    prices: Sequence[tuple[float, float, int | None]],
    feature_of_column: Sequence[int],
    max_depth: int,
    max_nodes: int | None,
    min_samples_leaf: int,
    node_penalty: float,
    aggregate: bool,
    time_limit: float | None,
    memory_limit: int | None,
    n_threads: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> SolveResult:
    """Find the tree of least summed cost of predictions and of features looked at.

    `error_costs[i, j]` is the cost of predicting label j where label i is true. A record of weight
    w pays w times that, and w times the price of each distinct feature tested on its path. `prices`
    has (full, discounted, group) per feature, 0 <= discounted <= full: the discounted price is due
    where another feature of the group was paid before. `feature_of_column` names the feature of
    each coded column. Splits that equal each other may differ in price, so all splits of the table
    are candidates, not only those of `Table.splits`. Otherwise as `solve`.
    """

Proposer = Callable[[int, list[tuple[int, int]], int], Sequence[tuple[int, int]]]
"""Called with (iteration, excluded splits, most splits wanted); returns splits, best first."""

def refine(
    table: Table,
    *,
    labels: NDArray[np.int32] | None,
    n_labels: int,
    weights: NDArray[np.float64] | None,
    costs: NDArray[np.float64] | None,
    max_depth: int,
    max_nodes: int | None,
    min_samples_leaf: int,
    node_penalty: float,
    aggregate: bool,
    max_candidates: int,
    time_limit: float | None,
    inner_time_limit: float,
    max_iterations: int,
    patience: int,
    switch_after: int,
    tolerance: float,
    cart_fits: int,
    cart_depth: int,
    forest_trees: int,
    proposer: Proposer | None,
    effort: Literal["paper", "high", "max"],
    certify: Literal["auto", "always", "never"],
    memory_limit: int | None,
    n_threads: int,
    seed: int,
    kernel: Literal["auto", "histogram", "bitset", "recursive"] = "auto",
    progress: Callable[[RefineProgress], None] | None = None,
    cost_matrix: NDArray[np.float64] | None = None,
) -> RefineResult:
    """Find a good tree by adaptive candidate sets; see `solve` for what both take."""

def rank_splits(
    table: Table,
    *,
    labels: NDArray[np.int32] | None,
    n_labels: int,
    weights: NDArray[np.float64] | None,
    costs: NDArray[np.float64] | None,
    method: Literal["forest", "cart"],
    n_trees: int,
    max_depth: int | None,
    excluded: Sequence[tuple[int, int]],
    n_threads: int,
    seed: int,
) -> list[tuple[int, int, float]]:
    """Rank splits by a random forest or by repeated CART fits.

    Returns (column, split, importance), best first.
    """

def score_tree(
    values: Sequence[NDArray[np.float64]],
    nodes: Sequence[tuple[int, str, float, bool, int, int, int]],
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    node_penalty: float,
) -> tuple[float, int, list[int]]:
    """Score a tree on raw rows with the independent checker crate.

    `values`: one float64 array of length n_rows per feature; category features hold the category's
    index, NaN is missing. `nodes`: (feature, operator, value, missing_left, left, right, label);
    operator is "<=", "==" or "missing"; feature = -1 for a leaf. Returns (weighted errors +
    node_penalty x branching nodes, number of leaves, records per leaf).
    """
