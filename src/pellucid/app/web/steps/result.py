"""Step 4, Result: before and after; the tabs Risk, Utility and Compare."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pellucid.app.web.answers import page, session_of, settled, start, to
from pellucid.app.web.desk import NAMES_FILE
from pellucid.app.web.jobs import Task
from pellucid.app.web.pages import render
from pellucid.app.web.people import names_like
from pellucid.app.web.session import Session
from pellucid.app.web.steps.method import look_closer
from pellucid.app.web.uploads import form_of
from pellucid.errors import MethodError, PellucidError
from pellucid.group import methods

TABS = (("", "Before and after"), ("risk", "Risk"), ("utility", "Utility"), ("compare", "Compare"))
USUAL = ("hybrid", "tailor", "ace", "anatomy", "mondrian")
MOST_SETTINGS = 60
PATIENCE = 8.0  # seconds that the answer about one person may take before the page shows progress


async def show(request: Request) -> Response:
    """Before and after."""
    return page(request, "result.html", "result", tab="", tabs=TABS)


async def risk(request: Request) -> Response:
    """What every adversary learns."""
    return _risk_page(request)


def _risk_page(request: Request, *, error: str = "", status: int = 200) -> Response:
    """The tab with what was found about one person; that somebody could not be found is told once."""
    session = session_of(request)
    person = session.person
    if person is not None and "error" in person:
        session.person = None
    return page(request, "risk.html", "result", error=error, status=status, tab="risk", tabs=TABS, person=person)


async def names(request: Request) -> Response:
    """Names that fit what is being typed; sent as a form, so that they are in no address."""
    session = session_of(request)
    typed = (await form_of(request)).get("who", "")
    found = await run_in_threadpool(names_like, session.folder / NAMES_FILE, typed) if session.release else []
    return HTMLResponse(render("names.html", names=found))


async def utility(request: Request) -> Response:
    """What the release is still good for."""
    return page(request, "utility.html", "result", tab="utility", tabs=TABS)


async def comparison(request: Request) -> Response:
    """Risk against utility over methods and l."""
    return _compare_page(request)


async def look(request: Request) -> Response:
    """Attack and measure again, for instance after a Cancel."""
    session = session_of(request)
    if session.release is None:
        return to("/method")
    about = {"source": session.source, "schema": session.toml}
    await settled(start(session, "Attacking and measuring the release", ("result",), look_closer(session, about)))
    return to("/result/risk")


async def person(request: Request) -> Response:
    """Attack one person; with htmx only the answer, else the page."""
    session = session_of(request)
    who = (await form_of(request)).get("who", "")
    alone = request.headers.get("hx-request") == "true"

    def keep(found: dict[str, Any]) -> None:
        session.person = found

    try:
        if session.release is None or session.risk is None:
            raise PellucidError("there is no release that was attacked; publish at step 3, Method, then ask again")
        kinds = session.risk.get("tried", [])
        about = {"source": session.source, "schema": session.toml, "kinds": kinds, "who": who}
        task = Task("person", about, keep, lambda why: keep({"error": why}))
        session.jobs.require_idle()
        session.person = None  # before the work begins, which may be over at once
        job = start(session, "Attacking one person", ("result/risk",), [task])
    except PellucidError as wrong:  # busy with something else, which is no answer to be kept
        if alone:
            return HTMLResponse(render("person.html", person={"error": str(wrong)}))
        return _risk_page(request, error=str(wrong), status=422)
    await settled(job, PATIENCE)
    if alone and session.person is None:  # still at work: the page shows how far it is
        return Response(status_code=204, headers={"HX-Refresh": "true"})
    if not alone:
        return to("/result/risk#person")
    told, session.person = session.person, None if "error" in (session.person or {}) else session.person
    return HTMLResponse(render("person.html", person=told))


async def compare(request: Request) -> Response:
    """Publish the table with every setting that was ticked, and set them side by side."""
    session = session_of(request)
    if session.checked is None:
        return to("/roles")
    form = await form_of(request)
    names = [name for name in comparable() if f"m-{name}" in form]
    try:
        ls = _range(form.get("from", ""), form.get("to", ""))
        if not names:
            raise MethodError("no method is ticked; tick at least one")
        if len(names) * len(ls) > MOST_SETTINGS:
            raise MethodError(
                f"{len(names)} methods times {len(ls)} values of l are {len(names) * len(ls)} releases, more than the "
                f"{MOST_SETTINGS} that one comparison makes; tick fewer, or choose a smaller range"
            )

        def keep(found: dict[str, Any]) -> None:
            session.comparison = found

        about = {"source": session.source, "schema": session.toml, "names": names, "ls": ls}
        job = start(
            session, f"Comparing {len(names) * len(ls)} releases", ("result/compare",), [Task("compare", about, keep)]
        )
    except PellucidError as wrong:
        return _compare_page(request, error=str(wrong), status=422, names=names)
    await settled(job)
    return to("/result/compare")


def _range(low: str, high: str) -> list[int]:
    if not (low.isdigit() and high.isdigit() and 2 <= int(low) <= int(high) <= 10_000):
        raise MethodError(f"l from {low or 'nothing'} to {high or 'nothing'}: give two whole numbers from 2 upward")
    return list(range(int(low), int(high) + 1))[: MOST_SETTINGS + 1]


def comparable() -> list[str]:
    """The methods that promise 1/l and need nothing else, the usual ones first."""
    able = [
        name
        for name, kind in methods().items()
        if "l" in kind.model_fields
        and all(field == "l" or not declared.is_required() for field, declared in kind.model_fields.items())
    ]
    return [*(name for name in USUAL if name in able), *(name for name in able if name not in USUAL)]


def _compare_page(request: Request, *, error: str = "", status: int = 200, names: list[str] | None = None) -> Response:
    session: Session = session_of(request)
    chosen = names if names is not None else (session.comparison or {}).get("names", list(USUAL))
    largest = 2 if session.checked is None else session.checked["feasible"]["largest"]
    ls = (session.comparison or {}).get("ls") or [2, max(2, min(6, largest))]
    return page(
        request,
        "compare.html",
        "result",
        error=error,
        status=status,
        tab="compare",
        tabs=TABS,
        comparable=comparable(),
        chosen=chosen,
        low=ls[0],
        high=ls[-1],
    )


ROUTES = [
    Route("/result", show),
    Route("/result/risk", risk),
    Route("/result/utility", utility),
    Route("/result/compare", comparison),
    Route("/result/look", look, methods=["POST"]),
    Route("/result/person", person, methods=["POST"]),
    Route("/result/names", names, methods=["POST"]),
    Route("/result/compare", compare, methods=["POST"]),
]
