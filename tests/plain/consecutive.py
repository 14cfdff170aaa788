"""Anatomy and the methods that group consecutive rows, written down as they are defined, with their exact laws.

Nothing is imported from the package's methods or kernels. A row is its number in the input, a value the code of its
sensitive value. Groups are listed in the order in which they are made. What is suppressed is in no group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product

Group = list[int]
Grouping = tuple[tuple[int, ...], ...]
Law = dict[Grouping, Fraction]
Holds = Callable[[Sequence[int]], bool]  # whether the sensitive values of a group satisfy the model


def diverse(l: int, binary: Sequence[int] | None = None) -> Holds:
    """No value has more than one row in l; with ``binary``, the rows with one of these values are at most one in l."""

    def holds(values: Sequence[int]) -> bool:
        if binary is not None:
            return sum(value in binary for value in values) * l <= len(values)
        return all(count * l <= len(values) for count in Counter(values).values())

    return holds


def hilbert_place(vector: Sequence[int], sizes: Sequence[int]) -> int:
    """The place of a vector on the Hilbert curve through a cube of 2**bits per side, after Skilling.

    >>> [hilbert_place(corner, (2, 2)) for corner in ((0, 0), (0, 1), (1, 1), (1, 0))]
    [0, 1, 2, 3]
    """
    bits = max(size - 1 for size in sizes).bit_length()
    x = [code * 2**bits // size for code, size in zip(vector, sizes, strict=True)]
    for bit in range(bits - 1, 0, -1):
        low = 2**bit - 1
        for i in range(len(x)):
            if x[i] >> bit & 1:
                x[0] ^= low
            else:
                swap = (x[0] ^ x[i]) & low
                x[0] ^= swap
                x[i] ^= swap
    for i in range(1, len(x)):
        x[i] ^= x[i - 1]
    turned = 0
    for bit in range(bits - 1, 0, -1):
        if x[-1] >> bit & 1:
            turned ^= 2**bit - 1
    x = [one ^ turned for one in x]
    place = 0
    for bit in range(bits - 1, -1, -1):
        for one in x:
            place = 2 * place + (one >> bit & 1)
    return place


def in_line(
    codes: Sequence[Sequence[int]], order: Sequence[int], kind: str = "lexicographic", sizes: Sequence[int] = ()
) -> list[int]:
    """The rows sorted by quasi-identifiers, column after column or along a Hilbert curve, then by row order."""
    if kind == "hilbert":
        return sorted(range(len(codes)), key=lambda row: (hilbert_place(codes[row], sizes), order[row]))
    return sorted(range(len(codes)), key=lambda row: (tuple(codes[row]), order[row]))


def greedy(
    line: Sequence[int],
    values: Sequence[int],
    holds: Holds,
    bucket: int,
    goes_on: Callable[[int], bool] = lambda _: False,
) -> list[Group]:
    """Groups take bucket after bucket until the model holds; ``goes_on(row)`` is the coin of a group's last row."""
    buckets = [list(line[i : i + bucket]) for i in range(0, len(line) - bucket + 1, bucket)]
    groups: list[Group] = []
    current: Group = []
    for number, rows in enumerate(buckets, start=1):
        current = current + rows
        if holds([values[row] for row in current]) and (number == len(buckets) or not goes_on(current[-1])):
            groups.append(current)
            current = []
    return groups


def symmetric(line: Sequence[int], values: Sequence[int], holds: Holds) -> list[Group]:
    """Halves, the larger one left, while the model holds for both."""
    middle = (len(line) + 1) // 2
    left, right = line[:middle], line[middle:]
    if right and all(holds([values[row] for row in half]) for half in (left, right)):
        return [*symmetric(left, values, holds), *symmetric(right, values, holds)]
    return [list(line)]


def signatures(counts: dict[int, int], l: int) -> tuple[list[list[int]], list[int]]:
    """The values of each group that Anatomy makes, and the values that are left."""
    left = dict(counts)
    made = []
    while sum(count > 0 for count in left.values()) >= l:
        top = sorted((value for value in left if left[value] > 0), key=lambda value: (-left[value], value))[:l]
        for value in top:
            left[value] -= 1
        made.append(top)
    return made, [value for value in sorted(left) for _ in range(left[value])]


