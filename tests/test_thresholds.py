import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from certitree._thresholds import find_thresholds, midpoints

finite = st.floats(allow_nan=False, allow_infinity=False)
columns = arrays(np.float64, st.integers(1, 40), elements=finite)


@given(columns)
def test_every_distinct_value_gets_its_own_bin(values):
    thresholds = find_thresholds(values, None, 255)
    distinct = np.unique(values)
    assert thresholds.size == distinct.size - 1
    bins = np.searchsorted(thresholds, distinct)
    np.testing.assert_array_equal(bins, np.arange(distinct.size))


@given(columns, st.integers(2, 10))
def test_thresholds_lie_between_neighbouring_values(values, max_bins):
    thresholds = find_thresholds(values, None, max_bins)
    assert thresholds.size < max_bins
    distinct = np.unique(values)
    for threshold in thresholds:
        above = int(np.searchsorted(distinct, threshold, side="right"))
        assert 0 < above < distinct.size
        low, high = distinct[above - 1], distinct[above]
        assert low <= threshold < high
        middle = 0.5 * low + 0.5 * high
        assert threshold in (middle, low)
    assert (np.diff(thresholds) > 0).all()


@given(finite)
def test_neighbours_in_the_last_bit_are_told_apart(low):
    assume(low < np.finfo(np.float64).max)
    high = np.nextafter(low, np.inf)
    threshold = midpoints(np.array([low]), np.array([high]))[0]
    assert low <= threshold < high


def test_midpoint_of_huge_values_does_not_overflow():
    threshold = midpoints(np.array([1.5e308]), np.array([1.7e308]))[0]
    assert 1.5e308 < threshold < 1.7e308


def test_quantile_bins_hold_equal_weight():
    values = np.arange(1000.0)
    thresholds = find_thresholds(values, None, 10)
    counts = np.bincount(np.searchsorted(thresholds, values))
    np.testing.assert_array_equal(counts, np.full(10, 100))


def test_weights_shift_the_quantiles():
    values = np.arange(1000.0)
    weights = np.where(values < 500, 3.0, 1.0)
    thresholds = find_thresholds(values, weights, 4)
    np.testing.assert_allclose(thresholds, [166.5, 333.5, 499.5], atol=1.0)


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1 / 3, 7.0, 1e-6]))
def test_scaled_weights_cut_alike(seed, factor):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=200)
    weights = rng.integers(1, 5, 200).astype(float)
    np.testing.assert_array_equal(
        find_thresholds(values, weights, 10), find_thresholds(values, weights * factor, 10)
    )


@given(st.integers(0, 10_000))
def test_repeated_values_cut_as_weighted_ones(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=100)
    weights = rng.integers(1, 5, 100)
    np.testing.assert_array_equal(
        find_thresholds(values, weights.astype(float), 7),
        find_thresholds(np.repeat(values, weights), None, 7),
    )


def test_a_column_without_values_has_no_threshold():
    assert find_thresholds(np.array([]), None, 10).size == 0
    assert find_thresholds(np.array([3.0, 3.0]), None, 10).size == 0
