"""What adversaries believe: facts, priors, reasons, black boxes; nothing is called safe because it could not run."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.coins import Coins
from pellucid.risk import infer
from pellucid.risk.inference.black_box import effective_size
from pellucid.risk.views.known_groups import evidence_of_groups

ROLES = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
PATIENTS = pc.datasets.patients()


def tailored() -> pc.Release:
    return pc.publish(PATIENTS, pc.Tailor(l=2), **ROLES)


def four(values: str) -> pc.Evidence:
    """Four people in one group with these values, one letter each."""
    frame = pl.DataFrame({"name": ["Ann", "Bob", "Cate", "Don"], "age": [1, 2, 3, 4], "s": list(values)})
    table = pc.read(frame, quasi="age", sensitive="s", identifier="name")
    return evidence_of_groups(table, [0, 0, 0, 0], names=frame["name"].to_list())


def by_hand(values: str, holds: object) -> dict[tuple[str, str], Fraction]:
    """Every arrangement of four values in which the facts hold, counted."""
    people = ["Ann", "Bob", "Cate", "Don"]
    worlds = [dict(zip(people, world, strict=True)) for world in permutations(values)]
    left = [world for world in worlds if holds(world)]  # type: ignore[operator]
    return {(p, v): Fraction(sum(world[p] == v for world in left), len(left)) for p in people for v in set(values)}


@pytest.mark.parametrize(
    ("values", "facts", "holds"),
    [
        ("aabc", [pc.Not("Ann", "a")], lambda w: w["Ann"] != "a"),
        ("aabc", [pc.Has("Ann", "a")], lambda w: w["Ann"] == "a"),
        ("aabc", [pc.Has("Ann", "b"), pc.Not("Bob", "a")], lambda w: w["Ann"] == "b" and w["Bob"] != "a"),
        ("aabc", [pc.Implies(pc.Has("Ann", "a"), pc.Has("Bob", "a"))], lambda w: w["Ann"] != "a" or w["Bob"] == "a"),
        (
            "aabb",
            [pc.Implies(pc.Not("Ann", "a"), pc.Has("Cate", "a")), pc.Not("Don", "a")],
            lambda w: (w["Ann"] == "a" or w["Cate"] == "a") and w["Don"] != "a",
        ),
    ],
)
def test_facts_leave_the_worlds_in_which_they_hold(values: str, facts: list[object], holds: object) -> None:
    beliefs = infer(four(values), pc.Adversary(facts=facts), exact=True)  # type: ignore[arg-type]
    for (person, value), share in by_hand(values, holds).items():
        assert beliefs.posterior(person, value) == share


def test_an_implication_may_tie_two_groups_together() -> None:
    beliefs = pc.attack(
        tailored(),
        pc.Adversary(facts=[pc.Implies(pc.Has("Ann", "flu"), pc.Has("Ed", "flu"))]),
        truth=PATIENTS,
        exact=True,
        **ROLES,
    )
    # Ann has flu in 1/4 of the worlds and Ed in 1/2, independently; a world with the first and not the second is out
    assert beliefs.posterior("Ann", "flu") == Fraction(1, 8) / Fraction(7, 8)
    assert beliefs.posterior("Ed", "flu") == Fraction(1, 2) / Fraction(7, 8)
    assert beliefs.posterior("Gill", "diabetes") == Fraction(1, 2)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ([pc.Not("Ed", "flu"), pc.Not("Ed", "bronchitis")], "contradict the release"),
        ([pc.Has("Ed", "gastritis")], "that group has no such value"),
        ([pc.Has("Zoe", "flu")], "nobody in the population is called 'Zoe'"),
    ],
)
def test_facts_that_contradict_the_release_raise(facts: list[object], says: str) -> None:
    with pytest.raises(pc.AttackError, match=says):
        pc.attack(tailored(), pc.Adversary(facts=facts), truth=PATIENTS, **ROLES)  # type: ignore[arg-type]


def test_an_attack_without_enough_to_go_on_raises() -> None:
    assert pc.attack(tailored()).max_risk == 0.5  # nothing but frequencies is told, so nobody need be known
    with pytest.warns(pc.InformedAttackerWarning):
        leaking = pc.publish(PATIENTS, pc.Mondrian(l=2), **ROLES)
    with pytest.raises(pc.AttackError, match="population="):
        pc.attack(leaking)
    frame = PATIENTS.select("age", "zipcode", "disease")
    table = pc.read(frame, quasi=["age", "zipcode"], sensitive="disease")
    with pytest.raises(pc.AttackError, match="which it is"):
        infer(evidence_of_groups(table, [0] * 8), pc.Adversary(knows="algorithm"))
    with pytest.raises(pc.AttackError, match="say which model with model="):
        infer(evidence_of_groups(table, [0] * 8), pc.Adversary(knows="minimality"))
    with pytest.raises(pc.AttackError, match="same table"):
        pc.attack(tailored(), truth=PATIENTS.head(7), **ROLES)


@pytest.mark.parametrize(
    "wrong", [{"knows": "everything"}, {"prior": "flat"}, {"facts": ["Ann has flu"]}, {"prior": 0.5}]
)
def test_an_adversary_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(pc.AttackError):
        pc.Adversary(**wrong)  # type: ignore[arg-type]


def test_beliefs_say_who_is_exposed_and_why() -> None:
    frame = pl.DataFrame({"zip": [1, 1, 2, 2, 2, 2, 2], "ill": ["HIV", "HIV", "a", "b", "c", "d", "e"]})
    table = pc.read(frame, quasi="zip", sensitive="ill")
    model = pc.LDiversity(l=2, sensitive=("HIV",))
    beliefs = infer(evidence_of_groups(table, [0] * 7, model=model), pc.Adversary(knows="minimality"))
    assert beliefs.max_risk == 1
    assert beliefs.vulnerable(1 / 2).tolist() == [0, 1]
    assert beliefs.baseline.tolist() == pytest.approx([2 / 7] * 7)
    assert "2 of them with 'HIV'" in beliefs.explain(0)
    assert "would have been published apart" in beliefs.explain(0)
    assert beliefs.posterior(3, "HIV") == 0


def test_the_attack_that_learns_from_the_release() -> None:
    rows = (
        [("S", "cancer"), ("S", "flu")] * 20 + [("N", "flu"), ("N", "measles")] * 20 + [("S", "flu"), ("N", "cancer")]
    )
    table = pc.read(pl.DataFrame(rows, schema=["q", "s"], orient="row"), quasi="q", sensitive="s")
    evidence = evidence_of_groups(table, [row // 2 for row in range(len(rows))])
    learned = infer(evidence, pc.Adversary(prior=pc.Learned()))
    assert learned.posterior(80, "cancer") > 0.99
    assert infer(evidence, pc.Adversary()).posterior(80, "cancer") == 0.5
    smokers, others = {"cancer": 0.5, "flu": 0.5}, {"flu": 0.5, "measles": 0.5}
    known = infer(evidence, pc.Adversary(prior=pc.Distribution("q", {"S": smokers, "N": others})))
    assert known.posterior(80, "cancer") == 1
    with pytest.raises(pc.AttackError, match="says nothing about 'N'"):
        infer(evidence, pc.Adversary(prior=pc.Distribution("q", {"S": smokers})))
    with pytest.raises(pc.AttackError, match="contradicts the release"):
        infer(evidence, pc.Adversary(prior=pc.Distribution("q", {"S": {"flu": 1}, "N": {"flu": 1}})))


def test_anatomy_is_safe_from_who_knows_it_and_not_from_who_learns() -> None:
    """[C] claim 4 and section 6: cancer goes with S, which the two tables show though groups are drawn by lot."""
    frame = pl.DataFrame({"q": ["S"] * 60 + ["N"] * 60, "s": ["cancer"] * 40 + ["flu"] * 40 + ["measles"] * 40})
    table = pc.read(frame, quasi="q", sensitive="s")
    grouping = pc.Anatomy(l=2).group(table, Coins.from_seed(1))
    evidence = evidence_of_groups(table, grouping.labels.tolist(), method=pc.Anatomy(l=2))
    assert set(infer(evidence, pc.Adversary(knows="algorithm")).risk.tolist()) == {0.5}
    assert infer(evidence, pc.Adversary(prior=pc.Learned())).max_risk > 0.9


def halves(l: int) -> object:
    """An anonymizer: rows in the order of age, halved while both halves are l-diverse."""

    def anonymize(table: pl.DataFrame) -> pl.DataFrame:
        rows = sorted(zip(table["age"], table["s"], strict=True), key=lambda row: row[0])

        def cut(part: list[tuple[int, str]]) -> list[list[tuple[int, str]]]:
            left, right = part[: (len(part) + 1) // 2], part[(len(part) + 1) // 2 :]
            fine = all(
                max(map([s for _, s in p].count, [s for _, s in p]), default=9) * l <= len(p) for p in (left, right)
            )
            return [*cut(left), *cut(right)] if fine else [part]

        found = [(f"[{part[0][0]}, {part[-1][0]}]", s) for part in cut(rows) for _, s in part]
        return pl.DataFrame(found, schema=["age", "s"], orient="row")

    return anonymize


def test_a_black_box_agrees_with_all_worlds_within_its_intervals(some: Callable[[int], int]) -> None:
    inside, cases = 0, some(200)
    for case in range(cases):
        random = Random(f"black box {case}")
        n = random.choice([4, 5, 6])
        values = ["a", "b"] + [random.choice("abc") for _ in range(n - 2)]
        if max(map(values.count, values)) * 2 > n:
            values = (["a", "b", "c"] * 2)[:n]
        random.shuffle(values)
        table = pl.DataFrame({"age": random.sample(range(20, 60), n), "s": values})
        given = {"quasi": ["age"], "sensitive": "s"}
        exact = pc.attack_anonymizer(halves(2), table, worlds_budget=10**6, **given)  # type: ignore[arg-type]
        walked = pc.attack_anonymizer(halves(2), table, worlds_budget=0, steps=120, seed=case, **given)  # type: ignore[arg-type]
        assert walked.lower is not None
        assert walked.upper is not None
        good = True
        for row in range(n):
            guess = max(walked.posterior_of(row), key=lambda v, row=row: walked.posterior_of(row)[v])
            good &= walked.lower[row] - 1e-9 <= exact.posterior_of(row)[guess] <= walked.upper[row] + 1e-9
        inside += good
    assert inside >= 0.95 * cases


def test_a_walk_that_does_not_move_says_so() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4], "s": ["a", "b", "a", "b"]})
    stuck = pc.attack_anonymizer(lambda t: t, table, quasi=["age"], sensitive="s", worlds_budget=0, steps=50)
    assert "did not move" in stuck.notes[0]
    assert stuck.max_risk == 1
    assert stuck.upper is not None
    assert stuck.upper.max() == 1


def test_a_black_box_that_draws_coins_is_walked_by_its_estimated_law(thorough: bool) -> None:
    random = Random(5)

    def noisy(table: pl.DataFrame) -> pl.DataFrame:
        """Tells the number of people with a among the first two, half of the time."""
        told = str(table["s"][:2].to_list().count("a")) if random.random() < 0.5 else "?"
        return pl.DataFrame({"told": [told], "s": ["".join(sorted(table["s"]))]})

    table = pl.DataFrame({"age": [1, 2, 3, 4], "s": ["a", "a", "b", "b"]})
    steps = 400 if thorough else 150
    given: dict[str, Any] = {"quasi": ["age"], "sensitive": "s", "randomised": True, "runs": 30, "seed": 1}
    beliefs = pc.attack_anonymizer(noisy, table, steps=steps, **given)
    # "?" tells nothing (1/2), "2" tells everything (1)
    assert min(abs(beliefs.max_risk - 1), abs(beliefs.max_risk - 0.5)) < 0.15


def test_a_black_box_of_eight_people_is_exact_unasked_and_groups_make_larger_ones_so() -> None:
    """[X] example 1 has 5,040 worlds; more than 2,000 were sampled, so that the largest risk fitted no posterior."""
    calls: list[int] = []

    def merges(table: pl.DataFrame) -> pl.DataFrame:
        calls.append(1)
        share = table.group_by("age").agg((pl.col("ill") == "flu").mean())["ill"].max()
        return table if share <= 0.5 else table.with_columns(age=pl.lit(0))  # type: ignore[operator]

    ill = ["flu", "flu", "gout", "gout", "cold", "cold", "tb", "hiv"]
    table = pl.DataFrame({"age": [1, 1, 1, 2, 2, 2, 2, 2], "ill": ill})
    given: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill"}
    beliefs = pc.attack_anonymizer(merges, table, **given)
    assert beliefs.engine == "exact (all 5,040 worlds)"
    assert beliefs.max_risk == max(beliefs.posterior_of(row)[v] for row in range(8) for v in set(ill))
    assert beliefs.posterior(0, "flu") == pytest.approx(2 / 3)  # two of three have it in every world that is merged
    assert 5_040 < len(calls) < 5_100
    many = pl.DataFrame({"age": [1] * 4 + [2] * 5 + [3] * 6, "ill": list("abcdefghijklmno")})
    estimate = pc.attack_anonymizer(lambda t: t.sort("ill").drop("age"), many, steps=50, **given)
    assert any("1,307,674,368,000 worlds take too long" in note and "groups=" in note for note in estimate.notes)
    groups = [0] * 4 + [1] * 2 + [2] * 9
    few = many.with_columns(ill=pl.Series(list("abcdefgggggghhh")))
    told = pc.attack_anonymizer(lambda t: t.sort("ill").drop("age"), few, groups=groups, worlds_budget=10_000, **given)
    assert told.engine == "exact (all 4,032 worlds of the groups)"
    assert told.max_risk == pytest.approx(6 / 9)
    assert told.standing(0.9).holds is None  # who is not told may believe more
    assert told.standing(0.6).holds is False


def test_worlds_with_the_same_rows_are_tried_once_and_say_what_all_worlds_say(some: Callable[[int], int]) -> None:
    for case in range(some(80)):
        random = Random(f"alike {case}")
        n = random.choice([4, 5, 6])
        table = pl.DataFrame(
            {"who": random.sample(range(20), n), "age": random.choices([1, 2], k=n), "s": random.choices("abc", k=n)}
        )
        above = random.choice([0.4, 0.5, 0.7])

        def coarser(table: pl.DataFrame, above: float = above) -> pl.DataFrame:
            share = table.group_by("age").agg((pl.col("s") == "a").mean())["s"].max()
            return table.drop("who") if share <= above else table.select("s")  # type: ignore[operator]

        given: dict[str, Any] = {"quasi": ["age"], "sensitive": "s", "identifier": "who"}
        groups = None if random.random() < 0.6 else [random.randint(0, 1) for _ in range(n)]
        budget = 10**6 if groups is None else 0
        once = pc.attack_anonymizer(coarser, table, alike=True, groups=groups, worlds_budget=max(budget, 500), **given)
        every = pc.attack_anonymizer(coarser, table, alike=False, worlds_budget=10**6, **given)
        if groups is not None and "of the groups" in once.engine:
            continue
        for row in range(n):
            assert dict(once.posterior_of(row)) == pytest.approx(dict(every.posterior_of(row)))
        assert once.max_risk == pytest.approx(every.max_risk)
        assert once.standing(above).holds == every.standing(above).holds


def test_ten_people_with_ten_values_are_exact_where_they_look_alike() -> None:
    """There are 3,628,800 worlds, with 120 different tables."""
    calls: list[int] = []

    def merges(table: pl.DataFrame) -> pl.DataFrame:
        calls.append(1)
        known = table.filter(pl.col("ill").is_in(["a", "b", "c"]))["age"].n_unique()
        return table.sort("age", "ill") if known > 1 else table.select("age").sort("age")

    table = pl.DataFrame({"age": [1] * 3 + [2] * 7, "ill": list("abcdefghij")})
    given: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill"}
    beliefs = pc.attack_anonymizer(merges, table, alike=True, **given)
    assert beliefs.engine == "exact (all 3,628,800 worlds, of which 120 have different rows)"
    assert len(calls) < 300
    held = 35 + 1  # the three stand among the seven, or are the three
    assert beliefs.posterior(0, "a") == pytest.approx((1 / 3) / held)
    assert beliefs.max_risk == max(beliefs.posterior(row, value) for row in range(10) for value in "abcdefghij")
    unasked = pc.attack_anonymizer(merges, table, **given)
    assert unasked.max_risk == beliefs.max_risk
    assert unasked.standing(1).holds is None  # that they are treated alike was tried, and nobody says so
    assert any("alike=True" in note for note in unasked.notes)


def test_whoever_is_treated_by_place_is_not_taken_as_alike() -> None:
    table = pl.DataFrame({"age": [1] * 9, "ill": list("abcdefghi")})
    given: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill", "steps": 50}
    beliefs = pc.attack_anonymizer(lambda t: t.with_row_index("place")[:2], table, worlds_budget=500, **given)
    assert beliefs.engine.startswith("sampled")
    assert beliefs.upper is not None
    assert beliefs.upper[0] == 1
    with pytest.raises(pc.PellucidError, match="not treated alike"):
        pc.attack_anonymizer(lambda t: t.with_row_index("place")[4:6], table, alike=True, **given)


def test_facts_about_people_with_numbers_for_names_are_about_them() -> None:
    frame = pl.DataFrame({"n": [5, 4, 3, 2, 1, 0], "a": [0] * 6, "s": list("xyzxyz")})
    table = pc.read(frame, quasi="a", sensitive="s", identifier="n")
    facts = [pc.Has(5, "x"), pc.Implies(pc.Has(0, "z"), pc.Has(1, "y"))]
    found = infer(evidence_of_groups(table, [0] * 6, names=frame["n"].to_list()), pc.Adversary(facts=facts))
    assert found.posterior(5, "x") == 1
    assert found.posterior(0, "x") < 0.5


def test_suppressed_people_are_not_called_safe() -> None:
    frame = pl.DataFrame({"n": list("abcdefgh"), "a": range(8), "s": ["hiv", "f", "c", "f", "f", "c", "hiv", "hiv"]})
    roles = {"quasi": ["a"], "sensitive": "s", "identifier": "n"}
    with pytest.warns(pc.InformedAttackerWarning):
        release = pc.publish(frame, pc.GreedyGrouping(l=2, binary="hiv"), **roles)
    assert release.recipe["suppressed"] == 2
    found = pc.attack(release, pc.Adversary(knows="algorithm"), truth=frame, **roles)
    assert found.risk[6:].tolist() == [1, 1]
    assert any("taken as exposed" in note for note in found.notes)
    assert not all(pc.verify(release, [pc.TransparentLDiversity(l=2)], truth=frame, **roles))


def test_a_distribution_is_exact_in_large_groups_and_leaves_outsiders_aside() -> None:
    a = [2, 1, 0, 2, 0, 1, 1, 1, 0, 1, 1, 1, 2, 1, 2, 2]
    table = pc.read(pl.DataFrame({"a": a, "s": ["x"] * 3 + ["y"] * 13}), quasi="a", sensitive="s")
    chances = {2: {"x": 0.9, "y": 0.1}, 1: {"x": 0.05, "y": 0.95}, 0: {"x": 0.01, "y": 0.99}}
    found = infer(evidence_of_groups(table, [0] * 16), pc.Adversary(prior=pc.Distribution("a", chances)))
    assert found.belief("x").max() != pytest.approx(0.8785, abs=1e-3)  # what scaling would give
    odds = [chances[v]["x"] / chances[v]["y"] for v in a]

    def symmetric(numbers: list[float], size: int) -> float:
        sums = [1.0] + [0.0] * size
        for number in numbers:
            for k in range(size, 0, -1):
                sums[k] += sums[k - 1] * number
        return sums[size]

    for person in range(16):
        others = odds[:person] + odds[person + 1 :]
        assert found.posterior(person, "x") == pytest.approx(odds[person] * symmetric(others, 2) / symmetric(odds, 3))
    with pytest.raises(pc.AttackError, match="from 0 to 1"):
        infer(evidence_of_groups(table, [0] * 16), pc.Adversary(prior=pc.Distribution("a", {0: {"x": -1}})))


def test_an_anonymizer_that_draws_coins_unsaid_is_noticed() -> None:
    random = Random(3)
    table = pl.DataFrame({"age": [1, 2, 3, 4], "s": ["a", "a", "b", "b"]})
    with pytest.raises(pc.AttackError, match="randomised=True"):
        pc.attack_anonymizer(lambda t: t.with_columns(age=random.random()), table, quasi=["age"], sensitive="s")


def test_somebody_who_knows_nothing_of_the_method_acquits_nothing() -> None:
    told = pc.attack(tailored(), pc.Adversary(), truth=PATIENTS, **ROLES).explain("Ann")
    assert "knows nothing of the method" in told
    assert "gives nothing away" not in told


def test_only_somebody_who_knows_the_algorithm_attacks_a_black_box() -> None:
    table = pl.DataFrame({"age": [1, 2], "s": ["a", "b"]})
    with pytest.raises(pc.AttackError, match="knows the algorithm"):
        pc.attack_anonymizer(lambda t: t, table, pc.Adversary(), quasi=["age"], sensitive="s")
    with pytest.raises(pc.AttackError, match="confidence"):
        pc.attack_anonymizer(lambda t: t, table, quasi=["age"], sensitive="s", confidence=1.5)


def test_correlated_draws_are_worth_less_than_independent_ones() -> None:
    generator = np.random.default_rng(1)
    independent = (generator.random(4000) < 0.5).astype(float)
    sticky = np.repeat(independent[:400], 10)
    assert 2500 < effective_size(independent) < 6000
    assert 200 < effective_size(sticky) < 800
