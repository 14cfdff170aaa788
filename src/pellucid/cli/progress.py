"""A bar with rows per second and the time left, on stderr, for work that takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

PATIENCE = 2.0  # seconds a person waits before a bar helps more than it distracts


class Bar:
    """Shows the stages of one piece of work; fits the protocol :class:`pellucid.runtime.progress.Progress`.

    Nothing appears when the work ends within ``patience`` seconds, or when stderr is not a terminal.
    """

    def __init__(self, *, shown: bool = True, patience: float = PATIENCE) -> None:
        self._timer = threading.Timer(patience, self._show) if shown and sys.stderr.isatty() else None
        self._lock = threading.Lock()
        self._over = False
        self._name, self._total, self._done, self._began = "starting", 0, 0, time.monotonic()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        """Start to wait."""
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def stage(self, name: str, total: int) -> None:
        """A new stage begins; ``total`` is its size in rows, 0 when nobody knows."""
        with self._lock:
            self._name, self._total, self._done, self._began = name, total, 0, time.monotonic()
            self._draw(new=True)

    def advance(self, done: int) -> None:
        """So many rows of the stage are done."""
        with self._lock:
            self._done = done
            self._draw(new=False)

    def _draw(self, *, new: bool) -> None:
        if self._bar is None:
            return
        if new and self._task is not None:
            self._bar.remove_task(self._task)
        if new or self._task is None:
            self._task = self._bar.add_task(self._name, total=self._total or None, pace="")
        now = pace(self._done, self._total, time.monotonic() - self._began)
        self._bar.update(self._task, completed=self._done, pace=now)

    def _show(self) -> None:
        """Draw the bar; runs in the timer's thread, so that work which reports nothing gets a bar too."""
        from rich.console import Console  # not at the top: most runs are over before a bar is due
        from rich.progress import BarColumn, Progress, TextColumn

        with self._lock:
            if not self._over:
                columns = (TextColumn("{task.description}"), BarColumn(24), TextColumn("{task.fields[pace]}"))
                self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
                self._bar.start()
                self._draw(new=True)


def pace(done: int, total: int, seconds: float) -> str:
    """Rows per second and the time left in words; empty while nothing is known.

    >>> pace(3_000_000, 10_000_000, 2.5)
    '30 %, 1,200,000 rows/s, 0:05 left'
    >>> pace(0, 10_000_000, 2.5)
    ''
    """
    if done <= 0 or total <= 0 or seconds <= 0:
        return ""
    left = int((total - done) * seconds / done)
    return f"{100 * done // total} %, {done / seconds:,.0f} rows/s, {left // 60}:{left % 60:02d} left"
