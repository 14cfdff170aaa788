"""Microaggregation by the maximum distance to the average vector: groups around the rows that lie farthest out.

Rows come in row order, so that the first of equals is the one to take. A row has one number per attribute: first those
on a line (-1 is null), then codes of categories. The average of rows on a line is the mean of the values that there
are, rounded to whole steps, halves upwards; of a category it is the most frequent code, the lowest of equals. Squared
distances add up to less than 2**63, so all of this is exact.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t
from cython.cimports.libc.string import memcpy
from cython.cimports.pellucid.kernels.sorting import select

CHOSEN = cython.declare(int64_t, -1)  # the distance of the row around which a group is made: nothing is closer


@cython.cclass
class Space:
    """How far values are apart: ``lines`` attributes on a line, then categories.

    ``far[i]`` is how far null is from any value on a line. A category's code c has the ancestors ``chains[at[i] + h *
    codes[i] + c]``, h levels up, and codes whose nearest common ancestor is a are ``apart[apart_at[i] + a]`` apart.
    """

    lines: int64_t
    attributes: int64_t
    far: cython.const[int64_t][::1]
    chains: cython.const[int32_t][::1]
    at: cython.const[int64_t][::1]
    codes: cython.const[int64_t][::1]
    apart: cython.const[int64_t][::1]
    apart_at: cython.const[int64_t][::1]

    def __init__(self, lines, far, chains, at, codes, apart, apart_at) -> None:
        self.lines = lines
        self.attributes = far.shape[0]
        self.far = far
        self.chains = chains
        self.at = at
        self.codes = codes
        self.apart = apart
        self.apart_at = apart_at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def steps(self, i: int64_t, one: int32_t, other: int32_t) -> int64_t:
        """How far two codes of a category are apart."""
        place: int64_t = self.at[i]
        if one == other:
            return 0
        while self.chains[place + one] != self.chains[place + other]:
            place += self.codes[i]
        return self.apart[self.apart_at[i] + self.chains[place + one]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_line(
    places: cython.pointer(int32_t), centre: int32_t, far: int64_t, n: int64_t, away: cython.pointer(int64_t)
) -> cython.void:
    """Add the squares of how far places on a line are from the centre; either may be null."""
    here: int64_t
    step: int64_t
    for here in range(n):
        if places[here] < 0 or centre < 0:
            step = far if places[here] != centre else 0
        else:
            step = cython.cast(int64_t, places[here] - centre)
        away[here] += step * step


@cython.cclass
class Remaining:
    """The rows that are in no group yet, in row order, and what their average is made of; ``places`` by attribute."""

    space: Space
    places: int32_t[:, ::1]
    rows: int32_t[::1]
    n: int64_t
    labels: int32_t[::1]
    groups: int64_t
    away: int64_t[::1]
    spare: int64_t[::1]
    gone: uint8_t[::1]
    sums: int64_t[::1]
    present: int64_t[::1]
    counts: int64_t[::1]
    squares: int64_t[::1]
    count_at: cython.const[int64_t][::1]
    centre: int32_t[::1]

    def __init__(self, space: Space, places, labels, scratch, count_at) -> None:
        self.space = space
        self.places = places
        self.n = places.shape[1]
        self.labels = labels
        self.groups = 0
        self.rows = scratch["rows"]
        self.away = scratch["away"]
        self.spare = scratch["spare"]
        self.gone = scratch["gone"]
        self.sums = scratch["sums"]
        self.present = scratch["present"]
        self.centre = scratch["centre"]
        self.counts = scratch["counts"]
        self.squares = scratch["squares"]
        self.count_at = count_at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count(self, place: int64_t, times: int64_t) -> cython.void:
        """Add a row to what the average is made of, or with -1 take it away."""
        i: int64_t
        value: int32_t
        for i in range(self.space.attributes):
            value = self.places[i, place]
            if i >= self.space.lines:
                self.counts[self.count_at[i] + value] += times
            elif value >= 0:
                self.sums[i] += times * value
                self.present[i] += times

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def average(self) -> cython.void:
        """Let the average of the rows be the centre."""
        i: int64_t
        code: int64_t
        most: int64_t
        for i in range(self.space.attributes):
            if i < self.space.lines:
                self.centre[i] = -1
                if self.present[i] > 0:
                    self.centre[i] = cython.cast(int32_t, (2 * self.sums[i] + self.present[i]) // (2 * self.present[i]))
                continue
            most = 0
            for code in range(1, self.space.codes[i]):
                if self.counts[self.count_at[i] + code] > self.counts[self.count_at[i] + most]:
                    most = code
            self.centre[i] = cython.cast(int32_t, most)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self) -> int64_t:
        """How far every row is from the centre; returns the place of the first of the farthest."""
        i: int64_t
        here: int64_t
        code: int64_t
        farthest: int64_t = 0
        away: cython.pointer(int64_t) = cython.address(self.away[0])
        places: cython.pointer(int32_t)
        squares: cython.pointer(int64_t)
        for here in range(self.n):
            away[here] = 0
        for i in range(self.space.lines):
            add_line(cython.address(self.places[i, 0]), self.centre[i], self.space.far[i], self.n, away)
        for i in range(self.space.lines, self.space.attributes):
            places = cython.address(self.places[i, 0])
            squares = cython.address(self.squares[self.count_at[i]])
            for code in range(self.space.codes[i]):
                squares[code] = self.space.steps(i, cython.cast(int32_t, code), self.centre[i])
                squares[code] = squares[code] * squares[code]
            for here in range(self.n):
                away[here] += squares[places[here]]
        for here in range(self.n):
            if away[here] > away[farthest]:
                farthest = here
        return farthest

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, place: int64_t, k: int64_t) -> int64_t:
        """Make a group of the row at this place and the k - 1 closest to it; returns the farthest of the others."""
        limit: int64_t
        ties: int64_t = k
        i: int64_t
        here: int64_t
        farthest: int64_t = 0
        away: cython.pointer(int64_t) = cython.address(self.away[0])
        for i in range(self.space.attributes):
            self.centre[i] = self.places[i, place]
        self.measure()
        away[place] = CHOSEN
        memcpy(cython.address(self.spare[0]), away, self.n * cython.sizeof(int64_t))
        limit = select(cython.address(self.spare[0]), self.n, k - 1)
        for here in range(self.n):
            ties -= away[here] < limit
        for here in range(self.n):
            self.gone[here] = away[here] < limit
            if away[here] == limit and ties > 0:
                self.gone[here] = 1
                ties -= 1
            if self.gone[here]:
                self.labels[self.rows[here]] = cython.cast(int32_t, self.groups)
                self.count(here, -1)
        self.close_ranks()
        self.groups += 1
        for here in range(self.n):
            if away[here] > away[farthest]:
                farthest = here
        return farthest

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close_ranks(self) -> cython.void:
        """Leave out the rows that are gone."""
        i: int64_t
        here: int64_t
        kept: int64_t = 0
        places: cython.pointer(int32_t)
        for i in range(self.space.attributes):
            places = cython.address(self.places[i, 0])
            kept = 0
            for here in range(self.n):
                places[kept] = places[here]
                kept += not self.gone[here]
        kept = 0
        for here in range(self.n):
            self.rows[kept] = self.rows[here]
            self.away[kept] = self.away[here]
            kept += not self.gone[here]
        self.n = kept

    def group(self, k: int64_t, done: int64_t[::1], stop: uint8_t[::1]) -> int:
        """Put every row into a group of k to 2 k - 1; returns how many groups there are."""
        place: int64_t
        rows: int64_t = self.n
        with cython.nogil:
            for place in range(self.n):
                self.rows[place] = cython.cast(int32_t, place)
                self.count(place, 1)
            while self.n >= 3 * k and not stop[0]:
                self.average()
                place = self.take(self.measure(), k)
                self.take(place, k)
                done[0] = rows - self.n
            if self.n >= 2 * k and not stop[0]:
                self.average()
                self.take(self.measure(), k)
            if self.n > 0:
                for place in range(self.n):
                    self.labels[self.rows[place]] = cython.cast(int32_t, self.groups)
                self.groups += 1
            done[0] = rows
        return self.groups
