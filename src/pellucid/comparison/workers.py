"""The cells of a grid on several processes, each given to whoever is free.

A process may die (the system kills one that takes too much memory), or fail once on a busy machine. Its setting is then
tried once more, by a new process. A setting that fails twice is told in its line, and the others stay; only where all
fail is that an error.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import threading
import traceback
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.comparison.cell import Cell, Inquiry, unfilled
from pellucid.core.table import Table
from pellucid.errors import MethodError
from pellucid.runtime.python_process import python_command

TRIES = 2


def _queue_of(numbers: Iterable[int]) -> queue.SimpleQueue[int]:
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in numbers:
        waiting.put(number)
    return waiting


def filled(
    table: Table, methods: Sequence[Method], question: Inquiry, *, workers: int, threads: int
) -> Generator[tuple[int, Cell], None, None]:
    """The number of each setting and its cell, as they are done. Closing the iterator ends the processes."""
    tasks = [_pickled(method) for method in methods]
    waiting = _queue_of(range(len(methods)))
    done: queue.SimpleQueue[tuple[int, Answer]] = queue.SimpleQueue()
    opening = pickle.dumps((table, question, threads))
    hands = [Hand(opening) for _ in range(workers)]
    drivers = [threading.Thread(target=_drive, args=(hand, tasks, waiting, done), daemon=True) for hand in hands]
    started: list[threading.Thread] = []
    failures = 0
    try:
        for driver in drivers:
            driver.start()
            started.append(driver)
        for _ in methods:
            number, answer = done.get()
            if isinstance(answer, Cell):
                yield number, answer
                continue
            wrong = _told(methods[number], answer)
            failures += 1
            if failures == len(methods):
                raise wrong
            yield number, replace(unfilled(methods[number]), refused=wrong.message, failed=True)
    finally:
        _end_all(hands, started)


def _end_all(hands: Sequence[Hand], started: Sequence[threading.Thread]) -> None:
    """End all processes, once the threads that ask them are done."""
    for hand in hands:
        hand.close()
    for driver in started:  # one that could not be started cannot be joined
        driver.join()
    for hand in hands:
        hand.renew()


@dataclass(frozen=True)
class Failed:
    """An exception that nobody expected: its kind, the file and line, and all of it for who reads traces."""

    kind: str
    place: str
    trace: str


@dataclass(frozen=True)
class Ended:
    """A process ended before it answered; its code, or None where none could be started."""

    code: int | None


Answer = Cell | Failed | Ended


def _told(method: Method, answer: Failed | Ended) -> MethodError:
    """What is said of a setting that could not be done, twice. Where a bug is, but no value of the table."""
    if isinstance(answer, Ended):
        how = "could not be started" if answer.code is None else f"ended with code {answer.code}"
        return MethodError(
            "{method!r}: the process that worked on it {how}, perhaps for want of memory; use workers=1 or fewer rows",
            method=method,
            how=how,
        )
    wrong = MethodError(
        "{method!r} failed in a way that is a bug of pellucid ({kind} in {place}); please report it",
        method=method,
        kind=answer.kind,
        place=answer.place,
    )
    wrong.add_note(answer.trace)
    return wrong


@dataclass(slots=True)
class Hand:
    """One process at a time that fills cells; a new one after it died. Once closed it starts no other."""

    opening: bytes
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _process: subprocess.Popen[bytes] | None = None
    _closed: bool = False

    def ask(self, task: bytes) -> Answer:
        """Have one setting done."""
        try:
            process = self._working()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(task)
            process.stdin.flush()
            answer = pickle.load(process.stdout)
        except Exception:  # whatever it was, whoever waits for the answer must hear of it
            return Ended(self._end())
        if not isinstance(answer, Cell | Failed):
            return Ended(self._end())
        return answer

    def renew(self) -> None:
        """End the process, and begin with a new one next time."""
        self._end()

    def close(self) -> None:
        """End the process, and start no other."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()  # whoever reads its answer hears that it ended

    @property
    def closed(self) -> bool:
        """Whether nobody wants an answer any more."""
        return self._closed

    def _working(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise BrokenPipeError
            if self._process is not None:
                return self._process
            process = self._process = _start()
        assert process.stdin is not None
        process.stdin.write(self.opening)
        return process

    def _end(self) -> int | None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return None
        process.kill()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError, ValueError):  # what was still to be written to a process that is gone
                    pipe.close()
        return code


def _pickled(method: Method) -> bytes:
    """A method as another process can read it; an error before any process is started when it cannot."""
    try:
        return pickle.dumps(method)
    except Exception as wrong:
        raise MethodError(
            "{method} cannot be sent to another process ({wrong}); define it at the top level of a module",
            method=method.name,
            wrong=wrong,
        ) from None


def _start() -> subprocess.Popen[bytes]:
    # One thread of polars each, or they would stand in each other's way.
    return subprocess.Popen(
        python_command("pellucid.comparison.worker"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "POLARS_MAX_THREADS": "1"},
    )


def _drive(
    hand: Hand, tasks: Sequence[bytes], waiting: queue.SimpleQueue[int], done: queue.SimpleQueue[tuple[int, Any]]
) -> None:
    """Hand one process task after task, each twice if need be."""
    while not hand.closed:
        try:
            number = waiting.get_nowait()
        except queue.Empty:
            return
        answer: Answer = Ended(None)
        for _ in range(TRIES):
            answer = hand.ask(tasks[number])
            if isinstance(answer, Cell) or hand.closed:
                break
            hand.renew()
        done.put((number, answer))


def failed(bug: Exception) -> Failed:
    """What is told of a bug."""
    last = traceback.extract_tb(bug.__traceback__)[-1]
    return Failed(type(bug).__name__, f"{Path(last.filename).name}, line {last.lineno}", traceback.format_exc())
