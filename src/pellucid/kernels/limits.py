"""Rows of parts that may have only so many of each value: in how many arrangements some part has too many.

Group g has the parts ``part_starts[g]:part_starts[g + 1]`` with ``sizes`` rows each, and the values
``value_starts[g]:value_starts[g + 1]``, each ``counts`` times, as many as rows. An arrangement says which row has which
value. From ``cell_starts[g]`` on, ``limits`` has for each part and value how many rows of the part may have it.

A value *acts* if some part can have too much of it; the others are *idle* and count as one. Arrangements within all
limits are counted part by part, from either end; the state is how many rows of each acting value were handed out. The
others are those in which some part has too many. All numbers are whole, and none is larger than all arrangements times
the rows, which the caller has seen to fit (:func:`measure`).

The plain definition is ``posterior_of_parts`` in pellucid/posterior/exclusion.py, which looks at every vector of counts
of every part.
"""

import cython
from cython.cimports.libc.stdint import int64_t
from cython.cimports.libc.string import memset
from cython.cimports.pellucid.kernels.arena import Arena, int64s


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_acting(
    parts: int64_t,
    sizes: cython.pointer(cython.const[int64_t]),
    values: int64_t,
    counts: cython.pointer(cython.const[int64_t]),
    limits: cython.pointer(cython.const[int64_t]),
    acting: cython.pointer(int64_t),
) -> int64_t:
    """How many values act; ``acting`` gets their places in ascending order."""
    v: int64_t
    i: int64_t
    found: int64_t = 0
    for v in range(values):
        for i in range(parts):
            if min(counts[v], sizes[i]) > limits[i * values + v]:
                acting[found] = v
                found += 1
                break
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def orders(total: int64_t, count: int64_t) -> cython.double:
    """In how many ways so many of all can be chosen, rounded."""
    ways: cython.double = 1
    k: int64_t
    for k in range(1, count + 1):
        ways = ways * (total - count + k) / k
    return ways


