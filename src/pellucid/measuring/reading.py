"""What a release on disk shows, whoever made it: published texts become choices of the original's columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.audit.source import SPLIT, OpenedRelease
from pellucid.audit.two_tables import joined_groups
from pellucid.errors import MeasureError
from pellucid.group.entries import sort_rows
from pellucid.io.codes import coded
from pellucid.measuring.boxes import ColumnBoxes, Shown
from pellucid.measuring.recipe_facts import RecipeFacts, check_covered
from pellucid.model import Groups
from pellucid.published.choices import Integers, values_as_they_are
from pellucid.published.grammar import STAR
from pellucid.published.reader import AsItIs, as_published, choices_of, single_codes, values_of
from pellucid.schema import Role
from pellucid.table import Attribute, Codes, Table


def shown_in(source: OpenedRelease, table: Table) -> Shown:
    """What the tables of a release show of the original."""
    told = RecipeFacts.of(source.recipe)
    if source.in_two:
        return _two_tables(source, table, told)
    quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
    columns = [as_published(source.columns(), attribute.name, source.name) for attribute in quasi]
    secret = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    carried = told.carried_in(source.columns(), table)
    wanted = [name for names_ in [*columns, *carried.values()] for name in names_]
    frame = source.read(list(dict.fromkeys([*wanted, *_names(secret)])))
    if frame.height == 0:
        raise MeasureError(f"{source.name} has no rows; there is nothing to measure")
    told.check_rows(len(table), frame.height, frame.height)
    found = [choices_of(a, frame, of, told.writer) for a, of in zip(quasi, columns, strict=True)]
    keys = [(codes, len(choices)) for codes, choices in found]
    for name in (name for names_ in carried.values() for name in names_):
        values, texts, has_null = coded(frame[name])
        keys.append((texts.astype(np.int32), len(values) + int(has_null)))
    rows, starts = sort_rows([codes for codes, _ in keys], [size for _, size in keys], 1)
    first = rows[starts[:-1]]
    labels = np.empty(frame.height, np.int32)
    labels[rows] = np.repeat(np.arange(len(first), dtype=np.int32), np.diff(starts))
    cells = tuple(
        ColumnBoxes(attribute, choices, codes[first]) for attribute, (codes, choices) in zip(quasi, found, strict=True)
    )
    hidden = np.zeros(len(first), np.bool_)
    if source.recipe is None:  # what others leave out they show with nothing but stars
        hidden[:] = True
        for names_ in columns:
            stars = (frame[names_[0]].cast(pl.String) == STAR).fill_null(False).to_numpy()
            hidden &= stars[first]
    shown = _counted(table, told, cells, labels, hidden, [values_of(frame[a.name], a) for a in secret], frame.height)
    return replace(shown, carried=tuple(carried))


def _counted(
    table: Table,
    told: RecipeFacts,
    cells: tuple[ColumnBoxes, ...],
    labels: Codes,
    hidden: NDArray[np.bool_],
    secrets: Sequence[Codes],
    rows: int,
) -> Shown:
    """Leave the hidden boxes out, count the classes, and see that the rows add up."""
    n = len(table)
    kept = int((~hidden[labels]).sum())
    suppressed, added = told.check_rows(n, rows, kept)
    check_covered(cells, _counts(table, Role.QUASI), suppressed)
    if kept == 0:
        raise MeasureError("the release has nothing but suppressed rows; there is nothing to measure")
    place = (np.cumsum(~hidden) - 1).astype(np.int32)
    labels = np.where(hidden[labels], np.int32(-1), place[labels])
    cells = tuple(ColumnBoxes(of.attribute, of.choices, of.of_box[~hidden]) for of in cells)
    attributes = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    groups = tuple(Groups.of(labels, codes, of) for codes, of in zip(secrets, attributes, strict=True))
    for codes, of, true in zip(secrets, attributes, _counts(table, Role.SENSITIVE), strict=True):
        told.check_values(of, np.bincount(codes, minlength=len(of)), true)
    sizes = np.bincount(labels[labels >= 0]).astype(np.int64)
    classes = np.arange(len(sizes), dtype=np.int32)
    return Shown(table, cells, sizes, classes, groups, suppressed, added, anatomy=False, replaces=told.replaces)


def _two_tables(source: OpenedRelease, table: Table, told: RecipeFacts) -> Shown:
    """Anatomy: quasi-identifiers as they are, joined to the sensitive values by a group number."""
    left, right = (source.columns(name) for name in SPLIT)
    mine = {attribute.name for attribute in table.attributes}
    shared = [name for name in left if name in right and name not in mine]
    if len(shared) != 1:
        raise MeasureError("the tables quasi_identifiers and sensitive must share one column, the group number")
    numbers = joined_groups(source, shared[0])
    quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
    secret = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    for attribute, there in [*((a, left) for a in quasi), *((a, right) for a in secret)]:
        as_published(there, attribute.name, source.name)
    people = source.read([shared[0], *_names(quasi)], SPLIT[0])
    suppressed, added = told.check_rows(len(table), people.height, people.height)
    values = source.read(_names(secret), SPLIT[1])
    both = pl.concat([people[shared[0]].cast(pl.String), numbers.cast(pl.String)])
    _, codes, _ = coded(both)
    of_person, of_value = codes[: people.height], codes[people.height :]
    order = np.argsort(of_person, kind="stable")
    cells = []
    for attribute in quasi:
        of_row, choices = choices_of(attribute, people, [attribute.name], AsItIs())
        if not choices.single.all():
            raise MeasureError(
                f"{attribute.name!r} of the table quasi_identifiers is generalised; a release in two tables has values"
            )
        exact = single_codes(attribute, choices)[of_row]
        cells.append(
            ColumnBoxes(
                attribute, values_as_they_are(attribute, np.arange(len(attribute))), exact[order].astype(np.int32)
            )
        )
    whole = [ColumnBoxes(of.attribute, of.choices.take(np.unique(of.of_box)), of.of_box) for of in cells]
    check_covered(whole, _counts(table, Role.QUASI), suppressed)
    secrets = [values_of(values[attribute.name], attribute) for attribute in secret]
    groups = tuple(Groups.of(of_value, of, attribute) for of, attribute in zip(secrets, secret, strict=True))
    for of, attribute, true in zip(secrets, secret, _counts(table, Role.SENSITIVE), strict=True):
        told.check_values(attribute, np.bincount(of, minlength=len(attribute)), true)
    ones = np.ones(people.height, np.int64)
    classes = of_person[order].astype(np.int32)
    return Shown(table, tuple(cells), ones, classes, groups, suppressed, added, anatomy=True, replaces=told.replaces)


def _counts(table: Table, role: Role) -> list[Integers]:
    """For each column of a role how many rows have each value."""
    return [np.bincount(table.codes[i], minlength=len(table.attributes[i])) for i in table.having(role)]


def _names(attributes: Sequence[Attribute]) -> list[str]:
    return [attribute.name for attribute in attributes]
