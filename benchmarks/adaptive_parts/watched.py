"""An adaptive classifier that notes when it found each of its better trees."""

from __future__ import annotations

import time
from typing import Any, Self

from adaptive_parts.curve import Curve, improvements, iteration_ends
from certitree import AdaptiveTreeClassifier


class WatchedTree(AdaptiveTreeClassifier):
    """See the module.

    Attributes
    ----------
    improvements_ : list of (seconds since the start of `fit`, objective)
    n_splits_ : distinct splits of the table
    """

    def _make_search(self, coded: Any, table: Any, limits: dict[str, Any], started: float) -> Any:
        # Iterations say what they ended with; a long one is also looked at while it runs.
        self._looks: Curve = []
        self.n_splits_ = table.n_splits

        def look(progress: Any) -> None:
            self._looks.append((time.perf_counter() - started, progress["objective"]))

        return super()._make_search(coded, table, limits | {"progress": look}, started)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit, and work out when trees were found."""
        super().fit(X, y)
        stages = self.search_stats_["seconds"]
        ended = stages["read"] + stages["code"] + stages["solve"]
        ends = iteration_ends(self.history_, ended)
        self.improvements_ = improvements([*ends, *self._looks, (ended, self.objective_)])
        return self
