"""The farthest that so many of a group's rows can be from the table, values in their order."""

import cython
from cython.cimports.libc.math import fabs, log
from cython.cimports.libc.stdint import int64_t
from cython.cimports.pellucid.kernels.arena import Arena, int64s


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


def take_value(rarest: int64_t[::1], count: int64_t, whole: int64_t) -> None:
    """One more value for the knapsack: ``rarest[w]`` is the least of the table that a set with w rows makes up."""
    w: cython.Py_ssize_t
    with cython.nogil:
        for w in range(rarest.shape[0] - 1, count - 1, -1):
            if rarest[w - count] + whole < rarest[w]:
                rarest[w] = rarest[w - count] + whole


# A group against a table, values in their order: only the values that the group has are visited.
Line = cython.struct(
    codes=cython.pointer(cython.const[int64_t]),
    counts=cython.pointer(cython.const[int64_t]),
    present=int64_t,
    group=int64_t,  # rows of the group
    cumulated=cython.pointer(cython.const[int64_t]),
    summed=cython.pointer(cython.const[int64_t]),  # sums of the first so many of them
    values=int64_t,
    rows=int64_t,  # of the table
    above=int64_t,  # the largest sum for a size is size * above / below
    below=int64_t,
    best=cython.pointer(int64_t),
    queue=cython.pointer(int64_t),
    held=cython.pointer(int64_t),
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def steps(line: cython.pointer(Line), chosen: int64_t, size: int64_t, first: int64_t, end: int64_t) -> int64_t:
    """The sum of ``abs(chosen * rows - cumulated * size)`` over the values from first to before end."""
    level: int64_t = chosen * line.rows
    low: int64_t = first
    high: int64_t = end
    middle: int64_t
    while low < high:  # the first value that is above
        middle = (low + high) // 2
        if line.cumulated[middle] * size > level:
            high = middle
        else:
            low = middle + 1
    return (
        (low - first) * level
        - size * (line.summed[low] - line.summed[first])
        + size * (line.summed[end] - line.summed[low])
        - (end - low) * level
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def passes_at_ends(line: cython.pointer(Line), size: int64_t) -> cython.bint:
    """Whether the lowest rows are near enough, and the highest."""
    i: int64_t
    end: int64_t
    running: int64_t = 0
    bound: int64_t = size * line.above // line.below
    low: int64_t = size * line.summed[line.codes[0]]
    high: int64_t = low
    for i in range(line.present):
        running += line.counts[i]
        end = line.codes[i + 1] if i + 1 < line.present else line.values - 1
        if end > line.codes[i]:
            low += steps(line, min(running, size), size, line.codes[i], end)
            high += steps(line, max(running - line.group + size, 0), size, line.codes[i], end)
    return low <= bound and high <= bound


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def passes_always(line: cython.pointer(Line), size: int64_t) -> cython.bint:
    """Whether any so many rows are near enough; as :func:`farthest_ordered`."""
    i: int64_t
    reach: int64_t = 0
    before: int64_t
    chosen: int64_t
    head: int64_t
    tail: int64_t
    largest: int64_t = -1
    last: int64_t = line.present - 1
    line.best[0] = size * line.summed[line.codes[0]]
    for i in range(last):
        before = reach
        reach = min(size, reach + line.counts[i])
        head = 0
        tail = 0
        for chosen in range(reach + 1):
            if chosen <= before:
                while tail > head and line.held[tail - 1] <= line.best[chosen]:
                    tail -= 1
                line.queue[tail] = chosen
                line.held[tail] = line.best[chosen]
                tail += 1
            while line.queue[head] < chosen - line.counts[i]:
                head += 1
            line.best[chosen] = line.held[head] + steps(line, chosen, size, line.codes[i], line.codes[i + 1])
    for chosen in range(max(0, size - line.counts[last]), reach + 1):
        if line.best[chosen] > largest:
            largest = line.best[chosen]
    if line.values - 1 > line.codes[last]:
        largest += steps(line, size, size, line.codes[last], line.values - 1)
    return largest <= size * line.above // line.below


def least_ordered(
    codes: cython.const[int64_t][::1],
    counts: cython.const[int64_t][::1],
    cumulated: cython.const[int64_t][::1],
    summed: cython.const[int64_t][::1],
    above: int64_t,
    below: int64_t,
    most: int64_t,
) -> int:
    """The first size of which any rows are at most size * above / below from the table; more than most if larger."""
    line: Line
    low: int64_t = 1
    high: int64_t = most
    middle: int64_t
    step: int64_t = 1
    i: cython.Py_ssize_t
    arena: Arena = Arena()
    line.best = int64s(cython.address(arena.room), 3 * (most + 1))
    arena.check()
    line.codes = cython.address(codes[0])
    line.counts = cython.address(counts[0])
    line.present = codes.shape[0]
    line.cumulated = cython.address(cumulated[0])
    line.summed = cython.address(summed[0])
    line.values = cumulated.shape[0]
    line.rows = cumulated[cumulated.shape[0] - 1]
    line.above = above
    line.below = below
    line.group = 0
    with cython.nogil:
        for i in range(counts.shape[0]):
            line.group += counts[i]
        line.queue = line.best + most + 1
        line.held = line.queue + most + 1
        if not passes_at_ends(cython.address(line), most):
            low = most + 1
        else:
            while low < high:
                middle = (low + high) // 2
                if passes_at_ends(cython.address(line), middle):
                    high = middle
                else:
                    low = middle + 1
            # mostly the ends are the farthest choices, and low is the answer
            high = low
            while not passes_always(cython.address(line), high):
                low = high + 1
                if high == most:
                    break
                high = min(most, high + step)
                step *= 2
            while low < high:
                middle = (low + high) // 2
                if passes_always(cython.address(line), middle):
                    high = middle
                else:
                    low = middle + 1
    return low
