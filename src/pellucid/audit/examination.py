"""Look at a release once, and answer every question about its privacy models from what was counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from pellucid.audit.answers import Answers, AuditedLevel, AuditedVerdict, View, Views, about_level, about_verdict
from pellucid.audit.findings import Finding, findings
from pellucid.audit.overlap import Walk
from pellucid.audit.partition import Partition, partition, suppressed_rows
from pellucid.audit.population import People, covers, matching, people
from pellucid.audit.protected import Values, by_column, protecting
from pellucid.audit.reading_order import place_of
from pellucid.audit.roles import Names, Roles, roles_of
from pellucid.audit.source import SPLIT, Source, opened
from pellucid.audit.two_tables import joined_groups
from pellucid.errors import InputError, ModelError, SchemaError
from pellucid.io import encode
from pellucid.model import PrivacyModel, models
from pellucid.model.maximum_risk import MaximumRisk
from pellucid.model.table_risk import TableRisk
from pellucid.parallel import thread_count
from pellucid.progress import SILENT, Progress
from pellucid.schema import Column, Kind, Role, Schema
from pellucid.table import Table


class Look(NamedTuple):
    """One way to look at a release: its groups, and which models look at them so."""

    looks_at: Literal["sizes", "population", "values"]
    partition: Partition
    sensitive: str | None
    view: View


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """A release that was looked at; made by :func:`examine`."""

    name: str
    table: Table
    forming: tuple[int, ...]
    protected: tuple[int, ...]
    findings: tuple[Finding, ...]
    suppressed: int
    exempt_suppressed: bool
    threads: int
    quasi_table: Table
    population: People | None
    schema: Schema | None
    nulls_are_values: bool

    def __repr__(self) -> str:
        return f"Audit({self.name}: {self.rows:,} rows in {self.groups:,} groups)"

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.table)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns whose published values form the groups; of two tables, the group number."""
        return tuple(self.table.attributes[i].name for i in self.forming)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(self.table.attributes[i].name for i in self.protected)

    @property
    def groups(self) -> int:
        """The number of groups, exempt ones left out."""
        return len(self._first.groups)

    @cached_property
    def nulls(self) -> dict[str, int]:
        """How many rows are null in each column that was looked at."""
        found = {}
        for table in dict.fromkeys((self.quasi_table, self.table)):
            for attribute, codes in zip(table.attributes, table.codes, strict=True):
                found[attribute.name] = int(np.count_nonzero(codes == 0)) if attribute.has_null else 0
        return found

    def levels(
        self, *, values: Values | None = None, together: bool = False, views: Views = "both"
    ) -> Answers[AuditedLevel]:
        """The best parameters of every model that says something about this release, both views side by side.

        With ``values``, models of diversity protect these values only, each or ``together`` as one. With several
        sensitive columns they are meant in the columns that have them, or a mapping names them column by column; the
        other columns protect all their values.
        """
        chosen = self._chosen(values, together=together)
        known = dict.fromkeys(models().values())
        found: list[AuditedLevel] = []
        unanswered: dict[str, str] = {}
        for look in self._looks(views):
            groups = look.partition.groups
            asked = [one for kind in known if kind.looks_at == look.looks_at for one in kind.surveyed(groups)]
            silent = {one.label: why for one in asked if (why := self._silent(one) or one.unfit(groups)) is not None}
            whose = f" of {look.sensitive}" if len(self.sensitive) > 1 and look.sensitive else ""
            unanswered |= {f"{label}{whose}": why for label, why in silent.items()}
            asked = [_about(one, look, chosen, together=together) for one in asked if one.label not in silent]
            answered = (model.level(groups) for model in asked)
            found += [about_level(level, look.partition, look.sensitive, look.view) for level in answered]
        columns = [None, *self.sensitive]
        in_order = sorted(found, key=lambda level: (columns.index(level.sensitive), place_of(level.model)))
        return Answers(in_order, self, unanswered)

    def verify(
        self,
        required: Iterable[PrivacyModel],
        *,
        values: Values | None = None,
        together: bool = False,
        views: Views = "separate",
    ) -> Answers[AuditedVerdict]:
        """A verdict on every required model, for every sensitive column, in the views asked for.

        ``values`` are meant as in :meth:`levels`, for models of diversity that do not name their own.
        """
        asked = self._answerable(required)
        common = self._chosen(values, together=together)
        own = [self._chosen(getattr(model, "sensitive", None)) for model in asked]
        found: list[list[AuditedVerdict]] = [[] for _ in asked]
        for look in self._looks(views):
            for model, chosen, verdicts in zip(asked, own, found, strict=True):
                if model.looks_at == look.looks_at:
                    as_one = getattr(model, "together", False) if chosen else together
                    viewed = _about(model, look, chosen or common, together=as_one)
                    verdict = viewed.check(look.partition.groups)
                    verdicts.append(about_verdict(verdict, look.partition, look.sensitive, look.view))
        return Answers([verdict for verdicts in found for verdict in verdicts], self)

    def _chosen(self, values: Values | None, *, together: bool = False) -> dict[str, list[Any]]:
        """The values to protect in each sensitive column that has some."""
        if together and values is None:
            raise ModelError("together= is said of values, and none are given; name the values to protect with values=")
        return by_column(values, [self.table.attributes[i] for i in self.protected])

    def _silent(self, model: PrivacyModel) -> str | None:
        """Why a risk of finding people is not answered: two tables publish quasi-identifiers as they are."""
        if self.quasi_table is self.table or not isinstance(model, TableRisk | MaximumRisk):
            return None
        return (
            "its quasi-identifiers are published as they are, so people are found by them whatever the groups; "
            "look at the quasi-identifier table on its own"
        )

    def _answerable(self, required: Iterable[PrivacyModel]) -> list[PrivacyModel]:
        """The required models, if this release can answer for each."""
        asked = [required] if isinstance(required, PrivacyModel) else list(required)
        if not asked:
            raise ModelError("no model is required; name at least one, for example pellucid.KAnonymity(k=5)")
        for model in asked:
            if not isinstance(model, PrivacyModel):
                raise ModelError(f"{model!r} is not a privacy model; write for example pellucid.KAnonymity(k=5)")
            if model.looks_at == "values" and not self.protected:
                raise ModelError(f"{model.label} needs a sensitive column and none is named; name it with sensitive=")
            if (why := self._silent(model)) is not None:
                raise ModelError(f"{model.label} says nothing about this release: {why}")
            if model.looks_at == "population" and self.population is None:
                raise ModelError(
                    f"{model.label} compares with a population and none is given; give it with population="
                )
        return asked

    def _looks(self, views: Views) -> Iterator[Look]:
        """Every way to look, one after the other; groups are counted when it is their turn and not kept."""
        if views not in get_args(Views):
            raise ModelError(f"views = {views!r} is not one of {', '.join(get_args(Views))}; choose one of them")
        yield Look("sizes", self._first, None, "separate")
        if self.population is not None:
            yield Look("population", self._against_population(), None, "separate")
        several = len(self.protected) > 1
        for i, name in zip(self.protected, self.sensitive, strict=True):
            if views != "harmonised" or not several:
                yield Look("values", self._first if i == self.protected[0] else self._partition(i), name, "separate")
            if views != "separate" and several:
                others = tuple(j for j in self.protected if j != i)
                yield Look("values", self._partition(i, others), name, "harmonised")

    @cached_property
    def _first(self) -> Partition:
        """The groups, with the first sensitive column."""
        return self._partition(self.protected[0] if self.protected else None)

    def groups_of(self, sensitive: str) -> Partition:
        """The groups, with one of the sensitive columns."""
        return self._partition(self.protected[self.sensitive.index(sensitive)])

    def covering(self, whole: Partition, known: People) -> Walk:
        """A walk over groups by published quasi-identifiers, with the places of the people whom each covers."""
        quasi = whole.forming
        published = {whole.table.attributes[i].name: whole.table.attributes[i].values for i in quasi}
        anybody = np.zeros(len(whole.groups), np.bool_)
        if not self.nulls_are_values:  # a row that was suppressed may be anybody's
            anybody = suppressed_rows(whole.table, quasi, whole.rows[whole.first])
        return covers(published, whole.vectors(), known, self.schema, anybody=anybody)

    def _partition(self, sensitive: int | None, more: tuple[int, ...] = ()) -> Partition:
        # of two tables, * is the number of a group, and says nothing about what was suppressed
        exempt = self.forming if self.exempt_suppressed and self.quasi_table is self.table else ()
        nulls = not self.nulls_are_values
        return partition(
            self.table, (*self.forming, *more), sensitive, exempt=exempt, nulls=nulls, threads=self.threads
        )

    def _against_population(self) -> Partition:
        """Groups of equal published quasi-identifiers, with the people of the population that each covers."""
        assert self.population is not None
        quasi = _forming(self.quasi_table)
        whole = self._first
        if self.quasi_table is not self.table:  # the group number of two tables says nothing about who is in them
            whole = partition(self.quasi_table, quasi, None, threads=self.threads)
        published = {self.quasi_table.attributes[i].name: self.quasi_table.attributes[i].values for i in quasi}
        anybody = np.zeros(len(whole.groups), np.bool_)
        if not self.nulls_are_values:  # a row that was suppressed may be anybody's
            anybody = suppressed_rows(self.quasi_table, quasi, whole.rows[whole.first])
        sizes = whole.groups.sizes
        found = matching(published, whole.vectors(), sizes, self.population, self.schema, anybody=anybody)
        groups = replace(whole.groups, population=found.covered, absent=found.absent, presence=found.presence)
        return replace(whole, groups=groups)


