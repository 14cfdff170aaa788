"""Methods that withstand an argument from minimality fall to somebody who knows them: the enumeration finds it.

Mask and SpuriousRecords publish what is not true, so a world here is any way to hand out values, and a release is what
each group of people is said to have. OptGen is the usual example that the best release is not the safest, and Injector
finds its rules in the values that it protects.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from oracle.methods import certainly, groups_of_labels
from oracle.worlds import PUBLICATIONS, Population, Rows, World, beliefs, worlds
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from pellucid.errors import AttackError
from pellucid.risk import Beliefs
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference import by_disguise as by_disguise_module
from pellucid.risk.inference.by_disguise import by_disguise
from pellucid.risk.inference.by_membership_chance import NoLaw
from pellucid.risk.views.known_groups import evidence_of_groups
from plain import disguise, injector
from plain.tables import line, secret, table_of

Release = tuple[tuple[int, ...], ...]  # what each group is said to have, sorted
Law = Callable[[tuple[int, ...]], dict[Release, Fraction]]


def posterior(possible: Iterable[tuple[int, ...]], law: Law) -> dict[Release, dict[tuple[int, int], Fraction]]:
    """For each release the belief about every (person, value); all worlds are equally likely before it."""
    weight: dict[Release, Fraction] = defaultdict(Fraction)
    having: dict[Release, dict[tuple[int, int], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for world in possible:
        for release, chance in law(world).items():
            weight[release] += chance
            for person, value in enumerate(world):
                having[release][person, value] += chance
    return {release: {fact: p / weight[release] for fact, p in facts.items()} for release, facts in having.items()}


def said(groups: Rows, values: tuple[int, ...]) -> Release:
    return tuple(tuple(sorted(values[row] for row in group)) for group in groups)


DYSPEPSIA, FLU = 0, 1
AGES = [21, 27, 32, 32, 54, 60, 60]  # Ann, Bob, Cate, Don, Ed, Fred, Gill
THREE: Rows = ((0, 1), (2, 3), (4, 5, 6))


def test_the_k_anonymous_groups_do_not_depend_on_who_has_what() -> None:
    for world in product((DYSPEPSIA, FLU), repeat=7):
        table = table_of([line("age", AGES), secret("disease", world)], range(7))
        assert groups_of_labels(pc.Mondrian(k=2).group(table, Coins.from_seed(0)).labels.tolist()) == [
            list(group) for group in THREE
        ]


@pytest.mark.parametrize(("rule", "belief"), [("all", Fraction(7, 12)), ("highest", Fraction(5, 8))])
def test_mask_gives_ann_away(rule: str, belief: Fraction) -> None:
    """Ann and Bob are said to have dyspepsia and flu, and at l = 2 that is not what is learned."""

    def law(world: tuple[int, ...]) -> dict[Release, Fraction]:
        found: dict[Release, Fraction] = defaultdict(Fraction)
        for values, chance in disguise.mask_law(THREE, world, {DYSPEPSIA}, 2, rule).items():
            found[said(THREE, values)] += chance
        return found

    release = ((DYSPEPSIA, FLU), (DYSPEPSIA, FLU), (FLU, FLU, FLU))
    facts = posterior(product((DYSPEPSIA, FLU), repeat=7), law)[release]
    assert facts[0, DYSPEPSIA] == belief
    assert Fraction(Counter(release[0])[DYSPEPSIA], 2) == Fraction(1, 2)  # what is read off without the method


ALGORITHM = pc.Adversary(knows="algorithm")


def beliefs_of(
    table: Table, published: list[int], groups: Rows, method: pc.Mask, adversary: pc.Adversary = ALGORITHM
) -> Beliefs:
    """What the package says of these groups, published with these values."""
    labels = np.array(
        [next(g for g, group in enumerate(groups) if row in group) for row in range(len(table))], np.int32
    )
    shown = replace(table, codes=(*table.codes[:-1], np.array(published, np.int32)))
    evidence = evidence_of_groups(shown, labels.tolist(), method=method)
    return by_disguise(evidence, adversary, exact=True)


def facts_of(groups: Rows, ours: set[int], method: pc.Mask) -> dict[Release, dict[tuple[int, int], Fraction]]:
    """What is believed of each release, of every table of three values."""

    def law(world: tuple[int, ...]) -> dict[Release, Fraction]:
        found: dict[Release, Fraction] = defaultdict(Fraction)
        for values, chance in disguise.mask_law(groups, world, ours, method.l, method.donors).items():
            found[said(groups, values)] += chance
        return found

    return posterior(product(range(3), repeat=sum(map(len, groups))), law)


def published(groups: Rows, release: Release, method: pc.Mask) -> Beliefs:
    """What the package says of this release."""
    n = sum(map(len, groups))
    table = table_of([line("age", range(n)), secret("s", [0, 1, 2, *[0] * (n - 3)])], range(n))
    shown = {
        row: value
        for group, values in zip(groups, release, strict=True)
        for row, value in zip(group, values, strict=True)
    }
    return beliefs_of(table, [shown[row] for row in range(n)], groups, method)


@pytest.mark.parametrize("seed", range(40))
def test_beliefs_about_masked_groups_are_those_of_every_table(seed: int) -> None:
    """Every table, and every way in which Mask replaces its values: three groups, one or two protected values."""
    random = Random(f"masked {seed}")
    pairs, threes, mixed = ((0, 1), (2, 3), (4, 5)), ((0, 1, 2), (3, 4, 5)), ((0, 1, 2), (3, 4), (5,))
    groups, l = random.choice([(THREE, 2), (mixed, 2), (pairs, 2), (threes, 3)])
    ours, rule = {0, 1} if random.random() < 0.4 else {0}, random.choice(["highest", "all"])
    method = pc.Mask(k=1, l=l, sensitive=[f"s {code}" for code in ours], donors=rule)
    facts = facts_of(groups, ours, method)
    release = random.choice([one for one in sorted(facts) if {v for group in one for v in group} == {0, 1, 2}])
    found = published(groups, release, method)
    for row, code in product(range(sum(map(len, groups))), range(3)):
        assert found.posterior(row, f"s {code}") == facts[release].get((row, code), 0)


@pytest.mark.parametrize("rule", ["highest", "all"])
@pytest.mark.parametrize("groups", [((0, 1, 2), (3, 4)), ((0, 1, 2, 3), (4, 5))])
def test_several_different_values_may_be_new_in_a_group(rule: Any, groups: Rows) -> None:
    """Every release in which a group shows both values that may be new: they may go to its rows in several orders."""
    method = pc.Mask(k=1, l=2, sensitive="s 0", donors=rule)
    several = {
        release: of_release
        for release, of_release in facts_of(groups, {0}, method).items()
        if {0, 1, 2} <= set(release[0]) and max(len(set(group) - {0}) for group in release) == 2
    }
    assert len(several) >= 5
    for release, of_release in several.items():
        found = published(groups, release, method)
        for row, code in product(range(sum(map(len, groups))), range(3)):
            assert found.posterior(row, f"s {code}") == of_release.get((row, code), 0)


def test_truths_are_counted_as_they_are_listed() -> None:
    counted = 0
    for shown in product(range(4), repeat=4):
        for ours, l in product([frozenset({0}), frozenset({0, 1}), frozenset({1, 2, 3})], [1, 2, 3]):
            assert by_disguise_module._how_many(shown, ours, l) == len(list(by_disguise_module._truths(shown, ours, l)))
            counted += 1
    assert counted == 256 * 9


def test_what_mask_replaced_is_not_counted_where_that_is_not_known_to_be_all() -> None:
    """A protected value that nobody is published with may have been replaced everywhere, by how many nobody knows."""
    method = pc.Mask(k=1, l=2, sensitive=["s 0", "s 1"])
    with pytest.raises(NoLaw, match="in which each value of the set is published"):
        published(((0, 1, 2), (3, 4)), ((0, 2, 2), (0, 2)), method)
    assert published(((0, 1, 2), (3, 4)), ((0, 2, 2), (1, 2)), method).exactness is Exactness.EXACT


def test_what_mask_replaced_is_not_counted_of_whoever_knows_more_than_the_groups() -> None:
    table = table_of([line("age", range(5)), secret("s", [0, 1, 2, 0, 1])], range(5))
    method, groups = pc.Mask(k=1, l=2, sensitive="s 0"), ((0, 1, 2), (3, 4))
    knowing = pc.Adversary(knows="algorithm", facts=[pc.Not(0, "s 0")])
    with pytest.raises(NoLaw, match="without facts"):
        beliefs_of(table, [0, 1, 2, 0, 1], groups, method, knowing)
    assert beliefs_of(table, [0, 1, 2, 0, 1], groups, method).exactness is Exactness.EXACT


def test_too_many_truths_are_refused_before_any_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one group (9 of each of 8 values), the ways to look for them, or of all: 60 pairs have two or more each."""

    def listed(*_: object) -> None:
        pytest.fail("truths are listed although they are too many")

    monkeypatch.setattr(by_disguise_module, "_truths", listed)
    for codes, size, l in ((list(range(8)) * 9, 72, 2), (list(range(8)) * 9, 72, 1), ([0, 1] * 60, 2, 2)):
        table = table_of([line("age", range(len(codes))), secret("s", codes)], range(len(codes)))
        groups = tuple(tuple(range(a, a + size)) for a in range(0, len(codes), size))
        with pytest.raises(NoLaw, match="up to 100,000 are tried"):
            beliefs_of(table, codes, groups, pc.Mask(k=2, l=l, sensitive="s 0"))


