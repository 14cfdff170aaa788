"""The attacker, as plainly as possible: every table that the population could have been, published, and compared.

Nothing is imported from the engines of :mod:`pellucid.risk` or :mod:`pellucid.posterior`. **A world** says who of
the population is in the table and which sensitive value each of them has. Before the release every world is equally
likely: every choice of so many people, and every way to hand the published values out to them. The attacker knows the
population's quasi-identifiers and identifiers (which order the rows), the method, its parameters, the way of recoding
and how columns are read; everything but the sensitive values, who is in the table, and the coins. Each world is
published through :func:`pellucid.publish` and what comes out is compared with the release **as bytes**: the frames as
they would be written, row by row, and the recipe. A world counts once, weighted by the probability that the method's
coins make this release of it (1 where it draws none); by how many partitions it could have been made does not matter.

Two views of the attacker:

- ``alone``: the release and the population. When the population has more people than the table, a person's beliefs add
  up to the probability of being in the table at all.
- ``told``: somebody also knows which of the table's people are in which group, and each group's sensitive values. The
  population is the table's people.

What is suppressed is not published: the values of those people are any of the values of ``domain``, each as likely as
any other, independently. Where the method looks at no sensitive value, somebody's suppression tells nothing of theirs,
and only what is believed of them as one of the published counts.

An attack that says "exact" claims one of these figures, of whoever is in a published group: of ``alone`` when it is
given a population; with the true table, the larger of the two, person by person.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import polars as pl

import pellucid as pc
from oracle.worlds import arrangements
from pellucid.anonymize.disclosure.strata_pins import pins_of
from pellucid.anonymize.method import Method
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import RECODERS
from pellucid.anonymize.recode.recoder import Recoder
from pellucid.core.coins import Coins
from pellucid.core.recipe import recipe
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import PellucidError

Partition = frozenset[frozenset[int]]
Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Disguised:
    """Groups of rows, with the codes that are published instead of the true ones, or records that are added."""

    groups: Rows
    sensitive: tuple[int, ...] | None = None
    added: tuple[tuple[int, int], ...] | None = None

    def grouping(self, rows: int) -> Grouping:
        """The same as the package has it."""
        plain = labelled(self.groups, rows)
        shown = None if self.sensitive is None else np.array(self.sensitive, np.int32)
        added = None
        if self.added is not None:
            pairs = np.array(self.added, np.int32).reshape(-1, 2)
            added = pairs[:, 0].copy(), pairs[:, 1].copy()
        return Grouping(plain.members.copy(), plain.starts.copy(), rows, sensitive=shown, added=added)


Law = Mapping[Any, Fraction]  # groups of rows of a table (Rows, or Disguised), and how likely the coins make them
LawOf = Callable[[Table], Law]


@dataclass(frozen=True)
class World:
    """Who is in the table (rows of the population, ascending), and the sensitive value of each."""

    members: tuple[int, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Published:
    """What a world was published as, and what only its owner sees: the groups (of rows of the population)."""

    content: Hashable
    groups: Partition
    replaced: Hashable = None  # who is in which group with which published values, where these may not be true

    def told(self, world: World) -> Hashable:
        """What somebody has who is told the groups and the values of each; where some are replaced, what is shown."""
        if self.replaced is not None:
            return self.content, self.replaced
        value = dict(zip(world.members, world.values, strict=True))
        held = (
            (group, tuple(sorted(str(value[person]) for person in group)))
            for group in sorted(map(tuple, map(sorted, self.groups)))
        )
        return self.content, tuple(held)


@dataclass(eq=False)
class Setting:
    """How a table is published: everything that the attacker knows but the release itself.

    ``population`` has an identifier and the quasi-identifiers; ``reading`` is what :func:`pellucid.read` is given
    (roles or a schema), with a sensitive column ``sensitive`` that the population lacks. ``law`` is the exact law of
    a method that draws coins; a method without coins is run.
    """

    population: pl.DataFrame
    sensitive: str
    reading: Mapping[str, Any]
    method: Method
    recoder: Recoder | None = None
    law: LawOf | None = None
    _tables: dict[Hashable, tuple[Table, dict[Any, int]]] = field(default_factory=dict)
    _known: dict[Hashable, Any] = field(default_factory=dict)

    def frame(self, world: World) -> pl.DataFrame:
        """The table of a world, in the order of the population."""
        values = pl.Series(self.sensitive, list(world.values))
        return self.population[list(world.members)].with_columns(values)

    def table(self, world: World) -> Table:
        """The same as it is read. Worlds that differ in who has which value differ in one column of codes."""
        key = (world.members, tuple(sorted(map(str, world.values))))
        if key not in self._tables:
            read = pc.read(self.frame(world), **self.reading)
            column = read.having(Role.SENSITIVE)[0]
            self._tables[key] = read, {v: c for c, v in enumerate(read.attributes[column].values.to_list())}
        read, code = self._tables[key]
        column = read.having(Role.SENSITIVE)[0]
        codes = list(read.codes)
        codes[column] = np.array([code[value] for value in world.values], np.int32)
        return replace(read, codes=tuple(codes))

    def publish(self, world: World) -> pc.Release:
        """What the owner of the table does."""
        return pc.publish(self.table(world), self.method, recode=self.recoder, threads=1)

    def outcomes(self, world: World) -> list[tuple[Published, Fraction]]:
        """Everything that may be published of a world, with its probability; nothing where it is refused.

        Reading may refuse a world that the method would not: a column ends at shares of the rows, and of other people
        these leave no two values.
        """
        try:
            table = self.table(world)
        except PellucidError:
            return []
        if self.law is not None:
            return list(self._by_law(world, table))
        try:
            found = self.method.group(table, Coins.from_seed(0), threads=1)
        except PellucidError:
            return []
        groups = [found.members[a:b].tolist() for a, b in pairwise(found.starts.tolist())]
        key = self._kind(world, groups), found.levels
        if key not in self._known:
            self._known[key] = self._recoded(table, found)
        return [(Published(self._known[key], in_population(partition(groups), world)), Fraction(1))]

    def _kind(self, world: World, groups: Sequence[Sequence[int]]) -> Hashable:
        """What decides what is published, as the recoders promise: who is in which group, and each group's values.

        That it is so is checked where it matters: an attacked release is always what the owner published.
        """
        held = sorted((sorted(group), sorted(str(world.values[row]) for row in group)) for group in groups)
        return world.members, tuple(sorted(map(str, world.values))), str(held)

    def _by_law(self, world: World, table: Table) -> Iterator[tuple[Published, Fraction]]:
        assert self.law is not None
        for made, chance in self.law(table).items():
            disguised = isinstance(made, Disguised)
            groups = made.groups if disguised else made
            key = self._kind(world, groups), made if disguised else None
            if key not in self._known:
                grouping = made.grouping(len(table)) if disguised else labelled(groups, len(table))
                self._known[key] = self._recoded(table, grouping)
            shown = replaced(world, groups, table, made.sensitive) if isinstance(made, Disguised) else None
            yield Published(self._known[key], in_population(partition(groups), world), shown), chance

    def _recoded(self, table: Table, grouping: Grouping) -> Hashable:
        """What :meth:`publish` hands out of these groups; an attacked release is always one that was published."""
        recoder = self.recoder if self.recoder is not None else RECODERS[self.method.recoder]()
        frames = recoder.recode(*grouping.as_published(table), threads=1)
        kept = len(grouping.members)
        rows = kept + (0 if grouping.added is None else len(grouping.added[0]))
        told = recipe(
            table,
            self.method,
            recoder,
            rows,
            suppressed=len(table) - kept,
            changes=grouping.changes,
            asked=self._told_of_strata(table),
        )
        return bytes_of(frames, told.document)

    def _told_of_strata(self, table: Table) -> dict[str, Any]:
        """What a recipe tells of strata, which everybody can cut again."""
        strata = self.method.strata(table)
        if strata is None:
            return {}
        found = Grouping.from_labels(strata)
        return {"strata": {"number": len(found), "pins": pins_of(table, found)}}


def labelled(groups: Sequence[Sequence[int]], rows: int) -> Grouping:
    """Groups of rows as the package has them."""
    labels = np.full(rows, -1, np.int32)
    for number, group in enumerate(groups):
        labels[list(group)] = number
    return Grouping.from_labels(labels)


def replaced(world: World, groups: Sequence[Sequence[int]], table: Table, codes: Sequence[int] | None) -> Hashable:
    """Who is in which group, and which values it is published with; None where they are the true ones."""
    if codes is None:
        return None
    names = table.attributes[table.having(Role.SENSITIVE)[0]].values.to_list()
    held = ((sorted(world.members[r] for r in group), sorted(str(names[codes[r]]) for r in group)) for group in groups)
    return str(sorted(held))


def partition(groups: Sequence[Sequence[int]]) -> Partition:
    """Groups without an order."""
    return frozenset(frozenset(group) for group in groups)


def in_population(groups: Partition, world: World) -> Partition:
    """Rows of the table as rows of the population."""
    return frozenset(frozenset(world.members[row] for row in group) for group in groups)


def content(release: pc.Release) -> Hashable:
    """What is handed out, as bytes."""
    return bytes_of(release.public.frames, release.recipe)


def bytes_of(frames: Mapping[str, pl.DataFrame], told: Mapping[str, Any]) -> Hashable:
    """The texts of the frames as they would be written, row by row, and the recipe."""
    written = tuple((name, *frames[name].columns, _texts(frames[name])) for name in sorted(frames))
    return written, json.dumps(told, sort_keys=True, default=str)


def _texts(frame: pl.DataFrame) -> str:
    """What a text file would say, which tells a null from an empty text; polars takes far longer for few rows."""
    return str([[None if one is None else str(one) for one in row] for row in frame.rows()])


def every_world(people: int, multisets: Sequence[Sequence[Any]]) -> Iterator[World]:
    """Every choice of members and every way to hand values out to them, each once."""
    for multiset in multisets:
        numbered = sorted(set(multiset), key=str)
        for members in combinations(range(people), len(multiset)):
            for order in arrangements([numbered.index(value) for value in multiset]):
                yield World(members, tuple(numbered[number] for number in order))


def multisets(published: Sequence[Any], suppressed: int, domain: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The sensitive values that the table may have had: those that are published, and any for whoever is not."""
    found = {tuple(sorted([*published, *more], key=str)) for more in product(domain, repeat=suppressed)}
    return sorted(found, key=str)


