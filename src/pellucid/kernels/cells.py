"""What people may have, cell by cell: who learns from a release goes over all of them many times.

Group g has the people ``members[starts[g]:starts[g + 1]]`` and the values ``codes[value_starts[g]:value_starts[g +
1]]``, each ``counts`` times. Its cells begin at ``cell_starts[g]``: one for each of its people and values, the values
of a person beside each other. A cell belongs to a pair of what a person looks like and a value. The number of the pair
is ``keys[person] * width + code``, or ``pairs[cell]`` where that would be too large a table (then ``width`` is 0).

``simple`` groups have as many different values as people, and small ones of the same size are counted eight at a time.

The plain definitions are in tests/plain/cells.py.
"""

import cython
from cython.cimports.libc.math import exp
from cython.cimports.libc.stdint import int8_t, int32_t, int64_t
from cython.cimports.libc.string import memset
from cython.cimports.pellucid.kernels.arena import Arena, claimed, doubles, int32s
from cython.cimports.pellucid.kernels.permanents import assignments, states_of

LANES = cython.declare(cython.int, 8)


def frequencies(
    first: int64_t,
    last: int64_t,
    starts: cython.const[int64_t][::1],
    counts: cython.const[int32_t][::1],
    value_starts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    cells: cython.double[::1],
) -> None:
    """What counting gives for the groups first..last-1: each of a group's people has a value with the same chance."""
    g: int64_t
    i: int64_t
    v: int64_t
    cell: int64_t
    with cython.nogil:
        for g in range(first, last):
            cell = cell_starts[g]
            for i in range(starts[g], starts[g + 1]):
                for v in range(value_starts[g], value_starts[g + 1]):
                    cells[cell] = cython.cast(cython.double, counts[v]) / (starts[g + 1] - starts[g])
                    cell += 1


def add_up(
    first: int64_t,
    last: int64_t,
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    value_starts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    keys: cython.const[int32_t][::1],
    width: int64_t,
    pairs: cython.const[int32_t][::1],
    cells: cython.const[cython.double][::1],
    sums: cython.double[::1],
) -> None:
    """sums[pair] += every cell of the pair."""
    g: int64_t
    i: int64_t
    v: int64_t
    cell: int64_t
    base: int64_t
    with cython.nogil:
        for g in range(first, last):
            cell = cell_starts[g]
            for i in range(starts[g], starts[g + 1]):
                if width == 0:
                    for v in range(value_starts[g], value_starts[g + 1]):
                        sums[pairs[cell]] += cells[cell]
                        cell += 1
                else:
                    base = cython.cast(int64_t, keys[members[i]]) * width
                    for v in range(value_starts[g], value_starts[g + 1]):
                        sums[base + codes[v]] += cells[cell]
                        cell += 1


def look_up(
    first: int64_t,
    last: int64_t,
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    value_starts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    keys: cython.const[int32_t][::1],
    width: int64_t,
    pairs: cython.const[int32_t][::1],
    table: cython.const[cython.double][::1],
    cells: cython.double[::1],
) -> None:
    """Add to every cell what the table has for its pair."""
    g: int64_t
    i: int64_t
    v: int64_t
    cell: int64_t
    base: int64_t
    with cython.nogil:
        for g in range(first, last):
            cell = cell_starts[g]
            for i in range(starts[g], starts[g + 1]):
                if width == 0:
                    for v in range(value_starts[g], value_starts[g + 1]):
                        cells[cell] += table[pairs[cell]]
                        cell += 1
                else:
                    base = cython.cast(int64_t, keys[members[i]]) * width
                    for v in range(value_starts[g], value_starts[g + 1]):
                        cells[cell] += table[base + codes[v]]
                        cell += 1


def raise_e(
    first: int64_t,
    last: int64_t,
    starts: cython.const[int64_t][::1],
    value_starts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    cells: cython.double[::1],
) -> None:
    """From logarithms to weights, so that the largest of each person is 1."""
    g: int64_t
    i: int64_t
    v: int64_t
    cell: int64_t
    width: int64_t
    most: cython.double
    with cython.nogil:
        for g in range(first, last):
            width = value_starts[g + 1] - value_starts[g]
            cell = cell_starts[g]
            for i in range(starts[g], starts[g + 1]):
                most = cells[cell]
                for v in range(1, width):
                    if cells[cell + v] > most:
                        most = cells[cell + v]
                for v in range(width):
                    cells[cell + v] = exp(cells[cell + v] - most)
                cell += width


def likeliest(
    first: int64_t,
    last: int64_t,
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    value_starts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    cells: cython.const[cython.double][::1],
    equal: cython.double,
    most: cython.double[::1],
    code: int32_t[::1],
) -> None:
    """most[person] = the largest cell of a person, code[person] = the first value with a cell of ``equal`` times that.

    The plain definition is :func:`pellucid.risk.inference.best_guess.best_place`.
    """
    g: int64_t
    i: int64_t
    v: int64_t
    cell: int64_t
    best: int64_t
    enough: cython.double
    with cython.nogil:
        for g in range(first, last):
            cell = cell_starts[g]
            for i in range(starts[g], starts[g + 1]):
                best = 0
                for v in range(value_starts[g + 1] - value_starts[g]):
                    if cells[cell + v] > cells[cell + best]:
                        best = v
                most[members[i]] = cells[cell + best]
                enough = cells[cell + best] * equal
                for v in range(best):
                    if cells[cell + v] >= enough:
                        best = v
                        break
                code[members[i]] = codes[value_starts[g] + best]
                cell += value_starts[g + 1] - value_starts[g]


