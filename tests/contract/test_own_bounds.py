"""Where the promise bounds each person by themselves, verdicts compare each person with their own bound."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import RECODERS
from pellucid.cli.program import main
from pellucid.core.schema import Roles
from pellucid.errors import AttackError, ModelError
from pellucid.models import of, parse
from pellucid.risk.adversary import STRATUM
from pellucid.risk.adversary_kinds import KindName
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.own_bounds import own_bounds
from pellucid.risk.report.attack_report import Missed
from pellucid.risk.report.guarantee_coverage import coverage
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import promise_status, verdict, verdict_lines
from pellucid.risk.verdict import Standing, verdict_of
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.risk.views.strata_again import cut_again

ROLES = {"quasi": ["age"], "sensitive": "ill", "identifier": "name"}
SEVEN = pl.DataFrame({"name": list("ABCDEFG"), "age": [20, 21, 22, 60, 61, 62, 63], "ill": list("aabaaab")})
METHOD = pc.Strata(l=2, size=3)


def report_of(frame: pl.DataFrame, method: pc.Strata, recode: str = "intervals", **more: object) -> pc.AttackReport:
    release = pc.publish(frame, method, recode=recode, **ROLES)
    return pc.attack_all(release, truth=frame, classic=False, adversaries=["nothing", "algorithm"], **ROLES, **more)


def test_everybody_is_compared_with_their_own_stratum() -> None:
    report = report_of(SEVEN, METHOD)
    assert report.limit == Fraction(1, 2)
    assert report.own is not None
    assert report.own.tolist() == pytest.approx([2 / 3] * 3 + [3 / 4] * 4)
    assert report.standing().holds is True
    assert report.standing(1 / 2).holds is False  # the same of everybody is another question
    found = result_of(report)
    assert found.larger is not None
    assert (found.larger.people, found.larger.share) == (7, 0.75)
    said = verdict(found)
    assert said.startswith("holds: none of the 2 attackers asked for")
    assert "or the share of the value in their stratum where that is larger (7 people, up to 75 %)" in said
    assert (
        "the share of each value in every stratum and every value outside the person's stratum"
        in promise_status(found).covered
    )
    assert not result_of(report, most=Fraction(1, 2)).larger


def test_somebody_above_their_own_bound_fails_though_others_are_allowed_more() -> None:
    report = report_of(SEVEN, METHOD)
    (attempt,) = [one for one in report.attempts if one.kind == "algorithm"]
    assert report.own is not None
    risk = attempt.beliefs.risk.copy()
    risk[0] = 0.7  # of 2/3; others are allowed 3/4
    above = replace(attempt.beliefs, risk=risk, otherwise=None)
    assert verdict_of(above, report.own).standing is Standing.FAILS
    wrong = replace(report, attempts=(replace(attempt, beliefs=above),))
    assert verdict(result_of(wrong)).endswith("0.6667 is allowed; 1 of 7 people is above what is promised of them.")


def test_strata_that_read_alike_are_not_shown_to_keep_their_shares() -> None:
    """Strata aab and aaab read alike, as seven rows: 4/5 of the second, and 3/4 is the most."""
    report = report_of(SEVEN, METHOD, recode="suppression")
    assert report.standing().standing is Standing.NOT_SHOWN
    assert "the strata of 7 people may read like others" in report.standing().why
    tables = [[("b" if row in having else "a") for row in range(7)] for having in combinations(range(7), 2)]
    reads_so = [one for one in tables if most(one[:3]) * 2 > 3 and most(one[3:]) * 2 > 4]
    assert Fraction(sum(one[6] == "a" for one in reads_so), len(reads_so)) == Fraction(4, 5)


def most(values: list[str]) -> int:
    return max(map(values.count, values))


def forged(labels: list[int]) -> pc.Release:
    """A release of ours with other groups."""
    release = pc.publish(SEVEN, METHOD, **ROLES)
    other = Grouping.from_labels(np.array(labels, np.int32))
    frames = pc.Intervals().recode(pc.read(SEVEN, **ROLES), other)
    public = replace(release.public, frames=dict(frames))
    return replace(release, public=public, private=replace(release.private, grouping=other))


@pytest.mark.parametrize("adversary", ["nothing", "algorithm"])
def test_a_part_of_a_stratum_is_compared_with_the_stratum(adversary: KindName) -> None:
    """The stratum aaab is 3/4; three of them, aaa, are no stratum, however many rows they have."""
    apart = forged([0, 0, 0, 1, 1, 1, 2])
    report = pc.attack_all(apart, truth=SEVEN, classic=False, adversaries=[adversary], **ROLES)
    assert report.standing().standing is Standing.FAILS


def test_groups_of_several_strata_are_refused() -> None:
    mixed = forged([0, 0, 1, 1, 1, 1, 1])
    report = pc.attack_all(mixed, truth=SEVEN, classic=False, adversaries=["algorithm"], **ROLES)
    assert not report.standing().holds
    assert ["people of several strata" in missed.why for missed in report.missed] == [True]
    counted = pc.attack_all(mixed, truth=SEVEN, classic=False, adversaries=["nothing"], **ROLES)
    assert not counted.standing().holds


FORGED = pl.DataFrame({"name": list("ABCDEFGH"), "age": [1, 2, 2, 3, 3, 2, 4, 4], "ill": list("aaaabbcd")})


@pytest.mark.parametrize("given", ["truth", "population", "nobody"])
@pytest.mark.parametrize("recode", ["intervals", "anatomy"])
def test_nothing_that_claims_to_be_a_stratum_is_believed(given: str, recode: str, tmp_path: Path) -> None:
    """One stratum, in which a is 1/2; of five people who are published as a stratum four have it."""
    method = pc.Strata(l=2, size=5)
    pc.publish(FORGED, method, recode=recode, **ROLES).write(tmp_path / "out")
    other = Grouping.from_labels(np.array([0, 0, 0, 0, 0, 1, 1, 1], np.int32))
    made = RECODERS[recode]().recode(pc.read(FORGED, **ROLES), other)
    for name, frame in made.items():
        frame.write_csv(tmp_path / "out" / f"{name}.csv")
    people = {"truth": {"truth": FORGED}, "population": {"population": FORGED.drop("ill")}, "nobody": {}}[given]
    roles = {"identifier": "name"} if people else {}
    report = pc.attack_all(tmp_path / "out", classic=False, adversaries=["nothing", "algorithm"], **people, **roles)
    assert not report.standing().holds
    honest = pc.publish(FORGED, method, **ROLES)
    assert pc.attack_all(honest, truth=FORGED, classic=False, **ROLES).standing().holds


def test_honest_strata_that_read_alike_are_not_called_forged(tmp_path: Path) -> None:
    pc.publish(SEVEN, METHOD, recode="suppression", **ROLES).write(tmp_path / "out")
    report = pc.attack_all(tmp_path / "out", truth=SEVEN, identifier="name", classic=False)
    assert report.standing().standing is Standing.NOT_SHOWN
    assert not any(missed.contradicts for missed in report.missed)


def test_of_values_that_are_not_protected_no_bound_is_known() -> None:
    method = pc.Strata(l=2, size=3, values=("b",))
    release = pc.publish(SEVEN, method, **ROLES)
    beliefs = pc.attack(release, truth=SEVEN, **ROLES)
    assert own_bounds(beliefs.evidence) is not None
    assert own_bounds(replace(beliefs.evidence, asked=("a",))) is None


def test_a_comparison_weighs_own_bounds_and_says_what_is_not_one_over_l() -> None:
    table = pc.datasets.census(400, seed=3)
    compared = pc.compare(
        table, methods=[pc.Strata(l=8, size=20), pc.SoftCut(l=8)], quasi=["age", "gender"], sensitive="occupation"
    )
    strata, soft = compared.cells
    assert (strata.bound, strata.above, strata.safe) == (8, 0, True)
    assert strata.own is not None
    assert soft.own is None
    chosen = f"Strata at l=8, size=20 has no row above its own bound (1/8 for {400 - strata.own[0]} of 400, for "
    assert compared.sentence.startswith(chosen)  # it keeps more
    assert "Not weighed" not in compared.rule
    assert "strictest" not in compared.rule
    assert f"which is not 1/l for {strata.own[0]} of 400 at l=8, size=20" in compared.rule
    assert compared.in_short().columns[:2] == ["method", "l"]
    assert "size" not in compared.in_short().columns  # there is one


def test_a_comparison_has_a_column_of_sizes_where_they_differ() -> None:
    table = pc.datasets.census(400, seed=3)
    methods = [pc.Strata(l=4), pc.Strata(l=4, size=20), pc.SoftCut(l=4)]
    compared = pc.compare(table, methods=methods, quasi=["age", "gender"], sensitive="occupation")
    assert compared.in_short()["size"].to_list() == ["50", "20", ""]


def test_promised_asks_for_what_the_release_promises_of_each_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "people.csv"
    SEVEN.write_csv(table)
    asked = ["--quasi", "age", "--sensitive", "ill", "--identifier", "name"]
    out = str(tmp_path / "out")
    made = ["publish", str(table), *asked, "--method", "strata", "--l", "2", "--size", "3", "--out", out]
    assert main([*made, "--keep-groups", str(tmp_path / "groups.csv")]) == 0
    known = [out, "--truth", str(table), "--identifier", "name", "--groups", str(tmp_path / "groups.csv")]
    attack, verify = ["attack", *known, "--max-risk"], ["verify", *known, "--require"]
    assert main([*attack, "promised"]) == 0
    assert main([*verify, "promised"]) == 0
    assert main([*attack, "1/2"]) == 1
    assert main([*made, "--recode", "suppression", "--overwrite", "--keep-groups", str(tmp_path / "groups.csv")]) == 0
    assert main([*attack, "promised"]) == 1  # strata read alike: not shown
    capsys.readouterr()
    assert main([*verify, "promised"]) == 1
    said = capsys.readouterr().out
    assert "\nNOT SHOWN  promised\n" in said
    assert "may read like others" in said


def test_a_job_may_require_what_is_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SEVEN.write_csv(tmp_path / "people.csv")
    job = tmp_path / "job.toml"
    told = """source = "people.csv"
