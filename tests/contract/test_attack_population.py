"""Attacking what anybody published, with a population: who is in which group follows from what is published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.risk.attack_all import attack_all
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import verdict_lines
from pellucid.risk.views.membership import Fit

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
FIRST = ["dyspepsia", "flu", "gastritis", "bronchitis", "gastritis", "flu", "dyspepsia", "diabetes"]
T1 = pc.datasets.patients().with_columns(disease=pl.Series(FIRST))
INFORMED, UNINFORMED = pc.Adversary(knows="algorithm"), pc.Adversary()
pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")


def assignments(
    sizes: Sequence[int], candidates: Sequence[Sequence[int]], used: frozenset[int] = frozenset(), group: int = 0
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to choose people for the groups, nobody twice."""
    if group == len(sizes):
        yield ()
        return
    free = [person for person in candidates[group] if person not in used]
    for chosen in combinations(free, sizes[group]):
        for others in assignments(sizes, candidates, used | set(chosen), group + 1):
            yield (chosen, *others)


@pytest.fixture(scope="module")
def best() -> pc.Release:
    """The worked example: the best global recoding of the first table."""
    return pc.publish(T1, pc.OptGen(l=2), **ROLES)


# --- the worked example, from everything that a release can be


def shapes(release: pc.Release, folder: Path) -> list[tuple[Any, dict[str, Any]]]:
    release.write(folder / "out")
    (folder / "foreign.csv").write_bytes((folder / "out" / "data.csv").read_bytes())
    made = {"made_by": pc.OptGen(l=2), "schema": pc.Schema.of(quasi=["age", "zipcode"], sensitive="disease")}
    return [
        (release, {}),
        (folder / "out", {}),
        (folder / "out" / "data.csv", {}),
        (folder / "foreign.csv", made),
        (release.frame, made),
    ]


def test_ed_has_gastritis_for_whoever_knows_the_algorithm(best: pc.Release, tmp_path: Path) -> None:
    for source, more in shapes(best, tmp_path):
        beliefs = pc.attack(source, INFORMED, population=pc.datasets.voters(), identifier="name", exact=True, **more)
        assert beliefs.posterior("Ed", "gastritis") == 1
        assert beliefs.posterior("Ann", "flu") == beliefs.posterior("Ann", "dyspepsia") == Fraction(1, 2)
        assert beliefs.posterior("Fred", "flu") == Fraction(1, 3)
        assert beliefs.risk[2] == 0
        assert beliefs.posterior_of(2) == {}
        assert "in no published group" in beliefs.explain("Bruce")
        assert "would have published something else" in beliefs.explain("Ed")


def test_whoever_knows_minimality_alone_learns_less(best: pc.Release) -> None:
    beliefs = pc.attack(best, pc.Adversary(knows="minimality"), population=pc.datasets.voters(), identifier="name")
    assert beliefs.risk.tolist() == [0.5, 0.5, 0, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25]  # the third is Bruce


def test_a_method_that_never_publishes_this_is_contradicted(best: pc.Release) -> None:
    columns = {"schema": pc.Schema.of(quasi=["age", "zipcode"], sensitive="disease")}
    with pytest.raises(pc.AttackError, match="of none of the"):
        pc.attack(best.frame, INFORMED, population=T1, identifier="name", made_by=pc.OptGen(l=4), **columns)


# --- more people than rows


def test_bruce_is_not_in_the_table_and_cannot_be_told_from_those_who_are_where_a_group_covers_him() -> None:
    """The box [21, 32] x [10000, 35000] has four rows and covers five people, Bruce among them."""
    release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **ROLES)
    beliefs = pc.attack(release, UNINFORMED, population=pc.datasets.voters(), identifier="name")
    assert beliefs.posterior("Bruce", "gastritis") == pytest.approx(4 / 5 * 2 / 4)
    assert beliefs.posterior("Ann", "gastritis") == pytest.approx(4 / 5 * 2 / 4)
    # whoever knows that intervals are tight knows that Ann is in it: nobody else is 21
    informed = pc.attack(release, INFORMED, population=pc.datasets.voters(), identifier="name", exact=True)
    assert informed.posterior("Ann", "gastritis") == Fraction(1, 2)
    assert informed.posterior("Bruce", "gastritis") == Fraction(3, 8)


def test_of_a_release_without_recipe_whoever_names_the_method_learns_what_tight_intervals_tell() -> None:
    release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **ROLES)
    told: dict[str, Any] = {"population": pc.datasets.voters(), "made_by": pc.Tailor(l=2), **ROLES}
    ours = pc.attack(release, INFORMED, population=pc.datasets.voters(), identifier="name")
    theirs = pc.attack(release.frame, INFORMED, **told)
    assert theirs.risk.tolist() == ours.risk.tolist()
    told["made_by"] = pc.Hybrid(l=2)  # draws coins: out of reach, so that what is proved of it bounds it
    theirs = pc.attack(release.frame, INFORMED, **told)
    assert theirs.upper is not None
    assert theirs.lower is not None
    assert (theirs.upper >= ours.risk).all()
    assert not theirs.lower.any()  # what counting gives bounds nothing from below


