"""Tables of codes for the tests, made without reading a file: attributes with a chosen geometry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from pellucid.anonymize.grouping import Grouping
from pellucid.core.coins import Coins
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Table
from plain.transparent import Inputs, inputs_of

Column = tuple[Attribute, list[int]]  # an attribute and the codes of its rows


def attribute(
    role: Role,
    kind: Kind,
    values: pl.Series,
    positions: Sequence[int],
    width: int,
    chains: Sequence[Sequence[int]] | None = None,
    leaves: Sequence[int] | None = None,
) -> Attribute:
    """An attribute; position -1 is null."""
    return Attribute(
        name=values.name,
        role=role,
        kind=kind,
        values=values,
        has_null=len(positions) > 0 and positions[0] == -1,
        positions=np.array(positions, dtype=np.int64),
        width=width,
        chains=None if chains is None else np.array(chains, dtype=np.int32),
        leaves=None if leaves is None else np.array(leaves, dtype=np.int64),
    )


def column(codes: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Codes as a table stores them."""
    return np.array(codes, dtype=np.int32)


def line(name: str, values: Sequence[int | None], domain: tuple[int, int] | None = None) -> Column:
    """A numeric quasi-identifier and its codes; the domain is the values' own unless given."""
    known = sorted({value for value in values if value is not None})
    low, high = domain if domain is not None else (known[0], known[-1]) if known else (0, 0)
    null = None in values
    positions = [-1] * null + [value - low for value in known]
    code = {value: number + null for number, value in enumerate(known)}
    book = pl.Series(name, [None] * null + known, dtype=pl.Int64)
    made = attribute(Role.QUASI, Kind.NUMBER, book, positions, high - low)
    return made, [0 if value is None else code[value] for value in values]


def tree(name: str, paths: Sequence[tuple[int, ...]], picks: Sequence[int | None]) -> Column:
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
    book = pl.Series(name, [None] * null + [f"leaf {pick}" for pick in used], dtype=pl.String)
    made = attribute(Role.QUASI, Kind.CATEGORY, book, positions, leaves[()] - 1, chains, [leaves[n] for n in nodes])
    number = {pick: code + null for code, pick in enumerate(used)}
    return made, [0 if pick is None else number[pick] for pick in picks]


def secret(name: str, values: Sequence[int]) -> Column:
    """A sensitive column; codes follow the values' order."""
    known = sorted(set(values))
    book = pl.Series(name, [f"{name} {value}" for value in known])
    made = attribute(Role.SENSITIVE, Kind.CATEGORY, book, range(len(known)), max(0, len(known) - 1))
    code = {value: number for number, value in enumerate(known)}
    return made, [code[value] for value in values]


def table_of(columns: Sequence[tuple[Attribute, Sequence[int]]], order: Sequence[int] | None) -> Table:
    """A table of these attributes with their codes; ``order`` None means that it has no identifier."""
    ranks = None if order is None else np.array(order, dtype=np.int64)
    return Table(tuple(made for made, _ in columns), tuple(column(codes) for _, codes in columns), ranks)


def sorted_groups(grouping: Grouping) -> list[list[int]]:
    """The rows of each group, in an order of groups that says nothing: their numbers are never published."""
    return sorted(sorted(group.tolist()) for group in np.split(grouping.members, grouping.starts[1:-1]))


def inputs_and_draws(table: Table, coins: Coins) -> tuple[Inputs, list[int]]:
    """The plain inputs, and for each row the draw that orders its value's column in Assign."""
    order = table.order if table.order is not None else coins.order(len(table))
    return inputs_of(table, order.tolist()), coins.draws(order).tolist()
