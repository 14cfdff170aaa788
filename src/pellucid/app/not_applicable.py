"""That a protected column is null where a quasi-identifier says so: these people have no value, and pad groups.

A child's missing income is no income. Whoever strikes the children out of a group is left with the others, and a bound
of 1/5 may become 1/4. Nothing follows by itself: a boundary that values decide when a table is published would tell of
them. So it is proposed, and what somebody declares takes effect.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from pellucid.messages import Message, Share
from pellucid.messages.terms import WHERE
from pellucid.schema import Kind, Role
from pellucid.schema.condition import RESERVED
from pellucid.table import Attribute, Table
from pellucid.text.values import label_of

NEARLY = 0.95  # of the people with a value of a quasi-identifier have none of the protected column
LEAST = 20  # people; fewer may be so by chance
PART = 0.5  # of all nulls that a rule explains, or it is none
MOST_VALUES = 6  # that a condition lists


def not_applicable(table: Table) -> list[Message]:
    """For each protected column with nulls the quasi-identifier that explains most of them, with the way out.

    >>> import pellucid as pc, polars as pl
    >>> people = pl.DataFrame({"age": [*range(60)] * 2, "pay": [None if n < 15 else str(n % 7) for n in range(60)] * 2})
    >>> not_applicable(pc.read(people, quasi="age", sensitive="pay"))[0].partition(". ")[0]
    'pay is null for 100 % of the 30 people with age below 15'
    """
    told = []
    for secret in table.having(Role.SENSITIVE):
        attribute = table.attributes[secret]
        null = table.codes[secret] == 0
        if not attribute.has_null or not LEAST <= int(null.sum()) < len(table):
            continue
        rules = [found for known in table.having(Role.QUASI) if (found := _rule(table, known, null)) is not None]
        if rules:
            _, people, share, whom, condition = max(rules, key=lambda rule: rule[0])
            told.append(
                Message(
                    "{column} is {NULL} for {share} of the {people:,} people with {whom}. Where it does not apply to "
                    "them, they pad the groups of others: an attacker who strikes them out may be right more often "
                    "than promised. Leave them out with {where}",
                    column=attribute.name,
                    share=Share(share),
                    people=people,
                    whom=whom,
                    where=WHERE.such_as(condition),
                )
            )
    return told


def _rule(table: Table, known: int, null: NDArray[np.bool_]) -> tuple[int, int, float, str, str] | None:
    """How many nulls a column explains, how many people it is about, their share, who they are, and who others are."""
    attribute, codes = table.attributes[known], table.codes[known]
    rows = np.bincount(codes, minlength=len(attribute))
    nulls = np.bincount(codes[null], minlength=len(attribute))
    outside = (rows > 0) & (nulls >= NEARLY * rows)
    if outside.all() or (attribute.has_null and outside[0]):
        return None
    if attribute.kind in (Kind.NUMBER, Kind.DATE):
        outside = _at_an_end(rows, nulls, int(attribute.has_null))
    people, explained = int(rows[outside].sum()), int(nulls[outside].sum())
    if people < LEAST or explained < PART * int(null.sum()):
        return None
    words = _in_words(attribute, outside)
    return None if words is None else (explained, people, explained / people, *words)


def _at_an_end(rows: NDArray[np.int64], nulls: NDArray[np.int64], first: int) -> NDArray[np.bool_]:
    """The lowest values, or the highest, of whose people nearly all have none: as many as explain most."""
    best = np.zeros(len(rows), np.bool_)
    for order in (np.arange(first, len(rows)), np.arange(len(rows) - 1, first - 1, -1)):
        held, lacking = np.cumsum(rows[order]), np.cumsum(nulls[order])
        fits = np.flatnonzero((lacking >= NEARLY * held) & (nulls[order] >= NEARLY * rows[order]))
        if len(fits) and fits[-1] + 1 < len(order) and lacking[fits[-1]] > nulls[best].sum():
            best = np.isin(np.arange(len(rows)), order[: fits[-1] + 1])
    return best


def _in_words(attribute: Attribute, outside: NDArray[np.bool_]) -> tuple[str, str] | None:
    """Whom a rule is about, and the condition that the others meet; None where that cannot be written."""
    name = attribute.name
    plain = re.fullmatch(r"[^\W\d]\w*", name) and name.lower() not in RESERVED
    spelled = name if plain else f"`{name}`"
    inside = np.flatnonzero(~outside)[int(attribute.has_null) :]
    if "`" in name or not len(inside):
        return None
    if attribute.kind in (Kind.NUMBER, Kind.DATE):
        low = outside[int(attribute.has_null)]
        label = label_of(attribute.values[int(inside[0] if low else inside[-1])])
        value = f'"{label}"' if attribute.kind is Kind.DATE else label
        return f"{name} {'below' if low else 'above'} {label}", f"{spelled} {'>=' if low else '<='} {value}"
    labels = [label_of(attribute.values[int(code)]) for code in np.flatnonzero(outside)]
    if len(labels) > MOST_VALUES or any('"' in label for label in labels):
        return None
    listed = ", ".join(f'"{label}"' for label in labels)
    return f"{name} = {' or '.join(labels)}", f"{spelled} not in [{listed}]"
