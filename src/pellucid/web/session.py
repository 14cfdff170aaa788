"""What the steward has done so far, and the private folder that holds their files.

One server has one session: whoever has the token. All tabs see the same one. Results here are small and ready to be
shown; the table itself is in the folder and in the worker.
"""

from __future__ import annotations

import atexit
import os
import pickle
import secrets
import shutil
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pellucid.anonymize.method import DEFAULT, usual_name
from pellucid.core.schema import Column, Role, Schema, TextForm
from pellucid.core.table import Table
from pellucid.core.taxonomy.toml_text import toml_value
from pellucid.io.database import without_password
from pellucid.web.jobs import Jobs
from pellucid.web.naming_columns import naming_columns
from pellucid.web.settings import Settings
from pellucid.web.uploads import ARRIVING
from pellucid.web.worker_state import (
    BUNDLE_FILE,
    DRAFT_FILE,
    GROUPS_FILE,
    OUTLINE_FILE,
    RELEASE_FILE,
    REPORT_FILES,
    ROWS_FILE,
)

PREFIX = "pellucid-serve-"
START_PAGE = "start.html"
Results = dict[str, Any]


class Session:
    """The state of the flow. ``clear`` forgets everything and empties the folder."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        remove_orphans()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))  # mode 700
        atexit.register(self.close)
        self.jobs = Jobs(self.folder)
        self.expired = False
        self._touched = time.monotonic()
        self._written: tuple[dict[str, Column], str, str] | None = None
        self.releases = 0  # how many there were
        self.waiting: tuple[str, str, str] | None = None  # a project whose table comes first: its name, the table's
        self._forget()

    def _forget(self) -> None:
        self.table_id = secrets.token_hex(8)  # forms carry it: what a tab says about another table is not for this one
        self.roles_id = secrets.token_hex(8)  # the same for settings: they were chosen for what was said of the columns
        self.source: Results | None = None
        self.reading: Results | None = None  # how the file is read: what was guessed, and what is said
        self.database: dict[str, str] = {}  # the address and the table that were asked for last; never a password
        self.data: Results | None = None  # rows, columns with suggestions, preview
        self.columns: dict[str, Column] = {}  # the schema as it is being edited
        self.rounded: dict[str, Results] = {}  # counts of columns that are rounded: pellucid.web.recounted
        self.trees: dict[str, Results] = {}  # taxonomies as they are shown, by column
        self.edited: tuple[str, Column, Results] | None = None  # the column whose tree is being edited, and its values
        self.counted: tuple[list[str], list[str]] | None = (
            None  # columns, and how many people they single out, in words
        )
        self.checked: Results | None = None  # the schema holds, and what is feasible under it
        self.outline: Table | None = None
        self._method = ""  # the one that was chosen
        self.parameters: dict[str, str] = {}
        self.options: dict[str, str] = {}  # what else is chosen: pellucid.web.option_fields
        self.confirmed: frozenset[str] = frozenset()  # columns that the steward publishes though they name people
        self.accept_known: tuple[
            str, ...
        ] = ()  # columns that the steward publishes though they give a protected one away
        self.determined: dict[str, str] = {}  # those that do under the roles that were checked last, in words
        self.where = ""  # the condition under which a row is published; empty: every row
        self.hide = False  # the steward ticked that no column is to be protected: people are hidden among k others
        self.drafted = True  # the roles are our suggestion, changed or not, and no schema that somebody wrote
        self.discarded = ""  # what became of a release that is no more; told until the steward does the next thing
        self.done = ""  # what was just saved or loaded; told once
        self.refused = ""  # why something was not begun that the last form asked for; told once
        self.told = 0  # the last job whose end a page has told
        self.effort: Results = {}  # how long an attacker may take, where the steward said so
        self.comparing: Results | None = None  # the comparison that was asked for last
        self.earlier: list[Any] = []  # releases that were finished before: pellucid.web.earlier_releases
        self.past: list[Results] = []  # releases of a project that was opened: what is known of them, without files
        self.awaited = ""  # the one that comes back if the release that is being made does not come
        self.forget_release()
        self.comparison: Results | None = None

    @property
    def method(self) -> str:
        """The method that was chosen; before one was, the one that is meant for the table."""
        return self._method or (DEFAULT if self.outline is None else usual_name(self.outline))

    @method.setter
    def method(self, name: str) -> None:
        self._method = name

    @property
    def of_table(self) -> str:
        """By what a project tells the table again: its file's fingerprint, or its name where it comes from no file."""
        name = "" if self.source is None else without_password(self.source["name"])
        return str((self.reading or {}).get("sha256", "")) or name

    @property
    def past_here(self) -> list[Results]:
        """The releases of this very table that the project lists which was opened.

        A file that differs by one byte is another one here, though it may be about the same people: only the steward
        knows, so what the project lists besides is told with an if (``past.html``).
        """
        return [one for one in self.past if one["of"] == self.of_table]

    def forget_release(self) -> None:
        """What was made of the table is out of date, and goes from the folder too."""
        for name in (RELEASE_FILE, BUNDLE_FILE, GROUPS_FILE, ROWS_FILE, *REPORT_FILES.values()):
            (self.folder / name).unlink(missing_ok=True)
        self.releases += 1  # what was begun about an earlier one is out of date
        self.release: Results | None = None
        self.made_at = datetime.now()
        self._looked: dict[str, tuple[int, Results | None]] = {}  # with the number of the release that was looked at
        self.person: Results | None = None
        self.shown_column = ""  # the protected column whose attackers are shown; empty: the first
        self.looked_for = ""  # whose rows before and after shows; empty: all
        self.reports: set[str] = set()  # for whom one is written

    def forget_earlier(self) -> None:
        """Releases that were made under other roles go with the present one."""
        for one in self.earlier:
            shutil.rmtree(one.folder, ignore_errors=True)
        self.earlier, self.awaited = [], ""

    def new_place(self) -> Path:
        """Where a piece of work may write a bundle; see :meth:`take_bundle`."""
        return self.folder / f"packing-{secrets.token_hex(4)}"

    def take_bundle(self, place: Path) -> None:
        """The bundle that was written there is the one to hand out from now on; nothing else is left of the place."""
        (place / BUNDLE_FILE).replace(self.folder / BUNDLE_FILE)
        for name in (GROUPS_FILE, ROWS_FILE):  # they stay where it is the same release, in another format say
            if (place / name).exists():
                (place / name).replace(self.folder / name)
        shutil.rmtree(place, ignore_errors=True)

    def forget_check(self) -> None:
        """The roles changed: everything after them is out of date."""
        self.roles_id = secrets.token_hex(8)
        if self.release is not None:
            self.discarded = (
                f"The release made with {self.release_name} was discarded, because what was said about the columns "
                "changed. Publish again at step 3, Method."
            )
        self.checked, self.outline, self.comparison, self.comparing = None, None, None, None
        self.determined = {}
        self.forget_release()
        self.forget_earlier()

    def choose(self, source: Results) -> None:
        """Begin with another table."""
        self.jobs.cancel()
        self.jobs.stop()
        self.replace(source)
        self.jobs.forget()

    def replace(self, source: Results) -> None:
        """Take another table in place of the one that was worked on, which is forgotten, while a job goes on."""
        told = self._replaced(str(source["name"]))
        self._empty({Path(source["place"]), self.start_page})
        self._forget()
        self.discarded = told
        self.jobs.another_table()
        self.source = source
        self.expired = False

    def _replaced(self, name: str) -> str:
        """What became of the release of the table before; a tab that still shows it was not asked."""
        if self.release is None or self.data is None:
            return ""
        before, when = self.data["name"], f"{datetime.now():%H:%M}"
        return f"{name} was opened at {when} in place of {before}, whose release was discarded."

    @property
    def start_page(self) -> Path:
        """The file that leads a browser to the address with its token; it is there until somebody came in."""
        return self.folder / START_PAGE

    def welcome(self) -> None:
        """Somebody came in with the token: nothing needs to hold it any more."""
        self.start_page.unlink(missing_ok=True)

    def touch(self) -> None:
        """Somebody is there."""
        self._touched = time.monotonic()

    @property
    def idle(self) -> float:
        """Seconds since the last request, or since work ended."""
        if self.jobs.running is not None:
            self.touch()
        return time.monotonic() - self._touched

    def expire(self) -> None:
        """Nobody was here for long: forget and delete everything, also what came without a table."""
        had_table = self.source is not None
        self.clear()
        self.expired = self.expired or had_table

    def clear(self) -> None:
        """Forget everything and empty the folder."""
        self.jobs.cancel()
        self.jobs.stop()
        self._empty(set())  # first: if that fails there still is something to forget
        self.waiting = None
        self.jobs.forget()
        self._forget()

    def close(self) -> None:
        """The end: no process, no folder."""
        self.jobs.cancel()
        self.jobs.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.close)

    def _empty(self, keep: set[Path]) -> None:
        for path in self.folder.iterdir():
            if path in keep or path.name.startswith(ARRIVING):  # another tab is sending it
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    # What the steps ask

    @property
    def risk(self) -> Results | None:
        """What attackers learn from the present release; what is known of another one says nothing about it.

        Of several protected columns it is about the one that is shown.
        """
        return self._seen(_risk_of(self.column))

    @risk.setter
    def risk(self, found: Results | None) -> None:
        self.saw_risk(self.column, found, self.releases)

    @property
    def risks(self) -> dict[str, Results | None]:
        """The same of every protected column."""
        return {column: self._seen(_risk_of(column)) for column in self.names(Role.SENSITIVE)}

    @risks.setter
    def risks(self, found: dict[str, Results | None]) -> None:
        for column, risk in found.items():
            self.saw_risk(column, risk, self.releases)

    @property
    def column(self) -> str:
        """The protected column whose attackers are shown: the one that was chosen, or the first."""
        columns = self.names(Role.SENSITIVE)
        return self.shown_column if self.shown_column in columns else next(iter(columns), "")

    @property
    def attacked(self) -> bool:
        """Whether every attacker was tried on every protected column."""
        return all(risk is not None and not risk.get("waiting") for risk in self.risks.values())

    @property
    def utility(self) -> Results | None:
        """What the present release is good for."""
        return self._seen("utility")

    @utility.setter
    def utility(self, found: Results | None) -> None:
        self.saw("utility", found, self.releases)

    def saw_risk(self, column: str, found: Results | None, release: int) -> None:
        """The same of what attackers learn of a protected column."""
        self._keep(_risk_of(column), found, release)

    def saw(self, name: Literal["utility"], found: Results | None, release: int) -> None:
        """Keep what was found about the release of that number, which may be another one by now."""
        self._keep(name, found, release)

    def _keep(self, name: str, found: Results | None, release: int) -> None:
        if release == self.releases:  # and it is looked at once more when it is shown: a thread may be between these
            self._looked[name] = (release, found)

    def _seen(self, name: str) -> Results | None:
        number, found = self._looked.get(name, (0, None))
        return found if number == self.releases else None

    @property
    def release_name(self) -> str:
        """What to call the finished release: its method and its parameters."""
        if self.release is None:
            return ""
        given = self.release["parameters"].items()
        return ", ".join([self.release["method"], *(f"{key} = {value}" for key, value in given if value != "False")])

    @property
    def accepted(self) -> tuple[str, ...]:
        """The columns that were ticked because they give something away, or name people; each once."""
        known = (Role.QUASI, Role.CARRY)
        named = naming_columns(self.data, self.columns) if self.data and "columns" in self.data else []
        of_people = [name for name in named if self.columns[name].role in known]
        return tuple(dict.fromkeys([*self.accept_known, *of_people]))

    @property
    def recode(self) -> str:
        """What a group is to become; empty: what is usual for the method."""
        return self.options.get("recode", "")

    @property
    def rows(self) -> int:
        """How many rows the table has; 0 while there is none."""
        return 0 if self.data is None else int(self.data["rows"])

    @property
    def schema(self) -> Schema:
        """The schema as it stands; raises when it is not one."""
        said = {"columns": dict(self.columns), "file": self.form or None, "nothing_sensitive": self.hiding}
        return Schema.model_validate({**said, "where": self.where or None})

    @property
    def hiding(self) -> bool:
        """Whether no column is protected, on purpose: k-anonymity alone."""
        return self.hide and not self.names(Role.SENSITIVE)

    @property
    def several(self) -> bool:
        """Whether several columns are protected, each by itself: attackers are tried on each of them."""
        return len(self.names(Role.SENSITIVE)) > 1

    @property
    def form(self) -> Results:
        """How the file writes the table, where that must be said."""
        return {} if self.source is None else dict(self.source.get("form", {}))

    @property
    def toml(self) -> str:
        """The same as the text that the command line reads; a large tree is written once, not for every page."""
        of_table = self.of_table_toml
        if self._written is None or self._written[0] is not self.columns or self._written[1] != of_table:
            head = [of_table] if of_table else []
            head += [TextForm(**self.form).to_toml()] if self.form else []
            text = "\n".join([*head, *(column.to_toml(name) for name, column in self.columns.items())])
            self._written = (self.columns, of_table, text)
        return self._written[2]

    @property
    def of_table_toml(self) -> str:
        """What a schema file says of the whole table, above its columns."""
        where = f"where = {toml_value(self.where)}\n" if self.where else ""
        return where + ("nothing_sensitive = true\n" if self.hiding else "")

    def names(self, role: Role) -> list[str]:
        """The columns that have a role now."""
        return [name for name, column in self.columns.items() if column.role is role]

    def load_outline(self) -> None:
        """Take the outline of the table that the worker left: sizes, names, sensitive values; no quasi-identifiers."""
        self.outline = pickle.loads((self.folder / OUTLINE_FILE).read_bytes())

    def load_draft(self) -> Any:
        """Take what the worker left of a file that describes columns: one column, or all of them by name."""
        path = self.folder / DRAFT_FILE
        drafted = pickle.loads(path.read_bytes())
        path.unlink()
        return drafted


def _risk_of(column: str) -> str:
    return f"risk of {column}"


def remove_orphans() -> None:
    """Delete folders of servers that were killed before they could do it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and folder.is_dir() and not folder.is_symlink() and not _runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
