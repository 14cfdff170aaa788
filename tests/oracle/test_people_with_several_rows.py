"""People with several rows, conditions and columns that apply to some, all at once: the promise holds by enumeration.

Rows that ``where`` leaves out are gone before a lot draws one row of each person, and the lot looks at no value. So
somebody who is told which rows were drawn knows most, and every draw is enumerated as a table of its own, with all
worlds, the exact law of the method and random priors. ``person`` lays a person's rows side by side: whatever goes with
what among them, nobody believes more. What publishing makes of such a table is among what the law can make, and the
same rows are drawn whatever the values. Published row by row, the same people stand above the bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from oracle import test_clusters as clusters
from oracle.clustered import law_of
from oracle.test_strata import beliefs, excess, random_prior
from oracle.test_who_may_have_which_value import Declared
from oracle.worlds import Population, dense
from pellucid.core.request import Request
from pellucid.core.schema import Role
from pellucid.errors import PellucidError
from pellucid.io import read_as
from pellucid.publishing import carry_out, drawing_rows
from plain import strata
from plain.laws import Law
from plain.tables import sorted_groups
from plain.transparent import inputs_of

pytestmark = pytest.mark.filterwarnings("ignore")
QUICK, THOROUGH = 12, 400  # tables
SIZES = [(1, 1, 1, 1, 2, 2), (2, 2, 2, 2), (1, 2, 1, 2, 1, 2), (3, 1, 1, 1, 2)]
WHERE, APPLIES = 1, 3  # rows below the first are left out; below the second the column does not apply


@dataclass(frozen=True)
class Stays:
    """Rows of patients, with a quasi-identifier and the rank of each row's identifier."""

    patients: tuple[int, ...]
    ages: tuple[int, ...]
    ranks: tuple[int, ...]

    @classmethod
    def random(cls, random: Random) -> Stays:
        patients = [number for number, size in enumerate(random.choice(SIZES)) for _ in range(size)]
        ages = [random.choice([0, 1, 1, 2, 3, 4, 4, 5]) for _ in patients]
        return cls(tuple(patients), tuple(ages), tuple(random.sample(range(len(patients)), len(patients))))

    @property
    def kept(self) -> list[int]:
        return [row for row, age in enumerate(self.ages) if age >= WHERE]

    def draws(self) -> Iterator[tuple[int, ...]]:
        """The rows that a lot may draw, one of each patient who has any left."""
        of_each = [[row for row in self.kept if self.patients[row] == one] for one in sorted(set(self.patients))]
        yield from (tuple(sorted(rows)) for rows in product(*filter(None, of_each)))

    def population(self, rows: tuple[int, ...]) -> Population:
        return Population(tuple((self.ages[r],) for r in rows), tuple(dense([self.ranks[r] for r in rows])))

    def frame(self, values: list[str | None]) -> pl.DataFrame:
        columns = {"patient_nbr": [f"p{one}" for one in self.patients], "age": self.ages, "ill": values}
        return pl.DataFrame({"stay": [f"s{rank:02d}" for rank in self.ranks], **columns})


ROLES: dict[str, Any] = {"identifier": "stay", "quasi": ["age"], "sensitive": "ill", "where": f"age >= {WHERE}"}
LETTERS = ["a", "b", None]


def one_row_of_each(stays: Stays, rows: tuple[int, ...]) -> Declared | None:
    """The table of a draw as strata have it; None where a side has too few rows, which is refused."""
    case = Declared(stays.population(rows), 3, 2, 2, "hybrid", (0, 1), 1, APPLIES, (0, 1))
    return case if min(map(len, case.sides)) >= case.size else None


def among(law: Law, release: pc.Release) -> bool:
    """Whether the groups of a release are some that a law can make."""
    groups = sorted(map(sorted, sorted_groups(release.private.grouping)))
    return groups in [sorted(map(sorted, made)) for made in law]


def test_one_row_of_each_person_where_a_column_applies_to_some(thorough: bool) -> None:
    """Strata with ``where``, ``applies`` and ``one``."""
    seen = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"one {number}")
        stays, known = Stays.random(random), set()
        for rows in stays.draws():
            case = one_row_of_each(stays, rows)
            if case is None or case.population in known:
                continue
            known.add(case.population)
            assert not excess(case, beliefs(case, random_prior(random, case), case.law)), case
            seen += 1
    assert seen > QUICK


