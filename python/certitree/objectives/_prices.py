"""What it costs to look at features, and how groups of them share that."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from certitree._schema import available
from certitree._tree import NO_NODE, Tree
from certitree.exceptions import ParameterError

FeatureKey: TypeAlias = str | int
Prices: TypeAlias = Mapping[FeatureKey, float] | Iterable[tuple[FeatureKey, float]]
Groups: TypeAlias = Mapping[str, Iterable[FeatureKey]] | Iterable[tuple[str, Iterable[FeatureKey]]]


@dataclass(frozen=True)
class PriceList:
    """Prices of the features of a table, per unit of weight.

    Attributes
    ----------
    full, discounted : tuple of float, of length n_features
        Price of the first feature of its group on a path, and of any further one.
    group : tuple of int or None, of length n_features
    """

    full: tuple[float, ...]
    discounted: tuple[float, ...]
    group: tuple[int | None, ...]

    def leaf_prices(self, tree: Tree) -> NDArray[np.float64]:
        """Return what the path to each node costs; float64 array of shape (n_nodes,)."""
        prices = np.zeros(tree.node_count)
        paid: list[frozenset[int]] = [frozenset()] * tree.node_count
        for node in range(tree.node_count):  # children come after their parents
            if tree.children_left[node] == NO_NODE:
                continue
            feature = int(tree.feature[node])
            for child in (tree.children_left[node], tree.children_right[node]):
                prices[child] = prices[node] + self.charge(feature, paid[node])
                paid[child] = paid[node] | {feature}
        return prices

    def stand_ins(self) -> list[int]:
        """Return for each feature the first one that costs the same to look at at any time.

        Those are the features of a group that costs the same whichever is looked at, and nothing
        after that: columns made of one measurement. All free features are alike, too.
        """
        members: dict[int, list[int]] = {}
        for feature, group in enumerate(self.group):
            if group is not None:
                members.setdefault(group, []).append(feature)
        first: list[int] = []
        free: int | None = None
        for feature, group in enumerate(self.group):
            peers = [feature] if group is None else members[group]
            prices = {(self.full[peer], self.discounted[peer]) for peer in peers}
            stand_in = feature
            if prices == {(0.0, 0.0)}:
                free = feature if free is None else free
                stand_in = free
            elif prices == {(self.full[feature], 0.0)}:
                stand_in = peers[0]
            first.append(stand_in)
        return first

    def charge(self, feature: int, paid: frozenset[int]) -> float:
        """Return what a test of a feature costs where others are paid already."""
        if feature in paid:
            return 0.0
        group = self.group[feature]
        shared = group is not None and any(self.group[other] == group for other in paid)
        return self.discounted[feature] if shared else self.full[feature]


def read_prices(what: str, prices: Prices) -> tuple[tuple[FeatureKey, float], ...]:
    """Check prices by feature, and keep them as pairs, which can be hashed and written to JSON.

    Raises
    ------
    ParameterError
        If they are no prices: negative, not finite, no numbers; or a feature comes twice.
    """
    pairs = _pairs(what, prices)
    for feature, price in pairs:
        if not isinstance(price, Real) or isinstance(price, bool):
            raise ParameterError(f"{what}[{feature!r}] is {price!r}; a price is a number")
        if not math.isfinite(price) or price < 0:
            raise ParameterError(
                f"{what}[{feature!r}] is {price}; prices must be finite and at least 0"
            )
    return tuple((_key(what, feature), float(price)) for feature, price in pairs)


def read_groups(groups: Groups | None) -> tuple[tuple[str, tuple[FeatureKey, ...]], ...]:
    """Check groups of features, and keep them as pairs.

    Raises
    ------
    ParameterError
        If a group is empty or no sequence of features, or a feature is in two groups.
    """
    found = []
    for name, members in _pairs("groups", () if groups is None else groups):
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise ParameterError(
                f"groups[{name!r}] is {members!r}; give the features of the group as a list"
            )
        keys = tuple(_key("groups", member) for member in members)
        if not keys:
            raise ParameterError(f"groups[{name!r}] is empty; name its features, or leave it out")
        found.append((name, keys))
    seen: dict[FeatureKey, str] = {}
    for name, keys in found:
        for key in keys:
            if key in seen:
                raise ParameterError(
                    f"groups names the feature {key!r} twice, in {seen[key]!r} and {name!r}; a "
                    f"feature has one group"
                )
            seen[key] = name
    return tuple(found)


def price_list(
    costs: Sequence[tuple[FeatureKey, float]],
    groups: Sequence[tuple[str, Sequence[FeatureKey]]],
    discounted: Sequence[tuple[FeatureKey, float]],
    names: Sequence[str] | None,
    n_features: int,
) -> PriceList:
    """Find the features of a table that prices and groups are about.

    Raises
    ------
    ParameterError
        If a feature does not exist, is named both by name and by index, or has a discounted price
        without a group or above its full one.
    """
    full = [0.0] * n_features
    group: list[int | None] = [None] * n_features
    for feature, price in _resolve("costs", costs, names, n_features):
        full[feature] = price
    members = [(key, place) for place, (_, keys) in enumerate(groups) for key in keys]
    for feature, place in _resolve("groups", members, names, n_features):
        group[feature] = place
    less = list(full)
    keys = [key for key, _ in discounted]
    for place, (feature, price) in enumerate(
        _resolve("discounted_costs", discounted, names, n_features)
    ):
        if group[feature] is None:
            raise ParameterError(
                f"discounted_costs names the feature {keys[place]!r}, which is in no group; a "
                f"discount is due where another feature of its group was paid before"
            )
        if price > full[feature]:
            raise ParameterError(
                f"discounted_costs[{keys[place]!r}] is {price}, more than its full price "
                f"{full[feature]} in costs; give at most that"
            )
        less[feature] = price
    return PriceList(tuple(full), tuple(less), tuple(group))


def _pairs(what: str, given: Any) -> list[tuple[Any, Any]]:
    try:
        pairs = [(key, value) for key, value in dict(given).items()]
        count = len(given) if isinstance(given, Mapping) else len(list(given))
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{what} is {given!r}; a mapping is expected, as in {{'glucose': 17.5}}"
        ) from error
    if len(pairs) != count:
        raise ParameterError(f"{what} holds a key twice; give each once")
    return pairs


def _key(what: str, feature: Any) -> FeatureKey:
    if isinstance(feature, str):
        return str(feature)
    if isinstance(feature, Integral) and not isinstance(feature, bool):
        return int(feature)
    raise ParameterError(
        f"{what} names the feature {feature!r} of type {type(feature).__name__}; give its name or "
        f"its index"
    )


def _resolve(
    what: str,
    entries: Sequence[tuple[FeatureKey, Any]],
    names: Sequence[str] | None,
    n_features: int,
) -> list[tuple[int, Any]]:
    """Replace names by indices."""
    found: dict[int, Any] = {}
    for key, value in entries:
        if isinstance(key, str) and key not in (names or ()):
            there = (
                f"there are {available(names)}"
                if names
                else f"the table has no column names: give an index from 0 to {n_features - 1}"
            )
            raise ParameterError(f"{what} names the feature {key!r}, which does not exist; {there}")
        if isinstance(key, int) and not 0 <= key < n_features:
            raise ParameterError(
                f"{what} names the feature {key}; indices go from 0 to {n_features - 1}"
            )
        index = list(names or ()).index(key) if isinstance(key, str) else key
        if index in found:
            raise ParameterError(f"{what} names the feature {key!r} twice, by name and by index")
        found[index] = value
    return list(found.items())
