"""The adaptive classifier: its contract, its certificate, and its proposals beside a peer's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from certitree import (
    AdaptiveTreeClassifier,
    OptimalTreeClassifier,
    ParameterError,
    Split,
    _core,
    load,
)
from checking import check_fitted


@parametrize_with_checks([AdaptiveTreeClassifier()])
def test_estimator_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :8], y


@pytest.mark.parametrize("effort", ["paper", "high"])
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_model_is_consistent_and_its_bound_holds(cancer, effort, depth):
    X, y = cancer
    limits = {"max_depth": depth, "max_bins": 12}
    model = AdaptiveTreeClassifier(effort=effort, certify=False, forest_trees=50, **limits)
    check_fitted(model.fit(X, y), X, y)
    best = OptimalTreeClassifier(**limits).fit(X, y).objective_
    assert model.lower_bound_ <= best <= model.objective_
    if model.status_ == "optimal":
        assert model.objective_ == best
    proven = AdaptiveTreeClassifier(effort=effort, certify=True, forest_trees=50, **limits).fit(
        X, y
    )
    assert (proven.status_, proven.objective_) == ("optimal", best)


def test_high_effort_is_no_worse_than_the_paper_and_improves_with_depth():
    X, y = make_classification(600, 8, n_informative=6, flip_y=0.2, random_state=3)
    before = np.inf
    for depth in range(2, 7):
        errors = {}
        for effort in ("paper", "high"):
            model = AdaptiveTreeClassifier(
                max_depth=depth, effort=effort, certify=False, forest_trees=50, max_bins=16
            )
            errors[effort] = check_fitted(model.fit(X, y), X, y).objective_
        assert errors["high"] <= errors["paper"]
        assert errors["high"] <= before
        before = errors["high"]


def test_history_tells_what_was_done(cancer):
    X, y = cancer
    model = AdaptiveTreeClassifier(
        max_depth=3, max_candidates=9, effort="paper", certify=False, forest_trees=30
    ).fit(X, y)
    assert model.stop_reason_ in {"patience", "capacity", "no_candidates"}
    assert model.status_ == "optimal_for_candidates"
    incumbents = [iteration.incumbent for iteration in model.history_]
    assert incumbents == sorted(incumbents, reverse=True)
    assert incumbents[-1] == model.objective_
    for iteration in model.history_:
        assert iteration.step == "candidates"
        assert len(iteration.candidates) <= 9
        assert iteration.compression == pytest.approx(y.size / iteration.n_unique)
        assert set(iteration.seconds) == {"proposal", "projection", "solve", "score"}
    again = OptimalTreeClassifier(max_depth=3, candidates=model.candidates_).fit(X, y)
    assert again.objective_ == model.objective_


def test_same_seed_same_tree_at_any_number_of_threads(cancer):
    X, y = cancer
    models = [
        AdaptiveTreeClassifier(
            max_depth=4, max_bins=12, certify=False, forest_trees=20, random_state=5, n_jobs=n_jobs
        ).fit(X, y)
        for n_jobs in (1, 2)
    ]
    assert models[0].tree_ == models[1].tree_


def test_proposers_by_name_and_by_function(cancer):
    X, y = cancer
    asked = []

    def in_order(iteration, splits, excluded, count):
        asked.append((iteration, len(excluded), count))
        return [split for split in splits if split not in excluded][:count]

    limits = {"max_depth": 2, "max_bins": 10, "effort": "paper", "certify": False}
    model = AdaptiveTreeClassifier(proposer=in_order, **limits).fit(X, y)
    check_fitted(model, X, y)
    assert asked[0] == (1, 0, 20)
    assert len(asked) >= len(model.history_)
    check_fitted(
        AdaptiveTreeClassifier(proposer="sklearn", forest_trees=20, **limits).fit(X, y), X, y
    )


def test_bad_proposals_are_refused(cancer):
    X, y = cancer
    with pytest.raises(ParameterError, match="none of the"):
        AdaptiveTreeClassifier(proposer=lambda *_: [Split("nowhere", 1)], effort="paper").fit(X, y)
    with pytest.raises(ZeroDivisionError):
        AdaptiveTreeClassifier(proposer=lambda *_: 1 / 0, effort="paper").fit(X, y)
    with pytest.raises(ParameterError, match="returned None; return a sequence of splits"):
        AdaptiveTreeClassifier(proposer=lambda *_: None, effort="paper").fit(X, y)


def test_several_classes_budget_leaf_size_weights_and_penalty():
    X, y = load_iris(return_X_y=True)
    weights = np.arange(1, 151) % 3
    for parameters in (
        {"max_nodes": 3},
        {"min_samples_leaf": 20},
        {"complexity_penalty": 0.02},
    ):
        limits = {"max_depth": 4, **parameters}
        model = AdaptiveTreeClassifier(forest_trees=20, **limits).fit(X, y, weights)
        check_fitted(model, X, y, weights)
        best = OptimalTreeClassifier(**limits).fit(X, y, weights).objective_
        assert model.objective_ == pytest.approx(best)


def test_a_time_limit_leaves_a_tree():
    X, y = make_classification(4000, 30, n_informative=15, random_state=0)
    model = AdaptiveTreeClassifier(max_depth=6, time_limit=0.2).fit(X, y)
    check_fitted(model, X, y)
    assert model.status_ == model.stop_reason_ == "time_limit"
    assert model.search_stats_["seconds"]["total"] < 5


def test_forest_agrees_with_scikit_learn_up_to_its_seed(cancer):
    """Both rank splits; how far the rankings of a peer's two seeds agree is what can be asked."""
    X, y = cancer
    thresholds = np.quantile(X, np.linspace(0.1, 0.9, 9), axis=0)
    bits = np.concatenate([np.less_equal(X, t) for t in thresholds], axis=1).astype(np.uint8)
    bits = bits.T.reshape(9, X.shape[1], -1).transpose(1, 0, 2).reshape(-1, y.size).T
    codes = (9 - bits.T.reshape(X.shape[1], 9, -1).sum(axis=1)).astype(np.uint8)
    columns = X.shape[1]
    table = _core.Table(codes, ["ordered"] * columns, [10] * columns, [9] * columns)
    kept = [9 * column + split for column, split in table.splits()]
    assert len(kept) >= 9 * columns - 2
    ranked = _core.rank_splits(
        table,
        labels=y.astype(np.int32),
        n_labels=2,
        weights=None,
        costs=None,
        method="forest",
        n_trees=300,
        max_depth=None,
        excluded=[],
        n_threads=2,
        seed=1,
    )
    importances = {9 * column + split: importance for column, split, importance in ranked}
    ours = np.array([importances[split] for split in kept])
    peers = [
        RandomForestClassifier(300, random_state=seed).fit(bits[:, kept], y).feature_importances_
        for seed in (1, 2)
    ]
    top = [set(np.argsort(-importance)[:20]) for importance in (ours, *peers)]
    assert len(top[0] & top[1]) >= len(top[1] & top[2]) - 3
    assert np.corrcoef(ours, peers[0])[0, 1] > 0.9