def anatomy(
    rows: Sequence[int],
    values: Sequence[int],
    l: int,
    taken: Callable[[int], int],
    pick: Callable[[int, int], int],
) -> list[Group]:
    """A value's rows are taken in ascending ``taken(row)``; a row that is left joins number ``pick(row, lacking)``."""
    columns: dict[int, list[int]] = {}
    for row in sorted(rows, key=taken):
        columns.setdefault(values[row], []).append(row)
    made, left = signatures({value: len(column) for value, column in columns.items()}, l)
    groups = [[columns[value].pop(0) for value in signature] for signature in made]
    joined: list[list[int]] = [[] for _ in groups]
    for value in left:
        row = columns[value].pop(0)
        lacking = [g for g, signature in enumerate(made) if value not in signature]
        joined[lacking[pick(row, len(lacking))]].append(row)
    return [group + more for group, more in zip(groups, joined, strict=True)]


def canonical(groups: Sequence[Sequence[int]]) -> Grouping:
    """Groups without an order among them."""
    return tuple(sorted(tuple(sorted(group)) for group in groups))


def anatomy_law(rows: Sequence[int], values: Sequence[int], l: int) -> Law:
    """The law of the groups without an order among them."""
    law: Law = {}
    for groups, p in anatomy_law_in_order(rows, values, l).items():
        law[canonical(groups)] = law.get(canonical(groups), Fraction(0)) + p
    return law


def anatomy_law_in_order(rows: Sequence[int], values: Sequence[int], l: int) -> Law:
    """Every order of each value's rows is equally likely, and so is every group that a row which is left may join."""
    columns: dict[int, list[int]] = {}
    for row in rows:
        columns.setdefault(values[row], []).append(row)
    made, left = signatures({value: len(column) for value, column in columns.items()}, l)
    law: Law = {}
    choices = [[g for g, signature in enumerate(made) if value not in signature] for value in left]
    for orders in product(*(permutations(column) for column in columns.values())):
        queues = dict(zip(columns, map(list, orders), strict=True))
        groups = [[queues[value].pop(0) for value in signature] for signature in made]
        for picks in product(*choices):
            final = [list(group) for group in groups]
            for value, g in zip(left, picks, strict=True):
                final[g].append(queues[value][0])
            grouping = tuple(tuple(sorted(group)) for group in final)
            law[grouping] = law.get(grouping, Fraction(0)) + 1
    total = sum(law.values())
    return {grouping: weight / total for grouping, weight in law.items()}


def greedy_law(line: Sequence[int], values: Sequence[int], holds: Holds, bucket: int, p: Fraction) -> Law:
    """Every coin of every bucket's last row is tried."""
    lasts = list(line[bucket - 1 :: bucket])
    law: Law = {}
    for coins in product((False, True), repeat=len(lasts)):
        chance = p ** sum(coins) * (1 - p) ** (len(coins) - sum(coins))
        if chance:
            grouping = canonical(greedy(line, values, holds, bucket, dict(zip(lasts, coins, strict=True)).__getitem__))
            law[grouping] = law.get(grouping, Fraction(0)) + chance
    return law


def dealt_law(rows: Sequence[int], positives: Sequence[int], l: int) -> Law:
    """Every order of the rows that have the event, and of the others, is equally likely; they go round the parts."""
    law: Law = {}
    have, others = [row for row in rows if row in positives], [row for row in rows if row not in positives]
    for in_turn in (first + rest for first in permutations(have) for rest in permutations(others)):
        parts = max(1, len(rows) // l)
        groups = canonical([in_turn[part::parts] for part in range(parts)])
        law[groups] = law.get(groups, Fraction(0)) + 1
    total = sum(law.values())
    return {groups: weight / total for groups, weight in law.items()}


def anatomized(law: Law, values: Sequence[int], l: int, positive: int | None = None) -> Law:
    """The law when each group is divided by Anatomy, independently of the others."""
    total: Law = {}
    having = [row for row, value in enumerate(values) if value == positive]
    for groups, p in law.items():
        laws = [anatomy_law(group, values, l) if positive is None else dealt_law(group, having, l) for group in groups]
        for parts, q in together(laws):
            total[canonical(parts)] = total.get(canonical(parts), Fraction(0)) + p * q
    return total


def together(laws: Sequence[Law]) -> Iterator[tuple[Grouping, Fraction]]:
    """Independent groupings side by side."""
    if not laws:
        yield (), Fraction(1)
        return
    for rest, q in together(laws[1:]):
        for first, p in laws[0].items():
            yield first + rest, p * q
