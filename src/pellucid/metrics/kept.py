"""How much of each published column a release keeps: 1 minus the mean extent of what is published for a row.

The extent of a generalisation is the share of the column that it leaves open (:mod:`pellucid.published.choices`). A
value that is published as it is has extent 0, a suppressed one 1. A mean leaves every value open, and yet says much:
beside the table itself its extent is the distance of a person's value from it, by the range, on average over the group
(1 where nulls are among them). A release alone does not tell that, and :class:`Kept` says so.

This is the figure that every page, report and summary tells of a column, always as *kept*, never as lost or left open.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Means, Recoder, recoder_of
from pellucid.anonymize.recode.recoder import RowRecoder
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Table
from pellucid.messages import Message, Share
from pellucid.metrics.margins import Margins
from pellucid.metrics.metric import Direction, MeanMetric, Score
from pellucid.metrics.pre_rounding import before_rounding
from pellucid.published.choices import Choices, values_as_they_are
from pellucid.runtime.parallel import results
from pellucid.text.figures import percent

KEPT = (
    "100 %: every value is published as it is. 0 %: nothing is told. An interval over a tenth of the column's range, "
    "or a set of a tenth of its values, keeps 90 %."
)


class Kept(MeanMetric):
    """1 less the mean extent of the published cells: 1 when every value is published as it is, 0 when nothing is told.

    The extent of an interval is its width by the column's range, of a name in a taxonomy its leaves less one by all
    leaves less one, of a set its values less one by all values less one; of a suppressed row it is 1. The value is the
    mean over the quasi-identifiers; ``details`` has each column, and as ``named`` the share of the rows whose cell is
    one value. Of means of groups there is none: see :class:`SSE`.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> score, = pc.measure(release, pc.datasets.patients(), [pc.Kept()], **roles)
    >>> {name: round(share, 4) for name, share in score.details["columns"].items()}
    {'age': 0.8205, 'zipcode': 0.75}
    """

    name: ClassVar[str] = "kept"
    summary: ClassVar[str] = "how much of each column is kept: 1 less the share of it that a cell leaves open"
    unit: ClassVar[str] = "share of a column, 0 to 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "the perimeter of Xiao, Tao, Koudas. TODS 2010, by column"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        columns = shown.by_column(
            [1 - shown.mean(i, c.choices.extent, weighted=self.weighted) for i, c in enumerate(shown.columns)]
        )
        value = float(np.mean(list(columns.values())))
        least = min(columns, key=lambda name: columns[name])
        single = [c.choices.single.astype(np.float64) for c in shown.columns]
        named = shown.by_column([shown.mean(i, of, 0.0, weighted=self.weighted) for i, of in enumerate(single)])
        few = min(named, key=lambda name: named[name])
        words = Message("{kept}; {named}", kept=kept_words(value, least, columns[least]), named=named_words(few, named))
        return self.found(value, words, columns=columns, named=named)


def kept_words(value: float, column: str, share: float) -> Message:
    """What the figure means, with the column that keeps least.

    >>> kept_words(0.9, "zip", 0.8).partition(";")[0]
    'the quasi-identifiers keep 90 % on average, zip the least with 80 %'
    """
    line = f"the quasi-identifiers keep {percent(value)} on average, {column} the least with {percent(share)}"
    return Message("{line}; an interval over a tenth of the range keeps 90 %", line=line)


def named_words(column: str, named: Mapping[str, float]) -> Message:
    """For how many rows a column is published as one value.

    >>> named_words("zip", {"zip": 0.09})
    'zip is named for 9 % of the rows'
    """
    return Message("{column} is named for {share} of the rows", column=column, share=Share(named[column]))


def information_kept(
    table: Table, grouping: Grouping, recode: Recoder | str = "intervals", threads: int = 1
) -> dict[str, float]:
    """For each quasi-identifier and each carried column the share of its information in the release, from 0 to 1.

    A row whose interval spans a tenth of the range keeps nine tenths; a row in no group keeps nothing. A record that
    was added to a group is published like the others of it, and nobody who reads the release can leave it out.
    """
    added = np.zeros(0, np.int32) if grouping.added is None else grouping.added[0]
    sizes = grouping.sizes + np.bincount(added, minlength=len(grouping))
    rows = len(table) + len(added)

    def share(column: int) -> float:
        return float((sizes * (1 - extents_of(table, column, grouping, recode))).sum() / rows)

    columns = [*table.having(Role.QUASI), *table.having(Role.CARRY)]
    shares = results([partial(share, i) for i in columns], threads)
    return dict(zip([table.attributes[i].name for i in columns], shares, strict=True))


def rows_named(table: Table, grouping: Grouping, recode: Recoder | str = "intervals") -> dict[str, float]:
    """For each published category the share of the rows that show one value of it.

    Much of a column may be kept, by how few of its values a set leaves open, where hardly a row names one.
    """
    recoder = recoder_of(recode)
    if not isinstance(recoder, RowRecoder):
        return {}
    found = {}
    for i in (*table.having(Role.QUASI), *table.having(Role.CARRY)):
        if table.attributes[i].kind is Kind.CATEGORY:
            of_group, choices = recoder.choices(table, i, grouping)
            rows = int(grouping.sizes[choices.single[of_group]].sum())
            found[table.attributes[i].name] = rows / max(1, len(table))
    return found


def information_lost(table: Table, grouping: Grouping, recode: Recoder | str) -> list[float]:
    """The sum of the extents of all rows, for each published column but the sensitive ones, in schema order.

    Sums of parts of a table add up to that of the table.
    """
    columns = [i for i, a in enumerate(table.attributes) if a.role in (Role.QUASI, Role.CARRY)]
    return [float((grouping.sizes * extents_of(table, i, grouping, recode)).sum()) for i in columns]


def extents_of(table: Table, column: int, grouping: Grouping, recode: Recoder | str) -> NDArray[np.float64]:
    """The extent of what every group publishes in a column."""
    recoder = recoder_of(recode)
    if not isinstance(recoder, RowRecoder):  # values in a table of their own, exact but for what was rounded before
        values = values_as_they_are(table.attributes[column], np.arange(len(table.attributes[column])))
        of_row = _as_it_was(table, column, values).extent[table.codes[column][grouping.members]]
        return np.asarray(np.add.reduceat(of_row, grouping.starts[:-1]) / grouping.sizes)
    if isinstance(recoder, Means) and table.attributes[column].kind is not Kind.CATEGORY:
        if table.attributes[column].name in table.before:
            return _from_means(table, column, grouping, recoder)
        return recoder.distances(table.attributes[column], table.codes[column], grouping)
    of_group, choices = recoder.choices(table, column, grouping)
    extents: NDArray[np.float64] = _as_it_was(table, column, choices).extent[of_group]
    return extents


def _from_means(table: Table, column: int, grouping: Grouping, recoder: Means) -> NDArray[np.float64]:
    """How far each group's values, before they were rounded, lie from what is published of them; with nulls 1."""
    before = table.before[table.attributes[column].name]
    assert before.codes is not None
    of_group, choices = recoder.choices(table, column, grouping)
    centre = _as_it_was(table, column, choices).centre
    assert centre is not None
    places = before.attribute.positions[before.codes[grouping.members]]
    far = np.abs(places - np.repeat(centre[of_group], grouping.sizes)) / max(before.attribute.width, 1)
    apart = np.minimum(far, 1.0)  # a mean of classes may lie beyond all values
    distance = np.add.reduceat(apart, grouping.starts[:-1]) / grouping.sizes
    some = choices.nulls[of_group] & np.isfinite(centre[of_group])
    return np.where(some, 1.0, np.nan_to_num(distance, nan=0.0))  # nothing but nulls is published as it is


def _as_it_was(table: Table, column: int, choices: Choices) -> Choices:
    """What the cells of a column leave open of what it was before it was rounded and capped."""
    attribute = table.attributes[column]
    before = table.before.get(attribute.name)
    return choices if before is None or before.codes is None else before_rounding(choices, attribute, before)
