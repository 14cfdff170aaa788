"""The least number of rows of which any choice from a group satisfies a model, as each model's definition reads.

For every size the worst choice is written down; the answer is the first size from which on the worst choice passes.
That it is the worst is checked against all choices in tests/property/test_tailor_by_model.py. None: not even all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from plain import models
from plain.models import Counts, Sets

Least = Callable[[Counts, Counts], int | None]  # of a group's counts and the table's


def from_then_on(rows: int, passes: Callable[[int], bool]) -> int | None:
    """The smallest size such that it and all larger ones pass."""
    if not passes(rows):
        return None
    size = rows
    while size > 1 and passes(size - 1):
        size -= 1
    return size


def k_anonymity(counts: Counts, k: int) -> int | None:
    return k if sum(counts) >= k else None


def simple(counts: Counts, l: int, protected: Sets | None = None) -> int | None:
    values, places = models.merged(counts, protected)
    return from_then_on(sum(counts), lambda s: all(l * min(values[p], s) <= s for p in places))


def alpha_k(counts: Counts, alpha: Fraction, k: int, protected: Sets | None = None) -> int | None:
    values, places = models.merged(counts, protected)
    return from_then_on(sum(counts), lambda s: s >= k and all(min(values[p], s) <= alpha * s for p in places))


def distinct(counts: Counts, l: int, protected: Sets | None = None) -> int | None:
    """A protected value in full, then the most frequent others: the fewest values that so many rows can have."""
    values, places = models.merged(counts, protected)

    def fewest(place: int, size: int) -> int:
        others = sorted(values[:place] + values[place + 1 :], reverse=True)
        taken, found = values[place], 1
        while taken < size:
            taken += others[found - 1]
            found += 1
        return found

    return from_then_on(sum(counts), lambda s: all(fewest(p, s) >= l for p in places if values[p]))


def entropy(counts: Counts, l: Fraction) -> int | None:
    """The most frequent values in full: the least entropy that so many rows can have."""

    def filled(size: int) -> list[int]:
        chosen: list[int] = []
        for count in sorted(counts, reverse=True):
            chosen.append(min(count, size - sum(chosen)))
        return chosen

    return from_then_on(sum(counts), lambda s: models.entropy(filled(s), l))


def recursive(counts: Counts, c: Fraction, l: int, protected: Sets | None = None) -> int | None:
    """A protected value in full, its l - 2 most frequent rivals in full, and the rest."""
    values, places = models.merged(counts, protected)

    def passes(place: int, size: int) -> bool:
        held = min(values[place], size)
        if l == 1:
            return held < c * size
        rivals = sorted(values[:place] + values[place + 1 :], reverse=True)[: l - 2]
        return held < c * max(0, size - held - sum(rivals))

    return from_then_on(sum(counts), lambda s: all(passes(p, s) for p in places if values[p]))


def total_variation(counts: Counts, table: Counts, t: Fraction) -> int | None:
    """The set of values of which so many rows hold most, compared with its share of the table."""
    rarest = {0: 0}  # rows of a set in the group -> the least rows of such a set in the table
    for count, whole in zip(counts, table, strict=True):
        for rows, rare in list(rarest.items()):
            rarest[rows + count] = min(rarest.get(rows + count, sum(table)), rare + whole)
    whole = sum(table)
    return from_then_on(
        sum(counts), lambda s: max(Fraction(min(s, w), s) - Fraction(r, whole) for w, r in rarest.items()) <= t
    )


def ordered_distance(counts: Counts, table: Counts, t: Fraction) -> int | None:
    """Value by value, the largest sum of flows for every number of rows chosen so far."""
    whole, last = sum(table), len(table) - 1

    def farthest(size: int) -> Fraction:
        best: dict[int, int] = {0: 0}  # in units of 1 / (size * whole)
        below = 0
        for place, count in enumerate(counts):
            below += table[place]
            following: dict[int, int] = {}
            for chosen, total in best.items():
                for more in range(min(count, size - chosen) + 1):
                    flow = abs((chosen + more) * whole - below * size) if place < last else 0
                    following[chosen + more] = max(following.get(chosen + more, 0), total + flow)
            best = following
        return Fraction(best[size], size * whole * last) if last else Fraction(0)

    return from_then_on(sum(counts), lambda s: farthest(s) <= t)


def k_e(counts: Counts, numbers: Sequence[Fraction | None], k: int, e: Fraction, different: bool) -> int | None:
    """All nulls and the fullest window narrower than e; and for k, the most frequent values."""
    nulls = sum(c for c, number in zip(counts, numbers, strict=True) if number is None)
    held = [(number, c) for c, number in zip(counts, numbers, strict=True) if number is not None]
    window = max((sum(c for other, c in held if x <= other < x + e) for x, _ in held), default=0)
    needed = 1 if e == 0 else nulls + window + 1
    most = sorted(counts, reverse=True)
    needed = max(needed, 1 + sum(most[: k - 1]) if different else k)
    return needed if needed <= sum(counts) else None


def beta_likeness(counts: Counts, table: Counts, beta: Fraction) -> int | None:
    whole = sum(table)
    pairs = [(c, Fraction(q, whole)) for c, q in zip(counts, table, strict=True) if c]
    return from_then_on(sum(counts), lambda s: all(min(c, s) <= s * q * (1 + beta) for c, q in pairs))


def enhanced_beta_likeness(counts: Counts, table: Counts, beta: Fraction) -> int | None:
    whole = sum(table)
    pairs = [(c, Fraction(q, whole)) for c, q in zip(counts, table, strict=True) if c]

    def passes(count: int, share: Fraction, size: int) -> bool:
        gain = Fraction(min(count, size), size) / share - 1
        return gain <= 0 or (gain <= beta and not models.below(1 / share, gain))

    return from_then_on(sum(counts), lambda s: all(passes(c, q, s) for c, q in pairs))


def delta_disclosure(counts: Counts, table: Counts, delta: Fraction) -> int | None:
    whole, rows = sum(table), sum(counts)
    pairs = [(c, Fraction(q, whole)) for c, q in zip(counts, table, strict=True) if q]

    def passes(count: int, share: Fraction, size: int) -> bool:
        most, fewest = Fraction(min(count, size), size), Fraction(max(0, count + size - rows), size)
        return fewest > 0 and models.below(most / share, delta) and models.below(share / fewest, delta)

    return from_then_on(rows, lambda s: all(passes(c, q, s) for c, q in pairs))
