"""OptGen as it is defined: every partition of the distinct vectors is tried. Nothing is imported from the methods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Table


def covered(codes: Sequence[int], attribute: Attribute) -> set[int]:
    """The codes of the column that lie in what is published of these codes."""
    every = range(len(attribute))
    if attribute.chains is not None:
        for level in attribute.chains.tolist():
            if len({level[code] for code in codes}) == 1:
                return {code for code in every if level[codes[0]] in attribute.chains[:, code].tolist()}
    if attribute.kind is Kind.CATEGORY:
        return set(codes)
    nulls = {0} if attribute.has_null and 0 in codes else set()
    known = set(codes) - nulls
    return nulls | {code for code in every if known and min(known) <= code <= max(known)}


def partitions(n: int) -> Iterator[list[int]]:
    """Every partition of n things as a list of group numbers, groups numbered by their first thing.

    >>> list(partitions(3))
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """

    def extend(head: list[int]) -> Iterator[list[int]]:
        if len(head) == n:
            yield head
            return
        for number in range(max(head, default=-1) + 2):
            yield from extend([*head, number])

    yield from extend([])


def opt_gen(table: Table, l: int) -> list[int] | None:
    """The group of each row, or None when there is no partition."""
    quasi, (secret,) = table.having(Role.QUASI), table.having(Role.SENSITIVE)
    rows = list(zip(*(table.codes[i].tolist() for i in quasi), strict=True))
    values = table.codes[secret].tolist()
    vectors = sorted(set(rows))
    best = None
    for numbers in partitions(len(vectors)):
        of_vector = dict(zip(vectors, numbers, strict=True))
        groups = [[row for row, v in enumerate(rows) if of_vector[v] == g] for g in range(max(numbers) + 1)]
        cost = sum(len(group) ** 2 for group in groups)
        # ties: group after group, the one that holds the earliest vector in which two partitions differ
        rank = cost, [[int(number != g) for number in numbers] for g in range(max(numbers) + 1)]
        if best is not None and rank >= best[0]:
            continue
        if any(max(Counter(values[row] for row in group).values()) * l > len(group) for group in groups):
            continue
        boxes = [
            [covered([rows[row][i] for row in group], table.attributes[a]) for i, a in enumerate(quasi)]
            for group in groups
        ]
        if any(
            all(one & other for one, other in zip(boxes[g], boxes[h], strict=True))
            for g in range(len(boxes))
            for h in range(g)
        ):
            continue
        best = rank, [of_vector[v] for v in rows]
    return None if best is None else best[1]