out = "out"
require = ["promised"]
[method]
name = "strata"
l = 2
size = 3
[schema.columns]
name = { role = "identifier" }
age = { role = "quasi" }
ill = { role = "sensitive" }
"""
    job.write_text(told)
    assert main(["run", str(job)]) == 0
    job.write_text(told.replace("require", 'overwrite = true\nrecode = "suppression"\nrequire'))
    capsys.readouterr()
    assert main(["run", str(job)]) == 1
    assert "promised is required and not shown (the strata of 7 people may read like" in capsys.readouterr().err
    with pytest.raises(pc.errors.RequirementNotMet, match="promised is required and not shown"):
        pc.run(job)


def test_what_is_promised_can_be_verified_in_python_and_of_a_release_alone() -> None:
    release = pc.publish(SEVEN, METHOD, **ROLES)
    (verdict_on,) = pc.verify(release, [pc.Promised()], truth=SEVEN, **ROLES)
    assert verdict_on.holds
    assert verdict_on.meaning.startswith("holds: ")
    (verdict_on,) = pc.verify(release, [pc.Promised()])
    assert not verdict_on.holds
    assert "whole strata" in verdict_on.not_shown
    apart = forged([0, 0, 0, 1, 1, 1, 2])
    (verdict_on,) = pc.verify(apart, pc.Promised(), truth=SEVEN, **ROLES)
    assert not verdict_on.holds
    with pytest.raises(AttackError, match="promises no bound"):
        pc.verify(pc.publish(SEVEN, pc.Incognito(model="k-anonymity=2"), **ROLES), pc.Promised(), truth=SEVEN, **ROLES)


def test_verify_says_what_no_model_of_groups_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pc.publish(SEVEN, METHOD, **ROLES).write(tmp_path / "out")
    assert main(["verify", str(tmp_path / "out"), "--require", "l-diversity=2"]) == 1
    assert "--require promised" in " ".join(capsys.readouterr().out.split())
    assert main(["verify", str(tmp_path / "out"), "--require", "k-anonymity=3"]) == 0
    assert "promised" not in capsys.readouterr().out


def test_a_recipe_that_makes_every_group_a_stratum_shows_nothing(tmp_path: Path) -> None:
    """Twelve people are one stratum; the recipe says that three are, and each group of three has one value."""
    frame = pl.DataFrame({"name": list("ABCDEFGHIJKL"), "age": range(12), "ill": list("aaabbbcccddd")})
    pc.publish(frame, pc.Strata(l=2, size=12), **ROLES).write(tmp_path / "out")
    told = json.loads((tmp_path / "out" / "recipe.json").read_text())
    told["parameters"]["size"] = 3
    (tmp_path / "out" / "recipe.json").write_text(json.dumps(told))
    groups = Grouping.from_labels(np.repeat(np.arange(4), 3).astype(np.int32))
    pc.Intervals().recode(pc.read(frame, **ROLES), groups)["data"].write_csv(tmp_path / "out" / "data.csv")
    report = pc.attack_all(tmp_path / "out", classic=False, adversaries=["nothing", "algorithm"])
    assert report.standing().standing is Standing.NOT_SHOWN


def test_of_a_release_alone_whose_strata_may_read_alike_nothing_is_shown(tmp_path: Path) -> None:
    """Strata aaab and abbb read as eight rows of which half have a, and whoever tells them apart believes 3/4."""
    ill = list("aaababbb")
    frame = pl.DataFrame({"name": list("ABCDEFGH"), "age": [20, 21, 22, 23, 60, 61, 62, 63], "ill": ill})
    pc.publish(frame, pc.Strata(l=2, size=4), recode="suppression", **ROLES).write(tmp_path / "out")
    report = pc.attack_all(tmp_path / "out", classic=False, adversaries=["nothing", "algorithm"])
    assert report.max_risk <= 1 / 2
    assert report.standing().standing is Standing.NOT_SHOWN


@pytest.mark.parametrize(("largest", "shown"), [(1, None), (12, True)])
def test_sets_that_are_not_listed_do_not_tell_strata_apart(largest: int, shown: bool | None) -> None:
    towns = ["Bari", "Genoa", "Lucca", "Milan", "Rome", "Siena", "Turin"]
    frame = SEVEN.with_columns(pl.Series("town", towns)).drop("age")
    roles = ROLES | {"quasi": ["town"]}
    release = pc.publish(frame, METHOD, recode=pc.Intervals(largest_set=largest), **roles)
    report = pc.attack_all(release, truth=frame, classic=False, adversaries=["algorithm"], **roles)
    assert report.standing().holds is shown


def test_no_order_of_rows_is_needed_to_cut_strata(tmp_path: Path) -> None:
    release = pc.publish(SEVEN, METHOD, **ROLES)
    release.write(tmp_path / "out")
    groups = release.private.labels.tolist()
    report = pc.attack_all(tmp_path / "out", truth=SEVEN, groups=groups, classic=False)  # without the identifier
    assert report.standing().holds


def survey(rows: int = 400) -> pl.DataFrame:
    """People whose illness depends on sex and age."""
    random = Random("survey")
    sexes, ages = random.choices("mf", k=rows), [random.randint(20, 80) for _ in range(rows)]
    ill = [
        random.choices("uvwxy", [5 + 3 * (sex == "m"), 3, 2, 1 + 4 * (age > 50), 1])[0]
        for sex, age in zip(sexes, ages, strict=True)
    ]
    return pl.DataFrame({"name": [f"p{row}" for row in range(rows)], "sex": sexes, "age": ages, "ill": ill})


SURVEYED = {"quasi": ["sex", "age"], "sensitive": "ill", "identifier": "name"}


def test_statistics_of_what_strata_fix_are_covered_and_judged() -> None:
    frame = survey()
    release = pc.publish(frame, pc.Strata(l=3, size=30, same=("sex",)), **SURVEYED)
    report = pc.attack_all(release, truth=frame, classic=False, adversaries=None, **SURVEYED)
    found = result_of(report)
    assert {one.name: (one.coverage, one.judged) for one in found.attackers if one.kind == "distribution"} == {
        "knows the distribution by sex": ("covered", True),
        "knows the distribution by age": ("outside", False),
        "knows the distribution by stratum": ("covered", True),
    }
    said = verdict_lines(found)[0]
    assert said.startswith("holds: none of the 4 attackers whom the promise of strata covers")
    assert "knows the distribution by sex, stratum" in said
    assert "Strata mix values of age, so that statistics by it are not covered." in said
    assert found.state() == "kept"
    assert found.state(["distribution"]) == "open"  # some of the kind are covered, and nobody was tried
    (by_sex,) = [one for one in report.attempts if one.name.endswith("by sex")]
    above = replace(by_sex.beliefs, risk=np.minimum(by_sex.beliefs.risk * 1.7, 1.0))
    wrong = replace(report, attempts=(replace(by_sex, beliefs=above),))
    assert wrong.standing().standing is Standing.FAILS
    assert result_of(wrong).broken
    without = replace(report, attempts=tuple(one for one in report.attempts if one is not by_sex))
    lost = replace(without, missed=(Missed(by_sex.name, "no time", kind="distribution", columns=("sex",)),))
    assert lost.standing().standing is Standing.NOT_SHOWN
    assert result_of(lost).state() == "open"


def test_a_column_that_strata_mix_is_not_covered_and_other_methods_cover_none() -> None:
    frame = survey()
    for method in (pc.Strata(l=2, size=300), pc.SoftCut(l=2)):
        release = pc.publish(frame, method, **SURVEYED)
        report = pc.attack_all(release, truth=frame, classic=False, **SURVEYED)
        covered = [one.name for one in result_of(report).of("covered")]
        assert "knows the distribution by sex" not in covered
        assert ("knows the distribution by stratum" in covered) == (method.name == "strata")


@pytest.mark.parametrize("knows", ["nothing", "algorithm"])
def test_statistics_of_strata_are_exact_inside_them(knows: Any) -> None:
    """Everybody of a stratum weighs the same, so each has the values of the group alike."""
    frame = survey()
    release = pc.publish(frame, pc.Strata(l=3, size=30, same=("sex",)), **SURVEYED)
    counted = pc.attack(release, pc.Adversary(), truth=frame, **SURVEYED)
    for prior in (pc.Distribution("sex"), pc.Distribution()):
        beliefs = pc.attack(release, pc.Adversary(knows=knows, prior=prior), truth=frame, **SURVEYED)
        assert beliefs.exactness is Exactness.EXACT
        assert beliefs.risk == pytest.approx(counted.risk)
    mixed = pc.attack(release, pc.Adversary(knows="algorithm", prior=pc.Distribution("age")), truth=frame, **SURVEYED)
    assert mixed.exactness is Exactness.UNKNOWN


def test_the_distribution_in_strata_is_measured_and_needs_strata() -> None:
    with pytest.raises(AttackError, match="leave probabilities out"):
        pc.Distribution((), {"m": {"u": 1}})
    frame = survey(60)
    release = pc.publish(frame, pc.SoftCut(l=2), **SURVEYED)
    with pytest.raises(AttackError, match="name columns"):
        pc.attack(release, pc.Adversary(prior=pc.Distribution()), truth=frame, **SURVEYED)


def test_facts_beside_the_statistics_of_strata_are_not_covered(tmp_path: Path) -> None:
    """Of A, B and C with aab, who knows that A has no b is sure that A has a; 2/3 is allowed."""
    out = tmp_path / "out"
    pc.publish(SEVEN, METHOD, **ROLES).write(out)
    knows = pc.Adversary(prior=pc.Distribution(), facts=[pc.Not("A", "b")])
    beliefs = pc.attack(out, knows, truth=SEVEN, identifier="name")
    assert beliefs.risk[0] == pytest.approx(1)
    assert beliefs.standing(2 / 3).holds is False
    fixed = frozenset([STRATUM])
    assert coverage("algorithm", knows, fixed) == "outside"
    assert coverage("algorithm", replace(knows, facts=()), fixed) == "covered"
    assert coverage("frequency", replace(knows, facts=()), fixed) == "outside"


def test_what_is_promised_of_strata_fails_nobody_by_itself(tmp_path: Path) -> None:
    """The bound is from above: it does not say that anybody is believed to have a value with so much."""
    out = tmp_path / "out"
    pc.publish(SEVEN, METHOD, **ROLES).write(out)
    beliefs = pc.attack(out, pc.Adversary(prior=pc.Distribution()), truth=SEVEN, identifier="name")
    assert beliefs.exactness is Exactness.BOUND
    assert [beliefs.standing(most).holds for most in (1 / 2, 3 / 4)] == [None, True]


def test_the_distribution_in_strata_is_tried_where_it_is_asked_for_and_can_be_measured() -> None:
    release = pc.publish(SEVEN, METHOD, **ROLES)
    given: dict[str, dict[str, Any]] = {"truth": {"truth": SEVEN}, "population": {"population": SEVEN.drop("ill")}}
    for asked, known, there in ((None, "truth", 1), (["algorithm"], "truth", 0), (None, "population", 0)):
        report = pc.attack_all(release, adversaries=asked, classic=False, **given[known], **ROLES)
        assert sum(one.name.endswith("by stratum") for one in report.attempts) == there


def test_strata_are_cut_again_only_where_all_that_steered_them_is_known() -> None:
    release = pc.publish(SEVEN, METHOD, **ROLES)
    evidence = gather(release, Roles(**ROLES), KnownPeople(truth=SEVEN)).evidence
    assert cut_again(evidence) is not None
    assert cut_again(replace(evidence, lacking=("give the schema",))) is None


def test_a_column_called_stratum_is_another_attacker() -> None:
    frame = survey().rename({"sex": "stratum"})
    roles = SURVEYED | {"quasi": ["stratum", "age"]}
    for method, covered in ((pc.Strata(l=3, size=300), False), (pc.Strata(l=3, size=30, same=("stratum",)), True)):
        release = pc.publish(frame, method, **roles)
        found = result_of(pc.attack_all(release, truth=frame, classic=False, adversaries=None, **roles))
        judged = {one.name: one.judged for one in found.attackers if one.kind == "distribution"}
        assert judged["knows the distribution by the column stratum"] == covered
        assert judged["knows the distribution by stratum"]


def test_what_strata_fix_of_a_carried_column_is_told() -> None:
    """Others may know it as well as a quasi-identifier, and no cut looks at it."""
    roles = SURVEYED | {"quasi": ["age"], "carry": ["sex"]}
    release = pc.publish(survey(), pc.Strata(l=3, size=150), **roles)
    told = {pin["column"]: pin["how"] for pin in release.recipe["strata"]["pins"]}
    assert told == {"sex": "mixed", "age": "range"}


def test_what_is_promised_is_asked_of_no_other_values(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    release = pc.publish(SEVEN, pc.Strata(l=2, size=3, values=["b"]), **ROLES)
    with pytest.raises(ModelError, match="leave values= out"):
        pc.verify(release, [pc.Promised()], truth=SEVEN, values=["a"], **ROLES)
    with pytest.raises(ModelError, match="promised has no parameter"):
        parse("promised=3")
    assert of({"name": "promised"}) == pc.Promised()
    release.write(tmp_path / "out")
    SEVEN.write_csv(tmp_path / "people.csv")
    asked = ["verify", str(tmp_path / "out"), "--truth", str(tmp_path / "people.csv"), "--identifier", "name"]
    assert main([*asked, "--require", "promised", "--values", "a"]) == 2
    assert "leave --values out" in capsys.readouterr().err


TEN = pl.DataFrame({"name": list("ABCDEFGHIJ"), "age": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "ill": list("abacadaeaf")})


def written(frame: pl.DataFrame, method: pc.Method, labels: list[int] | None, out: Path) -> Path:
    """A release of a method in which these groups stand instead of those that it made."""
    release = pc.publish(frame, method, **ROLES)
    release.write(out)
    if labels is not None:
        grouping = Grouping.from_labels(np.array(labels, np.int32))
        pc.Intervals().recode(pc.read(frame, **ROLES), grouping)["data"].write_csv(out / "data.csv")
    return out


def kept(out: Path, frame: pl.DataFrame, **more: Any) -> bool:
    (found,) = pc.verify(out, [pc.Promised()], truth=frame, identifier="name", **more)
    return found.holds


def test_a_value_is_allowed_its_own_share_and_not_that_of_another(tmp_path: Path) -> None:
    """A stratum of ten with a five times and five others once: 1/2 is allowed of a, and of b 1/3."""
    pairs = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    out = written(TEN, pc.Strata(l=3, size=10), pairs, tmp_path / "pairs")
    assert not kept(out, TEN)
    assert not kept(out, TEN, groups=pairs)
    assert kept(written(TEN, pc.Strata(l=3, size=10), None, tmp_path / "whole"), TEN)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({}, {"k": 5}),
        ({"inside": "none"}, {"l": 3}),
        ({}, {"inside": "none"}),
        ({"l": 3}, {"most": "0.35"}),
    ],
)
def test_what_a_recipe_says_and_no_such_method_makes_is_not_kept(
    made: dict[str, Any], said: dict[str, Any], tmp_path: Path
) -> None:
    """Groups of fewer than k rows, a divided stratum that is to be whole, a larger share than most allows."""
    frame = pl.DataFrame({"name": list("abcdefghij"), "age": list(range(10)), "ill": list("aabbcaabbc")})
    out = written(frame, pc.Strata(**{"l": 2, "size": 10} | made), None, tmp_path / "out")
    assert kept(out, frame)
    recipe = json.loads((out / "recipe.json").read_text())
    recipe["parameters"] |= said
    (out / "recipe.json").write_text(json.dumps(recipe))
    honest = made == {"inside": "none"}  # with l = 3 the stratum is whole as well
    assert kept(out, frame) is honest


def test_a_release_that_promises_nothing_keeps_no_promise(tmp_path: Path) -> None:
    for number, method in enumerate((pc.Strata(l=1, size=5), pc.SoftCut(l=1))):
        out = written(TEN, method, None, tmp_path / str(number))
        with pytest.raises(AttackError, match="promises no bound"):
            kept(out, TEN)


def test_texts_that_are_read_as_null_may_be_told_apart_by_who_knows_them() -> None:
    """Job is one value in every stratum as it is read, and the refused have another illness than the unknown."""
    job = ["refused"] * 6 + ["unknown"] * 6 + ["clerk"] * 12
    frame = pl.DataFrame({"name": [f"p{i:02}" for i in range(24)], "job": job, "ill": [*"aaaaaabbbbbb", *"ab" * 6]})
    column = pc.Column(role="quasi", kind="category", missing=["refused", "unknown"])
    roles = {"name": pc.Column(role="identifier"), "job": column, "ill": pc.Column(role="sensitive")}
    schema = pc.Schema(columns=roles)
    release = pc.publish(frame, pc.Strata(l=2, size=12), schema=schema)
    assert release.recipe["strata"]["pins"][0]["coarser"] is True
    assert "job" not in pc.attack_all(release, truth=frame, schema=schema, classic=False).fixed


def test_each_column_has_its_own_bound_also_with_k(tmp_path: Path) -> None:
    random = Random("own")
    frame = pl.DataFrame(
        {
            "name": [f"p{i:02}" for i in range(60)],
            "age": sorted(random.randint(1, 60) for _ in range(60)),
            "ill": [random.choice("abcdefg") for _ in range(60)],
            "drug": [random.choice("xyz") for _ in range(60)],
        }
    )
    roles: dict[str, Any] = {"quasi": ["age"], "identifier": "name"}
    method = pc.Strata(l={"ill": 3, "drug": 2}, size=15, k=4)
    release = pc.publish(frame, method, sensitive=["ill", "drug"], **roles)
    release.write(tmp_path / "out")
    found = {one.sensitive: one for one in pc.verify(tmp_path / "out", [pc.Promised()], truth=frame, identifier="name")}
    assert {column: one.required for column, one in found.items()} == {"ill": "1/3", "drug": "1/2"}
    assert all(one.holds for one in found.values())


def test_of_several_columns_each_is_asked_however_they_are_named() -> None:
    frame = SEVEN.with_columns(drug=pl.Series(list("xyxyxyx")))
    release = pc.publish(frame, METHOD, quasi="age", sensitive=["ill", "drug"], identifier="name")
    both = {"sensitive": ["ill", "drug"]}
    for named in ({}, {"quasi": ["age"]}, {"quasi": ["age"], **both}):
        found = pc.verify(release, [pc.Promised()], truth=frame, **named)
        assert [(one.sensitive, one.holds) for one in found] == [("ill", True), ("drug", True)]


def test_values_that_are_not_protected_raise_nobodys_bound() -> None:
    frame = SEVEN.with_columns(ill=pl.Series(list("bbbabbb")))
    report = report_of(frame, pc.Strata(l=2, size=3, values=["a"], k=1))
    assert report.own is not None
    assert report.own.tolist() == [0.5] * 7


def test_with_some_of_a_tables_people_strata_lie_elsewhere(tmp_path: Path) -> None:
    """Everybody is covered by some row, and not everybody was in the table."""
    pc.publish(SEVEN, METHOD, **ROLES).write(tmp_path / "out")
    for more, known in ((SEVEN.head(0), True), (SEVEN.head(1).with_columns(name=pl.lit("H")), False)):
        everybody = pl.concat([SEVEN, more]).drop("ill")
        gathered = gather(tmp_path / "out", Roles(identifier="name"), KnownPeople(None, everybody, None))
        assert (cut_again(gathered.evidence) is not None) is known


def test_groups_of_several_strata_show_nothing_of_statistics() -> None:
    mixed = forged([0, 0, 1, 1, 1, 1, 1])
    report = pc.attack_all(mixed, truth=SEVEN, classic=False, adversaries=["distribution"], **ROLES)
    assert not report.standing().holds


def test_publish_says_whose_bound_is_not_one_over_l_and_what_strata_mix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey().write_csv(tmp_path / "people.csv")
    asked = ["--quasi", "sex,age", "--sensitive", "ill", "--identifier", "name", "--out", str(tmp_path / "out")]
    made = ["publish", str(tmp_path / "people.csv"), *asked, "--method", "strata", "--l", "3", "--size", "150"]
    assert main([*made, "--same", "sex"]) == 0
    told = capsys.readouterr()
    said = " ".join(told.out.split())
    assert (
        "bound the bound is 1/3 for 0 of 400 people (0 %), and for 400 people in 2 strata the share of the value"
        in said
    )
    assert "warning: strata mix age: statistics by it are not covered; name it in --same, or coarsen it" in told.err
    assert main([*made, "--overwrite", "--json"]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert counted["bounds"][0].startswith("the bound is 1/3 for 0 of 400 people (0 %)")
    page = pc.report(tmp_path / "out", audience="public").html
    assert "By what reads as one group, the bound is 1/3 for 0 of 400 people (0 %)" in page


def test_what_reads_alike_is_counted_as_one_in_public() -> None:
    """Strata aab and aaab read as seven rows, 5 of them with a: nobody is told in public that one stratum has 3/4."""
    page = pc.report(pc.publish(SEVEN, METHOD, recode="suppression", **ROLES), audience="public", **ROLES).html
    assert "for 7 people in 1 stratum the share of the value there, up to 71 %" in page
    assert "75 %" not in page


ROUNDED: dict[str, dict[str, Any]] = {"rounded": {"round": 20}, "capped": {"cap": {"high": 20}}}


@pytest.mark.parametrize("how", ROUNDED)
def test_what_is_read_coarser_than_it_is_known_is_not_fixed(how: str) -> None:
    """Ages of 21 and 29 are one when they are rounded, and who knows them knows who is ill."""
    ages = [21, 21, 21, 29, 29, 29] * 2
    frame = pl.DataFrame({"name": list("abcdefghijkl"), "age": ages, "sex": ["m"] * 6 + ["f"] * 6})
    frame = frame.with_columns(ill=pl.Series(list("aaabbb") * 2))
    columns = {name: pc.Column(role="quasi") for name in ("age", "sex")} | {"ill": pc.Column(role="sensitive")}
    columns |= {"age": pc.Column(role="quasi", kind="number", **ROUNDED[how]), "name": pc.Column(role="identifier")}
    schema = pc.Schema(columns=columns)
    release = pc.publish(frame, pc.Strata(l=2, size=6), schema=schema)
    report = pc.attack_all(release, truth=frame, schema=schema, classic=False)
    assert "sex" in report.fixed
    assert "age" not in report.fixed
    (pin,) = [one for one in release.recipe["strata"]["pins"] if one["column"] == "age"]
    assert pin["coarser"] is True
    told = pc.report(release, audience="public").html
    assert "age, as it was read, the same" in told
    assert "An attacker who knows statistics by exact values of age inside strata is not covered." in told


def test_a_model_that_is_named_is_judged_by_its_own_bound() -> None:
    """1/4 is asked, and shares of strata allow no more of it."""
    frame = pl.DataFrame(
        {"name": list("abcdefghijkl"), "age": [*range(20, 26), *range(60, 66)], "ill": list("aabbcd") * 2}
    )
    for asked, holds in ((None, True), (pc.LDiversity(l=2), True), (pc.LDiversity(l=4), False)):
        report = report_of(frame, pc.Strata(l=2, size=6), model=asked)
        assert report.limit == Fraction(1, 2 if asked is None else asked.l)
        assert (report.own is None) == (asked is not None)
        assert report.standing().holds is holds
    for asked in (pc.LDiversity(l=3), pc.LDiversity(l=4)):
        assert report_of(SEVEN, METHOD, model=asked).standing().holds is False


@pytest.mark.parametrize("adversary", [pc.Adversary(), pc.Adversary(prior=pc.Distribution())])
def test_a_group_that_no_stratum_can_have_made_shows_nothing(adversary: pc.Adversary, tmp_path: Path) -> None:
    """Three rows of one value in a stratum that is to be divided: nobody who reads the release is said to be within."""
    frame = pl.DataFrame({"name": list("abcdefghi"), "age": [1, 1, 4, 1, 2, 3, 3, 4, 5], "ill": list("aaabcdefg")})
    out = tmp_path / "out"
    pc.publish(frame, pc.Strata(l=2, size=9), **ROLES).write(out)
    assert pc.attack(out, adversary, truth=frame, identifier="name").standing(1 / 2).holds is True
    forged = Grouping.from_labels(np.array([0] * 3 + [1] * 6, np.int32))
    pc.Intervals().recode(pc.read(frame, **ROLES), forged)["data"].write_csv(out / "data.csv")
    assert pc.attack(out, adversary, truth=frame, identifier="name").standing(1 / 2).holds is not True


def test_a_comparison_counts_the_values_that_the_schema_protects() -> None:
    """Of 'no', which nearly everybody has, nothing is promised, and no share of it is a bound."""
    columns = {"age": pc.Column(role="quasi"), "ill": pc.Column(role="sensitive", protect=["yes"])}
    frame = pl.DataFrame({"age": range(40), "ill": ["yes", "no", "no", "no", "no"] * 8})
    table = pc.read(frame, schema=pc.Schema(columns=columns))
    (cell,) = pc.compare(table, methods=[pc.Strata(l=3, size=10)], metrics=[pc.Perimeter()]).cells
    assert cell.own == (0, pytest.approx(1 / 3))
