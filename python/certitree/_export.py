"""Fitted trees as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from certitree._schema import Category, Feature
from certitree._tree import NO_NODE, Tree

if TYPE_CHECKING:
    from certitree._base import TreeModel


def export_text(model: TreeModel, *, digits: int = 6, show_weights: bool = True) -> str:
    """Write a fitted tree as indented text.

    Parameters
    ----------
    model : fitted estimator of certitree
    digits : int, default=6
        Significant digits of a threshold. The model itself keeps all of them.
    show_weights : bool, default=True
        Show each leaf's training weight and how much of it is misclassified.

    Returns
    -------
    str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from certitree import OptimalTreeClassifier, export_text
    >>> iris = load_iris(as_frame=True)
    >>> model = OptimalTreeClassifier(max_depth=1).fit(iris.data, iris.target)
    >>> print(export_text(model))
    petal length (cm) <= 2.45
    ├─ yes: 0  (50 records, 0 wrong)
    └─ no:  1  (100 records, 50 wrong)
    """
    check_is_fitted(model)
    lines = list(_Writer(model, digits, show_weights).lines(0, "", ""))
    return "\n".join(lines)


class _Writer:
    def __init__(self, model: TreeModel, digits: int, show_weights: bool) -> None:
        self.tree: Tree = model.tree_
        self.features = model.features_
        self.classes = model.classes_
        self.counts_errors = model.counts_errors
        self.digits = digits
        self.show_weights = show_weights

    def lines(self, node: int, first: str, rest: str) -> Iterator[str]:
        """Yield the lines of a subtree; `first` leads the first line, `rest` the others."""
        tree = self.tree
        if tree.children_left[node] == NO_NODE:
            yield first + self.leaf(node)
            return
        yield first + self.condition(node)
        yield from self.lines(int(tree.children_left[node]), rest + "├─ yes: ", rest + "│  ")
        yield from self.lines(int(tree.children_right[node]), rest + "└─ no:  ", rest + "   ")

    def condition(self, node: int) -> str:
        feature = self.features[self.tree.feature[node]]
        threshold, category = self.tree.threshold[node], self.tree.category[node]
        text = describe_condition(
            feature, str(self.tree.operator[node]), threshold, category, self.digits
        )
        if self.tree.operator[node] != "missing" and feature.has_missing:
            text += " or missing" if self.tree.missing_left[node] else ""
        return text

    def leaf(self, node: int) -> str:
        label = self.tree.label[node]
        text = f"{self.classes[label]}"
        if not self.show_weights:
            return text
        count = int(self.tree.n_node_samples[node])
        weight = float(self.tree.weighted_n_node_samples[node])
        wrong = weight - float(self.tree.value[node, label])
        records = f"{count} record{'s' if count != 1 else ''}"
        if weight != count:
            records += f" of weight {weight:.{self.digits}g}"
        if not self.counts_errors:
            return f"{text}  ({records})"
        return f"{text}  ({records}, {wrong:.{self.digits}g} wrong)"


def describe_condition(
    feature: Feature, operator: str, threshold: float, category: int, digits: int = 6
) -> str:
    """Write a condition in words, such as ``age <= 30.5``."""
    if operator == "missing":
        return f"{feature.name} is missing"
    if operator == "<=":
        return f"{feature.name} <= {threshold:.{digits}g}"
    return f"{feature.name} == {_quote(feature.categories[category])}"


def _quote(category: Category) -> str:
    return f'"{category}"' if isinstance(category, str) else str(category)


def summarize(model: TreeModel) -> str:
    """Write the certificate and the tree of a fitted model; what `print(model)` shows."""
    return f"{describe_certificate(model)}\n\n{export_text(model)}"


def describe_certificate(model: TreeModel) -> str:
    """Write in one line how good the tree is, and how much of that is proven."""
    objective = model.objective_
    bound, beyond = (model.lower_bound_, "below")
    if model.maximizes:
        bound, beyond = (model.upper_bound_, "above")
    size = (
        f"{model.n_branching_nodes_} branching nodes, {model.n_leaves_} leaves, "
        f"depth {model.get_depth()}"
    )
    if model.status_ == "optimal":
        proof = f"proven optimal: no tree within the limits is {beyond} {objective:.10g}"
    else:
        reached = {
            "optimal_for_candidates": "best over its candidate set",
            "feasible": "not proven",
        }.get(model.status_, f"stopped by {model.status_}")
        proof = (
            f"{reached}: no tree within the limits is {beyond} {bound:.10g} (gap {model.gap_:.2%})"
        )
    return f"{type(model).__name__}: {size}\nobjective {objective:.10g}, {proof}"
