"""A few groups before and after, for the file: what the rows said, and what is published of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Recoder
from pellucid.anonymize.recode.alike import as_read, published_alike
from pellucid.anonymize.recode.recoder import RowRecoder
from pellucid.core.release import Release
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.reports.opened import Given
from pellucid.risk.report.attack_report import AttackReport
from pellucid.text.values import cell_text

GROUPS = 3
ROWS = 6


@dataclass(frozen=True)
class Sample:
    """Rows as they were, and rows as they are published, which are sorted and so in no order of people.

    ``size`` is how large their group is; None when they are just the first rows of both tables, and so not of the same
    people.
    """

    columns: tuple[str, ...]
    before: tuple[tuple[str, ...], ...]
    after_columns: tuple[str, ...]
    after: tuple[tuple[str, ...], ...]
    size: int | None


def _groups_are_known(report: AttackReport, table: Table) -> bool:
    """Whether it is certain who of the table is in which group."""
    evidence = report.evidence
    return not evidence.anonymous and evidence.membership is None and evidence.grouping.rows == len(table)


def samples_of(release: Any, given: Given, table: Table, report: AttackReport | None) -> tuple[Sample, ...]:
    """Some groups of a usual size, as a reader can tell them apart.

    Of a release on disk, where it is not certain who is in which group, the first rows.
    """
    if isinstance(release, Release):
        recoder = release.public.recipe.recoder
        made = release.private.grouping
        read = as_read(made, published_alike(table, made, recoder))
        return tuple(_alike(_of_release(recoder, read, table, group)) for group in usual(read, _known(table)))
    if report is None or not _groups_are_known(report, table):
        names, before = _before(table, range(min(ROWS, len(table))))
        return (_alike(Sample(names, before, *_after(given, range(min(ROWS, given.audit.rows))), None)),)
    grouping, origin = report.evidence.grouping, report.evidence.origin
    if origin is None or not isinstance(origin.recoder, RowRecoder):
        groups = given.rows_here.groups_of(given.audit.sensitive[0])
        chosen = usual(grouping, _known(table))
        return tuple(_alike(_of_files(given, table, grouping, group, groups.rows_of(group))) for group in chosen)
    # the groups are those that the method made: rows of the files are found by what is published of them
    read = as_read(grouping, report.evidence.alike)
    return tuple(
        _alike(_of_files(given, table, read, group, _rows_like(given, _recoded(origin.recoder, read, table, group))))
        for group in usual(read, _known(table))
    )


def usual(grouping: Grouping, known: Sequence[NDArray[np.int32]]) -> list[int]:
    """Groups whose size is nearest to the one in the middle, spread over all that have it.

    They are put in order by the ends of their values in the columns that others know (``known`` has the codes of each),
    as ranges are published, and never by what is protected: the first ones of a method may all share a rare value.

    >>> usual(Grouping.from_labels(np.array([0, 0, 1, 2, 2, 3, 3, 3, 3], np.int32)), [])
    [0, 2, 1]
    >>> usual(Grouping.from_labels(np.repeat(np.arange(9, dtype=np.int32), 2)), [np.arange(18, dtype=np.int32)[::-1]])
    [7, 4, 1]
    """
    sizes = grouping.sizes
    occupied = np.flatnonzero(sizes > 0)
    away = np.abs(sizes[occupied] - np.median(sizes[occupied]))
    as_usual = occupied[away == away.min()]
    if len(as_usual) <= GROUPS:
        return [int(occupied[i]) for i in np.argsort(away, kind="stable")[:GROUPS]]
    starts = grouping.starts[:-1][occupied]
    ends = [f.reduceat(codes[grouping.members], starts) for codes in known for f in (np.minimum, np.maximum)]
    if ends:
        of_usual = np.searchsorted(occupied, as_usual)
        as_usual = as_usual[np.lexsort([end[of_usual] for end in reversed(ends)])]
    return [int(as_usual[(2 * i + 1) * len(as_usual) // (2 * GROUPS)]) for i in range(GROUPS)]


def _known(table: Table) -> list[NDArray[np.int32]]:
    return [table.codes[i] for i in table.having(Role.QUASI)]


def _alike(sample: Sample) -> Sample:
    """The sample with its columns after in the order of those before; a column that is new comes last."""
    place = {name: at for at, name in enumerate(sample.columns)}
    order = sorted(range(len(sample.after_columns)), key=lambda i: place.get(sample.after_columns[i], len(place)))
    return replace(
        sample,
        after_columns=tuple(sample.after_columns[i] for i in order),
        after=tuple(tuple(row[i] for i in order) for row in sample.after),
    )


def _before(table: Table, members: Any) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The rows of a group with quasi-identifiers and sensitive values; identifiers are not needed and stay out."""
    columns = [*table.having(Role.QUASI), *table.having(Role.CARRY), *table.having(Role.SENSITIVE)]
    names = tuple(table.attributes[i].name for i in columns)
    rows = tuple(
        tuple(cell_text(table.attributes[i].values[int(table.codes[i][row])]) for i in columns)
        for row in members[:ROWS]
    )
    return names, rows


def _of_release(recoder: Recoder, grouping: Grouping, table: Table, group: int) -> Sample:
    """The group recoded once more, alone."""
    members = grouping.members[grouping.starts[group] : grouping.starts[group + 1]]
    frame = _recoded(recoder, grouping, table, group)
    after = tuple(tuple(map(cell_text, row)) for row in frame.head(ROWS).iter_rows())
    return Sample(*_before(table, members), tuple(frame.columns), after, len(members))


def _recoded(recoder: Recoder, grouping: Grouping, table: Table, group: int) -> pl.DataFrame:
    """The published rows of a group, which depend on nothing else; two tables side by side, without the number."""
    members = grouping.members[grouping.starts[group] : grouping.starts[group + 1]].copy()
    alone = Grouping(
        members,
        np.array([0, len(members)], np.int64),
        grouping.rows,
        levels=grouping.levels,
        sensitive=grouping.sensitive,
    )
    frames = recoder.recode(*alone.as_published(table))
    if "data" in frames:
        return frames["data"]
    both = list(frames.values())
    return pl.concat([both[0].drop(both[0].columns[0]), both[1].drop(both[1].columns[0])], how="horizontal")


def _rows_like(given: Given, frame: pl.DataFrame) -> NDArray[np.int64]:
    """The rows of the release that read like the first one of this group in all columns but the sensitive ones."""
    published = given.rows_here.table
    fits = np.ones(len(published), np.bool_)
    for attribute, codes in zip(published.attributes, published.codes, strict=True):
        if attribute.name not in given.audit.sensitive and attribute.name in frame.columns:
            wanted = cell_text(frame[attribute.name][0])
            fits &= np.array([cell_text(value) == wanted for value in attribute.values.to_list()])[codes]
    return np.flatnonzero(fits)


def _of_files(given: Given, table: Table, grouping: Grouping, group: int, rows: Any) -> Sample:
    """The group as the files show it: these rows."""
    members = grouping.members[grouping.starts[group] : grouping.starts[group + 1]]
    return Sample(*_before(table, members), *_after(given, rows[:ROWS]), len(members))


def _after(given: Given, rows: Any) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """These rows of the release; of two tables, of the one with the sensitive values."""
    published = given.rows_here.table
    columns = zip(published.attributes, published.codes, strict=True)
    cells = [[cell_text(attribute.values[int(codes[row])]) for row in rows] for attribute, codes in columns]
    return tuple(attribute.name for attribute in published.attributes), tuple(zip(*cells, strict=True))
