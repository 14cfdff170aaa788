"""Taxonomies as people write them: ``leaf;level 1;...;*`` lines, or nested names in TOML, JSON or Python."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

from pellucid.core.taxonomy.declaration import TOP, Declaration, no_line
from pellucid.core.taxonomy.toml_text import toml_problem
from pellucid.errors import TaxonomyError
from pellucid.text.suggestions import absent_file
from pellucid.text.values import label_of

TAXONOMY_ENDINGS = (".csv", ".toml", ".json")
TREE_SOURCE = "the taxonomy's tree"


def declared_in(path: Path) -> Declaration:
    """What the file declares, read by its ending: .csv, .toml or .json."""
    readers: dict[str, Callable[[str, str], Declaration]] = {".csv": from_csv, ".toml": from_toml, ".json": from_json}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise TaxonomyError(f"{path}: a taxonomy file ends in .csv, .toml or .json, not in {path.suffix!r}")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        why = absent_file(path, "paths are relative to the schema's folder", TAXONOMY_ENDINGS)
        raise TaxonomyError("{path}: there is no such taxonomy file; {why}", path=path, why=why) from None
    except UnicodeDecodeError as problem:
        raise TaxonomyError(
            "{path}: byte {start} is not UTF-8; save the file as UTF-8", path=path, start=problem.start
        ) from None
    except OSError as problem:
        raise TaxonomyError(
            "{path}: the taxonomy file cannot be read ({strerror})", path=path, strerror=problem.strerror
        ) from None
    return reader(text, str(path))


def from_csv(text: str, source: str) -> Declaration:
    """One line per value: the value, then ever more general names, the root last.

    A name repeated on neighbouring levels is one name that spans them. Lines of different lengths meet at the root.
    A name has one place: the same value with two paths is an error, a DAG is declared in TOML or JSON.
    """
    declaration = Declaration(source, levels={})
    rows = _rows(text, declaration)
    width = max((len(row) for _, row in rows), default=0)
    first_line: dict[str, int] = {}
    conflict: TaxonomyError | None = None
    for line, row in rows:
        if row[-1] != rows[0][1][-1]:
            raise declaration.error(
                f"there are two roots, {rows[0][1][-1]!r} (line {rows[0][0]}) and {row[-1]!r}; "
                f"end every line with the same root, such as {TOP}",
                line=line,
            )
        _raise_levels(declaration, row, width)
        declaration.name(row[0])
        declaration.values.add(row[0])
        for child, parent in pairwise(row):
            if child != parent:
                known = declaration.first_parent.get(child, parent)
                if known != parent and conflict is None:
                    conflict = declaration.error(
                        f"{child!r} stands below {parent!r} here and below {known!r} in line {first_line[child]}; "
                        "give it one place, or declare both parents in a .toml or .json taxonomy",
                        line=line,
                    )
                declaration.link(child, parent)
                first_line.setdefault(child, line)
    declaration.line_of = first_line.get
    declaration.refuse_cycles()  # before the conflict: a cycle puts a name in two places, but is the plainer reason
    if conflict is not None:
        raise conflict
    return declaration


def _rows(text: str, declaration: Declaration) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True)
    rows = []
    try:
        for row in reader:
            if not row:
                continue
            if len(row) < 2:
                raise declaration.error(
                    f"{row[0]!r} has no level above it; write value;level 1;...;{TOP}, separated by semicolons",
                    line=reader.line_num,
                )
            if "" in row[1:]:
                raise declaration.error(
                    f"level {row.index('', 1)} of {row[0]!r} is empty; repeat the name below it or leave the level out",
                    line=reader.line_num,
                )
            rows.append((reader.line_num, row))
    except csv.Error as problem:
        raise declaration.error(f"this is not a CSV line ({problem})", line=reader.line_num) from None
    return rows


def _raise_levels(declaration: Declaration, row: list[str], width: int) -> None:
    """A name's level is the highest column in which its run begins: then levels grow from child to parent."""
    levels = declaration.levels
    assert levels is not None
    padding = width - len(row)
    below = row[0]
    levels.setdefault(below, 0)
    for column, name in enumerate(row[1:], padding + 1):
        if name != below:
            if levels.get(name, 0) < column:
                levels[name] = column
            below = name


def from_toml(text: str, source: str) -> Declaration:
    """Nested tables and arrays of names."""
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise TaxonomyError(toml_problem(text, source, problem)) from None
    except RecursionError:
        raise TaxonomyError("{source}: the names are nested too deeply to be read", source=source) from None
    return from_nested(tree, source, lambda name: _line_naming(name, text))


def from_json(text: str, source: str) -> Declaration:
    """Nested objects and arrays of names."""

    def unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names: dict[str, object] = {}
        for name, below in pairs:
            if name in names:
                declaration = Declaration(source, lambda name: _line_naming(name, text))
                raise declaration.error(f"{name!r} is twice in one object; join the two", name)
            names[name] = below
        return names

    try:
        tree = json.loads(text, object_pairs_hook=unrepeated)
    except json.JSONDecodeError as problem:
        what = f"{problem.msg[0].lower()}{problem.msg[1:]}, at column {problem.colno}"
        raise TaxonomyError(
            "{source}, line {lineno}: this is not JSON: {what}", source=source, lineno=problem.lineno, what=what
        ) from None
    except RecursionError:
        raise TaxonomyError("{source}: the names are nested too deeply to be read", source=source) from None
    return from_nested(tree, source, lambda name: _line_naming(name, text))


def _line_naming(name: str, text: str) -> int | None:
    """The first line that writes the name; None if it is only there in escapes."""
    whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.lstrip().startswith("#") and whole.search(line):
            return number
    return None


def from_nested(tree: object, source: str = TREE_SOURCE, line_of: Callable[[str], int | None] = no_line) -> Declaration:
    """Names over names: a mapping from a name to what stands below it, a list of names, or a single name.

    A name may be mentioned in several places, which gives it several parents; what stands below it is written once.
    The names may be nested, or each be described by a key at the top. A list at the top stands below ``*``.
    """
    declaration = Declaration(source, line_of)
    described: dict[str, frozenset[str]] = {}
    parent: str | None = None
    if not isinstance(tree, Mapping):
        if not isinstance(tree, list | tuple):
            raise declaration.error(f"{tree!r} is neither a mapping nor a list of names")
        declaration.name(parent := TOP)
    todo = [(parent, name, below) for name, below in reversed(_mentions(tree, declaration))]
    while todo:  # depth first, in the order of the text
        parent, name, below = todo.pop()
        declaration.name(name)
        if parent is not None:
            declaration.link(name, parent)
        mentions = _mentions(below, declaration)
        if mentions:
            names = frozenset(child for child, _ in mentions)
            if described.setdefault(name, names) != names:
                raise declaration.error(
                    f"what stands below {name!r} is written twice, differently; rename one of the two, "
                    "or write it once and only mention the name in the other place",
                    name,
                )
            todo.extend((name, child, under) for child, under in reversed(mentions))
    return declaration


def _mentions(below: object, declaration: Declaration) -> list[tuple[str, object]]:
    """The names directly in a mapping, list or single name, each with what stands below it."""
    if below is None:
        return []
    if isinstance(below, Mapping):
        return [(label_of(name), under) for name, under in below.items()]
    if not isinstance(below, list | tuple):
        return [(label_of(below), None)]
    mentions: list[tuple[str, object]] = []
    for item in below:
        if item is None or isinstance(item, list | tuple):
            raise declaration.error(f"{item!r} in a list of names is not a name; write a name, or name = [...]")
        mentions.extend(_mentions(item, declaration))
    return mentions
