"""From measurement records to text: a line while measuring, tables afterwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

Record = dict[str, Any]
BEGIN = "<!-- peers:begin (written by benchmarks/peers.py render) -->"
END = "<!-- peers:end -->"
OURS = "certitree"
YARDSTICK = "pystreed"
HEURISTICS = frozenset({"licketysplit", "cart"})


def format_seconds(seconds: float) -> str:
    """Give seconds to two or three digits, in ms below a tenth of a second."""
    if seconds < 0.1:
        return f"{seconds * 1000:.2g} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def format_memory(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"


def is_proven(record: Record | None) -> bool:
    return record is not None and record["status"] == "ok" and bool(record["proven"])


def cell(record: Record | None) -> str:
    """Describe a run in a table cell: time, and the errors where no optimum was proven."""
    if record is None or record["status"] == "missing":
        return ""
    if record["status"] == "killed":
        return f"> {record['time_limit']:.0f} s (ended)"
    if record["status"] != "ok":
        return str(record["status"])
    took = format_seconds(record["seconds"])
    if record["proven"]:
        return took
    found = "no tree" if record["errors"] is None else f"{record['errors']}"
    return f"{took} ({found})"


def describe(record: Record) -> str:
    """Describe a run on one line, for the terminal."""
    where = f"{record['problem']} depth {record['depth']} {record['solver']}"
    if record["status"] != "ok":
        return f"{where}: {record['status']} {record.get('note', '')}"
    proof = "proven" if record["proven"] else "not proven"
    return (
        f"{where}: {format_seconds(record['seconds'])} (x{record['repeats']}), "
        f"{record['errors']} errors, {proof}, {format_memory(record['peak_mb'])}, "
        f"load {record['load']}"
    )


def ratio(ours: Record | None, theirs: Record | None) -> str:
    """Give how many times faster we are: "> x" without the peer's proof, "" without ours."""
    if not is_proven(ours) or theirs is None or theirs["status"] not in ("ok", "killed"):
        return ""
    assert ours is not None
    if is_proven(theirs):
        return f"{theirs['seconds'] / ours['seconds']:.3g}x"
    return f"> {theirs['time_limit'] / ours['seconds']:.3g}x"


def markdown_table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


Grouped = dict[tuple[str, int], dict[str, Record]]


def by_item(records: Iterable[Record]) -> Grouped:
    """Group runs by (problem, depth), then solver; a later run replaces an earlier one."""
    groups: Grouped = defaultdict(dict)
    for record in records:
        if record["kind"] == "run":
            groups[record["problem"], record["depth"]][record["solver"]] = record
    return groups


def disagreements(records: Iterable[Record]) -> list[str]:
    """List the items on which two solvers prove different optima, or a tree beats a proof."""
    found = []
    for (problem, depth), runs in by_item(records).items():
        proven = {name: run["errors"] for name, run in runs.items() if is_proven(run)}
        best = min(
            (run["errors"] for run in runs.values() if run.get("errors") is not None), default=None
        )
        if proven and set(proven.values()) != {best}:
            found.append(f"{problem} depth {depth}: proven {proven}, best tree {best}")
    return found


def item_name(key: tuple[str, int], runs: dict[str, Record]) -> str:
    problem, depth = key
    sizes = [run for run in runs.values() if "n_rows" in run]
    if sizes and not problem.startswith("gen_"):
        return f"{problem}, {sizes[0]['n_rows']:,} x {sizes[0]['n_columns']}, depth {depth}"
    return f"{problem}, depth {depth}"


def solver_names(groups: Grouped) -> list[str]:
    """Names of the solvers with a result, in the order they were first measured."""
    names: dict[str, None] = {}
    for runs in groups.values():
        names.update({name: None for name, run in runs.items() if run["status"] != "missing"})
    return list(names)


