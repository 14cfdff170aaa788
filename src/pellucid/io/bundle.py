"""A release on disk: a folder with the data files and ``recipe.json``, complete or not there at all.

The files are written and flushed in a temporary folder beside the target, which then takes the target's name in one
step (:mod:`pellucid.runtime.whole_file`). A process that is killed at any moment leaves the old bundle or the new one.
What it may leave besides, a temporary folder, is removed by the next write to the same target: a folder that a living
process still writes is locked and stays.

A bundle replaces nothing but a bundle: a folder with any other file in it is refused, also with ``overwrite``.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import polars as pl
import polars.selectors as cs

from pellucid.errors import OutputError
from pellucid.io.decode import values_only
from pellucid.io.formulas import quoted
from pellucid.messages import Message, Term
from pellucid.messages.terms import OVERWRITE
from pellucid.runtime.whole_file import exchange, flush_file, flush_folder, reason_of, resolved

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

Format = Literal["csv", "parquet", "arrow"]
FORMATS = ("csv", "parquet", "arrow")
TABLES = ("data", "quasi_identifiers", "sensitive")
RECIPE = "recipe.json"
SPREADSHEET_SAFE = "spreadsheet_safe"


@runtime_checkable
class WritesLines(Protocol):
    """Tables that can be written as CSV without being made first."""

    def write_csv(self, name: str, path: Path) -> bool:
        """Write a table, the same bytes as its frame gives; False, and no file, where that cannot be."""
        ...


def write_bundle(
    frames: Mapping[str, pl.DataFrame],
    recipe: Mapping[str, Any],
    target: str | Path,
    *,
    format: Format = "csv",  # noqa: A002
    overwrite: bool = False,
    then: Callable[[], None] | None = None,
) -> None:
    """Write the frames, one file each, and the recipe to the folder ``target``.

    ``then`` is called in the moment in which the bundle is in its place, for what belongs to it and lies elsewhere;
    when it fails, the bundle is as it was before.

    Files hold the rows and nothing else: no statistics, no metadata, no trace of where a row came from; the same rows
    give the same bytes. In CSV a null is an empty field and an empty text is ``""``. Where the recipe says so, cells
    that a spreadsheet would run are quoted (:mod:`pellucid.io.formulas`).
    """
    if format not in FORMATS:
        raise OutputError(f"format = {format!r} is not one of {', '.join(FORMATS)}; choose one of them")
    with _new_bundle(frames, recipe, target, overwrite=overwrite, then=then) as folder:
        for name in frames:
            path = folder / f"{name}.{format}"
            if format == "csv" and recipe.get(SPREADSHEET_SAFE):
                quoted(frames[name]).write_csv(path)
            elif not (format == "csv" and isinstance(frames, WritesLines) and frames.write_csv(name, path)):
                _write_table(frames[name], path, format)


def write_parts(
    tables: Mapping[str, Path],
    recipe: Mapping[str, Any],
    target: str | Path,
    *,
    overwrite: bool = False,
    then: Callable[[], None] | None = None,
) -> None:
    """The same for tables that others wrote as folders of Parquet files: ``data.parquet/part-00000.parquet`` and so on.

    The files get a second name where the file system can do that, and are copied elsewhere. Who may read them is as
    for any file that this process writes, not as where they come from, which nobody else may read.
    """
    with _new_bundle(tables, recipe, target, overwrite=overwrite, then=then) as folder:
        for name, parts in tables.items():
            place = folder / f"{name}.parquet"
            place.mkdir()
            for part in sorted(parts.glob("*.parquet")):
                try:
                    (place / part.name).hardlink_to(part)
                except OSError:
                    shutil.copyfile(part, place / part.name)
                with contextlib.suppress(PermissionError):  # workers of a cluster may be another user
                    (place / part.name).chmod(stat.S_IMODE(place.stat().st_mode) & 0o666)


@contextlib.contextmanager
def _new_bundle(
    tables: Mapping[str, object],
    recipe: Mapping[str, Any],
    target: str | Path,
    *,
    overwrite: bool,
    then: Callable[[], None] | None = None,
) -> Iterator[Path]:
    """A folder to put the tables in; at the end it has the recipe, is durable, and takes the target's place."""
    target = _resolved(target)
    with _explained(target):
        _recover(target)
        _refuse(target, tables, overwrite=overwrite)
        with _parents(target.parent), _temporary(target) as folder:
            yield folder
            text = json.dumps(recipe, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
            (folder / RECIPE).write_text(text + "\n", encoding="utf-8")
            for path in sorted(folder.rglob("*"), reverse=True):
                flush_folder(path) if path.is_dir() else flush_file(path)
            flush_folder(folder)
            _refuse(target, tables, overwrite=overwrite)  # once more: much may have happened while we wrote
            _put_in_place(folder, target, then or (lambda: None))
            flush_folder(target.parent)


@contextlib.contextmanager
def scratch_beside(target: str | Path) -> Iterator[Path]:
    """A private folder beside a release that is to be written, gone at the end; a killed process' is removed later."""
    target = _resolved(target)
    with _explained(target):
        _recover(target)
        with _parents(target.parent), _temporary(target) as folder:
            folder.chmod(stat.S_IRWXU)
            yield folder


def check_target(target: str | Path, *, overwrite: bool = False, replacing: Term = OVERWRITE) -> None:
    """Raise the error about the target that :func:`write_bundle` would raise, before any work is done.

    ``replacing`` is what the caller says to have a release replaced.
    """
    target = _resolved(target)
    with _explained(target):
        _refuse(target, {}, overwrite=overwrite, replacing=replacing)
        above = next(folder for folder in target.parents if folder.exists())
        if not above.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(above, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _write_table(frame: pl.DataFrame, path: Path, format: Format) -> None:  # noqa: A002
    if format == "csv":
        frame.write_csv(path)
    elif format == "parquet":
        # As text, or the type would tell of categories that no row has; in one piece, or row groups would tell how the
        # frame was put together.
        text = frame.with_columns(cs.by_dtype(pl.Categorical, pl.Enum).cast(pl.String))
        text.rechunk().write_parquet(path, statistics=False)
    else:
        # Arrow writes memory as it is; without views a text column is exactly its texts, for every Arrow reader.
        values_only(frame).write_ipc(path, compat_level=pl.CompatLevel.oldest())


def _resolved(target: str | Path) -> Path:
    """The folder itself, behind symbolic links, so that a link stays a link."""
    with _explained(Path(target)):
        folder = resolved(target)
    if not folder.name:
        raise OutputError("{target} cannot be a release; name a folder below it", target=target)
    return folder


def _more_than_a_release(entries: Sequence[str], frames: Mapping[str, object]) -> Message:
    """Why a folder with these entries is not just a release; nothing where it is, or is empty."""
    own = {RECIPE, *(f"{name}.{suffix}" for name in {*TABLES, *frames} for suffix in FORMATS)}
    foreign = [name for name in entries if name not in own]
    if foreign:
        return Message("contains {foreign!r}", foreign=foreign[0])
    return Message("has no {recipe}", recipe=RECIPE) if entries and RECIPE not in entries else Message("")


def _refuse(target: Path, frames: Mapping[str, object], *, overwrite: bool, replacing: Term = OVERWRITE) -> None:
    """An existing target is replaced only on request, and only when it is a bundle or empty."""
    if target.exists() and not target.is_dir():
        raise OutputError("{target} is a file; a release is a folder: choose another name", target=target)
    if not target.exists():
        return
    if not overwrite:
        raise OutputError(
            "{target} exists; choose another folder, or {replacing} to replace the release in it",
            target=target,
            replacing=replacing,
        )
    what = _more_than_a_release(sorted(path.name for path in target.iterdir()), frames)
    if what:
        raise OutputError(
            f"{target} {what}, so it is not just a release and is not replaced; choose another folder, or empty it"
        )


def _put_in_place(folder: Path, target: Path, then: Callable[[], None]) -> None:
    """Give the new folder the target's name; the old one, if any, gets the temporary name.

    What follows belongs to it: when that fails, the old one gets its name back.
    """
    if not target.exists():
        folder.rename(target)
        with _undone_by(lambda: target.rename(folder)):
            then()
        return
    folder.chmod(stat.S_IMODE(target.stat().st_mode))
    if exchange(folder, target):
        with _undone_by(lambda: exchange(folder, target)):
            then()
        return
    aside = _beside(target, "old")
    with _lock(target):
        target.rename(aside)
        with _undone_by(lambda: aside.rename(target)):
            folder.rename(target)
            with _undone_by(lambda: target.rename(folder)):
                then()
    shutil.rmtree(aside, ignore_errors=True)


@contextlib.contextmanager
def _undone_by(undo: Callable[[], object]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        undo()
        raise


def _beside(target: Path, what: Literal["new", "old"]) -> Path:
    return target.with_name(f".{target.name}.pellucid-{what}-{secrets.token_hex(8)}")


def _recover(target: Path) -> None:
    """Clear up behind processes that were killed: put an old bundle back that was moved aside, remove the rest."""
    if not target.parent.is_dir():
        return
    prefix = f".{target.name}.pellucid-"
    left = sorted(path for path in target.parent.iterdir() if path.name.startswith(prefix) and path.is_dir())
    for folder in left:
        with _lock(folder) as ours:
            if not ours:
                continue
            if folder.name.startswith(f"{prefix}old-") and not target.exists():
                folder.rename(target)
            else:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _temporary(target: Path) -> Iterator[Path]:
    """A locked folder beside the target, gone at the end whatever happens."""
    folder = _beside(target, "new")
    try:
        folder.mkdir()
        with _lock(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock; False when another process holds it. The system frees it when a process dies."""
    if fcntl is None:
        yield False
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:  # somebody else has removed it
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _parents(folder: Path) -> Iterator[None]:
    """Create the folders above the target; remove them again when nothing comes of it."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for path in missing:
            with contextlib.suppress(OSError):
                path.rmdir()
        raise


@contextlib.contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Errors of the system as one line with the way out."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise OutputError(
            "{target} cannot be written: {reason_of}", target=target, reason_of=reason_of(error)
        ) from None
