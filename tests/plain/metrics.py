"""Plain definitions of the metrics, row by row and in fractions, on cells as sets of values.

A cell is the set of places on the column's line that a row's value may have (``None`` is null). A query is one set of
places per column. Nothing here knows about choices, boxes or runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2

Place = int | None
Cell = frozenset[Place]


@dataclass(frozen=True)
class PlainColumn:
    """The values of a column's rows as places on a line of so many places.

    ``spaced`` places are those of numbers, on which an interval covers everything between its ends. ``names`` has every
    name of the taxonomy: the places below it and its level; the root is the last. Of a column that is rounded before it
    is grouped, ``rounded`` is the column that is, and ``becomes`` says of every place which of its places it becomes;
    ``nearest`` says of a place of the rounded column which place of this one is nearest.
    """

    line: int
    values: Sequence[Place]
    spaced: bool = False
    names: Sequence[tuple[frozenset[int], int]] = ()
    rounded: PlainColumn | None = None
    becomes: Sequence[int] = ()
    nearest: Callable[[int], int] | None = None

    @property
    def occurring(self) -> Cell:
        """The values that occur, null among them."""
        return frozenset(self.values)

    @property
    def has_null(self) -> bool:
        """Whether a value is null."""
        return None in self.values


@dataclass(frozen=True)
class PlainCell:
    """What a row's value may be, and what that costs by each definition."""

    may_be: Cell
    extent: Fraction
    covered: int
    domain: int
    height: Fraction
    centre: int | None = None  # the mean of the group, which tells groups apart and is taken as everybody's value


def centred(column: PlainColumn, group: Sequence[Place]) -> PlainCell:
    """What a mean says of a group with these values, each as often as rows have it."""
    values = [place for place in group if place is not None]
    null: Cell = frozenset([None]) if len(values) < len(group) else frozenset()
    there = column.occurring - {None}
    domain = len(column.occurring)
    if not values:
        return PlainCell(null, Fraction(0), 1, len(column.names[-1][0]) + 1 if column.names else domain, Fraction(0))
    mean = int(Fraction(sum(values), len(values)) + Fraction(1, 2))
    return PlainCell(frozenset([mean]) | null, Fraction(1), len(there | null), domain, Fraction(1), mean)


def published(column: PlainColumn, members: Cell, recode: str) -> PlainCell:
    """What a group with these values publishes of a column."""
    domain = len(column.names[-1][0]) + column.has_null if column.names else len(column.occurring)
    if len(members) == 1 or recode == "anatomy":
        return PlainCell(members, Fraction(0), 1, domain, Fraction(0))
    known = [place for place in members if place is not None]
    if recode == "intervals" and column.spaced:
        span = frozenset(range(min(known), max(known) + 1))
        extent = Fraction(1) if None in members else Fraction(max(known) - min(known), max(column.line - 1, 1))
        null: Cell = members & {None}
        covered = len((span | null) & column.occurring)
        return PlainCell(span | null, extent, covered, len(column.occurring), Fraction(1))
    if column.names:
        root = column.names[-1]
        fits = [name for name in column.names if name[0] >= members]
        leaves, level = min(fits, key=lambda name: (len(name[0]), name[1])) if fits else root
        if recode == "suppression":
            leaves, level = root
        whole = leaves == root[0] and level == root[1]
        may_be: Cell = (leaves & column.occurring if column.spaced else leaves) | (
            frozenset([None]) if whole and column.has_null else frozenset()
        )
        count = len(leaves) + (whole and column.has_null)
        return PlainCell(may_be, Fraction(count - 1, max(domain - 1, 1)), count, domain, Fraction(level, root[1]))
    if recode == "suppression":
        everything: Cell = frozenset(range(column.line)) if column.spaced else column.occurring
        return PlainCell(everything | (column.occurring & {None}), Fraction(1), domain, domain, Fraction(1))
    return PlainCell(members, Fraction(len(members) - 1, domain - 1), len(members), domain, Fraction(1))


