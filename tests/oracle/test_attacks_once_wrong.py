"""Attacks that were wrong and called exact, one by one: the numbers are from all worlds, by hand or by the oracle."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from oracle.attacker import Attacker, Setting, content, every_world
from pellucid.risk.attack_all import attack_all
from pellucid.risk.exactness import Exactness
from pellucid.risk.verdict import verdict_of
from pellucid.risk.views import Evidence, PublishedFrom
from pellucid.risk.views.known_groups import evidence_of_groups
from pellucid.risk.views.reader_view import covering, may_be_several

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill", "identifier": "name"}


def people(ages: list[int], ill: list[str]) -> pl.DataFrame:
    names = ["Ann", "Bob", "Cid", "Dan", "Eva", "Fay", "Gus", "Hal"]
    return pl.DataFrame({"name": names[: len(ages)], "age": ages}).with_columns(ill=pl.Series(ill))


def oracle(table: pl.DataFrame, method: Any, recode: Any = None) -> list[dict[Any, Fraction]]:
    """What is believed of everybody by the release and the table's people."""
    setting = Setting(table.drop("ill"), "ill", ROLES, method, recode)
    made = pc.publish(table, method, recode=recode, **ROLES)
    attacker = Attacker(setting, list(every_world(table.height, [tuple(table["ill"].to_list())])))
    return attacker.alone[content(made)]


SUPPRESSED = people([20, 30, 30, 30, 30, 40, 50, 50], ["flu", "gout", "flu", "cold", "cold", "cold", "flu", "flu"])


@pytest.fixture
def suppressed(tmp_path: Path) -> tuple[pc.Release, Path]:
    release = pc.publish(SUPPRESSED, pc.GreedyGrouping(l=2), recode=pc.Suppression(), **ROLES)
    return release, release.write(tmp_path / "release")


def test_knowing_who_is_in_which_group_is_not_the_safe_side(suppressed: tuple[pc.Release, Path]) -> None:
    """12 of 16 worlds that publish this say flu of Eva and of Fay; whoever is told the groups believes 1/2 at most."""
    release, folder = suppressed
    so = oracle(SUPPRESSED, pc.GreedyGrouping(l=2), pc.Suppression())
    assert so[4]["flu"] == so[5]["flu"] == Fraction(3, 4)
    for source in (release, folder):
        beliefs = pc.attack(source, truth=SUPPRESSED, identifier="name", exact=True)
        assert beliefs.posterior("Eva", "flu") == beliefs.posterior("Fay", "flu") == Fraction(3, 4)
        assert beliefs.exactness is Exactness.EXACT
        assert verdict_of(beliefs, 1 / 2).holds is False
        assert any("not told who is in which group" in note for note in beliefs.notes)
        assert "not being told" in beliefs.explain("Eva")


def test_attack_and_verify_say_the_same_of_the_same_folder(suppressed: tuple[pc.Release, Path]) -> None:
    release, folder = suppressed
    for source in (release, folder):
        (verdict,) = pc.verify(source, [pc.TransparentLDiversity(l=2)], truth=SUPPRESSED, identifier="name")
        report = attack_all(source, truth=SUPPRESSED, identifier="name", adversaries=["algorithm"], classic=False)
        assert (verdict.holds, verdict.level) == (False, 1)
        assert report.keeps(1 / 2) is False
        assert report.max_risk == 0.75


def test_a_world_counts_once_and_not_once_per_partition() -> None:
    """Eve is in the population and not in the table; 8 worlds publish this, and Cid has flu in 4 of them."""
    population = pl.DataFrame({"name": ["Ann", "Bob", "Cid", "Dan", "Eve"], "age": [0, 0, 0, 1, 1]})
    table = population[:4].with_columns(ill=pl.Series(["flu", "gout", "flu", "cold"]))
    release = pc.publish(table, pc.Audited(l=2), **ROLES)
    beliefs = pc.attack(release, population=population, identifier="name", exact=True)
    setting = Setting(population, "ill", ROLES, pc.Audited(l=2))
    attacker = Attacker(setting, list(every_world(5, [tuple(table["ill"].to_list())])))
    so = attacker.alone[content(release)]
    assert so[2]["flu"] == beliefs.posterior("Cid", "flu") == Fraction(1, 2)
    for row, name in enumerate(population["name"]):
        for value in ("flu", "gout", "cold"):
            assert beliefs.posterior(name, value) == so[row].get(value, 0)


