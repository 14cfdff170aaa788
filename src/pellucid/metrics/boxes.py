"""What a release shows of the table that it was made of: the boxes that are published, and who is counted in them.

A metric looks at this and at nothing else, so that a release in memory and the same release read from a file have the
same scores. A *box* is what is published for a row: one choice per quasi-identifier. A *class* is the rows that are
published alike, with what is carried along; of an anatomy release, which publishes rows as they are, it is a group, and
each row is a box.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Recoder, recoder_of
from pellucid.anonymize.recode.recoder import RowRecoder, alike_as_one
from pellucid.anonymize.recode.weights import mean_weights, weights_of
from pellucid.core.release import Release
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import MeasureError
from pellucid.messages import Message
from pellucid.messages.terms import SENSITIVE, quoted_key
from pellucid.metrics.margins import Averages, Margin, RowTally, sizes_of_classes
from pellucid.metrics.pre_rounding import before_rounding, not_counted
from pellucid.models import Groups
from pellucid.published.choices import Floats, Integers, values_as_they_are
from pellucid.runtime.records import record


@record(eq=False)
class ColumnBoxes(Margin):
    """One quasi-identifier: its choices, and which of them each box has."""

    of_box: Codes


BESIDE = (Role.CARRY, Role.WEIGHT)  # what tells classes apart beside the quasi-identifiers
# cells, sizes, classes, sensitive counts, and the class of each row
Boxes = tuple[tuple[ColumnBoxes, ...], Integers, Codes, tuple[Groups, ...], Codes]


@record(eq=False)
class Shown(Averages):
    """What is published, box by box. Boxes are in the order of their classes.

    ``sizes[b]`` rows are published with box b, which is of class ``classes[b]``. ``sensitive`` has the published
    sensitive counts of each class, one for each sensitive column. ``suppressed`` rows of the original are not
    published, or with nothing but ``*``; ``added`` published rows have nobody behind them. ``truth`` and ``published``
    are the sensitive codes of every original row where a release of ours says that it replaced some. ``class_of_row``
    is the class of every original row, -1 for a suppressed one, where that is known; in no file it is. ``carried``
    columns tell classes apart and are not measured. ``weight`` is what is published in each class as the weight of a
    row, where the release has weights. ``grouped`` is the table as methods saw it, where some of its columns had been
    rounded or capped: ``table`` then has them as they were, and boxes cover all that became what they show.
    """

    table: Table
    quasi: tuple[ColumnBoxes, ...]
    sizes: Integers
    classes: Codes
    sensitive: tuple[Groups, ...]
    suppressed: int
    added: int
    anatomy: bool
    truth: Codes | None = None
    published: Codes | None = None
    replaces: bool = False
    class_of_row: Codes | None = None
    carried: tuple[str, ...] = ()
    weight: Floats | None = None
    grouped: Table | None = None

    @cached_property
    def rows(self) -> int:
        """How many rows are published in boxes."""
        return int(self.sizes.sum())

    @property
    def notes(self) -> list[str]:
        """What the figures leave out, a sentence each."""
        return not_counted(self.table if self.grouped is None else self.grouped)

    @property
    def columns(self) -> tuple[ColumnBoxes, ...]:
        """The quasi-identifiers."""
        return self.quasi

    @cached_property
    def valued(self) -> Shown:
        """The same with means and medians taken as the values of their rows, as their readers take them."""
        if not any(cells.choices.centred for cells in self.quasi):
            return self
        quasi = tuple(ColumnBoxes(of.attribute, of.choices.as_values(of.ticks), of.of_box) for of in self.quasi)
        return replace(self, quasi=quasi)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the sensitive columns."""
        return tuple(groups.attribute.name for groups in self.sensitive)

    @property
    def original_rows(self) -> int:
        """How many rows the original has."""
        return len(self.table)

    @cached_property
    def original(self) -> tuple[Integers, ...]:
        """For each quasi-identifier how many rows of the original have each value."""
        places = {attribute.name: i for i, attribute in enumerate(self.table.attributes)}
        codes = [self.table.codes[places[of.attribute.name]] for of in self.quasi]
        return tuple(np.bincount(c, minlength=len(of.attribute)) for c, of in zip(codes, self.quasi, strict=True))

    @cached_property
    def class_sizes(self) -> tuple[Integers, Integers]:
        """The sizes that classes have, ascending, and how many classes have each."""
        return sizes_of_classes(np.bincount(self.classes, weights=self.sizes).astype(np.int64))

    @cached_property
    def weights(self) -> tuple[Integers, ...]:
        """For each quasi-identifier how many rows are published with each choice."""
        return tuple(
            np.bincount(cells.of_box, weights=self.sizes, minlength=len(cells.choices)).astype(np.int64)
            for cells in self.quasi
        )

    @property
    def class_weights(self) -> Floats:
        """What is published as the weight of a row, in each class; raise where nothing is."""
        if self.weight is None or self.original_weights is None:
            raise MeasureError("the release has no weights; publish one with {role}", role=quoted_key("role", "weight"))
        return self.weight

    @cached_property
    def original_weights(self) -> Floats | None:
        """For how many people each row of the original stands."""
        return weights_of(self.table)

    @cached_property
    def by_weight(self) -> RowTally:
        """As many people as the rows stand for; those of suppressed rows are the ones that the release lacks."""
        of_box = self.sizes * self.class_weights[self.classes]
        published = tuple(
            np.bincount(cells.of_box, weights=of_box, minlength=len(cells.choices)) for cells in self.quasi
        )
        assert self.original_weights is not None
        here = math.fsum(of_box.tolist())
        lacking = max(0.0, math.fsum(self.original_weights.tolist()) - here) if self.suppressed else 0.0
        return RowTally(published, lacking, here + lacking)


