"""Settings for all tests, and the one browser of a process: Debian's Chromium, installed by ./script/test."""

from __future__ import annotations

import gc
import json
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import selecting
from second_try import ACCOUNT

# Polars' threads wake each other for tables of some rows, a tenth of the processor's time: of the processes that share
# the tests, the first has as many threads as the machine, as users have, the others one. Polars reads it when imported.
if os.environ.get("PYTEST_XDIST_WORKER", "gw0") != "gw0":
    os.environ.setdefault("POLARS_MAX_THREADS", "1")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

EXAMPLES, ALL_EXAMPLES = 20, 100  # of a property that says no number: other ones in each run, more with --thorough

TESTS = Path(__file__).parent
PATIENCE = 900_000  # milliseconds in which a browser answers; the machine may be busy
PRESSED = 120_000  # in which what is pressed must be able to be pressed; else a test of a grey button takes PATIENCE
# The first draws pages with the same engine and has no window to care for: a third of the processor's time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUIET += ["--disable-sync", "--no-first-run"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="the full number of random cases; takes hours")
    parser.addoption("--quick", action="store_true", help="a small part, for a first verdict; see tests/selecting.py")
    parser.addoption("--rewrite-golden", action="store_true", help="write golden texts and pages again; read the diff")


def pytest_configure(config: pytest.Config) -> None:
    # the machine may be busy: how long one example takes says nothing about the code
    examples = ALL_EXAMPLES if config.getoption("--thorough") else EXAMPLES
    unhurried = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "max_examples": examples}
    settings.register_profile("unhurried", **unhurried)
    settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether the full number of random cases was asked for."""
    return bool(request.config.getoption("--thorough"))


@pytest.fixture(scope="session")
def some(thorough: bool) -> Callable[[int], int]:
    """How many of so many random cases a test should try: all with --thorough, else an eighth."""
    return lambda complete: complete if thorough else -(-complete // 8)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Nothing that is imported and collected becomes garbage: looking through it took a fifth of every test's time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # or libraries complain in the end that something is left


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()) and selecting.together(item.nodeid) != "spark":
            raise pytest.UsageError(f"{item.nodeid} starts Spark in any process; see WITHOUT_THE_SESSION")
    items.sort(key=lambda item: selecting.turn(item.nodeid))  # they are in random order; what takes long goes first
    if config.getoption("--thorough"):
        return
    select = selecting.quick if config.getoption("--quick") else selecting.usual
    wanted = select([item.nodeid for item in items], config.getoption("randomly_seed", 0))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in wanted])
    items[:] = [item for item in items if item.nodeid in wanted]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What --quick leaves out is not even imported, unless it is named."""
    inside = f"tests/{collection_path.relative_to(TESTS).as_posix()}/" if collection_path.is_relative_to(TESTS) else ""
    return True if config.getoption("--quick") and inside in selecting.NOT_QUICK else None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Write what tests/second_try.py decides by."""
    if ACCOUNT not in os.environ or hasattr(config, "workerinput"):
        return
    names = {
        outcome: sorted({report.nodeid for kind in kinds for report in terminalreporter.stats.get(kind, ())})
        for outcome, kinds in (("failed", ("failed", "error")), ("passed", ("passed",)))
    }
    closing = ", ".join(text for text, _ in terminalreporter.build_summary_stats_line()[0])
    account = names | {"closing": closing, "seed": config.getoption("randomly_seed", 0)}
    Path(os.environ[ACCOUNT]).write_text(json.dumps(account), encoding="utf-8")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Groups by name, for ``-n 2 --dist loadgroup``: xdist 3.8 does not see its own marker with pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return selecting.together(nodeid)

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:  # noqa: ARG002
            # as xdist does it, but what is done is forgotten: it goes through all of it for every test
            name = self.registered_collections[node][item_index]
            group = self.assigned_work[node][self._split_scope(name)]
            group[name] = True
            if all(group.values()):
                del self.assigned_work[node][self._split_scope(name)]
            self._reschedule(node)

    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False  # groups begin in the order of the tests, of which the longest come first
    return Together(config, log)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window, whose tabs wait as long as a busy machine takes."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium on this machine; ./script/test installs Debian's where it may")
    new_context = api.Browser.new_context

    def patient(self: Browser, **how: Any) -> Any:
        context = new_context(self, **how)
        context.set_default_timeout(PATIENCE)
        return context

    click = api.Locator.click

    def press(self: Locator, **how: Any) -> None:
        """As long as a busy machine takes, but not for ever where the button stays grey."""
        try:
            click(self, timeout=PRESSED, **how) if "timeout" not in how else click(self, **how)
        except api.TimeoutError as late:
            if "timeout" in how or "element is not enabled" in str(late):
                raise
            if "performing click action" not in str(late):  # else it is only the answer that takes long
                click(self, **how)

    with api.sync_playwright() as playwright, pytest.MonkeyPatch.context() as patch:
        patch.setattr(api.Browser, "new_context", patient)
        patch.setattr(api.Locator, "click", press)
        running = playwright.chromium.launch(executable_path=program, args=QUIET, timeout=PATIENCE)
        yield running
        running.close()
