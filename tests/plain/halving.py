"""Mondrian and Audited written down as they are defined, for comparison with the compiled kernels.

A model is a function from the sensitive values of a group to whether the group satisfies it. Groups come out left to
right; nothing is imported from the package's methods or kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plain.transparent import Geometry, Group, Vectors, extent

Satisfies = Callable[[Sequence[int]], bool]


def candidates(group: Sequence[int], codes: Vectors, geometry: Sequence[Geometry]) -> list[int]:
    """The attributes on which the group has an extent, widest first; ties: lowest attribute."""
    extents = [extent([codes[row][i] for row in group], one) for i, one in enumerate(geometry)]
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
