"""Tailor's canonical cut of one node: the search over all attributes and all positions, exactly.

A node is a list of entries (see entries.py). Per attribute the entries fall into bins by code: every value a bin of
its own, or up to 1,024 coarse bins where there are more values. A cut at a bin's border is priced from the boxes of
all bins before and after. A cut inside a bin is priced only when a lower bound, the price of what certainly lies
left and right of it, does not already lose. Inside a run of equal values the cut is by row order; there the price
is linear in k between the few places where a box changes.

The plain definition is ``tailor`` in tests/plain/transparent.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.pellucid.kernels.arena import Room, grown, int32s, int32s_again, int64s_again, zeros
from cython.cimports.pellucid.kernels.lanes import (
    absorb_box,
    absorb_code,
    absorb_row,
    box_high,
    box_low,
    clear_box,
    grows,
)
from cython.cimports.pellucid.kernels.penalty import Space, extent, sign_of
from cython.cimports.pellucid.kernels.sorting import select, sort_pairs

BINS = cython.declare(int64_t, 1024)
LATEST = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)
SORTED = cython.declare(int64_t, 40)  # nodes with at most so many entries are sorted instead of binned


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_search(
    s: cython.pointer(Search),
    space: cython.pointer(cython.const[Space]),
    orders: cython.pointer(cython.const[int64_t]),
    memory: cython.pointer(Room),
) -> cython.void:
    """Make room to work in."""
    lanes: int64_t = 8 * space.blocks
    memset(s, 0, cython.sizeof(Search))
    s.memory = memory
    s.space = space
    s.blocks = space.blocks
    s.stride = 4 * space.blocks + 2
    s.orders = orders
    s.counts = int32s(memory, BINS + 1)
    s.boxes = int32s(memory, (BINS + 1) * lanes)
    s.suffix = int32s(memory, (BINS + 2) * lanes)
    s.best.left = zeros(memory, lanes)
    s.best.right = zeros(memory, lanes)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def ensure_members(s: cython.pointer(Search), need: int64_t) -> cython.bint:
    """Room for so many entries (or rows) to examine."""
    if need <= s.room:
        return True
    room: int64_t = max(need, 2 * s.room)
    s.members = int32s_again(s.memory, s.members, room)
    s.spare_members = int32s_again(s.memory, s.spare_members, room)
    s.keys = int64s_again(s.memory, s.keys, room)
    s.spare_keys = int64s_again(s.memory, s.spare_keys, room)
    s.room = 0 if s.memory.failed else room
    return not s.memory.failed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def ensure_events(s: cython.pointer(Search), need: int64_t) -> cython.bint:
    """Room for so many changes of a box; what is there stays."""
    if need <= s.event_room:
        return True
    room: int64_t = max(max(need, 2 * s.event_room), 64)
    s.event_keys = cython.cast(cython.pointer(int64_t), grown(s.memory, s.event_keys, room * cython.sizeof(int64_t)))
    s.event_boxes = cython.cast(
        cython.pointer(int32_t),
        grown(s.memory, s.event_boxes, room * 8 * s.blocks * cython.sizeof(int32_t)),
    )
    if s.memory.failed:
        return False
    s.event_room = room
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hopeless(s: cython.pointer(Search), bound: cython.double, attribute: cython.int, smallest: int64_t) -> cython.bint:
    """Whether no cut that costs at least ``bound``, on this attribute with k >= smallest, can be the canonical one."""
    if not s.best.found:
        return False
    if not s.space.exact:
        return bound > s.best.score * (1.0 + 1e-12)
    if bound != s.best.score:
        return bound > s.best.score
    if attribute != s.best.attribute:
        return attribute > s.best.attribute
    return smallest >= s.best.k


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def consider(
    s: cython.pointer(Search),
    score: cython.double,
    attribute: cython.int,
    k: int64_t,
    before: int64_t,
    code: int32_t,
    left: cython.pointer(cython.const[int32_t]),
    right: cython.pointer(cython.const[int32_t]),
) -> cython.void:
    """Keep this cut when it is smaller in (perimeter, attribute, k)."""
    best: cython.pointer(Best) = cython.address(s.best)
    lanes: int64_t = 8 * s.blocks * cython.sizeof(int32_t)
    sign: cython.int
    if best.found:
        sign = sign_of(
            s.space, score, left, k, right, s.rows - k, best.score, best.left, best.k, best.right, s.rows - best.k
        )
        if sign > 0 or (sign == 0 and (attribute > best.attribute or (attribute == best.attribute and k >= best.k))):
            return
    best.found = True
    best.score = score
    best.attribute = attribute
    best.k = k
    best.before = before
    best.code = code
    if not s.space.exact:
        memcpy(best.left, left, lanes)
        memcpy(best.right, right, lanes)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stretch_bound(
    s: cython.pointer(Search),
    attribute: cython.int,
    first: int32_t,
    last: int32_t,
    low: int64_t,
    high: int64_t,
    left: cython.pointer(cython.const[int32_t]),
    right: cython.pointer(cython.const[int32_t]),
) -> cython.double:
    """A lower bound on every cut with low <= k <= high inside a stretch of codes first..last.

    What lies before the stretch and its first value are on the left; its last value and what lies behind are on the
    right. The bound is linear in k, so its least value is at an end.
    """
    box: int32_t[128]
    lanes: int64_t = 8 * s.blocks * cython.sizeof(int32_t)
    memcpy(box, left, lanes)
    absorb_code(box, attribute, first)
    left_cost: cython.double = extent(s.space, box)
    memcpy(box, right, lanes)
    absorb_code(box, attribute, last)
    right_cost: cython.double = extent(s.space, box)
    at_low: cython.double = low * left_cost + (s.rows - low) * right_cost
    at_high: cython.double = high * left_cost + (s.rows - high) * right_cost
    return at_low if at_low < at_high else at_high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def postpone(
    s: cython.pointer(Search),
    attribute: cython.int,
    first: int32_t,
    last: int32_t,
    before: int64_t,
    rows: int64_t,
    left: cython.pointer(cython.const[int32_t]),
    right: cython.pointer(cython.const[int32_t]),
) -> cython.void:
    """Remember a stretch for when the best border cut is known."""
    low: int64_t = max(s.low, before + 1)
    high: int64_t = min(s.high, before + rows - 1)
    lanes: int64_t = 8 * s.blocks
    if low > high:
        return
    if s.best.found and hopeless(s, stretch_bound(s, attribute, first, last, low, high, left, right), attribute, low):
        return
    if s.pendings == s.pending_room:
        room: int64_t = 2 * s.pending_room + 64
        s.pending = cython.cast(cython.pointer(Pending), grown(s.memory, s.pending, room * cython.sizeof(Pending)))
        s.pending_boxes = cython.cast(
            cython.pointer(int32_t),
            grown(s.memory, s.pending_boxes, room * 2 * lanes * cython.sizeof(int32_t)),
        )
        if s.memory.failed:
            return
        s.pending_room = room
    stretch: cython.pointer(Pending) = s.pending + s.pendings
    stretch.attribute = attribute
    stretch.first = first
    stretch.last = last
    stretch.before = before
    stretch.rows = rows
    memcpy(s.pending_boxes + 2 * lanes * s.pendings, left, lanes * cython.sizeof(int32_t))
    memcpy(s.pending_boxes + 2 * lanes * s.pendings + lanes, right, lanes * cython.sizeof(int32_t))
    s.pendings += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_bins(s: cython.pointer(Search), attribute: cython.int, low: int32_t, shift: cython.int) -> cython.void:
    """Count the rows and the box of every bin of codes (code - low) >> shift."""
    e: int64_t
    b: int64_t
    lanes: cython.int = 8 * s.blocks
    blocks: cython.int = s.blocks
    rows_word: cython.int = s.stride - 1
    counts: cython.pointer(int32_t) = s.counts
    boxes: cython.pointer(int32_t) = s.boxes
    record: cython.pointer(cython.const[int32_t]) = s.records
    memset(counts, 0, s.bins * cython.sizeof(int32_t))
    for b in range(s.bins):
        clear_box(boxes + b * lanes, blocks)
    if blocks == 1:
        for e in range(s.entries):
            b = (record[attribute] - low) >> shift
            counts[b] += record[5]
            absorb_row(boxes + b * 8, record, 1)
            record += 6
    else:
        for e in range(s.entries):
            b = (record[attribute] - low) >> shift
            counts[b] += record[rows_word]
            absorb_row(boxes + b * lanes, record, blocks)
            record += s.stride


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_bins(s: cython.pointer(Search), attribute: cython.int) -> cython.void:
    """The same for few entries: sort them by code, one bin per distinct code that occurs."""
    e: int64_t
    b: int64_t = -1
    code: int64_t
    lanes: cython.int = 8 * s.blocks
    record: cython.pointer(cython.const[int32_t])
    for e in range(s.entries):
        s.keys[e] = s.records[e * s.stride + attribute]
        s.members[e] = cython.cast(int32_t, e)
    sort_pairs(s.keys, s.members, s.entries, s.spare_keys, s.spare_members)
    code = -1
    for e in range(s.entries):
        record = s.records + cython.cast(int64_t, s.members[e]) * s.stride
        if s.keys[e] != code:
            code = s.keys[e]
            b += 1
            s.counts[b] = 0
            clear_box(s.boxes + b * lanes, s.blocks)
        s.counts[b] += record[s.stride - 1]
        absorb_row(s.boxes + b * lanes, record, s.blocks)
    s.bins = b + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def price_bins(
    s: cython.pointer(Search),
    attribute: cython.int,
    before: int64_t,
    left: cython.pointer(cython.const[int32_t]),
    right: cython.pointer(cython.const[int32_t]),
) -> cython.void:
    """Price every border between bins, with ``before`` rows and box ``left`` before them and ``right`` behind."""
    prefix: int32_t[128]
    b: int64_t
    k: int64_t = before
    count: int64_t
    lanes: int64_t = 8 * s.blocks
    bytes_: int64_t = lanes * cython.sizeof(int32_t)
    box: cython.pointer(int32_t)
    after: cython.pointer(int32_t) = s.suffix + s.bins * lanes
    memcpy(after, right, bytes_)
    b = s.bins - 1
    while b >= 0:
        memcpy(after - lanes, after, bytes_)
        after -= lanes
        if s.counts[b] > 0:
            absorb_box(after, s.boxes + b * lanes, s.blocks)
        b -= 1
    memcpy(prefix, left, bytes_)
    for b in range(s.bins):
        count = s.counts[b]
        if count == 0:
            continue
        if k >= s.high:
            return
        box = s.boxes + b * lanes
        after = s.suffix + (b + 1) * lanes
        if count > 1 and k + count > s.low:
            if not s.by_value or box_low(box, attribute) < box_high(box, attribute):
                postpone(s, attribute, box_low(box, attribute), box_high(box, attribute), k, count, prefix, after)
        k += count
        absorb_box(prefix, box, s.blocks)
        if k >= s.low and k <= s.high and k < s.rows:
            consider(
                s,
                k * extent(s.space, prefix) + (s.rows - k) * extent(s.space, after),
                attribute,
                k,
                k - count,
                box_high(box, attribute),
                prefix,
                after,
            )


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def below(orders: cython.pointer(cython.const[int64_t]), length: int64_t, order: int64_t) -> int64_t:
    """How many of so many ascending row orders are below ``order``, without branches to guess."""
    low: int64_t = 0
    half: int64_t
    while length > 1:
        half = length >> 1
        low += half * (orders[low + half - 1] < order)
        length -= half
    return low + (orders[low] < order)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def few_each(s: cython.pointer(Search), members: int64_t, rows: int64_t) -> cython.bint:
    """Whether the examined entries have so few rows each, and there is room for the row orders of all of them."""
    return rows <= 4 * members and rows <= s.room


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rank(s: cython.pointer(Search), members: int64_t, rows: int64_t, order: int64_t) -> int64_t:
    """How many of the rows of the examined entries have a row order below ``order``.

    Where every entry is a single row, their row orders have just been sorted: ``s.keys`` holds them, negated. Where
    entries have few rows, ``s.spare_keys`` has their row orders, and counting them all is faster than searching each.
    """
    j: int64_t
    total: int64_t = 0
    record: cython.pointer(cython.const[int32_t])
    if members == rows:
        return members - below(s.keys, members, 1 - order)
    if few_each(s, members, rows):
        for j in range(rows):
            total += s.spare_keys[j] < order
        return total
    for j in range(members):
        record = s.records + cython.cast(int64_t, s.members[j]) * s.stride + s.stride - 2
        total += below(s.orders + record[0], record[1], order)
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gather_orders(s: cython.pointer(Search), members: int64_t) -> cython.void:
    """The row orders of the examined entries, entry after entry, into ``s.spare_keys``."""
    j: int64_t
    gathered: int64_t = 0
    record: cython.pointer(cython.const[int32_t])
    for j in range(members):
        record = s.records + cython.cast(int64_t, s.members[j]) * s.stride + s.stride - 2
        memcpy(s.spare_keys + gathered, s.orders + record[0], record[1] * cython.sizeof(int64_t))
        gathered += record[1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def certified_bound(
    s: cython.pointer(Search),
    attribute: cython.int,
    code: int32_t,
    step: int64_t,
    early: int64_t,
    late: int64_t,
    low: int64_t,
    high: int64_t,
    left: cython.pointer(cython.const[int32_t]),
    right: cython.pointer(cython.const[int32_t]),
) -> cython.double:
    """The bound when rows up to ``early`` are always left and rows from ``late`` on right, by every step-th entry."""
    e: int64_t
    boxes: int32_t[512]  # left, right, and where to put what is neither
    lanes: int64_t = 8 * s.blocks
    bytes_: int64_t = lanes * cython.sizeof(int32_t)
    record: cython.pointer(cython.const[int32_t])
    orders: cython.pointer(cython.const[int64_t])
    memcpy(boxes, left, bytes_)
    memcpy(boxes + 2 * lanes, right, bytes_)
    clear_box(boxes + lanes, s.blocks)
    clear_box(boxes + 3 * lanes, s.blocks)
    e = 0
    while e < s.entries:
        record = s.records + e * s.stride
        e += step
        if record[attribute] != code:
            continue
        orders = s.orders + record[s.stride - 2]
        absorb_row(boxes + lanes * (orders[0] > early), record, s.blocks)
        absorb_row(boxes + 2 * lanes + lanes * (orders[record[s.stride - 1] - 1] < late), record, s.blocks)
    return stretch_bound(s, attribute, code, code, low, high, boxes, boxes + 2 * lanes)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def certainly_worse(
    s: cython.pointer(Search),
    attribute: cython.int,
    code: int32_t,
    rows: int64_t,
    before: int64_t,
    low: int64_t,
    high: int64_t,
    left: cython.pointer(cython.const[int32_t]),
    right: cython.pointer(cython.const[int32_t]),
) -> cython.bint:
    """Try to lose a whole run by a certificate: rows early in row order are left for every k, late ones right.

    Which rows are early is guessed from a sample of row orders and then counted, so a bad guess costs time and no more.
    """
    sample: int64_t[256]
    dummy: int32_t[256]
    spare: int64_t[256]
    spare_dummy: int32_t[256]
    e: int64_t
    j: int64_t
    size: int64_t = 0
    early: int64_t
    late: int64_t
    earlier: int64_t = 0
    later: int64_t = 0
    inside: int64_t
    count: int64_t
    rows_word: int64_t = s.stride - 1
    record: cython.pointer(cython.const[int32_t])
    orders: cython.pointer(cython.const[int64_t])
    for j in range(256):
        record = s.records + (j * s.entries >> 8) * s.stride
        if record[attribute] == code:
            sample[size] = s.orders[record[rows_word - 1] + ((j * 7919) % record[rows_word])]
            dummy[size] = 0
            size += 1
    if size < 8:
        return False
    sort_pairs(sample, dummy, size, spare, spare_dummy)
    early = sample[cython.cast(int64_t, 0.8 * size * (low - before) / rows)]
    late = sample[size - 1 - cython.cast(int64_t, 0.8 * size * (before + rows - high) / rows)]
    record = s.records
    for e in range(s.entries):
        inside = record[attribute] == code
        orders = s.orders + record[rows_word - 1]
        count = record[rows_word]
        if count == 1:
            earlier += inside & (orders[0] <= early)
            later += inside & (orders[0] >= late)
        elif inside:
            earlier += below(orders, count, early + 1)
            later += count - below(orders, count, late)
        record += s.stride
    if earlier > low - before:
        early = -1
    if later > before + rows - high:
        late = LATEST
    if s.entries > 1024 and hopeless(
        s,
        certified_bound(s, attribute, code, s.entries >> 8, early, late, low, high, left, right),
        attribute,
        low,
    ):
        return True
    return hopeless(s, certified_bound(s, attribute, code, 1, early, late, low, high, left, right), attribute, low)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def box_changes(
    s: cython.pointer(Search),
    members: int64_t,
    from_the_end: cython.bint,
    start_box: cython.pointer(cython.const[int32_t]),
    at: int64_t,
) -> int64_t:
    """Where the box of the first (or last) rows of a run grows: (row order, box) events from ``at`` on."""
    j: int64_t
    start: int64_t
    events: int64_t = 0
    lanes: int64_t = 8 * s.blocks
    bytes_: int64_t = lanes * cython.sizeof(int32_t)
    box: int32_t[128]
    record: cython.pointer(cython.const[int32_t])
    memcpy(box, start_box, bytes_)
    for j in range(members):
        record = s.records + cython.cast(int64_t, s.members[j]) * s.stride + s.stride - 2
        start = record[0]
        if from_the_end:
            s.keys[j] = -s.orders[start + record[1] - 1]
        else:
            s.keys[j] = s.orders[start]
    sort_pairs(s.keys, s.members, members, s.spare_keys, s.spare_members)
    for j in range(members):
        record = s.records + cython.cast(int64_t, s.members[j]) * s.stride
        if j > 0 and not grows(box, record, s.blocks):
            continue
        if not ensure_events(s, at + events + 1):
            return 0
        absorb_row(box, record, s.blocks)
        memcpy(s.event_boxes + (at + events) * lanes, box, bytes_)
        s.event_keys[at + events] = -s.keys[j] if from_the_end else s.keys[j]
        events += 1
    return events


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def price_run(
    s: cython.pointer(Search),
    attribute: cython.int,
    code: int32_t,
    members: int64_t,
    before: int64_t,
    rows: int64_t,
    left: cython.pointer(cython.const[int32_t]),
    right: cython.pointer(cython.const[int32_t]),
) -> cython.void:
    """Price every cut by row order inside a run of one value: its entries are ``s.members``."""
    low: int64_t = max(s.low, before + 1)
    high: int64_t = min(s.high, before + rows - 1)
    x: int64_t
    x_end: int64_t = high - before
    following: int64_t
    lefts: int64_t
    rights: int64_t
    p: int64_t
    q: int64_t
    a: int64_t
    b: int64_t
    next_left: int64_t
    next_right: int64_t
    lanes: int64_t = 8 * s.blocks
    left_cost: cython.double
    right_cost: cython.double
    left_box: cython.pointer(int32_t)
    right_box: cython.pointer(int32_t)
    if low > high:
        return
    lefts = box_changes(s, members, False, left, 0)
    rights = box_changes(s, members, True, right, lefts)
    if s.memory.failed:
        return
    if few_each(s, members, rows):
        gather_orders(s, members)
    x = low - before
    # the left box at x: the last event that x rows reach
    a = 0
    b = lefts - 1
    while a < b:
        p = (a + b + 1) >> 1
        if rank(s, members, rows, s.event_keys[p]) + 1 <= x:
            a = p
        else:
            b = p - 1
    p = a
    # the right box at x: the last event (events go down in row order) whose row is still right of x rows
    a = 0
    b = rights - 1
    while a < b:
        q = (a + b + 1) >> 1
        if rank(s, members, rows, s.event_keys[lefts + q]) >= x:
            a = q
        else:
            b = q - 1
    q = a
    next_left = rank(s, members, rows, s.event_keys[p + 1]) + 1 if p + 1 < lefts else x_end + 1
    next_right = rank(s, members, rows, s.event_keys[lefts + q]) + 1 if q > 0 else x_end + 1
    while x <= x_end:
        following = min(min(next_left, next_right), x_end + 1)
        left_box = s.event_boxes + p * lanes
        right_box = s.event_boxes + (lefts + q) * lanes
        left_cost = extent(s.space, left_box)
        right_cost = extent(s.space, right_box)
        consider(
            s,
            (before + x) * left_cost + (s.rows - before - x) * right_cost,
            attribute,
            before + x,
            before,
            code,
            left_box,
            right_box,
        )
        if following - 1 > x:
            x = following - 1
            consider(
                s,
                (before + x) * left_cost + (s.rows - before - x) * right_cost,
                attribute,
                before + x,
                before,
                code,
                left_box,
                right_box,
            )
        x = following
        while p + 1 < lefts and next_left <= x:
            p += 1
            next_left = rank(s, members, rows, s.event_keys[p + 1]) + 1 if p + 1 < lefts else x_end + 1
        while q > 0 and next_right <= x:
            q -= 1
            next_right = rank(s, members, rows, s.event_keys[lefts + q]) + 1 if q > 0 else x_end + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def collect(s: cython.pointer(Search), attribute: cython.int, first: int32_t, last: int32_t) -> int64_t:
    """The entries with a code in first..last, into ``s.members``."""
    e: int64_t
    found: int64_t = 0
    code: int32_t
    for e in range(s.entries):
        # every entry is written, and counts only when it belongs: no branch to guess
        code = s.records[e * s.stride + attribute]
        s.members[found] = cython.cast(int32_t, e)
        found += (first <= code) & (code <= last)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def price_stretch(s: cython.pointer(Search), stretch: Pending, number: int64_t) -> cython.void:
    """Price what is inside a postponed stretch: a run of one value, or a coarse bin value by value."""
    lanes: int64_t = 8 * s.blocks
    left: cython.pointer(int32_t) = s.pending_boxes + 2 * lanes * number
    right: cython.pointer(int32_t) = left + lanes
    low: int64_t = max(s.low, stretch.before + 1)
    high: int64_t = min(s.high, stretch.before + stretch.rows - 1)
    members: int64_t
    e: int64_t
    b: int64_t
    shift: cython.int = 0
    record: cython.pointer(cython.const[int32_t])
    if hopeless(
        s,
        stretch_bound(s, stretch.attribute, stretch.first, stretch.last, low, high, left, right),
        stretch.attribute,
        low,
    ):
        return
    if (
        stretch.first == stretch.last
        and s.entries > SORTED
        and s.best.found
        and certainly_worse(
            s,
            stretch.attribute,
            stretch.first,
            stretch.rows,
            stretch.before,
            low,
            high,
            left,
            right,
        )
    ):
        return
    members = collect(s, stretch.attribute, stretch.first, stretch.last)
    if stretch.first == stretch.last:
        price_run(s, stretch.attribute, stretch.first, members, stretch.before, stretch.rows, left, right)
        return
    # finer bins over these entries only; their inner stretches are postponed behind all others
    while (stretch.last - stretch.first) >> shift >= BINS:
        shift += 1
    s.bins = ((stretch.last - stretch.first) >> shift) + 1
    memset(s.counts, 0, s.bins * cython.sizeof(int32_t))
    for b in range(s.bins):
        clear_box(s.boxes + b * lanes, s.blocks)
    for e in range(members):
        record = s.records + cython.cast(int64_t, s.members[e]) * s.stride
        b = (record[stretch.attribute] - stretch.first) >> shift
        s.counts[b] += record[s.stride - 1]
        absorb_row(s.boxes + b * lanes, record, s.blocks)
    # price_bins may move the postponed boxes while it reads these two
    left_copy: int32_t[128]
    right_copy: int32_t[128]
    memcpy(left_copy, left, lanes * cython.sizeof(int32_t))
    memcpy(right_copy, right, lanes * cython.sizeof(int32_t))
    price_bins(s, stretch.attribute, stretch.before, left_copy, right_copy)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def most_promising(s: cython.pointer(Search)) -> int64_t:
    """The postponed stretch with the least bound; what is found in it makes most of the others hopeless. -1: none."""
    number: int64_t
    found: int64_t = -1
    lanes: int64_t = 8 * s.blocks
    bound: cython.double
    least: cython.double = 0.0
    stretch: cython.pointer(Pending)
    left: cython.pointer(int32_t)
    if s.pendings < 2:
        return found
    for number in range(s.pendings):
        stretch = s.pending + number
        left = s.pending_boxes + 2 * lanes * number
        bound = stretch_bound(
            s,
            stretch.attribute,
            stretch.first,
            stretch.last,
            max(s.low, stretch.before + 1),
            min(s.high, stretch.before + stretch.rows - 1),
            left,
            left + lanes,
        )
        if found < 0 or bound < least:
            found = number
            least = bound
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_cut(
    s: cython.pointer(Search),
    records: cython.pointer(cython.const[int32_t]),
    entries: int64_t,
    rows: int64_t,
    side: int64_t,
    by_value: cython.bint,
) -> cython.bint:
    """Search the canonical cut of a node into ``s.best``; both sides get at least ``side`` rows. False: no memory.

    With ``by_value`` only cuts between different codes count, of which there may be none: ``s.best.found`` tells.
    """
    box: int32_t[128]
    empty: int32_t[128]
    e: int64_t
    i: cython.int
    shift: cython.int
    width: int64_t
    most: int64_t
    constant: cython.int = -1
    number: int64_t
    promising: int64_t
    s.records = records
    s.entries = entries
    s.rows = rows
    s.low = side
    s.high = rows - side
    s.by_value = by_value
    s.pendings = 0
    s.best.found = False
    if not ensure_members(s, min(rows, 2 * entries)):  # room for the rows of most runs, too
        return False
    clear_box(empty, s.blocks)
    clear_box(box, s.blocks)
    for e in range(entries):
        absorb_row(box, records + e * s.stride, s.blocks)
    for i in range(s.space.d):
        width = cython.cast(int64_t, box_high(box, i)) - box_low(box, i) + 1
        if width == 1:
            # on a constant attribute every cut is by row order; the lowest such attribute wins all ties
            if constant < 0:
                constant = i
            continue
        if entries <= SORTED:
            sort_bins(s, i)
        else:
            most = min(BINS, 2 * entries)
            shift = 0
            while ((width - 1) >> shift) >= most:
                shift += 1
            s.bins = ((width - 1) >> shift) + 1
            fill_bins(s, i, box_low(box, i), shift)
        price_bins(s, i, 0, empty, empty)
    if constant >= 0 and not by_value:
        postpone(s, constant, box_low(box, constant), box_high(box, constant), 0, rows, empty, empty)
    promising = most_promising(s)
    if promising >= 0:
        price_stretch(s, s.pending[promising], promising)
    number = 0
    while number < s.pendings and not s.memory.failed:
        if number != promising:
            price_stretch(s, s.pending[number], number)
        number += 1
    return not s.memory.failed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def split(
    s: cython.pointer(Search),
    records: cython.pointer(int32_t),
    entries: int64_t,
    left: cython.pointer(int32_t),
    lefts: cython.pointer(int64_t),
) -> int64_t:
    """Carry out the best cut: entries of the left side go to ``left``, those of the right side stay, closed up.

    Returns how many stay. An entry whose rows fall on both sides becomes one on each.
    """
    e: int64_t
    kept: int64_t = 0
    taken: int64_t = 0
    gathered: int64_t = 0
    low: int64_t
    start: int64_t
    count: int64_t
    equals: int64_t = LATEST
    threshold: int64_t = LATEST
    attribute: cython.int = s.best.attribute
    code: int32_t = s.best.code
    bytes_: int64_t = s.stride * cython.sizeof(int32_t)
    record: cython.pointer(int32_t)
    run: int64_t = 0
    for e in range(entries):
        record = records + e * s.stride
        if record[attribute] == code:
            run += record[s.stride - 1]
    if s.best.k - s.best.before < run:
        if not ensure_members(s, run):
            return -1
        for e in range(entries):
            record = records + e * s.stride
            if record[attribute] == code:
                count = record[s.stride - 1]
                memcpy(s.keys + gathered, s.orders + record[s.stride - 2], count * cython.sizeof(int64_t))
                gathered += count
        threshold = select(s.keys, run, s.best.k - s.best.before - 1)
        # row orders drawn from the coins may be equal, once in a very long while: exactly k rows go left even then
        equals = s.best.k - s.best.before
        for e in range(run):
            equals -= s.keys[e] < threshold
    for e in range(entries):
        record = records + e * s.stride
        if record[attribute] < code:
            memcpy(left + taken * s.stride, record, bytes_)
            taken += 1
        elif record[attribute] > code:
            if kept != e:
                memcpy(records + kept * s.stride, record, bytes_)
            kept += 1
        else:
            start = record[s.stride - 2]
            count = record[s.stride - 1]
            low = start + below(s.orders + start, count, threshold)
            while equals > 0 and low < start + count and s.orders[low] == threshold:
                low += 1
                equals -= 1
            if low > start:
                memcpy(left + taken * s.stride, record, bytes_)
                left[taken * s.stride + s.stride - 1] = cython.cast(int32_t, low - start)
                taken += 1
            if low < start + count:
                if kept != e:
                    memcpy(records + kept * s.stride, record, bytes_)
                records[kept * s.stride + s.stride - 2] = cython.cast(int32_t, low)
                records[kept * s.stride + s.stride - 1] = cython.cast(int32_t, start + count - low)
                kept += 1
    lefts[0] = taken
    return kept
