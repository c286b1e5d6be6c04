"""Fitted attributes that only some models have, in a model file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from certitree._iteration import Iteration, Step, StepStatus
from certitree._plain import NUMBER, get, get_list, read_split, split_to_plain, to_plain
from certitree.exceptions import ModelFileError
from certitree.objectives import FairnessPoint

Name = TypeVar("Name", bound=str)


@dataclass(frozen=True)
class _Codec:
    """How an attribute is written, and how it is read from the dict of all results."""

    write: Callable[[Any], Any]
    read: Callable[[dict[str, Any], str], Any]


def write_optional(model: Any) -> dict[str, Any]:
    """Return the attributes that a fitted model has of those known here, as plain values."""
    return {
        name: codec.write(getattr(model, name))
        for name, codec in _CODECS.items()
        if hasattr(model, name)
    }


def read_optional(model: Any, results: dict[str, Any]) -> None:
    """Set the attributes that a file has; older files have none of them.

    Raises
    ------
    ModelFileError
        If one is not of the form that `write_optional` gives it.
    """
    for name, codec in _CODECS.items():
        if name in results:
            setattr(model, name, codec.read(results, name))


def _write_iteration(entry: Iteration) -> dict[str, Any]:
    return {
        "step": entry.step,
        "candidates": [split_to_plain(split) for split in entry.candidates],
        "n_unique": entry.n_unique,
        "compression": to_plain(entry.compression),
        "seconds": to_plain(entry.seconds),
        "objective": to_plain(entry.objective),
        "incumbent": to_plain(entry.incumbent),
        "accepted": entry.accepted,
        "status": entry.status,
    }


def _read_iteration(plain: dict[str, Any]) -> Iteration:
    status = plain.get("status")
    return Iteration(
        step=_one_of(get(plain, "step", str), get_args(Step)),
        candidates=tuple(get_list(plain, "candidates", read_split)),
        n_unique=get(plain, "n_unique", int),
        compression=get(plain, "compression", NUMBER),
        seconds=_numbers(get(plain, "seconds", dict)),
        objective=get(plain, "objective", NUMBER),
        incumbent=get(plain, "incumbent", NUMBER),
        accepted=get(plain, "accepted", bool),
        status=None if status is None else _one_of(status, get_args(StepStatus)),
    )


def _one_of(name: Any, names: tuple[Name, ...]) -> Name:
    for known in names:
        if name == known:
            return known
    raise ModelFileError(f"an iteration has {name!r} where one of {', '.join(names)} is expected")


def _numbers(plain: dict[str, Any]) -> dict[str, float]:
    return {key: get(plain, key, NUMBER) for key in plain}


def _write_rates(rates: dict[Any, float]) -> list[list[Any]]:
    """Write pairs: the keys of a JSON object would all become text."""
    return [[to_plain(group), to_plain(rate)] for group, rate in rates.items()]


def _read_rates(plain: dict[str, Any], key: str) -> dict[Any, float]:
    pairs = get(plain, key, list)
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or isinstance(pair[0], list | dict):
            raise ModelFileError(f"{key!r} holds {pair!r} instead of a group and its rate")
        get({key: pair[1]}, key, NUMBER)
    return dict(pairs)


def _write_point(point: FairnessPoint) -> dict[str, Any]:
    return {
        "errors": to_plain(point.errors),
        "disparity": to_plain(point.disparity),
        "rates": _write_rates(point.rates),
        "is_proven": point.is_proven,
    }


def _read_point(plain: dict[str, Any]) -> FairnessPoint:
    return FairnessPoint(
        errors=get(plain, "errors", NUMBER),
        disparity=get(plain, "disparity", NUMBER),
        rates=_read_rates(plain, "rates"),
        is_proven=get(plain, "is_proven", bool),
    )


_NUMBER = _Codec(to_plain, lambda results, name: get(results, name, NUMBER))

_CODECS = {
    "stop_reason_": _Codec(str, lambda results, name: get(results, name, str)),
    "candidates_": _Codec(
        lambda splits: [split_to_plain(split) for split in splits],
        lambda results, name: tuple(get_list(results, name, read_split)),
    ),
    "history_": _Codec(
        lambda history: [_write_iteration(entry) for entry in history],
        lambda results, name: get_list(results, name, _read_iteration),
    ),
    "feature_cost_": _NUMBER,
    "disparity_": _NUMBER,
    "group_rates_": _Codec(_write_rates, _read_rates),
    "fairness_curve_": _Codec(
        lambda points: [_write_point(point) for point in points],
        lambda results, name: get_list(results, name, _read_point),
    ),
}
