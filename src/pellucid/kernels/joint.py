"""How much of what boxes publish falls on given vectors: each box is spread evenly over what it leaves open.

Choice i of column c has number ``offsets[c] + i``; it has the weight ``share[j]`` in cell ``cell[j]`` of the column,
for j from ``starts[number]`` to ``starts[number + 1] - 1``. ``vectors[v, c]`` is the cell of vector v; vectors are in
lexicographic order, and those whose first cell is a are ``firsts[a]`` onwards. Vector v is asked about for the codes
``asked[asked_starts[v]:asked_starts[v + 1]]``, ascending, and box b holds ``mass[i]`` rows of code ``codes[i]`` for i
in ``box_starts[b]`` onwards.

The plain definition is ``joint`` in tests/plain/metrics.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t


def spread(
    first: int64_t,
    last: int64_t,
    of_box: cython.const[int32_t][:, ::1],
    offsets: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    cell: cython.const[int32_t][::1],
    share: cython.const[cython.double][::1],
    vectors: cython.const[int32_t][:, ::1],
    firsts: cython.const[int64_t][::1],
    asked_starts: cython.const[int64_t][::1],
    asked: cython.const[int32_t][::1],
    box_starts: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    mass: cython.const[cython.double][::1],
    weights: cython.double[:, ::1],
    held: cython.double[::1],
    out: cython.double[::1],
) -> None:
    """Add what the boxes first..last-1 hold to ``out``; ``weights`` and ``held`` are zero before and after."""
    b: int64_t
    c: int64_t
    i: int64_t
    j: int64_t
    v: int64_t
    low: int64_t
    high: int64_t
    middle: int64_t
    number: int64_t
    lead: int64_t
    left: int32_t
    right: int32_t
    part: cython.double
    columns: int64_t = of_box.shape[0]
    with cython.nogil:
        for b in range(first, last):
            for c in range(columns):
                number = offsets[c] + of_box[c, b]
                for j in range(starts[number], starts[number + 1]):
                    weights[c, cell[j]] = share[j]
            for i in range(box_starts[b], box_starts[b + 1]):
                held[codes[i]] = mass[i]
            lead = offsets[0] + of_box[0, b]
            left = 0
            right = 0x7FFFFFFF
            if columns > 1:
                number = offsets[1] + of_box[1, b]
                if starts[number] == starts[number + 1]:
                    right = -1
                else:
                    left = cell[starts[number]]
                    right = cell[starts[number + 1] - 1]
            for j in range(starts[lead], starts[lead + 1]):
                low = firsts[cell[j]]
                high = firsts[cell[j] + 1]
                if columns > 1:
                    # among the vectors with this first cell, those from the second column's first cell on
                    i = high
                    while low < i:
                        middle = (low + i) // 2
                        if vectors[middle, 1] < left:
                            low = middle + 1
                        else:
                            i = middle
                for v in range(low, high):
                    if columns > 1 and vectors[v, 1] > right:
                        break
                    part = share[j]
                    for c in range(1, columns):
                        part *= weights[c, vectors[v, c]]
                        if part == 0:
                            break
                    if part > 0:
                        for i in range(asked_starts[v], asked_starts[v + 1]):
                            out[i] += part * held[asked[i]]
            for c in range(columns):
                number = offsets[c] + of_box[c, b]
                for j in range(starts[number], starts[number + 1]):
                    weights[c, cell[j]] = 0
            for i in range(box_starts[b], box_starts[b + 1]):
                held[codes[i]] = 0


LANES = cython.declare(cython.int, 4)  # neighbouring cells that are added to at once


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_to_lanes(
    to: cython.pointer(cython.double), line: cython.pointer(cython.double), part: cython.double, rows: cython.double
) -> cython.void:
    first: cython.double = part * line[0] * rows
    second: cython.double = part * line[1] * rows
    third: cython.double = part * line[2] * rows
    fourth: cython.double = part * line[3] * rows
    to[0] += first
    to[1] += second
    to[2] += third
    to[3] += fourth


def spread_over_grid(
    first: int64_t,
    last: int64_t,
    of_box: cython.const[int32_t][:, ::1],
    offsets: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    cell: cython.const[int32_t][::1],
    share: cython.const[cython.double][::1],
    strides: cython.const[int64_t][::1],
    box_starts: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    mass: cython.const[cython.double][::1],
    room: cython.double[::1],
    out: cython.double[::1],
) -> None:
    """The same for three columns and every vector that there could be, the terms and their order being those above.

    ``out[strides[0] * a + strides[1] * b + strides[2] * c + code]`` is that of the cells a, b and c and a code. For a
    column that is not there take one choice with one cell and the share 1. Where there are no codes (``strides[2]`` is
    1), each box has one mass. ``out`` has ``LANES`` more than these, and ``room`` as many as the third column has cells
    and ``LANES`` more.
    """
    b: int64_t
    i: int64_t
    j: int64_t
    k: int64_t
    m: int64_t
    n: int64_t
    at: int64_t
    begin: int64_t
    number0: int64_t
    number1: int64_t
    number2: int64_t
    part: cython.double
    both: cython.double
    rows: cython.double = 0  # what the compiler cannot see to be set
    to: cython.pointer(cython.double)
    line: cython.pointer(cython.double)
    in_line: cython.bint
    with cython.nogil:
        for b in range(first, last):
            number0 = offsets[0] + of_box[0, b]
            number1 = offsets[1] + of_box[1, b]
            number2 = offsets[2] + of_box[2, b]
            begin = starts[number2]
            n = starts[number2 + 1] - begin
            in_line = strides[2] == 1 and n > 0 and cell[begin + n - 1] - cell[begin] == n - 1
            if in_line:  # neighbouring cells, some at a time; behind the last one nothing is added
                for k in range(n):
                    room[k] = share[begin + k]
                for k in range(n, n + LANES):
                    room[k] = 0
                line = cython.address(room[0])
                rows = mass[b]
            for i in range(starts[number0], starts[number0 + 1]):
                for j in range(starts[number1], starts[number1 + 1]):
                    part = share[i] * share[j]
                    at = strides[0] * cell[i] + strides[1] * cell[j]
                    if in_line:
                        to = cython.address(out[at + cell[begin]])
                        k = 0
                        while k < n:
                            add_to_lanes(to + k, line + k, part, rows)
                            k += LANES
                        continue
                    for k in range(begin, begin + n):
                        both = part * share[k]
                        to = cython.address(out[at + strides[2] * cell[k]])
                        for m in range(box_starts[b], box_starts[b + 1]):
                            to[codes[m]] += both * mass[m]