def before_rounding(column: PlainColumn, cell: PlainCell, *, counted: bool) -> PlainCell:
    """A cell of the rounded column as one of the column before: all that became one of the values that it may be.

    A name, and where the column has any also a value, counts its values; what else is an interval has its width. Null
    beside something, and everything, leaves everything open. What became a value is a level more of the taxonomy.
    """
    assert column.rounded is not None
    if cell.centre is not None and column.nearest is not None:
        at: Cell = frozenset([column.nearest(cell.centre)])
        return PlainCell(at | (cell.may_be & {None}), cell.extent, cell.covered, cell.domain, cell.height, cell.centre)
    places = [place for place in range(column.line) if column.becomes[place] in cell.may_be]
    may_be = frozenset(places) | (cell.may_be & {None})
    covered, domain = len(may_be & column.occurring), len(column.occurring)
    if not places:
        return PlainCell(may_be, Fraction(0), covered, domain, Fraction(0), cell.centre)
    width = Fraction(places[-1] - places[0], max(column.line - 1, 1))
    extent = Fraction(covered - 1, max(domain - 1, 1)) if counted else width
    levels = column.rounded.names[-1][1] if column.rounded.names else 0
    height = (cell.height * levels + 1) / (levels + 1) if len(may_be) > 1 or cell.height else Fraction(0)
    return PlainCell(may_be, Fraction(1) if cell.extent >= 1 else extent, covered, domain, height, cell.centre)


def _cell(column: PlainColumn, group: Sequence[Place], recode: str) -> PlainCell:
    if recode == "means" and column.spaced:
        return centred(column, group)
    return published(column, frozenset(group), "intervals" if recode == "means" else recode)


def as_grouped(column: PlainColumn) -> PlainColumn:
    """The column that methods see."""
    return column if column.rounded is None else column.rounded


@dataclass(frozen=True)
class PlainRelease:
    """For each row that is published its class, its cells and its sensitive value; ``rows`` says whose they are."""

    rows: Sequence[int]
    classes: Sequence[object]
    made: Sequence[Sequence[PlainCell]]
    sensitive: Sequence[Place]
    suppressed: int = 0

    @classmethod
    def of(
        cls, columns: Sequence[PlainColumn], secret: Sequence[Place], labels: Sequence[int], recode: str
    ) -> PlainRelease:
        """What is published of groups given by label; -1 is suppressed. Rows that are published alike are a class."""
        rows = [row for row, label in enumerate(labels) if label >= 0]
        made = []
        for row in rows:
            group = [other for other in rows if labels[other] == labels[row]] if recode != "anatomy" else [row]
            made.append([_cell(c, [c.values[other] for other in group], recode) for c in map(as_grouped, columns)])
        alike: list[object] = [
            labels[row] if recode == "anatomy" else tuple(cells) for row, cells in zip(rows, made, strict=True)
        ]
        for i, column in enumerate(columns):
            if column.rounded is not None:
                lists = recode == "taxonomy" or (recode == "suppression" and bool(column.rounded.names))
                counted = lists and any(cells[i].covered > 1 for cells in made)
                for cells in made:
                    cells[i] = before_rounding(column, cells[i], counted=counted)
        return cls(rows, alike, made, [secret[row] for row in rows], len(labels) - len(rows))

    @property
    def cells(self) -> list[list[Cell]]:
        """What each row's values may be."""
        return [[cell.may_be for cell in cells] for cells in self.made]

    def mean(self, column: int, cost: Callable[[PlainCell], Fraction]) -> Fraction:
        """The mean over rows of what a cell costs; a suppressed row costs 1."""
        total = sum((cost(cells[column]) for cells in self.made), Fraction(self.suppressed))
        return total / (len(self.made) + self.suppressed)


