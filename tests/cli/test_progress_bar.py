"""A bar appears for work that takes longer than its patience, on a terminal, and goes away again."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from pellucid.app.progress import Bar

WORK = """
import time
from pellucid.app.progress import Bar
with Bar(patience={patience}) as bar:
    bar.stage("grouping", 1_000_000)
    for step in range(1, 11):
        time.sleep(0.05)
        bar.advance(step * 100_000)
print("done")
"""


def on_a_terminal(patience: float) -> str:
    """What a person sees on a terminal of 80 columns while the work runs."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    program = subprocess.Popen(
        [sys.executable, "-c", WORK.format(patience=patience)],
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
    assert program.wait(timeout=30) == 0
    return seen.decode()


def test_long_work_shows_rows_per_second_and_the_time_left() -> None:
    seen = on_a_terminal(patience=0.1)
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
