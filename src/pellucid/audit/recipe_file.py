"""``recipe.json`` as it is read: the one place that looks whether its fields are what they should be.

A recipe may come from anywhere, so nothing in it is taken for granted. Fields that are not known are left alone, and
all but ``columns`` may be missing: releases of other versions, and recipes that people write, have more or fewer.
Whoever names a method says its parameters too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pellucid.core.recipe import Recipe
from pellucid.core.schema import Kind, Role
from pellucid.errors import InputError
from pellucid.messages import Message
from pellucid.text.values import shortened

WAY_OUT = Message(
    "write the release again, or give {QUASI} and {SENSITIVE}, or {SCHEMA}, with a copy of the data without it"
)


def _content(path: Path) -> Any:
    """What the file says in JSON; None where it says nothing in it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise InputError("{path} is nested too deeply to be a recipe; {way_out}", path=path, way_out=WAY_OUT) from None
    except (OSError, ValueError):
        return None


def read_recipe(path: Path) -> Recipe:
    """The recipe in a file; a file that is none, or of which a field is wrong, is refused in one line."""
    content = _content(path)
    if not isinstance(content, Mapping) or not isinstance(content.get("columns"), list) or not content["columns"]:
        raise _no_recipe(path)
    _check_columns(path, content["columns"])
    for field, (fits, rule) in FIELDS.items():
        if field in content and not fits(content[field]):
            raise InputError(
                "{path}: {field} must be {rule}; {way_out}", path=path, field=field, rule=rule, way_out=WAY_OUT
            )
    if "method" in content and "parameters" not in content:
        raise InputError("{path}: method is there and parameters is not; {way_out}", path=path, way_out=WAY_OUT)
    return Recipe.of(content)


def _no_recipe(path: Path) -> InputError:
    return InputError(
        "{path} is not a recipe that says what the columns are; give {QUASI} and {SENSITIVE}, or {SCHEMA}", path=path
    )


def _check_columns(path: Path, columns: list[Any]) -> None:
    """Each column has a name of its own, a role and a kind; which ones there are, the schema says."""
    names = set()
    for column in columns:
        if not isinstance(column, Mapping) or not {"name", "role", "kind"} <= set(column):
            raise _no_recipe(path)
        if not _text(column["name"]) or column["name"] in names:
            raise InputError("{path}: columns must have names, each its own; {way_out}", path=path, way_out=WAY_OUT)
        names.add(column["name"])
        for field, choices in (("role", Role), ("kind", Kind)):
            known = [choice.value for choice in choices]
            if column[field] not in known:
                rule = f"{field} must be one of {', '.join(known)}, not {shortened(repr(column[field]), 40)}"
                raise InputError(
                    "{path}, column {column!r}: {rule}; {way_out}",
                    path=path,
                    column=column["name"],
                    rule=rule,
                    way_out=WAY_OUT,
                )


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _recoding(value: Any) -> bool:
    """Parameters of a recoder: the size of its sets is compared with numbers, and a statistic is one of two."""
    known = _table(value) and value.get("statistic", "mean") in ("mean", "median")
    return known and (value.get("largest_set") is None or _count(value["largest_set"]))


FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "pellucid": (_text, "text"),
    "method": (_text, "the name of a method"),
    "parameters": (_table, "parameters by name"),
    "guarantee": (_text, "text"),
    "sentence": (_text, "text"),
    "recode": (_text, "the name of a recoder"),
    "recode_parameters": (_recoding, "parameters by name, and largest_set a number"),
    "rows": (_count, "a number of rows"),
    "suppressed": (_count, "a number of rows"),
    "changes": (_texts, "a list of texts"),
    "accepted_known": (_texts, "a list of columns"),
    "row_order": (_text, "text"),
    "ordered_as": (_text, "text"),
    "cluster": (_text, "the name of a column"),
    "clusters_parted": (lambda value: isinstance(value, bool), "true or false"),
}
