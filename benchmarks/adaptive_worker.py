"""Fit an adaptive tree to a generated table in this process and write a JSON record of it.

Started by the parts `large` and `scaling` of `adaptive.py`, one process per fit, so that the peak
memory is the fit's own.
"""

from __future__ import annotations

import time

import worker
from adaptive_parts.tables import MAX_BINS, mixed_table
from adaptive_parts.watched import WatchedTree


def run(task: dict[str, object]) -> dict[str, object]:
    """Time one fit from a data frame; what is imported lazily is part of it."""
    table = mixed_table(int(str(task["n_rows"])))
    model = WatchedTree(
        max_depth=int(str(task["depth"])),
        max_bins=MAX_BINS,
        time_limit=float(str(task["time_limit"])),
        n_jobs=int(str(task["n_jobs"])),
    )
    before = worker.resident_mb("VmRSS")
    start = time.perf_counter()
    cpu_start = time.process_time()
    model.fit(table.X, table.y)
    seconds = time.perf_counter() - start
    cpu_seconds = time.process_time() - cpu_start
    peak = worker.resident_mb("VmHWM")
    errors = int((model.predict(table.X) != table.y).sum())
    if errors != model.objective_:
        raise AssertionError(f"objective_ is {model.objective_}, the tree makes {errors} errors")
    steps = [
        {"step": entry.step, "seconds": entry.seconds, "incumbent": entry.incumbent}
        for entry in model.history_
    ]
    return {
        "status": "ok",
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_mb": round(peak, 1),
        "before_mb": round(before, 1),
        "errors": errors,
        "found": model.status_,
        "lower_bound": model.lower_bound_,
        "n_splits": model.n_splits_,
        "stages": model.search_stats_["seconds"],
        "steps": steps,
    }


if __name__ == "__main__":
    worker.main(run)
