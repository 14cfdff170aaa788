"""The process that works on the table: reads tasks, one JSON line each, and answers with progress and a result.

    {"task": "open", "arguments": {...}}
    {"stage": "reading", "total": 0}   {"done": 5000}   {"result": {...}}   {"error": "one line"}

It ends itself, and all it started, when the server is gone.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import IO, Any

from pellucid.cli.memory import limit_memory
from pellucid.cli.output import said_in
from pellucid.errors import PellucidError
from pellucid.messages import Message, spoken_by
from pellucid.text.rows import counted_from
from pellucid.web.tasks import TASKS
from pellucid.web.worker_state import Desk

OFTEN = 0.2  # seconds between two messages about progress


class Reporter:
    """Progress as lines; fits the protocol :class:`pellucid.runtime.progress.Progress`."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._last = 0.0

    def stage(self, name: str, total: int) -> None:
        """A new stage begins."""
        self.say({"stage": name, "total": int(total)})

    def advance(self, done: int) -> None:
        """So much of the stage is done."""
        now = time.monotonic()
        if now - self._last >= OFTEN:
            self._last = now
            self.say({"done": int(done)})

    def say(self, message: dict[str, Any]) -> None:
        """Write one line."""
        self._out.write(json.dumps(message).encode() + b"\n")
        self._out.flush()


def answer(desk: Desk, message: dict[str, Any], reporter: Reporter) -> dict[str, Any]:
    """Do one task."""
    with warnings.catch_warnings(record=True) as caught, counted_from(1), spoken_by(desk.speaker):  # people read it
        warnings.simplefilter("always", UserWarning)
        try:
            result = TASKS[message["task"]](desk, progress=reporter, **message["arguments"])
        except PellucidError as wrong:
            return {"error": desk.in_words(wrong.message)}
        except MemoryError:
            return {"error": "There is not enough memory for this table; use fewer rows or columns."}
        except Exception as bug:  # its message may quote the data, the place does not
            place = traceback.extract_tb(bug.__traceback__)[-1]
            where = f"{Path(place.filename).name}, line {place.lineno}"
            kind = type(bug).__name__
            return {"error": f"This is a bug of pellucid ({kind} in {where}); nothing was published."}
    said = [desk.in_words(said_in(one.message)) for one in caught if issubclass(one.category, UserWarning)]
    return {"result": {**in_words(result, desk), "warnings": list(dict.fromkeys(said))}}


def in_words(found: Any, desk: Desk) -> Any:
    """What a task found, with the page's words wherever the library advises something: a page has no parameters."""
    if isinstance(found, Message):
        return desk.in_words(found)
    if isinstance(found, dict):
        return {key: in_words(value, desk) for key, value in found.items()}
    return [in_words(one, desk) for one in found] if isinstance(found, list | tuple) else found


def main() -> None:
    """Work until the server closes our input."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not break the lines
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)  # the folder is private, and so is each file in it
    limit_memory()
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            tasks.put(line)
        if sys.platform == "win32":  # which has no groups of processes
            os._exit(1)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=listen, daemon=True).start()
    desk = Desk(Path(sys.argv[1]))
    reporter = Reporter(out)
    while True:
        reporter.say(answer(desk, json.loads(tasks.get()), reporter))


if __name__ == "__main__":
    main()
