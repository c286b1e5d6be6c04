import io
import time

import numpy as np
from rich.console import Console

from certitree import OptimalTreeClassifier
from certitree._progress import ProgressLog, live_progress


def snapshot(objective, lower_bound, nodes=5):
    return {
        "seconds": 1.0,
        "objective": objective,
        "lower_bound": lower_bound,
        "nodes": nodes,
        "stage": "depth 3",
    }


def render(log):
    console = Console(width=100, record=True, quiet=False, file=io.StringIO())
    console.print(log.table())
    return console.export_text()


def test_nothing_is_shown_before_the_first_snapshot(capsys):
    with live_progress(1, time.perf_counter()):
        pass
    assert capsys.readouterr().out == ""
    with live_progress(1, time.perf_counter()) as show:
        show(snapshot(10.0, 4.0))
    assert "60.00%" in capsys.readouterr().out


def test_a_row_for_each_improvement():
    log = ProgressLog(time.perf_counter())
    log.add(snapshot(float("inf"), 0.0))
    log.add(snapshot(10.0, 4.0))
    log.add(snapshot(10.0, 4.0, nodes=70_000))
    log.add(snapshot(8.0, 8.0))
    assert len(log.entries) == 3
    text = render(log)
    for expected in ("incumbent", "lower bound", "100.00%", "60.00%", "0.00%", "70,000", "depth 3"):
        assert expected in text
    assert "inf" not in text.replace("incumbent", "")


def test_iterations_of_an_adaptive_search():
    log = ProgressLog(time.perf_counter())
    for iteration, stage in [(0, "propose"), (1, "solve"), (2, "solve"), (2, "certify")]:
        loop = {"iteration": iteration, "n_candidates": 20 * iteration, "compression": 7.25}
        log.add(snapshot(10.0, 4.0) | loop | {"stage": stage})
    assert [entry["iteration"] for _, entry in log.entries] == [0, 1, 2]
    text = render(log)
    headings = ("iteration", "candidates", "n/u", "incumbent", "bound", "gap")
    places = [text.index(heading) for heading in headings]
    assert places == sorted(places)
    assert "nodes" not in text
    assert "searching over all splits" in text
    assert text.count("7.2") == 3 and "60.00%" in text and " 40 " in text
    assert max(map(len, text.splitlines())) <= 100


def test_old_rows_scroll_out():
    log = ProgressLog(time.perf_counter())
    for objective in range(100, 50, -1):
        log.add(snapshot(objective, 1.0))
    assert render(log).count("depth 3") == 12


def test_silent_unless_asked(capfd):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 10)), rng.integers(0, 2, 2000)
    OptimalTreeClassifier(max_depth=5, time_limit=0.6).fit(X, y)
    assert capfd.readouterr() == ("", "")
    OptimalTreeClassifier(max_depth=5, time_limit=0.6, verbose=1).fit(X, y)
    shown = capfd.readouterr().out
    assert "incumbent" in shown
    assert "depth" in shown
