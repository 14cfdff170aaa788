"""What no stratum mixes: values of a column, names on a level of its taxonomy, or both sides of a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from pellucid.anonymize.layout.hierarchies import hierarchy_of
from pellucid.anonymize.layout.tree import Subtree
from pellucid.core.schema import Kind, Role
from pellucid.core.schema.condition import Condition, Known
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import Infeasible, MethodError, SchemaError
from pellucid.messages import Count, Message, Names
from pellucid.messages.terms import WHERE
from pellucid.runtime.records import record
from pellucid.text.suggestions import meant
from pellucid.text.values import label_of


def _listed(given: object) -> object:
    return (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list) else given


Same = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""Columns, levels of their taxonomies, or conditions: ``("sex", "region:1", "age >= 15")``."""


@record(eq=False)
class Apart:
    """A column, by its place among the quasi-identifiers, whose ``nodes[code]`` no stratum mixes."""

    attribute: Attribute
    place: int
    level: int
    nodes: Codes

    def key(self, records: Codes) -> NDArray[np.int32]:
        """For each record a number, the same where a stratum may have both."""
        return self.nodes[records[:, self.place]]

    @property
    def last_of_node(self) -> NDArray[np.bool_] | None:
        """Which codes are the last of their node, where the codes of each are consecutive; None where they are not."""
        last = np.append(self.nodes[1:] != self.nodes[:-1], True)
        return last if int(last.sum()) == len(np.unique(self.nodes)) else None

    @property
    def spelled(self) -> str:
        """As it is asked for."""
        return f"{self.attribute.name}:{self.level}" if self.level else self.attribute.name

    def told(self, record: Codes) -> Message:
        """What people like this record have in common."""
        code = int(record[self.place])
        first = int(np.argmax(self.nodes == self.nodes[code])) if self.level else code
        value = label_of(self.attribute.values[first])
        if self.level:
            return Message("the same {name} as {value}", name=self.spelled, value=value)
        return Message("{name} = {value}", name=self.spelled, value=value)

    @property
    def in_words(self) -> str:
        """What is not mixed, for a sentence."""
        return f"level {self.level} of {self.attribute.name}" if self.level else self.attribute.name


@record(eq=False)
class Side:
    """A condition on quasi-identifiers: no stratum has people on both of its sides."""

    condition: Condition
    quasi: Sequence[Attribute]

    def key(self, records: Codes) -> NDArray[np.bool_]:
        """For each record whether the condition holds."""
        codes = {attribute.name: records[:, place] for place, attribute in enumerate(self.quasi)}
        known = {
            one.name: Known(one.name, one.values, codes[one.name], _order_of(one))
            for one in self.quasi
            if one.name in self.condition.columns
        }
        return self.condition.holds(known)

    def told(self, record: Codes) -> Message:
        """What people like this record have in common."""
        held = bool(self.key(record[None, :])[0])
        return Message("{text}" if held else "not {text}", text=self.condition.text)

    @property
    def spelled(self) -> str:
        """As it is asked for."""
        return self.condition.text

    in_words = spelled

    def marks(self, table: Table) -> NDArray[np.bool_]:
        """For which rows of a table the condition holds."""
        return np.asarray(self.key(np.stack([table.codes[i] for i in table.having(Role.QUASI)], axis=1)))

    @classmethod
    def of(cls, text: str, table: Table) -> Side:
        """The condition of a schema, which has looked at its columns."""
        return cls(Condition.of(text), [table.attributes[i] for i in table.having(Role.QUASI)])


def _order_of(attribute: Attribute) -> Sequence[str]:
    return [label_of(value) for value in attribute.values.drop_nulls()] if attribute.kind is Kind.ORDERED else ()


def side_of(text: str, quasi: Sequence[Attribute]) -> Side | None:
    """The condition that a text is, over these columns; None where it is none."""
    try:
        condition = Condition.of(text)
    except SchemaError:
        return None
    return Side(condition, quasi) if {one.name for one in quasi}.issuperset(condition.columns) else None


