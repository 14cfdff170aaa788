"""Counting the sensitive values of groups: every pass is linear, and no row is compared with another."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t


def tally(codes: cython.const[int32_t][::1], counts: int64_t[::1]) -> None:
    """Add to ``counts[code]`` how often each code occurs."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(codes.shape[0]):
            counts[codes[row]] += 1


def tally_pairs(
    first: cython.const[int32_t][::1], second: cython.const[int32_t][::1], seconds: int64_t, counts: int64_t[::1]
) -> None:
    """Add to ``counts[first * seconds + second]`` how often each pair of codes occurs."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(first.shape[0]):
            counts[first[row] * seconds + second[row]] += 1


def by_code(
    labels: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    ends: int64_t[::1],
    out: int32_t[::1],
) -> None:
    """The labels of the rows in ascending order of their codes; ``ends[code]`` begins as the code's first place.

    Rows with a negative label are left out. Afterwards ``ends[code]`` is one past the code's last place.
    """
    row: cython.Py_ssize_t
    label: int32_t
    with cython.nogil:
        for row in range(labels.shape[0]):
            label = labels[row]
            if label >= 0:
                out[ends[codes[row]]] = label
                ends[codes[row]] += 1


def distinct(
    labels: cython.const[int32_t][::1],
    ends: cython.const[int64_t][::1],
    last: int32_t[::1],
    found: int64_t[::1],
    sizes: int64_t[::1],
) -> None:
    """How many codes each label meets, and how often it occurs; ``last`` begins as -1 for every label."""
    code: cython.Py_ssize_t
    place: int64_t = 0
    with cython.nogil:
        for code in range(ends.shape[0]):
            while place < ends[code]:
                if last[labels[place]] != code:
                    last[labels[place]] = cython.cast(int32_t, code)
                    found[labels[place]] += 1
                sizes[labels[place]] += 1
                place += 1


def fill(
    labels: cython.const[int32_t][::1],
    ends: cython.const[int64_t][::1],
    last: int32_t[::1],
    places: int64_t[::1],
    out_codes: int32_t[::1],
    out_counts: int64_t[::1],
) -> None:
    """Each label's codes, ascending, and their counts; ``last`` begins as -1, ``places[label]`` as its first place."""
    code: cython.Py_ssize_t
    place: int64_t = 0
    label: int32_t
    with cython.nogil:
        for code in range(ends.shape[0]):
            while place < ends[code]:
                label = labels[place]
                if last[label] != code:
                    last[label] = cython.cast(int32_t, code)
                    out_codes[places[label]] = cython.cast(int32_t, code)
                    out_counts[places[label]] = 0
                    places[label] += 1
                out_counts[places[label] - 1] += 1
                place += 1


def largest_sums(
    counts: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    values: int64_t,
    largest: int64_t[::1],
    sums: int64_t[::1],
) -> None:
    """Per group the sum of its so many largest counts; ``largest`` has room for that many numbers."""
    group: cython.Py_ssize_t
    place: int64_t
    i: int64_t
    kept: int64_t
    count: int64_t
    total: int64_t
    with cython.nogil:
        for group in range(sums.shape[0]):
            kept = 0
            total = 0
            for place in range(starts[group], starts[group + 1]):
                count = counts[place]
                if kept == values:
                    if values == 0 or count <= largest[kept - 1]:
                        continue
                    total -= largest[kept - 1]
                    kept -= 1
                i = kept  # insertion: the numbers kept so far stand largest first
                while i > 0 and largest[i - 1] < count:
                    largest[i] = largest[i - 1]
                    i -= 1
                largest[i] = count
                kept += 1
                total += count
            sums[group] = total