def measure(
    part_starts: cython.const[int64_t][::1],
    sizes: cython.const[int64_t][::1],
    value_starts: cython.const[int64_t][::1],
    counts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    limits: cython.const[int64_t][::1],
    steps: cython.double[::1],
    numbers: cython.double[::1],
) -> None:
    """steps[g] = the vectors that the parts may have, times the states; numbers[g] = the largest number that occurs."""
    g: int64_t
    i: int64_t
    a: int64_t
    count: int64_t
    arena: Arena = Arena()
    acting: cython.pointer(int64_t)
    values: int64_t
    parts: int64_t
    found: int64_t
    rows: int64_t
    so_far: int64_t
    widest: int64_t = 1
    states: cython.double
    vectors: cython.double
    of_part: cython.double
    ways: cython.double
    for g in range(value_starts.shape[0] - 1):
        widest = max(widest, value_starts[g + 1] - value_starts[g])
    acting = int64s(cython.address(arena.room), widest)
    arena.check()
    with cython.nogil:
        for g in range(value_starts.shape[0] - 1):
            parts, values = part_starts[g + 1] - part_starts[g], value_starts[g + 1] - value_starts[g]
            found = find_acting(
                parts,
                cython.address(sizes[part_starts[g]]),
                values,
                cython.address(counts[value_starts[g]]),
                cython.address(limits[cell_starts[g]]),
                acting,
            )
            states, vectors, ways = 1, 0, 1
            rows = so_far = 0
            for i in range(parts):
                rows += sizes[part_starts[g] + i]
                of_part = 1
                for a in range(found):
                    count = counts[value_starts[g] + acting[a]]
                    of_part *= min(count, sizes[part_starts[g] + i]) + 1
                vectors += of_part
            for a in range(found):
                count = counts[value_starts[g] + acting[a]]
                states *= count + 1
                if ways < 1e300:
                    ways *= orders(rows - so_far, count)
                so_far += count
            steps[g] = vectors * states
            numbers[g] = ways * rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def choices(total: int64_t, count: int64_t) -> int64_t:
    """In how many ways so many of all can be chosen; no number on the way is larger than that times all."""
    k: int64_t
    ways: int64_t = 1
    count = min(count, total - count)
    for k in range(1, count + 1):
        ways = ways * (total - count + k) // k
    return ways


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hand_out(
    size: int64_t,
    acting: int64_t,
    most: cython.pointer(cython.const[int64_t]),
    stride: cython.pointer(cython.const[int64_t]),
    idle: int64_t,
    first: int64_t,
    walk: cython.pointer(int64_t),
    ways: int64_t,
    onward: cython.pointer(int64_t),
    rows: cython.pointer(int64_t),
) -> int64_t:
    """Every way in which a part of ``size`` rows has at most ``most`` of each acting value and ``idle`` others.

    ``first`` is the state before it. Without ``rows`` the ``ways`` of getting there go on to the states after it. With
    them ``onward`` has the ways to go on from these; rows[a] gets the rows of the part that have each acting value,
    rows[acting] those that have an idle one, over all arrangements, and the ways to go on from ``first`` are returned.
    """
    taken: cython.pointer(int64_t) = walk
    left: cython.pointer(int64_t) = taken + acting + 1
    chosen: cython.pointer(int64_t) = left + acting + 1  # ways to choose the rows of a value among those left
    before: cython.pointer(int64_t) = chosen + acting + 1
    state: cython.pointer(int64_t) = before + acting + 1
    a: int64_t = 0
    v: int64_t
    here: int64_t
    further: int64_t = 0
    left[0] = size
    before[0] = 1
    state[0] = first
    taken[0] = -1
    while a >= 0:
        if a == acting or left[a] == 0:  # whoever is left has an idle value; all later values have no row
            if left[a] <= idle:
                if rows == cython.NULL:
                    onward[state[a]] += ways * before[a]
                elif onward[state[a]] > 0:
                    here = before[a] * onward[state[a]]
                    further += here
                    for v in range(a):
                        rows[v] += taken[v] * here * ways
                    rows[acting] += left[a] * here * ways
            a -= 1
            continue
        if taken[a] < 0:  # with fewer of it, more rows would be left than the later values and the idle ones have
            here = left[a] - idle
            for v in range(a + 1, acting):
                here -= most[v]
            taken[a] = max(here, 0)
            chosen[a] = choices(left[a], taken[a])
        else:
            taken[a] += 1
            chosen[a] = chosen[a] * (left[a] - taken[a] + 1) // taken[a]
        if taken[a] > most[a] or taken[a] > left[a]:
            a -= 1
            continue
        left[a + 1] = left[a] - taken[a]
        before[a + 1] = before[a] * chosen[a]
        state[a + 1] = state[a] + taken[a] * stride[a]
        a += 1
        taken[a] = -1
    return further


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pass_over(
    part: int64_t,
    backwards: cython.bint,
    sizes: cython.pointer(cython.const[int64_t]),
    values: int64_t,
    counts: cython.pointer(cython.const[int64_t]),
    limits: cython.pointer(cython.const[int64_t]),
    acting: cython.pointer(cython.const[int64_t]),
    found: int64_t,
    idle: int64_t,
    handed: int64_t,
    states: int64_t,
    layer: cython.pointer(int64_t),
    onward: cython.pointer(int64_t),
    back: cython.pointer(int64_t),
    rows: cython.pointer(int64_t),
    room: cython.pointer(int64_t),
) -> cython.void:
    """Take one part: from every state that is reached (``layer``) to those after it (``onward``), or ``back``.

    ``handed`` rows were handed out before it; ``idle`` is how many rows have idle values in the whole group.
    """
    used: cython.pointer(int64_t) = room
    most: cython.pointer(int64_t) = used + found + 1
    stride: cython.pointer(int64_t) = most + found + 1
    walk: cython.pointer(int64_t) = stride + found + 1
    a: int64_t
    s: int64_t
    further: int64_t
    idle_left: int64_t
    with_values: int64_t = 0
    stride[0] = 1
    for a in range(found):
        used[a] = 0
        stride[a + 1] = stride[a] * (counts[acting[a]] + 1)
    for s in range(states):
        if layer[s] > 0:
            idle_left = idle - (handed - with_values)
            for a in range(found):
                most[a] = min(limits[part * values + acting[a]], counts[acting[a]] - used[a])
            further = hand_out(sizes[part], found, most, stride, idle_left, s, walk, layer[s], onward, rows)
            if backwards:
                back[s] = further
        a = 0
        while a < found and used[a] == counts[acting[a]]:
            with_values -= used[a]
            used[a] = 0
            a += 1
        if a < found:
            used[a] += 1
            with_values += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_group(
    parts: int64_t,
    sizes: cython.pointer(cython.const[int64_t]),
    values: int64_t,
    counts: cython.pointer(cython.const[int64_t]),
    limits: cython.pointer(cython.const[int64_t]),
    room: cython.pointer(int64_t),
    having: cython.pointer(int64_t),
    of: cython.pointer(int64_t),
) -> cython.void:
    """One group, as :func:`count` says."""
    acting: cython.pointer(int64_t) = room
    rows: cython.pointer(int64_t)
    layers: cython.pointer(int64_t)
    onward: cython.pointer(int64_t)
    back: cython.pointer(int64_t)
    swap: cython.pointer(int64_t)
    rest: cython.pointer(int64_t)
    found: int64_t = find_acting(parts, sizes, values, counts, limits, acting)
    states: int64_t = 1
    every: int64_t = 1
    total: int64_t = 0
    idle: int64_t
    so_far: int64_t = 0
    handed: int64_t = 0
    ways: int64_t
    a: int64_t
    k: int64_t
    i: int64_t
    v: int64_t
    fine: int64_t = 0
    broken: cython.bint = False  # a part has too many already, whatever its rows have
    for i in range(parts):
        total += sizes[i]
    for i in range(parts * values):
        broken = broken or limits[i] < 0
    for a in range(found):
        states *= counts[acting[a]] + 1
        ways = 1
        for k in range(1, counts[acting[a]] + 1):
            ways = ways * (total - so_far - counts[acting[a]] + k) // k
        every *= ways
        so_far += counts[acting[a]]
    idle = total - so_far
    rows = acting + values
    layers = rows + found + 1
    onward = layers + (parts + 1) * states
    back = onward + states
    rest = back + states
    memset(layers, 0, (parts + 3) * states * cython.sizeof(int64_t))
    layers[0] = 1 if not broken else 0
    for i in range(parts):
        pass_over(
            i, False, sizes, values, counts, limits, acting, found, idle, handed, states,
            layers + i * states, layers + (i + 1) * states, cython.NULL, cython.NULL, rest,
        )  # fmt: skip
        handed += sizes[i]
    fine = layers[parts * states + states - 1]
    onward[states - 1] = 1
    for i in range(parts - 1, -1, -1):
        handed -= sizes[i]
        memset(rows, 0, (found + 1) * cython.sizeof(int64_t))
        if fine > 0:
            memset(back, 0, states * cython.sizeof(int64_t))
            pass_over(
                i, True, sizes, values, counts, limits, acting, found, idle, handed, states,
                layers + i * states, onward, back, rows, rest,
            )  # fmt: skip
            swap = onward
            onward = back
            back = swap
        a = 0
        for v in range(values):
            if a < found and acting[a] == v:
                having[i * values + v] = every * counts[v] // total - rows[a] // sizes[i] if sizes[i] > 0 else 0
                a += 1
            else:
                k = every * idle // total - rows[found] // sizes[i] if sizes[i] > 0 else 0
                having[i * values + v] = k * counts[v]
    a = 0
    for v in range(values):
        of[v] = every - fine
        if a < found and acting[a] == v:
            a += 1
        else:
            of[v] *= max(idle, 1)


