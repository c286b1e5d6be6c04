"""What the parts of the benchmark have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from report import Record, markdown_table

__all__ = ["Part", "Record", "latest", "markdown_table", "no_disagreements"]


def no_disagreements(records: list[Record]) -> list[str]:
    """Find nothing to complain of."""
    return []


@dataclass(frozen=True)
class Part:
    """A part of the benchmark: a sub-command, and a section of the page.

    Attributes
    ----------
    name : of the sub-command, and "kind" of its records.
    title : heading of its section.
    minutes : rough upper estimate of the whole part on two quiet cores.
    add_arguments : adds what can be chosen.
    measure : yields a record for each measurement, as soon as it is made.
    tabulate : renders records of this kind, the latest of each measurement.
    key : names of the entries that tell measurements apart.
    disagreements : what contradicts itself in the records.
    """

    name: str
    title: str
    minutes: int
    add_arguments: Callable[[argparse.ArgumentParser], None]
    measure: Callable[[argparse.Namespace], Iterator[Record]]
    tabulate: Callable[[list[Record]], str]
    key: tuple[str, ...]
    disagreements: Callable[[list[Record]], list[str]] = no_disagreements


def in_order(records: list[Record]) -> list[Record]:
    """Sort by depth and candidate set size within problems, which stay as they first came."""
    problems = list(dict.fromkeys(record["problem"] for record in records))
    return sorted(
        records,
        key=lambda record: (
            problems.index(record["problem"]), record["depth"], record.get("candidates", 0)
        ),
    )  # fmt: skip


def latest(records: Iterable[Record], key: tuple[str, ...]) -> list[Record]:
    """Keep the last record of each key, in the order in which the keys first came."""
    kept: dict[tuple[Any, ...], Record] = {}
    for record in records:
        kept[tuple(record[name] for name in key)] = record
    return list(kept.values())
