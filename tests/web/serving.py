"""A server as a test starts it: the real application over real HTTP on a free port, in a thread of the test."""

from __future__ import annotations

import asyncio
import contextlib
import io
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn

from pellucid.web.security import Keys
from pellucid.web.server import application
from pellucid.web.session import Session
from pellucid.web.settings import Settings

PATIENCE = 900.0  # the machine may be busy; nothing here asserts a time


class Tab(httpx.Client):
    """A client whose forms carry the table that is open now, its roles and its release, as those of a new page do."""

    def __init__(self, session: Session, **how: Any) -> None:
        super().__init__(**how)
        self._session = session

    def post(self, url: Any, *, data: Any = None, content: Any = None, **how: Any) -> httpx.Response:
        """Send a form; one that says itself which table it is about is sent as it is."""
        if content is None:
            now = self._session
            shown = {"table": now.table_id, "roles": now.roles_id, "release": str(now.releases)}
            data = {**shown, **(data or {})}
        return super().post(url, data=data, content=content, **how)


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    origin: str
    token: str
    cookie: tuple[str, str]
    session: Session

    @property
    def start(self) -> str:
        """What `pellucid serve` prints."""
        return f"{self.origin}/?token={self.token}"

    @contextlib.contextmanager
    def steward(self) -> Iterator[httpx.Client]:
        """A client that came in through the start URL, and says where its forms come from, as browsers do."""
        with Tab(self.session, base_url=self.origin, headers={"Origin": self.origin}, timeout=PATIENCE) as client:
            client.get("/", params={"token": self.token})
            yield client

    def wait(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Until nothing is being computed, or what is there is enough."""
        until = time.monotonic() + PATIENCE
        while self.session.jobs.running is not None and not enough():
            assert time.monotonic() < until, f"still busy with {self.session.jobs.running}"
            time.sleep(0.02)


@contextlib.contextmanager
def served(**settings: Any) -> Iterator[Served]:
    """Start a server, and end it."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    made = Settings(port=listening.getsockname()[1], **settings)
    keys = Keys()
    gate = application(made, keys)
    server = uvicorn.Server(uvicorn.Config(gate, log_config=None, access_log=False, timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Served(made.origin, keys.token, (gate.cookie_name, keys.cookie), gate.session)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
        gate.session.close()


def finished(work: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine gives, run in a thread of its own: in that of the tests a browser may have its loop running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def csv_of(text: str, name: str = "table.csv") -> dict[str, tuple[str, io.BytesIO]]:
    """A file for a form."""
    return {"file": (name, io.BytesIO(text.encode()))}
