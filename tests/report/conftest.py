"""Releases to report on, and Debian's browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

import pellucid as pc
from report.marked import Marked, published

CASES = {
    "hybrid": (pc.Hybrid(l=3), None),
    "tailor in two tables": (pc.Tailor(l=3), "anatomy"),
    "tailor suppressed": (pc.Tailor(l=2), "suppression"),
    "ace": (pc.Ace(l=3), None),
    "mondrian, which leaks": (pc.Mondrian(l=2), None),
    "mondrian by another model": (pc.Mondrian(model=pc.TCloseness(t=0.5)), "taxonomy"),
}


@pytest.fixture(params=list(CASES))
def marked(request: pytest.FixtureRequest) -> Marked:
    method, recode = CASES[request.param]
    return published(method, recode, seed=len(request.param))


@pytest.fixture(scope="session")
def hybrid() -> Marked:
    return published(pc.Hybrid(l=3), None, seed=5)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, without a screen."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium; on Debian: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()
