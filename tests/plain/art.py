"""ART as its definition says it: naive searches, fractions for beliefs, floats only for how close rows are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

NEAR, NEAR_GROUPS, FAR, MOST_ROWS = 2, 8, 1024, 32
CLOSE = Fraction(1, 10**9)

Share = tuple[Fraction, ...]  # the probability of each class
Kind = tuple[int, ...] | None  # what a row is judged by in an attribute set; None: by the whole table


def measure(
    codes: Sequence[Sequence[int]], classes: Sequence[int], width: int, size: int, support: int
) -> list[list[tuple[Kind, Share]]]:
    """For every attribute set that speaks of somebody: what each row is judged by."""
    n = len(codes)
    found: list[list[tuple[Kind, Share]]] = []
    whole = shares(classes, width)
    varying = [i for i in range(len(codes[0])) if len({row[i] for row in codes}) > 1]
    for k in range(1, size + 1):
        for chosen in combinations(varying, k):
            agreeing: dict[tuple[int, ...], list[int]] = {}
            for row in range(n):
                agreeing.setdefault(tuple(codes[row][i] for i in chosen), []).append(row)
            told: dict[Kind, Share] = {
                key: shares([classes[r] for r in rows], width) for key, rows in agreeing.items() if len(rows) >= support
            }
            if told:
                kinds: list[Kind] = [tuple(row[i] for i in chosen) for row in codes]
                found.append([(kind, told[kind]) if kind in told else (None, whole) for kind in kinds])
    return found


def shares(classes: Sequence[int], width: int) -> Share:
    counts = Counter(classes)
    return tuple(Fraction(counts[c], len(classes)) for c in range(width))


def telling(codes: Sequence[Sequence[int]], classes: Sequence[int], width: int, support: int) -> list[int]:
    """Attributes, the one that tells most about the sensitive column first."""
    whole = shares(classes, width)

    def distance(i: int) -> Fraction:
        total = Fraction(0)
        for code in {row[i] for row in codes}:
            of = [c for row, c in zip(codes, classes, strict=True) if row[i] == code]
            if len(of) >= support:
                total += len(of) * sum((abs(a - b) for a, b in zip(shares(of, width), whole, strict=True)), Fraction(0))
        return total

    return sorted(range(len(codes[0])), key=lambda i: (-distance(i), i))


@cache
def beliefs(rows: tuple[Share, ...], values: tuple[int, ...]) -> tuple[tuple[Fraction, ...], ...]:
    """For each row, the belief in each of the distinct values (ascending), over all worlds."""
    distinct = sorted(set(values))
    counts = [values.count(v) for v in distinct]
    ahead: list[dict[tuple[int, ...], Fraction]] = [{(0,) * len(distinct): Fraction(1)}]
    for row in rows:
        reached: dict[tuple[int, ...], Fraction] = {}
        for used, weight in ahead[-1].items():
            for k, v in enumerate(distinct):
                if used[k] < counts[k] and row[v]:
                    state = (*used[:k], used[k] + 1, *used[k + 1 :])
                    reached[state] = reached.get(state, Fraction(0)) + weight * row[v]
        ahead.append(reached)
    total = ahead[-1][tuple(counts)]
    behind = {tuple(counts): Fraction(1)}
    found = []
    for t in range(len(rows) - 1, -1, -1):
        before: dict[tuple[int, ...], Fraction] = {}
        of = [Fraction(0)] * len(distinct)
        for used, weight in ahead[t].items():
            for k, v in enumerate(distinct):
                state = (*used[:k], used[k] + 1, *used[k + 1 :])
                if state in behind:
                    before[used] = before.get(used, Fraction(0)) + rows[t][v] * behind[state]
                    of[k] += weight * rows[t][v] * behind[state]
        behind = before
        found.append(tuple(p / total for p in of))
    return tuple(reversed(found))


@dataclass
class Plain:
    """One run; rows are numbered 0.. in ART's order."""

    judged: list[list[tuple[Kind, Share]]]
    classes: list[int]
    protected: list[bool]
    r: int
    bound: bool

    def __post_init__(self) -> None:
        self.free = set(range(len(self.classes)))
        self.known = [[share for _, share in of] for of in self.judged]
        self.floats = [[tuple(map(float, share)) for share in of] for of in self.known]

    def run(self) -> list[list[int]]:
        """The groups."""
        aside: list[int] = []
        groups: list[list[int]] = []
        hopeless = set()
        while (seed := self.seed()) is not None:
            alike = (self.classes[seed], tuple(of[seed][0] for of in self.judged))
            group = None if alike in hopeless else self.grow(seed)
            if group is None:
                hopeless.add(alike)
                aside.append(seed)
                self.free.remove(seed)
            else:
                self.free -= set(group)
                groups.append(group)
        for row in aside:
            self.join(row, groups)
        return groups + [[row] for row in sorted(self.free)]

    def seed(self) -> int | None:
        counts = Counter(self.classes[row] for row in self.free if self.protected[self.classes[row]])
        if not counts:
            return None
        chosen = min(counts, key=lambda c: (-counts[c], c))
        mine = [row for row in self.free if self.classes[row] == chosen]
        return min(mine, key=lambda row: (max((of[row][chosen] for of in self.floats), default=0.0), row))

    def grow(self, seed: int) -> list[int] | None:
        group = [seed]
        counts = Counter(self.classes[row] for row in self.free)
        others = [c for c in counts if self.protected[c] and c != self.classes[seed]]
        ranked = sorted(others, key=lambda c: (-counts[c], c))[: max(16, 2 * self.r)]
        slots = [self.classes[seed], *ranked, *(c for c in sorted(counts) if not self.protected[c])]
        while True:
            pressing = self.pressing(group, slots, counts)
            full = len(group) >= self.r and not pressing
            if full and (not self.bound or self.within_bound(group)) and self.holds(group):
                return group
            closest = None
            if len(group) < MOST_ROWS * self.r:
                only = bool(pressing) and len(pressing) >= self.r - len(group)
                closest = self.closest(group, pressing if only else slots)
            if closest is None:
                return group if self.bound and len(group) >= self.r and self.holds(group) else None
            group.append(closest)

    def pressing(self, group: list[int], slots: list[int], counts: Counter[int]) -> list[int]:
        rest = len(self.free) - len(group)
        missing = max(self.r - len(group), 0)
        held = {self.classes[row] for row in group}
        return [c for c in slots if self.protected[c] and c not in held and counts[c] * self.r > rest - missing]

    def closest(self, group: list[int], slots: list[int]) -> int | None:
        held = {self.classes[row] for row in group}
        candidates = []
        for c in slots:
            if self.protected[c] and c in held:
                continue
            mine = sorted(row for row in self.free if self.classes[row] == c and row not in group)
            candidates += [row for row in mine if row >= group[0]][:NEAR]
            candidates += [row for row in reversed(mine) if row < group[0]][:NEAR]
        return min(candidates, key=lambda row: self.growth(group, row), default=None)

    def growth(self, group: list[int], row: int) -> float:
        """By how much the deviations grow."""
        total = 0.0
        held = list(dict.fromkeys(self.classes[member] for member in group if self.protected[self.classes[member]]))
        own = self.classes[row]
        for of in self.floats:
            for c in held:
                high, low = max(of[m][c] for m in group), min(of[m][c] for m in group)
                total += (max(high, of[row][c]) - min(low, of[row][c])) - (high - low)
            if own not in held and self.protected[own]:
                total += max(of[m][own] for m in [*group, row]) - min(of[m][own] for m in [*group, row])
        return total

    def within_bound(self, group: list[int]) -> bool:
        n, r = float(len(group)), float(self.r)
        for of in self.floats:
            for c in {self.classes[row] for row in group if self.protected[self.classes[row]]}:
                f, low = max(of[m][c] for m in group), min(of[m][c] for m in group)
                reachable = low > 0 and f < 1
                if f > low and reachable and f - low > (n - r) * f / (f * (r - 1) / (1 - f) + n - 1) * (1 + 1e-9):
                    return False
        return True

    def holds(self, group: list[int]) -> bool:
        """No belief above 1/r: by frequency, by one value against all others, and by all values at once."""
        if self.r == 1:
            return True
        values = [self.classes[row] for row in group]
        distinct = sorted(set(values))
        if any(self.protected[v] and values.count(v) * self.r > len(group) for v in distinct):
            return False
        if len(distinct) == 1:
            return True
        return all(
            self.alone_within([of[row] for row in group], distinct)
            and self.exactly_within([of[row] for row in group], values)
            for of in self.known
        )

    def alone_within(self, rows: list[Share], distinct: list[int]) -> bool:
        for v in distinct:
            if self.protected[v]:
                if any(row[v] == 1 for row in rows):
                    return False
                odds = [row[v] / (1 - row[v]) for row in rows]
                if max(odds) * self.r > sum(odds) * (1 + CLOSE):
                    return False
        return True

    def exactly_within(self, rows: list[Share], values: list[int]) -> bool:
        if len(set(rows)) == 1:
            return True
        found = beliefs(tuple(sorted(rows)), tuple(sorted(values)))
        return all(
            p * self.r <= 1 for of in found for v, p in zip(sorted(set(values)), of, strict=True) if self.protected[v]
        )

    def join(self, row: int, groups: list[list[int]]) -> None:
        label = {member: g for g, group in enumerate(groups) for member in group}
        near: list[int] = []
        for way in (1, -1):
            seen = 0
            for step in range(1, FAR + 1):
                g = label.get(row + way * step)
                if g is None or g in near or any(self.classes[m] == self.classes[row] for m in groups[g]):
                    continue
                near.append(g)
                seen += 1
                if seen == NEAR_GROUPS:
                    break
        near = [g for g in near if len(groups[g]) < MOST_ROWS * self.r]
        # the last that came is the first that is looked at
        for g in sorted(near, key=lambda g: self.growth(groups[g][::-1], row)):
            if self.holds([*groups[g], row]):
                groups[g].append(row)
                return


def art(
    codes: Sequence[Sequence[int]],
    order: Sequence[int],
    classes: Sequence[int],
    protected: Sequence[bool],
    r: int,
    attributes: int,
    support: int,
    bound: bool,
) -> set[frozenset[int]]:
    """The groups, as sets of rows; rows in none are suppressed."""
    width = len(protected)
    by = telling(codes, classes, width, support)
    rows = sorted(range(len(codes)), key=lambda row: (*(codes[row][i] for i in by), order[row]))
    known = measure([codes[row] for row in rows], [classes[row] for row in rows], width, attributes, support)
    groups = Plain(known, [classes[row] for row in rows], list(protected), r, bound).run()
    return {frozenset(rows[number] for number in group) for group in groups}