def chances(
    first: int64_t,
    last: int64_t,
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    asked: cython.const[int8_t][::1],
    value_starts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    cells: cython.const[cython.double][::1],
    out: cython.double[::1],
) -> None:
    """out[person] = the sum of the cells whose value is asked about (``asked`` is by value of a group)."""
    g: int64_t
    i: int64_t
    v: int64_t
    cell: int64_t
    total: cython.double
    with cython.nogil:
        for g in range(first, last):
            cell = cell_starts[g]
            for i in range(starts[g], starts[g + 1]):
                total = 0
                for v in range(value_starts[g], value_starts[g + 1]):
                    if asked[v]:
                        total += cells[cell]
                    cell += 1
                out[members[i]] = total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_subsets(
    n: cython.int,
    u: cython.pointer(cython.double),
    forward: cython.pointer(cython.double),
    backward: cython.pointer(cython.double),
    bits: cython.pointer(int8_t),
    listed: cython.pointer(int8_t),
    found: cython.pointer(cython.double),
) -> cython.void:
    """Of eight groups at once, each with n people and n values: found[person, value, lane] = its share, NaN for none.

    ``u[person, value, lane]`` are the weights. A subset of the values is what the first people have, so both passes
    visit each subset once. ``bits[mask]`` values are in a subset: the first of its n in ``listed``, the last one first;
    then those that are not. (Loops over lanes have a literal bound, so that they become a few vectors.)
    """
    mask: int64_t
    bit: int64_t
    subsets: int64_t = 1
    person: cython.int
    value: cython.int
    place: cython.int
    lane: cython.int
    there: cython.pointer(cython.double)
    weight: cython.pointer(cython.double)
    sums: cython.pointer(cython.double)
    here: cython.double[8]
    before: cython.double[8]
    subsets <<= n
    memset(found, 0, n * n * 8 * cython.sizeof(cython.double))
    for lane in range(8):
        forward[lane] = 1
        backward[(subsets - 1) * 8 + lane] = 1
    for mask in range(1, subsets - 1):
        person = bits[mask] - 1
        for lane in range(8):
            here[lane] = 0
        for place in range(bits[mask]):
            value = listed[mask * n + place]
            bit = 1
            bit = mask ^ (bit << value)
            there = forward + bit * 8
            weight = u + (person * n + value) * 8
            for lane in range(8):
                here[lane] += there[lane] * weight[lane]
        for lane in range(8):
            forward[mask * 8 + lane] = here[lane]
    for mask in range(subsets - 2, -1, -1):
        person = bits[mask]
        for lane in range(8):
            here[lane] = 0
            before[lane] = forward[mask * 8 + lane]
        for place in range(person, n):
            value = listed[mask * n + place]
            bit = 1
            bit = mask | (bit << value)
            there = backward + bit * 8
            weight = u + (person * n + value) * 8
            sums = found + (person * n + value) * 8
            for lane in range(8):
                here[lane] += there[lane] * weight[lane]
            for lane in range(8):
                sums[lane] += before[lane] * there[lane]
        for lane in range(8):
            backward[mask * 8 + lane] = here[lane]
    for person in range(n * n):
        for lane in range(8):
            found[person * 8 + lane] *= u[person * 8 + lane] / backward[lane]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_subsets(n: cython.int, bits: cython.pointer(int8_t), listed: cython.pointer(int8_t)) -> cython.void:
    """How many values each subset has, and which: those in it from the last to the first, then the others."""
    mask: int64_t
    subsets: int64_t = 1
    value: cython.int
    place: cython.int
    subsets <<= n
    for mask in range(subsets):
        place = 0
        for value in range(n - 1, -1, -1):
            if (mask >> value) & 1:
                listed[mask * n + place] = value
                place += 1
        bits[mask] = place
        for value in range(n):
            if not (mask >> value) & 1:
                listed[mask * n + place] = value
                place += 1


