"""Read what somebody says about columns in a file: a whole schema, or a tree of broader names for one column.

Such a file may be written to do harm: nested thousands of times, or with a million names. So it is read here, in the
process that Cancel ends, and what it says is kept only when all of it makes sense.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from pellucid.core.schema import Column, Role, Schema
from pellucid.core.taxonomy import Taxonomy
from pellucid.errors import PellucidError, SchemaError, TaxonomyError
from pellucid.runtime.progress import Progress
from pellucid.web.tasks.describing import described, encoded
from pellucid.web.uploads import beside_upload
from pellucid.web.worker_state import DEEPEST, DRAFT_FILE, SCHEMA_FILE, Desk, depth_of, read_schema, write_pickle

MOST_NAMES = 100_000  # of a tree; every page that follows carries it along


def schema(desk: Desk, *, path: str, name: str, columns: list[str], progress: Progress) -> dict[str, Any]:
    """Leave the columns that a TOML file describes for the server; those that it does not name are dropped."""
    progress.stage("reading the schema", 0)
    text = _taken(path).decode("utf-8-sig", "replace")
    try:
        said = read_schema(desk.folder, text)
    except PellucidError as wrong:
        raise SchemaError(
            wrong.message.with_texts(lambda text: text.replace(str(desk.folder / SCHEMA_FILE), name))
        ) from None
    unknown = [column for column in said.columns if column not in columns]
    if unknown:
        raise SchemaError(
            f"{name} names the column {unknown[0]!r}, which this table does not have; load the schema that belongs "
            "to it"
        )
    for column, one in said.columns.items():
        _refuse_large(one.taxonomy.tree if one.taxonomy is not None else None, f"{name}, {column}")
    leave_draft(desk, said, columns)
    return {"where": said.where or ""}


def leave_draft(desk: Desk, said: Schema, columns: list[str]) -> None:
    """Leave for the server what a schema says of each column; one that it does not name is dropped."""
    draft = {column: said.columns.get(column, Column(role=Role.DROP)) for column in columns}
    for one in said.several:
        if one.column in draft:
            draft[one.column] = draft[one.column].model_copy(update={"people": one.answer})
    write_pickle(desk.folder / DRAFT_FILE, draft)


def taxonomy(
    desk: Desk, *, source: dict[str, Any], schema: str, column: str, path: str, name: str, progress: Progress
) -> dict[str, Any]:
    """Leave a column with the tree of a file for the server, and say what the tree looks like over its values.

    ``schema`` describes the column without a taxonomy, and one other that only makes it a schema.
    """
    progress.stage("reading the tree", 0)
    file = Path(path)
    content = _taken(path)
    try:
        tree = tree_in(content, file)
    except PellucidError as wrong:
        raise SchemaError(wrong.message.with_texts(lambda text: text.replace(str(file), name))) from None
    declared = desk.schema(schema).columns[column]
    said = {key: getattr(declared, key) for key in Column.model_fields} | {"taxonomy": {"tree": tree}}
    made = Column(**said)
    shown = described(*encoded(desk, source, column, made, progress))
    write_pickle(desk.folder / DRAFT_FILE, made)
    return shown


def tree_in(content: bytes, file: Path) -> Any:
    """What a taxonomy file says, nested: a name with several parents keeps them as the file has them."""
    if file.suffix == ".csv":
        lines = content.split(b"\n")
        _refuse_many(len(lines), str(file))
        _refuse_deep(max(line.count(b";") for line in lines), str(file))
    else:
        _refuse_deep(_depth_in(content, file.suffix), str(file))
    beside = beside_upload(file)
    beside.write_bytes(content)
    try:
        found = Taxonomy.load(beside)
    except PellucidError as wrong:
        raise TaxonomyError(wrong.message.with_texts(lambda text: text.replace(str(beside), str(file)))) from None
    finally:
        beside.unlink(missing_ok=True)
    _refuse_many(len(found.leaves), str(file))
    if found.is_tree:
        return found.to_tree()
    text = content.decode("utf-8-sig")
    return json.loads(text) if file.suffix == ".json" else tomllib.loads(text)


def _taken(path: str) -> bytes:
    """The content of a file that was uploaded for this; it is not needed any more."""
    file = Path(path)
    content = file.read_bytes()
    file.unlink()
    return content


def _depth_in(content: bytes, ending: str) -> int:
    """How deep a file nests; 0 where reading it says what is wrong."""
    try:
        text = content.decode("utf-8-sig")
        return depth_of(json.loads(text) if ending == ".json" else tomllib.loads(text))
    except RecursionError:
        return DEEPEST + 1
    except ValueError:
        return 0


def _refuse_large(tree: Any, source: str) -> None:
    if tree is not None:
        _refuse_many(len(Taxonomy.from_tree(tree).leaves), source)


def _refuse_many(names: int, source: str) -> None:
    if names > MOST_NAMES:
        raise TaxonomyError(
            f"{source}: there are {names:,} names, more than the {MOST_NAMES:,} that the page works with; declare "
            "coarser ones"
        )


def _refuse_deep(depth: int, source: str) -> None:
    if depth > DEEPEST:
        raise TaxonomyError(
            f"{source}: the names are nested more than {DEEPEST} times; keep the levels that somebody would publish"
        )
