"""Ways to search for a tree, by name: exact, adaptive, or one after the other."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from certitree._adaptive import AdaptiveTreeClassifier
from certitree._classifier import OptimalTreeClassifier
from certitree.exceptions import ParameterError

Method: TypeAlias = Literal["auto", "exact", "adaptive"]


def make_classifier(
    method: str, *, certify: bool = False, **parameters: Any
) -> OptimalTreeClassifier:
    """Return an unfitted classifier that searches in the way asked for.

    Parameters
    ----------
    method : {"auto", "exact", "adaptive"}
        The exact search over all splits; the adaptive loop over small candidate sets; or both in
        turn, within the one time limit. "auto" leaves out the loop where the exact search is likely
        to be over sooner, as at depth 2 and mostly at depth 3.
    certify : bool
        With "adaptive": whether the exact search over all splits follows all the same.
    **parameters
        Of `OptimalTreeClassifier`.

    Returns
    -------
    OptimalTreeClassifier
        Of the adaptive subclass unless the method is "exact".

    Raises
    ------
    ParameterError
        If there is no such method.
    """
    known = get_args(Method)
    if method not in known:
        raise ParameterError(f"there is no method {method!r}; there are {', '.join(known)}")
    if method == "exact":
        return OptimalTreeClassifier(**parameters)
    return AdaptiveTreeClassifier(certify=certify or method == "auto", **parameters)
