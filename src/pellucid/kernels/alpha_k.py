"""The tree of (alpha,k)-anonymous local recoding, from the roots of the taxonomies down to the last group.

Rows are numbered in row order. ``rows`` lists them group after group: a group that is specialised becomes, in its
place, the rows that the parent keeps and then its children, so the groups come out in order without a second pass.
"""

import cython
from cython.cimports.libc.stdint import int16_t, int32_t, int64_t, uint8_t
from cython.cimports.pellucid.kernels.sorting import sort_pairs

View = cython.struct(
    rows=int64_t,
    attributes=int64_t,
    k=int64_t,
    codes=cython.pointer(cython.const[int32_t]),  # attribute after attribute, by row
    sensitive=cython.pointer(cython.const[int32_t]),  # by row; -1 where the value is not protected
    nodes=cython.pointer(cython.const[int32_t]),  # by attribute, level and code
    open=cython.pointer(cython.const[int64_t]),
    offsets=cython.pointer(cython.const[int64_t]),  # where an attribute's level 0 begins
    sizes=cython.pointer(cython.const[int64_t]),  # codes of each attribute
    widths=cython.pointer(cython.const[int64_t]),
    most=cython.pointer(cython.const[int64_t]),  # by size of a group: the largest count of one protected value
    least=cython.pointer(cython.const[int64_t]),  # by count: the smallest size of a group that has it
    # of the attempt at hand: rows in the order of their children, whether each goes to the parent, where children begin
    order=cython.pointer(int32_t),
    back=cython.pointer(uint8_t),
    starts=cython.pointer(int64_t),
    fails=cython.pointer(uint8_t),
    children=int64_t,
    kept=int64_t,  # rows that stay with the parent
    # scratch
    keys=cython.pointer(int64_t),
    spare_keys=cython.pointer(int64_t),
    spare_values=cython.pointer(int32_t),
    places=cython.pointer(int32_t),
    bins=cython.pointer(int64_t),
    child_counts=cython.pointer(int64_t),  # by value; all 0 between uses
    parent_counts=cython.pointer(int64_t),
    heights=cython.pointer(int64_t),  # how many values have a count; all 0 between uses
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def larger(a: int64_t, b: int64_t, c: int64_t, d: int64_t) -> cython.bint:
    """Whether a / b > c / d, for a, c >= 0 and b, d > 0, by continued fractions: nothing overflows."""
    swap: int64_t
    while True:
        if a // b != c // d:
            return a // b > c // d
        a %= b
        c %= d
        if a == 0 or c == 0:
            return a > 0
        # a / b > c / d if and only if d / c > b / a
        swap = a
        a = d
        d = swap
        swap = b
        b = c
        c = swap


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def deal(
    v: cython.pointer(View), group: cython.pointer(int32_t), n: int64_t, attribute: int64_t, level: int64_t
) -> cython.void:
    """Put the group's rows in the order of their children on this level, row order inside each."""
    nodes: cython.pointer(cython.const[int32_t]) = v.nodes + v.offsets[attribute] + level * v.sizes[attribute]
    codes: cython.pointer(cython.const[int32_t]) = v.codes + attribute * v.rows
    j: int64_t
    low: int64_t
    high: int64_t
    total: int64_t
    count: int64_t
    node: int64_t
    low = nodes[codes[group[0]]]
    high = low
    for j in range(n):
        node = nodes[codes[group[j]]]
        v.keys[j] = node
        low = min(low, node)
        high = max(high, node)
    if low == high:
        for j in range(n):
            v.order[j] = group[j]
        v.starts[0] = 0
        v.starts[1] = n
        v.children = 1
        return
    if high - low <= 2 * n:
        for j in range(high - low + 1):
            v.bins[j] = 0
        for j in range(n):
            v.bins[v.keys[j] - low] += 1
        total = 0
        v.children = 0
        for j in range(high - low + 1):
            count = v.bins[j]
            v.bins[j] = total
            if count:
                v.starts[v.children] = total
                v.children += 1
            total += count
        for j in range(n):
            node = v.keys[j] - low
            v.order[v.bins[node]] = group[j]
            v.bins[node] += 1
    else:
        for j in range(n):
            v.order[j] = group[j]
        sort_pairs(v.keys, v.order, n, v.spare_keys, v.spare_values)
        v.children = 0
        for j in range(n):
            if j == 0 or v.keys[j] != v.keys[j - 1]:
                v.starts[v.children] = j
                v.children += 1
    v.starts[v.children] = n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_rows(
    v: cython.pointer(View), counts: cython.pointer(int64_t), a: int64_t, b: int64_t, step: int64_t
) -> int64_t:
    """Add or take away the values of the ordered rows a..b; the largest count met on the way."""
    j: int64_t
    value: int32_t
    largest: int64_t = 0
    for j in range(a, b):
        value = v.sensitive[v.order[j]]
        if value >= 0:
            counts[value] += step
            largest = max(largest, counts[value])
    return largest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def spare(v: cython.pointer(View), child: int64_t, wanted: int64_t, cap: int64_t) -> int64_t:
    """Mark rows of a child that the parent takes back, in row order, at most so many; how many there are.

    The child satisfies (alpha,k) without them, and no value gets more than ``cap`` rows of the parent.
    """
    a: int64_t = v.starts[child]
    b: int64_t = v.starts[child + 1]
    size: int64_t = b - a
    taken: int64_t = 0
    j: int64_t
    count: int64_t
    value: int32_t
    largest: int64_t
    if size <= v.k:
        return 0
    largest = count_rows(v, v.child_counts, a, b, 1)
    for j in range(a, b):
        value = v.sensitive[v.order[j]]
        if value >= 0:
            v.heights[v.child_counts[value]] += 1  # once per row: a count of c is met c times
    for j in range(a, b):
        if taken == wanted or size == v.k:
            break
        value = v.sensitive[v.order[j]]
        if value >= 0 and v.parent_counts[value] == cap:
            continue
        if largest > v.most[size - 1]:
            # only the one most frequent value may lose a row
            if value < 0 or v.child_counts[value] != largest or v.heights[largest] != largest:
                continue
        v.back[j] = 1
        taken += 1
        size -= 1
        if value >= 0:
            v.parent_counts[value] += 1
            count = v.child_counts[value]
            v.child_counts[value] = count - 1
            v.heights[count] -= count
            v.heights[count - 1] += count - 1
            if count == largest and v.heights[count] == 0:
                largest -= 1
    for j in range(a, b):
        value = v.sensitive[v.order[j]]
        if value >= 0:
            v.heights[v.child_counts[value]] = 0
    for j in range(a, b):
        value = v.sensitive[v.order[j]]
        if value >= 0:
            v.child_counts[value] = 0
    return taken


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def by_size(v: cython.pointer(View), sign: int64_t) -> int64_t:
    """The passing children in ``places``, smallest or largest first, then in order; how many there are."""
    child: int64_t
    passing: int64_t = 0
    for child in range(v.children):
        if not v.fails[child]:
            v.keys[passing] = sign * (v.starts[child + 1] - v.starts[child])
            v.places[passing] = cython.cast(int32_t, child)
            passing += 1
    sort_pairs(v.keys, v.places, passing, v.spare_keys, v.spare_values)
    return passing


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hand_back(v: cython.pointer(View), child: int64_t) -> int64_t:
    """All rows of a child go to the parent; the largest count met there."""
    j: int64_t
    v.fails[child] = 1
    for j in range(v.starts[child], v.starts[child + 1]):
        v.back[j] = 1
    v.kept += v.starts[child + 1] - v.starts[child]
    return count_rows(v, v.parent_counts, v.starts[child], v.starts[child + 1], 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def attempt(
    v: cython.pointer(View), group: cython.pointer(int32_t), n: int64_t, attribute: int64_t, level: int64_t
) -> int64_t:
    """Specialise a group to this level of an attribute; the leaves that are no longer open, over rows, or -1.

    -1: all rows stay with the parent. Otherwise ``order``, ``starts``, ``fails`` and ``back`` say what becomes of them.
    """
    j: int64_t
    child: int64_t
    place: int64_t
    size: int64_t
    largest: int64_t
    most: int64_t = 0
    passing: int64_t
    target: int64_t
    before: int64_t
    gain: int64_t = 0
    at: int64_t = v.offsets[attribute] + level * v.sizes[attribute]
    codes: cython.pointer(cython.const[int32_t]) = v.codes + attribute * v.rows
    deal(v, group, n, attribute, level)
    v.kept = 0
    for j in range(n):
        v.back[j] = 0
    if v.children == 1:
        v.fails[0] = 0
        return n * (v.open[at + v.sizes[attribute] + codes[group[0]]] - v.open[at + codes[group[0]]])
    for child in range(v.children):
        size = v.starts[child + 1] - v.starts[child]
        v.fails[child] = 1
        if size >= v.k:
            largest = count_rows(v, v.child_counts, v.starts[child], v.starts[child + 1], 1)
            count_rows(v, v.child_counts, v.starts[child], v.starts[child + 1], -1)
            if largest <= v.most[size]:
                v.fails[child] = 0
        if v.fails[child]:
            most = max(most, hand_back(v, child))
    if v.kept and v.kept < n and (v.kept < v.k or most > v.most[v.kept]):
        target = max(v.k, v.least[most])
        before = v.kept
        if target < n:
            passing = by_size(v, -1)
            for place in range(passing):
                if v.kept == target:
                    break
                v.kept += spare(v, v.places[place], target - v.kept, v.most[target])
        if v.kept != target:
            for child in range(v.children):
                if not v.fails[child]:
                    for j in range(v.starts[child], v.starts[child + 1]):
                        if v.back[j]:
                            v.back[j] = 0
                            if v.sensitive[v.order[j]] >= 0:
                                v.parent_counts[v.sensitive[v.order[j]]] -= 1
            v.kept = before
            passing = by_size(v, 1)
            for place in range(passing):
                most = max(most, hand_back(v, v.places[place]))
                if v.kept >= v.k and most <= v.most[v.kept]:
                    break
    for j in range(n):
        if v.back[j]:
            if v.sensitive[v.order[j]] >= 0:
                v.parent_counts[v.sensitive[v.order[j]]] = 0
        else:
            gain += v.open[at + v.sizes[attribute] + codes[v.order[j]]] - v.open[at + codes[v.order[j]]]
    return gain if v.kept < n else -1


def grow(
    codes: cython.const[int32_t][:, ::1],
    sensitive: cython.const[int32_t][::1],
    nodes: cython.const[int32_t][::1],
    open_leaves: cython.const[int64_t][::1],
    offsets: cython.const[int64_t][::1],
    sizes: cython.const[int64_t][::1],
    widths: cython.const[int64_t][::1],
    k: int64_t,
    most: cython.const[int64_t][::1],
    least: cython.const[int64_t][::1],
    longs: int64_t[:, ::1],
    ints: int32_t[:, ::1],
    flags: uint8_t[:, ::1],
    counts: int64_t[:, ::1],
    levels: int16_t[:, ::1],
    rows: int32_t[::1],
    first: uint8_t[::1],
    done: int64_t[::1],
    stop: uint8_t[::1],
) -> None:
    """Specialise until nothing can be; ``rows`` lists the rows group after group, ``first`` marks where groups begin.

    ``levels[0]`` begins as the top level of every attribute. ``longs``, ``ints`` and ``flags`` are room for 7, 3 and 2
    numbers per row and one more of each, ``counts`` for 2 per value; ``counts`` and ``longs[5]`` begin as 0.
    """
    v: View
    n: int64_t = rows.shape[0]
    attributes: int64_t = codes.shape[0]
    i: int64_t
    j: int64_t
    a: int64_t
    size: int64_t
    place: int64_t
    child: int64_t
    best: int64_t
    gain: int64_t
    most_gain: int64_t
    last: int64_t
    begin: int64_t
    held: int64_t
    height: int64_t
    waiting: cython.pointer(int64_t)
    with cython.nogil:
        v.rows = n
        v.attributes = attributes
        v.k = k
        v.codes = cython.address(codes[0, 0])
        v.sensitive = cython.address(sensitive[0])
        v.nodes = cython.address(nodes[0])
        v.open = cython.address(open_leaves[0])
        v.offsets = cython.address(offsets[0])
        v.sizes = cython.address(sizes[0])
        v.widths = cython.address(widths[0])
        v.most = cython.address(most[0])
        v.least = cython.address(least[0])
        v.keys = cython.address(longs[0, 0])
        v.spare_keys = cython.address(longs[1, 0])
        v.starts = cython.address(longs[2, 0])
        v.bins = cython.address(longs[3, 0])  # two rows of room
        v.heights = cython.address(longs[5, 0])
        v.order = cython.address(ints[0, 0])
        v.spare_values = cython.address(ints[1, 0])
        v.places = cython.address(ints[2, 0])
        v.back = cython.address(flags[0, 0])
        v.fails = cython.address(flags[1, 0])
        v.child_counts = cython.address(counts[0, 0])
        v.parent_counts = cython.address(counts[1, 0])
        waiting = cython.address(longs[6, 0])  # where a group begins: the length of the group; 0 inside and when done
        waiting[0] = n
        a = 0
        while a < n and not stop[0]:
            size = waiting[a]
            best = -1
            most_gain = -1
            last = -1
            if size > 1:
                for i in range(attributes):
                    if levels[a, i] == 0:
                        continue
                    gain = attempt(cython.address(v), cython.address(rows[a]), size, i, levels[a, i] - 1)
                    last = i
                    if gain >= 0 and (best < 0 or larger(gain, v.widths[i], most_gain, v.widths[best])):
                        best = i
                        most_gain = gain
            if best < 0:
                first[a] = 1
                a += size
                done[0] = a
                continue
            if last != best:
                attempt(cython.address(v), cython.address(rows[a]), size, best, levels[a, best] - 1)
            height = levels[a, best] - 1
            place = a
            for j in range(size):
                if v.back[j]:
                    rows[place] = v.order[j]
                    place += 1
            held = place - a
            for child in range(v.children):
                begin = place
                for j in range(v.starts[child], v.starts[child + 1]):
                    if not v.back[j]:
                        rows[place] = v.order[j]
                        place += 1
                if place > begin:
                    waiting[begin] = place - begin
                    if begin > a:
                        for i in range(attributes):
                            levels[begin, i] = levels[a, i]
                    levels[begin, best] = cython.cast(int16_t, height)
            if held:
                first[a] = 1
                a += held
                done[0] = a
