"""TOML as text: what is wrong with it, on which line a key stands, how keys and values are written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from pellucid.text.values import label_of

REACH = 100  # how far from a line to look for the end of a statement; longer ones are not worth the wait


def toml_problem(text: str, source: str, problem: tomllib.TOMLDecodeError) -> str:
    """What is wrong with TOML text, the line first.

    >>> try:
    ...     tomllib.loads("role quasi")
    ... except tomllib.TOMLDecodeError as problem:
    ...     toml_problem("role quasi", "my.toml", problem)
    "my.toml, line 1: this is not TOML: expected '=' after a key in a key/value pair, at column 6"
    """
    message = str(problem)
    match = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if match:
        line, where = int(match[1]), f"column {match[2]}"
    else:
        line, where = text.count("\n", 0, len(text.rstrip())) + 1, "the end of the file"
    message = re.sub(r" \(at [^()]*\)$", "", message)
    return f"{source}, line {line}: this is not TOML: {message[0].lower()}{message[1:]}, at {where}"


def line_of_key(text: str, path: Sequence[object]) -> int | None:
    r"""The line where the statement that sets a key begins, or that sets the nearest table above it that there is.

    The key is set between the longest beginning of the text that parses without it and the shortest that parses with
    it. So the parser itself says where, for every way TOML has of writing a key.

    >>> line_of_key('[columns.age]\nrole = "quasi"\n\n[columns."a b"]\nrole = "drop"', ["columns", "a b", "role"])
    5
    """
    lines = text.split("\n")
    path = _known_part(tomllib.loads(text), path)
    if not path:
        return None
    without, having = 0, len(lines)
    while (beginning := _parsing_beginning(lines, without, having)) is not None:
        end, data = beginning
        if len(_known_part(data, path)) == len(path):
            having = end
        else:
            without = end
    if having - without > 2 * REACH:  # not every line between was tried
        return None
    return without + 1  # blank lines and comments before the statement parse, so they are behind us


def _parsing_beginning(lines: list[str], low: int, high: int) -> tuple[int, Mapping[str, object]] | None:
    """How many lines, strictly between the two numbers and near their middle, parse on their own, and to what."""
    middle = (low + high) // 2
    for end in sorted(range(max(low + 1, middle - REACH), min(high, middle + REACH)), key=lambda n: abs(n - middle)):
        data = _parsed("\n".join(lines[:end]))
        if data is not None:
            return end, data
    return None


def _parsed(text: str) -> Mapping[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _known_part(data: object, path: Sequence[object]) -> list[object]:
    """The beginning of the path that leads to something."""
    known: list[object] = []
    for key in path:
        if not isinstance(data, Mapping) or key not in data:
            break
        data = data[key]
        known.append(key)
    return known


def dotted(path: Sequence[object]) -> str:
    """A path of keys as TOML writes it; positions in an array in brackets.

    >>> dotted(["columns", "a b", "order", 2])
    'columns."a b".order[2]'
    """
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{toml_key(str(key))}"
    return text.removeprefix(".")


def toml_key(key: str) -> str:
    """A key, quoted where it must be."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)


def toml_value(value: object) -> str:
    r"""A value on one line.

    >>> print(toml_value({"ladder": [5, 10.0], "first line\n": "x"}))
    {ladder = [5, 10.0], "first line\n" = "x"}
    """
    if isinstance(value, str):  # TOML's basic strings escape as JSON's do, and the delete character besides
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(label_of(key))} = {toml_value(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if value is None:  # only in a tree, where nothing stands below a name
        return "[]"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, float):
        return repr(value)
    return label_of(value)
