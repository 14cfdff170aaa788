"""Random tables in which SoftCut tries cuts."""

from __future__ import annotations

from random import Random

from pellucid.table import Table
from plain.random_tables import FAMILIES, random_quasi_columns, random_ranks
from plain.tables import line, secret, table_of


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
    return table_of([*quasi, secret("s", values)], ranks if identifier else None), l


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