def test_what_is_published_is_what_the_law_makes_of_a_draw(thorough: bool) -> None:
    """The rows that are drawn are the same whatever the values, every draw occurs, and groups are among the law's."""
    published, drawn = 0, Counter()  # type: ignore[var-annotated]
    for number in range(THOROUGH // 4 if thorough else QUICK):
        random = Random(f"published {number}")
        stays = Stays.random(random)
        for seed in range(8):
            held = [random.choice(LETTERS[:2]) if age >= APPLIES else None for age in stays.ages]
            method = pc.Strata(l=2, size=2, k=1, values=["any but null"])
            asked = {**ROLES, "people": "patient_nbr=one", "applies": f"ill=age >= {APPLIES}"}
            try:
                made = carry_out(Request(stays.frame(held), method, roles=pc.Roles(**asked), seed=seed))
            except PellucidError:
                continue
            assert made.table is not None
            assert made.table.kept is not None
            rows = tuple(np.flatnonzero(made.table.kept).tolist())
            assert rows in set(stays.draws())
            others = [None if one is None else "b" if one == "a" else "a" for one in held]
            same = read_as(stays.frame(others), pc.Roles(**asked), coins=drawing_rows(seed))
            assert same.kept is not None
            assert tuple(np.flatnonzero(same.kept).tolist()) == rows
            case = one_row_of_each(stays, rows)
            assert case is not None
            t = inputs_of(made.table)  # null is the first value there, and the order of values decides among ties
            names = made.table.attributes[made.table.having(Role.SENSITIVE)[0]].values.to_list()
            told = tuple(code for code, name in enumerate(names) if name is not None)
            assert among(strata.law(t, 2, "hybrid", [told], case.parts, 1), made.release), (stays, rows, held)
            published, drawn = published + 1, drawn + Counter([(number, rows)])
    assert published > QUICK
    assert len(drawn) > len({number for number, _ in drawn})


def test_whole_persons_of_whom_rows_are_left_out(thorough: bool) -> None:
    """SoftCut with ``where`` and ``person``: what is left of each person is one unit, whatever goes with what in it."""
    seen = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"person {number}")
        case = whole_persons(random, Stays.random(random))
        if case is None:
            continue
        seen += 1
        for prior in (clusters.uniform, clusters.shared, clusters.dependent(f"person {number}")):
            for publication, belief in clusters.worst(case, clusters.soft_cut, prior).items():
                assert belief <= Fraction(1, case.l), (publication, case)
    assert seen >= QUICK // 4


def test_one_row_of_each_person_by_soft_cut(thorough: bool) -> None:
    """SoftCut with ``where`` and ``one``: a draw is a table of persons of one row."""
    seen = 0
    for number in range(THOROUGH if thorough else QUICK):
        random = Random(f"soft {number}")
        stays = Stays.random(random)
        rows = random.choice([*stays.draws()])
        case = whole_persons(random, stays, rows)
        if case is not None:
            highest = clusters.worst(case, clusters.soft_cut, clusters.uniform)
            assert max(highest.values()) <= Fraction(1, case.l), (highest, case)
            seen += 1
    assert seen >= QUICK // 4


def whole_persons(random: Random, stays: Stays, drawn: tuple[int, ...] | None = None) -> clusters.Case | None:
    """What ``where`` leaves of each person, or what is drawn of it; None where no world of it can be published."""
    rows = tuple(stays.kept) if drawn is None else drawn
    values = sorted(random.choice([0, 1, 2, 2, 3]) for _ in rows)
    held = tuple(sorted(set(values)).index(value) for value in values)
    case = clusters.Case(stays.population(rows), tuple(stays.patients[r] for r in rows), held, 2, None, 1)
    return case if any(clusters.feasible(case, one) for one in clusters.arrangements(held)) else None


def test_rows_of_a_person_one_by_one_are_caught() -> None:
    """The same people published as if each row were somebody: of whom all rows are alike, more is believed."""
    exceeded = 0
    for number in range(QUICK):
        random = Random(f"person {number}")
        case = whole_persons(random, Stays.random(random))
        if case is not None:
            highest = clusters.worst(case, clusters.rows_by_themselves, clusters.shared).values()
            exceeded += max(highest) > Fraction(1, case.l)
    assert exceeded


def test_whole_persons_are_published_as_the_law_says_and_strata_take_none() -> None:
    published = 0
    for number in range(6 * QUICK):
        random = Random(f"real {number}")
        stays = Stays.random(random)
        frame = stays.frame([random.choice("abcd") for _ in stays.ages])
        asked = {**ROLES, "people": "patient_nbr=person"}
        with pytest.raises(PellucidError):
            pc.publish(frame, pc.Strata(l=2, size=2, k=1), seed=1, **asked)
        largest = max(Counter(stays.patients[row] for row in stays.kept).values(), default=1)
        method = pc.SoftCut(l=2, k=1, cluster_rows=largest)
        try:
            release = pc.publish(frame, method, seed=number, **asked)
        except PellucidError:
            continue
        law = law_of(method)(pc.read(frame, **asked))
        assert among(law, release)
        published += 1
    assert published > 2
