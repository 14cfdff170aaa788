"""Step 1, how the file is read: what was guessed, a preview that follows each choice, and reading it like that."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pellucid.core.schema import TextForm
from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.web.jobs import BackgroundJob, Busy, TaskCall
from pellucid.web.pages import render
from pellucid.web.session import Session
from pellucid.web.step_support import action, changed_elsewhere, load_again, open_source, session_of, settled, start, to
from pellucid.web.steps.drafting import DISCARD, PATIENCE
from pellucid.web.uploads import form_of

SEPARATORS = {
    ",": "comma (,)",
    ";": "semicolon (;)",
    "\t": "tab",
    "|": "bar (|)",
    "^": "caret (^)",
    "~": "tilde (~)",
}
ENCODINGS = {
    "utf-8": "Unicode (UTF-8)",
    "cp1252": "Western (Windows-1252)",
    "iso8859-15": "Western (ISO 8859-15)",
    "cp1250": "Central European (Windows-1250)",
    "iso8859-2": "Central European (ISO 8859-2)",
    "cp1251": "Cyrillic (Windows-1251)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "utf-16": "Unicode (UTF-16)",
    "cp850": "DOS (850)",
}
DATES = {
    "": "as each column tells",
    "dmy": "day, month, year: 31.12.2024",
    "mdy": "month, day, year: 12/31/2024",
    "ymd": "year, month, day: 2024/12/31",
}
MOST_CODES = 100
MOST_ROWS = 100  # in which a header is looked for
OF_COLUMN = "missing-of-"  # with the place of a column: the codes of that column alone


def reading_of(session: Session) -> dict[str, Any] | None:
    """What the form shows: how the file is read now; None of a table that says all that itself.

    The kinds are ``text``, ``workbook``, and ``texts``: a file with types in which texts are numbers with commas.
    """
    if session.reading is None or session.reading["kind"] == "typed" or session.source is None:
        return None
    form = {**session.reading["guessed"], **session.form}
    columns = session.columns.values()
    everywhere = session.source.get("missing") or []
    codes = codes_of(session, everywhere)
    orders = {column.date_order for column in columns if column.date_order}
    return {
        "kind": session.reading["kind"],
        "sheets": session.reading["sheets"],
        "form": form,
        "guessed": session.reading["guessed"],
        "missing": ", ".join(everywhere),
        "codes": codes,
        "others": [(place, name) for place, name in enumerate(session.columns) if place not in codes],
        "date_order": session.source.get("date_order") or (orders.pop() if len(orders) == 1 else ""),
        "separators": {form.get("separator", ","): form.get("separator", ","), **SEPARATORS},
        "encodings": {form.get("encoding", "utf-8"): form.get("encoding", "utf-8").upper(), **ENCODINGS},
        "dates": DATES,
    }


def codes_of(session: Session, everywhere: Collection[str]) -> dict[int, tuple[str, str]]:
    """The columns that have codes of their own for an empty value, by their place: their names, and the codes."""
    return {
        place: (name, ", ".join(own))
        for place, (name, column) in enumerate(session.columns.items())
        if (own := [mark for mark in column.missing if mark not in everywhere])
    }


def said_in(session: Session, form: Mapping[str, str]) -> dict[str, Any]:
    """What a form says about the file; raises where it says nothing that can be."""
    assert session.reading is not None
    kind = session.reading["kind"]
    said: dict[str, Any] = {} if kind == "texts" else {"header": form.get("header") != "no"}
    if kind == "workbook":
        sheet = form.get("sheet", "")
        if sheet not in session.reading["sheets"]:
            raise InputError("there is no such sheet; choose one of the list")
        said["sheet"] = sheet
        row = form.get("header_row", "").strip()
        if row and said["header"]:
            if not re.fullmatch("[0-9]{1,3}", row) or not 1 <= int(row) <= MOST_ROWS:
                raise InputError(f"the row of the names is {row[:20]!r}; write a number from 1 to {MOST_ROWS}")
            said["header_row"] = int(row)
    for name in ("separator", "encoding", "decimal") if kind == "text" else ("decimal",):
        if form.get(name):
            said[name] = form[name]
    TextForm.model_validate(said)
    order = form.get("date_order", "")
    if order not in DATES:
        raise InputError("there is no such order of dates; choose one of the list")
    missing = {"missing": codes_in(form.get("missing", "")), "missing_at": _codes_of_columns(form)}
    return {"form": said, **missing, "date_order": order}


def _codes_of_columns(form: Mapping[str, str]) -> dict[str, list[str]]:
    """The codes that a form says of a column alone, by its place."""
    written = {key.removeprefix(OF_COLUMN): text for key, text in form.items() if key.startswith(OF_COLUMN)}
    if form.get("missing-place"):  # one more column, chosen from a list
        place = form["missing-place"]
        written[place] = ",".join(filter(str.strip, (written.get(place, ""), form.get("missing-more", ""))))
    missing_at = {place: codes for place, text in written.items() if (codes := codes_in(text))}
    if not all(re.fullmatch("[0-9]{1,6}", place) for place in missing_at):
        raise InputError("there is no such column; choose one of the list")
    return missing_at


def codes_in(text: str) -> list[str]:
    """The codes that a field has, with commas between them.

    >>> codes_in('99, "a, b", 99')
    ['99', 'a, b']
    """
    try:
        codes = next(csv.reader([text.replace("\n", " ")], skipinitialspace=True), [])
    except csv.Error:  # a field of more than 131,072 characters, or half a line end
        raise InputError("the codes that stand for an empty value are too long; write a few short ones") from None
    found = list(dict.fromkeys(code.strip() for code in codes if code.strip()))
    if len(found) > MOST_CODES:
        raise InputError(f"{len(found)} codes stand for an empty value, more than {MOST_CODES}; write fewer")
    return found


async def preview(request: Request) -> Response:
    """The first rows under what is chosen now; changes nothing, and gives way to whatever is asked for meanwhile."""
    session, form = session_of(request), await form_of(request)
    if session.source is None or session.reading is None:
        return load_again(request, "/data")
    if told := changed_elsewhere(session, form):
        return HTMLResponse(render("elsewhere.html", step="data", told=told))
    found: dict[str, Any] = {"columns": [], "rows": [], "wrong": ""}
    name = session.source["name"]  # there may be no table any more once the rows are read
    begun: list[BackgroundJob] = []

    def wanted() -> bool:
        return all(job.running for job in begun)

    try:
        source = {**session.source, **said_in(session, form)}
        task = TaskCall("preview", {"source": source}, found.update, yields=True, wanted=wanted)
        begun.append(start(session, "Reading the first rows", ("data",), [task]))
        job = await settled(begun[0], PATIENCE)
        if job.state == "cancelled" and not found["columns"]:  # "Read it like this" was pressed: that is shown
            return Response(status_code=204)
        if job.state == "failed":
            found["wrong"] = job.message
        if session.jobs.current is job:
            session.jobs.forget()
    except (InputError, SchemaError, Busy) as wrong:
        found["wrong"] = str(wrong)
    return HTMLResponse(render("preview.html", found=found, name=name))


async def read_again(request: Request) -> Response:
    """Read the file as the form says."""
    from pellucid.web.steps.data import data_page, require_discard

    session, form = session_of(request), await form_of(request)
    if session.source is None or session.reading is None:
        return to("/data")
    if told := changed_elsewhere(session, form):
        return data_page(request, error=told, status=409)
    try:
        said = said_in(session, form)
        require_discard(session, form)
        session.jobs.require_idle()
    except PellucidError as wrong:
        return data_page(request, error=str(wrong), status=422)
    source = session.source
    if not Path(source["place"]).is_file():
        return to("/data")
    job = open_source(session, source["place"], source["name"], limited=bool(source["most_cells"]), said=said)
    await settled(job)
    if DISCARD not in form and job.state == "done":
        session.done = f"{source['name']} was read as you said."
    return to("/data")


ROUTES = [
    Route("/data/preview", preview, methods=["POST"]),
    Route("/data/reading", action(read_again), methods=["POST"]),
]