@pytest.mark.parametrize(("rule", "belief"), [("all", Fraction(7, 12)), ("highest", Fraction(5, 8))])
def test_an_attack_on_mask_says_what_is_proved_of_ann_whatever_is_true(rule: Any, belief: Fraction) -> None:
    """Errata 2 and 18. Of tables that are published alike the figures are the same: the truth is not asked."""
    names = ["Ann", "Bob", "Cate", "Don", "Ed", "Fred", "Gill"]
    method = pc.Mask(k=2, l=2, sensitive="dyspepsia", donors=rule)
    asked: dict[str, Any] = {"quasi": "age", "sensitive": "disease", "identifier": "name"}
    seen = 0
    for world in ([*"ddd", *"ffff"], [*"df", *"df", *"fff"], [*"dfd", *"ffff"], [*"df", *"dd", *"fff"]):
        people = pl.DataFrame(
            {"name": names, "age": AGES, "disease": [{"d": "dyspepsia", "f": "flu"}[v] for v in world]}
        )
        for _ in range(20):
            with pytest.warns(pc.InformedAttackerWarning):
                release = pc.publish(people, method, **asked)
            if sorted(release.frame.rows()) == sorted(
                zip(
                    ["[21, 27]", "[21, 27]", "32", "32", *["[54, 60]"] * 3],
                    ["dyspepsia", "flu"] * 2 + ["flu"] * 3,
                    strict=True,
                )
            ):
                found = pc.attack(release, pc.Adversary(knows="algorithm"), truth=people, exact=True, **asked)
                assert [found.posterior(name, "dyspepsia") for name in names] == [belief] * 4 + [0] * 3
                assert pc.attack_all(release, truth=people, **asked).standing(0.5).holds is False
                seen += 1
                break
    assert seen == 4


