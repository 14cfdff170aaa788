"""The switch of languages: what is chosen stays chosen in this browser."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pellucid.app.web.reading_language import COOKIE
from pellucid.app.web.step_support import to
from pellucid.app.web.uploads import form_of
from pellucid.speaking.reader import languages

YEAR = 365 * 24 * 3600
_OURS = re.compile(r"/(?!/)[\w/.~?&=%+-]*")  # a page of this server; what begins with // is another one


async def choose(request: Request) -> Response:
    """Take a language, and go back to the page where it was chosen."""
    form = await form_of(request)
    here = form.get("here", "")
    answer = to(here if _OURS.fullmatch(here) else "/data")
    language = form.get("language", "")
    if language in languages():
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, language, max_age=YEAR, httponly=True, samesite="strict", secure=secure, path="/")
    return answer


ROUTES = [Route("/language", choose, methods=["POST"])]
