"""Demographic parity: groups are predicted positive equally often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from certitree.objectives._group_fairness import FairnessTask, GroupFairness
from certitree.objectives._registry import register


@register
@dataclass(frozen=True)
class DemographicParity(GroupFairness):
    """Minimise errors with all groups predicted positive at similar rates.

    The rate of a group is the share of its training weight that is predicted positive. See
    `GroupFairness` for the parameters.

    References
    ----------
    J. van der Linden et al., "Necessary and Sufficient Conditions for Optimal Decision Trees using
    Dynamic Programming", 2023.
    """

    name: ClassVar[str] = "demographic_parity"
    task: ClassVar[FairnessTask] = "demographic_parity"