def require_one_sensitive(shown: Shown, what: str) -> None:
    """Raise where there are several sensitive columns, or none, and ``what`` is about one; with the way to name it."""
    names = [shown.table.attributes[i].name for i in shown.table.having(Role.SENSITIVE)]
    if len(names) != 1:
        listed = f" ({', '.join(names)})" if names else ""
        way_out = (
            Message("name one with {sensitive} and without {SCHEMA}", sensitive=SENSITIVE.such_as(names[0]))
            if names
            else ""
        )
        raise MeasureError(f"{what} one sensitive column, and the table has {len(names)}{listed}", way_out)


def shown_by(release: Release, table: Table) -> Shown:
    """What a release of ours shows of the table that it was made of, with the rows in the same order."""
    require_alike(release, table)
    grouping = release.private.grouping
    as_seen, formed = grouping.as_published(table)
    quasi, sizes, classes, sensitive, labels = shown_groups(as_seen, formed, release.public.recipe.recoder, table)
    weight = weights_of_classes(as_seen, formed, labels, int(classes.max()) + 1)
    added = 0 if grouping.added is None else len(grouping.added[0])
    shown = Shown(
        table,
        quasi,
        sizes,
        classes,
        sensitive,
        suppressed=grouping.suppressed,
        added=added,
        anatomy=release.public.recipe.recode == "anatomy",
        truth=release.private.truth,
        published=grouping.sensitive,
        replaces=grouping.sensitive is not None,
        class_of_row=labels[: len(table)],
        carried=tuple(a.name for a in table.attributes if a.role in BESIDE),
        weight=weight,
    )
    return before_all_rounding(shown)


def weights_of_classes(table: Table, grouping: Grouping, labels: Codes, classes: int) -> Floats | None:
    """What is published as the weight of a row, in each class; None where there are no weights."""
    if not table.having(Role.WEIGHT):
        return None
    inside = np.flatnonzero(labels >= 0)
    weight = np.zeros(classes)
    weight[labels[inside]] = mean_weights(table, grouping)[grouping.labels[inside]]
    return weight


def before_all_rounding(shown: Shown) -> Shown:
    """The same beside the table as it was before its quasi-identifiers were rounded and capped."""
    table = shown.table
    known = [cells.attribute.name for cells in shown.quasi if cells.attribute.name in table.before]
    if not known:
        return shown
    quasi = tuple(
        ColumnBoxes(
            table.before[cells.attribute.name].attribute,
            before_rounding(cells.choices, cells.attribute, table.before[cells.attribute.name]),
            cells.of_box,
        )
        if cells.attribute.name in known
        else cells
        for cells in shown.quasi
    )
    return replace(shown, table=table.as_it_was(), quasi=quasi, grouped=table)


