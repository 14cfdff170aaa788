"""SoftCut's first cut where none is certain: refused or accepted, nobody's value is believed above 1/l.

Every world of tiny tables, and in each every order in which the rows of a value may be drawn; the same draws decide
over the cut and fill the buckets, as in the method.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from random import Random

from oracle.worlds import PUBLICATIONS, Method, Population, Rows, World, beliefs, highest, worlds
from plain.opening import allowed, allowed_by_peeking
from plain.soft_cut import Allowing, PlainCuts
from plain.transparent import Group, as_grouping, assign, slice_bucket

SHAPES = (((2, 2, 2), 2), ((3, 3), 2), ((2, 2, 1, 1), 2), ((2, 2, 2), 3), ((2, 1, 1, 1), 2))
LARGER = ((3, 3, 2), 2)


def method(population: Population, l: int, allowing: Allowing, seen: Counter[bool]) -> Method:
    """The law of: one cut that the buckets of Ace allow or not, then Ace on both sides or on the whole."""
    sliced: dict[object, list[Group]] = {}

    def law(world: World) -> dict[Rows, Fraction]:
        t = population.inputs(world)
        rows = list(range(len(t.codes)))
        cuts = PlainCuts(t.codes, t.order, t.geometry)
        sides = cuts.between_codes(rows, 1)

        def groups(part: list[int], draw: list[int]) -> list[Group]:
            found = []
            for columns in assign(part, t.sensitive, l, draw):
                key = tuple(map(tuple, columns)), tuple(t.codes), tuple(t.order)
                if key not in sliced:
                    sliced[key] = slice_bucket(columns, t.codes, t.order, t.geometry)
                found += sliced[key]
            return found

        columns = [[row for row in rows if t.sensitive[row][0] == value] for value in sorted(set(world.values))]
        outcomes: Counter[Rows] = Counter()
        for orders in product(*(permutations(column) for column in columns)):
            draw = [place for _, place in sorted((row, place) for column in orders for place, row in enumerate(column))]
            accepted = sides is not None and allowing(assign(rows, t.sensitive, l, draw), t.sensitive, sides, l)
            seen[accepted] += sides is not None
            parts = sides if accepted and sides is not None else (rows,)
            outcomes[as_grouping(group for part in parts for group in groups(part, draw))] += 1
        return {grouping: Fraction(count, outcomes.total()) for grouping, count in outcomes.items()}

    return law


def highest_beliefs(allowing: Allowing, tables: int) -> tuple[list[tuple[Fraction, int]], Counter[bool]]:
    """For each table the highest belief over all forms of publication, and l; and how often cuts were accepted."""
    found, seen = [], Counter[bool]()
    for number in range(tables):
        random = Random(f"opening {number}")
        counts, l = LARGER if number % 50 == 49 else SHAPES[number % len(SHAPES)]
        multiset = tuple(value for value, count in enumerate(counts) for _ in range(count))
        population = Population.random(random, len(multiset), random.choice([1, 2]), random.choice([2, 3, 4]))
        law, possible = cache(method(population, l, allowing, seen)), list(worlds(len(multiset), multiset))
        worst = max(highest(beliefs(population, possible, law, form)) for form in PUBLICATIONS.values())
        found.append((worst, l))
    return found, seen


def test_whether_the_first_cut_is_made_tells_nothing(thorough: bool) -> None:
    found, seen = highest_beliefs(allowed, 300 if thorough else 12)
    assert all(belief <= Fraction(1, l) for belief, l in found)
    assert min(seen[True], seen[False]) > 20  # both happened


def test_a_first_cut_that_is_made_where_both_sides_are_diverse_tells(thorough: bool) -> None:
    found, _ = highest_beliefs(allowed_by_peeking, 300 if thorough else 12)
    assert any(belief > Fraction(1, l) for belief, l in found)
