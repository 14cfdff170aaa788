"""What a release on disk shows, whoever made it: published texts become choices of the original's columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.audit.source import SPLIT, OpenedRelease
from pellucid.audit.two_tables import joined_groups
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import MeasureError
from pellucid.io.codes import coded
from pellucid.metrics.boxes import ColumnBoxes, Shown
from pellucid.metrics.recipe_facts import RecipeFacts, check_covered
from pellucid.models import Groups
from pellucid.published.choices import Floats, Integers, values_as_they_are
from pellucid.published.grammar import STAR
from pellucid.published.reader import AsItIs, as_published, choices_of, single_codes, values_of


def shown_in(source: OpenedRelease, table: Table) -> Shown:
    """What the tables of a release show of the original."""
    facts = RecipeFacts.of(source.recipe)
    if source.in_two:
        return _two_tables(source, table, facts)
    quasi = _attributes(table, Role.QUASI)
    columns = [as_published(source.columns(), attribute.name, source.name) for attribute in quasi]
    secret = _attributes(table, Role.SENSITIVE)
    carried = facts.carried_in(source.columns(), table)
    beside = list(chain.from_iterable(carried.values()))
    frame = source.read(list(dict.fromkeys([*chain.from_iterable(columns), *beside, *_names(secret)])))
    if frame.height == 0:
        raise MeasureError("{source} has no rows; there is nothing to measure", source=source.name)
    facts.check_rows(len(table), frame.height, frame.height)
    blank = [
        facts.suppressed_by_null(frame.select(names), np.ones(frame.height, np.int64), attribute, true)
        for names, attribute, true in zip(columns, quasi, _counts(table, Role.QUASI), strict=True)
    ]
    published = [
        choices_of(attribute, frame, names, facts.writer, suppressed=suppressed)
        for attribute, names, suppressed in zip(quasi, columns, blank, strict=True)
    ]
    keys = [(codes, len(choices)) for codes, choices in published]
    labels, first = _classes([*keys, *(_coded_texts(frame[name]) for name in beside)])
    cells = tuple(
        ColumnBoxes(attribute, choices, codes[first])
        for attribute, (codes, choices) in zip(quasi, published, strict=True)
    )
    hidden = _hidden(source, frame, dict(zip((names[0] for names in columns), blank, strict=True)))[first]
    shown = _counted(table, facts, cells, labels, hidden, [values_of(frame[a.name], a) for a in secret], frame.height)
    weight = _weights(frame, table, source.columns())
    return replace(shown, carried=tuple(carried), weight=None if weight is None else weight[first[~hidden]])


def _weights(frame: pl.DataFrame, table: Table, columns: Sequence[str]) -> Floats | None:
    """The published weight of each row; None where the original has none, or the release does not show it."""
    name = next((table.attributes[i].name for i in table.having(Role.WEIGHT)), None)
    if name is None or name not in columns:
        return None
    numbers = frame[name].cast(pl.Float64, strict=False)
    if numbers.is_null().any() or not (numbers > 0).all():
        raise MeasureError(f"{name!r} is the weight of each row, and the release has values in it that are no weights")
    return numbers.to_numpy()


def _coded_texts(column: pl.Series) -> tuple[Codes, int]:
    """The code of each text, and how many there are."""
    values, codes, has_null = coded(column)
    return codes.astype(np.int32), len(values) + int(has_null)


def _classes(keys: Sequence[tuple[Codes, int]]) -> tuple[Codes, Codes]:
    """The class of each row, those that are equal in all columns, and the first row of each class."""
    rows, starts = sort_rows([codes for codes, _ in keys], [size for _, size in keys], 1)
    first = rows[starts[:-1]]
    labels = np.empty(len(rows), np.int32)
    labels[rows] = np.repeat(np.arange(len(first), dtype=np.int32), np.diff(starts))
    return labels, first


def _nothing_but_stars(frame: pl.DataFrame, columns: Mapping[str, bool]) -> NDArray[np.bool_]:
    stars = [(frame[name].cast(pl.String) == STAR).fill_null(null).to_numpy() for name, null in columns.items()]
    return np.asarray(np.logical_and.reduce(stars))


def _counted(
    table: Table,
    facts: RecipeFacts,
    cells: tuple[ColumnBoxes, ...],
    labels: Codes,
    hidden: NDArray[np.bool_],
    secrets: Sequence[Codes],
    rows: int,
) -> Shown:
    """Leave the hidden boxes out, count the classes, and see that the rows add up."""
    n = len(table)
    kept = int((~hidden[labels]).sum())
    suppressed, added = facts.check_rows(n, rows, kept)
    check_covered(cells, _counts(table, Role.QUASI), suppressed)
    place = (np.cumsum(~hidden) - 1).astype(np.int32)
    labels = np.where(hidden[labels], np.int32(-1), place[labels])
    cells = tuple(ColumnBoxes(of.attribute, of.choices, of.of_box[~hidden]) for of in cells)
    attributes = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    groups = tuple(Groups.of(labels, codes, of) for codes, of in zip(secrets, attributes, strict=True))
    for codes, of, true in zip(secrets, attributes, _counts(table, Role.SENSITIVE), strict=True):
        facts.check_values(of, np.bincount(codes, minlength=len(of)), true)
    sizes = np.bincount(labels[labels >= 0]).astype(np.int64)
    classes = np.arange(len(sizes), dtype=np.int32)
    return Shown(table, cells, sizes, classes, groups, suppressed, added, anatomy=False, replaces=facts.replaces)


def _hidden(source: OpenedRelease, frame: pl.DataFrame, columns: Mapping[str, bool]) -> NDArray[np.bool_]:
    """The rows that stand for people who are left out: of others' releases those with nothing but stars.

    The columns say whether null is one.
    Where all rows are so, they are a table that is generalised as far as it goes.
    """
    none = np.zeros(frame.height, np.bool_)
    hidden = _nothing_but_stars(frame, columns) if source.recipe is None else none
    return none if hidden.all() else hidden


def _attributes(table: Table, role: Role) -> list[Attribute]:
    return [table.attributes[i] for i in table.having(role)]


def group_number(left: Sequence[str], right: Sequence[str], original: Collection[str]) -> str:
    """The one column of both tables that is none of the original's."""
    shared = [name for name in left if name in right and name not in original]
    if len(shared) != 1:
        raise MeasureError("the tables quasi_identifiers and sensitive must share one column, the group number")
    return shared[0]


