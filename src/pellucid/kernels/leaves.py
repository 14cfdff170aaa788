"""Ace inside many leaves at once where groups need k rows or some values only are protected, and the pools of leaves.

A leaf's rows are numbered in row order. Each has a label: the number of its value, or of the pseudo-value that it was
drawn for, or -1 where it keeps the others company. The plain definition is tests/plain/protected.py, which says how
small buckets, company and pools are treated and why.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.string import memcpy, memmove, memset
from cython.cimports.pellucid.kernels.arena import Arena, Room, claimed, int32s, int64s, zeros
from cython.cimports.pellucid.kernels.lanes import absorb_row, clear_box
from cython.cimports.pellucid.kernels.penalty import Geometry, Space, extent, sign_of
from cython.cimports.pellucid.kernels.slice import (
    Slicer,
    fill_lists,
    next_bucket,
    open_slicer,
    rerank,
    slice_bucket,
)
from cython.cimports.pellucid.kernels.sorting import sort_pairs
from cython.cimports.pellucid.kernels.tailor import Search, find_cut, open_search, split
from cython.cimports.pellucid.kernels.together import (
    Together,
    begin_together,
    next_together,
    open_together,
)

# one leaf at a time; room for the largest
Desk = cython.struct(
    slicer=Slicer,
    together=Together,  # where labels are vectors of several sensitive columns
    memory=cython.pointer(Room),
    k=int64_t,
    blocks=int64_t,
    codes=cython.pointer(cython.const[int32_t]),  # of the leaf's rows
    draws=cython.pointer(cython.const[int64_t]),
    labels=cython.pointer(cython.const[int32_t]),
    rows=int64_t,
    histogram=cython.pointer(int32_t),
    taken=cython.pointer(int64_t),
    keys=cython.pointer(int64_t),
    spare_keys=cython.pointer(int64_t),
    members=cython.pointer(int32_t),
    spare_members=cython.pointer(int32_t),
    ranked_counts=cython.pointer(int64_t),
    ranked_values=cython.pointer(int32_t),
    column_rows=cython.pointer(int32_t),  # value after value, each in the order of the lot
    bucket_columns=cython.pointer(int64_t),
    bucket_height=cython.pointer(int64_t),
    bucket_rows=cython.pointer(int32_t),  # bucket after bucket, column after column
    column=cython.pointer(int32_t),
    column_start=cython.pointer(int64_t),
    sliced_codes=cython.pointer(int32_t),
    back=cython.pointer(int32_t),
    small=cython.pointer(int32_t),
    smalls=int64_t,
    out=cython.pointer(int32_t),
    first=cython.pointer(cython.uchar),
    filled=int64_t,
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_desk(
    d: cython.pointer(Desk),
    space: cython.pointer(cython.const[Space]),
    rows: int64_t,
    values: int64_t,
    memory: cython.pointer(Room),
) -> cython.void:
    """Room for leaves of so many rows."""
    memset(d, 0, cython.sizeof(Desk))
    d.memory = memory
    open_slicer(cython.address(d.slicer), space, memory)
    d.blocks = space.blocks
    d.histogram = zeros(d.memory, values + 1)
    d.taken = int64s(d.memory, values + 1)
    d.keys = int64s(d.memory, rows + 1)
    d.spare_keys = int64s(d.memory, rows + 1)
    d.members = int32s(d.memory, rows + 1)
    d.spare_members = int32s(d.memory, rows + 1)
    d.ranked_counts = int64s(d.memory, rows + 1)
    d.ranked_values = int32s(d.memory, rows + 1)
    d.column_rows = int32s(d.memory, rows + 1)
    d.bucket_columns = int64s(d.memory, rows + 1)
    d.bucket_height = int64s(d.memory, rows + 1)
    d.bucket_rows = int32s(d.memory, rows + 1)
    d.column = int32s(d.memory, rows + 1)
    d.column_start = int64s(d.memory, rows + 1)
    d.sliced_codes = int32s(d.memory, (rows + 1) * 4 * d.blocks)
    d.back = int32s(d.memory, rows + 1)
    d.small = int32s(d.memory, rows + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rank_labels(d: cython.pointer(Desk)) -> int64_t:
    """Rank the labels by (count down, label up), each one's rows by lot; returns how many labels there are."""
    r: int64_t
    j: int64_t
    at: int64_t = 0
    count: int64_t
    distinct: int64_t = 0
    label: int32_t
    for r in range(d.rows):
        label = d.labels[r]
        if label < 0:
            continue
        if d.histogram[label] == 0:
            d.members[distinct] = label
            distinct += 1
        d.histogram[label] += 1
    for j in range(distinct):
        d.keys[j] = (cython.cast(int64_t, d.rows - d.histogram[d.members[j]]) << 32) | d.members[j]
    sort_pairs(d.keys, d.members, distinct, d.spare_keys, d.spare_members)
    for j in range(distinct):
        label = d.members[j]
        d.ranked_values[j] = label
        d.ranked_counts[j] = d.histogram[label]
        d.taken[label] = at
        at += d.histogram[label]
        d.histogram[label] = 0
    for r in range(d.rows):
        label = d.labels[r]
        if label < 0:
            continue
        at = d.taken[label]
        d.taken[label] = at + 1
        d.column_rows[at] = cython.cast(int32_t, r)
        d.keys[at] = d.draws[r]
    for j in range(distinct):
        count = d.ranked_counts[j]
        at = d.taken[d.ranked_values[j]] - count
        d.taken[d.ranked_values[j]] = at
        if count > 1:
            sort_pairs(d.keys + at, d.column_rows + at, count, d.spare_keys, d.spare_members)
    return distinct


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def assign(d: cython.pointer(Desk), l: int64_t) -> int64_t:
    """Assign's buckets, into ``bucket_rows``; returns how many there are."""
    i: int64_t
    j: int64_t
    at: int64_t = 0
    begin: int64_t = 0
    buckets: int64_t = 0
    remaining: int64_t = 0
    alpha: int64_t = 0
    beta: int64_t
    label: int32_t
    distinct: int64_t = rank_labels(d)
    for j in range(distinct):
        remaining += d.ranked_counts[j]
    while begin < distinct:
        beta = next_bucket(d.ranked_counts + begin, distinct - begin, remaining, l, cython.address(alpha))
        if beta == 0:
            d.memory.failed = True
            return 0
        d.bucket_columns[buckets] = beta
        d.bucket_height[buckets] = alpha
        buckets += 1
        for j in range(beta):
            label = d.ranked_values[begin + j]
            for i in range(alpha):
                d.bucket_rows[at] = d.column_rows[d.taken[label] + i]
                at += 1
            d.taken[label] += alpha
        remaining -= alpha * beta
        begin += rerank(
            d.ranked_counts + begin, d.ranked_values + begin, distinct - begin, beta, alpha, d.keys, d.members
        )
    return buckets


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def assign_together(d: cython.pointer(Desk), l: int64_t) -> int64_t:
    """The same where labels are vectors of several sensitive columns."""
    i: int64_t
    j: int64_t
    at: int64_t = 0
    buckets: int64_t = 0
    alpha: int64_t
    label: int32_t
    t: cython.pointer(Together) = cython.address(d.together)
    begin_together(t, d.ranked_values, d.ranked_counts, rank_labels(d))
    alpha = next_together(t, l)
    while alpha > 0:
        d.bucket_columns[buckets] = t.width
        d.bucket_height[buckets] = alpha
        buckets += 1
        for j in range(t.width):
            label = t.chosen[j]
            for i in range(alpha):
                d.bucket_rows[at] = d.column_rows[d.taken[label] + i]
                at += 1
            d.taken[label] += alpha
        alpha = next_together(t, l)
    return buckets


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_sliced(d: cython.pointer(Desk), buckets: int64_t) -> cython.void:
    """Make the sorted lists of the buckets that are sliced, their rows numbered anew in row order."""
    b: int64_t
    j: int64_t
    i: int64_t
    at: int64_t = 0
    place: int64_t = 0
    columns: int64_t = 0
    r: int64_t
    kept: int64_t = 0
    width: int64_t = 4 * d.blocks
    for r in range(d.rows):
        d.column[r] = -1
    for b in range(buckets):
        if d.bucket_columns[b] * d.bucket_height[b] < d.k:
            at += d.bucket_columns[b] * d.bucket_height[b]
            continue
        for j in range(d.bucket_columns[b]):
            d.column_start[columns] = place
            for i in range(d.bucket_height[b]):
                d.column[d.bucket_rows[at]] = cython.cast(int32_t, columns)
                at += 1
            place += d.bucket_height[b]
            columns += 1
    for r in range(d.rows):
        if d.column[r] >= 0:
            memcpy(d.sliced_codes + kept * width, d.codes + r * width, width * cython.sizeof(int32_t))
            d.back[kept] = cython.cast(int32_t, r)
            d.column[kept] = d.column[r]
            kept += 1
    if kept > 0:
        fill_lists(cython.address(d.slicer), d.sliced_codes, kept, d.column, d.column_start, columns)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def slice_one(d: cython.pointer(Desk), offset: int64_t, columns: int64_t, height: int64_t) -> cython.void:
    """The groups of one bucket by Slice."""
    r: int64_t
    d.slicer.least = (d.k + columns - 1) // columns
    d.slicer.out = d.out + d.filled
    d.slicer.first = d.first + d.filled
    slice_bucket(cython.address(d.slicer), offset, columns, height)
    if d.memory.failed:
        return
    for r in range(d.filled, d.filled + columns * height):
        d.out[r] = d.back[d.out[r]]
    d.filled += columns * height


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def draw_one(
    d: cython.pointer(Desk), rows: cython.pointer(cython.const[int32_t]), columns: int64_t, height: int64_t
) -> cython.void:
    """The groups of one bucket by lot: the rows of a column stand in a drawn order, and so many of each go together."""
    i: int64_t
    j: int64_t
    at: int64_t = 0
    take: int64_t
    least: int64_t = (d.k + columns - 1) // columns
    while at < height:
        take = least if height - at >= 2 * least else height - at
        d.first[d.filled] = 1
        for j in range(columns):
            for i in range(take):
                d.out[d.filled] = rows[j * height + at + i]
                d.filled += 1
        at += take


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_together(d: cython.pointer(Desk), rows: cython.pointer(cython.const[int32_t]), count: int64_t) -> cython.void:
    """Add rows of a small bucket to those before; a group of its own as soon as they are enough."""
    memcpy(d.small + d.smalls, rows, count * cython.sizeof(int32_t))
    d.smalls += count
    if d.smalls >= d.k and d.smalls > 0:
        d.first[d.filled] = 1
        memcpy(d.out + d.filled, d.small, d.smalls * cython.sizeof(int32_t))
        d.filled += d.smalls
        d.smalls = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def cheapest(d: cython.pointer(Desk)) -> int64_t:
    """Where the group ends whose perimeter grows least when the small rest joins it; ties: the first.

    Group G grows by less than B iff h(G with rest) + h(B) < h(B with rest) + h(G): no difference is ever computed.
    """
    rest: int32_t[128]
    own: int32_t[128]
    grown: int32_t[128]
    best: int32_t[128]
    best_grown: int32_t[128]
    space: cython.pointer(cython.const[Space]) = d.slicer.space
    width: int64_t = 4 * d.blocks
    bytes_: int64_t = 8 * d.blocks * cython.sizeof(int32_t)
    r: int64_t
    begin: int64_t = 0
    end: int64_t
    size: int64_t
    best_size: int64_t = 0
    best_end: int64_t = 0
    clear_box(rest, d.slicer.blocks)
    for r in range(d.smalls):
        absorb_row(rest, d.codes + d.small[r] * width, d.slicer.blocks)
    while begin < d.filled:
        end = begin + 1
        while end < d.filled and not d.first[end]:
            end += 1
        size = end - begin
        clear_box(own, d.slicer.blocks)
        memcpy(grown, rest, bytes_)
        for r in range(begin, end):
            absorb_row(own, d.codes + d.out[r] * width, d.slicer.blocks)
            absorb_row(grown, d.codes + d.out[r] * width, d.slicer.blocks)
        if (
            best_end == 0
            or sign_of(
                space,
                (size + d.smalls) * extent(space, grown) + best_size * extent(space, best),
                grown,
                size + d.smalls,
                best,
                best_size,
                (best_size + d.smalls) * extent(space, best_grown) + size * extent(space, own),
                best_grown,
                best_size + d.smalls,
                own,
                size,
            )
            < 0
        ):
            best_size = size
            best_end = end
            memcpy(best, own, bytes_)
            memcpy(best_grown, grown, bytes_)
        begin = end
    return best_end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def join_rest(d: cython.pointer(Desk)) -> cython.void:
    """The small rest joins a group."""
    end: int64_t = cheapest(d)
    if end == 0:
        d.memory.failed = True
        return
    memmove(d.out + end + d.smalls, d.out + end, (d.filled - end) * cython.sizeof(int32_t))
    memmove(d.first + end + d.smalls, d.first + end, d.filled - end)
    memcpy(d.out + end, d.small, d.smalls * cython.sizeof(int32_t))
    memset(d.first + end, 0, d.smalls)
    d.filled += d.smalls


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def divide_leaf(d: cython.pointer(Desk), l: int64_t, by_lot: cython.bint) -> cython.void:
    """The groups of one leaf."""
    b: int64_t
    r: int64_t
    rows: int64_t
    at: int64_t = 0
    offset: int64_t = 0
    company: int64_t = 0
    buckets: int64_t = assign(d, l) if d.together.parts == cython.NULL else assign_together(d, l)
    d.filled = 0
    d.smalls = 0
    if not d.memory.failed and not by_lot:
        list_sliced(d, buckets)
    if d.memory.failed:
        return
    for b in range(buckets):
        rows = d.bucket_columns[b] * d.bucket_height[b]
        if rows < d.k:
            put_together(d, d.bucket_rows + at, rows)
        elif by_lot:
            draw_one(d, d.bucket_rows + at, d.bucket_columns[b], d.bucket_height[b])
        else:
            slice_one(d, offset, d.bucket_columns[b], d.bucket_height[b])
            offset += rows
            if d.memory.failed:
                return
        at += rows
    for r in range(d.rows):
        if d.labels[r] < 0:
            d.members[company] = cython.cast(int32_t, r)
            company += 1
    put_together(d, d.members, company)
    if d.smalls > 0:
        join_rest(d)


