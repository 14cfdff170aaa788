"""An attacker who was above 1/l before seeing the release is told apart from those who are by the release."""

from __future__ import annotations

from html import unescape
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.risk.attack_all import attack_gathered
from pellucid.risk.report.attack_report import AttackReport
from pellucid.risk.report.baseline_risk import most_gained, newly_above
from pellucid.risk.report.results import attacker_of, result_of
from pellucid.risk.report.sentences import already_before, promise_status, surest
from pellucid.risk.views import Gathered
from pellucid.risk.views.known_groups import evidence_of_groups

PEOPLE = 24
ROLES: dict[str, Any] = {"quasi": ["born", "age"], "sensitive": "ill"}


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Every birth date is one person's; ages are shared by twelve people with four illnesses each."""
    return pl.DataFrame(
        {
            "born": [10_000 + 17 * i for i in range(PEOPLE)],
            "age": [20 + i % 2 for i in range(PEOPLE)],
            "ill": ["abcd"[(i // 2) % 4] for i in range(PEOPLE)],
        }
    )


@pytest.fixture(scope="module")
def release(frame: pl.DataFrame) -> pc.Release:
    return pc.publish(frame, pc.Tailor(l=3), **ROLES)


@pytest.fixture(scope="module")
def report(frame: pl.DataFrame, release: pc.Release) -> AttackReport:
    return pc.attack_all(release, truth=frame, adversaries=["nothing", "distribution"], schema=pc.Schema.of(**ROLES))


def test_whoever_has_the_truth_already_learns_nothing(report: AttackReport) -> None:
    by_name = {attempt.name: attempt for attempt in report.attempts}
    born = by_name["knows the distribution by born"]
    assert born.max_risk == 1
    assert len(born.above) == PEOPLE
    assert born.beliefs.before is not None
    assert born.beliefs.before.tolist() == [1.0] * PEOPLE
    assert born.exceeds
    assert not len(newly_above(born))
    assert already_before(attacker_of(born)) == "all of them already before seeing the release"
    plain = by_name["knows only the release"]
    assert not already_before(attacker_of(plain))


def test_whoever_is_above_by_the_release_still_counts(frame: pl.DataFrame) -> None:
    """By age four illnesses are as likely; groups of people who all have one tell more than that."""
    labels = frame.with_row_index("row").sort("ill", "born").with_columns(group=pl.int_range(pl.len()) // 2)
    evidence = evidence_of_groups(
        pc.read(frame, **ROLES), labels.sort("row")["group"].to_list(), model=pc.LDiversity(l=3)
    )
    truth = pc.read(frame, **ROLES).codes[2]
    tried = attack_gathered(Gathered(evidence, truth), adversaries=["distribution"], classic=False).attempts
    by_name = {attempt.name: attempt for attempt in tried}
    age, born = (by_name[f"knows the distribution by {name}"] for name in ("age", "born"))
    assert len(newly_above(age)) == PEOPLE  # 1/4 before, certain now
    assert most_gained(age) == 1
    assert not already_before(attacker_of(age))
    assert born.exceeds
    assert not len(newly_above(born))


def test_the_sentences_name_them_apart(report: AttackReport) -> None:
    said = promise_status(result_of(report, "algorithm")).outside
    known = (
        "Already before seeing the release, somebody who knows the distribution by born believed more than 1/3 of "
        "each of those of whom they do now. They may be surer of them now."
    )
    assert known in said
    assert "is believed by somebody who knows the distribution by born" not in said


def test_the_report_says_it_beside_the_figure(frame: pl.DataFrame, release: pc.Release) -> None:
    told = unescape(pc.report(release, frame, **ROLES).html).replace("\N{NO-BREAK SPACE}", " ")
    line = told.partition('<th scope="row">knows the distribution by born')[2].partition("</tr>")[0]
    assert f'{PEOPLE} (100 %)<br><span class="note">all of them already before seeing the release</span>' in line


def test_all_who_believe_the_most_are_named_or_counted() -> None:
    frame = pl.DataFrame({name: list(range(12)) for name in "xyz"} | {"ill": list("abcdabcdabcd")})
    roles: dict[str, Any] = {"quasi": list("xyz"), "sensitive": "ill"}
    release = pc.publish(frame, pc.Tailor(l=2), **roles)
    found = result_of(pc.attack_all(release, truth=frame, adversaries=["distribution"], schema=pc.Schema.of(**roles)))
    tried = found.attackers
    assert surest(tried, found) == "the most, 1, is believed by each of them"
    by = "is believed by somebody who knows the distribution by x and by somebody who knows the distribution by y"
    assert surest(tried[:2], found) == f"the most, 1, {by}"
    assert surest(tried[2:], found) == "the most, 1, is believed by somebody who knows the distribution by z"
