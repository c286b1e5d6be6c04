"""Problems the benchmarks run on: reference matrices, and generated ones without structure.

Every problem is a 0/1 matrix with 0/1 labels, so that each solver sees the same splits.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

REFERENCE_NAMES = ("compas", "heloc", "gmsc", "diabetes")


@dataclass(frozen=True)
class Problem:
    """A 0/1 classification problem.

    Attributes
    ----------
    name : str
    X : uint8 array of shape (n_rows, n_columns), values 0 or 1, C-ordered.
    y : int32 array of shape (n_rows,), values 0 or 1.
    source : int array of shape (n_columns,), or None
        For each column, the feature of the original table that it was made of, where known.
    """

    name: str
    X: NDArray[np.uint8]
    y: NDArray[np.int32]
    source: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class GeneratedShape:
    """Recipe of a generated problem; the same recipe always gives the same data.

    Attributes
    ----------
    n_rows, n_columns : size of the matrix.
    planted_depth : levels of the tree that labels the rows.
    label_noise : share of the labels drawn flipped, in [0, 0.5).
    prototypes : number of latent row types; few make columns correlated and rows similar, as
        in tables of one-hot attributes. 0 draws every column independently.
    density : parameters of the beta distribution that the columns' shares of ones come from.
    imitates : sets of the same shape that ship with pystreed's and pydl8.5's sources.
    """

    n_rows: int
    n_columns: int
    planted_depth: int
    label_noise: float
    prototypes: int
    density: tuple[float, float]
    seed: int
    imitates: str


GENERATED = {
    # Exact peers need from milliseconds to under a minute at depth 3 and 4.
    "gen_350x445": GeneratedShape(350, 445, 3, 0.06, 0, (0.15, 3.0), 11, "audiology"),
    "gen_1000x110": GeneratedShape(1_000, 110, 4, 0.10, 12, (0.9, 1.6), 12, "anneal"),
    "gen_3200x290": GeneratedShape(3_200, 290, 3, 0.05, 0, (0.3, 4.0), 13, "splice-1"),
    "gen_8000x120": GeneratedShape(8_000, 120, 4, 0.05, 16, (0.9, 1.6), 14, "mushroom"),
    # Small and easy: the fixed cost of a fit shows.
    "gen_435x48": GeneratedShape(435, 48, 3, 0.05, 6, (0.9, 1.6), 16, "vote"),
    # Dense and dependent columns: no exact peer proves depth 4 within minutes.
    "gen_350x445_dense": GeneratedShape(350, 445, 3, 0.06, 12, (0.9, 1.6), 11, "ionosphere"),
    "gen_3200x290_dense": GeneratedShape(3_200, 290, 3, 0.05, 8, (0.5, 2.5), 13, "hypothyroid"),
}


def shared_folder() -> Path:
    """Return the folder with the reference matrices: $CERTITREE_SHARED, or ../shared."""
    chosen = os.environ.get("CERTITREE_SHARED")
    return Path(chosen) if chosen else Path(__file__).resolve().parents[2] / "shared"


def reference_path(name: str) -> Path:
    """Return the file of a reference matrix."""
    return shared_folder() / "reference" / f"{name}_b100.npz"


def load_reference(name: str) -> Problem:
    """Load the training rows of a reference matrix.

    Raises
    ------
    FileNotFoundError
        If the matrix is not there.
    """
    path = reference_path(name)
    if not path.is_file():
        raise FileNotFoundError(
            f"reference matrix {path} is missing; set CERTITREE_SHARED to the folder that holds "
            f"reference/{path.name}, or run only the generated problems: {', '.join(GENERATED)}"
        )
    with np.load(path) as file:
        train = file["train"]
        return Problem(
            name,
            np.ascontiguousarray(file["X"][train], dtype=np.uint8),
            file["y"][train].astype(np.int32),
            file["column"].astype(np.int64),
        )


def load_top(name: str, count: int) -> Problem:
    """Load the training rows of a reference matrix, and of its splits those a forest ranks first.

    Raises
    ------
    FileNotFoundError
        If the matrix is not there.
    ValueError
        If fewer splits are ranked.
    """
    problem = load_reference(name)
    with np.load(reference_path(name)) as file:
        ranked = file["top60"]
    if not 1 <= count <= ranked.size:
        raise ValueError(f"{name} has {ranked.size} ranked splits, {count} were asked for")
    chosen = ranked[:count]
    source = None if problem.source is None else problem.source[chosen]
    return Problem(
        f"{name}_top{count}", np.ascontiguousarray(problem.X[:, chosen]), problem.y, source
    )


def planted_labels(
    bits: NDArray[np.uint8], depth: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Label rows with a random tree of `depth` levels whose leaves alternate in class.

    Each node takes, of 12 random columns, the one that splits its rows most evenly, so that
    every level of the tree matters.
    """
    labels = np.zeros(len(bits), dtype=np.int32)

    def grow(rows: NDArray[np.intp], levels: int, label: int) -> None:
        if levels == 0 or len(rows) < 2:
            labels[rows] = label
            return
        tried = rng.choice(bits.shape[1], size=min(12, bits.shape[1]), replace=False)
        column = tried[np.argmin(np.abs(bits[rows][:, tried].mean(axis=0) - 0.5))]
        side = bits[rows, column] == 1
        # The class of the majority side carries on, so that the signal is visible to a greedy
        # search on some levels and hidden from it on others.
        flip = int(rng.integers(2))
        grow(rows[side], levels - 1, label ^ flip)
        grow(rows[~side], levels - 1, label ^ 1 ^ flip)

    grow(np.arange(len(bits)), depth, 0)
    return labels


