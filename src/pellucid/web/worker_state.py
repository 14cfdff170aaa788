"""What lies on the worker's desk: the table, the release, what attackers believe. Whatever is missing is made again.

A worker that was cancelled is gone with everything on its desk. So every task says which source and which schema it is
about, and the release is kept in the private folder.
"""

from __future__ import annotations

import os
import pickle
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.cli.memory import enough_memory
from pellucid.core.coins import Coins
from pellucid.core.release import Release
from pellucid.core.schema import Role, Roles, Schema, TextForm
from pellucid.core.table import Table
from pellucid.core.taxonomy.toml_text import toml_key
from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.io import load, read_as, written_as
from pellucid.io.files import PARQUET
from pellucid.io.statistics_files import shape_of, statistics_format
from pellucid.io.unpacking import at_most
from pellucid.messages import Term
from pellucid.messages.speaker import speak
from pellucid.runtime.progress import Progress
from pellucid.web.checks import field_of
from pellucid.web.wording import Page

if TYPE_CHECKING:
    from pellucid.risk.adversary_kinds import KindName
    from pellucid.risk.report.attack_report import AttackReport
    from pellucid.risk.views import Gathered
    from pellucid.web.tasks.attack_budget import GivenUp

MOST_COLUMNS = 2_000
DEEPEST = 100  # how often a schema or a tree may nest
SCHEMA_FILE = "schema.toml"
RELEASE_FILE = "release.pickle"
LOT_FILE = "lot.pickle"  # the coins that draw a row of each person: private
OUTLINE_FILE = "outline.pickle"
DRAFT_FILE = "draft.pickle"
NAMES_FILE = "names.arrow"
ROWS_FILE = "rows.arrow"  # every row before and after: private
BUNDLE_FILE = "bundle.zip"
GROUPS_FILE = "groups.csv"  # who is in which group: private, and never in the bundle
REPORT_FILES = {"public": "report-public.html", "private": "report-private.html"}
REPORT_IN_BUNDLE = "report-public-en.html"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the table is: a path or the name of an embedded table, and what the steward calls it."""

    place: str
    name: str
    most_cells: int = 0  # rows times columns that an upload may have; 0: no limit
    form: dict[str, Any] = field(default_factory=dict)  # how the file writes the table, where that must be said
    missing: list[str] | None = None  # texts that are empty values in every column, where the steward listed them
    missing_at: dict[str, list[str]] = field(default_factory=dict)  # the same of single columns, by their place
    date_order: str = ""  # how dates are written, where the steward said so

    def marks_in(self, frame: pl.DataFrame) -> dict[str, list[str]]:
        """Of each column the texts that are empty values in it, as the steward listed them, of those that it has."""
        return {
            name: occurring(frame[name], [*(self.missing or ()), *self.missing_at.get(str(place), ())])
            for place, name in enumerate(frame.columns)
        }


@dataclass(eq=False)
class Attacked:
    """What is known of attacks on one protected column of the release."""

    gathered: Gathered  # what there is to attack
    report: AttackReport  # the classic attacks, which need no adversary
    tried: dict[KindName, AttackReport] = field(default_factory=dict)  # what each kind of adversary believes, so far
    unfinished: dict[KindName, GivenUp] = field(default_factory=dict)  # those of them that were not done in time
    seconds: dict[KindName, float] = field(default_factory=dict)  # how long each took, or was given
    drawn: dict[int, tuple[object, dict[str, Any]]] = field(default_factory=dict)  # attempts as the page shows them


class Desk:
    """The worker's memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.attacked: dict[str, Attacked] = {}  # by protected column
        self._source: Source | None = None
        self._frame: pl.DataFrame | None = None
        self.marks: dict[str, list[str]] = {}  # of each column, the texts of `Source.missing` that it has
        self._schema = ""
        self._table: Table | None = None
        self._release: Release | None = None

    def in_words(self, said: str) -> str:
        """A message of the library for the steward: with the name that they gave the file, and no path of ours."""
        message = self.speaker.tell(said)
        if self._source is not None:
            path = Path(self._source.place)
            message = message.replace(str(path), self._source.name).replace(path.name, self._source.name)
        return message.replace(f"{self.folder}{os.sep}", "")

    @property
    def speaker(self) -> Page:
        """The words of the page; rows are counted instead of people where a column says which belong together."""
        schema = None if self._table is None else self._table.schema
        return Page(self._called, rows=schema is not None and bool(schema.names(Role.CLUSTER)))

    def _called(self, term: Term) -> str:
        """How the page calls a term; of a place in the schema that it wrote itself, the column."""
        ours = term.name == "place" and term.python.startswith(str(self.folder / SCHEMA_FILE))
        if ours and term.value[0] == "columns" and len(term.value) > 1:
            return f"{toml_key(term.value[1])}: "
        return field_of(term)

    def frame(self, source: dict[str, Any], progress: Progress) -> pl.DataFrame:
        """The table as it came."""
        chosen = self._select(source)
        if self._frame is None:
            progress.stage("reading the table", 0)
            with enough_memory(chosen.place):
                refuse_large(chosen)
                with written_as(TextForm(**chosen.form)), at_most(chosen.most_cells):
                    frame = load(chosen.place)[0]
                    marks = chosen.marks_in(frame)
                    if any(marks.values()):
                        frame = load(chosen.place, missing=marks)[0]
            refuse_columns(chosen, frame.width)
            if frame.height == 0:
                raise InputError("{chosen} has no rows; there is nothing to publish", chosen=chosen.name)
            self._frame, self.marks = frame, marks
        return self._frame

    def rows(self, source: dict[str, Any], table: Table, progress: Progress) -> pl.DataFrame:
        """The rows of a table as they came."""
        frame = self.frame(source, progress)
        return frame if table.kept is None else frame.filter(table.kept)

    def table(self, source: dict[str, Any], schema: str, progress: Progress) -> Table:
        """The table under a schema."""
        chosen = self._select(source)
        if self._table is None or self._schema != schema:
            self._table, self._schema = None, schema
            self._forget_release()
            with enough_memory(chosen.place):
                roles = Roles(schema=self.schema(schema))
                self._table = read_as(chosen.place, roles, coins=self._lot(), progress=progress)
        speak(self.speaker)
        return self._table

    @property
    def kept(self) -> NDArray[np.bool_] | None:
        """Which rows of the source the table has; None where all, or no table lies there."""
        return None if self._table is None else self._table.kept

    def _lot(self) -> Coins:
        """What draws a row of each person: the same for the table of this session, whichever process reads it."""
        place = self.folder / LOT_FILE
        if not place.exists():
            write_pickle(place, Coins.fresh())
        drawn: Coins = pickle.loads(place.read_bytes())
        return drawn

    def begin(self, source: dict[str, Any]) -> Source:
        """The table that messages are about from now on; nothing of it is read."""
        return self._select(source)

    def _select(self, source: dict[str, Any]) -> Source:
        """Clear the desk when the table is another one."""
        chosen = Source(**source)
        if self._source != chosen:
            self._source, self._frame, self._table, self._schema = chosen, None, None, ""
            self._forget_release()
        return chosen

    def _forget_release(self) -> None:
        self._release, self.attacked = None, {}

    def schema(self, text: str) -> Schema:
        """The schema of a TOML text."""
        return read_schema(self.folder, text)

    @property
    def release(self) -> Release:
        """The release that was made last."""
        if self._release is None:
            try:
                self._release = pickle.loads((self.folder / RELEASE_FILE).read_bytes())
            except FileNotFoundError:
                raise PellucidError("there is no release yet; make one at step 3, Method") from None
        return self._release

    def keep(self, release: Release) -> None:
        """Put a new release on the desk and into the folder; what attackers believed of the last one goes."""
        self._forget_release()
        self._release = release
        write_pickle(self.folder / RELEASE_FILE, release)


