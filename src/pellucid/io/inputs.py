"""The files that a call reads: whatever it writes must not be one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from pellucid.errors import OutputError
from pellucid.io.database import is_address
from pellucid.schema import Schema
from pellucid.whole_file import explained, resolved


def refuse_inputs_in(out: Path, inputs: Sequence[Path]) -> None:
    """Raise when a folder that is to be replaced has a file that is read: the release would take its place."""
    with explained(str(out)):
        folder = resolved(out)
    for path in inputs:
        if path.exists() and path.resolve().is_relative_to(folder):
            raise OutputError(f"{out} has {path}, which is read as input, and is not replaced; choose another folder")


def input_files(source: Any, schema: Schema | str | PathLike[str] | None, others: Iterable[object] = ()) -> list[Path]:
    """Every file that a call reads: the table, the schema and its taxonomies, and whatever else is a file's name."""
    if isinstance(source, str) and is_address(source):
        source = source.partition(":///")[2].partition("::")[0]
    files = [Path(one) for one in (source, *others) if isinstance(one, str | PathLike)]
    if schema is not None and not isinstance(schema, Schema):
        files.append(Path(schema))
        schema = Schema.load(Path(schema))
    if schema is not None:
        trees = [column.taxonomy.file for column in schema.columns.values() if column.taxonomy is not None]
        files += [schema.folder / tree for tree in trees if tree is not None]
    return files
