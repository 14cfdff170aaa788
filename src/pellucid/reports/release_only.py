"""What a release shows of its columns when nothing but the release, and what a schema declares, is looked at.

Shares of a column need a whole that they are shares of. The range of the original would tell about people who are not
in the release: a withheld row of somebody aged 104 would make every interval look narrower. So the whole is

- the domain, the order or the tree that the schema declares, which are public;
- else what the published cells themselves mention: the lowest and the highest end of an interval, every member of a
  set, every single value.

Where a cell may be a name in a taxonomy that nobody declares, or one made of the values (the first characters of a zip
code), its share cannot be told from the release, and the column is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pellucid import datasets
from pellucid.anonymize.recode import Recoder
from pellucid.audit.source import SPLIT, WHOLE
from pellucid.core.release import Release
from pellucid.core.schema import Column, Kind, Role, Schema, resolve
from pellucid.core.table import Attribute, Table
from pellucid.errors import MeasureError, PellucidError
from pellucid.io import read
from pellucid.messages import Message
from pellucid.metrics.margins import Counted, Margin, added_up
from pellucid.published.grammar import CAPPED, MASK, OR_NULL, STAR, interval_of, is_set, members_of
from pellucid.published.numbers import number_of
from pellucid.published.reader import as_published, choices_of
from pellucid.reports.opened import Given
from pellucid.text.values import label_of

NONE = np.zeros(0, np.int64)


def declared_for(release: Any, given: Given, original: Any, *, declared: bool) -> Schema | None:
    """What is declared of the columns, without a look at the original; None where only roles were given.

    ``declared`` says that the caller brought a schema: roles alone say nothing of taxonomies. A recipe tells what was
    declared when the release was made, unless an older version wrote it.
    """
    kept = not given.source.distributed  # Spark keeps no private half
    if kept and isinstance(release, Release) and release.private.schema is not None:
        return release.private.schema
    if declared:
        return given.schema
    embedded = datasets.schema_of(original) if isinstance(original, str) and not Path(original).is_file() else None
    return embedded or given.facts.schema


def undeclared_words(given: Given, schema: Schema | None, table: Table | None = None) -> Message:
    """What a report does not know because nobody gave it the schema; empty where that makes no difference."""
    if schema is not None or table is not None or not _writes_names(given):
        return Message("")
    return Message(
        "The schema that the release was made with was not given to this report: it cannot tell "
        "every broader name from a value, and what is kept of a column is a share of what the "
        "release itself mentions."
    )


def shown_alone(given: Given, schema: Schema | None) -> tuple[Counted | None, list[str]]:
    """The columns that can be measured so, and the names of those that cannot."""
    place = SPLIT[0] if given.source.in_two else WHOLE
    margins, weights, left_out, rows = [], [], [], 0
    for name, kind in _quasi(given):
        try:
            parts = as_published(given.source.columns(place), name, given.source.name)
            frame, times = given.cells(parts, place)
            attribute = _whole(frame, name, kind, None if schema is None else schema.columns.get(name), given, schema)
            codes, choices = choices_of(attribute, frame, parts, given.facts.writer)
        except PellucidError:
            left_out.append(name)
            continue
        rows = int(times.sum())
        margins.append(Margin(attribute, choices))
        weights.append(added_up(codes, times, len(choices)))
    if not margins:
        return None, left_out
    suppressed = given.facts.suppressed or 0
    counted = Counted(
        columns=tuple(margins),
        secrets=(),
        weights=tuple(weights),
        original=(),
        original_rows=rows + suppressed,
        rows=rows,
        class_sizes=(NONE, NONE),
        suppressed=suppressed,
        added=0,
        replaces=False,
        books=(),
    )
    return counted, left_out


def _writes_names(given: Given) -> bool:
    """Whether cells may be names that the release does not explain, as its recipe says."""
    recoder = given.facts.writer
    return recoder is not None and not recoder.writes_values(Kind.CATEGORY)


def _quasi(given: Given) -> list[tuple[str, Kind | None]]:
    """The quasi-identifiers with their kind: as the recipe says, else as the caller does, else as two tables show."""
    if given.recipe is not None:
        return [(column.name, column.kind) for column in given.recipe.columns if column.role is Role.QUASI]
    known = given.schema
    if known is None:
        return [(name, None) for name in given.roles.quasi]
    return [(name, known.columns[name].kind) for name in known.names(Role.QUASI)]


Whole = tuple[Mapping[str, Any], Sequence[str]]  # what a schema says of a column, and its values


def _whole(
    frame: pl.DataFrame, name: str, kind: Kind | None, declared: Column | None, given: Given, schema: Schema | None
) -> Attribute:
    """The column that a share is a share of; raises where that cannot be told."""
    cells = _cells(frame)
    if kind in (Kind.NUMBER, Kind.DATE) or (kind is None and _are_numbers(cells)):
        how, values = _between_ends(cells, kind or Kind.NUMBER, declared)
    elif kind is Kind.ORDERED:
        how, values = _ordered(name, declared)
    else:
        how, values = _categories(cells, name, declared, given.facts.writer, schema)
    known = list(dict.fromkeys(values))
    if STAR in cells:  # what a star may stand for besides is not told, but it is something
        known += [other for other in ("0", "1") if other not in known][: max(2 - len(known), 0)]
    return _read_back(name, how, [*known, None] if _has_nulls(frame) else known)


def _has_nulls(frame: pl.DataFrame) -> bool:
    """Whether a null is published, or a cell says that there may be one."""
    return bool(frame.to_series(0).null_count()) or any(cell.endswith(OR_NULL) for cell in _cells(frame, bare=False))


def _ordered(name: str, declared: Column | None) -> Whole:
    """Ordered values as they are declared."""
    if declared is None or declared.order is None:
        raise MeasureError("{name}: nobody says how its values are ordered", name=name)
    return {"kind": Kind.ORDERED, "order": declared.order}, declared.order


def _between_ends(cells: Sequence[str], kind: Kind, declared: Column | None) -> Whole:
    """The range that is declared, and the ends that cells name."""
    domain = None if declared is None else declared.domain
    return {"kind": kind, "domain": domain}, [end for cell in cells for end in _ends(cell)]


def _categories(
    cells: Sequence[str], name: str, declared: Column | None, writer: Recoder | None, schema: Schema | None
) -> Whole:
    """The leaves of the tree that is declared, else the values that cells name, where they name all they stand for."""
    plain = writer is not None and writer.writes_values(Kind.CATEGORY)
    source = None if declared is None or plain else declared.taxonomy
    if source is not None and not source.made_of_values:
        return _leaves(declared, schema)
    told = plain or declared is not None
    if source is not None or not _name_all_they_stand_for(cells, told=told):
        raise MeasureError("{name}: a cell may stand for values that the release does not name", name=name)
    return {"kind": Kind.CATEGORY}, list(chain.from_iterable(map(_members, cells)))


def _name_all_they_stand_for(cells: Sequence[str], *, told: bool) -> bool:
    """Whether cells are values and sets of them: as is ``told``, or as sets among them show; no mask is one."""
    return (told or any(map(is_set, cells))) and not any(map(_is_mask, cells))


def _leaves(declared: Column | None, schema: Schema | None) -> Whole:
    """The leaves of the tree that a schema declares."""
    assert declared is not None
    assert schema is not None
    taxonomy = resolve(declared, [], [], schema.folder)
    assert taxonomy is not None
    return {"kind": Kind.CATEGORY, "taxonomy": taxonomy}, taxonomy.leaves


def _read_back(name: str, how: Mapping[str, Any], values: Sequence[str | None]) -> Attribute:
    """The column that these values are, read as a table of its own."""
    beside = f"{name}+"
    whole = Schema(columns={name: Column(role=Role.QUASI, **how), beside: Column(role=Role.SENSITIVE)})
    frame = pl.DataFrame({name: pl.Series(values, dtype=pl.String), beside: ["x"] * len(values)})
    return read(frame, schema=whole).attributes[0]


def _cells(frame: pl.DataFrame, *, bare: bool = True) -> list[str]:
    """The different texts of a column; of two columns with the ends of intervals, the intervals."""
    if frame.width == 1:
        texts = [label_of(value) for value in frame.to_series().drop_nulls().unique().sort().to_list()]
    else:
        ends = frame.select(pl.nth(0, 1)).drop_nulls().unique().sort(pl.all()).iter_rows()
        texts = [f"[{label_of(low)}, {label_of(high)}]" for low, high in ends]
        if frame.width > 2 and frame.to_series(2).is_in(["some"]).any():
            texts.append(f"{STAR}{OR_NULL}")
    return [text.removesuffix(OR_NULL) for text in texts] if bare else texts


def _ends(cell: str) -> list[str]:
    """The ends of an interval, or the one value that a cell is; the end of a capped column is that end."""
    span = interval_of(cell)
    ends = [] if cell == STAR else [cell] if span is None else [span.low, span.high]
    return [end.lstrip("<>=") if end.startswith(CAPPED) else end for end in ends]


def _members(cell: str) -> list[str]:
    """The members of a set, or the one value that a cell is."""
    if is_set(cell):
        return members_of(cell)
    return [] if cell == STAR else [cell]


def _are_numbers(cells: Sequence[str]) -> bool:
    return all(number_of(end) is not None for cell in cells for end in _ends(cell))


def _is_mask(cell: str) -> bool:
    return cell != STAR and MASK.match(cell) is not None
