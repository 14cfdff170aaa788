"""Combinatorial refinement: what a greedy recoding did not publish in detail, it could not publish in detail.

**Claim.** For a release by greedy local recoding in rounds, bounds on how many rows of each published class stand in
each finer cell, from the release alone: no other table, no distribution, no sensitive value is used. Every true table
keeps the bounds (they are sound). Where the search ends within its budget they are also the best possible ones, when
nothing was left unpublished; beyond it they come from propagation, which is sound and may be wider.

**Story.** A clinic publishes ages in full where three patients share one, in steps of five years where three share
that, and so on. A row "30 to 34" therefore says more than it seems: fewer than three patients are of each age, for
otherwise they would have been published with it. Six patients in three possible ages are two of each.

**Definition.** *Rounds* are lists of levels, one number per attribute, in the order in which the method tries them. In
a round all rows that are left are generalised so many levels up; cells with at least k of them are published and leave.
A leaf therefore belongs to the first round whose cell of it is published, and leaves of a class that share their cells
in all earlier rounds form an *atom*. The program: a whole number x >= 0 of rows for each atom; the atoms of a class add
up to its published count, those of an unpublished cell of an earlier round (over all classes of later rounds) to at
most k - 1. For each class and earlier cell the least and the largest sum are sought by propagation of bounds and a
search. The figure is the share of the rows that are certainly in a finer cell, by the earlier round that tells most.
Why the method tried its rounds in that order is not used, so who knows its measure of loss may learn more.

**Example.** Six rows of one class over three ages, k = 3:

>>> from pellucid.risk.attacks.generalisation_nodes import NodeTree
>>> age = NodeTree.of({"*": {"30-34": ["30", "31", "32"], "35-39": ["35", "36"]}})
>>> refine([age], [(0,), (1,)], [("30-34",)], [6], k=3)[0].at_least
{('30',): 2, ('31',): 2, ('32',): 2}

**Citation.** Chhillar, Righi, Sutter, Kornaropoulos: Exposing privacy risks in anonymizing clinical data: combinatorial
refinement attacks on k-anonymity without auxiliary information, 2025 (arXiv 2509.03350). There the choice of the rounds
by the method's loss is part of the program; here the rounds are given.

**Baseline.** 0: what is published says of no row that it is in a finer cell.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.messages.terms import in_python
from pellucid.models.k_anonymity import KAnonymity
from pellucid.posterior.exclusion import OverBudget
from pellucid.risk.attacks.downcoding import Downcoded
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, counted, number_of_people
from pellucid.risk.attacks.generalisation_nodes import Box, NodeTree, labels_of, require_a_row_for_everybody
from pellucid.risk.views import Evidence
from pellucid.runtime.progress import SILENT, Progress

BUDGET = 20_000  # nodes of the search, for all bounds of one release
LEAVES = 200_000  # leaf vectors that are laid out
REFINEMENT = About(
    "combinatorial refinement",
    "A clinic publishes ages in full where enough patients share one, and in steps of five years otherwise. A row "
    "'30 to 34' then tells that few patients are of each single age, and sometimes how many of each.",
    "Chhillar, Righi, Sutter, Kornaropoulos: Combinatorial refinement attacks on k-anonymity without auxiliary "
    "information. 2025.",
    "share of the rows that are certainly in a finer cell than the published one",
    "what is published",
)
Levels = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Refined(Downcoded):
    """What follows for the rows of one class; ``exact`` says whether the bounds are those of the program itself."""

    exact: bool = True
    by_round: Mapping[int, int] | None = None  # how many rows are certainly in a cell of each earlier round


def cell_of(trees: Sequence[NodeTree], leaf: Box, levels: Levels) -> Box:
    """What a leaf vector becomes so many levels up; above the root is the root.

    >>> cell_of([NodeTree.of({"*": {"A": ["a", "b"]}})], ("a",), (1,))
    ('A',)
    """
    cell = []
    for tree, name, level in zip(trees, leaf, levels, strict=True):
        path = tree.path(name)
        cell.append(path[min(level, len(path) - 1)])
    return tuple(cell)


def recode_in_rounds(
    trees: Sequence[NodeTree], rounds: Sequence[Levels], rows: Sequence[Box], k: int
) -> list[tuple[int, Box] | None]:
    """The method that is attacked: for each row its round and cell, or None when it is left at the end."""
    published: list[tuple[int, Box] | None] = [None] * len(rows)
    for number, levels in enumerate(rounds):
        left = [row for row, cell in enumerate(published) if cell is None]
        cells = {row: cell_of(trees, rows[row], levels) for row in left}
        sizes = Counter(cells.values())
        for row in left:
            if sizes[cells[row]] >= k:
                published[row] = number, cells[row]
    return published


def refine(
    trees: Sequence[NodeTree],
    rounds: Sequence[Levels],
    boxes: Sequence[Box],
    rows: Sequence[int],
    *,
    k: int,
    budget: int = BUDGET,
) -> list[Refined]:
    """What a release in rounds tells about the rows of each of its boxes, which are all different."""
    if len(set(boxes)) < len(boxes) or len(boxes) != len(rows):
        raise AttackError("give every box once, with the number of its rows")
    if k < 2 or min(rows, default=k) < k:
        raise AttackError("k = {k}: must be at least 2 and at most the rows of every box", k=k)
    layout = _Layout.of(trees, rounds, boxes, rows, k)
    start = layout.propagated({})
    if start is None:
        raise AttackError("the release was not made in these rounds: no table fits them", "check rounds and k")
    search = _Search(layout, budget)
    refined = []
    for number, box in enumerate(boxes):
        least: dict[Box, int] = {}
        most: dict[Box, int] = {}
        by_round: dict[int, int] = {}
        exact = True
        for (earlier, cell), atoms in layout.cells_of(number).items():
            low, high, tight = search.bounds(atoms, start)
            exact &= tight
            most[cell] = min(most.get(cell, high), high)
            if low:
                least[cell] = max(least.get(cell, low), low)
                by_round[earlier] = by_round.get(earlier, 0) + low
        refined.append(Refined(box, rows[number], least, most, exact=exact, by_round=by_round))
    return refined


def refinement(
    evidence: Evidence,
    *,
    rounds: Sequence[Sequence[int]],
    k: int | None = None,
    budget: int = BUDGET,
    progress: Progress = SILENT,
) -> Finding:
    """What refinement tells about a release in ``rounds``; exposed is who is in a class that it refines.

    ``rounds`` has the levels of each quasi-identifier, in schema order, in the order in which they were tried. A
    release that was made otherwise raises: the attack then has nothing to stand on.
    """
    people = number_of_people(evidence)
    k = _known_k(evidence) if k is None else k
    require_a_row_for_everybody(evidence)
    table = evidence.people
    quasi = table.having(Role.QUASI)
    trees = [NodeTree.of_attribute(table.attributes[i]) for i in quasi]
    wanted = _checked_rounds(rounds, len(quasi))
    progress.stage("refinement", 0)
    boxes = [cell for _, cell in _same_classes(evidence, recode_in_rounds(trees, wanted, _rows(table, quasi), k))]
    refined = refine(trees, wanted, boxes, evidence.grouping.sizes.tolist(), k=k, budget=budget)
    certain = np.array([max((of_class.by_round or {}).values(), default=0) for of_class in refined], np.int64)
    labels = evidence.grouping.labels
    exposed = np.flatnonzero((labels >= 0) & (certain > 0)[labels])
    rough = sum(not of_class.exact for of_class in refined)
    sentence = (
        f"{counted(int(certain.sum()), 'row is', 'rows are')} certainly in a finer cell than the published one, "
        f"because cells of at least k = {k} rows would have been published in an earlier round."
    )
    if rough:
        sentence += f" For {counted(rough, 'class', 'classes')} the search was cut short, and more may follow."
    return REFINEMENT.finding(
        certain.sum() / people, 0.0, exposed, sentence, k=k, rounds=len(wanted), certain=certain.sum(), cut_short=rough
    )


def _known_k(evidence: Evidence) -> int:
    if not isinstance(evidence.model, KAnonymity):
        raise AttackError("refinement needs the k of the release's k-anonymity", "give it as k=")
    return evidence.model.k


def _rows(table: Table, quasi: Sequence[int]) -> list[tuple[str, ...]]:
    """Everybody's quasi-identifiers as labels."""
    names = [labels_of(table.attributes[i]) for i in quasi]
    columns = [[own[code] for code in table.codes[i].tolist()] for own, i in zip(names, quasi, strict=True)]
    return list(zip(*columns, strict=True))


