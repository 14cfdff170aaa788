"""Settings for all tests, and the one browser of a process: Debian's Chromium, installed by ./script/test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# the machine may be busy: how long one example takes says nothing about the code
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# what starts a program that should run once: all tests in these folders and files go to one process
TOGETHER = {
    "tests/engines/": "spark",
    "tests/web/": "browser",
    "tests/documentation/test_site.py": "browser",
    "tests/report/test_report_page.py": "browser",
}

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUIET += ["--disable-sync", "--no-first-run"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="the full number of random cases; takes hours")
    parser.addoption("--rewrite-golden", action="store_true", help="write golden texts and pages again; read the diff")


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether the full number of random cases was asked for."""
    return bool(request.config.getoption("--thorough"))


def together(nodeid: str) -> str:
    """What a test is run together with: its group, or nothing but itself."""
    return next((group for start, group in TOGETHER.items() if nodeid.startswith(start)), nodeid)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        started = {"spark", "browser"} & set(getattr(item, "fixturenames", ()))
        if started and together(item.nodeid) == item.nodeid:
            raise pytest.UsageError(f"{item.nodeid} starts {started.pop()} in any process; add its file to TOGETHER")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Groups by name, for ``-n 2 --dist loadgroup``: xdist 3.8 does not see its own marker with pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together(nodeid)

    return Together(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium on this machine; ./script/test installs Debian's where it may")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield running
        running.close()
