"""What one iteration of the adaptive loop did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from certitree._split import Split

Step: TypeAlias = Literal["candidates", "subtrees", "all_splits"]
StepStatus: TypeAlias = Literal["optimal", "time_limit", "memory_limit", "interrupted"]


@dataclass(frozen=True)
class Iteration:
    """What one iteration of the adaptive loop did.

    Attributes
    ----------
    step : {"candidates", "subtrees", "all_splits"}
        A search over a candidate set, exact re-optimisation of subtrees over all splits, or a
        search over all splits.
    candidates : tuple of Split
        The candidate set, features by index; empty where all splits were candidates.
    n_unique : int
        Records left after merging those that no candidate tells apart (u).
    compression : float
        Records per merged record (n / u).
    seconds : dict
        Seconds for "proposal", "projection" (and merging), "solve" and "score".
    objective : float
        Objective of the tree found.
    incumbent : float
        Objective of the best tree afterwards.
    accepted : bool
        Whether the tree found became the best.
    status : {"optimal", "time_limit", "memory_limit", "interrupted"} or None
        How the search ended; None where several were made.
    """

    step: Step
    candidates: tuple[Split, ...]
    n_unique: int
    compression: float
    seconds: dict[str, float]
    objective: float
    incumbent: float
    accepted: bool
    status: StepStatus | None
