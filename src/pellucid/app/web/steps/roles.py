"""Step 2, Roles: what each column is, its taxonomy, and the schema as a file."""

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
from pellucid.app.web.desk import read_schema
from pellucid.app.web.jobs import Task
from pellucid.app.web.session import Session
from pellucid.app.web.settings import MEGABYTE
from pellucid.app.web.uploads import Upload, form_of
from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.schema import Column, Kind, Role
from pellucid.taxonomy import Taxonomy
from pellucid.taxonomy.files import TAXONOMY_ENDINGS

MAX_SCHEMA = 8 * MEGABYTE
ROLES = {
    "identifier": "Identifier: names the person, never published",
    "quasi": "Quasi-identifier: others may know it",
    "sensitive": "Sensitive: what is protected",
    "carry": "Carry: published per group, does not steer",
    "drop": "Drop: never published",
}
KINDS = {"": "as detected", "number": "number", "category": "category", "ordered": "ordered", "date": "date"}


async def show(request: Request) -> Response:
    """All columns."""
    return _page(request)


async def save(request: Request) -> Response:
    """Take the roles, then read the table under them."""
    session = session_of(request)
    form = await form_of(request)
    if session.data is None:
        return to("/data")
    changed: dict[str, Column] = {}
    try:
        for number, (name, column) in enumerate(session.columns.items()):
            role = form.get(f"role-{number}", str(column.role))
            changed[name] = _changed(name, column, {"role": role})
        _change(session, changed)
        if re.fullmatch(r"\d{1,6}", form.get("then", "")):  # the details of one column; what was chosen so far is kept
            return to(f"/roles/{form['then']}")
        session.schema  # noqa: B018  (raises when the roles do not make a schema)
        if form.get("then") != "method":
            return to("/roles")
        job = start_check(session)
    except PellucidError as wrong:
        return _page(request, error=_said(wrong), status=422)
    await settled(job)
    return to("/roles" if job.state == "failed" else "/method")


def start_check(session: Session) -> Any:
    """Read the table under the schema, in the background."""

    def keep(found: dict[str, Any]) -> None:
        session.load_outline()
        session.checked = found

    task = Task("check", {"source": session.source, "schema": session.toml}, keep)
    return start(session, "Reading the table with these roles", ("roles", "method"), [task])


async def column(request: Request) -> Response:
    """One column: its kind, its domain, its taxonomy."""
    return _column_page(request, *_found(request))


async def save_column(request: Request) -> Response:
    """Take what was said about one column."""
    session = session_of(request)
    number, name = _found(request)
    form = await form_of(request)
    try:
        made = _changed(name, session.columns[name], _described(form))
        _change(session, {**session.columns, name: made})
        await _show_tree(session, name)
    except PellucidError as wrong:
        return _column_page(request, number, name, error=_said(wrong), status=422, form=form)
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
        made = _changed(name, session.columns[name], {"taxonomy": {"tree": tree}})
        _change(session, {**session.columns, name: made})
        await _show_tree(session, name)
    except PellucidError as wrong:
        return _column_page(request, number, name, error=_said(wrong), status=422)
    return to(f"/roles/{number}")


async def load(request: Request) -> Response:
    """Take the whole schema from a TOML file, the one that the command line reads."""
    session = session_of(request)
    if session.data is None:
        return to("/data")
    taken = Upload(session.folder, f"schema-{secrets.token_hex(4)}", MAX_SCHEMA, (".toml",))
    try:
        await taken.receive(request)
        if taken.path is None:
            raise InputError("no file was chosen; a schema is a .toml file, such as pellucid init writes")
        text = taken.path.read_bytes().decode("utf-8-sig", "replace")
        taken.path.unlink()
        try:
            found = read_schema(session.folder, text)
        except PellucidError as wrong:
            raise SchemaError(re.sub(r"\S*schema\.toml", taken.name, str(wrong), count=1)) from None
        unknown = [name for name in found.columns if name not in session.columns]
        if unknown:
            raise SchemaError(
                f"{taken.name} names the column {unknown[0]!r}, which this table does not have; "
                "load the schema that belongs to it"
            )
        dropped = Column(role=Role.DROP)
        _change(session, {name: found.columns.get(name, dropped) for name in session.columns})
        session.trees = {}
    except PellucidError as wrong:
        return _page(request, error=_said(wrong), status=422)
    return to("/roles")


async def download(request: Request) -> Response:
    """The schema as a file for the command line."""
    session = session_of(request)
    if session.data is None:
        return to("/data")
    headers = {"Content-Disposition": 'attachment; filename="schema.toml"'}
    return Response(session.toml, media_type="application/toml; charset=utf-8", headers=headers)


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


def _changed(name: str, column: Column, change: Mapping[str, Any]) -> Column:
    said = {key: getattr(column, key) for key in Column.model_fields} | dict(change)
    try:
        return Column(**said)
    except SchemaError as wrong:
        raise SchemaError(f"{name}: {wrong}") from None


def _change(session: Session, columns: dict[str, Column]) -> None:
    """Take a new draft; what followed from the old one is out of date."""
    if columns == session.columns:
        return
    session.jobs.require_idle()
    session.columns = columns
    session.jobs.forget()
    session.forget_check()


async def _show_tree(session: Session, name: str) -> None:
    """Draw the taxonomy of a column; one that does not fit the values is taken back."""
    session.trees.pop(name, None)
    if session.columns[name].taxonomy is None:
        return

    def keep(found: dict[str, Any]) -> None:
        session.trees[name] = found

    # the taxonomy of one column: the other roles do not matter, and need not make a schema yet
    alone = {name: _changed(name, session.columns[name], {"role": Role.QUASI}), f"{name}+": Column(role=Role.SENSITIVE)}
    toml = "\n".join(one.to_toml(key) for key, one in alone.items())
    task = Task("tree", {"source": session.source, "schema": toml, "column": name}, keep)
    job = await settled(start(session, f"Building the taxonomy of {name}", ("roles",), [task]), 10.0)
    if job.state == "failed":
        session.jobs.forget()
        session.columns[name] = _changed(name, session.columns[name], {"taxonomy": None})
        raise SchemaError(job.message)


def _found(request: Request) -> tuple[int, str]:
    """The column that an address names by its number: names are data, and addresses are kept in histories."""
    session = session_of(request)
    number = int(request.path_params["number"])
    if not 0 <= number < len(session.columns):
        raise HTTPException(404)
    return number, list(session.columns)[number]


def _said(wrong: PellucidError) -> str:
    """A mistake in the words of the page."""
    text = re.sub(r"^columns(\.\S+)?: ", "", str(wrong))
    words = {'role = "sensitive"': "the role Sensitive", 'role = "quasi"': "the role Quasi-identifier"}
    for code, plain in words.items():
        text = text.replace(code, plain)
    return text.replace('role = "drop"', "the role Drop")


def _page(request: Request, *, error: str = "", status: int = 200) -> Response:
    return page(request, "roles.html", "roles", error=error, status=status, roles=ROLES)


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
        tree=session.trees.get(name),
        roles=ROLES,
        kinds=KINDS,
        form=form or {},
    )


ROUTES = [
    Route("/roles", show),
    Route("/roles", save, methods=["POST"]),
    Route("/roles/load", load, methods=["POST"]),
    Route("/roles/schema.toml", download),
    Route("/roles/{number:int}", column),
    Route("/roles/{number:int}", save_column, methods=["POST"]),
    Route("/roles/{number:int}/taxonomy", upload_taxonomy, methods=["POST"]),
]
