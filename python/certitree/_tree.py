"""A fitted tree as parallel arrays, as in scikit-learn's ``tree_``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from certitree._condition import OPERATORS, goes_left

NO_NODE = -1
"""Child of a leaf, and feature, category and label where a node has none."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary tree. Node 0 is the root; every child comes after its parent (pre-order).

    A record at a branching node goes to ``children_left`` if the node's condition holds for it.
    With v the record's value of ``feature``, the condition is, by ``operator``:

    - ``"<="``: v <= ``threshold``;
    - ``"=="``: v is the category of index ``category`` (a category that training did not show is
      none of them, so the condition is false);
    - ``"missing"``: v is missing.

    A missing v goes left if ``missing_left``, right otherwise.

    Attributes
    ----------
    children_left, children_right : int32 array of shape (n_nodes,)
        Index of the child; -1 for a leaf.
    feature : int32 array of shape (n_nodes,)
        Index of the feature; -1 for a leaf.
    operator : str array of shape (n_nodes,)
        ``"<="``, ``"=="`` or ``"missing"``; ``""`` for a leaf.
    threshold : float64 array of shape (n_nodes,)
        NaN unless the operator is ``"<="``.
    category : int32 array of shape (n_nodes,)
        -1 unless the operator is ``"=="``.
    missing_left : bool array of shape (n_nodes,)
    label : int32 array of shape (n_nodes,)
        Index of the class that a leaf predicts; -1 for a branching node.
    value : float64 array of shape (n_nodes, n_classes)
        Training weight of each class at the node.
    n_node_samples : int64 array of shape (n_nodes,)
        Number of training records (of non-zero weight) at the node.
    weighted_n_node_samples : float64 array of shape (n_nodes,)
        Their weight.
    """

    children_left: NDArray[np.int32]
    children_right: NDArray[np.int32]
    feature: NDArray[np.int32]
    operator: NDArray[np.str_]
    threshold: NDArray[np.float64]
    category: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    label: NDArray[np.int32]
    value: NDArray[np.float64]
    n_node_samples: NDArray[np.int64]
    weighted_n_node_samples: NDArray[np.float64]

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return int(self.children_left.size)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return (self.node_count + 1) // 2

    @property
    def n_branching_nodes(self) -> int:
        """Number of branching nodes."""
        return self.node_count // 2

    @property
    def max_depth(self) -> int:
        """Length of the longest path from the root to a leaf; 0 if the root is a leaf."""
        return int(self.node_depths().max())

    def is_leaf(self) -> NDArray[np.bool_]:
        """Tell for each node whether it is a leaf."""
        leaf: NDArray[np.bool_] = self.children_left == NO_NODE
        return leaf

    def node_depths(self) -> NDArray[np.int64]:
        """Return each node's distance from the root."""
        depths = np.zeros(self.node_count, dtype=np.int64)
        for node in range(self.node_count):
            if self.children_left[node] != NO_NODE:
                depths[[self.children_left[node], self.children_right[node]]] = depths[node] + 1
        return depths

    def used_features(self) -> list[int]:
        """Return the features that some node splits on, sorted."""
        return [int(feature) for feature in np.unique(self.feature[self.feature != NO_NODE])]

    def apply(self, columns: Mapping[int, NDArray[np.float64]], n_rows: int) -> NDArray[np.int64]:
        """Find the leaf of each record.

        Parameters
        ----------
        columns : mapping from feature to float64 array of shape (n_rows,)
            At least the features of `used_features`: values of numeric features, indices of
            categories of nominal ones (any other number for an unknown category); NaN is missing.
        n_rows : int

        Returns
        -------
        int64 array of shape (n_rows,)
            Index of the leaf.
        """
        leaves = np.zeros(n_rows, dtype=np.int64)
        rows_at: dict[int, NDArray[np.intp]] = {0: np.arange(n_rows)}
        nodes = zip(
            self.children_left.tolist(),
            self.children_right.tolist(),
            self.feature.tolist(),
            self.operator.tolist(),
            self.threshold.tolist(),
            self.category.tolist(),
            self.missing_left.tolist(),
            strict=True,
        )
        for node, (left, right, feature, *condition) in enumerate(nodes):
            rows = rows_at.pop(node)
            if left == NO_NODE:
                leaves[rows] = node
                continue
            holds = goes_left(columns[feature].take(rows), *condition)
            # Two steps, for indexing with bools is several times slower.
            rows_at[left] = rows.take(np.flatnonzero(holds))
            rows_at[right] = rows.take(np.flatnonzero(~holds))
        return leaves

    def paths(self) -> dict[int, list[int]]:
        """Return, for each leaf, the nodes from the root to it."""
        paths: dict[int, list[int]] = {0: [0]}
        for node in range(self.node_count):
            if self.children_left[node] != NO_NODE:
                path = paths.pop(node)
                for child in (int(self.children_left[node]), int(self.children_right[node])):
                    paths[child] = [*path, child]
        return paths

    def decision_path(self, leaves: NDArray[np.int64]) -> scipy.sparse.csr_matrix:
        """Tell which nodes lie on the way of each record.

        Parameters
        ----------
        leaves : int64 array of shape (n_rows,), as returned by `apply`

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 where the record passes the node.
        """
        paths = self.paths()
        known, place = np.unique(leaves, return_inverse=True)
        lengths = np.array([len(paths[int(leaf)]) for leaf in known], dtype=np.int64)
        table = np.full((known.size, int(lengths.max(initial=0))), NO_NODE, dtype=np.int64)
        for row, leaf in enumerate(known):
            table[row, : lengths[row]] = paths[int(leaf)]
        nodes = table[place]
        indptr = np.concatenate([[0], np.cumsum(lengths[place])])
        indices = nodes[nodes != NO_NODE]
        shape = (leaves.size, self.node_count)
        return scipy.sparse.csr_matrix(
            (np.ones(indices.size, dtype=np.int64), indices, indptr), shape
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the tree as lists of plain numbers and strings; NaN becomes None."""
        plain = {name: getattr(self, name).tolist() for name in _FIELDS}
        plain["threshold"] = [None if np.isnan(t) else t for t in plain["threshold"]]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Tree:
        """Rebuild a tree from `to_dict`.

        Raises
        ------
        ValueError
            If the arrays do not describe one tree: missing or of unequal length, a child or an
            operator that does not exist, a node with two parents or none, a cycle.
        """
        for name in _FIELDS:
            if name not in plain:
                raise ValueError(f"the tree lacks {name!r}")
        arrays = {name: _to_array(name, plain[name]) for name in _FIELDS}
        tree = cls(**arrays)
        for problem in _problems(tree):
            raise ValueError(problem)
        return tree

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name), equal_nan=name == "threshold")
            for name in _FIELDS
        )

    __hash__ = None  # type: ignore[assignment]


_FIELDS: dict[str, type | str] = {
    "children_left": np.int32,
    "children_right": np.int32,
    "feature": np.int32,
    "operator": "U7",
    "threshold": np.float64,
    "category": np.int32,
    "missing_left": np.bool_,
    "label": np.int32,
    "value": np.float64,
    "n_node_samples": np.int64,
    "weighted_n_node_samples": np.float64,
}
"""Arrays of a tree and their dtypes: counts may pass 2**31, indices of nodes do not."""


def _to_array(name: str, values: Any) -> NDArray[Any]:
    dtype = np.dtype(_FIELDS[name])
    raw = np.asarray(values)
    if raw.dtype == object and name == "threshold":
        raw = np.asarray([np.nan if value is None else value for value in values])
    wanted = {"i": "i", "f": "if", "U": "U", "b": "b"}[dtype.kind]
    if raw.size and raw.dtype.kind not in wanted:
        raise ValueError(f"{name!r} of the tree holds values of another type than {dtype}")
    if dtype.kind == "i" and raw.size and np.abs(raw).max() > np.iinfo(dtype).max:
        raise ValueError(f"{name!r} of the tree holds a number out of range")
    return raw.astype(dtype)


def _problems(tree: Tree) -> Iterator[str]:
    """Yield what is wrong with the shape of a tree, the root of the trouble first."""
    count = tree.node_count
    for name in _FIELDS:
        array = getattr(tree, name)
        if array.ndim != (2 if name == "value" else 1) or array.shape[0] != count or count == 0:
            yield f"{name!r} of the tree has shape {array.shape}, but there are {count} nodes"
    parents = np.zeros(count, dtype=np.int64)
    for node in range(count):
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left == NO_NODE and right == NO_NODE:
            if not 0 <= tree.label[node] < tree.value.shape[1]:
                yield f"leaf {node} of the tree predicts class {tree.label[node]}, which is unknown"
            continue
        for child in (left, right):
            if not node < child < count:
                yield (
                    f"node {node} of the tree has child {child}; children come after their parent "
                    f"and before {count}"
                )
            else:
                parents[child] += 1
        yield from _condition_problems(tree, node)
    for node in range(1, count):
        if parents[node] != 1:
            yield f"node {node} of the tree has {parents[node]} parents instead of one"
    if not np.isfinite(tree.value).all() or (tree.value < 0).any():
        yield "'value' of the tree holds a number that is not finite or is negative"
    weights = tree.weighted_n_node_samples
    if not (np.isfinite(weights) & (weights > 0)).all():
        yield "'weighted_n_node_samples' of the tree holds a number that is not finite and positive"


def _condition_problems(tree: Tree, node: int) -> Iterator[str]:
    operator = str(tree.operator[node])
    if operator not in OPERATORS:
        yield f"node {node} of the tree has operator {operator!r}; there are {OPERATORS}"
    if operator == "<=" and not np.isfinite(tree.threshold[node]):
        yield f"node {node} of the tree has no finite threshold"
    if tree.feature[node] < 0:
        yield f"node {node} of the tree splits on feature {tree.feature[node]}"
