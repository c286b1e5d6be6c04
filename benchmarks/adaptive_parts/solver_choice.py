"""An exact classifier that is told which solver of the core to use."""

from __future__ import annotations

from typing import Any

from certitree import OptimalTreeClassifier


class FixedSolverTree(OptimalTreeClassifier):
    """See the module; `solver` is "general" (never that of boxes), "cube" (always) or "auto"."""

    def __init__(
        self,
        *,
        solver: str = "auto",
        max_depth: int = 3,
        aggregate: bool = True,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            max_depth=max_depth, aggregate=aggregate, time_limit=time_limit, n_jobs=n_jobs
        )
        self.solver = solver

    def _make_search(self, coded: Any, table: Any, limits: dict[str, Any], started: float) -> Any:
        return super()._make_search(coded, table, limits | {"kernel": self.solver}, started)