def optimum(runs: dict[str, Record]) -> str:
    """Give the proven optimum of an item, or the fewest errors any tree made."""
    errors = [run["errors"] for run in runs.values() if run.get("errors") is not None]
    proven = [run["errors"] for run in runs.values() if is_proven(run)]
    if proven:
        return str(proven[0])
    return f"<= {min(errors)}" if errors else ""


def time_table(groups: Grouped) -> str:
    names = solver_names(groups)
    exact = [name for name in names if name not in HEURISTICS]
    versus = {OURS, YARDSTICK} <= set(names)
    head = ["work", "optimum", *exact, *([f"{YARDSTICK} / {OURS}"] if versus else [])]
    rows = []
    for key, runs in groups.items():
        row = [item_name(key, runs), optimum(runs), *(cell(runs.get(name)) for name in exact)]
        if versus:
            row.append(ratio(runs.get(OURS), runs.get(YARDSTICK)))
        rows.append(row)
    return markdown_table(head, rows)


def heuristic_table(groups: Grouped) -> str:
    """Tabulate errors and time of the solvers that prove nothing, beside the optimum."""
    names = [name for name in solver_names(groups) if name in HEURISTICS]
    if not names:
        return ""
    rows = [
        [item_name(key, runs), optimum(runs), *(heuristic_cell(runs.get(name)) for name in names)]
        for key, runs in groups.items()
    ]
    return markdown_table(["work", "optimum", *names], rows)


def heuristic_cell(record: Record | None) -> str:
    if record is None or record["status"] != "ok":
        return cell(record)
    return f"{record['errors']}, {format_seconds(record['seconds'])}"


def memory_table(groups: Grouped) -> str:
    names = solver_names(groups)

    def peak(record: Record | None) -> str:
        return format_memory(record["peak_mb"]) if record and record["status"] == "ok" else ""

    rows = [
        [item_name(key, runs), *(peak(runs.get(name)) for name in names)]
        for key, runs in groups.items()
    ]
    return markdown_table(["work", *names], rows)


def machine_text(records: Iterable[Record]) -> str:
    """Describe the machine, the versions, how busy it was, and the threads of the runs."""
    records = list(records)
    machine = next(record for record in reversed(records) if record["kind"] == "machine")
    runs = [record for record in records if "load" in record and record["kind"] != "machine"]
    loads = [record["load"] for record in runs]
    threads = sorted({record["n_jobs"] for record in runs})
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"Measured on {machine['date']}: {machine['processor']}, {machine['cores']} cores, "
        f"{machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}; "
        f"load average before a run {min(loads, default=0)} to {max(loads, default=0)} "
        f"(1 is the benchmark itself); {OURS} with {' or '.join(map(str, threads))} threads, "
        f"the peers with one.\nVersions: {versions}."
    )


def tables(records: list[Record]) -> str:
    """Render everything that stands between the page's markers."""
    groups = by_item(records)
    reference = {key: runs for key, runs in groups.items() if not is_generated(key[0])}
    generated = {key: runs for key, runs in groups.items() if is_generated(key[0])}
    parts = [machine_text(records)]
    for title, part in (("Reference tables", reference), ("Generated tables", generated)):
        if part:
            parts += [f"### {title}: time", time_table(part)]
            heuristic = heuristic_table(part)
            parts += [f"### {title}: trees without proof", heuristic] if heuristic else []
            parts += [f"### {title}: peak memory of the process", memory_table(part)]
    failures = sorted(
        {
            f"- {run['solver']}, {run['problem']}, depth {run['depth']}: {run['note']}"
            for run in records
            if run.get("note") and run["status"] != "missing"
        }
    )
    if failures:
        parts.append("Runs that failed:\n\n" + "\n".join(failures))
    return "\n\n".join(parts)


def is_generated(problem: str) -> bool:
    return problem.startswith(("gen_", "small_"))


def fill_page(page: str, text: str, begin: str = BEGIN, end: str = END) -> str:
    """Replace what stands between two markers. Raises ValueError if one of them is missing."""
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page needs the lines {begin!r} and {end!r}, once each")
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"
