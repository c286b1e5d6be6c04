"""From the nodes the core returns, in terms of codes, to a tree in terms of the user's table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certitree._coding import CodedTable
from certitree._condition import Condition
from certitree._tree import NO_NODE, Tree


def build_tree(
    nodes: Sequence[tuple[int, int, int, int, int]],
    table: CodedTable,
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    n_classes: int,
    leaves: NDArray[np.uint32] | None = None,
) -> Tree:
    """Translate a tree and count the training records at each node.

    Parameters
    ----------
    nodes : sequence of (column, split, left, right, label)
        As `_core.solve` returns them.
    table : CodedTable
        The training records.
    labels : int32 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), or None for ones
    n_classes : int
    leaves : uint32 array of shape (n_rows,), optional
        As `table.find_leaves` returns them, where that was done before.
    """
    if leaves is None:
        leaves = table.find_leaves(nodes)
    shape = (len(nodes), n_classes)
    cells = leaves.astype(np.intp) * n_classes + labels
    counts = np.bincount(leaves, minlength=shape[0])
    values = np.bincount(cells, weights, minlength=shape[0] * shape[1]).astype(np.float64)
    builder = _Builder(nodes, table, counts.tolist(), values.reshape(shape).tolist())
    builder.add(0)
    return builder.finish()


class _Builder:
    """Walks the core's tree in the user's pre-order, left being where the condition holds.

    `leaf_counts` and `leaf_values` are the training records and their weight by class that end in
    each node of the core.
    """

    def __init__(
        self,
        nodes: Sequence[tuple[int, int, int, int, int]],
        table: CodedTable,
        leaf_counts: list[int],
        leaf_values: list[list[float]],
    ) -> None:
        self.nodes = nodes
        self.table = table
        self.leaf_counts = leaf_counts
        self.leaf_values = leaf_values
        self.conditions: list[Condition | None] = []
        self.children: list[tuple[int, int]] = []
        self.leaf_labels: list[int] = []
        self.values: list[list[float]] = []
        self.counts: list[int] = []
        self.missing_left: list[bool] = []

    def add(self, source: int) -> int:
        """Add the subtree of a node of the core; return its index here."""
        column, split, true_child, false_child, label = self.nodes[source]
        index = len(self.conditions)
        self.conditions.append(None)
        self.children.append((NO_NODE, NO_NODE))
        self.leaf_labels.append(label)
        self.counts.append(self.leaf_counts[source])
        self.values.append(self.leaf_values[source])
        self.missing_left.append(False)
        if column == NO_NODE:
            return index
        condition, swapped = self.table.codings[column].condition(split)
        sides = (false_child, true_child) if swapped else (true_child, false_child)
        left, right = map(self.add, sides)
        self.conditions[index] = condition
        self.children[index] = (left, right)
        self.counts[index] = self.counts[left] + self.counts[right]
        self.values[index] = [
            a + b for a, b in zip(self.values[left], self.values[right], strict=True)
        ]
        if condition.missing_left is None:
            self.missing_left[index] = sum(self.values[left]) >= sum(self.values[right])
        else:
            self.missing_left[index] = condition.missing_left
        return index

    def finish(self) -> Tree:
        """Put the lists into arrays."""
        value = np.array(self.values)
        conditions = self.conditions
        return Tree(
            children_left=np.array([left for left, _ in self.children], dtype=np.int32),
            children_right=np.array([right for _, right in self.children], dtype=np.int32),
            feature=np.array([c.feature if c else NO_NODE for c in conditions], dtype=np.int32),
            operator=np.array([c.operator if c else "" for c in conditions], dtype="U7"),
            threshold=np.array([c.threshold if c else np.nan for c in conditions]),
            category=np.array([c.category if c else NO_NODE for c in conditions], dtype=np.int32),
            missing_left=np.array(self.missing_left, dtype=bool),
            label=np.array(self.leaf_labels, dtype=np.int32),
            value=value,
            n_node_samples=np.array(self.counts, dtype=np.int64),
            weighted_n_node_samples=value.sum(axis=1),
        )
