"""Releases that were finished before the present one: kept with their files, so that somebody can go back to one.

A release is put aside when the next one is begun. If that is cancelled or fails, the release is put back; once it is
finished, the earlier one stays in a list. What was said about the columns is the same for all of them: whoever changes
that discards them with the present one, and is asked before.
"""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pellucid.web.session import Results, Session
from pellucid.web.worker_state import BUNDLE_FILE, GROUPS_FILE, RELEASE_FILE, REPORT_FILES, ROWS_FILE

MOST = 5  # earlier releases that are kept
FOLDER = "earlier-"
FILES = (RELEASE_FILE, BUNDLE_FILE, GROUPS_FILE, ROWS_FILE, *REPORT_FILES.values())
SETTING = ("method", "parameters", "options")
MADE = ("release", "risks", "utility", "person", "reports", "made_at")


@dataclass(frozen=True, slots=True)
class Earlier:
    """One of them: what a session knew of it, and the folder with its files."""

    key: str
    name: str
    when: datetime
    state: Results = field(repr=False)
    folder: Path = field(repr=False)

    @property
    def figures(self) -> dict[str, Any]:
        """What a list shows of it."""
        release = self.state["release"]
        return {"groups": release["read"]["groups"], "min": release["read"]["min"], "claim": release["claim"]}


def set_aside(session: Session) -> None:
    """Begin a new release: the finished one, if there is one, is kept until the new one is there, and then too."""
    if session.release is None:
        session.forget_release()
        return
    key = secrets.token_hex(4)
    folder = session.folder / f"{FOLDER}{key}"
    folder.mkdir(mode=0o700)
    for name in FILES:
        if (session.folder / name).exists():
            (session.folder / name).replace(folder / name)
    state = {name: getattr(session, name) for name in (*SETTING, *MADE)}
    session.earlier.insert(0, Earlier(key, session.release_name, session.made_at, state, folder))
    session.awaited = key
    session.forget_release()


def keep_few(session: Session) -> None:
    """Delete the oldest ones where there are too many; only once the present release is there."""
    for old in session.earlier[MOST:]:
        shutil.rmtree(old.folder, ignore_errors=True)
    del session.earlier[MOST:]


def settle(session: Session) -> None:
    """Put the last release back where the one that was begun after it did not come."""
    if session.awaited and session.release is None and session.jobs.running is None:
        put_back(session, session.awaited)
    if session.release is not None or session.jobs.running is None:
        session.awaited = ""
        keep_few(session)


def go_back(session: Session, key: str) -> bool:
    """Make an earlier release the present one; that one is in the list from now on."""
    if not any(one.key == key for one in session.earlier):
        return False
    session.jobs.require_idle()
    session.jobs.cancel()
    set_aside(session)
    put_back(session, key)
    session.awaited = ""
    return True


def put_back(session: Session, key: str) -> None:
    """Take one out of the list, with its files and the setting that made it."""
    one = next((one for one in session.earlier if one.key == key), None)
    if one is None:
        return
    session.jobs.stop()  # the worker has another one on its desk
    session.earlier.remove(one)
    for path in one.folder.iterdir():
        path.replace(session.folder / path.name)
    one.folder.rmdir()
    session.releases += 1  # before what is known of it, which is of the release with this number
    for name, value in one.state.items():
        setattr(session, name, value)
