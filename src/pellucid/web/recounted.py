"""What a table looks like under what was said of its columns: a column that is rounded has other values than its file.

Everything that the pages say of a column before it is published (how many values it has, whether they name people, how
large l can be) must be about the values that would be published. So they are counted once somebody says how to round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.core.schema import Column

Counts = Mapping[str, Any]  # as the task "counts" gives them: how many values, how many rows are empty, examples


def key_of(name: str, column: Column) -> str:
    """What the counts of a column depend on; empty where it has the values of its file."""
    if column.round is None:
        return ""
    return repr((name, column.round, tuple(column.missing), column.kind, column.date_order))


def recounted(data: dict[str, Any], columns: Mapping[str, Column], known: Mapping[str, Counts]) -> dict[str, Any]:
    """What a page knows of a table, with the counts of the columns that are rounded, as far as they are known.

    A column of which nobody counted the rounded values is told with those of its file, which are never fewer.
    """
    keys = [key_of(one["name"], columns[one["name"]]) for one in data["columns"]]
    facts = [_under(one, known.get(key) if key else None) for one, key in zip(data["columns"], keys, strict=True)]
    return {**data, "columns": facts}


def _under(facts: dict[str, Any], counts: Counts | None) -> dict[str, Any]:
    read = facts.get("as_read", facts)
    if counts is None:
        return dict(read)
    return {**read, **counts, "reason": _reason(read, counts["largest_l"]), "as_read": read}


def _reason(read: Mapping[str, Any], largest: int) -> str:
    """Why a role is suggested, with the l that is possible now.

    >>> _reason({"reason": "the name says so (income); l can be up to 26", "why": "the name says so (income)"}, 5)
    'the name says so (income); l can be up to 5'
    """
    now = f"l can be up to {largest:,}" if largest > 1 else "more than half of the rows have one value"
    return f"{read['why']}; {now}" if read["why"] else str(read["reason"])
