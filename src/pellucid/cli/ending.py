"""How a program ends that others end: by SIGTERM, or because its memory is limited.

SIGTERM, as `timeout` or a system that shuts down sends it, ends a verb as Ctrl-C does: with all cleared up.

A program whose memory is limited (``ulimit -v``, ``ulimit -d``) ends with one line when it has too little. Python
raises an error for that. Compiled libraries do not: they abort, or end the program with whatever code they like, 1
among them, which means here that a requirement is not met. Where there is a limit, the work is therefore done by a
process of its own, which says itself how it ended; one that ends without a word had too little.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from pellucid.cli.defect import PANIC
from pellucid.cli.memory import WAY_OUT
from pellucid.cli.output import error_line

ONCE = 1.0  # seconds: `timeout` sends the signal to the program and to its group, so that it comes twice


@dataclass
class Stop:
    """Who asked the program to stop, so far."""

    asked: bool = False  # by Ctrl-C or by SIGTERM
    terminated: bool = False  # by SIGTERM


@contextmanager
def told_to_stop(*, alone: bool = False) -> Iterator[Stop]:
    """While it lasts SIGTERM raises KeyboardInterrupt as Ctrl-C does; gives what came.

    Without it the signal kills the program at once, and rows stay behind on the disk. Whoever started it with SIGTERM
    ignored has asked it to stay. Ctrl-C is noted in a process of our own (``alone``): compiled code that it interrupts
    may raise something else instead, and then nothing but the note tells that we were asked to stop.
    """
    stop, came = Stop(), [-ONCE]

    def end(_number: int, _frame: FrameType | None) -> None:
        again = time.monotonic() - came[-1] < ONCE
        came.append(time.monotonic())
        stop.asked = stop.terminated = True
        if not again:
            raise KeyboardInterrupt

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        stop.asked = True
        raise KeyboardInterrupt

    wanted: list[tuple[signal.Signals, Any, Callable[[int, FrameType | None], None]]]
    wanted = [(signal.SIGTERM, signal.SIG_DFL, end)]
    if alone:
        wanted.append((signal.SIGINT, signal.default_int_handler, interrupt))
    if threading.current_thread() is not threading.main_thread():
        wanted = []
    usual = {number: before for number, before, _ in wanted if signal.getsignal(number) is before}
    for number, _, handler in wanted:
        if number in usual:
            signal.signal(number, handler)
    try:
        yield stop
    finally:
        for number, before in usual.items():
            signal.signal(number, before)


def is_interruption(wrong: BaseException | None) -> bool:
    """Whether this is Ctrl-C, or fell over on the way out after it.

    It may come anywhere: while a thread starts or waits, Python's own locks are then left in a state in which leaving
    them is an error (a RuntimeError whose context is the interruption), and where compiled code that called Python does
    not expect it, that code panics. Whoever asked us to stop is not told of a defect.

    >>> try:
    ...     try:
    ...         raise KeyboardInterrupt
    ...     finally:
    ...         raise RuntimeError("release unlocked lock")
    ... except RuntimeError as wrong:
    ...     is_interruption(wrong), is_interruption(RuntimeError("cannot join thread before it is started"))
    (True, False)
    """
    if type(wrong).__name__ == PANIC and KeyboardInterrupt.__name__ in str(wrong):
        return True
    return wrong is not None and (
        isinstance(wrong, KeyboardInterrupt) or is_interruption(wrong.__cause__) or is_interruption(wrong.__context__)
    )


LEAST = 900 * 2**20  # bytes: with less no table is read, and now and then Python or polars never ends trying
MOST_NOISE = 2**16  # bytes of what libraries write about memory that are shown; one that never ends writes gigabytes
PASSED_ON = ("SIGTERM", "SIGHUP")  # Ctrl-C comes to both from the terminal
PR_SET_PDEATHSIG = 1


def memory_limit() -> int | None:
    """The bytes that this process may have; None without a limit."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return None
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    there = [limit for limit in limits if limit != resource.RLIM_INFINITY]
    return min(there, default=None)


def within_limits(work: Callable[[], int], *, debug: bool = False) -> int:
    """The exit code of the work; where memory is limited, done by a process of its own."""
    limit = memory_limit()
    if limit is None or not hasattr(os, "fork"):
        return work()
    if limit < LEAST:
        error_line(f"not enough memory: {limit >> 20} MiB are allowed here (ulimit -v); allow at least {LEAST >> 20}")
        return 2
    reader, writer = os.pipe()
    noise = tempfile.TemporaryFile()  # noqa: SIM115  (both processes use it)
    child = os.fork()
    if child == 0:
        os.close(reader)
        return _told(work, writer, noise.fileno())
    os.close(writer)
    with noise, _passing_on(child):
        code = os.read(reader, 1)
        os.waitpid(child, 0)
        if not code or debug:
            noise.seek(max(0, noise.seek(0, os.SEEK_END) - MOST_NOISE))
            errors = noise.read().decode("utf-8", "replace")
    os.close(reader)
    if debug:
        sys.stderr.write(errors)
    return code[0] if code else _too_little(limit)


def _told(work: Callable[[], int], writer: int, noise: int) -> int:
    """Do the work in the new process, and say how it ended; what libraries write about memory goes elsewhere."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1, encoding="utf-8", errors="backslashreplace")
    os.dup2(noise, 2)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # where it cannot start more, it sends us what Ctrl-C sends
    try:
        code = work()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    sys.stdout.flush()
    os.write(writer, bytes([code]))
    return code


def _too_little(limit: int) -> int:
    error_line(
        f"the work ended without a word, most likely for lack of memory: it may have {limit / 2**20:,.0f} MiB here "
        f"(ulimit -v); allow more, or {WAY_OUT}"
    )
    return 2


@contextlib.contextmanager
def _passing_on(child: int) -> Iterator[None]:
    """Let the other process answer to signals; it ends, and then so do we."""
    numbers = [getattr(signal, name) for name in PASSED_ON]
    usual = {number: signal.signal(number, lambda number, _: os.kill(child, number)) for number in numbers}
    usual[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