def _two_tables(source: OpenedRelease, table: Table, facts: RecipeFacts) -> Shown:
    """Anatomy: quasi-identifiers as they are, joined to the sensitive values by a group number."""
    left, right = (source.columns(name) for name in SPLIT)
    number = group_number(left, right, _names(table.attributes))
    numbers = joined_groups(source, number)
    quasi = _attributes(table, Role.QUASI)
    secret = _attributes(table, Role.SENSITIVE)
    for attribute, columns in [*((a, left) for a in quasi), *((a, right) for a in secret)]:
        as_published(columns, attribute.name, source.name)
    beside = [name for name in facts.carried_in(left, table) if name in _names(_attributes(table, Role.WEIGHT))]
    people = source.read([number, *_names(quasi), *beside], SPLIT[0])
    suppressed, added = facts.check_rows(len(table), people.height, people.height)
    values = source.read(_names(secret), SPLIT[1])
    both = pl.concat([people[number].cast(pl.String), numbers.cast(pl.String)])
    _, codes, _ = coded(both)
    of_person, of_value = codes[: people.height], codes[people.height :]
    order = np.argsort(of_person, kind="stable")
    cells = tuple(_exact_cells(people, attribute, order) for attribute in quasi)
    occurring = [ColumnBoxes(of.attribute, of.choices.take(np.unique(of.of_box)), of.of_box) for of in cells]
    check_covered(occurring, _counts(table, Role.QUASI), suppressed)
    groups = _checked_groups(values, of_value, table, facts)
    ones = np.ones(people.height, np.int64)
    classes = of_person[order].astype(np.int32)
    shown = Shown(table, cells, ones, classes, groups, suppressed, added, anatomy=True, replaces=facts.replaces)
    weight = _weights(people, table, left)
    if weight is None:
        return shown
    of_class = np.zeros(int(classes.max()) + 1)
    of_class[classes] = weight[order]
    return replace(shown, weight=of_class)


def _exact_cells(people: pl.DataFrame, attribute: Attribute, order: NDArray[np.int64]) -> ColumnBoxes:
    """A column of the table of quasi-identifiers, rows in this order; raise where it is generalised."""
    of_row, choices = choices_of(attribute, people, [attribute.name], AsItIs())
    if not choices.single.all():
        raise MeasureError(
            f"{attribute.name!r} of the table quasi_identifiers is generalised; a release in two tables has values"
        )
    exact = single_codes(attribute, choices)[of_row]
    every = values_as_they_are(attribute, np.arange(len(attribute)))
    return ColumnBoxes(attribute, every, exact[order].astype(np.int32))


def _checked_groups(values: pl.DataFrame, labels: Codes, table: Table, facts: RecipeFacts) -> tuple[Groups, ...]:
    """The groups of the table of sensitive values, whose counts must be those of the original."""
    secret = _attributes(table, Role.SENSITIVE)
    codes = [values_of(values[attribute.name], attribute) for attribute in secret]
    groups = tuple(Groups.of(labels, of, attribute) for of, attribute in zip(codes, secret, strict=True))
    for of, attribute, true in zip(codes, secret, _counts(table, Role.SENSITIVE), strict=True):
        facts.check_values(attribute, np.bincount(of, minlength=len(attribute)), true)
    return groups


def _counts(table: Table, role: Role) -> list[Integers]:
    """For each column of a role how many rows have each value."""
    return [np.bincount(table.codes[i], minlength=len(table.attributes[i])) for i in table.having(role)]


def _names(attributes: Sequence[Attribute]) -> list[str]:
    return [attribute.name for attribute in attributes]
