"""That a protected column is null where a quasi-identifier says so: these people have no value, and pad groups.

A child's missing income is no income, and a code that only children have says the same. An attacker who strikes the
children out of a group is left with the others, and a bound of 1/5 may become 1/4. Nothing follows by itself: a
boundary that values decide when a table is published would tell of them. So it is proposed, and what is declared takes
effect.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.same import Side
from pellucid.anonymize.sides import applying, declared
from pellucid.core.schema import Kind, Role
from pellucid.core.schema.sides_in_words import in_words
from pellucid.core.table import Attribute, Codes, Table
from pellucid.core.taxonomy.toml_text import toml_key, toml_value
from pellucid.messages import Count, Message, Share, Value
from pellucid.messages.terms import APPLIES, WHERE, quoted_key
from pellucid.runtime.records import record
from pellucid.text.values import label_of

Marks = NDArray[np.bool_]

NEARLY = 0.95  # of the people with a value of a quasi-identifier have none of the protected column
LEAST = 10  # people; fewer may be so by chance
PART = 0.5  # of all nulls that a rule explains, or it is none
CHANCE = 0.001  # that any pair of values never occurs together though nothing forbids it
EXPECTED_BEYOND = 50  # people who would have a value by chance, beyond an end of a range, which is looked for
MOST_RULED = 200  # values of a column that are looked at
A_CODE = 0.9  # of the people with a value whom a rule is about, where that value may mean that there is none
MOST_CODES = 30  # values that most people have, which are looked at as such codes
MOST_TOLD = 3  # values of a column that are told to be ruled out, those that are least likely by chance


@record()
class Proposal:
    """A rule that the values suggest: people ``whom`` it is about have nothing in a column, or not one ``value`` of it.

    ``share`` is how many of the ``people`` obey, the confidence. ``condition`` holds for those who may have values.
    Where all have one value instead, which hardly anybody else has, ``code`` is that value. ``left_out`` is the column
    of the condition where a draft drops it for that.
    """

    column: str
    people: int
    share: float
    whom: str
    condition: str
    value: object = None
    expected: float = 0.0
    code: object = None
    known: str = ""
    left_out: bool = False

    @property
    def line(self) -> str:
        """What a schema would say under the column."""
        quoted = f"'{self.condition}'" if '"' in self.condition and "'" not in self.condition else None
        condition = quoted or toml_value(self.condition)
        return (
            f"applies = {condition}"
            if self.value is None
            else f"ruled_out = {{{toml_key(label_of(self.value))} = {condition}}}"
        )

    @property
    def in_a_schema(self) -> Message:
        """What was found, how sure that is, and what to write; nothing takes effect unless somebody writes it."""
        if self.code is not None:
            role = Message(" (and {role} under {known})", role=quoted_key("role", "quasi"), known=self.known)
            return Message(
                "{finding} (support {people:,} people, confidence {share}). If {code} means that {column} does not "
                "apply to them, write {missing} and {line} under {column}{role}: no group then has people of both "
                "sides",
                finding=self.finding,
                people=self.people,
                share=Share(self.share),
                code=Value(self.code),
                missing=self.missing,
                line=self.line,
                column=self.column,
                role=role if self.left_out else "",
            )
        return Message(
            "{finding} (support {people:,} people, confidence {share}). If that is so of everybody, write {line} under "
            "{column}: no group then has people of both sides",
            finding=self.finding,
            people=self.people,
            share=Share(self.share),
            line=self.line,
            column=self.column,
        )

    @property
    def missing(self) -> Message:
        """What a schema would say of the code."""
        return Message("missing = {codes}", codes=toml_value([label_of(self.code)]))

    @property
    def document(self) -> dict[str, object]:
        """The same for JSON."""
        line = self.line if self.code is None else f"{self.missing}\n{self.line}"
        return {"column": self.column, "line": line, "people": self.people, "share": round(self.share, 4)}

    @property
    def finding(self) -> Message:
        """What was found."""
        if self.value is None:
            return Message(
                "{column} is {none} for {share} of the {people:,} people with {whom}",
                column=self.column,
                none=Message("{NULL}") if self.code is None else Value(self.code),
                share=Share(self.share),
                people=self.people,
                whom=self.whom,
            )
        return Message(
            "none of the {people:,} people with {whom} has {column} = {value}, and by chance about {expected:,} would",
            column=self.column,
            value=Value(self.value),
            people=self.people,
            whom=self.whom,
            expected=round(self.expected),
        )


def not_applicable(table: Table, labels: Codes) -> list[Message]:
    """For each protected column with nulls the quasi-identifier that explains most of them, with the ways out.

    Nothing is said where no group, which ``labels`` numbers, mixes them with others.

    >>> import pellucid as pc, polars as pl
    >>> people = pl.DataFrame({"age": [*range(60)] * 2, "pay": [None if n < 15 else str(n % 7) for n in range(60)] * 2})
    >>> not_applicable(pc.read(people, quasi="age", sensitive="pay"), np.zeros(120, np.int32))[0].partition(". ")[0]
    'pay is null for 100 % of the 30 people with age below 15'
    """
    return [
        Message(
            "{finding}. Where it does not apply to them, they pad the groups of others: an attacker who strikes them "
            "out may be right more often than promised. Leave them out with {where}, or say so with {applies}, and "
            "strata keeps them apart",
            finding=found.finding,
            where=WHERE.such_as(found.condition),
            applies=APPLIES.such_as(f"{found.column}={found.condition}"),
        )
        if found.code is None
        else Message(
            "{finding}. If {code} means that {column} does not apply to them, they pad the groups of others: an "
            "attacker who strikes them out may be right more often than promised. Leave them out with {where}, or "
            "write {missing} and {line} under {column} in a schema, and strata keeps them apart",
            finding=found.finding,
            code=Value(found.code),
            column=found.column,
            where=WHERE.such_as(found.condition),
            missing=found.missing,
            line=found.line,
        )
        for found in proposals(table)
        if found.value is None and _mixes(labels, Side.of(found.condition, table).marks(table))
    ]


def certainly_none(table: Table, labels: Codes) -> list[Message]:
    """For how many people it is certain that they have nothing in a column that is said to apply to them.

    All of their group have none, as ``labels`` numbers groups that read alike: a null is then no value to be protected.

    >>> import pellucid as pc, polars as pl
    >>> columns = {"sex": pc.Column(role="quasi"), "kids": pc.Column(role="sensitive", applies='sex = "f"')}
    >>> people = pl.DataFrame({"sex": ["f"] * 4 + ["m"], "kids": [None, None, "1", None, None]})
    >>> certainly_none(pc.read(people, schema=pc.Schema(columns=columns)), np.array([0, 0, 1, 1, 2]))
    ['of 4 people to whom kids applies, having none is told for certain for 2: all of their group have none']
    """
    told = []
    for place, column in declared(table):
        attribute, here = table.attributes[place], (labels >= 0) & applying(table, column)
        if column.applies is None or not attribute.has_null:
            continue
        some = np.bincount(labels[here], weights=table.codes[place][here] > 0, minlength=int(labels.max(initial=0)) + 1)
        certain = int((some[labels[here]] == 0).sum())
        if certain:
            told.append(
                Message(
                    "of {people} to whom {column} applies, having none is told for certain for {certain:,}: all of "
                    "their group have none",
                    people=Count(int(here.sum()), "person", "people"),
                    column=attribute.name,
                    certain=certain,
                )
            )
    return told


def _mixes(labels: Codes, side: Marks) -> bool:
    """Whether some group has people of both sides."""
    there = labels >= 0
    groups = np.unique(np.stack((labels[there], side[there].astype(np.int32))), axis=1)
    return bool(groups.shape[1] > len(np.unique(labels[there])))


def proposals(table: Table) -> list[Proposal]:
    """What the schema of a table might declare and does not: to whom a column applies, and for whom values are not.

    >>> import pellucid as pc, polars as pl
    >>> people = pl.DataFrame({"sex": ["f", "m"] * 60, "state": ["ill", "ill", "pregnant", "well"] * 30})
    >>> proposals(pc.read(people, quasi="sex", sensitive="state"))[0].finding
    'none of the 60 people with sex = m has state = pregnant, and by chance about 15 would'
    """
    told = []
    for secret in table.having(Role.SENSITIVE):
        known = None if table.schema is None else table.schema.columns.get(table.attributes[secret].name)
        if known is None or not known.conditions:
            applies = _applies(table, secret)
            told += [*applies, *_ruled_out(table, secret, [one.code for one in applies])]
    return told


def _applies(table: Table, secret: int) -> list[Proposal]:
    """That nearly all people with some values of a quasi-identifier have nothing, or one value that others have not.

    >>> import pellucid as pc, polars as pl
    >>> pay = ["child" if n < 15 else str(n % 7) for n in range(60)] * 2
    >>> people = pl.DataFrame({"age": [*range(60)] * 2, "pay": pay})
    >>> found, *_ = proposals(pc.read(people, quasi="age", sensitive="pay"))
    >>> str(found.missing), found.line
    ('missing = ["child"]', 'applies = "age >= 15"')
    """
    attribute, codes = table.attributes[secret], table.codes[secret]
    held = np.bincount(codes, minlength=len(attribute))
    first = int(attribute.has_null)
    frequent = [first + int(code) for code in np.argsort(-held[first:], kind="stable")[:MOST_CODES]]
    for code in [0, *frequent] if first else frequent:
        none, null = codes == code, bool(first) and code == 0
        if not LEAST <= held[code] < len(table):
            continue
        rules = _rules(table, none, PART if null else A_CODE)
        if rules:
            _, people, share, whom, condition, known = max(rules, key=lambda rule: rule[0])
            value = None if null else attribute.values[code]
            return [Proposal(attribute.name, people, share, whom, condition, code=value, known=known)]
    return []


def _rules(table: Table, none: Marks, part: float) -> list[tuple[int, int, float, str, str, str]]:
    """What each quasi-identifier says of who has none, with its name."""
    found = [(_rule(table, known, none, part), table.attributes[known].name) for known in table.having(Role.QUASI)]
    return [(*rule, name) for rule, name in found if rule is not None]


def _ruled_out(table: Table, secret: int, none: Sequence[object]) -> list[Proposal]:
    """Of each value the quasi-identifier of which some values never go with it, though chance would have it so.

    No number is ruled out by itself: that nobody below 27 earns exactly 23 is no rule. ``none`` may stand for no value.
    """
    attribute, codes = table.attributes[secret], table.codes[secret]
    first = int(attribute.has_null)
    if attribute.kind in (Kind.NUMBER, Kind.DATE) or not 2 <= len(attribute) - first <= MOST_RULED:
        return []
    skipped = [code for code in range(len(attribute)) if code < first or attribute.values[code] in none]
    there = ~np.isin(codes, skipped)
    found: dict[int, Proposal] = {}
    for known in table.having(Role.QUASI):
        column = table.attributes[known]
        pairs = table.codes[known][there].astype(np.int64) * len(attribute) + codes[there]
        held = np.bincount(pairs, minlength=len(column) * len(attribute)).reshape(len(column), -1)
        for code in range(first, len(attribute)):
            proposal = _never(attribute, code, column, held)
            if proposal is not None and found.setdefault(code, proposal).expected < proposal.expected:
                found[code] = proposal
    return sorted(found.values(), key=lambda proposal: -proposal.expected)[:MOST_TOLD]


def _never(secret: Attribute, code: int, column: Attribute, held: NDArray[np.int64]) -> Proposal | None:
    """That some values of a column never go with a value, where ``held`` counts both; None where chance may do it."""
    rows = held.sum(axis=1)
    outside = (rows > 0) & (held[:, code] == 0)
    share = int(held[:, code].sum()) / max(1, int(rows.sum()))
    if column.kind in (Kind.NUMBER, Kind.DATE):
        least = float(EXPECTED_BEYOND)
        outside = _at_one_end(outside, rows, int(column.has_null))
    else:
        least = math.log(held.size / CHANCE)  # exp(-expected) bounds what chance does; held.size pairs are looked at
        outside &= rows * share >= least
    people = int(rows[outside].sum())
    expected = people * share
    if expected < least or (column.has_null and outside[0]):
        return None
    words = in_words(column.name, column.kind, column.values, outside)
    if words is None:
        return None
    others = f"({words[1]})" if column.has_null else words[1]
    condition = others.replace(" not in ", " in ", 1) if column.kind is Kind.CATEGORY else f"not {others}"
    return Proposal(secret.name, people, 1.0, words[0], condition, secret.values[code], expected)


def _at_one_end(outside: Marks, rows: NDArray[np.int64], first: int) -> Marks:
    """The lowest values, or the highest, that never go with a value: as many as have most people."""
    best = np.zeros(len(rows), np.bool_)
    for order in (np.arange(first, len(rows)), np.arange(len(rows) - 1, first - 1, -1)):
        run = np.cumprod(outside[order] | (rows[order] == 0)).astype(np.bool_)
        marks = np.isin(np.arange(len(rows)), order[run])
        if not run.all() and rows[marks].sum() > rows[best].sum():
            best = marks
    return best


def _rule(table: Table, known: int, null: Marks, part: float) -> tuple[int, int, float, str, str] | None:
    """How many nulls a column explains, how many people it is about, their share, who they are, and who others are."""
    attribute, codes = table.attributes[known], table.codes[known]
    rows = np.bincount(codes, minlength=len(attribute))
    nulls = np.bincount(codes[null], minlength=len(attribute))
    outside = (rows > 0) & (nulls >= NEARLY * rows)
    if outside.all():
        return None
    if attribute.kind in (Kind.NUMBER, Kind.DATE):
        ends = _at_the_ends(rows, nulls, int(attribute.has_null))
        ends[0] |= attribute.has_null and outside[0]
        outside = ends
    people, explained = int(rows[outside].sum()), int(nulls[outside].sum())
    if people < LEAST or explained < part * int(null.sum()):
        return None
    words = in_words(attribute.name, attribute.kind, attribute.values, outside)
    return None if words is None else (explained, people, explained / people, *words)


def _at_the_ends(rows: NDArray[np.int64], nulls: NDArray[np.int64], first: int) -> NDArray[np.bool_]:
    """The lowest values and the highest of whose people nearly all have none, as many as can be.

    Only adults up to 69 are asked:

    >>> rows = np.full(9, 50)
    >>> _at_the_ends(rows, np.array([50, 50, 3, 4, 0, 2, 1, 50, 50]), 0).nonzero()[0].tolist()
    [0, 1, 7, 8]
    """
    found = np.zeros(len(rows), np.bool_)
    for order in (np.arange(first, len(rows)), np.arange(len(rows) - 1, first - 1, -1)):
        held, lacking = np.cumsum(rows[order]), np.cumsum(nulls[order])
        fits = np.flatnonzero((lacking >= NEARLY * held) & (nulls[order] >= NEARLY * rows[order]))
        if len(fits) and fits[-1] + 1 < len(order):
            found |= np.isin(np.arange(len(rows)), order[: fits[-1] + 1])
    return found
