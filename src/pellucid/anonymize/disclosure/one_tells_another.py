"""Sensitive columns tell others: how often, to an attacker who knows some values of a person and sees the release.

The attacker knows the person's value of one column, or those of all others, the rest of the row, and who is in which
group, as the promise takes for granted; where groups are not told, they are as a reader tells them apart. Then the
person is one of the rows of the group with these values, and each value of the column is as likely as it is frequent
among these rows. Of a person more is believed than the bound where a value is so frequent, whether it is theirs or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.method import Method
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.messages import Count, Message
from pellucid.models import Groups
from pellucid.models.sensitive import codes_meant

OTHERS = Message("the other sensitive columns")


class Told(NamedTuple):
    """Of ``people`` with a value of ``column`` that counts, how many an attacker who knows ``known`` learns.

    ``known`` is None for all other sensitive columns. ``certain``: everybody who has the same there in the group has
    theirs. ``above``: of how many people a value is believed with more than ``bound``, and ``right``: of how many it is
    theirs; None where nothing bounds it. ``alike``: groups are those that a reader tells apart.
    """

    column: str
    known: str | None
    certain: int
    above: int | None
    people: int
    bound: Fraction | None = None
    values: tuple[Any, ...] | None = None
    rows: bool = False
    right: int | None = None
    alike: bool = False

    def document(self) -> dict[str, Any]:
        """The figures, for a program."""
        bound = None if self.bound is None else str(self.bound)
        return {
            **{name: getattr(self, name) for name in ("column", "known", "certain", "above", "right", "people")},
            "bound": bound,
            "sentence": self.sentence,
        }

    @property
    def sentence(self) -> Message:
        """What that means for the people of the release.

        >>> Told("hiv", "ill", 2, 6, 4, Fraction(1, 3), ("yes",), right=3).sentence.partition(" of a ")[2]
        "person and who is in which group is certain of 'yes' of hiv for 2 of 4 people who have it, and more than 1/3 \
sure of it for 6 (3 rightly)."
        """
        named = " or ".join("null" if value is None else repr(value) for value in self.values or ())
        above: Message | str = ""
        if self.above is not None:
            above = Message(
                ", and more than {bound} sure of {it} for {above:,} ({right:,} rightly)",
                bound=str(self.bound),
                it="it" if named else "a value",
                above=self.above,
                right=self.right,
            )
        return Message(
            "An attacker who knows {known} of a person and {groups} is certain of {what} for {certain:,} of "
            "{people}{having}{above}.",
            known=self.known or OTHERS,
            what=f"{named} of {self.column}" if named else self.column,
            certain=self.certain,
            people=Count(self.people, "row") if self.rows else Count(self.people, "person", "people"),
            groups="sees only the release" if self.alike else "who is in which group",
            having=(" who has it" if self.people == 1 else " who have it") if named else "",
            above=above,
        )


def told_of(groups: Groups, known: str | None, method: Method | None, *, alike: bool = True) -> Told | None:
    """What is told of a column: ``groups`` have it, and are of rows with one value of the ``known`` one, or of all.

    None where nobody has a value that the promise is about.
    """
    column = groups.attribute.name
    about = None if method is None else method.about(column)
    values: tuple[Any, ...] | None = None
    counts = np.ones(len(groups.table_counts), np.bool_)
    if about is not None:
        coded = codes_meant(about, groups.attribute)
        counts = np.isin(np.arange(len(counts)), [*coded])
        values = tuple(coded.values())
    people = int(groups.table_counts[counts].sum())
    if people == 0:
        return None
    bound = None if method is None else method.usual_bound(column)
    mine = counts[groups.codes]
    sizes = groups.sizes[groups.groups_of_entries]
    certain = int(groups.counts[mine & (groups.counts == sizes)].sum())
    above = right = None
    if bound is not None:
        believed = mine & (groups.counts * bound.denominator > sizes * bound.numerator)
        right = int(groups.counts[believed].sum())
        above = int(groups.sizes[np.unique(groups.groups_of_entries[believed])].sum())
    rows = isinstance(method, ClusterMethod) and method.cluster_rows is not None
    return Told(column, known, certain, above, people, bound, values, rows, right, alike)


def worst_of_each(every: Iterable[Told | None]) -> list[Told]:
    """Of each column that is told the other that tells most people's, in the order of the columns."""
    worst: dict[str, Told] = {}
    for one in every:
        if one is not None and (one.column not in worst or _most(one) > _most(worst[one.column])):
            worst[one.column] = one
    return list(worst.values())


def _most(one: Told) -> tuple[int, int]:
    return one.certain, one.above or 0


def worst_rest(every: Iterable[Told]) -> Told | None:
    """The column of which the rest of a row tells most: of the largest share of its people it is certain.

    >>> rest = Told("hiv", None, 3, 4, 4), Told("job", None, 5, 9, 40), Told("ill", "job", 9, 9, 9)
    >>> worst_rest(rest).column
    'hiv'
    """
    rest = [one for one in every if one.known is None]
    return max(rest, key=lambda one: (one.certain / one.people, (one.above or 0) / one.people), default=None)


def told_of_another(table: Table, grouping: Grouping, method: Method | None) -> list[Told]:
    """What each sensitive column tells of each other one, and all others of it, to an attacker who knows the groups.

    Of two columns, the other is the rest of a row.

    >>> import polars as pl, pellucid as pc
    >>> people = pl.DataFrame({"age": [1] * 4 + [2] * 2, "ill": list("aabbab"), "hiv": ["yes", "no"] + ["no"] * 4})
    >>> table = pc.read(people, quasi="age", sensitive=["ill", "hiv"])
    >>> made = Grouping.from_labels(table.codes[0])
    >>> [tuple(one)[:5] for one in told_of_another(table, made, pc.SoftCut(l=2, values={"hiv": ["yes"]}))][:2]
    [('ill', 'hiv', 1, 4, 6), ('hiv', 'ill', 0, 0, 1)]
    """
    columns = table.having(Role.SENSITIVE)
    pairs = [told_by(table, grouping, method, one, other) for one in columns for other in columns if other != one]
    rest = [told_by(table, grouping, method, one) for one in columns]
    return [one for one in (*pairs, *rest) if one is not None]


def told_by(
    table: Table, grouping: Grouping, method: Method | None, column: int, known: int | None = None
) -> Told | None:
    """What another column tells of one, or all others do; None where nothing is told."""
    others = [one for one in table.having(Role.SENSITIVE) if one != column] if known is None else [known]
    rows = np.flatnonzero(grouping.labels >= 0)
    label = grouping.labels[rows].astype(np.int64)
    for other in others:
        label = label * len(table.attributes[other]) + table.codes[other][rows]
        label = np.unique(label, return_inverse=True)[1].ravel()
    labels = np.full(len(table), -1, np.int32)
    labels[rows] = label
    groups = Groups.of(labels, table.codes[column], table.attributes[column])
    name = None if known is None else table.attributes[known].name
    return told_of(groups, name, method, alike=False) if others else None
