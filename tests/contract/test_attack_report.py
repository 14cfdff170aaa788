"""Every adversary side by side, and the models that are about an adversary.

Where nobody could be tried who knows the algorithm, a report begins with that; others who lack are told behind.
"""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.messages import Message
from pellucid.risk.adversary_kinds import KINDS, KindName
from pellucid.risk.report.attack_report import WARNING, AttackReport, Missed
from pellucid.risk.report.chart import by_threshold, histogram, worst_groups
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import promise_status, with_missed
from pellucid.risk.views import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/attack.schema.json").read_text(encoding="utf-8"))
ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
PATIENTS = pc.datasets.patients()
FIRST = ["dyspepsia", "flu", "gastritis", "bronchitis", "gastritis", "flu", "dyspepsia", "diabetes"]
T1 = PATIENTS.with_columns(disease=pl.Series(FIRST))
pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")


@pytest.fixture(scope="module")
def report() -> pc.AttackReport:
    return pc.attack_all(pc.publish(T1, pc.OptGen(l=2), **ROLES), truth=T1, **ROLES)


def named(report: pc.AttackReport, name: str) -> Any:
    return next(attempt for attempt in report.attempts if attempt.name == name)


def test_all_adversaries_that_apply_are_tried(report: pc.AttackReport) -> None:
    tried = [attempt.name for attempt in report.attempts]
    assert tried == [one.name for kind in KINDS.values() for one in kind.tried(["age", "zipcode"])]
    assert tried[:6] == [
        "knows only the release",
        "knows minimality",
        "knows the algorithm",
        "learns from the release",
        "knows the distribution by age",
        "knows the distribution by zipcode",
    ]
    assert report.missed == ()
    assert {finding.attack for finding in report.findings} >= {"prosecutor linkage", "homogeneity"}


def test_a_program_reads_what_was_judged(report: pc.AttackReport) -> None:
    told = report.document()
    assert json.loads(json.dumps(told)) == told
    assert told["standing"] == {"verdict": "fails", "bound": "1/2", "by": "made for", "why": None}
    assert report.document(1)["standing"] == {"verdict": "holds", "bound": "1", "by": "asked", "why": None}
    assert (report.document(1)["required"], report.document(1)["holds"]) == ("1", True)
    missing = set(SCHEMA["$defs"]["column"]["required"]) - set(told)
    assert missing == {"verdict", "warnings"}  # the words of the command line
    assert set(told) <= set(SCHEMA["$defs"]["column"]["properties"])


def test_without_a_bound_nothing_is_judged_and_an_untried_attacker_leaves_it_open() -> None:
    published = pc.publish(T1, pc.Hybrid(l=2), **ROLES).frame
    found = pc.attack_all(published, population=T1.drop("disease"), **ROLES)
    assert found.document()["standing"] == {
        "verdict": "not judged",
        "bound": None,
        "by": None,
        "why": "nobody says how much may be believed of anybody; say it with most=",
    }
    asked = found.document(Fraction(1, 2))["standing"]
    assert (asked["verdict"], asked["bound"], asked["by"]) == ("not shown", "1/2", "asked")
    assert "who knows the algorithm" in asked["why"]


def test_a_report_is_drawn_and_only_its_owner_reads_it(report: pc.AttackReport, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="the extra charts is not installed")
    drawn = report.chart()
    assert "What attackers learn from" in drawn.svg()
    (written,) = drawn.write(tmp_path, "attack", formats=["svg"])
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    nobody = replace(report, attempts=())
    with pytest.raises(pc.OutputError, match="no adversary could be tried"):
        nobody.chart()


def test_figures_of_one_adversary(report: pc.AttackReport) -> None:
    """Ed is certain; Fred, Gill and Hera are believed with 1/3; the others with 1/2."""
    informed = named(report, "knows the algorithm")
    assert (informed.max_risk, informed.multiple, informed.baseline) == (1.0, 2.0, 0.5)
    assert (informed.above.tolist(), informed.share_above, informed.average_above) == ([4], 1 / 8, 1.0)
    assert informed.worst.person == "Ed"
    assert informed.worst.size == 4
    assert informed.worst.published == {"age": "[54, 60]", "zipcode": "[60000, 63000]"}
    assert "72 of them opt-gen would have published something else" in informed.worst.reasoning
    assert informed.warning is None
    assert named(report, "learns from the release").warning == WARNING


def test_guesses_are_scored_after_the_inference() -> None:
    """Guesses of people of whom two values are equally likely are right by luck; Ed's is right."""
    others = T1.with_columns(disease=pl.Series([*FIRST[:4], "flu", "gastritis", *FIRST[6:]]))
    release = pc.publish(T1, pc.OptGen(l=2), **ROLES)
    false = pc.attack_all(release, truth=others, adversaries=["algorithm"], classic=False, **ROLES)
    true = pc.attack_all(release, truth=T1, adversaries=["algorithm"], classic=False, **ROLES)
    assert np.array_equal(false.attempts[0].risk, true.attempts[0].risk)
    assert true.attempts[0].accuracy is not None
    assert false.attempts[0].accuracy is not None
    assert true.attempts[0].accuracy > false.attempts[0].accuracy


def test_what_could_not_be_tried_never_counts_as_kept() -> None:
    frame = pl.DataFrame({"q": ["x"] * 4, "s": ["a", "b", "c", "d"]})
    blind = pc.attack_all(frame, quasi="q", sensitive="s", adversaries=["nothing", "algorithm"])
    assert blind.max_risk == 0.25
    assert blind.keeps(0.5) is None
    assert blind.keeps(0.2) is False
    seeing = pc.attack_all(frame, quasi="q", sensitive="s", adversaries=["nothing"])
    assert seeing.keeps(0.25) is True
    nobody = pc.attack_all(frame, quasi="q", sensitive="s", adversaries=["algorithm"])
    assert nobody.keeps(1) is None