def require_alike(release: Release, table: Table) -> None:
    """Raise unless the table has as many rows as a release was made of, and the same columns."""
    grouping = release.private.grouping
    if grouping.rows != len(table):
        raise MeasureError(
            f"the release was made of {grouping.rows:,} rows and the original has {len(table):,}; "
            "give the table that it was made of"
        )
    compared = (Role.QUASI, Role.SENSITIVE)  # what is carried is published and not measured by itself
    theirs = [(column.name, column.role.value) for column in release.public.recipe.columns if column.role in compared]
    mine = [(a.name, a.role.value) for a in table.attributes if a.role in compared]
    if theirs != mine:
        raise MeasureError(
            f"the release has the columns {', '.join(name for name, _ in theirs)} and the original "
            f"{', '.join(name for name, _ in mine)}; give the table that it was made of, with the same roles"
        )


def shown_groups(table: Table, grouping: Grouping, recode: Recoder | str, original: Table) -> Boxes:
    """The boxes of a grouping, by the rules of a recoder, and the class of each row.

    Of a recoder whose name is given these are its usual rules. What is carried along tells rows apart, too.
    """
    columns = table.having(Role.QUASI)
    if len(grouping) == 0:
        raise MeasureError("the release has no rows: every row is suppressed; there is nothing to measure")
    recoder = recoder_of(recode)
    if not isinstance(recoder, RowRecoder):
        return shown_rows(table, grouping)
    found = [recoder.choices(table, i, grouping) for i in columns]
    keys = [(of_box, len(choices)) for of_box, choices in found] + carried_texts(table, grouping, recoder)
    order, boxes = sort_rows([of_box for of_box, _ in keys], [size for _, size in keys], 1)
    first = order[boxes[:-1]]
    label = np.empty(len(grouping), np.int32)
    label[order] = np.repeat(np.arange(len(first), dtype=np.int32), np.diff(boxes))
    quasi = tuple(
        ColumnBoxes(original.attributes[i], choices, of_box[first])
        for i, (of_box, choices) in zip(columns, found, strict=True)
    )
    sizes = np.bincount(label, weights=grouping.sizes).astype(np.int64)
    rows = np.where(grouping.labels >= 0, label[grouping.labels], np.int32(-1)).astype(np.int32)
    sensitive = counted(table, rows)
    return quasi, sizes, np.arange(len(first), dtype=np.int32), sensitive, rows


def carried_texts(table: Table, grouping: Grouping, recoder: RowRecoder) -> list[tuple[Codes, int]]:
    """For each column that is carried along the number of each group's text, and how many texts there are."""
    spelled = {
        i: alike_as_one(recoder.spell_column(table, i, grouping, 1), table.attributes[i])
        for i, attribute in enumerate(table.attributes)
        if attribute.role in BESIDE
    }
    return [(texts.ranks, len(texts)) for texts in spelled.values()]


def shown_rows(table: Table, grouping: Grouping) -> Boxes:
    """Anatomy: rows as they are, and a class for each group."""
    classes = np.repeat(np.arange(len(grouping), dtype=np.int32), grouping.sizes)
    quasi = tuple(exactly(table.attributes[i], table.codes[i][grouping.members]) for i in table.having(Role.QUASI))
    return quasi, np.ones(len(classes), np.int64), classes, counted(table, grouping.labels), grouping.labels


def exactly(attribute: Attribute, codes: Codes) -> ColumnBoxes:
    """A column whose values are published as they are."""
    return ColumnBoxes(attribute, values_as_they_are(attribute, np.arange(len(attribute))), codes)


def counted(table: Table, labels: NDArray[np.int32]) -> tuple[Groups, ...]:
    """The sensitive counts of each class."""
    return tuple(Groups.of(labels, table.codes[i], table.attributes[i]) for i in table.having(Role.SENSITIVE))
