"""The command itself: help, version, unknown words, interruption, closed pipes."""

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from certitree import cli

from .conftest import Command


def test_version(certitree: Command) -> None:
    run = certitree("--version")
    assert (run.code, run.out) == (0, f"certitree {version('certitree')}\n")


def test_help_lists_the_commands(certitree: Command) -> None:
    for words in ((), ("--help",)):
        run = certitree(*words)
        assert run.code == 0
        for command in ("fit", "predict", "show"):
            assert f"\n  {command} " in run.out


@pytest.mark.parametrize("command", ["fit", "predict", "show"])
def test_help_of_a_command(certitree: Command, command: str) -> None:
    run = certitree(command, "--help")
    assert run.code == 0
    assert f"Usage: certitree {command}" in run.out


def test_unknown_command(certitree: Command) -> None:
    error, hint = certitree("fitt").one_error()
    assert "fitt" in error
    assert "--help" in hint


def test_missing_argument(process: Command) -> None:
    error, hint = process("fit").one_error()
    assert "FILE" in error
    assert hint == "see certitree fit --help"


def test_an_internal_error_is_one_line_too(
    certitree: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(_path: object) -> None:
        raise RuntimeError("a\nb")

    monkeypatch.setattr(cli.show, "load", broken)
    error, hint = certitree("show", tmp_path).one_error()
    assert error == "internal error: RuntimeError: a b"
    assert "CERTITREE_TRACEBACK=1" in hint


def test_out_of_memory(certitree: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def greedy(_path: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cli.show, "load", greedy)
    error, hint = certitree("show", tmp_path).one_error()
    assert error == "out of memory"
    assert "--memory-limit" in hint


def test_interrupted_before_there_is_a_tree(
    certitree: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(_path: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.show, "load", interrupted)
    run = certitree("show", tmp_path)
    assert (run.code, run.err) == (130, "error: interrupted\n")


def test_ctrl_c_keeps_the_best_tree(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    command = [sys.executable, "-m", "certitree.cli", "fit", "sklearn:digits", "--max-depth", "6"]
    with subprocess.Popen(
        [*command, "--out", str(model), "--jobs", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FORCE_COLOR": "1", "TERM": "xterm"},  # the table is drawn at once
    ) as running:
        assert running.stderr is not None
        deadline = time.monotonic() + 60
        while "gap" not in running.stderr.readline():  # the search has begun
            assert time.monotonic() < deadline
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert "interrupted (stopped by you)" in out
    assert model.is_file()


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    script = (
        f"{sys.executable} -m certitree.cli fit sklearn:iris --quiet | head -1; "
        "exit ${PIPESTATUS[0]}"
    )
    result = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.stdout == "sklearn:iris\n"
    assert "Traceback" not in result.stderr and "error" not in result.stderr
