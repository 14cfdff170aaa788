"""A random walk over the arrangements of some groups' values in which every cut that was tried is refused.

A cut divides rows into sides, and is refused when some side has more rows of some protected set of values than its
limit. A *value move* exchanges the values of two rows of a group. An *order move* exchanges two rows' places in a row
order that nobody knows: a cut that divides rows of equal code by that order then has the one where it had the other.
Both are symmetric, so a walk that accepted all of them would meet every arrangement equally often. A move is accepted
with probability exp(-beta * more), where ``more`` is by how much it raises the *gaps*: how many rows the cuts that are
not refused lack to be. Among the arrangements without a gap, which alone are counted, all are equally likely.

The plain definition is trying all arrangements and orders: tests/property/test_walks_equal_enumeration.py.
"""

import cython
from cython.cimports.libc.math import exp
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.pellucid.kernels.arena import Arena, int32s, int64s

LOWEST = cython.declare(cython.double, 0.05)  # beta stays between these
HIGHEST = cython.declare(cython.double, 30.0)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def drawn(state: cython.pointer(uint64_t)) -> uint64_t:
    """The next 64 random bits (splitmix64)."""
    z: uint64_t
    state[0] += cython.cast(uint64_t, 0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> 30)) * cython.cast(uint64_t, 0xBF58476D1CE4E5B9)
    z = (z ^ (z >> 27)) * cython.cast(uint64_t, 0x94D049BB133111EB)
    return z ^ (z >> 31)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def below(state: cython.pointer(uint64_t), n: int64_t) -> int64_t:
    """A random number below n (n is small, so the remainder's bias is far below any sampling error)."""
    return cython.cast(int64_t, (drawn(state) >> 11) % cython.cast(uint64_t, n))


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def changed(count: cython.pointer(int32_t), limit: int32_t, by: cython.int) -> cython.int:
    """Add to a count; how many more counts are above their limit then."""
    before: cython.int = 1 if count[0] > limit else 0
    count[0] += by
    return (1 if count[0] > limit else 0) - before


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gap_of(
    count: cython.pointer(int32_t), limit: cython.pointer(cython.const[int32_t]), sides: int64_t, sets: int64_t
) -> int32_t:
    """How many rows a cut that is not refused lacks to be."""
    s: int64_t
    p: int64_t
    least: int32_t = 1 << 30
    for s in range(sides):
        for p in range(sets):
            if limit[s] + 1 - count[s * sets + p] < least:
                least = limit[s] + 1 - count[s * sets + p]
    return least


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def moved(
    count: cython.pointer(int32_t),
    limit: cython.pointer(cython.const[int32_t]),
    sets: int64_t,
    out: cython.int,
    into: cython.int,
    p: cython.int,
    q: cython.int,
) -> cython.int:
    """A row of set p leaves side ``out`` for side ``into``, one of set q comes back; -1: of no protected set."""
    more: cython.int = 0
    if p >= 0:
        more += changed(count + out * sets + p, limit[out], -1)
        more += changed(count + into * sets + p, limit[into], 1)
    if q >= 0:
        more += changed(count + out * sets + q, limit[out], 1)
        more += changed(count + into * sets + q, limit[into], -1)
    return more


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bounds(
    key: int64_t[::1],
    side: int32_t[:, ::1],
    tied: cython.const[uint8_t][:, ::1],
    floor: int64_t,
    ceiling: int64_t,
    k: int64_t,
    low: cython.pointer(int64_t),
    high: cython.pointer(int64_t),
) -> cython.void:
    """The largest key of a tied row on side 0 of a cut, and the smallest of one on side 1."""
    i: int64_t
    low[0] = floor
    high[0] = ceiling
    for i in range(key.shape[0]):
        if tied[i, k]:
            if side[i, k] == 0:
                if key[i] > low[0]:
                    low[0] = key[i]
            elif key[i] < high[0]:
                high[0] = key[i]


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def settled(
    now: int64_t, before: int64_t, side: cython.int, low: cython.pointer(int64_t), high: cython.pointer(int64_t)
) -> cython.bint:
    """A tied row got another key: follow with the bound of its side; False when that must be looked for."""
    if side == 0:
        if now > low[0]:
            low[0] = now
            return True
        return before != low[0]
    if now < high[0]:
        high[0] = now
        return True
    return before != high[0]


