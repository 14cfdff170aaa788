"""Where nobody could be tried who knows the algorithm, a report begins with that; others who lack are told behind."""

from __future__ import annotations

from dataclasses import replace

import pellucid as pc
from pellucid.attacking.adversary_kinds import KINDS, KindName
from pellucid.attacking.telling.report import AttackReport, Missed
from pellucid.attacking.telling.words import verdict, with_missed

ROLES = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}


def report_without(kind: KindName) -> AttackReport:
    """An attack in which somebody could not be tried."""
    people = pc.datasets.patients()
    release = pc.publish(people, pc.Hybrid(l=2), **ROLES)
    report = pc.attack_all(release, truth=people, classic=False, **ROLES)
    missed = Missed(KINDS[kind].name, "it is too much to count", kind=kind)
    return replace(report, attempts=tuple(one for one in report.attempts if one.kind != kind), missed=(missed,))


def test_not_shown_comes_first_where_nobody_knows_what_the_algorithm_tells() -> None:
    report = report_without("algorithm")
    assert verdict(report).startswith("Not shown: what somebody believes who knows the algorithm. ")
    first, said, last = with_missed(report, ["Somebody believes 1/2."])
    assert first == "Not shown: what somebody believes who knows the algorithm."
    assert said == "Somebody believes 1/2."
    assert last.endswith("attackers could not be tried, which says nothing about safety: knows the algorithm.")


def test_what_is_known_comes_first_where_somebody_else_could_not_be_tried() -> None:
    said = with_missed(report_without("learned"), ["Somebody believes 1/2."])
    assert said[0] == "Somebody believes 1/2."
    assert said[1].endswith("attackers could not be tried, which says nothing about safety: learns from the release.")
