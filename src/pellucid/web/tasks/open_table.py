"""Open a table: what it looks like, what each column may be, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.core.attribute_disclosure import Says
from pellucid.core.schema import Kind, Role, TextForm
from pellucid.datasets import schema_of
from pellucid.drafting.choice import suggest
from pellucid.drafting.draft import Suggestion, counted
from pellucid.drafting.schema_file import checks_of, details_of, drafted_roles, uniqueness_sentence
from pellucid.drafting.uniqueness import most_telling
from pellucid.io import line_in
from pellucid.io.people import repeats
from pellucid.io.statistics_files import column_labels, declared_missing
from pellucid.io.text_form import written_as
from pellucid.io.written_dates import written_dates
from pellucid.messages import Message
from pellucid.runtime.progress import Progress
from pellucid.text.values import label_of
from pellucid.web.worker_state import Desk, Source

PREVIEW = 12  # rows
EXAMPLES = 4  # values of a column
LONG = 60  # characters of a value
WORDS = {
    "Int": "whole number",
    "UInt": "whole number",
    "Float": "decimal number",
    "Decimal": "decimal number",
    "String": "text",
    "Boolean": "yes or no",
    "Date": "date",
    "Datetime": "date and time",
    "Time": "time of day",
    "Duration": "duration",
    "Enum": "category",
    "Categorical": "category",
}


def open_table(desk: Desk, *, source: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Read, count and suggest."""
    frame = desk.frame(source, progress)
    labels = column_labels(Path(source["place"]))
    with written_as(TextForm(**source.get("form", {}))):
        suggestions = suggest(counted(frame, progress, labels, partial(line_in, source["place"])), frame)
    known = schema_of(source["place"]) if source["place"] in ("patients",) or ":" in source["place"] else None
    roles = {s.name: str(s.role) for s in suggestions}
    if known is not None:
        roles = {name: str(known.columns[name].role if name in known.columns else Role.DROP) for name in roles}
    quasi = [name for name, role in roles.items() if role == Role.QUASI]
    uniques = most_telling(frame, quasi, progress)
    return {
        "name": source["name"],
        "rows": frame.height,
        "columns": _columns(desk, source, frame, [(s, roles[s.name]) for s in suggestions]),
        "preview": [[shown(value) for value in row] for row in frame.head(PREVIEW).rows()],
        "unique": [uniqueness_sentence(found) for found in uniques],
        "drafted": sorted(drafted_roles(suggestions)),
        "nulls": sum(s.facts.nulls for s in suggestions),
    }


def _columns(
    desk: Desk, source: dict[str, Any], frame: pl.DataFrame, suggested: Sequence[tuple[Suggestion, str]]
) -> list[dict[str, Any]]:
    """Every column as a page shows it, with the codes that its file declares missing."""
    chosen, declared = Source(**source), declared_missing(Path(source["place"]))
    columns = [described(frame, suggestion, role) for suggestion, role in suggested]
    for column in columns:
        column["declared"] = [asdict(one) for one in declared.get(column["name"], ())]
        as_said(column, frame[column["name"]], desk.marks.get(column["name"], []), chosen)
    return columns


def described(frame: pl.DataFrame, suggestion: Suggestion, role: str) -> dict[str, Any]:
    """A column as a page shows it, and what the draft says of it."""
    facts = suggestion.facts
    values = frame[facts.name]
    agreed = role == suggestion.role
    return {
        "name": facts.name,
        "label": shown(facts.label) or "",
        "type": type_of(values.dtype),
        "kind": str(suggestion.kind),
        "nulls": facts.nulls,
        "distinct": facts.distinct,
        "people": facts.distinct
        if suggestion.numbers or repeats(facts.name, values)
        else 0,  # how many it numbers of whom some repeat
        "largest_l": facts.largest_l,
        "examples": [shown(v) for v in values.head(1000).drop_nulls().unique(maintain_order=True).head(EXAMPLES)],
        "role": role,
        "said": {"role": role, **(_details_here(suggestion) if agreed else {})},
        "says": said(suggestion.says) if agreed and suggestion.says and role == Role.QUASI else None,
        "reason": (suggestion.beside or suggestion.in_full) if agreed else "the demo table comes with this role",
        "why": suggestion.reason if agreed and suggestion.reach else "",
        "check": [Message(check).document() for check in checks_of(suggestion)] if agreed else [],
    }


def _details_here(suggestion: Suggestion) -> dict[str, Any]:
    """What the draft says besides the role; the values to protect are ticked at step 3."""
    return {key: value for key, value in details_of(suggestion).items() if key != "protect"}


def said(says: Says) -> dict[str, Any] | None:
    """How much a column tells, and of which; None where it is nothing."""
    return {"share": says.told, "of": says.sensitive} if round(says.told, 2) > 0 else None


def as_said(column: dict[str, Any], values: pl.Series, marks: list[str], source: Source) -> None:
    """Write into the draft of a column what the steward said about the whole file: empty values, and dates."""
    if column["role"] == Role.IDENTIFIER:
        return
    if source.missing is not None:
        column["said"].pop("missing", None)
        if marks:
            column["said"]["missing"] = marks
    if source.date_order and values.dtype == pl.String:
        present = values.drop_nulls().unique()
        dates = present.filter(~present.is_in(column["said"].get("missing", [])))
        if len(dates) and written_dates(dates, source.date_order)[0] is not None:
            column["said"] |= {"kind": str(Kind.DATE), "date_order": source.date_order}
            column["kind"] = str(Kind.DATE)


def type_of(dtype: pl.DataType) -> str:
    """What a person calls the type of a column.

    >>> type_of(pl.Int64()), type_of(pl.String())
    ('whole number', 'text')
    """
    name = str(dtype.base_type())
    return next((words for start, words in WORDS.items() if name.startswith(start)), name.lower())


def shown(value: Any) -> str | None:
    """A value as text, shortened; None for a null."""
    if value is None:
        return None
    text = label_of(value) if not isinstance(value, list | dict | bytes) else str(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"
