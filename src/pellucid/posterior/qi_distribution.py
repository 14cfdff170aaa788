"""The belief of somebody who knows how often each value occurs among people with certain quasi-identifiers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import ModelError
from pellucid.kernels import permanents as kernel
from pellucid.models.exact import exact as exactly

Value = TypeVar("Value", bound=Hashable)
Floats = NDArray[np.float64]
BUDGET = 2**22


@overload
def qi_distribution(
    probabilities: Sequence[Mapping[Value, Any]], values: Sequence[Value], *, exact: Literal[True], budget: int = BUDGET
) -> list[dict[Value, Fraction]]: ...


@overload
def qi_distribution(
    probabilities: Sequence[Mapping[Value, Any]],
    values: Sequence[Value],
    *,
    exact: Literal[False] = False,
    budget: int = BUDGET,
) -> list[dict[Value, float]]: ...


def qi_distribution(
    probabilities: Sequence[Mapping[Value, Any]], values: Sequence[Value], *, exact: bool = False, budget: int = BUDGET
) -> list[dict[Value, Fraction]] | list[dict[Value, float]]:
    """For each row of a group, how probable each of the group's values is.

    ``probabilities[row]`` says how probable each value is for somebody with that row's quasi-identifiers (a value that
    it leaves out has probability 0); ``values`` are the group's sensitive values, in no particular order. A world gives
    every row one of the values, and weighs the product of its rows' probabilities. The belief that a row has a value
    is the share of the worlds in which it does: a ratio of permanents.

    Worlds are summed without listing them. Rows with the same odds count as one class, and so do equal values. With
    two different values the sum is an elementary symmetric polynomial of the odds, for groups of any size. Otherwise
    the values are dealt out one by one (or the rows, whichever needs fewer states) and the state is how many of each
    class of the other side are used up, which makes the product of (class size + 1) states. When both products exceed
    ``budget`` the question is refused.

    Floats have a relative error below 1e-9. With ``exact`` the result is fractions, and a probability may be a
    Fraction, a Decimal, text such as ``"1/3"``, or a float, which counts as the decimal that a person wrote.

    >>> s1, s2 = {"flu": 0.5, "gout": 0.5}, {"flu": 0.2, "gout": 0.8}
    >>> qi_distribution([s1, s1, s2, s2], ["flu", "flu", "gout", "gout"], exact=True)[0]["flu"]
    Fraction(8, 11)
    """
    if len(probabilities) != len(values):
        raise ModelError(
            f"{len(probabilities):,} rows and {len(values):,} values: a group has one value for each of its rows"
        )
    if not values:
        return []
    group = _Group.of(probabilities, Counter(values))
    belief = _belief(group, exact, budget)
    number: Any = Fraction if exact else float
    of_class = [dict(zip(group.values, map(number, of), strict=True)) for of in belief]
    return [dict(of_class[s]) for s in group.class_of]


def _belief(group: _Group, exact: bool, budget: int) -> Any:
    """For a row of each class how probable each value is, by the quickest way that there is."""
    if len(group.values) == 1:
        if any(not weights[0] for weights in group.weights):
            raise _contradiction()
        return [[Fraction(1)] for _ in group.sizes]
    if len(group.values) == 2:
        return _two_values_exactly(group) if exact else _two_values(group)
    _within(budget, group)
    return _many_values_exactly(group) if exact else _many_values(group)


@dataclass(frozen=True)
class _Group:
    """Rows in classes of equal odds: probabilities matter up to a factor, so each class has coprime integers."""

    values: list[Any]
    counts: list[int]
    weights: list[tuple[int, ...]]
    sizes: list[int]
    class_of: list[int]

    @classmethod
    def of(cls, probabilities: Sequence[Mapping[Any, Any]], counts: Counter[Any]) -> _Group:
        probabilities = list(probabilities)  # an id is one object only while that object lives
        numbers: dict[tuple[int, ...], int] = {}
        class_of = []
        seen: dict[int, int] = {}  # people of one kind often come with one and the same distribution
        for row, of in enumerate(probabilities):
            if id(of) in seen:
                class_of.append(seen[id(of)])
                continue
            given = [_probability(of.get(value, 0), row, value) for value in counts]
            common = math.lcm(*(p.denominator for p in given))
            whole = [p.numerator * (common // p.denominator) for p in given]
            divisor = math.gcd(*whole) or 1
            seen[id(of)] = numbers.setdefault(tuple(w // divisor for w in whole), len(numbers))
            class_of.append(seen[id(of)])
        sizes = Counter(class_of)
        return cls(list(counts), list(counts.values()), list(numbers), [sizes[s] for s in range(len(sizes))], class_of)


_of_float = lru_cache(maxsize=1 << 16)(exactly)  # a table has few different shares, and many groups


def _probability(given: Any, row: int, value: object) -> Fraction:
    given = given.item() if isinstance(given, np.generic) else given
    try:
        number = _of_float(given) if type(given) is float else exactly(given)
    except ValueError as error:
        raise ModelError(f"row {row}: the probability of {value!r} is {given!r}", f"it {error}") from None
    if not 0 <= number <= 1:
        raise ModelError(f"row {row}: the probability of {value!r} is {given!r}", "it must be between 0 and 1")
    return number


def _contradiction() -> ModelError:
    return ModelError(
        "no world is possible: by these probabilities the rows cannot have these values", "correct the probabilities"
    )


def _within(budget: int, group: _Group) -> None:
    """Refuse what would take too long."""
    states = min(math.prod(size + 1 for size in group.sizes), math.prod(count + 1 for count in group.counts))
    if states > budget:
        raise ModelError(
            "a group of {class_of:,} rows with {sizes:,} different distributions and "
            "{group:,} values needs {states:.3g} states, and the budget is {budget:,}",
            "ask about smaller groups, or raise {THE_BUDGET}",
            class_of=len(group.class_of),
            sizes=len(group.sizes),
            group=len(group.values),
            states=states,
            budget=budget,
        )


def _two_values_exactly(group: _Group) -> list[list[Fraction]]:
    """Belief = a e(c - 1) / e(c), where e counts the worlds of the other rows by how many have the first value."""
    # the coefficient of x**k: the worlds in which k rows have the first value
    whole = [1]
    for (first, second), size in zip(group.weights, group.sizes, strict=True):
        for _ in range(size):
            whole = [
                second * (whole[k] if k < len(whole) else 0) + first * (whole[k - 1] if k else 0)
                for k in range(len(whole) + 1)
            ]
    c = group.counts[0]
    if not whole[c]:
        raise _contradiction()
    belief = []
    for first, second in group.weights:
        p = Fraction(first * _without_one(whole, first, second, c), whole[c])
        belief.append([p, 1 - p])
    return belief


def _without_one(whole: Sequence[int], first: int, second: int, c: int) -> int:
    """The worlds of the other rows in which c - 1 have the first value, without a row of these weights.

    By synthetic division, from the end that can be divided.
    """
    without = 0
    if second:
        for k in range(c):
            without = (whole[k] - first * without) // second
    else:
        for k in range(len(whole) - 1, c - 1, -1):
            without = (whole[k] - second * without) // first
    return without


def _two_values(group: _Group) -> list[list[float]]:
    """The same in floats, with the odds tilted so that c is the average: nothing overflows and the sum is large."""
    certain = [not second for _, second in group.weights]
    never = [not first for first, _ in group.weights]
    first_left, second_left = _left_for_others(group, certain, never)
    belief = [[1.0, 0.0] if sure else [0.0, 1.0] for sure in certain]
    free = [s for s, (first, second) in enumerate(group.weights) if first and second]
    for s, shares in zip(free, _free_shares(group, free, first_left, second_left), strict=True):
        belief[s] = shares
    return belief


def _left_for_others(group: _Group, certain: Sequence[bool], never: Sequence[bool]) -> tuple[int, int]:
    """How many rows have the first and the second value, without those that are certain to have one of them."""
    first_left = group.counts[0] - _rows_of(group, certain)
    second_left = group.counts[1] - _rows_of(group, never)
    if any(map(all, zip(certain, never, strict=True))) or first_left < 0 or second_left < 0:
        raise _contradiction()
    return first_left, second_left


def _rows_of(group: _Group, chosen: Sequence[bool]) -> int:
    return sum(size for size, counts in zip(group.sizes, chosen, strict=True) if counts)


def _free_shares(group: _Group, classes: Sequence[int], c: int, others: int) -> list[list[float]]:
    """For a row of each of these classes, how probable the two values are when c rows have the first."""
    if not c or not others:
        return [[1.0, 0.0] if c else [0.0, 1.0] for _ in classes]
    logs = np.array([math.log(group.weights[s][0]) - math.log(group.weights[s][1]) for s in classes])
    sizes = np.array([group.sizes[s] for s in classes], np.int64)
    logs += _tilt(logs, sizes, c)
    odds = np.exp(-np.abs(logs))
    larger, smaller = 1 / (1 + odds), odds / (1 + odds)
    first, second = np.where(logs > 0, larger, smaller), np.where(logs > 0, smaller, larger)
    return _shares(first, second, sizes, c)


def _tilt(logs: Floats, sizes: NDArray[np.int64], c: int) -> float:
    """What to add to the log odds so that c rows have the value on average."""
    low, high = -float(logs.max()) - 50.0, -float(logs.min()) + 50.0
    for _ in range(100):
        middle = (low + high) / 2
        if (sizes / (1 + np.exp(-np.clip(logs + middle, -700, 700)))).sum() < c:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _shares(first: Floats, second: Floats, sizes: NDArray[np.int64], c: int) -> list[list[float]]:
    """For a row of each class, how probable the two values are, given that c rows in all have the first.

    The distribution of how many of the *other* rows have it is handed down a tree of classes; nothing is subtracted.
    """
    shares: list[list[float]] = [[] for _ in sizes]

    def power(p: float, q: float, n: int) -> Floats:
        result, square = np.ones(1), np.array([q, p])
        while n:
            if n & 1:
                result = np.convolve(result, square)
            n >>= 1
            if n:
                square = np.convolve(square, square)
        return result

    def product(a: int, b: int) -> Floats:
        if b - a == 1:
            return power(first[a], second[a], int(sizes[a]))
        middle = (a + b) // 2
        return np.convolve(product(a, middle), product(middle, b))

    def descend(a: int, b: int, others: Floats) -> None:
        if b - a == 1:
            rest = np.convolve(others, power(first[a], second[a], int(sizes[a]) - 1))
            has = first[a] * rest[c - 1]
            lacks = second[a] * rest[c] if c < len(rest) else 0.0
            shares[a] = [float(has / (has + lacks)), float(lacks / (has + lacks))]
            return
        middle = (a + b) // 2
        descend(a, middle, np.convolve(others, product(middle, b)))
        descend(middle, b, np.convolve(others, product(a, middle)))

    descend(0, len(sizes), np.ones(1))
    return shares


def _many_values(group: _Group) -> list[list[float]]:
    """In floats, by the kernel; what they cannot hold is counted exactly."""
    largest = [max(weights) for weights in group.weights]
    weights = np.array(
        [[Fraction(w, top or 1) for w in of] for of, top in zip(group.weights, largest, strict=True)], np.float64
    )
    expected = np.zeros_like(weights)
    total = kernel.expected(weights, np.array(group.sizes, np.int32), np.array(group.counts, np.int32), expected)
    if not 1e-200 < total < 1e200:
        return [list(map(float, of)) for of in _many_values_exactly(group)]
    shares: list[list[float]] = (expected / np.array(group.sizes)[:, None]).tolist()
    return shares


def _many_values_exactly(group: _Group) -> list[list[Fraction]]:
    """Deal out one side item by item, keeping track of how many of each class of the other side are used up."""
    by_rows = math.prod(size + 1 for size in group.sizes) <= math.prod(count + 1 for count in group.counts)
    weights = group.weights if by_rows else list(zip(*group.weights, strict=True))
    kept, dealt = (group.sizes, group.counts) if by_rows else (group.counts, group.sizes)
    met, total = _met(weights, kept, dealt)
    return [
        [Fraction(met[s][v] if by_rows else met[v][s], total * size) for v in range(len(group.counts))]
        for s, size in enumerate(group.sizes)
    ]


Used = tuple[int, ...]  # how many of each class


def _reached(weights: Sequence[Sequence[int]], kept: list[int], items: Sequence[int]) -> list[dict[Used, int]]:
    """Before each item and after the last: how much of each class can be used up, with the weight of the ways there."""
    reached: list[dict[Used, int]] = [{(0,) * len(kept): 1}]
    for c in items:
        after: dict[Used, int] = {}
        for used, ways in reached[-1].items():
            for k, state in _steps(used, kept):
                if weights[k][c]:
                    after[state] = after.get(state, 0) + ways * weights[k][c]
        reached.append(after)
    return reached


def _met(weights: Sequence[Sequence[int]], kept: list[int], dealt: list[int]) -> tuple[list[list[int]], int]:
    """The weight of the worlds, once for each item of class c that a class k meets in them; and that of all worlds."""
    items = [c for c, count in enumerate(dealt) for _ in range(count)]
    reached = _reached(weights, kept, items)
    if not reached[-1]:
        raise _contradiction()
    (total,) = reached[-1].values()
    met = [[0] * len(dealt) for _ in kept]
    following = {tuple(kept): 1}
    for c, states in zip(reversed(items), reversed(reached[:-1]), strict=True):
        before: dict[Used, int] = {}
        for used, ways in states.items():
            for k, state in _steps(used, kept):
                rest = weights[k][c] * following.get(state, 0)
                if rest:
                    before[used] = before.get(used, 0) + rest
                    met[k][c] += ways * rest
        following = before
    return met, total


def _steps(used: Used, kept: list[int]) -> Iterator[tuple[int, Used]]:
    """The states after one more item: the class that it uses, and what is used up then."""
    for k, count in enumerate(kept):
        if used[k] < count:
            yield k, (*used[:k], used[k] + 1, *used[k + 1 :])
