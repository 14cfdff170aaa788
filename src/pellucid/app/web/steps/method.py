"""Step 3, Method: parameters with what is feasible, the promise in one sentence, and the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pellucid.app.parameters import SEVERAL, bare, build_method
from pellucid.app.web.broader import BROADER_NAMES, left_aside
from pellucid.app.web.checks import field_of
from pellucid.app.web.earlier_releases import set_aside
from pellucid.app.web.expected import PUBLISH, expected
from pellucid.app.web.jobs import TaskCall
from pellucid.app.web.model_fields import KIND, ModelChoice, choices_of, given_in, usable
from pellucid.app.web.naming_columns import telling_columns
from pellucid.app.web.pages import capital, render, short
from pellucid.app.web.session import Session
from pellucid.app.web.step_support import chosen_elsewhere, page, session_of, settled, start, to
from pellucid.app.web.steps.looking import look_closer
from pellucid.app.web.uploads import form_of
from pellucid.app.web.ways_out import settings_instead
from pellucid.errors import MethodError, PellucidError
from pellucid.group import Method, methods
from pellucid.group.method import (
    DEFAULT,
    About,
    DiversityMethod,
    Feasible,
    largest_feasible,
    protect_only,
    single_sensitive,
)
from pellucid.group.nothing_sensitive import HIDING
from pellucid.group.protecting import ProtectingMethod, as_schema_says
from pellucid.model import PrivacyModel
from pellucid.recode import RECODERS
from pellucid.recode.recoder import RowRecoder
from pellucid.schema import Role
from pellucid.sentence import promises_nothing, sentence_of
from pellucid.speaking import say
from pellucid.table import Table, frequencies

USUAL_L = 8
MOST_DIGITS = 9  # of an l that somebody may mean
# in plain words, with the term of the field in brackets; those with a row for each person first
RECODINGS = {
    kind.name: f"{kind.summary} ({kind.name})"
    for kind in sorted(RECODERS.values(), key=lambda kind: not issubclass(kind, RowRecoder))
}
PLAINLY = {  # what the steward chooses between first; the others are told in the words of the field
    "soft-cut": say("small groups of people who look alike; tries finer cuts without telling why one is refused"),
    "hybrid": say("as soft-cut without trying: people look less alike where a protected value is common"),
    "tailor": say("larger groups; also for other privacy models"),
    "ace": say("groups drawn by lot, then sorted by likeness"),
    "anatomy": say("two tables: exact values in one, protected values in the other"),
    "audited": say("cuts wherever a refused cut would not tell too much"),
    "symmetric-grouping": say("sorts people and halves the groups"),
}
ABOUT = {
    "algorithm": (
        say(
            "Holds even against an attacker who knows how the method works and everything about everybody, except the "
            "protected values and which of them are typical for whom."
        )
    ),
    "minimality": say(
        "Holds against an attacker who knows only that nothing was made coarser than needed (minimality)."
    ),
    "frequency": say("Holds against an attacker who does not know how the method works."),
    "none": say("Promises nothing about the protected values."),
}


TITLES = {  # what the page calls a parameter; the others have their name
    "l": say("Strength, l"),
    "k": say("Smallest group, k"),
    "values": say("Values to protect"),
    "model": say("Privacy model"),
    "cluster_rows": say("Rows of a cluster"),
    "max_suppressed": say("Rows to withhold at most"),
}
STRENGTH = say("nobody may be surer than 1 in l; the larger l, the safer the people and the coarser the data")
HIDDEN = say(
    "Holds also against somebody who knows how the method works and everybody's values: the groups depend on "
    "nothing but the columns that others may know."
)
HALVING = say(
    "Starts with everybody in one group and halves groups where their people differ most, as long as both halves have "
    "at least k rows. Nothing but k and the columns that others may know decides."
)
USUAL_K = 5


@dataclass(frozen=True, slots=True)
class Tick:
    """One value of the sensitive column, to be protected or not."""

    label: str
    rows: int
    share: float
    on: bool


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter of a method as a form shows it."""

    name: str
    form: Literal["number", "switch", "choice", "text", "ticks", "model"]
    about: str
    value: str
    required: bool
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    example: str = ""
    ticks: tuple[Tick, ...] = ()
    models: tuple[ModelChoice, ...] = ()
    empties: int = 0

    @property
    def title(self) -> str:
        """What the page calls it."""
        return TITLES.get(self.name, self.name)


