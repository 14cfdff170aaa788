"""Fetch a table from a database into a file of the private folder; what logs in is used here and kept nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pellucid.errors import InputError
from pellucid.io.database import read_database
from pellucid.runtime.progress import Progress
from pellucid.web.worker_state import Desk


def database(desk: Desk, *, address: str, password: str, what: str, place: str, progress: Progress) -> dict[str, Any]:
    """Read a table or a query, once."""
    progress.stage("asking the database", 0)
    frame = read_database(f"{with_password(address, password)}::{what}")
    path = desk.folder / Path(place).name
    path.touch(mode=0o600)
    frame.write_ipc(path)
    return {"rows": frame.height}


def with_password(address: str, password: str) -> str:
    """An address with the password that was written beside it.

    >>> with_password("postgresql://ann@host/clinic", "s/3@t"), with_password("sqlite:///clinic.db", "")
    ('postgresql://ann:s%2F3%40t@host/clinic', 'sqlite:///clinic.db')
    """
    if not password:
        return address
    try:
        from sqlalchemy import make_url
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:
        raise InputError("a database needs SQLAlchemy; pip install 'pellucid[database]'") from None
    try:
        return make_url(address).set(password=password).render_as_string(hide_password=False)
    except (SQLAlchemyError, ValueError):
        raise InputError("the address is none of a database; write it like postgresql://ann@host/clinic") from None
