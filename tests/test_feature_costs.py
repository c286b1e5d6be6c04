"""Costs of features: against all trees, against pystreed, and against bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from certitree import AdaptiveTreeClassifier, OptimalTreeClassifier, export_text
from certitree.exceptions import InputError, ParameterError
from certitree.objectives import FeatureCosts
from feature_cost_oracle import least_cost

N_INSTANCES = {2: 700, 3: 700, 6: 250}


def instance(seed, n_values):
    """Draw a table with repeated rows, prices, groups and limits; all numbers are eighths."""
    rng = np.random.default_rng([seed, n_values])
    n_rows, n_features = int(rng.integers(4, 14)), int(rng.integers(2, 5))
    n_classes = int(rng.integers(2, 4))
    X = rng.integers(0, n_values, (n_rows, n_features)).astype(float)
    if seed % 5 == 0:
        X[:, -1] = n_values - 1 - X[:, 0]  # splits as the first feature does
    y = rng.permutation(np.arange(n_rows) % n_classes)
    weights = rng.integers(1, 5, n_rows).astype(float) if seed % 2 else np.ones(n_rows)
    full = {j: float(rng.integers(0, 9)) / 8 for j in range(n_features)}
    group = {j: "ab"[int(rng.integers(2))] for j in range(n_features) if rng.random() < 0.8}
    if seed % 3 == 0:  # the same saving for all in a group
        discounted = {j: full[j] for j in group}
        full = {j: full[j] + ({"a": 0.25, "b": 0.5}[group[j]] if j in group else 0) for j in full}
    else:
        discounted = {j: full[j] * float(rng.integers(0, 5)) / 4 for j in group}
    if seed % 7 == 0 and "a" in group.values():  # a group that is as good as one feature
        members = [j for j in group if group[j] == "a"]
        full |= dict.fromkeys(members, full[members[0]])
        discounted |= dict.fromkeys(members, 0.0)
    limits = {
        "max_depth": int(rng.integers(0, 5)),
        "max_nodes": [None, 2, 4, 5][int(rng.integers(4))],
        "min_samples_leaf": [1, 1, 2][int(rng.integers(3))],
    }
    matrix = rng.integers(0, 9, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
    matrix = matrix if seed % 4 else None
    penalty = float(rng.choice([0, 0, 0.125]))
    return X, y, weights, (full, discounted, group), matrix, limits, penalty


def objective_of(prices, matrix):
    full, discounted, group = prices
    groups = {name: [j for j in group if group[j] == name] for name in set(group.values())}
    return FeatureCosts(full, groups, discounted, error_costs=matrix)


@pytest.mark.parametrize("n_values", [2, 3, 6])
def test_equals_brute_force(n_values):
    for seed in range(N_INSTANCES[n_values]):
        X, y, weights, prices, matrix, limits, penalty = instance(seed, n_values)
        n_classes = int(y.max()) + 1
        errors = (1.0 - np.eye(n_classes) if matrix is None else matrix)[y] * weights[:, None]
        splits = [(j, X[:, j] <= v) for j in range(X.shape[1]) for v in range(n_values - 1)]
        best, nodes = least_cost(
            splits, errors, weights, *prices, **limits, node_penalty=penalty * weights.sum()
        )
        # A byte is too little for boxes and pair tables: then the plain recursion is left.
        for aggregate, memory in ((True, None), (False, None), (True, 1)):
            model = OptimalTreeClassifier(
                objective=objective_of(prices, matrix),
                aggregate=aggregate,
                memory_limit=memory,
                complexity_penalty=penalty,
                **limits,
            ).fit(X, y, sample_weight=weights)
            assert model.status_ == "optimal"
            assert model.objective_ == best, seed
            assert model.lower_bound_ == model.upper_bound_ == best
            assert model.n_branching_nodes_ == nodes, seed
            own = -model.objective.scorer()(model, X, y, weights) * weights.sum()
            own += penalty * weights.sum() * nodes
            assert own == pytest.approx(best, rel=1e-12, abs=1e-12)


def test_cheap_feature_opens_the_door_to_a_dear_one():
    """Then a side may cost more than a larger one, if the cheap feature does not part it."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_rows = int(rng.integers(12, 25))
        free = rng.integers(0, 6, n_rows)
        door = (free >= 3) & (rng.random(n_rows) < 0.5)
        dear = rng.integers(0, 2, n_rows)
        X = np.stack([free, door, dear], axis=1).astype(float)
        y = dear ^ (rng.random(n_rows) < 0.1)
        full, discounted, group = {1: 0.125, 2: 4.0}, {1: 0.125, 2: 0.0}, {1: "a", 2: "a"}
        splits = [(0, free <= v) for v in range(5)] + [(1, ~door), (2, dear == 0)]
        errors, weights = (1.0 - np.eye(2))[y], np.ones(n_rows)
        for depth in (3, 4):
            best, nodes = least_cost(
                splits, errors, weights, full, discounted, group, max_depth=depth
            )
            objective = objective_of((full, discounted, group), None)
            for memory in (None, 1):
                model = OptimalTreeClassifier(
                    objective=objective, max_depth=depth, memory_limit=memory
                ).fit(X, y)
                assert (model.objective_, model.n_branching_nodes_) == (best, nodes), seed


