"""What an attacker gets right who knows a statistic of single people and the method: whole columns trade at once.

    python benchmark/columns.py                    Adult and census_occupation, l = 3 and 4: a table in Markdown

Ace divides buckets. A bucket has a column of rows for each of its values, and its groups are slices through all of
them. An attacker who takes each group by itself weighs whose value is whose there. One who knows the method asks which
columns would have been sliced like this. Columns are tall, so a small difference between people decides.

The attacker knows P(value | quasi-identifiers) by naive Bayes, measured on the true table and smoothed with 50 people,
and is told which groups are one bucket. The posterior is sampled: a walk through all ways of handing the values of each
group to its people of which Slice makes the same groups, first at random and then by weight. Buckets are drawn with
chances in proportion to their rows. Draws by lot leave groups independent, and strata published whole are one group.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from random import Random

import numpy as np
import polars as pl
from figures import say
from numpy.typing import NDArray
from utility_cells import TABLES, RealTable

import pellucid as pc
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import lay_out
from pellucid.anonymize.layout.tentative_cuts import die_of
from pellucid.anonymize.layout.tree import grow_tree
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.runtime.progress import SILENT

PEOPLE, UNITS, STEPS = 3_000, 60, 20  # of a sample; units that are looked at; steps of a walk for each person
LONGEST = 4_000  # steps of one walk
SMOOTHING = 50

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Unit:
    """Rows whose values one walk trades: the groups of a bucket, as places among its rows; or one group alone."""

    rows: Ints
    groups: list[Ints]


@dataclass(frozen=True)
class Right:
    """The mean probability that is given to the truth, and how often the best guess is right."""

    mean: float
    guesses: float

    def __str__(self) -> str:
        return f"{self.mean:.0%} / {self.guesses:.0%}"


def sample_of(table: RealTable) -> pc.Table:
    """Some people of a real table, numbered, so that the order of rows is known."""
    frame = pl.read_csv(table.path, infer_schema_length=None)
    if table.unknown is not None:
        frame = frame.filter(pl.col(table.sensitive) != table.unknown)
    frame = frame.sample(PEOPLE, seed=1).with_columns(pl.col(table.sensitive).cast(pl.String)).with_row_index("number")
    return pc.read(frame, quasi=table.quasi[:4], sensitive=table.sensitive, identifier="number")


def naive_bayes(table: pc.Table) -> Floats:
    """P(value | quasi-identifiers) of every row and value."""
    (column,) = table.having(Role.SENSITIVE)
    held, values = table.codes[column], len(table.attributes[column])
    share = np.bincount(held, minlength=values) / len(table)
    logs = np.tile(np.log(np.maximum(share, 1e-300)), (len(table), 1))
    for i in table.having(Role.QUASI):
        counts = np.zeros((len(table.attributes[i]), values))
        np.add.at(counts, (table.codes[i], held), 1)
        smooth = (counts + SMOOTHING * share) / (counts.sum(axis=1, keepdims=True) + SMOOTHING)
        logs += np.log(np.maximum(smooth[table.codes[i]], 1e-300) / np.maximum(share, 1e-300))
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def units_of(table: pc.Table, method: pc.Method, coins: Coins) -> Iterator[Unit]:
    """The buckets of a release, where they are sliced; groups alone elsewhere."""
    grouping = method.group(table, coins)
    (column,) = table.having(Role.SENSITIVE)
    leaves = leaves_of(table, method, coins, grouping)
    for leaf in np.unique(leaves).tolist():
        groups = [grouping.members[grouping.starts[g] : grouping.starts[g + 1]] for g in np.flatnonzero(leaves == leaf)]
        for some in buckets(groups, table.codes[column]):
            unit = Unit(
                np.concatenate(some), list(np.split(np.arange(sum(map(len, some))), np.cumsum([*map(len, some)])[:-1]))
            )
            if len(some) > 1 and fits(table, unit, table.codes[column][unit.rows]):
                yield unit
            else:
                yield from (Unit(group, [np.arange(len(group))]) for group in some)


def leaves_of(table: pc.Table, method: pc.Method, coins: Coins, grouping: Grouping) -> Ints:
    """For each group the leaf in which it was made."""
    if isinstance(method, pc.Strata):
        assert grouping.strata is not None
        return grouping.strata
    if isinstance(method, pc.SoftCut):
        entries, die = lay_out(table, coins, 1), die_of(coins, method.l)
        tree = grow_tree(entries, method.l, ace=False, coins=coins, threads=1, progress=SILENT, die=die)
        return tree.labels[grouping.members[grouping.starts[:-1]]]
    return np.arange(len(grouping))  # drawn by lot


def buckets(groups: Sequence[Ints], held: Ints) -> Iterator[list[Ints]]:
    """Groups of one leaf, in the order in which they were made, while they have the same values."""
    some: list[Ints] = []
    for group in groups:
        if some and sorted(held[group]) != sorted(held[some[0]]):
            yield some
            some = []
        some.append(group)
    yield some


def fits(table: pc.Table, unit: Unit, held: Ints) -> bool:
    """Whether Slice makes these groups, if people have these values: all of them are one bucket of Ace's."""
    (column,) = table.having(Role.SENSITIVE)
    own = table.rows(unit.rows)
    codes = tuple(held.astype(np.int32) if i == column else one for i, one in enumerate(own.codes))
    distinct = len(np.unique(held))
    if len(held) != distinct * len(unit.groups):
        return False
    made = pc.Ace(l=distinct).group(replace(own, codes=codes), Coins.from_seed(0), threads=1)
    found = {frozenset(part.tolist()) for part in np.split(made.members, made.starts[1:-1])}
    return found == {frozenset(group.tolist()) for group in unit.groups}


