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

from pellucid.app.web.answers import action, changed_elsewhere, page, session_of, to
from pellucid.app.web.jobs import Task
from pellucid.app.web.session import Session
from pellucid.app.web.steps.drafting import (
    DISCARD,
    MAX_SCHEMA,
    ROLES,
    change,
    changed,
    declared,
    in_words,
    require_discard,
    take,
)
from pellucid.app.web.steps.roles import roles_page
from pellucid.app.web.telling import telling_columns
from pellucid.app.web.uploads import Upload, form_of
from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.schema import Column, Kind, Role
from pellucid.taxonomy.files import TAXONOMY_ENDINGS

MOST_PARTS = 10_000  # values of a list in a form
KINDS = {"": "as detected", "number": "number", "category": "category", "ordered": "ordered", "date": "date"}


async def show(request: Request) -> Response:
    """One column: its kind, its domain, its taxonomy."""
    return _column_page(request, *_found(request))


async def save(request: Request) -> Response:
    """Take what was said about one column."""
    session = session_of(request)
    form = await form_of(request)
    if told := changed_elsewhere(session, form):
        return roles_page(request, error=told, status=409)
    number, name = _found(request)
    try:
        made = changed(name, session.columns[name], _described(form))
        if made.taxonomy is None:
            change(session, {**session.columns, name: made}, discard=DISCARD in form)
            session.trees.pop(name, None)
            session.done = _saved(name)
        else:
            await _with_tree(session, name, made, discard=DISCARD in form)
    except PellucidError as wrong:
        return _column_page(request, number, name, error=in_words(wrong), status=422, form=form)
    return to(f"/roles/{number}")


async def upload_taxonomy(request: Request) -> Response:
    """Take a taxonomy from a file; it becomes part of the schema, so the schema needs no other file."""
    session = session_of(request)
    with Upload(session.folder, f"taxonomy-{secrets.token_hex(4)}", MAX_SCHEMA, TAXONOMY_ENDINGS) as taken:
        return await _take_taxonomy(request, session, taken)


async def _take_taxonomy(request: Request, session: Session, taken: Upload) -> Response:
    try:
        await taken.receive(request)
    except InputError as wrong:
        return _column_page(request, *_found(request), error=str(wrong), status=422)
    if told := changed_elsewhere(session, taken.fields):
        return roles_page(request, error=told, status=409)
    number, name = _found(request)  # only now: another tab may have opened another table while the file arrived
    try:
        if taken.path is None:
            raise InputError("no file was chosen; a taxonomy is a .csv, .toml or .json file")
        before, discard = session.columns[name], DISCARD in taken.fields
        require_discard(session, discard=discard)

        def keep(found: dict[str, Any]) -> None:
            made = changed(name, session.load_draft(), {"role": before.role})
            take(session, {**session.columns, name: made}, discard=discard)
            session.trees[name] = found
            session.done = f"The tree {taken.name} is taken for the column {name}."

        about = {"source": session.source, "column": name, "path": str(taken.path), "name": taken.name}
        bare = _alone(name, changed(name, before, {"taxonomy": None}))
        await declared(session, f"Reading {taken.name}", Task("taxonomy", {**about, "schema": bare}, keep), taken)
    except PellucidError as wrong:
        return _column_page(request, number, name, error=in_words(wrong), status=422)
    return to(f"/roles/{number}")


def _saved(name: str) -> str:
    return f"What you say about the column {name} is saved."


def _described(form: Mapping[str, str]) -> dict[str, Any]:
    """What the form of a column says, as a schema says it; an empty field is left out."""
    said: dict[str, Any] = {"role": form.get("role", ""), "kind": form.get("kind") or None}
    said["missing"] = _parts(form.get("missing", ""))
    said["nulls"] = "reject" if form.get("nulls") == "reject" else "value"
    low, high = form.get("low", "").strip(), form.get("high", "").strip()
    said["domain"] = [_number(low), _number(high)] if low or high else None
    order = _parts(form.get("order", ""))
    said["order"] = order if order and said["kind"] == Kind.ORDERED else None
    match form.get("taxonomy", "keep"):
        case "none":
            said["taxonomy"] = None
        case "ladder":
            said["taxonomy"] = {"ladder": [_number(part) for part in _parts(form.get("ladder", ""))]}
        case "dates":
            said["taxonomy"] = {"dates": _parts(form.get("dates", ""))}
        case "prefix":
            said["taxonomy"] = {"prefix": [_number(part) for part in _parts(form.get("prefix", ""))]}
    return said


def _parts(text: str) -> list[str]:
    parts = [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]
    if len(parts) > MOST_PARTS:
        raise SchemaError(f"a list has {len(parts):,} values, more than the {MOST_PARTS:,} that the page works with")
    return parts


def _number(text: str) -> int | float:
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        raise SchemaError(f"{text!r} is not a number; write numbers such as 5 or 2.5, separated by commas") from None


async def _with_tree(session: Session, name: str, made: Column, *, discard: bool) -> None:
    """Take what was said about a column if its taxonomy fits the values, and draw it; else nothing is changed."""

    def keep(found: dict[str, Any]) -> None:
        take(session, {**session.columns, name: made}, discard=discard)
        session.trees[name] = found
        session.done = _saved(name)

    about = {"source": session.source, "schema": _alone(name, made), "column": name}
    await declared(session, f"Building the taxonomy of {name}", Task("tree", about, keep))


def _alone(name: str, column: Column) -> str:
    """A schema about one column: the other roles do not matter here, and need not make a schema yet."""
    pair = {name: changed(name, column, {"role": Role.QUASI}), f"{name}+": Column(role=Role.SENSITIVE)}
    return "\n".join(one.to_toml(key) for key, one in pair.items())


def _found(request: Request) -> tuple[int, str]:
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
        roles=ROLES,
        kinds=KINDS,
        form=form or {},
    )


ROUTES = [
    Route("/roles/{number}", show),
    Route("/roles/{number}", action(save), methods=["POST"]),
    Route("/roles/{number}/taxonomy", action(upload_taxonomy), methods=["POST"]),
]