@pytest.mark.parametrize("method", [pc.Mask(k=2, l=2, each=True), pc.SpuriousRecords(k=2, l=2)], ids=["mask", "added"])
def test_without_a_recipe_the_truth_decides_no_figure_of_a_method_that_distorts(method: Any) -> None:
    """Who walks from the true table tells what is true: 21/40 where Ann has dyspepsia as published, else up to 1."""
    frame = pl.DataFrame({"age": ["[21, 27]"] * 2 + ["32"] * 2 + ["[54, 60]"] * 3, "disease": [*"dfdffff"]})
    for world in ("dfdffff", "dddffff", "ddfffff", "ddffffd"):
        truth = pl.DataFrame({"name": range(7), "age": AGES, "disease": [*world]})
        schema = pc.read(truth, quasi="age", sensitive="disease", identifier="name").schema
        made: dict[str, Any] = {"made_by": method, "schema": schema, "truth": truth}
        with pytest.raises(NoLaw, match="may publish what is not true"):
            pc.attack(frame, ALGORITHM, **made)
        with pytest.raises(AttackError, match="may change values or add records"):
            pc.attack(frame, ALGORITHM, groups=[0, 0, 1, 1, 2, 2, 2], **made)


def test_mask_that_publishes_the_release_of_the_example_exists() -> None:
    """The package makes the very release of the enumeration from the table of the example."""
    table = table_of([line("age", AGES), secret("disease", [0, 0, 0, 1, 1, 1, 1])], range(7))
    found = pc.Mask(k=2, l=2, sensitive="disease 0").group(table, Coins.from_seed(1))
    assert found.sensitive is not None
    assert said(THREE, tuple(found.sensitive.tolist())) == ((0, 1), (0, 1), (1, 1, 1))


