"""What was published, told from the public half alone: columns, how they are written, groups, common values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from pellucid.audit.source import SPLIT, WHOLE
from pellucid.core.schema import Role, Schema
from pellucid.core.table import Table
from pellucid.messages import Message
from pellucid.models.groups import Counts
from pellucid.published.ends import is_centre, published_as
from pellucid.published.forms import CENTRE, INTERVALS, SET, SINGLE, KnownNames, counted, known_of
from pellucid.reports.charts import percent
from pellucid.reports.opened import Given
from pellucid.text.values import cell_text, shortened

MOST_VALUES = 12
FEWEST_ROWS = 10  # a value that fewer people have is not named: it is about them
ROLES = {
    Role.QUASI: "quasi-identifier: others may know it",
    Role.CARRY: "carried along with its group",
    Role.WEIGHT: "weight: for how many people a row stands, the mean of its group",
    Role.SENSITIVE: "sensitive: what is protected",
}


@dataclass(frozen=True)
class PublishedColumn:
    """A column as the reader of the data finds it."""

    name: str
    role: str
    kind: str
    shown: str
    distinct: int
    has_values: bool  # most cells are a value of the original, or a set of them


@dataclass(frozen=True)
class CommonValues:
    """The share of all rows that each common value has; the rare ones are taken together and not named."""

    shares: Mapping[str, float]
    others: int
    rest: float

    @property
    def left_out(self) -> str:
        """The values that are not named, in a sentence."""
        if not self.others:
            return ""
        if not self.shares:
            return f"Each of the {self.others:,} values has fewer than {FEWEST_ROWS} rows, so none is named."
        have = "1 other value has" if self.others == 1 else f"{self.others:,} other values together have"
        return f"{have} {percent(self.rest)} of the rows."


@dataclass(frozen=True, eq=False)
class ReleaseFigures:
    """The whole release in figures that the release itself tells."""

    rows: int
    groups: int
    sizes: tuple[Counts, Counts]  # those that groups have, ascending, and how many groups have each
    suppressed: int | None
    recoding: str
    changes: tuple[str, ...]
    columns: tuple[PublishedColumn, ...]
    values: Mapping[str, CommonValues]  # of each sensitive column
    tables: int

    @property
    def typical(self) -> Message:
        """The sizes of groups in a few words."""
        sizes, groups = self.sizes
        low, middle, high = int(sizes[0]), median_of(sizes, groups), int(sizes[-1])
        mean = int(sizes @ groups) / self.groups
        each = f"{low:,} to {high:,} rows, {middle:,g} in the middle and {mean:,.1f} on average"
        return Message(each) if low < high else Message("{low:,} rows each", low=low)


def median_of(values: Counts, times: Counts) -> float:
    """The median of values, ascending, of which each occurs so many times.

    >>> median_of(np.array([2, 5]), np.array([2, 2])), median_of(np.array([2, 5]), np.array([1, 2]))
    (3.5, 5.0)
    """
    upto = np.cumsum(times)
    middle = [(int(upto[-1]) - 1) // 2, int(upto[-1]) // 2]
    return float(values[np.searchsorted(upto, middle, side="right")].mean())


def published_of(given: Given, schema: Schema | None = None, table: Table | None = None) -> ReleaseFigures:
    """Look at the public half; what the ``schema`` declares tells names from values, for the file the ``table`` too."""
    audit = given.audit
    sizes = audit.sizes_of_groups()
    columns, written = _columns(given, schema, table)
    recoder = given.facts.writer
    return ReleaseFigures(
        rows=audit.rows,
        groups=int(sizes[1].sum()),
        sizes=sizes,
        suppressed=given.facts.suppressed,
        recoding="" if recoder is None else recoder.describe(written),
        changes=given.facts.changes,
        columns=tuple(columns),
        values={name: common_values(given, name) for name in audit.sensitive},
        tables=len(given.source.tables),
    )


def _columns(
    given: Given, schema: Schema | None, table: Table | None
) -> tuple[list[PublishedColumn], list[dict[str, int]]]:
    """The columns, and of those that are recoded how many cells have each form."""
    found, written = [], []
    told = () if given.recipe is None else given.recipe.columns
    rounded = {one.name for one in told if "round" in one.facts}
    for name, role, kind in _named(given):
        place = SPLIT[1 if role is Role.SENSITIVE else 0] if given.source.in_two else WHOLE
        parts = published_as(name, given.source.columns(place))
        if not parts:
            continue
        cells, times = given.cells(parts, place)
        rows = int(times.sum())
        if is_centre(name, parts):
            shown, values = f"the {CENTRE} of each group, {parts[0]}", False
            written.append({CENTRE: rows})
        elif len(parts) > 1:
            shown, values = f"two columns, {parts[0]} and {parts[1]}", False
            written.append({INTERVALS: rows})
        elif role is Role.SENSITIVE or given.source.in_two:
            shown, values = f"as it is{', rounded' if name in rounded else ''}", True
        else:
            different = cells[name].to_list()
            known = _known(given, name, different, kind, schema, table)
            written.append(counted(different, times.tolist(), known))
            shown = ", ".join(f"{form} {percent(number / rows)}" for form, number in written[-1].items())
            values = 2 * sum(written[-1].get(form, 0) for form in (SET, SINGLE)) >= rows
        found.append(PublishedColumn(name, ROLES[role], kind, shown, _different(cells.select(parts[:2])), values))
    return found, written


def _different(cells: pl.DataFrame) -> int:
    """How many different cells there are; an empty one is none, as everywhere where values are counted."""
    return cells.filter(~pl.all_horizontal(pl.all().is_null())).n_unique()


def _known(
    given: Given, name: str, cells: Sequence[object], kind: str, schema: Schema | None, table: Table | None
) -> KnownNames:
    """What tells the values of a column from broader names."""
    original = None if table is None else next((one for one in table.attributes if one.name == name), None)
    declared = None if schema is None else schema.columns.get(name)
    folder = Path() if schema is None else schema.folder
    return known_of(kind, given.facts.writer, cells, declared, folder, original)


def _named(given: Given) -> list[tuple[str, Role, str]]:
    """The published columns with role and kind: by recipe, or as the audit was told."""
    if given.recipe is not None:
        return [(one.name, one.role, one.kind) for one in given.recipe.columns]
    roles = given.roles
    by_role = {Role.QUASI: roles.quasi, Role.WEIGHT: roles.weights, Role.SENSITIVE: roles.sensitive}
    return [(name, role, "") for role, names in by_role.items() for name in names]


def common_values(given: Given, name: str) -> CommonValues:
    """How common the values of a sensitive column are, over all rows.

    A count over the whole table is told by the release and is about nobody; a value that a handful of people have is
    not named all the same.
    """
    attribute, counts = given.audit.counted_values(name)
    values = attribute.values
    order = np.argsort(-counts, kind="stable")
    named = [code for code in order.tolist() if counts[code] >= FEWEST_ROWS][:MOST_VALUES]
    total = int(counts.sum())
    shares: dict[str, float] = {}
    for code in named:
        label = shortened(cell_text(values[code]) or '""', 40)
        shares[label] = shares.get(label, 0.0) + int(counts[code]) / total
    rest = total - int(counts[named].sum())
    return CommonValues(shares, int((counts > 0).sum()) - len(named), rest / total)
