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

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pellucid import datasets
from pellucid.audit.source import SPLIT, WHOLE
from pellucid.errors import MeasureError, PellucidError
from pellucid.io import read
from pellucid.measuring.margins import Counted, Margin
from pellucid.published.grammar import CAPPED, MASK, OR_NULL, STAR, interval_of, is_set, members_of
from pellucid.published.numbers import number_of
from pellucid.published.reader import as_published, choices_of
from pellucid.release import Release
from pellucid.reporting.opened import Given
from pellucid.schema import Column, Kind, Role, Schema, resolve
from pellucid.table import Attribute, Table
from pellucid.text.values import label_of

NONE = np.zeros(0, np.int64)


def declared_for(release: Any, given: Given, original: Any, *, declared: bool) -> Schema | None:
    """What is declared of the columns, without a look at the original; None where only roles were given.

    ``declared`` says that the caller brought a schema: roles alone say nothing of taxonomies. A recipe tells what was
    declared when the release was made, unless an older version wrote it.
    """
    if isinstance(release, Release) and release.private.schema is not None:
        return release.private.schema
    if declared:
        return given.schema
    embedded = datasets.schema_of(original) if isinstance(original, str) and not Path(original).is_file() else None
    return embedded or given.facts.schema


def undeclared_words(given: Given, schema: Schema | None, table: Table | None = None) -> str:
    """What a report does not know because nobody gave it the schema; empty where that makes no difference."""
    if schema is not None or table is not None or not _uses_names(given):
        return ""
    return (
        "The schema that the release was made with was not given to this report: it cannot tell every broader name "
        "from a value, and what is kept of a column is a share of what the release itself mentions."
    )


def shown_alone(given: Given, schema: Schema | None) -> tuple[Counted | None, list[str]]:
    """The columns that can be measured so, and the names of those that cannot."""
    place = SPLIT[0] if given.source.in_two else WHOLE
    margins, weights, left_out, rows = [], [], [], 0
    for name, kind in _quasi(given):
        try:
            parts = as_published(given.source.columns(place), name, given.source.name)
            frame = given.source.read(parts, place)
            attribute = _whole(frame, name, kind, None if schema is None else schema.columns.get(name), given, schema)
            codes, choices = choices_of(attribute, frame, parts, given.facts.writer)
        except PellucidError:
            left_out.append(name)
            continue
        rows = frame.height
        margins.append(Margin(attribute, choices))
        weights.append(np.bincount(codes, minlength=len(choices)))
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


def _uses_names(given: Given) -> bool:
    """Whether the release may have been published by the names in taxonomies, as its recipe says."""
    recoder = given.facts.writer
    return recoder is not None and recoder.uses_names(Kind.CATEGORY)


def _quasi(given: Given) -> list[tuple[str, Kind | None]]:
    """The quasi-identifiers with their kind: as the recipe says, else as the caller does."""
    if given.recipe is not None:
        return [(one.name, one.kind) for one in given.recipe.columns if one.role is Role.QUASI]
    known = given.schema
    return [] if known is None else [(name, known.columns[name].kind) for name in known.names(Role.QUASI)]


def _whole(
    frame: pl.DataFrame, name: str, kind: Kind | None, declared: Column | None, given: Given, schema: Schema | None
) -> Attribute:
    """The column that a share is a share of; raises where that cannot be told."""
    cells = _cells(frame)
    line = kind in (Kind.NUMBER, Kind.DATE) or (kind is None and _are_numbers(cells))
    recoder = given.facts.writer
    plain = recoder is not None and not recoder.uses_names(Kind.CATEGORY)
    column: dict[str, Any] = {"role": Role.QUASI, "kind": kind or (Kind.NUMBER if line else Kind.CATEGORY)}
    values: list[str] = []
    if line:
        values = [end for cell in cells for end in _ends(cell)]
        column["domain"] = None if declared is None else declared.domain
    elif kind is Kind.ORDERED:
        if declared is None or declared.order is None:
            raise MeasureError(f"{name}: nobody says how its values are ordered")
        column["order"] = declared.order
        values = list(declared.order)
    else:
        sets = any(map(is_set, cells))
        source = None if declared is None or plain else declared.taxonomy
        if source is not None and source.prefix is None and source.ladder is None and source.dates is None:
            assert declared is not None
            assert schema is not None
            taxonomy = resolve(declared, [], [], schema.folder)
            assert taxonomy is not None
            column["taxonomy"] = taxonomy
            values = list(taxonomy.leaves)
        elif source is not None or not (plain or sets or declared is not None) or any(map(_is_mask, cells)):
            raise MeasureError(f"{name}: a cell may stand for values that the release does not name")
        else:
            values = [member for cell in cells for member in _members(cell)]
    known: list[str | None] = list(dict.fromkeys(values))
    if len(known) < 2:  # what a star may stand for besides is not told, but it is something
        known += [other for other in ("0", "1") if other not in known][: 2 - len(known)] if STAR in cells else []
    if frame.to_series(0).null_count() or any(cell.endswith(OR_NULL) for cell in _cells(frame, bare=False)):
        known.append(None)
    beside = f"{name}+"
    whole = Schema(columns={name: Column(**column), beside: Column(role=Role.SENSITIVE)})
    read_back = read(pl.DataFrame({name: pl.Series(known, dtype=pl.String), beside: ["x"] * len(known)}), schema=whole)
    return read_back.attributes[0]


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
    return [end[2:] if end.startswith(CAPPED) else end for end in ends]


def _members(cell: str) -> list[str]:
    """The members of a set, or the one value that a cell is."""
    if is_set(cell):
        return members_of(cell)
    return [] if cell == STAR else [cell]


def _are_numbers(cells: list[str]) -> bool:
    return all(number_of(end) is not None for cell in cells for end in _ends(cell))


def _is_mask(cell: str) -> bool:
    return cell != STAR and MASK.match(cell) is not None