@dataclass(frozen=True, slots=True)
class Fields:
    """The parameters in the order of the form: what the promise depends on, what else is chosen, what few need."""

    first: list[Field]
    then: list[Field]
    rarely: list[Field]
    given: bool  # whether one of the last was chosen


async def show(request: Request) -> Response:
    """The page; ``?name=soft-cut&l=4`` fills in a setting."""
    session = session_of(request)
    given = dict(request.query_params)
    name, recode = given.pop("name", ""), given.pop("recode", None)
    if name not in methods():
        return _page(request, session.method, session.parameters or None, session.recode)
    same = name == session.method and given.items() <= session.parameters.items()  # how it was published last
    if recode not in RECODINGS:  # an address that does not say it: as it was for the same setting, else as usual
        recode = session.recode if same else ""
    return _page(request, name, (session.parameters if same else given) or None, recode)


async def check(request: Request) -> Response:
    """Whether the setting is feasible and what it promises, while the steward moves a slider."""
    session = session_of(request)
    form = await form_of(request)
    if session.outline is None:
        return Response(status_code=204, headers={"HX-Refresh": "true"})
    if told := chosen_elsewhere(session, form):
        return HTMLResponse(render("elsewhere.html", step="method", told=told))
    name, parameters, recode = _given(form)
    return HTMLResponse(render("promise.html", promise=_with_ways_out(session, name, parameters, recode)))


async def run(request: Request) -> Response:
    """Publish with this setting, then attack and measure what came out."""
    session = session_of(request)
    form = await form_of(request)
    if told := chosen_elsewhere(session, form):
        return _page(request, session.method, session.parameters or None, session.recode, error=told, status=409)
    if session.checked is None or session.outline is None:
        return to("/method")
    name, parameters, recode = _given(form)
    typed = {key: str(value) for key, value in parameters.items()}
    said = promise(session, name, parameters, recode)
    if said["wrong"]:  # a release that is there already stays
        wrong = say(f"Nothing was published. {capital(said['wrong'])}")
        return _page(request, name, typed, recode, error=wrong, status=422)
    try:
        chosen = build_method(name, parameters)
        about = {"source": session.source, "schema": session.toml}
        session.jobs.require_idle()
        session.jobs.cancel()  # a result of the last release must not come after this
        set_aside(session)  # before the work begins, which may be over at once
        session.discarded = ""
        session.method, session.recode, session.parameters = name, recode, typed
        place = session.new_place()
        setting = {"method": name, "parameters": parameters, "recode": recode, "seed": session.settings.seed}
        made = {"setting": setting, "place": str(place), "accepted": list(session.accepted)}
        job = start(
            session,
            say(f"Publishing with {name}"),
            ("method", "result"),
            [
                TaskCall(
                    "publish",
                    {**about, **made},
                    lambda found: _keep(session, found, chosen, place),
                    part=say("publishing"),
                    seconds=expected(PUBLISH, session.rows),
                ),
                *look_closer(session, about),
            ],
            files=[place],
        )
    except PellucidError as wrong:
        return _page(request, name, typed, recode, error=str(wrong), status=422)
    await settled(job)
    return to("/method" if job.state == "failed" and session.release is None else "/result")


def _keep(session: Session, found: dict[str, Any], chosen: Method, place: Path) -> None:
    session.take_bundle(place)
    session.made_at, session.awaited = datetime.now(), ""
    session.release = {**found, "empty": promises_nothing(chosen)}


