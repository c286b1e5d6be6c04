"""The cube solver on reference candidate sets: known optima, and the general search."""

import numpy as np
import pytest

from core_search import code_splits, solve
from shared_data import reference_matrix

# Fewest errors with the first 20 splits of `top60`, proven by STreeD (van der Linden et al. 2023).
OPTIMA = {
    "compas": {3: 1555, 4: 1526, 5: 1499},
    "heloc": {3: 2437, 4: 2427, 5: 2423},
    "gmsc": {3: 7622, 4: 7583, 5: 7542},
}


def load(name, n_candidates):
    problem = reference_matrix(name)
    bits = problem["X"][np.ix_(problem["train"], problem["top60"][:n_candidates])]
    table = code_splits(np.ascontiguousarray(bits, dtype=np.uint8))
    return table, problem["y"][problem["train"]]


def n_branching(result):
    return sum(column >= 0 for column, *_ in result["nodes"])


@pytest.mark.parametrize("name", OPTIMA)
def test_known_optima_are_proven(name):
    table, labels = load(name, 20)
    for depth, errors in OPTIMA[name].items():
        result = solve(table, labels, depth, kernel="auto")
        # At depth three a single sweep may be as cheap.
        assert result["stats"]["boxes"] > 0 or depth == 3
        assert (result["status"], result["objective"]) == ("optimal", errors)


@pytest.mark.parametrize("name", [*OPTIMA, "diabetes"])
@pytest.mark.parametrize(
    "options",
    [{}, {"max_nodes": 6}, {"min_samples_leaf": 50}, {"node_penalty": 7.5}],
    ids=["plain", "budget", "leaf size", "penalty"],
)
def test_agrees_with_the_general_search(name, options):
    table, labels = load(name, 24)
    cube = solve(table, labels, 4, kernel="cube", **options)
    general = solve(table, labels, 4, kernel="general", **options)
    assert cube["status"] == general["status"] == "optimal"
    assert cube["objective"] == general["objective"]
    assert n_branching(cube) == n_branching(general)


def test_threads_find_the_same_tree():
    table, labels = load("diabetes", 24)
    one = solve(table, labels, 5, kernel="cube")
    two = solve(table, labels, 5, kernel="cube", n_threads=2)
    assert one["nodes"] == two["nodes"]
