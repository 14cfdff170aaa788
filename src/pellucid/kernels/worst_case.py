"""The farthest that so many of a group's rows can be from the table, values in their order."""

import cython
from cython.cimports.libc.stdint import int64_t


def farthest_ordered(
    counts: cython.const[int64_t][::1],
    cumulated: cython.const[int64_t][::1],
    rows: int64_t,
    size: int64_t,
    best: int64_t[::1],
    queue: int64_t[::1],
    held: int64_t[::1],
) -> int:
    """The largest sum of ``abs(chosen so far * rows - cumulated * size)`` over all values but the last.

    ``best``, ``queue`` and ``held`` have room for size + 1 numbers each. After a value, ``best[w]`` is the largest sum
    with w rows chosen so far: its own step plus the best of the last ``count`` + 1 numbers of rows before it, which a
    queue of falling sums keeps at its head.
    """
    value: cython.Py_ssize_t
    last: cython.Py_ssize_t = counts.shape[0] - 1
    reach: int64_t = 0  # the most rows that the values so far can give
    chosen: int64_t
    head: int64_t
    tail: int64_t
    step: int64_t
    before: int64_t
    largest: int64_t = -1
    with cython.nogil:
        best[0] = 0
        for value in range(last):
            before = reach
            reach = min(size, reach + counts[value])
            head = 0
            tail = 0
            for chosen in range(reach + 1):
                if chosen <= before:
                    while tail > head and held[tail - 1] <= best[chosen]:
                        tail -= 1
                    queue[tail] = chosen
                    held[tail] = best[chosen]
                    tail += 1
                while queue[head] < chosen - counts[value]:
                    head += 1
                step = chosen * rows - cumulated[value] * size
                best[chosen] = held[head] + (step if step >= 0 else -step)
        for chosen in range(max(0, size - counts[last]), reach + 1):
            if best[chosen] > largest:
                largest = best[chosen]
    return largest
