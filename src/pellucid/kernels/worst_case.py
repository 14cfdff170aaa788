"""The farthest that so many of a group's rows can be from the table, values in their order."""

import cython
from cython.cimports.libc.math import fabs, log
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


def least_by_entropy(
    counts: cython.const[int64_t][::1],
    logarithm: cython.double,
    uniform: int64_t,
    margin: cython.double,
    most: int64_t,
) -> int:
    """The first size at which the most concentrated choice, largest counts first, has an entropy of ``logarithm``.

    ``counts`` ascend; ``uniform`` is the number that it is the logarithm of where that is an integer, else 0. More
    than ``most`` when the size is larger than that; -1 when floats cannot tell.
    """
    n: cython.Py_ssize_t = counts.shape[0]
    i: cython.Py_ssize_t
    size: int64_t
    filled: int64_t = 0  # rows of the values that are taken in full
    low: int64_t = 1
    high: int64_t
    rest: int64_t
    weighted: cython.double = 0.0  # the sum of count * ln(count) over them
    excess: cython.double
    unsure: cython.bint = False
    passed: cython.bint = False
    with cython.nogil:
        # passing grows with the size: first find the value that makes it pass, then how many of its rows
        for i in range(n - 1, -1, -1):
            if filled >= most:
                break
            high = min(most, filled + counts[i])
            size = high
            low = filled + 1
            while True:
                rest = size - filled
                excess = size * (log(cython.cast(cython.double, size)) - logarithm) - weighted
                excess -= rest * log(cython.cast(cython.double, rest))
                if uniform == n - i and rest == counts[n - 1] and filled == (n - 1 - i) * rest:
                    excess = 1.0  # so many equal counts have exactly this entropy
                elif fabs(excess) <= margin * size * (1.0 + log(cython.cast(cython.double, size))):
                    unsure = True
                    break
                if not passed and excess < 0.0:
                    break  # not even with all rows of this value
                passed = True
                if excess >= 0.0:
                    high = size
                else:
                    low = size + 1
                if low >= high:
                    break
                size = (low + high) // 2
            if passed or unsure:
                break
            weighted += counts[i] * log(cython.cast(cython.double, counts[i]))
            filled += counts[i]
    if unsure:
        return -1
    return high if passed else most + 1


def fullest_window(
    codes: cython.const[int64_t][::1],
    counts: cython.const[int64_t][::1],
    beyond: cython.const[int64_t][::1],
    first: int64_t,
) -> int:
    """The most rows whose codes lie from some code to below what is ``beyond`` it; codes below ``first`` always do.

    Codes ascend, and so does ``beyond``.
    """
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    always: int64_t = 0
    inside: int64_t = 0
    most: int64_t = 0
    with cython.nogil:
        a = 0
        while a < codes.shape[0] and codes[a] < first:
            always += counts[a]
            a += 1
        b = a
        while a < codes.shape[0]:
            while b < codes.shape[0] and codes[b] < beyond[codes[a]]:
                inside += counts[b]
                b += 1
            most = max(most, inside)
            inside -= counts[a]
            a += 1
    return always + most
