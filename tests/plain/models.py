"""The privacy models as their definitions read: one group's counts and the table's, in integers and fractions.

``protected`` are sets of codes that count as one value each; every code for itself when not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import prod

Counts = Sequence[int]
Sets = Sequence[frozenset[int]]


def merged(counts: Counts, protected: Sets | None) -> tuple[list[int], list[int]]:
    """The counts with every protected set as one value, and the places of the protected ones."""
    sets = [frozenset([code]) for code in range(len(counts))] if protected is None else list(protected)
    rest = [code for code in range(len(counts)) if not any(code in one for one in sets)]
    together = [sum(counts[code] for code in one) for one in sets]
    return together + [counts[code] for code in rest], list(range(len(sets)))


def simple(counts: Counts, l: int, protected: Sets | None = None) -> bool:
    """No protected value has more than one row in l."""
    values, places = merged(counts, protected)
    return all(values[place] * l <= sum(counts) for place in places)


def alpha_k(counts: Counts, alpha: Fraction, k: int, protected: Sets | None = None) -> bool:
    """At least k rows, and no protected value has a share above alpha."""
    values, places = merged(counts, protected)
    return sum(counts) >= k and all(values[place] <= alpha * sum(counts) for place in places)


def exposed(counts: Counts, protected: Sets | None) -> bool:
    """Whether a protected value occurs."""
    values, places = merged(counts, protected)
    return any(values[place] for place in places)


def distinct(counts: Counts, l: int, protected: Sets | None = None) -> bool:
    """At least l values occur, if a protected one does."""
    values, _ = merged(counts, protected)
    return not exposed(counts, protected) or sum(value > 0 for value in values) >= l


def entropy(counts: Counts, l: Fraction, protected: Sets | None = None) -> bool:
    """H >= ln l, multiplied by the number of rows and exponentiated; if a protected value occurs."""
    values, _ = merged(counts, protected)
    rows = sum(values)
    right = l.numerator**rows * prod(value**value for value in values)
    return not exposed(counts, protected) or rows**rows * l.denominator**rows >= right


def recursive(counts: Counts, c: Fraction, l: int, protected: Sets | None = None) -> bool:
    """Whatever l - 2 other values are ruled out, a protected value has fewer than c times the rows that are left."""
    values, places = merged(counts, protected)
    if l == 1:
        return all(not values[place] or values[place] < c * sum(values) for place in places)
    for place in places:
        others = values[:place] + values[place + 1 :]
        ruled_out = max((sum(some) for some in combinations(others, min(l - 2, len(others)))), default=0)
        if values[place] and not values[place] < c * (sum(others) - ruled_out):
            return False
    return True


def total_variation(counts: Counts, table: Counts) -> Fraction:
    """The largest excess of a set of values."""
    excess = [Fraction(c, sum(counts)) - Fraction(q, sum(table)) for c, q in zip(counts, table, strict=True)]
    return sum((gain for gain in excess if gain > 0), Fraction(0))


def ordered_distance(counts: Counts, table: Counts) -> Fraction:
    """What flows over every step from one rank to the next, over the number of steps."""
    flow, total = Fraction(0), Fraction(0)
    for c, q in zip(counts, table, strict=True):
        flow += Fraction(c, sum(counts)) - Fraction(q, sum(table))
        total += abs(flow)
    return total / (len(table) - 1) if len(table) > 1 else Fraction(0)


def k_e(counts: Counts, numbers: Sequence[Fraction | None], k: int, e: Fraction, different: bool) -> bool:
    """At least k rows, or different values, that span at least e; a null spans nothing."""
    held = [number for c, number in zip(counts, numbers, strict=True) if c and number is not None]
    span = max(held) - min(held) if held else Fraction(0)
    return (sum(c > 0 for c in counts) if different else sum(counts)) >= k and span >= e


@cache
def exponential(power: Fraction) -> Decimal:
    """e to a power, to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return (Decimal(power.numerator) / Decimal(power.denominator)).exp()


def below(factor: Fraction, power: Fraction) -> bool:
    """Whether a factor is below e to a power; 60 digits are enough for the small fractions of the tests."""
    with localcontext() as context:
        context.prec = 60
        return Decimal(factor.numerator) < exponential(power) * factor.denominator


def delta_disclosure(counts: Counts, table: Counts, delta: Fraction) -> bool:
    """No value of the table is e**delta times more or less frequent."""
    pairs = [(Fraction(c, sum(counts)), Fraction(q, sum(table))) for c, q in zip(counts, table, strict=True) if q]
    return all(p > 0 and below(p / q, delta) and below(q / p, delta) for p, q in pairs)


def gains(counts: Counts, table: Counts) -> list[tuple[Fraction, Fraction]]:
    """The relative gain of every value that gains, and its frequency in the table."""
    pairs = [(Fraction(c, sum(counts)), Fraction(q, sum(table))) for c, q in zip(counts, table, strict=True) if q]
    return [((p - q) / q, q) for p, q in pairs if p > q]


def beta_likeness(counts: Counts, table: Counts, beta: Fraction) -> bool:
    """No value gains more than beta."""
    return all(gain <= beta for gain, _ in gains(counts, table))


def enhanced_beta_likeness(counts: Counts, table: Counts, beta: Fraction) -> bool:
    """No value gains more than beta or -ln of its frequency in the table."""
    return all(gain <= beta and not below(1 / q, gain) for gain, q in gains(counts, table))


def presence(counts: Counts, low: Fraction, high: Fraction) -> bool:
    """The share of the second count is between low and high."""
    return low <= Fraction(counts[1], sum(counts)) <= high


def sub_multisets(counts: Counts) -> Iterator[tuple[int, ...]]:
    """Every choice of at least one row."""
    for chosen in product(*(range(count + 1) for count in counts)):
        if any(chosen):
            yield chosen


def worst_case_size(counts: Counts, holds: Callable[[Counts], bool]) -> tuple[int | None, int | None]:
    """The smallest size from which on every choice of rows passes, and the smallest at which every choice does."""
    failing = {sum(chosen) for chosen in sub_multisets(counts) if not holds(chosen)}
    rows = sum(counts)
    passing = [size for size in range(1, rows + 1) if size not in failing]
    from_then_on = next((size for size in passing if not any(other > size for other in failing)), None)
    return (None if rows in failing else from_then_on), next(iter(passing), None)
