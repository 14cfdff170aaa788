"""What a file of SPSS, Stata or SAS says in words about what is published: the file ``labels.csv`` of a bundle.

A dictionary of a survey lists values that nobody in the release has, and columns that were withheld. So nothing of it
is handed out but what belongs to something that anybody reads in the release: the label of a published column, and the
label of a value that stands in a published cell by itself. Both follow from the public half alone, which is all that is
looked at here beside the dictionary.

A column is called as the release calls it: ``age_mean``, or ``age_low`` and ``age_high``, where it was made of ``age``.

A cell is a value where the recoder writes values for sure (a mean of 3 is nobody's 3, and a weight is a mean), and
where the column was neither rounded nor capped nor shortened (a rounded 10 is not what the label of 10 is about). Only
numbers are looked at: where every value of a column has a label, the column has its labels already
(:mod:`pellucid.io.statistics_files`).
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from pellucid.core.recipe import ToldColumn
from pellucid.core.release import Public
from pellucid.core.schema import Kind, Role
from pellucid.published.ends import NULLS, published_as
from pellucid.web.worker_state import occurring

LABELS_FILE = "labels.csv"
CHANGED = ("round", "cap")  # facts of a column whose published values are others than those of the file


def published_labels(
    public: Public, columns: Mapping[str, str], values: Mapping[str, Mapping[str, str]]
) -> pl.DataFrame:
    """The labels of what is published, a line each; an empty ``value`` is the column itself.

    ``columns`` and ``values`` are the dictionary: what columns are called, and what values of a column are called.

    >>> import pellucid as pc
    >>> rows = pl.DataFrame({"age": [21, 21, 34, 34], "mood": [1, 2, 1, 3], "place": list("abcd")})
    >>> made = pc.publish(rows, pc.Hybrid(l=2), quasi="age", sensitive="mood")
    >>> moods = {"mood": {"1": "low", "3": "high", "4": "manic"}, "place": {"a": "Aix"}}
    >>> published_labels(made.public, {"age": "Age in years", "place": "Home"}, moods).rows()
    [('age', None, 'Age in years'), ('mood', '1', 'low'), ('mood', '3', 'high')]
    """
    lines: list[tuple[str, str | None, str]] = []
    there = [name for frame in public.frames.values() for name in frame.columns]
    for column in public.recipe.columns:
        if column.name in columns:
            named = [name for name in published_as(column.name, there) if name != f"{column.name}{NULLS}"]
            lines += [(name, None, columns[column.name]) for name in named]
        labels = values.get(column.name, {})
        shown = _values_shown(public, column, list(labels))
        lines += [(column.name, value, label) for value, label in labels.items() if value in shown]
    return pl.DataFrame(lines, schema={"column": pl.String, "value": pl.String, "label": pl.String}, orient="row")


def _values_shown(public: Public, column: ToldColumn, values: list[str]) -> set[str]:
    """Those of some values that stand in a published cell of the column by themselves."""
    if any(map(column.facts.get, CHANGED)):
        return set()
    cells = [frame[column.name] for frame in public.frames.values() if column.name in frame.columns]
    if column.role is Role.SENSITIVE:
        cells = [one for one in cells if one.dtype.is_numeric()]
    elif not _writes_numbers(public, column):
        return set()
    return {value for one in cells for value in occurring(one, values)}


def _writes_numbers(public: Public, column: ToldColumn) -> bool:
    """Whether a cell of this quasi-identifier that reads as a number is that number, and not the middle of others."""
    writer = public.recipe.writer
    known = column.role is Role.QUASI and column.kind is Kind.NUMBER
    return known and writer is not None and writer.writes_values(column.kind)