def test_two_tables_say_who_is_not_there() -> None:
    release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), recode="anatomy", **ROLES)
    beliefs = pc.attack(release, UNINFORMED, population=pc.datasets.voters(), identifier="name")
    assert beliefs.risk[2] == 0
    assert (np.delete(beliefs.risk, 2) > 0).all()


def test_of_people_who_look_alike_everybody_may_be_the_one() -> None:
    """Two rows of value 7, in different groups, and three people who have it."""
    tables = {
        "quasi_identifiers": pl.DataFrame({"group": [1, 1, 2, 2], "q": [7, 5, 7, 6]}),
        "sensitive": pl.DataFrame({"group": [1, 1, 2, 2], "s": ["a", "b", "a", "c"]}),
    }
    crowd = pl.DataFrame({"who": list("uvwxy"), "q": [7, 7, 7, 5, 6]})
    beliefs = pc.attack(tables, UNINFORMED, population=crowd, identifier="who")
    assert beliefs.posterior("u", "a") == pytest.approx(1 / 3 * 1 / 2 * 2)
    assert beliefs.posterior("x", "a") == pytest.approx(1 / 2)


def test_an_upper_bound_is_given_where_the_people_may_differ_from_what_is_assumed() -> None:
    release = pc.publish(pc.datasets.census(400), pc.Tailor(l=2), quasi=["age", "education"], sensitive="occupation")
    crowd = pc.datasets.census(600)
    beliefs = pc.attack(release, INFORMED, population=crowd)
    assert beliefs.upper is not None
    assert (beliefs.upper >= beliefs.risk - 1e-12).all()
    assert beliefs.upper.max() == pytest.approx(0.5)
    assert any("upper bound" in note for note in beliefs.notes)


def test_a_population_that_does_not_fit_is_refused(best: pc.Release) -> None:
    elsewhere = pc.datasets.voters().with_columns(pl.col("age") + 50)
    with pytest.raises(pc.AttackError, match="does not fit the release"):
        pc.attack(best, UNINFORMED, population=elsewhere)
    with pytest.raises(pc.AttackError, match="7 people and the release 8 rows"):
        pc.attack(best, UNINFORMED, population=T1.head(7))


# --- counting who may be where


def random_fit(random: np.random.Generator) -> tuple[Fit, list[list[int]]]:
    """A few groups and places, and the people who fit each group."""
    people = random.integers(1, 3, random.integers(2, 5))
    groups = int(random.integers(1, 4))
    covers = random.random((groups, len(people))) < 0.6
    sizes = np.array([random.integers(1, max(2, people[row].sum() + 1)) if row.any() else 1 for row in covers])
    starts = np.append(0, np.cumsum(people))
    fit = Fit.of(
        ((g, np.flatnonzero(row)) for g, row in enumerate(covers)), sizes.astype(np.int64), people.astype(np.int64)
    )
    persons = [[i for place in np.flatnonzero(row) for i in range(starts[place], starts[place + 1])] for row in covers]
    return fit, persons


def test_chances_equal_the_count_of_all_ways() -> None:
    random = np.random.default_rng(7)
    tried = several = 0
    for _ in range(600):
        try:
            fit, persons = random_fit(random)
        except pc.AttackError:  # a group that covers too few people
            continue
        place = np.repeat(np.arange(len(fit.people)), fit.people)
        ways = list(assignments(fit.sizes.tolist(), persons))
        if not ways:
            with pytest.raises(pc.AttackError, match="no way to give every row a person"):
                fit.membership(place)
            continue
        found = fit.membership(place)
        assert found.exact.all()
        counted = Counter((p, g) for way in ways for g, chosen in enumerate(way) for p in chosen)
        for person in range(len(place)):
            told = dict(found.of(person))
            expected = {g: counted[person, g] / len(ways) for g in range(len(persons)) if counted[person, g]}
            assert told == pytest.approx(expected)
            several += len(told) > 1
        tried += 1
    assert tried > 150
    assert several > 100


def test_what_is_settled_is_what_all_ways_agree_on() -> None:
    random = np.random.default_rng(11)
    settled = 0
    for _ in range(1500):
        try:
            fit, persons = random_fit(random)
        except pc.AttackError:
            continue
        found = fit.forced()
        if found is None:
            continue
        place = np.repeat(np.arange(len(fit.people)), fit.people)
        ways = {
            tuple(sorted(Counter((int(place[p]), g) for g, chosen in enumerate(way) for p in chosen).items()))
            for way in assignments(fit.sizes.tolist(), persons)
        }
        mine = tuple(sorted(((p, g), n) for p, groups in found.items() for g, n in groups.items()))
        assert ways == {mine}
        settled += 1
    assert settled > 30


