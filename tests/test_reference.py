"""Proven optima on real data, from another exact solver."""

import os
from pathlib import Path

import numpy as np
import pytest

from certitree import OptimalTreeClassifier, _core
from certitree._binning import code_records
from certitree._frame import read_records
from checking import check_fitted

SHARED = Path(os.environ.get("CERTITREE_SHARED", Path(__file__).parents[2] / "shared"))

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
    path = SHARED / "reference" / f"{name}_b100.npz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    problem = np.load(path)
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


def solve(X, y, **options):
    coded = code_records(read_records(X, "test"), None, None, max_bins=100, selections=None)
    return _core.solve(
        _core.Table(coded.codes, coded.kinds, coded.n_codes, coded.n_splits),
        labels=y.astype(np.int32),
        n_labels=2,
        weights=None,
        costs=None,
        max_nodes=None,
        min_samples_leaf=1,
        node_penalty=0.0,
        candidates=None,
        aggregate=True,
        time_limit=None,
        memory_limit=None,
        seed=0,
        **options,
    )


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
    result = solve(X, y, max_depth=depth, n_threads=n_threads, kernel=kernel)
    check_optimum(result, name, depth)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("bounds", [*((bound,) for bound in BOUNDS), BOUNDS], ids=str)
@pytest.mark.parametrize(("name", "depth"), OPTIMA, ids=str)
def test_every_bound_can_be_off(name, depth, bounds, n_threads):
    X, y = load(name)
    result = solve(X, y, max_depth=depth, n_threads=n_threads, disable_bounds=bounds)
    check_optimum(result, name, depth)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_tree_of_real_data_does_not_depend_on_threads(n_jobs):
    X, y = load("compas")
    models = [OptimalTreeClassifier(max_depth=3, n_jobs=n).fit(X, y) for n in (1, n_jobs)]
    assert models[0].tree_ == models[1].tree_
