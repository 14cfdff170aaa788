"""Cuts at the median: Mondrian and Audited below one node, and one level of Mondrian for any model.

A record holds a row: its codes (padded to a multiple of four), what is counted of its sensitive value, its number. The
records of a node are a range and stay in row order, so that a cut by (code, row order) is a stable partition once the
median code is known. A subtree works in its own range, so that subtrees can be done in any order and by any thread.

What is counted is a class: protected classes are numbered from 0, and the number after the last stands for whatever
is not protected. A side passes when it has ``least`` rows and no protected class has more than p/q of them.

The plain definitions are in tests/plain/halving.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.pellucid.kernels.arena import Arena, Room, doubles, dropped, grown, int64s, int64s_again, zeros
from cython.cimports.pellucid.kernels.lanes import absorb_row, box_high, box_low, clear_box
from cython.cimports.pellucid.kernels.penalty import Geometry, Space, span
from cython.cimports.pellucid.kernels.sorting import select

# of the rows with this code on this attribute, the first `need` in row order go left
Cut = cython.struct(attribute=cython.int, code=int32_t, need=int64_t, rows=int64_t)

Node = cython.struct(start=int64_t, rows=int64_t)

Cutter = cython.struct(
    space=cython.pointer(cython.const[Space]),
    stride=int64_t,
    strict=cython.bint,
    retry=cython.bint,
    audit=cython.bint,
    least=int64_t,
    p=int64_t,
    q=int64_t,
    classes=int64_t,
    left=cython.pointer(int32_t),  # rows of each class; all zero between two uses
    right=cython.pointer(int32_t),
    tallies=cython.pointer(int32_t),  # rows of each code; all zero between two uses
    tally_room=int64_t,
    keys=cython.pointer(int64_t),
    key_room=int64_t,
    critical=cython.pointer(int64_t),  # the counts that could make a side fail
    criticals=int64_t,
    binomials=cython.pointer(cython.const[cython.double]),
    exact=int64_t,  # groups of at most so many rows are audited exactly: the side of the table of binomials less one
    good=cython.pointer(cython.double),
    bad=cython.pointer(cython.double),
    nodes=cython.pointer(Node),
    node_count=int64_t,
    node_room=int64_t,
    memory=cython.pointer(Room),
)

DENSE = cython.declare(int64_t, 4)  # codes are tallied when there are at most so many per row
CERTAIN = cython.declare(int64_t, 50)  # up to so many rows every number of an audit is an integer below 2**53
LARGEST_DENOMINATOR = cython.declare(int64_t, 2000)  # and its product with this fits a machine word


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_cutter(
    c: cython.pointer(Cutter),
    space: cython.pointer(cython.const[Space]),
    strict: cython.bint,
    classes: int64_t,
    memory: cython.pointer(Room),
) -> cython.void:
    memset(c, 0, cython.sizeof(Cutter))
    c.memory = memory
    c.space = space
    c.stride = 4 * space.blocks + 2
    c.strict = strict
    c.classes = classes
    c.left = zeros(c.memory, classes + 1)
    c.right = zeros(c.memory, classes + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_audit(
    c: cython.pointer(Cutter), binomials: cython.pointer(cython.const[cython.double]), exact: int64_t
) -> cython.void:
    c.binomials = binomials
    c.exact = exact
    c.critical = int64s(c.memory, c.classes + 1)
    c.good = doubles(c.memory, exact + 1)
    c.bad = doubles(c.memory, exact + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def wider(a: int64_t, of_a: int64_t, b: int64_t, of_b: int64_t) -> cython.bint:
    """Whether a / of_a > b / of_b; exact: what is left of the whole parts is below 2**31, and its products 2**62."""
    whole_a: int64_t = a // of_a
    whole_b: int64_t = b // of_b
    if whole_a != whole_b:
        return whole_a > whole_b
    return (a - whole_a * of_a) * of_b > (b - whole_b * of_b) * of_a


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def widest_first(
    c: cython.pointer(Cutter),
    box: cython.pointer(cython.const[int32_t]),
    ranked: cython.pointer(cython.int),
) -> cython.int:
    """The attributes on which a box has an extent, widest first, the lowest of equals first; returns how many.

    How wide is the share of the domain, times the importance of the attribute.
    """
    spans: int64_t[64]
    i: cython.int
    place: cython.int
    found: cython.int = 0
    other: cython.int
    full: cython.pointer(int64_t) = c.space.full
    for i in range(c.space.d):
        spans[i] = c.space.importance[i] * span(c.space, i, box_low(box, i), box_high(box, i))
        if spans[i] <= 0:
            continue
        place = found
        while place > 0:
            other = ranked[place - 1]
            if not wider(spans[i], full[i], spans[other], full[other]):
                break
            ranked[place] = other
            place -= 1
        ranked[place] = i
        found += 1
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def code_at(
    c: cython.pointer(Cutter),
    records: cython.pointer(cython.const[int32_t]),
    rows: int64_t,
    attribute: cython.int,
    low: int32_t,
    high: int32_t,
    k: int64_t,
    before: cython.pointer(int64_t),
) -> int32_t:
    """The code at position k (from 0) of the sorted codes low..high, and how many rows have a smaller one."""
    r: int64_t
    seen: int64_t = 0
    width: int64_t = cython.cast(int64_t, high) - low + 1
    record: cython.pointer(cython.const[int32_t]) = records + attribute
    if width > DENSE * rows:
        return sparse_code_at(c, records, rows, attribute, k, before)
    if width > c.tally_room:
        c.tally_room = max(width, 2 * c.tally_room)
        dropped(c.tallies)
        c.tallies = zeros(c.memory, c.tally_room)
        if c.memory.failed:
            c.tally_room = 0
            return low
    for r in range(rows):
        c.tallies[record[0] - low] += 1
        record += c.stride
    r = 0
    while seen + c.tallies[r] <= k:
        seen += c.tallies[r]
        r += 1
    memset(c.tallies, 0, width * cython.sizeof(int32_t))
    before[0] = seen
    return cython.cast(int32_t, low + r)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sparse_code_at(
    c: cython.pointer(Cutter),
    records: cython.pointer(cython.const[int32_t]),
    rows: int64_t,
    attribute: cython.int,
    k: int64_t,
    before: cython.pointer(int64_t),
) -> int32_t:
    """The same where most codes do not occur."""
    r: int64_t
    below: int64_t = 0
    code: int32_t
    record: cython.pointer(cython.const[int32_t]) = records + attribute
    if rows > c.key_room:
        c.key_room = rows
        c.keys = int64s_again(c.memory, c.keys, rows)
        if c.memory.failed:
            c.key_room = 0
            return 0
    for r in range(rows):
        c.keys[r] = record[r * c.stride]
    code = cython.cast(int32_t, select(c.keys, rows, k))
    for r in range(rows):
        below += record[r * c.stride] < code
    before[0] = below
    return code


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def halve(
    c: cython.pointer(Cutter),
    records: cython.pointer(cython.const[int32_t]),
    rows: int64_t,
    box: cython.pointer(cython.const[int32_t]),
    attribute: cython.int,
    cut: cython.pointer(Cut),
) -> cython.void:
    """The cut that an attribute offers; no rows to the left when it is strict and half the rows have the least code."""
    before: int64_t = 0
    k: int64_t = rows // 2 if c.strict else (rows + 1) // 2 - 1
    cut.attribute = attribute
    cut.code = code_at(
        c, records, rows, attribute, box_low(box, attribute), box_high(box, attribute), k, cython.address(before)
    )
    cut.need = 0 if c.strict else k + 1 - before
    cut.rows = before + cut.need


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sides_pass(
    c: cython.pointer(Cutter), records: cython.pointer(cython.const[int32_t]), rows: int64_t, cut: cython.pointer(Cut)
) -> cython.bint:
    """Whether both sides pass."""
    r: int64_t
    need: int64_t = cut.need
    lefts: int64_t = c.p * cut.rows
    rights: int64_t = c.p * (rows - cut.rows)
    at: int64_t = c.stride - 2
    kind: int32_t
    code: int32_t
    passes: cython.bint = True
    visited: int64_t = rows
    record: cython.pointer(cython.const[int32_t]) = records
    if cut.rows < c.least or rows - cut.rows < c.least:
        return False
    if c.classes == 0 or c.p >= c.q:
        return True
    for r in range(rows):
        kind = record[at]
        code = record[cut.attribute]
        if code < cut.code or (code == cut.code and need > 0):
            need -= code == cut.code
            c.left[kind] += 1
            if c.left[kind] * c.q > lefts and kind < c.classes:
                passes = False
        else:
            c.right[kind] += 1
            if c.right[kind] * c.q > rights and kind < c.classes:
                passes = False
        record += c.stride
        if not passes:
            visited = r + 1
            break
    record = records
    for r in range(visited):
        c.left[record[at]] = 0
        c.right[record[at]] = 0
        record += c.stride
    return passes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def surely_safe(c: cython.pointer(Cutter), a: int64_t, b: int64_t, count: int64_t) -> cython.bint:
    """Whether a simple bound shows that a refusal leaves a value with so many rows within its share; a = b + 1.

    Set one row x of the larger side apart: what remains, A', is as large as B, and exchanging the two changes nothing
    in the odds. Let T be the most rows that B may have of a value. Write j for the value's mean number of rows.

    When the larger side may have T as well, a refusal means that A' or B exceeds T (an event that the exchange keeps,
    in which j is at most (count + 1) / 2 in the larger side and count / 2 in B) or that x alone is too much: the value
    of x has T rows in A'. The latter, with x of our value, is at most (T + 1) / (2 (b - T)) times as likely as the
    former: swap x with any of the b - T other rows of A', and T + 1 ways lead back; A' and B are alike.

    When the larger side may have T + 1, a refusal is an event that the exchange keeps, or one in which the larger side
    is fine and B has T + 1 of some values. The latter, for our value, is at most (b - count + T + 2) over
    2 (count - T - 1) times as likely as the former: swap x with one of the value's rows in A'.

    Everything is compared in integers; no product exceeds 2**63.
    """
    most_a: int64_t = c.p * a // c.q
    most_b: int64_t = c.p * b // c.q
    excess: int64_t
    above: int64_t
    if most_a == most_b:
        if b <= most_b or c.q * count > 2 * c.p * b:
            return False
        excess = (most_b + 1) * (c.q * (most_b + 1) - c.p * a)
        return c.q * (count + 1) + (excess + b - most_b - 1) // (b - most_b) <= 2 * c.p * a
    above = count - most_b - 1
    if above <= 0 or count > 2 * most_b + 2 or c.q * (count + 1) > 2 * c.p * a:
        return False
    excess = (c.q * (most_b + 1) - c.p * b) * (b - count + most_b + 2)
    return 2 * c.p * b - c.q * count >= (excess + above - 1) // above


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def exactly_safe(c: cython.pointer(Cutter), a: int64_t, b: int64_t, count: int64_t) -> cython.bint:
    """The same by counting all arrangements: ``good`` and ``bad`` by the number of rows on the first side.

    Up to CERTAIN rows every float is an integer and the verdict exact; beyond, a posterior that comes closer to the
    share than floats can tell counts as above it.
    """
    rows: int64_t = a + b
    side: int64_t = c.exact + 1
    most_a: int64_t = c.p * a // c.q
    most_b: int64_t = c.p * b // c.q
    length: int64_t = 0
    free_rows: int64_t = rows
    i: int64_t
    j: int64_t
    s: int64_t
    low: int64_t
    high: int64_t
    other: int64_t
    own: cython.bint = False
    good: cython.double
    bad: cython.double
    ways: cython.double
    refused: cython.double = 0.0
    left: cython.double = 0.0
    choose: cython.pointer(cython.const[cython.double])
    memset(c.good, 0, side * cython.sizeof(cython.double))
    memset(c.bad, 0, side * cython.sizeof(cython.double))
    c.good[0] = 1.0
    for i in range(c.criticals):
        other = c.critical[i]
        free_rows -= other
        if other == count and not own:
            own = True  # this one comes last
            continue
        choose = c.binomials + other * side
        length = min(length + other, a)
        s = length
        while s >= 0:
            good = 0.0
            bad = 0.0
            for j in range(min(other, s) + 1):
                if j <= most_a and other - j <= most_b:
                    good += c.good[s - j] * choose[j]
                else:
                    bad += c.good[s - j] * choose[j]
                bad += c.bad[s - j] * choose[j]
            c.good[s] = good
            c.bad[s] = bad
            s -= 1
    for j in range(min(count, a) + 1):
        low = max(0, a - j - free_rows)
        high = min(length, a - j)
        ways = 0.0
        for s in range(low, high + 1):
            bad = c.bad[s]
            if j > most_a or count - j > most_b:
                bad += c.good[s]
            ways += bad * c.binomials[free_rows * side + a - j - s]
        ways *= c.binomials[count * side + j]
        refused += ways
        left += j * ways
    if rows <= CERTAIN and c.q <= LARGEST_DENOMINATOR:
        i = cython.cast(int64_t, refused)
        j = cython.cast(int64_t, left)
        return c.q * j <= c.p * a * i and c.q * (count * i - j) <= c.p * b * i
    refused *= 1.0 - 1e-9
    return c.q * left <= c.p * a * refused and c.q * (count * refused / (1.0 - 1e-9) - left) <= c.p * b * refused


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def refusal_is_safe(
    c: cython.pointer(Cutter), records: cython.pointer(cython.const[int32_t]), rows: int64_t, cut: cython.pointer(Cut)
) -> cython.int:
    """Before looking at the sides: 0 when a refusal might tell too much or is certain, 1 when not, 2 when impossible.

    Depends on the group's counts and the sizes of the sides alone.
    """
    a: int64_t = cut.rows
    b: int64_t = rows - cut.rows
    at: int64_t = c.stride - 2
    r: int64_t
    kind: int32_t
    record: cython.pointer(cython.const[int32_t]) = records
    if a == b:
        return 1  # exchanging equal halves keeps the refusal, so it tells nothing
    for r in range(rows):
        c.left[record[at]] += 1
        record += c.stride
    c.criticals = 0
    record = records
    for r in range(rows):
        kind = record[at]
        if kind < c.classes and c.left[kind] * c.q > c.p * b:
            c.critical[c.criticals] = c.left[kind]
            c.criticals += 1
        c.left[kind] = 0
        record += c.stride
    return judge(c, a, b)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def judge(c: cython.pointer(Cutter), a: int64_t, b: int64_t) -> cython.int:
    """The same once the counts that could make a side fail are collected; a = b + 1."""
    i: int64_t
    j: int64_t
    known: cython.bint
    if c.criticals == 0:
        return 2
    for i in range(c.criticals):
        if c.critical[i] > c.p * a // c.q + c.p * b // c.q:
            return 0  # the refusal is certain: it tells nothing, and there is nothing to look for
    for i in range(c.criticals):
        if surely_safe(c, a, b, c.critical[i]):
            continue
        if a + b > c.exact:
            return 0
        known = False
        for j in range(i):
            known = known or c.critical[j] == c.critical[i]
        if not known and not exactly_safe(c, a, b, c.critical[i]):
            return 0
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def part(
    c: cython.pointer(Cutter),
    records: cython.pointer(int32_t),
    rows: int64_t,
    cut: cython.pointer(Cut),
    scratch: cython.pointer(int32_t),
) -> cython.void:
    """Put the left side first; both sides stay in row order."""
    r: int64_t
    need: int64_t = cut.need
    code: int32_t
    size: int64_t = c.stride * cython.sizeof(int32_t)
    kept: cython.pointer(int32_t) = records
    other: cython.pointer(int32_t) = scratch
    record: cython.pointer(int32_t) = records
    i: int64_t
    for r in range(rows):
        code = record[cut.attribute]
        if code < cut.code or (code == cut.code and need > 0):
            need -= code == cut.code
            if kept != record:
                for i in range(c.stride):
                    kept[i] = record[i]
            kept += c.stride
        else:
            for i in range(c.stride):
                other[i] = record[i]
            other += c.stride
        record += c.stride
    memcpy(kept, scratch, (rows - cut.rows) * size)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_cut(
    c: cython.pointer(Cutter), records: cython.pointer(cython.const[int32_t]), rows: int64_t, cut: cython.pointer(Cut)
) -> cython.bint:
    """Mondrian's cut of a node: the widest attribute's, or with ``retry`` the widest one's that passes."""
    box: int32_t[128]
    ranked: cython.int[64]
    i: cython.int
    r: int64_t
    found: cython.int
    safe: cython.int
    record: cython.pointer(cython.const[int32_t]) = records
    if rows < 2 * c.least:
        return False
    clear_box(box, c.space.blocks)
    for r in range(rows):
        absorb_row(box, record, c.space.blocks)
        record += c.stride
    found = widest_first(c, box, ranked)
    for i in range(found):
        halve(c, records, rows, box, ranked[i], cut)
        if c.memory.failed:
            return False
        if cut.rows == 0:
            continue
        if c.audit:
            safe = refusal_is_safe(c, records, rows, cut)
            if safe != 1:
                return safe == 2
        if sides_pass(c, records, rows, cut):
            return True
        if not c.retry:
            return False
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def push_node(c: cython.pointer(Cutter), start: int64_t, rows: int64_t) -> cython.void:
    if c.node_count == c.node_room:
        room: int64_t = 2 * c.node_room + 256
        c.nodes = cython.cast(cython.pointer(Node), grown(c.memory, c.nodes, room * cython.sizeof(Node)))
        if c.memory.failed:
            return
        c.node_room = room
    c.nodes[c.node_count].start = start
    c.nodes[c.node_count].rows = rows
    c.node_count += 1


