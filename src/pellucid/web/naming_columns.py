"""Columns that name people whatever they are called: nearly every value belongs to one person.

Whoever publishes such a column publishes people. So the page says it beside the column, and for most of them wants a
tick before it goes on; the rule is :data:`RULE`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.core.naming import belonging, is_measured
from pellucid.core.schema import Column, Kind, Role
from pellucid.messages import Message

RULE = (
    "A column is meant when 100 filled-in rows have at least 95 different values, or 50 where the column's name says "
    "that it names people. The tick is needed for text, for numbers that look like record numbers, and for whatever is "
    "protected or goes along. Measured numbers and dates that others may know, such as an income or a date of birth, "
    "are usually published as ranges and need no tick; the page only remarks on them."
)


@dataclass(frozen=True, slots=True)
class NamingColumn:
    """A column that would be published though it names people; ``needs_tick`` unless a remark suffices."""

    number: int
    name: str
    role: Role
    kind: Kind
    sentence: str
    needs_tick: bool
    counted: str = ""  # the counts alone

    @property
    def accepted(self) -> Message:
        """What somebody accepts who publishes it, for the report that they sign."""
        told = self.counted
        return Message("{name} is published though it names people. {told}", name=self.name, told=told)

    @property
    def token(self) -> str:
        """What the tick in a form stands for: this column in this role and of this kind, and no other.

        Numbers may be published as ranges where the same values as categories stand in the table themselves.
        """
        return f"{self.number}:{self.role}:{self.kind}"


def telling_columns(data: Mapping[str, Any], columns: Mapping[str, Column]) -> list[NamingColumn]:
    """All such columns of a table under these roles, in the table's order."""
    return [
        _told(number, facts, counted, columns[facts["name"]])
        for number, facts, counted in _near_unique(data)
        if columns[facts["name"]].role in (Role.QUASI, Role.CARRY, Role.SENSITIVE)
    ]


def naming_columns(data: Mapping[str, Any], columns: Mapping[str, Column]) -> list[str]:
    """The columns that name people and are published all the same: under roles that were checked, each was ticked."""
    return [one.name for one in telling_columns(data, columns) if one.needs_tick]


def watched(data: Mapping[str, Any]) -> list[int]:
    """The numbers of the columns that are told under one role or another."""
    return [number for number, _, _ in _near_unique(data)]


def _near_unique(data: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any], str]]:
    """The columns in which nearly every value belongs to one person, each with the counts in words."""
    for number, facts in enumerate(data["columns"]):
        held, distinct = data["rows"] - facts["nulls"], facts["distinct"]
        if told := belonging(facts["name"], distinct, held):
            yield number, facts, f"{told}."


def _told(number: int, facts: Mapping[str, Any], counted: str, column: Column) -> NamingColumn:
    kind = column.kind or Kind(facts["kind"])
    if is_measured(facts["name"], column.role, kind, whole=facts["type"] == "whole number"):
        remark = (
            "That is usual for what is measured, and it is published as ranges, whose ends are values of people in the "
            "group; only “two tables” at the step Method would publish every exact value."
        )
        round_it = "If no exact value shall appear, round it at Details."
        return NamingColumn(
            number, facts["name"], column.role, kind, f"{counted} {remark} {round_it}", needs_tick=False
        )
    return NamingColumn(
        number,
        facts["name"],
        column.role,
        kind,
        f"{counted} {_harm(column.role, kind)}",
        needs_tick=True,
        counted=counted,
    )


def _harm(role: Role, kind: Kind) -> Message:
    way_out = "If nobody needs it, leave it out; if it is the person's name or number, say that it names the person."
    if role is Role.SENSITIVE:
        return Message(
            "Protected values are published one by one. {way_out} Round a measured number to bands.", way_out=way_out
        )
    if kind in (Kind.NUMBER, Kind.DATE):
        return Message("Whoever knows the number finds the person. {way_out}", way_out=way_out)
    return Message("The values themselves would stand in the published table. {way_out}", way_out=way_out)
