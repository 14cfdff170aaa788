"""Odds ratios inside strata, as docs/strata.md defines them, in fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

ENOUGH = 5


def of_category(values: Sequence[Any]) -> list[Callable[[int, Sequence[int]], bool | None]]:
    """The sides of a category: each value against all others, in the strata that have it."""

    def side(one: Any) -> Callable[[int, Sequence[int]], bool | None]:
        return lambda row, stratum: values[row] == one if any(values[r] == one for r in stratum) else None

    return [side(one) for one in sorted(set(values), key=lambda v: (v is not None, str(v)))]


def of_ordered(values: Sequence[Any]) -> list[Callable[[int, Sequence[int]], bool | None]]:
    """The sides of an ordered column: above the lower median of the stratum, and not; null is on neither."""

    def above(row: int, stratum: Sequence[int]) -> bool | None:
        known = sorted(values[r] for r in stratum if values[r] is not None)
        return None if values[row] is None else values[row] > known[(len(known) - 1) // 2]

    return [above]


def ratios(
    strata: Sequence[Sequence[int]],
    sides: Sequence[Callable[[int, Sequence[int]], bool | None]],
    held: Sequence[Any],
    protected: Sequence[Any],
) -> list[tuple[Fraction | None, int, int]]:
    """Every ratio with enough people, at least 1 (None: infinite), with the people and strata that it rests on."""
    found = []
    for side in sides:
        for value in protected:
            more = less = expected = least = most = Fraction(0)
            people = several = 0
            for stratum in strata:
                on = {row: side(row, stratum) for row in stratum}
                rows = [row for row in stratum if on[row] is not None]
                n = len(rows)
                if not n:
                    continue
                a = sum(bool(on[r]) and held[r] == value for r in rows)
                b = sum(bool(on[r]) and held[r] != value for r in rows)
                c = sum(not on[r] and held[r] == value for r in rows)
                d = n - a - b - c
                more += Fraction(a * d, n)
                less += Fraction(b * c, n)
                expected += Fraction((a + b) * (a + c), n)
                least += max(0, (a + b) + (a + c) - n)
                most += min(a + b, a + c)
                if a + b and c + d and a + c and b + d:
                    people, several = people + n, several + 1
            if expected - least >= ENOUGH and most - expected >= ENOUGH:
                low, high = sorted([more, less])
                found.append((high / low if low else None, people, several))
    return found
