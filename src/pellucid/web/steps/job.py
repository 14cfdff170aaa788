"""The work in the background: how far it is, Cancel, and taking its end off the page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pellucid.web.earlier_releases import settle
from pellucid.web.pages import STEPS, render
from pellucid.web.session import Session
from pellucid.web.step_support import POSTED, home_of, session_of, to

STOP_ASKING = 286  # what htmx takes for the end of asking again and again


async def show(request: Request) -> Response:
    """How far the work is; a page that is out of date is told to load itself again.

    Where somebody is typing on it, it does so later: it shows how far the work is meanwhile, or that it is over. One
    that answers a form never does, for that would send the form again.
    """
    session = session_of(request)
    job = session.jobs.running
    number, version = (request.query_params.get(name) for name in ("number", "version"))
    posted = request.headers.get(POSTED)
    if posted is not None:
        return _beside_an_answer(session, posted, ended=job is None or number != str(job.number))
    if job is None or number != str(job.number):
        over = render("job_over.html", job=session.jobs.current, here="")
        return HTMLResponse(over, status_code=STOP_ASKING, headers={"HX-Refresh": "true"})
    stale = {} if version == str(session.jobs.version) else {"HX-Refresh": "true"}
    return HTMLResponse(render("job.html", job=job), headers=stale)


def _beside_an_answer(session: Session, step: str, *, ended: bool) -> Response:
    """The same on a page that answers a form of a step: what came of the work is on the page of the step."""
    if not ended:
        return HTMLResponse(render("job.html", job=session.jobs.current))
    over = render("job_over.html", job=session.jobs.current, here=f"/{step if step in dict(STEPS) else 'data'}")
    whole = {"HX-Retarget": "section.job", "HX-Reswap": "outerHTML"}
    return HTMLResponse(f'<div class="note done" role="status">{over}</div>', headers=whole)


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
