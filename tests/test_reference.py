"""Proven optima on real data, from another exact solver."""

import pytest

from certitree import OptimalTreeClassifier
from checking import check_fitted
from core_search import code_table, solve
from shared_data import reference_matrix

OPTIMA = {
    ("compas", 2): 1602,
    ("compas", 3): 1521,
    ("heloc", 2): 2386,
    ("heloc", 3): 2313,
    ("gmsc", 2): 7684,
    ("gmsc", 3): 7622,
    ("diabetes", 2): 30686,
    ("diabetes", 3): 30405,
}
KERNELS = ("histogram", "bitset", "general", "recursive")

BOUNDS = ("neighbour", "interval", "shallower", "similarity", "cache")


def load(name):
    problem = reference_matrix(name)
    return problem["X"][problem["train"]], problem["y"][problem["train"]]


@pytest.mark.parametrize(("name", "depth"), OPTIMA, ids=str)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_known_optima(name, depth, n_jobs):
    X, y = load(name)
    model = OptimalTreeClassifier(max_depth=depth, n_jobs=n_jobs).fit(X, y)
    assert (model.status_, model.gap_) == ("optimal", 0.0)
    assert model.objective_ == model.lower_bound_ == OPTIMA[name, depth]
    if n_jobs == 1:
        check_fitted(model, X, y)


@pytest.mark.parametrize(("name", "depth"), OPTIMA, ids=str)
def test_known_optima_without_merging(name, depth):
    X, y = load(name)
    model = OptimalTreeClassifier(max_depth=depth, aggregate=False).fit(X, y)
    assert model.objective_ == OPTIMA[name, depth]
    assert model.n_unique_ == y.size


def check_optimum(result, name, depth):
    assert result["objective"] == result["lower_bound"] == OPTIMA[name, depth]
    assert result["status"] == "optimal"


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("name", "depth"), OPTIMA, ids=str)
def test_every_kernel_finds_the_optimum(name, depth, kernel, n_threads):
    if kernel == "recursive" and depth > 2 and name != "compas":
        pytest.skip("split by split, without pair tables, that takes minutes")
    X, y = load(name)
    result = solve(code_table(X), y, depth, n_threads=n_threads, kernel=kernel)
    check_optimum(result, name, depth)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("bounds", [*((bound,) for bound in BOUNDS), BOUNDS], ids=str)
@pytest.mark.parametrize(("name", "depth"), OPTIMA, ids=str)
def test_every_bound_can_be_off(name, depth, bounds, n_threads):
    X, y = load(name)
    result = solve(code_table(X), y, depth, n_threads=n_threads, disable_bounds=bounds)
    check_optimum(result, name, depth)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_tree_of_real_data_does_not_depend_on_threads(n_jobs):
    X, y = load("compas")
    models = [OptimalTreeClassifier(max_depth=3, n_jobs=n).fit(X, y) for n in (1, n_jobs)]
    assert models[0].tree_ == models[1].tree_
