"""Step 4, Result: before and after; the tabs Risk, Utility and Compare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pellucid.anonymize.method import DEFAULT, STRICT
from pellucid.anonymize.methods import methods
from pellucid.comparison import PATIENCE as PATIENCE_OF_COMPARING
from pellucid.core.schema import Role
from pellucid.errors import MethodError, PellucidError
from pellucid.risk.adversary_kinds import KINDS
from pellucid.text.figures import counted
from pellucid.web.expected import MEASURE, PUBLISH, attack_seconds, expected
from pellucid.web.jobs import Busy, TaskCall
from pellucid.web.pages import render, told
from pellucid.web.people import names_like, row_numbered
from pellucid.web.possible_l import feasible_with
from pellucid.web.recodings import RECODINGS
from pellucid.web.rows_file import PAGE, names_of, read_rows, rows_named
from pellucid.web.session import Session
from pellucid.web.step_support import (
    action,
    changed_elsewhere,
    chosen_elsewhere,
    load_again,
    made_elsewhere,
    page,
    session_of,
    settled,
    start,
    to,
    waits,
)
from pellucid.web.steps.looking import look_closer
from pellucid.web.tasks.attack_budget import SECONDS
from pellucid.web.tasks.comparing import kept_settings, settings_of
from pellucid.web.uploads import form_of
from pellucid.web.worker_state import NAMES_FILE, ROWS_FILE

TABS = (
    ("", "Before and after"),
    ("risk", "Risk"),
    ("utility", "Utility"),
    ("compare", "Compare"),
)
USUAL = (DEFAULT, STRICT, "tailor", "ace", "anatomy", "mondrian")
MOST_SETTINGS = 60
LARGEST_L = 10_000
LONGEST = 86_400  # seconds that an attacker may be given
MOST_STEPS = 10**12
REASONING = tuple(kind.name for kind in KINDS.values() if kind.reasons)  # from the release or the method alone
LONGEST_NAME = 400  # characters of a name that is looked for
COMPARED = PATIENCE_OF_COMPARING  # seconds for one attacker in a comparison, unless the steward says otherwise
PATIENCE = 8.0  # seconds that the answer about one person may take before the page shows progress


async def show(request: Request) -> Response:
    """Before and after; ``?page=3`` has other rows."""
    session = session_of(request)
    asked = request.query_params.get("page", "1")
    number = int(asked) if re.fullmatch(r"[0-9]{1,9}", asked) else 1
    rows = await run_in_threadpool(shown_rows, session, number)
    return page(request, "result.html", "result", tab="", tabs=TABS, shown=rows)


async def find(request: Request) -> Response:
    """Show the rows of one person, or of all again; sent as a form, so that nobody's name is in an address."""
    session = session_of(request)
    form = await form_of(request)
    if told := made_elsewhere(session, form):
        rows = await run_in_threadpool(shown_rows, session, 1)
        return page(request, "result.html", "result", error=told, status=409, tab="", tabs=TABS, shown=rows)
    session.looked_for = "" if "all" in form else form.get("who", "").strip()[:LONGEST_NAME]
    return to("/result#beside")


