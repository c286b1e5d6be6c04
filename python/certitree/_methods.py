"""Ways to search for a tree, by name: exact, adaptive, or one after the other."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from certitree._adaptive import AdaptiveTreeClassifier
from certitree._classifier import OptimalTreeClassifier
from certitree.exceptions import ParameterError

Method: TypeAlias = Literal["auto", "exact", "adaptive"]

_EXACT_DEPTH = 3


def make_classifier(
    method: str,
    *,
    certify: bool = False,
    max_depth: int = 3,
    max_nodes: int | None = None,
    **parameters: Any,
) -> OptimalTreeClassifier:
    """Return an unfitted classifier that searches in the way asked for.

    Parameters
    ----------
    method : {"auto", "exact", "adaptive"}
        The exact search over all splits; the adaptive loop over small candidate sets; or both in
        turn, within the one time limit. Up to depth 3 "auto" is "exact": the loop would mostly take
        longer than the proof.
    certify : bool
        With "adaptive": whether the exact search over all splits follows all the same.
    max_depth, max_nodes, **parameters
        Of `OptimalTreeClassifier`.

    Returns
    -------
    OptimalTreeClassifier
        Of the adaptive subclass if there is a loop.

    Raises
    ------
    ParameterError
        If there is no such method.
    """
    known = get_args(Method)
    if method not in known:
        raise ParameterError(f"there is no method {method!r}; there are {', '.join(known)}")
    depth = max_depth if max_nodes is None else min(max_depth, max_nodes)
    if method == "exact" or (method == "auto" and depth <= _EXACT_DEPTH):
        return OptimalTreeClassifier(max_depth=max_depth, max_nodes=max_nodes, **parameters)
    return AdaptiveTreeClassifier(
        certify=certify or method == "auto",
        max_depth=max_depth,
        max_nodes=max_nodes,
        **parameters,
    )
