"""What a tree is to be best at: objectives for ``OptimalTreeClassifier(objective=...)``.

Every objective can be given as an object, and those that need no arguments also by name:

>>> from certitree.objectives import objective_names
>>> objective_names()  # doctest: +ELLIPSIS
['accuracy', 'balanced_accuracy', 'cost_matrix', ...]

Whatever the objective, a fitted model has ``lower_bound_ <= best value <= upper_bound_``, and the
``objective_`` of its tree is the upper one where less is better, the lower one where more is.
"""

from certitree.objectives._accuracy import Accuracy
from certitree.objectives._balanced_accuracy import BalancedAccuracy
from certitree.objectives._base import Goal, Objective, Scorer
from certitree.objectives._cost_matrix import CostMatrix
from certitree.objectives._demographic_parity import DemographicParity
from certitree.objectives._equal_opportunity import EqualOpportunity
from certitree.objectives._f1 import F1, FBeta
from certitree.objectives._feature_costs import FeatureCosts
from certitree.objectives._group_fairness import FairnessPoint
from certitree.objectives._impurity import Entropy, Gini
from certitree.objectives._jaccard import Jaccard
from certitree.objectives._matthews import Matthews
from certitree.objectives._record_costs import RecordCosts
from certitree.objectives._registry import as_objective, objective_names, register
from certitree.objectives._search import Found, Search

__all__ = [
    "F1",
    "Accuracy",
    "BalancedAccuracy",
    "CostMatrix",
    "DemographicParity",
    "Entropy",
    "EqualOpportunity",
    "FBeta",
    "FairnessPoint",
    "FeatureCosts",
    "Found",
    "Gini",
    "Goal",
    "Jaccard",
    "Matthews",
    "Objective",
    "RecordCosts",
    "Scorer",
    "Search",
    "as_objective",
    "objective_names",
    "register",
]
