"""A population as it was given, beside a release: its people, their names, and how its columns are meant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.recipe import ordered_as
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.table import Table
from pellucid.io.columns import choose
from pellucid.io.encode import encode
from pellucid.io.inference import narrow
from pellucid.risk.views.missing_inputs import UNORDERED, UNTOLD

if TYPE_CHECKING:
    from pellucid.risk.views.opened_release import ReleaseView

THE_POPULATION, THE_ORIGINAL = "the population", "the original table"


@dataclass(frozen=True, eq=False)
class Crowd:
    """A population as it was given: its frame, the names of its people, and how its columns are meant.

    The identifier is a column of the schema only where it ordered the rows of the table; ``lacking`` says what is not
    known of what a method looks at.
    """

    frame: pl.DataFrame
    names: list[Any] | None
    schema: Schema
    lacking: tuple[str, ...] = ()
    called: str = THE_POPULATION

    @classmethod
    def of(cls, source: Any, look: ReleaseView, identifier: str | None, called: str = THE_POPULATION) -> Crowd:
        """The people of a source, with the columns that the release speaks about; what a caller knows it as."""
        frame = look.read_people(source)
        identifier = look.identifier(source, frame, identifier)
        if identifier is not None:
            choose(frame.columns, [identifier], called)
        names = None if identifier is None else frame[identifier].to_list()
        lacking: tuple[str, ...] = ()
        order = look.source.facts.row_order  # where nobody tells, the identifier that is named did it
        if order == "coins":
            identifier = None  # it names people and ordered nothing
        elif identifier is None:
            lacking = (UNTOLD if order is None else UNORDERED,)
        elif identifier is not None:
            frame, lacking = _ordered_alike(frame, identifier, look.source.facts.ordered_as)
        columns = {} if identifier is None else {identifier: Column(role=Role.IDENTIFIER)}
        columns |= look.columns(frame, called)
        schema = Schema.model_construct(columns=columns)
        if look.schema is not None:
            schema = look.schema.model_copy(update={"columns": columns})
        crowd = cls(frame, names, schema, lacking, called)
        return replace(crowd, lacking=(*lacking, *look.other_kinds(crowd.table)))

    @cached_property
    def table(self) -> Table:
        """The same in codes."""
        return encode(self.frame.select(list(self.schema.columns)), self.schema)

    def only(self, rows: NDArray[np.int64]) -> Table:
        """Some of the people in codes, as if there were no others."""
        return encode(self.frame.select(list(self.schema.columns))[rows.tolist()], self.schema)


def _ordered_alike(frame: pl.DataFrame, identifier: str, how: str | None) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The people with an identifier that is ordered as that of the table was, or that it is not."""
    if how is None or ordered_as(frame[identifier]) == how:
        return frame, ()
    identifiers = narrow(frame[identifier]) if frame[identifier].dtype == pl.String else frame[identifier]
    if ordered_as(identifiers) == how:
        return frame.with_columns(identifiers), ()
    return frame, (
        f"the rows were ordered by identifiers that are {how}, and {identifier!r} of the people is "
        f"{ordered_as(frame[identifier])}: give people whose identifiers are written like those of the table",
    )
