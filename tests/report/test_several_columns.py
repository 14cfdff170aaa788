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


@pytest.mark.parametrize("by", ["names", "schema", "table"])
def test_a_release_in_memory_tells_its_groups_and_everybody_is_tried_on_each_column(
    release: pc.Release, by: str
) -> None:
    schema = pc.Schema.model_validate(
        {"columns": {"age": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}, "hiv": {"role": "sensitive"}}}
    )
    people, said = {
        "names": (PEOPLE, ROLES),
        "schema": (PEOPLE, {"schema": schema}),
        "table": (pc.read(PEOPLE, schema=schema), {}),
    }[by]
    alone = pc.attack_all(
        release.frame, truth=PEOPLE, quasi="age", sensitive="hiv", made_by=release.public.recipe.made_by
    )
    assert alone.missed  # for its boxes overlap, so that who is not told the groups could not be tried
    found = pc.report(release, people, **said)
    assert found.summary["not_tried"] == []
    assert "is not shown" not in " ".join(found.summary["verdicts"].values())


def test_one_column_of_a_schema_with_several_can_be_attacked(release: pc.Release) -> None:
    schema = pc.Schema.model_validate(
        {"columns": {"age": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}, "hiv": {"role": "sensitive"}}}
    )
    found = pc.attack_all(release, truth=PEOPLE, schema=schema, sensitive="hiv", adversaries=["nothing"])
    assert found.evidence.attribute.name == "hiv"
    with pytest.raises(pc.AttackError, match="there are: diagnosis, hiv"):
        pc.attack_all(release, truth=PEOPLE, schema=schema, sensitive="age")


def limit_of(page: str) -> str:
    return page.partition("<dt>Another sensitive column</dt><dd>")[2].partition("</dd>")[0].replace("&#39;", "'")


@pytest.mark.parametrize("audience", ["public", "private"])
def test_that_who_knows_one_column_may_learn_the_other_is_a_limit(
    audience: str, request: pytest.FixtureRequest
) -> None:
    said = limit_of(request.getfixturevalue(audience))
    assert "each by itself: who knows somebody's value of one may learn the other" in said
    assert "pellucid verify --harmonised" in said


def test_the_private_report_counts_those_of_whom_it_is_certain(release: pc.Release, private: str) -> None:
    alike = release.frame.group_by("age", "diagnosis").agg(
        pl.col("hiv").n_unique().alias("kinds"), pl.col("hiv").first()
    )
    rows = release.frame.join(alike.select("age", "diagnosis", "kinds"), on=["age", "diagnosis"])
    certain = rows.filter((pl.col("kinds") == 1) & (pl.col("hiv") == "yes")).height
    assert certain > 0
    assert f"'yes' of hiv for {certain} of 4 people" in limit_of(private)


def test_the_public_report_counts_nobody(public: str) -> None:
    assert "certain" not in limit_of(public)


def test_one_sensitive_column_has_no_such_limit() -> None:
    alone = pc.publish(PEOPLE.drop("hiv"), pc.SoftCut(l=4), seed=1, quasi="age", sensitive="diagnosis")
    assert "Another sensitive column" not in pc.report(alone, audience="public").html
