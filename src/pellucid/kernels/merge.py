"""ART's groups: which row is closest to a group, and whether the beliefs about the group are within 1/r.

Rows are numbered by their position in the order that the caller chose. ``weights[signature, class]`` is how probable a
class of sensitive values is for somebody with a signature; ``signatures[position, set]`` is the row's signature in each
attribute set. A class is protected or not; a group holds at most one row of a protected class.

The search for the closest row looks at the nearest rows of each class, by position. The beliefs are first bounded from
both sides, by comparing pairs of worlds that differ in who of two rows has a value; only what the bounds leave open is
summed over all worlds (permanents.py). A belief that floats cannot tell from 1/r is left to the caller.

The plain definition is tests/plain/art.py.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.pellucid.kernels.arena import Arena, doubles, dropped
from cython.cimports.pellucid.kernels.permanents import assignments, states_of

BUDGET = cython.declare(int64_t, 65536)  # states of one sum over worlds
NEAR = cython.declare(int64_t, 2)  # rows of each class that are looked at, on either side
NEAR_GROUPS = cython.declare(int64_t, 8)  # groups that a row may join, on either side
FAR = cython.declare(int64_t, 1024)  # positions that are searched for them, on either side
CLOSE = cython.declare(cython.double, 1e-9)  # beliefs that differ by less are not told apart


@cython.cclass
class Merger:
    """The rows that are not grouped yet, the groups made so far, and the group at hand."""

    n: int64_t
    sets: int64_t
    classes: int64_t
    r: int64_t
    alive: int64_t
    groups: int64_t
    last: int64_t  # the attribute set that refused the last group
    weights: cython.const[cython.double][:, ::1]
    signatures: cython.const[int32_t][:, ::1]
    class_of: cython.const[int32_t][::1]
    protected: cython.const[cython.uchar][::1]
    at: cython.const[int64_t][::1]  # where each class begins in places and hardest
    places: cython.const[int32_t][::1]  # positions, class after class
    hardest: cython.const[int32_t][::1]  # the same, in the order in which they begin groups
    tried: int64_t[::1]
    counts: int64_t[::1]
    ahead: int32_t[::1]  # the next place that may be free
    behind: int32_t[::1]
    state: cython.uchar[::1]  # of a position: 0 free, 1 in the group at hand, 2 gone
    label: int32_t[::1]
    next_member: int32_t[::1]
    head: int32_t[::1]
    # the group at hand
    members: int32_t[::1]
    size: cython.int
    seed_at: int64_t
    slots: cython.int  # classes that may join
    most_slots: cython.int
    slot_class: int32_t[::1]
    slot_of: int32_t[::1]
    held: int32_t[::1]  # rows of each slot's class in the group
    active: int32_t[::1]  # protected slots with a row in the group, in the order in which they came
    actives: cython.int
    high: cython.double[:, ::1]
    low: cython.double[:, ::1]
    accepted: cython.uchar[::1]
    undecided: int64_t
    # room for a check
    arena: Arena
    matrix: cython.pointer(cython.double)
    averages: cython.pointer(cython.double)
    room: cython.pointer(cython.double)
    matrix_room: int64_t
    room_size: int64_t
    first_signature: int32_t[::1]
    row_count: int32_t[::1]
    value_class: int32_t[::1]
    value_count: int32_t[::1]

    def __init__(self, weights, signatures, class_of, protected, at, places, hardest, r, slots, largest) -> None:
        n, classes = len(class_of), len(protected)
        self.arena = Arena()
        self.n = n
        self.sets = signatures.shape[1]
        self.classes = classes
        self.r = r
        self.alive = n
        self.weights = weights
        self.signatures = signatures
        self.class_of = class_of
        self.protected = protected
        self.at = at
        self.places = places
        self.hardest = hardest
        self.tried = np.zeros(classes, np.int64)
        self.counts = np.diff(np.asarray(at))
        self.ahead = np.arange(n + 1, dtype=np.int32)
        self.behind = np.arange(n + 1, dtype=np.int32)
        self.state = np.zeros(n, np.uint8)
        self.label = np.full(n, -1, np.int32)
        self.next_member = np.full(n, -1, np.int32)
        self.head = np.full(n, -1, np.int32)
        self.members = np.zeros(largest + 1, np.int32)
        self.most_slots = slots
        self.slot_class = np.zeros(slots + largest + 2, np.int32)
        self.slot_of = np.full(classes, -1, np.int32)
        self.held = np.zeros(slots + largest + 2, np.int32)
        self.active = np.zeros(slots + largest + 2, np.int32)
        self.high = np.zeros((max(self.sets, 1), slots + largest + 2))
        self.low = np.zeros((max(self.sets, 1), slots + largest + 2))
        self.accepted = np.zeros(max(self.sets, 1), np.uint8)
        self.first_signature = np.zeros(largest + 1, np.int32)
        self.row_count = np.zeros(largest + 1, np.int32)
        self.value_class = np.zeros(largest + 1, np.int32)
        self.value_count = np.zeros(largest + 1, np.int32)

    # ---- which row

    def seed(self) -> int:
        """The row that begins the next group: the hardest one of the most frequent protected class; -1 at the end."""
        c: int64_t
        best: int64_t = -1
        for c in range(self.classes):
            if self.protected[c] and self.counts[c] > 0 and (best < 0 or self.counts[c] > self.counts[best]):
                best = c
        if best < 0:
            return -1
        c = self.at[best] + self.tried[best]
        while self.state[self.hardest[c]] == 2:
            c += 1
        self.tried[best] = c - self.at[best]
        return self.hardest[c]

    def begin(self, position: cython.int) -> None:
        """Start a group, with the classes that may join it: the most frequent protected ones, and every other one."""
        c: int64_t
        self.clear()
        self.seed_at = position
        self.open_slot(self.class_of[position])
        self.rank()
        for c in range(self.classes):
            if not self.protected[c] and self.slot_of[c] < 0:
                self.open_slot(c)
        self.add(position)

    @cython.cfunc
    @cython.exceptval(check=False)
    def open_slot(self, c: int64_t) -> cython.void:
        """A place for one more class."""
        self.slot_class[self.slots] = cython.cast(int32_t, c)
        self.slot_of[c] = self.slots
        self.held[self.slots] = 0
        self.slots += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def rank(self) -> cython.void:
        """Slots for the most frequent protected classes, most frequent first, ties by class."""
        c: int64_t
        k: int64_t
        first: int64_t = self.slots
        count: int64_t
        for c in range(self.classes):
            count = self.counts[c]
            if not self.protected[c] or count == 0 or self.slot_of[c] >= 0:
                continue
            if self.slots - first == self.most_slots:
                if count <= self.counts[self.slot_class[self.slots - 1]]:
                    continue
                self.slots -= 1
            k = self.slots
            while k > first and self.counts[self.slot_class[k - 1]] < count:
                self.slot_class[k] = self.slot_class[k - 1]
                k -= 1
            self.slot_class[k] = cython.cast(int32_t, c)
            self.slots += 1
        for k in range(first, self.slots):
            self.slot_of[self.slot_class[k]] = cython.cast(int32_t, k)
            self.held[k] = 0

    def clear(self) -> None:
        """Let go of the group at hand."""
        k: int64_t
        for k in range(self.size):
            if self.state[self.members[k]] == 1:
                self.state[self.members[k]] = 0
        for k in range(self.slots):
            self.slot_of[self.slot_class[k]] = -1
        self.size = 0
        self.slots = 0
        self.actives = 0

    def add(self, position: cython.int) -> None:
        """One more row for the group at hand."""
        a: int64_t
        k: int64_t
        f: cython.double
        row: cython.pointer(cython.const[cython.double])
        if self.slot_of[self.class_of[position]] < 0:
            self.open_slot(self.class_of[position])
            self.span(self.slots - 1)
        k = self.slot_of[self.class_of[position]]
        if self.held[k] == 0 and self.protected[self.slot_class[k]]:
            self.active[self.actives] = cython.cast(int32_t, k)
            self.actives += 1
        self.held[k] += 1
        if self.state[position] == 0:
            self.state[position] = 1
        self.members[self.size] = position
        self.size += 1
        for a in range(self.sets):
            self.accepted[a] = 0
            row = cython.address(self.weights[self.signatures[position, a], 0])
            for k in range(self.slots):
                f = row[self.slot_class[k]]
                if self.size == 1 or f > self.high[a, k]:
                    self.high[a, k] = f
                if self.size == 1 or f < self.low[a, k]:
                    self.low[a, k] = f

    @cython.cfunc
    @cython.exceptval(check=False)
    def span(self, k: int64_t) -> cython.void:
        """The range of a slot's probabilities over the members."""
        a: int64_t
        i: int64_t
        f: cython.double
        for a in range(self.sets):
            for i in range(self.size):
                f = self.weights[self.signatures[self.members[i], a], self.slot_class[k]]
                if i == 0 or f > self.high[a, k]:
                    self.high[a, k] = f
                if i == 0 or f < self.low[a, k]:
                    self.low[a, k] = f

    @cython.cfunc
    @cython.exceptval(check=False)
    def cost(self, position: int64_t, best: cython.double) -> cython.double:
        """By how much the deviations grow with this row, over all sets and protected classes; may stop above best."""
        a: int64_t
        i: int64_t
        k: int64_t
        own: int64_t = self.slot_of[self.class_of[position]]
        f: cython.double
        high: cython.double
        low: cython.double
        total: cython.double = 0
        highs: cython.pointer(cython.double)
        lows: cython.pointer(cython.double)
        row: cython.pointer(cython.const[cython.double])
        mine: cython.pointer(cython.const[int32_t])
        if self.sets == 0:
            return 0
        mine = cython.address(self.signatures[position, 0])
        for a in range(self.sets):
            row = cython.address(self.weights[mine[a], 0])
            highs = cython.address(self.high[a, 0])
            lows = cython.address(self.low[a, 0])
            for i in range(self.actives):
                k = self.active[i]
                f = row[self.slot_class[k]]
                high = highs[k]
                low = lows[k]
                if f > high:
                    total += (f - low) - (high - low)
                elif f < low:
                    total += (high - f) - (high - low)
            if self.held[own] == 0 and self.protected[self.slot_class[own]]:
                f = row[self.slot_class[own]]
                total += (f if f > highs[own] else highs[own]) - (f if f < lows[own] else lows[own])
            if best >= 0 and total >= best:
                return total
        return total

    @cython.cfunc
    @cython.exceptval(check=False)
    def short_of(self, k: int64_t) -> cython.bint:
        """Whether a class is so frequent among the other rows that it must join, or they could not be grouped."""
        rest: int64_t = self.alive - self.size
        missing: int64_t = self.r - self.size if self.r > self.size else 0
        c: int64_t = self.slot_class[k]
        return self.protected[c] and self.held[k] == 0 and self.counts[c] * self.r > rest - missing

    def pressing(self) -> int:
        """How many classes are so frequent among the other rows that they must join."""
        k: int64_t
        found: int64_t = 0
        for k in range(self.slots):
            found += self.short_of(k)
        return found

    def closest(self) -> int:
        """The row to add next, or -1 when no row may join."""
        k: int64_t
        c: int64_t
        i: int64_t
        a: int64_t
        b: int64_t
        middle: int64_t
        seen: int64_t
        chosen: int64_t = -1
        cost: cython.double
        best: cython.double = -1
        pressing: int64_t = self.pressing()
        only: cython.bint = pressing > 0 and pressing >= self.r - self.size
        for k in range(self.slots):
            c = self.slot_class[k]
            if self.counts[c] == 0 or (self.protected[c] and self.held[k] > 0) or (only and not self.short_of(k)):
                continue
            a = self.at[c]
            b = self.at[c + 1]
            while a < b:
                middle = (a + b) // 2
                if self.places[middle] < self.seed_at:
                    a = middle + 1
                else:
                    b = middle
            b = a - 1
            seen = 0
            i = self.next_free(a)
            while seen < NEAR and i < self.at[c + 1]:
                if self.state[self.places[i]] == 0:
                    seen += 1
                    cost = self.cost(self.places[i], best)
                    if best < 0 or cost < best:
                        best = cost
                        chosen = self.places[i]
                i = self.next_free(i + 1)
            seen = 0
            i = self.previous_free(b)
            while seen < NEAR and i >= self.at[c]:
                if self.state[self.places[i]] == 0:
                    seen += 1
                    cost = self.cost(self.places[i], best)
                    if best < 0 or cost < best:
                        best = cost
                        chosen = self.places[i]
                i = self.previous_free(i - 1)
        return chosen

    @cython.cfunc
    @cython.exceptval(check=False)
    def next_free(self, i: int64_t) -> int64_t:
        """The first place from i on that is not gone."""
        start: int64_t = i
        following: int64_t
        while self.ahead[i] != i:
            i = self.ahead[i]
        while self.ahead[start] != start:
            following = self.ahead[start]
            self.ahead[start] = cython.cast(int32_t, i)
            start = following
        return i

    @cython.cfunc
    @cython.exceptval(check=False)
    def previous_free(self, i: int64_t) -> int64_t:
        """The last place up to i that is not gone, or -1."""
        start: int64_t = i + 1
        following: int64_t
        i += 1
        while self.behind[i] != i:
            i = self.behind[i]
        while self.behind[start] != start:
            following = self.behind[start]
            self.behind[start] = cython.cast(int32_t, i)
            start = following
        return i - 1

    # ---- what becomes of the group

    @cython.cfunc
    @cython.exceptval(check=False)
    def remove(self, position: int64_t) -> cython.void:
        """This row is no longer free."""
        a: int64_t
        b: int64_t
        middle: int64_t
        c: int64_t = self.class_of[position]
        a = self.at[c]
        b = self.at[c + 1]
        while a < b:
            middle = (a + b) // 2
            if self.places[middle] < position:
                a = middle + 1
            else:
                b = middle
        self.state[position] = 2
        self.counts[c] -= 1
        self.alive -= 1
        self.ahead[a] = cython.cast(int32_t, a + 1)
        self.behind[a + 1] = cython.cast(int32_t, a)

    def set_aside(self, position: cython.int) -> None:
        """Take a row out of the search; the others of the group at hand are free again."""
        self.clear()
        self.remove(position)

    def finish(self) -> None:
        """The group at hand is one of the groups."""
        k: int64_t
        for k in range(self.size):
            self.remove(self.members[k])
            self.append(self.groups, self.members[k])
        self.groups += 1
        self.clear()

    @cython.cfunc
    @cython.exceptval(check=False)
    def append(self, group: int64_t, position: int64_t) -> cython.void:
        """One more row for a finished group."""
        self.label[position] = cython.cast(int32_t, group)
        self.next_member[position] = self.head[group]
        self.head[group] = cython.cast(int32_t, position)

    def near_groups(self, position: cython.int) -> list:
        """Groups of rows near this one that lack its class, the nearest first, ahead before behind."""
        p: int64_t
        way: int64_t
        steps: int64_t
        seen: int64_t
        found: list = []
        for way in (1, -1):
            seen = 0
            p = position + way
            steps = 0
            while seen < NEAR_GROUPS and steps < FAR and 0 <= p < self.n:
                if self.label[p] >= 0 and self.lacks(self.label[p], self.class_of[position]):
                    if self.label[p] not in found:
                        found.append(self.label[p])
                        seen += 1
                p += way
                steps += 1
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
    def lacks(self, group: int64_t, c: int64_t) -> cython.bint:
        """Whether a finished group has no row of this class."""
        p: int64_t = self.head[group]
        while p >= 0:
            if self.class_of[p] == c:
                return False
            p = self.next_member[p]
        return True

    def load(self, group: cython.int) -> cython.bint:
        """Make a finished group the group at hand; False when it is as large as a group may be."""
        p: int64_t = self.head[group]
        count: int64_t = 0
        self.clear()
        while p >= 0:
            count += 1
            p = self.next_member[p]
        if count + 2 > self.members.shape[0]:
            return False
        p = self.head[group]
        while p >= 0:
            self.add(p)
            p = self.next_member[p]
        return True

    def cost_of(self, position: cython.int) -> float:
        """By how much the deviations grow when this row joins the group at hand."""
        own: int64_t = self.class_of[position]
        if self.slot_of[own] < 0:
            self.open_slot(own)
            self.span(self.slots - 1)
        return self.cost(position, -1)

    def keep(self, group: cython.int) -> None:
        """The last member of the group at hand has joined a finished group."""
        self.state[self.members[self.size - 1]] = 2
        self.append(group, self.members[self.size - 1])

    def labels(self) -> object:
        """The group of each position, -1 where it has none."""
        return np.asarray(self.label).copy()

    def free(self) -> object:
        """Positions that were neither grouped nor set aside."""
        return np.flatnonzero(np.asarray(self.state) == 0)

    def size_of(self) -> int:
        """How many rows the group at hand has."""
        return self.size

    def members_of(self) -> list:
        """The positions of the group at hand."""
        return [self.members[k] for k in range(self.size)]

    def open_set(self) -> int:
        """The attribute set whose belief floats cannot tell from 1/r."""
        return self.undecided

    def accept(self, a: cython.int) -> None:
        """The caller found the belief by this attribute set to be within 1/r."""
        self.accepted[a] = 1

    # ---- whether it holds

    def within_bound(self) -> cython.bint:
        """Whether every deviation is within the bound of the paper; not asked where no size would reach it."""
        a: int64_t
        k: int64_t
        f: cython.double
        deviation: cython.double
        r: cython.double = self.r
        n: cython.double = self.size
        for a in range(self.sets):
            for k in range(self.slots):
                if self.held[k] == 0 or not self.protected[self.slot_class[k]]:
                    continue
                f = self.high[a, k]
                deviation = f - self.low[a, k]
                if deviation == 0 or self.low[a, k] == 0 or f >= 1:
                    continue
                if deviation > (n - r) * f / (f * (r - 1) / (1 - f) + n - 1) * (1 + CLOSE):
                    return False
        return True

    def check(self) -> int:
        """1: no belief about the group exceeds 1/r; 0: one does; -1: floats cannot tell, see open_set."""
        k: int64_t
        i: int64_t
        a: int64_t
        verdict: cython.int
        if self.r == 1:
            return 1
        m: cython.int = 0
        for k in range(self.slots):
            if self.held[k] > 0:
                if self.protected[self.slot_class[k]] and self.held[k] * self.r > self.size:
                    return 0
                self.value_class[m] = self.slot_class[k]
                self.value_count[m] = self.held[k]
                m += 1
        if m == 1:
            return 1
        for i in range(-1, self.sets):
            a = self.last if i < 0 else i
            if a < self.sets and not self.alone_within(a, m):
                self.last = a
                return 0
        for i in range(-1, self.sets):
            a = self.last if i < 0 else i
            if i == self.last or a >= self.sets or self.accepted[a]:
                continue
            verdict = self.check_set(a, m)
            self.arena.check()
            if verdict == 0:
                self.last = a
                return 0
            if verdict < 0:
                self.undecided = a
                return -1
        return 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def check_set(self, a: int64_t, m: cython.int) -> cython.int:
        """Whether the beliefs by one attribute set hold, as in check."""
        i: int64_t
        s: cython.int
        v: cython.int
        g: cython.int = 0
        same: cython.bint
        mine: cython.pointer(cython.const[cython.double])
        theirs: cython.pointer(cython.const[cython.double])
        states: int64_t
        other: int64_t
        belief: cython.double
        verdict: cython.int
        # rows with the same probabilities of the group's values are one class
        for i in range(self.size):
            mine = cython.address(self.weights[self.signatures[self.members[i], a], 0])
            s = 0
            while s < g:
                same = True
                if self.first_signature[s] != self.signatures[self.members[i], a]:
                    theirs = cython.address(self.weights[self.first_signature[s], 0])
                    for v in range(m):
                        if mine[self.value_class[v]] != theirs[self.value_class[v]]:
                            same = False
                            break
                if same:
                    break
                s += 1
            if s == g:
                self.first_signature[g] = self.signatures[self.members[i], a]
                self.row_count[g] = 0
                g += 1
            self.row_count[s] += 1
        if g == 1:
            return 1  # every belief is a frequency, and these were counted
        if g * m > self.matrix_room:
            self.matrix_room = 2 * g * m
            dropped(self.matrix)
            dropped(self.averages)
            self.matrix = doubles(cython.address(self.arena.room), self.matrix_room)
            self.averages = doubles(cython.address(self.arena.room), 2 * self.matrix_room)
            if self.arena.room.failed:
                return 0
        for s in range(g):
            for v in range(m):
                self.matrix[s * m + v] = self.weights[self.first_signature[s], self.value_class[v]]
        if m == 2 and self.single_value():
            return self.check_odds(g)
        verdict = self.bounded(g, m)
        if verdict >= 0:
            return verdict
        states = states_of(cython.address(self.row_count[0]), g, BUDGET)
        other = states_of(cython.address(self.value_count[0]), m, BUDGET)
        states = states if states < other else other
        if states > BUDGET:
            return 0  # nobody can tell
        if 2 * states + 2 * g * m + 4 * (g + m) > self.room_size:
            self.room_size = 2 * (2 * states + 2 * g * m + 4 * (g + m))
            dropped(self.room)
            self.room = doubles(cython.address(self.arena.room), self.room_size)
            if self.arena.room.failed:
                return 0
        if (
            assignments(
                self.matrix,
                g,
                cython.address(self.row_count[0]),
                m,
                cython.address(self.value_count[0]),
                self.averages,
                self.room,
            )
            < 1e-200
        ):
            return -1
        verdict = 1
        for s in range(g):
            for v in range(m):
                if self.protected[self.value_class[v]]:
                    belief = self.averages[s * m + v] / self.row_count[s] * self.r
                    if belief > 1 + CLOSE:
                        return 0
                    if belief > 1 - CLOSE:
                        verdict = -1
        return verdict

    @cython.cfunc
    @cython.exceptval(check=False)
    def alone_within(self, a: int64_t, m: cython.int) -> cython.bint:
        """Whether the beliefs hold for somebody who thinks of one value at a time: it or not.

        The belief is a row's odds over the sum of all odds, for a value that occurs once.
        """
        v: cython.int
        i: int64_t
        f: cython.double
        odds: cython.double
        largest: cython.double
        total: cython.double
        for v in range(m):
            if not self.protected[self.value_class[v]]:
                continue
            largest = total = 0
            for i in range(self.size):
                f = self.weights[self.signatures[self.members[i], a], self.value_class[v]]
                if f >= 1:
                    return False
                odds = f / (1 - f)
                total += odds
                if odds > largest:
                    largest = odds
            if largest * self.r > total * (1 + CLOSE):
                return False
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def single_value(self) -> cython.bint:
        """One row of a protected class among rows of unprotected ones."""
        x: cython.int = 0 if self.protected[self.value_class[0]] else 1
        return (
            self.protected[self.value_class[x]]
            and not self.protected[self.value_class[1 - x]]
            and self.value_count[x] == 1
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def check_odds(self, g: cython.int) -> cython.int:
        """The belief is a row's odds over the sum of all odds."""
        s: cython.int
        x: cython.int = 0 if self.protected[self.value_class[0]] else 1
        odds: cython.double
        largest: cython.double = 0
        total: cython.double = 0
        for s in range(g):
            if self.matrix[2 * s + 1 - x] == 0:
                return 0  # this row has the value for certain
            odds = self.matrix[2 * s + x] / self.matrix[2 * s + 1 - x]
            total += odds * self.row_count[s]
            largest = odds if odds > largest else largest
        if largest * self.r > total * (1 + CLOSE):
            return 0
        return -1 if largest * self.r > total * (1 - CLOSE) else 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def bounded(self, g: cython.int, m: cython.int) -> cython.int:
        """1 or 0 where bounds on the beliefs decide, else -1.

        Let rows i and j swap v and w: the worlds with i: v and j: w weigh q = f(i,v) f(j,w) / (f(j,v) f(i,w)) times
        those with j: v and i: w. So P(i: v) is at most max q times P(j: v), and at least min q times; and the P(j: v)
        add up to the number of rows with v.
        """
        i: cython.int
        j: cython.int
        v: cython.int
        w: cython.int
        q: cython.double
        least: cython.double
        least2: cython.double
        most: cython.double
        most2: cython.double
        least_at: cython.int
        most_at: cython.int
        up: cython.double
        down: cython.double
        count: cython.double
        limit: cython.double = 1.0 / self.r
        verdict: cython.int = 1
        f: cython.pointer(cython.double) = self.matrix
        lower: cython.pointer(cython.double) = self.averages
        upper: cython.pointer(cython.double) = self.averages + self.matrix_room
        for i in range(g * m):
            lower[i] = 1
            upper[i] = 1
        for i in range(g):
            for j in range(g):
                count = self.row_count[j]
                if i == j:
                    for v in range(m):
                        lower[i * m + v] += count - 1
                        upper[i * m + v] += count - 1
                    continue
                # f(i,w) / f(j,w): the least and the most of it, and of the others
                least = least2 = 1e300
                most = most2 = 0
                least_at = most_at = -1
                for w in range(m):
                    if f[j * m + w] > 0:
                        q = f[i * m + w] / f[j * m + w]
                        if q < least:
                            least2 = least
                            least = q
                            least_at = w
                        elif q < least2:
                            least2 = q
                    else:
                        q = 1e300 if f[i * m + w] > 0 else 0
                    if q > most:
                        most2 = most
                        most = q
                        most_at = w
                    elif q > most2:
                        most2 = q
                for v in range(m):
                    if f[i * m + v] == 0:
                        continue
                    q = f[j * m + v] / f[i * m + v]
                    up = q * (least2 if least_at == v else least)
                    down = q * (most2 if most_at == v else most) if q > 0 else 0
                    if self.value_count[v] > 1:  # both may have v
                        up = up if up < 1 else 1
                        down = down if down > 1 else 1
                    upper[i * m + v] += count * up
                    lower[i * m + v] += count * down
        for i in range(g):
            for v in range(m):
                if f[i * m + v] == 0 or not self.protected[self.value_class[v]]:
                    continue
                if self.value_count[v] / lower[i * m + v] > limit * (1 + CLOSE):
                    return 0
                if self.value_count[v] / upper[i * m + v] > limit * (1 - CLOSE):
                    verdict = -1
        return verdict