def group_means(labels: Sequence[int], weights: Sequence[Fraction], digits: int) -> list[Fraction]:
    """What each row shows as its weight: the mean of its group, to so many significant digits, halves to even."""
    groups: dict[int, list[Fraction]] = {}
    for label, weight in zip(labels, weights, strict=True):
        groups.setdefault(label, []).append(weight)
    means = {label: rounded(sum(held, Fraction(0)) / len(held), digits) for label, held in groups.items()}
    return [means[label] for label in labels]


def rounded(number: Fraction, digits: int) -> Fraction:
    """A positive number to so many significant digits."""
    place = Fraction(1)
    while number >= 10 * place:
        place *= 10
    while number < place:
        place /= 10
    step: Fraction = place / 10 ** (digits - 1)
    whole: int = round(number / step)
    return whole * step


def weighted_mean(
    release: PlainRelease, weights: Sequence[Fraction], column: int, cost: Callable[[PlainCell], Fraction]
) -> Fraction:
    """The mean of what a cell costs where every row counts by what it shows as its weight, none being suppressed."""
    assert not release.suppressed
    return sum((w * cost(cells[column]) for w, cells in zip(weights, release.made, strict=True)), Fraction(0)) / sum(
        weights
    )


def discernibility(release: PlainRelease) -> int:
    """For every row the number of rows of its class; for a suppressed row all rows."""
    n = len(release.classes) + release.suppressed
    alike = sum(sum(mine == other for other in release.classes) for mine in release.classes)
    return alike + release.suppressed * n


def class_size(release: PlainRelease) -> Fraction:
    """Rows by classes."""
    return Fraction(len(release.classes), len(set(release.classes)))


def entropy_bits(release: PlainRelease, column: int, values: Sequence[Place]) -> float:
    """The bits that each row lacks to its value; a suppressed row may have any."""
    counts = Counter(values)
    bits = 0.0
    for cells, row in zip(release.cells, release.rows, strict=True):
        bits -= log2(counts[values[row]] / sum(counts[value] for value in cells[column]))
    for row in set(range(len(values))) - set(release.rows):
        bits -= log2(counts[values[row]] / len(values))
    return bits


def all_bits(values: Sequence[Place]) -> float:
    """The same where every row is suppressed."""
    return -sum(log2(count / len(values)) * count for count in Counter(values).values())


def true_count(columns: Sequence[PlainColumn], query: Mapping[int, frozenset[int]]) -> int:
    """How many rows have each asked column in its set; null is in none."""
    return int(true_weight(columns, query, [Fraction(1)] * len(columns[0].values)))


def true_weight(
    columns: Sequence[PlainColumn], query: Mapping[int, frozenset[int]], weights: Sequence[Fraction]
) -> Fraction:
    """What the weights of these rows add up to."""
    return sum(
        (
            weights[row] * all(columns[column].values[row] in wanted for column, wanted in query.items())
            for row in range(len(columns[0].values))
        ),
        Fraction(0),
    )


def estimate(
    release: PlainRelease,
    query: Mapping[int, frozenset[int]],
    sensitive: frozenset[int] | None,
    weights: Sequence[Fraction] | None = None,
) -> Fraction:
    """The rows' chances summed: of each cell the share of its values that are asked for, and the class's own share.

    What is known of a class is how often each sensitive value occurs in it, so a row has its class's share. With
    ``weights``, each row counts by what it shows as its weight.
    """
    total = Fraction(0)
    for place, (mine, cells) in enumerate(zip(release.classes, release.cells, strict=True)):
        chance = Fraction(1)
        for column, wanted in query.items():
            chance *= Fraction(len(cells[column] & wanted), len(cells[column]))
        if sensitive is not None:
            others = [value for value, of in zip(release.sensitive, release.classes, strict=True) if of == mine]
            chance *= Fraction(sum(value in sensitive for value in others), len(others))
        total += chance if weights is None else chance * weights[place]
    return total