def occurring(values: pl.Series, codes: Sequence[str]) -> list[str]:
    """Those of some texts that a column has; of numbers by their value: -9 is also -9.0.

    >>> occurring(pl.Series([-9.0, 30.5]), ["-9", "?"]), occurring(pl.Series(["?", "a"]), ["-9", "?"])
    (['-9'], ['?'])
    """
    if not codes:
        return []
    if values.dtype.is_numeric():
        numbers = {code: float(code) for code in codes if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", code)}
        return [code for code, number in numbers.items() if bool((values == number).any())]
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        found = set(values.cast(pl.String).unique().to_list())
        return [code for code in codes if code in found]
    return []


def read_schema(folder: Path, text: str) -> Schema:
    """The schema of a TOML text. One that names a file is refused: whoever wrote it reads nothing here."""
    path = folder / SCHEMA_FILE
    refuse_files(text, path)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
    return Schema.load(path)


def refuse_files(text: str, path: Path) -> None:
    """Raise when a schema takes a taxonomy from a file, whatever the column's role; before anything looks for it."""
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # reading it says what is wrong
    except ValueError:  # a number with more digits than Python reads
        raise SchemaError("{path}: a number in it has thousands of digits; write a smaller one", path=path) from None
    except RecursionError:
        said = None
    if said is None or depth_of(said) > DEEPEST:
        raise SchemaError(f"{path}: it is nested more than {DEEPEST} times; keep what describes a column")
    columns = said.get("columns", {})
    for name, column in columns.items() if isinstance(columns, dict) else ():
        taxonomy = column.get("taxonomy") if isinstance(column, dict) else None
        file = taxonomy.get("file") if isinstance(taxonomy, dict) else taxonomy
        if isinstance(file, str):
            raise SchemaError(
                f"{name}: its taxonomy is the file {file!r}, and this page reads no other file of the machine; remove "
                "that line, load the schema, and upload the taxonomy at Details of the column"
            )


def depth_of(nested: Any) -> int:
    """How often lists and mappings are nested, without following them by calls, which the deepest ones would break.

    >>> depth_of({"a": [1, {"b": 2}]}), depth_of("a")
    (3, 0)
    """
    depth, level = 0, [nested]
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        level = [below for one in level for below in (one.values() if isinstance(one, dict) else one)]
    return depth


def write_pickle(path: Path, value: Any) -> None:
    """Write a value so that nobody ever reads half of it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as file:
        pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
    beside.replace(path)


def refuse_large(source: Source) -> None:
    """A small Parquet or Arrow file may claim a billion rows, or unpack to gigabytes: look at what it says."""
    path = Path(source.place)
    if not path.is_file():  # an embedded table
        return
    with path.open("rb") as file:
        start = file.read(32)
    if (program := statistics_format(path, start)) is not None and source.most_cells:
        _refuse_large_statistics(path, program, source)
    claimed = _claimed(path, start)
    if claimed is None:
        return
    schema, rows = claimed
    _refuse_nested(source, schema)
    refuse_columns(source, len(schema))
    _refuse_cells(source, rows, len(schema))


def _refuse_nested(source: Source, schema: Mapping[str, pl.DataType]) -> None:
    nested = next((name for name, kind in schema.items() if kind.is_nested() or kind in (pl.Binary, pl.Object)), None)
    if nested is not None:
        content = {pl.Binary: "bytes", pl.Object: "objects"}.get(schema[nested].base_type(), "lists or structures")
        raise InputError(
            f"the column {nested!r} of {source.name} has {content} in its cells, and a cell of a "
            "table about people has one value; remove the column, or make columns of its parts"
        )


def _refuse_cells(source: Source, rows: int, columns: int) -> None:
    if source.most_cells and rows * columns > source.most_cells:
        raise InputError(
            f"{source.name} claims {rows:,} rows of {columns:,} columns, more than an upload may have; have "
            "pellucid started with the file itself, which has no limit"
        )


def _refuse_large_statistics(path: Path, program: str, source: Source) -> None:
    """A file of SPSS, Stata or SAS may be packed a thousandfold; what it says of itself is read without its rows."""
    try:
        rows, columns = shape_of(path, program, source.most_cells)
    except InputError:
        return  # reading it says what is wrong
    refuse_columns(source, columns)
    _refuse_cells(source, rows, columns)


def _claimed(path: Path, start: bytes) -> tuple[pl.Schema, int] | None:
    """The columns and the number of rows that a Parquet or Arrow file says it has; None for others."""
    try:
        if start.startswith(PARQUET):
            lazy = pl.scan_parquet(path, glob=False)
        elif start.startswith(b"ARROW1"):
            lazy = pl.scan_ipc(path)
        else:
            return None
        return lazy.collect_schema(), int(lazy.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):
        return None  # reading it says what is wrong


def refuse_columns(source: Source, columns: int) -> None:
    """Raise when there are more columns than a page can show."""
    if columns > MOST_COLUMNS:
        raise InputError(
            f"{source.name} has {columns:,} columns, more than the {MOST_COLUMNS:,} that the page can show; remove "
            "columns that nobody needs"
        )
