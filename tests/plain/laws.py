"""The exact law of each method over its coins, for tiny tables: every random choice is tried and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from plain.transparent import Geometry, Group, Grouping, Vectors, as_grouping, assign_steps, slice_bucket, tailor

Law = dict[Grouping, Fraction]
MethodLaw = Callable[[Vectors, Sequence[int], Vectors, int, Sequence[Geometry]], Law]


def choices(
    columns: dict[int, list[int]], steps: Sequence[tuple[int, int, tuple[int, ...]]]
) -> Iterator[list[list[list[int]]]]:
    """Every way to fill the buckets: a subset of its remaining rows per value and bucket. All equally likely."""
    if not steps:
        yield []
        return
    alpha, _, signature = steps[0]
    for taken in product(*(combinations(columns[value], alpha) for value in signature)):
        rest = dict(columns)
        for value, rows in zip(signature, taken, strict=True):
            rest[value] = [row for row in columns[value] if row not in rows]
        for others in choices(rest, steps[1:]):
            yield [[list(rows) for rows in taken], *others]


def ace_law(
    codes: Vectors,
    order: Sequence[int],
    sensitive: Vectors,
    l: int,
    geometry: Sequence[Geometry],
    rows: Sequence[int] | None = None,
) -> Law:
    """The exact probability of every grouping that Ace can give: all random choices are tried."""
    columns: dict[int, list[int]] = {}
    for row in range(len(codes)) if rows is None else rows:
        columns.setdefault(sensitive[row][0], []).append(row)
    steps = assign_steps({value: len(column) for value, column in columns.items()}, l)
    sliced: dict[tuple[tuple[int, ...], ...], list[Group]] = {}
    outcomes: Counter[Grouping] = Counter()
    for buckets in choices(columns, steps):
        groups: list[Group] = []
        for bucket in buckets:
            key = tuple(map(tuple, bucket))
            if key not in sliced:
                sliced[key] = slice_bucket(bucket, codes, order, geometry)
            groups += sliced[key]
        outcomes[as_grouping(groups)] += 1
    return {grouping: Fraction(count, outcomes.total()) for grouping, count in outcomes.items()}


def hybrid_law(
    codes: Vectors,
    order: Sequence[int],
    sensitive: Vectors,
    l: int,
    geometry: Sequence[Geometry],
) -> Law:
    """The exact probability of every grouping that Hybrid can give: Ace's laws on Tailor's leaves are independent."""
    laws = [
        ace_law(codes, order, sensitive, l, geometry, leaf) for leaf in tailor(codes, order, sensitive, l, geometry)
    ]
    law: Law = {(): Fraction(1)}
    for one in laws:
        law = {head + tail: p * q for head, p in law.items() for tail, q in one.items()}
    return law


def tailor_law(
    codes: Vectors,
    order: Sequence[int],
    sensitive: Vectors,
    l: int,
    geometry: Sequence[Geometry],
) -> Law:
    """Tailor is deterministic: one grouping with probability 1."""
    return {as_grouping(tailor(codes, order, sensitive, l, geometry)): Fraction(1)}


def mixture(orders: Iterable[Sequence[int]], law: Callable[[Sequence[int]], Law]) -> Law:
    """The law when the row order itself is drawn, every one of ``orders`` being equally likely."""
    total: Law = {}
    laws = [law(order) for order in orders]
    for one in laws:
        for grouping, p in one.items():
            total[grouping] = total.get(grouping, Fraction(0)) + p / len(laws)
    return total
