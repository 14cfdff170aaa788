"""Grows the top of Tailor's tree from counts and boxes, until every subtree fits a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pellucid.engine.cuts import Cut, Cuts
from pellucid.engine.extents import Extents
from pellucid.engine.operations import Held, Operations, Outline
from pellucid.engine.search import LAST_ORDER, Search
from pellucid.progress import SILENT, Progress
from pellucid.schema import Role

BINS = 4096  # per attribute of a node: more make fewer passes, and each pass slower
MOST_BINS = 1 << 18  # in one pass, over all nodes
MOST_PASSES = 200  # a tree that sheds a few rows at a time is not worth so many passes over a large table

Least = Callable[[int, list[Held]], int]  # how many rows each side of a node's cut needs, from its rows and counts


@dataclass(slots=True)
class Node:
    """A node that is larger than a worker should have."""

    number: int
    rows: int
    ranges: list[tuple[int, int]]  # codes that its rows may have, by attribute
    search: Search | None = None


@dataclass(slots=True)
class Top:
    """The cuts, the rows of every node, and how many nodes stay larger than a worker should have."""

    cuts: Cuts = field(default_factory=Cuts)
    sizes: dict[int, int] = field(default_factory=dict)
    large: list[int] = field(default_factory=list)
    passes: int = 0

    @property
    def remarks(self) -> list[str]:
        """What a person should know about subtrees that one worker has to do although they are large."""
        return about_large_parts(len(self.large), max((self.sizes[node] for node in self.large), default=0))


def about_large_parts(count: int, most: int) -> list[str]:
    """The remark on parts with more rows than a worker should have, if any; ``most`` is how many the largest has."""
    if not count:
        return []
    return [
        f"{count} part{'s' * (count != 1)} of the table with up to {most:,} rows cannot be divided among workers: "
        "one worker groups each of them and needs the memory for it"
    ]


def grow_top(
    engine: Operations, least: Least, rows_per_worker: int, *, bins: int = BINS, progress: Progress = SILENT
) -> Top:
    """Cut every node with more than ``rows_per_worker`` rows by its canonical cut, all such nodes at once in each pass.

    A node stays whole, however large, when Tailor cannot cut it, when all its rows have the same quasi-identifiers (it
    would be cut off by row order a few rows at a time), or after very many passes.
    """
    outline = engine.outline
    quasi = [outline.attributes[i] for i in outline.having(Role.QUASI)]
    extents = Extents(quasi, outline.rows)
    top = Top()
    top.sizes[0] = outline.rows
    active = [Node(0, outline.rows, [(0, len(attribute) - 1) for attribute in quasi])]
    progress.stage("cutting", outline.rows)
    while (active := _to_do(active, top, rows_per_worker)) and top.passes < MOST_PASSES:
        most = max(16, min(bins, MOST_BINS // (len(active) * len(quasi)))) if bins >= 16 else bins
        _one_pass(engine, active, top, least, extents, most)
        active = [part for node in active for part in _cut(node, top)]
        progress.advance(outline.rows - sum(node.rows for node in active))
    top.large += [node.number for node in active]
    return top


def _to_do(active: list[Node], top: Top, rows_per_worker: int) -> list[Node]:
    """The nodes that are still too large and can be cut."""
    return [node for node in active if node.rows > rows_per_worker and node.number not in top.large]


def _one_pass(engine: Operations, active: list[Node], top: Top, least: Least, extents: Extents, most: int) -> None:
    """Look at all rows once for all nodes."""
    new = [node for node in active if node.search is None]
    for node in new:
        orders = (0, engine.outline.rows - 1 if engine.outline.ordered else LAST_ORDER)
        node.search = Search(node.number, node.rows, 0, extents, node.ranges, most, orders)
    searches = [node.search for node in active if node.search is not None]
    asked = [search.requests for search in searches]
    answers, held = engine.look(top.cuts, [r for requests in asked for r in requests], [node.number for node in new])
    top.passes += 1
    for node in new:
        side = least(node.rows, held[node.number])
        if node.rows < 2 * side:
            top.large.append(node.number)
        else:
            assert node.search is not None
            node.search.leave(side)
    at = 0
    for search, requests in zip(searches, asked, strict=True):
        if search.node not in top.large:
            search.take(answers[at : at + len(requests)])
        at += len(requests)
        if search.identical:
            top.large.append(search.node)


def _cut(node: Node, top: Top) -> list[Node]:
    """The two sides of a node whose cut is found; the node itself when it is not."""
    search = node.search
    assert search is not None
    cut, best = search.found, search.best
    if node.number in top.large or cut is None or best is None:
        return [node]
    left, right = top.cuts.cut(node.number, cut)
    sizes = best.k, node.rows - best.k
    top.sizes |= {left: sizes[0], right: sizes[1]}
    ranges = [list(node.ranges), list(node.ranges)]
    low, high = node.ranges[cut.attribute]
    ranges[0][cut.attribute] = (low, cut.code)
    ranges[1][cut.attribute] = (_first_right(cut), high)
    return [Node(left, sizes[0], ranges[0]), Node(right, sizes[1], ranges[1])]


def _first_right(cut: Cut) -> int:
    """The smallest code that may be on the right side of a cut."""
    return cut.code if cut.by_order else cut.code + 1


def known_counts(outline: Outline) -> list[Held]:
    """The sensitive counts of the whole table, as the engine gives those of a node."""
    return [
        Held(counts.nonzero()[0], counts[counts.nonzero()[0]])
        for counts in (outline.counts[i] for i in outline.having(Role.SENSITIVE))
    ]