@dataclass(eq=False)
class Attacker:
    """What is believed after each release that can happen."""

    setting: Setting
    worlds: Sequence[World]

    @cached_property
    def everything(self) -> list[tuple[World, Published, Fraction]]:
        """Each world with each of its releases."""
        return [(world, made, chance) for world in self.worlds for made, chance in self.setting.outcomes(world)]

    @cached_property
    def _only_published(self) -> bool:
        """Whether a suppressed row tells nothing, because the method looks at no sensitive value."""
        return getattr(getattr(self.setting.method, "required", None), "looks_at", None) == "sizes"

    def _posterior(
        self, key: Callable[[World, Published], Hashable], facts: Callable[[World], Fraction | bool]
    ) -> dict[Hashable, list[dict[Any, Fraction]]]:
        total: dict[Hashable, Fraction] = defaultdict(Fraction)
        having: dict[Hashable, dict[tuple[int, Any], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        for world, made, chance in self.everything:
            weight = facts(world) * chance
            if not weight:
                continue
            release = key(world, made)
            total[release] += weight
            told_of = frozenset().union(*made.groups) if self._only_published else world.members
            for person, value in zip(world.members, world.values, strict=True):
                if person in told_of:
                    having[release][person, value] += weight
        found: dict[Hashable, list[dict[Any, Fraction]]] = {}
        for release, shares in having.items():
            people: list[dict[Any, Fraction]] = [{} for _ in range(self.setting.population.height)]
            for (person, value), share in shares.items():
                people[person][value] = share / total[release]
            found[release] = people
        return found

    @cached_property
    def alone(self) -> dict[Hashable, list[dict[Any, Fraction]]]:
        """By content of the release: for each person of the population how likely each value is."""
        return self._posterior(lambda _, made: made.content, lambda _: True)

    @cached_property
    def told(self) -> dict[Hashable, list[dict[Any, Fraction]]]:
        """By content, groups and their values."""
        return self._posterior(lambda world, made: made.told(world), lambda _: True)

    def given(
        self, facts: Callable[[World], Fraction | bool], *, told: bool
    ) -> dict[Hashable, list[dict[Any, Fraction]]]:
        """The same among the worlds in which facts hold, or where each world weighs what is said of it."""
        return self._posterior(lambda world, made: made.told(world) if told else made.content, facts)


def risk(posterior: Mapping[Any, Fraction]) -> Fraction:
    """The largest belief about a person."""
    return max(posterior.values(), default=Fraction(0))


def by_any_order(table: Table, groups_of: Callable[[Table], Sequence[Sequence[int]] | None]) -> Law:
    """The law where no identifier orders the rows: every order is as likely as any other."""
    found: Counter[tuple[tuple[int, ...], ...]] = Counter()
    orders = list(permutations(range(len(table))))
    for order in orders:
        groups = groups_of(replace(table, order=np.array(order, np.int64)))
        if groups is not None:
            found[tuple(sorted(tuple(sorted(group)) for group in groups))] += 1
    return {groups: Fraction(count, len(orders)) for groups, count in found.items()}
