"""Finding one person by what somebody types: upper or lower case, blanks around it, or only a part of the name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.errors import AttackError
from pellucid.text.values import few

MOST = 50  # names that are offered while somebody types
TOLD = 8  # names that a message offers


def write_names(path: Path, names: pl.Series | None) -> None:
    """Leave the identifier column in the private folder, for :func:`names_like`; without one, leave nothing."""
    if names is None:
        path.unlink(missing_ok=True)
        return
    text = names.cast(pl.String, strict=False).alias("name").to_frame().with_row_index("row").drop_nulls()
    frame = text.with_columns(plain=pl.col("name").str.to_lowercase()).sort("plain", "name", "row")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    frame.write_ipc(beside)
    beside.replace(path)


def names_like(path: Path, typed: str, most: int = MOST) -> list[str]:
    """The names that contain what was typed, those that begin with it first; none when nothing is typed."""
    wanted = typed.strip().lower()
    if not wanted or not path.is_file():
        return []
    plain = pl.col("plain")
    found = pl.scan_ipc(path).filter(plain.str.contains(wanted, literal=True))
    first = found.sort(plain.str.starts_with(wanted), descending=True, maintain_order=True)
    names: list[str] = first.head(most).collect()["name"].to_list()
    return names


def rows_together(belonging: pl.Series | None, people: int, typed: str) -> list[int]:
    """The rows of whoever is called so in the column that says which rows belong together; empty where nobody is.

    >>> rows_together(pl.Series(["P1", "P2", "p1"]), 3, " P1 "), rows_together(pl.Series([7, 8, 8]), 3, "8")
    ([0], [1, 2])
    >>> rows_together(None, 3, "P1"), rows_together(pl.Series(["P1", "P2", "p1"]), 3, "nobody")
    ([], [])
    """
    if belonging is None or len(belonging) != people:
        return []
    texts = belonging.cast(pl.String, strict=False).to_list()
    exact = [row for row, text in enumerate(texts) if text == typed.strip()]
    plain = _plain(typed)
    return exact or [row for row, text in enumerate(texts) if text is not None and _plain(text) == plain]


def row_called(names: Sequence[Any], typed: str) -> int:
    """The row of the person whom somebody means: the exact name, else the only one that differs in case or blanks.

    >>> row_called(["Ann", "Bob", "BOB"], " ann "), row_called(["Ann", "Bob", "BOB"], "BOB")
    (0, 2)
    >>> row_called(["Ann", "Bob", "BOB"], "bob")
    Traceback (most recent call last):
    ...
    pellucid.errors.AttackError: 2 people differ from bob only in upper and lower case: Bob, BOB; type one as it is here
    """
    wanted = typed.strip()
    if not wanted:
        raise AttackError("nobody is named; type who should be attacked")
    texts = [str(name) for name in names]
    if wanted in texts:
        return texts.index(wanted)
    plain = _plain(wanted)
    same = [row for row, text in enumerate(texts) if _plain(text) == plain]
    if len(same) == 1:
        return same[0]
    if same:
        raise AttackError(
            f"{len(same):,} people differ from {wanted} only in upper and lower case: "
            f"{few([texts[row] for row in same], TOLD)}; type one as it is here"
        )
    near = [text for text in texts if plain in _plain(text)]
    if near:
        raise AttackError(f"nobody in the table is called {wanted}; did you mean {few(near, TOLD)}?")
    raise AttackError(
        f"nobody in the table is called {wanted}; type the name as it is in the identifier column, such as {texts[0]}"
    )


def row_numbered(people: int, typed: str) -> int:
    """The place, from 0, of the row that a number means where people have no names; ``row 17`` is a number too.

    >>> row_numbered(20, " Row 17 "), row_numbered(20, "20")
    (16, 19)
    """
    found = re.fullmatch(r"(?:row|#)?\s*([0-9]{1,12})", typed.strip(), re.IGNORECASE)
    if not typed.strip():
        raise AttackError("nobody is named; type a row number from 1 to {people:,}", people=people)
    if found is None or not 1 <= int(found[1]) <= people:
        raise AttackError(
            f"{typed.strip()}: this table has no column that names people, so a person is named by the number of the "
            f"row, from 1 (the first row below the header) to {people:,}"
        )
    return int(found[1]) - 1


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
