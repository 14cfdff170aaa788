"""Mondrian and Audited written down as they are defined, for comparison with the compiled kernels.

A model is a function from the sensitive values of a group to whether the group satisfies it. Groups come out left to
right; nothing is imported from the package's methods or kernels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb

from plain.transparent import Geometry, Group, Vectors, extent

Satisfies = Callable[[Sequence[int]], bool]


def candidates(group: Sequence[int], codes: Vectors, geometry: Sequence[Geometry]) -> list[int]:
    """The attributes on which the group has an extent, widest first; ties: lowest attribute."""
    extents = [one.importance * extent([codes[row][i] for row in group], one) for i, one in enumerate(geometry)]
    return sorted((i for i, e in enumerate(extents) if e > 0), key=lambda i: (-extents[i], i))


def cut_on(
    group: Sequence[int], attribute: int, codes: Vectors, order: Sequence[int], strict: bool
) -> tuple[Group, Group]:
    """The two sides; nothing on the left when a strict cut does not exist.

    >>> cut_on([0, 1, 2, 3, 4], 0, [(7,), (5,), (5,), (5,), (9,)], [4, 3, 2, 1, 0], strict=False)
    ([3, 2, 1], [0, 4])
    >>> cut_on([0, 1, 2, 3, 4], 0, [(7,), (5,), (5,), (5,), (9,)], [4, 3, 2, 1, 0], strict=True)
    ([], [3, 2, 1, 0, 4])
    """
    line = sorted(group, key=lambda row: (codes[row][attribute], order[row]))
    if not strict:
        half = (len(line) + 1) // 2
        return line[:half], line[half:]
    median = codes[line[len(line) // 2]][attribute]
    return [r for r in line if codes[r][attribute] < median], [r for r in line if codes[r][attribute] >= median]


def cuts(
    group: Sequence[int], codes: Vectors, order: Sequence[int], geometry: Sequence[Geometry], strict: bool
) -> Iterator[tuple[Group, Group]]:
    """The cuts that Mondrian may try, widest first."""
    for attribute in candidates(group, codes, geometry):
        left, right = cut_on(group, attribute, codes, order, strict)
        if left:
            yield left, right


def mondrian(
    codes: Vectors,
    order: Sequence[int],
    sensitive: Vectors,
    satisfies: Satisfies,
    geometry: Sequence[Geometry],
    *,
    strict: bool = False,
    retry: bool = True,
    rows: Sequence[int] | None = None,
) -> list[Group]:
    """Make the first cut whose sides both satisfy the model; without ``retry`` only the first cut is tried."""
    group = list(range(len(codes)) if rows is None else rows)
    for sides in cuts(group, codes, order, geometry, strict):
        if all(satisfies([sensitive[row][0] for row in side]) for side in sides):
            return [
                leaf
                for side in sides
                for leaf in mondrian(
                    codes, order, sensitive, satisfies, geometry, strict=strict, retry=retry, rows=side
                )
            ]
        if not retry:
            break
    return [sorted(group)]


def first_side_when_refused(
    sides: tuple[int, int], counts: Sequence[int], protected: Sequence[int], share: Fraction
) -> dict[int, Fraction] | None:
    """For each protected value its mean number of rows on the first side, given that some protected value has more than
    its share of a side; None when that cannot be. Every arrangement that passes is counted, value after value.

    >>> first_side_when_refused((2, 4), [2, 4], [0], Fraction(1, 2))
    {0: Fraction(2, 1)}
    """
    a, b = sides

    def passing(weighted: int | None) -> int:
        ways = [1] + [0] * a  # by the number of rows on the first side
        for value, count in enumerate(counts):
            more = [0] * (a + 1)
            for left in range(count + 1):
                if value in protected and (left > share * a or count - left > share * b):
                    continue
                weight = comb(count, left) * (left if value == weighted else 1)
                for before in range(a + 1 - left):
                    more[before + left] += weight * ways[before]
            ways = more
        return ways[a]

    refused = comb(a + b, a) - passing(None)
    if refused == 0:
        return None
    return {value: Fraction(counts[value] * comb(a + b - 1, a - 1) - passing(value), refused) for value in protected}


def surely_safe(a: int, b: int, count: int, share: Fraction) -> bool:
    """The simple bound of the audit for a value with so many rows, with fractions; see kernels/median.py."""
    at_a, at_b = int(share * a), int(share * b)
    if at_a == at_b:
        if count > 2 * at_b + 1 or b <= at_b:
            return False
        alone = Fraction(at_b + 1, 2 * (b - at_b)) * (at_b + 1 - share * a)
        return Fraction(count, 2) <= share * b and Fraction(count + 1, 2) + alone <= share * a
    above = count - at_b - 1
    if above <= 0 or count > 2 * at_b + 2 or Fraction(count + 1, 2) > share * a:
        return False
    odds = Fraction(b - count + at_b + 2, 2 * above)
    return (at_b + 1 - share * b) * odds <= share * b - Fraction(count, 2)


def refusal_is_safe(
    sides: tuple[int, int], counts: Sequence[int], protected: Sequence[int], share: Fraction, exact_up_to: int = 512
) -> bool:
    """Whether a refused cut would leave nobody with a posterior above the share, and is not certain."""
    a, b = sides
    if a == b:
        return True
    critical = [value for value in protected if counts[value] > share * b]
    if any(counts[value] > int(share * a) + int(share * b) for value in critical):
        return False  # it is certain; looking would lead to the same
    unsettled = [value for value in critical if not surely_safe(a, b, counts[value], share)]
    if not unsettled or a + b > exact_up_to:
        return not unsettled
    limit = share if a + b <= 50 else share * (1 - Fraction(1, 10**9))
    left = first_side_when_refused(sides, counts, protected, share)
    return left is None or all(left[v] <= limit * a and counts[v] - left[v] <= limit * b for v in unsettled)


def audited(
    codes: Vectors,
    order: Sequence[int],
    sensitive: Vectors,
    share: Fraction,
    geometry: Sequence[Geometry],
    *,
    least: int = 1,
    class_of: Callable[[int], int | None] = lambda value: value,
    audit: bool = True,
    rows: Sequence[int] | None = None,
) -> list[Group]:
    """One relaxed cut on the widest attribute, audited before its sides are looked at.

    A value's class is what is protected, None when it is not. ``audit=False`` is a method that must not be used.
    """
    group = list(range(len(codes)) if rows is None else rows)

    def classes(some: Sequence[int]) -> Counter[int | None]:
        return Counter(class_of(sensitive[row][0]) for row in some)

    def passes(side: Sequence[int]) -> bool:
        held = classes(side)
        return len(side) >= least and all(count <= share * len(side) for c, count in held.items() if c is not None)

    attributes = candidates(group, codes, geometry)
    if not attributes:
        return [sorted(group)]
    left, right = cut_on(group, attributes[0], codes, order, strict=False)
    held = classes(group)
    protected = [place for place, c in enumerate(held) if c is not None]
    sizes = (len(left), len(right))
    if min(sizes) < least or (audit and not refusal_is_safe(sizes, list(held.values()), protected, share)):
        return [sorted(group)]
    if not (passes(left) and passes(right)):
        return [sorted(group)]
    below = {"least": least, "class_of": class_of, "audit": audit}
    return [leaf for s in (left, right) for leaf in audited(codes, order, sensitive, share, geometry, **below, rows=s)]  # type: ignore[arg-type]
