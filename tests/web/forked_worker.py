"""The worker of the pages, forked from a process that has loaded Python and its libraries once.

A page starts a worker for every table that is opened, and loading what it needs takes a second: more than most tests
do with it. Here it is a process of its own all the same, in a group of its own, that can be stopped and killed; only
the loading is done beforehand. `pellucid serve` is tested with workers that it starts itself (test_serve.py).

The engine that draws charts takes half a second to start, in every worker that draws one. Here a worker sends what is
to be drawn to the process of the tests, whose engine has started, and goes on with the picture that comes back.

The process that forks has used nothing of Polars, which starts its threads when it is first used: in the worker.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Listener
from pathlib import Path
from typing import Any

from pellucid.charts import drawing
from pellucid.runtime.python_process import working_directory_last
from pellucid.web import jobs

# Reads what to be like (working folder, environment, arguments) with three descriptors: its input, its output, and
# where to tell the number of the process and, in the end, its exit code.
FORKING = r"""
import gc, json, os, socket, sys
from contextlib import suppress
from multiprocessing.connection import Client
import jinja2, sklearn.ensemble
from pellucid.charts import drawing
from pellucid.web import worker
from pellucid.metrics import metrics
metrics()  # loads them all
gc.collect()
gc.freeze()  # what is loaded is nobody's garbage: looking through it would copy it to each worker

def elsewhere(address):
    def converted(*what):
        with Client(address) as asked:
            asked.send(what)
            return asked.recv_bytes()  # nothing comes where it cannot be drawn, which is an error here, too

    return converted

def be_worker(asked, reads, writes, tells):
    os.setsid()
    os.write(tells, b"%d\n" % os.getpid())  # not before there is a group of this number, which may be killed at once
    os.close(tells)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.path[:] = asked["path"]
    sys.argv[1:] = asked["arguments"]
    os.dup2(reads, 0)
    os.dup2(writes, 1)
    drawing._converted = elsewhere(asked["drawing"])
    code = 1
    try:
        worker.main()
    finally:
        os._exit(code)

def keep(asked, reads, writes, tells):
    # the one process that may wait for the worker
    child = os.fork()
    if not child:
        be_worker(asked, reads, writes, tells)
    os.close(reads)
    os.close(writes)
    _, status = os.waitpid(child, 0)
    os.write(tells, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)

asks = socket.socket(fileno=int(sys.argv[1]))
while True:
    message, descriptors, _, _ = socket.recv_fds(asks, 1_000_000, 3)
    if not message:
        break
    if not os.fork():
        asks.close()
        keep(json.loads(message), *descriptors)
    for one in descriptors:
        os.close(one)
    with suppress(ChildProcessError):  # those that have ended meanwhile
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
"""


class Forked:
    """A worker, with what :class:`subprocess.Popen` has of a process that is used here."""

    def __init__(self, ask: Callable[[list[int]], None]) -> None:
        reads, into = os.pipe()
        out, writes = os.pipe()
        self._told, tells = os.pipe()
        ask([reads, writes, tells])
        for one in (reads, writes, tells):
            os.close(one)
        self.stdin = os.fdopen(into, "wb")
        self.stdout = os.fdopen(out, "rb")
        self.returncode: int | None = None
        self._lock = threading.Lock()
        self.pid = int(self._line())

    def __del__(self) -> None:
        os.close(self._told)

    def _line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            more = os.read(self._told, 1)
            assert more, "the process that forks has ended"
            line += more
        return line

    def poll(self) -> int | None:
        """The exit code of a worker that has ended."""
        with self._lock:
            if self.returncode is None and select.select([self._told], [], [], 0)[0]:
                self.returncode = int(self._line())
            return self.returncode

    def wait(self) -> int:
        """The exit code, once it has ended."""
        with self._lock:
            if self.returncode is None:
                self.returncode = int(self._line())
            return self.returncode


class Drawing:
    """What draws the charts of all workers, in a thread of the tests."""

    def __init__(self) -> None:
        self._listener = Listener(family="AF_UNIX")
        self.address = self._listener.address
        threading.Thread(target=self._draw, daemon=True).start()

    def _draw(self) -> None:
        while True:
            with suppress(EOFError, OSError), self._listener.accept() as asking:  # the worker may have been killed
                what = asking.recv()
                with suppress(Exception):  # the worker is told by the connection that ends
                    asking.send_bytes(drawing._converted(*what))


class Forking:
    """The process that forks; it ends with the one that started it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-c", FORKING, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the tests
            )
        self._asks = ours
        self._drawing = Drawing()
        self._lock = threading.Lock()
        atexit.register(self.end)

    def start(self, folder: Path) -> Forked:
        """A worker for the files in a folder."""
        asked = {
            "folder": str(Path.cwd()),
            "environment": dict(os.environ),
            "path": working_directory_last(sys.path),
            "arguments": [str(folder)],
            "drawing": self._drawing.address,
        }

        def ask(descriptors: list[int]) -> None:
            with self._lock:
                socket.send_fds(self._asks, [json.dumps(asked).encode()], descriptors)

        return Forked(ask)

    def end(self) -> None:
        """No more workers."""
        self._asks.close()
        self._process.wait()


def forked_workers() -> type[jobs.Worker]:
    """The class of workers that are forked from one process."""
    forking = Forking()

    class ForkedWorker(jobs.Worker):
        def __init__(self, folder: Path) -> None:
            self._process: Any = forking.start(folder)

    return ForkedWorker