def shown_rows(session: Session, number: int) -> dict[str, Any]:
    """The rows of one page of before and after: of the person who is looked for, or all in the order of the table."""
    release = session.release
    if release is None:
        return {"rows": [], "page": 1, "pages": 1, "found": 0, "every": 0, "who": "", "named": False, "wrong": ""}
    names, who, total = session.folder / NAMES_FILE, session.looked_for, release["rows"]
    named, wrong = names.is_file(), ""
    found: Sequence[int] = range(total)
    every = total  # of whom those found may be the first
    if who and named:
        found, every = rows_named(names, who)
        wrong = "" if found else f"nobody in the table is called {who}"
    elif who:
        try:
            found, every = [row_numbered(total, who)], 1
        except PellucidError as unknown:
            found, wrong = [], str(unknown)
    pages = max(1, -(-len(found) // PAGE))
    number = min(max(number, 1), pages)
    chosen = list(found[(number - 1) * PAGE : number * PAGE])
    rows = read_rows(session.folder / ROWS_FILE, chosen, release["columns"], release["after_columns"])
    called = names_of(names, chosen)
    rows.sort(key=lambda one: chosen.index(one["row"]))
    shown = [{**one, "name": called.get(one["row"], "")} for one in rows]
    about = {"rows": shown, "page": number, "pages": pages, "found": len(found), "who": who, "named": named}
    about["identifier"] = next(iter(session.names(Role.IDENTIFIER)), "")
    about["every"] = max(every if found else 0, len(found))
    return {**about, "first": (number - 1) * PAGE + 1, "last": (number - 1) * PAGE + len(shown), "wrong": wrong}


async def risk(request: Request) -> Response:
    """What every adversary learns; of several protected columns, ``?column=2`` shows the second from now on."""
    session = session_of(request)
    show_column(session, request.query_params.get("column", ""))
    return _risk_page(request)


def show_column(session: Session, number: str) -> None:
    """Show the attackers of the protected column of this number from now on, where there is one."""
    columns = session.names(Role.SENSITIVE)
    if re.fullmatch(r"[0-9]{1,4}", number) and 1 <= int(number) <= len(columns):
        another = columns[int(number) - 1] != session.column
        session.shown_column = columns[int(number) - 1]
        session.person = None if another else session.person  # what was found was about the other one


WORST_FIRST = ("broken", "open", "weak", "kept")


def every_column(session: Session) -> dict[str, Any]:
    """Whether the promise is kept about all protected columns: as for the worst of them; not tried is not known."""
    told = [
        {
            "name": name,
            "number": number,
            "shown": name == session.column,
            "state": (risk or {}).get("state", "open"),
            "covered": (risk or {}).get("covered", ""),
        }
        for number, (name, risk) in enumerate(session.risks.items(), 1)
    ]
    return {"columns": told, "state": min((one["state"] for one in told), key=WORST_FIRST.index, default="open")}


def _risk_page(request: Request, *, error: str = "", status: int = 200) -> Response:
    """The tab with what was found about one person; that somebody could not be found is told once."""
    session = session_of(request)
    person = session.person
    if person is not None and "error" in person:
        session.person = None
    elif person is not None and person["sensitive"] != session.column:  # another tab chose another one meanwhile
        person = None
    about = {"every": every_column(session)}
    return page(
        request, "risk.html", "result", error=error, status=status, tab="risk", tabs=TABS, person=person, **about
    )


async def names(request: Request) -> Response:
    """Names that fit what is being typed; sent as a form, so that they are in no address."""
    session = session_of(request)
    form = await form_of(request)
    found: list[str] = []
    if session.release is not None and not changed_elsewhere(session, form):
        found = await run_in_threadpool(names_like, session.folder / NAMES_FILE, form.get("who", ""))
    return HTMLResponse(render("names.html", names=found))


async def utility(request: Request) -> Response:
    """What the release is still good for."""
    return page(request, "utility.html", "result", tab="utility", tabs=TABS)


async def comparison(request: Request) -> Response:
    """Risk against utility over methods and l."""
    return _compare_page(request)


async def look(request: Request) -> Response:
    """Attack and measure again, for instance after a Cancel, or with more time for each attacker."""
    session = session_of(request)
    form = await form_of(request)
    if told := made_elsewhere(session, form):
        return _risk_page(request, error=told, status=409)
    if session.release is None:
        return to("/method")
    try:
        session.effort = effort_of(form) or session.effort
        about = {"source": session.source, "schema": session.toml}
        job = start(session, "Attacking and measuring the release", ("result",), look_closer(session, about))
    except Busy as wrong:
        return waits(session, wrong, "/result/risk")
    except PellucidError as wrong:
        return _risk_page(request, error=str(wrong), status=422)
    await settled(job)
    return to("/result/risk")


def effort_of(form: Mapping[str, str]) -> dict[str, Any]:
    """How long each attacker may take, as a form says; empty when it does not.

    >>> effort_of({"seconds": "300", "budget": "1000000"})
    {'seconds': 300.0, 'budget': 1000000}
    """
    found: dict[str, Any] = {}
    for name, kind, most in (("seconds", float, LONGEST), ("budget", int, MOST_STEPS)):
        text = form.get(name, "").strip()
        if not text:
            continue
        if not re.fullmatch(r"[0-9]{1,12}", text) or not 1 <= int(text) <= most:
            raise MethodError(f"{name} = {text}: must be a whole number from 1 to {most:,}")
        found[name] = kind(text)
    return found


async def person(request: Request) -> Response:
    """Attack one person on the column that the form's tab shows; with htmx only the answer, else the page."""
    session = session_of(request)
    form = await form_of(request)
    who = form.get("who", "")
    alone = request.headers.get("hx-request") == "true"

    if told := made_elsewhere(session, form):
        if alone:
            return HTMLResponse(render("elsewhere.html", step="result/risk", told=told))
        return _risk_page(request, error=told, status=409)
    show_column(session, form.get("column", ""))  # that of this tab: another one may have chosen another since

    def keep(found: dict[str, Any]) -> None:
        session.person = found

    try:
        if session.release is None or session.risk is None:
            raise PellucidError("there is no release that was attacked; publish at step 3, Method, then ask again")
        kinds = session.risk.get("tried", [])
        about = {"source": session.source, "schema": session.toml, "kinds": kinds, "who": who, **session.effort}
        about["column"] = session.column
        task = TaskCall("person", about, keep, lambda why: keep({"error": why}))
        session.jobs.require_idle()
        session.person = None  # before the work begins, which may be over at once
        job = start(session, "Attacking one person", ("result/risk",), [task])
    except PellucidError as wrong:  # busy with something else, which is no answer to be kept
        if alone:
            return HTMLResponse(render("person.html", person={"error": str(wrong)}))
        if isinstance(wrong, Busy):
            return waits(session, wrong, "/result/risk")
        return _risk_page(request, error=str(wrong), status=422)
    await settled(job, PATIENCE)
    if alone and session.person is None:  # still at work: the page shows how far it is
        return load_again(request, "/result/risk")
    if not alone:
        return to("/result/risk#person")
    answer, session.person = session.person, None if "error" in (session.person or {}) else session.person
    return HTMLResponse(render("person.html", person=answer))


async def compare(request: Request) -> Response:
    """Publish the table with every setting that was ticked, and set them side by side."""
    session = session_of(request)
    form = await form_of(request)
    if told := chosen_elsewhere(session, form):
        return _compare_page(request, error=told, status=409)
    if session.checked is None:
        return to("/roles")
    if session.hiding:
        return _compare_page(request, error="nothing is protected, so there is nothing to compare", status=422)
    names = [name for name in comparable() if f"m-{name}" in form]
    finished = "finished" in form  # only what an earlier run finished, without making more
    try:
        ls = _range(form.get("from", "").strip(), form.get("to", "").strip())
        if not names:
            raise MethodError("no method is ticked; tick at least one")
        if len(names) * len(ls) > MOST_SETTINGS:
            raise MethodError(
                f"{len(names)} methods times {len(ls)} values of l are {len(names) * len(ls)} releases, more than the "
                f"{MOST_SETTINGS} that one comparison makes; tick fewer, or choose a smaller range"
            )

        recode = form.get("recode", session.recode)
        if recode and recode not in RECODINGS:
            raise MethodError("{recode}: choose what a group becomes from the list", recode=recode)
        setting = {"method": session.method, "parameters": _set_parameters(session)}
        asked = {"names": names, "ls": ls, "recode": recode, **setting}
        asked |= {"sensitive": session.names(Role.SENSITIVE), **seconds_in(form)}
        settings_of(asked)  # raises while nothing has begun

        def keep(found: dict[str, Any]) -> None:
            session.comparison = found
            session.comparing = None if found["all"] else asked

        about = {"source": session.source, "schema": session.toml, "asked": asked, "finished": finished}
        about["yours"] = your_release(session)
        releases = len(names) * len(ls)
        title = "Looking at what was finished" if finished else f"Comparing {counted(releases, 'release')}"
        session.jobs.require_idle()
        session.comparing = asked
        task = TaskCall("compare", about, keep)
        job = start(session, title, ("result/compare",), [task], kept=lambda: kept_words(session))
    except PellucidError as wrong:
        return _compare_page(request, error=str(wrong), status=422, names=names)
    await settled(job)
    return to("/result/compare")


def seconds_in(form: Mapping[str, str]) -> dict[str, float]:
    """How long one attacker may take in a comparison, where the form says so."""
    return {"seconds": effort_of({"seconds": form.get("seconds", "")}).get("seconds", COMPARED)}


def possible_l(session: Session) -> dict[str, Any]:
    """Which l is possible, and why no larger one is: with what was set for the release, where there is one.

    ``others`` says it for the other methods that are compared, where that is something else: they protect the same
    values, and take all rows that belong together as one. ``every`` says it for methods that protect every value,
    where that is something else; there are none where rows belong together.
    """
    if session.checked is None:
        return {"largest": 2, "sentence": "", "others": "", "every": ""}
    feasible, outline = session.checked["feasible"], session.outline
    if session.release is None or outline is None or session.hiding:
        return {"largest": feasible["largest"], "sentence": feasible["sentence"], "others": "", "every": ""}
    parameters = _set_parameters(session)
    found = feasible_with(outline, session.method, parameters)
    said = {"largest": found.largest, "sentence": found.sentence, "others": "", "every": ""}
    if outline.clusters is not None:
        whole = {key: value for key, value in parameters.items() if key != "cluster_rows"}
        other = feasible_with(outline, session.method, whole).sentence
        return {**said, "others": "" if other == found.sentence else other}
    return {**said, "every": "" if told(found.sentence) == told(feasible["sentence"]) else feasible["sentence"]}


def _set_parameters(session: Session) -> dict[str, str]:
    """What was set for the release besides its method, in the words of a form; nothing before there was one."""
    return {} if session.release is None else dict(session.parameters)


def your_release(session: Session) -> dict[str, Any] | None:
    """The release that was made, as a line beside the settings that are compared; figures are those of its tabs."""
    release, utility = session.release, session.utility or {}
    if release is None or "scores" not in utility:
        return None
    values = {score["name"]: score["value"] for score in utility["scores"]}
    reasoning = _who_reasons_on_each(session.risks.values(), release["claim"])
    chosen = [f"{key} = {value}" for key, value in release["parameters"].items() if value != "False"]
    return {
        "setting": ", ".join([release["method"], *chosen]),
        "recode": release["recode"],
        "usual": methods()[release["method"]].recoder,
        "utility": values.get("query-error"),
        "kept": values.get("kept"),
        "loss": values.get("loss"),
        "groups": release["account"]["groups"],
        "risk": max(attempt["max_risk"] for attempt in reasoning) if reasoning else None,
        "above": max((attempt["above"] or 0) for attempt in reasoning) if reasoning else None,
    }


def _who_reasons_on_each(risks: Iterable[Mapping[str, Any] | None], claim: str) -> list[dict[str, Any]]:
    """The same on every protected column; none where that is not known of one of them."""
    by_column = [_who_reasons(risk or {}, claim) for risk in risks]
    return [one for of_column in by_column for one in of_column] if all(by_column) else []


def _who_reasons(risk: Mapping[str, Any], claim: str) -> list[dict[str, Any]]:
    """Those who reason about the release and are not mistaken; none where one of them is missing or not known.

    To assume minimality of a method that promises something to who knows it is mistaken, tried or not.
    """
    reasoning = [
        attempt
        for attempt in risk.get("attempts", ())
        if attempt["name"] in REASONING and attempt["coverage"] != "mistaken"
    ]
    if not reasoning or any(attempt["unknown"] for attempt in reasoning):
        return []
    not_done = {*risk["waiting"], *risk["unfinished"], *(missed["name"] for missed in risk["missed"])}
    needed = {*REASONING} - ({KINDS["minimality"].name} if claim == "algorithm" else set())
    return [] if not_done & needed else reasoning


def finished_settings(session: Session) -> tuple[int, int]:
    """How many settings of the comparison that was asked for are finished, and how many it has."""
    if session.comparing is None:
        return 0, 0
    asked = session.comparing
    return kept_settings(session.folder, session.toml, asked), len(asked["names"]) * len(asked["ls"])


def kept_words(session: Session) -> str:
    """What is kept of a comparison that was cancelled."""
    done, total = finished_settings(session)
    if not done:
        return f"None of the {total} settings was finished, so nothing is kept."
    was = "is finished and kept" if done == 1 else "are finished and kept"
    return f"{done} of {total} settings {was}: go on with the others below, or look at what is there."


def _range(low: str, high: str) -> list[int]:
    asked = f"l from {low or 'nothing'} to {high or 'nothing'}"
    if not all(re.fullmatch("[0-9]{1,9}", text) and int(text) >= 2 for text in (low, high)):
        raise MethodError("{asked}: give two whole numbers from 2 upward", asked=asked)
    if int(low) > int(high):
        raise MethodError(f"{asked}: the first number is the larger one; write from {high} to {low}")
    if int(high) > LARGEST_L:
        raise MethodError(f"{asked}: l goes up to {LARGEST_L:,} here; choose a smaller range")
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


def _seconds_for_one(session: Session) -> float:
    """How long one setting of a comparison takes: it is published, measured and attacked as the release was."""
    took, rows = session.jobs.took, session.rows
    made = took.get("publishing", expected(PUBLISH, rows)) + took.get("measuring", expected(MEASURE, rows))
    quasi = len(session.names(Role.QUASI))
    reasoning = [
        (KINDS[kind].name, attack_seconds(kind, rows, quasi, SECONDS)) for kind in KINDS if KINDS[kind].reasons
    ]
    return made + sum(took.get(name, seconds) for name, seconds in reasoning)


def _compare_page(request: Request, *, error: str = "", status: int = 200, names: list[str] | None = None) -> Response:
    session: Session = session_of(request)
    last = session.comparing or session.comparison or {}
    chosen = names if names is not None else last.get("names", list(USUAL))
    possible = possible_l(session)
    ls = last.get("ls") or [2, max(2, min(6, possible["largest"]))]
    done, total = finished_settings(session)
    return page(
        request,
        "compare.html",
        "result",
        error=error,
        status=status,
        tab="compare",
        tabs=TABS,
        comparable=comparable(),
        safe=[name for name in comparable() if methods()[name].guarantee == "algorithm"],
        chosen=chosen,
        recodings=RECODINGS,
        recode=last.get("recode", session.recode),
        possible=possible,
        seconds=last.get("seconds", COMPARED),
        low=ls[0],
        high=ls[-1],
        yours=your_release(session),
        each=_seconds_for_one(session),
        kept=done,
        asked=total,
    )


ROUTES = [
    Route("/result", show),
    Route("/result/rows", find, methods=["POST"]),
    Route("/result/risk", risk),
    Route("/result/utility", utility),
    Route("/result/compare", comparison),
    Route("/result/look", look, methods=["POST"]),
    Route("/result/person", person, methods=["POST"]),
    Route("/result/names", names, methods=["POST"]),
    Route("/result/compare", action(compare), methods=["POST"]),
]
