"""Tables of codes for the tests, made without reading a file: attributes with chosen geometry, and random ones.

A random table is a function of its seed alone. The families stress what a kernel could get wrong: ties, constant
columns, nulls, taxonomies, and wide sparse lines whose widths have so large a common multiple that neither a float
nor a machine word holds a perimeter, with exact ties and with differences that a float cannot see.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import polars as pl

from pellucid.schema import Kind, Role
from pellucid.table import Attribute, Table

# Large primes: the product of any three exceeds 2**53, of any four of the last six exceeds 2**96.
PRIMES = (999_983, 1_000_003, 15_485_863, 179_424_673, 982_451_653, 1_299_709_961, 1_999_999_973, 2_038_074_743)

FAMILIES = ("ties", "tree", "wide", "near")


def attribute(
    name: str,
    role: Role,
    kind: Kind,
    positions: Sequence[int],
    width: int,
    chains: Sequence[Sequence[int]] | None = None,
    leaves: Sequence[int] | None = None,
) -> Attribute:
    """An attribute whose values are its positions (or, with chains, its codes) as text; position -1 is null."""
    has_null = len(positions) > 0 and positions[0] == -1
    values: list[str | None] = [f"{name}{position}" for position in positions]
    if has_null:
        values[0] = None
    return Attribute(
        name=name,
        role=role,
        kind=kind,
        values=pl.Series(name, values, dtype=pl.String),
        has_null=has_null,
        positions=np.array(positions, dtype=np.int64),
        width=width,
        chains=None if chains is None else np.array(chains, dtype=np.int32),
        leaves=None if leaves is None else np.array(leaves, dtype=np.int64),
    )


def column(codes: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Codes as a table stores them."""
    return np.array(codes, dtype=np.int32)


def line(name: str, values: Sequence[int | None], domain: tuple[int, int] | None = None) -> tuple[Attribute, list[int]]:
    """A numeric quasi-identifier and its codes; the domain is the values' own unless given."""
    known = sorted({value for value in values if value is not None})
    low, high = domain if domain is not None else (known[0], known[-1]) if known else (0, 0)
    null = [-1] if None in values else []
    positions = null + [value - low for value in known]
    code = {value: number + len(null) for number, value in enumerate(known)}
    made = attribute(name, Role.QUASI, Kind.NUMBER, positions, high - low)
    return made, [0 if value is None else code[value] for value in values]


def tree(name: str, paths: Sequence[tuple[int, ...]], picks: Sequence[int | None]) -> tuple[Attribute, list[int]]:
    """A category with a taxonomy: ``paths[leaf]`` leads from the root's child down; ``None`` is a null below the root.

    Leaves that no row has still count, as they do in a taxonomy file.
    """
    null = None in picks
    used = sorted({pick for pick in picks if pick is not None}, key=lambda pick: paths[pick])
    depth = max(len(path) for path in paths)
    nodes: dict[tuple[int, ...], int] = {}
    leaves: dict[tuple[int, ...], int] = {}
    for path in paths:
        for length in range(len(path) + 1):
            leaves[path[:length]] = leaves.get(path[:length], 0) + 1
    if null:
        leaves[()] += 1
        leaves[(-1,)] = 1
    for node in sorted(leaves):
        nodes[node] = len(nodes)
    codes = ([(-1,)] if null else []) + [paths[pick] for pick in used]
    chains = [[nodes[path[: max(0, depth - level)]] for path in codes] for level in range(depth + 1)]
    positions = [-1] * null + list(range(len(used)))
    made = attribute(name, Role.QUASI, Kind.CATEGORY, positions, leaves[()] - 1, chains, [leaves[n] for n in nodes])
    number = {pick: code + null for code, pick in enumerate(used)}
    return made, [0 if pick is None else number[pick] for pick in picks]


def secret(name: str, values: Sequence[int]) -> tuple[Attribute, list[int]]:
    """A sensitive column; codes follow the values' order."""
    known = sorted(set(values))
    made = attribute(name, Role.SENSITIVE, Kind.CATEGORY, list(range(len(known))), max(0, len(known) - 1))
    code = {value: number for number, value in enumerate(known)}
    return made, [code[value] for value in values]


def table_of(columns: Sequence[tuple[Attribute, Sequence[int]]], order: Sequence[int] | None) -> Table:
    """A table of these attributes with their codes; ``order`` None means that it has no identifier."""
    ranks = None if order is None else np.array(order, dtype=np.int64)
    return Table(tuple(made for made, _ in columns), tuple(column(codes) for _, codes in columns), ranks)


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


def near_tie(random: Random, n: int) -> list[tuple[Attribute, list[int]]]:
    """Two or more attributes whose extents differ from each other by 1 / (p * q) and so look equal to a float.

    With a*q - b*p = 1 the fractions a/p and b/q are that close; a cut on one attribute leaves the other's extent.
    """
    columns: list[tuple[Attribute, list[int]]] = []
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


def random_quasi(random: Random, n: int, name: str, family: str) -> tuple[Attribute, list[int]]:
    """One random quasi-identifier for n rows."""
    nulls = random.random() < 0.2

    def sometimes_null(value: int) -> int | None:
        return None if nulls and random.random() < 0.15 else value

    if family == "tree" and random.random() < 0.7:
        paths = random_paths(random)
        return tree(name, paths, [sometimes_null(random.randrange(len(paths))) for _ in range(n)])
    if family == "wide":
        width = random.choice(PRIMES)
        if random.random() < 0.5:  # few values, mirrored around the middle: many cuts tie exactly
            half = [random.randrange(width // 2) for _ in range(random.randint(1, 4))]
            choices = half + [width - value for value in half] + [0, width]
        else:
            choices = [random.randrange(width + 1) for _ in range(n)]
        return line(name, [sometimes_null(random.choice(choices)) for _ in range(n)], (0, width))
    distinct = random.choice([1, 2, 2, 3, 5, 20, 200])
    values = [sometimes_null(random.randrange(distinct) * random.choice([1, 1, 7])) for _ in range(n)]
    domain = (-3, 1500) if random.random() < 0.2 else None
    return line(name, values, domain)


def random_secret(random: Random, n: int, l: int, name: str) -> tuple[Attribute, list[int]]:  # noqa: E741
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


def random_table(
    random: Random,
    *,
    largest: int = 200,
    attributes: int = 6,
    secrets: int = 1,
    family: str | None = None,
    identifier: bool = True,
) -> tuple[Table, int]:
    """A random table and an l that it can bear."""
    l = random.randint(1, 8)  # noqa: E741
    n = random.choice([random.randint(l, max(l, largest)), random.randint(l, max(l, min(largest, 30)))])
    chosen = family if family is not None else random.choice(FAMILIES)
    if chosen == "near":
        quasi = near_tie(random, n)
    else:
        quasi = [random_quasi(random, n, f"q{i}", chosen) for i in range(random.randint(1, attributes))]
    if random.random() < 0.2:  # the same column twice: every cut ties with another attribute's
        made, codes = random.choice(quasi)
        quasi[random.randrange(len(quasi))] = made, codes
    hidden = [random_secret(random, n, l, f"s{j}") for j in range(secrets)]
    columns = [*quasi, *hidden]
    random.shuffle(columns)
    ranks = random.sample(range(n), n)
    return table_of(columns, ranks if identifier else None), l
