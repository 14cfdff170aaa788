"""Ctrl-C at any moment: a clean message, exit 130, nothing half written; SIGTERM the same with exit 143."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from cli.program import PROGRAM, as_in_a_terminal
from pellucid.cli.program import main

ROWS = 300_000
MOMENTS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.4, 0.2)  # as shares of a whole run, without Python's own start
READY = """
import os, sys
from pellucid.cli.program import main
os.write(int(sys.argv.pop(1)), b"x")
sys.exit(main())
"""
ENOUGH = 4


def start(target: Path) -> subprocess.Popen[str]:
    words = ["publish", "census:1000000", "--l", "8", "--out", str(target)]
    pipe = subprocess.PIPE
    return subprocess.Popen([*PROGRAM, *words], stdout=pipe, stderr=pipe, text=True, preexec_fn=as_in_a_terminal)


def started_to_work(target: Path) -> subprocess.Popen[str]:
    """The same, once Python itself has started, however long that took."""
    reader, writer = os.pipe()
    words = [sys.executable, "-c", READY, str(writer), "publish", f"census:{ROWS}", "--l", "8", "--out", str(target)]
    pipe = subprocess.PIPE
    program = subprocess.Popen(
        words, stdout=pipe, stderr=pipe, text=True, preexec_fn=as_in_a_terminal, pass_fds=[writer]
    )
    os.close(writer)
    assert os.read(reader, 1) == b"x"
    os.close(reader)
    return program


def test_ctrl_c_during_a_publish_leaves_nothing_behind(tmp_path: Path) -> None:
    whole = 60.0  # seconds of the quickest run so far: the machine may have been busy
    stopped = 0
    for attempt, moment in enumerate((1.0, *MOMENTS, *MOMENTS)):
        target = tmp_path / f"attempt-{attempt}"
        program = started_to_work(target)
        began = time.perf_counter()
        try:
            out, err = program.communicate(timeout=moment * whole)
        except subprocess.TimeoutExpired:
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=600)
        if out:  # the work was done and told before the signal came
            whole = min(whole, time.perf_counter() - began)
            assert sorted(path.name for path in target.iterdir()) == ["data.csv", "recipe.json"]
            continue
        assert (program.returncode, out, err) == (130, "", "stopped; nothing is half written\n")
        if target.exists():  # all was written before the signal came, and not told yet
            assert sorted(path.name for path in target.iterdir()) == ["data.csv", "recipe.json"]
            continue
        stopped += 1
        if stopped == ENOUGH:
            break
    assert stopped == ENOUGH
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


class Interrupting:
    """Ctrl-C when a line of some functions is reached for the first time; without a line, notes those that are."""

    def __init__(self, functions: Collection[str], line: tuple[str, int] | None) -> None:
        self.functions, self.line = functions, line
        self.seen: set[tuple[str, int]] = set()

    def called(self, frame: FrameType, _event: str, _arg: object) -> Any:
        return self.reached if frame.f_code.co_qualname in self.functions else None

    def reached(self, frame: FrameType, event: str, _arg: object) -> Any:
        here = (frame.f_code.co_qualname, frame.f_lineno)
        if event == "line" and here not in self.seen:
            self.seen.add(here)
            if here == self.line:
                raise KeyboardInterrupt
        return self.reached


# where threads start and wait, and where what is half written begins and ends: an interruption left an error behind it
DELICATE = {"Growth.run", "Thread.start", "Event.wait", "Condition.wait", "Condition.__exit__", "_temporary", "_run"}


def test_ctrl_c_at_every_line_that_starts_threads_or_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ended with 3, a defect, where it came between two threads, or between a lock and its guard."""
    monkeypatch.setattr("pellucid.anonymize.layout.tree.ALONE", 10)  # threads for a small table too
    target = tmp_path / "out"
    words = ["publish", "census:300", "--method", "soft-cut", "--l", "4", "--out", str(target)]

    def run(line: tuple[str, int] | None) -> tuple[int, Interrupting]:
        shutil.rmtree(target, ignore_errors=True)
        there, before = Interrupting(DELICATE, line), sys.gettrace()
        sys.settrace(there.called)
        try:
            return main(words), there
        finally:
            sys.settrace(before)

    lines: set[tuple[str, int]] = set()
    for _ in range(50):  # threads are not always waited for: on a busy machine they may be done before
        code, whole = run(None)
        assert code == 0
        lines |= whole.seen
        if {function for function, _ in lines} >= DELICATE:
            break
    assert {function for function, _ in lines} >= DELICATE
    capsys.readouterr()
    for line in sorted(lines):
        code, there = run(line)
        out, err = capsys.readouterr()
        if line not in there.seen:  # threads are not always waited for
            continue
        assert (code, err) == (130, "stopped; nothing is half written\n"), line
        assert not out or target.exists(), line
        assert [path.name for path in tmp_path.iterdir() if path != target] == [], line


CONVERTED = """
import signal, sys
from pellucid.cli import program as cli
from pellucid.cli.verbs import methods

def compiled():
    try:
        signal.raise_signal(signal.{number})
    except KeyboardInterrupt:
        pass  # as compiled code does, which then raises what it likes
    raise ArithmeticError("a thread has panicked")

methods.known_methods = compiled
sys.exit(cli.main())
"""


@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interruption_that_compiled_code_turned_into_another_error_is_no_defect(number: str, code: int) -> None:
    words = [sys.executable, "-c", CONVERTED.format(number=number), "methods"]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=as_in_a_terminal, check=False)
    assert (done.returncode, done.stderr) == (code, "stopped; nothing is half written\n")


def stopped_while_writing(program: subprocess.Popen[str], target: Path) -> bool:
    """Have it stand still with a part of the release written; False where it was faster, and is let go on."""
    while program.poll() is None and not list(target.parent.glob(f".{target.name}.pellucid-new-*/data.csv")):
        time.sleep(0.001)
    program.send_signal(signal.SIGSTOP)
    if program.returncode is None and os.WIFSTOPPED(os.waitpid(program.pid, os.WUNTRACED)[1]) and not target.exists():
        return True
    program.send_signal(signal.SIGCONT)
    return False


def test_sigterm_while_a_release_is_written(tmp_path: Path) -> None:
    for attempt in range(10):
        target = tmp_path / f"attempt-{attempt}"
        program = start(target)
        while_writing = stopped_while_writing(program, target)
        for _ in range(2):  # as `timeout` does: to the program, and to its group
            program.terminate()
        program.send_signal(signal.SIGCONT)
        out, err = program.communicate(timeout=600)
        if while_writing:
            break
    assert while_writing
    assert (program.returncode, out, err) == (143, "", "stopped; nothing is half written\n")
    assert not target.exists()
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
