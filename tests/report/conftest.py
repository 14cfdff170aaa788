"""Releases to report on."""

from __future__ import annotations

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
