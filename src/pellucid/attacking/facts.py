"""What an adversary knows about some people besides their quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


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