def foretold_by_others(
    first: cython.const[int64_t][::1],
    second: cython.const[int64_t][::1],
    rows: cython.const[int64_t][::1],
    of_all: int64_t[::1],
    of_repeating: int64_t[::1],
) -> tuple:
    """Over cells sorted by ``first``: how many rows have the most frequent ``second`` of their nearest others.

    The classes are the stretches of equal ``first``. A row's nearest others are the others of its class, or for a row
    alone in its class the most frequent value of each class beside it. A tie among others is decided by a coin: it
    counts in part. Returns for all classes, and for those of several rows, (rows hit, alone in a class half each;
    classes), and adds the rows of each value to ``of_all`` and ``of_repeating``.
    """
    cells: int64_t = first.shape[0]
    a: int64_t = 0
    b: int64_t
    i: int64_t
    size: int64_t
    top: int64_t
    runner_up: int64_t
    rivals: int64_t
    value: int64_t
    before: int64_t = -1  # the most frequent value of the class before
    last: int64_t = -1  # of the class before that
    alone: cython.bint = False  # whether the class before is of one row
    classes: int64_t = 0
    repeating: int64_t = 0
    agreeing: int64_t = 0  # neighbours of rows alone that agree, of two
    whole: int64_t = 0
    parts: cython.double = 0.0
    with cython.nogil:
        while a < cells:
            b = a
            size = 0
            top = 0
            runner_up = 0
            value = -1
            while b < cells and first[b] == first[a]:
                size += rows[b]
                if rows[b] > top:
                    runner_up = top
                    top = rows[b]
                    value = second[b]
                elif rows[b] > runner_up:
                    runner_up = rows[b]
                of_all[second[b]] += rows[b]
                b += 1
            if size > 1:
                repeating += 1
                rivals = 0
                for i in range(a, b):
                    of_repeating[second[i]] += rows[i]
                    rivals += rows[i] == runner_up
                # without the row itself its value has top - 1 others
                if top - 1 > runner_up:
                    whole += top
                elif top - 1 == runner_up and runner_up > 0:
                    parts += cython.cast(cython.double, top) / (1 + rivals)
            if alone:
                agreeing += (value == before) * (1 + (last < 0))
                agreeing += last >= 0 and last == before
            classes += 1
            alone = size == 1
            last = before
            before = value
            a = b
        if alone and last >= 0:
            agreeing += 2 * (last == before)
    return whole + parts + agreeing / 2.0, classes, whole + parts, repeating


def first_above(
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    codes: cython.const[int32_t][::1],
    counted: cython.const[cython.uchar][::1],
    l: int64_t,
    tally: int64_t[::1],
) -> int64_t:
    """The first group of first..last - 1 in which more than one row in l has the same counted code; -1: there is none.

    Group g has the rows ``members[starts[g]:starts[g + 1]]``. ``tally`` has a zero for each code.
    """
    found: int64_t = -1
    g: int64_t
    p: int64_t
    code: int32_t
    with cython.nogil:
        for g in range(first, last):
            for p in range(starts[g], starts[g + 1]):
                code = codes[members[p]]
                if counted[code]:
                    # counts begin at the number of rows before the group, which no count of an earlier one exceeds
                    tally[code] = max(tally[code], starts[g]) + 1
                    if (tally[code] - starts[g]) * l > starts[g + 1] - starts[g]:
                        found = g
                        break
            if found >= 0:
                break
    return found


def first_unit_above(
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    units: cython.const[int32_t][::1],
    places: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    l: int64_t,
    tally: int64_t[::1],
) -> int64_t:
    """As :func:`first_above`, where a row belongs to a unit and what the unit has counts, in whichever of its rows.

    ``units[row]`` is its unit, and unit u has the different codes ``codes[places[u]:places[u + 1]]``, counted ones all.
    """
    found: int64_t = -1
    g: int64_t
    p: int64_t
    i: int64_t
    unit: int32_t
    with cython.nogil:
        for g in range(first, last):
            for p in range(starts[g], starts[g + 1]):
                unit = units[members[p]]
                for i in range(places[unit], places[unit + 1]):
                    tally[codes[i]] = max(tally[codes[i]], starts[g]) + 1
                    if (tally[codes[i]] - starts[g]) * l > starts[g + 1] - starts[g]:
                        found = g
                        break
                if found >= 0:
                    break
            if found >= 0:
                break
    return found


def mark(rows: cython.const[int32_t][::1], seen: cython.uchar[::1]) -> None:
    """Mark every row as seen; several threads may do so at once, as all write the same."""
    p: cython.Py_ssize_t
    with cython.nogil:
        for p in range(rows.shape[0]):
            seen[rows[p]] = 1
