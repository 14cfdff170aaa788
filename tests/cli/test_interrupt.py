"""Ctrl-C at any moment: a clean message, exit 130, nothing half written; SIGTERM the same with exit 143."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from cli.program import PROGRAM

ROWS = 1_000_000
MOMENTS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)  # as shares of a whole run; before that Python itself is starting
ENOUGH = 4


def start(target: Path, rows: int = ROWS) -> subprocess.Popen[str]:
    words = ["publish", f"census:{rows}", "--l", "8", "--out", str(target)]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_during_a_publish_leaves_nothing_behind(tmp_path: Path) -> None:
    whole = 60.0  # seconds of the quickest run so far: the machine may have been busy
    stopped = 0
    for attempt, moment in enumerate((1.0, *MOMENTS, *MOMENTS)):
        target = tmp_path / f"attempt-{attempt}"
        began = time.perf_counter()
        program = start(target)
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
        assert not target.exists()
        stopped += 1
        if stopped == ENOUGH:
            break
    assert stopped == ENOUGH
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_sigterm_while_a_release_is_written(tmp_path: Path) -> None:
    for attempt in range(10):
        target = tmp_path / f"attempt-{attempt}"
        program = start(target, 1_000_000)
        while program.poll() is None and not list(tmp_path.glob(f".{target.name}.pellucid-new-*/data.csv")):
            time.sleep(0.001)
        for _ in range(2):  # as `timeout` does: to the program, and to its group
            program.terminate()
        out, err = program.communicate(timeout=600)
        if not target.exists():
            break
        assert out  # all was written before the signal came
    assert (program.returncode, out, err) == (143, "", "stopped; nothing is half written\n")
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