def _with_ways_out(session: Session, name: str, parameters: Mapping[str, str | bool], recode: str) -> dict[str, Any]:
    """The promise, and where there is none the nearest settings that have one."""
    said = promise(session, name, parameters, recode)
    instead = settings_instead(session, name, parameters, lambda other, given: promise(session, other, given, ""))
    return {**said, "instead": instead if said["wrong"] else []}


def promise(session: Session, name: str, parameters: Mapping[str, str | bool], recode: str) -> dict[str, Any]:
    """What a setting promises and whether it is feasible, from the outline of the table."""
    outline = session.outline
    assert outline is not None
    if session.hiding:
        return _hidden(session, outline, name, parameters, recode)
    feasible = largest_feasible(outline)
    said: dict[str, Any] = {"feasible": feasible.sentence, "column": feasible.column, "wrong": "", "sentence": ""}
    said |= {"unused": [], "written": "", "broader": RECODINGS[BROADER_NAMES]}
    try:
        protected = _protected(outline, name, parameters)
        if protected:
            feasible = largest_feasible(outline, values=protected)
            said["feasible"] = feasible.sentence
        _require_l(name, parameters, feasible, "" if protected else _protect_only(outline, name, feasible))
        method = as_schema_says(build_method(name, parameters), outline.schema)
        recoder = RECODERS[recode or method.recoder]()
        if session.data is not None:
            said["unused"] = left_aside(session.data, session.columns, recoder.name)
            said["written"] = RECODINGS[recoder.name]
        said |= {"claim": method.claim, "warning": method.warning, "about": ABOUT[method.claim]}
        said |= {"empty": promises_nothing(method), "exact": _exactly(session) if recoder.name == "anatomy" else []}
        if hasattr(method, "check"):
            method.check(outline)
        if not method.several:
            single_sensitive(outline, method.name)
        said["sentence"] = sentence_of(outline, method, recoder, session.accepted).text
    except PellucidError as wrong:
        # the page has fields, the command line has options
        said["wrong"] = wrong.advice.told(lambda term: str(term.value) if term.name == "option" else field_of(term))
    return said


def _hidden(
    session: Session, outline: Table, name: str, parameters: Mapping[str, str | bool], recode: str
) -> dict[str, Any]:
    """The same where no column is protected: among how many rows everybody is hidden."""
    said: dict[str, Any] = {"feasible": say(f"k up to {len(outline):,}, the number of rows"), "column": ""}
    said |= {"wrong": "", "sentence": "", "unused": [], "written": "", "broader": RECODINGS[BROADER_NAMES], "exact": []}
    try:
        if not parameters.get("k"):
            raise MethodError(f"k is empty or not a number; type a whole number from 2 to {len(outline):,}")
        method = build_method(name, parameters)
        recoder = RECODERS[recode or method.recoder]()
        if session.data is not None:
            said["unused"] = left_aside(session.data, session.columns, recoder.name)
            said["written"] = RECODINGS[recoder.name]
        said |= {"claim": method.claim, "warning": method.warning, "about": HIDDEN, "empty": promises_nothing(method)}
        if hasattr(method, "check"):
            method.check(outline)
        if promises_nothing(method):
            raise MethodError(f"k = 1 hides nobody; type a whole number from 2 to {len(outline):,}")
        said["sentence"] = sentence_of(outline, method, recoder, session.accepted).text
    except PellucidError as wrong:
        said["wrong"] = wrong.advice.told(lambda term: str(term.value) if term.name == "option" else field_of(term))
    return said


def _protected(outline: Table, name: str, parameters: Mapping[str, Any]) -> About:
    """The values that are to be protected where not all are: as the form says, or, by column, as the schema does."""
    if not issubclass(methods().get(name, Method), ProtectingMethod):
        return None
    typed = tuple(part.strip() for part in str(parameters.get("values", "")).split(",") if part.strip())
    said = outline.schema.columns.items() if outline.schema is not None else ()
    return typed or {name: tuple(column.protect) for name, column in said if column.protect} or None


