"""Running the command line, in this process or in one of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from certitree.cli import app
from shared_data import SHARED


@dataclass(frozen=True)
class Run:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def one_error(self) -> tuple[str, str]:
        """The error and the hint; there must be nothing else."""
        assert self.code == 2, self
        assert "Traceback" not in self.err
        error, hint = self.err.splitlines()
        assert error.startswith("error: "), self.err
        assert hint.startswith("hint: "), self.err
        return error.removeprefix("error: "), hint.removeprefix("hint: ")


Command = Callable[..., Run]


@pytest.fixture
def certitree() -> Command:
    """Run a command in this process."""

    def run(*words: object) -> Run:
        result = CliRunner().invoke(app, [str(word) for word in words])
        return Run(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def process() -> Command:
    """Run a command in a process of its own, as a user's shell would."""

    def run(*words: object, **environment: str) -> Run:
        result = subprocess.run(
            [sys.executable, "-m", "certitree.cli", *map(str, words)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={**os.environ, **environment},
        )
        return Run(result.returncode, result.stdout, result.stderr)

    return run


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real tables; tests that need it skip without."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the folder of real tables is not there")
    return SHARED / "data"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A small table with strings, numbers and gaps; a tree of depth 2 is right on all of it."""
    lines = ["id,city,age,income,buys,weight"]
    for row in range(120):
        city = ("Delft", "Köln", "")[row % 3]
        age = 20 + row % 47
        income = "" if row % 5 == 0 else str(1000 + 37 * row)
        buys = "yes" if city == "Delft" and age <= 40 else "no"
        lines.append(f"{row},{city},{age},{income},{buys},{1 + row % 2}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