def draw_columns(shape: GeneratedShape, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw columns of mixed density, dependent through latent row types if there are any."""
    n, p = shape.n_rows, shape.n_columns
    density = rng.beta(*shape.density, size=p).clip(0.01, 0.99)
    if shape.prototypes == 0:
        return (rng.random((n, p)) < density).astype(np.uint8)
    # A row type shifts each column's log-odds; strong shifts make columns predict one another.
    shift = rng.normal(0.0, 1.8, size=(shape.prototypes, p))
    row_type = rng.integers(shape.prototypes, size=n)
    logit = np.log(density / (1 - density)) + shift[row_type]
    bits: NDArray[np.bool_] = rng.random((n, p)) < 1 / (1 + np.exp(-logit))
    return bits.astype(np.uint8)


def generate(name: str) -> Problem:
    """Generate a problem without nested or exclusive columns, deterministic by its seed.

    The label is a planted tree's, flipped at random at the recipe's rate. A tenth of the columns
    are noisy copies (8 % flips) of others, so that many trees are nearly as good as the best.
    """
    shape = GENERATED[name]
    rng = np.random.default_rng(shape.seed)
    bits = draw_columns(shape, rng)
    n, p = bits.shape
    copies = rng.permutation(p)[: 2 * (p // 10)].reshape(2, -1)
    flipped = rng.random((n, copies.shape[1])) < 0.08
    bits[:, copies[0]] = bits[:, copies[1]] ^ flipped
    labels = planted_labels(bits, shape.planted_depth, rng)
    labels ^= rng.random(n) < shape.label_noise
    return Problem(name, np.ascontiguousarray(bits), labels)


def small_problem() -> Problem:
    """Return 150 rows of 4 numeric columns, cut at 9 quantiles each: the fixed cost of a fit."""
    rng = np.random.default_rng(15)
    label = np.repeat([0, 1], 75).astype(np.int32)
    values = rng.normal(size=(150, 4)) + label[:, None] * np.array([1.4, 0.3, 0.8, 0.0])
    cuts = np.quantile(values, np.linspace(0.1, 0.9, 9), axis=0)
    bits = np.concatenate([values[:, [c]] <= cuts[:, c] for c in range(4)], axis=1)
    return Problem("small_150", bits.astype(np.uint8), label)


def load_problem(name: str) -> Problem:
    """Load or generate a problem by name; "heloc_top20" is HELOC with its 20 best ranked splits.

    Raises ValueError for any other name, listing those there are.
    """
    if name in REFERENCE_NAMES:
        return load_reference(name)
    reference, _, count = name.rpartition("_top")
    if reference in REFERENCE_NAMES and count.isdecimal():
        return load_top(reference, int(count))
    if name in GENERATED:
        return generate(name)
    makers: dict[str, Callable[[], Problem]] = {"small_150": small_problem}
    if name in makers:
        return makers[name]()
    known = ", ".join([*REFERENCE_NAMES, *GENERATED, *makers])
    raise ValueError(f"unknown problem {name!r}; there are: {known}")