@pytest.mark.parametrize("less", [False, True])
def test_spurious_records_leave_no_doubt_about_a_repeated_value(less: bool) -> None:
    """Two people, records of whom two have one value: the two are known to have it.

    So it is where each value is to have less than one record in l, as the thesis prints it: one record more.
    """
    groups: Rows = ((0, 1), (2, 3, 4))
    found = posterior(product(range(4), repeat=5), lambda world: disguise.spurious_law(groups, world, 2, less=less))
    certain = 0
    for release, facts in found.items():
        for people, records in zip(groups, release, strict=True):
            value, count = Counter(records).most_common(1)[0]
            assert count * 2 + less <= len(records)  # 2-diverse to everybody who does not know the method
            if count == len(people) == 2:
                assert all(facts[person, value] == 1 for person in people)
                certain += 1
    assert certain >= 4  # one for each of four values


def test_spurious_records_of_the_package_are_the_release_of_the_enumeration() -> None:
    table = table_of([line("age", [1, 2, 8, 9]), secret("s", [0, 0, 1, 2])], range(4))
    found = pc.SpuriousRecords(k=2, l=2).group(table, Coins.from_seed(1))
    assert found.added is not None
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert sorted(zip(found.added[0].tolist(), found.added[1].tolist(), strict=True)) == [(0, 1), (0, 2)]


PATIENTS = {
    "Ann": "dyspepsia",
    "Bob": "flu",
    "Cate": "gastritis",
    "Don": "bronchitis",
    "Ed": "gastritis",
    "Fred": "flu",
    "Gill": "dyspepsia",
    "Hera": "diabetes",
}


def test_opt_gen_gives_ed_away() -> None:
    """All tables of eight of the nine voters that could be published like this; the ninth is in nobody's box."""
    voters = pc.datasets.voters().rows()
    names = [name for name, _, _ in voters]
    population = Population(tuple((age, zipcode) for _, age, zipcode in voters), tuple(range(9)))
    diseases = sorted(set(PATIENTS.values()))
    truth = World(
        tuple(names.index(name) for name in PATIENTS), tuple(diseases.index(disease) for disease in PATIENTS.values())
    )

    def opt_gen(world: World) -> dict[Rows, Fraction]:
        found = pc.OptGen(l=2).group(population.table(world), Coins.from_seed(0))
        return certainly(groups_of_labels(found.labels.tolist()))

    publication = PUBLICATIONS["intervals"]
    (groups,) = opt_gen(truth)
    assert groups == ((0, 1), (2, 3), (4, 5, 6, 7))
    release = publication(population, truth, groups)
    boxes = {box for box, _ in release}  # type: ignore[attr-defined]

    def box_of(person: int) -> tuple[tuple[int, int], ...] | None:
        inside = [
            box for box in boxes if all(a <= x <= b for x, (a, b) in zip(population.vectors[person], box, strict=True))
        ]
        return inside[0] if inside else None

    place = [box_of(person) for person in range(9)]
    shown = Counter(release)  # type: ignore[arg-type]
    possible = [
        world
        for world in worlds(9, truth.values)
        if Counter((place[person], value) for person, value in zip(world.members, world.values, strict=True)) == shown
    ]
    assert len(possible) == 2 * 2 * 24
    facts = beliefs(population, possible, opt_gen, publication)[release]

    def belief(name: str, disease: str) -> Fraction:
        return facts.get((names.index(name), diseases.index(disease)), Fraction(0))

    assert belief("Ed", "gastritis") == 1
    assert belief("Ann", "flu") == belief("Ann", "dyspepsia") == Fraction(1, 2)
    assert belief("Fred", "flu") == Fraction(1, 3)
    assert all(belief("Bruce", disease) == 0 for disease in diseases)


