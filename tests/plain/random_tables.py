"""Random tables that stress what a kernel could get wrong. A table is a function of its source of randomness alone.

The families: *ties* (few values, constant columns, nulls), *tree* (taxonomies), *wide* (sparse lines whose widths have
so large a common multiple that neither a float nor a machine word holds a perimeter), *near* (perimeters that differ by
less than a float can see), *telling* (quasi-identifiers that follow the sensitive column), *rounded* (different codes
at the same position), *cross* (cuts by row order are the best ones).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from pellucid.core.schema import Role
from pellucid.core.table import Table
from plain.tables import Column, line, secret, table_of, tree

# Large primes: the product of any three exceeds 2**53, of any four of the last six exceeds 2**96.
PRIMES = (999_983, 1_000_003, 15_485_863, 179_424_673, 982_451_653, 1_299_709_961, 1_999_999_973, 2_038_074_743)

FAMILIES = ("ties", "tree", "wide", "near", "telling", "rounded", "cross")


def random_paths(random: Random) -> list[tuple[int, ...]]:
    """A random tree with 2 to 12 leaves, of uneven depth, in depth-first order."""
    paths: list[tuple[int, ...]] = [(0,), (1,)]
    for _ in range(random.randrange(11)):
        leaf = random.choice(paths)
        if len(leaf) < 4 and random.random() < 0.5:
            paths.remove(leaf)
            paths += [(*leaf, 0), (*leaf, 1)]
        else:
            siblings = [path[len(leaf) - 1] for path in paths if path[: len(leaf) - 1] == leaf[:-1]]
            paths.append((*leaf[:-1], max(siblings) + 1))
    return sorted(paths)


def near_tie(random: Random, n: int) -> list[Column]:
    """Two or more attributes whose extents differ from each other by 1 / (p * q) and so look equal to a float.

    With a*q - b*p = 1 the fractions a/p and b/q are that close; a cut on one attribute leaves the other's extent.
    """
    columns: list[Column] = []
    if random.random() < 0.3:
        width = random.choice([1, PRIMES[-1]])
        columns.append(line("q0", [random.choice([0, width]) for _ in range(n)], (0, width)))
    for _ in range(random.randint(1, 2)):
        p, q = random.sample(PRIMES[3:], 2)
        a = pow(q, -1, p)
        b = (a * q - 1) // p
        pair: list[tuple[int, tuple[int, ...]]] = [(p, (0, a)), (q, (0, b))]
        if random.random() < 0.5:
            pair = [(p, (0, a, p - a, p)), (q, (0, b, q - b, q))]
        random.shuffle(pair)
        for width, choices in pair:
            columns.append(line(f"q{len(columns)}", [random.choice(choices) for _ in range(n)], (0, width)))
    return columns


def random_quasi(random: Random, n: int, name: str, family: str) -> Column:
    """One random quasi-identifier for n rows."""
    nulls = random.random() < 0.2

    def sometimes_null(value: int) -> int | None:
        return None if nulls and random.random() < 0.15 else value

    if family == "tree" and random.random() < 0.7:
        paths = random_paths(random)
        return tree(name, paths, [sometimes_null(random.randrange(len(paths))) for _ in range(n)])
    if family == "wide":
        width = random.choice([*PRIMES, 1, 2, 3])  # a narrow one among wide ones ties with them at its ends
        if random.random() < 0.5:  # few values, mirrored around the middle: many cuts tie exactly
            half = [random.randrange(width // 2 + 1) for _ in range(random.randint(1, 4))]
            choices = half + [width - value for value in half] + [0, width]
        else:
            choices = [random.randrange(width + 1) for _ in range(n)]
        return line(name, [sometimes_null(random.choice(choices)) for _ in range(n)], (0, width))
    distinct = random.choice([1, 2, 2, 3, 5, 20, 200])
    values = [sometimes_null(random.randrange(distinct) * random.choice([1, 1, 7])) for _ in range(n)]
    domain = (-3, 1500) if random.random() < 0.2 else None
    return line(name, values, domain)


def random_secret(random: Random, n: int, l: int, name: str) -> Column:
    """A sensitive column in which no value has more than n // l rows; now and then exactly that many."""
    most = n // l
    if random.random() < 0.6:
        most = max(1, most // random.choice([1, 2, 4, 8]))
    distinct = max(l, -(-n // most), random.choice([1, 2, 4, 10, 60, n]))
    counts = [0] * distinct
    weights = [random.random() ** random.choice([0, 1, 3]) + 1e-9 for _ in range(distinct)]
    values = []
    for _ in range(n):
        value = random.choices(range(distinct), weights)[0]
        while counts[value] >= most:
            value = (value + 1) % distinct
        counts[value] += 1
        values.append(value)
    random.shuffle(values)
    return secret(name, values)


def telling(random: Random, name: str, sensitive: Sequence[int]) -> Column:
    """A quasi-identifier that follows the sensitive column: every group spans it, so many divisions gain nothing.

    Either a value has one code, or some values have the lowest, some the highest and the others any.
    """
    distinct = random.choice([2, 3, 7])
    noise = random.choice([0, 0, 0.05, 0.3])
    if random.random() < 0.5:
        values = [code % distinct for code in sensitive]
    else:
        values = [(0, distinct - 1, random.randrange(distinct))[min(code % 4, 2)] for code in sensitive]
    return line(name, [random.randrange(distinct) if random.random() < noise else value for value in values])


def rounded(random: Random, n: int, name: str) -> Column:
    """A line on which different codes share positions, as when values lie closer than the line can tell."""
    made, codes = line(name, [random.randrange(random.choice([3, 12, 90])) for _ in range(n)])
    step = random.choice([2, 5])
    return replace(made, positions=made.positions // step * step), codes


def cross(random: Random, arms: Sequence[int]) -> list[Column]:
    """People on the two arms of a cross, one with many different places and one with few.

    No attribute tells the arms apart, but a row order that follows them does, among rows that are alike elsewhere.
    """
    many, few = random.choice([20, 60]), random.choice([2, 3, 9])
    middle = many // 2
    across = [random.randrange(many) if arm == 0 else middle for arm in arms]
    along = [random.randrange(few) if arm == 1 else few // 2 for arm in arms]
    alike = [int(random.random() < 0.05) for _ in arms] if random.random() < 0.5 else [0 for _ in arms]
    columns = [line("q0", across), line("q1", along), line("q2", alike)]
    random.shuffle(columns)
    return columns


def random_quasi_columns(
    random: Random, n: int, family: str, attributes: int, sensitive: Sequence[int]
) -> list[Column]:
    """Quasi-identifiers of a family for n rows, at most so many where the family allows a choice."""
    if family == "near":
        return near_tie(random, n)
    names = [f"q{i}" for i in range(random.randint(1, attributes))]
    if family == "telling":
        chances = [(name, random.random()) for name in names]
        return [
            telling(random, name, sensitive)
            if chance < 0.6
            else line(name, [7] * n)
            if chance < 0.8
            else random_quasi(random, n, name, "ties")
            for name, chance in chances
        ]
    if family == "rounded":
        return [rounded(random, n, name) for name in names]
    return [random_quasi(random, n, name, family) for name in names]


def random_ranks(random: Random, n: int, codes: Sequence[int]) -> list[int]:
    """An order of the rows; often one that follows a quasi-identifier, so that cuts by row order can be the best."""
    noise = random.choice([0.0, 0.3, 1.5, 1e9])
    place = {
        row: rank for rank, row in enumerate(sorted(range(n), key=lambda row: codes[row] + noise * random.random()))
    }
    return [place[row] for row in range(n)]


def random_table(
    random: Random,
    *,
    rows: int | None = None,
    largest: int = 200,
    attributes: int = 6,
    secrets: int = 1,
    family: str | None = None,
    identifier: bool = True,
) -> tuple[Table, int]:
    """A random table, of at most the largest number of rows or of exactly so many, and an l that it can bear."""
    l = random.randint(1, 8)
    n = random.choice([random.randint(l, max(l, largest)), random.randint(l, max(l, min(largest, 30)))])
    n = n if rows is None else rows
    hidden = [random_secret(random, n, l, f"s{j}") for j in range(secrets)]
    chosen = family if family is not None else random.choice(FAMILIES)
    arms = [int(random.random() < 0.5) for _ in range(n)]
    if chosen == "cross":
        quasi = cross(random, arms)
    else:
        quasi = random_quasi_columns(random, n, chosen, attributes, hidden[0][1])
    if random.random() < 0.2:  # the same column twice: every cut ties with another attribute's
        quasi[random.randrange(len(quasi))] = random.choice(quasi)
    ranks = random_ranks(random, n, arms if chosen == "cross" else random.choice(quasi)[1])
    columns = [*quasi, *hidden]
    random.shuffle(columns)
    return important(table_of(columns, ranks if identifier else None), Random(f"{n} {l} {ranks[:9]}")), l


def important(table: Table, random: Random) -> Table:
    """The same table, sometimes with columns of which some matter more than others."""
    if random.random() < 0.5:
        return table
    most = random.choice([2, 3, 100])
    return replace(
        table,
        attributes=tuple(
            replace(one, importance=random.choice([1, 2, random.randint(1, most)])) if one.role is Role.QUASI else one
            for one in table.attributes
        ),
    )


def soft_table(random: Random, largest: int = 300, *, identifier: bool = True) -> tuple[Table, int]:
    """A table in which Tailor makes a cut and then no more, because a value is common in one region; others are tried.

    Where people with that value have something else in common, the tried cut would part them from the others.
    """
    l = random.choice([1, 2, 2, 2, 2, 2, 3])
    n = random.randint(largest // 2, largest)
    regions = [int(random.random() < 0.5) for _ in range(n)]
    common = random.uniform(1 / (2 * l), 1 / (l + 1)) if l > 1 else 0.5
    shares, rivals = (common, (1 / l - common) * random.random()), random.choice([4 * l, 20, 60])
    values = [0 if random.random() < shares[region] else random.randrange(1, rivals) for region in regions]
    family = random.choice(["ties", "tree", "wide", "near", "telling", "telling", "rounded"])
    quasi = random_quasi_columns(random, n, family, 3, values)
    if random.random() < 0.8:
        quasi.insert(0, line("region", [9 * region + random.randrange(3) for region in regions]))
    if random.random() < 0.6:
        blur = random.choice([0.3, 0.6, 0.9])
        quasi.append(line("near", [random.randrange(20) if random.random() < blur else 9 * (v > 0) for v in values]))
    ranks = random_ranks(random, n, random.choice(quasi)[1])
    if max(map(values.count, values)) * l > n:
        return soft_table(random, largest, identifier=identifier)
    made = table_of([*quasi, secret("s", values)], ranks if identifier else None)
    return important(made, Random(f"{n} {l} {ranks[:9]}")), l


def table_without_certain_cut(random: Random, *, identifier: bool, most_rows: int = 300) -> tuple[Table, int]:
    """One value has more than one row in 2 * l and at most one in l."""
    l = random.choice([2, 2, 3])
    n = random.randint(24 * l, min(100 * l, most_rows))
    most = random.randint(n // (2 * l) + 1, n // l)
    others = random.randint(2 * l, 5 * l)
    values = [0] * most + [1 + row % others for row in range(n - most)]
    random.shuffle(values)
    quasi = random_quasi_columns(random, n, random.choice([f for f in FAMILIES if f != "cross"]), 3, values)
    ranks = random_ranks(random, n, random.choice(quasi)[1])
    return table_of([*quasi, secret("s", values)], ranks if identifier else None), l
