"""Whether what is said about one column fits the values that it has; all that does not fit is told at once.

What is asked here is asked again when the table is read, in the words of a schema file and one thing at a time. So the
page asks when a person presses Save, in its own words; what only the reading itself can find is told as it tells it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pellucid.core.schema import Column, Kind, Role, Schema, TextForm, resolve
from pellucid.core.table import Attribute, Codes, frequencies
from pellucid.drafting.schema_file import uniqueness_sentence
from pellucid.drafting.uniqueness import most_telling
from pellucid.errors import PellucidError, SchemaError, TaxonomyError
from pellucid.io import load, written_as
from pellucid.io.encode import encode_column, kind_of, readable
from pellucid.io.inference import convert, has_decimal_commas, type_of, with_decimal_comma
from pellucid.io.written_dates import written_dates
from pellucid.runtime.progress import Progress
from pellucid.text.values import few, label_of
from pellucid.web.checks import MISSING
from pellucid.web.details import DATE_ORDER, ENDS, ORDER, RULES
from pellucid.web.tasks.checking import shown_tree
from pellucid.web.tasks.open_table import EXAMPLES, shown
from pellucid.web.worker_state import Desk

SHOWN = 3  # values that do not fit


def column(desk: Desk, *, source: dict[str, Any], schema: str, column: str, progress: Progress) -> dict[str, Any]:
    """Check what is said about one column, and give its taxonomy as a page shows it."""
    return described(*encoded(desk, source, column, desk.schema(schema).columns[column], progress))


def described(attribute: Attribute, codes: Codes) -> dict[str, Any]:
    """A column as a page shows it: its taxonomy, and how many values it has as it is read."""
    return {**shown_tree(attribute), "counts": counts_of(attribute, codes)}


def counts_of(attribute: Attribute, codes: Codes) -> dict[str, Any]:
    """How many values a column has as it is read, how many rows are empty, the largest l, and some values."""
    rows = frequencies(codes, len(attribute))
    nulls = int(rows[0]) if attribute.has_null else 0  # null is code 0
    held = np.flatnonzero(rows[int(attribute.has_null) :]) + int(attribute.has_null)
    few = held[:: max(1, len(held) // EXAMPLES)][:EXAMPLES]
    most = int(rows.max(initial=0))
    return {
        "distinct": len(held),
        "nulls": nulls,
        "largest_l": len(codes) // most if most else 0,
        "examples": [shown(attribute.values[int(code)]) for code in few],
    }


def counts(desk: Desk, *, source: dict[str, Any], schema: str, progress: Progress) -> dict[str, Any]:
    """The same of every column that a schema rounds."""
    said = desk.schema(schema).columns
    rounded = {name: column for name, column in said.items() if column.round is not None}
    found = {name: counts_of(*encoded(desk, source, name, column, progress)) for name, column in rounded.items()}
    return {"columns": found}


def unique(
    desk: Desk, *, source: dict[str, Any], quasi: list[str], rounded: str = "", progress: Progress
) -> dict[str, Any]:
    """How many people columns single out, of those that somebody is about to choose; ``rounded`` has a schema."""
    frame = desk.frame(source, progress)
    said = desk.schema(rounded).columns if rounded else {}
    for name, column in said.items():
        if column.round is not None:
            frame = frame.with_columns(pl.Series(name, encoded(desk, source, name, column, progress)[1]))
    return {"unique": [uniqueness_sentence(found) for found in most_telling(frame, quasi, progress)]}


def encoded(desk: Desk, source: dict[str, Any], name: str, said: Column, progress: Progress) -> tuple[Attribute, Codes]:
    """The column as it is described, with the code of each row; raise with a line for each thing that does not fit."""
    desk.frame(source, progress)
    progress.stage("comparing with the values", 0)
    with written_as(TextForm(**source.get("form", {}))):
        values = load(source["place"], columns=[name], missing={name: said.missing})[0][name]
    wrong = misfits(readable(values, said, name), said)
    if wrong:
        raise SchemaError("\n".join(wrong))
    return encode_column(values, Schema.model_construct(columns={name: said}), name)


def misfits(values: pl.Series, said: Column) -> list[str]:
    """All that does not fit, in the words of the page.

    >>> said = Column(role="quasi", kind="number", nulls="reject", domain=[0, 9])
    >>> for one in misfits(pl.Series(["7", "12", "old", None]), said): print(one)
    Empty values: they are an error here, and 1 of 4 rows is empty; choose “are a value of their own”, or fill them in
    Kind of values: old is no number; choose another kind, or write it into “Texts that stand for an empty value”
    Lowest and highest possible number: 12 lies outside 0 to 9; write a wider range
    """
    kind = kind_of(said, values.dtype)
    distinct = values.drop_nulls().unique().sort()
    fit, of_another_kind = _of_kind(distinct, kind, said)
    found = _empty(values, said) + of_another_kind
    if said.domain is not None and len(fit):
        found += _outside(fit, said.domain, kind)
    if said.order is not None:
        found += _unordered(distinct, said.order)
    if not found:
        found += _taxonomy(fit, said)
    return found


def _of_kind(distinct: pl.Series, kind: Kind, said: Column) -> tuple[pl.Series, list[str]]:
    """The values that are of their kind, as it reads them, and what is wrong with the others."""
    if kind not in (Kind.NUMBER, Kind.DATE):
        return distinct, []
    fit, unfit = _numbers(distinct) if kind is Kind.NUMBER else _dates(distinct, said.date_order)
    if not unfit:
        return fit, []
    order = _other_order(distinct, said.date_order) if kind is Kind.DATE else ""
    return fit, [order or _other_kind(kind, unfit, said)]


def _unordered(distinct: pl.Series, order: Sequence[str]) -> list[str]:
    """What is wrong where the column has values that its order does not name."""
    known = set(order)
    others = [text for text in map(label_of, distinct.to_list()) if text not in known]
    return [f"{ORDER}: the column also has {few(quoted(others), SHOWN)}; write every value"] if others else []


def quoted(values: Sequence[str]) -> Sequence[str]:
    """Values that do not fit, in quotes where one has a comma, which also stands between them.

    >>> quoted(["old", "x"]), quoted(["13,4", "a"])
    (['old', 'x'], ["'13,4'", "'a'"])
    """
    return [repr(value) for value in values] if any("," in value for value in values[:SHOWN]) else values


def _empty(values: pl.Series, said: Column) -> list[str]:
    nulls, rows = values.null_count(), len(values)
    if not nulls or said.nulls != "reject":
        return []
    return [
        (
            f"Empty values: they are an error here, and {nulls:,} of {rows:,} rows {'is' if nulls == 1 else 'are'} "
            "empty; choose “are a value of their own”, or fill them in"
        )
    ]


def _other_kind(kind: Kind, unfit: list[str], said: Column) -> str:
    """Values are not what the kind says, or what a ladder, parts of dates or two ends ask for."""
    rule = next((rule for rule in RULES if getattr(said.taxonomy, rule, None) is not None), None)
    label = "Kind of values" if said.kind is not None else RULES[rule][0] if rule is not None else f"{ENDS} {kind}"
    change = {"Kind of values": "choose another kind"}.get(label, f"this is for {kind}s: take it away")
    them, are = ("it", f"is no {kind}") if len(unfit) == 1 else ("them", f"are no {kind}s")
    written = ", write dates as 2024-01-31" if kind is Kind.DATE else ""
    return f"{label}: {few(quoted(unfit), SHOWN)} {are}; {change}{written}, or write {them} into “{MISSING}”"


def _numbers(distinct: pl.Series) -> tuple[pl.Series, list[str]]:
    """The values that are numbers, and the others."""
    if distinct.dtype.is_numeric() or distinct.dtype == pl.Boolean:
        return distinct, []
    if distinct.dtype != pl.String:
        return distinct.clear(), list(map(label_of, distinct.to_list()))
    if has_decimal_commas(distinct) and (commas := with_decimal_comma(distinct)).dtype.is_numeric():
        return commas.cast(pl.Float64), []  # as they are read, whatever the file is said to write
    numbers = distinct.cast(pl.Float64, strict=False)
    good = (numbers.is_not_null() & numbers.is_finite()).fill_null(False)
    return numbers.filter(good), distinct.filter(~good).to_list()


def _dates(distinct: pl.Series, order: str | None) -> tuple[pl.Series, list[str]]:
    """The values that are dates, and the others."""
    if distinct.dtype.is_temporal():
        return distinct, []
    if distinct.dtype != pl.String:
        return distinct.clear().cast(pl.Date), list(map(label_of, distinct.to_list()))
    dtype = type_of(distinct)
    if dtype is not None and dtype.is_temporal():
        return convert(distinct, dtype), []
    written, _ = written_dates(distinct, order)
    if written is not None:
        return written, []
    good = [(type_of(pl.Series([text])) or pl.String()).is_temporal() for text in distinct]
    return distinct.clear().cast(pl.Date), distinct.filter(~pl.Series(good, dtype=pl.Boolean)).to_list()


def _other_order(distinct: pl.Series, order: str | None) -> str:
    """Values are dates, but it is not told which part comes first, or another one is said to; empty where all is well.

    >>> _other_order(pl.Series(["01/02/1990"]), None)
    "How dates are written: the day and the month of '01/02/1990' can be told apart in no row; choose which is first"
    >>> _other_order(pl.Series(["31.12.1980"]), "mdy")
    "How dates are written: not all are as is chosen, such as '31.12.1980'; choose another way"
    """
    if distinct.dtype != pl.String:
        return ""
    wrong = written_dates(distinct, order)[1]
    if wrong is None or wrong.kind != ("ambiguous" if order is None else "in another order"):
        return ""
    if order is None:
        return f"{DATE_ORDER}: {wrong.message.problem}; choose which is first"
    return f"{DATE_ORDER}: not all are as is chosen, such as {wrong.value!r}; choose another way"


def _outside(fit: pl.Series, domain: tuple[Any, Any], kind: Kind) -> list[str]:
    try:
        outside = fit.filter((fit < domain[0]) | (fit > domain[1]))
    except (pl.exceptions.PolarsError, TypeError):  # a date with a clock against one without: reading it tells
        return []
    texts = [label_of(int(one) if isinstance(one, float) and one == int(one) else one) for one in outside.to_list()]
    if not texts:
        return []
    label = f"{ENDS} {kind}"
    ends = f"{label_of(domain[0])} to {label_of(domain[1])}"
    found = quoted(texts)
    return [f"{label}: {few(found, SHOWN)} {'lies' if len(found) == 1 else 'lie'} outside {ends}; write a wider range"]


def _taxonomy(fit: pl.Series, said: Column) -> list[str]:
    source = said.taxonomy
    if source is None:
        return []
    values = fit.to_list()
    try:
        resolve(Column(role=Role.QUASI, taxonomy=source), list(map(label_of, values)), values, Path())
    except TaxonomyError as wrong:
        name = next((name for rule, (name, *_) in RULES.items() if getattr(source, rule) is not None), "The tree")
        return [f"{name}: {wrong}"]
    except PellucidError:
        return []
    return []
