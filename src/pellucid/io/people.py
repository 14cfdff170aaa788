"""Persons who occur in several rows of a table: which column numbers them, and which row of each is published.

A promise about a person is false where it is about rows and a person has several: whoever knows which groups these are
in learns what the groups have in common. So a column that numbers people is looked at also where it is dropped, and
nothing is published before somebody says what is meant (:class:`pellucid.core.schema.people.Several`).

**No channel.** Which row of a person is published depends on nothing sensitive: a lot is drawn with the coins, and a
column that decides is none that is protected; where it does not decide, the coins do. The order of the file never does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.coins import Coins
from pellucid.core.hints.people import numbers_people
from pellucid.core.schema import Column, Kind, Role, Roles, Schema
from pellucid.core.schema.condition import Condition, Known
from pellucid.core.schema.people import PERSON, ROW, Several
from pellucid.core.schema.whole import refuse_hidden
from pellucid.core.table import Codes, Persons, Table
from pellucid.errors import InputError, SchemaError
from pellucid.io.codes import Coded, coded, plain
from pellucid.io.encode import as_read
from pellucid.io.numbered import Columns
from pellucid.io.written_dates import order_of_dates
from pellucid.messages.terms import bare_term

FEW = 20  # rows of a person on average, where the name leaves open what is numbered
MANY_THINGS = 30  # numbered things: fewer are rather wards or kinds
LEAST_REPEATED = 0.01  # of the rows


def asked_of(roles: Roles, schema: Schema) -> Several | None:
    """What somebody said about people with several rows: in the call, or in the schema."""
    said = schema.several
    if roles.people:
        said.append(Several.of(roles.people))
    if len(set(said)) > 1:
        raise SchemaError(
            "{people} is said twice: {first!r} and {second!r}",
            "keep one of the two",
            people=bare_term("people"),
            first=said[0].text,
            second=said[-1].text,
        )
    return said[0] if said else None


def settled_by(roles: Roles, schema: Schema) -> tuple[Schema, Several | None]:
    """The schema with all that a call says of rows, and what is done about people with several."""
    asked = asked_of(roles, schema)
    return settled(with_applies(with_where(schema, roles.where), roles.applies), asked), asked


def settled(schema: Schema, asked: Several | None) -> Schema:
    """The schema, in which whoever protects the person says which rows belong together."""
    if asked is None:
        return schema
    known = schema.columns.get(asked.column)
    if known is not None and known.role not in (Role.DROP, Role.IDENTIFIER, Role.CLUSTER):
        raise SchemaError(
            "{people} names {column!r}, which has the role {role}: a number of a person is not published",
            "drop the column, or name the one that numbers people",
            people=bare_term("people"),
            column=asked.column,
            role=known.role,
        )
    if asked.by and getattr(schema.columns.get(asked.by), "role", None) is Role.SENSITIVE:
        raise SchemaError(
            "{people} = {text!r}: {by} is sensitive, and which row is published would tell about its values",
            "let a date or a number decide that is not protected, or a lot: {lot!r}",
            people=bare_term("people"),
            text=asked.text,
            by=asked.by,
            lot=f"{asked.column}=one",
        )
    if asked.answer != PERSON:
        if known is None or known.role is not Role.CLUSTER:
            return schema
        return _with_role(schema, asked.column, Role.DROP)
    changed = _with_role(schema, asked.column, Role.CLUSTER)
    changed.refuse_two_of_a_role()
    return changed


def _with_role(schema: Schema, name: str, role: Role) -> Schema:
    column = schema.columns.get(name) or Column(role=role)
    return schema.model_copy(update={"columns": {**schema.columns, name: column.model_copy(update={"role": role})}})


def with_where(schema: Schema, where: str | None) -> Schema:
    """The schema with a condition that a call gives."""
    if not where:
        return schema
    if schema.where not in (None, where):
        raise SchemaError(
            "{term} = {where!r} and the schema says {there!r}",
            "give one of the two",
            term=bare_term("where"),
            where=where,
            there=schema.where,
        )
    refuse_hidden(Condition.of(where), schema, "where")
    return schema.model_copy(update={"where": where})


def with_applies(schema: Schema, applies: str | None) -> Schema:
    """The schema with what a call says of whom a sensitive column applies to, as in ``income=age >= 15``."""
    if not applies:
        return schema
    name, _, condition = applies.partition("=")
    column = schema.columns.get(name)
    if column is None or column.role is not Role.SENSITIVE:
        raise SchemaError(
            "{term} = {text!r} begins with no sensitive column",
            "write the column and a condition on quasi-identifiers, as in {example}; sensitive are: {names}",
            term=bare_term("applies"),
            text=applies,
            example="'income=age >= 15'",
            names=", ".join(schema.names(Role.SENSITIVE)),
        )
    if column.applies not in (None, condition):
        raise SchemaError(
            "{term} = {condition!r} and the schema says {there!r}",
            "give one of the two",
            term=bare_term("applies"),
            condition=condition,
            there=column.applies,
        )
    said = Column(**{**dict(column), "applies": condition})
    return Schema(**{**dict(schema), "columns": {**schema.columns, name: said}})


def rows_asked(
    frame: pl.DataFrame | Columns, asked: Several | None, schema: Schema, coins: Coins
) -> tuple[pl.DataFrame, NDArray[np.bool_], int]:
    """The rows that are published, marks for them, and how many there are before one of each person is taken."""
    if isinstance(frame, Columns):
        frame = pl.DataFrame([frame[name] for name in frame.columns])
    height, places = frame.height, np.arange(frame.height)
    if schema.where is not None:
        marks = where_holds(frame, schema)
        frame, places = frame.filter(marks), places[marks]
        if frame.height == 0:
            raise InputError("{where} holds for no row", "correct the condition", where=schema.where)
    rows = frame.height
    if asked is not None and asked.leaves_one:
        chosen = one_of_each(frame, asked, schema, coins)
        frame, places = frame[chosen], places[chosen]
    return frame, np.isin(np.arange(height), places), rows


def where_holds(frame: pl.DataFrame, schema: Schema) -> NDArray[np.bool_]:
    """The rows for which the condition of a schema holds; of a table without its columns all."""
    condition = Condition.of(schema.where)
    if not set(condition.columns) <= set(frame.columns):
        return np.ones(frame.height, np.bool_)
    return condition.holds({name: known_of(frame[name], schema, name) for name in condition.columns})


def known_of(series: pl.Series, schema: Schema, name: str) -> Known:
    """A column as a condition looks at it: as it is read, before it is rounded and capped."""
    book, _ = as_read(series, schema, name)
    values = pl.concat([book.values.clear().extend_constant(None, 1), book.values]) if book.has_null else book.values
    return Known(name, values, book.codes, schema.columns[name].order or ())


def one_of_each(frame: pl.DataFrame, asked: Several, schema: Schema, coins: Coins) -> NDArray[np.int64]:
    """The rows that are published, one of each person, and those of which nobody says whose they are."""
    numbers = coded(plain(frame[asked.column]))
    person = numbers.codes.astype(np.int64)
    alone = np.flatnonzero(person == 0) if numbers.has_null else np.zeros(0, np.int64)
    person[alone] = len(numbers.values) + 1 + np.arange(len(alone))
    identifiers = schema.names(Role.IDENTIFIER)
    named = [name for name in identifiers if name != asked.column]
    place = np.arange(frame.height, dtype=np.int64)
    if named:  # then the order of the file decides nothing at all
        place = frame[named[0]].rank("ordinal").fill_null(0).to_numpy().astype(np.int64)
    lot = coins.draws(place, purpose="one row of a person")
    keys = [lot]
    if asked.by:
        known = _in_order(frame[asked.by], asked, schema)
        rank = known.codes.astype(np.int64) * (1 if asked.answer.startswith("first") else -1)
        rank = np.where(known.codes < int(known.has_null), len(known.values) + 1, rank)  # nulls last
        keys.append(rank)
    order = np.lexsort([*keys, person])
    first = np.append(True, person[order][1:] != person[order][:-1])
    return np.sort(order[first])


def _in_order(series: pl.Series, asked: Several, schema: Schema) -> Coded:
    """The column that says which row of a person is first; raise for one of texts, which have no order."""
    if asked.by not in schema.columns:
        order = order_of_dates(series) if series.dtype == pl.String else None
        column = Column(role=Role.DROP, date_order=order) if order else Column(role=Role.DROP)
        schema = schema.model_copy(update={"columns": {**schema.columns, asked.by: column}})
    book, kind = as_read(series, schema, asked.by)
    if kind is Kind.CATEGORY:
        raise SchemaError(
            "{people} = {text!r}: {by} has texts, and no row of a person is the first",
            "name a column of dates or numbers, or let a lot decide: {lot!r}",
            people=bare_term("people"),
            text=asked.text,
            by=asked.by,
            lot=f"{asked.column}=one",
        )
    return book


def found_in(frame: pl.DataFrame | Columns, schema: Schema, asked: Several | None, rows: int) -> Persons | None:
    """The people of whom some have several rows, where a column numbers them and clusters do not have them whole.

    Whom somebody asked about settle all others that they have whole.
    """
    wholes = [coded(plain(frame[name])).codes for name in schema.names(Role.CLUSTER)]
    answered = None
    if asked is not None and asked.answer != PERSON:
        of_people = _persons(asked.column, plain(frame[asked.column]))
        answered = replace(of_people, answer=asked.answer, rows=rows, gone=rows - frame.height)
        wholes.append(of_people.numbers)
    for name in (name for name in frame.columns if may_number(name, schema)):
        numbers = plain(frame[name])
        if repeats(name, numbers) and not any(_within(coded(numbers).codes, whole) for whole in wholes):
            return _persons(name, numbers)
    return answered


def _persons(name: str, numbers: pl.Series) -> Persons:
    known = numbers.drop_nulls()
    return Persons(name, coded(numbers).codes, known.n_unique(), len(known))


def may_number(name: str, schema: Schema) -> bool:
    """Whether a column that is not published may number people, by its name."""
    known = schema.columns.get(name)
    return bool(numbers_people(name)) and (known is None or known.role is Role.DROP)


def repeats(name: str, numbers: pl.Series) -> bool:
    """Whether a column numbers people, by its name and values, and some have several rows.

    >>> ids = pl.Series([1, 1, 2, 3, 4, 5] * 10)
    >>> [repeats(name, ids) for name in ("patient_id", "id", "ward_id")]
    [True, False, False]
    """
    known = numbers.drop_nulls()
    if numbers.dtype in (pl.Boolean, pl.Null) or numbers.dtype.is_nested():
        return False
    if numbers.dtype.is_float() and bool((known != known.floor()).any()):
        return False
    return seems_repeated(name, known.n_unique(), len(known))


def seems_repeated(name: str, people: int, rows: int) -> bool:
    """The same, of a column with so many different whole numbers or texts in so many rows."""
    sure = numbers_people(name)
    if not sure or people == rows or people < 3:
        return False
    if sure == "surely":
        return True
    return people > MANY_THINGS and rows <= FEW * people and rows - people >= LEAST_REPEATED * rows


def _within(codes: Codes, wholes: Codes) -> bool:
    """Whether all rows with one code have one code of the other."""
    pairs = codes.astype(np.int64) * (int(wholes.max(initial=0)) + 1) + wholes
    return len(np.unique(pairs)) == len(np.unique(codes))


def as_answered(table: Table, roles: Roles) -> Table:
    """A table that was read already, with the answer that a call gives: no row can go any more."""
    text = roles.people
    if roles.where and (table.schema is None or table.schema.where != roles.where):
        raise SchemaError(
            "{where} = {text!r}: this table was read without it",
            "say it where the table is read",
            where=bare_term("where"),
            text=roles.where,
        )
    if not text:
        return table
    asked = Several.of(text)
    known = table.persons
    if known is not None and known.column == asked.column and asked.answer in (ROW, known.answer):
        return replace(table, persons=replace(known, answer=asked.answer))
    if asked.answer == PERSON and table.clusters is not None:
        return table
    raise SchemaError(
        "{people} = {text!r}: this table was read without it",
        "say it where the table is read",
        people=bare_term("people"),
        text=text,
    )


def names_looked_at(asked: Several | None) -> Sequence[str]:
    """The columns that an answer names."""
    return [] if asked is None else [asked.column, *([asked.by] if asked.by else [])]
