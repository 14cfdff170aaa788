"""Rows on their way to the worker that groups their part: files of the work folder, sorted by part, of many rows each.

Whoever routes writes them, whoever groups a part maps its stretch of each. What would be a shuffle of Spark then passes
no Java, and a worker that is lost loses no rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes
from pellucid.errors import EngineError
from pellucid.spark.engine.blocks import Rows
from pellucid.spark.engine.operations import Longs, Outline
from pellucid.spark.engine.shared_files import read, small, unseen
from pellucid.spark.engine.workers import Pass, TaskTry, blocks_of

SHIPPED = "shipped"  # the folder, inside the work folder
ROWS = 1 << 20  # of a file, about


class Shipment(NamedTuple):
    """A file, the parts that have rows in it, ascending, and where the rows of each end."""

    file: str
    parts: Longs
    ends: Longs


def routing(asked: Path, coins: Coins | None) -> Callable[[Iterator[int]], Iterator[Shipment]]:
    """Sends the rows of each block to their subtrees."""

    def run(numbers: Iterator[int]) -> Iterator[Shipment]:
        told: Pass = read(asked)
        blocks = blocks_of(numbers, told, coins)
        yield from shipped(((told.cuts.route(rows.quasi, rows.orders), rows) for rows in blocks), told.work)

    return small(run)


def shipped(blocks: Iterable[tuple[NDArray[np.integer], Rows]], work: Path) -> Iterator[Shipment]:
    """Write blocks, of which each row has a part, into files of about so many rows."""
    parcels: list[tuple[NDArray[np.integer], Rows]] = []
    task, number = TaskTry.now(), 0
    for block in blocks:
        parcels.append(block)
        if sum(len(parts) for parts, _ in parcels) >= ROWS:
            yield _written(parcels, work, f"{task.name}-{number}")
            parcels, number = [], number + 1
    if parcels:
        yield _written(parcels, work, f"{task.name}-{number}")


def _written(parcels: Sequence[tuple[NDArray[np.integer], Rows]], work: Path, file: str) -> Shipment:
    parts = np.concatenate([part for part, _ in parcels])
    if parts.max(initial=0) < 2**16:
        parts = parts.astype(np.uint16)  # which are sorted in one go
    order = np.argsort(parts, kind="stable")
    rows = Rows.joined([block for _, block in parcels]).at(order)
    try:
        with (work / SHIPPED / file).open("xb") as out:
            for numbers in (rows.orders, rows.quasi, rows.sensitive, rows.carried):
                out.write(np.ascontiguousarray(numbers).data)
    except FileNotFoundError:
        raise unseen() from None
    sent_to, counts = np.unique(parts[order], return_counts=True)
    return Shipment(file, sent_to.astype(np.int64), np.cumsum(counts))


def arrived(part: int, shipments: Sequence[Shipment], work: Path, outline: Outline) -> Rows:
    """The rows of a part from wherever they came, in the order of their blocks."""
    stretches = []
    for shipment in shipments:
        place = int(np.searchsorted(shipment.parts, part))
        if place < len(shipment.parts) and shipment.parts[place] == part:
            first = int(shipment.ends[place - 1]) if place else 0
            stretches.append(
                _stretch(work / SHIPPED / shipment.file, shipment, first, int(shipment.ends[place]), outline)
            )
    return Rows.joined(stretches)


def _stretch(path: Path, shipment: Shipment, first: int, end: int, outline: Outline) -> Rows:
    """Rows ``first`` to ``end - 1`` of a file, mapped."""
    n = int(shipment.ends[-1])
    widths = [len(outline.having(role)) for role in (Role.QUASI, Role.SENSITIVE, Role.CARRY)]
    try:
        content = np.asarray(np.memmap(path, np.int32, mode="r"))
    except FileNotFoundError:
        raise unseen() from None
    if content.size != n * (2 + sum(widths)):
        raise EngineError(
            f"a file of the work folder has {content.size:,} numbers, {n * (2 + sum(widths)):,} were written; its disk "
            "may be full or at fault: choose another work folder"
        )
    orders, *rest = np.split(content, np.cumsum([2, *widths[:-1]]) * n)
    quasi = rest[0].reshape(n, widths[0])[first:end]
    others: list[Codes] = [codes.reshape(w, n)[:, first:end] for codes, w in zip(rest[1:], widths[1:], strict=True)]
    return Rows(quasi, others[0], others[1], orders.view(np.int64)[first:end])