def _about(model: PrivacyModel, look: Look, chosen: Mapping[str, list[Any]], *, together: bool) -> PrivacyModel:
    """The model about the values that are to be protected in the column looked at."""
    values = None if look.sensitive is None else chosen.get(look.sensitive)
    return protecting(model, values, together=together) if chosen else model


def examine(
    source: Any,
    *,
    schema: Schema | str | PathLike[str] | None = None,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    population: Any = None,
    group: str | None = None,
    exempt_suppressed: bool = False,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Audit:
    """Read a release and find its groups; see :func:`pellucid.levels` for what can be given.

    >>> import pellucid as pc
    >>> audit = examine(pc.datasets.patients(), quasi=["age"], sensitive="disease")
    >>> audit
    Audit(the frame: 8 rows in 5 groups)
    >>> audit.findings[0].sentence
    "no model looks at name, zipcode; whoever knows a person's value there may find the row all the same"
    """
    progress.stage("reading", 0)
    if isinstance(source, Table):
        if schema is not None or quasi is not None or sensitive is not None or kinds:
            raise SchemaError("a Table has its schema already; pass it without schema and roles, or pass the source")
        given, roles, table = Source("the table", {}), _roles_of_table(source), source
        quasi_table = table
    else:
        given = opened(source)
        roles = roles_of(given, schema=schema, quasi=quasi, sensitive=sensitive, kinds=kinds, group=group)
        table = quasi_table = _table(given, roles, threads, progress)
        if roles.group is not None:
            frame = given.read(list(roles.quasi), SPLIT[0])
            quasi_table = encode(frame, Roles(roles.quasi, {}).schema_to_encode(roles.quasi), threads=threads)
    forming = _forming(table)
    protected = tuple(table.having(Role.SENSITIVE))
    hidden = 0 if roles.group is not None else int(suppressed_rows(table, forming, nulls=given.recipe is None).sum())
    tables = list(dict.fromkeys((quasi_table, table)))
    told = findings(given, roles, tables, hidden, exempt=exempt_suppressed)
    return Audit(
        name=given.name,
        table=table,
        forming=forming,
        protected=protected,
        findings=tuple(told),
        suppressed=hidden,
        exempt_suppressed=exempt_suppressed,
        threads=thread_count(threads),
        quasi_table=quasi_table,
        population=_population(population, roles, len(table)),
        schema=roles.schema,
        nulls_are_values=given.recipe is not None,  # our recoders write null for nothing but null
    )


def _population(source: Any, roles: Roles, rows: int) -> People | None:
    """The people from whom the table was drawn; they are at least as many as its rows."""
    if source is None:
        return None
    known = people(source, roles.quasi, roles.schema)
    total = int(known.counts.sum())
    if total < rows:
        raise InputError(
            f"the population has {total:,} people and the table {rows:,} rows; "
            "give the population from which the table was drawn, everyone of the table included"
        )
    return known


def _table(given: Source, roles: Roles, threads: int | None, progress: Progress) -> Table:
    """The rows with the columns that form groups and the sensitive ones, in codes."""
    if roles.group is None:
        forming = roles.quasi
        frame = given.read([*forming, *roles.sensitive], typed=roles.typed)
    else:
        forming = (roles.group,)
        sensitive = given.read([*forming, *roles.sensitive], SPLIT[1], typed=roles.typed)
        frame = sensitive.with_columns(joined_groups(given, roles.group))
    return encode(frame, roles.schema_to_encode(forming), threads=threads, progress=progress)


def _forming(table: Table) -> tuple[int, ...]:
    """The attributes that tell groups apart; what is carried is published with its group."""
    return tuple(i for i, attribute in enumerate(table.attributes) if attribute.role in (Role.QUASI, Role.CARRY))


def _roles_of_table(table: Table) -> Roles:
    quasi = [attribute.name for attribute in table.attributes if attribute.role in (Role.QUASI, Role.CARRY)]
    sensitive = {table.attributes[i].name: Column(role=Role.SENSITIVE) for i in table.having(Role.SENSITIVE)}
    return Roles(tuple(quasi), sensitive)
