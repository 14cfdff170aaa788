"""E5: every possible world, one by one. The oracle of the other engines, for tiny tables and any method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from pellucid.errors import ModelError
from pellucid.posterior.exclusion import Impossible, OverBudget, multinomial
from pellucid.text.figures import in_powers

World = tuple[Any, ...]  # each person's sensitive value; ABSENT for whoever is not in the table
WORLDS = 200_000


class _Absent:
    """Stands for the value of somebody who is not in the table."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


def arrangements(counts: Mapping[Any, int]) -> Iterator[tuple[Any, ...]]:
    """Every distinct order of a multiset.

    >>> list(arrangements({"a": 1, "b": 2}))
    [('a', 'b', 'b'), ('b', 'a', 'b'), ('b', 'b', 'a')]
    """
    left = {value: count for value, count in counts.items() if count}

    def extend(prefix: tuple[Any, ...], rest: int) -> Iterator[tuple[Any, ...]]:
        if rest == 0:
            yield prefix
            return
        for value in left:
            if left[value]:
                left[value] -= 1
                yield from extend((*prefix, value), rest - 1)
                left[value] += 1

    yield from extend((), sum(left.values()))


def number_of_worlds(people: int, counts: Mapping[Any, int]) -> int:
    """How many worlds there are.

    >>> number_of_worlds(4, {"a": 1, "b": 2})
    12
    """
    rows = sum(counts.values())
    return comb(people, rows) * multinomial([c for c in counts.values() if c])


def worlds(
    method: Callable[[World], Any],
    published: Hashable,
    population: Sequence[Any],
    counts: Mapping[Any, int] | Sequence[Any],
    *,
    exact: bool = False,
    budget: int = WORLDS,
) -> list[dict[Any, Any]]:
    """What somebody believes of everybody who knows the method, by trying every world.

    ``method`` maps a world (each person's value in population order, ``ABSENT`` for whoever is not in the table) to
    what would be published: something hashable, or a mapping from such things to their probabilities when the method
    draws coins. ``published`` is what was published, ``counts`` the sensitive values in it. When the population is
    larger than the table, every choice of its members is a world. The result has one mapping per person; whoever is
    never in the table has an empty one.

    Two people, and a method that publishes whether both have the same value:

    >>> worlds(lambda world: world[0] == "x", True, ["Ann", "Bob"], ["x", "y"])
    [{'x': 1.0, 'y': 0.0}, {'x': 0.0, 'y': 1.0}]
    """
    of_value = dict(counts) if isinstance(counts, Mapping) else dict(Counter(counts))
    refuse_too_many(of_value, len(population), budget)
    total: Any = Fraction(0)
    having: list[dict[Any, Any]] = [dict.fromkeys(of_value, Fraction(0)) for _ in population]
    seen = [False] * len(population)
    for members in combinations(range(len(population)), sum(of_value.values())):
        for values in arrangements(of_value):
            outcome = method(_world(members, values, len(population)))
            weight = _weight(outcome, published)
            if weight:
                total += weight
                for person, value in zip(members, values, strict=True):
                    having[person][value] += weight
                    seen[person] = True
    if not total:
        raise Impossible("no world leads to this release", "the method or the population is another one")
    return [_shares(masses, total, exact) if known else {} for masses, known in zip(having, seen, strict=True)]


def _shares(masses: Mapping[Any, Any], total: Any, exact: bool) -> dict[Any, Any]:
    return {value: (mass / total if exact else float(mass / total)) for value, mass in masses.items()}


def refuse_too_many(of_value: Mapping[Any, int], people: int, budget: int) -> None:
    """Raise for more values than people, and for more worlds than can be tried."""
    rows = sum(of_value.values())
    if rows > people:
        raise ModelError(f"{rows} values and {people} people", "everybody has one value at most")
    number = number_of_worlds(people, of_value)
    if number > budget:
        raise OverBudget(
            f"{in_powers(number)} worlds are more than the budget of {budget:.1e}", "attack it as a black box"
        )


def _world(members: Sequence[int], values: Sequence[Any], people: int) -> World:
    """The world in which these members of so many people have these values, and the others are not in the table."""
    world: list[Any] = [ABSENT] * people
    for person, value in zip(members, values, strict=True):
        world[person] = value
    return tuple(world)


def _weight(outcome: Any, published: Hashable) -> Any:
    if isinstance(outcome, Mapping):
        return outcome.get(published, 0)
    return int(outcome == published)
