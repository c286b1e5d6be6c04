"""Fairness optima of real data, and of random data where pystreed is installed."""

from __future__ import annotations

import numpy as np
import pytest

from certitree import OptimalTreeClassifier
from certitree.objectives import DemographicParity, EqualOpportunity
from shared_data import reference_matrix

FAIR = {"group-fairness": DemographicParity, "equality-of-opportunity": EqualOpportunity}

# (task, candidates, depth, fewest errors): proven by pystreed 1.4.0 with race==African-American as
# the sensitive feature, which it does not split on, and a limit of 0.05.
COMPAS = [
    ("group-fairness", 20, 2, 1791),
    ("equality-of-opportunity", 20, 2, 1791),
    ("group-fairness", None, 2, 1791),
    ("equality-of-opportunity", None, 2, 1786),
    ("group-fairness", 20, 3, 1663),
    ("equality-of-opportunity", 20, 3, 1657),
]


@pytest.mark.parametrize(("task", "candidates", "depth", "errors"), COMPAS)
def test_known_optima_of_compas(task, candidates, depth, errors):
    data = reference_matrix("compas")
    X, y = data["X"][data["train"]], data["y"][data["train"]]
    sensitive = data["name"].tolist().index("race==African-American")
    columns = range(X.shape[1]) if candidates is None else data["top60"][:candidates].tolist()
    kept = X[:, [column for column in columns if column != sensitive]]
    model = OptimalTreeClassifier(objective=FAIR[task](limit=0.05), max_depth=depth)
    model.fit(kept, y, sensitive=X[:, sensitive])
    assert (model.status_, model.objective_) == ("optimal", errors)
    assert model.disparity_ <= 0.05


@pytest.mark.parametrize("task", FAIR)
@pytest.mark.parametrize("seed", range(8))
def test_pystreed_finds_no_better_tree(seed, task):
    pystreed = pytest.importorskip("pystreed")
    rng = np.random.default_rng(seed)
    X = (rng.random((300, 9)) < 0.5).astype(int)
    chance = 0.2 + 0.3 * (X[:, 0] | X[:, 1]) + 0.3 * X[:, 2]
    y = (rng.random(300) < chance).astype(int)
    limit = [0.01, 0.05, 0.1, 0.2][seed % 4]
    peer = pystreed.STreeDGroupFairnessClassifier(
        task, sensitive_feature=0, discrimination_limit=limit, max_depth=2
    ).fit(X, y)
    model = OptimalTreeClassifier(objective=FAIR[task](sensitive=0, limit=limit), max_depth=2)
    model.fit(X, y)
    assert model.objective_ == (peer.predict(X) != y).sum()