def test_decimal_prices():
    for seed in range(100):
        X, y, weights, prices, _, limits, _ = instance(seed, 3)
        rng = np.random.default_rng(seed)
        full = {j: rng.random() / 2 for j in prices[0]}
        discounted = {j: full[j] * rng.random() for j in prices[2]}
        errors = (1.0 - np.eye(int(y.max()) + 1))[y] * weights[:, None]
        splits = [(j, X[:, j] <= v) for j in range(X.shape[1]) for v in range(2)]
        best, _ = least_cost(splits, errors, weights, full, discounted, prices[2], **limits)
        model = OptimalTreeClassifier(
            objective=objective_of((full, discounted, prices[2]), None), **limits
        ).fit(X, y, sample_weight=weights)
        assert model.objective_ == pytest.approx(best, rel=1e-9)


def test_weights_of_one_change_nothing():
    """Without weights costs are summed by class, with weights by record."""
    for seed in range(40):
        X, y, _, prices, matrix, limits, _ = instance(seed, 4)
        model = OptimalTreeClassifier(objective=objective_of(prices, matrix), **limits)
        plain, weighted = clone(model).fit(X, y), model.fit(X, y, sample_weight=np.ones(len(y)))
        assert plain.objective_ == weighted.objective_
        assert plain.feature_cost_ == weighted.feature_cost_
        assert plain.n_unique_labelled_ == weighted.n_unique_labelled_


def test_few_splits_are_solved_over_boxes():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 5, (300, 4))
    y = (X[:, 0] * X[:, 1] > 5) ^ (rng.random(300) < 0.1)
    prices = FeatureCosts({0: 0.05, 1: 0.08}, {"both": [0, 1]}, {1: 0.02})
    boxes = OptimalTreeClassifier(objective=prices, max_depth=4).fit(X, y)
    general = OptimalTreeClassifier(objective=prices, max_depth=4, memory_limit=1).fit(X, y)
    assert boxes.search_stats_["boxes"] > 0 and general.search_stats_["boxes"] == 0
    assert boxes.objective_ == pytest.approx(general.objective_, rel=1e-12)


def test_free_features_change_nothing():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (200, 4))
    y = (X[:, 0] * X[:, 1] > 5) ^ (rng.random(200) < 0.1)
    free = OptimalTreeClassifier(objective=FeatureCosts({}), max_depth=3).fit(X, y)
    plain = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert free.objective_ == plain.objective_
    assert free.feature_cost_ == 0.0


def table():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 120).astype(float),
            "city": rng.choice(["Delft", "Leiden", "Gouda"], 120),
            "sugar": rng.normal(size=120),
        }
    )
    y = np.where((X["sugar"] > 0) & (X["age"] > 40), "ill", "well")
    X.loc[::7, "sugar"] = np.nan
    return X, y


