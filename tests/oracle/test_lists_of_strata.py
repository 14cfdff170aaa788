"""Sensitive columns of a group as independent lists: what knowing a value of one column says about another.

Each column of a group is shown in an order of its own. Somebody to whom the columns of a stratum have nothing to do
with each other (every arrangement of each column is equally likely, whatever the other's is) and who knows a person's
value of one column is to believe of the other no more than its share in the group. That is so for strata published
whole. It is not where strata are divided: groups depend on which values stand together, so lists tell of that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

from oracle.worlds import Population, World, arrangements
from plain import strata
from plain.transparent import Inputs

Lists = tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...]  # of each group who, and both columns
Shares = dict[Lists, dict[tuple[int, int, int], tuple[Fraction, Fraction]]]  # belief and share by person, known, value


def tables(known: Population, columns: tuple[tuple[int, ...], tuple[int, ...]]) -> Iterator[Inputs]:
    """Every table in which the columns hold this, each arranged in any way."""
    people = tuple(range(len(known.vectors)))
    for first, second in product(*(arrangements(sorted(column)) for column in columns)):
        inputs = known.inputs(World(people, (0,) * len(people)))
        yield Inputs(inputs.codes, inputs.order, list(zip(first, second, strict=True)), inputs.geometry)


def told(known: Population, columns: tuple[tuple[int, ...], tuple[int, ...]], l: int, inside: str) -> Shares:
    """For every release, person and known value: what is believed of each value of the second column, and its share."""
    weights: dict[Lists, dict[tuple[int, int, int], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for t in tables(known, columns):
        for grouping, p in strata.stratum_law(t, l, inside, (None, None)).items():
            lists = tuple(
                (
                    group,
                    tuple(sorted(t.sensitive[row][0] for row in group)),
                    tuple(sorted(t.sensitive[row][1] for row in group)),
                )
                for group in sorted(grouping)
            )
            for row, (first, second) in enumerate(t.sensitive):
                weights[lists][row, first, second] += p
    found: Shares = {}
    for lists, facts in weights.items():
        found[lists] = {}
        for (row, first, second), weight in facts.items():
            total = sum(other for (r, f, _), other in facts.items() if (r, f) == (row, first))
            values = next(held for group, _, held in lists if row in group)
            found[lists][row, first, second] = weight / total, Fraction(values.count(second), len(values))
    return found


def random_columns(random: Random, people: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    first, second = (tuple(random.choices(range(random.choice([2, 3])), k=people)) for _ in range(2))
    return first, second


def test_lists_of_whole_strata_say_of_the_other_column_its_share_alone(thorough: bool) -> None:
    for number in range(400 if thorough else 40):
        random = Random(f"lists {number}")
        people = random.randint(2, 5)
        population = Population.random(random, people, 1, 3)
        for facts in told(population, random_columns(random, people), 2, "none").values():
            assert all(belief == share for belief, share in facts.values())


def test_lists_of_divided_strata_say_more() -> None:
    """The reason why lists go with whole strata alone: in the smallest case found 3/5 is believed where l is 2."""
    known = Population(((0,), (0,), (2,), (0,)), (0, 1, 2, 3))
    facts = [one for found in told(known, ((0, 1, 1, 2), (0, 1, 1, 2)), 2, "hybrid").values() for one in found.values()]
    assert max(belief for belief, _ in facts) == Fraction(3, 5)
    assert max(share for _, share in facts) == Fraction(1, 2)
