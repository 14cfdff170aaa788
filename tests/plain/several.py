"""Ace, Hybrid and SoftCut that protect several sensitive columns at once, each on its own, as they are defined.

A row's *vector* is its value in every sensitive column, FREE where that value is not protected. Rows whose vector is
free throughout are *fillers*. The cuts of the tree need what the most frequent protected value of any column needs.
Inside a leaf as many fillers are drawn by lot as make its most frequent value one in l, they and the other rows are
handed out to buckets (:func:`together`), whose columns are so many rows of one vector each, and the buckets are sliced
or, below a refused cut, divided by lot. Company and pool are those of :mod:`plain.protected`.

Why the posterior of every protected value of every column is at most 1/l: exchanging the vectors of two columns of a
bucket, row by row inside the final groups, changes no count of a leaf, hence no cut, no number of fillers, no bucket,
and lots are uniform. So a person has each vector of the bucket's columns with the same probability, and a value of a
column stands in at most one column of a bucket in l. The proof is in docs/several.md.

Each column may have an l of its own: ``l`` is then one number for each, and what is said of l and a value is said of
the l of its column. Buckets are as wide as the largest asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

from plain.laws import Law
from plain.protected import Columns, Divide, chunks_of, gathered, lots, pool_groups, slicing, tried_leaves
from plain.soft_cut import SOFT_CUT, Leaf, Refusal, Rules, refusal_law
from plain.transparent import Group, Inputs, NotEligibleError, as_grouping

FREE = -1  # a value that is not protected
MOST_VECTORS = 4096  # a leaf with more different vectors is parted by lot first; a part with more is not divided
PART_ROWS = 2048
MOVES_EACH, MOVES = 16, 1000  # of columns, after which a piece of a bucket is looked for no more: by vector, at most
Vector = tuple[int, ...]
Protected = Sequence[Collection[int] | None]  # of each sensitive column the values to protect, None: all
Value = tuple[int, int]  # a column and one of its values
Step = tuple[int, tuple[Vector, ...]]  # a bucket: so many rows of each of these vectors, which may repeat
Bounds = int | tuple[int, ...]  # l, of all columns or of each


def l_of(l: Bounds, value: Value) -> int:
    """The l of a value's column."""
    return l if isinstance(l, int) else l[value[0]]


def widest(l: Bounds) -> int:
    """The largest l of a column."""
    return l if isinstance(l, int) else max(l)


def needed(held: Counter[Value], l: Bounds) -> int:
    """How many rows there must be so that no value has more than one in l."""
    return max((l_of(l, value) * count for value, count in held.items()), default=0)


def vector_of(row: int, t: Inputs, values: Protected) -> Vector:
    """The protected values of a row."""
    held = zip(t.sensitive[row], values, strict=True)
    return tuple(value if some is None or value in some else FREE for value, some in held)


def values_of(vector: Vector) -> list[Value]:
    """What is protected in it, with the column."""
    return [(j, value) for j, value in enumerate(vector) if value != FREE]


def tally(counts: dict[Vector, int]) -> Counter[Value]:
    """How many rows each protected value of each column has."""
    held: Counter[Value] = Counter()
    for vector, count in counts.items():
        for value in values_of(vector):
            held[value] += count
    return held


def most(rows: Sequence[int], t: Inputs, values: Protected) -> int:
    """The count of the most frequent protected value of any column; 0 when there is none."""
    return rows_for(rows, t, values, 1)


def rows_for(rows: Sequence[int], t: Inputs, values: Protected, l: Bounds) -> int:
    """How many rows there must be so that no protected value of any column has more than one in l of them."""
    return needed(tally(Counter(vector_of(row, t, values) for row in rows)), l)


def together(counts: dict[Vector, int], l: Bounds) -> list[Step]:
    """The buckets that these counts of vectors are handed out to.

    In a bucket of w columns no value of a sensitive column stands in more than w / l of them.

    >>> together({(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}, l=2)
    [(1, ((0, 0), (1, 1))), (1, ((0, 1), (1, 0)))]
    >>> together({(0, FREE): 2, (0, 0): 1, (FREE, FREE): 3}, l=2)
    [(1, ((0, 0), (-1, -1))), (2, ((0, -1), (-1, -1)))]
    >>> together({(0, 0): 1, (0, 1): 1, (1, 2): 1, (1, 3): 1}, l=(2, 4))
    [(1, ((0, 0), (0, 1), (1, 2), (1, 3)))]
    """
    left = {vector: count for vector, count in counts.items() if count > 0}
    if needed(tally(left), l) > sum(left.values()):
        raise NotEligibleError(f"a value is held by more than 1/{l} of the rows")
    return buckets_of(left, l, sum(left.values()))