@pytest.mark.parametrize("cut", [{"tol": 0.02}, {"max_iterations": 1}, {"tol": 1}])
def test_a_loop_cut_short_proves_nothing_of_shallower_trees(cut):
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    y = (X[:, 0] > 0.5) ^ (rng.random(60) < 0.1)
    limits = {"max_depth": 4, "max_bins": 30}
    best = OptimalTreeClassifier(**limits).fit(X, y).objective_
    model = AdaptiveTreeClassifier(certify=True, forest_trees=30, **limits, **cut).fit(X, y)
    assert (model.status_, model.objective_) == ("optimal", best)
    quick = AdaptiveTreeClassifier(certify=False, forest_trees=30, **limits, **cut).fit(X, y)
    assert quick.lower_bound_ <= best <= quick.objective_


def test_a_model_file_leaves_out_a_proposer_that_is_a_function(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = AdaptiveTreeClassifier(
        max_depth=2, effort="paper", forest_trees=10, proposer=lambda i, splits, used, n: splits[:n]
    ).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.tree_ == model.tree_
    assert loaded.proposer == "certitree"


def test_any_number_of_trees_ends_in_time():
    X, y = make_classification(400, 8, flip_y=0.2, random_state=0)
    for name in ("forest_trees", "cart_fits", "max_candidates"):
        model = AdaptiveTreeClassifier(
            max_depth=4, effort="paper", certify=False, time_limit=0.5, **{name: 2**40}
        )
        model.fit(X, y)
        assert model.search_stats_["seconds"]["total"] < 1.5


def test_the_stop_reason_of_a_search_without_a_loop(cancer):
    X, y = cancer
    for limit, reason in ((1e-6, "time_limit"), (60, "solved")):
        model = AdaptiveTreeClassifier(objective="matthews", max_depth=1, time_limit=limit)
        model.fit(X, y)
        assert (model.stop_reason_, model.history_, model.candidates_) == (reason, [], ())


def test_what_boxes_solve_at_once_is_solved_and_on_the_way_to_a_greater_depth_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (rng.random(300) < 0.2)).astype(int)
    solved, deeper = (
        AdaptiveTreeClassifier(max_depth=depth, max_bins=6, certify=False).fit(X, y)
        for depth in (5, 6)
    )
    assert [entry.step for entry in solved.history_] == ["all_splits"]
    assert (solved.status_, solved.stop_reason_) == ("optimal", "solved")
    exact = OptimalTreeClassifier(max_depth=5, max_bins=6).fit(X, y)
    assert solved.objective_ == exact.objective_ == solved.lower_bound_
    # The bound of the lesser depth is none for the greater one.
    assert [entry.step for entry in deeper.history_].count("all_splits") == 1
    assert deeper.lower_bound_ < deeper.objective_ < solved.objective_
    assert deeper.status_ != "optimal"
