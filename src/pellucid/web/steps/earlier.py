"""Going back to a release that was finished before the present one."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pellucid.web.earlier_releases import go_back
from pellucid.web.jobs import Busy
from pellucid.web.step_support import action, changed_elsewhere, page, session_of, start, to, waits
from pellucid.web.steps.looking import look_closer
from pellucid.web.uploads import form_of


async def back(request: Request) -> Response:
    """Make an earlier release the present one; what was not looked at yet is looked at.

    Whoever chose it at step 5 stays there: that is where it is handed out.
    """
    session, form = session_of(request), await form_of(request)
    step = "release" if form.get("step") == "release" else "result"
    try:
        if told := changed_elsewhere(session, form):
            return page(request, "trouble.html", step, error=told, status=409)
        if not go_back(session, form.get("key", "")):
            return page(request, "trouble.html", step, error="that release is not kept any more", status=409)
    except Busy as wrong:
        return waits(session, wrong, f"/{step}")
    session.done = f"You are back at {session.release_name}. The other release is in the list."
    if session.utility is None or not session.attacked:
        about = {"source": session.source, "schema": session.toml}
        start(session, "Looking at the release", ("result",), look_closer(session, about))
    return to(f"/{step}")


ROUTES = [Route("/releases/back", action(back), methods=["POST"])]
