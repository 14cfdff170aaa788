"""The application: routes, the gate in front of them, the session behind them; and how it is run and ended."""

from __future__ import annotations

import asyncio
import contextlib
import pkgutil
import sys
from collections.abc import AsyncIterator
from importlib import import_module

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pellucid.errors import PellucidError
from pellucid.web import steps
from pellucid.web.pages import HERE
from pellucid.web.security import Gate, Keys, refusal
from pellucid.web.session import Session
from pellucid.web.settings import Settings
from pellucid.web.step_support import open_source, trouble


def application(settings: Settings, keys: Keys) -> Gate:
    """The application of one server behind its gate; the session lives as long as it runs."""
    session = Session(settings)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        if settings.file is not None:
            open_source(session, str(settings.file), settings.file.name, limited=False)
        watch = asyncio.create_task(_expire_when_idle(session))
        try:
            yield
        finally:
            watch.cancel()
            session.close()

    app = Starlette(
        routes=[
            Route("/", _home),
            *routes_of_steps(),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ],
        exception_handlers={HTTPException: _http_error, PellucidError: trouble, Exception: _bug},
        lifespan=lifespan,
    )
    app.state.session = session
    return Gate(app, session=session, settings=settings, keys=keys)


def routes_of_steps() -> list[Route]:
    """The pages of all steps, found by looking through their folder; a path with a parameter is tried last."""
    modules = [import_module(f"{steps.__name__}.{module.name}") for module in pkgutil.iter_modules(steps.__path__)]
    found: list[Route] = [route for module in modules for route in getattr(module, "ROUTES", ())]
    return sorted(found, key=lambda route: "{" in route.path)


async def _home(_request: Request) -> Response:
    return RedirectResponse("/data", status_code=303)


async def _http_error(_request: Request, wrong: Exception) -> Response:
    status = wrong.status_code if isinstance(wrong, HTTPException) else 500
    if status == 404:
        way_out = "Use the steps of the first page: Data, Roles, Method, Result."
        return refusal(404, "There is no such page", way_out)
    return refusal(status, "This request cannot be answered", "Go back, and use the forms of the page.")


async def _bug(_request: Request, wrong: Exception) -> Response:
    kind = type(wrong).__name__
    return refusal(500, "This is a bug of pellucid", f"{kind}; nothing was published or lost.")


async def _expire_when_idle(session: Session) -> None:
    while True:
        await asyncio.sleep(min(30.0, session.settings.idle_seconds / 4))
        try:
            if session.idle > session.settings.idle_seconds:
                session.expire()
        except Exception as bug:  # a folder that cannot be emptied now is tried again; its message may name a file
            print(f"{type(bug).__name__} while deleting what is idle; it is tried again", file=sys.stderr)
