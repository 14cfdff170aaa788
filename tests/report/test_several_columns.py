"""Two sensitive columns, one protected wholly and one in one value: what the reports say of each is true of it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.remarks import certain_of_one
from pellucid.reports.adversaries import attacked
from pellucid.reports.opened import given_of
from pellucid.risk.report.chart import worst_groups

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


def test_that_who_knows_one_column_may_learn_the_other_is_a_limit(public: str, private: str) -> None:
    """Everybody reads that, and who signs reads how many."""
    assert "each by itself: who knows somebody's value of one may learn the other" in limit_of(public)
    assert "diagnosis and hiv are protected each by itself. An attacker who knows" in limit_of(private)
    assert "may learn" not in limit_of(private)
    assert all("pellucid verify --harmonised" in limit_of(page) for page in (public, private))


def test_the_private_report_counts_those_of_whom_it_is_certain(release: pc.Release, private: str) -> None:
    alike = release.frame.group_by("age", "diagnosis").agg(
        pl.col("hiv").n_unique().alias("kinds"), pl.col("hiv").first()
    )
    rows = release.frame.join(alike.select("age", "diagnosis", "kinds"), on=["age", "diagnosis"])
    certain = rows.filter((pl.col("kinds") == 1) & (pl.col("hiv") == "yes")).height
    assert certain > 0
    assert (
        f"knows diagnosis of a person and sees only the release is certain of 'yes' of hiv for {certain} of 4 people"
        in limit_of(private)
    )


def test_the_public_report_counts_nobody(public: str) -> None:
    assert "certain" not in limit_of(public)
    assert "each by itself: who knows" in before_signature(public)
    assert "rest of a row" not in public


def before_signature(page: str) -> str:
    """What is read before a report is signed."""
    head, found, _ = page.partition('<section id="signature">')
    assert found
    return unescape(head.partition('<section id="summary">')[2])


CERTAIN = (
    "An attacker who knows {} of a person and sees only the release is certain of {} for {} of {} people, and more "
    "than 1/2 sure of a value for {} ({} rightly)."
)


@pytest.mark.parametrize("more", [(), ("job",)])
def test_what_columns_tell_about_each_other_is_read_before_signing(more: tuple[str, ...]) -> None:
    """Each determines the others, so that who knows one knows all."""
    numbers = range(40)
    columns = ("ill", "pay", *more)
    people = pl.DataFrame(
        {"age": [20 + i for i in numbers]} | {name: [f"{name}{i % 4}" for i in numbers] for name in columns}
    )
    release = pc.publish(people, pc.SoftCut(l=2), quasi="age", sensitive=columns, seed=1)
    head = before_signature(pc.report(release, people).html)
    told = [CERTAIN.format("pay" if name == "ill" else "ill", name, 40, 40, 40, 40) for name in columns]
    told += (
        [
            f"An attacker who knows the other sensitive columns{CERTAIN.partition('{}')[2]}".format(
                name, 40, 40, 40, 40
            )
            for name in columns
        ]
        if more
        else []
    )
    (paragraph,) = [one for one in re.findall(r"<p class=\"warning\">(.*?)</p>", head) if told[0] in one]
    assert paragraph.endswith(" ".join(told))
    assert paragraph.startswith(f"{['ill and pay', 'ill, pay and job'][len(more)]} ")


def test_where_nobody_is_certain_it_is_said_without_a_warning() -> None:
    people = pl.DataFrame(
        {"age": [30] * 16, "ill": [f"a{i % 4}" for i in range(16)], "pay": [f"b{i // 4}" for i in range(16)]}
    )
    release = pc.publish(people, pc.SoftCut(l=2), quasi="age", sensitive=["ill", "pay"], seed=1)
    head = before_signature(pc.report(release, people).html)
    (paragraph,) = [one for one in re.findall("<p>(.*?)</p>", head) if CERTAIN[:21] in one]
    assert paragraph.endswith(CERTAIN.format("ill", "pay", 0, 16, 0, 0))


def test_one_person_with_a_protected_value_is_told_in_the_singular() -> None:
    people = PEOPLE.with_columns(hiv=pl.Series(["yes", *["no"] * 39]))
    release = pc.publish(people, pc.SoftCut(l=2, values={"hiv": ["yes"]}), seed=1, **ROLES)
    head = before_signature(pc.report(release, people, **ROLES).html)
    sure = r"and more than 1/2 sure of it for \d+ \([01] rightly\)\."
    assert re.search(rf"certain of 'yes' of hiv for [01] of 1 person who has it, {sure}", head)


ONE_OF_THEM = (
    "{} rows are in groups where everybody's ill is 'flu' or 'gout': each value by itself stays a guess, but "
    "that they have one of them is certain; if that is the secret, write these values as one in the table."
)


@pytest.mark.parametrize("where", ["memory", "folder"])
def test_that_people_have_one_or_another_protected_value_is_counted_before_signing(where: str, tmp_path: Path) -> None:
    """The count is that of the published rows, and the one that publishing warns of."""
    ill = [["flu", "gout"][i % 2] if i % 10 < 7 else ["ok", "cold"][i % 2] for i in range(200)]
    people = pl.DataFrame({"age": [20 + i * i % 41 for i in range(200)], "ill": ill})
    method = pc.Hybrid(l=2, values=("flu", "gout"))
    release = pc.publish(people, method, quasi="age", sensitive="ill", seed=1)
    certain = release.frame.filter(pl.col("ill").is_in(["flu", "gout"]).all().over(pl.exclude("ill"))).height
    assert 0 < certain < 200
    made = release
    if where == "folder":
        release.write(tmp_path / "out")
        made = tmp_path / "out"
    head = before_signature(pc.report(made, people, quasi="age", sensitive="ill").html)
    assert ONE_OF_THEM.format(certain) in re.findall(r"<p class=\"warning\">(.*?)</p>", head)
    table = pc.read(people, quasi="age", sensitive="ill")
    (remark,) = certain_of_one(table, method, release)
    assert f"{remark.text}." == ONE_OF_THEM.format(certain)
    public = unescape(pc.report(made, audience="public").html)
    assert ONE_OF_THEM.partition(":")[0][3:] not in public


def test_what_promises_nothing_counts_nobody_as_a_guess() -> None:
    people = pl.DataFrame({"age": range(8), "ill": ["flu", "gout"] * 4})
    release = pc.publish(people, pc.SoftCut(l=1, values=("flu", "gout")), quasi="age", sensitive="ill", seed=1)
    assert "stays a guess" not in pc.report(release, people).html


def test_one_sensitive_column_has_no_such_limit() -> None:
    alone = pc.publish(PEOPLE.drop("hiv"), pc.SoftCut(l=4), seed=1, quasi="age", sensitive="diagnosis")
    assert "Another sensitive column" not in pc.report(alone, audience="public").html
