"""Matthews correlation and group fairness against brute force."""

import itertools
import math

import numpy as np
import pytest

from certitree import _core


def make_table(bits):
    codes, groups, _ = _core.group_binary(bits)
    return _core.Table(
        codes,
        [group["kind"] for group in groups],
        [group["n_codes"] for group in groups],
        [len(group["members"]) for group in groups],
    )


def settings(**changed):
    base = {
        "weights": None,
        "max_depth": 2,
        "max_nodes": None,
        "min_samples_leaf": 1,
        "candidates": None,
        "aggregate": True,
        "time_limit": None,
        "memory_limit": None,
        "n_threads": 1,
    }
    return base | changed


def predictions(bits, rows, depth, nodes, min_leaf):
    """All (row set predicted positive, nodes used) of trees over `rows` (bit masks)."""
    found = {}

    def offer(mask, used):
        if used < found.get(mask, 99):
            found[mask] = used

    if rows.bit_count() >= min_leaf:
        offer(0, 0)
        offer(rows, 0)
    if depth == 0 or nodes == 0:
        return found
    for split in bits:
        inside, outside = rows & split, rows & ~split
        if inside == 0 or outside == 0:
            continue
        left = predictions(bits, inside, depth - 1, nodes - 1, min_leaf)
        right = predictions(bits, outside, depth - 1, nodes - 1, min_leaf)
        for (a, m), (b, n) in itertools.product(left.items(), right.items()):
            if m + n < nodes:
                offer(a | b, m + n + 1)
    return found


def all_predictions(bits, depth, nodes, min_leaf):
    n = bits.shape[0]
    masks = [sum(1 << int(row) for row in np.flatnonzero(column)) for column in bits.T]
    everything = (1 << n) - 1
    found = set(predictions(masks, everything, depth, nodes, min_leaf)) | {0, everything}
    return np.array([[mask >> row & 1 for row in range(n)] for mask in found])


def correlation(predicted, labels, weights):
    tp = predicted @ (weights * labels)
    fp = predicted @ (weights * (1 - labels))
    positives, negatives = weights @ labels, weights @ (1 - labels)
    called, others = tp + fp, positives + negatives - tp - fp
    product = called * others * positives * negatives
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (tp * (negatives - fp) - fp * (positives - tp)) / np.sqrt(product)
    return np.where(product > 0, value, 0.0)


def rates(predicted, labels, groups, weights, task):
    base = weights * (labels if task == "equal_opportunity" else 1)
    return np.stack(
        [predicted @ (base * (groups == g)) / base[groups == g].sum() for g in np.unique(groups)]
    )


def route(table_bits_codes, nodes):
    codes, kinds = table_bits_codes
    predicted = np.empty(codes.shape[1], dtype=np.int64)
    for row in range(codes.shape[1]):
        at = 0
        while nodes[at][0] >= 0:
            column, split, left, right, _ = nodes[at]
            code = codes[column, row]
            at = left if (code <= split if kinds[column] == "ordered" else code == split) else right
        predicted[row] = nodes[at][4]
    return predicted