def simply(
    groups: cython.const[int64_t][::1],
    size: cython.int,
    cell_starts: cython.const[int64_t][::1],
    least: cython.double,
    cells: cython.double[::1],
    sums: cython.double[::1],
) -> None:
    """From weights to posteriors in these groups of ``size`` people, each of whom has another value.

    sums[group] = that of all arrangements, each person's largest weight being 1; where it is below ``least`` the cells
    are left as they were.
    """
    subsets: int64_t = 1
    k: int64_t
    cell: int64_t
    lane: cython.int
    i: cython.int
    n: int64_t = groups.shape[0]
    most: cython.double = 0  # the first cell of every person sets it, which compilers do not see
    arena: Arena = Arena()
    room: cython.pointer(cython.double)
    u: cython.pointer(cython.double)
    found: cython.pointer(cython.double)
    backward: cython.pointer(cython.double)
    bits: cython.pointer(int8_t)
    subsets <<= size
    room = doubles(cython.address(arena.room), (2 * subsets + 2 * size * size) * LANES)
    bits = cython.cast(cython.pointer(int8_t), claimed(cython.address(arena.room), subsets * (size + 1)))
    arena.check()
    with cython.nogil:
        backward = room + subsets * LANES
        u = backward + subsets * LANES
        found = u + size * size * LANES
        list_subsets(size, bits, bits + subsets)
        k = 0
        while k < n:
            for lane in range(LANES):
                cell = cell_starts[groups[k + lane if k + lane < n else n - 1]]
                for i in range(size * size):
                    if i % size == 0:
                        most = largest_of(cython.address(cells[cell + i]), size)
                    u[i * LANES + lane] = cells[cell + i] / most if most > 0 else 0
            count_subsets(size, u, room, backward, bits, bits + subsets, found)
            for lane in range(LANES if k + LANES <= n else n - k):
                sums[groups[k + lane]] = backward[lane]
                if backward[lane] >= least:
                    cell = cell_starts[groups[k + lane]]
                    for i in range(size * size):
                        cells[cell + i] = found[i * LANES + lane]
            k += LANES


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def largest_of(numbers: cython.pointer(cython.double), n: cython.int) -> cython.double:
    most: cython.double = numbers[0]
    i: cython.int
    for i in range(1, n):
        if numbers[i] > most:
            most = numbers[i]
    return most


def by_values(
    groups: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    counts: cython.const[int32_t][::1],
    value_starts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    least: cython.double,
    cells: cython.double[::1],
    done: int8_t[::1],
) -> None:
    """The same for groups of any values, rows of one value counted together; the caller has bounded their states."""
    k: int64_t
    g: int64_t
    n: cython.int
    m: cython.int
    i: int64_t
    states: int64_t
    limit: int64_t = 1
    total: cython.double
    largest: int64_t = 0
    cell: int64_t
    people: int64_t = 1
    widest: int64_t = 1
    arena: Arena = Arena()
    room: cython.pointer(cython.double)
    out: cython.pointer(cython.double)
    ones: cython.pointer(int32_t)
    limit <<= 60
    for k in range(groups.shape[0]):
        g = groups[k]
        n = starts[g + 1] - starts[g]
        m = value_starts[g + 1] - value_starts[g]
        states = states_of(cython.address(counts[value_starts[g]]), m, limit)
        if n < 60 and states > (cython.cast(int64_t, 1) << n):
            states = cython.cast(int64_t, 1) << n
        largest = max(largest, 2 * states + 2 * n * m + 4 * (n + m))
        people = max(people, n)
        widest = max(widest, cython.cast(int64_t, n) * m)
    room = doubles(cython.address(arena.room), largest + widest)
    ones = int32s(cython.address(arena.room), people)
    arena.check()
    with cython.nogil:
        out = room + largest
        for i in range(people):
            ones[i] = 1
        for k in range(groups.shape[0]):
            g = groups[k]
            n = starts[g + 1] - starts[g]
            m = value_starts[g + 1] - value_starts[g]
            cell = cell_starts[g]
            total = assignments(
                cython.address(cells[cell]), n, ones, m, cython.address(counts[value_starts[g]]), out, room
            )
            done[g] = total > least and total < 1 / least
            if done[g]:
                for i in range(cython.cast(int64_t, n) * m):
                    cells[cell + i] = out[i]


def balance(
    groups: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    counts: cython.const[int32_t][::1],
    value_starts: cython.const[int64_t][::1],
    cell_starts: cython.const[int64_t][::1],
    rounds: cython.int,
    settled: cython.double,
    columns: cython.double[::1],
    cells: cython.double[::1],
) -> None:
    """The same approximately, for groups of any size: scaled until people sum to one and values to their rows.

    ``columns`` has room for the values of any of the groups.
    """
    k: int64_t
    g: int64_t
    n: int64_t
    m: int64_t
    i: int64_t
    v: int64_t
    cell: int64_t
    t: cython.int
    total: cython.double
    off: cython.double
    with cython.nogil:
        for k in range(groups.shape[0]):
            g = groups[k]
            n = starts[g + 1] - starts[g]
            m = value_starts[g + 1] - value_starts[g]
            for t in range(rounds + 1):
                cell = cell_starts[g]
                for v in range(m):
                    columns[v] = 0
                for i in range(n):
                    total = 0
                    for v in range(m):
                        total += cells[cell + v]
                    if not total > 0:
                        total = 1
                    for v in range(m):
                        cells[cell + v] /= total
                        columns[v] += cells[cell + v]
                    cell += m
                if t == rounds:
                    break
                off = 0
                for v in range(m):
                    columns[v] /= counts[value_starts[g] + v]
                    if not columns[v] > 0:
                        columns[v] = 1
                    off = max(off, columns[v] - 1, 1 - columns[v])
                if off < settled:
                    break
                cell = cell_starts[g]
                for i in range(n):
                    for v in range(m):
                        cells[cell + v] /= columns[v]
                    cell += m
