"""Grows the top of Tailor's tree, or SoftCut's, from counts and boxes, until every subtree fits a worker.

A cut that is tried is carried out for the time being: the next pass counts the sensitive values of its two sides, and
looks for cuts of these already. When it is refused it is taken back, and its node goes to a worker as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from pellucid.anonymize.layout.tentative_cuts import ROOT, Place, Trying
from pellucid.anonymize.same import Apart
from pellucid.core.schema import Role
from pellucid.runtime.progress import SILENT, Progress
from pellucid.spark.engine.cut_search import LAST_ORDER, Search
from pellucid.spark.engine.cuts import Cut, Cuts
from pellucid.spark.engine.extents import Extents
from pellucid.spark.engine.kept_apart import keep_apart, leave_whole
from pellucid.spark.engine.operations import Bins, Operations, Outline, Request, ValueCounts

BINS = 4096  # per attribute of a node: more make fewer passes, and each pass slower
MOST_BINS = 1 << 18  # in one pass, over all nodes
MOST_PASSES = 200  # a tree that sheds a few rows at a time is not worth so many passes over a large table

Least = Callable[
    [int, list[ValueCounts]], int
]  # how many rows each side of a node's cut needs, from its rows and counts


@dataclass(frozen=True, slots=True, eq=False)
class Borders:
    """That all cuts are between different codes, and what no node mixes: parts that agree there have ``size`` rows."""

    apart: Sequence[Apart]
    size: int


@dataclass(slots=True)
class Node:
    """A node that is larger than a worker should have."""

    number: int
    rows: int
    ranges: list[tuple[int, int]]  # codes that its rows may have, by attribute
    name: int = ROOT
    search: Search | None = None
    tried: bool = False  # whether the cut that is looked for may be refused


@dataclass(frozen=True, slots=True)
class Try:
    """A node that is cut for the time being."""

    node: Node
    sides: tuple[Node, Node]


@dataclass(slots=True)
class Top:
    """The cuts, the rows of every node, which stay larger than a worker should have, and what became of tries."""

    cuts: Cuts = field(default_factory=Cuts)
    sizes: dict[int, int] = field(default_factory=dict)
    large: list[int] = field(default_factory=list)
    passes: int = 0
    tries: list[Try] = field(default_factory=list)  # not decided yet
    accepted: int = 0
    refused: list[int] = field(default_factory=list)

    @property
    def places(self) -> dict[int, Place]:
        """Where in the tree each part begins."""
        return {node: Place(path, node in self.refused) for node, path in self.cuts.paths.items()}

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
    engine: Operations,
    least: Least,
    rows_per_worker: int,
    *,
    bins: int = BINS,
    progress: Progress = SILENT,
    trying: Trying | None = None,
    borders: Borders | None = None,
) -> Top:
    """Cut every node with more than ``rows_per_worker`` rows by its canonical cut, all such nodes at once in each pass.

    A node stays whole, however large, when Tailor cannot cut it and no cut is tried or it is refused, when all its rows
    have the same quasi-identifiers (it would be cut off by row order a few rows at a time), or after very many passes.
    """
    outline = engine.outline
    quasi = [outline.attributes[i] for i in outline.having(Role.QUASI)]
    extents = Extents(quasi, outline.rows)
    top = Top()
    top.sizes[0] = outline.rows
    whole = [(0, len(attribute) - 1) for attribute in quasi]
    progress.stage("cutting", outline.rows)
    if borders is not None and borders.apart:
        top.passes += keep_apart(engine, borders.apart, borders.size, top.cuts, top.sizes)
        leave_whole(top.cuts, top.sizes, rows_per_worker)
    active = [Node(node, top.sizes[node], whole) for node in top.cuts.ends]
    while ((active := _to_do(active, top, rows_per_worker)) or top.tries) and top.passes < MOST_PASSES:
        most = _bins_of_each(bins, len(active), len(quasi))
        active = _one_pass(engine, active, top, least, trying, extents, most, between=borders is not None)
        active = [part for node in active for part in _cut(node, top, trying)]
        progress.advance(outline.rows - sum(node.rows for node in active))
    top.large += [node.number for node in _without_tries(active, top)]
    return top


def first_requests(outline: Outline, bins: int = BINS) -> list[Request]:
    """What :func:`grow_top` asks first of a table that is larger than a worker should have, with the counts of node 0.

    Whoever knows it can look while the rows are at hand anyway.
    """
    quasi = [outline.attributes[i] for i in outline.having(Role.QUASI)]
    whole = Node(0, outline.rows, [(0, len(attribute) - 1) for attribute in quasi])
    return _search_of(whole, outline, Extents(quasi, outline.rows), _bins_of_each(bins, 1, len(quasi))).requests


def _bins_of_each(bins: int, nodes: int, columns: int) -> int:
    """How many bins each node and column has: as many as asked for, and fewer where there are many nodes."""
    return max(16, min(bins, MOST_BINS // (max(1, nodes) * columns))) if bins >= 16 else bins


def _to_do(active: list[Node], top: Top, rows_per_worker: int) -> list[Node]:
    """The nodes that are still too large and can be cut."""
    return [node for node in active if node.rows > rows_per_worker and node.number not in top.large]


def _one_pass(
    engine: Operations,
    active: list[Node],
    top: Top,
    least: Least,
    trying: Trying | None,
    extents: Extents,
    most: int,
    *,
    between: bool,
) -> list[Node]:
    """Look at all rows once for all nodes, and decide about tries; returns the nodes that are still there."""
    new = _begun(active, engine, extents, most)
    searches = [node.search for node in active if node.search is not None]
    asked = [search.requests for search in searches]
    answers, values = engine.look(top.cuts, list(chain.from_iterable(asked)), _to_count(new, top))
    top.passes += 1
    gone = _decide(top, values, trying)
    left = [node for node in new if node.number not in gone]
    top.large += [n.number for n in left if not _sides_known(n, values[n.number], least, trying, between=between)]
    _answered(searches, asked, answers, gone, top)
    return [node for node in active if node.number not in gone]


def _begun(active: Sequence[Node], engine: Operations, extents: Extents, most: int) -> list[Node]:
    """Begin the search of the nodes that have none, and which these are."""
    new = [node for node in active if node.search is None]
    for node in new:
        node.search = _search_of(node, engine.outline, extents, most)
    return new


def _to_count(new: Sequence[Node], top: Top) -> list[int]:
    """The nodes whose sensitive values are counted: new ones, and the sides of cuts that are tried."""
    return sorted({node.number for node in new} | {side.number for tried in top.tries for side in tried.sides})


def _search_of(node: Node, outline: Outline, extents: Extents, most: int) -> Search:
    orders = (0, outline.rows - 1 if outline.ordered else LAST_ORDER)
    return Search(node.number, node.rows, 0, extents, node.ranges, most, orders)


def _answered(
    searches: list[Search], asked: list[list[Request]], answers: list[Bins], gone: set[int], top: Top
) -> None:
    """Hand the answers to the searches that go on, and note the nodes that cannot be cut."""
    at = 0
    for search, requests in zip(searches, asked, strict=True):
        if search.node not in gone and search.node not in top.large:
            search.take(answers[at : at + len(requests)])
            if search.identical or search.fruitless:
                top.large.append(search.node)
        at += len(requests)


def _sides_known(node: Node, counts: list[ValueCounts], least: Least, trying: Trying | None, *, between: bool) -> bool:
    """Tell the search of a node how many rows both sides need; False when the node is not to be cut."""
    assert node.search is not None
    certain = least(node.rows, counts)
    if node.rows >= 2 * certain:
        node.search.leave(certain, by_value=between)
        return True
    tried = None if trying is None or node.name == ROOT else trying.side(node.rows, counts)
    if tried is not None:
        node.search.leave(tried, by_value=True)
        node.tried = True
    return node.tried


def _decide(top: Top, counts: dict[int, list[ValueCounts]], trying: Trying | None) -> set[int]:
    """Accept or refuse the cuts that are tried; returns the sides that are gone.

    Nothing that is refused can be cut: it has fewer rows than two sides of a certain cut need, and would need more.
    """
    tries, top.tries = top.tries, []
    gone: set[int] = set()
    for tried in tries:
        assert trying is not None
        if trying.accepts(tried.node.name, [(side.rows, counts[side.number]) for side in tried.sides]):
            top.accepted += 1
            continue
        gone |= _take_back(tried, top)
        top.refused.append(tried.node.number)
    return gone


def _take_back(tried: Try, top: Top) -> set[int]:
    """Leave a node that was cut for the time being whole; returns its former sides."""
    top.cuts.undo(tried.node.number)
    top.large.append(tried.node.number)
    for side in tried.sides:
        del top.sizes[side.number]
    return {side.number for side in tried.sides}


def _without_tries(active: list[Node], top: Top) -> list[Node]:
    """The nodes that are left when there were too many passes; a worker tries again what is not decided."""
    gone = {number for tried in top.tries for number in _take_back(tried, top)}
    return [node for node in active if node.number not in gone]


def _cut(node: Node, top: Top, trying: Trying | None) -> list[Node]:
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
    names = [ROOT, ROOT] if trying is None else [trying.die.child(node.name, side) for side in (0, 1)]
    parts = Node(left, sizes[0], ranges[0], names[0]), Node(right, sizes[1], ranges[1], names[1])
    if node.tried:
        top.tries.append(Try(node, parts))
    return list(parts)


def _first_right(cut: Cut) -> int:
    """The smallest code that may be on the right side of a cut."""
    return cut.code if cut.by_order else cut.code + 1