def test_names_missing_values_and_categories():
    X, y = table()
    dear = FeatureCosts({"sugar": 0.25, "city": 0.01})
    model = OptimalTreeClassifier(objective=dear, max_depth=3, max_bins=8).fit(X, y)
    cheap = OptimalTreeClassifier(objective=FeatureCosts({}), max_depth=3, max_bins=8).fit(X, y)
    assert model.status_ == "optimal"
    assert cheap.objective_ < model.objective_ <= (y == "ill").sum()
    assert -dear.scorer()(model, X, y) * len(y) == pytest.approx(model.objective_)
    assert 0 < model.feature_cost_ < model.objective_
    by_index = OptimalTreeClassifier(
        objective=FeatureCosts({2: 0.25, 1: 0.01}), max_depth=3, max_bins=8
    ).fit(X, y)
    assert by_index.objective_ == model.objective_


def test_adaptive_estimator_solves_it_too():
    X, y = table()
    objective = FeatureCosts({"sugar": 0.25})
    exact = OptimalTreeClassifier(objective=objective, max_depth=2, max_bins=8).fit(X, y)
    adaptive = AdaptiveTreeClassifier(objective=objective, max_depth=2, max_bins=8).fit(X, y)
    assert adaptive.objective_ == exact.objective_
    assert adaptive.status_ == "optimal"


def test_threads_find_the_same_tree():
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(400, 5)), 1)
    y = ((X[:, 0] > 0) & (X[:, 1] > 0.3)) ^ (rng.random(400) < 0.2)
    full = {j: 0.01 * (j + 1) for j in range(5)}
    for less in ({0: 0.0, 4: 0.04}, {0: 0.01, 4: 0.0}):  # the second one: a door
        objective = FeatureCosts(full, {"a": [0, 4]}, less)
        for depth in (3, 4):
            trees = [
                OptimalTreeClassifier(
                    objective=objective, max_depth=depth, max_bins=12, n_jobs=n_jobs
                ).fit(X, y)
                for n_jobs in (1, 2)
            ]
            assert export_text(trees[0]) == export_text(trees[1])
            assert trees[0].objective_ == trees[1].objective_ == trees[1].lower_bound_


def test_clone_save_and_cross_validate(tmp_path):
    X, y = table()
    objective = FeatureCosts(
        {"sugar": 0.25, "age": 0.125}, {"visit": ["sugar", "age"]}, {"age": 0.0}
    )
    model = OptimalTreeClassifier(objective=objective, max_depth=2, max_bins=5)
    assert clone(model).objective == objective
    assert hash(objective) == hash(FeatureCosts(**objective.to_dict()["parameters"]))
    model.fit(X, y).save(tmp_path / "model.json")
    loaded = OptimalTreeClassifier.load(tmp_path / "model.json")
    assert loaded.objective == objective
    scores = cross_val_score(model, X, y, cv=3, scoring=objective.scorer())
    assert (scores < 0).all()
    assert (scores > -1).all()


def test_stopped_search_keeps_a_bound():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(2000, 12)), rng.integers(0, 2, 2000)
    objective = FeatureCosts(dict.fromkeys(range(12), 0.001))
    model = OptimalTreeClassifier(objective=objective, max_depth=4, time_limit=1.0).fit(X, y)
    assert model.status_ == "time_limit"
    assert 0 <= model.lower_bound_ < model.objective_ < min(y.sum(), (1 - y).sum())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"costs": {"age": -1.0}}, r"costs\['age'\] is -1.0; prices must be finite and at least 0"),
        ({"costs": {"age": np.nan}}, r"costs\['age'\] is nan"),
        ({"costs": {"age": "dear"}}, "a price is a number"),
        ({"costs": {1.5: 1.0}}, "names the feature 1.5 of type float"),
        ({"costs": 3}, "a mapping is expected"),
        ({"costs": {}, "groups": {"g": "age"}}, "give the features of the group as a list"),
        ({"costs": {}, "groups": {"g": []}}, "is empty"),
        ({"costs": {}, "groups": {"g": ["age"], "h": ["age"]}}, "names the feature 'age' twice"),
        ({"costs": {}, "error_costs": [[0, -1], [1, 0]]}, "finite and at least 0"),
        ({"costs": {}, "labels": ["ill", "well"]}, "labels came without error_costs"),
    ],
)
def test_bad_prices(arguments, message):
    with pytest.raises(ParameterError, match=message):
        FeatureCosts(**arguments)


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        (FeatureCosts({"wage": 1.0}), "'wage', which does not exist; there are 'age', 'city', 's"),
        (FeatureCosts({3: 1.0}), "indices go from 0 to 2"),
        (FeatureCosts({"age": 1.0, 0: 1.0}), "twice, by name and by index"),
        (FeatureCosts({}, {"g": ["wage"]}), "groups names the feature 'wage'"),
        (FeatureCosts({"age": 1.0}, None, {"age": 0.5}), "'age', which is in no group"),
        (FeatureCosts({"age": 1.0}, {"g": ["age"]}, {"age": 2.0}), "more than its full price 1.0"),
        ("feature_costs", "needs arguments"),
    ],
)
def test_prices_that_do_not_suit_the_table(objective, message):
    X, y = table()
    with pytest.raises(ParameterError, match=message):
        OptimalTreeClassifier(objective=objective).fit(X, y)


