"""Every command and every line of Python on the pages is run, and prints what the page says.

``pytest tests/documentation --rewrite-golden`` writes what is printed now into the pages; whoever does that reads the
difference as a newcomer would. A reader's coins are secret; here they are fixed, so that there is something to compare.

Somebody who follows a page: types its commands, writes its files, runs its Python, and compares what is printed.
"""

from __future__ import annotations

import doctest
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from documentation.page_code import RUN, SHOWN, Block, Command, blocks_of, commands_of
from pellucid.cli.program import main
from pellucid.core.coins import Coins

LOOSELY = doctest.ELLIPSIS
SHELL = set("|<>&;$*")  # what needs a shell; anything else is run in this process, which is quicker
COMMANDS = {"cat", "echo", "head", "ls", "mkdir", "rm", "cut", "sort", "tail", "wc", "cp"}
DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = ("tutorials", "howto", "explanation", "reference")
PAGES = [DOCS.parent / "README.md", *sorted(path for folder in FOLDERS for path in (DOCS / folder).glob("*.md"))]
WITH_CODE = [page for page in PAGES if any(True for _ in blocks_of(page))]


@dataclass
class Follower:
    """One page, one folder (the working directory), one Python session."""

    page: Path
    capture: pytest.CaptureFixture[str]
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    code: int = 0
    new: list[tuple[int, str, str]] = field(default_factory=list)  # where, what the page says, what was printed

    def follow(self) -> None:
        """Do everything that the page says; fail where it is not what happens."""
        for block in blocks_of(self.page):
            if block.mark == "file":
                Path(block.said).write_text(block.text, encoding="utf-8")
            elif block.mark == "not run":
                assert block.said, f"{self.page.name}:{block.line}: say why it is not run"
            elif block.language in RUN:
                getattr(self, f"run_{block.language}")(block)
            else:
                assert block.language in SHOWN, f"{self.page.name}:{block.line}: is it a file, or not run, and why?"
        assert self.code == 0, f"{self.page.name} ends with a command that failed; '$ echo $?' tells the reader so"

    def run_console(self, block: Block) -> None:
        """Type the commands and compare what they print."""
        for command in commands_of(block):
            if command.typed == "echo $?":
                printed, self.code = f"{self.code}\n", 0
            else:
                assert self.code == 0, f"{self.page.name}: what failed before '{command.typed}' needs '$ echo $?'"
                printed = self.printed_by(command)
            if not doctest.OutputChecker().check_output(command.printed, printed, LOOSELY):
                self.new.append((command.start, command.printed, printed))

    def run_bash(self, block: Block) -> None:
        """Type the commands, each of which must succeed."""
        for typed in filter(None, (line.partition("  #")[0].strip() for line in block.text.splitlines())):
            printed = self.printed_by(Command(typed, "", 0))
            assert self.code == 0, f"{self.page.name}: {typed} ends with {self.code}: {printed}"

    def printed_by(self, command: Command) -> str:
        """What a command prints, errors last."""
        words = shlex.split(command.typed.replace("\\\n", " "))
        if words[0] == "pellucid" and not SHELL & set(command.typed):
            self.capture.readouterr()
            self.code = main(words[1:])
            said = self.capture.readouterr()
            return said.out + said.err
        assert words[0] in {*COMMANDS, "pellucid", "python"}, f"{self.page.name}: {words[0]} is not for these pages"
        done = subprocess.run(["bash", "-c", command.typed], capture_output=True, text=True, env=with_program())
        self.code = done.returncode
        return done.stdout + done.stderr

    def run_python(self, block: Block) -> None:
        """Run a block as it stands."""
        exec(compile(block.text, f"{self.page.name}:{block.line}", "exec"), self.names)

    def run_pycon(self, block: Block) -> None:
        """Run a session and compare what it prints."""
        session = doctest.DocTestParser().get_doctest(block.text, self.names, self.page.name, None, block.line)
        told: list[str] = []
        doctest.DocTestRunner(optionflags=LOOSELY | doctest.NORMALIZE_WHITESPACE).run(
            session, out=told.append, clear_globs=False
        )
        self.names.update(session.globs)
        assert not told, "".join(told)

    def rewritten(self) -> str:
        """The page with what was printed instead of what it says."""
        text = self.page.read_text(encoding="utf-8")
        for start, before, after in sorted(self.new, reverse=True):
            text = text[:start] + after + text[start + len(before) :]
        return text


FOLDER = TemporaryDirectory(prefix="pellucid-")  # goes with the process


def with_program() -> dict[str, str]:
    """An environment in which ``pellucid`` is the package under test."""
    folder = Path(FOLDER.name)
    program = folder / "pellucid"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pellucid "$@"\n')
    program.chmod(0o700)
    return {**os.environ, "PATH": f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_page_says_what_happens(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Coins, "fresh", classmethod(lambda cls: cls.from_seed("the pages")))
    follower = Follower(page, capsys)
    follower.follow()
    before, after = page.read_text(encoding="utf-8"), follower.rewritten()
    if request.config.getoption("--rewrite-golden"):
        page.write_text(after, encoding="utf-8")
    difference = unified_diff(before.splitlines(), after.splitlines(), "the page", "what happens", lineterm="")
    assert before == after, "\n".join(difference)


def test_a_page_that_is_wrong_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo three\nfour\n```\n\n```console\n$ echo one ... five\none ... five\n```\n")
    follower = Follower(page, capsys)
    follower.follow()
    assert [(said, printed) for _, said, printed in follower.new] == [("four\n", "three\n")]
    assert "$ echo three\nthree\n```" in follower.rewritten()


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("```console\n$ cat nowhere\n```\n", "ends with a command that failed"),
        ("```toml\na = 1\n```\n", "is it a file"),
        ("```pycon\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```console\n$ curl somewhere\n```\n", "not for these pages"),
        ("```bash\npellucid levels nowhere.csv  # a comment\n```\n", "nowhere.csv ends with 2: error"),
    ],
)
def test_a_page_that_cannot_be_followed_is_caught(
    page: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text(page)
    with pytest.raises(AssertionError, match=why):
        Follower(tmp_path / "page.md", capsys).follow()
