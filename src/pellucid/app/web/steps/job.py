"""The work in the background: how far it is, Cancel, and taking its end off the page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pellucid.app.web.earlier_releases import settle
from pellucid.app.web.jobs import BackgroundJob
from pellucid.app.web.pages import STEPS, render
from pellucid.app.web.step_support import POSTED, home_of, session_of, to


async def show(request: Request) -> Response:
    """How far the work is; a page that is out of date is told to load itself again.

    One that answers a form never does, for that would send the form again: it tells that the work is over.
    """
    session = session_of(request)
    job = session.jobs.running
    seen = (request.query_params.get("number"), request.query_params.get("version"))
    if POSTED in request.headers:
        return _beside_an_answer(request, job)
    if job is None or seen != (str(job.number), str(session.jobs.version)):
        return Response(status_code=204, headers={"HX-Refresh": "true"})
    return HTMLResponse(render("job.html", job=job))


def _beside_an_answer(request: Request, job: BackgroundJob | None) -> Response:
    if job is not None and request.query_params.get("number") == str(job.number):
        return HTMLResponse(render("job.html", job=job))
    step = request.headers[POSTED]
    over = render("job_over.html", step=step if step in dict(STEPS) else "data")
    return HTMLResponse(over, headers={"HX-Retarget": "section.job", "HX-Reswap": "outerHTML"})


async def cancel(request: Request) -> Response:
    """Stop the work at once."""
    session = session_of(request)
    job = session.jobs.current
    session.jobs.cancel()
    settle(session)
    return to(f"/{home_of(job, session)}" if job is not None else "/data")


async def dismiss(request: Request) -> Response:
    """Take the message about the last work away."""
    session = session_of(request)
    job = session.jobs.current
    home = "data" if job is None else home_of(job, session)
    session.jobs.forget()
    return to(f"/{home}")


ROUTES = [
    Route("/job", show),
    Route("/job/cancel", cancel, methods=["POST"]),
    Route("/job/dismiss", dismiss, methods=["POST"]),
]
