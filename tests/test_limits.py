import time

import joblib
import numpy as np
import pytest

from certitree import OptimalTreeClassifier, ParameterError
from certitree._limits import (
    MAX_DEPTH,
    count_threads,
    draw_seed,
    parse_memory,
    relative_gap,
    seconds_left,
)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (None, None),
        (12345, 12345),
        (np.int64(5), 5),
        ("800MB", 800 * 10**6),
        ("1.5 GB", 1_500_000_000),
        ("1GiB", 2**30),
        ("64 kib", 65536),
        (" 2g ", 2 * 10**9),
        ("100", 100),
        ("100b", 100),
    ],
)
def test_sizes(limit, expected):
    assert parse_memory(limit) == expected


@pytest.mark.parametrize("limit", ["", "GB", "1XB", "-1GB", "1 i", "one", "0", "0.1B"])
def test_texts_that_are_no_size(limit):
    with pytest.raises(ParameterError, match="memory_limit="):
        parse_memory(limit)


def test_threads():
    assert count_threads(None) == 1
    assert count_threads(3) == 3
    assert count_threads(-1) == joblib.cpu_count()
    with joblib.parallel_config(n_jobs=2):
        assert count_threads(None) == 2
    with pytest.raises(ParameterError, match="n_jobs=0"):
        count_threads(0)


def test_seeds_repeat():
    assert draw_seed(None) == 0
    assert draw_seed(5) == draw_seed(5) != draw_seed(6)


def test_seconds_left():
    now = time.perf_counter()
    assert seconds_left(None, now) is None
    assert 9 < seconds_left(10, now) <= 10
    assert seconds_left(1, now - 5) == 0


@pytest.mark.parametrize(
    ("objective", "bound", "gap"),
    [(10, 10, 0), (10, 8, 0.2), (10, 0, 1), (0, 0, 0), (float("inf"), 0, 1), (10, 10.1, 0)],
)
def test_gap(objective, bound, gap):
    assert relative_gap(objective, bound) == pytest.approx(gap)


def test_the_deepest_tree():
    X, y = [[0], [1], [1]], [0, 1, 1]
    assert OptimalTreeClassifier(max_depth=MAX_DEPTH).fit(X, y).objective_ == 0
    for depth in (MAX_DEPTH + 1, 10**20):
        with pytest.raises(ValueError, match=rf"'max_depth' .* range \[0, 16\]. Got {depth}"):
            OptimalTreeClassifier(max_depth=depth).fit(X, y)
