"""Step 1, a table of a database: its address, who logs in, and the table or query.

The rows are read once, into a file of the private folder, and everything after that reads the file. So the password is
in the form, in the one task that uses it, and nowhere else: no page, file, project or message has it.
"""

from __future__ import annotations

import secrets

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pellucid.errors import InputError
from pellucid.io.secrets import is_address, without_password
from pellucid.web.jobs import TaskCall
from pellucid.web.session import Session
from pellucid.web.step_support import open_source, session_of, settled, to
from pellucid.web.steps.data import data_page, may_ask_databases, require_discard
from pellucid.web.uploads import form_of

LONGEST = 20_000  # characters of an address or a query


async def read(request: Request) -> Response:
    """Ask the database for the table, then go on with it like with any other."""
    session = session_of(request)
    form = await form_of(request)
    address, what = (form.get(field, "").strip()[:LONGEST] for field in ("address", "query"))
    shown = {"address": without_password(address), "query": what}
    try:
        name = _checked(session, address, what)
        require_discard(session, form)
    except InputError as wrong:
        return data_page(request, error=str(wrong), status=422, database=shown)
    place = session.folder / f"upload-{secrets.token_hex(4)}.arrow"
    about = {"address": address, "password": form.get("password", ""), "what": what, "place": str(place)}
    fetching = TaskCall("database", about, lambda _: about.clear())
    job = open_source(session, str(place), name, limited=False, first=[fetching])
    session.database = shown  # to be mended where it does not work
    await settled(job)
    return to("/data")


def _checked(session: Session, address: str, what: str) -> str:
    """What the table is called from now on; raises where no database is asked."""
    if not may_ask_databases(session):
        raise InputError(
            "this server can be reached from other computers, so it asks no database for them; start pellucid on the "
            "computer where you sit, or bring the table as a file"
        )
    if not is_address(address):
        raise InputError("the address is none of a database; write it like postgresql://ann@host/clinic")
    if not what:
        raise InputError("no table is named; write its name, or a query that begins with SELECT")
    return without_password(f"{address}::{what}")


ROUTES = [Route("/data/database", read, methods=["POST"])]