def test_names_without_names_and_stray_arguments():
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    model = OptimalTreeClassifier(objective=FeatureCosts({"age": 1.0}))
    with pytest.raises(ParameterError, match="no column names: give an index from 0 to 1"):
        model.fit(X, y)
    model = OptimalTreeClassifier(objective=FeatureCosts({0: 1.0}))
    with pytest.raises(ParameterError, match="compares no groups"):
        model.fit(X, y, sensitive=[0, 1, 0, 1])
    with pytest.raises(ParameterError, match="does not use them"):
        model.fit(X, y, costs=np.zeros((4, 2)))
    three = FeatureCosts({0: 1.0}, error_costs=np.ones((3, 3)))
    with pytest.raises(InputError, match="y has 2 classes"):
        OptimalTreeClassifier(objective=three).fit(X, y)


@pytest.mark.parametrize("n_values", [2, 3])
def test_pystreed_finds_the_same_optimum(n_values):
    """Features of three values are two 0/1 columns there, paid for once."""
    pystreed = pytest.importorskip("pystreed")
    for seed in range(20):
        rng = np.random.default_rng([seed, n_values])
        n_rows, depth = int(rng.integers(30, 90)), int(rng.integers(1, 4))
        X = rng.integers(0, n_values, (n_rows, 6 if n_values == 2 else 4))
        y = (((X[:, 0] > 0) & (X[:, 1] > 0)) | (rng.random(n_rows) < 0.25)).astype(int)
        matrix = rng.integers(4, 30, (2, 2)) * (1.0 - np.eye(2))
        features = range(X.shape[1])
        full = {j: float(rng.integers(0, 4)) for j in features}
        discounted = {j: float(rng.integers(0, full[j] + 1)) for j in features}
        groups = {"a": [0, 1, 2], "b": list(features)[3:]}
        name_of = {j: name for name, members in groups.items() for j in members}
        width = n_values - 1
        bits = np.concatenate([X[:, [j]] > np.arange(width) for j in features], axis=1)
        prices = [
            pystreed.FeatureCostSpecifier(
                full[j], discounted[j], name_of[j], j * width, (j + 1) * width - 1
            )
            for j in features
        ]
        peer = pystreed.STreeDCostSensitiveClassifier(max_depth=depth)
        peer.fit(bits.astype(int), y, pystreed.CostSpecifier(matrix.tolist(), prices))
        objective = FeatureCosts(full, groups, discounted, error_costs=matrix)
        ours = OptimalTreeClassifier(objective=objective, max_depth=depth).fit(X, y)
        theirs = peer_cost(peer.get_tree(), bits, y, matrix, (full, discounted, name_of), width)
        assert theirs == ours.objective_, seed


def peer_cost(tree, bits, y, matrix, prices, width):
    """Cost of pystreed's tree, by our reckoning."""
    full, discounted, name_of = prices

    def cost(node, rows, paid):
        if node.is_leaf_node():
            return matrix[y[rows], node.label].sum()
        feature = node.feature // width
        shared = any(name_of[other] == name_of[feature] for other in paid)
        price = 0.0 if feature in paid else (discounted if shared else full)[feature]
        holds, paid = bits[rows, node.feature], paid | {feature}
        right = cost(node.right_child, rows[holds], paid)
        left = cost(node.left_child, rows[~holds], paid)
        return price * rows.size + left + right

    return cost(tree, np.arange(y.size), frozenset())
