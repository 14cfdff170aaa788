"""The values of one column with how many rows have each, and the tree that is said about them, to be edited."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.table import Attribute, frequencies
from pellucid.core.taxonomy.declaration import TOP
from pellucid.errors import SchemaError
from pellucid.runtime.progress import Progress
from pellucid.text.values import label_of
from pellucid.web.edited_tree import MOST_EDITED, to_edit
from pellucid.web.tasks.describing import encoded
from pellucid.web.worker_state import Desk


def values(desk: Desk, *, source: dict[str, Any], schema: str, column: str, progress: Progress) -> dict[str, Any]:
    """Give the values of a column, and its tree over them; without one all stand below the top."""
    attribute, codes = encoded(desk, source, column, desk.schema(schema).columns[column], progress)
    counts = frequencies(codes, len(attribute)).tolist()
    occur = {
        label_of(value): count
        for value, count in zip(attribute.values.to_list(), counts, strict=True)
        if value is not None
    }
    names = list(dict.fromkeys([*(attribute.taxonomy.leaves if attribute.taxonomy is not None else ()), *occur]))
    if len(names) > MOST_EDITED:
        raise SchemaError(
            f"there are {len(names):,} values in {column}, more than the {MOST_EDITED:,} that can be grouped by hand; "
            "take a tree from a file, an interval ladder or the first characters"
        )
    top, nested = _nested(attribute, names)
    return {
        "column": column,
        "top": top,
        "names": names,
        "rows": [occur.get(name, 0) for name in names],
        "tree": to_edit(nested, {name: number for number, name in enumerate(names)}),
        "nulls": int(np.count_nonzero(codes == 0)) if attribute.has_null else 0,
    }


def _nested(attribute: Attribute, names: list[str]) -> tuple[str, Any]:
    """The name of the top, and what is below it."""
    taxonomy = attribute.taxonomy
    if taxonomy is None:
        return TOP, {name: {} for name in names}
    if not taxonomy.is_tree:
        raise SchemaError(
            f"in the tree of {attribute.name} a name stands below several others, which cannot be edited by hand; "
            "change the file that it comes from"
        )
    ((top, nested),) = taxonomy.to_tree().items()
    return top, nested
