"""One column of step 2, Roles: its kind, its domain, and what its values may become."""

from __future__ import annotations

import json
import re
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pellucid.app.web.answers import page, session_of, settled, start, to
from pellucid.app.web.jobs import Task
from pellucid.app.web.session import Session
from pellucid.app.web.steps.drafting import DISCARD, MAX_SCHEMA, ROLES, change, changed, in_words
from pellucid.app.web.telling import telling_columns
from pellucid.app.web.uploads import Upload, form_of
from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.schema import Column, Kind, Role
from pellucid.taxonomy import Taxonomy
from pellucid.taxonomy.files import TAXONOMY_ENDINGS

KINDS = {"": "as detected", "number": "number", "category": "category", "ordered": "ordered", "date": "date"}


async def show(request: Request) -> Response:
    """One column: its kind, its domain, its taxonomy."""
    return _column_page(request, *_found(request))


async def save(request: Request) -> Response:
    """Take what was said about one column."""
    session = session_of(request)
    number, name = _found(request)
    form = await form_of(request)
    try:
        made = changed(name, session.columns[name], _described(form))
        change(session, {**session.columns, name: made}, discard=DISCARD in form)
        await _show_tree(session, name)
    except PellucidError as wrong:
        return _column_page(request, number, name, error=in_words(wrong), status=422, form=form)
    return to(f"/roles/{number}")


async def upload_taxonomy(request: Request) -> Response:
    """Take a taxonomy from a file; it becomes part of the schema, so the schema needs no other file."""
    session = session_of(request)
    number, name = _found(request)
    taken = Upload(session.folder, f"taxonomy-{secrets.token_hex(4)}", MAX_SCHEMA, TAXONOMY_ENDINGS)
    try:
        await taken.receive(request)
        if taken.path is None:
            raise InputError("no file was chosen; a taxonomy is a .csv, .toml or .json file")
        try:
            tree = _tree_in(taken.path)
        except PellucidError as wrong:
            raise SchemaError(str(wrong).replace(str(taken.path), taken.name)) from None
        finally:
            taken.path.unlink(missing_ok=True)
        made = changed(name, session.columns[name], {"taxonomy": {"tree": tree}})
        change(session, {**session.columns, name: made}, discard=DISCARD in taken.fields)
        await _show_tree(session, name)
    except PellucidError as wrong:
        return _column_page(request, number, name, error=in_words(wrong), status=422)
    return to(f"/roles/{number}")


def _tree_in(path: Path) -> Any:
    """What a taxonomy file says, nested: a name with several parents keeps them as the file has them."""
    taxonomy = Taxonomy.load(path)
    if taxonomy.is_tree:
        return taxonomy.to_tree()
    text = path.read_text(encoding="utf-8-sig")
    return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)


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
    return [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]


def _number(text: str) -> int | float:
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        raise SchemaError(f"{text!r} is not a number; write numbers such as 5 or 2.5, separated by commas") from None


async def _show_tree(session: Session, name: str) -> None:
    """Draw the taxonomy of a column; one that does not fit the values is taken back."""
    session.trees.pop(name, None)
    if session.columns[name].taxonomy is None:
        return

    def keep(found: dict[str, Any]) -> None:
        session.trees[name] = found

    # the taxonomy of one column: the other roles do not matter, and need not make a schema yet
    alone = {name: changed(name, session.columns[name], {"role": Role.QUASI}), f"{name}+": Column(role=Role.SENSITIVE)}
    toml = "\n".join(one.to_toml(key) for key, one in alone.items())
    task = Task("tree", {"source": session.source, "schema": toml, "column": name}, keep)
    job = await settled(start(session, f"Building the taxonomy of {name}", ("roles",), [task]), 10.0)
    if job.state == "failed":
        session.jobs.forget()
        session.columns[name] = changed(name, session.columns[name], {"taxonomy": None})
        raise SchemaError(job.message)


def _found(request: Request) -> tuple[int, str]:
    """The column that an address names by its number: names are data, and addresses are kept in histories."""
    session = session_of(request)
    number = int(request.path_params["number"])
    if not 0 <= number < len(session.columns):
        raise HTTPException(404)
    return number, list(session.columns)[number]


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
    Route("/roles/{number:int}", show),
    Route("/roles/{number:int}", save, methods=["POST"]),
    Route("/roles/{number:int}/taxonomy", upload_taxonomy, methods=["POST"]),
]
