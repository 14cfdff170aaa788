"""Look at a release once, and answer every question about its privacy models from what was counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.recode.weights import weights_of
from pellucid.audit.auditable import Asked, Asking, WayToLook
from pellucid.audit.findings import AuditFinding, findings, held_in, no_numbers_of_people
from pellucid.audit.identifying_columns import Identifying, identifying
from pellucid.audit.overlap import Walk
from pellucid.audit.partition import Partition, partition, suppressed_rows
from pellucid.audit.population import People, covers, matching, people
from pellucid.audit.protected import Promised, promised_as_one, promised_in, promised_sets, protected_by
from pellucid.audit.roles import ReleaseRoles, roles_of
from pellucid.audit.row_risks import HouseholdRisk, RowRisks, of_households
from pellucid.audit.source import SPLIT, WHOLE, OpenedRelease, opened
from pellucid.audit.two_tables import joined_groups
from pellucid.audit.wildcards import Matches, matches
from pellucid.core.schema import OF_GROUP, UNSAID, Column, Kind, Names, Role, Roles, Schema, as_roles
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import InputError, ModelError, SchemaError
from pellucid.io import encode
from pellucid.models.groups import Counts
from pellucid.models.population_uniqueness import (
    PopulationUniqueness,
    individual_risk,
    people_alike,
    population_uniqueness,
)
from pellucid.runtime.arguments import yes_or_no
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress

Floats = NDArray[np.float64]
NEARLY = 1e-9  # a sum of weights that is short of a person by so little is one


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Asking):
    """A release in memory that was looked at; made by :func:`examine`."""

    name: str
    table: Table
    forming: tuple[int, ...]
    protected: tuple[int, ...]
    findings: tuple[AuditFinding, ...]
    suppressed: int
    exempt_suppressed: bool
    threads: int
    quasi_table: Table
    population: People | None
    schema: Schema | None
    nulls_are_values: bool
    promised: Promised = None
    promised_as_one: bool = False
    promised_sets: tuple[tuple[Any, ...], ...] | None = None
    cluster: str | None = None
    households: Codes | None = None  # of each row of the quasi-identifiers

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.table)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns whose published values form the groups; of two tables, the group number."""
        return tuple(self.table.attributes[i].name for i in self.forming)

    @property
    def columns(self) -> tuple[Attribute, ...]:
        """The sensitive columns, with their values."""
        return tuple(self.table.attributes[i] for i in self.protected)

    @property
    def in_two(self) -> bool:
        """Whether the release is in two tables."""
        return self.quasi_table is not self.table

    @property
    def has_population(self) -> bool:
        """Whether there is a population to compare with, or weights by which its people are estimated."""
        return self.population is not None or self.weighed_people is not None

    @property
    def groups(self) -> int:
        """The number of groups, exempt ones left out."""
        return len(self._first.groups)

    def sizes_of_groups(self) -> tuple[Counts, Counts]:
        """The different sizes that groups have, ascending, and how many groups have each."""
        return np.unique(self._first.groups.sizes, return_counts=True)

    def counted_values(self, sensitive: str) -> tuple[Attribute, Counts]:
        """A sensitive column with its values, and in how many rows of the whole table each occurs."""
        place = self.protected[self.sensitive.index(sensitive)]
        attribute = self.table.attributes[place]
        return attribute, np.bincount(self.table.codes[place], minlength=len(attribute)).astype(np.int64)

    @cached_property
    def nulls(self) -> dict[str, int]:
        """How many rows are null in each column that was looked at."""
        nulls = {}
        for table in dict.fromkeys((self.quasi_table, self.table)):
            for attribute, codes in zip(table.attributes, table.codes, strict=True):
                nulls[attribute.name] = int(np.count_nonzero(codes == 0)) if attribute.has_null else 0
        return nulls

    @cached_property
    def weights(self) -> Floats | None:
        """For how many people each row stands; of two tables, each row of the quasi-identifiers."""
        return weights_of(self.quasi_table)

    @property
    def weighed_people(self) -> int | None:
        """How many people the weights add up to; None without weights, or where they are no numbers of people."""
        if self.weights is None or no_numbers_of_people(self.weights) is not None:
            return None
        return round(fsum(self.weights.tolist()))

    @cached_property
    def _looking_alike(self) -> Partition:
        """Who looks like whom: by quasi-identifiers, whatever else tells groups apart."""
        quasi = _forming(self.quasi_table)
        if quasi == self.forming and not self.in_two:
            return self._first
        exempt = quasi if self.exempt_suppressed and not self.in_two else ()
        nulls = not self.nulls_are_values
        return partition(self.quasi_table, quasi, None, exempt=exempt, nulls=nulls, threads=self.threads)

    def _weight_of(self, whole: Partition) -> Floats | None:
        """For how many people the rows of each group stand together."""
        if self.weights is None:
            return None
        ends = np.stack((whole.first, whole.first + whole.groups.sizes), axis=1).tolist()
        weights = self.weights[whole.rows].tolist()
        return np.array([fsum(weights[first:last]) for first, last in ends])

    def population_uniqueness(self, people: int | None = None) -> PopulationUniqueness:
        """How many of so many people, of whom the release is a sample, are estimated to be unique in all of them.

        Where the rows have weights, each stands for its part of them; else for equally many. Without a number of people
        each row stands for as many as its weight says.

        >>> import pellucid as pc
        >>> audit = examine(pc.datasets.patients(), quasi=["age"], sensitive="disease")
        >>> audit.population_uniqueness(80).sample_uniques
        3
        """
        if people is None and self.weighed_people is None:
            raise InputError(
                "nobody said how many people the release is a sample of, and no weights that are numbers of people do",
                "give the number of people",
            )
        whole = self._looking_alike
        return population_uniqueness(whole.groups.sizes, people, self._weight_of(whole))

    def rows_below(self, k: int) -> int:
        """How many rows are in groups of fewer than k rows; suppressed rows that are exempt are in none.

        >>> import pellucid as pc
        >>> audit = examine(pc.datasets.patients(), quasi=["age"], sensitive="disease")
        >>> [audit.rows_below(k) for k in (2, 3, 5)]
        [3, 5, 8]
        """
        sizes = self._first.groups.sizes
        return int(sizes[sizes < k].sum())

    @cached_property
    def identifying(self) -> Identifying:
        """Which sets of up to three quasi-identifiers make people unique, and which of them whom.

        >>> import pellucid as pc
        >>> found = examine(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease").identifying
        >>> [(one.columns, str(one.distinction), str(one.separation), one.alone) for one in found.sets[:2]]
        [(('age',), '5/8', '6/7', 3), (('zipcode',), '5/8', '6/7', 3)]
        """
        return identifying(self.quasi_table, _forming(self.quasi_table))

    @cached_property
    def matches(self) -> Matches | None:
        """How many rows each row may be where null and ``*`` match every value, as sdcMicro counts.

        None where no quasi-identifier has a null or ``*``, or more than 64 sets of columns are null together.

        >>> import polars as pl
        >>> frame = pl.DataFrame({"age": [20, 20, None], "sex": ["f", "m", "f"], "ill": ["flu", "gout", "flu"]})
        >>> found = examine(frame, quasi=["age", "sex"], sensitive="ill").matches
        >>> found.rows.tolist(), found.below(2)
        ([2, 1, 2], 1)
        """
        nulls = not self.nulls_are_values  # our recoders write null for nothing but null
        return matches(self.quasi_table, _forming(self.quasi_table), self.weights, nulls=nulls)

    def row_risks(self, people: int | None = None) -> RowRisks:
        """How likely each row is found, and somebody of its household where a column says who belongs together.

        ``people`` is the size of the population of which the release is a sample; without it, the population that was
        given counts, else the sum of the weights.

        >>> import pellucid as pc
        >>> audit = examine(pc.datasets.patients(), quasi=["age"], sensitive="disease")
        >>> risks = audit.row_risks(80)
        >>> risks.rows_alike.tolist(), round(float(risks.risk.max()), 3)
        ([1, 1, 2, 2, 1, 3, 3, 3], 0.256)
        """
        as_grouped = self._looking_alike if self.in_two else self._first
        alike = _of_rows(as_grouped, as_grouped.groups.sizes, 0)
        like_people = self._like_people(people)
        if like_people is None:
            return RowRisks(alike, None, None, None, estimated=False, matches=self.matches)
        whole, known, estimated = like_people
        found = _estimated_risk(whole.groups.sizes, known) if estimated else _one_over(known)
        risk = _of_rows(whole, found, np.nan)
        together = None if self.households is None else of_households(risk, self.households)
        return RowRisks(
            alike, _of_rows(whole, known, np.nan), risk, together, estimated=estimated, matches=self.matches
        )

    def _like_people(self, people: int | None) -> tuple[Partition, Floats, bool] | None:
        """Rows that look alike, how many people of the population look like them, and whether that is an estimate."""
        if people is None and self.population is not None:
            whole = self._against_population()
            assert whole.groups.population is not None
            return whole, whole.groups.population.astype(np.float64), False
        if people is None and self.weighed_people is None:
            return None
        whole = self._looking_alike
        return whole, people_alike(whole.groups.sizes, people, self._weight_of(whole)), True

    def household_risk(self, people: int | None = None) -> HouseholdRisk | None:
        """How likely somebody of a row's household is found; None without households, or without a population.

        >>> people = {"age": [20, 20, 30, 41], "home": ["a", "a", "b", "b"], "ill": ["flu", "gout", "flu", "cold"]}
        >>> import polars as pl
        >>> audit = examine(pl.DataFrame(people), quasi="age", sensitive="ill", cluster="home")
        >>> found = audit.household_risk(40)
        >>> found.households, round(found.highest, 3), found.estimated
        (2, 0.446, True)
        """
        return self.household_risk_in(self.row_risks(people))

    def household_risk_in(self, risks: RowRisks) -> HouseholdRisk | None:
        """The same of risks that were asked for."""
        if risks.household_risk is None or self.households is None or self.cluster is None:
            return None
        found = risks.household_risk
        households = int(self.households.max()) + 1
        return HouseholdRisk(self.cluster, households, float(found.max()), float(found.mean()), risks.estimated)

    def _as_judged(self) -> Audit:
        """Weights of a table of others may be those of its groups: a verdict takes them to tell groups apart."""
        forming = self.forming if self.in_two else _forming(self.table, weighed=True)
        return self if forming == self.forming else replace(self, forming=forming)

    def _seen(self, looks: Iterable[WayToLook], asked: Asked) -> Iterator[tuple[WayToLook, Partition]]:  # noqa: ARG002
        """All groups, whatever is asked; they are counted when it is their turn and not kept."""
        for look in looks:
            yield look, self._groups_in(look)

    def _groups_in(self, look: WayToLook) -> Partition:
        if look.looks_at == "population":
            return self._against_population()
        if look.sensitive is None:
            return self._first
        mine = self.protected[self.sensitive.index(look.sensitive)]
        if look.view == "harmonised":
            return self._partition(mine, tuple(i for i in self.protected if i != mine))
        return self._first if mine == self.protected[0] else self._partition(mine)

    @cached_property
    def _first(self) -> Partition:
        """The groups, with the first sensitive column."""
        return self._partition(self.protected[0] if self.protected else None)

    def groups_of(self, sensitive: str) -> Partition:
        """The groups, with one of the sensitive columns."""
        return self._partition(self.protected[self.sensitive.index(sensitive)])

    def groups_beside(self, sensitive: str) -> Partition:
        """The groups of one of the sensitive columns for somebody who knows the others too: the view *harmonised*."""
        return self._groups_in(WayToLook("values", sensitive, "harmonised"))

    def groups_by(self, known: str, sensitive: str) -> Partition:
        """The groups of one of the sensitive columns for somebody who knows one other."""
        places = dict(zip(self.sensitive, self.protected, strict=True))
        return self._partition(places[sensitive], (places[known],))

    def covering(self, whole: Partition, known: People) -> Walk:
        """A walk over groups by published quasi-identifiers, with the places of the people whom each covers."""
        quasi = whole.forming
        published = {whole.table.attributes[i].name: whole.table.attributes[i].values for i in quasi}
        anybody = np.zeros(len(whole.groups), np.bool_)
        if not self.nulls_are_values:  # a row that was suppressed may be anybody's
            anybody = suppressed_rows(whole.table, quasi, whole.rows[whole.first])
        return covers(published, whole.vectors(), known, self.schema, anybody=anybody, rows=len(whole.rows))

    def _partition(self, sensitive: int | None, more: tuple[int, ...] = ()) -> Partition:
        # of two tables, * is the number of a group, and says nothing about what was suppressed
        exempt = self.forming if self.exempt_suppressed and self.quasi_table is self.table else ()
        nulls = not self.nulls_are_values
        return partition(
            self.table, (*self.forming, *more), sensitive, exempt=exempt, nulls=nulls, threads=self.threads
        )

    def _against_population(self) -> Partition:
        """Groups of equal published quasi-identifiers, with the people of the population that each covers."""
        if self.population is None:
            return self._estimated()
        quasi = _forming(self.quasi_table)
        whole = self._first
        if self.quasi_table is not self.table:  # the group number of two tables says nothing about who is in them
            whole = partition(self.quasi_table, quasi, None, threads=self.threads)
        published = {self.quasi_table.attributes[i].name: self.quasi_table.attributes[i].values for i in quasi}
        anybody = np.zeros(len(whole.groups), np.bool_)
        if not self.nulls_are_values:  # a row that was suppressed may be anybody's
            anybody = suppressed_rows(self.quasi_table, quasi, whole.rows[whole.first])
        sizes = whole.groups.sizes
        matched = matching(published, whole.vectors(), sizes, self.population, self.schema, anybody=anybody)
        groups = replace(whole.groups, population=matched.covered, absent=matched.absent, presence=matched.presence)
        return replace(whole, groups=groups)

    def _estimated(self) -> Partition:
        """Groups of equal published quasi-identifiers, with the people for whom their rows stand, by the weights."""
        whole = self._looking_alike
        people = self._weight_of(whole)
        assert people is not None
        known = np.maximum(whole.groups.sizes, np.floor(people * (1 + NEARLY)).astype(np.int64))
        return replace(whole, groups=replace(whole.groups, population=known, estimated=True))


