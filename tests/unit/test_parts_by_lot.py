"""A leaf of too many vectors is put into parts in one pass, however tight a value is."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.group import several
from pellucid.group.several import Vectors


class Looked(np.ndarray[Any, np.dtype[np.int32]]):
    """Codes that remember how many of them were asked for."""

    rows = 0

    def __getitem__(self, index: Any) -> Any:
        Looked.rows += len(index)
        return np.asarray(self)[index]


def test_rows_are_looked_at_once_where_no_part_is_fine_before_the_end() -> None:
    rows = 60 * several.PART_ROWS
    tight = np.where(np.arange(rows) < rows // 3, 0, np.arange(rows)).astype(np.int32)
    vectors = Vectors.of([tight], [np.ones(rows, np.bool_)])
    Looked.rows = 0
    parts = vectors._by_lot(vectors.of_row.view(Looked), np.arange(rows), 3, 1)  # the third comes first
    assert [len(part) for part in parts] == [rows]
    assert Looked.rows <= 2 * rows
