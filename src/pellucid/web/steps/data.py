"""Step 1, Data: a file or a demo table, and what it looks like."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pellucid.errors import InputError
from pellucid.io.unpacking import TooLarge
from pellucid.web.session import Session
from pellucid.web.settings import MEGABYTE, is_loopback
from pellucid.web.step_support import TABLE, changed_elsewhere, open_source, page, session_of, settled, to
from pellucid.web.steps.drafting import DISCARD, MAX_SCHEMA
from pellucid.web.steps.reading import reading_of
from pellucid.web.uploads import Upload, form_of, table_of_project

DEMOS = {
    "patients": (
        "patients",
        "Eight patients",
        "The example of the literature: names, ages, zip codes, diseases.",
    ),
    "census": (
        "census:50000",
        "Census of 50,000",
        "Invented adults: age, gender, education, birthplace, occupation.",
    ),
}


async def show(request: Request) -> Response:
    """The page."""
    return data_page(request)


async def upload(request: Request) -> Response:
    """Take a file, under a name of ours."""
    session = session_of(request)
    stem, settings = f"upload-{secrets.token_hex(4)}", session.settings
    try:
        with Upload(session.folder, stem, settings.max_upload, patience=settings.idle_seconds) as taken:
            await taken.receive(request)
            if taken.path is None:
                raise InputError("no file was chosen; choose one, then press Open")
            if (table := table_of_project(taken.path)) is not None:
                return _project_first(request, taken.path, taken.name, table)
            require_discard(session, taken.fields)
            session.expired = False
            job = open_source(session, str(taken.path), taken.name, limited=True)
            taken.hand_over()
    except InputError as wrong:
        return data_page(request, error=str(wrong), status=413 if isinstance(wrong, TooLarge) else 422)
    await settled(job)
    return to("/data")


def _project_first(request: Request, path: Path, name: str, table: str) -> Response:
    """Say that a file is a project and no table, and keep it until its table is open; nothing else changes."""
    if path.stat().st_size > MAX_SCHEMA:
        raise TooLarge(f"{name} is a project of more than {MAX_SCHEMA // MEGABYTE} MB; open it at step 2, Roles")
    session_of(request).waiting = (name, table, path.read_text("utf-8-sig", "replace"))
    return to("/data")


async def demo(request: Request) -> Response:
    """Take one of the tables that come with the package."""
    session = session_of(request)
    form = await form_of(request)
    name = form.get("name", "")
    if name not in DEMOS:
        return data_page(request, error=f"there is no demo table {name!r}; choose one of those below", status=422)
    try:
        require_discard(session, form)
    except InputError as wrong:
        return data_page(request, error=str(wrong), status=422)
    place, title, _ = DEMOS[name]
    await settled(open_source(session, place, title, limited=False))
    return to("/data")


def require_discard(session: Session, form: Mapping[str, str]) -> None:
    """Raise when another table would replace one that has a finished release, and nobody said that it may go.

    And when it would replace one that this tab does not show: somebody works with that in another tab.
    """
    if session.source is not None and form.get(TABLE) != session.table_id and DISCARD not in form:
        raise InputError(
            f"{session.source['name']} was opened in another tab and is worked on there, and nothing was opened here; "
            "opening another table closes it: do it once more if you mean it"
        )
    if session.release is not None and DISCARD not in form:
        raise InputError(
            f"opening another table discards the finished release ({session.release_name}), and nothing was opened "
            "yet; tick “Discard the finished release” beside what you open, or download the release first"
        )


async def ask_to_forget(request: Request) -> Response:
    """Ask once, on a page with two buttons, before everything is deleted."""
    if session_of(request).source is None:
        return to("/data")
    return _forget_page(request)


async def forget(request: Request) -> Response:
    """Delete everything now, if the page that asks was answered."""
    session, form = session_of(request), await form_of(request)
    if form.get("sure") != "yes":
        return await ask_to_forget(request)
    if session.source is not None and (told := changed_elsewhere(session, form)):
        return _forget_page(request, error=told, status=409)
    session.clear()
    return to("/data")


def _forget_page(request: Request, *, error: str = "", status: int = 200) -> Response:
    return page(request, "forget.html", "data", error=error, status=status)


def data_page(
    request: Request, *, error: str = "", status: int = 200, database: Mapping[str, str] | None = None
) -> Response:
    """The page of the step; ``database`` is what was written about one, without a password."""
    session = session_of(request)
    return page(
        request,
        "data.html",
        "data",
        error=error,
        status=status,
        demos=DEMOS,
        reading=reading_of(session),
        database=database or (session.database if session.data is None else {}),
        databases=may_ask_databases(session),
    )


def may_ask_databases(session: Session) -> bool:
    """Whether the page asks databases: who sits elsewhere would read files and hosts of this computer with it."""
    return is_loopback(session.settings.host)


ROUTES = [
    Route("/data", show),
    Route("/data/upload", upload, methods=["POST"]),
    Route("/data/demo", demo, methods=["POST"]),
    Route("/data/forget", ask_to_forget),
    Route("/data/forget", forget, methods=["POST"]),
]