def walk(
    values: int32_t[::1],
    key: int64_t[::1],
    by_key: cython.const[int64_t][::1],
    side: int32_t[:, ::1],
    tied: cython.const[uint8_t][:, ::1],
    made: cython.const[uint8_t][::1],
    floor: cython.const[int64_t][::1],
    ceiling: cython.const[int64_t][::1],
    count: int32_t[:, :, ::1],
    limit: cython.const[int32_t][:, ::1],
    set_of: cython.const[int32_t][::1],
    group_of: cython.const[int32_t][::1],
    group_starts: cython.const[int64_t][::1],
    part_of: cython.const[int32_t][::1],
    part_starts: cython.const[int64_t][::1],
    orders: cython.bint,
    beta: cython.double,
    adapting: cython.bint,
    moves: int64_t,
    every: int64_t,
    seed: uint64_t,
    tally: int64_t[:, ::1],
) -> tuple:
    """Walk so many moves; every ``every`` moves, count who has what into ``tally`` [part, value] if no cut has a gap.

    Rows lie group after group (``group_starts``), inside a group part after part; ``by_key`` has them by key.
    ``side[row, cut]`` is -1 where the cut does not concern the row; ``tied`` says that the order decided it: rows of
    lower ``key`` are on side 0. A cut that was ``made`` cannot be refused, so no move may take a row across it; rows of
    other groups that it sent to either side have keys up to ``floor`` and from ``ceiling``. ``count[cut, side, set]``
    fits the values.
    Returns beta, how often it was counted, the moves that were accepted, and the gaps that are left.
    """
    rows: int64_t = values.shape[0]
    cuts: int64_t = side.shape[1]
    sides: int64_t = count.shape[1]
    sets: int64_t = count.shape[2]
    parts: int64_t = part_starts.shape[0] - 1
    state: uint64_t = seed
    arena: Arena = Arena()
    gap: cython.pointer(int32_t)
    bad: cython.pointer(int32_t)
    fresh: cython.pointer(int32_t)
    touched: cython.pointer(int32_t)
    step: int64_t
    x: int64_t
    y: int64_t
    k: int64_t
    i: int64_t
    part: int64_t
    number: int64_t
    total: int64_t = 0
    delta: int64_t
    kept: int64_t = 0
    accepted: int64_t = 0
    first: int64_t
    p: cython.int
    q: cython.int
    s: cython.int
    t: cython.int
    ordering: cython.bint
    legal: cython.bint
    swapped: int64_t
    low: cython.pointer(int64_t)  # the largest key of a tied row on side 0, by cut
    high: cython.pointer(int64_t)  # the smallest key of a tied row on side 1
    at: cython.pointer(int64_t)  # the rows by key
    slot: cython.pointer(int64_t)  # where a row is among them
    if rows == 0:
        return beta, 0, 0, 0
    gap = int32s(cython.address(arena.room), 4 * cuts + 4)
    low = int64s(cython.address(arena.room), 2 * cuts + 2 * rows + 2)
    arena.check()
    bad = gap + cuts + 1
    fresh = bad + cuts + 1
    touched = fresh + cuts + 1
    high = low + cuts
    at = high + cuts
    slot = at + rows
    for i in range(rows):
        at[i] = by_key[i]
        slot[by_key[i]] = i
    with cython.nogil:
        if orders:
            for k in range(cuts):
                bounds(key, side, tied, floor[k], ceiling[k], k, low + k, high + k)
        for k in range(cuts):
            bad[k] = 0
            gap[k] = 0
            if made[k]:
                continue
            for s in range(sides):
                for p in range(sets):
                    if count[k, s, p] > limit[k, s]:
                        bad[k] += 1
            if bad[k] == 0:
                gap[k] = gap_of(cython.address(count[k, 0, 0]), cython.address(limit[k, 0]), sides, sets)
            total += gap[k]
        for step in range(moves):
            ordering = orders and (drawn(cython.address(state)) >> 63) == 1
            legal = True
            number = 0
            delta = 0
            if ordering:
                x = below(cython.address(state), rows)
                if drawn(cython.address(state)) >> 63:  # neighbours in the order: every order can be reached
                    y = at[slot[x] + 1] if slot[x] + 1 < rows else x
                else:
                    y = below(cython.address(state), rows)
                p = set_of[values[x]]
                q = set_of[values[y]]
                for k in range(cuts):
                    if tied[x, k] and tied[y, k]:
                        if side[x, k] != side[y, k] and made[k]:
                            legal = False
                            break
                    elif tied[x, k]:
                        if (side[x, k] == 0 and key[y] > high[k]) or (side[x, k] != 0 and key[y] < low[k]):
                            legal = False
                            break
                    elif tied[y, k] and (
                        (side[y, k] == 0 and key[x] > high[k]) or (side[y, k] != 0 and key[x] < low[k])
                    ):
                        legal = False
                        break
                legal = legal and x != y
            else:
                if drawn(cython.address(state)) >> 63:
                    part = below(cython.address(state), parts)
                    x = part_starts[part] + below(cython.address(state), part_starts[part + 1] - part_starts[part])
                else:
                    x = below(cython.address(state), rows)
                first = group_starts[group_of[x]]
                y = first + below(cython.address(state), group_starts[group_of[x] + 1] - first)
                p = set_of[values[x]]
                q = set_of[values[y]]
                legal = values[x] != values[y]
            if legal:
                if p != q:
                    for k in range(cuts):
                        if made[k]:
                            continue
                        s = side[x, k]
                        t = side[y, k]
                        if s == t or (ordering and not (tied[x, k] and tied[y, k])):
                            continue
                        # either way a row of set p leaves side s for side t, and one of set q comes back
                        bad[k] += moved(cython.address(count[k, 0, 0]), cython.address(limit[k, 0]), sets, s, t, p, q)
                        touched[number] = cython.cast(int32_t, k)
                        fresh[number] = 0
                        if bad[k] == 0:
                            fresh[number] = gap_of(
                                cython.address(count[k, 0, 0]), cython.address(limit[k, 0]), sides, sets
                            )
                        delta += fresh[number] - gap[k]
                        number += 1
                if delta <= 0 or (drawn(cython.address(state)) >> 11) * (1.0 / 9007199254740992.0) < exp(-beta * delta):
                    accepted += 1
                    total += delta
                    for i in range(number):
                        gap[touched[i]] = fresh[i]
                    if ordering:
                        swapped = key[x]
                        key[x] = key[y]
                        key[y] = swapped
                        swapped = slot[x]
                        slot[x] = slot[y]
                        slot[y] = swapped
                        at[slot[x]] = x
                        at[slot[y]] = y
                        for k in range(cuts):
                            if tied[x, k] and tied[y, k]:
                                s = side[x, k]
                                side[x, k] = side[y, k]
                                side[y, k] = s
                            elif tied[x, k]:
                                if not settled(key[x], key[y], side[x, k], low + k, high + k):
                                    bounds(key, side, tied, floor[k], ceiling[k], k, low + k, high + k)
                            elif tied[y, k] and not settled(key[y], key[x], side[y, k], low + k, high + k):
                                bounds(key, side, tied, floor[k], ceiling[k], k, low + k, high + k)
                    else:
                        s = values[x]
                        values[x] = values[y]
                        values[y] = s
                else:
                    for i in range(number):
                        k = touched[i]
                        s = side[x, k]
                        t = side[y, k]
                        bad[k] += moved(cython.address(count[k, 0, 0]), cython.address(limit[k, 0]), sets, s, t, q, p)
            if (step + 1) % every == 0:
                if adapting:
                    beta = beta * 1.15 if total > 0 else beta * 0.93
                    beta = min(max(beta, LOWEST), HIGHEST)
                elif total == 0:
                    kept += 1
                    for i in range(rows):
                        tally[part_of[i], values[i]] += 1
    return beta, kept, accepted, total
