"""What a recipe says about rows and values, and whether release and original fit each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pellucid.anonymize.grouping import RECORDS_ADDED, VALUES_REPLACED
from pellucid.anonymize.recode import Recoder
from pellucid.core.recipe import Recipe
from pellucid.core.table import Attribute, Table
from pellucid.errors import MeasureError
from pellucid.messages import Count, Value
from pellucid.metrics.boxes import BESIDE
from pellucid.metrics.margins import Margin
from pellucid.published.choices import Integers
from pellucid.published.ends import published_as


@dataclass(frozen=True, slots=True)
class RecipeFacts:
    """What a recipe says about rows; nothing when there is none."""

    suppressed: int | None
    replaces: bool
    adds: bool
    writer: Recoder | None = None
    carried: tuple[str, ...] = ()

    @classmethod
    def of(cls, recipe: Recipe | None) -> RecipeFacts:
        """What a recipe says."""
        if recipe is None:
            return cls(None, replaces=False, adds=False)
        replaces, adds = VALUES_REPLACED in recipe.changes, RECORDS_ADDED in recipe.changes
        carried = tuple(recipe.names(*BESIDE))
        return cls(recipe.suppressed or 0, replaces, adds, recipe.writer, carried)

    def suppressed_by_null(self, published: pl.DataFrame, rows: Integers, attribute: Attribute, true: Integers) -> bool:
        """Whether null stands for suppressed cells of a column: others wrote it, in more rows than have it.

        Which of the nulls are people's own nobody can then tell, so that each leaves everything open.
        """
        if self.suppressed is not None or published.width > 1:
            return False
        nulls = int(rows[published.to_series().is_null().to_numpy()].sum())
        return nulls > (int(true[0]) if attribute.has_null else 0)

    def carried_in(self, available: Sequence[str], table: Table) -> dict[str, list[str]]:
        """The columns that are carried along, by recipe or by schema, as far as they are published."""
        names = dict.fromkeys([*self.carried, *(a.name for a in table.attributes if a.role in BESIDE)])
        published = {name: published_as(name, available) for name in names}
        return {name: columns for name, columns in published.items() if columns}

    def check_rows(self, original: int, published: int, kept: int) -> tuple[int, int]:
        """How many rows are suppressed and how many added; raise when the numbers do not add up."""
        suppressed = self.suppressed if self.suppressed is not None else max(original - kept, 0)
        added = kept - (original - suppressed)
        if added != 0 and not (self.adds and added > 0):
            left_out = f" and leaves {suppressed:,} out" if suppressed else ""
            raise MeasureError(
                f"the release has {published:,} rows{left_out}, and the original has {original:,}; "
                "give the table that the release was made of"
            )
        return suppressed, added

    def check_values(self, attribute: Attribute, published: Integers, original: Integers) -> None:
        """Raise when a sensitive value is published more often than it occurs, though nothing was changed.

        Both are the number of rows with each value.
        """
        if self.replaces or self.adds:
            return
        more = published - original
        if more.max() > 0:
            code = int(more.argmax())
            shown = "null" if attribute.values[code] is None else repr(attribute.values[code])
            raise MeasureError(
                f"{shown} is the {attribute.name!r} of {int(more[code]):,} more rows in the release than in the "
                "original; give the table that the release was made of"
            )


def check_covered(quasi: Sequence[Margin], counts: Sequence[Integers], suppressed: int) -> None:
    """Raise when more rows of the original than are suppressed have a value that nothing published covers.

    ``counts`` has for each column how many rows of the original have each value.
    """
    for of, rows in zip(quasi, counts, strict=True):
        left_out = np.flatnonzero(~of.choices.covers(of.ticks))
        if int(rows[left_out].sum()) > suppressed:
            value = of.attribute.values[int(left_out[0])]
            raise MeasureError(
                "{rows} of the original have a {name!r}, such as {value}, that no published value covers; give the "
                "table that the release was made of",
                rows=Count(int(rows[left_out].sum()), "rows", "rows"),
                name=of.attribute.name,
                value=Value(value),
            )
