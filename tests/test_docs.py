"""The examples in README.md and docs/ run, and print what they say.

Blocks of a page share one folder and one Python namespace, and run in order:

- ```python is run.
- ```sh is run line by line; each line must succeed.
- ```console holds commands (`$ ...`) and what they print, both streams; `...` as a line of its own
  stands for any lines, and the number after the word "seconds" is not compared. Exit codes are not
  looked at: errors are shown too.
- ```text, ```json and others are not run, nor is a block after the line `<!-- not run -->`.

A page that needs real tables says so with `<!-- needs: FILE -->`; the file is linked into the
folder, or the page skipped.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shared_data import SHARED

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
RUN = {"python", "sh", "console"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    line: int


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"(?ms)^(<!-- not run -->\n+)?```(\w+)\n(.*?)^```$", text):
        if match[1] is None:
            yield Block(match[2], match[3], text[: match.start()].count("\n") + 1)


def _shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command, comments=True)
    assert words[0] == "certitree", f"only certitree is run, not {words[0]}"
    return subprocess.run(
        [sys.executable, "-m", "certitree.cli", *words[1:]],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )


def _run_sh(block: Block, folder: Path) -> None:
    for command in filter(None, map(str.strip, block.text.splitlines())):
        done = _shell(command, folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}"


def _run_console(block: Block, folder: Path) -> None:
    for part in re.split(r"(?m)^\$ ", block.text)[1:]:
        command, _, expected = part.partition("\n")
        found = _shell(command, folder).stdout
        assert _matches(expected, found), f"{command}\nexpected:\n{expected}\nfound:\n{found}"


def _normal(text: str) -> list[str]:
    lines = (line.rstrip() for line in text.splitlines())
    return [re.sub(r"^(seconds\s+)[\d.]+$", r"\1*", line) for line in lines if line]


def _matches(expected: str, found: str) -> bool:
    lines = (".*" if line == "..." else re.escape(line) for line in _normal(expected))
    return re.fullmatch("\n".join(lines), "\n".join(_normal(found)), re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [block for block in _blocks(page) if block.language in RUN]
    for name in re.findall(r"<!-- needs: (\S+) -->", page.read_text(encoding="utf-8")):
        if not (SHARED / "data" / name).is_file():
            pytest.skip(f"{name} is not there")
        (tmp_path / name).symlink_to(SHARED / "data" / name)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks:
        if block.language == "python":
            place = "\n" * block.line + block.text  # so that a traceback has the line of the page
            exec(compile(place, str(page), "exec"), namespace)
        elif block.language == "sh":
            _run_sh(block, tmp_path)
        else:
            _run_console(block, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("a\nseconds  1.00\n", "a\n\nseconds  2.50  \n", True),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
        ("gap  0%\n", "gap  1%\n", False),
    ],
)
def test_comparison_of_output(expected: str, found: str, same: bool) -> None:
    assert _matches(expected, found) is same
