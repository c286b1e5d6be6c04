"""Equality of opportunity: the positive records of all groups are found equally often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from certitree.objectives._group_fairness import FairnessTask, GroupFairness
from certitree.objectives._registry import register


@register
@dataclass(frozen=True)
class EqualOpportunity(GroupFairness):
    """Minimise errors with similar true positive rates in all groups.

    The rate of a group is the share of its positive training weight that is predicted positive.
    See `GroupFairness` for the parameters.

    References
    ----------
    M. Hardt, E. Price and N. Srebro, "Equality of Opportunity in Supervised Learning", 2016.
    """

    name: ClassVar[str] = "equal_opportunity"
    task: ClassVar[FairnessTask] = "equal_opportunity"
