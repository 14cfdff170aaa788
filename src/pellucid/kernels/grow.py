"""Tailor's tree below one node, to the last group; for Hybrid also Ace inside every leaf, for SoftCut also tried cuts.

For Strata the tree begins with cuts that look at quasi-identifiers alone; what is below the last of them is a stratum.

Groups come out left to right: ``out`` receives the positions of the rows, group after group, and ``first`` a 1 where a
group begins. A subtree with N rows fills exactly N places, so subtrees can be grown in any order and by any thread.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memcpy, memmove, memset
from cython.cimports.pellucid.kernels.arena import (
    Arena,
    Room,
    dropped,
    grown,
    int32s_again,
    int64s,
    int64s_again,
    zeros,
)
from cython.cimports.pellucid.kernels.die import Die, Throws, child_of, shows_one
from cython.cimports.pellucid.kernels.least import (
    Least,
    Rule,
    begin_peeling,
    end_peeling,
    least_left,
    least_rows,
    make_room,
    open_least,
    peel,
)
from cython.cimports.pellucid.kernels.penalty import Geometry, Space
from cython.cimports.pellucid.kernels.siphash import siphash
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

# a node of the tree; SoftCut names it (see die.py) and marks it when a cut above it was refused, Strata while it may
# still be cut by quasi-identifiers alone
Node = cython.struct(
    start=int64_t,
    entries=int64_t,
    rows=int64_t,
    leaf=cython.bint,
    name=uint64_t,
    refused=cython.bint,
    unbounded=cython.bint,
)

# what to do with a node
FAILED = cython.declare(cython.int, -1)
LEAF = cython.declare(cython.int, 0)
PEEL = cython.declare(cython.int, 1)  # equal rows, many cuts at once
CUT = cython.declare(cython.int, 2)  # a certain cut is found
TRY = cython.declare(cython.int, 3)  # a cut is found that the die may refuse
WHOLE = cython.declare(cython.int, 4)  # a stratum that is one group
LOT = cython.declare(cython.int, 5)  # a stratum whose groups are drawn by lot

# what is done inside a stratum
NONE = cython.declare(cython.int, 0)
BY_LOT = cython.declare(cython.int, 1)
HYBRID = cython.declare(cython.int, 2)

Grower = cython.struct(
    search=Search,
    slicer=Slicer,
    memory=cython.pointer(Room),  # failed also where a rule's function has no answer
    ace=cython.bint,
    l=int64_t,
    fewest=int64_t,  # rows that a side of a cut needs in any case
    weights=cython.pointer(cython.const[int64_t]),  # the l of each code, where columns differ; then `l` is 1
    fillers=int64_t,  # the code whose count does not matter: values that are not protected; -1: there are none
    strata=int64_t,  # rows that a stratum has at least
    inside=cython.int,  # what is done inside of one
    soft=cython.bint,  # cuts that are not certain may be tried
    opened=cython.bint,  # the table was opened by SoftCut's first cut
    die=Throws,
    ruled=cython.bint,  # the sides of a cut need what `least` says, not l times the largest count
    least=Least,
    key0=uint64_t,
    key1=uint64_t,
    # sensitive codes by position, column after column; each column's codes begin where the previous one's end
    sensitive=cython.pointer(cython.const[int32_t]),
    columns=int64_t,
    positions=int64_t,
    values=int64_t,
    histogram=cython.pointer(int32_t),
    # entries of the nodes still to do, the next one last
    records=cython.pointer(int32_t),
    record_room=int64_t,
    nodes=cython.pointer(Node),
    node_count=int64_t,
    node_room=int64_t,
    # room for a leaf's rows
    leaf_room=int64_t,
    keys=cython.pointer(int64_t),
    draws=cython.pointer(int64_t),
    spare_keys=cython.pointer(int64_t),
    members=cython.pointer(int32_t),
    spare_members=cython.pointer(int32_t),
    places=cython.pointer(int32_t),
    origins=cython.pointer(int32_t),
    codes=cython.pointer(int32_t),
    column_rows=cython.pointer(int32_t),
    column=cython.pointer(int32_t),
    column_start=cython.pointer(int64_t),
    bucket_columns=cython.pointer(int64_t),
    bucket_height=cython.pointer(int64_t),
    local=cython.pointer(int32_t),
    ranked_counts=cython.pointer(int64_t),
    ranked_values=cython.pointer(int32_t),
    taken=cython.pointer(int64_t),
    out=cython.pointer(int32_t),
    first=cython.pointer(cython.uchar),
    begun=cython.pointer(cython.uchar),  # where a stratum begins of which no group is finished yet
)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def weight(g: cython.pointer(Grower), code: int64_t) -> int64_t:
    """How many times a row with this code counts: l of its column, where columns differ."""
    return 1 if g.weights == cython.NULL else g.weights[code]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def largest_count(
    g: cython.pointer(Grower), records: cython.pointer(cython.const[int32_t]), entries: int64_t, rows: int64_t
) -> int64_t:
    """How often the most frequent sensitive value occurs in these entries, over all sensitive columns.

    With weights, the largest product of a count and its value's weight.
    """
    e: int64_t
    p: int64_t
    start: int64_t
    column: int64_t
    most: int64_t = 0
    stride: int64_t = g.search.stride
    histogram: cython.pointer(int32_t) = g.histogram
    sensitive: cython.pointer(cython.const[int32_t])
    sparse: cython.bint = g.values > 4 * rows
    for column in range(g.columns):
        sensitive = g.sensitive + column * g.positions
        for e in range(entries):
            start = records[e * stride + stride - 2]
            for p in range(start, start + records[e * stride + stride - 1]):
                histogram[sensitive[p]] += 1
    if g.fillers >= 0:
        histogram[g.fillers] = 0
    if not sparse:
        for p in range(g.values):
            if weight(g, p) * histogram[p] > most:
                most = weight(g, p) * histogram[p]
        memset(histogram, 0, g.values * cython.sizeof(int32_t))
        return most
    for column in range(g.columns):
        sensitive = g.sensitive + column * g.positions
        for e in range(entries):
            start = records[e * stride + stride - 2]
            for p in range(start, start + records[e * stride + stride - 1]):
                if weight(g, sensitive[p]) * histogram[sensitive[p]] > most:
                    most = weight(g, sensitive[p]) * histogram[sensitive[p]]
                histogram[sensitive[p]] = 0
    return most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def smallest_tried_side(l: int64_t, rows: int64_t, most: int64_t, fewest: int64_t, opened: cython.bint) -> int64_t:
    """How many rows each side of a tried cut needs, the most frequent value having ``most``; 0 when none is tried.

    By proportion the smaller side then has a slack of at least 2 * l rows; groups need ``fewest`` rows in any case.
    In a table that the first cut opened, none is tried where a value takes more than four fifths of its room: such cuts
    are mostly refused, and no certain cut above keeps the part small that is then drawn by lot.
    """
    low: int64_t
    if (l + 1) * most > rows or l * l > rows >> 2 or (opened and 5 * l * most > 4 * rows):
        return 0
    low = max(fewest, (2 * l * l * rows + rows - l * most - 1) // (rows - l * most))
    return low if 2 * low <= rows else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def choose_border(
    g: cython.pointer(Grower), records: cython.pointer(cython.const[int32_t]), node: cython.pointer(Node)
) -> cython.int:
    """What to do with a node of which it is not known yet whether it is a stratum; then its inside is LEAF's business.

    Cuts look at quasi-identifiers and the number of rows, and at no sensitive value.
    """
    if node.entries > 1 and node.rows >= 2 * g.strata:
        if not find_cut(cython.address(g.search), records, node.entries, node.rows, g.strata, True):
            return FAILED
        if g.search.best.found:
            return CUT
    node.unbounded = False
    if g.inside == NONE or g.l * largest_count(g, records, node.entries, node.rows) > node.rows:
        return WHOLE
    return LOT if g.inside == BY_LOT else LEAF


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def choose_cut(
    g: cython.pointer(Grower), records: cython.pointer(cython.const[int32_t]), node: cython.pointer(Node)
) -> cython.int:
    """What to do with a node; a cut is left in ``g.search.best``.

    SoftCut tries a cut where Tailor has made one above, that is anywhere but at the root, whose name is 0.
    """
    most: int64_t = 0
    least: int64_t
    choice: cython.int
    if node.unbounded:
        choice = choose_border(g, records, node)
        if choice != LEAF:
            return choice
    if g.ruled:
        least = least_rows(cython.address(g.least), records, node.entries, node.rows)
        if least < 0:
            return FAILED
    else:
        most = largest_count(g, records, node.entries, node.rows)
        least = max(g.fewest, (g.l + node.refused) * most)
    if node.rows >= 2 * least:
        if node.entries == 1:
            return PEEL
        if not find_cut(cython.address(g.search), records, node.entries, node.rows, least, False):
            return FAILED
        return CUT
    if not g.soft or node.refused or node.name == 0 or node.entries == 1:
        return LEAF
    least = smallest_tried_side(g.l, node.rows, most, g.fewest, g.opened)
    if least == 0:
        return LEAF
    if not find_cut(cython.address(g.search), records, node.entries, node.rows, least, True):
        return FAILED
    return TRY if g.search.best.found else LEAF


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def slack(
    g: cython.pointer(Grower), records: cython.pointer(cython.const[int32_t]), entries: int64_t, rows: int64_t
) -> int64_t:
    """How many more rows of its most frequent value a side could bear."""
    return rows // g.l - largest_count(g, records, entries, rows)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def accepts(
    g: cython.pointer(Grower),
    name: uint64_t,
    left: cython.pointer(cython.const[int32_t]),
    lefts: int64_t,
    right: cython.pointer(cython.const[int32_t]),
    rights: int64_t,
    rows: int64_t,
) -> cython.bint:
    """Whether the die of the node of this name accepts the cut found last, whose sides are these entries."""
    k: int64_t = g.search.best.k
    least: int64_t = min(slack(g, left, lefts, k), slack(g, right, rights, rows - k))
    return shows_one(cython.address(g.die), name, least + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def record_space(g: cython.pointer(Grower), need: int64_t) -> cython.bint:
    """Room for so many entries; what is there stays."""
    if need > g.record_room:
        g.record_room = max(need, g.record_room + (g.record_room >> 1))
        g.records = cython.cast(
            cython.pointer(int32_t),
            grown(g.memory, g.records, g.record_room * g.search.stride * cython.sizeof(int32_t)),
        )
    return not g.memory.failed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def push_node(
    g: cython.pointer(Grower),
    start: int64_t,
    entries: int64_t,
    rows: int64_t,
    leaf: cython.bint,
    name: uint64_t,
    refused: cython.bint,
    unbounded: cython.bint,
) -> cython.void:
    if g.node_count == g.node_room:
        room: int64_t = 2 * g.node_room + 256
        g.nodes = cython.cast(cython.pointer(Node), grown(g.memory, g.nodes, room * cython.sizeof(Node)))
        if g.memory.failed:
            return
        g.node_room = room
    g.nodes[g.node_count].start = start
    g.nodes[g.node_count].entries = entries
    g.nodes[g.node_count].rows = rows
    g.nodes[g.node_count].leaf = leaf
    g.nodes[g.node_count].name = name
    g.nodes[g.node_count].refused = refused
    g.nodes[g.node_count].unbounded = unbounded
    g.node_count += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def peel_equal_rows(g: cython.pointer(Grower), node: Node) -> cython.void:
    """A node of equal rows: every cut costs nothing, so the canonical one takes the first l * c rows, again and again.

    The histogram of what remains is kept up to date, with the number of values per count, so that c is always at hand.
    """
    stride: int64_t = g.search.stride
    record: cython.pointer(int32_t) = g.records + node.start * stride
    start: int64_t = record[stride - 2]
    rows: int64_t = node.rows
    times: int64_t = g.l + node.refused
    column: int64_t
    p: int64_t
    c: int64_t = 0
    take: int64_t
    count: int32_t
    pieces: int64_t = 0
    sensitive: cython.pointer(cython.const[int32_t])
    per_count: cython.pointer(int32_t)
    for column in range(g.columns):
        sensitive = g.sensitive + column * g.positions
        for p in range(start, start + rows):
            if sensitive[p] != g.fillers:
                g.histogram[sensitive[p]] += cython.cast(int32_t, weight(g, sensitive[p]))  # at most half of the rows
                c = max(c, g.histogram[sensitive[p]])
    per_count = zeros(g.memory, c + 1)
    if g.memory.failed:
        return
    # count each value once, at its first row, by marking it negative
    for column in range(g.columns):
        sensitive = g.sensitive + column * g.positions
        for p in range(start, start + rows):
            count = g.histogram[sensitive[p]]
            if count > 0:
                per_count[count] += 1
                g.histogram[sensitive[p]] = -count
    for column in range(g.columns):  # after all columns: those of a cluster share their values
        sensitive = g.sensitive + column * g.positions
        for p in range(start, start + rows):
            if g.histogram[sensitive[p]] < 0:
                g.histogram[sensitive[p]] = -g.histogram[sensitive[p]]
    while rows >= 2 * max(g.fewest, times * c):
        take = max(g.fewest, times * c)
        if not record_space(g, node.start + pieces + 2):
            break
        record = g.records + (node.start + pieces) * stride
        memcpy(record + stride, record, stride * cython.sizeof(int32_t))
        record[stride - 2] = cython.cast(int32_t, start)
        record[stride - 1] = cython.cast(int32_t, take)
        pieces += 1
        for column in range(g.columns):
            sensitive = g.sensitive + column * g.positions
            for p in range(start, start + take):
                if sensitive[p] == g.fillers:
                    continue
                count = g.histogram[sensitive[p]]
                per_count[count] -= 1
                count -= cython.cast(int32_t, weight(g, sensitive[p]))
                per_count[count] += 1
                g.histogram[sensitive[p]] = count
        while c > 0 and per_count[c] == 0:
            c -= 1
        start += take
        rows -= take
    for column in range(g.columns):
        sensitive = g.sensitive + column * g.positions
        for p in range(start, start + rows):
            g.histogram[sensitive[p]] = 0
    dropped(per_count)
    if g.memory.failed:
        return
    record = g.records + (node.start + pieces) * stride
    record[stride - 2] = cython.cast(int32_t, start)
    record[stride - 1] = cython.cast(int32_t, rows)
    push_pieces(g, node, pieces)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def push_pieces(g: cython.pointer(Grower), node: Node, pieces: int64_t) -> cython.void:
    """The pieces lie in ascending order but the next node must be the last: turn them round."""
    stride: int64_t = g.search.stride
    p: int64_t
    a: int64_t = node.start
    b: int64_t = node.start + pieces
    swap: int32_t
    while a < b:
        for p in range(stride - 2, stride):
            swap = g.records[a * stride + p]
            g.records[a * stride + p] = g.records[b * stride + p]
            g.records[b * stride + p] = swap
        a += 1
        b -= 1
    for a in range(node.start, node.start + pieces + 1):
        push_node(g, a, 1, g.records[a * stride + stride - 1], a == node.start, node.name, node.refused, False)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def peel_by_rule(g: cython.pointer(Grower), node: Node) -> cython.void:
    """The same where the sides of a cut need what a rule says."""
    stride: int64_t = g.search.stride
    record: cython.pointer(int32_t) = g.records + node.start * stride
    start: int64_t = record[stride - 2]
    rows: int64_t = node.rows
    take: int64_t
    pieces: int64_t = 0
    if not begin_peeling(cython.address(g.least), start, rows):
        return
    while True:
        take = least_left(cython.address(g.least), rows)
        if take < 0 or not record_space(g, node.start + pieces + 2):
            g.memory.failed = True
            return
        record = g.records + (node.start + pieces) * stride
        record[stride - 2] = cython.cast(int32_t, start)
        if rows < 2 * take:
            break
        memcpy(record + stride, record, stride * cython.sizeof(int32_t))
        record[stride - 1] = cython.cast(int32_t, take)
        peel(cython.address(g.least), start, take)
        pieces += 1
        start += take
        rows -= take
    end_peeling(cython.address(g.least), start, rows)
    record[stride - 1] = cython.cast(int32_t, rows)
    push_pieces(g, node, pieces)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def leaf_space(g: cython.pointer(Grower), rows: int64_t) -> cython.bint:
    """Room for a leaf's rows."""
    if rows <= g.leaf_room:
        return True
    room: int64_t = max(rows, 2 * g.leaf_room)
    g.leaf_room = room
    g.keys = int64s_again(g.memory, g.keys, room)
    g.draws = int64s_again(g.memory, g.draws, room)
    g.spare_keys = int64s_again(g.memory, g.spare_keys, room)
    g.members = int32s_again(g.memory, g.members, room)
    g.spare_members = int32s_again(g.memory, g.spare_members, room)
    g.places = int32s_again(g.memory, g.places, room)
    g.origins = int32s_again(g.memory, g.origins, room)
    g.codes = int32s_again(g.memory, g.codes, room * 4 * g.search.blocks)
    g.column_rows = int32s_again(g.memory, g.column_rows, room)
    g.column = int32s_again(g.memory, g.column, room)
    g.column_start = int64s_again(g.memory, g.column_start, room)
    g.bucket_columns = int64s_again(g.memory, g.bucket_columns, room)
    g.bucket_height = int64s_again(g.memory, g.bucket_height, room)
    g.local = int32s_again(g.memory, g.local, room)
    g.ranked_counts = int64s_again(g.memory, g.ranked_counts, room + 1)
    g.ranked_values = int32s_again(g.memory, g.ranked_values, room + 1)
    return not g.memory.failed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def number_rows(
    g: cython.pointer(Grower), records: cython.pointer(cython.const[int32_t]), entries: int64_t, rows: int64_t
) -> cython.void:
    """Number a leaf's rows 0.. in row order: places (positions) and codes by number."""
    e: int64_t
    p: int64_t
    r: int64_t = 0
    start: int64_t
    stride: int64_t = g.search.stride
    width: int64_t = 4 * g.search.blocks
    orders: cython.pointer(cython.const[int64_t]) = g.search.orders
    for e in range(entries):
        start = records[e * stride + stride - 2]
        for p in range(start, start + records[e * stride + stride - 1]):
            g.keys[r] = orders[p]
            g.members[r] = cython.cast(int32_t, r)
            g.column_rows[r] = cython.cast(int32_t, p)
            g.origins[r] = cython.cast(int32_t, e)
            r += 1
    if entries > 1:
        sort_pairs(g.keys, g.members, rows, g.spare_keys, g.spare_members)
    for r in range(rows):
        g.places[r] = g.column_rows[g.members[r]]
        memcpy(g.codes + r * width, records + g.origins[g.members[r]] * stride, width * cython.sizeof(int32_t))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def draw_columns(g: cython.pointer(Grower), rows: int64_t) -> int64_t:
    """Rank the values of a leaf's numbered rows by (count down, code up), each value's rows in the coins' random order.

    Returns how many values there are; value v's rows are ``column_rows`` from ``taken[v]`` on.
    """
    r: int64_t
    j: int64_t
    at: int64_t = 0
    count: int64_t
    distinct: int64_t = 0
    value: int32_t
    for r in range(rows):
        value = g.sensitive[g.places[r]]
        if g.histogram[value] == 0:
            g.members[distinct] = value
            distinct += 1
        g.histogram[value] += 1
    for j in range(distinct):
        g.draws[j] = (cython.cast(int64_t, rows - g.histogram[g.members[j]]) << 32) | g.members[j]
    sort_pairs(g.draws, g.members, distinct, g.spare_keys, g.spare_members)
    for j in range(distinct):
        value = g.members[j]
        g.ranked_values[j] = value
        g.ranked_counts[j] = g.histogram[value]
        g.taken[value] = at
        at += g.histogram[value]
        g.histogram[value] = 0
    for r in range(rows):
        value = g.sensitive[g.places[r]]
        at = g.taken[value]
        g.taken[value] = at + 1
        g.column_rows[at] = cython.cast(int32_t, r)
        g.draws[at] = cython.cast(int64_t, siphash(g.key0, g.key1, cython.cast(uint64_t, g.keys[r])) >> 1)
    for j in range(distinct):
        value = g.ranked_values[j]
        count = g.ranked_counts[j]
        at = g.taken[value] - count
        g.taken[value] = at
        if count > 1:
            sort_pairs(g.draws + at, g.column_rows + at, count, g.spare_keys, g.spare_members)
    return distinct


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def ace_leaf(
    g: cython.pointer(Grower), records: cython.pointer(cython.const[int32_t]), entries: int64_t, rows: int64_t
) -> cython.void:
    """Assign and Slice inside one of Tailor's leaves."""
    r: int64_t
    j: int64_t
    distinct: int64_t
    remaining: int64_t = rows
    alpha: int64_t = 0
    beta: int64_t
    at: int64_t = 0
    columns: int64_t = 0
    buckets: int64_t = 0
    begin: int64_t = 0
    value: int32_t
    slicer: cython.pointer(Slicer) = cython.address(g.slicer)
    if not leaf_space(g, rows):
        return
    number_rows(g, records, entries, rows)
    distinct = draw_columns(g, rows)
    # all buckets first: which column each row is in, and where the columns lie
    while begin < distinct:
        beta = next_bucket(g.ranked_counts + begin, distinct - begin, remaining, g.l, cython.address(alpha))
        if beta == 0:
            g.memory.failed = True
            return
        g.bucket_columns[buckets] = beta
        g.bucket_height[buckets] = alpha
        buckets += 1
        for j in range(beta):
            value = g.ranked_values[begin + j]
            for r in range(g.taken[value], g.taken[value] + alpha):
                g.column[g.column_rows[r]] = cython.cast(int32_t, columns)
            g.taken[value] += alpha
            g.column_start[columns] = at
            columns += 1
            at += alpha
        remaining -= alpha * beta
        begin += rerank(
            g.ranked_counts + begin, g.ranked_values + begin, distinct - begin, beta, alpha, g.keys, g.members
        )
    slicer.out = g.local
    slicer.first = g.first
    if not fill_lists(slicer, g.codes, rows, g.column, g.column_start, columns):
        return
    at = 0
    for j in range(buckets):
        slice_bucket(slicer, at, g.bucket_columns[j], g.bucket_height[j])
        at += g.bucket_columns[j] * g.bucket_height[j]
    if g.memory.failed:
        return
    for r in range(rows):
        g.out[r] = g.places[g.local[r]]
    g.out += rows
    g.first += rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lot_leaf(
    g: cython.pointer(Grower),
    records: cython.pointer(cython.const[int32_t]),
    entries: int64_t,
    rows: int64_t,
    l: int64_t,
) -> cython.void:
    """Assign(l), every bucket divided by lot: below a refused cut l is one more. No quasi-identifier is looked at.

    Each value's rows are in an order of their own drawn from the coins, so the i-th rows of a bucket's columns are
    together by lot.
    """
    i: int64_t
    j: int64_t
    distinct: int64_t
    remaining: int64_t = rows
    alpha: int64_t = 0
    beta: int64_t
    at: int64_t
    begin: int64_t = 0
    if not leaf_space(g, rows):
        return
    number_rows(g, records, entries, rows)
    distinct = draw_columns(g, rows)
    while begin < distinct:
        beta = next_bucket(g.ranked_counts + begin, distinct - begin, remaining, l, cython.address(alpha))
        if beta == 0:
            g.memory.failed = True
            return
        for i in range(alpha):
            g.first[i * beta] = 1
        for j in range(beta):
            at = g.taken[g.ranked_values[begin + j]]
            for i in range(alpha):
                g.out[i * beta + j] = g.places[g.column_rows[at + i]]
            g.taken[g.ranked_values[begin + j]] += alpha
        g.out += alpha * beta
        g.first += alpha * beta
        remaining -= alpha * beta
        begin += rerank(
            g.ranked_counts + begin, g.ranked_values + begin, distinct - begin, beta, alpha, g.keys, g.members
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def plain_leaf(
    g: cython.pointer(Grower), records: cython.pointer(cython.const[int32_t]), entries: int64_t, rows: int64_t
) -> cython.void:
    """A leaf of Tailor is one group."""
    e: int64_t
    p: int64_t
    start: int64_t
    r: int64_t = 0
    stride: int64_t = g.search.stride
    for e in range(entries):
        start = records[e * stride + stride - 2]
        for p in range(start, start + records[e * stride + stride - 1]):
            g.out[r] = cython.cast(int32_t, p)
            r += 1
    g.out += rows
    g.first += rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def finish_leaf(g: cython.pointer(Grower), node: Node) -> cython.void:
    records: cython.pointer(int32_t) = g.records + node.start * g.search.stride
    if not g.ace:
        g.first[0] = 2 if node.refused else 1
        plain_leaf(g, records, node.entries, node.rows)
    elif node.refused:
        lot_leaf(g, records, node.entries, node.rows, g.l + 1)
    else:
        ace_leaf(g, records, node.entries, node.rows)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def finish_stratum(g: cython.pointer(Grower), node: Node, whole: cython.bint) -> cython.void:
    """A stratum in which nothing is cut: one group, or groups by lot."""
    records: cython.pointer(int32_t) = g.records + node.start * g.search.stride
    if whole:
        g.first[0] = 3
        plain_leaf(g, records, node.entries, node.rows)
    else:
        lot_leaf(g, records, node.entries, node.rows, g.l)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def divide(g: cython.pointer(Grower), node: Node, tried: cython.bint) -> cython.void:
    """Carry out the cut found last; a tried one only when the die accepts it, else the node comes back refused."""
    stride: int64_t = g.search.stride
    scratch: int64_t = node.start + node.entries
    records: cython.pointer(int32_t)
    left: cython.pointer(int32_t)
    kept: int64_t
    lefts: int64_t = 0
    left_name: uint64_t = 0
    right_name: uint64_t = 0
    if not record_space(g, scratch + node.entries):
        return
    # the left side is written behind the node and then moved up to the right side's end
    records = g.records + node.start * stride
    kept = split(cython.address(g.search), records, node.entries, g.records + scratch * stride, cython.address(lefts))
    if kept < 0:
        return
    left = records + kept * stride
    memmove(left, g.records + scratch * stride, lefts * stride * cython.sizeof(int32_t))
    if tried and not accepts(g, node.name, left, lefts, records, kept, node.rows):
        # a tried cut divides no entry: they are all there, in another order
        push_node(g, node.start, node.entries, node.rows, False, node.name, True, False)
        return
    if g.soft and not node.refused:
        left_name = child_of(cython.address(g.die), node.name, 0)
        right_name = child_of(cython.address(g.die), node.name, 1)
    push_node(g, node.start, kept, node.rows - g.search.best.k, False, right_name, node.refused, node.unbounded)
    push_node(g, node.start + kept, lefts, g.search.best.k, False, left_name, node.refused, node.unbounded)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def grow_node(g: cython.pointer(Grower), node: Node) -> cython.bint:
    """Cut a node, or finish it; True when it was finished as a leaf."""
    choice: cython.int = LEAF
    unbounded: cython.bint = node.unbounded
    if not node.leaf:
        choice = choose_cut(g, g.records + node.start * g.search.stride, cython.address(node))
        if unbounded and not node.unbounded:
            g.begun = g.first
    if choice == FAILED:
        g.memory.failed = True
    elif choice == LEAF:
        finish_leaf(g, node)
        return True
    elif choice == WHOLE or choice == LOT:
        finish_stratum(g, node, choice == WHOLE)
        return True
    elif choice == PEEL:
        if g.ruled:
            peel_by_rule(g, node)
        else:
            peel_equal_rows(g, node)
    else:
        divide(g, node, choice == TRY)
    return False


@cython.cfunc
def open_grower(
    g: cython.pointer(Grower),
    memory: cython.pointer(Room),
    space: cython.pointer(cython.const[Space]),
    orders: cython.pointer(cython.const[int64_t]),
    sensitive: cython.const[int32_t][:, ::1],
    values: int64_t,
    rule: Rule = None,
    ask: object = None,
    asked: int64_t[:, ::1] = None,
    die: Die = None,
    opened: cython.bint = False,
    weights: cython.const[int64_t][::1] = None,
) -> cython.void:
    """What growing a subtree and cutting one node have in common: the table, what is asked of cuts, and room for it."""
    memset(g, 0, cython.sizeof(Grower))
    g.memory = memory
    if weights is not None:
        g.weights = cython.address(weights[0])
    if die is not None:
        g.soft = True
        g.opened = opened
        g.die = die.throws
    g.sensitive = cython.address(sensitive[0, 0])
    g.columns = sensitive.shape[0]
    g.positions = sensitive.shape[1]
    g.values = values
    g.histogram = zeros(memory, values)
    open_search(cython.address(g.search), space, orders, memory)
    if rule is None:
        return
    g.ruled = True
    if asked is None:
        open_least(cython.address(g.least), rule, None, cython.NULL, cython.NULL, memory)
    else:
        open_least(cython.address(g.least), rule, ask, cython.address(asked[0, 0]), cython.address(asked[1, 0]), memory)
    make_room(cython.address(g.least), g.sensitive, g.columns, g.positions, g.values, g.search.stride, g.histogram)


def grow(
    geometry: Geometry,
    records: cython.const[int32_t][:, ::1],
    orders: cython.const[int64_t][::1],
    sensitive: cython.const[int32_t][:, ::1],
    values: int64_t,
    l: int64_t,
    ace: cython.bint,
    key0: uint64_t,
    key1: uint64_t,
    out: int32_t[::1],
    first: cython.uchar[::1],
    done: int64_t[::1],
    stop: cython.const[cython.uchar][::1],
    rule: Rule = None,
    ask: object = None,
    asked: int64_t[:, ::1] = None,
    die: Die = None,
    name: uint64_t = 0,
    refused: cython.bint = False,
    opened: cython.bint = False,
    fewest: int64_t = 1,
    fillers: int64_t = -1,
    weights: cython.const[int64_t][::1] = None,
    strata: int64_t = 0,
    inside: cython.int = 0,
) -> None:
    """Grow the subtree below the entries ``records``; ``done[0]`` counts finished rows, ``stop[0]`` ends the work.

    With a ``rule``, the sides of a cut need what it says, or what the function ``ask`` answers: it is called with a
    column, how many values of it occur, and the rows of a node, and reads the values and their counts in ``asked``.
    A negative answer says that it failed, and ends the work. With a ``die``, cuts that are not certain are tried
    (SoftCut): ``name`` is the node's, ``refused`` says whether a cut above it was, ``opened`` whether the table was
    opened by the first cut. A side of a cut needs ``fewest`` rows in any case, and the count of the code ``fillers``
    does not matter. ``weights``, where sensitive columns have an l each, are these by code, and ``l`` is 1. Without
    ``ace``, ``first`` is 2 where a leaf begins below a refused cut. With ``strata``, cuts by quasi-identifiers alone
    come first, with so many rows on both sides; ``inside`` says what is done below them, and ``first`` is 4 more where
    a stratum begins, 3 and 4 where it is one group.
    """
    g: Grower
    node: Node
    arena: Arena = Arena()
    entries: int64_t = records.shape[0]
    open_grower(
        cython.address(g), cython.address(arena.room), cython.address(geometry.space), cython.address(orders[0]),
        sensitive, values, rule, ask, asked, die, opened, weights,
    )  # fmt: skip
    open_slicer(cython.address(g.slicer), cython.address(geometry.space), g.memory)
    g.ace = ace
    g.l = l
    g.fewest = fewest
    g.fillers = fillers
    g.strata = strata
    g.inside = inside
    g.key0 = key0
    g.key1 = key1
    g.taken = int64s(g.memory, values)
    g.out = cython.address(out[0])
    g.first = cython.address(first[0])
    arena.check()
    with cython.nogil:
        if record_space(cython.address(g), entries):
            memcpy(g.records, cython.address(records[0, 0]), entries * g.search.stride * cython.sizeof(int32_t))
            push_node(cython.address(g), 0, entries, out.shape[0], False, name, refused, strata > 0)
            while g.node_count > 0 and not g.memory.failed and not stop[0]:
                g.node_count -= 1
                node = g.nodes[g.node_count]
                if grow_node(cython.address(g), node):
                    done[0] += node.rows
                    if g.begun != cython.NULL:
                        g.begun[0] |= 4
                        g.begun = cython.NULL
    arena.check()


def cut(
    geometry: Geometry,
    records: int32_t[:, ::1],
    orders: cython.const[int64_t][::1],
    sensitive: cython.const[int32_t][:, ::1],
    values: int64_t,
    l: int64_t,
    rows: int64_t,
    left: int32_t[:, ::1],
    rule: Rule = None,
    ask: object = None,
    asked: int64_t[:, ::1] = None,
    die: Die = None,
    name: uint64_t = 0,
    refused: cython.bint = False,
    opened: cython.bint = False,
    fewest: int64_t = 1,
    fillers: int64_t = -1,
    weights: cython.const[int64_t][::1] = None,
    strata: int64_t = 0,
    inside: cython.int = 0,
) -> tuple:
    """Cut one node: its right side stays in ``records``, its left side goes to ``left``.

    Returns (entries left, entries right, rows left, whether the cut was refused), with no entries and no rows when the
    node cannot be cut. A refused cut is carried out as well: its sides show which entries the node has. With
    ``strata`` only a cut by quasi-identifiers alone is made.
    """
    g: Grower
    node: Node
    choice: cython.int = FAILED
    kept: int64_t = 0
    lefts: int64_t = 0
    now_refused: cython.bint = False
    arena: Arena = Arena()
    open_grower(
        cython.address(g), cython.address(arena.room), cython.address(geometry.space), cython.address(orders[0]),
        sensitive, values, rule, ask, asked, die, opened, weights,
    )  # fmt: skip
    arena.check()
    memset(cython.address(node), 0, cython.sizeof(Node))
    with cython.nogil:
        g.l = l
        g.fewest = fewest
        g.fillers = fillers
        g.strata = strata
        g.inside = inside
        node.entries = records.shape[0]
        node.rows = rows
        node.name = name
        node.refused = refused
        node.unbounded = strata > 0
        choice = choose_cut(cython.address(g), cython.address(records[0, 0]), cython.address(node))
        if strata > 0 and not node.unbounded and choice != FAILED:
            choice = LEAF  # the inside of a stratum is grown at once
        if choice == CUT or choice == TRY:
            kept = split(
                cython.address(g.search),
                cython.address(records[0, 0]),
                records.shape[0],
                cython.address(left[0, 0]),
                cython.address(lefts),
            )
        if choice == TRY:
            now_refused = not accepts(
                cython.address(g),
                name,
                cython.address(left[0, 0]),
                lefts,
                cython.address(records[0, 0]),
                kept,
                rows,
            )
    arena.check()
    if choice == FAILED:
        raise MemoryError
    return (lefts, kept, g.search.best.k if lefts else 0, now_refused)


def cut_between_codes(
    geometry: Geometry,
    records: int32_t[:, ::1],
    orders: cython.const[int64_t][::1],
    rows: int64_t,
    side: int64_t,
    left: int32_t[:, ::1],
) -> tuple:
    """The canonical cut between different codes that leaves both sides at least so many rows, whoever has which value.

    The right side stays in ``records``, the left one goes to ``left``. Returns (entries left, entries right, rows
    left), with no entries and no rows when there is no such cut.
    """
    search: Search
    kept: int64_t = 0
    lefts: int64_t = 0
    arena: Arena = Arena()
    open_search(
        cython.address(search), cython.address(geometry.space), cython.address(orders[0]), cython.address(arena.room)
    )
    arena.check()
    with cython.nogil:
        if (
            find_cut(cython.address(search), cython.address(records[0, 0]), records.shape[0], rows, side, True)
            and search.best.found
        ):
            kept = split(
                cython.address(search),
                cython.address(records[0, 0]),
                records.shape[0],
                cython.address(left[0, 0]),
                cython.address(lefts),
            )
    arena.check()
    return (lefts, kept, search.best.k if lefts else 0)


def rows_at(places: cython.const[int32_t][::1], rows: cython.const[int32_t][::1], members: int32_t[::1]) -> None:
    """members[p] = rows[places[p]]."""
    p: cython.Py_ssize_t
    with cython.nogil:
        for p in range(places.shape[0]):
            members[p] = rows[places[p]]


def label(members: cython.const[int32_t][::1], starts: cython.const[int64_t][::1], labels: int32_t[::1]) -> None:
    """Give every member its group's number."""
    g: cython.Py_ssize_t
    p: int64_t
    with cython.nogil:
        for g in range(starts.shape[0] - 1):
            for p in range(starts[g], starts[g + 1]):
                labels[members[p]] = cython.cast(int32_t, g)
