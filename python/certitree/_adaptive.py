"""The adaptive classifier: small candidate sets, solved exactly one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from certitree import _core
from certitree._classifier import OptimalTreeClassifier
from certitree._coding import CodedTable
from certitree._iteration import Iteration
from certitree._limits import capped, seconds_left
from certitree._model_file import storable
from certitree._peer_proposer import PeerProposer
from certitree._split import Split
from certitree.exceptions import ParameterError
from certitree.objectives import Objective, Search

ProposerFunction: TypeAlias = Callable[[int, list[Split], list[Split], int], Sequence[Split]]


@storable
class AdaptiveTreeClassifier(OptimalTreeClassifier):
    """A decision tree for wide and large tables, found by solving small problems exactly.

    With ``effort="paper"`` this is Algorithm 1 of "Scaling Optimal Classification Trees via
    Adaptive Feature and Sample Reduction" (2026): a random forest proposes the first candidate
    set of `max_candidates` splits; records that no candidate tells apart are merged, and the best
    tree over the candidates is found. The splits of the best tree so far stay; CART fits propose
    others in place of the rest, until nothing improves. With ``effort="high"`` the tree is first
    grown depth by depth: upper splits by what the best three levels below them would cost, the
    three lowest levels solved exactly over *all* splits, and then split by split exchanged for
    neighbours as long as that helps. It starts from the tree of the depth before, so that a deeper
    tree is never worse as long as no limit is met. ``effort="max"`` does so in several passes.

    The objectives, and the parameters not listed here, are those of `OptimalTreeClassifier`.
    Objectives that are no sums of costs (Matthews correlation, fairness) are solved as there.

    Parameters
    ----------
    max_depth : int, default=4
    max_nodes : int or None, default=None
    max_candidates : int, default=20
        Most splits in a candidate set (K). Except with ``effort="paper"``, sets that would take
        long beside the rest of the work are made smaller.
    time_limit : float or None, default=600
        Seconds for the whole of `fit` (T_max).
    inner_time_limit : float, default=100
        Seconds for one search over a candidate set (tau).
    max_iterations : int, default=300
        Most iterations (N_max).
    patience : int, default=3
        Iterations without improvement after which the loop ends (P_max).
    switch_after : int, default=2
        Iterations without improvement after which no split is proposed a second time (P_switch).
    tol : float, default=1e-9
        Least improvement of the accuracy that counts (epsilon).
    cart_fits : int, default=20
        CART fits that rank splits from the second iteration on.
    cart_depth : int, default=5
        Their depth.
    forest_trees : int, default=500
        Trees of the forest that proposes the first candidate set; except with
        ``effort="paper"``, that set is one start among others, and certitree's own forest has 25
        at most.
    proposer : {"certitree", "sklearn"} or callable, default="certitree"
        Who ranks splits: certitree's own forest and CART, scikit-learn's, or a function of
        (iteration from 1 on, all splits, splits not to propose, most splits wanted) that returns
        splits, the best first. Splits are `Split` objects.
    effort : {"high", "max", "paper"}, default="high"
        Exact subtrees around the loop, once or in several passes that take longer and longer (set
        a `time_limit` to end them), or the paper's algorithm as printed.
    certify : "auto" or bool, default="auto"
        Whether the exact search over all splits follows, to prove the tree, improve it, or bound
        how far it is from the best. "auto" does so where that is likely to end soon.

    Attributes
    ----------
    status_ : str
        "optimal" is a proof over all splits, "optimal_for_candidates" one over `candidates_`;
        "feasible" if the tree is not proven best though no limit was met; "time_limit",
        "memory_limit" or "interrupted" otherwise.
    lower_bound_ : float
        No tree over all splits has an objective below this.
    history_ : list of Iteration
        What each iteration did.
    candidates_ : tuple of Split
        The candidate set over which the tree was proven best, or else the last one.
    stop_reason_ : str
        Why the loop ended: "patience", "capacity" (the tree's splits leave no room for others in
        a candidate set),
        "no_candidates", "best_possible", "max_iterations", "solved" (the whole problem was solved
        without candidate sets), "time_limit", "memory_limit" or "interrupted".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from certitree import AdaptiveTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaptiveTreeClassifier(max_depth=3, effort="paper", certify=False).fit(X, y)
    >>> model.status_, model.stop_reason_
    ('optimal_for_candidates', 'patience')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OptimalTreeClassifier._parameter_constraints,
        "max_candidates": [Interval(Integral, 1, None, closed="left")],
        "inner_time_limit": [Interval(Real, 0, None, closed="neither")],
        "max_iterations": [Interval(Integral, 1, None, closed="left")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "switch_after": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "cart_fits": [Interval(Integral, 1, None, closed="left")],
        "cart_depth": [Interval(Integral, 1, None, closed="left")],
        "forest_trees": [Interval(Integral, 1, None, closed="left")],
        "proposer": [StrOptions({"certitree", "sklearn"}), callable],
        "effort": [StrOptions({"high", "max", "paper"})],
        "certify": ["boolean", StrOptions({"auto"})],
    }

    def __init__(
        self,
        *,
        objective: str | Objective = "accuracy",
        max_depth: int = 4,
        max_nodes: int | None = None,
        max_candidates: int = 20,
        time_limit: float | None = 600,
        inner_time_limit: float = 100,
        max_iterations: int = 300,
        patience: int = 3,
        switch_after: int = 2,
        tol: float = 1e-9,
        cart_fits: int = 20,
        cart_depth: int = 5,
        forest_trees: int = 500,
        proposer: Literal["certitree", "sklearn"] | ProposerFunction = "certitree",
        effort: Literal["high", "max", "paper"] = "high",
        certify: bool | Literal["auto"] = "auto",
        min_samples_leaf: int = 1,
        complexity_penalty: float = 0.0,
        max_bins: int = 100,
        candidates: Iterable[str | int | Split | tuple[str | int, Any]] | None = None,
        aggregate: bool = True,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            objective=objective,
            max_depth=max_depth,
            max_nodes=max_nodes,
            min_samples_leaf=min_samples_leaf,
            complexity_penalty=complexity_penalty,
            max_bins=max_bins,
            candidates=candidates,
            aggregate=aggregate,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.max_candidates = max_candidates
        self.inner_time_limit = inner_time_limit
        self.max_iterations = max_iterations
        self.patience = patience
        self.switch_after = switch_after
        self.tol = tol
        self.cart_fits = cart_fits
        self.cart_depth = cart_depth
        self.forest_trees = forest_trees
        self.proposer = proposer
        self.effort = effort
        self.certify = certify

    def _make_search(
        self, coded: CodedTable, table: _core.Table, limits: dict[str, Any], started: float
    ) -> AdaptiveSearch:
        """Let objectives search by the adaptive loop."""
        certify: Literal["auto", "always", "never"] = "auto"
        if self.certify != "auto":
            certify = "always" if self.certify else "never"
        loop = {
            "max_candidates": capped(self.max_candidates),
            "inner_time_limit": float(self.inner_time_limit),
            "max_iterations": capped(self.max_iterations),
            "patience": capped(self.patience),
            "switch_after": capped(self.switch_after),
            "tolerance": float(self.tol),
            "cart_fits": capped(self.cart_fits),
            "cart_depth": capped(self.cart_depth),
            "forest_trees": capped(self.forest_trees),
            "effort": self.effort,
            "certify": certify,
        }
        return AdaptiveSearch(
            coded, table, limits, self.time_limit, started, loop=loop, proposer=self.proposer
        )

    def _keep_search(self, search: Search) -> None:
        """Keep what the last run of the loop did."""
        runs = search.runs if isinstance(search, AdaptiveSearch) else []
        self.stop_reason_: str = "solved" if self.status_ == "optimal" else self.status_
        self.candidates_: tuple[Split, ...] = ()
        self.history_: list[Iteration] = []
        if not runs:
            return
        run, coded = runs[-1], search.coded
        self.stop_reason_ = run["stop_reason"]
        self.candidates_ = _splits(run["candidates"], coded)
        self.history_ = [
            Iteration(
                step=entry["step"],
                candidates=_splits(entry["candidates"], coded),
                n_unique=entry["n_unique"],
                compression=entry["compression"],
                seconds={str(stage): value for stage, value in entry["seconds"].items()},
                objective=entry["objective"],
                incumbent=entry["incumbent"],
                accepted=entry["accepted"],
                status=entry["status"],
            )
            for entry in run["history"]
        ]


@dataclass(frozen=True)
class AdaptiveSearch(Search):
    """A search whose additive solver is the adaptive loop.

    Attributes
    ----------
    loop : dict
        Arguments of `_core.refine` that `_core.solve` lacks.
    proposer : {"certitree", "sklearn"} or callable
    runs : list
        What each run of the loop returned.
    """

    loop: dict[str, Any] = field(default_factory=dict)
    proposer: Literal["certitree", "sklearn"] | ProposerFunction = "certitree"
    runs: list[_core.RefineResult] = field(default_factory=list)

    def additive(
        self,
        *,
        labels: NDArray[np.int32] | None,
        n_labels: int,
        weights: NDArray[np.float64] | None = None,
        costs: NDArray[np.float64] | None = None,
        cost_matrix: NDArray[np.float64] | None = None,
        node_penalty: float = 0.0,
        time_share: float = 1.0,
        max_depth: int | None = None,
    ) -> _core.SolveResult:
        """Find a tree of low summed cost; the arguments are those of `Search.additive`."""
        left = seconds_left(self.time_limit, self.started)
        limits = self.limits if max_depth is None else self.limits | {"max_depth": max_depth}
        found = _core.refine(
            self.table,
            labels=labels,
            n_labels=n_labels,
            weights=weights,
            costs=costs,
            cost_matrix=cost_matrix,
            node_penalty=node_penalty,
            time_limit=None if left is None else left * time_share,
            proposer=self._core_proposer(labels, weights, costs),
            **{name: value for name, value in limits.items() if name != "candidates"},
            **self.loop,
        )
        self.runs.append(found)
        return found

    def _core_proposer(
        self,
        labels: NDArray[np.int32] | None,
        weights: NDArray[np.float64] | None,
        costs: NDArray[np.float64] | None,
    ) -> _core.Proposer | None:
        """Return what the core is to call for proposals, or None for its own trees."""
        if callable(self.proposer):
            return _in_terms_of_the_user(self.proposer, self.table, self.coded)
        if self.proposer == "certitree":
            return None
        if labels is None and costs is not None:
            labels = costs.argmin(axis=1).astype(np.int32)
        if labels is None:
            raise ParameterError('proposer="sklearn" needs labels or costs; give "certitree"')
        return PeerProposer(
            self.table.splits(),
            self.coded,
            labels,
            weights,
            forest_trees=self.loop["forest_trees"],
            cart_fits=self.loop["cart_fits"],
            cart_depth=self.loop["cart_depth"],
            n_jobs=self.limits["n_threads"],
            seed=self.limits["seed"],
        )


def _splits(pairs: Sequence[tuple[int, int]], coded: CodedTable) -> tuple[Split, ...]:
    return tuple(_split(pair, coded) for pair in pairs)


def _split(pair: tuple[int, int], coded: CodedTable) -> Split:
    """Put a split in terms of the user's table, leaving out where missing values go.

    Features are named by their index: a table may have no column names.
    """
    condition, _ = coded.codings[pair[0]].condition(pair[1])
    if condition.operator == "<=":
        return Split(condition.feature, condition.threshold)
    if condition.operator == "==":
        categories = coded.features[condition.feature].categories
        return Split(condition.feature, categories[condition.category])
    return Split(condition.feature, None)


def _in_terms_of_the_user(
    function: ProposerFunction, table: _core.Table, coded: CodedTable
) -> _core.Proposer:
    """Translate between the core's splits and the user's."""
    pairs = table.splits()
    names = dict(zip(pairs, _splits(pairs, coded), strict=True))
    known: dict[Split, list[tuple[int, int]]] = {}
    for pair, split in names.items():
        known.setdefault(split, []).append(pair)

    def propose(
        iteration: int, excluded: list[tuple[int, int]], count: int
    ) -> list[tuple[int, int]]:
        barred = [names[pair] for pair in excluded]
        answer = function(iteration, list(known), barred, count)
        if not isinstance(answer, Iterable):
            raise ParameterError(
                f"the proposer returned {answer!r}; return a sequence of splits, the best first"
            )
        proposed = []
        for split in answer:
            if split not in known:
                raise ParameterError(
                    f"the proposer returned {split!r}, which is none of the {len(known)} splits it "
                    f"was given; return some of those"
                )
            proposed.extend(known[split])
        return proposed

    return propose
