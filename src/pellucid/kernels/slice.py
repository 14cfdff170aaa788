"""Ace's two halves: Assign (which values make a bucket) and Slice (dividing a bucket into groups).

A bucket has columns, one per sensitive value, of equally many rows each. Its division on an attribute at k sorts every
column by (code, row order) and takes the first k of each. Each column is kept as one sorted list per attribute, and a
division splits all lists without disturbing their order, so nothing is sorted twice. Attributes that are constant in a
part all sort alike, by row order: one list serves them, in the name of the lowest. Either side of a division keeps at
least ``least`` rows of each column, which is 1 unless groups need a number of rows.

When no division gains anything, the canonical one takes that many rows per column, again and again. That is done by
peeling with lazy deletion instead of looking at the whole part each time, which would be quadratic.

The plain definitions are ``assign_steps`` and ``slice_bucket`` in tests/plain/transparent.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.pellucid.kernels.arena import (
    Arena,
    Room,
    doubles,
    dropped,
    grown,
    int32s,
    int32s_again,
    int64s,
    int64s_again,
    zeroed,
)
from cython.cimports.pellucid.kernels.lanes import absorb_code, absorb_keys, absorb_row, box_high, box_low, clear_box
from cython.cimports.pellucid.kernels.penalty import Geometry, Space, extent, sign_of, span
from cython.cimports.pellucid.kernels.sorting import sort_pairs

PEEL = cython.declare(int64_t, 12)  # lower parts are divided in the ordinary way even when nothing is gained
TALL = cython.declare(int64_t, 8)  # higher parts look out for boxes that have stopped growing
ROW = cython.declare(int64_t, 0x7FFFFFFF)  # the row in a key
ONE = cython.declare(uint64_t, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_slicer(
    s: cython.pointer(Slicer), space: cython.pointer(cython.const[Space]), memory: cython.pointer(Room)
) -> cython.void:
    memset(s, 0, cython.sizeof(Slicer))
    s.memory = memory
    s.space = space
    s.blocks = space.blocks
    s.least = 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def make_room(s: cython.pointer(Slicer), rows: int64_t) -> cython.bint:
    """Room for the lists of so many rows; False when there is not enough memory."""
    if rows > s.rows_room:
        s.rows_room = max(rows, 2 * s.rows_room)
        s.spare = int64s_again(s.memory, s.spare, s.rows_room)
        s.sorted_rows = int32s_again(s.memory, s.sorted_rows, s.rows_room)
        s.next_place = int64s_again(s.memory, s.next_place, s.rows_room)
        dropped(s.left)
        s.left = cython.cast(cython.pointer(cython.uchar), zeroed(s.memory, s.rows_room))
        dropped(s.prefix_cost)
        s.prefix_cost = doubles(s.memory, s.rows_room + 1)
        # boxes are kept only where floats alone cannot decide
        s.prefix_boxes = int32s_again(
            s.memory, s.prefix_boxes, 8 * s.blocks * (1 if s.space.exact else s.rows_room + 1)
        )
    if s.listed * rows > s.lists_room:
        s.lists_room = max(s.listed * rows, 2 * s.lists_room)
        s.lists = int64s_again(s.memory, s.lists, s.lists_room)
    return not s.memory.failed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_by_code(s: cython.pointer(Slicer), attribute: cython.int, low: int32_t, high: int32_t) -> cython.void:
    """The local rows by (code, row), into ``s.sorted_rows``: by counting, or by merging when codes are many."""
    r: int64_t
    code: int64_t
    total: int64_t = 0
    count: int64_t
    span_: int64_t = cython.cast(int64_t, high) - low + 1
    width: int64_t = 4 * s.blocks
    codes: cython.pointer(cython.const[int32_t]) = s.codes + attribute
    if span_ > 4 * s.rows + 64:
        for r in range(s.rows):
            s.spare[r] = codes[r * width]
            s.sorted_rows[r] = cython.cast(int32_t, r)
        # the last list is filled last, so its place serves as room to spare
        sort_pairs(
            s.spare,
            s.sorted_rows,
            s.rows,
            s.lists + (s.listed - 1) * s.rows,
            cython.cast(cython.pointer(int32_t), s.next_place),
        )
        return
    if span_ > s.tally_room:
        s.tally_room = 2 * span_
        s.tally = int64s_again(s.memory, s.tally, s.tally_room)
        if s.memory.failed:
            return
    memset(s.tally, 0, span_ * cython.sizeof(int64_t))
    for r in range(s.rows):
        s.tally[codes[r * width] - low] += 1
    for code in range(span_):
        count = s.tally[code]
        s.tally[code] = total
        total += count
    for r in range(s.rows):
        code = codes[r * width] - low
        s.sorted_rows[s.tally[code]] = cython.cast(int32_t, r)
        s.tally[code] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_lists(
    s: cython.pointer(Slicer),
    codes: cython.pointer(cython.const[int32_t]),
    rows: int64_t,
    column: cython.pointer(cython.const[int32_t]),
    column_start: cython.pointer(cython.const[int64_t]),
    columns: int64_t,
) -> cython.bint:
    """Make the sorted lists of all columns: row r belongs to column[r], whose rows lie from column_start on."""
    box: int32_t[128]
    r: int64_t
    p: int64_t
    row: int32_t
    i: cython.int
    number: cython.int
    constant: cython.int = -1
    width: int64_t = 4 * s.blocks
    keys: cython.pointer(int64_t)
    s.codes = codes
    s.rows = rows
    clear_box(box, s.blocks)
    for r in range(rows):
        absorb_row(box, codes + r * width, s.blocks)
    s.listed = 0
    for i in range(s.space.d):
        if box_low(box, i) != box_high(box, i):
            s.attribute[s.listed] = i
            s.listed += 1
        elif constant < 0:
            constant = i
    s.attribute[s.listed] = constant
    s.listed += 1
    if not make_room(s, rows):
        return False
    for number in range(s.listed):
        i = s.attribute[number]
        keys = s.lists + number * rows
        if number < s.listed - 1:
            sort_by_code(s, i, box_low(box, i), box_high(box, i))
            if s.memory.failed:
                return False
        memcpy(s.next_place, column_start, columns * cython.sizeof(int64_t))
        if number < s.listed - 1:
            for p in range(rows):
                row = s.sorted_rows[p]
                keys[s.next_place[column[row]]] = (cython.cast(int64_t, codes[row * width + i]) << 32) | row
                s.next_place[column[row]] += 1
        elif constant >= 0:
            for r in range(rows):
                keys[s.next_place[column[r]]] = (cython.cast(int64_t, box_low(box, i)) << 32) | r
                s.next_place[column[r]] += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def push(s: cython.pointer(Slicer), part: Part) -> cython.void:
    if s.stack_size == s.stack_room:
        room: int64_t = 2 * s.stack_room + 256
        s.stack = cython.cast(cython.pointer(Part), grown(s.memory, s.stack, room * cython.sizeof(Part)))
        if s.memory.failed:
            return
        s.stack_room = room
    s.stack[s.stack_size] = part
    s.stack_size += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def emit(
    s: cython.pointer(Slicer),
    keys: cython.pointer(cython.const[int64_t]),
    columns: int64_t,
    step: int64_t,
    height: int64_t,
) -> cython.void:
    """Write one group: so many rows of each column, from keys[0], keys[step], keys[2 * step] and so on."""
    j: int64_t
    i: int64_t
    s.first[0] = 1
    for j in range(columns):
        for i in range(height):
            s.out[j * height + i] = cython.cast(int32_t, keys[j * step + i] & ROW)
    s.out += columns * height
    s.first += columns * height


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weigh(
    s: cython.pointer(Slicer),
    score: cython.double,
    number: cython.int,
    attribute: cython.int,
    k: int64_t,
    height: int64_t,
    left: cython.pointer(cython.const[int32_t]),
    right: cython.pointer(cython.const[int32_t]),
) -> cython.void:
    """Keep this division when it is smaller in (perimeter, attribute, k)."""
    sign: cython.int
    if s.found:
        sign = sign_of(
            s.space, score, left, k, right, height - k, s.score, s.best_left, s.k, s.best_right, height - s.k
        )
        if sign > 0 or (sign == 0 and (attribute > s.best_attribute or (attribute == s.best_attribute and k >= s.k))):
            return
    s.found = True
    s.score = score
    s.best = number
    s.best_attribute = attribute
    s.k = k
    if not s.space.exact:
        memcpy(s.best_left, left, 8 * s.blocks * cython.sizeof(int32_t))
        memcpy(s.best_right, right, 8 * s.blocks * cython.sizeof(int32_t))


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def cost_of(s: cython.pointer(Slicer), box: cython.pointer(cython.const[int32_t])) -> cython.double:
    """What one row in this box costs; attributes that are constant in the part cost nothing."""
    a: cython.int
    cost: cython.double = 0.0
    if not s.plain:
        return extent(s.space, box)
    for a in range(s.priced):
        cost += s.weighted[a][-box[s.lane[a] + 4]] - s.weighted[a][box[s.lane[a]]]
    return cost


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def full_but(
    s: cython.pointer(Slicer),
    box: cython.pointer(cython.const[int32_t]),
    full: cython.pointer(cython.const[int32_t]),
    attribute: cython.int,
) -> cython.bint:
    """Whether a box has reached the whole part's on every attribute but one."""
    a: cython.int
    lane: cython.int
    for a in range(s.priced):
        lane = s.lane[a]
        if s.priced_attribute[a] != attribute and (box[lane] != full[lane] or box[lane + 4] != full[lane + 4]):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def price_list(
    s: cython.pointer(Slicer),
    number: cython.int,
    name: cython.int,
    keys: cython.pointer(cython.const[int64_t]),
    columns: int64_t,
    height: int64_t,
    full: cython.pointer(cython.const[int32_t]),
) -> cython.void:
    """Price the divisions by one sorted list, in the name of an attribute, at every k that leaves enough."""
    attribute: cython.int = s.attribute[number]  # whose codes are in the keys
    box: int32_t[128]
    j: int64_t
    k: int64_t
    code: int32_t
    extreme: int32_t
    lanes: int64_t = 8 * s.blocks
    stands_still: cython.bint = False
    cost: cython.double = 0.0
    clear_box(box, s.blocks)
    for k in range(1, height - s.least + 1):
        if stands_still:
            # only this attribute's upper end still moves, and the sorted keys tell where it is
            extreme = 0
            for j in range(columns):
                code = cython.cast(int32_t, keys[j * height + k - 1] >> 32)
                if code > extreme:
                    extreme = code
            if extreme > box_high(box, attribute):
                absorb_code(box, attribute, extreme)
                cost = cost_of(s, box)
        else:
            absorb_keys(box, s.codes, keys + k - 1, height, columns, s.blocks)
            cost = cost_of(s, box)
            stands_still = height > TALL and full_but(s, box, full, attribute)
        s.prefix_cost[k] = cost
        if not s.space.exact:
            memcpy(s.prefix_boxes + k * lanes, box, lanes * cython.sizeof(int32_t))
    clear_box(box, s.blocks)
    stands_still = False
    k = height - 1
    while k >= s.least:
        if stands_still:
            extreme = 0x7FFFFFFF
            for j in range(columns):
                code = cython.cast(int32_t, keys[j * height + k] >> 32)
                if code < extreme:
                    extreme = code
            if extreme < box_low(box, attribute):
                absorb_code(box, attribute, extreme)
                cost = cost_of(s, box)
        else:
            absorb_keys(box, s.codes, keys + k, height, columns, s.blocks)
            cost = cost_of(s, box)
            stands_still = height > TALL and full_but(s, box, full, attribute)
        if height - k >= s.least:
            weigh(
                s,
                k * s.prefix_cost[k] + (height - k) * cost,
                number,
                name,
                k,
                height,
                s.prefix_boxes if s.space.exact else s.prefix_boxes + k * lanes,
                box,
            )
        k -= 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def look_at(
    s: cython.pointer(Slicer), part: cython.pointer(Part), columns: int64_t, full: cython.pointer(int32_t)
) -> cython.void:
    """Find the part's box and which attributes are constant in it; their lists are given up, but for one."""
    number: cython.int
    i: cython.int
    j: int64_t
    low: int64_t
    high: int64_t
    height: int64_t = part.height
    keys: cython.pointer(int64_t)
    s.priced = 0
    s.plain = s.space.exact
    for number in range(s.listed - 1):
        if not (part.active >> number) & ONE:
            continue
        keys = s.lists + number * s.rows + part.offset
        low = keys[0]
        high = keys[height - 1]
        for j in range(1, columns):
            low = min(low, keys[j * height])
            high = max(high, keys[j * height + height - 1])
        low >>= 32
        high >>= 32
        i = s.attribute[number]
        if low == high:
            part.active ^= ONE << number
            if part.ordered < 0:
                part.ordered = number
                part.ordered_attribute = i
            elif i < part.ordered_attribute:
                part.ordered_attribute = i
            continue
        s.priced_attribute[s.priced] = i
        s.lane[s.priced] = 8 * (i // 4) + i % 4
        full[s.lane[s.priced]] = cython.cast(int32_t, low)
        full[s.lane[s.priced] + 4] = -cython.cast(int32_t, high)
        s.weighted[s.priced] = s.space.weighted + s.space.at[i]
        if s.space.levels[i] > 0 or (low == 0 and s.space.nullable[i]):
            s.plain = False
        s.priced += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def as_wide(
    s: cython.pointer(Slicer), box: cython.pointer(cython.const[int32_t]), full: cython.pointer(cython.const[int32_t])
) -> cython.bint:
    """Whether a box inside another is as large on every attribute."""
    a: cython.int
    i: cython.int
    for a in range(s.priced):
        i = s.priced_attribute[a]
        if span(s.space, i, box_low(box, i), box_high(box, i)) != span(s.space, i, box_low(full, i), box_high(full, i)):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def ends_as_wide(
    s: cython.pointer(Slicer),
    keys: cython.pointer(cython.const[int64_t]),
    ends: cython.pointer(cython.const[int64_t]),
    columns: int64_t,
    height: int64_t,
    full: cython.pointer(cython.const[int32_t]),
) -> cython.bint:
    """Whether one row per column, at these places, is already as wide as the whole part."""
    box: int32_t[128]
    j: int64_t
    clear_box(box, s.blocks)
    for j in range(columns):
        absorb_row(box, s.codes + (keys[j * height + ends[j]] & ROW) * 4 * s.blocks, s.blocks)
    return as_wide(s, box, full)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def peel(s: cython.pointer(Slicer), part: cython.pointer(Part), columns: int64_t) -> cython.void:
    """While all divisions cost the same, emit the canonical one's left side: the first rows of each column.

    A prefix only grows with k, so all divisions on an attribute cost the same when the columns' first rows, and their
    last rows, are as wide as the whole. What remains is closed up.
    """
    number: cython.int
    lists: cython.int = 0
    lowest: cython.int
    i: cython.int
    j: int64_t
    p: int64_t
    taken: int64_t
    kept: int64_t
    height: int64_t = part.height
    remaining: int64_t = height
    full: int32_t[128]
    key: int64_t
    tie: cython.bint
    numbers: cython.int[64]
    keys: cython.pointer(int64_t)
    heads: cython.pointer(int64_t)
    tails: cython.pointer(int64_t)
    for number in range(s.listed):
        if (part.active >> number) & ONE or number == part.ordered:
            numbers[lists] = number
            lists += 1
    if lists * columns > s.heads_room:
        s.heads_room = 2 * lists * columns
        s.heads = int64s_again(s.memory, s.heads, s.heads_room)
        s.tails = int64s_again(s.memory, s.tails, s.heads_room)
        if s.memory.failed:
            return
    # the list of the lowest attribute decides which rows go first
    lowest = 0
    for number in range(1, lists):
        if attribute_of(s, part, numbers[number]) < attribute_of(s, part, numbers[lowest]):
            lowest = number
    for p in range(lists * columns):
        s.heads[p] = 0
        s.tails[p] = height - 1
    clear_box(full, s.blocks)
    while remaining >= 2 * s.least:
        for number in range(lists):
            keys = s.lists + numbers[number] * s.rows + part.offset
            heads = s.heads + number * columns
            tails = s.tails + number * columns
            i = attribute_of(s, part, numbers[number])
            if numbers[number] != part.ordered:
                full[8 * (i // 4) + i % 4] = 0x7FFFFFFF
                full[8 * (i // 4) + i % 4 + 4] = 0x7FFFFFFF
            for j in range(columns):
                while s.left[keys[j * height + heads[j]] & ROW]:
                    heads[j] += 1
                while s.left[keys[j * height + tails[j]] & ROW]:
                    tails[j] -= 1
                if numbers[number] != part.ordered:
                    absorb_code(full, i, cython.cast(int32_t, keys[j * height + heads[j]] >> 32))
                    absorb_code(full, i, cython.cast(int32_t, keys[j * height + tails[j]] >> 32))
        tie = True
        for number in range(lists):
            keys = s.lists + numbers[number] * s.rows + part.offset
            if not ends_as_wide(s, keys, s.heads + number * columns, columns, height, full) or not ends_as_wide(
                s, keys, s.tails + number * columns, columns, height, full
            ):
                tie = False
                break
        if not tie:
            break
        keys = s.lists + numbers[lowest] * s.rows + part.offset
        heads = s.heads + lowest * columns
        for j in range(columns):
            p = j * height + heads[j]
            for taken in range(s.least):
                while s.left[keys[p] & ROW]:
                    p += 1
                s.spare[j * s.least + taken] = keys[p]
                s.left[keys[p] & ROW] = 1
        emit(s, s.spare, columns, s.least, s.least)
        remaining -= s.least
    if remaining == height:
        return
    for number in range(lists):
        keys = s.lists + numbers[number] * s.rows + part.offset
        kept = 0
        for p in range(columns * height):
            key = keys[p]
            if not s.left[key & ROW]:
                keys[kept] = key
                kept += 1
    for p in range(columns * (height - remaining)):
        s.left[(s.out - columns * (height - remaining))[p]] = 0
    part.height = remaining


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def attribute_of(s: cython.pointer(Slicer), part: cython.pointer(Part), number: cython.int) -> cython.int:
    """In whose name a list divides."""
    return part.ordered_attribute if number == part.ordered else s.attribute[number]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def divide(s: cython.pointer(Slicer), part: cython.pointer(Part), columns: int64_t) -> cython.void:
    """Carry out the best division: every list becomes the left columns, then the right columns."""
    number: cython.int
    j: int64_t
    p: int64_t
    a: int64_t
    b: int64_t
    k: int64_t = s.k
    height: int64_t = part.height
    key: int64_t
    is_left: int64_t
    best: cython.pointer(int64_t) = s.lists + s.best * s.rows + part.offset
    keys: cython.pointer(int64_t)
    for j in range(columns):
        for p in range(k):
            s.left[best[j * height + p] & ROW] = 1
    for number in range(s.listed):
        if not ((part.active >> number) & ONE or number == part.ordered):
            continue
        keys = s.lists + number * s.rows + part.offset
        a = 0
        b = 0
        for p in range(columns * height):
            # both sides are written and one counts: no branch to guess
            key = keys[p]
            is_left = s.left[key & ROW]
            keys[a] = key
            s.spare[b] = key
            a += is_left
            b += 1 - is_left
        memcpy(keys + columns * k, s.spare, b * cython.sizeof(int64_t))
    for p in range(columns * k):
        s.left[best[p] & ROW] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def slice_bucket(s: cython.pointer(Slicer), offset: int64_t, columns: int64_t, height: int64_t) -> cython.void:
    """Slice the bucket whose columns lie from ``offset`` on, and write its groups left to right."""
    full: int32_t[128]
    p: int64_t
    number: cython.int
    part: Part
    right: Part
    part.offset = offset
    part.height = height
    part.active = (ONE << (s.listed - 1)) - 1
    part.ordered = s.listed - 1 if s.attribute[s.listed - 1] >= 0 else -1
    part.ordered_attribute = s.attribute[s.listed - 1]
    s.stack_size = 0
    push(s, part)
    while s.stack_size > 0 and not s.memory.failed:
        s.stack_size -= 1
        part = s.stack[s.stack_size]
        if part.height >= 2 * s.least:
            look_at(s, cython.address(part), columns, full)
            if part.active != 0 and part.height > PEEL:
                height = part.height
                peel(s, cython.address(part), columns)
                if part.height != height:
                    push(s, part)
                    continue
        if part.height < 2 * s.least or part.active == 0:
            # equal rows: every division ties, so the groups are the columns' rows in row order
            number = part.ordered if part.ordered >= 0 else 0
            p = 0
            while p < part.height:
                height = s.least if part.height - p >= 2 * s.least else part.height - p
                emit(s, s.lists + number * s.rows + part.offset + p, columns, part.height, height)
                p += height
            continue
        s.found = False
        for number in range(s.listed):
            if (part.active >> number) & ONE or number == part.ordered:
                price_list(
                    s,
                    number,
                    attribute_of(s, cython.address(part), number),
                    s.lists + number * s.rows + part.offset,
                    columns,
                    part.height,
                    full,
                )
        divide(s, cython.address(part), columns)
        right = part
        right.offset = part.offset + columns * s.k
        right.height = part.height - s.k
        part.height = s.k
        push(s, right)
        push(s, part)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def next_bucket(
    counts: cython.pointer(int64_t), distinct: int64_t, remaining: int64_t, l: int64_t, alpha: cython.pointer(int64_t)
) -> int64_t:
    """The next bucket of Assign from the ranked counts: returns beta and sets alpha; 0 when there is none."""
    beta: int64_t
    a: int64_t
    for beta in range(l, distinct + 1):
        a = counts[beta - 1]
        if beta > l:
            a = min(a, (remaining - l * counts[0]) // (beta - l))
        if beta < distinct:
            a = min(a, (remaining - l * counts[beta]) // beta)
        if a >= 1:
            alpha[0] = a
            return beta
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rerank(
    counts: cython.pointer(int64_t),
    values: cython.pointer(int32_t),
    distinct: int64_t,
    beta: int64_t,
    alpha: int64_t,
    spare_counts: cython.pointer(int64_t),
    spare_values: cython.pointer(int32_t),
) -> int64_t:
    """Take alpha of each of the first beta values and rank again (count down, then value up).

    Both the reduced values and the others are still ranked among themselves, so one merge does it, and it ends when the
    reduced values are placed. Values that are used up leave a gap at the front: its length is returned.
    """
    a: int64_t = 0
    b: int64_t = beta
    kept: int64_t = 0
    out: int64_t
    for a in range(beta):
        spare_counts[a] = counts[a] - alpha
        spare_values[a] = values[a]
        kept += spare_counts[a] > 0
    out = beta - kept
    a = 0
    while a < kept:
        if b < distinct and (
            counts[b] > spare_counts[a] or (counts[b] == spare_counts[a] and values[b] < spare_values[a])
        ):
            counts[out] = counts[b]
            values[out] = values[b]
            b += 1
        else:
            counts[out] = spare_counts[a]
            values[out] = spare_values[a]
            a += 1
        out += 1
    return beta - kept


def assign_steps(counts: int64_t[::1], values: int32_t[::1], l: int64_t) -> list:
    """All buckets of Assign for counts ranked by (count down, value up): a list of (alpha, values)."""
    alpha: int64_t = 0
    beta: int64_t
    distinct: int64_t = counts.shape[0]
    remaining: int64_t = 0
    i: int64_t
    steps: list = []
    arena: Arena = Arena()
    spare_counts: cython.pointer(int64_t) = int64s(cython.address(arena.room), distinct + 1)
    spare_values: cython.pointer(int32_t) = int32s(cython.address(arena.room), distinct + 1)
    arena.check()
    for i in range(distinct):
        remaining += counts[i]
    begin: int64_t = 0
    while begin < distinct:
        beta = next_bucket(cython.address(counts[begin]), distinct - begin, remaining, l, cython.address(alpha))
        if beta == 0:
            break
        steps.append((alpha, [values[begin + i] for i in range(beta)]))
        remaining -= alpha * beta
        begin += rerank(
            cython.address(counts[begin]),
            cython.address(values[begin]),
            distinct - begin,
            beta,
            alpha,
            spare_counts,
            spare_values,
        )
    return steps


def slice_rows(
    geometry: Geometry,
    codes: cython.const[int32_t][:, ::1],
    column: cython.const[int32_t][::1],
    columns: int64_t,
    out: int32_t[::1],
    first: cython.uchar[::1],
) -> None:
    """Slice one bucket on its own: its rows' codes in row order, and which of its columns each row belongs to."""
    s: Slicer
    j: int64_t
    rows: int64_t = column.shape[0]
    height: int64_t = rows // columns
    arena: Arena = Arena()
    starts: cython.pointer(int64_t) = int64s(cython.address(arena.room), columns)
    arena.check()
    with cython.nogil:
        open_slicer(cython.address(s), cython.address(geometry.space), cython.address(arena.room))
        for j in range(columns):
            starts[j] = j * height
        s.out = cython.address(out[0])
        s.first = cython.address(first[0])
        if fill_lists(cython.address(s), cython.address(codes[0, 0]), rows, cython.address(column[0]), starts, columns):
            slice_bucket(cython.address(s), 0, columns, height)
    arena.check()