def divide_leaves(
    geometry: Geometry,
    codes: cython.const[int32_t][:, ::1],
    draws: cython.const[int64_t][::1],
    labels: cython.const[int32_t][::1],
    values: int64_t,
    starts: cython.const[int64_t][::1],
    by_lot: cython.const[cython.uchar][::1],
    first_leaf: int64_t,
    last_leaf: int64_t,
    l: int64_t,
    k: int64_t,
    out: int32_t[::1],
    first: cython.uchar[::1],
    parts: cython.const[int32_t][:, ::1] = None,
    fewer: cython.const[int64_t][::1] = None,
    most_vectors: int64_t = 0,
) -> None:
    """Group the leaves first_leaf..last_leaf - 1, whose rows are starts[leaf]..starts[leaf + 1] - 1 in row order.

    ``labels`` are below ``values``, or -1 for company. Where ``by_lot`` is set, below a refused cut, one more value is
    needed than l and no quasi-identifier is looked at. ``out`` gets the rows, group after group, and ``first`` a 1
    where a group begins; both are filled leaf by leaf in the leaf's own places. With ``parts`` labels are vectors of
    several sensitive columns: ``parts[label]`` has a number for each value that is protected and -1 for each that is
    not, whose l is ``fewer[number]`` less. A leaf with more than ``most_vectors`` of them is one group.
    """
    d: Desk
    leaf: int64_t
    r: int64_t
    a: int64_t
    most: int64_t = 0
    arena: Arena = Arena()
    with cython.nogil:
        for leaf in range(first_leaf, last_leaf):
            most = max(most, starts[leaf + 1] - starts[leaf])
        open_desk(cython.address(d), cython.address(geometry.space), most, values, cython.address(arena.room))
        if parts is not None:
            open_together(
                cython.address(d.together),
                cython.address(parts[0, 0]),
                parts.shape[1],
                cython.address(fewer[0]),
                fewer.shape[0],
                most,
                most_vectors,
                d.memory,
            )
        d.k = k
        for leaf in range(first_leaf, last_leaf):
            a = starts[leaf]
            d.rows = starts[leaf + 1] - a
            if d.memory.failed:
                break
            if d.rows == 0:
                continue
            d.codes = cython.address(codes[a, 0])
            d.draws = cython.address(draws[a])
            d.labels = cython.address(labels[a])
            d.out = cython.address(out[a])
            d.first = cython.address(first[a])
            divide_leaf(cython.address(d), l + by_lot[leaf], by_lot[leaf])
            for r in range(d.rows):
                d.out[r] += cython.cast(int32_t, a)
    arena.check()


