"""Save the whole session as a file, and open it again beside the table that it is about."""

from __future__ import annotations

import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.web.jobs import Busy, TaskCall
from pellucid.web.project_file import project_of
from pellucid.web.session import Session
from pellucid.web.step_support import action, changed_elsewhere, session_of, to
from pellucid.web.steps.drafting import DISCARD, MAX_SCHEMA, count_rounded, declared, in_words, take, take_where
from pellucid.web.steps.roles import roles_page
from pellucid.web.uploads import Upload


async def save(request: Request) -> Response:
    """The project as a file; it has no data."""
    session = session_of(request)
    if session.data is None or session.source is None:
        return to("/data")
    headers = {"Content-Disposition": 'attachment; filename="project.toml"'}
    return Response(project_of(session), media_type="application/toml; charset=utf-8", headers=headers)


async def open_again(request: Request) -> Response:
    """Take the roles, the setting and the list of releases of a project."""
    session = session_of(request)
    if session.data is None:
        return to("/data")
    asked = sound = False  # for the one that waits for its table; whether it can be opened, beside another one maybe

    def keep(found: dict[str, Any]) -> None:
        nonlocal sound
        sound = True
        _keep(session, found, taken.name, discard=DISCARD in taken.fields)

    with Upload(session.folder, f"project-{secrets.token_hex(4)}", MAX_SCHEMA, (".toml",)) as taken:
        try:
            await taken.receive(request)
            asked = "waiting" in taken.fields and session.waiting is not None
            if asked and session.waiting is not None:
                taken.take_text(session.waiting[2], ".toml", session.waiting[0])
            if taken.path is None:
                raise InputError("no file was chosen; a project is the file that “Save the project” gave you")
            if told := changed_elsewhere(session, taken.fields):
                return roles_page(request, error=told, status=409)
            about = {"path": str(taken.path), "name": taken.name, "columns": list(session.columns)}
            task = TaskCall("project", about, keep)
            await declared(session, f"Reading {taken.name}", task, taken)
            await count_rounded(session)
        except PellucidError as wrong:
            sound = sound or isinstance(wrong, Busy)  # it was not looked at yet
            session.waiting = None if asked and not sound else session.waiting  # it would be refused again
            return roles_page(request, error=in_words(wrong), status=422)
    return to("/roles")


def _keep(session: Session, found: dict[str, Any], name: str, *, discard: bool) -> None:
    if unknown := found.get("unknown"):
        raise SchemaError(
            f"{name} names the column {unknown!r}, which this table does not have; open the table of the project"
        )
    before = session.columns
    take(session, session.load_draft(), discard=discard)
    take_where(session, found["where"], discard=discard)
    session.trees, session.drafted = {}, False
    if session.columns is not before:  # no tick is taken from a file, and those of other roles are not for these
        session.accept_known, session.confirmed = (), frozenset()
    session.past, session.waiting = found["past"], None
    ours = (session.reading or {}).get("sha256", "")
    session.done = f"The project of {found['table']} is open: roles, setting and the list of its releases."
    if session.release is None:
        session.method, session.parameters, session.options = found["method"], found["parameters"], found["options"]
    else:  # the setting belongs to the release, which is kept and listed with it
        session.done = (
            f"The project of {found['table']} is open: roles and the list of its releases. The setting stays that of "
            "the finished release."
        )
    if found["sha256"] and ours != found["sha256"]:
        session.done = (
            f"The project of {found['table']} is open, but the table is not the one that it was saved with: the file "
            "has another content. Check the roles."
        )


ROUTES = [
    Route("/project.toml", save),
    Route("/project/open", action(open_again), methods=["POST"]),
]
