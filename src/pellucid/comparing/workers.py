"""The cells of a grid on several processes, each given to whoever is free."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pellucid.comparing.cell import Cell, Question
from pellucid.errors import MethodError
from pellucid.group import Method
from pellucid.python_process import python_command
from pellucid.table import Table


def filled(
    table: Table, methods: Sequence[Method], question: Question, *, workers: int, threads: int
) -> Generator[tuple[int, Cell], None, None]:
    """The number of each setting and its cell, as they are done. Closing the iterator ends the processes."""
    tasks = [_pickled(method) for method in methods]
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(methods)):
        waiting.put(number)
    done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    opening = pickle.dumps((table, question, threads))
    processes = [_start() for _ in range(workers)]
    drivers = [
        threading.Thread(target=_drive, args=(process, opening, tasks, waiting, done), daemon=True)
        for process in processes
    ]
    try:
        for driver in drivers:
            driver.start()
        for _ in methods:
            number, answer = done.get()
            if isinstance(answer, Ended):
                raise MethodError(
                    f"{methods[number]!r}: the process that worked on it ended with code {answer.code}, perhaps for "
                    "want of memory; use workers=1 or fewer rows (finished settings are kept in the output folder)"
                )
            if not isinstance(answer, Cell):
                raise RuntimeError(f"{methods[number]!r} failed in a way that is a bug of pellucid:\n{answer}")
            yield number, answer
    finally:
        for process in processes:
            process.kill()
        for driver in drivers:
            driver.join()
        for process in processes:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _close(pipe)


@dataclass(frozen=True)
class Ended:
    """A process ended before it answered."""

    code: int


def _pickled(method: Method) -> bytes:
    """A method as another process can read it; an error before any process is started when it cannot."""
    try:
        return pickle.dumps(method)
    except Exception as wrong:
        raise MethodError(
            f"{method.name} cannot be sent to another process ({wrong}); define it at the top level of a module"
        ) from None


def _start() -> subprocess.Popen[bytes]:
    # One thread of polars each, or they would stand in each other's way.
    return subprocess.Popen(
        python_command("pellucid.comparing.worker"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "POLARS_MAX_THREADS": "1"},
    )


def _drive(
    process: subprocess.Popen[bytes],
    opening: bytes,
    tasks: Sequence[bytes],
    waiting: queue.SimpleQueue[int],
    done: queue.SimpleQueue[tuple[int, Any]],
) -> None:
    """Hand one process task after task; a process that dies is reported for the task it had."""
    assert process.stdin is not None
    assert process.stdout is not None
    number = None
    try:
        process.stdin.write(opening)
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            process.stdin.write(tasks[number])
            process.stdin.flush()
            done.put((number, pickle.load(process.stdout)))
            number = None
    except Exception:  # whatever it was, whoever waits for the answer must hear of it
        process.kill()
        code = process.wait()
        if number is None:
            number = _next(waiting)
        if number is not None:
            done.put((number, Ended(code)))


def _next(waiting: queue.SimpleQueue[int]) -> int | None:
    try:
        return waiting.get_nowait()
    except queue.Empty:
        return None


def _close(pipe: Any) -> None:
    with suppress(OSError):  # what was still to be written to a process that is gone
        pipe.close()
