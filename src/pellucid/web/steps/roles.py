"""Step 2, Roles: what each column is, what that would publish, and the schema as a file."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pellucid.core.schema import MOST_DRAFTED, OF_GROUP, THREE_STEPS, Column, Role
from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.messages import Message
from pellucid.messages.terms import quoted_key
from pellucid.text.values import few
from pellucid.web.checks import PEOPLE_ANSWERS, ROLES, checks_of_column, things_left
from pellucid.web.jobs import BackgroundJob, TaskCall
from pellucid.web.naming_columns import RULE, telling_columns, watched
from pellucid.web.pages import render
from pellucid.web.recounted import key_of
from pellucid.web.session import Session
from pellucid.web.step_support import action, changed_elsewhere, load_again, page, session_of, settled, start, to
from pellucid.web.steps.drafting import (
    DISCARD,
    MAX_SCHEMA,
    NUMBERS_PEOPLE,
    change,
    changed,
    choose_hiding,
    choose_where,
    count_rounded,
    declared,
    in_words,
    schema_of_some,
    take,
    take_where,
    with_role,
)
from pellucid.web.uploads import Upload, form_of
from pellucid.web.ways_out import people_instead, roles_instead

A_MOMENT = 0.2  # seconds that an answer waits for a count; the page asks again
PUBLISH = "publish"  # the tick of a form: these columns may be published though they name people
PEOPLE = "people-"  # with the number of a column: what is done about people who have several rows
WHERE = "where"  # the field of the form: which rows are published
HIDE = "hide"  # the tick: no column is protected, people are only hidden among others
ACCEPT = "accept-"  # with the number of a column: it may be published though it gives a protected one away


async def show(request: Request) -> Response:
    """All columns."""
    return roles_page(request)


async def save(request: Request) -> Response:
    """Take the roles, then read the table under them."""
    session = session_of(request)
    form = await form_of(request)
    if session.data is None:
        return to("/data")
    if told := changed_elsewhere(session, form):
        return roles_page(request, error=told, status=409)
    drafted = session.columns
    try:
        drafted = _drafted(session, form)
        change(session, drafted, discard=DISCARD in form)
        choose_hiding(session, HIDE in form, discard=DISCARD in form)
        choose_where(session, form.get(WHERE, session.where), discard=DISCARD in form)
        session.jobs.forget()  # what went wrong before was about another draft
        if re.fullmatch(r"\d{1,6}", form.get("then", "")):  # the details of one column; what was chosen so far is kept
            return to(f"/roles/{form['then']}")
        _require_choice(session)
        session.schema  # noqa: B018  (raises when the roles do not make a schema)
        if form.get("then") != "method":
            session.done = "The roles are saved."
            return to("/roles")
        _require_tick(session, form)
        names = list(session.columns)
        session.accept_known = tuple(name for number, name in enumerate(names) if f"{ACCEPT}{number}" in form)
        job = start_check(session)
    except PellucidError as wrong:
        return roles_page(request, error=in_words(wrong), status=422, columns=drafted, form=form)
    await settled(job)
    return to("/roles" if job.state == "failed" or session.determined else "/method")


async def instead(request: Request) -> Response:
    """Take one of the nearest roles that can be published, and read the table under them."""
    session, form = session_of(request), await form_of(request)
    if session.data is None:
        return to("/data")
    if told := changed_elsewhere(session, form):
        return roles_page(request, error=told, status=409)
    ways = {**roles_instead(session, session.columns), **people_instead(session)}
    found = ways.get(form.get("way", ""))
    if found is None:
        return to("/roles")
    try:
        change(session, found[1], discard=DISCARD in form)
        choose_hiding(session, session.hide or form["way"] == HIDE, discard=DISCARD in form)
        session.schema  # noqa: B018  (raises when the roles do not make a schema)
        _require_choice(session)
        _require_tick(session, {PUBLISH: " ".join(session.confirmed)})
        job = start_check(session)
    except PellucidError as wrong:
        return roles_page(request, error=in_words(wrong), status=422)
    await settled(job)
    return to("/roles" if job.state == "failed" or session.determined else "/method")


async def consider(request: Request) -> Response:
    """What the roles that are chosen now would publish; they are kept, unless that would discard what was made."""
    session = session_of(request)
    form = await form_of(request)
    if session.data is None:
        return load_again(request, "/roles")
    if told := changed_elsewhere(session, form):
        return HTMLResponse(render("elsewhere.html", step="roles", told=told))
    try:
        drafted = _drafted(session, form)
    except PellucidError:  # no such role; saving it says so
        return Response(status_code=204)
    _keep_choices(session, drafted, form.get(WHERE, session.where))
    about = _considered(session, drafted, form, form.get(PUBLISH, "").split())
    beside = render("in_columns.html", session=session, columns=drafted, **about)
    return HTMLResponse(render("telling.html", session=session, **about) + beside)


def _keep_choices(session: Session, drafted: dict[str, Column], where: str) -> None:
    """Keep roles as they are chosen, so that leaving the page loses none; a release or comparison waits for Save."""
    if session.release is not None or session.comparison is not None or session.comparing is not None:
        return
    with suppress(PellucidError):  # work is going on: saving says so
        change(session, drafted, discard=False)
        choose_where(session, where, discard=False)


async def unique(request: Request) -> Response:
    """How many people the roles that are chosen now single out; changes nothing, and waits for other work."""
    session, form = session_of(request), await form_of(request)
    if session.data is None or session.source is None or changed_elsewhere(session, form):
        return Response(status_code=204)  # what happened is told beside the roles
    try:
        drafted = _drafted(session, form)
    except PellucidError:
        return Response(status_code=204)
    return HTMLResponse(render("uniques.html", uniques=await _uniques(session, drafted)))


async def _uniques(session: Session, columns: Mapping[str, Column]) -> list[str] | None:
    """The sentences, as far as they are known already or are counted in a moment; None: ask again."""
    if _counted(session, columns) is None and session.jobs.running is None:
        quasi, asked = _quasi(columns), _as_known(columns)
        begun: list[BackgroundJob] = []  # once it gave way nobody waits for it

        def keep(found: dict[str, Any]) -> None:
            session.counted = (asked, found["unique"])

        task = TaskCall(
            "unique",
            {"source": session.source, "quasi": quasi, "rounded": _rounded(columns)},
            keep,
            lambda _why: keep({"unique": []}),
            yields=True,
            wanted=lambda: not begun or begun[0].running,
        )
        begun.append(start(session, "Counting people who are unique", ("roles",), [task]))
        await settled(begun[0], A_MOMENT)
        if not begun[0].running:
            session.jobs.forget()
    return _counted(session, columns)


def _counted(session: Session, columns: Mapping[str, Column]) -> list[str] | None:
    """The sentences where the columns that others may know are those of the draft, or of the roles that were read."""
    assert session.data is not None
    quasi = _quasi(columns)
    if not quasi:
        return []
    if session.checked is not None and _as_known(columns) == _as_known(session.columns):
        return list(session.checked["unique"])
    if session.counted is not None and _as_known(columns) == session.counted[0]:
        return session.counted[1]
    drafted = [column["name"] for column in session.data["columns"] if column["role"] == Role.QUASI]
    return list(session.data["unique"]) if quasi == drafted and not _rounded(columns) else None


def _as_known(columns: Mapping[str, Column]) -> list[str]:
    """The columns that others may know, each as it is read: what the sentences are about."""
    return [f"{name} {key_of(name, columns[name])}" for name in _quasi(columns)]


def _rounded(columns: Mapping[str, Column]) -> str:
    """Those of them that are rounded, as a schema; empty where none is."""
    rounded = {name: columns[name] for name in _quasi(columns) if key_of(name, columns[name])}
    return schema_of_some(rounded) if rounded else ""


def _quasi(columns: Mapping[str, Column]) -> list[str]:
    return [name for name, column in columns.items() if column.role is Role.QUASI]


def _drafted(session: Session, form: Mapping[str, str]) -> dict[str, Column]:
    """The columns with the roles that a form chooses."""
    drafted = {
        name: with_role(name, column, form.get(f"role-{number}", str(column.role)))
        for number, (name, column) in enumerate(session.columns.items())
    }
    for number, (name, column) in enumerate(drafted.items()):
        answer = form.get(f"{PEOPLE}{number}")
        if answer in PEOPLE_ANSWERS and column.role in NUMBERS_PEOPLE:
            drafted[name] = changed(name, column, {"people": answer})
    return drafted


def _considered(
    session: Session, columns: Mapping[str, Column], form: Mapping[str, str], ticked: Iterable[str]
) -> dict[str, Any]:
    """What a page says about columns that name people, and about a release that a change would discard."""
    assert session.data is not None
    found = telling_columns(session.data, columns)
    needed = [one for one in found if one.needs_tick]
    return {
        "telling": {one.number: one for one in found},
        "needed": needed,
        "ticked": {one.token for one in needed} <= set(ticked),
        "watched": watched(session.data),
        "rule": RULE,
        "discards": session.release is not None and dict(columns) != session.columns,
        "discard": DISCARD in form,
        "determined": [
            (number, name, session.determined[name])
            for number, name in enumerate(columns)
            if name in session.determined
        ],
        "unprotected": not any(column.role is Role.SENSITIVE for column in columns.values()),
        "hide": HIDE in form if form else session.hide,
        "where": form.get(WHERE, session.where),
        "several": _numbering_people(session.data["columns"], columns),
        "people_answers": PEOPLE_ANSWERS,
        "accept": {number for number in range(len(columns)) if f"{ACCEPT}{number}" in form},
    }


def _numbering_people(
    facts: Iterable[Mapping[str, Any]], columns: Mapping[str, Column]
) -> list[tuple[int, str, int, str | None]]:
    """The columns that are not published and number people of whom some have several rows."""
    return [
        (number, fact["name"], fact["people"], columns[fact["name"]].people)
        for number, fact in enumerate(facts)
        if fact["people"] and columns[fact["name"]].role is Role.DROP
    ]


def _require_tick(session: Session, form: Mapping[str, str]) -> None:
    """Raise unless the steward ticked that each column that names people is to be published in the role it has."""
    assert session.data is not None
    needed = [one for one in telling_columns(session.data, session.columns) if one.needs_tick]
    ticked = frozenset(form.get(PUBLISH, "").split())
    lacking = [one.name for one in needed if one.token not in ticked]
    if lacking:
        session.confirmed = frozenset()
        raise SchemaError(
            f"{few(lacking)}: nearly every value belongs to one person; choose another role, or tick the box below the "
            "columns to publish it all the same"
        )
    session.confirmed = frozenset(one.token for one in needed)


def _require_choice(session: Session) -> None:
    """Raise when a draft leaves it open what to protect, or has more columns that others know than are of use."""
    quasi, sensitive = (len(session.names(role)) for role in (Role.QUASI, Role.SENSITIVE))
    lacking = (
        Message("no column has {role}", role=quoted_key("role", "sensitive"))
        if not sensitive and not session.hiding
        else Message("no column has {role}", role=quoted_key("role", "quasi"))
        if not quasi
        else ""
    )
    if session.drafted and (lacking or quasi > MOST_DRAFTED):
        told = lacking or Message("{quasi} columns have {role}", quasi=quasi, role=quoted_key("role", "quasi"))
        raise SchemaError("{told}, so nothing is published; three steps: {steps}", told=told, steps=THREE_STEPS)


def start_check(session: Session) -> Any:
    """Read the table under the schema, in the background."""

    def keep(found: dict[str, Any]) -> None:
        session.determined = {
            name: told for name, told in found["determined"].items() if name not in session.accept_known
        }
        if session.determined:  # nothing goes on before somebody decided about them
            session.checked = None
            return
        names = [name for name, column in session.columns.items() if column.role in OF_GROUP]
        session.accept_known = tuple(name for name in session.accept_known if name in names)
        session.load_outline()
        session.checked = found

    task = TaskCall("check", {"source": session.source, "schema": session.toml}, keep)
    return start(session, "Reading the table with these roles", ("roles", "method"), [task])


async def load(request: Request) -> Response:
    """Take the whole schema from a TOML file, the one that the command line reads."""
    session = session_of(request)
    if session.data is None:
        return to("/data")
    with Upload(session.folder, f"schema-{secrets.token_hex(4)}", MAX_SCHEMA, (".toml",)) as taken:
        return await _load(request, session, taken)


async def _load(request: Request, session: Session, taken: Upload) -> Response:
    try:
        await taken.receive(request)
        if taken.path is None:
            raise InputError("no file was chosen; a schema is a .toml file, such as “Save the schema” gives")
        if told := changed_elsewhere(session, taken.fields):
            return roles_page(request, error=told, status=409)
        if session.data is None:  # it was closed while the file arrived
            return to("/data")
        discard = DISCARD in taken.fields
        loaded = f"The schema {taken.name} is loaded: every column has the role that it says, or is left out."

        def keep(found: dict[str, Any]) -> None:
            take(session, session.load_draft(), discard=discard)
            take_where(session, found["where"], discard=discard)
            session.trees = {}
            session.drafted = False
            session.done = loaded

        about = {"path": str(taken.path), "name": taken.name, "columns": list(session.columns)}
        await declared(session, f"Reading {taken.name}", TaskCall("schema", about, keep), taken)
        await count_rounded(session)
    except PellucidError as wrong:
        return roles_page(request, error=in_words(wrong), status=422)
    return to("/roles")


async def download(request: Request) -> Response:
    """The schema as a file for the command line."""
    session = session_of(request)
    if session.data is None:
        return to("/data")
    headers = {"Content-Disposition": 'attachment; filename="schema.toml"'}
    return Response(session.toml, media_type="application/toml; charset=utf-8", headers=headers)


def roles_page(
    request: Request,
    *,
    error: str = "",
    status: int = 200,
    columns: Mapping[str, Column] | None = None,
    form: Mapping[str, str] | None = None,
) -> Response:
    """All columns; ``columns`` are roles that were chosen and not taken, so that nobody has to choose them again."""
    session = session_of(request)
    shown, given = columns or session.columns, form or {}
    about: dict[str, Any] = {}
    if session.data is not None:
        ticked = {*session.confirmed, *given.get(PUBLISH, "").split()}
        about = _considered(session, shown, given, ticked)
        about["checks"] = [checks_of_column(facts, shown[facts["name"]]) for facts in session.data["columns"]]
        stuck = bool(error) or bool(session.determined)
        about["instead"] = [way for way, _ in roles_instead(session, session.columns).values()] if stuck else []
        about["uniques"] = _counted(session, shown)
        about["things"] = things_left(session.data, shown)
    return page(request, "roles.html", "roles", error=error, status=status, roles=ROLES, columns=shown, **about)


ROUTES = [
    Route("/roles", show),
    Route("/roles", action(save), methods=["POST"]),
    Route("/roles/consider", consider, methods=["POST"]),
    Route("/roles/unique", unique, methods=["POST"]),
    Route("/roles/instead", action(instead), methods=["POST"]),
    Route("/roles/load", action(load), methods=["POST"]),
    Route("/roles/schema.toml", download),
]
