"""A bar appears for work that takes longer than its patience, on a terminal, and goes away again."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time
from io import StringIO

import pytest

from pellucid.cli.progress import Bar

WORK = """
import time
from pellucid.cli.progress import Bar
with Bar(patience={patience}) as bar:
    bar.stage("grouping", 1_000_000)
    for step in range(1, 11):
        while {until}:
            time.sleep(0.01)
        time.sleep(0.01)
        bar.advance(step * 100_000)
print("done")
"""
SHOWN = "step == 6 and bar._bar is None"  # half of the work waits for the bar, which a busy machine draws late


def on_a_terminal(patience: float, until: str = "False") -> str:
    """What a person sees on a terminal of 80 columns while the work runs."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    program = subprocess.Popen(
        [sys.executable, "-c", WORK.format(patience=patience, until=until)],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert program.wait(timeout=600) == 0
    return seen.decode()


def test_long_work_shows_rows_per_second_and_the_time_left() -> None:
    seen = on_a_terminal(patience=0.05, until=SHOWN)
    assert "grouping" in seen
    assert re.search(r"\d+ %, [\d,]+ rows/s, \d+:\d\d left", seen)


def test_short_work_shows_nothing() -> None:
    assert on_a_terminal(patience=30) == ""


def test_a_bar_that_is_not_on_a_terminal_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar(patience=0) as bar:
        bar.stage("grouping", 10)
        bar.advance(5)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


class Terminal(StringIO):
    """A stand-in for the terminal of this process."""

    def isatty(self) -> bool:
        return True


def test_stages_follow_each_other_in_one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with Bar(patience=0) as bar:
        for name in ("reading", "grouping", "writing"):
            bar.stage(name, 100)
            deadline = time.monotonic() + 600
            while not re.search(f"{name}.*50 %", terminal.getvalue()) and time.monotonic() < deadline:
                bar.advance(50)
                time.sleep(0.02)
    assert re.search("reading.*50 %.*grouping.*50 %.*writing.*50 %", terminal.getvalue())


def test_no_bar_appears_after_the_work_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Bar(patience=0.05):
        pass
    time.sleep(0.2)
    assert terminal.getvalue() == ""
