"""What all steps share: the session of a request, pages with their frame, and starting work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pellucid.core.schema import Column, Role
from pellucid.core.schema.people import ROW
from pellucid.messages import Message
from pellucid.messages.speaker import speak
from pellucid.web.earlier_releases import settle
from pellucid.web.jobs import BackgroundJob, Busy, TaskCall
from pellucid.web.naming_columns import naming_columns
from pellucid.web.pages import one_line, render
from pellucid.web.session import Session
from pellucid.web.uploads import UNPACKED
from pellucid.web.wording import Page

Handler = Callable[[Request], Awaitable[Response]]
TABLE = "table"  # the field of a form that says which table it speaks about
ROLES = "roles"  # the field that says for which roles a setting was chosen
RELEASE = "release"  # the field that says which release was shown beside a form: its number
COLUMN = "column-"  # fields that say what the column with a number was called when the form was shown
CLOSED = "the table was closed, in another tab or because nobody was here for long; open it again, for nothing was done"
ELSEWHERE = "the table has changed in another tab; here it is as it is now, and nothing was done"
OTHER_ROLES = "what is said about the columns has changed in another tab; look at it again, for nothing was done"
OTHER_RELEASE = "the release has changed in another tab; here it is as it is now, and nothing was done"
POSTED = "posted"  # the header by which a part of a page tells that the page answers a form
QUICK = 1.0  # seconds that an answer waits for work that may be over at once


def session_of(request: Request) -> Session:
    """The steward's session; whoever asks is there."""
    session: Session = request.app.state.session
    session.touch()
    settle(session)
    speak(Page(rows=any(one.role is Role.CLUSTER or one.people == ROW for one in session.columns.values())))
    return session


def page(request: Request, template: str, step: str, *, error: str = "", status: int = 200, **values: Any) -> Response:
    """A page of a step inside its frame. How a job ended is told on the page that it belongs to, and on no other."""
    session = session_of(request)
    job = session.jobs.current
    path = request.url.path.strip("/")
    ended_here = False
    if job is not None and job.state in ("failed", "cancelled"):
        home = home_of(job, session)
        ended_here = _under(path, home)
        untold = session.told != job.number
        if not ended_here and untold and request.method == "GET" and any(_under(path, one) for one in job.steps):
            return to(f"/{home}")  # whoever waited here for the end of it
        session.told = job.number if ended_here else session.told
    done, session.done = session.done, ""
    posted, query = request.method != "GET", request.url.query
    error, session.refused = error or session.refused, ""
    text = render(
        template,
        session=session,
        step=step,
        error=error,
        done=done,
        job=job,
        ended_here=ended_here,
        version=session.jobs.version,
        ready=ready(session),
        here=f"/{step or 'data'}" if posted else request.url.path + (f"?{query}" if query else ""),  # to come back to
        posted=posted,
        naming=naming(session) if step in ("method", "result", "release") else [],
        **values,
    )
    return HTMLResponse(text, status_code=status)


def naming(session: Session) -> list[str]:
    """The columns that name people and that the steward wants to publish all the same; every later step says so."""
    if session.checked is None or session.data is None:
        return []
    return naming_columns(session.data, session.columns)


def home_of(job: BackgroundJob, session: Session) -> str:
    """The page that the end of a job belongs to: the furthest of its pages that can be worked on."""
    able = ready(session)
    return next((step for step in reversed(job.steps) if able.get(step.partition("/")[0])), job.steps[0])


def _under(path: str, step: str) -> bool:
    return path == step or path.startswith(f"{step}/")


def changed_elsewhere(session: Session, form: Mapping[str, str]) -> Message:
    """What to say to a form that speaks about another table than the one that is open now; empty if it is this one.

    Roles and details name columns by their number. So a form carries the table's id, which every opening of a file
    draws anew, and what it called the columns; where either is not as it is now, no part of the form is taken. A page
    that was shown without any table may be answered: the steps say that there is none.
    """
    if session.source is None:
        return Message("") if form.get(TABLE, session.table_id) == session.table_id else Message(CLOSED)
    names = {f"{COLUMN}{number}": one_line(name) for number, name in enumerate(session.columns)}
    called = {field: one_line(name) for field, name in form.items() if field.startswith(COLUMN)}
    same = form.get(TABLE) == session.table_id and called.items() <= names.items()
    if same:
        return Message("")
    name = session.source["name"]
    return Message.of(ELSEWHERE, Message("the table that is open now is {name}", name=name))


