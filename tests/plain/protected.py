"""Ace, Hybrid and Anatomy that protect some values only (``values``) and make groups of at least ``k`` rows.

Rows whose value is not protected are *fillers*. Where nothing is protected specially every value is, and there are
none. What the definition in words leaves open is settled here:

- *Pseudo-values.* Inside a leaf with p protected rows, c of the most frequent protected value and f fillers,
  ceil((l*c - p) / c) pseudo-values are needed of c fillers each; together they may need more than the f fillers there
  are although l*c <= p + f (p no multiple of c). Then the last takes what is left: the sum is still at least l*c, and
  no count is above c, so Assign finds its buckets. They stand behind all values in the codebook's order.
- *The lot.* The fillers are drawn in one order: the first c are the first pseudo-value, and so on, then come the
  *company*, then the pool. The pool is cut like Tailor's groups, with sides of at least max(k, 1) rows.
- *Company.* Groups need k rows. When the protected and the pseudo-values have fewer than k, the next fillers by lot
  keep them company until there are k. When fewer than k fillers would then be left for the pool, all of them are
  company. How many follows from counts alone.
- *Small buckets.* Buckets of fewer than k rows, in Assign's order, and then the company, are put together until they
  have k rows: one group, and again. The rest, which has fewer than k, joins the group of the leaf whose perimeter grows
  least (ties: the first). There is always one, since protected rows, pseudo-values and company have at least k.
- *Anatomy* makes one group of ceil(k / l) consecutive draws; the last takes those that are too few, and the company.
- *SoftCut* counts protected values only, in cuts and in the slack of a tried one; below a refused cut everything is as
  above with l + 1, but buckets are divided by lot, ceil(k / columns) rows of each column together. Its first cut looks
  at the buckets of protected and pseudo-values as at all others, and asks of either side that no *protected* value can
  have more than one row in l there, and that it has k rows.

Why the posterior of a protected value is at most 1/l: given who is in which column of which bucket (but not which
column is which value), in the company and in the pool, every way to name the columns of a bucket has the same
probability. It depends on the counts in the leaf (which no renaming changes) and on lots, which are uniform; heights,
sizes, divisions and joins look at sets of people. Fillers trade their true values with those whose place they take, row
by row inside a final group, so the published groups stay as they are. A bucket has at least l columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

from plain import consecutive
from plain.laws import Law, choices
from plain.opening import Allowing, allowed
from plain.soft_cut import (
    BELOW_FIRST_CUT,
    SOFT_CUT,
    Cuts,
    Leaf,
    PlainCuts,
    Refusal,
    Rules,
    Sides,
    refusal_law,
    smallest_side,
)
from plain.transparent import (
    Group,
    Inputs,
    NotEligibleError,
    as_grouping,
    assign_steps,
    canonical_cut,
    perimeter,
    slice_bucket,
)

Columns = list[list[int]]
PSEUDO = 1 << 40  # the number of the first pseudo-value
Divide = Callable[[Columns, int], list[Group]]


def parted(rows: Sequence[int], t: Inputs, values: Collection[int] | None) -> tuple[dict[int, list[int]], list[int]]:
    """The rows of each protected value, and the fillers."""
    columns: dict[int, list[int]] = {}
    fillers = []
    for row in rows:
        value = t.sensitive[row][0]
        if values is None or value in values:
            columns.setdefault(value, []).append(row)
        else:
            fillers.append(row)
    return columns, fillers


def most_protected(rows: Sequence[int], t: Inputs, values: Collection[int] | None) -> int:
    """The count of the most frequent protected value, 0 when no row has one."""
    columns, _ = parted(rows, t, values)
    return max(map(len, columns.values()), default=0)


def check(rows: Sequence[int], t: Inputs, l: int, values: Collection[int] | None, k: int) -> None:
    """Raise unless the rows, as one group, keep the promise."""
    if most_protected(rows, t, values) * l > len(rows):
        raise NotEligibleError(f"a protected value is held by more than 1/{l} of the rows")
    if len(rows) < k:
        raise NotEligibleError(f"fewer than {k} rows")


def shares(counts: Sequence[int], fillers: int, l: int, k: int) -> tuple[list[int], int]:
    """How many fillers each pseudo-value has, and how many are company; from counts alone.

    >>> shares([4], 20, 3, 1), shares([4, 1], 7, 3, 1), shares([1], 20, 3, 10), shares([1], 11, 3, 10)
    (([4, 4], 0), ([4, 3], 0), ([1, 1], 7), ([1, 1], 9))
    """
    p, c = sum(counts), max(counts, default=0)
    if c == 0:
        return [], 0
    needed = max(0, -(-(l * c - p) // c))
    drawn = min(needed * c, fillers)
    sizes = [c] * (drawn // c) + [drawn % c] * (drawn % c > 0)
    rest, missing = fillers - drawn, max(0, k - p - drawn)
    return sizes, missing if rest - missing >= k else rest


def tailor(t: Inputs, l: int, values: Collection[int] | None, k: int, rows: Sequence[int] | None = None) -> list[Group]:
    """Cut while both sides can have l times the most frequent protected value, and k rows."""
    group = list(range(len(t.codes)) if rows is None else rows)
    check(group, t, l, values, k)
    least = max(l * most_protected(group, t, values), k, 1)
    if len(group) < 2 * least:
        return [sorted(group)]
    left, right = canonical_cut(group, t.codes, t.order, t.geometry, range(least, len(group) - least + 1))
    return [leaf for side in (left, right) for leaf in tailor(t, l, values, k, side)]


def pool_groups(pool: Sequence[int], t: Inputs, k: int) -> list[Group]:
    """The pool, by quasi-identifiers alone."""
    return tailor(t, 1, (), k, pool) if pool else []


def slicing(t: Inputs) -> Divide:
    """Slice, that leaves so many rows of each column on either side."""
    return lambda columns, height: slice_bucket(columns, t.codes, t.order, t.geometry, height)


def gathered(buckets: Sequence[Columns], company: Sequence[int], t: Inputs, k: int, divide: Divide) -> list[Group]:
    """The groups of a leaf's buckets and company."""
    groups: list[Group] = []
    small: Group = []

    def put_together(rows: Sequence[int]) -> None:
        small.extend(rows)
        if len(small) >= max(k, 1):
            groups.append(sorted(small))
            small.clear()

    for columns in buckets:
        rows = [row for column in columns for row in column]
        if len(rows) >= k:
            groups.extend(divide(columns, -(-k // len(columns))))
        else:
            put_together(rows)
    put_together(company)
    return joined(groups, small, t)


def joined(groups: list[Group], rest: Group, t: Inputs) -> list[Group]:
    """The rest joins the group whose perimeter grows least; ties: the first."""
    if not rest:
        return groups

    def growth(g: int) -> Fraction:
        return perimeter(groups[g] + rest, t.codes, t.geometry) - perimeter(groups[g], t.codes, t.geometry)

    best = min(range(len(groups)), key=lambda g: (growth(g), g))
    return [sorted(group + rest) if g == best else group for g, group in enumerate(groups)]


def numbered(columns: dict[int, list[int]], chunks: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """The protected values and the pseudo-values together."""
    return columns | {PSEUDO + j: list(chunk) for j, chunk in enumerate(chunks)}


def ace(
    t: Inputs,
    l: int,
    draw: Sequence[int],
    values: Collection[int] | None = None,
    k: int = 1,
    rows: Sequence[int] | None = None,
    divide: Divide | None = None,
) -> list[Group]:
    """Assign and Slice with fillers, then the pool; every lot is taken in ascending draw."""
    chosen = list(range(len(t.codes)) if rows is None else rows)
    check(chosen, t, l, values, k)
    buckets, company, pool = handed_out(t, l, draw, values, k, chosen)
    return gathered(buckets, company, t, k, divide or slicing(t)) + pool_groups(pool, t, k)


def handed_out(
    t: Inputs, l: int, draw: Sequence[int], values: Collection[int] | None, k: int, rows: Sequence[int]
) -> tuple[list[Columns], list[int], list[int]]:
    """The buckets of these rows, the company and the pool."""
    columns, fillers = parted(sorted(rows, key=draw.__getitem__), t, values)
    chunks, company, pool = dealt(columns, fillers, l, k)
    waiting = numbered(columns, chunks)
    buckets = []
    for alpha, _, signature in assign_steps({value: len(column) for value, column in waiting.items()}, l):
        buckets.append([[waiting[value].pop(0) for _ in range(alpha)] for value in signature])
    return buckets, company, pool


def dealt(
    columns: dict[int, list[int]], fillers: Sequence[int], l: int, k: int
) -> tuple[list[list[int]], list[int], list[int]]:
    """The pseudo-values, the company and the pool of fillers in the order in which they are drawn."""
    sizes, company = shares([len(column) for column in columns.values()], len(fillers), l, k)
    at, chunks = 0, []
    for size in sizes:
        chunks.append(list(fillers[at : at + size]))
        at += size
    return chunks, list(fillers[at : at + company]), list(fillers[at + company :])


def hybrid(t: Inputs, l: int, draw: Sequence[int], values: Collection[int] | None = None, k: int = 1) -> list[Group]:
    """Tailor, then Ace inside each of its groups."""
    return [group for leaf in tailor(t, l, values, k) for group in ace(t, l, draw, values, k, leaf)]


def drawn_groups(parts: Sequence[Group], company: Sequence[int], l: int, k: int) -> list[Group]:
    """As many consecutive draws of Anatomy make a group as k needs; the last takes the rest."""
    together = -(-k // l)
    count = max(1, len(parts) // together) if parts else 0
    groups: list[Group] = [[] for _ in range(count)]
    for number, part in enumerate(parts):
        groups[min(number // together, count - 1)] += part
    if company:
        groups[-1] += company
    return [sorted(group) for group in groups]


def anatomy(
    t: Inputs,
    l: int,
    draw: Sequence[int],
    pick: Callable[[int, int], int],
    values: Collection[int] | None = None,
    k: int = 1,
) -> list[Group]:
    """Anatomy of the protected and the pseudo-values, then the pool."""
    rows = list(range(len(t.codes)))
    check(rows, t, l, values, k)
    columns, fillers = parted(sorted(rows, key=draw.__getitem__), t, values)
    chunks, company, pool = dealt(columns, fillers, l, k)
    value_of = {row: value for value, column in numbered(columns, chunks).items() for row in column}
    labels = [value_of.get(row, -1) for row in rows]
    parts = consecutive.anatomy(sorted(value_of), labels, l, draw.__getitem__, pick) if value_of else []
    return drawn_groups(parts, company, l, k) + pool_groups(pool, t, k)


# The exact laws: every lot is tried.


def lots(fillers: Sequence[int], sizes: Sequence[int]) -> Iterator[list[list[int]]]:
    """Every way to draw sets of these sizes one after the other; the last item is what is left. All equally likely."""
    if not sizes:
        yield [list(fillers)]
        return
    for first in combinations(fillers, sizes[0]):
        for others in lots([row for row in fillers if row not in first], sizes[1:]):
            yield [list(first), *others]


Lots = Callable[[Sequence[int], Sequence[int]], Iterator[list[list[int]]]]


def ace_law(
    t: Inputs,
    l: int,
    values: Collection[int] | None = None,
    k: int = 1,
    rows: Sequence[int] | None = None,
    draw: Lots = lots,
    divide: Divide | None = None,
) -> Law:
    """The exact probability of every grouping; ``draw`` and ``divide`` can be replaced by what leaks."""
    chosen = list(range(len(t.codes)) if rows is None else rows)
    dividing = divide if divide is not None else slicing(t)

    def ways(buckets: Sequence[Columns], companions: Sequence[int]) -> Iterator[list[Group]]:
        yield gathered(buckets, companions, t, k, dividing)

    return law_of_buckets(t, l, values, k, chosen, ways, draw)


Ways = Callable[[Sequence[Columns], Sequence[int]], Iterator[list[Group]]]


def law_of_buckets(
    t: Inputs,
    l: int,
    values: Collection[int] | None,
    k: int,
    rows: Sequence[int],
    ways: Ways,
    draw: Lots = lots,
) -> Law:
    """The law of rows that are dealt into buckets, each of which becomes groups in ``ways`` that are equally likely."""
    columns, fillers = parted(rows, t, values)
    sizes, company = shares([len(column) for column in columns.values()], len(fillers), l, k)
    law: Law = {}
    outcomes = list(draw(fillers, [*sizes, company]))
    for *chunks, companions, pool in outcomes:
        waiting = numbered(columns, chunks)
        steps = assign_steps({value: len(column) for value, column in waiting.items()}, l)
        behind = pool_groups(pool, t, k)
        found: Counter[tuple[tuple[int, ...], ...]] = Counter()
        for buckets in choices(waiting, steps):
            found.update(as_grouping([*groups, *behind]) for groups in ways(buckets, companions))
        for grouping, count in found.items():
            law[grouping] = law.get(grouping, Fraction(0)) + Fraction(count, found.total() * len(outcomes))
    return law


def hybrid_law(t: Inputs, l: int, values: Collection[int] | None = None, k: int = 1) -> Law:
    """Ace's laws on Tailor's leaves are independent."""
    law: Law = {(): Fraction(1)}
    for leaf in tailor(t, l, values, k):
        inside = ace_law(t, l, values, k, leaf)
        law = {head + tail: p * q for head, p in law.items() for tail, q in inside.items()}
    return law


def anatomy_law(t: Inputs, l: int, values: Collection[int] | None = None, k: int = 1) -> Law:
    """Every order of each value's rows, and every part that a row which is left may join."""
    columns, fillers = parted(range(len(t.codes)), t, values)
    sizes, company = shares([len(column) for column in columns.values()], len(fillers), l, k)
    law: Law = {}
    outcomes = list(lots(fillers, [*sizes, company]))
    for *chunks, companions, pool in outcomes:
        value_of = {row: value for value, column in numbered(columns, chunks).items() for row in column}
        labels = [value_of.get(row, -1) for row in range(len(t.codes))]
        behind = pool_groups(pool, t, k)
        inside = consecutive.anatomy_law_in_order(sorted(value_of), labels, l) if value_of else {(): Fraction(1)}
        for parts, p in inside.items():
            grouping = as_grouping([*drawn_groups([list(part) for part in parts], companions, l, k), *behind])
            law[grouping] = law.get(grouping, Fraction(0)) + p / len(outcomes)
    return law


# SoftCut. The die's law, the cuts and the thresholds are those of plain.soft_cut.


def chunks_of(columns: Columns, height: int) -> list[Group]:
    """A bucket below a refused cut: so many rows of each column, as drawn, go together; the last take more."""
    count = len(columns[0]) // height
    ends = [height * number for number in range(count)] + [len(columns[0])]
    return [sorted(row for column in columns for row in column[a:b]) for a, b in pairwise(ends)]


def tried_leaves(
    t: Inputs,
    l: int,
    refusal: Refusal | None,
    most: Callable[[Sequence[int]], int],
    k: int,
    rules: Rules = SOFT_CUT,
    rows: Sequence[int] | None = None,
    refused: int = 0,
    path: tuple[int, ...] = (),
) -> Iterator[tuple[Fraction, list[Leaf]]]:
    """Every tree over these rows with its probability: c counts what ``most`` does, and no side has fewer than k rows.

    Without a ``refusal`` no cut is tried.
    """
    group = list(range(len(t.codes)) if rows is None else rows)
    cuts = PlainCuts(t.codes, t.order, t.geometry)

    def both(sides: Sides) -> Iterator[tuple[Fraction, list[Leaf]]]:
        left, right = (
            list(tried_leaves(t, l, refusal, most, k, rules, side, refused, (*path, number)))
            for number, side in enumerate(sides)
        )
        return ((p * q, [*ones, *others]) for p, ones in left for q, others in right)

    n, c = len(group), most(group)
    least = max((l + rules.more if refused else l) * c, k, 1)
    if n >= 2 * least:
        yield from both(cuts.sure(group, least))
        return
    sides = None
    if refusal and refused < rules.refusals and (path or rules.at_root) and (l + rules.more) * c <= n:
        low = max(rules.low(n, c, l), k)
        sides = cuts.between_codes(group, low) if 2 * low <= n else None
    if sides is None or refusal is None:
        yield Fraction(1), [Leaf(tuple(sorted(group)), refused)]
        return
    lost = refusal(path, min(len(side) // l - most(side) for side in sides))
    if lost < 1:
        yield from ((p * (1 - lost), found) for p, found in both(sides))
    if lost > 0:
        again = tried_leaves(t, l, refusal, most, k, rules, group, refused + 1, path)
        yield from ((p * lost, found) for p, found in again)


def soft_leaves(
    t: Inputs,
    l: int,
    refusal: Refusal,
    values: Collection[int] | None,
    k: int,
    rules: Rules = SOFT_CUT,
    rows: Sequence[int] | None = None,
    refused: int = 0,
    path: tuple[int, ...] = (),
) -> Iterator[tuple[Fraction, list[Leaf]]]:
    """Every tree over these rows with its probability: c counts protected values, and no side has fewer than k rows."""
    return tried_leaves(t, l, refusal, lambda group: most_protected(group, t, values), k, rules, rows, refused, path)


def drawn_leaf(
    t: Inputs, l: int, draw: Sequence[int], values: Collection[int] | None, k: int, rows: Sequence[int]
) -> list[Group]:
    """A leaf below a refused cut: as Ace with one value more, but buckets are divided by lot."""
    return ace(t, l + 1, draw, values, k, rows, divide=chunks_of)


def opened(
    t: Inputs,
    l: int,
    draw: Sequence[int],
    values: Collection[int] | None,
    k: int,
    low: Callable[[int, int, int], int] = smallest_side,
    allowing: Allowing = allowed,
    cuts: Cuts | None = None,
) -> Sides | None:
    """The first cut of a table in which none is certain, where the buckets of Ace allow it."""
    rows = range(len(t.codes))
    cuts = PlainCuts(t.codes, t.order, t.geometry) if cuts is None else cuts
    n, c = len(rows), most_protected(rows, t, values)
    if n >= 2 * max(l * c, k, 1) or n == l * c:
        return None
    side = max(low(n, c, l), k)
    sides = cuts.between_codes(rows, side) if 2 * side <= n else None
    if sides is None or not allowing(handed_out(t, l, draw, values, k, rows)[0], t.sensitive, sides, l, values):
        return None
    return sides


def soft_cut(
    t: Inputs, l: int, draw: Sequence[int], refusal: Refusal, values: Collection[int] | None = None, k: int = 1
) -> list[Group]:
    """The groups when the die is thrown: every refusal has probability 0 or 1."""
    check(range(len(t.codes)), t, l, values, k)
    sides = opened(t, l, draw, values, k)
    starts: list[tuple[Sequence[int] | None, tuple[int, ...]]] = (
        [(None, ())] if sides is None else [(sides[0], (0,)), (sides[1], (1,))]
    )
    rules = SOFT_CUT if sides is None else BELOW_FIRST_CUT
    found: list[Leaf] = []
    for start, path in starts:
        ((_, below),) = soft_leaves(t, l, refusal, values, k, rules, start, path=path)
        found += below
    return [
        group for leaf in found for group in (drawn_leaf if leaf.refused else ace)(t, l, draw, values, k, leaf.rows)
    ]


def drawn_leaf_law(t: Inputs, l: int, values: Collection[int] | None, k: int, rows: Sequence[int]) -> Law:
    """The law of a leaf below a refused cut: the rows of every column stand in any order."""

    def ways(buckets: Sequence[Columns], companions: Sequence[int]) -> Iterator[list[Group]]:
        for way in product(*(product(*orders_of(bucket, fixed=k == 1)) for bucket in buckets)):
            made = [[list(column) for column in bucket] for bucket in way]
            yield gathered(made, companions, t, k, chunks_of)

    return law_of_buckets(t, l, values, k, rows, ways)


def orders_of(bucket: Columns, *, fixed: bool) -> list[Iterable[Sequence[int]]]:
    """The orders of each column; the first may stay where each of its rows makes a group, and no group is joined."""
    first, *others = bucket
    return [[first] if fixed else permutations(first), *(permutations(column) for column in others)]


def soft_cut_law(
    t: Inputs,
    l: int,
    values: Collection[int] | None,
    k: int,
    rules: Rules = SOFT_CUT,
    refusal: Refusal | None = None,
) -> Law:
    """The exact probability of every grouping, over the die and the lots."""
    law: Law = {}
    for probability, found in soft_leaves(t, l, refusal or refusal_law(l), values, k, rules):
        partial: Law = {(): probability}
        for leaf in found:
            if leaf.refused:
                inside = drawn_leaf_law(t, l + rules.more, values, k, leaf.rows)
            else:
                inside = ace_law(t, l, values, k, leaf.rows)
            partial = {head + tail: p * q for head, p in partial.items() for tail, q in inside.items()}
        for grouping, p in partial.items():
            key = tuple(sorted(grouping))
            law[key] = law.get(key, Fraction(0)) + p
    return law