# a node of a pool: where its entries are among the records, and where its groups go
Node = cython.struct(start=int64_t, entries=int64_t, rows=int64_t)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_equal(
    record: cython.pointer(cython.const[int32_t]),
    stride: int64_t,
    k: int64_t,
    out: cython.pointer(int32_t),
    first: cython.pointer(cython.uchar),
) -> cython.void:
    """Equal rows: every cut costs nothing, so the canonical one takes the first k, again and again."""
    start: int64_t = record[stride - 2]
    rows: int64_t = record[stride - 1]
    p: int64_t
    for p in range(rows):
        out[p] = cython.cast(int32_t, start + p)
        if p % k == 0 and rows - p >= k:
            first[p] = 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def cut_pool(
    s: cython.pointer(Search),
    records: cython.pointer(int32_t),
    nodes: cython.pointer(Node),
    entries: int64_t,
    rows: int64_t,
    k: int64_t,
    out: cython.pointer(int32_t),
    first: cython.pointer(cython.uchar),
) -> cython.void:
    """Cut one pool to the last group, left to right.

    The entries lie at the front of ``records``, which has room for three per row: a cut can make two of one entry.
    """
    stride: int64_t = s.stride
    count: int64_t = 1
    e: int64_t
    p: int64_t
    kept: int64_t
    lefts: int64_t = 0
    node: Node
    here: cython.pointer(int32_t)
    scratch: cython.pointer(int32_t)
    nodes[0].start = 0
    nodes[0].entries = entries
    nodes[0].rows = rows
    while count > 0:
        count -= 1
        node = nodes[count]
        here = records + node.start * stride
        if node.entries == 1:
            write_equal(here, stride, k, out, first)
            out += node.rows
            first += node.rows
            continue
        if node.rows < 2 * k:
            first[0] = 1
            for e in range(node.entries):
                for p in range(here[e * stride + stride - 1]):
                    out[0] = cython.cast(int32_t, here[e * stride + stride - 2] + p)
                    out += 1
            first += node.rows
            continue
        if not find_cut(s, here, node.entries, node.rows, k, False):
            return
        scratch = here + node.entries * stride
        kept = split(s, here, node.entries, scratch, cython.address(lefts))
        if kept < 0:
            return
        memmove(here + kept * stride, scratch, lefts * stride * cython.sizeof(int32_t))
        nodes[count].start = node.start
        nodes[count].entries = kept
        nodes[count].rows = node.rows - s.best.k
        nodes[count + 1].start = node.start + kept
        nodes[count + 1].entries = lefts
        nodes[count + 1].rows = s.best.k
        count += 2


