"""SIGTERM, as `timeout` or a system that shuts down sends it, ends a verb as Ctrl-C does: with all cleared up."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ONCE = 1.0  # seconds: `timeout` sends the signal to the program and to its group, so that it comes twice


@contextmanager
def terminated_as_interrupted() -> Iterator[Callable[[], bool]]:
    """While it lasts SIGTERM raises KeyboardInterrupt; gives what says whether it came.

    Without it the signal kills the program at once, and rows stay behind on the disk. Whoever started it with SIGTERM
    ignored has asked it to stay.
    """
    came: list[float] = []

    def end(_number: int, _frame: FrameType | None) -> None:
        again = bool(came) and time.monotonic() - came[-1] < ONCE
        came.append(time.monotonic())
        if not again:
            raise KeyboardInterrupt

    usual = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or usual is not signal.SIG_DFL:
        yield lambda: False
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGTERM, usual)
