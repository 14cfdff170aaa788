"""Ctrl-C at any moment: a clean message, exit 130, nothing half written."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from cli.program import PROGRAM

ROWS = 3_000_000
MOMENTS = (0.4, 0.55, 0.7, 0.8, 0.9, 0.95)  # as shares of an undisturbed run; before that Python itself is starting


def start(folder: Path, name: str) -> subprocess.Popen[str]:
    words = ["publish", f"census:{ROWS}", "--l", "8", "--out", str(folder / name)]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_during_a_publish_leaves_nothing_behind(tmp_path: Path) -> None:
    began = time.perf_counter()
    undisturbed = start(tmp_path, "undisturbed")
    undisturbed.communicate(timeout=120)
    seconds = time.perf_counter() - began
    assert undisturbed.returncode == 0
    stopped = 0
    for moment in MOMENTS:
        program = start(tmp_path, f"at-{moment}")
        time.sleep(moment * seconds)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
        if program.returncode == 0:  # it was quicker this time: then the release must be whole
            left = sorted(path.name for path in (tmp_path / f"at-{moment}").iterdir())
            assert left == ["data.csv", "recipe.json"]
        else:
            assert (program.returncode, out, err) == (130, "", "stopped; nothing was written\n")
            assert not (tmp_path / f"at-{moment}").exists()
            stopped += 1
    assert stopped >= len(MOMENTS) // 2
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
