"""The editor of step 2: the values of a column, grouped by hand under broader names."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pellucid.core.schema import Role
from pellucid.core.taxonomy.files import TAXONOMY_ENDINGS
from pellucid.errors import PellucidError
from pellucid.web.details import FILE
from pellucid.web.edited_tree import from_edit
from pellucid.web.jobs import TaskCall
from pellucid.web.pages import short
from pellucid.web.session import Session
from pellucid.web.step_support import action, changed_elsewhere, page, session_of, to
from pellucid.web.steps.column import found_column, take_details
from pellucid.web.steps.drafting import MAX_SCHEMA, declared, in_words, schema_of_some
from pellucid.web.steps.roles import roles_page
from pellucid.web.uploads import Upload, form_of
from pellucid.web.written_tree import NAME

LONG = 120  # characters of a value that are shown
SENT = "tree"  # the field that has the tree


async def show(request: Request) -> Response:
    """The values of a column in their groups; they are counted when somebody asks for them first."""
    session = session_of(request)
    number, name = found_column(request)
    if session.columns[name].role not in (Role.QUASI, Role.CARRY):
        return to(f"/roles/{number}")
    try:
        await _counted(session, name)
    except PellucidError as wrong:
        return _tree_page(request, number, name, error=in_words(wrong), status=422)
    return _tree_page(request, number, name)


async def save(request: Request) -> Response:
    """Take the tree that was edited, as if a file had it; all of it or nothing."""
    session = session_of(request)
    form = await form_of(request)
    if told := changed_elsewhere(session, form):
        return roles_page(request, error=told, status=409)
    number, name = found_column(request)
    known = edited(session, name)
    if known is None:  # what is said about the column has changed meanwhile
        return to(f"/roles/{number}/tree")
    sent = form.get(SENT, "")
    with Upload(session.folder, f"taxonomy-{secrets.token_hex(4)}", MAX_SCHEMA, TAXONOMY_ENDINGS) as taken:
        try:
            tree = from_edit(sent, known["names"], known["top"])
            taken.take_text(json.dumps(tree), ".json", NAME)
            await take_details(session, number, name, {**_ticks(form), "taxonomy": FILE}, taken)
        except PellucidError as wrong:
            return _tree_page(request, number, name, error=in_words(wrong), status=422, sent=sent)
    return to(f"/roles/{number}")


def _ticks(form: Mapping[str, str]) -> dict[str, str]:
    """The form without the tree itself, which comes as a file."""
    return {field: value for field, value in form.items() if field != SENT}


def edited(session: Session, name: str) -> dict[str, Any] | None:
    """The values of a column as they were counted, unless something else has been said about it since."""
    if session.edited is None:
        return None
    of, column, found = session.edited
    return found if of == name and column == session.columns[name] else None


async def _counted(session: Session, name: str) -> None:
    """Have a worker count the values of a column, unless they are known."""
    if edited(session, name) is not None:
        return
    column = session.columns[name]

    def keep(found: dict[str, Any]) -> None:
        session.edited = (name, column, found)

    about = {"source": session.source, "column": name, "schema": schema_of_some({name: column})}
    await declared(session, f"Counting the values of {name}", TaskCall("values", about, keep))


def _tree_page(
    request: Request, number: int, name: str, *, error: str = "", status: int = 200, sent: str = ""
) -> Response:
    session = session_of(request)
    found = edited(session, name)
    shown = None
    if found is not None:
        shown = {
            "values": [[short(one, LONG), rows] for one, rows in zip(found["names"], found["rows"], strict=True)],
            "tree": _sent_again(sent) or found["tree"],
            "top": found["top"],
        }
    return page(request, "tree.html", "roles", error=error, status=status, number=number, name=name, shown=shown)


def _sent_again(sent: str) -> Any:
    """What a form had, where it was refused: nobody has to do it again."""
    try:
        return json.loads(sent)
    except (ValueError, RecursionError):
        return None


ROUTES = [
    Route("/roles/{number}/tree", show),
    Route("/roles/{number}/tree", action(save), methods=["POST"]),
]
