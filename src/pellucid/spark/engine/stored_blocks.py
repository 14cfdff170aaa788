"""Blocks of encoded rows as files of the work folder: written once by whoever encodes, mapped by whoever looks.

A file holds the codes of many rows and nothing else: the quasi-identifiers row by row, then the sensitive and the
carried columns one after the other. A block is a stretch of these rows that are consecutive in their table. The driver
keeps one line per block; a task that is tried again writes other files, and those of the first try are in no line.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pellucid.core.schema import Role
from pellucid.core.table import Codes
from pellucid.errors import EngineError
from pellucid.spark.engine.blocks import Rows
from pellucid.spark.engine.operations import Longs, Outline
from pellucid.spark.engine.shared_files import unseen

FOLDER = "blocks"


class Block(NamedTuple):
    """``rows`` rows from ``at`` on in a file with ``held`` rows; the first has place ``first`` in the table."""

    file: str
    held: int
    at: int
    rows: int
    first: int


def save(path: Path, quasi: Codes, sensitive: Codes, carried: Codes) -> None:
    """Write the codes of some rows."""
    try:
        with path.open("xb") as file:
            for codes in (quasi, sensitive, carried):
                file.write(np.ascontiguousarray(codes, np.int32).data)
    except FileNotFoundError:
        raise unseen() from None


def load(work: Path, block: Block, outline: Outline, orders: Longs) -> Rows:
    """The rows of a block, mapped: nothing is read before it is used."""
    d, s, c = (len(outline.having(role)) for role in (Role.QUASI, Role.SENSITIVE, Role.CARRY))
    n, a, b = block.held, block.at, block.at + block.rows
    codes = mapped(work / FOLDER / block.file, n * (d + s + c))
    quasi = codes[: n * d].reshape(n, d)
    sensitive, carried = codes[n * d : n * (d + s)].reshape(s, n), codes[n * (d + s) :].reshape(c, n)
    return Rows(quasi[a:b], sensitive[:, a:b], carried[:, a:b], orders)


def mapped(path: Path, size: int) -> Codes:
    """So many codes of a file, mapped."""
    try:
        codes = np.asarray(np.memmap(path, np.int32, mode="r"))
    except FileNotFoundError:
        raise unseen() from None
    if codes.size != size:
        raise EngineError(
            f"a file of the work folder has {codes.size:,} codes, {size:,} were written; its disk may be full or at "
            "fault: choose another work folder"
        )
    return codes
