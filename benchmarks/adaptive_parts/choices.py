"""Arguments that several parts take."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from problems import REFERENCE_NAMES


def add_problems(parser: argparse.ArgumentParser, default: Sequence[str] = REFERENCE_NAMES) -> None:
    parser.add_argument(
        "--only", nargs="+", choices=REFERENCE_NAMES, default=list(default), metavar="PROBLEM",
        help=f"from: {', '.join(REFERENCE_NAMES)} ({', '.join(default)})",
    )  # fmt: skip


def add_numbers(
    parser: argparse.ArgumentParser, name: str, default: Sequence[int], meaning: str
) -> None:
    shown = ", ".join(map(str, default))
    parser.add_argument(
        name, nargs="+", type=int, default=list(default), help=f"{meaning} ({shown})"
    )


def add_efforts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--effort", nargs="+", choices=["high", "paper"], default=["high", "paper"],
        help="of AdaptiveTreeClassifier (both)",
    )  # fmt: skip
