"""Columns named on the command line: ``--quasi age,zip``, ``--quasi age --quasi zip``, ``--quasi 'age,"a, b"'``."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.core.coins import Coins
from pellucid.core.request import OPTIONS
from pellucid.core.schema import UNSAID, Roles
from pellucid.core.table import Table
from pellucid.errors import PellucidError, SchemaError
from pellucid.io import load, read_as
from pellucid.messages import Message
from pellucid.runtime.progress import Progress

Words = Mapping[str, Sequence[str]]  # role -> what was given for it, once per option
WORDS = {option.name: option.words for option in OPTIONS}  # of options that several verbs have
SchemaOption = Annotated[Path | None, typer.Option(metavar="FILE", help=WORDS["schema"])]
SensitiveOption = Annotated[
    list[str] | None,
    typer.Option(metavar="X,Y", help=WORDS["sensitive"]),
]
ClusterOption = Annotated[
    list[str] | None,
    typer.Option(metavar="H", help=WORDS["cluster"]),
]
WeightOption = Annotated[
    list[str] | None,
    typer.Option(metavar="W", help=WORDS["weight"]),
]
PeopleOption = Annotated[
    str | None,
    typer.Option(metavar="COLUMN=ANSWER", help=WORDS["people"]),
]
ImportanceOption = Annotated[
    list[str] | None,
    typer.Option(metavar="A=3,B=1", help=WORDS["importance"]),
]


KindOption = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="X=KIND", help=WORDS["kind"]),
]


def split_names(word: str) -> list[str]:
    """The names in one word, separated by commas; quotes as in a CSV file keep a comma inside a name.

    >>> split_names('age, "Weight (kg), approx.",zip')
    ['age', 'Weight (kg), approx.', 'zip']
    """
    return [name.strip() for name in next(csv.reader([word], skipinitialspace=True), [""])]


def read_with_roles(
    source: str,
    words: Words,
    *,
    threads: int | None,
    progress: Progress,
    rows: Roles = UNSAID,
    coins: Coins | None = None,
) -> Table:
    """Read a source under roles that were given by words; ``rows`` says which rows, and ``coins`` draw lots for it.

    A word whose parts are not columns may be a column as a whole, such as ``Weight (kg), approx.``; only then the
    source is looked at once more.
    """
    names = {role: names_in(given) for role, given in words.items()}
    try:
        return read_as(source, replace(rows, **_by_role(names)), coins=coins, threads=threads, progress=progress)
    except SchemaError as wrong:
        whole = {role: _joined(_names(source, word) for word in given) for role, given in words.items()}
        if whole == names:
            raise SchemaError(Message.joined([wrong.message, *_comma_hint(wrong.message)])) from None
    return read_as(source, replace(rows, **_by_role(whole)), coins=coins, threads=threads, progress=progress)


def split_columns(words: Words) -> dict[str, Any]:
    """Roles as :func:`pellucid.io.schema_for` takes them, for a source that is not looked at."""
    return _by_role({role: names_in(given) for role, given in words.items()})


def names_in(words: Iterable[str]) -> list[str]:
    """The names in several words."""
    return _joined(map(split_names, words))


def _joined(lists: Iterable[list[str]]) -> list[str]:
    return [name for names in lists for name in names]


def _by_role(names: Mapping[str, list[str]]) -> dict[str, Any]:
    """As :func:`pellucid.io.read` takes it: lists of columns, one identifier, one cluster and one weight."""
    lists: dict[str, Any] = dict(names)
    for role in ("identifier", "cluster", "weight"):
        if role not in lists:
            continue
        if len(lists[role]) > 1:
            both = " and ".join(map(repr, lists[role]))
            raise SchemaError("--{role} names {both}; a table has one {role}, drop the others", role=role, both=both)
        lists[role] = lists[role][0]
    return lists | ({"kinds": kinds_in(lists["kinds"])} if "kinds" in lists else {})


def kinds_in(words: Iterable[str]) -> dict[str, str]:
    """What columns are, by name.

    >>> kinds_in(["icd=category", "a=b=number"])
    {'icd': 'category', 'a=b': 'number'}
    """
    kinds = {}
    for word in words:
        name, equals, kind = word.rpartition("=")
        if not equals or not name:
            raise SchemaError(f"--kind {word}: write the column and its kind, for example --kind icd=category")
        kinds[name.strip()] = kind.strip()
    return kinds


def _names(source: str, word: str) -> list[str]:
    """The word as one name where it is a column of the source, its parts otherwise."""
    path = Path(source)
    once = path.exists() and not path.is_file()  # a pipe cannot be read twice
    if "," not in word or once:
        return split_names(word)
    try:
        load(source, columns=[word])
    except PellucidError:
        return split_names(word)
    return [word]


def _comma_hint(advice: Message) -> list[str]:
    """The way out when the missing column is a part of a name with a comma."""
    named = {term.name: term.value for term in advice.terms}
    if named.get("column lacking") in [
        part.strip() for name in named.get("columns there", ()) for part in name.split(",")
    ]:
        return ["""a name with a comma is quoted, as in --quasi 'age,"a, b"', or use --schema"""]
    return []
