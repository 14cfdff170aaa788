"""How a file is to be read: what its head lets guess, and what a table would be that was read otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.core.schema import Role, TextForm
from pellucid.drafting.draft import Facts, alone, counted
from pellucid.errors import InputError, PellucidError
from pellucid.io import load, written_as
from pellucid.io.checksum import checksum
from pellucid.io.files import is_text
from pellucid.io.guessing_form import guessed_form, head_bytes
from pellucid.io.textbytes import refuse_document
from pellucid.io.unpacking import at_most
from pellucid.runtime.progress import Progress
from pellucid.web.tasks.open_table import PREVIEW, as_said, described, shown
from pellucid.web.worker_state import Desk, Source, refuse_columns, refuse_large

HEAD_FILE = "head"
LOOKED_AT = 5_000  # rows by which a preview says what the values of a column are


def guess(desk: Desk, *, source: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """What the file seems to be, and the part of it that must be said so that it is read like that."""
    chosen, path = Source(**source), Path(source["place"])
    progress.stage("looking at the file", 0)
    if not path.is_file():
        return {"kind": "typed", "guessed": {}, "form": {}, "sheets": []}
    desk.begin(source)
    refuse_large(chosen)
    with path.open("rb") as file:
        refuse_document(file.read(8), chosen.name)
    try:
        with at_most(chosen.most_cells):
            form, sheets = guessed_form(path)
        kind = "text" if is_text(path) else "workbook" if sheets else "texts" if form.decimal == "," else "typed"
    except (PellucidError, OSError, EOFError):  # reading it says what is wrong
        return {"kind": "typed", "guessed": {}, "form": {}, "sheets": [], "sha256": checksum(path)}
    guessed = form.model_dump(exclude_none=True)
    return {"kind": kind, "guessed": guessed, "form": needed(form, sheets), "sheets": sheets, "sha256": checksum(path)}


def needed(form: TextForm, sheets: list[str]) -> dict[str, Any]:
    """What whoever reads the file must be told; the rest they see themselves."""
    said: dict[str, Any] = {}
    if form.separator is not None and form.separator not in ",;\t|^~":
        said["separator"] = form.separator
    if form.header is False:
        said["header"] = False
    if form.decimal == ",":
        said["decimal"] = ","
    if len(sheets) > 1:
        said["sheet"] = form.sheet
    return said


def preview(desk: Desk, *, source: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """The first rows as they would be read; of a text file only its head is looked at."""
    chosen, path = desk.begin(source), Path(source["place"])
    progress.stage("reading the first rows", 0)
    if is_text(path):
        path = desk.folder / f"{HEAD_FILE}{path.suffix if path.suffix != '.gz' else ''}"
        path.write_bytes(head_bytes(Path(source["place"])))
    try:
        with written_as(TextForm(**chosen.form)), at_most(chosen.most_cells):
            frame = load(path)[0]
            marks = chosen.marks_in(frame)
            frame = load(path, missing=marks)[0] if any(marks.values()) else frame
    except InputError as wrong:
        return {"wrong": str(wrong).replace(path.name, chosen.name), "columns": [], "rows": []}
    finally:
        (desk.folder / path.name).unlink(missing_ok=True) if path.name.startswith(HEAD_FILE) else None
    refuse_columns(chosen, frame.width)
    frame = _with_empty_values(frame, marks)
    return {
        "wrong": "",
        "columns": [_described(facts, frame, marks, chosen) for facts in counted(frame.head(LOOKED_AT), progress)],
        "rows": [[shown(value) for value in row] for row in frame.head(PREVIEW).rows()],
    }


def _described(facts: Facts, frame: pl.DataFrame, marks: Mapping[str, Sequence[str]], chosen: Source) -> dict[str, Any]:
    """A column in the words that the page has for it once the table is read."""
    as_known = replace(alone(facts), role=Role.QUASI)  # which column names people is not asked yet
    column = described(frame.head(LOOKED_AT), as_known, str(Role.QUASI))
    as_said(column, frame[facts.name], list(marks.get(facts.name, ())), chosen)
    return {**{key: column[key] for key in ("name", "type", "kind")}, "said": {"kind": column["said"].get("kind")}}


def _with_empty_values(frame: pl.DataFrame, marks: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """The frame without the texts that stand for an empty value, in columns that stayed text."""
    return frame.with_columns(
        pl.when(pl.col(name).cast(pl.String).is_in(texts)).then(None).otherwise(pl.col(name)).alias(name)
        for name, texts in marks.items()
        if texts and frame[name].dtype == pl.String
    )
