"""A release that is with Spark: its groups are looked at where they are, and only what answers rest on comes here.

What the models need of the whole table, how often each sensitive value occurs, is counted first. Then one walk over
the groups for each way to look: rows are counted by what is published and by sensitive value, groups are brought
together and into order by a shuffle, and every partition tells the few groups that its answers rest on
(``audit/deciding_groups.py``). Here they are looked at once more by the same models, so that levels, verdicts and
evidence are those of the same release in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.audit.auditable import Asked, Asking, WayToLook
from pellucid.audit.deciding_groups import DecidingGroups, DecidingLook, merged
from pellucid.audit.findings import STANDINS, AuditFinding, NullCounts, findings
from pellucid.audit.partition import NOTHING
from pellucid.audit.protected import Promised, promised_as_one, promised_in, promised_sets
from pellucid.audit.roles import ReleaseRoles
from pellucid.audit.source import SPLIT, WHOLE, OpenedRelease
from pellucid.core.schema import Role, Schema
from pellucid.core.table import AsItWas, Attribute, Codes
from pellucid.errors import InputError, ModelError
from pellucid.io.encode import Tally, encode_both, readable
from pellucid.messages import Count, Message
from pellucid.models import PrivacyModel
from pellucid.models.adversary import AdversaryModel
from pellucid.models.groups import SMALL, Counts, GroupTally
from pellucid.models.sensitive import DiversityModel, codes_of
from pellucid.published.grammar import STAR
from pellucid.spark.frames import Columns, along_groups, same_numbers

IN_MEMORY = Message(
    "that is worked out from rows in memory, and this release is with Spark; write it (release.write(folder), or a "
    "DataFrame to Parquet) and give the folder without Spark, and its people with {TRUTH} or {POPULATION}"
)
Key = tuple[str | None, tuple[str, ...]]  # the sensitive column of a walk, and which others form groups


@dataclass(frozen=True, eq=False)
class Book:
    """A column: what it is, how often each of its codes occurs, and the code of each value as it is.

    ``before`` is the column before it was rounded and capped, where it was; its codes are those of the values, too.
    """

    attribute: Attribute
    counts: NDArray[np.int64]
    values: pl.Series
    codes: Codes
    times: NDArray[np.int64]  # how often each value occurs
    before: AsItWas | None = None

    def as_it_was(self) -> Book:
        """The column before it was rounded and capped."""
        if self.before is None or self.before.codes is None:
            return self
        times = np.zeros(len(self.before.attribute), np.int64)
        np.add.at(times, self.before.codes, self.times)
        return Book(self.before.attribute, times, self.values, self.before.codes, self.times)


@dataclass(frozen=True, eq=False, repr=False)
class SparkAudit(Asking):
    """A release with Spark that was looked at; made by :func:`examine_frames`."""

    name: str
    table: Columns
    forming: tuple[str, ...]
    books: Mapping[str, Book]
    held: tuple[NullCounts, ...]
    findings: tuple[AuditFinding, ...]
    suppressed: int
    exempt_suppressed: bool
    total: int
    two_tables: bool
    promised: Promised = None
    promised_as_one: bool = False
    promised_sets: tuple[tuple[Any, ...], ...] | None = None
    tallies: dict[str, GroupTally] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.total

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns whose published values form the groups; of two tables, the group number."""
        return self.forming

    @property
    def columns(self) -> tuple[Attribute, ...]:
        """The sensitive columns, with their values."""
        return tuple(book.attribute for book in self.books.values())

    @property
    def nulls(self) -> dict[str, int]:
        """How many rows are null in each column that was looked at."""
        return {column.name: column.nulls for column in self.held}

    @property
    def in_two(self) -> bool:
        """Whether the release is in two tables."""
        return self.two_tables

    @property
    def has_population(self) -> bool:
        """Never: comparing with a population is for releases in memory."""
        return False

    @property
    def groups(self) -> int:
        """The number of groups, exempt ones left out; counted by the first question that is asked."""
        return self._tally.groups

    @property
    def _tally(self) -> GroupTally:
        if "groups" not in self.tallies:
            self._told((next(iter(self.books), None), ()), [])
        return self.tallies["groups"]

    def rows_below(self, k: int) -> int:
        """How many rows are in groups of fewer than k rows; up to k = 5 by the first question asked."""
        if k <= SMALL:
            return self._tally.rows_below(k)
        sizes, groups = self.sizes_of_groups()
        return int((sizes * groups)[sizes < k].sum())

    def sizes_of_groups(self) -> tuple[Counts, Counts]:
        """The different sizes that groups have, ascending, and how many groups have each; Spark counts them."""
        return self.table.only(self.forming).class_sizes()

    def counted_values(self, sensitive: str) -> tuple[Attribute, Counts]:
        """A sensitive column with its values, and in how many rows of the whole table each occurs."""
        book = self.books[sensitive]
        return book.attribute, book.counts

    def _seen(self, looks: Iterable[WayToLook], asked: Asked) -> Iterator[tuple[WayToLook, DecidingGroups]]:
        """One walk for all looks at the same groups and the same column."""
        wanted = [(look, self._key(look), asked(look)) for look in looks]
        models: dict[Key, list[PrivacyModel]] = {}
        for _, key, mine in wanted:
            models.setdefault(key, []).extend(mine)
        answers = {key: self._told(key, mine) for key, mine in models.items() if mine}
        for look, key, mine in wanted:
            if mine:
                yield look, answers[key]

    def _answerable(self, required: Iterable[PrivacyModel]) -> list[PrivacyModel]:
        """As of a release in memory, but for models that need one."""
        asked = super()._answerable(required)
        for model in asked:
            if isinstance(model, AdversaryModel):
                raise ModelError(
                    "{label} is about what an adversary believes: {in_memory}", label=model.label, in_memory=IN_MEMORY
                )
        return asked

    def _key(self, look: WayToLook) -> Key:
        sensitive = look.sensitive if look.sensitive is not None else next(iter(self.books), None)
        harmonised = look.view == "harmonised"
        return sensitive, tuple(name for name in self.books if harmonised and name != sensitive)

    def _told(self, key: Key, asked: Sequence[PrivacyModel]) -> DecidingGroups:
        """The groups that the answers of these models rest on."""
        sensitive, others = key
        book = self.books[sensitive] if sensitive is not None else None
        attribute = NOTHING if book is None else book.attribute
        for model in asked:  # a value that does not occur is said here, and not by an executor
            if isinstance(model, DiversityModel) and model.sensitive is not None:
                codes_of(model.sensitive, attribute)
        counts = np.array([self.total], np.int64) if book is None else book.counts
        look = DecidingLook(attribute, counts, tuple(dict.fromkeys(asked)))
        forming = (*self.forming, *others)
        parts: list[DecidingGroups] = along_groups(self.table, forming, sensitive, look)
        if not parts:
            raise ModelError("there is no group to look at: the table has no rows, or all of them are exempt")
        whole = merged(parts, asked).renamed(forming)
        if not others:
            self.tallies["groups"] = whole.groups.tally
        return DecidingGroups(whole.groups, self._decoded(whole.shown, others))

    def _decoded(self, shown: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        values = {name: self.books[name].attribute.values for name in names}
        return shown.with_columns(values[name].gather(shown[name].cast(pl.UInt32)).alias(name) for name in names)


def _refuse_population(population: Any) -> None:
    if population is not None:
        raise ModelError(
            "a population is compared with a release in memory, and this one is with Spark; leave {POPULATION} out, "
            "or read the release without Spark"
        )


def examine_frames(
    given: OpenedRelease, roles: ReleaseRoles, *, exempt_suppressed: bool = False, population: Any = None
) -> SparkAudit:
    """Count what the models need of the whole table, and say what a steward should know about the release."""
    _refuse_population(population)
    forming = roles.forming
    schema = replace(roles, weight=None).schema_to_encode(forming)
    table = Columns.of(given.tables[WHOLE if roles.group is None else SPLIT[1]], [*forming, *roles.sensitive])
    asked = _nulls_and_standins(table, forming)
    if roles.group is None:
        silent = _silent(table, forming, nulls=given.recipe is None)  # our recoders write null for nothing but null
        asked["hidden"] = silent
    sums = looked_through(table, schema, asked)
    total, hidden = sums["rows"], sums.get("hidden", 0)
    counted = []
    if roles.group is not None:
        people = Columns.of(given.tables[SPLIT[0]], [*roles.quasi, roles.group])
        require_joined(people, table, roles.group)
        counted = _held(roles.quasi, people.sums(_nulls_and_standins(people, roles.quasi)))
    books = {name: counted_column(table, name, schema) for name in roles.sensitive}
    counted += _held(forming, sums)
    counted += [
        NullCounts.of(book.attribute, lambda code, book=book: int(book.counts[code]))  # type: ignore[misc]
        for book in books.values()
    ]
    if exempt_suppressed and hidden:
        table = table.where(~silent)
    coded = table.coded({name: (book.values.to_frame(), book.codes) for name, book in books.items()})
    remarks = findings(given, roles, counted, hidden, total, exempt=exempt_suppressed)
    return SparkAudit(
        name=given.name,
        table=coded,
        forming=tuple(forming),
        books=books,
        held=tuple(counted),
        findings=tuple(remarks),
        suppressed=hidden,
        exempt_suppressed=exempt_suppressed,
        total=total,
        two_tables=roles.group is not None,
        promised=promised_in(given.recipe),
        promised_as_one=promised_as_one(given.recipe),
        promised_sets=promised_sets(given.recipe),
    )


def looked_through(table: Columns, schema: Schema, asked: Mapping[str, Any] | None = None) -> dict[str, int]:
    """The sums that are asked for, and ``rows``, in one pass.

    Raises for a type that a table cannot have, for infinite numbers, and when there are no rows, as a table in memory.
    """
    from pyspark.sql import functions

    for name in table.names:
        readable(table.types[name], schema.columns[name], name)
    floats = [name for name in table.names if table.types[name].dtype.is_float()]
    infinite = {f"{name} is infinite": table[name].isin(float("inf"), float("-inf")) for name in floats}
    sums = table.sums({"rows": functions.lit(1), **infinite, **(asked or {})})
    if sums["rows"] == 0:
        raise InputError("the table has no rows; a release needs at least one row")
    for name in floats:
        if sums[f"{name} is infinite"]:
            raise InputError("column {name!r} has an infinite value; replace it by a number or by null", name=name)
    return sums


def counted_column(table: Columns, name: str, schema: Schema) -> Book:
    """A column's values, by the rules of a table in memory, and how often each occurs."""
    values, rows = table.values(name)
    column = schema.columns[name]
    alone = {name: column.model_copy(update={"nulls": "value"})}  # a rejected null is told with its number of rows
    if column.role is Role.SENSITIVE and values[name].null_count() == values.height:
        raise InputError(
            f"sensitive column {name!r} is null in all {int(rows.sum())} rows; there is nothing to protect: "
            "check the file, or choose another sensitive column"
        )
    alone_read = schema.model_copy(update={"columns": alone})
    attribute, codes, before = encode_both(values[name], alone_read, name, Tally(rows))
    counts = np.zeros(len(attribute), np.int64)
    np.add.at(counts, codes, rows)
    if attribute.has_null and column.nulls == "reject":
        raise InputError(
            "column {name!r} is null in {counts} of {sum} rows and {NULLS_REJECTED}",
            "fill these values, drop the rows, or {ALLOW_NULLS}",
            name=name,
            counts=int(counts[0]),
            sum=int(rows.sum()),
        )
    return Book(attribute, counts, values[name], codes, rows, before)


def _nulls_and_standins(table: Columns, names: Sequence[str]) -> dict[str, Any]:
    """Which rows are null in a column, and which are a text that people write for null."""
    texts = [name for name in names if table.types[name].dtype == pl.String]
    standins = {f"{name} is {text!r}": table[name] == text for name in texts for text in STANDINS}
    return standins | {f"{name} is null": table[name].isNull() for name in names}


def _held(names: Sequence[str], sums: Mapping[str, int]) -> list[NullCounts]:
    """The same, counted."""
    standins = {name: {text: sums.get(f"{name} is {text!r}", 0) for text in sorted(STANDINS)} for name in names}
    return [
        NullCounts(name, sums[f"{name} is null"], {text: rows for text, rows in texts.items() if rows})
        for name, texts in standins.items()
    ]


def _silent(table: Columns, forming: Sequence[str], *, nulls: bool) -> Any:
    """Which rows say nothing: every column is ``*``, or null unless nulls are known to be values."""
    from pyspark.sql import functions

    conditions = []
    for name in forming:
        column = table[name]
        star = column.eqNullSafe(STAR) if table.types[name].dtype == pl.String else functions.lit(False)
        conditions.append(star | column.isNull() if nulls else star)
    return reduce(lambda one, other: one & other, conditions)


def require_joined(people: Columns, values: Columns, group: str) -> None:
    """Both tables must have the same groups with equally many rows, and a number for every row."""
    for columns, name in ((people, SPLIT[0]), (values, SPLIT[1])):
        dtype = columns.types[group].dtype
        if not dtype.is_integer():
            raise InputError(f"table {name}: {group!r} has type {dtype}; with Spark a group's number is an integer")
        missing = columns.sums({"null": columns[group].isNull()})["null"]
        if missing:
            raise InputError(
                "table {name}: {group!r} is null in {rows}, which therefore join nothing; give every row its group",
                name=name,
                group=group,
                rows=Count(missing, "row"),
            )
    groups, wrong, first = same_numbers(people, values, group)
    if wrong:
        number, a, b = first[0]
        raise InputError(
            "the tables do not join: {group} {number} has {rows} in quasi_identifiers and "
            "{b:,} in sensitive ({wrong:,} of {groups:,} groups differ); give both tables of one release, one row per "
            "person",
            group=group,
            number=number,
            rows=Count(a, "row"),
            b=b,
            wrong=wrong,
            groups=groups,
        )
