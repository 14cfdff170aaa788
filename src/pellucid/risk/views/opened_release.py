"""A release as it was handed out, by anybody: what it tells, alone and beside a population."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.one_tells_another import Told, told_of
from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.recode import RECODERS, TwoTables
from pellucid.audit.examination import Audit, examine_as
from pellucid.audit.meaning import meant_by, read_together, rows_told
from pellucid.audit.partition import Partition
from pellucid.audit.source import SPLIT, OpenedRelease, opened
from pellucid.core.recipe import ordered_as
from pellucid.core.schema import Column, Kind, Role, Roles, Schema, column_names
from pellucid.core.table import Codes, Table
from pellucid.errors import AttackError
from pellucid.io import load, read_original
from pellucid.io.columns import choose
from pellucid.io.inference import narrow
from pellucid.published.ends import base_name
from pellucid.risk.views import Evidence, Gathered, PublishedFrom
from pellucid.risk.views import membership_advice as settling
from pellucid.risk.views.fingerprint import fingerprint
from pellucid.risk.views.given_tables import frame_of
from pellucid.risk.views.how_made import Making
from pellucid.risk.views.known_groups import SeveralColumns, people_of, published_evidence, sensitive_column
from pellucid.risk.views.linkage import group_of_rows, who_is_where
from pellucid.risk.views.membership import Membership
from pellucid.risk.views.missing_inputs import (
    HIDDEN,
    SHARES,
    UNORDERED,
    UNTOLD,
    lacking_of,
    refuse_other_schema,
    suppressed_rows,
)
from pellucid.risk.views.population import THE_ORIGINAL, Crowd
from pellucid.risk.views.reader_view import classes_may_be_several
from pellucid.risk.views.regrouping import HowMade, grouping_of, kept_groups, run_again, told_groups
from pellucid.runtime.progress import SILENT, Progress
from pellucid.text.rows import first_row

UNCONFIRMED = (
    ": where groups read alike the release cannot confirm it, so that a bound below the promise holds if this is what "
    "was kept with it"
)


@dataclass(frozen=True, eq=False)
class ReleaseView:
    """A release as it was handed out, by anybody."""

    source: OpenedRelease
    audit: Audit
    sensitive: str
    schema: Schema | None  # how the original was read: as the recipe says, or as the caller does
    declared: bool = False  # whether it is the whole of what was declared
    known_prints: bytes | None = None  # its fingerprint, where its rows are not kept

    @classmethod
    def at(cls, source: Any, roles: Roles, progress: Progress = SILENT) -> ReleaseView:
        """Open a release and find its groups and its one sensitive column."""
        given = opened(source)
        known = None if roles.schema is None else Schema.given(roles.schema)
        by_name = given.recipe is None and known is None
        released = roles if by_name else replace(roles, schema=known, quasi=None, sensitive=None, carry=None)
        audit = examine_as(given, released, progress=progress)
        chosen = audit.sensitive if roles.sensitive is None else column_names(roles.sensitive)
        if len(chosen) != 1 or chosen[0] not in audit.sensitive:
            raise SeveralColumns(audit.sensitive)
        refuse_other_schema(given.recipe, known)
        return cls(given, audit, chosen[0], _schema_of(given, known), known is not None)

    @property
    def method(self) -> Method | None:
        """The method that its recipe names."""
        return self.source.made_by

    @cached_property
    def prints(self) -> bytes:
        """What was published as one value, to compare with what groups of a table would be published as."""
        return fingerprint(dict(self.source.tables)) if self.known_prints is None else self.known_prints

    def without_rows(self) -> ReleaseView:
        """The same with a fingerprint instead of the rows that were published: who is told where everybody is has them.

        A million rows of five columns are 70 MB of texts.
        """
        tables = {name: load(table)[0].clear() for name, table in self.source.tables.items()}
        return replace(self, source=replace(self.source, tables=tables), known_prints=self.prints)

    def is_table_of(self, population: Any) -> bool:
        """Whether a population may be the table itself: it has the sensitive column, and as many rows as that."""
        frame = self.read_people(population)
        rows = int(self.groups.groups.sizes.sum())
        return self.sensitive in frame.columns and frame.height in (rows, rows + (self.source.facts.suppressed or 0))

    def made(self, method: Method | None) -> HowMade | None:
        """How it was made, as far as it takes to see whether groups of the table read like it."""
        recipe = self.source.recipe
        if method is None or (recipe is not None and not recipe.names_recoder):
            return None
        if recipe is None:
            usual = TwoTables() if self.in_two else RECODERS[method.recoder]()
            return HowMade(method, usual, self.prints)
        return HowMade(method, recipe.recoder, self.prints, by_identifier=recipe.row_order == "identifier")

    def told(self, making: Making, truth: Any, identifier: str | None, groups: Any) -> Gathered:
        """What there is to attack when the owner of the table tells who is in which group."""
        made = self.made(making.method)
        if made is None:
            raise AttackError("{GROUPS} goes with a release whose method is known", "name it with {MADE_BY}")
        if self.notes or made.method.distorts:
            raise AttackError(
                "{method} may change values or add records, and {GROUPS} says who is in which group, not what was "
                "published of whom",
                "leave {GROUPS} out, or {in_memory}",
                in_memory=settling.IN_MEMORY,
                method=made.method.name,
            )
        recipe = self.source.recipe
        if recipe is not None and recipe.of_some_rows and recipe.suppressed and not isinstance(truth, Table):
            raise AttackError(
                "{GROUPS} has -1 for rows that were left out and for rows that were withheld, and does not tell them "
                "apart",
                settling.IN_MEMORY,
            )
        truth, labels = rows_told(truth, kept_groups(groups), self.meant, recipe)
        table = self._read(truth, identifier)
        if len(table) < self.audit.rows:
            self._refuse_too_few(len(table), THE_ORIGINAL)
        how_known = "who is in which group is told, and is taken as known"
        largest = int(self.groups.groups.sizes.max(initial=0))
        if classes_may_be_several(made.method, made.recoder, self._kinds, largest):
            how_known += UNCONFIRMED
        return self._certain(table, told_groups(table, made, labels), made, making, how_known)

    def settled(self, making: Making, truth: Any, identifier: str | None) -> Gathered | str:
        """What there is to attack when running the method again tells who is in which group; or what would tell it."""
        made = self.made(making.method)
        if made is None:
            return ""
        table = self._read(truth, identifier)
        grouping, how_known = run_again(table, made)
        if grouping is not None:
            return self._certain(table, grouping, made, making, how_known)
        frame = self.read_people(truth)
        unique = settling.unique_columns(frame, [*self.columns(frame), self.sensitive])
        return settling.of_the_table(made, table, unique, lambda name: self._read(truth, name))

    def _certain(self, table: Table, grouping: Grouping, made: HowMade, making: Making, how_known: str) -> Gathered:
        """The true table in the groups that it was published in."""
        column, _ = sensitive_column(table, self.sensitive)
        certain = published_evidence(
            table,
            grouping,
            made,
            names=None if table.names is None else table.names.to_list(),
            model=making.model,
            notes=(*(note for note in making.notes if note not in self.notes), how_known),
            sensitive=self.sensitive,
        )
        certain = replace(certain, lacking=(*self.lacking(made.method), *self.other_reading(table)))
        facts = self.source.facts
        rest = partial(self.told_by_the_rest, made.method)
        truth, name = table.codes[column], self.source.name
        return Gathered(certain, truth, name, None, facts.guarantee, facts.clusters_parted, rest)

    def told_by_the_rest(self, method: Method | None) -> Told | None:
        """What the other sensitive columns of a row tell of this one; None without any."""
        beside = len(self.audit.sensitive) > 1
        return told_of(self.audit.groups_beside(self.sensitive).groups, None, method) if beside else None

    def _read(self, truth: Any, identifier: str | None) -> Table:
        """The true table with its sensitive column, in the row order that it was published in."""
        if isinstance(truth, Table):
            refuse_other_schema(self.source.recipe, truth.schema)
            table = truth
        else:
            table = read_together(truth, self._schema_of(truth, identifier), self.source.recipe)
        return replace(table, order=None) if self.source.facts.row_order == "coins" else table

    def _schema_of(self, truth: Any, identifier: str | None) -> Schema:
        """How the true table was read when it was published, as far as that is told."""
        if self.schema is None:
            frame = self.read_people(truth)
            choose(frame.columns, [self.sensitive], "the truth")
            columns = self.columns(frame)
            columns[self.sensitive] = self.meant.columns.get(self.sensitive, Column(role=Role.SENSITIVE))
        elif identifier is None:
            columns = self.schema.columns
        else:
            columns = {n: column for n, column in self.schema.columns.items() if column.role is not Role.IDENTIFIER}
        named = {} if identifier is None else {identifier: Column(role=Role.IDENTIFIER)}
        if self.schema is None:
            return Schema(columns=named | columns)
        return meant_by(self.source.recipe, self.schema.model_copy(update={"columns": named | columns}), own=True)

    def lacking(self, method: Method | None) -> tuple[str, ...]:
        """What steered the method and neither the recipe nor the caller tells, the people aside."""
        return lacking_of(self.source.recipe, self.schema if self.declared else None, method)

    def other_kinds(self, people: Table) -> tuple[str, ...]:
        """Columns of people that are not of the kind that the method saw, such as text where it saw numbers."""
        kinds = {column.name: column.kind for column in self.source.facts.columns}
        return tuple(
            f"{attribute.name!r} of the people is read as a {attribute.kind}, and the method saw a "
            f"{kinds[attribute.name]}: give people whose values are written like those of the table"
            for attribute in people.attributes
            if attribute.role is Role.QUASI and kinds.get(attribute.name, attribute.kind) != attribute.kind
        )

    def other_reading(self, table: Table) -> tuple[str, ...]:
        """What a method would see otherwise in this table than in the one that it saw, as far as the recipe tells."""
        order, how = self.source.facts.row_order, self.source.facts.ordered_as
        unordered = [UNTOLD if order is None else UNORDERED] if table.order is None and order != "coins" else []
        others = table.order is not None and table.names is not None and how not in (None, ordered_as(table.names))
        mixed = f"the rows were ordered by identifiers that are {how}: give the table with identifiers like that"
        return (*unordered, *[mixed] * others, *self.other_kinds(table))

    @cached_property
    def meant(self) -> Schema:
        """How people's own values are read beside this release."""
        return meant_by(self.source.recipe, self.schema)

    @property
    def by_share(self) -> bool:
        """Whether a column, or one of its classes, ends where shares of the table's rows did."""
        in_recipe = self.source.facts.declared().values()
        declared = [] if self.schema is None else list(self.schema.columns.values())
        return any(column.by_share for column in (*in_recipe, *declared))

    def with_ends(self, table: Any) -> ReleaseView:
        """The same with the ends of columns in values, if nobody tells them and these may be the people of the table.

        Only a file without a recipe leaves them open, and only to somebody who has its schema.
        """
        if self.source.recipe is not None or self.schema is None or not self.by_share:
            return self
        frame, settled = read_original(table, self.schema)
        return replace(self, schema=settled) if frame.height == int(self.groups.groups.sizes.sum()) else self

    def read_people(self, source: Any) -> pl.DataFrame:
        """A table of people as the release's own table was read."""
        return frame_of(source, self.meant)

    @cached_property
    def groups(self) -> Partition:
        """Its groups, with the counts of the sensitive column."""
        return self.audit.groups_of(self.sensitive)

    @property
    def in_two(self) -> bool:
        """Whether quasi-identifiers and sensitive values are in tables of their own."""
        return self.source.in_two

    def identifier(self, source: Any, frame: pl.DataFrame, given: str | None) -> str | None:
        """The column that names people: as said, that of a table, or the one of the schema where the people have it."""
        if given is not None:
            return given
        if isinstance(source, Table) and source.names is not None:
            return source.names.name
        return next((n for n in _named(self.schema, Role.IDENTIFIER) if n in frame.columns), None)

    @cached_property
    def quasi(self) -> dict[str, Column]:
        """The quasi-identifiers as people have them: by schema, by recipe, or by their values."""
        published = [attribute.name for attribute in self.audit.quasi_table.attributes]
        if self.schema is not None or self.source.recipe is not None:
            return {n: c for n, c in self.meant.columns.items() if c.role in (Role.QUASI, Role.CARRY)}
        if not self.in_two:
            published = [a.name for a in self.audit.table.attributes if a.role is Role.QUASI]
        return {name: Column(role=Role.QUASI) for name in dict.fromkeys(published)}

    def columns(self, frame: pl.DataFrame, called: str = THE_ORIGINAL) -> dict[str, Column]:
        """The quasi-identifiers that the original or a population has; only what is carried may be missing."""
        columns = {}
        for name, column in self.quasi.items():
            base = base_name(name)
            there = base if base in frame.columns and name not in frame.columns else name
            if column.role is Role.CARRY and there not in frame.columns:
                continue
            choose(frame.columns, [there], called)
            kind = column.kind
            if kind in (Kind.NUMBER, Kind.DATE) and frame[there].dtype == pl.String:
                kind = None  # a text column of the population says itself what it is
            columns[there] = column if kind is column.kind else column.model_copy(update={"kind": kind})
        return columns

    def origin(self, crowd: Crowd | None, method: Method | None = None) -> PublishedFrom:
        """What it takes to recode groups again and to compare them with what is published."""
        recipe = self.source.recipe
        recoder = prints = None
        if recipe is not None and recipe.names_recoder:
            recoder = recipe.recoder
            prints = self.prints
        changes = bool(recipe is not None and recipe.changes)
        frame, schema = (None, None) if crowd is None else (crowd.frame, crowd.schema)
        hidden = suppressed_rows(recipe, method)
        if hidden is None and frame is not None and frame.height == int(self.groups.groups.sizes.sum()):
            hidden = 0  # the table is among these people, and all of them are published
        kinds, by_share = self._kinds, self.by_share
        return PublishedFrom(frame, schema, recoder, prints, changes, hidden, by_share=by_share, kinds=kinds)

    @property
    def _kinds(self) -> tuple[Kind, ...]:
        """The kinds of the quasi-identifiers as the recipe tells them; none where nobody does."""
        return tuple(column.kind for column in self.source.facts.columns if column.role is Role.QUASI)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be known before beliefs are read."""
        return tuple(f"{change}: beliefs are about what is published" for change in self.source.facts.changes)

    def anonymous(self, method: Method | None = None) -> Evidence:
        """Without a population the people are the rows; of two tables, they have their own quasi-identifiers."""
        published = self.groups.groups
        if self.in_two:
            frame = _typed(self.source.read([*self.quasi], SPLIT[0]))
            crowd = Crowd(frame, None, Schema.model_construct(columns=dict(self.quasi)))
            grouping = grouping_of(group_of_rows(self), len(published))
            note = "the people are the rows of the quasi-identifier table, which has their own values"
            origin = self.origin(crowd, method)
            hidden = suppressed_rows(self.source.recipe, method) != 0
            lacking = (*self.lacking(method), *[HIDDEN] * hidden, *self.other_reading(crowd.table))
            all_notes = (*self.notes, note)
            return Evidence(crowd.table, grouping, published, notes=all_notes, origin=origin, lacking=lacking)
        labels = np.full(len(self.audit.table), -1, np.int32)
        for number in range(len(published)):
            labels[self.groups.rows_of(number)] = number
        note = f"no population is given, so the people are the rows of the release, numbered from {first_row()}"
        return Evidence(
            people_of(self.audit.table),
            grouping_of(labels, len(published)),
            published,
            notes=(*self.notes, note),
            anonymous=True,
            origin=self.origin(None, method),
        )

    def among(self, crowd: Crowd, method: Method | None = None) -> Evidence:
        """With the people of a population, each in the groups that cover them."""
        table = crowd.table
        self._refuse_too_few(len(table), crowd.called)
        more_people = len(table) > int(self.groups.groups.sizes.sum())
        who = who_is_where(self, crowd, more_people)
        membership = who.membership
        in_table, lacking = self._in_table(membership, method)
        if self.by_share and more_people and (in_table is None or self.source.recipe is None):
            lacking += (SHARES,)
        return Evidence(
            people_of(table),
            grouping_of(membership.labels, len(who.published)),
            who.published,
            names=crowd.names,
            notes=(*self.notes, *who.notes),
            membership=None if membership.certain else membership,
            origin=self.origin(crowd, method),
            crowd=len(table),
            in_table=in_table,
            table=None if in_table is None else people_of(crowd.only(in_table)),
            lookalikes=who.lookalikes if membership.certain else None,
            lacking=(*self.lacking(method), *crowd.lacking, *lacking),
        )

    def _refuse_too_few(self, people: int, called: str) -> None:
        """Raise where the original or a population has fewer people than the release has rows."""
        rows = int(self.groups.groups.sizes.sum())
        if people < rows and self.notes:
            raise AttackError(
                f"the release has {rows:,} rows and {people:,} people are given: records may have been added that "
                "nobody is behind, and nobody says which",
                settling.IN_MEMORY,
            )
        if people < rows:
            drawn = "the people from whom the table was drawn, everyone of the table included"
            give = "the table that the release was made of" if called == THE_ORIGINAL else drawn
            raise AttackError(f"{called} has {people:,} people and the release {rows:,} rows", f"give {give}")

    def _in_table(
        self, membership: Membership, method: Method | None
    ) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
        """The people who were in the table, None for all or where it stays open; and what is not known about that."""
        hidden = suppressed_rows(self.source.recipe, method)
        outside = int((~membership.covered).sum())
        if hidden is None and not outside and membership.certain:
            hidden = 0
        if hidden == 0:
            certain = membership.certain and outside
            return (np.flatnonzero(membership.covered).astype(np.int64) if certain else None), ()
        if hidden == outside and membership.certain:
            return None, ()
        return None, (HIDDEN,)

    def scored(self, evidence: Evidence, truth: Any, identifier: str | None, *, same: bool) -> Codes | None:
        """The true codes of the people, in their order: of the same rows, or by name."""
        frame = self.read_people(truth)
        choose(frame.columns, [self.sensitive], "the truth")
        values = frame[self.sensitive].to_list()
        code_of = {str(value): code for code, value in enumerate(evidence.values)}
        codes = np.array([code_of.get(str(value), -1) for value in values], np.int32)
        if same:
            return codes
        name = self.identifier(truth, frame, identifier)
        if name is None or evidence.names is None or name not in frame.columns:
            raise AttackError(
                "{TRUTH} and {POPULATION} are different tables",
                "name the column that tells who is who with {IDENTIFIER}",
            )
        of_name = dict(zip(frame[name].to_list(), codes.tolist(), strict=True))
        return np.array([of_name.get(who, -1) for who in evidence.names], np.int32)


def _typed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(narrow(frame[name]) for name in frame.columns if frame[name].dtype == pl.String)


def _schema_of(given: OpenedRelease, known: Schema | None) -> Schema | None:
    """The schema that a release tells, with the identifiers of the known one; the known one where it tells none."""
    in_recipe = given.facts.schema
    if in_recipe is None or known is None:
        return in_recipe if in_recipe is not None else known
    named = {name: known.columns[name] for name in known.names(Role.IDENTIFIER)}
    return in_recipe.model_copy(update={"columns": named | in_recipe.columns, "file": known.file})


def _named(schema: Schema | None, role: Role) -> list[str]:
    return [] if schema is None else schema.names(role)
