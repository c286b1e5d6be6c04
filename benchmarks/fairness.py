"""Group fairness: certitree beside pystreed, in one run.

    python benchmarks/fairness.py                        # COMPAS and HELOC, 20 splits and all
    python benchmarks/fairness.py --only compas --depth 2 --time-limit 60

Needs the reference matrices and pystreed (see docs/benchmarks.md). Prints a Markdown table, each
line when it is known. The sensitive feature of COMPAS is race==African-American, of HELOC the split
that a forest ranks first; neither solver may split on it. Errors and disparity are computed from
the predictions of both. Fails if pystreed's fair tree has fewer errors than a proven optimum.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pystreed
from numpy.typing import NDArray

from certitree import OptimalTreeClassifier
from certitree.objectives import DemographicParity, EqualOpportunity
from problems import shared_folder

TASKS = {"group-fairness": DemographicParity, "equality-of-opportunity": EqualOpportunity}
SENSITIVE = {"compas": "race==African-American"}


@dataclass(frozen=True)
class Setting:
    """A table whose first column is the sensitive feature.

    Attributes
    ----------
    X : int64 array of shape (n_rows, n_columns), values 0 or 1
    y : int64 array of shape (n_rows,), values 0 or 1
    """

    X: NDArray[np.int64]
    y: NDArray[np.int64]

    def disparity(self, predicted: NDArray[Any], task: str) -> float:
        """Return the difference between the two groups' rates."""
        rows = self.y >= (1 if task == "equality-of-opportunity" else 0)
        rates = [predicted[rows & (self.X[:, 0] == group)].mean() for group in (0, 1)]
        return float(abs(rates[0] - rates[1]))


def load(name: str, candidates: int | None) -> Setting:
    """Read a reference matrix: the sensitive column, then the first candidates or all others."""
    data = np.load(shared_folder() / "reference" / f"{name}_b100.npz", allow_pickle=True)
    ranked = data["top60"].tolist()
    names = data["name"].tolist()
    first = names.index(SENSITIVE[name]) if name in SENSITIVE else ranked[0]
    columns = range(len(names)) if candidates is None else ranked[:candidates]
    kept = [first, *(column for column in columns if column != first)]
    rows = data["train"]
    return Setting(data["X"][rows][:, kept].astype(np.int64), data["y"][rows].astype(np.int64))


def compare(setting: Setting, task: str, depth: int, limit: float, time_limit: float) -> list[str]:
    """Fit both; return the cells of their line."""
    model = OptimalTreeClassifier(
        objective=TASKS[task](sensitive=0, limit=limit), max_depth=depth, time_limit=time_limit
    )
    started = time.perf_counter()
    model.fit(setting.X, setting.y)
    mine = time.perf_counter() - started
    peer = pystreed.STreeDGroupFairnessClassifier(
        task,
        sensitive_feature=0,
        discrimination_limit=limit,
        max_depth=depth,
        time_limit=time_limit,
    )
    started = time.perf_counter()
    peer.fit(setting.X, setting.y)
    theirs = time.perf_counter() - started
    predicted = np.asarray(peer.predict(setting.X))
    errors = int((predicted != setting.y).sum())
    is_fair = setting.disparity(predicted, task) <= limit + 1e-9
    if model.status_ == "optimal" and is_fair and errors < model.objective_:
        raise AssertionError(f"pystreed has {errors} errors, the optimum is {model.objective_}")
    proven = bool(peer.fit_result.is_optimal())
    return [
        f"{mine:.2f} s" + ("" if model.status_ == "optimal" else " (not proven)"),
        f"{model.objective_:.0f}",
        f"{theirs:.2f} s" + ("" if proven else " (not proven)"),
        f"{errors}" + ("" if is_fair else " (over the limit)"),
        f"{theirs / mine:.0f}x",
    ]


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", choices=("compas", "heloc"), nargs="+", default=["compas", "heloc"]
    )
    parser.add_argument("--depth", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--candidates", type=int, nargs="+", default=[20, 0], help="0 means all")
    parser.add_argument("--limit", type=float, default=0.05)
    parser.add_argument("--time-limit", type=float, default=300.0)
    options = parser.parse_args()
    # Pay for lazy imports before the clock runs.
    small = Setting(np.eye(4, dtype=np.int64)[[0, 1, 2, 3, 0]], np.array([0, 1, 0, 1, 1]))
    compare(small, "group-fairness", 1, 1.0, 10.0)
    print("| problem | splits | depth | task | certitree | errors | pystreed | errors | ratio |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in options.only:
        for candidates in options.candidates:
            setting = load(name, candidates or None)
            for depth in options.depth:
                for task in TASKS:
                    cells = compare(setting, task, depth, options.limit, options.time_limit)
                    start = [name, str(setting.X.shape[1] - 1), str(depth), task]
                    print("| " + " | ".join(start + cells) + " |", flush=True)


if __name__ == "__main__":
    main()
