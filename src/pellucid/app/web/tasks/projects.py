"""Read a project file: it may be written to do harm, so it is read in the process that Cancel ends."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pellucid.app.parameters import build_method
from pellucid.app.web.speaking import say
from pellucid.app.web.worker_state import DEEPEST, DRAFT_FILE, SCHEMA_FILE, Desk, depth_of, read_schema, write_pickle
from pellucid.errors import PellucidError, SchemaError
from pellucid.progress import Progress
from pellucid.recode import RECODERS
from pellucid.schema import Column, Role
from pellucid.taxonomy.toml_text import toml_value

NO_PROJECT = "is no project; open the file that “Save the project” gave you"
SHOWN = ("name", "finished", "groups", "min", "claim")
MOST_RELEASES = 50


def project(desk: Desk, *, path: str, name: str, columns: list[str], progress: Progress) -> dict[str, Any]:
    """Leave the columns of a project for the server, and say what else is in it."""
    progress.stage(say("reading the project"), 0)
    text = Path(path).read_bytes().decode("utf-8-sig", "replace")
    Path(path).unlink(missing_ok=True)
    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        raise SchemaError(f"{name} {NO_PROJECT}") from None
    if (
        depth_of(said) > DEEPEST
        or not isinstance(said.get("project"), dict)
        or not isinstance(said.get("schema"), dict)
    ):
        raise SchemaError(f"{name} {NO_PROJECT}")
    schema = said["schema"]
    written = "".join(f"{key} = {toml_value(schema[key])}\n" for key in ("columns", "file") if key in schema)
    try:
        found = read_schema(desk.folder, written)
    except PellucidError as wrong:
        raise SchemaError(wrong.advice.marked.replace(str(desk.folder / SCHEMA_FILE), name)) from None
    unknown = [column for column in found.columns if column not in columns]
    if unknown:
        raise SchemaError(
            f"{name} names the column {unknown[0]!r}, which this table does not have; open the table of the project"
        )
    dropped = Column(role=Role.DROP)
    write_pickle(desk.folder / DRAFT_FILE, {column: found.columns.get(column, dropped) for column in columns})
    return {**_setting(said, name), **_about(said["project"])}


def _setting(said: dict[str, Any], name: str) -> dict[str, Any]:
    method = said.get("method", {})
    method = method if isinstance(method, dict) else {}
    given = {str(key): value for key, value in method.items() if key != "name"}
    parameters = {
        key: ",".join(map(str, value)) if isinstance(value, list) else str(value) for key, value in given.items()
    }
    try:
        build_method(str(method.get("name", "")), {**parameters, **{k: v for k, v in given.items() if v is True}})
    except PellucidError as wrong:
        raise SchemaError(f"{name}: {wrong}") from None
    recode = said.get("recode", "")
    accepted = said.get("accept_known", [])
    return {
        "method": method["name"],
        "parameters": parameters,
        "recode": recode if recode in RECODERS else "",
        "accepted": [str(one) for one in accepted] if isinstance(accepted, list) else [],
    }


def _about(said: dict[str, Any]) -> dict[str, Any]:
    releases = said.get("releases", [])
    past = [
        {key: str(one[key]) if key not in ("groups", "min") else one[key] for key in SHOWN if key in one}
        for one in (releases if isinstance(releases, list) else [])[:MOST_RELEASES]
        if isinstance(one, dict) and all(isinstance(one.get(key, 0), int) for key in ("groups", "min"))
    ]
    confirmed = said.get("confirmed", [])
    return {
        "table": str(said.get("table", "")),
        "sha256": str(said.get("sha256", "")),
        "confirmed": [str(one) for one in confirmed] if isinstance(confirmed, list) else [],
        "past": past,
    }
