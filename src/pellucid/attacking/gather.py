"""From what a person gives (a release, a population, how it was made) to the evidence of an attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pellucid.attacking import settling
from pellucid.attacking.evidence import Evidence, Origin
from pellucid.attacking.fingerprint import fingerprint
from pellucid.attacking.making import method_of, refuse_contradiction, required_by
from pellucid.attacking.membership import APART, Fit, Membership, apart
from pellucid.attacking.regrouping import Made, run_again, told_groups
from pellucid.attacking.uncertain import grouping_of, way_out_of
from pellucid.audit.examination import Audit, examine
from pellucid.audit.partition import Partition, partition
from pellucid.audit.population import People, base_name, like_nobody, people
from pellucid.audit.source import SPLIT, Source, opened
from pellucid.audit.two_tables import numbers_of_groups
from pellucid.distributed import is_distributed
from pellucid.errors import AttackError
from pellucid.group import Grouping, Method
from pellucid.io import encode, load, read
from pellucid.io.columns import choose
from pellucid.io.inference import narrow
from pellucid.model import Groups, PrivacyModel
from pellucid.progress import SILENT, Progress
from pellucid.recode import RECODERS
from pellucid.release import Release
from pellucid.schema import Column, Kind, Role, Schema
from pellucid.table import Attribute, Codes, Table


def people_of(table: Table) -> Table:
    """The table as an adversary has it: without the sensitive columns."""
    kept = [i for i, attribute in enumerate(table.attributes) if attribute.role is not Role.SENSITIVE]
    return replace(
        table,
        attributes=tuple(table.attributes[i] for i in kept),
        codes=tuple(table.codes[i] for i in kept),
    )


def evidence_of_release(
    release: Release,
    table: Table,
    *,
    names: Sequence[Any] | None = None,
    model: PrivacyModel | None = None,
    made_by: Method | None = None,
) -> Evidence:
    """A release of ours and the table that it was made of: who is in which group is taken as known, the safe side."""
    grouping = release.private.grouping
    if grouping.rows != len(table):
        raise AttackError(
            f"the release was made of {grouping.rows:,} rows and the table has {len(table):,}; give the same table"
        )
    method = made_by if made_by is not None else method_of(release.recipe)
    recoder = RECODERS[release.recipe["recode"]](**release.recipe["recode_parameters"])
    made = Made(method, recoder, fingerprint(release))
    return _evidence_of(table, grouping, made, names=names, model=model)


def _evidence_of(
    table: Table,
    grouping: Grouping,
    made: Made,
    *,
    names: Sequence[Any] | None,
    model: PrivacyModel | None,
    notes: Sequence[str] = (),
) -> Evidence:
    """A table and its groups, as they were published."""
    shown, formed = grouping.as_published(table)
    column, attribute = sensitive_column(shown)
    published = Groups.of(formed.labels, shown.codes[column], attribute)
    origin = Origin(recoder=made.recoder, fingerprint=made.prints, changes=bool(grouping.changes))
    told = (*(f"{change}: beliefs are about what is published" for change in grouping.changes), *notes)
    model = model or required_by(made.method)
    return Evidence(people_of(table), grouping, published, made.method, model, names, notes=told, origin=origin)


def opened_table(
    source: Any, quasi: Sequence[str] | str | None, sensitive: str | None, identifier: str | None
) -> tuple[Table, pl.DataFrame, str]:
    """A table in codes, the same as a frame, and the library that it came from; a Table knows its columns itself."""
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier}
    roles: dict[str, Any] = {role: names for role, names in given.items() if names is not None}
    if isinstance(source, Table):
        if roles:
            raise AttackError(f"a Table knows its columns already; leave {'=, '.join(roles)}= out, or give the source")
        return source, _frame_of(source), source.native
    table = read(source, **roles)
    frame, native = load(source)
    return table, frame, native


def sensitive_column(table: Table) -> tuple[int, Attribute]:
    """The one sensitive column."""
    columns = table.having(Role.SENSITIVE)
    if len(columns) != 1:
        raise AttackError(f"an attack is on one sensitive column, and the table has {len(columns)}; attack one by one")
    return columns[0], table.attributes[columns[0]]


def evidence_of_groups(
    table: Table,
    labels: Sequence[int],
    *,
    method: Method | None = None,
    model: PrivacyModel | None = None,
    names: Sequence[Any] | None = None,
) -> Evidence:
    """A table and its groups, given by label; what is published of a group is its sensitive counts."""
    grouping = Grouping.from_labels(np.asarray(labels, dtype=np.int32))
    column, attribute = sensitive_column(table)
    published = Groups.of(grouping.labels, table.codes[column], attribute)
    return Evidence(people_of(table), grouping, published, method, model or required_by(method), names)


def table_of(source: Any, schema: Schema | str | Path | None, roles: dict[str, Any]) -> tuple[Table, list[Any] | None]:
    """A table and the names of its people, from the identifier when there is one."""
    table = source if isinstance(source, Table) else read(source, schema=schema, **roles)
    return table, None if table.names is None else table.names.to_list()


def _as_it_was_read(
    release: Release, schema: Schema | str | Path | None, roles: dict[str, Any]
) -> tuple[Schema | str | Path | None, dict[str, Any]]:
    """How to read the table that a release was made of: as the caller says, or as it was read when it was published."""
    known = release.private.schema
    if schema is not None or known is None or {"quasi", "sensitive"} & set(roles):
        return schema, roles
    if "identifier" in roles:
        columns = {name: column for name, column in known.columns.items() if column.role is not Role.IDENTIFIER}
        columns = {roles["identifier"]: Column(role=Role.IDENTIFIER)} | columns
        known = known.model_copy(update={"columns": columns})
    return known, {}


def _refuse_spark(release: Any) -> None:
    """An attack looks at everybody in memory: say how a release that is with Spark gets there."""
    tables = release.public.frames if isinstance(release, Release) else release
    frames = tables.values() if isinstance(tables, Mapping) else [tables]
    if any(map(is_distributed, frames)):
        raise AttackError(
            "the release is with Spark, and an attack reads it without; write it (release.write(folder), or a "
            "DataFrame to Parquet) and attack the folder"
        )


@dataclass(frozen=True, eq=False)
class Gathered:
    """The evidence of an attack and, apart from it, the truth: for scoring, and what an auditor may measure on it.

    ``truth`` has everybody's sensitive code in the order of the people, -1 for people who are not in the table; None
    when it is not known.
    """

    evidence: Evidence
    truth: Codes | None = None
    name: str = "the release"
    rows: Evidence | None = None  # the rows of the release as people, where it is not certain who is behind them


def gather(
    source: Any,
    *,
    truth: Any = None,
    population: Any = None,
    made_by: Method | None = None,
    schema: Schema | str | Path | None = None,
    quasi: Sequence[str] | str | None = None,
    sensitive: str | None = None,
    identifier: str | None = None,
    group: str | None = None,
    model: PrivacyModel | None = None,
    groups: Any = None,
    also_truth: bool = False,
    progress: Progress = SILENT,
) -> Gathered:
    """The evidence from whatever there is; see :func:`pellucid.attack` for what can be given.

    With ``also_truth``, a population that has the sensitive column and as many rows as the release is its table.
    """
    if isinstance(source, Evidence):
        return Gathered(source)
    _refuse_spark(source)
    if made_by is not None and not isinstance(made_by, Method):
        raise AttackError(
            f"made_by = {made_by!r}: give the method with its parameters, for example pellucid.Tailor(l=2)"
        )
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier}
    roles = {role: names for role, names in given.items() if names is not None}
    if isinstance(source, Release) and truth is not None and population is None and group is None:
        refuse_contradiction(source.recipe, made_by, model)
        table, names = table_of(truth, *_as_it_was_read(source, schema, roles))
        evidence = evidence_of_release(source, table, names=names, model=model, made_by=made_by)
        column, _ = sensitive_column(table)
        return Gathered(evidence, table.codes[column])
    look = _Look.at(source, schema=schema, quasi=quasi, sensitive=sensitive, group=group, progress=progress)
    refuse_contradiction(look.source.recipe, made_by, model)
    method = made_by if made_by is not None else look.method
    notes: tuple[str, ...] = ()
    if also_truth and truth is None and population is not None and look.is_table_of(population):
        truth, population = population, None
        said = "so it is taken as the table itself: guesses are scored with it"
        notes = (f"the population has {look.sensitive} too, {said}",)
    if groups is not None and (truth is None or population is not None):
        raise AttackError("groups= tells the group of each row of the true table; give that table as truth=, alone")
    known = population if population is not None else truth
    evidence = look.anonymous() if known is None else look.among(_Crowd.of(known, look, identifier))
    evidence = replace(evidence, method=method, model=model or required_by(method), notes=(*evidence.notes, *notes))
    unsettled = evidence.membership is not None or APART in evidence.notes
    if known is truth and truth is not None and (groups is not None or unsettled):
        settled = look.settled(evidence, truth, identifier, groups)
        if isinstance(settled, Gathered):
            return settled
        if evidence.membership is not None:
            open_ = f"who is in which group stays open where values fit several; {settled}" if settled else ""
            evidence = replace(evidence, way_out=settled, notes=(*evidence.notes, *([open_] if open_ else [])))
    elif evidence.membership is not None:
        spare = int(evidence.membership.covered.sum()) - int(evidence.published.sizes.sum())
        way_out = settling.of_a_population(look.made(method), look.source.recipe, spare=spare)
        evidence = replace(evidence, way_out=way_out)
    scored = None if truth is None else look.scored(evidence, truth, identifier, same=known is truth)
    rows = None
    if evidence.membership is not None:
        rows = replace(look.anonymous(), published=evidence.published, method=method, model=evidence.model)
        rows = replace(rows, crowd=len(evidence.people), way_out=way_out_of(evidence))
    return Gathered(evidence, scored, look.source.name, rows)


@dataclass(frozen=True, eq=False)
class _Crowd:
    """A population as it was given: its frame, the names of its people, and how its columns are meant."""

    frame: pl.DataFrame
    names: list[Any] | None
    schema: Schema

    @classmethod
    def of(cls, source: Any, look: _Look, identifier: str | None) -> _Crowd:
        frame = _frame_of(source)
        if identifier is None and isinstance(source, Table) and source.names is not None:
            identifier = source.names.name
        identifier = identifier if identifier is not None else look.identifier(frame)
        if identifier is not None:
            choose(frame.columns, [identifier], "the population")
        columns = {} if identifier is None else {identifier: Column(role=Role.IDENTIFIER)}
        columns |= look.columns(frame)
        schema = Schema.model_construct(columns=columns)
        if look.schema is not None:
            schema = look.schema.model_copy(update={"columns": columns})
        return cls(frame, None if identifier is None else frame[identifier].to_list(), schema)

    @cached_property
    def table(self) -> Table:
        return encode(self.frame.select(list(self.schema.columns)), self.schema)


@dataclass(frozen=True, eq=False)
class _Look:
    """A release as it was handed out, by anybody."""

    source: Source
    audit: Audit
    sensitive: str
    schema: Schema | None

    @classmethod
    def at(
        cls,
        source: Any,
        *,
        schema: Schema | str | Path | None,
        quasi: Sequence[str] | str | None,
        sensitive: str | None,
        group: str | None,
        progress: Progress,
    ) -> _Look:
        given = opened(source)
        known = Schema.load(Path(schema)) if isinstance(schema, str | Path) else schema
        by_name = given.recipe is None and known is None
        audit = examine(
            given,
            schema=known,
            quasi=quasi if by_name else None,
            sensitive=sensitive if by_name else None,
            group=group,
            progress=progress,
        )
        chosen = audit.sensitive if sensitive is None else (sensitive,)
        if len(chosen) != 1 or chosen[0] not in audit.sensitive:
            there = ", ".join(audit.sensitive) or "none"
            raise AttackError(f"an attack is on one sensitive column; there are: {there}; name one with sensitive=")
        return cls(given, audit, chosen[0], known)

    @property
    def method(self) -> Method | None:
        recipe = self.source.recipe
        return method_of(recipe) if recipe is not None and "method" in recipe else None

    def is_table_of(self, population: Any) -> bool:
        """Whether a population may be the table itself: it has the sensitive column, and as many rows as that."""
        frame = _frame_of(population)
        suppressed = int((self.source.recipe or {}).get("suppressed") or 0)
        rows = int(self.groups.groups.sizes.sum())
        return self.sensitive in frame.columns and frame.height in (rows, rows + suppressed)

    def made(self, method: Method | None) -> Made | None:
        """How it was made, as far as it takes to see whether groups of the table read like it."""
        recipe = self.source.recipe
        if method is None or (recipe is not None and recipe.get("recode") not in RECODERS):
            return None
        prints = fingerprint({name: self.source.tables[name] for name in self.source.tables})
        if recipe is None:
            return Made(method, RECODERS[method.recoder](), prints)
        recoder = RECODERS[recipe["recode"]](**recipe.get("recode_parameters", {}))
        return Made(method, recoder, prints, by_identifier=recipe.get("row_order") == "identifier")

    def settled(self, evidence: Evidence, truth: Any, identifier: str | None, groups: Any) -> Gathered | str:
        """What there is to attack when the owner of the table settles who is in which group; or how it could be."""
        made = self.made(evidence.method)
        if made is None:
            if groups is not None:
                raise AttackError("groups= goes with a release whose method is known; name it with made_by=")
            return ""
        table = truth if isinstance(truth, Table) else self._read(truth, identifier)
        if groups is None:
            grouping, said = run_again(table, made)
        else:
            grouping = told_groups(table, made, groups)
            said = "who is in which group is told, and is taken as known"
        if grouping is None:
            frame = _frame_of(truth)
            unique = settling.unique_columns(frame, [*self.columns(frame), self.sensitive])
            return settling.of_the_table(made, table, unique, lambda name: self._read(truth, name))
        names = None if table.names is None else table.names.to_list()
        notes = [note for note in evidence.notes if note not in (*self.notes, APART)]
        certain = _evidence_of(table, grouping, made, names=names, model=evidence.model, notes=(*notes, said))
        return Gathered(certain, table.codes[sensitive_column(table)[0]], self.source.name)

    def _read(self, truth: Any, identifier: str | None) -> Table:
        """The true table with its sensitive column."""
        if self.schema is not None:
            return read(truth, schema=self.schema)
        frame = _frame_of(truth)
        choose(frame.columns, [self.sensitive], "the truth")
        columns = {} if identifier is None else {identifier: Column(role=Role.IDENTIFIER)}
        columns |= self.columns(frame)
        told = {} if self.source.recipe is None else {c["name"]: c["kind"] for c in self.source.recipe["columns"]}
        kind = None if told.get(self.sensitive) == Kind.ORDERED else told.get(self.sensitive)
        columns[self.sensitive] = Column(role=Role.SENSITIVE, kind=kind)
        return read(truth, schema=Schema(columns=columns))

    @cached_property
    def groups(self) -> Partition:
        return self.audit.groups_of(self.sensitive)

    @property
    def in_two(self) -> bool:
        return self.source.in_two

    def identifier(self, frame: pl.DataFrame) -> str | None:
        """The identifier that the schema names, where the population has it."""
        return next((n for n in _named(self.schema, Role.IDENTIFIER) if n in frame.columns), None)

    @cached_property
    def quasi(self) -> dict[str, Column]:
        """The quasi-identifiers as people have them: by schema, by recipe, or by their values."""
        published = [attribute.name for attribute in self.audit.quasi_table.attributes]
        if self.schema is not None:
            return {n: c for n, c in self.schema.columns.items() if c.role in (Role.QUASI, Role.CARRY)}
        if self.source.recipe is not None:
            told = [column for column in self.source.recipe["columns"] if column["role"] in ("quasi", "carry")]
            kinds = {c["name"]: None if c["kind"] == Kind.ORDERED else Kind(c["kind"]) for c in told}
            return {c["name"]: Column(role=c["role"], kind=kinds[c["name"]]) for c in told}
        if not self.in_two:
            published = [a.name for a in self.audit.table.attributes if a.role is Role.QUASI]
        return {name: Column(role=Role.QUASI) for name in dict.fromkeys(published)}

    def columns(self, frame: pl.DataFrame) -> dict[str, Column]:
        """The quasi-identifiers that the population has; only what is carried may be missing."""
        found = {}
        for name, column in self.quasi.items():
            base = base_name(name)
            there = base if base in frame.columns and name not in frame.columns else name
            if column.role is Role.CARRY and there not in frame.columns:
                continue
            choose(frame.columns, [there], "the population")
            kind = column.kind
            if kind in (Kind.NUMBER, Kind.DATE) and frame[there].dtype == pl.String:
                kind = None  # a text column of the population says itself what it is
            found[there] = column if kind is column.kind else column.model_copy(update={"kind": kind})
        return found

    def origin(self, crowd: _Crowd | None) -> Origin:
        recipe = self.source.recipe
        recoder = prints = None
        if recipe is not None and recipe.get("recode") in RECODERS:
            recoder = RECODERS[recipe["recode"]](**recipe.get("recode_parameters", {}))
            prints = fingerprint({name: self.source.tables[name] for name in self.source.tables})
        changes = bool(recipe is not None and recipe.get("changes"))
        frame, schema = (None, None) if crowd is None else (crowd.frame, crowd.schema)
        return Origin(frame, schema, recoder, prints, changes)

    @property
    def notes(self) -> tuple[str, ...]:
        recipe = self.source.recipe
        changes = list(recipe.get("changes", ())) if recipe is not None else []
        return tuple(f"{change}: beliefs are about what is published" for change in changes)

    def anonymous(self) -> Evidence:
        """Without a population the people are the rows; of two tables, they have their own quasi-identifiers."""
        published = self.groups.groups
        if self.in_two:
            frame = _typed(self.source.read([*self.quasi], SPLIT[0]))
            crowd = _Crowd(frame, None, Schema.model_construct(columns=dict(self.quasi)))
            grouping = grouping_of(self._group_of_rows(), len(published))
            note = "the people are the rows of the quasi-identifier table, which has their own values"
            origin = self.origin(crowd)
            return Evidence(crowd.table, grouping, published, notes=(*self.notes, note), origin=origin)
        labels = np.full(len(self.audit.table), -1, np.int32)
        for number in range(len(published)):
            labels[self.groups.rows_of(number)] = number
        note = "no population is given, so the people are the rows of the release, numbered from 0"
        return Evidence(
            people_of(self.audit.table),
            grouping_of(labels, len(published)),
            published,
            notes=(*self.notes, note),
            anonymous=True,
            origin=self.origin(None),
        )

    def among(self, crowd: _Crowd) -> Evidence:
        """With the people of a population, each in the groups that cover them."""
        published = self.groups.groups
        table = crowd.table
        rows = int(published.sizes.sum())
        if len(table) < rows:
            raise AttackError(
                f"the population has {len(table):,} people and the release {rows:,} rows; give the people from whom "
                "the table was drawn, everyone of the table included"
            )
        names = [
            n for n in self._published_columns() if n in crowd.frame.columns or base_name(n) in crowd.frame.columns
        ]
        known = people(crowd.frame, names, self.schema)
        if self.in_two:
            membership, note = self._by_vector(known)
        else:
            whole = replace(self.groups, forming=tuple(i for i in self.groups.forming if self._name(i) in names))
            self._refuse_unread(whole, known)
            fit = Fit.of(self.audit.covering(whole, known)(), published.sizes, known.counts)
            settled = fit.forced()
            membership, note = (fit.membership(known.place), ()) if settled is None else apart(settled, known.rows)
            if len(table) > rows:
                absent = len(table) - int(membership.covered.sum())
                published = replace(published, population=fit.covered, absent=absent)
        labels = membership.labels
        return Evidence(
            people_of(table),
            grouping_of(labels, len(published)),
            published,
            names=crowd.names,
            notes=(*self.notes, *note),
            membership=None if membership.certain else membership,
            origin=self.origin(crowd),
            crowd=len(table),
        )

    def _refuse_unread(self, whole: Partition, known: People) -> None:
        """Raise when nobody is like a published value: these are other people, or the value is not understood."""
        values = {self._name(i): self.audit.table.attributes[i].values for i in whole.forming}
        lacking = like_nobody(values, known, self.schema)
        if lacking is not None and lacking[1] is not None:
            column, value = lacking
            raise AttackError(
                f"the population does not fit the release: nobody in it has a {column!r} like the published {value!r}; "
                "give the people from whom the table was drawn, a schema= with the taxonomy of the column, or write "
                "values as 27, [20, 29], {a, b}, 130** or *"
            )

    def _name(self, column: int) -> str:
        return self.audit.table.attributes[column].name

    def _published_columns(self) -> list[str]:
        table = self.audit.quasi_table
        return [a.name for a in table.attributes if a.role in (Role.QUASI, Role.CARRY)]

    def _group_of_rows(self) -> Codes:
        """The group of each row of the quasi-identifier table."""
        (column,) = self.audit.forming
        numbers = numbers_of_groups(self.source, self._name(column))
        spelled = [str(value) for value in self.audit.table.attributes[column].values.to_list()]
        code_of = {text: code for code, text in enumerate(spelled)}
        group_of = {int(code): group for group, code in enumerate(self.groups.vectors()[self._name(column)])}
        return np.array([group_of[code_of[str(number)]] for number in numbers.to_list()], np.int32)

    def _by_vector(self, known: People) -> tuple[Membership, tuple[str, ...]]:
        """Two tables: whoever has the exact values of a row is one of those who may be behind it."""
        table = self.audit.quasi_table
        forming = tuple(i for i, a in enumerate(table.attributes) if a.role in (Role.QUASI, Role.CARRY))
        whole = partition(table, [i for i in forming if table.attributes[i].name in known.names], None)
        of_row = self._group_of_rows()
        fit = Fit.of(self.audit.covering(whole, known)(), whole.groups.sizes, known.counts)
        found: dict[int, dict[int, int]] = {}
        for place, vectors in fit.of_place.items():
            rows = np.concatenate([whole.rows_of(vector) for vector in vectors])
            groups, counts = np.unique(of_row[rows], return_counts=True)
            found[place] = dict(zip(groups.tolist(), counts.tolist(), strict=True))
        if int(known.counts.sum()) == len(of_row):
            return apart(found, known.rows)
        chances = {
            place: [(group, rows / int(known.counts[place])) for group, rows in groups.items()]
            for place, groups in found.items()
        }
        return Membership.by_place(chances, np.ones(len(known.counts), np.bool_), known.place), ()

    def scored(self, evidence: Evidence, truth: Any, identifier: str | None, *, same: bool) -> Codes | None:
        """The true codes of the people, in their order: of the same rows, or by name."""
        frame = _frame_of(truth)
        choose(frame.columns, [self.sensitive], "the truth")
        values = frame[self.sensitive].to_list()
        code_of = {str(value): code for code, value in enumerate(evidence.values)}
        codes = np.array([code_of.get(str(value), -1) for value in values], np.int32)
        if same:
            return codes
        if identifier is None and isinstance(truth, Table) and truth.names is not None:
            identifier = truth.names.name
        name = identifier if identifier is not None else self.identifier(frame)
        if name is None or evidence.names is None or name not in frame.columns:
            raise AttackError(
                "truth= and population= are different tables; name the column that tells who is who with identifier="
            )
        of_name = dict(zip(frame[name].to_list(), codes.tolist(), strict=True))
        return np.array([of_name.get(who, -1) for who in evidence.names], np.int32)


def _frame_of(source: Any) -> pl.DataFrame:
    if not isinstance(source, Table):
        return load(source)[0]
    columns = zip(source.attributes, source.codes, strict=True)
    named = {} if source.names is None else {source.names.name: source.names}
    return pl.DataFrame(named | {a.name: a.values.gather(codes.astype(np.uint32)) for a, codes in columns})


def _typed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(narrow(frame[name]) for name in frame.columns if frame[name].dtype == pl.String)


def _named(schema: Schema | None, role: Role) -> list[str]:
    return [] if schema is None else schema.names(role)
