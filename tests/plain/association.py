"""How much one column says about another, as it is defined: person by person and pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import log


def hits(first: Sequence[int], second: Sequence[int], people: Sequence[int]) -> Fraction:
    """How many of these people their nearest others foretell; a tie is decided by a coin."""
    return sum((hit(first, second, person) for person in people), Fraction(0))


def hit(first: Sequence[int], second: Sequence[int], person: int) -> Fraction:
    same = [other for other in range(len(first)) if other != person and first[other] == first[person]]
    if same:
        return _chance(Counter(second[other] for other in same), second[person])
    values = sorted(set(first))
    place = values.index(first[person])
    beside = [values[i] for i in (place - 1, place + 1) if 0 <= i < len(values)]
    tops = [_top(Counter(s for f, s in zip(first, second, strict=True) if f == value)) for value in beside]
    return Fraction(sum(top == second[person] for top in tops), len(tops)) if tops else Fraction(0)


def _chance(counts: Counter[int], value: int) -> Fraction:
    most = max(counts.values())
    best = [one for one, count in counts.items() if count == most]
    return Fraction(value in best, len(best))


def _top(counts: Counter[int]) -> int:
    """The most frequent value, the smallest among equals."""
    return min(counts, key=lambda value: (-counts[value], value))


def foretold(first: Sequence[int], second: Sequence[int], sure: float) -> float:
    """Goodman and Kruskal's lambda with each person left out, where chance does not do as well."""
    sizes = Counter(first)
    repeating = [person for person in range(len(first)) if sizes[first[person]] > 1]
    figures = [_lambda(first, second, range(len(first)), sure)]
    if 10 * len(repeating) >= len(first) and repeating:
        figures.append(_lambda(first, second, repeating, sure))
    return max(figures)


def _lambda(first: Sequence[int], second: Sequence[int], people: Sequence[int], sure: float) -> float:
    sizes = Counter(first[person] for person in people)
    base = Fraction(max(Counter(second[person] for person in people).values()), len(people))
    share = hits(first, second, people) / len(people)
    comparisons = sum(size - 1 for size in sizes.values()) + sum(size == 1 for size in sizes.values()) / 2
    if base == 1 or share <= base:
        return 0.0
    apart = sum(float(p) * log(p / q) for p, q in ((share, base), (1 - share, 1 - base)) if p > 0)
    return float((share - base) / (1 - base)) if comparisons * apart >= sure else 0.0


def of_one_value(first: Sequence[int], second: Sequence[int], sure: float) -> float:
    """The largest figure of a single value: how many of those with the same first value foretell who has it."""
    people, sizes = range(len(first)), Counter(first)
    figures = [0.0]
    for value in set(second):
        has = [int(one == value) for one in second]
        base = Fraction(max(Counter(has).values()), len(first))
        share = hits(first, has, [person for person in people if sizes[first[person]] > 1]) / len(first)
        share += base * sum(size == 1 for size in sizes.values()) / len(first)
        if base < 1 and share > base:
            apart = sum(float(p) * log(p / q) for p, q in ((share, base), (1 - share, 1 - base)) if p > 0)
            if (len(first) - len(sizes)) * apart >= sure:
                figures.append(float((share - base) / (1 - base) * min(Fraction(1), 5 * (1 - base))))
    return max(figures) if max(figures) >= 0.5 else 0.0


def of_rare_value(first: Sequence[int], second: Sequence[int], sure: float) -> float:
    """The largest figure of a value that fewer than a fifth have; whoever is alone with theirs is guessed."""
    people, sizes = range(len(first)), Counter(first)
    figures = [0.0]
    for value, having in Counter(second).items():
        has = [int(one == value) for one in second]
        base = 1 - Fraction(having, len(first))
        if base <= Fraction(4, 5):
            continue
        alone = [person for person in people if sizes[first[person]] == 1]
        share = hits(first, has, [person for person in people if sizes[first[person]] > 1]) / len(first)
        share += Fraction(sum(not has[person] for person in alone), len(first))
        if share > base:
            apart = sum(float(p) * log(p / q) for p, q in ((share, base), (1 - share, 1 - base)) if p > 0)
            if (len(first) - len(sizes)) * apart >= sure:
                figures.append(float((share - base) / (1 - base)))
    return max(figures) if max(figures) >= 0.5 else 0.0


def tenths(second: Sequence[int]) -> list[int]:
    """The tenth of the people that each value belongs to, by the middle of its people."""
    below = {value: sum(other < value for other in second) for value in set(second)}
    counts = Counter(second)
    return [int((below[value] + counts[value] / 2) * 10 / len(second)) for value in second]


def in_order(first: Sequence[int], second: Sequence[int]) -> float:
    """Somers' d, without its sign."""
    pairs = [(a, b) for a, b in combinations(range(len(first)), 2) if second[a] != second[b]]
    right = sum((first[a] - first[b]) * (second[a] - second[b]) > 0 for a, b in pairs)
    wrong = sum((first[a] - first[b]) * (second[a] - second[b]) < 0 for a, b in pairs)
    return abs(right - wrong) / len(pairs)


def apart(first: Sequence[int], second: Sequence[int]) -> float:
    """Of the pairs of people, with each person beside themselves, how many more differ in the second than the first."""
    n = len(first)
    differing = [1 - sum(count**2 for count in Counter(column).values()) / n**2 for column in (first, second)]
    return min(1.0, differing[0] / differing[1])