def walked(table: pc.Table, unit: Unit, prior: Floats, random: Random, *, method: bool) -> Right:
    """What the attacker gets right in a unit: each group by itself, or asking what the ``method`` would have made."""
    (column,) = table.having(Role.SENSITIVE)
    values, truth = np.unique(table.codes[column][unit.rows], return_inverse=True)
    logs = np.log(np.maximum(prior[unit.rows][:, values], 1e-300))
    order = list(range(len(values)))
    random.shuffle(order)
    held = np.array(order)[truth] if len(unit.groups) > 1 else truth[random.sample(range(len(truth)), len(truth))]
    seen, height = np.zeros((len(truth), len(values))), len(unit.groups)
    steps = min(LONGEST, STEPS * (len(truth) + height)) if height > 1 else 20 * STEPS * len(truth)
    for step in range(2 * steps):
        places, new = proposed(unit, held, len(values), random)
        gain = float((logs[places, new] - logs[places, held[places]]).sum()) if step >= steps else 0.0
        if gain >= 0 or log(random.random()) < gain:
            old, held[places] = held[places].copy(), new
            if method and height > 1 and len(places) < len(truth) and not fits(table, unit, values[held]):
                held[places] = old
        if step >= steps:
            seen[np.arange(len(truth)), held] += 1
    share = seen[np.arange(len(truth)), truth] / seen.sum(axis=1)
    return Right(float(share.mean()), float((seen.argmax(axis=1) == truth).mean()))


def proposed(unit: Unit, held: Ints, values: int, random: Random) -> tuple[Ints, Ints]:
    """Two people of a group trade, or two columns of some groups that follow each other, or of all."""
    height = len(unit.groups)
    if height == 1 or random.random() < 0.7:
        group = unit.groups[random.randrange(height)]
        places = group[random.sample(range(len(group)), 2)]
        return places, held[places[::-1]]
    size = height if random.random() < 0.2 else min(height, 1 + int(random.expovariate(8 / height)))
    first = random.randrange(height - size + 1)
    places = np.concatenate(unit.groups[first : first + size])
    one, other = random.sample(range(values), 2)
    own = held[places]
    return places, np.where(own == one, other, np.where(own == other, one, own))


def rights(table: pc.Table, made: pc.Method, prior: Floats) -> list[Right]:
    """What is right without the release, with it group by group, and with it and the method."""
    (column,) = table.having(Role.SENSITIVE)
    truth = table.codes[column]
    units, random = list(units_of(table, made, Coins.from_seed(3))), Random(5)
    drawn = random.choices(units, [len(unit.rows) for unit in units], k=UNITS)
    alone = Right(float(prior[np.arange(len(truth)), truth].mean()), float((prior.argmax(axis=1) == truth).mean()))
    found = [alone]
    for method in (False, True):
        each = [walked(table, unit, prior, random, method=method) for unit in drawn]
        found.append(Right(float(np.mean([e.mean for e in each])), float(np.mean([e.guesses for e in each]))))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=["Adult", "census_occupation"])
    parser.add_argument("--l", nargs="+", type=int, default=[3, 4])
    given = parser.parse_args()
    say(
        "| table | l | method | without the release | group by group | and with the method |\n|---|---|---|---|---|---|"
    )
    for real in (table for table in TABLES if table.name in given.only):
        table = sample_of(real)
        prior = naive_bayes(table)
        for l in given.l:
            for name, made in {
                "SoftCut": pc.SoftCut(l=l),
                "Strata 50": pc.Strata(l=l),
                "Strata 50 by lot": pc.Strata(l=l, inside="lot"),
                "Strata 50 whole": pc.Strata(l=l, inside="none"),
                "Anatomy": pc.Anatomy(l=l),
            }.items():
                say(f"| {real.name} | {l} | {name} | " + " | ".join(map(str, rights(table, made, prior))) + " |")


if __name__ == "__main__":
    main()