def cut_pools(
    geometry: Geometry,
    codes: cython.const[int32_t][:, ::1],
    orders: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    first_pool: int64_t,
    last_pool: int64_t,
    k: int64_t,
    out: int32_t[::1],
    first: cython.uchar[::1],
) -> None:
    """Cut the pools first_pool..last_pool - 1 like Tailor's groups, by quasi-identifiers alone, into groups of k rows.

    A pool's rows are starts[pool]..starts[pool + 1] - 1, at least k, those with equal codes side by side in row order.
    """
    s: Search
    pool: int64_t
    a: int64_t
    b: int64_t
    p: int64_t
    entries: int64_t
    most: int64_t = 1
    width: int64_t = codes.shape[1]
    stride: int64_t = width + 2
    arena: Arena = Arena()
    room: cython.pointer(Room) = cython.address(arena.room)
    records: cython.pointer(int32_t)
    nodes: cython.pointer(Node)
    with cython.nogil:
        for pool in range(first_pool, last_pool):
            most = max(most, starts[pool + 1] - starts[pool])
        open_search(cython.address(s), cython.address(geometry.space), cython.address(orders[0]), room)
        records = int32s(room, 3 * most * stride)
        nodes = cython.cast(cython.pointer(Node), claimed(room, (most + 2) * cython.sizeof(Node)))
        for pool in range(first_pool, last_pool):
            a = starts[pool]
            b = starts[pool + 1]
            entries = 0
            if room.failed or a == b:
                continue
            for p in range(a, b):
                if p > a and same(cython.address(codes[p, 0]), cython.address(codes[p - 1, 0]), width):
                    records[entries * stride - 1] += 1
                    continue
                memcpy(records + entries * stride, cython.address(codes[p, 0]), width * cython.sizeof(int32_t))
                records[entries * stride + width] = cython.cast(int32_t, p)
                records[entries * stride + width + 1] = 1
                entries += 1
            cut_pool(
                cython.address(s),
                records,
                nodes,
                entries,
                b - a,
                k,
                cython.address(out[a]),
                cython.address(first[a]),
            )
    arena.check()


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def same(
    one: cython.pointer(cython.const[int32_t]), other: cython.pointer(cython.const[int32_t]), width: int64_t
) -> cython.bint:
    i: int64_t
    for i in range(width):
        if one[i] != other[i]:
            return False
    return True