def test_too_many_ways_give_a_bound_that_is_called_one() -> None:
    n = 60
    release = pl.DataFrame({"q": [f"[{i}, {i + 40}]" for i in range(n) for _ in "ab"], "s": ["a", "b"] * n})
    crowd = pl.DataFrame({"q": [i + 20 for i in range(n) for _ in "ab"]})
    beliefs = pc.attack(release, UNINFORMED, population=crowd, quasi="q", sensitive="s")
    assert "upper bound" in beliefs.engine
    assert beliefs.max_risk == 0.5
    assert any("an upper bound" in note for note in beliefs.notes)


# --- without a population


def test_without_people_the_rows_are_the_people() -> None:
    frame = pl.DataFrame({"age": ["[20, 29]"] * 3 + ["[30, 39]"] * 2, "disease": ["flu", "cold", "flu", "flu", "flu"]})
    beliefs = pc.attack(frame, UNINFORMED, quasi="age", sensitive="disease")
    assert beliefs.risk.tolist() == pytest.approx([2 / 3] * 3 + [1, 1])
    for who in (pc.Adversary(knows="minimality"), pc.Adversary(prior=pc.Learned())):
        with pytest.raises(pc.AttackError, match="population="):
            pc.attack(frame, who, quasi="age", sensitive="disease", model=pc.LDiversity(l=2))
    with pytest.raises(pc.AttackError, match="made_by="):
        pc.attack(frame, INFORMED, quasi="age", sensitive="disease")


def test_a_method_that_gives_nothing_away_needs_no_people_and_one_that_does_needs_them() -> None:
    frame = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **ROLES).frame
    columns = {"quasi": ["age", "zipcode"], "sensitive": "disease"}
    assert pc.attack(frame, INFORMED, made_by=pc.Tailor(l=2), **columns).max_risk == 0.5
    for method in (pc.Mondrian(l=2, strict=True), pc.SymmetricGrouping(l=2), pc.OptGen(l=2)):
        with pytest.raises(pc.AttackError, match="population="):
            pc.attack(frame, INFORMED, made_by=method, **columns)


def test_attacks_by_peoples_own_values_do_not_run_on_published_ones() -> None:
    """Read as names, the overlapping boxes would look as if each stood alone."""
    frame = pl.DataFrame({"q": ["[1, 5]"] * 3 + ["[2, 6]"] * 3, "s": ["a", "b", "c"] * 2})
    found = {one.attack: one for one in pc.attack_all(frame, quasi="q", sensitive="s").findings}
    assert not found["predicate singling out"].ran
    assert "nobody's are known" in found["predicate singling out"].reason
    assert found["prosecutor linkage"].figure == pytest.approx(1 / 3)
    assert found["uniqueness"].baseline is None


def test_groups_that_read_alike_are_one_group() -> None:
    frame = pl.DataFrame({"q": ["x"] * 4, "s": ["a", "a", "b", "c"]})
    beliefs = pc.attack(frame, UNINFORMED, quasi="q", sensitive="s")
    assert len(beliefs.evidence.published) == 1
    assert beliefs.max_risk == 0.5


# --- methods without a law


def test_a_walk_through_worlds_needs_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.risk.inference.world_enumeration.STEPS", 200)
    table = pc.datasets.census(24).with_row_index("id")
    columns: dict[str, Any] = {"quasi": ["gender", "education"], "sensitive": "occupation", "identifier": "id"}
    release = pc.publish(table, pc.AlphaK(alpha=0.5, k=6), **columns)
    made = {"made_by": pc.AlphaK(alpha=0.5, k=6), "schema": pc.Schema.of(**columns)}
    with pytest.raises(pc.AttackError, match="truth="):
        pc.attack(release.frame, INFORMED, population=table, **made)
    beliefs = pc.attack(release, INFORMED, truth=table, **columns)
    assert beliefs.engine.startswith("sampled")
    assert beliefs.confidence == 0.95
    assert beliefs.lower is not None
    assert beliefs.upper is not None
    assert (beliefs.lower <= beliefs.risk + 1e-12).all()
    assert (beliefs.risk <= beliefs.upper + 1e-12).all()
    assert beliefs.posterior(0, beliefs.evidence.values[0]) <= 1


def test_a_table_too_large_to_walk_through_is_refused() -> None:
    table = pc.datasets.census(1200).with_row_index("id")
    columns: dict[str, Any] = {"quasi": ["gender", "education"], "sensitive": "occupation", "identifier": "id"}
    release = pc.publish(table, pc.AlphaK(alpha=0.5, k=6), **columns)
    with pytest.raises(pc.AttackError, match="up to 1,000"):
        pc.attack(release, INFORMED, truth=table, **columns)


def test_a_wrong_method_is_said_first(best: pc.Release) -> None:
    columns = {"schema": pc.Schema.of(quasi=["age", "zipcode"], sensitive="disease")}
    report = attack_all(best.frame, population=T1, identifier="name", made_by=pc.OptGen(l=4), **columns)
    assert verdict_lines(result_of(report))[0].startswith(
        "The release is not what it is said to be: opt-gen publishes this of none of"
    )
    assert report.keeps(1.0) is None
