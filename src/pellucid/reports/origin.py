"""What a report is about, so that it can be checked years later: the source file, the published files, what stayed.

A checksum of the original is for the file only. Who guesses all but one sensitive value could try every value of it and
see which gives the checksum, so in public it would tell what the promise hides. So are the name of the source file,
which may name a project or a person, and the names of columns that were withheld, which the release does not tell.
Checksums of published files are a function of what is published, and help everybody who has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from pellucid.audit.source import files_of
from pellucid.core.release import Release
from pellucid.core.schema import Role, Schema
from pellucid.core.table import Table
from pellucid.errors import PellucidError
from pellucid.io import load
from pellucid.io.checksum import checksum
from pellucid.io.database import without_password
from pellucid.reports.opened import Given
from pellucid.spark.checksums import checksums_by_spark

WITHHELD = {
    Role.IDENTIFIER: "identifier: names the person, orders the rows, never published",
    Role.CLUSTER: "cluster: says which rows belong together, never published",
    Role.DROP: "dropped",
}
UNNAMED = "not named in the schema, so never read"
UNTOLD = "not published; the schema that says why was not given to this report"


@dataclass(frozen=True)
class Origin:
    """Where the original came from: what the steward calls it, and the checksum of the file, where it is one."""

    name: str = ""
    sha256: str = ""

    @classmethod
    def of_file(cls, path: Path, name: str = "") -> Origin:
        """A file; ``name`` is what people call it, its own name unless given, and never its folder."""
        return cls(Path(name).name or path.name, checksum(path))


@dataclass(frozen=True)
class Withheld:
    """A column of the original that is not published, and why."""

    name: str
    why: str


def origin_of(original: Any) -> Origin:
    """Where an original came from, as far as it tells: a path, or the name of an embedded table."""
    if isinstance(original, str | PathLike):
        path = Path(original)
        return Origin.of_file(path) if path.is_file() else Origin(Path(without_password(str(original))).name)
    return Origin()


def published_files(release: Any, spark: Any = None) -> dict[str, str]:
    """The files of a release on disk by name, with their checksums; none of one that is in memory.

    With a Spark session its machines read them.
    """
    if not isinstance(release, str | PathLike) or not Path(release).exists():
        return {}
    files = sorted(files_of(release))
    folder = Path(release) if Path(release).is_dir() else Path(release).parent
    names = [
        (file.relative_to(folder) if file.is_relative_to(folder) else Path(file.name)).as_posix() for file in files
    ]
    digests = map(checksum, files) if spark is None else checksums_by_spark(spark, files)
    return dict(zip(names, digests, strict=True))


def withheld(
    original: Any, schema: Schema | None, published: Sequence[str], identifier: str | None = None
) -> tuple[Withheld, ...]:
    """The columns of the original that are not published, by name, in the original's order."""
    roles = {} if identifier is None else {identifier: Role.IDENTIFIER}
    roles |= {} if schema is None else {name: column.role for name, column in schema.columns.items()}
    columns, unsaid = columns_of(original), UNTOLD if schema is None else UNNAMED
    why = {name: unsaid for name in columns if name not in published}
    why |= {name: WITHHELD.get(role, "") for name, role in roles.items()}
    return tuple(Withheld(name, why[name]) for name in dict.fromkeys([*columns, *roles]) if why.get(name))


def columns_of(original: Any) -> list[str]:
    """The names of an original's columns; of a table that was read, those that it has."""
    if original is None:
        return []
    if isinstance(original, Table):
        return [attribute.name for attribute in original.attributes]
    try:
        return list(load(original)[0].columns)
    except PellucidError:  # it was read once, with fewer columns; what cannot be read is not listed
        return []


def known_schema(release: Any, given: Given) -> Schema | None:
    """What is known of the original's columns: as the caller says, or as it was read when it was published."""
    if given.schema is not None:
        return given.schema
    return release.private.schema if isinstance(release, Release) else None


def title_of(given: Given, origin: Origin) -> str:
    """A title that says what the report is about; ``origin`` is empty for the public one.

    It names no value and no person, and neither praises nor promises: what is promised stands below it.
    """
    what = f" of {origin.name}" if origin.name else ""
    method = given.method
    chosen = {} if method is None else method.model_dump(exclude_defaults=True)
    settings = [f"{name} = {value}" for name, value in chosen.items() if isinstance(value, int | str)]
    with_ = f" with {', '.join(settings)}" if settings else ""
    made = "" if method is None else f", made by {method.name}{with_}"
    protected = f" with {' and '.join(given.audit.sensitive)}" if given.audit.sensitive else ""
    return f"Report on a release{what}: {given.audit.rows:,} rows{protected}{made}"