def _checked_rounds(rounds: Sequence[Sequence[int]], columns: int) -> list[Levels]:
    wanted = [tuple(levels) for levels in rounds]
    if not wanted or any(len(levels) != columns or min(levels) < 0 for levels in wanted):
        raise AttackError(f"rounds = {rounds!r}: give a level of at least 0 for each of the {columns} columns")
    return wanted


def _same_classes(evidence: Evidence, recoded: Sequence[tuple[int, Box] | None]) -> list[tuple[int, Box]]:
    """The round and cell of each group; raises when the groups are not those of the rounds."""
    classes: list[tuple[int, Box]] = []
    for group in range(len(evidence.grouping)):
        cells = {recoded[row] for row in evidence.members(group).tolist()}
        one = cells.pop() if len(cells) == 1 else None
        if one is None or one in classes:
            raise AttackError(f"group {group} is not a class of these rounds, so refinement has nothing to stand on")
        classes.append(one)
    _check_nobody_is_left_out(evidence, recoded)
    if len({cell for _, cell in classes}) < len(classes):
        raise AttackError("two rounds publish the same box", "leave out rounds that repeat another's cells")
    return classes


def _check_nobody_is_left_out(evidence: Evidence, recoded: Sequence[tuple[int, Box] | None]) -> None:
    labels = evidence.grouping.labels.tolist()
    if any(cell is not None and labels[row] < 0 for row, cell in enumerate(recoded)):
        raise AttackError("somebody is in no group whom these rounds publish", "refinement has nothing to stand on")