def chosen_elsewhere(session: Session, form: Mapping[str, str]) -> Message:
    """The same of a setting: it speaks about the table and about the roles that the steward saw beside it."""
    told = changed_elsewhere(session, form)
    return Message(told or ("" if session.checked is None or form.get(ROLES) == session.roles_id else OTHER_ROLES))


def made_elsewhere(session: Session, form: Mapping[str, str]) -> Message:
    """The same of what is asked about a release: nobody gets an answer about one for another that they saw."""
    told = changed_elsewhere(session, form)
    same = session.release is None or form.get(RELEASE) == str(session.releases)
    return Message(told or ("" if same else OTHER_RELEASE))


def ready(session: Session) -> dict[str, bool]:
    """Which steps can be worked on."""
    return {
        "data": True,
        "roles": session.data is not None,
        "method": session.checked is not None,
        "result": session.release is not None,
        "release": session.release is not None,
    }


async def settled(job: BackgroundJob, seconds: float = QUICK) -> BackgroundJob:
    """The job, after it ended or after a moment, whatever comes first."""
    until = time.monotonic() + seconds
    while job.running and time.monotonic() < until:
        await asyncio.sleep(0.02)
    return job


def action(handler: Handler) -> Handler:
    """A form that the steward sends. Once it worked, what became of a release before it need not be told any more."""

    async def acted(request: Request) -> Response:
        session = session_of(request)
        before = session.discarded
        answer = await handler(request)
        if answer.status_code == 303 and session.discarded == before:  # else it was this one that discarded a release
            session.discarded = ""
        return answer

    return acted


def to(path: str) -> Response:
    """Go on to a page, so that a reload asks for the page and does not send the form again."""
    return RedirectResponse(path, status_code=303)


def load_again(request: Request, path: str) -> Response:
    """Have a page load itself again; one that answers a form is left for ``path``: nobody means to send it again."""
    posted = request.headers.get(POSTED)
    return Response(status_code=204, headers={"HX-Redirect": path} if posted else {"HX-Refresh": "true"})


async def trouble(request: Request, wrong: Exception) -> Response:
    """A mistake that no step answered itself, on a page of its own."""
    return page(request, "trouble.html", "", error=str(wrong), status=422)


def start(
    session: Session,
    title: str,
    steps: tuple[str, ...],
    tasks: Sequence[TaskCall],
    *,
    kept: Callable[[], str] | None = None,
    files: Sequence[Path] = (),
    line: str = "",
) -> BackgroundJob:
    """Begin work in the background; see :meth:`pellucid.web.jobs.Jobs.start`."""
    return session.jobs.start(title, steps, tasks, kept=kept, files=files, line=line)


def waits(session: Session, wrong: Busy, path: str) -> Response:
    """Say on the page itself that something else is being made, and that nothing was begun."""
    session.refused = f"Nothing was begun: {wrong}."
    return to(path)


def open_source(
    session: Session,
    place: str,
    name: str,
    *,
    limited: bool,
    said: Mapping[str, Any] | None = None,
    first: Sequence[TaskCall] = (),
) -> BackgroundJob:
    """Begin with a table: read it, and take the suggested roles as the first draft.

    How a file writes its table is guessed; what ``said`` has of it, or about empty values and dates, is the steward's.
    ``first`` is done before: what brings the file. A table that is open stays with all that was said of it until the
    next one is read; where that cannot be read, nothing is lost.
    """
    most = UNPACKED * session.settings.max_upload if limited else 0
    source: dict[str, Any] = {"place": place, "name": name, "most_cells": most, **(said or {})}
    beside, reading = session.data is not None and said is None, dict[str, Any]()
    if beside:
        session.jobs.cancel()
    else:
        session.choose(source)

    def guessed(found: dict[str, Any]) -> None:
        reading.update(found)
        if not beside:
            session.reading = found
        source.setdefault("form", found["form"])

    def keep(found: dict[str, Any]) -> None:
        if beside:
            session.replace(source)
            session.reading = reading
            if session.jobs.current is not None:
                session.jobs.current.files = ()  # the file is that of the table now
        session.data = found
        session.columns = {column["name"]: Column(**column["said"]) for column in found["columns"]}

    about = {"source": source}  # one dictionary: the second task hears what the first one guessed
    tasks = [
        *first,
        TaskCall("guess", about, guessed, part="finding out how it is written", seconds=1.5),
        TaskCall("open", about, keep, part="reading and counting", seconds=1.0),
    ]
    brought = [Path(place)] if beside and Path(place).parent == session.folder else []
    return start(session, f"Reading {name}", ("data",), tasks, files=brought)
