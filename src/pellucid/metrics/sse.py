"""SSE: how much of the differences between people is lost where everybody's numbers become their group's mean."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Codes
from pellucid.errors import MeasureError
from pellucid.metrics.boxes import Shown
from pellucid.metrics.margins import Counted
from pellucid.metrics.metric import Direction, Metric, Score
from pellucid.published.choices import Floats
from pellucid.text.figures import percent


class SSE(Metric):
    """The sum of squares inside the groups by that of the column: 0 where all of a group are equal, 1 of one group.

    Of a number, a date or an ordered value x (at its place on the column's line), with m its mean over its group and M
    over the table: ``sum (x - m)**2 / sum (x - M)**2``. A row that is withheld counts as published by the mean of the
    table, M. Nulls are left aside, and a column without differences has 0. The value is the mean over these columns,
    which is what microaggregation reports of standardised columns; ``details`` has each. Who is in which group is in no
    release on disk: give the groups that publishing kept. Of a column that was rounded before, x is the value before,
    and where means are published m is the one that is.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Mdav(k=2), **roles)
    >>> score, = pc.measure(release, pc.datasets.patients(), [pc.SSE()], **roles)
    >>> {name: round(share, 3) for name, share in score.details["columns"].items()}
    {'age': 0.018, 'zipcode': 0.011}
    """

    name: ClassVar[str] = "sse"
    summary: ClassVar[str] = (
        "how much of the differences in numbers and dates lies inside the groups, and is lost to means"
    )
    unit: ClassVar[str] = "share of the sum of squares, 0 to 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation. TKDE 2002"

    @classmethod
    def concerns(cls, shown: Shown | Counted) -> bool:
        """Where it is known who is in which group, and of means; of another file it is not asked."""
        if not isinstance(shown, Shown) or not _measured(shown):
            return False
        return shown.class_of_row is not None or any(cells.choices.centred for cells in shown.quasi)

    def score(self, shown: Shown) -> Score:
        """The score of what is shown."""
        if shown.class_of_row is None:
            raise MeasureError(
                "sse needs to know who is in which group, and that is in no release on disk; {TELL_GROUPS}"
            )
        measured = _measured(shown)
        if not measured:
            raise MeasureError("sse is about numbers, dates and ordered values, and no quasi-identifier is one")
        group = shown.class_of_row
        columns = {of.name: lost(of, codes, group, _published(shown, of.name)) for of, codes in measured}
        value = float(np.mean(list(columns.values())))
        most = max(columns, key=lambda name: columns[name])
        told = f"means of groups lose {percent(value)} of the differences between people, of {most} the most"
        return self.found(value, f"{told} with {percent(columns[most])}", columns=columns)


def _measured(shown: Shown) -> list[tuple[Attribute, Codes]]:
    """The quasi-identifiers that have a mean, with the codes of the original's rows."""
    names = [attribute.name for attribute in shown.table.attributes]
    columns = [cells.attribute for cells in shown.quasi if cells.attribute.kind is not Kind.CATEGORY]
    return [(attribute, shown.table.codes[names.index(attribute.name)]) for attribute in columns]


def _published(shown: Shown, name: str) -> Floats | None:
    """The mean that is published in each class, of a column that was rounded before; None of others: it is their own.

    But for its rounding to the column's unit.
    """
    (cells,) = (of for of in shown.quasi if of.attribute.name == name)
    if shown.grouped is None or name not in shown.grouped.before or not cells.choices.centred:
        return None
    assert cells.choices.centre is not None
    return cells.choices.centre[cells.of_box]


def lost(attribute: Attribute, codes: Codes, group: Codes, centres: Floats | None = None) -> float:
    """The share of a column's sum of squares that lies inside the groups; -1 is the group of a row that is withheld.

    ``centres`` are the ticks of what is published of each group, where that is not its own mean.
    """
    places = attribute.positions[codes]
    known = places >= 0
    x, g = places[known].astype(np.float64), group[known].astype(np.int64) + 1
    if len(x) == 0:
        return 0.0
    middle = x.mean()
    x -= middle
    whole = float(x @ x)
    rows = np.bincount(g, minlength=1 if centres is None else len(centres) + 1)
    means = np.bincount(g, weights=x, minlength=len(rows)) / np.maximum(rows, 1)
    if centres is not None:
        means[1:] = np.where(np.isfinite(centres), centres - middle, 0.0)
    means[0] = 0.0
    within = x - means[g]
    return float(within @ within) / whole if whole > 0 else 0.0
