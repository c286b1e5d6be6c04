"""Statistics handed to the core: labels, weights, costs per record or per class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core_search import code_splits, solve

rng = np.random.default_rng(0)
BITS = rng.integers(0, 2, (60, 5)).astype(np.uint8)
LABELS = rng.integers(0, 3, 60)
MATRIX = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [0.5, 3.0, 0.0]])


@pytest.mark.parametrize("aggregate", [True, False])
@pytest.mark.parametrize("weights", [None, rng.integers(0, 4, 60).astype(float)])
def test_costs_by_class_are_those_of_the_records(weights: Any, aggregate: bool) -> None:
    table = code_splits(BITS)
    by_class = solve(
        table, LABELS, 3, n_labels=3, cost_matrix=MATRIX, weights=weights, aggregate=aggregate
    )
    costs = MATRIX[LABELS] * (1.0 if weights is None else weights[:, None])
    by_record = solve(table, LABELS, 3, n_labels=3, costs=costs, aggregate=aggregate)
    assert by_class["status"] == "optimal"
    assert by_class["objective"] == pytest.approx(by_record["objective"], abs=1e-9)


@pytest.mark.parametrize(
    ("statistics", "message"),
    [
        ({"cost_matrix": MATRIX, "costs": MATRIX[LABELS]}, "give one of them"),
        ({"cost_matrix": MATRIX[:, :2]}, "2 columns but there are 3 labels"),
        ({"costs": MATRIX[LABELS][:, :2]}, "2 columns but there are 3 labels"),
        ({"cost_matrix": MATRIX[:2]}, "label 2"),
        ({"cost_matrix": -MATRIX}, "cost -"),
    ],
)
def test_bad_statistics_are_refused(statistics: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve(code_splits(BITS), LABELS, 2, n_labels=3, **statistics)
