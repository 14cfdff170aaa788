"""Ctrl-C at any moment: a clean message, exit 130, nothing half written."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from cli.program import PROGRAM


@pytest.mark.parametrize("moment", [0.3, 0.8, 1.2, 1.8, 2.4])
def test_ctrl_c_during_a_publish_leaves_nothing_behind(moment: float, tmp_path: Path) -> None:
    words = ["publish", "census:3000000", "--l", "8", "--out", str(tmp_path / "out")]
    program = subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    time.sleep(moment)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    if program.returncode == 0:
        pytest.fail(f"the work was over before {moment} s: this test needs a larger table")
    assert program.returncode == 130, err
    assert err == "stopped; nothing was written\n"
    assert out == ""
    assert list(tmp_path.iterdir()) == []
