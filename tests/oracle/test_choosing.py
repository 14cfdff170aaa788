"""Several tries of which one is published: what the choice gives away, by enumeration of all worlds and all draws.

docs/limits.md, "Publishing again", says what is shown here. The adversary knows the rule by which the steward chooses
and how often she tries.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from oracle.methods import ace
from oracle.soft_cut import Enumeration
from oracle.test_soft_cut import ONE_LEFT, ONE_LEFT_VALUES, TRIED, sides
from oracle.worlds import Method, Population, World, worlds, worst
from plain.soft_cut import refusal_law
from plain.transparent import Grouping

FIVE = Population(((0,), (1,), (5,), (3,), (4,)), (0, 1, 2, 3, 4))  # people by age
ILL = (0, 0, 1, 2, 3)
HALF = Fraction(1, 2)
Score = Callable[[Grouping], int]


def width(grouping: Grouping) -> int:
    """How wide the ages of the groups are together: of the quasi-identifiers alone."""
    ages = [[FIVE.vectors[row][0] for row in group] for group in grouping]
    return sum(max(some) - min(some) for some in ages)


def best_of(tries: int, score: Score, method: Method) -> Method:
    """The law of the release with the lowest score of several tries, one by lot where several have it."""

    def chosen(world: World) -> dict[Grouping, Fraction]:
        law = method(world)
        best: dict[Grouping, Fraction] = {}
        for grouping, p in law.items():
            tied = sum(q for other, q in law.items() if score(other) == score(grouping))
            worse = sum(q for other, q in law.items() if score(other) > score(grouping))
            best[grouping] = p / tied * ((tied + worse) ** tries - worse**tries)
        assert sum(best.values()) == 1
        return best

    return chosen


def published_or_nothing(fits: Callable[[Grouping], bool], method: Method) -> Method:
    """One try, which is published if it fits; what is believed after nothing was published is about no release."""
    return lambda world: {grouping: p for grouping, p in method(world).items() if fits(grouping)}


def again_until(fits: Callable[[Grouping], bool], method: Method) -> Method:
    """As many tries as it takes."""

    def fitting(world: World) -> dict[Grouping, Fraction]:
        law = published_or_nothing(fits, method)(world)
        return {grouping: p / sum(law.values()) for grouping, p in law.items()}

    return fitting


def believed(method: Method) -> Fraction:
    """The most that is believed of anybody; here it is the same however the groups are published."""
    (belief,) = set(worst(FIVE, ILL, method).values())
    return belief


@pytest.mark.parametrize(
    ("tries", "belief"), [(1, HALF), (2, Fraction(7, 11)), (3, Fraction(5, 7)), (10, Fraction(2047, 2561))]
)
def test_the_finest_of_several_tries_breaks_the_promise_though_it_is_chosen_by_ages_alone(
    tries: int, belief: Fraction
) -> None:
    assert believed(best_of(tries, width, ace(FIVE, 2))) == belief


def test_to_try_again_until_it_is_fine_enough_breaks_it_and_to_publish_nothing_then_does_not() -> None:
    def fits(grouping: Grouping) -> bool:
        return width(grouping) <= 7

    assert believed(again_until(fits, ace(FIVE, 2))) == Fraction(5, 8)
    assert believed(published_or_nothing(fits, ace(FIVE, 2))) == HALF


def test_a_choice_by_lot_changes_nothing() -> None:
    by_lot = best_of(3, lambda grouping: 0, ace(FIVE, 2))  # noqa: ARG005
    assert all(by_lot(world) == ace(FIVE, 2)(world) for world in worlds(len(ILL), ILL))


@pytest.mark.parametrize(("tries", "belief"), [(1, HALF), (2, Fraction(2, 3)), (3, Fraction(4, 5))])
def test_soft_cut_tried_again_where_a_cut_is_refused_breaks_the_promise_with_two_tries(
    tries: int, belief: Fraction
) -> None:
    """A release with a refused cut is then published only if every try refused it."""
    once = refusal_law(2)
    law = Enumeration(sides(4, 7), tuple(sorted(ONE_LEFT_VALUES)), 2, TRIED, lambda path, t: once(path, t) ** tries)
    assert law.beliefs_of(ONE_LEFT, ONE_LEFT_VALUES, varied=[0, 1])[0] == belief