def examine(  # noqa: PLR0913  (a public verb)
    source: Any,
    *,
    roles: Roles | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    weight: str | None = None,
    cluster: str | None = None,
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
    named = {"quasi": quasi, "sensitive": sensitive, "weight": weight, "cluster": cluster, "group": group}
    columns = as_roles(roles, schema=schema, kinds=kinds, **named)
    return examine_as(
        source,
        columns,
        population=population,
        exempt_suppressed=exempt_suppressed,
        threads=threads,
        progress=progress,
    )


def _refuse_roles(said: Roles) -> None:
    if (
        said.schema is not None
        or said.quasi is not None
        or said.sensitive is not None
        or said.carry is not None
        or said.weight is not None
        or said.cluster is not None
        or said.kinds
    ):
        raise SchemaError("a Table has its schema already; pass it without schema and roles, or pass the source")


def examine_as(
    source: Any,
    said: Roles,
    *,
    population: Any = None,
    exempt_suppressed: bool = False,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Audit:
    """The same, of a caller who says what the columns are in one value."""
    yes_or_no(exempt_suppressed, "exempt_suppressed", ModelError)
    progress.stage("reading", 0)
    if isinstance(source, Table):
        _refuse_roles(said)
        given, roles, table = OpenedRelease("the table", {}), _roles_of_table(source), source
        quasi_table = table
    else:
        given = opened(source)
        if given.distributed:
            from pellucid.spark.audit import IN_MEMORY  # which imports audit

            raise InputError(
                "attacks and models about an adversary ask what somebody believes: {in_memory}", in_memory=IN_MEMORY
            )
        roles = roles_of(given, said)
        table = quasi_table = _table(given, roles, threads, progress)
        if roles.group is not None:
            known = ReleaseRoles(roles.quasi, {}, weight=roles.weight)
            frame = given.read([*known.quasi, *known.weights], SPLIT[0], typed=known.typed)
            quasi_table = encode(frame, known.schema_to_encode(known.quasi), threads=threads)
    forming = _forming(table, weighed=roles.tells)
    protected = tuple(table.having(Role.SENSITIVE))
    hidden = 0 if roles.group is not None else int(suppressed_rows(table, forming, nulls=given.recipe is None).sum())
    columns = [column for part in dict.fromkeys((quasi_table, table)) for column in held_in(part)]
    promised, as_one = promised_in(given.recipe), promised_as_one(given.recipe)
    if given.recipe is None:
        promised, as_one = protected_by(roles.schema, [table.attributes[i] for i in protected])
    weights = weights_of(quasi_table)
    remarks = findings(given, roles, columns, hidden, len(quasi_table), exempt=exempt_suppressed, weights=weights)
    return Audit(
        name=given.name,
        table=table,
        forming=forming,
        protected=protected,
        findings=tuple(remarks),
        suppressed=hidden,
        exempt_suppressed=exempt_suppressed,
        threads=thread_count(threads),
        quasi_table=quasi_table,
        population=_population(population, roles, len(table)),
        schema=roles.schema,
        nulls_are_values=given.recipe is not None,  # our recoders write null for nothing but null
        promised=promised,
        promised_as_one=as_one,
        promised_sets=promised_sets(given.recipe),
        cluster=roles.cluster,
        households=_households(given, roles, quasi_table),
    )


def _households(given: OpenedRelease, roles: ReleaseRoles, table: Table) -> Codes | None:
    """The household of each row; whose household is not known lives alone."""
    if roles.cluster is None:
        return None
    if not given.tables:  # a Table has been read
        return table.clusters
    values = given.read([roles.cluster], SPLIT[0] if roles.group is not None else WHOLE)[roles.cluster]
    known = values.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    codes = np.where(known > 0, known - 1, known.max() + np.cumsum(known == 0) - 1)
    return codes.astype(np.int32)


def _of_rows(whole: Partition, of_groups: NDArray[Any], in_none: float) -> NDArray[Any]:
    """What each row's group has; ``in_none`` for a row that is in no group."""
    labels = whole.labels
    return np.where(labels < 0, in_none, of_groups[labels]).astype(of_groups.dtype)


def _estimated_risk(sizes: NDArray[np.int64], known: Floats) -> Floats:
    """Benedetti's and Franconi's risk of each group; without weights many are alike, and are computed once."""
    alike, place = np.unique(np.stack((sizes, known)), axis=1, return_inverse=True)
    return individual_risk(alike[0].astype(np.int64), alike[1])[place.ravel()]


def _one_over(people: Floats) -> Floats:
    risk = np.full(len(people), np.nan)
    np.divide(1.0, people, where=people > 0, out=risk)
    return risk


def look_at(
    source: Any,
    said: Roles = UNSAID,
    *,
    population: Any = None,
    exempt_suppressed: bool = False,
    threads: int | None = None,
    spark: Any = None,
    progress: Progress = SILENT,
) -> Asking:
    """As :func:`examine`, of a release in memory or with Spark: Spark DataFrames, or files and a Spark session."""
    if not isinstance(source, Table):
        source = opened(source, spark)
        if source.distributed:
            progress.stage("counting with Spark", 0)
            roles = roles_of(source, said)
            from pellucid.spark.audit import examine_frames  # which imports audit

            return examine_frames(source, roles, exempt_suppressed=exempt_suppressed, population=population)
    return examine_as(
        source,
        said,
        population=population,
        exempt_suppressed=exempt_suppressed,
        threads=threads,
        progress=progress,
    )


def _population(source: Any, roles: ReleaseRoles, rows: int) -> People | None:
    """The people from whom the table was drawn; they are at least as many as its rows."""
    if source is None:
        return None
    known = people(source, roles.quasi, roles.meant)
    total = int(known.counts.sum())
    if total < rows:
        raise InputError(
            f"the population has {total:,} people and the table {rows:,} rows; "
            "give the population from which the table was drawn, everyone of the table included"
        )
    return known


def _table(given: OpenedRelease, roles: ReleaseRoles, threads: int | None, progress: Progress) -> Table:
    """The rows with the columns that form groups and the sensitive ones, in codes, and the weights beside them."""
    if roles.group is None:
        frame = given.read([*roles.quasi, *roles.weights, *roles.sensitive], typed=roles.typed)
        return encode(frame, roles.schema_to_encode(roles.quasi), threads=threads, progress=progress)
    of_values = replace(roles, weight=None)  # a weight is in the table of quasi-identifiers
    sensitive = given.read([roles.group, *roles.sensitive], SPLIT[1], typed=of_values.typed)
    frame = sensitive.with_columns(joined_groups(given, roles.group))
    return encode(frame, of_values.schema_to_encode((roles.group,)), threads=threads, progress=progress)


def _forming(table: Table, *, weighed: bool = False) -> tuple[int, ...]:
    """The attributes that tell groups apart; what is carried is published with its group, and so is its weight."""
    roles = OF_GROUP if weighed else (Role.QUASI, Role.CARRY)
    return tuple(i for i, attribute in enumerate(table.attributes) if attribute.role in roles)


def _roles_of_table(table: Table) -> ReleaseRoles:
    quasi = [attribute.name for attribute in table.attributes if attribute.role in (Role.QUASI, Role.CARRY)]
    sensitive = {table.attributes[i].name: Column(role=Role.SENSITIVE) for i in table.having(Role.SENSITIVE)}
    declared = {} if table.schema is None else table.schema.columns
    cluster = next((name for name, column in declared.items() if column.role is Role.CLUSTER), None)
    return ReleaseRoles(tuple(quasi), sensitive, cluster=cluster)
