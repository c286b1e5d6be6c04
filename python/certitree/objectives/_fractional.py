"""Ratios of two sums, by Dinkelbach's method: a few additive searches, each with exact costs.

For a ratio N(tree) / D(tree) and a number t, some tree has a ratio above t if and only if
the greatest N - t D over all trees is above 0. N and D are linear in the false negatives FN and
the false positives FP, so the search for that tree is an additive one. Starting from the ratio of
a known tree, each search either proves that no tree is better, or finds a better tree, whose
ratio is the next t (W. Dinkelbach, "On nonlinear fractional programming", 1967).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from certitree import _core
from certitree._column import Array
from certitree.objectives._additive import is_whole
from certitree.objectives._base import Goal, refuse_penalty
from certitree.objectives._search import CoreNodes, Found, Search

_SHALLOW = (1, 2, 3)
"""Depths whose best trees, quickly found, give the first ratios for deeper searches."""

_SHALLOW_SHARE = 0.1
"""Share of the time left that each of them may take."""


@dataclass(frozen=True)
class Ratio:
    """A score (hits x TP) / (hits x TP + missed x FN + FP), weights summed; 1 is perfect.

    F1 has hits = 2, missed = 1; F-beta 1 + beta^2 and beta^2; Jaccard 1 and 1.
    """

    hits: Fraction
    missed: Fraction

    def value(self, positive: Fraction, fn: Fraction, fp: Fraction) -> Fraction:
        """Return the score, given the positive weight (> 0) and the errors."""
        found = self.hits * (positive - fn)
        return found / (found + self.missed * fn + fp)

    def prices(self, t: Fraction) -> tuple[Fraction, Fraction]:
        """Return the cost of a false negative and of a false positive in the search at t.

        N - t D = hits (1 - t) positive - cost, with cost = price_fn FN + price_fp FP.
        """
        return self.hits * (1 - t) + self.missed * t, t

    def bound(
        self, positive: Fraction, negative: Fraction, t: Fraction, least: Fraction
    ) -> Fraction:
        """Return a score that no tree exceeds, if none costs less than `least` at t.

        The score falls with FN and with FP, so it is greatest where the cost is `least`; on that
        line it is a ratio of linear functions, so it is greatest at one of its ends.
        """
        price_fn, price_fp = self.prices(t)
        ends = []
        for fn_first in (True, False):
            if fn_first:
                fn = min(positive, least / price_fn)
                fp = (least - price_fn * fn) / price_fp
            else:
                fp = min(negative, least / price_fp)
                fn = (least - price_fp * fp) / price_fn
            if fn <= positive and fp <= negative:
                ends.append(self.value(positive, max(Fraction(0), fn), max(Fraction(0), fp)))
        return max(ends, default=Fraction(0))


@dataclass(frozen=True, eq=False)
class FractionalGoal(Goal):
    """Maximise a ratio of the positive class.

    Attributes
    ----------
    classes, labels, weights
        See `Goal`; there are two classes.
    positive : int
        Index of the positive class, 0 or 1.
    ratio : Ratio
    name : str
        Name of the objective.
    """

    classes: Array
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    positive: int
    ratio: Ratio
    name: str

    def search(self, search: Search, complexity_penalty: float) -> Found:
        """Find the best tree; see `Goal.search`."""
        refuse_penalty(complexity_penalty, self.name)
        run = _Dinkelbach(self, search)
        result = run.improve_by_level(search.limits["max_depth"])
        optimal = result["status"] == "optimal"
        score = float(run.score)
        return Found(
            nodes=run.nodes,
            status=result["status"],
            objective=score,
            lower_bound=score,
            upper_bound=score if optimal else max(score, float(run.upper)),
            n_records=result["n_records"],
            n_unique=result["n_unique"],
            n_unique_labelled=result["n_unique_labelled"],
            stats=dict(run.stats) | {"searches": run.searches},
        )


class _Dinkelbach:
    """The best tree so far, and the searches that improve it."""

    def __init__(self, goal: FractionalGoal, search: Search) -> None:
        self.goal = goal
        self.ratio = goal.ratio
        self.run_search = search
        self.whole = is_whole(goal.weights)
        self.weights = goal.weights if self.whole else _scaled(goal.weights)
        self.is_positive = goal.labels == goal.positive
        self.p = self._sum(self.is_positive)
        self.n = self._sum(~self.is_positive)
        # The leaf that calls everything positive has a ratio above 0, so costs are never all zero.
        self.nodes: CoreNodes = [(-1, -1, -1, -1, goal.positive)]
        self.score = self.ratio.value(self.p, Fraction(0), self.n)
        self.upper = Fraction(1)
        self.searches = 0
        self.stats: Counter[str] = Counter()

    def improve_by_level(self, depth: int) -> _core.SolveResult:
        """Search at some lesser depths first, then at `depth`; return the last result."""
        for shallow in _SHALLOW:
            if shallow < depth:
                result = self.improve(shallow, _SHALLOW_SHARE, final=False)
                if result["status"] == "interrupted":
                    return result
        return self.improve(depth, 1.0, final=True)

    def improve(self, depth: int, time_share: float, *, final: bool) -> _core.SolveResult:
        """Search until no tree of this depth is better, or time is up.

        A search at the `final` depth bounds the score of every tree.
        """
        while True:
            t = self.score
            price_fn, price_fp = self._whole_prices(t)
            result = self.run_search.additive(
                labels=self.goal.labels,
                n_labels=2,
                weights=self.weights,
                cost_matrix=self._cost_matrix(price_fn, price_fp),
                time_share=time_share,
                max_depth=depth,
            )
            self.searches += 1
            self.stats.update(result["stats"])
            if final:
                self._tighten(t, price_fn, result)
            score = self._evaluate(result["nodes"])
            if score > self.score:
                self.score, self.nodes = score, result["nodes"]
                # Without a proof too: the solver may not give one, and out of time it soon returns.
                if result["status"] != "interrupted":
                    continue
            return result

    def _cost_matrix(self, price_fn: int, price_fp: int) -> NDArray[np.float64]:
        """Return the cost of each label where a class is true, per unit of weight."""
        positive = self.goal.positive
        matrix = np.zeros((2, 2))
        matrix[positive, 1 - positive] = price_fn
        matrix[1 - positive, positive] = price_fp
        return matrix

    def _whole_prices(self, t: Fraction) -> tuple[int, int]:
        """Return prices as whole numbers in the exact ratio, so that whole weights stay exact."""
        price_fn, price_fp = self.ratio.prices(t)
        quotient = price_fn / price_fp
        return quotient.numerator, quotient.denominator

    def _tighten(self, t: Fraction, whole_price_fn: int, result: _core.SolveResult) -> None:
        """Turn the lower bound on the cost at t into an upper bound on the score."""
        unit = self.ratio.prices(t)[0] / whole_price_fn
        least = Fraction(max(0.0, result["lower_bound"])) * unit
        self.upper = min(self.upper, self.ratio.bound(self.p, self.n, t, least))

    def _evaluate(self, nodes: CoreNodes) -> Fraction:
        called = self.run_search.predict(nodes) == self.goal.positive
        return self.ratio.value(
            self.p, self._sum(self.is_positive & ~called), self._sum(called & ~self.is_positive)
        )

    def _sum(self, rows: NDArray[np.bool_]) -> Fraction:
        if self.weights is None:
            return Fraction(int(np.count_nonzero(rows)))
        total = Fraction(float(self.weights[rows].sum()))
        return total if self.whole else total.limit_denominator(2**40)


def _scaled(weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Multiply weights by a power of two, so that the greatest lies in [0.5, 1).

    A ratio does not depend on the unit of weights, but sums of very small ones would be rounded to
    nothing, and prices times very large ones overflow.
    """
    if weights is None:
        return None
    return np.ldexp(weights, -int(np.frexp(weights.max())[1]))