def grow(
    geometry: Geometry,
    records: int32_t[:, ::1],
    scratch: int32_t[:, ::1],
    first: cython.uchar[::1],
    strict: cython.bint,
    retry: cython.bint,
    least: int64_t,
    p: int64_t,
    q: int64_t,
    classes: int64_t,
    binomials: cython.const[cython.double][:, ::1],
    once: cython.bint,
    done: int64_t[::1],
    stop: cython.const[cython.uchar][::1],
) -> int:
    """Cut the node of all these records and what comes of it to the end; ``first`` marks where groups begin.

    With a table of ``binomials`` (otherwise of one row) a cut is audited before the sides are looked at. With ``once``
    the node alone is cut. Returns how many rows are left of its own cut, 0 when it is a group.
    """
    c: Cutter
    cut: Cut
    node: Node
    lefts: int64_t = 0
    rows: int64_t = records.shape[0]
    arena: Arena = Arena()
    with cython.nogil:
        open_cutter(cython.address(c), cython.address(geometry.space), strict, classes, cython.address(arena.room))
        c.retry = retry
        c.least = least
        c.p = p
        c.q = q
        c.audit = binomials.shape[0] > 1
        if c.audit:
            open_audit(cython.address(c), cython.address(binomials[0, 0]), binomials.shape[0] - 1)
        if not c.memory.failed:
            push_node(cython.address(c), 0, rows)
        while c.node_count > 0 and not c.memory.failed and not stop[0]:
            c.node_count -= 1
            node = c.nodes[c.node_count]
            if not find_cut(cython.address(c), cython.address(records[node.start, 0]), node.rows, cython.address(cut)):
                first[node.start] = 1
                done[0] += node.rows
                continue
            part(
                cython.address(c),
                cython.address(records[node.start, 0]),
                node.rows,
                cython.address(cut),
                cython.address(scratch[node.start, 0]),
            )
            if node.rows == rows:
                lefts = cut.rows
                if once:
                    break
            push_node(cython.address(c), node.start + cut.rows, node.rows - cut.rows)
            push_node(cython.address(c), node.start, cut.rows)
    arena.check()
    return lefts