def test_charts_count_everybody_once(report: pc.AttackReport) -> None:
    informed = named(report, "knows the algorithm")
    assert {(one["to"], one["people"]) for one in histogram(informed)} == {(0.35, 3), (0.5, 4), (1.0, 1)}
    shares = {round(one["threshold"], 3): one["share"] for one in by_threshold(informed)}
    assert (shares[0.0], shares[0.49], shares[0.5], shares[1.0]) == (1.0, 5 / 8, 1 / 8, 0.0)
    strongest, groups = worst_groups(report)
    assert strongest.max_risk == 1
    assert [one["rank"] for one in groups] == [1, 2, 3]


# --- models about an adversary


def test_transparent_l_diversity_is_what_an_informed_attacker_leaves() -> None:
    held = pc.publish(PATIENTS, pc.Tailor(l=2), **ROLES)
    verdict, k = pc.verify(held, [pc.TransparentLDiversity(l=2), pc.KAnonymity(k=2)], truth=PATIENTS, **ROLES)
    assert (verdict.model, verdict.holds, verdict.level, verdict.exact) == ("transparent l-diversity", True, 2, 2)
    assert (k.model, k.holds) == ("k-anonymity", True)
    broken = pc.publish(T1, pc.OptGen(l=2), **ROLES)
    groups, informed = pc.verify(broken, [pc.LDiversity(l=2), pc.TransparentLDiversity(l=2)], truth=T1, **ROLES)
    assert groups.holds
    assert (informed.holds, informed.level) == (False, 1)
    assert informed.worst is not None
    assert informed.worst.size == 4


def merged() -> Evidence:
    """Two people who look alike and five others, two of all seven with HIV, published as one group."""
    people = pl.DataFrame({"q": [1, 1, 2, 2, 2, 2, 2], "s": ["HIV"] * 2 + ["other"] * 5})
    table = pc.read(people, quasi="q", sensitive="s")
    return evidence_of_groups(table, [0] * 7, model=pc.LDiversity(l=2, sensitive=("HIV",)))


def test_m_confidentiality_is_what_minimality_leaves() -> None:
    (verdict,) = pc.verify(merged(), [pc.MConfidentiality(m=2)])
    assert (verdict.holds, verdict.level, verdict.exact) == (False, 1, 1)
    assert "knows minimality" in verdict.meaning


def test_r_robustness_is_what_the_worst_distribution_leaves() -> None:
    people = pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "s": ["x", "x", "y", "y"], "id": [1, 2, 3, 4]})
    roles: dict[str, Any] = {"quasi": ["a", "b"], "sensitive": "s", "identifier": "id"}
    release = pc.publish(people, pc.Mondrian(k=4), **roles)
    (verdict,) = pc.verify(release, [pc.RRobustness(r=2)], truth=people, **roles)
    assert (verdict.holds, verdict.level) == (False, 1)
    assert "distribution by a" in verdict.meaning
    (harmless,) = pc.verify(release, [pc.RRobustness(r=2)], truth=people, attributes=["b"], **roles)
    assert (harmless.holds, harmless.level) == (True, 2)
    with pytest.raises(pc.AttackError, match="truth="):
        pc.verify(release, [pc.RRobustness(r=2)], population=people.drop("s"), identifier="id")


@pytest.mark.parametrize("model", [pc.MConfidentiality(m=2), pc.RRobustness(r=2), pc.TransparentLDiversity(l=2)])
def test_without_people_the_error_says_what_is_missing(model: pc.PrivacyModel) -> None:
    release = pc.publish(PATIENTS, pc.Tailor(l=2), **ROLES)
    with pytest.raises(pc.ModelError, match=r"adversary.*truth="):
        pc.verify(release, [model])


def test_an_upper_bound_counts_as_it_is() -> None:
    """Four of five people are in the table: four fifths of 1/2 is believed, 1/2 of those who are surely in it."""
    release = pc.publish(PATIENTS, pc.Hybrid(l=2), **ROLES)
    (verdict,) = pc.verify(release, [pc.TransparentLDiversity(l=2)], population=pc.datasets.voters(), identifier="name")
    assert (verdict.holds, verdict.level) == (True, 2)
    assert Fraction(1, verdict.level) == Fraction(1, 2)


def report_without(kind: KindName) -> AttackReport:
    """An attack in which somebody could not be tried."""
    people = pc.datasets.patients()
    release = pc.publish(people, pc.Hybrid(l=2), **ROLES)
    report = pc.attack_all(release, truth=people, classic=False, **ROLES)
    missed = Missed(KINDS[kind].name, "it is too much to count", kind=kind)
    return replace(report, attempts=tuple(one for one in report.attempts if one.kind != kind), missed=(missed,))


def test_not_shown_comes_first_where_nobody_knows_what_the_algorithm_tells() -> None:
    report = result_of(report_without("algorithm"))
    first, *_ = with_missed(report, promise_status(report).sentences)
    assert first == "Not shown: what somebody believes who knows the algorithm."
    first, said, last = with_missed(report, [Message("Somebody believes 1/2.")])
    assert first == "Not shown: what somebody believes who knows the algorithm."
    assert said == "Somebody believes 1/2."
    assert last.endswith("attackers could not be tried, which says nothing about safety: knows the algorithm.")


def test_what_is_known_comes_first_where_somebody_else_could_not_be_tried() -> None:
    said = with_missed(result_of(report_without("learned")), [Message("Somebody believes 1/2.")])
    assert said[0] == "Somebody believes 1/2."
    assert said[1].endswith("attackers could not be tried, which says nothing about safety: learns from the release.")