def joint(release: PlainRelease, columns: Sequence[int], *, sensitive: bool) -> Counter[tuple[Place, ...]]:
    """How many rows a release says have each vector on some columns, and the sensitive value where it is asked for."""
    found: Counter[tuple[Place, ...]] = Counter()
    for mine, cells in zip(release.classes, release.cells, strict=True):
        vectors: dict[tuple[Place, ...], Fraction] = {(): Fraction(1)}
        for column in columns:
            cell = cells[column]
            vectors = {(*v, place): share / len(cell) for v, share in vectors.items() for place in cell}
        others = [value for value, of in zip(release.sensitive, release.classes, strict=True) if of == mine]
        for vector, share in vectors.items():
            if not sensitive:
                found[vector] += share  # type: ignore[assignment]
            else:
                for value in others:
                    found[(*vector, value)] += share / len(others)  # type: ignore[assignment]
    return found


def anything(columns: Sequence[PlainColumn], rows: int) -> list[tuple[tuple[Place, ...], Fraction]]:
    """So many rows that may be anybody, spread over everything."""
    vectors: list[tuple[tuple[Place, ...], Fraction]] = [((), Fraction(rows))] if rows else []
    for column in columns:
        if column.names and not column.spaced:
            places: list[Place] = list(range(column.line))
        elif column.spaced and not column.names:
            places = list(range(column.line))
        else:
            places = [place for place in column.occurring if place is not None]
        if column.has_null:
            places.append(None)
        vectors = [((*v, place), share / len(places)) for v, share in vectors for place in places]
    return vectors


def total_variation(one: Mapping[tuple[Place, ...], Fraction], other: Mapping[tuple[Place, ...], Fraction]) -> Fraction:
    """Half the sum of the differences of two distributions given by counts."""
    a, b = sum(one.values()), sum(other.values())
    keys = {*one, *other}
    return sum((abs(Fraction(one.get(k, 0)) / a - Fraction(other.get(k, 0)) / b) for k in keys), Fraction(0)) / 2


def divergence(one: Mapping[tuple[Place, ...], Fraction], other: Mapping[tuple[Place, ...], Fraction]) -> float:
    """Kullback and Leibler's, in bits; infinite where the other has nothing of what the one has."""
    if any(not other.get(key) for key in one):
        return float("inf")
    a, b = sum(one.values()), sum(other.values())
    return sum(
        float(Fraction(count) / a) * log2(Fraction(count) / a / (Fraction(other[key]) / b))
        for key, count in one.items()
    )


def penalty(cell: PlainCell) -> Fraction:
    """The certainty penalty of a category: the leaves that it stands for by all, nothing for a value."""
    return Fraction(0) if cell.covered == 1 else Fraction(cell.covered, cell.domain)


def classes_of_people(column: PlainColumn, bins: int) -> dict[Place, int]:
    """The class of each place that some row has: itself, or so many bins, each value where the middle of its rows is.

    Null is a class of its own, the last.
    """
    known = sorted(place for place in column.occurring if place is not None)
    rows = Counter(place for place in column.values if place is not None)
    classes = {place: n for n, place in enumerate(known)}
    if column.spaced and len(known) > bins:
        total = sum(rows.values())
        for place in known:
            below = sum(n for other, n in rows.items() if other < place)
            classes[place] = int(bins * (below + Fraction(rows[place], 2)) / total)
        used = sorted(set(classes.values()))
        classes = {place: used.index(c) for place, c in classes.items()}
    found: dict[Place, int] = dict(classes.items())
    if column.has_null:
        found[None] = max(classes.values(), default=-1) + 1
    return found


def class_of(column: PlainColumn, classes: Mapping[Place, int], place: Place) -> int | None:
    """The class of any place: between two values that of the lower, of a category nobody has none."""
    if place in classes or not column.spaced:
        return classes.get(place)
    lower = [other for other in classes if other is not None and other < place]  # type: ignore[operator]
    return classes[max(lower)] if lower else 0