@dataclass(frozen=True, eq=False)
class _Layout:
    """The program: atoms of each class, and for each unpublished cell of a round the atoms that it holds."""

    atoms: Sequence[tuple[int, tuple[Box, ...]]]  # the class, and the cells in the rounds before it
    sums: Sequence[tuple[tuple[int, ...], int, int]]  # atoms, and the least and the largest sum of theirs
    largest: Sequence[int]

    @classmethod
    def of(
        cls, trees: Sequence[NodeTree], rounds: Sequence[Levels], boxes: Sequence[Box], rows: Sequence[int], k: int
    ) -> _Layout:
        atoms: dict[tuple[int, tuple[Box, ...]], int] = {}
        holding: dict[tuple[int, Box], set[int]] = defaultdict(set)
        for number, earlier in _published_leaves(trees, rounds, boxes):
            atom = atoms.setdefault((number, earlier), len(atoms))
            for r, cell in enumerate(earlier):
                holding[r, cell].add(atom)
        of_class: dict[int, list[int]] = defaultdict(list)
        for (group, _), atom in atoms.items():
            of_class[group].append(atom)
        missing = [box for number, box in enumerate(boxes) if number not in of_class]
        if missing:
            raise AttackError("no round publishes the box {missing}", "check rounds", missing=" x ".join(missing[0]))
        sums = [(tuple(of_class[number]), n, n) for number, n in enumerate(rows)]
        sums += [(tuple(sorted(inside)), 0, k - 1) for inside in holding.values()]
        return cls(list(atoms), sums, [rows[group] for group, _ in atoms])

    def cells_of(self, group: int) -> dict[tuple[int, Box], tuple[int, ...]]:
        """The atoms of a class by round and cell."""
        atoms_of: dict[tuple[int, Box], list[int]] = defaultdict(list)
        for atom, (own, cells) in enumerate(self.atoms):
            if own == group:
                for r, cell in enumerate(cells):
                    atoms_of[r, cell].append(atom)
        return {cell: tuple(atoms) for cell, atoms in atoms_of.items()}

    def propagated(
        self,
        fixed: Mapping[int, tuple[int, int]],
        more: Sequence[tuple[tuple[int, ...], int, int]] = (),
        start: Sequence[tuple[int, int]] | None = None,
    ) -> list[tuple[int, int]] | None:
        """Bounds of every atom that follow from the sums one by one, or None when they contradict."""
        low = [a for a, _ in start] if start is not None else [0] * len(self.atoms)
        high = [b for _, b in start] if start is not None else list(self.largest)
        for atom, (a, b) in fixed.items():
            low[atom], high[atom] = max(low[atom], a), min(high[atom], b)
        changed = True
        while changed:
            changed = False
            for atoms, least, most in (*self.sums, *more):
                narrowed = _narrowed(low, high, atoms, least, most)
                if narrowed is None:
                    return None
                changed |= narrowed
        return list(zip(low, high, strict=True))


