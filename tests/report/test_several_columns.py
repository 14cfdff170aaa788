"""Two sensitive columns, one protected wholly and one in one value: what the reports say of each is true of it."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.attacking.telling.chart import worst_groups
from pellucid.reporting.adversaries import attacked
from pellucid.reporting.opened import given_of

pytestmark = pytest.mark.filterwarnings("ignore:seed= fixes the coins")

ROLES: dict[str, Any] = {"quasi": "age", "sensitive": ["diagnosis", "hiv"]}
PEOPLE = pl.DataFrame(
    {
        "age": list(range(20, 60)),
        "diagnosis": [f"D{i % 8}" for i in range(40)],
        "hiv": ["yes" if i % 10 == 3 else "no" for i in range(40)],
    }
)


@pytest.fixture(scope="module")
def release() -> pc.Release:
    return pc.publish(PEOPLE, pc.SoftCut(l=4, values={"hiv": ["yes"]}), seed=1, **ROLES)


@pytest.fixture(scope="module")
def private(release: pc.Release) -> str:
    return pc.report(release, PEOPLE, **ROLES).html


@pytest.fixture(scope="module")
def public(release: pc.Release) -> str:
    return pc.report(release, audience="public").html


@pytest.mark.parametrize("audience", ["public", "private"])
def test_a_column_that_is_protected_wholly_is_named_so(audience: str, request: pytest.FixtureRequest) -> None:
    (head,) = re.findall(r"<th>names ([^<]*) with probability</th>", request.getfixturevalue(audience))
    assert "of those protected (every value of diagnosis, yes of hiv; no other value is)," in head


def test_figures_of_a_column_that_is_protected_wholly_may_not_exceed_the_bound(private: str) -> None:
    assert "the figures are about every value" not in private


def test_a_broken_promise_about_the_column_that_is_protected_wholly_is_told(release: pc.Release) -> None:
    said = pc.SoftCut(l=8, values={"hiv": ["yes"]})  # its groups are of four
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "diagnosis"}
    found = pc.attack_all(release.frame, truth=PEOPLE, adversaries=["nothing"], made_by=said, **roles)
    assert attacked(found, given_of(release, made_by=said)).broken


def test_counting_in_the_worst_groups_counts_what_is_protected(release: pc.Release) -> None:
    found = pc.attack_all(release, truth=PEOPLE, adversaries=["algorithm"], sensitive="hiv", quasi="age")
    _, groups = worst_groups(found)
    assert max(one["frequency"] for one in groups) <= 1 / 4 < 3 / 4 <= float(found.evidence.published.largest[0] / 4)
