"""Whoever says that a bound holds asks the one verdict: verify, the sentences, reports, comparisons and the page.

The beliefs here have figures within 1/2 of which nothing is claimed, so that a place that compares figures by itself
says that all is well, and one that asks says that it is not shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import pellucid as pc
from pellucid.comparison import cell
from pellucid.risk import verify as verifying
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.select_engine import believe
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import promise_status, reading, verdict
from pellucid.risk.report.undecided import surely_exceeds
from pellucid.web.tasks import attacking as page

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
DOUBTS: list[dict[str, Any]] = [
    {"exactness": Exactness.UNKNOWN},
    {"exactness": Exactness.SAMPLED, "confidence": 0.95},
    {"lacking": ("give the schema",)},
    {"at_most": 1.0, "other_view": "somebody who is not told"},
]


@pytest.fixture
def patients() -> Any:
    return pc.datasets.patients()


@pytest.fixture
def release(patients: Any) -> pc.Release:
    return pc.publish(patients, pc.Tailor(l=2), **ROLES)


def doubted(doubt: dict[str, Any]) -> Any:
    """An engine whose figures are those that they are, and do not show what they say."""

    def tried(*given: Any, **more: Any) -> Beliefs:
        found = believe(*given, **more)
        if "confidence" in doubt:
            return replace(found, lower=found.risk, upper=found.risk, **doubt)
        return replace(found, **doubt)

    return tried


def test_without_a_doubt_all_of_them_say_that_it_holds(patients: Any, release: pc.Release) -> None:
    (verified,) = pc.verify(release, [pc.TransparentLDiversity(l=2)], truth=patients, **ROLES)
    assert (verified.holds, verified.word) == (True, "holds")
    report = pc.attack_all(release, truth=patients, adversaries=["algorithm"], classic=False, **ROLES)
    assert report.keeps(1 / 2) is True
    found = result_of(report, "algorithm")
    assert verdict(found) == "holds: somebody who knows the algorithm believes at most 1/2 of anybody."
    assert promise_status(found).covered.endswith("believes at most 1/2 of anybody.")
    assert surely_exceeds(report.attempts[0]) is False


@pytest.mark.parametrize("doubt", DOUBTS, ids=lambda doubt: next(iter(doubt)) + str(len(doubt)))
def test_with_a_doubt_none_of_them_does(
    patients: Any, release: pc.Release, doubt: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "believe", doubted(doubt))
    (verified,) = pc.verify(release, [pc.TransparentLDiversity(l=2)], truth=patients, **ROLES)
    assert (verified.holds, verified.word) == (False, "NOT SHOWN")
    assert verified.level in (None, 1)  # what is shown, and not the 2 of the figures
    assert verified.not_shown

    monkeypatch.setattr("pellucid.risk.attack_all.believe", doubted(doubt))
    report = pc.attack_all(release, truth=patients, adversaries=["algorithm"], classic=False, **ROLES)
    assert report.keeps(1 / 2) is None
    assert report.standing(1 / 2).why
    found = result_of(report, "algorithm")
    assert verdict(found).startswith("NOT SHOWN: whether somebody who knows the algorithm stays within 1/2")
    assert "is not shown that somebody who knows the algorithm" in promise_status(found).covered
    assert found.broken is False
    assert found.state() == "open"
    (one,) = found.attackers
    assert one.exceeds is None
    assert "is not shown" in reading(one, found)
    badge = page._badge(one, found)
    assert badge is not None
    assert badge["text"] == "not shown to be within 1/2"


@pytest.mark.parametrize("doubt", DOUBTS, ids=lambda doubt: next(iter(doubt)) + str(len(doubt)))
def test_a_comparison_calls_no_such_cell_safe(
    patients: Any, release: pc.Release, doubt: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    who = pc.Adversary(knows="algorithm")
    table = pc.read(patients, **ROLES)
    known = cell._risk(table, release, pc.Tailor(l=2), who, 60)
    assert cell.Cell("tailor", {"l": 2}, 2, risks=[known]).safe

    def attack(*given: Any, **more: Any) -> Beliefs:
        found = pc.attack(*given, **more)
        bounds = {"lower": found.risk, "upper": found.risk} if "confidence" in doubt else {}
        return replace(found, **bounds, **doubt)

    monkeypatch.setattr(cell, "attack", attack)
    risk = cell._risk(table, release, pc.Tailor(l=2), who, 60)
    found = cell.Cell("tailor", {"l": 2}, 2, risks=[risk])
    assert not found.safe
    assert not found.known
    assert found.told_risk[0] in ("not known", "at most")
