"""A release is opened here, whoever asks: ours, a bundle on disk, any frame or file, or two tables sharing a group."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid import datasets
from pellucid.anonymize.methods import Method
from pellucid.audit.recipe_file import read_recipe
from pellucid.core.recipe import Recipe
from pellucid.core.release import Release
from pellucid.core.schema import Schema, TextForm
from pellucid.errors import InputError
from pellucid.io import is_text, load, written_as
from pellucid.io.bundle import SPREADSHEET_SAFE
from pellucid.io.codes import plain
from pellucid.io.database import without_password
from pellucid.io.files import is_parts, parquet_files, part_files, require_flat
from pellucid.io.formulas import unquoted
from pellucid.io.frames import unwrapped
from pellucid.io.inference import narrow
from pellucid.io.text_form import by_its_looks
from pellucid.spark.frames import Columns, is_distributed, read_parquet, require_running

RECIPE = "recipe.json"
WHOLE = "data"
SPLIT = ("quasi_identifiers", "sensitive")
FORMATS = ("csv", "parquet", "arrow")
PARQUET = ".parquet"
ROWS = "@rows"  # no column of a release is called so


class Cells(NamedTuple):
    """Different cells, one row of the frame for each and in no order, and how many rows of a release have each."""

    frame: pl.DataFrame
    rows: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class OpenedRelease:
    """A release as it was handed out: its tables, and what came with them about their columns.

    There is one table, or there are two: ``quasi_identifiers`` and ``sensitive``. A table is whatever
    :func:`pellucid.io.load` reads. Tables in ``written`` come from text files, and what is written differently in
    them is different: whoever reads the file sees 1 and 1.0, and 1e3 and 1000, as different values.
    """

    name: str
    tables: Mapping[str, Any]
    recipe: Recipe | None = None
    schema: Schema | None = None
    written: frozenset[str] = frozenset()

    @property
    def facts(self) -> Recipe:
        """What its recipe says; where there is none, a recipe that says nothing.

        >>> opened("patients").facts.row_order is None
        True
        """
        return self.recipe if self.recipe is not None else Recipe()

    @property
    def made_by(self) -> Method | None:
        """The method that its recipe names."""
        return None if self.facts.method is None else self.facts.made_by

    @property
    def distributed(self) -> bool:
        """Whether its rows are with Spark."""
        return any(map(is_distributed, self.tables.values()))

    @property
    def in_two(self) -> bool:
        """Whether quasi-identifiers and sensitive values are in tables of their own."""
        return len(self.tables) == 2

    def columns(self, table: str = WHOLE) -> list[str]:
        """The names of a table's columns."""
        return _columns(self.tables[table])

    def read(self, columns: list[str], table: str = WHOLE, *, typed: Collection[str] = ()) -> pl.DataFrame:
        """These columns of a table; of a text file the ``typed`` ones in the type that fits all their values."""
        frame, _ = load(self.tables[table], columns=columns)
        if table not in self.written:
            return frame
        texts = [name for name in columns if name in typed and frame[name].dtype == pl.String]
        return frame.with_columns(narrow(frame[name]) for name in texts)

    def cells(self, columns: list[str], table: str = WHOLE) -> Cells:
        """The different cells of a published column, or of those that it became, and how many rows have each.

        NaN is null and a category is its text, wherever the rows are.

        >>> cells, rows = OpenedRelease("a release", {WHOLE: pl.DataFrame({"age": [20, None, 20]})}).cells(["age"])
        >>> sorted(zip(rows.tolist(), cells["age"].to_list()))
        [(1, None), (2, 20)]
        """
        if self.distributed:
            return Cells(*Columns.of(self.tables[table], columns).values(*columns))
        frame = pl.DataFrame([plain(column) for column in self.read(columns, table)])
        counted = frame.group_by(columns).agg(pl.len().alias(ROWS))
        return Cells(counted.drop(ROWS), counted[ROWS].to_numpy().astype(np.int64))


def opened(source: Any, spark: Any = None) -> OpenedRelease:
    """What the caller gave, ready to be read; with a Spark session, files are read by Spark and not here.

    >>> opened("patients").columns()
    ['name', 'age', 'zipcode', 'disease']
    """
    if spark is not None:
        require_running(spark)
    release = _opened(source, spark)
    for table in filter(is_distributed, release.tables.values()):
        require_running(table.sparkSession)
    return release


def _is_there(path: Path) -> tuple[bool, bool]:
    """Whether it is a file or a folder, and whether there is anything of that name."""
    try:
        return path.is_file() or path.is_dir(), path.exists()
    except OSError:  # a name that no file can have; load says so
        return False, False


