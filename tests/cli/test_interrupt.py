"""Ctrl-C at any moment: a clean message, exit 130, nothing half written."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from cli.program import PROGRAM

ROWS = 3_000_000
MOMENTS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)  # as shares of a whole run; before that Python itself is starting
ENOUGH = 4


def start(target: Path) -> subprocess.Popen[str]:
    words = ["publish", f"census:{ROWS}", "--l", "8", "--out", str(target)]
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
            out, err = program.communicate(timeout=60)
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
