"""Ctrl-C, or an error, while Java starts: no Java is left, and the same Python can start Spark again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import psutil
import pytest

from cli.program import as_in_a_terminal

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("java")]

ENOUGH = 900.0  # seconds in which Java starts, or ends, on a machine that is busy
INTERRUPTED = """
import sys
import pellucid as pc
from pellucid.spark.engine.session import running_or_new
try:
    running_or_new(pc.Spark(master="local[1]", options={"spark.pellucid.mark": sys.argv[1]}))
except KeyboardInterrupt:
    print("stopped")
"""
AGAIN = """
import sys
import pellucid as pc
from pellucid.spark.engine.session import session
try:
    with session(pc.Spark(master="local[1]", options={"spark.pellucid.mark": sys.argv[1], "spark.driver.port": "x"})):
        print("started")
except pc.EngineError:
    print("refused")
with session(pc.Spark(master="local[1]", options={"spark.pellucid.mark": sys.argv[1]})) as spark:
    print(spark.range(3).count())
"""


def of(mark: str) -> list[psutil.Process]:
    """The Java processes with this mark."""
    return [
        process
        for process in psutil.process_iter(["name", "cmdline"])
        if process.info["name"] == "java" and any(mark in word for word in process.info["cmdline"] or ())
    ]


def is_gateway(process: psutil.Process) -> bool:
    return any("SparkSubmit" in word for word in process.info["cmdline"])


def assert_none_is_left(mark: str) -> None:
    until = time.monotonic() + ENOUGH
    while of(mark) and time.monotonic() < until:
        time.sleep(0.1)
    left = of(mark)
    for process in left:
        process.kill()
    assert not left


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


def test_after_a_start_that_failed_another_one_succeeds(environment: dict[str, str]) -> None:
    mark = f"again-{time.time_ns()}"
    done = subprocess.run([sys.executable, "-c", AGAIN, mark], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["refused", "3"], done.stderr
    assert_none_is_left(mark)
