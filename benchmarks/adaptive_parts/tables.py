"""A generated table of the size of the largest in the literature: numbers, whole numbers and texts.

786,363 rows and about 500 binary splits, of which a planted tree of depth 6 uses a few dozen. The
same number of rows always gives the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

N_ROWS = 786_363
MAX_BINS = 45
"""Most bins of a numeric column that bring all splits to about 500."""

N_CONTINUOUS = 8
WHOLE_NUMBERS = (12, 25)
"""Distinct values of each column of whole numbers."""
CATEGORIES = (24, 30, 36, 24)
"""Labels of each column of texts."""
PLANTED_DEPTH = 6
LABEL_NOISE = 0.12


@dataclass(frozen=True)
class MixedTable:
    """A table of numeric and nominal columns.

    Attributes
    ----------
    X : data frame of shape (n_rows, 14), numbers as float64 and int64, categories as texts
    y : int64 array of shape (n_rows,), values 0 or 1
    """

    X: pd.DataFrame
    y: NDArray[np.int64]


def mixed_table(n_rows: int = N_ROWS, seed: int = 0) -> MixedTable:
    """Generate the table.

    A few latent factors make columns depend on each other, as in real tables. The label is that of
    a planted tree, whose thresholds are no quantiles of the columns, with noise.
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n_rows, 3))
    columns: dict[str, NDArray[np.generic]] = {}
    for index in range(N_CONTINUOUS):
        values = mixture(factors, rng)
        columns[f"number_{index}"] = np.exp(values) if index % 2 else values
    for index, distinct in enumerate(WHOLE_NUMBERS):
        columns[f"count_{index}"] = by_quantile(mixture(factors, rng), distinct)
    numeric = np.column_stack(list(columns.values()))
    codes = [
        # Squared shares: some labels are common, others rare.
        (by_quantile(mixture(factors, rng), 10 * labels) ** 2 // (100 * labels)).astype(np.int64)
        for labels in CATEGORIES
    ]
    y = planted_labels(numeric, codes, rng)
    y ^= rng.random(n_rows) < LABEL_NOISE
    for index, (code, labels) in enumerate(zip(codes, CATEGORIES, strict=True)):
        names = np.array([f"label {label:02}" for label in range(labels)], dtype=object)
        columns[f"kind_{index}"] = names[code]
    return MixedTable(pd.DataFrame(columns), y)


def mixture(factors: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a column that shares half of its variance with the factors."""
    shared = factors @ rng.normal(size=factors.shape[1])
    return shared / shared.std() + rng.normal(size=factors.shape[0])


def by_quantile(values: NDArray[np.float64], distinct: int) -> NDArray[np.int64]:
    """Cut values into whole numbers from 0 to `distinct` - 1, equally often."""
    order = np.argsort(values, kind="stable")
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[order] = np.arange(values.size)
    return ranks * distinct // values.size


def planted_labels(
    numeric: NDArray[np.float64], codes: list[NDArray[np.int64]], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Label the rows by a random tree: every path has a likelier class at each of its nodes."""
    labels = np.zeros(len(numeric), dtype=np.int64)

    def grow(rows: NDArray[np.intp], depth: int, label: int) -> None:
        if depth == 0 or rows.size < 2:
            labels[rows] = label
            return
        column = int(rng.integers(numeric.shape[1] + len(codes)))
        if column < numeric.shape[1]:
            values = numeric[rows, column]
            side = values <= np.quantile(values, rng.uniform(0.25, 0.75))
        else:
            values = codes[column - numeric.shape[1]][rows]
            side = values == values[rng.integers(rows.size)]
        # One side keeps the class, or both leave it to what is below.
        flip = int(rng.integers(2))
        grow(rows[side], depth - 1, label ^ flip)
        grow(rows[~side], depth - 1, label ^ 1 ^ flip)

    grow(np.arange(len(numeric)), PLANTED_DEPTH, 0)
    return labels
