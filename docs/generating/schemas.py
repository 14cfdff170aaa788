"""The JSON schemas of the documents that ``--json`` prints, as they lie in docs/schemas."""

from __future__ import annotations

import json
from pathlib import Path

from generating.markdown import cell, paragraphs, table

FOLDER = Path(__file__).parents[1] / "schemas"


OF_FILES = ("job", "recipe", "schema")


def text() -> str:
    """A section for each document of a verb, then for each file that can be checked in the same way."""
    paths = sorted(FOLDER.glob("*.json"), key=lambda path: path.name)
    documents = [path for path in paths if path.name.partition(".")[0] not in OF_FILES]
    files = [path for path in paths if path not in documents]
    return paragraphs(
        *map(section, documents),
        "## JSON schemas of the files",
        "For editors, and for whoever checks:",
        *map(section, files),
    )


def section(path: Path) -> str:
    """The fields at the top of a document; the file itself is linked."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    needed = set(schema.get("required", ()))
    rows = (
        (f"`{name}`", kind(field), cell(field.get("description", "")), "always" if name in needed else "")
        for name, field in schema.get("properties", {}).items()
    )
    return paragraphs(
        f"### {schema.get('title', path.name)}",
        schema.get("description", ""),
        table(("field", "type", "meaning", ""), rows),
        f'The whole schema: <a href="../schemas/{path.name}">{path.name}</a>.',
    )


def kind(field: dict[str, object]) -> str:
    """The type of a field in a word."""
    told = field.get("type") or ("one of " + ", ".join(map(str, field["enum"])) if "enum" in field else "")
    return " or ".join(map(str, told)) if isinstance(told, list) else str(told)
