"""Who may talk to the server, and what browsers may do with its answers.

A page of another site can make a browser send requests here, and with DNS rebinding even read the answers. So a request
must name this server as its Host, carry the cookie that only the start URL's token sets, and, when it changes anything,
come from a page of this server (Origin). The cookie is SameSite=Strict, so links on other sites do not carry it.

What this does not stop: browsers send the cookie of 127.0.0.1 to every port of it. Another server on this machine that
the steward visits at 127.0.0.1 while the page runs could learn it, and so could any program that the steward runs.
"""

from __future__ import annotations

import secrets
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pellucid.web.assets import FOR_GOOD, PATH, is_asset
from pellucid.web.pages import render
from pellucid.web.session import Session
from pellucid.web.settings import Settings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
READING = ("GET", "HEAD")
FREE = PATH  # style and script hold no data; the page that refuses needs them
HEADERS = {
    # Referrer-Policy must not be no-referrer: browsers then send "Origin: null" with a form.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of one run: what the start URL carries, and what the cookie does."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))


class Gate:
    """In front of everything, also of what answers when something is broken."""

    def __init__(self, app: ASGIApp, *, session: Session, settings: Settings, keys: Keys) -> None:
        self.app = app
        self.session = session
        self.keys = keys
        self.settings = settings
        self.cookie_name = f"pellucid-{settings.port}"  # cookies do not know ports: two servers must not share one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may pass, and give every answer its headers."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks anything else, and the checks below are for requests
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        secure = self._securing(send, kept=is_asset(scope["path"], scope["query_string"]))
        answer = self._answer(scope) or self.app
        try:
            await answer(scope, receive, secure)
        except Exception as bug:  # the page said so already; a traceback may quote the data, so only the place is told
            place = traceback.extract_tb(bug.__traceback__)[-1]
            print(f"{type(bug).__name__} in {Path(place.filename).name}, line {place.lineno}", file=sys.stderr)

    def _securing(self, send: Send, *, kept: bool) -> Send:
        async def secure(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if kept and message["status"] in (200, 206, 304):
                    headers["Cache-Control"] = FOR_GOOD
            await send(message)

        return secure

    def _answer(self, scope: Scope) -> Response | None:
        """A refusal, the welcome of somebody who brings the token, or None: let the request through."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self.hosts():
            return refusal(
                421,
                "This address is not ours",
                "The request names another host than this server. Open the address that pellucid gave.",
            )
        origin = headers.get("origin")
        own = f"{self.settings.scheme}://{host}"
        if origin not in ((own, None) if scope["method"] in READING else (own,)):
            return refusal(
                403,
                "This request came from elsewhere",
                "Only pages of this server may ask it to do something. Open the address that pellucid gave.",
            )
        path = scope["path"]
        if path.startswith(FREE) and scope["method"] in READING:
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if path == "/" and given:
            return self._welcome() if _same(given, self.keys.token) else _no_key()
        return None if self._has_key(headers) else _no_key()

    def hosts(self) -> set[str]:
        """What a request may name as its host."""
        port, named = self.settings.port, self.settings.host.lower()
        known = {*LOOPBACK} if named in (*LOOPBACK, "::1") else {f"[{named}]" if ":" in named else named}
        usual = 443 if self.settings.tls else 80
        return {f"{name}:{port}" for name in known} | (known if port == usual else set())

    def _has_key(self, headers: Headers) -> bool:
        """Whether one of the cookies is ours.

        Browsers send those of every program at 127.0.0.1, also such that break the rules: so each stands for itself.
        """
        pairs = (part.strip().partition("=") for line in headers.getlist("cookie") for part in line.split(";"))
        return any(name == self.cookie_name and _same(value, self.keys.cookie) for name, _, value in pairs)

    def _welcome(self) -> Response:
        """Set the cookie and go on from a page of our own: a redirect would still count as the site before it."""
        self.session.welcome()
        response = HTMLResponse(render("welcome.html"))
        response.set_cookie(
            self.cookie_name, self.keys.cookie, httponly=True, samesite="strict", secure=self.settings.tls, path="/"
        )
        return response


def refusal(status: int, title: str, message: str) -> Response:
    """A page that says why, without anything about the session."""
    return HTMLResponse(render("refusal.html", title=title, message=message), status_code=status)


def _no_key() -> Response:
    return refusal(
        403,
        "This page needs its key",
        (
            "Open the whole address that pellucid gave when it started, with the token at its end. "
            "A server that was started again has a new address."
        ),
    )


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())
