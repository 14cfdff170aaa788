"""A Spark session of our own, quiet, and errors that say what to do when there can be none.

What its Java process writes is for us alone, and Java ends if the start fails.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.errors import EngineError
from pellucid.spark.errors import first_line
from pellucid.spark.settings import Spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ANSWERING = 5.0  # seconds in which the master must answer
PLACE = "spark.local.dir"  # where Spark puts what it shuffles: rows as they are
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.driver.extraJavaOptions": "-Dlog4j2.level=ERROR -Dlog4j2.statusLoggerLevel=OFF",
}
# of a Java that starts tasks and touches no row: it compiles quickly instead of well, which is most of what it does
TASKS_ALONE = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
JAVA = "spark.driver.extraJavaOptions"
ENDING = 10.0  # seconds in which Java is to end by itself and remove its files
FOR_US_ALONE = 0o077  # the permissions that no file or folder of Java and of its Python workers gets


def require_spark() -> None:
    """Raise unless pyspark and Java are there."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise EngineError("the Spark engine needs pyspark; pip install 'pellucid[spark]'") from None
    home = environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and (Path(home) / "bin" / "java").exists()):
        raise EngineError(
            "Spark needs Java 17 or newer, and there is no java; install it (on Debian: apt-get install "
            "openjdk-17-jre-headless), or set JAVA_HOME"
        )


@contextmanager
def session(settings: Spark, *, tasks_alone: bool = False) -> Iterator[SparkSession]:
    """A session with the master of the settings, stopped at the end; one that runs already is left running.

    With ``tasks_alone`` a Java on this machine is told that rows are not for it to read or to sort.
    """
    running = _running()
    if running is not None:
        yield running
        return
    from py4j.protocol import Py4JError

    mine, remove_files = _new(settings, tasks_alone=tasks_alone)
    with _without_stacks_of_py4j():
        try:
            yield mine
        finally:
            try:
                with suppress(OSError, Py4JError):  # Java may have ended, and what went wrong is told already
                    mine.stop()
            finally:
                remove_files()


@contextmanager
def _without_stacks_of_py4j() -> Iterator[None]:
    """Leave out what py4j logs, with its stack, when Java has ended: the error says it in one line."""

    def is_of_others(record: logging.LogRecord) -> bool:
        return Path(record.pathname).parent.name != "py4j"

    everybody, own = logging.getLogger(), logging.getLogger("py4j")  # it logs to both
    passes_on, own.propagate = own.propagate, False
    everybody.addFilter(is_of_others)
    try:
        yield
    finally:
        everybody.removeFilter(is_of_others)
        own.propagate = passes_on


def running_or_new(settings: Spark) -> SparkSession:
    """The session that runs, or a new one with the master of the settings, which is the caller's for whatever comes."""
    return _running() or _new(settings, tasks_alone=False)[0]


def _running() -> SparkSession | None:
    require_spark()
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _new(settings: Spark, *, tasks_alone: bool) -> tuple[SparkSession, Callable[[], object]]:
    """A session, and what removes the folder of its files; Python does that too when it ends."""
    from pyspark.sql import SparkSession

    if settings.master is None:
        raise EngineError(
            "no Spark session runs and nothing says where to start one; give engine=pellucid.Spark(master=...), "
            "such as local[*] or spark://host:7077"
        )
    require_reachable(settings.master)
    builder = SparkSession.builder.appName("pellucid").master(settings.master)
    options = QUIET | dict(settings.options)
    if tasks_alone and settings.master.startswith("local") and JAVA not in settings.options:
        options[JAVA] = f"{QUIET[JAVA]} {TASKS_ALONE}"
    # pyspark looks only there for the Python of its workers
    environ.setdefault("PYSPARK_PYTHON", options.get("spark.pyspark.python", sys.executable))
    for name, value in options.items():
        builder = builder.config(name, value)
    folder = None if _place_is_chosen(options) else Path(tempfile.mkdtemp(prefix="pellucid-spark-"))
    if folder is not None:
        builder = builder.config(PLACE, str(folder))
    try:
        started = _started(builder, settings.master)
    except BaseException:
        _remove(folder)
        raise
    return started, weakref.finalize(started.sparkContext, _remove, folder)


def _remove(folder: Path | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _place_is_chosen(options: Mapping[str, str]) -> bool:
    """Whether somebody said where Spark is to put its files: by an option, or in Spark's own file of settings."""
    from pyspark.find_spark_home import _find_spark_home

    if PLACE in options or PLACE in environ.get("PYSPARK_SUBMIT_ARGS", ""):
        return True
    file = Path(environ.get("SPARK_CONF_DIR") or Path(_find_spark_home()) / "conf") / "spark-defaults.conf"
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    return any(line.strip().startswith(PLACE) for line in lines)


def _started(builder: SparkSession.Builder, master: str) -> SparkSession:
    with aside_from_stderr() as stderr:
        try:
            with ended_unless_started():
                return builder.getOrCreate()
        except Exception as error:  # whatever Java throws while it starts
            lines = [line for line in stderr().splitlines() if "Error" in line or "Exception" in line]
            reason = lines[0].strip()[:200] if lines else first_line(error)
            raise EngineError(
                "Spark does not start with master {master!r} ({reason}); check it, and Spark's settings",
                master=master,
                reason=reason,
            ) from None


@contextmanager
def aside_from_stderr() -> Iterator[Callable[[], str]]:
    """While it lasts, what this process and those it starts write to stderr goes to a file, which can be asked for.

    Java keeps the stderr that it is started with, and Spark greets there before it can be told to be quiet.
    """
    with tempfile.TemporaryFile() as file:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)

        def said() -> str:
            file.seek(0)
            return file.read().decode(errors="replace")

        try:
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def require_reachable(master: str) -> None:
    """Raise at once when nobody listens at spark://host:port; Spark itself would try for minutes."""
    if not re.match(r"^(local(\[.*\])?|local-cluster\[.*\]|yarn|k8s://.+|spark://.+)$", master):
        raise EngineError(
            f"master {master!r} is not one of Spark's; use local[*], spark://host:7077, yarn or k8s://https://host:port"
        )
    if not master.startswith("spark://"):
        return
    problems = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit():
            raise EngineError(f"master {master!r}: {address!r} is not host:port, such as spark://host:7077")
        try:
            socket.create_connection((host, int(port)), timeout=ANSWERING).close()
        except OSError as error:
            problems.append(f"{address}: {(error.strerror or str(error)).lower()}")
        else:
            return
    raise EngineError(
        f"Spark's master {master} cannot be reached ({'; '.join(problems)}); check the address and that it runs"
    )


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
        process.wait(ENDING)
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