def test_groups_that_are_published_alike_are_not_read_as_one(tmp_path: Path) -> None:
    """Four people aged 30 with a, b, a, c: two groups or one read the same, and of 5 worlds 3 give the first an a."""
    table = people([30] * 4, ["a", "b", "a", "c"])
    release = pc.publish(table, pc.GreedyGrouping(l=2), **ROLES)
    folder = release.write(tmp_path / "release")
    so = oracle(table, pc.GreedyGrouping(l=2))
    most = max(max(one.values()) for one in so)
    assert most == Fraction(3, 5)
    for source, given in [
        (source, given)
        for source in (release, folder)
        for given in ({"truth": table}, {"population": table.drop("ill")})
    ]:
        beliefs = pc.attack(source, identifier="name", exact=True, **given)
        assert beliefs.max_risk == pytest.approx(0.6)
        assert beliefs.exactness is Exactness.EXACT


def test_where_the_other_view_is_out_of_reach_nothing_is_said_to_hold() -> None:
    """Forty people in overlapping boxes: relaxed cuts through equal values, and far too many worlds."""
    rows = 40
    table = pl.DataFrame(
        {
            "name": [f"p{row:02}" for row in range(rows)],
            "age": [row % 4 for row in range(rows)],
            "ill": ["abcd"[row * 7 // 3 % 4] for row in range(rows)],
        }
    )
    relaxed = pc.attack(
        pc.publish(table, pc.Mondrian(l=2), **ROLES), pc.Adversary(knows="algorithm"), truth=table, **ROLES
    )
    assert relaxed.at_most == 1.0
    assert verdict_of(relaxed, 0.99).holds is None or relaxed.max_risk > 0.99
    proved = pc.attack(
        pc.publish(table, pc.Tailor(l=2), **ROLES), pc.Adversary(knows="algorithm"), truth=table, **ROLES
    )
    assert proved.at_most == 0.5
    assert verdict_of(proved, 1 / 2).holds is True
    assert verdict_of(proved, 1 / 3).holds is not True
    facts = pc.Adversary(knows="algorithm", facts=[pc.Not("p00", "b")])
    known = pc.attack(pc.publish(table, pc.Tailor(l=2), **ROLES), facts, truth=table, **ROLES)
    assert known.at_most == 1.0  # nothing is proved of whoever knows somebody's value


def test_where_ranges_lie_apart_the_release_tells_who_is_in_which_group() -> None:
    table = people([20, 21, 30, 31, 40, 41, 50, 51], ["a", "b", "a", "b", "c", "a", "b", "c"])
    for strict in (False, True):
        release = pc.publish(table, pc.Mondrian(l=2, strict=strict), **ROLES)
        beliefs = pc.attack(release, pc.Adversary(knows="algorithm"), truth=table, **ROLES)
        assert beliefs.at_most is None
        assert not any("not told" in note for note in beliefs.notes)


def test_what_reads_as_one_group_may_be_several() -> None:
    """Ranges rule it out where one row alone reaches an end, or where cuts lie between values; stars do not."""
    alone = people([20, 21, 30, 31], ["a", "b", "a", "c"])
    twice = people([20, 20, 31, 31], ["a", "b", "a", "c"])
    for table, recode, strict, open_ in [
        (alone, pc.Intervals(), False, False),
        (twice, pc.Intervals(), False, True),
        (twice, pc.Intervals(), True, False),
        (alone, pc.Suppression(), False, True),
        (twice, pc.Suppression(), True, True),
    ]:
        assert may_be_several(one_class(table, recode, strict)) is open_


def test_strict_cuts_may_share_a_node() -> None:
    towns = pc.Column(role="quasi", taxonomy={"tree": {"*": {"north": ["oslo", "riga"], "south": ["rome", "nice"]}}})
    schema = pc.Schema(columns={"name": pc.Column(role="identifier"), "age": towns, "ill": pc.Column(role="sensitive")})
    table = people([0] * 4, ["a", "b", "a", "b"]).with_columns(age=pl.Series(["oslo", "rome", "riga", "nice"]))
    assert may_be_several(one_class(table, pc.Intervals(), strict=True, schema=schema))


def one_class(table: pl.DataFrame, recode: Any, strict: bool, **reading: Any) -> Evidence:
    """Everybody in one class, as it is read."""
    read = pc.read(table, **(reading or ROLES))
    evidence = evidence_of_groups(read, [0] * len(read), method=pc.Mondrian(l=2, strict=strict))
    return replace(evidence, origin=PublishedFrom(recoder=recode))


def test_without_an_identifier_every_order_of_rows_counts() -> None:
    """Coins put one of the two aged 30 to the left of the cut: whichever it was, both are believed to have the same."""
    roles = {"quasi": ["age"], "sensitive": "ill"}
    table = people([20, 30, 30, 40], ["a", "b", "c", "a"])
    release = pc.publish(table.drop("name"), pc.Mondrian(l=2, retry=False), **roles)
    assert len(release.private.grouping) == 2
    beliefs = pc.attack(release, population=table.drop("name", "ill"), exact=True)
    assert beliefs.exactness is Exactness.EXACT
    for value in "abc":
        assert beliefs.posterior(1, value) == beliefs.posterior(2, value) > 0


def test_nothing_is_tried_where_somebody_is_suppressed() -> None:
    """Whoever is suppressed may have any value, so that worlds cannot be listed."""
    table = people([20, 20, 20, 20, 20, 20], ["a", "b", "a", "b", "a", "a"])
    with pytest.raises(pc.PellucidError):
        pc.publish(table, pc.GreedyGrouping(l=2), **ROLES)
    table = people([20] * 5, ["a", "b", "a", "b", "c"])
    release = pc.publish(table, pc.GreedyGrouping(l=2), **ROLES)
    assert release.recipe["suppressed"] == 1
    with pytest.raises(pc.AttackError):
        pc.attack(release, population=table.drop("ill"), identifier="name")


def test_a_star_stands_for_everybody_and_a_range_for_whoever_is_in_it() -> None:
    table = pc.read(people([20, 25, 30, 40], ["a", "b", "a", "c"]), **ROLES)
    evidence = evidence_of_groups(table, [0, 1, 0, 1], method=pc.Mondrian(l=2))
    for recode, whom in [(pc.Suppression(), [0, 1, 2, 3]), (pc.Intervals(), [0, 1, 2])]:
        first, _ = covering(replace(evidence, origin=PublishedFrom(recoder=recode)))
        assert first.nonzero()[0].tolist() == whom


def test_groups_that_anybody_can_make_tell_more_to_whoever_knows_a_fact() -> None:
    """Both groups read as a star: three of four people may be the one with b, and Ann is not."""
    table = people([0, 1, 2, 3], ["a", "a", "b", "a"])
    release = pc.publish(table, pc.Mondrian(k=2), recode=pc.Suppression(), **ROLES)
    known = pc.Adversary(knows="algorithm", facts=[pc.Not("Ann", "b")])
    assert pc.attack(release, known, truth=table, exact=True, **ROLES).posterior("Dan", "a") == Fraction(2, 3)
    without = pc.attack(release, pc.Adversary(knows="algorithm"), truth=table, exact=True, **ROLES)
    assert without.posterior("Dan", "a") == Fraction(3, 4)


def test_a_walk_reaches_worlds_that_small_moves_do_not() -> None:
    """Whoever is in no group has the same value as the other: changed one at a time, the walk would never move."""
    table = pl.DataFrame({"age": range(6), "ill": ["a", "b", "a", "b", "a", "a"]})

    def alike(frame: pl.DataFrame) -> pl.DataFrame:
        first, second = frame["ill"][4:]
        return pl.DataFrame({"alike": [first == second]})

    told: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "groups": [0, 0, 1, 1, -1, -1]}
    beliefs = pc.attack_anonymizer(alike, table, steps=2_000, worlds_budget=0, **told)
    assert beliefs.exactness is Exactness.SAMPLED
    for row in (4, 5):
        assert beliefs.lower is not None
        assert beliefs.upper is not None
        assert beliefs.lower[row] <= 1 / 2 <= beliefs.upper[row]
    assert verdict_of(beliefs, 1 / 2).holds is None  # that is so; and a sample never shows that it holds
    assert verdict_of(beliefs, 2 / 5).holds is False


def test_what_coins_decide_is_never_certain_by_a_sample() -> None:
    """How likely the release is in a world is estimated too, so that worlds drawn at random are no fair sample."""
    table = pl.DataFrame({"age": range(4), "ill": ["a", "a", "a", "b"]})
    told: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "randomised": True, "runs": 2, "steps": 200}
    beliefs = pc.attack_anonymizer(lambda frame: frame.select("age"), table, **told)
    assert beliefs.max_risk > 0.6
    assert beliefs.surely is not None
    assert not beliefs.surely.any()
    assert verdict_of(beliefs, 0.3).holds is None


def test_a_file_does_not_tell_that_nobody_is_suppressed() -> None:
    """Five people who look alike, three of them published: who is in no group is known to whoever has the table."""
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill"}
    table = people([0] * 5, ["c", "b", "a", "d", "b"])
    method = pc.GreedyGrouping(model=pc.KAnonymity(k=3))
    release = pc.publish(table, method, recode=pc.Anatomy(), identifier="name", **roles)
    assert release.recipe["suppressed"] == 2
    frames = dict(release.public.frames)
    known = pc.attack(frames, made_by=method, truth=table, identifier="name", exact=True, **roles)
    assert known.exactness is Exactness.BOUND  # of the two who are in no group nothing is claimed
    assert [known.posterior(name, "a") for name in ("Ann", "Bob", "Cid")] == [Fraction(1, 3)] * 3
    more = pc.attack(frames, made_by=method, population=table.drop("ill"), identifier="name", **roles)
    assert more.exactness is not Exactness.EXACT
    assert verdict_of(more, 1 / 4).holds is not True