def apart_of(same: Sequence[str], table: Table) -> list[Apart | Side]:
    """The columns and conditions that are named, each once; raise for what is none, or no level of one."""
    quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
    names = [attribute.name for attribute in quasi]
    found: list[Apart | Side] = []
    for text in same:
        if text not in names and (side := side_of(text, quasi)) is not None:
            found += [] if any(one.spelled == side.spelled for one in found) else [side]
            continue
        name, _, level = (text, "", "0") if text in names else text.rpartition(":")
        if name not in names or not level.isdecimal():
            raise MethodError(
                "same = {text}: no quasi-identifier is called so{meant}",
                "quasi-identifiers are {names}; a level of a taxonomy is written NAME:1, a condition NAME >= 15",
                text=text,
                meant=meant(text, names),
                names=Names(names),
            )
        if any(isinstance(one, Apart) and one.attribute.name == name for one in found):
            raise MethodError("same names {name} twice", "name it once", name=name)
        found.append(_on_level(quasi[names.index(name)], names.index(name), int(level)))
    return found


def _on_level(attribute: Attribute, place: int, level: int) -> Apart:
    if not level:
        return Apart(attribute, place, 0, np.arange(len(attribute), dtype=np.int32))
    if attribute.taxonomy is None:
        raise MethodError(
            "same = {name}:{level}: {name} has no taxonomy, and so no levels",
            "leave the level out, or give the column a taxonomy in the schema",
            name=attribute.name,
            level=level,
        )
    levels = hierarchy_of(attribute)
    if level >= levels.top:
        raise MethodError(
            "same = {name}:{level}: the levels of {name} that tell people apart are 0 to {last}",
            "name one of these",
            name=attribute.name,
            level=level,
            last=levels.top - 1,
        )
    return Apart(attribute, place, level, levels.nodes[level])


def parts_of(apart: Sequence[Apart | Side], records: Codes, size: int) -> list[Subtree]:
    """The rows that agree in these columns, from left to right; raise where some are fewer than ``size``.

    Quasi-identifiers alone decide, so what is said of a way out tells nothing of values.
    """
    order, edges = _edges(apart, records)
    parts = np.split(records[order], edges)
    rows = [int(part[:, -1].sum()) for part in parts]
    if min(rows) < size:
        few = parts[int(np.argmin(rows))][0]
        raise Infeasible(
            "same = {same} is not feasible: {people} with {held}, and a stratum has at least {size}",
            _way_out(apart, records, size),
            same=", ".join(one.spelled for one in apart),
            people=Count(min(rows), "person", "people"),
            held=Message.joined([one.told(few) for one in apart], " and "),
            size=size,
        )
    begins = np.cumsum([0, *rows]).tolist()
    return [Subtree(-n, begin, n, part) for begin, n, part in zip(begins, rows, parts, strict=False)]


def _edges(apart: Sequence[Apart | Side], records: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The records sorted by these columns, in the order that they have else, and where another part begins."""
    keys = np.stack([one.key(records) for one in apart], axis=1)
    order = np.lexsort(keys.T[::-1])
    return order, np.flatnonzero((np.diff(keys[order], axis=0) != 0).any(axis=1)) + 1


def _fits(apart: Sequence[Apart | Side], records: Codes, size: int) -> bool:
    """Whether enough people agree in each part."""
    if not apart:
        return True
    order, edges = _edges(apart, records)
    return int(np.add.reduceat(records[order, -1], np.append(0, edges)).min()) >= size


def _way_out(apart: Sequence[Apart | Side], records: Codes, size: int) -> Message:
    """The level of one column that would do, or the columns that would do without one of the others."""
    ways: list[list[Apart | Side]] = []
    for i, one in enumerate(apart):
        if isinstance(one, Side):
            continue
        others = [*apart[:i], *apart[i + 1 :]]
        last = hierarchy_of(one.attribute).top if one.attribute.taxonomy is not None else 0
        coarser = ([*others, _on_level(one.attribute, one.place, level)] for level in range(one.level + 1, last))
        ways += [chosen for chosen in coarser if _fits(chosen, records, size)][:1]
        ways += [others] if others and _fits(others, records, size) else []
    if not ways:
        sides = next((one for one in apart if isinstance(one, Side)), None)
        if sides is not None:
            where = WHERE.such_as(sides.spelled)
            return Message("leave the others out with {where}, or use a smaller size", where=where)
        return Message("name fewer columns, or make their values coarser in the schema")
    named = [Message("same = {same}", same=", ".join(one.spelled for one in way)) for way in ways[:3]]
    return Message("use {ways}", ways=Message.joined(named, ", or "))
