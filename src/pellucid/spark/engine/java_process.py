"""Spark's Java process while it starts: what it writes is for us alone, and it ends if the start fails."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

SECONDS = 10.0  # in which Java is to end by itself and remove its files
FOR_US_ALONE = 0o077  # the permissions that no file or folder of Java and of its Python workers gets


@contextmanager
def ended_unless_started() -> Iterator[None]:
    """End the Java process that pyspark starts meanwhile, when an error or Ctrl-C comes before Spark is there.

    Java ends by itself when Python does, but only once the two have met: interrupted before, it waits for ever. pyspark
    then has no object by which to find it, so its process is kept from the beginning. Nobody else may read the files
    that it and the processes which it starts write: rows that Spark shuffles lie on disk as they are. A signal to our
    group of processes, as `timeout` sends it, is not for Java: we end it once what it works on is cleared up.
    """
    from pyspark import java_gateway

    begun: list[subprocess.Popen[Any]] = []

    class Known(subprocess.Popen[Any]):
        """A process that is known before it runs."""

        def __init__(self, *arguments: Any, **named: Any) -> None:
            begun.append(self)
            super().__init__(*arguments, **{"umask": FOR_US_ALONE, "start_new_session": True, **named})

    starting: Any = java_gateway
    usual, starting.Popen = starting.Popen, Known
    try:
        yield
    except BaseException:
        for process in begun:
            _end(process)
        if begun:
            _forget()
        raise
    finally:
        starting.Popen = usual


def _end(process: subprocess.Popen[Any]) -> None:
    if not hasattr(process, "pid"):  # interrupted before there was one
        return
    process.terminate()
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _forget() -> None:
    """Let pyspark start another Java next time, instead of asking one that is gone."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._gateway is not None:
        with suppress(Exception):  # whatever py4j says of a connection that is broken
            SparkContext._gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
