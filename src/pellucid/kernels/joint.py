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