def audit(
    counts: cython.const[int64_t][::1],
    rows: int64_t,
    p: int64_t,
    q: int64_t,
    binomials: cython.const[cython.double][:, ::1],
) -> int:
    """The audit of a group with an odd number of rows, given the counts of its protected values.

    0 when a refusal might leave a posterior above p/q or is certain, 1 when it does not, 2 when it is impossible.
    """
    c: Cutter
    i: int64_t
    verdict: cython.int = 0
    arena: Arena = Arena()
    with cython.nogil:
        memset(cython.address(c), 0, cython.sizeof(Cutter))
        c.memory = cython.address(arena.room)
        c.classes = counts.shape[0]
        c.p = p
        c.q = q
        open_audit(cython.address(c), cython.address(binomials[0, 0]), binomials.shape[0] - 1)
        if not c.memory.failed:
            for i in range(counts.shape[0]):
                if counts[i] * q > p * (rows // 2):
                    c.critical[c.criticals] = counts[i]
                    c.criticals += 1
            verdict = judge(cython.address(c), rows - rows // 2, rows // 2)
    arena.check()
    return verdict


def propose(
    geometry: Geometry,
    records: cython.const[int32_t][:, ::1],
    starts: cython.const[int64_t][::1],
    ends: cython.const[int64_t][::1],
    attempts: cython.const[int64_t][::1],
    strict: cython.bint,
    sides: cython.uchar[::1],
    lefts: int64_t[::1],
) -> None:
    """For every node its cut number ``attempts`` (from 0) by width: 1 in ``sides`` where a record goes right.

    ``lefts`` tells how many rows go left, 0 when there is no such cut.
    """
    c: Cutter
    cut: Cut
    box: int32_t[128]
    ranked: cython.int[64]
    i: cython.int
    n: int64_t
    r: int64_t
    rows: int64_t
    need: int64_t
    offered: int64_t
    found: cython.int
    code: int32_t
    arena: Arena = Arena()
    record: cython.pointer(cython.const[int32_t])
    with cython.nogil:
        open_cutter(cython.address(c), cython.address(geometry.space), strict, 0, cython.address(arena.room))
        for n in range(starts.shape[0]):
            rows = ends[n] - starts[n]
            lefts[n] = 0
            clear_box(box, c.space.blocks)
            record = cython.address(records[starts[n], 0])
            for r in range(rows):
                absorb_row(box, record, c.space.blocks)
                record += c.stride
            found = widest_first(cython.address(c), box, ranked)
            offered = 0
            for i in range(found):
                halve(
                    cython.address(c),
                    cython.address(records[starts[n], 0]),
                    rows,
                    box,
                    ranked[i],
                    cython.address(cut),
                )
                if cut.rows == 0:
                    continue
                if offered == attempts[n]:
                    lefts[n] = cut.rows
                    break
                offered += 1
            if c.memory.failed:
                break
            if lefts[n] == 0:
                continue
            need = cut.need
            for r in range(starts[n], ends[n]):
                code = records[r, cut.attribute]
                if code < cut.code or (code == cut.code and need > 0):
                    need -= code == cut.code
                    sides[r] = 0
                else:
                    sides[r] = 1
    arena.check()


def apply(
    records: int32_t[:, ::1],
    scratch: int32_t[:, ::1],
    starts: cython.const[int64_t][::1],
    ends: cython.const[int64_t][::1],
    sides: cython.const[cython.uchar][::1],
) -> None:
    """In every node, put the records of the left side first; both sides stay in row order."""
    n: int64_t
    r: int64_t
    kept: int64_t
    other: int64_t
    size: int64_t = records.shape[1] * cython.sizeof(int32_t)
    with cython.nogil:
        for n in range(starts.shape[0]):
            kept = starts[n]
            other = starts[n]
            for r in range(starts[n], ends[n]):
                if sides[r]:
                    memcpy(cython.address(scratch[other, 0]), cython.address(records[r, 0]), size)
                    other += 1
                else:
                    if kept != r:
                        memcpy(cython.address(records[kept, 0]), cython.address(records[r, 0]), size)
                    kept += 1
            if other > starts[n]:
                memcpy(
                    cython.address(records[kept, 0]), cython.address(scratch[starts[n], 0]), (other - starts[n]) * size
                )
