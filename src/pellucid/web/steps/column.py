"""One column of step 2, Roles: its kind, its domain, and what its values may become."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pellucid.core.schema import Column
from pellucid.core.taxonomy.files import TAXONOMY_ENDINGS
from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.web.checks import PEOPLE_ANSWERS, ROLES
from pellucid.web.details import BECOME, DATE_ORDERS, FILE, KEEP, Details, details_of, merged_lines
from pellucid.web.jobs import Busy, TaskCall
from pellucid.web.naming_columns import telling_columns
from pellucid.web.recounted import key_of
from pellucid.web.rounding_fields import as_fields, ways_of
from pellucid.web.session import Session
from pellucid.web.step_support import action, changed_elsewhere, page, session_of, to
from pellucid.web.steps.drafting import (
    DISCARD,
    MAX_SCHEMA,
    change,
    changed,
    declared,
    in_words,
    require_discard,
    schema_of_some,
    take,
)
from pellucid.web.steps.roles import roles_page
from pellucid.web.uploads import Upload, form_of
from pellucid.web.written_tree import CALLED, NAME, WRITTEN, lines_in, lines_of

KINDS = {
    "": "as detected",
    "number": "number",
    "category": "category",
    "ordered": "ordered",
    "date": "date",
}


async def show(request: Request) -> Response:
    """One column: its kind, its domain, its taxonomy."""
    return _column_page(request, *found_column(request))


async def save(request: Request) -> Response:
    """Take what was said about one column, with the tree of a file if one came along; all of it or nothing."""
    session = session_of(request)
    with Upload(session.folder, f"taxonomy-{secrets.token_hex(4)}", MAX_SCHEMA, TAXONOMY_ENDINGS) as taken:
        return await _save(request, session, taken)


async def _save(request: Request, session: Session, taken: Upload) -> Response:
    try:
        form = await _received(request, taken)
    except InputError as wrong:
        return _column_page(
            request, *found_column(request), error=f"{wrong}; nothing was saved", status=422, form=taken.fields
        )
    if told := changed_elsewhere(session, form):
        return roles_page(request, error=told, status=409)
    number, name = found_column(request)  # only now: another tab may have opened another table while the file arrived
    try:
        await take_details(session, number, name, form, taken)
    except PellucidError as wrong:
        came = taken.name not in ("", NAME)
        again = "\nChoose the file once more: a browser does not keep it." if came else ""
        return _column_page(request, number, name, error=in_words(wrong) + again, status=422, form=form)
    return to(f"/roles/{number}/tree" if form.get("then") == "tree" else f"/roles/{number}")


async def _received(request: Request, taken: Upload) -> Mapping[str, str]:
    """The fields of the form; the file, if one came along, is in ``taken``."""
    if not request.headers.get("content-type", "").startswith("multipart/"):
        return await form_of(request)
    return (await taken.receive(request)).fields


async def take_details(session: Session, number: int, name: str, form: Mapping[str, str], taken: Upload) -> None:
    """Have a worker compare what is said with the values, then keep it; raise when something cannot be."""
    assert session.data is not None
    before, discard = session.columns[name], DISCARD in form
    detected = session.data["columns"][number]["kind"]
    form = _with_written(form, before, taken)
    found = details_of(form, before, detected, taken.name if taken.path is not None else "")
    if found.wrong:
        raise SchemaError("\n".join([*found.wrong, *await _unfit(session, name, before, found)]))
    made = changed(name, before, found.said)
    if taken.path is None and made == Column(role=made.role):  # no detail to compare with the values
        change(session, {**session.columns, name: made}, discard=discard)
        session.trees.pop(name, None)
        session.done = _saved(name, found)
        return
    if made != before or taken.path is not None:
        require_discard(session, discard=discard)

    def keep(shown: dict[str, Any]) -> None:
        with_tree = made if taken.path is None else changed(name, session.load_draft(), {"role": made.role})
        counts = shown.pop("counts")
        if key := key_of(name, with_tree):
            session.rounded[key] = counts
        take(session, {**session.columns, name: with_tree}, discard=discard)
        session.trees.pop(name, None)
        if with_tree.taxonomy is not None:
            session.trees[name] = shown
        session.done = _saved(name, found)
        if taken.path is not None:
            session.done = f"The tree {taken.name} is taken for the column {name}. {session.done}"

    about = {"source": session.source, "column": name}
    if taken.path is None:
        task = TaskCall("column", {**about, "schema": schema_of_some({name: made})}, keep)
        await declared(session, f"Checking what is said about {name}", task)
    else:
        bare = schema_of_some({name: changed(name, made, {"taxonomy": None})})
        tree = {"path": str(taken.path), "name": taken.name, "schema": bare}
        title = "Reading the tree" if taken.name == NAME else f"Reading {taken.name}"
        await declared(session, title, TaskCall("taxonomy", {**about, **tree}, keep), taken)


def _with_written(form: Mapping[str, str], before: Column, taken: Upload) -> Mapping[str, str]:
    """The form with the lines of a tree that were written there taken as a file that came along."""
    lines, stored, chosen = lines_in(form.get(WRITTEN, "")), lines_of(before), form.get("taxonomy")
    if lines and lines != stored:
        if taken.path is not None:
            raise SchemaError(f"{BECOME}: a file is chosen, and “{CALLED}” is filled in too; empty one of the two")
        taken.take_text("\n".join(lines), ".csv", NAME)
        return {**form, "taxonomy": FILE} if chosen == WRITTEN else form
    if chosen != WRITTEN:
        return form
    if not lines:
        raise SchemaError(f"{BECOME}: “{CALLED}” is chosen and no line is written; write them, or choose another")
    return {**form, "taxonomy": KEEP}


async def _unfit(session: Session, name: str, before: Column, found: Details) -> list[str]:
    """What else the values are against, of what could be understood: all is told at once."""
    try:
        made = changed(name, before, found.said)
    except SchemaError:  # what is wrong already is in the way
        return []
    task = TaskCall(
        "column", {"source": session.source, "column": name, "schema": schema_of_some({name: made})}, lambda _: None
    )
    try:
        await declared(session, f"Checking what is said about {name}", task)
    except SchemaError as wrong:
        return [str(wrong)]
    except Busy:  # what is wrong already is told all the same
        return []
    return []


def _saved(name: str, found: Details) -> str:
    return " ".join([f"What you say about the column {name} is saved.", *found.understood])


def found_column(request: Request) -> tuple[int, str]:
    """The column that an address names by its number: names are data, and addresses are kept in histories."""
    session = session_of(request)
    written = request.path_params["number"]
    if not re.fullmatch("[0-9]{1,6}", written) or int(written) >= len(session.columns):
        raise HTTPException(404)
    return int(written), list(session.columns)[int(written)]


def _column_page(
    request: Request,
    number: int,
    name: str,
    *,
    error: str = "",
    status: int = 200,
    form: Mapping[str, str] | None = None,
) -> Response:
    session = session_of(request)
    data = session.data
    assert data is not None
    return page(
        request,
        "column.html",
        "roles",
        error=error,
        status=status,
        number=number,
        name=name,
        column=session.columns[name],
        facts=data["columns"][number],
        telling=next((one for one in telling_columns(data, session.columns) if one.number == number), None),
        tree=session.trees.get(name),
        merged_lines=merged_lines(session.columns[name]),
        lines=lines_of(session.columns[name]),
        roles=ROLES,
        kinds=KINDS,
        date_orders=DATE_ORDERS,
        people_answers=PEOPLE_ANSWERS,
        rounding_ways=ways_of(
            session.columns[name].role, session.columns[name].kind or data["columns"][number]["kind"]
        ),
        rounding=as_fields(session.columns[name].round),
        form=form if form and "role" in form else {},
    )


ROUTES = [
    Route("/roles/{number}", show),
    Route("/roles/{number}", action(save), methods=["POST"]),
]