def _protect_only(outline: Table, name: str, feasible: Feasible) -> str:
    """Which values could be protected where no l is possible for all of them, for methods that can."""
    if feasible.largest > 1 or not issubclass(methods().get(name, Method), ProtectingMethod):
        return ""
    column = next(i for i in outline.having(Role.SENSITIVE) if outline.attributes[i].name == feasible.column)
    attribute = outline.attributes[column]
    return protect_only(attribute, frequencies(outline.codes[column], len(attribute)), len(outline), 2)


def _require_l(name: str, parameters: Mapping[str, str | bool], feasible: Feasible, instead: str = "") -> None:
    """Raise unless the l of a method that has one is a whole number from 2 upward; says what is allowed here."""
    kind = methods().get(name)
    if kind is None or "l" not in kind.model_fields:
        return
    typed = str(parameters.get("l", ""))
    if not typed and not kind.model_fields["l"].is_required():
        return  # something else is asked of the groups, or building the method says what is missing
    allowed = say(f"type a whole number from 2 to {feasible.largest}")
    if feasible.largest < 3:
        allowed = say("only 2 is possible here")
    if feasible.largest < 2:
        allowed = say(
            f"no l is possible here ({feasible.sentence}): protect another column, or split that value into finer"
        )
        allowed += f", or {instead}" if instead else ""
    if not typed:
        raise MethodError(f"l is empty or not a number; {allowed}")
    if not re.fullmatch(r"-?[0-9]+", typed):
        raise MethodError(f"l = {typed} is not a whole number; {allowed}")
    if len(typed) > MOST_DIGITS:
        told = say("is too small") if typed.startswith("-") else say("is too large")
        raise MethodError(f"l = {short(typed, MOST_DIGITS)} {told}; {allowed}")
    if int(typed) < 2:
        told = say("is too small")
        if int(typed) == 1:
            told = say("promises nothing: somebody may learn a protected value with certainty")
        raise MethodError(f"l = {int(typed)} {told}; {allowed}")


def _exactly(session: Session) -> list[str]:
    """The columns whose exact values two tables publish though nearly each belongs to one person."""
    if session.data is None:
        return []
    found = telling_columns(session.data, session.columns)
    return [one.name for one in found if one.role is not Role.SENSITIVE]


