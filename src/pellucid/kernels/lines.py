"""Lines of text put together from cells that are spelled already, most of which many lines share.

A table of groups has few different cells: what a group publishes is the same in all its rows. So each cell is spelled
once, with the separator behind it, and a line is a few copies of bytes. ``tests/io/test_csv_lines.py`` holds the plain
definition.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t
from cython.cimports.libc.string import memcpy

WORD = cython.declare(int64_t, 16)  # bytes copied at a time: what is read and written may have so many to spare


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def copy(to: cython.pointer(uint8_t), source: cython.pointer(cython.const[uint8_t]), n: int64_t) -> int64_t:
    """Copy n bytes, and up to 15 more that the next copy overwrites: a copy of known length is one instruction."""
    i: int64_t = 0
    while i < n:
        memcpy(to + i, source + i, 16)
        i += WORD
    return n


def bytes_of_lines(
    first: int64_t,
    last: int64_t,
    box: int64_t,
    starts: cython.const[int64_t][::1],
    keys: cython.const[int32_t][::1],
    of_box: cython.const[uint32_t][:, ::1],
    of_key: cython.const[uint32_t][:, ::1],
    lengths: cython.const[int64_t][::1],
) -> int64_t:
    """How many bytes the lines first..last-1 have; the first one is in this box."""
    total: int64_t = 0
    row: int64_t = first
    end: int64_t
    shared: int64_t
    j: cython.Py_ssize_t
    with cython.nogil:
        while row < last:
            end = starts[box + 1] if starts[box + 1] < last else last
            shared = 0
            for j in range(of_box.shape[0]):
                shared += lengths[of_box[j, box]]
            total += shared * (end - row)
            while row < end:
                for j in range(of_key.shape[0]):
                    total += lengths[of_key[j, keys[row]]]
                row += 1
            box += 1
    return total


def fill(
    first: int64_t,
    last: int64_t,
    box: int64_t,
    starts: cython.const[int64_t][::1],
    keys: cython.const[int32_t][::1],
    of_box: cython.const[uint32_t][:, ::1],
    of_key: cython.const[uint32_t][:, ::1],
    before: cython.const[int64_t][::1],
    begins: cython.const[int64_t][::1],
    lengths: cython.const[int64_t][::1],
    texts: cython.const[uint8_t][::1],
    longest: int64_t,
    shared: uint8_t[::1],
    out: uint8_t[::1],
    reached: int64_t[::1],
) -> None:
    """Write the lines first..last-1, or as many as there is room for: ``reached = [line, its box, bytes written]``.

    Line r of box b is made of the cells ``of_box[:, b]`` and ``of_key[:, keys[r]]``: ``before[j]`` of the former stand
    before the j-th of the latter. Cell c is ``texts[begins[c]:begins[c] + lengths[c]]``. No line has more than
    ``longest`` bytes; ``shared`` has room for one line, and behind it, ``texts`` and ``out`` are 16 bytes to spare.
    """
    row: int64_t = first
    end: int64_t
    at: int64_t = 0
    room: int64_t = out.shape[0] - 16 - longest
    done: int64_t
    n: int64_t
    cell: uint32_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    columns: cython.Py_ssize_t = of_key.shape[0]
    to: cython.pointer(uint8_t) = cython.address(out[0])
    source: cython.pointer(cython.const[uint8_t]) = cython.address(texts[0])
    line: cython.pointer(uint8_t) = cython.address(shared[0])
    with cython.nogil:
        while row < last and at <= room:
            end = starts[box + 1] if starts[box + 1] < last else last
            n = 0
            for j in range(of_box.shape[0]):
                cell = of_box[j, box]
                n += copy(line + n, source + begins[cell], lengths[cell])
            if columns == 1 and before[0] == of_box.shape[0]:  # as most tables are: one column of rows, the last one
                while row < end and at <= room:
                    cell = of_key[0, keys[row]]
                    at += copy(to + at, line, n)
                    at += copy(to + at, source + begins[cell], lengths[cell])
                    row += 1
            else:
                while row < end and at <= room:
                    j = 0
                    done = 0
                    for k in range(columns):
                        n = 0
                        while j < before[k]:
                            n += lengths[of_box[j, box]]
                            j += 1
                        at += copy(to + at, line + done, n)
                        done += n
                        cell = of_key[k, keys[row]]
                        at += copy(to + at, source + begins[cell], lengths[cell])
                    n = 0
                    while j < of_box.shape[0]:
                        n += lengths[of_box[j, box]]
                        j += 1
                    at += copy(to + at, line + done, n)
                    row += 1
            if row == starts[box + 1]:
                box += 1
    reached[0] = row
    reached[1] = box
    reached[2] = at