def _opened(source: Any, spark: Any) -> OpenedRelease:
    if isinstance(source, OpenedRelease):
        return source
    if isinstance(source, Release):
        return OpenedRelease("the release", source.public.frames, source.public.recipe)
    if isinstance(source, Mapping):
        return OpenedRelease("the release", _named(source))
    if isinstance(source, tuple | list):
        raise InputError(
            f"a {type(source).__name__} of {len(source)}; a release in two tables names them, as in "
            "{'quasi_identifiers': frame, 'sensitive': frame}, one in one table is the frame itself"
        )
    if not isinstance(source, str | PathLike):
        return OpenedRelease("the frame", {WHOLE: source})
    path = Path(source)
    located, there = _is_there(path)
    if located:
        return _files(*_located(path), spark)
    if spark is not None:
        raise _no_file(source)
    if there:  # a pipe
        return _files(str(source), {WHOLE: path})
    # an address of a database, an embedded table, or a file that is not there, which load explains
    return OpenedRelease(
        without_password(str(source)), {WHOLE: load(source)[0]}, schema=datasets.schema_of(str(source))
    )


def require_parquet(source: str | PathLike[str]) -> None:
    """Refuse a path of which Spark cannot read the tables, before it is started."""
    path = Path(source)
    if not (path.is_file() or path.is_dir()):
        raise _no_file(source)
    for table in _located(path)[1].values():
        parquet_files(table)


def files_of(source: str | PathLike[str]) -> list[Path]:
    """The files that a release on disk consists of: its tables, or the parts of them, and its recipe; nothing else."""
    path = Path(source)
    _, tables, recipe = _located(path)
    files = [file for table in tables.values() for file in (part_files(table) if is_parts(table) else [table])]
    folder = path.parent if path in tables.values() else path
    return [*files, *([folder / RECIPE] if recipe is not None else [])]


def _no_file(source: object) -> InputError:
    return InputError(f"{source} is no file that Spark reads; give a Parquet file or folder, or a Spark DataFrame")


def _located(path: Path) -> tuple[str, Mapping[str, Path], Recipe | None]:
    """What a file or folder is called, where its tables are, and its recipe."""
    if path.is_dir() and ((path / RECIPE).is_file() or not is_parts(path)):
        return _folder(path)
    recipe = path.absolute().parent / RECIPE
    own = path.stem == WHOLE and recipe.is_file()
    return path.name, {WHOLE: path}, read_recipe(recipe) if own else None


def _files(name: str, paths: Mapping[str, Path], recipe: Recipe | None = None, spark: Any = None) -> OpenedRelease:
    """The tables of files; a file is read once, since a pipe gives its bytes only once."""
    if spark is not None:
        return OpenedRelease(
            name, {table: read_parquet(spark, parquet_files(path)) for table, path in paths.items()}, recipe
        )
    written = frozenset(table for table, path in paths.items() if is_text(path))
    # a release of ours has commas and a header, whatever was said about the original
    with ExitStack() as form:
        if recipe is not None:
            form.enter_context(by_its_looks())
            form.enter_context(written_as(TextForm(header=True)))
        tables = {table: load(path, verbatim=True)[0] for table, path in paths.items()}
    if recipe is not None and recipe.document.get(SPREADSHEET_SAFE):
        tables |= {table: unquoted(tables[table]) for table in written}
    return OpenedRelease(name, tables, recipe, written=written)


def _folder(folder: Path) -> tuple[str, Mapping[str, Path], Recipe | None]:
    """A bundle that ``release.write`` wrote, or the like: one table, or two, and perhaps a recipe."""
    files = {
        name: path
        for name in (WHOLE, *SPLIT)
        for path in (folder / f"{name}.{suffix}" for suffix in FORMATS)
        if path.is_file() or is_parts(path)
    }
    if WHOLE in files:
        files = {WHOLE: files[WHOLE]}
    elif set(files) != set(SPLIT):
        require_flat(folder, of_parts=False)
        raise InputError(
            f"{folder} is a folder without data.csv, and without quasi_identifiers.csv and sensitive.csv "
            "(or .parquet, .arrow); give a release's folder, or a file"
        )
    recipe = folder / RECIPE
    return folder.name or str(folder), files, read_recipe(recipe) if recipe.is_file() else None


def _named(tables: Mapping[Any, Any]) -> dict[str, Any]:
    """A mapping of frames as the caller gave it: the whole release, or its two tables."""
    if set(tables) not in ({WHOLE}, set(SPLIT)):
        given = ", ".join(repr(str(name)) for name in tables) or "none"
        raise InputError(
            f"tables named {given}; a release in two tables is "
            "{'quasi_identifiers': frame, 'sensitive': frame}, one in one table is the frame itself"
        )
    return {str(name): frame for name, frame in tables.items()}


def _columns(frame: Any) -> list[str]:
    native = unwrapped(frame)
    if isinstance(native, pl.LazyFrame):
        return native.collect_schema().names()
    names = getattr(native, "column_names", None)  # pyarrow; its columns are the data
    if names is None:
        names = getattr(native, "columns", None)
    if names is None:
        load(frame)  # raises the error that says what a table is
        raise InputError("{name} is not a table; give a path or a frame", name=type(frame).__name__)
    return [str(name) for name in names]
