"""Work in the background, one piece at a time: where it stands, how long it takes, and a Cancel that really stops it.

The work happens in another process (:mod:`pellucid.web.worker`) that stays and remembers the table, so that the
next piece starts at once. Cancel kills that process and whatever it started; the next piece begins a new one, which
reads again what it needs.

Looking closer at a release (measuring, attacking) may take minutes and gives way to whatever the steward asks for next:
it goes on afterwards, or is dropped when there is a new release to look at.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pellucid.errors import PellucidError
from pellucid.messages import Message
from pellucid.runtime.python_process import python_command
from pellucid.web.schedule import Schedule

State = Literal["running", "done", "failed", "cancelled"]
DIED = (
    "The work stopped without saying why; the usual reason is that the table does not fit into the memory of this "
    "machine. Use fewer rows or columns, or a machine with more memory."
)


class Busy(PellucidError):
    """Something is being computed already."""


@dataclass(frozen=True, slots=True)
class TaskCall:
    """One thing to do: the name of the task, its arguments, and what becomes of the result.

    Where ``excuse`` is given, the job goes on when the task cannot be done, and ``excuse`` hears why. A task that
    ``yields`` gives way to another job. Where it has a ``title``, that is what the page says while it is done. A task
    that is no more ``wanted`` when its turn comes is left out. ``part`` is what it is called among the parts of the
    job, ``seconds`` how long it is expected to take. ``kept`` says what is there all the same when the job is cancelled
    during this task.
    """

    name: str
    arguments: Mapping[str, Any]
    keep: Callable[[dict[str, Any]], None]
    excuse: Callable[[str], None] | None = None
    yields: bool = False
    title: str = ""
    wanted: Callable[[], bool] = lambda: True
    part: str = ""
    seconds: float = 1.0
    kept: Callable[[], str] | None = None


@dataclass(slots=True)
class BackgroundJob:
    """Tasks that run one after the other, as a page shows them."""

    number: int
    title: str
    steps: tuple[str, ...]  # the pages that show how it ended
    state: State = "running"
    stage: str = "starting"
    total: int = 0
    done: int = 0
    message: str = ""  # what went wrong, or what is kept of work that was cancelled
    tasks: tuple[TaskCall, ...] = ()  # those that are not done yet, the present one first
    files: tuple[Path, ...] = ()  # and folders that are there for it alone, and go when it ends
    kept: Callable[[], str] | None = None  # says what is kept when it is cancelled
    line: str = ""  # what else may be put behind its tasks, instead of being refused
    began: float = field(default_factory=time.monotonic)
    schedule: Schedule = field(default_factory=lambda: Schedule([]))

    @property
    def running(self) -> bool:
        """Whether it still goes on."""
        return self.state == "running"

    @property
    def part_share(self) -> float | None:
        """How much of the present stage is done; None while nobody knows."""
        return min(self.done / self.total, 1.0) if self.total > 0 and self.done > 0 else None

    @property
    def share(self) -> float | None:
        """How much of all is done; None while nobody knows. It never gets less."""
        return None if self._untimed and self.part_share is None else self.schedule.share(self._of_part)

    @property
    def left(self) -> float | None:
        """Seconds until all is done, if it goes on as it did; None where nobody knows. It never gets more."""
        return None if self._untimed and self.part_share is None else self.schedule.left(self._of_part)

    @property
    def _of_part(self) -> float | None:
        """How much of the present part is done, where its only stage says so: of several, one says little."""
        return self.part_share if self._untimed else None

    @property
    def _untimed(self) -> bool:
        """Whether nothing but its present stage tells how far it is: one part, of which nobody foresees how long."""
        return len(self.schedule.parts) < 2 and not (self.tasks and self.tasks[0].part)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.began

    @property
    def yields(self) -> bool:
        """Whether it gives way to another job now."""
        return bool(self.tasks) and self.tasks[0].yields

    @property
    def stays(self) -> Message:
        """What is kept of it if it is cancelled now, as its present task or the whole says; empty: nothing."""
        says = (self.tasks[0].kept if self.tasks else None) or self.kept
        return Message("") if says is None else Message(says())


class Jobs:
    """The one job that runs, or ran last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._worker: Worker | None = None
        self._number = 0
        self.current: BackgroundJob | None = None
        self.took: dict[str, float] = {}  # seconds that parts of earlier jobs took, on this table
        self.version = 0  # grows with every result, so that a page knows whether it is out of date

    @property
    def running(self) -> BackgroundJob | None:
        """The job that runs now."""
        job = self.current
        return job if job is not None and job.running else None

    def start(
        self,
        title: str,
        steps: tuple[str, ...],
        tasks: Sequence[TaskCall],
        *,
        kept: Callable[[], str] | None = None,
        files: Sequence[Path] = (),
        line: str = "",
    ) -> BackgroundJob:
        """Begin a job; raises :class:`Busy` while another one runs that does not give way.

        One of the same ``line`` is not refused: its tasks are done after those of the job that runs, which is returned.

        What gave way goes on after it, as far as it is wanted then. ``kept`` says what is kept of the job when it is
        cancelled. ``files`` and folders are deleted when it ends, however it ends.
        """
        with self._lock:
            now = self.running
            if line and now is not None and now.line == line and now.tasks and not now.yields:
                self._behind(now, title, tasks)
                now.files = (*now.files, *files)
                return now
            self.require_idle()
            every = (*tasks, *(task for task in self._give_way() if task.wanted()))
            self._number += 1
            parts = [(task.part or title, self.took.get(task.part, task.seconds)) for task in every]
            plan = Schedule(parts)
            job = self.current = BackgroundJob(
                self._number, title, steps, tasks=every, files=tuple(files), kept=kept, schedule=plan, line=line
            )
        threading.Thread(target=self._run, args=(job,), daemon=True).start()
        return job

    def require_idle(self) -> None:
        """Raise :class:`Busy` while a job runs that does not give way."""
        job = self.running
        if job is not None and not job.yields:
            raise Busy("still busy with: {title}; wait until it is done, or cancel it", title=job.title)

    def _behind(self, job: BackgroundJob, title: str, tasks: Sequence[TaskCall]) -> None:
        """Put tasks behind those of a job that runs, and before what gives way to them."""
        firm = next((n for n, task in enumerate(job.tasks) if task.yields), len(job.tasks))
        parts = [(task.part or title, self.took.get(task.part, task.seconds)) for task in tasks]
        job.schedule.add(parts, before=len(job.tasks) - firm)
        job.tasks = (*job.tasks[:firm], *tasks, *job.tasks[firm:])
        self.version += 1  # pages show what waits

    def _give_way(self) -> tuple[TaskCall, ...]:
        """End the job that gives way, if one runs; what it had still to do."""
        job = self.running
        if job is None:
            return ()
        left = job.tasks
        job.state = "cancelled"
        self.stop()
        return left

    def another_table(self) -> None:
        """What earlier work took says nothing about the next table."""
        self.took = {}

    def forget(self) -> None:
        """Take the end of the last job off the pages."""
        with self._lock:
            if self.current is not None and not self.current.running:
                self.current = None

    def cancel(self) -> None:
        """End the job that runs, if any, and the process that works on it."""
        with self._lock:
            job = self.running
            if job is not None:
                job.state = "cancelled"
                self.stop()
                job.message = job.stays

    def stop(self) -> None:
        """End the process; the next job begins a new one."""
        with self._lock:
            if self._worker is not None:
                self._worker.kill()
                self._worker = None

    def _run(self, job: BackgroundJob) -> None:
        try:
            for number in itertools.count():  # more may be put behind them
                if not (job.tasks and job.running):
                    break
                task, began = job.tasks[0], time.monotonic()
                job.schedule.begin(number)
                if task.wanted():
                    if task.part:
                        job.stage, job.total, job.done = task.part, 0, 0
                    job.title = task.title or job.title
                    self._do(job, task)
                    if task.part:
                        self.took[task.part] = time.monotonic() - began
                self._next(job)
            self._end(job, "done")
        except PellucidError as wrong:
            self._end(job, "failed", str(wrong))
        except WorkerDied:  # or somebody pressed Cancel
            self._end(job, "failed", DIED)
            with self._lock:
                if self.current is job:
                    self.stop()
        except Exception as bug:  # never leave a job that runs for ever; the message may hold data, so only its kind
            self._end(job, "failed", f"This is a bug of pellucid ({type(bug).__name__}); nothing was published.")
        finally:
            for path in job.files:
                _remove(path)

    def _do(self, job: BackgroundJob, task: TaskCall) -> None:
        try:
            result = self._working(job).call(task.name, task.arguments, lambda told: self._told(job, told))
        except PellucidError as wrong:
            if task.excuse is None:
                raise
            with self._lock:
                if job.running and task.wanted():
                    task.excuse(str(wrong))
                    self.version += 1
            return
        with self._lock:
            if job.running and task.wanted():  # what it is about may be gone by now
                task.keep(result)
                self.version += 1

    def _next(self, job: BackgroundJob) -> None:
        with self._lock:
            if job.running:
                job.tasks = job.tasks[1:]
                job.state = "running" if job.tasks else "done"  # at once: nothing is put behind a job that is over

    def _working(self, job: BackgroundJob) -> Worker:
        with self._lock:
            if not job.running:  # cancelled between two tasks: the next worker belongs to the next job
                raise WorkerDied
            if self._worker is None or not self._worker.alive:
                self._worker = Worker(self._folder)
            return self._worker

    def _end(self, job: BackgroundJob, state: State, message: str = "") -> None:
        with self._lock:
            if job.running:
                job.state, job.message = state, message

    def _told(self, job: BackgroundJob, told: Mapping[str, Any]) -> None:
        if "stage" in told:
            job.stage, job.total, job.done = told["stage"], told["total"], 0
        else:
            job.done = told["done"]


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


class WorkerDied(Exception):
    """The process ended in the middle of a task."""


class Worker:
    """The other process, seen from the server."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            python_command("pellucid.web.worker", str(folder)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a traceback may quote the data
            start_new_session=True,  # a group of its own, which can be ended as a whole
        )

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def call(self, task: str, arguments: Mapping[str, Any], tell: Callable[[Mapping[str, Any]], None]) -> Any:
        """Have a task done; ``tell`` hears how far it is."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"task": task, "arguments": arguments}).encode() + b"\n")
            self._process.stdin.flush()
            for line in self._process.stdout:
                told = json.loads(line)
                if "result" in told:
                    return told["result"]
                if "error" in told:
                    raise PellucidError(told["error"])
                tell(told)
        except (OSError, ValueError):
            pass
        raise WorkerDied

    def kill(self) -> None:
        """End the process and all that it started."""
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":  # which has no groups: what it started ends when its own input closes
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError, ValueError):
                    pipe.close()