def instance(rng, n_groups=1):
    n, p = int(rng.integers(6, 22)), int(rng.integers(1, 5))
    codes = rng.integers(0, 3, size=(n, (p + 1) // 2))
    columns = [
        codes[:, j // 2] <= j % 2 if j % 4 < 2 else codes[:, j // 2] == j % 2 for j in range(p)
    ]
    bits = np.ascontiguousarray(np.stack(columns, axis=1).astype(np.uint8))
    while True:
        labels = rng.integers(0, 2, size=n).astype(np.int32)
        groups = rng.integers(0, n_groups, size=n).astype(np.int32)
        cells = {(g, c) for g, c in zip(groups, labels, strict=True)}
        if all((g, 1) in cells for g in range(n_groups)) and 0 in labels:
            break
    weights = rng.choice([None, "whole", "real"])
    if weights is not None:
        weights = rng.integers(1, 5, size=n).astype(float)
        if rng.random() < 0.5:
            weights *= rng.random(n) + 0.1
    depth = int(rng.integers(0, 5 if p <= 3 and n <= 12 else 4))
    full = 2**depth - 1
    nodes = None if rng.random() < 0.5 else int(rng.integers(0, full + 1))
    min_leaf = int(rng.choice([1, 1, 1, 2, 3]))
    kept = bits[:, [bits[:, j].min() != bits[:, j].max() for j in range(bits.shape[1])]]
    if kept.shape[1] == 0:
        return instance(rng, n_groups)
    expected = all_predictions(kept, depth, full if nodes is None else nodes, min_leaf)
    options = settings(
        weights=weights,
        max_depth=depth,
        max_nodes=nodes,
        min_samples_leaf=min_leaf,
        aggregate=bool(rng.random() < 0.7),
    )
    return bits, labels, groups, np.ones(n) if weights is None else weights, expected, options


def predicted_by(bits, nodes):
    codes, groups, _ = _core.group_binary(bits)
    return route((codes, [group["kind"] for group in groups]), nodes)


@pytest.mark.parametrize("seed", range(400))
def test_matthews_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    bits, labels, _, weights, expected, options = instance(rng)
    result = _core.solve_matthews(make_table(bits), labels=labels, **options)
    best = correlation(expected, labels, weights).max()
    assert result["status"] == "optimal"
    # With real weights the oracle's sums are not exactly zero where they should be.
    close = 1e-12 if (weights == weights.round()).all() else 1e-6
    assert result["objective"] == pytest.approx(max(best, 0.0), abs=close)
    assert result["upper_bound"] == result["objective"]
    reached = correlation(predicted_by(bits, result["nodes"])[None], labels, weights)[0]
    assert reached == pytest.approx(result["objective"], abs=close)


@pytest.mark.parametrize("task", ["demographic_parity", "equal_opportunity"])
@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("seed", range(300))
def test_fairness_equals_brute_force(seed, n_groups, task):
    rng = np.random.default_rng([seed, n_groups])
    bits, labels, groups, weights, expected, options = instance(rng, n_groups)
    limit = float(rng.choice([0.0, 0.02, 0.1, 0.3, 1.0]))
    result = _core.solve_fairness(
        make_table(bits),
        labels=labels,
        groups=groups,
        n_groups=n_groups,
        task=task,
        limit=limit,
        **options,
    )
    errors = (expected != labels) @ weights
    disparity = np.ptp(rates(expected, labels, groups, weights, task), axis=0)
    best = errors[disparity <= limit + 1e-9].min()
    assert result["status"] == "optimal"
    assert result["objective"] == pytest.approx(best, abs=1e-6)
    assert result["lower_bound"] == pytest.approx(best, abs=1e-6)
    for point in [result, *result["met"]]:
        predicted = predicted_by(bits, point["nodes"])[None]
        assert ((predicted != labels) @ weights)[0] == pytest.approx(point["objective"], abs=1e-6)
        found = rates(predicted, labels, groups, weights, task)[:, 0]
        np.testing.assert_allclose(found, point["rates"], atol=1e-9)
        assert np.ptp(found) == pytest.approx(point["disparity"], abs=1e-9)
    assert result["disparity"] <= limit + 1e-9
    trade_off = [(point["objective"], -point["disparity"]) for point in result["met"]]
    assert trade_off == sorted(trade_off)


def random_problem(seed, n=400, p=12):
    rng = np.random.default_rng(seed)
    bits = (rng.random((n, p)) < 0.5).astype(np.uint8)
    labels = (rng.random(n) < 0.25 + 0.5 * (bits[:, 0] ^ bits[:, 1])).astype(np.int32)
    groups = (rng.random(n) < 0.3 + 0.4 * bits[:, 0]).astype(np.int32)
    return make_table(bits), labels, groups


def test_merging_changes_nothing():
    table, labels, groups = random_problem(0)
    fair = {"groups": groups, "n_groups": 2, "task": "demographic_parity", "limit": 0.05}
    merged = _core.solve_fairness(table, labels=labels, **fair, **settings(max_depth=3))
    single = _core.solve_fairness(
        table, labels=labels, **fair, **settings(max_depth=3, aggregate=False)
    )
    assert merged["objective"] == single["objective"]
    merged = _core.solve_matthews(table, labels=labels, **settings(max_depth=3))
    single = _core.solve_matthews(table, labels=labels, **settings(max_depth=3, aggregate=False))
    assert merged["objective"] == single["objective"]


def test_out_of_time_the_best_tree_so_far_comes_with_its_bound():
    table, labels, groups = random_problem(1)
    fair = {"groups": groups, "n_groups": 2, "task": "equal_opportunity", "limit": 0.01}
    stopped = _core.solve_fairness(table, labels=labels, **fair, **settings(time_limit=0.0))
    whole = _core.solve_fairness(table, labels=labels, **fair, **settings())
    assert (stopped["status"], whole["status"]) == ("time_limit", "optimal")
    assert stopped["lower_bound"] <= whole["objective"] <= stopped["objective"]
    assert stopped["disparity"] <= 0.01
    stopped = _core.solve_matthews(table, labels=labels, **settings(time_limit=0.0))
    whole = _core.solve_matthews(table, labels=labels, **settings())
    assert (stopped["status"], whole["status"]) == ("time_limit", "optimal")
    assert stopped["objective"] <= whole["objective"] <= stopped["upper_bound"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"limit": -0.1}, r"limit is -0.1; .* from 0 .* to 1"),
        ({"limit": math.nan}, "limit is NaN"),
        ({"n_groups": 3}, "group 2 has no records of positive weight"),
        ({"n_groups": 1}, "group 1 is out of range; groups must be numbered from 0 to 0"),
        ({"task": "parity"}, '"demographic_parity" and "equal_opportunity" are allowed'),
        ({"labels": np.full(400, 2, dtype=np.int32)}, "label 2 is not allowed"),
        ({"groups": np.zeros(3, dtype=np.int32)}, "400 labels came with 3 groups"),
        ({"weights": np.full(400, -1.0)}, "weight -1 is not allowed"),
        (
            {"labels": np.zeros(400, dtype=np.int32), "task": "equal_opportunity"},
            "group 0 has no records of the positive class",
        ),
    ],
)
def test_bad_input_is_explained(changed, message):
    table, labels, groups = random_problem(2)
    request = settings() | {
        "labels": labels,
        "groups": groups,
        "n_groups": 2,
        "task": "demographic_parity",
        "limit": 0.1,
    }
    with pytest.raises(ValueError, match=message):
        _core.solve_fairness(table, **(request | changed))


def test_matthews_needs_both_classes():
    table, labels, _ = random_problem(3)
    with pytest.raises(ValueError, match="the positive class has no record of positive weight"):
        _core.solve_matthews(table, labels=np.zeros_like(labels), **settings())
