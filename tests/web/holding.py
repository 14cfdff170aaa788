"""Work that lasts as long as a test looks at it: nothing then depends on who is faster, the test or the work."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pellucid.web import jobs
from web.serving import Served


class Held:
    """Notes every task that a worker is given, and keeps those of one name back until they may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.began: list[tuple[str, Any]] = []
        self.may_end = threading.Event()
        self.began_one = threading.Event()
        real: Callable[..., Any] = jobs.Worker.call

        def call(worker: Any, task: str, arguments: Any, tell: Any) -> Any:
            self.began.append((task, arguments))
            if task == name:
                self.began_one.set()
                assert self.may_end.wait(900)
            return real(worker, task, arguments, tell)

        monkeypatch.setattr(jobs.Worker, "call", call)

    def times(self, name: str) -> list[Any]:
        """What the task of this name was given, each time."""
        return [arguments for task, arguments in self.began if task == name]


def halt(server: Served) -> None:
    """Stop the worker that there is: what it is given from now on is not even begun, until somebody cancels it."""
    worker = server.session.jobs._worker
    assert worker is not None
    os.killpg(worker._process.pid, signal.SIGSTOP)


@contextmanager
def halted_workers(server: Served) -> Iterator[None]:
    """While it lasts, every worker that is started stands still; so does the next one, as there is none now."""
    server.session.jobs.stop()

    class Halted(jobs.Worker):
        def __init__(self, folder: Path) -> None:
            super().__init__(folder)
            os.killpg(self._process.pid, signal.SIGSTOP)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.web.jobs.Worker", Halted)
        yield
