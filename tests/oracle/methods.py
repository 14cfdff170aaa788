"""The methods as the oracle asks for them, and methods that look at what they must not.

Each takes a population and l and returns a function from a world to the law of its grouping.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np

from oracle.worlds import Method, Population, Rows, World
from pellucid.anonymize.methods.tailor import Tailor
from pellucid.core.coins import Coins
from plain import laws
from plain.tables import secret, table_of
from plain.transparent import Inputs, as_grouping, assign_steps, perimeter, slice_bucket, tailor


def certainly(groups: Sequence[Sequence[int]]) -> dict[Rows, Fraction]:
    return {as_grouping(groups): Fraction(1)}


def arguments(t: Inputs, l: int) -> tuple:  # type: ignore[type-arg]
    return t.codes, t.order, t.sensitive, l, t.geometry


def groups_of_labels(labels: Sequence[int]) -> list[list[int]]:
    return [[row for row, label in enumerate(labels) if label == group] for group in range(max(labels) + 1)]


def compiled_tailor(population: Population, l: int) -> Method:
    """The package's own Tailor."""
    coins = Coins.from_seed(0)  # Tailor has no use for them when there is an identifier

    def method(world: World) -> dict[Rows, Fraction]:
        found = Tailor(l=l).group(population.table(world), coins, threads=1)
        return certainly(groups_of_labels(found.labels.tolist()))

    return method


def ace(population: Population, l: int) -> Method:
    """Ace's exact law; the package's is compared with it in tests/statistical."""
    return lambda world: laws.ace_law(*arguments(population.inputs(world), l))


def hybrid(population: Population, l: int) -> Method:
    """Hybrid's exact law; the package's is compared with it in tests/statistical."""
    return lambda world: laws.hybrid_law(*arguments(population.inputs(world), l))


def peeking_at_ties(population: Population, l: int) -> Method:
    """Tailor with one slip: among equal codes, rows are ordered by their sensitive value."""

    def method(world: World) -> dict[Rows, Fraction]:
        t = population.inputs(world)
        by_value = sorted(range(len(t.codes)), key=lambda row: (t.sensitive[row], t.order[row]))
        order = [by_value.index(row) for row in range(len(t.codes))]
        return certainly(tailor(t.codes, order, t.sensitive, l, t.geometry))

    return method


def looking_at_children(population: Population, l: int) -> Method:
    """What many tools do: the best cut whose two sides turn out to be l-diverse."""

    def diverse(rows: Sequence[int], t: Inputs) -> bool:
        values = [t.sensitive[row] for row in rows]
        return max(map(values.count, values)) * l <= len(values)

    def cut(rows: Sequence[int], t: Inputs) -> list[list[int]]:
        candidates = []
        for i in range(len(t.geometry)):
            line = sorted(rows, key=lambda row, i=i: (t.codes[row][i], t.order[row]))
            for k in range(1, len(rows)):
                left, right = line[:k], line[k:]
                if diverse(left, t) and diverse(right, t):
                    total = perimeter(left, t.codes, t.geometry) + perimeter(right, t.codes, t.geometry)
                    candidates.append((total, i, k, left, right))
        if not candidates:
            return [list(rows)]
        _, _, _, left, right = min(candidates, key=lambda candidate: candidate[:3])
        return [*cut(left, t), *cut(right, t)]

    def method(world: World) -> dict[Rows, Fraction]:
        t = population.inputs(world)
        return certainly(cut(range(len(t.codes)), t))

    return method


def ace_without_coins(population: Population, l: int) -> Method:
    """Ace that takes the first rows of each value by row order where it should draw them."""

    def method(world: World) -> dict[Rows, Fraction]:
        t = population.inputs(world)
        columns: dict[int, list[int]] = {}
        for row in sorted(range(len(t.codes)), key=lambda row: t.order[row]):
            columns.setdefault(t.sensitive[row][0], []).append(row)
        groups = []
        for alpha, _, signature in assign_steps({v: len(c) for v, c in columns.items()}, l):
            bucket = [[columns[value].pop(0) for _ in range(alpha)] for value in signature]
            groups += slice_bucket(bucket, t.codes, t.order, t.geometry)
        return certainly(groups)

    return method


def ace_for_the_nearest(population: Population, l: int) -> Method:
    """Ace that chooses each value's rows for a small perimeter, as a tool that wants utility would."""

    def method(world: World) -> dict[Rows, Fraction]:
        t = population.inputs(world)
        law = laws.ace_law(*arguments(t, l))
        return certainly(min(law, key=lambda groups: (sum(perimeter(g, t.codes, t.geometry) for g in groups), groups)))

    return method


def tailor_in_file_order(population: Population, l: int) -> Method:
    """Without an identifier: the row order is that of a file sorted by the sensitive column, then by person."""

    def method(world: World) -> dict[Rows, Fraction]:
        by_disease = sorted(range(len(world.members)), key=lambda row: (world.values[row], row))
        ranks = {world.members[row]: number for number, row in enumerate(by_disease)}
        t = population.inputs(world, [ranks.get(person, -1) for person in range(len(population.vectors))])
        return certainly(tailor(t.codes, t.order, t.sensitive, l, t.geometry))

    return method


def any_order(population: Population, l: int, law: laws.MethodLaw) -> Method:
    """Without an identifier: every row order is equally likely, whatever the order of the file."""

    def method(world: World) -> dict[Rows, Fraction]:
        t = population.inputs(world)
        orders = permutations(range(len(t.codes)))
        return laws.mixture(orders, lambda order: law(t.codes, order, t.sensitive, l, t.geometry))

    return method


def compiled_tailor_on_sorted_file(population: Population, l: int) -> Method:
    """The package's Tailor on a file without an identifier that is sorted by disease, over all orders of the coins."""

    def method(world: World) -> dict[Rows, Fraction]:
        by_disease = sorted(range(len(world.members)), key=lambda row: (world.values[row], row))
        sorted_world = World(tuple(world.members[r] for r in by_disease), tuple(world.values[r] for r in by_disease))
        table = replace(population.table(sorted_world), order=None)
        outcomes: Counter[Rows] = Counter()
        for order in permutations(range(len(table))):
            ordered = replace(
                table, order=np.array(order, dtype=np.int64)
            )  # as the coins would: tests/unit/test_entries.py
            found = Tailor(l=l).group(ordered, Coins(bytes(16)), threads=1)
            groups = groups_of_labels(found.labels.tolist())
            outcomes[as_grouping([[by_disease[row] for row in group] for group in groups])] += 1
        return {groups: Fraction(count, outcomes.total()) for groups, count in outcomes.items()}

    return method


def tailor_of_pairs(population: Population, pairs: Sequence[tuple[int, int]], l: int, protecting: bool) -> Method:
    """The package's Tailor on two sensitive columns, or on the first of them alone; a world's value numbers a pair."""
    coins = Coins.from_seed(0)

    def method(world: World) -> dict[Rows, Fraction]:
        of_pairs = population.table(world)
        hidden = [secret(f"s{column}", [pairs[value][column] for value in world.values]) for column in (0, 1)]
        columns = [*zip(of_pairs.attributes[:-1], of_pairs.codes[:-1], strict=True), *hidden[: 1 + protecting]]
        table = replace(table_of(columns, None), order=of_pairs.order)
        return certainly(groups_of_labels(Tailor(l=l).group(table, coins, threads=1).labels.tolist()))

    return method
