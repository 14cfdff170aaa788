"""Read a project file: it may be written to do harm, so it is read in the process that Cancel ends."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pellucid.core.schema import Role
from pellucid.core.taxonomy.toml_text import toml_value
from pellucid.errors import PellucidError, SchemaError
from pellucid.runtime.progress import Progress
from pellucid.web.option_fields import known_options
from pellucid.web.tasks.declaring import leave_draft
from pellucid.web.values_by_column import method_of, written
from pellucid.web.worker_state import DEEPEST, SCHEMA_FILE, Desk, depth_of, read_schema

NO_PROJECT = "is no project; open the file that “Save the project” gave you"
TEXTS, NUMBERS = ("name", "finished", "claim", "of"), ("groups", "min")  # what a list shows of a release
KEYS = ("nothing_sensitive", "where", "unique", "people", "columns", "file")  # of a schema
LONGEST, LARGEST = 400, 10**12
MOST_RELEASES = 50


def project(desk: Desk, *, path: str, name: str, columns: list[str], progress: Progress) -> dict[str, Any]:
    """Leave the columns of a project for the server, and say what else is in it."""
    progress.stage("reading the project", 0)
    text = Path(path).read_bytes().decode("utf-8-sig", "replace")
    Path(path).unlink(missing_ok=True)
    said, written = _parts(text, name)
    try:
        found = read_schema(desk.folder, written)
    except PellucidError as wrong:
        raise SchemaError(
            wrong.message.with_texts(lambda text: text.replace(str(desk.folder / SCHEMA_FILE), name))
        ) from None
    unknown = [column for column in found.columns if column not in columns]
    if unknown:  # nothing is wrong with the project: it is of another table
        return {"unknown": unknown[0]}
    leave_draft(desk, found, columns)
    return {"where": found.where or "", **_setting(said, name, found.names(Role.SENSITIVE)), **_about(said["project"])}


def _parts(text: str, name: str) -> tuple[dict[str, Any], str]:
    """What the file says, and its schema as the text of one."""
    try:
        said = tomllib.loads(text)
        schema = said.get("schema")
        if depth_of(said) <= DEEPEST and isinstance(said.get("project"), dict) and isinstance(schema, dict):
            return said, "".join(f"{key} = {toml_value(schema[key])}\n" for key in KEYS if key in schema)
    except (ValueError, RecursionError):  # also of a number with more digits than Python reads or writes
        pass
    raise SchemaError("{name} {no_project}", name=name, no_project=NO_PROJECT)


def _setting(said: dict[str, Any], name: str, sensitive: list[str]) -> dict[str, Any]:
    method = said.get("method", {})
    method = method if isinstance(method, dict) else {}
    given = {str(key): value for key, value in method.items() if key != "name"}
    try:
        parameters = {key: _text_of(value) for key, value in given.items()}
    except ValueError:  # a number with more digits than Python writes
        raise SchemaError("{name} {no_project}", name=name, no_project=NO_PROJECT) from None
    try:
        flags = {key: value for key, value in given.items() if value is True}
        method_of(str(method.get("name", "")), {**parameters, **flags}, sensitive)
    except PellucidError as wrong:
        raise SchemaError("{name}: {wrong}", name=name, wrong=wrong) from None
    return {
        "method": str(method["name"]),
        "parameters": parameters,
        "options": known_options(said),
    }


def _text_of(value: Any) -> str:
    """A parameter as a form has it."""
    if isinstance(value, dict) and all(isinstance(several, list) for several in value.values()):
        return written(value)
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _about(said: dict[str, Any]) -> dict[str, Any]:
    """The table and the releases. What a steward ticked is not taken from a file: whoever publishes, ticks."""
    releases = said.get("releases", [])
    listed = (releases if isinstance(releases, list) else [])[:MOST_RELEASES]
    table, prints = _text(said.get("table")), _text(said.get("sha256"))
    past = [found for one in listed if isinstance(one, dict) and (found := _release(one))]
    return {"table": table, "sha256": prints, "past": [{"of": prints or table, **one} for one in past]}


def _release(one: dict[str, Any]) -> dict[str, Any]:
    """What a list shows of a release; nothing where something of it can be no release.

    >>> _release({"name": "hybrid, l = 2", "finished": "2026-01-31T12:00:00", "groups": 4, "claim": "algorithm"})
    {'name': 'hybrid, l = 2', 'finished': '2026-01-31T12:00:00', 'claim': 'algorithm', 'groups': 4}
    >>> _release({}), _release({"name": "hybrid", "finished": "today", "groups": True})
    ({}, {})
    """
    texts = {key: _text(one[key]) for key in TEXTS if key in one}
    numbers = {key: one[key] for key in NUMBERS if key in one}
    sound = all(type(number) is int and 0 <= number <= LARGEST for number in numbers.values())
    return {**texts, **numbers} if sound and texts.get("name") and texts.get("finished") else {}


def _text(said: object) -> str:
    return said[:LONGEST] if isinstance(said, str) else ""