def count(
    groups: cython.const[int64_t][::1],
    part_starts: cython.const[int64_t][::1],
    sizes: cython.const[int64_t][::1],
    value_starts: cython.const[int64_t][::1],
    counts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    limits: cython.const[int64_t][::1],
    having: int64_t[::1],
    of: int64_t[::1],
) -> None:
    """Of these groups: having / of = the chance that a row of a part has a value, given that some part has too many.

    ``having`` is by part and value like ``limits``, ``of`` by value like ``counts``: 0 where no part can have too many.
    """
    k: int64_t
    v: int64_t
    g: int64_t
    states: int64_t
    values: int64_t
    needed: int64_t = 1
    arena: Arena = Arena()
    room: cython.pointer(int64_t)
    acting: cython.pointer(int64_t)
    found: int64_t
    for k in range(groups.shape[0]):
        needed = max(needed, value_starts[groups[k] + 1] - value_starts[groups[k]])
    acting = int64s(cython.address(arena.room), needed)
    arena.check()
    for k in range(groups.shape[0]):
        g = groups[k]
        values = value_starts[g + 1] - value_starts[g]
        found = find_acting(
            part_starts[g + 1] - part_starts[g],
            cython.address(sizes[part_starts[g]]),
            values,
            cython.address(counts[value_starts[g]]),
            cython.address(limits[cell_starts[g]]),
            acting,
        )
        states = 1
        for v in range(found):
            states *= counts[value_starts[g] + acting[v]] + 1
        needed = max(needed, (part_starts[g + 1] - part_starts[g] + 3) * states + 10 * (values + 1))
    room = int64s(cython.address(arena.room), needed)
    arena.check()
    with cython.nogil:
        for k in range(groups.shape[0]):
            g = groups[k]
            count_group(
                part_starts[g + 1] - part_starts[g],
                cython.address(sizes[part_starts[g]]),
                value_starts[g + 1] - value_starts[g],
                cython.address(counts[value_starts[g]]),
                cython.address(limits[cell_starts[g]]),
                room,
                cython.address(having[cell_starts[g]]),
                cython.address(of[value_starts[g]]),
            )
