"""Java that a test has started, found by a mark among the settings of its session."""

from __future__ import annotations

import time

import psutil

ENOUGH = 900.0  # seconds in which Java starts, or ends, on a machine that is busy


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
