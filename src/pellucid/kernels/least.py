"""How many rows each side of a cut must have, so that it satisfies a model whichever of the node's rows it gets.

Most models ask for a number that follows from a few counts (see :class:`pellucid.models.threshold.Threshold`); it is
computed here. For the others a Python function is asked, which sees the node's sensitive values and how often each
occurs, and nothing else.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.string import memset
from cython.cimports.pellucid.kernels.arena import Room, dropped, int32s, int64s, int64s_again, zeros
from cython.cimports.pellucid.kernels.sorting import sort_pairs


@cython.cclass
class Rule:
    """What a model asks of the sides of a cut; ``protected`` marks values, ``ends`` says where each column's end."""

    def __init__(
        self, rows: int, above: int, add: int, below: int, rivals: int, protected: object, ends: object
    ) -> None:
        self.rows = rows
        self.above = above
        self.add = add
        self.below = below
        self.rivals = rivals
        self.protected = protected
        self.ends = ends


@cython.cfunc
def open_least(
    r: cython.pointer(Least),
    rule: Rule,
    ask: object,
    codes: cython.pointer(int64_t),
    counts: cython.pointer(int64_t),
    memory: cython.pointer(Room),
) -> cython.void:
    """Copy a rule; ``ask`` None means that the rule says it all."""
    memset(r, 0, cython.sizeof(Least))
    r.memory = memory
    r.rows = rule.rows
    r.above = rule.above
    r.add = rule.add
    r.below = rule.below
    r.rivals = rule.rivals
    if rule.protected is not None:
        r.protected_ = cython.address(rule.protected[0])
    r.ends = cython.address(rule.ends[0])
    if ask is not None:
        r.ask = cython.cast(cython.p_void, ask)
    r.codes = codes
    r.counts = counts


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def make_room(
    r: cython.pointer(Least),
    sensitive: cython.pointer(cython.const[int32_t]),
    columns: int64_t,
    positions: int64_t,
    values: int64_t,
    stride: int64_t,
    histogram: cython.pointer(int32_t),
) -> cython.void:
    """Look at these sensitive codes."""
    r.sensitive = sensitive
    r.columns = columns
    r.positions = positions
    r.values = values
    r.stride = stride
    r.histogram = histogram
    r.presents = int64s(r.memory, columns)
    if r.ask != cython.NULL:
        r.spare_codes = int64s(r.memory, values)
        r.held = int32s(r.memory, values)
        r.spare_held = int32s(r.memory, values)
        return
    r.top = int64s(r.memory, r.rivals + 1)
    r.most = int64s(r.memory, columns)
    r.largest = int64s(r.memory, columns)
    r.largest_protected = int64s(r.memory, columns)
    r.count_at = int64s(r.memory, columns)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def asked(r: cython.pointer(Least), column: int64_t, present: int64_t, rows: int64_t) -> int64_t:
    """What the Python function answers about ``codes`` and ``counts``; negative when it failed."""
    answer: int64_t = -1
    with cython.gil:
        answer = cython.cast(object, r.ask)(column, present, rows)  # never raises
    return answer


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_to_top(r: cython.pointer(Least), kept: int64_t, count: int64_t) -> int64_t:
    """Keep the ``rivals`` + 1 largest counts; returns how many there are now."""
    i: int64_t
    if kept == r.rivals + 1:
        if count <= r.top[kept - 1]:
            return kept
        kept -= 1
    i = kept
    while i > 0 and r.top[i - 1] < count:
        r.top[i] = r.top[i - 1]
        i -= 1
    r.top[i] = count
    return kept + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def by_rule(r: cython.pointer(Least), largest: int64_t, kept: int64_t) -> int64_t:
    """The rows that the largest protected count asks for, with the largest counts of all in ``top``."""
    i: int64_t
    needed: int64_t
    if largest == 0 or r.above == 0:
        return r.rows
    needed = (largest * r.above + r.add) // r.below
    if r.rivals > 0:
        for i in range(min(kept, r.rivals)):
            needed += r.top[i]
        # it is no rival of itself: where it is among the first ones, the next takes its place
        if kept > r.rivals and largest > r.top[r.rivals]:
            needed += r.top[r.rivals] - largest
        elif kept <= r.rivals:
            needed -= largest
    return max(needed, r.rows)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def least_rows(
    r: cython.pointer(Least), records: cython.pointer(cython.const[int32_t]), entries: int64_t, rows: int64_t
) -> int64_t:
    """The rows that each side of a node must have; negative when asking failed."""
    e: int64_t
    p: int64_t
    v: int64_t
    start: int64_t
    column: int64_t
    largest: int64_t
    kept: int64_t
    count: int64_t
    present: int64_t
    answer: int64_t
    first: int64_t = 0
    least: int64_t = r.rows
    histogram: cython.pointer(int32_t) = r.histogram
    sensitive: cython.pointer(cython.const[int32_t])
    sparse: cython.bint = r.values > 4 * rows
    if r.above == 0 and r.ask == cython.NULL:
        return r.rows
    for column in range(r.columns):
        sensitive = r.sensitive + column * r.positions
        for e in range(entries):
            start = records[e * r.stride + r.stride - 2]
            for p in range(start, start + records[e * r.stride + r.stride - 1]):
                histogram[sensitive[p]] += 1
        largest = 0
        kept = 0
        present = 0
        if not sparse:
            for v in range(first, r.ends[column]):
                count = histogram[v]
                if count == 0:
                    continue
                if r.ask != cython.NULL:
                    r.codes[present] = v - first
                    r.counts[present] = count
                    present += 1
                else:
                    if count > largest and (r.protected_ == cython.NULL or r.protected_[v]):
                        largest = count
                    if r.rivals > 0:
                        kept = add_to_top(r, kept, count)
            memset(histogram + first, 0, (r.ends[column] - first) * cython.sizeof(int32_t))
        else:
            for e in range(entries):
                start = records[e * r.stride + r.stride - 2]
                for p in range(start, start + records[e * r.stride + r.stride - 1]):
                    v = sensitive[p]
                    count = histogram[v]
                    if count == 0:
                        continue
                    histogram[v] = 0
                    if r.ask != cython.NULL:
                        r.codes[present] = v - first
                        r.held[present] = cython.cast(int32_t, count)
                        present += 1
                    else:
                        if count > largest and (r.protected_ == cython.NULL or r.protected_[v]):
                            largest = count
                        if r.rivals > 0:
                            kept = add_to_top(r, kept, count)
            if r.ask != cython.NULL:
                sort_pairs(r.codes, r.held, present, r.spare_codes, r.spare_held)
                for v in range(present):
                    r.counts[v] = r.held[v]
        answer = asked(r, column, present, rows) if r.ask != cython.NULL else by_rule(r, largest, kept)
        if answer < 0:
            return answer
        least = max(least, answer)
        if 2 * least > rows:
            return least
        first = r.ends[column]
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_peeling(r: cython.pointer(Least), start: int64_t, rows: int64_t) -> cython.bint:
    """Count a node of equal rows, from which rows will be taken off the front; False: not enough memory."""
    p: int64_t
    v: int64_t
    column: int64_t
    count: int64_t
    at: int64_t = 0
    room: int64_t = 0
    sensitive: cython.pointer(cython.const[int32_t])
    dropped(r.per_count)
    r.per_count = cython.NULL
    r.present = int64s_again(r.memory, r.present, min(r.values, rows * r.columns))
    if r.memory.failed:
        return False
    for column in range(r.columns):
        sensitive = r.sensitive + column * r.positions
        r.presents[column] = 0
        if r.ask == cython.NULL:
            r.most[column] = 0
            r.largest_protected[column] = 0
        for p in range(start, start + rows):
            v = sensitive[p]
            if r.histogram[v] == 0:
                r.present[at + r.presents[column]] = v
                r.presents[column] += 1
            r.histogram[v] += 1
        if r.ask == cython.NULL:
            for p in range(at, at + r.presents[column]):
                r.most[column] = max(r.most[column], r.histogram[r.present[p]])
            r.largest[column] = r.most[column]
            r.count_at[column] = room
            room += 2 * (r.most[column] + 1)
        else:
            sort_codes(r, r.present + at, r.presents[column])
        at += r.presents[column]
    if r.ask != cython.NULL:
        return True
    r.per_count = zeros(r.memory, room)
    if r.memory.failed:
        return False
    at = 0
    for column in range(r.columns):
        for p in range(at, at + r.presents[column]):
            v = r.present[p]
            count = r.histogram[v]
            r.per_count[r.count_at[column] + count] += 1
            if r.protected_ == cython.NULL or r.protected_[v]:
                r.per_count[r.count_at[column] + r.most[column] + 1 + count] += 1
                r.largest_protected[column] = max(r.largest_protected[column], count)
        at += r.presents[column]
    dropped(r.present)
    r.present = cython.NULL
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_codes(r: cython.pointer(Least), codes: cython.pointer(int64_t), n: int64_t) -> cython.void:
    sort_pairs(codes, r.held, n, r.spare_codes, r.spare_held)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def least_left(r: cython.pointer(Least), rows: int64_t) -> int64_t:
    """The rows that each side of what is left must have; negative when asking failed."""
    column: int64_t
    at: int64_t = 0
    first: int64_t = 0
    p: int64_t
    v: int64_t
    kept: int64_t
    count: int64_t
    answer: int64_t
    here: cython.pointer(int32_t)
    least: int64_t = r.rows
    for column in range(r.columns):
        if r.ask != cython.NULL:
            kept = 0
            for p in range(at, at + r.presents[column]):
                v = r.present[p]
                if r.histogram[v] > 0:
                    r.codes[kept] = v - first
                    r.counts[kept] = r.histogram[v]
                    kept += 1
            at += r.presents[column]
            first = r.ends[column]
            answer = asked(r, column, kept, rows)
        else:
            kept = 0
            # the walk down the counts is no longer than what it says must be taken: it stays linear over all pieces
            if r.rivals > 0 and r.largest_protected[column] > 0:
                here = r.per_count + r.count_at[column]
                count = r.largest[column]
                while count > 0 and kept <= r.rivals:
                    for p in range(min(cython.cast(int64_t, here[count]), r.rivals + 1 - kept)):
                        r.top[kept] = count
                        kept += 1
                    count -= 1
            answer = by_rule(r, r.largest_protected[column], kept)
        if answer < 0:
            return answer
        least = max(least, answer)
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def peel(r: cython.pointer(Least), start: int64_t, rows: int64_t) -> cython.void:
    """Take these rows off."""
    column: int64_t
    p: int64_t
    v: int64_t
    count: int64_t
    sensitive: cython.pointer(cython.const[int32_t])
    here: cython.pointer(int32_t)
    protected_here: cython.pointer(int32_t)
    for column in range(r.columns):
        sensitive = r.sensitive + column * r.positions
        if r.ask != cython.NULL:
            for p in range(start, start + rows):
                r.histogram[sensitive[p]] -= 1
            continue
        here = r.per_count + r.count_at[column]
        protected_here = here + r.most[column] + 1
        for p in range(start, start + rows):
            v = sensitive[p]
            count = r.histogram[v]
            here[count] -= 1
            here[count - 1] += 1
            if r.protected_ == cython.NULL or r.protected_[v]:
                protected_here[count] -= 1
                protected_here[count - 1] += 1
            r.histogram[v] = cython.cast(int32_t, count - 1)
        while r.largest[column] > 0 and here[r.largest[column]] == 0:
            r.largest[column] -= 1
        while r.largest_protected[column] > 0 and protected_here[r.largest_protected[column]] == 0:
            r.largest_protected[column] -= 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def end_peeling(r: cython.pointer(Least), start: int64_t, rows: int64_t) -> cython.void:
    """Forget the counts of the rows that are left."""
    column: int64_t
    p: int64_t
    sensitive: cython.pointer(cython.const[int32_t])
    for column in range(r.columns):
        sensitive = r.sensitive + column * r.positions
        for p in range(start, start + rows):
            r.histogram[sensitive[p]] = 0
