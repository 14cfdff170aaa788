"""Several sensitive values asked about as one: whether somebody has one or another of them, by all worlds."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import polars as pl
import pytest

import pellucid as pc
from oracle.attacker import Attacker, Setting, World, content, every_world, in_population, partition
from oracle.attacker import Published as Made

ROLES = {"quasi": "q", "sensitive": "ill", "identifier": "name"}

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")


def methods_of(random: Random) -> list[pc.anonymize.method.Method]:
    some = tuple(random.choice([*combinations("abc", 2)]))
    return [
        pc.Tailor(l=2),
        pc.Mondrian(l=2),
        pc.GreedyGrouping(l=2),
        pc.GreedyGrouping(l=2, binary=some),
        pc.SymmetricGrouping(l=2, binary=some),
        pc.Tailor(model=pc.LDiversity(l=2, sensitive=some, together=True)),
        pc.AlphaK(alpha="1/2", k=2, sensitive=some),
    ]


def test_what_is_said_of_a_set_is_what_all_worlds_say(thorough: bool) -> None:
    tried = stood = 0
    for seed in range(2_000 if thorough else 120):
        random = Random(f"as one {seed}")
        method = random.choice(methods_of(random))
        rows = random.choice([4, 5, 6])
        values = tuple(random.choice("abcd") for _ in range(rows))
        people = pl.DataFrame({"name": list("pqrstu")[:rows], "q": [random.randint(0, 3) for _ in range(rows)]})
        setting = Setting(people, "ill", ROLES, method)
        truth = World(tuple(range(rows)), values)
        try:
            release = setting.publish(truth)
        except pc.PellucidError:
            continue
        worlds = Attacker(setting, list(every_world(rows, [values])))
        labels = release.private.labels.tolist()
        if min(labels) < 0 or len(set(values)) < 2:
            continue
        groups = in_population(partition([[r for r in range(rows) if labels[r] == g] for g in set(labels)]), truth)
        told = Made(content(release), groups).told(truth)
        some = tuple(random.sample(sorted(set(values)), 2))
        views = [worlds.told[told], worlds.alone[content(release)]]
        most = max(sum((p for v, p in one.items() if v in some), Fraction(0)) for view in views for one in view)
        for l in (1, 2, 3):
            (verdict,) = pc.verify(
                release,
                [pc.TransparentLDiversity(l=l)],
                truth=setting.frame(truth),
                values=some,
                together=True,
                **ROLES,
            )
            tried += 1
            if verdict.not_shown:
                continue
            stood += 1
            assert verdict.holds == (most * l <= 1), (seed, method, values, some, most, verdict)
    assert stood > tried / 2 > 30


def test_the_good_table_of_wong_is_good() -> None:
    """[W] table 1(a): with HIV alone protected it withstands, though ``ns`` is in four of five rows of q2."""
    ill = ["HIV", "ns", "HIV", "ns", "ns", "ns", "ns"]
    table = pl.DataFrame({"name": list("abcdefg"), "q": ["q1"] * 2 + ["q2"] * 5, "ill": ill})
    for method in (pc.AlphaK(alpha="1/2", k=1, sensitive=("HIV",)), pc.Mask(k=2, l=2, sensitive=("HIV",))):
        release = pc.publish(table, method, **ROLES)
        for asked in (
            {"truth": table},
            {"population": table},
            {"adversaries": ["nothing", "minimality"], "truth": table},
        ):
            report = pc.attack_all(release, **asked, **ROLES)
            masked = method.name == "mask" and "truth" in asked and "adversaries" not in asked
            assert (report.standing(1 / 2).standing.value == "FAILS") is masked, method  # 5/8 of who knows Mask
    release = pc.publish(table, pc.AlphaK(alpha="1/2", k=1, sensitive=("HIV",)), **ROLES)
    report = pc.attack_all(release, truth=table, adversaries=["nothing", "minimality", "algorithm"], **ROLES)
    assert (report.limit, report.max_risk, report.standing().holds) == (Fraction(1, 2), 0.5, True)
    (verdict,) = pc.verify(release, [pc.MConfidentiality(m=2)], truth=table, **ROLES)
    assert (verdict.holds, verdict.level) == (True, 2)
    (level,) = [one for one in pc.levels(release, quasi="q", sensitive="ill") if one.model == "l-diversity"]
    assert level.level == 2


def test_what_tailor_proves_of_some_values_is_about_these() -> None:
    ill = ["HIV", "ns", "HIV", "ns", "ns", "ns", "ns"]
    table = pl.DataFrame({"name": list("abcdefg"), "q": ["q1"] * 2 + ["q2"] * 5, "ill": ill})
    release = pc.publish(table, pc.Tailor(model=pc.LDiversity(l=2, sensitive=("HIV",))), **ROLES)
    assert pc.attack_all(release, truth=table, **ROLES).standing(1 / 2).holds
    (own,) = pc.verify(release, [pc.TransparentLDiversity(l=2)], truth=table, **ROLES)
    (other,) = pc.verify(release, [pc.TransparentLDiversity(l=2)], truth=table, values=["ns"], **ROLES)
    assert (own.holds, other.holds) == (True, False)


def test_being_in_a_table_is_protected_as_a_value_of_the_population() -> None:
    """Delta-presence by Tailor: the population is the table, membership its sensitive column."""
    random = Random(5)
    people = pl.DataFrame({"name": range(60), "q": [random.randint(0, 30) for _ in range(60)]})
    people = people.with_columns(ill=pl.Series(random.choices(["in", "out"], [1, 4], k=60)))
    model = pc.LDiversity(l=2, sensitive=("in",))
    release = pc.publish(people, pc.Tailor(model=model), **ROLES)
    shares = people.with_columns(g=release.private.labels).group_by("g").agg(p=(pl.col("ill") == "in").mean())
    assert release.private.labels.max() > 0
    assert float(shares["p"].max()) <= 0.5  # type: ignore[arg-type]
    (verdict,) = pc.verify(release, [pc.TransparentLDiversity(l=2)], truth=people, **ROLES)
    assert verdict.holds
    members = people.filter(pl.col("ill") == "in")
    published = release.frame.filter(pl.col("ill") == "in").select("q")
    (level,) = pc.verify(published, [pc.DeltaPresence(low=0, high="1/2")], population=people.select("q"), quasi="q")
    assert (level.holds, len(published)) == (True, len(members))
