"""How far Spark is inside a step of ours: how many of its tasks are done, looked up while we wait for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pellucid.runtime.progress import SILENT, Progress

if TYPE_CHECKING:
    from pyspark import StatusTracker
    from pyspark.sql import SparkSession

SECONDS = 0.5
LONG = ("encoding", "cutting", "drawing", "grouping", "writing")  # stages that are one or a few jobs of Spark


@contextmanager
def watching(spark: SparkSession, progress: Progress) -> Iterator[Progress]:
    """A progress that goes on by itself while Spark works, as long as nobody tells it more exactly."""
    context = getattr(spark, "_sc", None)  # there is none with Spark Connect
    if progress is SILENT or context is None:
        yield progress
        return
    watcher = Watcher(progress, context.statusTracker())
    thread = threading.Thread(target=watcher.run, daemon=True)
    thread.start()
    try:
        yield watcher
    finally:
        watcher.over.set()
        thread.join()


class Watcher:
    """Passes on what it is told; where it is told nothing, it says what share of Spark's tasks is done, as rows.

    Spark does a step of ours in stages of its own, one after the other: the second is told as ``grouping, step 2``.
    """

    def __init__(self, progress: Progress, tracker: StatusTracker) -> None:
        self.progress, self.tracker = progress, tracker
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._name, self._total, self._told = "", 0, True
        self._seen: list[int] = []  # Spark's stages since ours began

    def stage(self, name: str, total: int) -> None:
        """A new stage of ours begins."""
        with self._lock:
            self._name, self._total, self._told, self._seen = name, total, name not in LONG, []
            self.progress.stage(name, total)

    def advance(self, done: int) -> None:
        """Somebody knows how far the stage is."""
        with self._lock:
            self._told = True
            self.progress.advance(done)

    def run(self) -> None:
        """Look every now and then."""
        with suppress(Exception):  # Java may end, and somebody may cancel: who waits for Spark finds out
            while not self.over.wait(SECONDS):
                self.look()

    def look(self) -> None:
        """Tell what Spark does now."""
        with self._lock:
            if self._told:
                return
        active = self.tracker.getActiveStageIds()
        info = self.tracker.getStageInfo(max(active)) if len(active) else None
        with self._lock:
            if self._told or info is None or not info.numTasks:
                return
            if info.stageId not in self._seen:
                self._seen.append(info.stageId)
                if len(self._seen) > 1:
                    self.progress.stage(f"{self._name}, step {len(self._seen)}", self._total)
            self.progress.advance(self._total * info.numCompletedTasks // info.numTasks)