def test_opt_gen_publishes_the_table_of_the_example() -> None:
    frame = (
        pc.datasets.patients()
        .drop("disease")
        .join(pl.DataFrame({"name": list(PATIENTS), "disease": list(PATIENTS.values())}), on="name")
    )
    with pytest.warns(pc.InformedAttackerWarning, match="minimality attack"):
        release = pc.publish(frame, pc.OptGen(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    assert release.frame["age"].to_list() == ["[21, 27]"] * 2 + ["32"] * 2 + ["[54, 60]"] * 4
    assert np.bincount(release.private.labels).tolist() == [2, 2, 4]
    asked: dict[str, Any] = {"population": pc.datasets.voters(), "quasi": ["age", "zipcode"], "identifier": "name"}
    for knows, belief in (("minimality", Fraction(1, 4)), ("algorithm", 1)):  # examples 3 and 2
        found = pc.attack(release, pc.Adversary(knows=knows), sensitive="disease", **asked)
        assert found.posterior("Ed", "gastritis") == belief
        assert found.posterior("Ed", "flu") == (belief if knows == "minimality" else 0)


def test_injector_gives_away_whoever_would_have_made_a_rule() -> None:
    """One woman among three men, mixed with a man: had she the value that nobody else has, a rule would forbid it."""
    sexes = [(1,), (1,), (0,), (1,)]

    def law(world: tuple[int, ...]) -> dict[Release, Fraction]:
        found: dict[Release, Fraction] = defaultdict(Fraction)
        never = injector.excluded(sexes, world, Fraction(1, 2), 1)
        if max(Counter(world).values()) * 2 > 4 or not injector.deal(world, never, 2, range(4)):
            return found  # infeasible
        for labels, chance in injector.law(world, never, 2).items():
            rows = tuple(sorted(tuple(row for row in range(4) if labels[row] == g) for g in range(max(labels) + 1)))
            found[tuple((*group, -1, *sorted(world[row] for row in group)) for group in rows)] += chance
        return found

    facts = posterior(product(range(3), repeat=4), law)[(0, 3, -1, 1, 2), (1, 2, -1, 0, 2)]
    assert facts[2, 2] == 1
    assert Fraction([0, 2].count(2), 2) == Fraction(1, 2)  # what is read off without the method
    table = table_of([line("sex", [1, 1, 0, 1]), secret("s", [1, 0, 2, 2])], range(4))
    outcomes = {
        tuple(pc.Injector(l=2, expectation=0.5, size=1).group(table, Coins.from_seed(seed)).labels.tolist())
        for seed in range(40)
    }
    assert outcomes & {(0, 1, 1, 0), (1, 0, 0, 1)}  # the package makes this very release


@pytest.mark.parametrize(
    "method",
    [
        pc.Mask(k=3, l=2, sensitive="s 0"),
        pc.Mask(k=3, l=2, sensitive="s 0", first="alpha-k"),
        pc.SpuriousRecords(k=3, l=1),
        pc.AlphaK(alpha=1, k=3),
        pc.Mondrian(k=3),
        pc.Mdav(k=3),
        pc.Incognito(k=3),
    ],
    ids=repr,
)
def test_minimality_tells_nothing_of_groups_that_no_value_decided(method: Any) -> None:
    """Every table has the same groups, so every table with these counts is as minimal: the share in a group is left."""
    ages, values = [0, 0, 1, 100, 101, 100], [1, 1, 1, 0, 1, 1]

    def groups_of(world: tuple[int, ...]) -> list[list[int]]:
        table = table_of([line("age", ages), secret("s", world)], range(6))
        return groups_of_labels(method.group(table, Coins.from_seed(0)).labels.tolist())

    groups = groups_of(tuple(values))
    possible = [world for world in product(range(2), repeat=6) if sum(world) == sum(values)]
    same = [world for world in possible if all(sum(world[i] for i in g) == sum(values[i] for i in g) for g in groups)]
    assert all(groups_of(world) == groups for world in same)
    share = [Fraction(sum(world[row] == 0 for world in same), len(same)) for row in range(6)]
    people = pl.DataFrame({"name": range(6), "age": ages, "s": [f"s {value}" for value in values]})
    asked: dict[str, Any] = {"quasi": "age", "sensitive": "s", "identifier": "name"}
    with warnings.catch_warnings(action="ignore"):
        release = pc.publish(people, method, **asked)
    minimal = pc.Adversary(knows="minimality")
    found = pc.attack(release, minimal, truth=people, exact=True, **asked)
    assert [found.posterior(row, "s 0") for row in range(6)] == share
    assert found.at_most is None
    if isinstance(method, pc.Mask):
        assert pc.attack_all(release, truth=people, **asked).standing(Fraction(1, 2)).holds is True
    if isinstance(method, pc.Mondrian):  # a table of unknown make keeps the argument
        unknown: dict[str, Any] = {**asked, "truth": people, "model": pc.LDiversity(l=2, sensitive=("s 0",))}
        told = pc.attack(release.frame.select("age", "s"), minimal, exact=True, **unknown)
        assert told.posterior(4, "s 0") == 1
