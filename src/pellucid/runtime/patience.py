"""How long a piece of work may take: what is not done by then is given up, and never taken for a result."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from pellucid.errors import AttackError
from pellucid.runtime.arguments import number_between
from pellucid.runtime.progress import SILENT, Progress

LONGEST = 1e8  # seconds, three years: clocks take no more
AGAIN = 1.0  # seconds until a ring that nobody heard is repeated: Python drops what is raised while it collects garbage


class TooLong(BaseException):
    """The time is over. No Exception, so that nothing on the way takes it for a result."""


def seconds_given(patience: Any) -> float | None:
    """How many seconds each attacker may take, as a caller says it; None for any number.

    >>> seconds_given(None), seconds_given(30)
    (None, 30.0)
    >>> seconds_given(-1)
    Traceback (most recent call last):
    pellucid.errors.AttackError: patience = -1: must be a number above 0 and below 1e+08; it is how many seconds an \
attacker may take, and None is any number
    """
    if patience is None:
        return None
    meaning = "how many seconds an attacker may take, and None is any number"
    return number_between(patience, "patience", AttackError, above=0, below=LONGEST, meaning=meaning)


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Stop what is inside after so many seconds, None for any number.

    It takes a system that can interrupt (any but Windows) and the main thread; elsewhere :class:`Patient` stops work
    that reports progress.

    >>> with at_most(None):
    ...     pass
    """
    seconds = seconds_given(seconds)
    if seconds is None or not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    waiting = True

    def ring(_number: int, _frame: FrameType | None) -> None:
        if waiting:
            raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            yield
        except RuntimeError as wrong:  # while a class is made Python 3.11 wraps whatever is raised: modules come late
            if isinstance(wrong.__cause__, TooLong):
                raise TooLong from wrong
            raise
        finally:
            waiting = False  # if it rings at this very line it is the last time for a while: what follows is done
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True, slots=True)
class Effort:
    """How many seconds each piece of work may take, None for any number, and who hears how far it is."""

    seconds: float | None = None
    progress: Progress = SILENT

    def __post_init__(self) -> None:
        object.__setattr__(self, "seconds", seconds_given(self.seconds))


ANY = Effort()  # as long as it takes


class Patient:
    """Progress of one piece of work among several: it names the work, never goes back, and stops it when time is over.

    ``who`` stands before the name of each stage.

    >>> from pellucid.runtime.progress import SILENT
    >>> Patient(SILENT, "first of 2", None).stage("counting", 10)
    """

    def __init__(self, progress: Progress, who: str, seconds: float | None) -> None:
        self._progress, self._who = progress, who
        self._ends = None if seconds is None else time.monotonic() + seconds
        self._total = self._done = 0

    def stage(self, name: str, total: int) -> None:
        """A new stage begins."""
        self._check()
        self._total, self._done = total, 0
        self._progress.stage(f"{self._who}: {name}", total)

    def advance(self, done: int) -> None:
        """So much of it is done: never less than before, and never more than all."""
        self._check()
        self._done = max(self._done, min(done, self._total) if self._total else done)
        self._progress.advance(self._done)

    def _check(self) -> None:
        if self._ends is not None and time.monotonic() > self._ends:
            raise TooLong