def usual(session: Session, kind: type[Method]) -> dict[str, str]:
    """The parameters to begin with: an l that leaves room to cut, where the method has one."""
    if session.hiding:
        return {"k": str(min(USUAL_K, session.rows))}
    if "l" not in kind.model_fields or session.checked is None:
        return {}
    return {"l": str(min(USUAL_L, max(2, session.checked["feasible"]["largest"] // 2)))}


def fields_of(session: Session, kind: type[Method], given: Mapping[str, str]) -> list[Field]:
    """The parameters of a method as a form."""
    assert session.checked is not None
    largest = session.checked["feasible"]["largest"]
    protected = None if session.outline is None else _protected(session.outline, kind.name, given)
    if protected and session.outline is not None:
        with suppress(PellucidError):  # no row has such a value, as the promise says
            largest = largest_feasible(session.outline, values=protected).largest
    ticks, empties = _ticks(session.checked["sensitive"], protected)
    if session.hiding:
        return _hiding_fields(session.checked["rows"], kind, given)
    told = say("tick the values to protect; all are protected while none is ticked")
    return [
        Field(name, "ticks", told, "", required=False, ticks=ticks, empties=empties)
        if name == "values" and ticks
        else _model_field(kind.name, name, declared, given.get(name, ""))
        if is_model(declared) and usable(kind.name, name)
        else _field(name, declared, given.get(name, ""), largest, session.checked["rows"])
        for name, declared in kind.model_fields.items()
        if name != "cluster_rows" or given.get(name) or _clustered(session)
    ]


def in_order(fields: list[Field], given: Mapping[str, str]) -> Fields:
    """The fields as the form has them: few people need more than the first."""
    first = [field for field in fields if field.required or field.name in ("l", "model")]
    then = [field for field in fields if field not in first and field.form == "ticks"]
    rarely = [field for field in fields if field not in first and field not in then]
    return Fields(first, then, rarely, any(given.get(field.name) for field in rarely))


def _clustered(session: Session) -> bool:
    """Whether a column says which rows belong together."""
    return any(column.role is Role.CLUSTER for column in session.columns.values())


def _hiding_fields(rows: int, kind: type[Method], given: Mapping[str, str]) -> list[Field]:
    """The same where no column is protected: without what asks for one, and k is needed."""
    fields = [
        _field(name, declared, given.get(name, ""), rows, rows)
        for name, declared in kind.model_fields.items()
        if name != "l" and not is_model(declared)
    ]
    return [replace(field, required=True, least=2) if field.name == "k" else field for field in fields]


def is_model(declared: FieldInfo) -> bool:
    """Whether a parameter is a privacy model."""
    parts = (declared.annotation, *get_args(declared.annotation))
    return any(PrivacyModel in (part, *get_args(part)) for part in parts)


def _model_field(method: str, name: str, declared: FieldInfo, given: str) -> Field:
    about, required = declared.description or "a parameter of the method", declared.is_required()
    return Field(name, "model", about, given, required, models=choices_of(method, name, given))


def _ticks(sensitive: list[dict[str, Any]], protected: About) -> tuple[tuple[Tick, ...], int]:
    """The values of the sensitive column to tick, where there is one column and its values are few and fit a list.

    And how many rows are empty: those have no name that could be ticked.
    """
    if len(sensitive) != 1 or sensitive[0]["distinct"] > len(sensitive[0]["values"]):
        return (), 0
    named_values = [one for one in sensitive[0]["values"] if one["value"] is not None]
    labels = [str(one["value"]) for one in named_values]
    if any(not label.strip() or "," in label for label in labels):
        return (), 0  # written with commas between them
    named = protected.get(sensitive[0]["name"], ()) if isinstance(protected, Mapping) else protected or ()
    chosen = set(map(str, named))
    if not chosen <= set(labels):
        return (), 0  # what was written shows, and is told to be wrong
    ticks = tuple(
        Tick(str(one["value"]), one["count"], one["share"], str(one["value"]) in chosen) for one in named_values
    )
    return ticks, sum(one["count"] for one in sensitive[0]["values"] if one["value"] is None)


def _field(name: str, declared: FieldInfo, given: str, largest: int, rows: int) -> Field:
    type_ = bare(declared.annotation)
    about, required = _about(name, declared), declared.is_required()
    default = None if required else declared.get_default()
    if type_ is bool:
        return Field(name, "switch", about, given or str(default), required)
    if get_origin(type_) is Literal:
        choices = tuple(map(str, get_args(type_)))
        return Field(name, "choice", about, given or str(default), required, choices=choices)
    if type_ is int:
        least = next((int(bound.ge) for bound in declared.metadata if hasattr(bound, "ge")), 1)
        least = max(least, 2) if name == "l" else least  # 1/1 is no promise
        most = {"l": max(largest, 2), "k": min(rows, 100)}.get(name)
        return Field(name, "number", about, given or _text_of(default), required, least, most)
    if get_origin(type_) in SEVERAL:
        return _several_field(name, about, given, required)
    example = "k-anonymity=5" if type_ is PrivacyModel else ""
    return Field(name, "text", about, given or _text_of(default), required, example=example)


def _about(name: str, declared: FieldInfo) -> str:
    if name == "l" and declared.description == DiversityMethod.model_fields["l"].description:
        return STRENGTH  # where l is what is promised, which the page says beside the slider
    return declared.description or "a parameter of the method"


def _text_of(default: object) -> str:
    return "" if default is None else str(default)


def _several_field(name: str, about: str, given: str, required: bool) -> Field:
    """A field for values with commas between them."""
    if name == "values":
        told = say("the values to protect, separated by commas; leave it empty to protect all values")
        return Field(name, "text", told, given, required, example=say("all values"))
    return Field(name, "text", say(f"{about}; separated by commas"), given, required)


def _given(form: Mapping[str, str]) -> tuple[str, dict[str, str | bool], str]:
    """The setting that a form says; an empty field is not given."""
    name = form.get("name", DEFAULT)
    kind = methods().get(name)
    parameters: dict[str, str | bool] = {}
    for field, declared in ({} if kind is None else kind.model_fields).items():
        if field == "l" and "model" in parameters:
            continue
        if bare(declared.annotation) is bool:
            parameters[field] = f"p-{field}" in form
        elif f"p-{field}~{KIND}" in form:
            if chosen := given_in(form, name, field):
                parameters[field] = chosen
                parameters.pop("l", None)  # the model takes its place
        elif form.get(f"p-{field}", "").strip():
            parameters[field] = form[f"p-{field}"].strip()
        elif ticked := [key.removeprefix(f"p-{field}~") for key in form if key.startswith(f"p-{field}~")]:
            parameters[field] = ",".join(ticked)
    recode = form.get("recode", "")
    return name, parameters, recode if recode in RECODERS else ""


def _page(
    request: Request, name: str, given: Mapping[str, str] | None, recode: str, *, error: str = "", status: int = 200
) -> Response:
    """The form with the parameters that were given, also where they are empty; without any, with the usual ones."""
    session = session_of(request)
    if session.checked is None or session.outline is None:
        if session.determined:
            given_away = ". ".join(session.determined.values())
            error = error or say(f"{given_away}. Decide about that at step 2, Roles")
        return page(request, "method.html", "method", error=error, status=status, kind=None)
    kind, values = _shown_setting(session, name, given)
    said = _with_ways_out(session, kind.name, _typed(kind, values), recode)
    if error and said["wrong"] and said["wrong"].lower() in error.lower():
        said["wrong"] = ""  # it is told above
    return page(
        request,
        "method.html",
        "method",
        error=error,
        status=status,
        kind=kind,
        fields=in_order(fields_of(session, kind, values), values),
        recode=recode,
        recodings=_recodings(session),
        safe=[one for one in _ordered() if one.guarantee == "algorithm"],
        others=[one for one in _ordered() if one.guarantee != "algorithm"],
        plain=PLAINLY,
        summary="" if session.hiding else PLAINLY.get(kind.name, kind.summary),
        explanation=HALVING if session.hiding else kind.explanation,
        recommended=DEFAULT,
        promise=said,
    )


def _shown_setting(session: Session, name: str, given: Mapping[str, str] | None) -> tuple[type[Method], dict[str, str]]:
    """The method of the page and its parameters: those of another method are not for this one."""
    known = name if name in methods() else DEFAULT
    kind = methods()[HIDING if session.hiding else known]
    other = kind.name != known
    return kind, usual(session, kind) if given is None or other else dict(given)


def _recodings(session: Session) -> dict[str, str]:
    """What a group may become; without a protected column, exact values would hide nobody."""
    return {key: about for key, about in RECODINGS.items() if key != "anatomy" or not session.hiding}


def _typed(kind: type[Method], values: Mapping[str, str]) -> dict[str, str | bool]:
    """The parameters that fields say, as a form would send them."""
    typed: dict[str, str | bool] = {}
    for field, declared in kind.model_fields.items():
        if bare(declared.annotation) is bool:
            typed[field] = values.get(field, str(declared.default)) == "True"
        elif values.get(field):
            typed[field] = values[field]
    return typed


def _ordered() -> list[type[Method]]:
    """The default first."""
    return sorted(methods().values(), key=lambda kind: (kind.name != DEFAULT, kind.name))


ROUTES = [
    Route("/method", show),
    Route("/method", run, methods=["POST"]),
    Route("/method/check", check, methods=["POST"]),
]
