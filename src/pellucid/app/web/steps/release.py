"""Step 5, Release: the bundle, the report, and what was promised and what was not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from pellucid.app.web.jobs import TaskCall
from pellucid.app.web.recodings import RECODINGS
from pellucid.app.web.step_support import made_elsewhere, page, session_of, settled, start, to
from pellucid.app.web.steps.drafting import ROLES
from pellucid.app.web.uploads import form_of
from pellucid.app.web.worker_state import BUNDLE_FILE, GROUPS_FILE, REPORT_FILES
from pellucid.errors import PellucidError
from pellucid.reporting.promise import LIMITS
from pellucid.reporting.several_columns import ANOTHER
from pellucid.speaking import say
from pellucid.speaking.reader import reader

REPLACED = say("the release has changed in another tab; here it is as it is now, and nothing was downloaded")
ABOUT_PEOPLE = ("Several releases", "Who is in the table", "What is put beside it")  # limits without a protected value
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
        return _page(request, error=say("choose CSV, Parquet or Arrow"), status=422)
    release, place = session.release, session.new_place()

    def keep(found: dict[str, Any]) -> None:
        session.take_bundle(place)
        release["packed"] = found
        session.reports.clear()  # they have the checksums of other files

    try:
        task = TaskCall("pack", {"kind": kind, "place": str(place)}, keep)
        job = start(session, say(f"Writing the bundle as {FORMATS[kind]}"), ("release",), [task], files=[place])
    except PellucidError as wrong:
        return _page(request, error=str(wrong), status=422)
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
        return _page(request, error=say("choose the report for the public or for the file"), status=422)

    def keep(found: dict[str, Any]) -> None:
        session.reports[found["audience"]] = found["language"]

    files = {file["name"]: file["sha256"] for file in session.release["packed"]["files"]}
    about = {"source": session.source, "schema": session.toml, "files": files, **session.effort}
    about |= {"reader": (audience, reader().language)}
    try:
        title = say("Writing the public report") if audience == "public" else say("Writing the report for the file")
        job = start(session, title, ("release",), [TaskCall("report", about, keep)])
    except PellucidError as wrong:
        return _page(request, error=str(wrong), status=422)
    await settled(job)
    return to("/release")


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
    return ((ANOTHER, several), *LIMITS) if several else LIMITS


def _page(request: Request, *, error: str = "", status: int = 200) -> Response:
    release = session_of(request).release
    written = "" if release is None else reader().plainly(RECODINGS[release["recode"]])
    return page(
        request,
        "release.html",
        "release",
        error=error,
        status=status,
        formats=FORMATS,
        files=REPORT_FILES,
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
