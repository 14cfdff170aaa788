"""A release as two tables: exact quasi-identifiers with a group number, and the sensitive values of each group."""

from __future__ import annotations

from pellucid.anonymize.methods import Grouping
from pellucid.core.table import Table
from pellucid.metrics.boxes import Shown, shown_rows
from pellucid.metrics.query_error import QueryError

QUERIES = 10_000  # of [W] and [R], after Anatomy
QUICK_QUERIES = 1000
SELECTIVITY = 0.05


def two_tables(table: Table, grouping: Grouping) -> Shown:
    """What two tables show; the groups may have been made with another sensitive column of the same rows."""
    return Shown(table, *shown_rows(table, grouping)[:4], grouping.suppressed, 0, anatomy=True)


def relative_error(seen: Shown, *, dimensions: int, selectivity: float, quick: bool) -> float:
    """The mean of |true - estimated| / true over counts of random values that somebody has."""
    queries = QUICK_QUERIES if quick else QUERIES
    asked = QueryError(
        dimensions=dimensions, selectivity=selectivity, queries=queries, seed=1, form="values", delta=0.0
    )
    return float(asked.score(seen).value or 0.0)
