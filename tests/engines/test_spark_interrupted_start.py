"""Ctrl-C while Java starts: no Java is left. What follows an error is in test_spark_files.py."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from cli.program import as_in_a_terminal
from engines.java_processes import ENOUGH, assert_none_is_left, is_gateway, of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("java")]

INTERRUPTED = """
import sys
import pellucid as pc
from pellucid.spark.engine.session import running_or_new
try:
    running_or_new(pc.Spark(master="local[1]", options={"spark.pellucid.mark": sys.argv[1]}))
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_while_java_starts(environment: dict[str, str]) -> None:
    mark = f"interrupted-{time.time_ns()}"
    words = [sys.executable, "-c", INTERRUPTED, mark]
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, text=True, preexec_fn=as_in_a_terminal
    ) as program:
        try:
            until = time.monotonic() + ENOUGH
            while not any(map(is_gateway, of(mark))) and time.monotonic() < until:
                time.sleep(0.02)
            program.send_signal(signal.SIGINT)
            assert program.communicate(timeout=ENOUGH)[0] == "stopped\n"
        finally:
            program.kill()
            assert_none_is_left(mark)
