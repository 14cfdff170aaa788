"""What an adversary knows about some people besides their quasi-identifiers."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.errors import InputError


@dataclass(frozen=True)
class Has:
    """This person has this sensitive value: the adversary knows one of the people (corruption)."""

    person: Any
    value: Any

    def __str__(self) -> str:
        return f"{self.person} has {self.value!r}"


@dataclass(frozen=True)
class Not:
    """This person does not have this sensitive value (background knowledge)."""

    person: Any
    value: Any

    def __str__(self) -> str:
        return f"{self.person} does not have {self.value!r}"


@dataclass(frozen=True)
class Implies:
    """If the first holds, so does the second: "if Ann has flu, so has Bob"."""

    condition: Has | Not
    consequence: Has | Not

    def __str__(self) -> str:
        return f"if {self.condition}, then {self.consequence}"


Fact = Has | Not | Implies


def about_single_people(facts: Iterable[Fact]) -> list[Has | Not]:
    """The facts that tie nobody to anybody else."""
    return [fact for fact in facts if isinstance(fact, Has | Not)]


COLUMNS = ("person", "knows", "value")
THEN = ("then_person", "then_knows", "then_value")
KNOWS: dict[str, type[Has] | type[Not]] = {"has": Has, "not": Not}


def facts_in(path: Path, names: Collection[Any] | None = None) -> list[Fact]:
    """The facts in a CSV file with the columns person, knows (``has`` or ``not``) and value.

    A line that has ``then_person``, ``then_knows`` and ``then_value`` besides says that the second follows from the
    first. People are named as the identifier has them (``names``), or else by their row numbers, from 0.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as wrong:
        raise InputError(f"{path}: cannot be read as a file of facts ({wrong})") from None
    if not lines or not set(COLUMNS) <= set(lines[0]):
        raise InputError(
            f"{path}: has no facts", f"write a CSV with the columns {', '.join(COLUMNS)}, such as Ann,not,flu"
        )
    by_text = None if names is None else {str(name): name for name in names}

    def one(line: Mapping[str, str | None], columns: tuple[str, ...], number: int) -> Has | Not:
        person, knows, value = ((line.get(column) or "").strip() for column in columns)
        if knows not in KNOWS:
            raise InputError(f"{path}, line {number}: {columns[1]} is {knows!r}", "write has or not")
        if by_text is None and not person.isdecimal():
            raise InputError(
                f"{path}, line {number}: {person!r} is no row number", "give the column with names as {IDENTIFIER}"
            )
        who = int(person) if by_text is None else by_text.get(person, person)
        return KNOWS[knows](who, value)

    found: list[Fact] = []
    for number, line in enumerate(lines, start=2):
        first = one(line, COLUMNS, number)
        follows = any((line.get(column) or "").strip() for column in THEN)
        found.append(Implies(first, one(line, THEN, number)) if follows else first)
    return found
