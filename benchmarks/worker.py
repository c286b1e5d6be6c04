"""Run one solver on one problem in this process and write a JSON record of it.

Started by `measure.run_item`, one process per run, so that the peak memory is the run's own and
a crash or an endless search harms nothing else.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import problems
import solvers

REPEATS = ((0.1, 9), (1.0, 5), (10.0, 3))
"""(seconds, fits): a first fit below that many seconds is repeated; the median is reported."""


def resident_mb(field: str) -> float:
    """Return this process's resident memory in MB: "VmRSS" now, "VmHWM" at its peak."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def repeats_after(seconds: float) -> int:
    """Return how many fits there are to be where the first took so many seconds."""
    return next((count for limit, count in REPEATS if seconds < limit), 1)


def run(task: dict[str, object]) -> dict[str, object]:
    """Time the fits of one task; errors and memory are those of the first."""
    problem = problems.load_problem(str(task["problem"]))
    adapter = solvers.ADAPTERS[str(task["solver"])]
    limit = float(str(task["time_limit"]))
    job = adapter(problem, int(str(task["depth"])), limit, int(str(task["n_jobs"])))
    memory_before = resident_mb("VmRSS")

    start, cpu_start = time.perf_counter(), time.process_time()
    model = job.fit()
    times = [time.perf_counter() - start]
    cpu_seconds = time.process_time() - cpu_start
    peak = resident_mb("VmHWM")
    outcome = job.read(model)
    del model

    # A fit that ran into its limit would do so again.
    again = task["repeat"] and times[0] <= 0.9 * limit
    for _ in range(1, repeats_after(times[0]) if again else 1):
        start = time.perf_counter()
        job.fit()
        times.append(time.perf_counter() - start)

    return {
        "status": "ok",
        "seconds": statistics.median(times),
        "seconds_first": times[0],
        "cpu_seconds_first": cpu_seconds,
        "repeats": len(times),
        "errors": outcome.errors,
        "proven": outcome.proven,
        "lower_bound": outcome.lower_bound,
        "peak_mb": round(peak, 1),
        "before_mb": round(memory_before, 1),
        "n_rows": len(problem.y),
        "n_columns": problem.X.shape[1],
    }


def main(run: Callable[[dict[str, object]], dict[str, object]] = run) -> None:
    """Read the task from argv[1] and write the record to the file argv[2]."""
    task = json.loads(sys.argv[1])
    if task.get("memory_gb"):
        limit = int(task["memory_gb"] * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        record = run(task)
    except ModuleNotFoundError as error:
        record = {"status": "missing", "note": str(error)}
    except MemoryError:
        record = {"status": "memory", "note": f"more than {task['memory_gb']} GB"}
    except Exception as error:  # a peer may raise anything; the record says what
        record = {"status": "failed", "note": f"{type(error).__name__}: {error}"[:300]}
    Path(sys.argv[2]).write_text(json.dumps(record))


if __name__ == "__main__":
    main()
