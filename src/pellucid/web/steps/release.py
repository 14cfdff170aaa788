"""Step 5, Release: the bundle, the report, and what was promised and what was not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from pellucid.core.schema import Role
from pellucid.messages import Message
from pellucid.reports.promise import general_limits
from pellucid.reports.several_columns import ANOTHER
from pellucid.risk.adversary_kinds import KINDS
from pellucid.web.checks import ROLES
from pellucid.web.expected import PRIVATE_REPORT, PUBLIC_REPORT, attack_seconds, expected
from pellucid.web.jobs import Busy, Jobs, TaskCall
from pellucid.web.naming_columns import telling_columns
from pellucid.web.recodings import RECODINGS
from pellucid.web.session import Session
from pellucid.web.step_support import made_elsewhere, page, session_of, settled, start, to, waits
from pellucid.web.tasks.attack_budget import SECONDS
from pellucid.web.uploads import form_of
from pellucid.web.worker_state import BUNDLE_FILE, GROUPS_FILE, REPORT_FILES, REPORT_IN_BUNDLE

REPLACED = "the release has changed in another tab; here it is as it is now, and nothing was downloaded"
ABOUT_PEOPLE = ("Several releases", "Who is in the table", "What is put beside it")  # limits without a protected value
REPORTS = "reports"  # the line in which they wait for each other
PACKED_BEFORE = "The release is finished, and the bundle stays as it was written before."
FORMATS = {"csv": "CSV", "parquet": "Parquet", "arrow": "Arrow"}


async def show(request: Request) -> Response:
    """The page."""
    return _page(request)


async def pack(request: Request) -> Response:
    """Write the bundle in another format."""
    session = session_of(request)
    form = await form_of(request)
    if told := made_elsewhere(session, form):
        return _page(request, error=told, status=409)
    if session.release is None:
        return to("/release")
    kind = form.get("format", "")
    if kind not in FORMATS:
        return _page(request, error="choose CSV, Parquet or Arrow", status=422)
    release, place = session.release, session.new_place()

    def keep(found: dict[str, Any]) -> None:
        session.take_bundle(place)
        release["packed"] = found
        session.reports.clear()  # they have the checksums of other files

    try:
        task = TaskCall("pack", {"source": session.source, "kind": kind, "place": str(place)}, keep)
        title = f"Writing the bundle as {FORMATS[kind]}"
        job = start(session, title, ("release",), [task], files=[place], kept=lambda: PACKED_BEFORE)
    except Busy as wrong:
        return waits(session, wrong, "/release")
    await settled(job)
    return to("/release")


async def bundle(request: Request) -> Response:
    """The public half of the release as a zip."""
    return _download(request, BUNDLE_FILE, "application/zip", "release.zip")


async def groups(request: Request) -> Response:
    """Who is in which group, for an audit of the release: private, as ``publish --keep-groups`` writes it."""
    return _download(request, GROUPS_FILE, "text/csv", "private-groups.csv")


def _download(request: Request, file: str, media_type: str, name: str) -> Response:
    """A file of the release that the page shows; nothing from a tab that is out of date."""
    session = session_of(request)
    path = session.folder / file
    if _is_another(request):
        return _page(request, error=REPLACED, status=409)
    if session.release is None or not path.is_file():
        raise HTTPException(404)
    return FileResponse(path, media_type=media_type, filename=name)


async def report(request: Request) -> Response:
    """Make the report for an audience."""
    session = session_of(request)
    form = await form_of(request)
    if told := made_elsewhere(session, form):
        return _page(request, error=told, status=409)
    if session.release is None:
        return to("/release")
    audience = form.get("audience", "")
    if audience not in REPORT_FILES:
        return _page(request, error="choose the report for the public or for your records", status=422)

    release, place = session.release, session.new_place()

    def keep(found: dict[str, Any]) -> None:
        session.reports.add(found["audience"])
        if found["audience"] == "public":
            session.take_bundle(place)
            release["packed"]["reports"] = [REPORT_IN_BUNDLE]

    files = {file["name"]: file["sha256"] for file in session.release["packed"]["files"]}
    about = {"source": session.source, "schema": session.toml, **session.effort}
    about["beside"] = {"files": files, "accepted": accepted_told(session), "place": str(place)}
    if audience in reports_under_way(session.jobs):
        return to("/release")
    title = "Writing the public report" if audience == "public" else "Writing the report for your records"
    seconds = expected(PUBLIC_REPORT, session.rows) if audience == "public" else private_seconds(session)
    task = TaskCall("report", {**about, "audience": audience}, keep, title=title, part=title, seconds=seconds)
    try:
        kept = partial(reports_kept, session)
        job = start(session, title, ("release",), [task], files=[place], kept=kept, line=REPORTS)
    except Busy as wrong:
        return waits(session, wrong, "/release")
    await settled(job)
    return to("/release")


def private_seconds(session: Session) -> float:
    """How long the report for the records takes: what it says of each column, and who was not tried on it yet.

    Attacks that are under way give way to the report, which then makes those of all columns.
    """
    job = session.jobs.running
    again = job is not None and job.yields
    rows, quasi = session.rows, len(session.names(Role.QUASI))
    most = float(session.effort.get("seconds", SECONDS))
    missing = [
        kind for risk in session.risks.values() for kind in KINDS if again or kind not in (risk or {}).get("tried", ())
    ]
    ahead = sum(attack_seconds(kind, rows, quasi, most) for kind in missing)
    return max(1, len(session.risks)) * expected(PRIVATE_REPORT, rows) + ahead


def accepted_told(session: Session) -> list[str]:
    """What the steward ticked against a warning, a sentence each: what names people, and what gives a value away.

    The roles that were checked are those of every release that there is, and none was checked without these ticks.
    """
    if session.data is None or session.checked is None:
        return []
    naming = [one.accepted for one in telling_columns(session.data, session.columns) if one.needs_tick]
    away = session.checked["determined"]
    known = [(name, away.get(name, "")) for name in session.accept_known]
    words = [
        f"{name} is published though it gives a protected column away ({why})."
        if why
        else f"{name} is published though it gives a protected column away."
        for name, why in known
    ]
    return [*naming, *words]


def reports_under_way(jobs: Jobs) -> dict[str, bool]:
    """The reports that are to be written, by audience, and whether it is being done now."""
    job = jobs.running
    tasks = () if job is None else job.tasks
    return {task.arguments["audience"]: n == 0 for n, task in enumerate(tasks) if task.name == "report"}


def reports_kept(session: Session) -> Message:
    """What is there of the reports when writing one is cancelled."""
    if not session.reports:
        return Message("The release is finished and stays as it is; no report was finished.")
    if len(session.reports) > 1:
        return Message("The release and both reports are finished and stay as they are.")
    if "public" in session.reports:
        return Message("The release and the public report are finished and stay as they are.")
    return Message("The release and the report for your records are finished and stay as they are.")


async def download_report(request: Request) -> Response:
    """The report as a file: it brings its own style, which our pages do not allow, so it is not shown here."""
    session = session_of(request)
    audience = request.path_params["audience"]
    if _is_another(request):
        return _page(request, error=REPLACED, status=409)
    if not re.fullmatch("public|private", audience) or audience not in session.reports:
        raise HTTPException(404)
    name = REPORT_FILES[audience]
    return FileResponse(session.folder / name, media_type="text/html", filename=name)


def _is_another(request: Request) -> bool:
    """Whether a link of a page means a release that is no more: nobody shall hand out one for the other."""
    meant = request.query_params.get("release")
    return meant is not None and meant != str(session_of(request).releases)


def limits_told(release: Mapping[str, Any] | None) -> tuple[tuple[str, str], ...]:
    """What is not promised, as reports have it: first, where several columns are protected, what each leaves open."""
    several = "" if release is None else release.get("each_by_itself", "")
    parameters = {} if release is None else release["recipe"].get("parameters", {})
    clustered = parameters.get("cluster_rows") is not None
    parted = release is not None and release["recipe"].get("clusters_parted") is not False
    general = general_limits(clustered=clustered, parted=parted)
    return ((ANOTHER, several), *general) if several else general


def files_inside(release: Mapping[str, Any] | None) -> list[str]:
    """The files of the bundle by name: what was published, and the public reports that were made since."""
    if release is None:
        return []
    packed = release["packed"]
    return [*(file["name"] for file in packed["files"]), *packed["reports"]]


def _page(request: Request, *, error: str = "", status: int = 200) -> Response:
    release, job = session_of(request).release, session_of(request).jobs.running
    written = "" if release is None else RECODINGS[release["recode"]]
    return page(
        request,
        "release.html",
        "release",
        error=error,
        status=status,
        formats=FORMATS,
        under_way=reports_under_way(session_of(request).jobs),
        busy_with="" if job is None or job.yields else job.title,
        waits_for="" if job is None or job.yields or job.line == REPORTS else job.title,  # reports wait in line
        files=REPORT_FILES,
        inside=files_inside(release),
        limits=[one for one in limits_told(release) if not session_of(request).hiding or one[0] in ABOUT_PEOPLE],
        roles=ROLES,
        written=written,
    )


ROUTES = [
    Route("/release", show),
    Route("/release/bundle", pack, methods=["POST"]),
    Route("/release/bundle.zip", bundle),
    Route("/release/groups.csv", groups),
    Route("/release/report", report, methods=["POST"]),
    Route("/release/report/{audience}", download_report),
]
