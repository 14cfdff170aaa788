"""Settings for all tests: which of them run, in which process, and the one browser of a process.

Debian's Chromium is installed by ./script/test.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# the machine may be busy: how long one example takes says nothing about the code
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# The tests that share one Spark session go to one process; the other tests of engines start Java themselves or need
# none, and go wherever there is time. Files with something that is made once for all their tests go as a whole.
SPARK = "tests/engines/"
WITHOUT_THE_SESSION = (
    "test_one_pass.py",
    "test_parts_of_groups.py",
    "test_spark_driver_killed.py",
    "test_spark_ended.py",
    "test_spark_files.py",
    "test_spark_interrupted_start.py",
    "test_spark_program.py",
    "test_spark_workers_python.py",
    "test_top_of_the_tree.py",
)
BY_FILE = (
    "tests/web/",
    "tests/report/",
    "tests/documentation/test_site.py",
    "tests/contract/test_reproducing.py",
    "tests/contract/test_comparing.py",
)

# Where functions have cases by the hundred, drawn or enumerated, a run has so many of each: others the next time, since
# they are chosen by the seed of the run (--randomly-seed), and all of them with --thorough.
ENUMERATED = ("tests/property/", "tests/oracle/", "tests/statistical/", "tests/engines/")
MOST_CASES = 24

# What --quick leaves out: whole folders, functions that take long, and of many cases all but a few.
NOT_QUICK = tuple(
    f"tests/{folder}/"
    for folder in (
        "cli",
        "documentation",
        "engines",
        "faults",
        "journeys",
        "property",
        "report",
        "smoke",
        "statistical",
        "web",
    )
)
SLOW = Path(__file__).parent / "slow.txt"
QUICK_CASES = 2

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUIET += ["--disable-sync", "--no-first-run"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="the full number of random cases; takes hours")
    parser.addoption("--quick", action="store_true", help="what gives a verdict in 90 seconds; see tests/conftest.py")
    parser.addoption("--rewrite-golden", action="store_true", help="write golden texts and pages again; read the diff")


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether the full number of random cases was asked for."""
    return bool(request.config.getoption("--thorough"))


@pytest.fixture(scope="session")
def some(thorough: bool) -> Callable[[int], int]:
    """How many of so many random cases a test should try: all with --thorough, else a quarter."""
    return lambda complete: complete if thorough else -(-complete // 4)


def together(nodeid: str) -> str:
    """What a test is run together with: its group, or nothing but itself."""
    file = nodeid.partition("::")[0]
    if file.startswith(SPARK) and not file.endswith(WITHOUT_THE_SESSION):
        return "spark"
    return file if file.startswith(BY_FILE) else nodeid


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()) and together(item.nodeid) != "spark":
            raise pytest.UsageError(f"{item.nodeid} starts Spark in any process; see WITHOUT_THE_SESSION")
    wanted = set(items)
    if config.getoption("--quick"):
        slow = set(SLOW.read_text(encoding="utf-8").splitlines())
        quick = [item for item in items if not (item.nodeid.startswith(NOT_QUICK) or function(item) in slow)]
        wanted = sample(quick, QUICK_CASES, config.getoption("randomly_seed", 0))
    elif not config.getoption("--thorough"):
        counted = [item for item in items if item.nodeid.startswith(ENUMERATED)]
        wanted -= set(counted) - sample(counted, MOST_CASES, config.getoption("randomly_seed", 0))
    config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
    items[:] = [item for item in items if item in wanted]


def function(item: pytest.Item) -> str:
    """What a test is a case of."""
    return item.nodeid.partition("[")[0]


def sample(items: list[pytest.Item], most: int, seed: int) -> set[pytest.Item]:
    """At most so many cases of each function, drawn by the seed: the same ones in every process."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in sorted(items, key=lambda item: item.nodeid):
        cases.setdefault(function(item), []).append(item)
    return {
        item
        for name, each in cases.items()
        for item in (each if len(each) <= most else Random(f"{seed} {name}").sample(each, most))
    }


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
