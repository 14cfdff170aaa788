"""A server for the tests of the pages, and a tab that came in."""

from __future__ import annotations

import functools
import ssl
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from pellucid.web import jobs
from web.serving import Served, served
from web.stewards import everything_done, published
from web.windows import tab_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


REAL_WORKER = jobs.Worker


@pytest.fixture(scope="session", autouse=True)
def quick_workers() -> Iterator[None]:
    """Workers that need not load Python and its libraries each; they are processes of their own as always."""
    if sys.platform == "win32":  # there is no fork
        yield
        return
    from web.forked_worker import forked_workers

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.web.jobs.Worker", forked_workers())
        yield


@pytest.fixture
def real_workers(quick_workers: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    """Workers as `pellucid serve` starts them: they load what they need, and draw their charts, themselves."""
    monkeypatch.setattr("pellucid.web.jobs.Worker", REAL_WORKER)


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Every client reads the certificates of the world when it is made, 30 ms each, though these pages need none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ssl.create_default_context", functools.cache(ssl.create_default_context))
        yield


@pytest.fixture
def server() -> Iterator[Served]:
    """A server with nothing in it; its key is fixed, as only tests may do."""
    with served(seed=7, max_upload=20_000_000) as running:
        yield running


@pytest.fixture(scope="session")
def finished() -> Iterator[Served]:
    """A session in which everything was done once, with a method that attackers break: all there is to show.

    Tests leave it as it is.
    """
    with served(seed=7) as running, running.steward() as steward:
        everything_done(running, steward, to=4)
        for audience in ("public", "private"):
            steward.post("/release/report", data={"audience": audience})
            running.wait()
        assert None not in (running.session.risk, running.session.comparison, running.session.person)
        assert set(running.session.reports) == {"public", "private"}
        yield running


@pytest.fixture(scope="session")
def kept() -> Iterator[Served]:
    """A session with a release that keeps its promise. Tests leave it as it is."""
    with served(seed=7) as running, running.steward() as steward:
        published(running, steward)
        yield running


@pytest.fixture
def steward(server: Served) -> Iterator[httpx.Client]:
    """Somebody who came in through the start URL, and sends what the forms send."""
    with server.steward() as client:
        yield client


@pytest.fixture
def page(browser: Browser, server: Served) -> Iterator[Page]:
    """A tab that came in through the start URL. Anything that the browser complains about fails the test."""
    wrong: list[str] = []
    asked: list[str] = []
    with tab_in(browser) as tab:
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(server.start)
        tab.wait_for_url("**/data")
        yield tab
    # a form that was refused with a message is no complaint
    assert [one for one in wrong if "status of 4" not in one] == []
    assert [url for url in asked if not url.startswith((server.origin, "data:"))] == []
