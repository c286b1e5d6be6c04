"""Labelling the leaves of a tree anew, so that groups are treated alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certitree import _core
from certitree.objectives._search import CoreNodes

MAX_LEAVES = 16
"""Every labelling is tried, 2^16 at most; larger trees are left as they are."""

_TOLERANCE = 1e-9
"""Rates may exceed the limit by rounding, as in the core."""


def label_fairly(
    nodes: CoreNodes,
    leaves: NDArray[np.uint32],
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    groups: NDArray[np.int32],
    counts: NDArray[np.bool_] | None,
    limit: float,
) -> _core.FairTree | None:
    """Give the leaves of a tree the labels of fewest errors within a limit.

    A search that is stopped has met accurate trees that treat groups too differently. With other
    labels in a few leaves, most of them are far better than a constant tree.

    Parameters
    ----------
    nodes : list of (column, split, left, right, label)
    leaves : uint32 array of shape (n_records,)
        The node that each record ends in.
    labels : int32 array of shape (n_records,)
        1 for the positive class, 0 for the other.
    weights : float64 array of shape (n_records,), or None for ones
    groups : int32 array of shape (n_records,)
        Indices of groups.
    counts : bool array of shape (n_records,), or None for all
        The records that a group's rate is a share of.
    limit : float
        Largest difference between two groups' rates.

    Returns
    -------
    FairTree or None
        Sibling leaves of one label made one. None if the tree has more than `MAX_LEAVES` leaves.
    """
    places = [index for index, (column, *_) in enumerate(nodes) if column < 0]
    n_leaves, n_groups = len(places), int(groups.max()) + 1
    if n_leaves > MAX_LEAVES:
        return None
    leaf = np.searchsorted(places, leaves)
    weights = np.ones(labels.size) if weights is None else weights
    errors_as = [np.bincount(leaf, weights * (labels != label), n_leaves) for label in (0, 1)]
    mass = weights if counts is None else weights * counts
    shares = np.bincount(leaf * n_groups + groups, mass, n_leaves * n_groups)
    shares = shares.reshape(n_leaves, n_groups)
    shares = shares / shares.sum(axis=0)
    called = np.arange(2**n_leaves)[:, None] >> np.arange(n_leaves) & 1
    errors = errors_as[0].sum() + called @ (errors_as[1] - errors_as[0])
    rates = called @ shares
    disparity = rates.max(axis=1) - rates.min(axis=1)
    best = int(np.where(disparity <= limit + _TOLERANCE, errors, np.inf).argmin())
    chosen = dict(zip(places, called[best].tolist(), strict=True))
    return {
        "objective": float(errors[best]),
        "disparity": float(disparity[best]),
        "rates": rates[best].tolist(),
        "nodes": _labelled(nodes, chosen),
    }


def _labelled(nodes: CoreNodes, labels: dict[int, int]) -> list[tuple[int, int, int, int, int]]:
    """Put the labels into the leaves; two sibling leaves of one label become one."""
    kept: list[tuple[int, int, int, int, int]] = []

    def add(index: int) -> int:
        column, split, left, right, _ = nodes[index]
        place = len(kept)
        kept.append((-1, -1, -1, -1, labels.get(index, -1)))
        if column < 0:
            return place
        sides = add(left), add(right)
        (a, *_, label), (b, *_, other) = (kept[side] for side in sides)
        if a < 0 and b < 0 and label == other:
            del kept[place:]
            kept.append((-1, -1, -1, -1, label))
        else:
            kept[place] = (column, split, *sides, -1)
        return place

    add(0)
    return kept
