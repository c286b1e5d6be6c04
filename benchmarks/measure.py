"""Work items, and the measurement of one of them in a fresh process.

This module must stay light (no numpy), so that the processes it starts are small at birth.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True)
class Item:
    """A problem at a depth, with the seconds every solver gets."""

    problem: str
    depth: int
    time_limit: float


REFERENCE_ITEMS = [
    Item(name, depth, 600.0 if depth == 4 else 300.0)
    for name in ("compas", "heloc", "gmsc", "diabetes")
    for depth in (2, 3, 4)
]
GENERATED_ITEMS = [
    *(Item(name, depth, 20.0) for name in ("small_150", "gen_435x48") for depth in (2, 3, 4)),
    *(
        Item(name, depth, 120.0)
        for name in ("gen_350x445", "gen_1000x110", "gen_3200x290", "gen_8000x120")
        for depth in (2, 3, 4)
    ),
    *(Item(name, 3, 120.0) for name in ("gen_350x445_dense", "gen_3200x290_dense")),
]
QUICK_ITEMS = [
    Item("small_150", 3, 20.0),
    Item("gen_435x48", 3, 20.0),
    Item("gen_1000x110", 3, 20.0),
    Item("compas", 2, 20.0),
    Item("compas", 3, 20.0),
]


@dataclass(frozen=True)
class Settings:
    """How to measure.

    Attributes
    ----------
    n_jobs : threads for the solvers that can use several.
    memory_gb : address space a run may take, None for no limit.
    repeat : repeat short fits and report the median.
    grace : seconds past the time limit after which a run is ended.
    """

    n_jobs: int
    memory_gb: float | None
    repeat: bool
    grace: float = 60.0


def run_item(item: Item, solver: str, settings: Settings) -> dict[str, object]:
    """Measure one solver on one item in a fresh process and return the record.

    `status` is "ok", "killed" (did not keep to the limit), "memory", "crashed", "failed" or
    "missing" (not installed).
    """
    task = {
        "problem": item.problem,
        "depth": item.depth,
        "solver": solver,
        "time_limit": item.time_limit,
        "n_jobs": settings.n_jobs,
        "memory_gb": settings.memory_gb,
        "repeat": settings.repeat,
    }
    # Repeats are short by definition, so that the allowance covers them and the loading too.
    record = run_task(WORKER, task, item.time_limit + settings.grace)
    return {"kind": "run", **task, **record}


def run_task(worker: Path, task: dict[str, object], allowance: float) -> dict[str, object]:
    """Run a script in a fresh process, with a task and the path of its answer, both as JSON.

    The record says how busy the machine was before ("load"), and how it ended ("status"): as the
    script says, or "killed" after `allowance` seconds, or "crashed".
    """
    record: dict[str, object] = {"load": round(os.getloadavg()[0], 2)}
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "record.json"
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, str(worker), json.dumps(task), str(answer)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            _, complaint = process.communicate(timeout=allowance)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return record | {"status": "killed", "seconds": time.perf_counter() - start}
        if answer.is_file():
            result: dict[str, object] = json.loads(answer.read_text())
            return record | result
    last_words = complaint.decode(errors="replace").strip()[-300:]
    return record | {"status": "crashed", "note": f"exit {process.returncode}: {last_words}"}


def processor_name() -> str:
    """Return the processor's name as the operating system gives it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def source_version(package: str) -> str:
    """Return the version of a package that is imported from its source, without being installed."""
    try:
        return str(importlib.import_module(package).__version__)
    except (ImportError, AttributeError):
        return "not installed"


def machine_record(packages: dict[str, str]) -> dict[str, object]:
    """Describe the machine and the installed versions of the solvers' packages."""
    versions = {}
    for package in sorted({*packages.values(), "numpy"}):
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = source_version(package)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "kind": "machine",
        "date": time.strftime("%Y-%m-%d"),
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "memory_gb": round(memory, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": [round(value, 2) for value in os.getloadavg()],
        "versions": versions,
    }