@dataclass(frozen=True)
class PlainShares:
    """Of one pair of columns: the classes told, the shares of the values told in each, contrasts and slopes."""

    people: list[int]
    true: list[list[Fraction]]
    published: list[list[Fraction]]
    contrasts: list[tuple[Fraction, Fraction]]
    slopes: list[tuple[Fraction | None, Fraction | None]]


def shares_by_class(
    column: PlainColumn,
    secret: PlainColumn,
    release: PlainRelease,
    number: int,
    *,
    bins: int,
    support: int,
    weights: Sequence[Fraction] | None = None,
    shown: Sequence[Fraction] | None = None,
) -> PlainShares | None:
    """What a metric of contrasts says of the ``number``-th quasi-identifier and the sensitive column; None: nothing.

    ``weights`` are those of the original's rows and ``shown`` those of the published ones.
    """
    every = range(len(column.values))
    weights = [Fraction(1)] * len(column.values) if weights is None else weights
    shown = [Fraction(1)] * len(release.rows) if shown is None else shown
    classes, values = classes_of_people(column, bins), classes_of_people(secret, bins)
    of_row, value_of_row = [classes[p] for p in column.values], [values[p] for p in secret.values]
    held = Counter(value_of_row)
    told = [v for v in sorted(held) if support <= held[v] <= len(of_row) - support]
    if len(held) == 2 and told:
        told = [min(told, key=lambda v: (held[v], v))]
    points = [(of_row[r], value_of_row[r], column.values[r], weights[r]) for r in every]
    spread = []
    for place, (mine, cells) in enumerate(zip(release.classes, release.cells, strict=True)):
        others = [v for v, of in zip(release.sensitive, release.classes, strict=True) if of == mine]
        for at in cells[number]:
            for other in others:
                part = shown[place] / len(cells[number]) / len(others)
                spread.append((class_of(column, classes, at), values[other], at, part))
    people = Counter(of_row)
    enough = [c for c in sorted(people) if people[c] >= support]
    if not told or len([c for c in enough if c != classes.get(None)]) < 2:
        return None
    there = [c for c in enough if any(of == c for of, *_ in spread)]
    known = [there.index(c) for c in there if c != classes.get(None)]
    if len(known) < 2:
        return None

    def share(rows: Sequence[tuple[int | None, int, Place, Fraction]], c: int, v: int) -> Fraction:
        mine = [(value, weight) for of, value, _, weight in rows if of == c]
        return sum((w for value, w in mine if value == v), Fraction(0)) / sum((w for _, w in mine), Fraction(0))

    true, published = ([[share(rows, c, v) for v in told] for c in there] for rows in (points, spread))
    contrasts, slopes = [], []
    for n, v in enumerate(told):
        mine = [true[c][n] for c in known]
        high, low = known[mine.index(max(mine))], known[mine.index(min(mine))]
        if column.spaced:
            high, low = known[-1], known[0]
        contrasts.append((true[high][n] - true[low][n], published[high][n] - published[low][n]))
        if column.spaced:
            slopes.append((slope(points, v, column.line), slope(spread, v, column.line)))
    return PlainShares([people[c] for c in there], true, published, contrasts, slopes)


def slope(rows: Sequence[tuple[int | None, int, Place, Fraction]], value: int, line: int) -> Fraction | None:
    """Least squares of having a value on the place along the line, from 0 to 1; None where all are at one place."""
    known = [(Fraction(at, max(line - 1, 1)), Fraction(v == value), w) for _, v, at, w in rows if at is not None]
    n = sum((w for *_, w in known), Fraction(0))
    if not n:
        return None
    x, y = (sum((one[i] * one[2] for one in known), Fraction(0)) / n for i in (0, 1))
    spread = sum((w * (a - x) ** 2 for a, _, w in known), Fraction(0))
    return sum((w * (a - x) * (b - y) for a, b, w in known), Fraction(0)) / spread if spread else None
