"""Step 3, Method: a method with its parameters, what they promise, and the run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pellucid.anonymize.method import DEFAULT, usual_name
from pellucid.anonymize.methods import Method, methods
from pellucid.core.schema import Role
from pellucid.core.sentence import promises_nothing
from pellucid.errors import PellucidError
from pellucid.web.chosen_setting import given_setting, shown_setting, typed_setting
from pellucid.web.earlier_releases import set_aside
from pellucid.web.expected import PUBLISH, expected
from pellucid.web.jobs import TaskCall
from pellucid.web.method_fields import fields_of, in_order, option_fields
from pellucid.web.method_words import HALVING, PLAINLY
from pellucid.web.option_fields import ON_THE_FORM, known_options
from pellucid.web.pages import capital, render
from pellucid.web.promised import promise, promise_or_ways_out
from pellucid.web.recodings import offered_recodings
from pellucid.web.session import Session
from pellucid.web.step_support import chosen_elsewhere, load_again, page, session_of, settled, start, to
from pellucid.web.steps.looking import look_closer
from pellucid.web.uploads import form_of
from pellucid.web.values_by_column import method_of

SAID_BESIDES = {"recode", *(option.name for option in ON_THE_FORM)}  # what an address says besides parameters


async def show(request: Request) -> Response:
    """The page; ``?name=strata&l=4`` fills in a setting."""
    session = session_of(request)
    given = dict(request.query_params)
    name, options = given.pop("name", ""), known_options(given)
    given = {key: value for key, value in given.items() if key not in SAID_BESIDES}
    if name not in methods():
        return _page(request, session.method, session.parameters or None, session.options)
    same = name == session.method and given.items() <= session.parameters.items()  # how it was published last
    if not options and same:  # an address that does not say it: as it was for the same setting, else as usual
        options = session.options
    return _page(request, name, (session.parameters if same else given) or None, options)


async def check(request: Request) -> Response:
    """Whether the setting is feasible and what it promises, while the steward moves a slider."""
    session = session_of(request)
    form = await form_of(request)
    if session.outline is None:
        return load_again(request, "/method")
    if told := chosen_elsewhere(session, form):
        return HTMLResponse(render("elsewhere.html", step="method", told=told))
    name, parameters, options = given_setting(form, session.method)
    return HTMLResponse(render("promise.html", promise=promise_or_ways_out(session, name, parameters, options)))


async def run(request: Request) -> Response:
    """Publish with this setting, then attack and measure what came out."""
    session = session_of(request)
    form = await form_of(request)
    if told := chosen_elsewhere(session, form):
        return _page(request, session.method, session.parameters or None, session.options, error=told, status=409)
    if session.checked is None or session.outline is None:
        return to("/method")
    name, parameters, options = given_setting(form, session.method)
    typed = {key: str(value) for key, value in parameters.items()}
    said = promise(session, name, parameters, options)
    if said["wrong"]:  # a release that is there already stays
        wrong = f"Nothing was published. {capital(said['wrong'])}"
        return _page(request, name, typed, options, error=wrong, status=422, refused=True)
    try:
        chosen = method_of(name, parameters, session.names(Role.SENSITIVE))
        about = {"source": session.source, "schema": session.toml}
        session.jobs.require_idle()
        session.jobs.cancel()  # a result of the last release must not come after this
        set_aside(session)  # before the work begins, which may be over at once
        session.discarded = ""
        session.method, session.options, session.parameters = name, options, typed
        place = session.new_place()
        setting = {"method": name, "parameters": parameters, "options": options, "seed": session.settings.seed}
        made = {"setting": setting, "place": str(place), "accept_known": list(session.accepted)}
        job = start(
            session,
            f"Publishing with {name}",
            ("method", "result"),
            [
                TaskCall(
                    "publish",
                    {**about, **made},
                    lambda found: _keep(session, found, chosen, place),
                    part="publishing",
                    seconds=expected(PUBLISH, session.rows),
                ),
                *look_closer(session, about),
            ],
            files=[place],
        )
    except PellucidError as wrong:
        return _page(request, name, typed, options, error=str(wrong), status=422, refused=True)
    await settled(job)
    return to("/method" if job.state == "failed" and session.release is None else "/result")


def _keep(session: Session, found: dict[str, Any], chosen: Method, place: Path) -> None:
    session.take_bundle(place)
    session.made_at, session.awaited = datetime.now(), ""
    session.release = {**found, "empty": promises_nothing(chosen)}


def _page(
    request: Request,
    name: str,
    given: Mapping[str, str] | None,
    options: Mapping[str, str],
    *,
    error: str = "",
    status: int = 200,
    refused: bool = False,
) -> Response:
    """The form with the parameters that were given, also where they are empty; without any, with the usual ones.

    ``refused``: the error says why the setting cannot be, which is then told once.
    """
    session = session_of(request)
    if session.checked is None or session.outline is None:
        if session.determined:
            given_away = ". ".join(session.determined.values())
            error = error or f"{given_away}. Decide about that at step 2, Roles"
        return page(request, "method.html", "method", error=error, status=status, kind=None)
    kind, values = shown_setting(session, name, given)
    said = promise_or_ways_out(session, kind.name, typed_setting(kind, values), options)
    if refused:
        said["wrong"] = ""
    return page(
        request,
        "method.html",
        "method",
        error=error,
        status=status,
        kind=kind,
        fields=in_order(fields_of(session, kind, values), values),
        recode=options.get("recode", ""),
        options=option_fields(options),
        options_given=any(name != "recode" for name in options),
        recodings=offered_recodings(session),
        safe=[one for one in _ordered() if one.guarantee == "algorithm"],
        others=[one for one in _ordered() if one.guarantee != "algorithm"],
        plain=PLAINLY,
        summary="" if session.hiding else PLAINLY.get(kind.name, kind.summary),
        explanation=HALVING if session.hiding else kind.explanation,
        recommended=usual_name(session.outline),
        promise=said,
    )


def _ordered() -> list[type[Method]]:
    """The default first."""
    return sorted(methods().values(), key=lambda kind: (kind.name != DEFAULT, kind.name))


ROUTES = [
    Route("/method", show),
    Route("/method", run, methods=["POST"]),
    Route("/method/check", check, methods=["POST"]),
]