def buckets_of(left: dict[Vector, int], l: Bounds, largest: int) -> list[Step]:
    """One bucket after another, each made finer; a piece of one has at most ``largest`` times l columns."""
    if len(left) > MOST_VECTORS:
        return [rest_of(left)]
    steps = []
    while left:
        alpha, signature = next_bucket(left, l)
        steps += finer(alpha, signature, l, largest)
        left = without(left, Counter(signature), alpha)
    return steps


def without(left: dict[Vector, int], taken: dict[Vector, int], copies: int) -> dict[Vector, int]:
    """What is left when so many copies of these are taken."""
    counts = {vector: count - copies * taken.get(vector, 0) for vector, count in left.items()}
    return {vector: count for vector, count in counts.items() if count > 0}


def finer(alpha: int, signature: tuple[Vector, ...], l: Bounds, largest: int) -> list[Step]:
    """A bucket in pieces: the buckets of some of its columns, which it has once or more, and of the others.

    As it is where no piece is found.

    >>> finer(5, ((0, 0), (0, 1), (1, 0), (1, 1)), 2, 1)
    [(5, ((0, 0), (1, 1))), (5, ((0, 1), (1, 0)))]
    >>> finer(1, ((0, 0),) * 3 + ((1, 1),) * 3, 2, 1)
    [(2, ((0, 0), (1, 1))), (1, ((0, 0), (1, 1)))]
    """
    columns, width, most = dict(Counter(signature)), len(signature), widest(l)
    if width < 2 * most:
        return [(alpha, signature)]
    copies = min(width // len(columns), width // most - 1)
    times = min(width // ((copies + 1) * most), largest)
    while times > 0:
        piece = piece_of(columns, times * most, copies, l)
        if piece is not None:
            inside = [(copies * height, found) for height, found in buckets_of(piece, l, times)]
            others = buckets_of(without(columns, piece, copies), l, times)
            return [(alpha * height, found) for height, found in inside + others]
        if copies > 1:
            copies //= 2
            times = min(width // ((copies + 1) * most), largest)
        else:
            times //= 2
    return [(alpha, signature)]


def piece_of(columns: dict[Vector, int], size: int, copies: int, l: Bounds) -> dict[Vector, int] | None:
    """So many columns that neither they nor what is left without their copies has a value in more than one in l.

    At first an even share of every vector. Then a column is added while there are too few, and else taken back: the one
    that leaves values least above what they may have, and was not moved the other way a moment ago. None: not found.
    """
    held, width = tally(columns), sum(columns.values())

    def above(value: Value, b: int) -> int:
        """The square of how often a value that stands in b of them stands too often, there or among the others."""
        own = l_of(l, value)
        return max(b - size // own, held[value] - copies * b - (width - copies * size) // own, 0) ** 2

    piece = {vector: count * size // width for vector, count in columns.items()}
    moved: dict[tuple[Vector, int], int] = {}  # when a column of it was last added (1), or taken back (-1)
    for step in range(min(MOVES_EACH * len(columns), MOVES + len(columns)) + 1):
        standing = tally(piece)
        way = 1 if sum(piece.values()) < size else -1
        if way < 0 and not any(above(value, standing[value]) for value in held):
            return {vector: count for vector, count in piece.items() if count > 0}
        growth = {
            vector: sum(above(v, standing[v] + way) - above(v, standing[v]) for v in values_of(vector))
            for vector, count in columns.items()
            if 0 <= copies * (piece[vector] + way) <= count
            and step - moved.get((vector, -way), -len(columns)) > len(columns) // 4
        }
        if not growth:
            return None
        best = min(growth, key=lambda vector: (growth[vector], vector))
        piece[best] += way
        moved[best, way] = step
    return None


def next_bucket(left: dict[Vector, int], l: Bounds) -> Step:
    """Columns are added, the most urgent vector first, until what is left over has no value in more than one in l.

    A value may stand in one column of l to 2l - 1; where that leads nowhere, in two of 2l to 4l - 1, and so on. At the
    latest all the rest is one bucket. Where columns differ, l is the largest here, and a value may stand as often as
    the l of its column allows in a bucket of l columns.
    """
    held, total, most = tally(left), sum(left.values()), widest(l)
    times = 1
    while times * most < total:
        signature: list[Vector] = []
        for width in range(1, min(2 * times * most, total + 1)):
            vector = most_urgent(left, held, signature, times * most, l)
            if vector is None:
                break
            signature.append(vector)
            alpha = tallest(left, held, signature, l) if width >= times * most else 0
            if alpha > 0:
                return alpha, tuple(signature)
        times *= 2
    return rest_of(left)


def rest_of(left: dict[Vector, int]) -> Step:
    """All rows as one bucket, each a column: one group."""
    return 1, tuple(vector for vector in sorted(left) for _ in range(left[vector]))


def most_urgent(
    left: dict[Vector, int], held: Counter[Value], chosen: Sequence[Vector], columns: int, l: Bounds
) -> Vector | None:
    """Of the vectors that still fit, the one with the most frequent value; ties: the sum over its values, its rows.

    A value fits where it stands in no more than one in l of so many columns. Counts are taken times l.
    """
    standing = Counter(value for vector in chosen for value in values_of(vector))
    fitting = [
        vector
        for vector, count in left.items()
        if count > chosen.count(vector) and all((standing[v] + 1) * l_of(l, v) <= columns for v in values_of(vector))
    ]

    def urgency(vector: Vector) -> tuple[int, int, int, Vector]:
        counts = [l_of(l, value) * held[value] for value in values_of(vector)]
        return -max(counts, default=0), -sum(counts), -left[vector], vector

    return min(fitting, key=urgency, default=None)


def tallest(left: dict[Vector, int], held: Counter[Value], signature: Sequence[Vector], l: Bounds) -> int:
    """How many rows each column may have at most, so that what is left over is l-diverse in every column; 0: none."""
    width, total = len(signature), sum(left.values())
    standing = Counter(value for vector in signature for value in values_of(vector))
    alpha = min(left[vector] // times for vector, times in Counter(signature).items())
    for value, count in held.items():
        own = l_of(l, value)
        if own * standing[value] < width:
            alpha = min(alpha, (total - own * count) // (width - own * standing[value]))
    return alpha


def drawn(counts: dict[Vector, int], fillers: int, l: Bounds, k: int) -> tuple[int, int]:
    """How many fillers are handed out to buckets, and how many keep company; from counts alone.

    >>> drawn({(0, FREE): 2, (0, 0): 1}, 20, l=3, k=1), drawn({(0, FREE): 1}, 20, l=3, k=10)
    ((6, 0), (2, 7))
    """
    p, rows = sum(counts.values()), needed(tally(counts), l)
    if rows == 0:
        return 0, 0
    taken = min(max(0, rows - p), fillers)
    rest, missing = fillers - taken, max(0, k - p - taken)
    return taken, missing if rest - missing >= k else rest


def parted(rows: Sequence[int], t: Inputs, values: Protected) -> tuple[dict[Vector, list[int]], list[int]]:
    """The rows of each vector that has something protected, and the fillers."""
    columns: dict[Vector, list[int]] = {}
    fillers = []
    for row in rows:
        vector = vector_of(row, t, values)
        if values_of(vector):
            columns.setdefault(vector, []).append(row)
        else:
            fillers.append(row)
    return columns, fillers


def parts(drawn: Sequence[int], t: Inputs, values: Protected, l: Bounds, k: int) -> list[list[int]]:
    """A leaf's rows, in the order of a lot, in parts where there are too many vectors: cut evenly, and put together
    until each part has k rows and no value in more than one row in l.
    """
    n = len(drawn)
    if len({vector_of(row, t, values) for row in drawn}) <= MOST_VECTORS:
        return [list(drawn)]

    def fine(rows: Sequence[int]) -> bool:
        return len(rows) >= k and rows_for(rows, t, values, l) <= len(rows)

    count = -(-n // PART_ROWS)
    found: list[list[int]] = []
    now: list[int] = []
    for chunk in evenly(drawn, count):
        now += chunk
        if fine(now):
            found.append(now)
            now = []
    while now:
        now = found.pop() + now
        if fine(now):
            found.append(now)
            break
    return found


def evenly(rows: Sequence[int], count: int) -> list[Sequence[int]]:
    """So many parts, the first ones one row larger where that is needed.

    >>> evenly([1, 2, 3, 4, 5], 2)
    [[1, 2, 3], [4, 5]]
    """
    sizes = [len(rows) // count + (number < len(rows) % count) for number in range(count)]
    ends = [sum(sizes[:number]) for number in range(count + 1)]
    return [rows[a:b] for a, b in pairwise(ends)]


def ace(
    t: Inputs,
    l: Bounds,
    draw: Sequence[int],
    values: Protected,
    k: int = 1,
    rows: Sequence[int] | None = None,
    divide: Divide | None = None,
) -> list[Group]:
    """The groups of a leaf; every lot is taken in ascending draw."""
    chosen = sorted(range(len(t.codes)) if rows is None else rows, key=draw.__getitem__)
    return [group for part in parts(chosen, t, values, l, k) for group in _ace(t, l, draw, values, k, part, divide)]


def _ace(
    t: Inputs, l: Bounds, draw: Sequence[int], values: Protected, k: int, chosen: Sequence[int], divide: Divide | None
) -> list[Group]:
    columns, fillers = parted(sorted(chosen, key=draw.__getitem__), t, values)
    counts = {vector: len(column) for vector, column in columns.items()}
    taken, company = drawn(counts, len(fillers), l, k)
    nothing = (FREE,) * len(values)
    waiting = columns | {nothing: fillers[:taken]}
    buckets = [
        [[waiting[vector].pop(0) for _ in range(alpha)] for vector in signature]
        for alpha, signature in together(counts | {nothing: taken}, l)
    ]
    companions, pool = fillers[taken : taken + company], fillers[taken + company :]
    return gathered(buckets, companions, t, k, divide or slicing(t)) + pool_groups(pool, _alone(t), k)


def _alone(t: Inputs) -> Inputs:
    """The same people for what looks at no sensitive column; the plain pool expects one."""
    return Inputs(t.codes, t.order, [(0,)] * len(t.codes), t.geometry)


def leaves(
    t: Inputs, l: Bounds, refusal: Refusal | None, values: Protected, k: int = 1, rules: Rules = SOFT_CUT
) -> Iterator[tuple[Fraction, list[Leaf]]]:
    """Every tree with its probability; without a ``refusal`` no cut is tried: that is Hybrid's."""
    if not isinstance(l, int):
        assert refusal is None, "cuts are tried with one l"
        return tried_leaves(t, 1, None, lambda group: rows_for(group, t, values, l), k, rules)
    return tried_leaves(t, l, refusal, lambda group: most(group, t, values), k, rules)


def check(t: Inputs, l: Bounds, values: Protected, k: int) -> None:
    """Raise unless the whole table, as one group, keeps the promise."""
    rows = range(len(t.codes))
    if rows_for(rows, t, values, l) > len(rows) or len(rows) < k:
        raise NotEligibleError(f"a protected value is held by more than 1/{l} of the rows, or they are fewer than {k}")


def tree(
    t: Inputs, l: Bounds, draw: Sequence[int], values: Protected, k: int = 1, refusal: Refusal | None = None
) -> list[Group]:
    """The groups of Hybrid, or with a die, whose every refusal has probability 0 or 1, of SoftCut."""
    check(t, l, values, k)
    ((_, found),) = leaves(t, l, refusal, values, k)
    return [
        group
        for leaf in found
        for group in (
            ace(t, widest(l) + 1, draw, values, k, leaf.rows, chunks_of)
            if leaf.refused
            else ace(t, l, draw, values, k, leaf.rows)
        )
    ]


# The exact laws: every lot is tried.


def fillings(waiting: dict[Vector, list[int]], steps: Sequence[Step]) -> Iterator[list[Columns]]:
    """Every way to fill the columns of the buckets one after the other. All equally likely."""
    if not steps:
        yield []
        return
    (alpha, signature), behind = steps[0], steps[1:]

    def columns(
        left: dict[Vector, list[int]], rest: Sequence[Vector]
    ) -> Iterator[tuple[Columns, dict[Vector, list[int]]]]:
        if not rest:
            yield [], left
            return
        for taken in combinations(left[rest[0]], alpha):
            fewer = left | {rest[0]: [row for row in left[rest[0]] if row not in taken]}
            for others, after in columns(fewer, rest[1:]):
                yield [list(taken), *others], after

    for bucket, after in columns(waiting, signature):
        for others in fillings(after, behind):
            yield [bucket, *others]


Steps = Callable[[dict[Vector, int], Any], list[Step]]


def leaf_law(
    t: Inputs,
    l: Bounds,
    values: Protected,
    k: int = 1,
    rows: Sequence[int] | None = None,
    by_lot: bool = False,
    steps: Steps = together,
) -> Law:
    """The exact probability of every grouping of a leaf; below a refused cut columns stand in any order."""
    chosen = list(range(len(t.codes)) if rows is None else rows)
    if len({vector_of(row, t, values) for row in chosen}) <= MOST_VECTORS:
        return _part_law(t, l, values, k, chosen, by_lot, steps)
    sizes = [len(chunk) for chunk in evenly(chosen, -(-len(chosen) // PART_ROWS))]
    law: Law = {}
    outcomes = [[row for chunk in way for row in chunk] for way in lots(chosen, sizes)]
    for drawn_rows in outcomes:
        partial: Law = {(): Fraction(1, len(outcomes))}
        for part in parts(drawn_rows, t, values, l, k):
            inside = _part_law(t, l, values, k, sorted(part), by_lot, steps)
            partial = {head + tail: p * q for head, p in partial.items() for tail, q in inside.items()}
        for grouping, p in partial.items():
            law[grouping] = law.get(grouping, Fraction(0)) + p
    return law


def _part_law(
    t: Inputs, l: Bounds, values: Protected, k: int, chosen: Sequence[int], by_lot: bool, steps: Steps
) -> Law:
    columns, fillers = parted(chosen, t, values)
    counts = {vector: len(column) for vector, column in columns.items()}
    taken, company = drawn(counts, len(fillers), l, k)
    nothing = (FREE,) * len(values)
    law: Law = {}
    outcomes = list(lots(fillers, [taken, company]))
    for handed, companions, pool in outcomes:
        behind = pool_groups(pool, _alone(t), k)
        found: Counter[tuple[tuple[int, ...], ...]] = Counter()
        for buckets in fillings(columns | {nothing: handed}, steps(counts | {nothing: taken}, l)):
            ways = (
                [product(*(permutations(column) for column in bucket)) for bucket in buckets]
                if by_lot
                else [[b] for b in buckets]
            )
            for way in product(*ways):
                made = [[list(column) for column in bucket] for bucket in way]
                groups = gathered(made, companions, t, k, chunks_of if by_lot else slicing(t))
                found[as_grouping([*groups, *behind])] += 1
        for grouping, count in found.items():
            law[grouping] = law.get(grouping, Fraction(0)) + Fraction(count, found.total() * len(outcomes))
    return law


def tree_law(
    t: Inputs,
    l: Bounds,
    values: Protected,
    k: int = 1,
    rules: Rules = SOFT_CUT,
    refusal: Refusal | None = None,
    steps: Steps = together,
) -> Law:
    """The exact probability of every grouping, over the die and the lots; without a refusal Hybrid's."""
    law: Law = {}
    for probability, found in leaves(t, l, refusal, values, k, rules):
        partial: Law = {(): probability}
        for leaf in found:
            more = rules.more if leaf.refused else 0
            own = l + more if isinstance(l, int) else l
            inside = leaf_law(t, own, values, k, leaf.rows, bool(leaf.refused) and not rules.slices, steps)
            partial = {head + tail: p * q for head, p in partial.items() for tail, q in inside.items()}
        for grouping, p in partial.items():
            key = tuple(sorted(grouping))
            law[key] = law.get(key, Fraction(0)) + p
    return law


def soft_cut_law(
    t: Inputs, l: int, values: Protected, k: int = 1, rules: Rules = SOFT_CUT, refusal: Refusal | None = None
) -> Law:
    """With the law of the die."""
    return tree_law(t, l, values, k, rules, refusal or refusal_law(l))