def _published_leaves(
    trees: Sequence[NodeTree], rounds: Sequence[Levels], boxes: Sequence[Box]
) -> Iterator[tuple[int, tuple[Box, ...]]]:
    """For each combination of values the number of the box that publishes it, and its cells in the rounds before."""
    number = {box: i for i, box in enumerate(boxes)}
    for leaf in product(*_leaves(trees)):
        cells = [cell_of(trees, leaf, levels) for levels in rounds]
        first = next((r for r, cell in enumerate(cells) if cell in number), None)
        if first is not None:  # others' rows, if any, are published nowhere; leaving them out only widens the bounds
            yield number[cells[first]], tuple(cells[:first])


def _leaves(trees: Sequence[NodeTree]) -> list[list[str]]:
    """The leaves of each tree; raises where they have too many combinations."""
    leaves = [[name for name, below in tree.children.items() if not below] for tree in trees]
    if np.prod([float(len(names)) for names in leaves]) > LEAVES:
        raise AttackError(f"the columns have more than {LEAVES:,} combinations of values", "attack fewer columns")
    return leaves


def _narrowed(low: list[int], high: list[int], atoms: Sequence[int], least: int, most: int) -> bool | None:
    """Whether a sum between these bounds narrows those of its atoms, which are changed; None when it contradicts."""
    lows, highs = sum(low[a] for a in atoms), sum(high[a] for a in atoms)
    if lows > most or highs < least:
        return None
    changed = False
    for a in atoms:
        up, down = most - (lows - low[a]), least - (highs - high[a])
        if up < high[a]:
            highs += up - high[a]
            high[a], changed = up, True
        if down > low[a]:
            lows += down - low[a]
            low[a], changed = down, True
        if low[a] > high[a]:
            return None
    return changed


class _Search:
    """Least and largest sums by trying values, within a budget for all of them."""

    def __init__(self, layout: _Layout, budget: int) -> None:
        self.layout, self.left = layout, budget

    def bounds(self, atoms: tuple[int, ...], start: Sequence[tuple[int, int]]) -> tuple[int, int, bool]:
        """The least and the largest sum of some atoms, and whether both are reached by some table."""
        low, high = sum(start[a][0] for a in atoms), sum(start[a][1] for a in atoms)
        for own, least, most in self.layout.sums:
            if own == atoms:
                low, high = max(low, least), min(high, most)
        try:
            while not self.possible([(atoms, low, low)], start):
                low += 1
                if low > high:
                    raise AttackError(
                        "the release was not made in these rounds: no table fits them", "check rounds and k"
                    )
            while not self.possible([(atoms, high, high)], start):
                high -= 1
        except OverBudget:
            return low, high, False
        return low, high, True

    def possible(self, more: Sequence[tuple[tuple[int, ...], int, int]], start: Sequence[tuple[int, int]]) -> bool:
        """Whether some table fits."""
        if self.left <= 0:
            raise OverBudget("the search takes too long")
        self.left -= 1
        bounds = self.layout.propagated({}, more, start)
        if bounds is None:
            return False
        open_ = [(b - a, atom) for atom, (a, b) in enumerate(bounds) if a < b]
        if not open_:
            return True
        _, atom = min(open_)
        for value in range(bounds[atom][0], bounds[atom][1] + 1):
            narrowed = list(bounds)
            narrowed[atom] = value, value
            if self.possible(more, narrowed):
                return True
        return False


ATTACKS = (
    ClassicAttack(
        120,
        REFINEMENT,
        lacking=Message.of(
            "needs the rounds in which the release was recoded",
            Message("{way}", way=in_python("give them to refinement(evidence, rounds=[...])")),
        ),
    ),
)
