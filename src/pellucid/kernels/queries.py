"""Count queries: how many rows satisfy each of many queries, and how many a release says do.

A query is a conjunction of predicates, each on one column and given as runs of ticks. ``columns[q, p]`` is the column
of predicate p of query q, and its runs are ``starts[q * predicates + p]`` onwards. The last predicate of a query is the
one on the sensitive column where there is one.

The truth is counted with sets of rows as bits. For each column the rows are sorted, and ``prefix[c, k]`` has the bits
of the first k * step of them; the rows between two ranks are then two of these, exclusive or, with the few rows between
a rank and the nearest k * step flipped one by one.

The plain definitions are in tests/plain/metrics.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t

Amount = cython.fused_type(int64_t, cython.double)  # rows, or the weight of rows


def prefixes(order: cython.const[int32_t][::1], step: int64_t, prefix: uint64_t[:, ::1]) -> None:
    """The bits of the first k * step rows of a sorted column, for each k; all of them in the last."""
    n: int64_t = order.shape[0]
    words: int64_t = prefix.shape[1]
    one: uint64_t = 1
    k: int64_t
    i: int64_t
    w: int64_t
    with cython.nogil:
        for w in range(words):
            prefix[0, w] = 0
        for k in range(1, prefix.shape[0]):
            for w in range(words):
                prefix[k, w] = prefix[k - 1, w]
            for i in range((k - 1) * step, min(k * step, n)):
                prefix[k, order[i] >> 6] |= one << (order[i] & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def bits_in(word: uint64_t) -> int64_t:
    a: uint64_t = 0x5555555555555555
    b: uint64_t = 0x3333333333333333
    c: uint64_t = 0x0F0F0F0F0F0F0F0F
    d: uint64_t = 0x0101010101010101
    word = word - ((word >> 1) & a)
    word = (word & b) + ((word >> 2) & b)
    word = (word + (word >> 4)) & c
    return cython.cast(int64_t, (word * d) >> 56)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def flip_first(
    rank: int64_t,
    step: int64_t,
    order: cython.const[int32_t][::1],
    prefix: cython.const[uint64_t][:, ::1],
    bits: uint64_t[::1],
) -> cython.void:
    """Exclusive or with the bits of the first ``rank`` rows."""
    one: uint64_t = 1
    n: int64_t = order.shape[0]
    k: int64_t = (rank + step // 2) // step
    at: int64_t
    i: int64_t
    w: int64_t
    if k > prefix.shape[0] - 1:
        k = prefix.shape[0] - 1
    at = min(k * step, n)
    for w in range(bits.shape[0]):
        bits[w] ^= prefix[k, w]
    for i in range(min(at, rank), max(at, rank)):
        bits[order[i] >> 6] ^= one << (order[i] & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def matching(
    query: int64_t,
    predicates: int64_t,
    columns: cython.const[int32_t][:, ::1],
    starts: cython.const[int64_t][::1],
    rank_low: cython.const[int64_t][::1],
    rank_high: cython.const[int64_t][::1],
    step: int64_t,
    order: cython.const[int32_t][:, ::1],
    prefix: cython.const[uint64_t][:, :, ::1],
    bits: uint64_t[::1],
    spare: uint64_t[::1],
) -> cython.void:
    """The rows that satisfy the first so many predicates of a query, as bits."""
    p: int64_t
    r: int64_t
    w: int64_t
    c: int64_t
    full: uint64_t = 0
    full = ~full
    if predicates == 0:
        for w in range(bits.shape[0]):
            bits[w] = full
    for p in range(predicates):
        c = columns[query, p]
        for w in range(spare.shape[0]):
            spare[w] = 0
        for r in range(starts[query * columns.shape[1] + p], starts[query * columns.shape[1] + p + 1]):
            if rank_low[r] < rank_high[r]:
                flip_first(rank_low[r], step, order[c], prefix[c], spare)
                flip_first(rank_high[r], step, order[c], prefix[c], spare)
        if p == 0:
            for w in range(spare.shape[0]):
                bits[w] = spare[w]
        else:
            for w in range(spare.shape[0]):
                bits[w] &= spare[w]


def answers(
    first: int64_t,
    last: int64_t,
    columns: cython.const[int32_t][:, ::1],
    starts: cython.const[int64_t][::1],
    rank_low: cython.const[int64_t][::1],
    rank_high: cython.const[int64_t][::1],
    step: int64_t,
    order: cython.const[int32_t][:, ::1],
    prefix: cython.const[uint64_t][:, :, ::1],
    bits: uint64_t[::1],
    spare: uint64_t[::1],
    out: int64_t[::1],
) -> None:
    """How many rows satisfy each of the queries first..last-1."""
    q: int64_t
    w: int64_t
    total: int64_t
    with cython.nogil:
        for q in range(first, last):
            matching(q, columns.shape[1], columns, starts, rank_low, rank_high, step, order, prefix, bits, spare)
            total = 0
            for w in range(bits.shape[0]):
                total += bits_in(bits[w])
            out[q] = total


def weighted_answers(
    first: int64_t,
    last: int64_t,
    columns: cython.const[int32_t][:, ::1],
    starts: cython.const[int64_t][::1],
    rank_low: cython.const[int64_t][::1],
    rank_high: cython.const[int64_t][::1],
    step: int64_t,
    order: cython.const[int32_t][:, ::1],
    prefix: cython.const[uint64_t][:, :, ::1],
    bits: uint64_t[::1],
    spare: uint64_t[::1],
    weights: cython.const[cython.double][::1],
    out: cython.double[::1],
) -> None:
    """What the weights of the rows add up to that satisfy each of the queries first..last-1."""
    q: int64_t
    w: int64_t
    row: int64_t
    total: cython.double
    word: uint64_t
    one: uint64_t = 1
    with cython.nogil:
        for q in range(first, last):
            matching(q, columns.shape[1], columns, starts, rank_low, rank_high, step, order, prefix, bits, spare)
            total = 0
            for w in range(bits.shape[0]):
                word = bits[w]
                while word:
                    row = w * 64 + bits_in((word & (~word + one)) - one)
                    word &= word - one
                    if row >= weights.shape[0]:
                        break
                    total += weights[row]
            out[q] = total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def flag_values(
    ticks: cython.const[int64_t][::1],
    low: cython.const[int64_t][::1],
    high: cython.const[int64_t][::1],
    start: int64_t,
    end: int64_t,
    flags: cython.uchar[::1],
) -> cython.void:
    """Which sensitive codes have a tick in one of the runs."""
    code: int64_t
    r: int64_t
    for code in range(ticks.shape[0]):
        flags[code] = 0
        for r in range(start, end):
            if low[r] <= ticks[code] <= high[r]:
                flags[code] = 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def flagged_share(
    group: int64_t,
    sizes: cython.const[int64_t][::1],
    begins: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    counts: cython.const[int64_t][::1],
    flags: cython.uchar[::1],
) -> cython.double:
    """The share of a class whose sensitive value is flagged."""
    e: int64_t
    found: int64_t = 0
    for e in range(begins[group], begins[group + 1]):
        found += counts[e] * flags[codes[e]]
    return cython.cast(cython.double, found) / cython.cast(cython.double, sizes[group])


def estimates_by_row(
    first: int64_t,
    last: int64_t,
    columns: cython.const[int32_t][:, ::1],
    starts: cython.const[int64_t][::1],
    rank_low: cython.const[int64_t][::1],
    rank_high: cython.const[int64_t][::1],
    step: int64_t,
    order: cython.const[int32_t][:, ::1],
    prefix: cython.const[uint64_t][:, :, ::1],
    bits: uint64_t[::1],
    spare: uint64_t[::1],
    low: cython.const[int64_t][::1],
    high: cython.const[int64_t][::1],
    classes: cython.const[int32_t][::1],
    sizes: cython.const[int64_t][::1],
    begins: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    counts: cython.const[int64_t][::1],
    ticks: cython.const[int64_t][::1],
    flags: cython.uchar[::1],
    out: cython.double[::1],
    weights: cython.const[cython.double][::1] = None,
) -> None:
    """Anatomy: the rows of each class that satisfy the quasi-identifiers' predicates, by its share of the value.

    Rows are class after class, and each row of class g counts ``weights[g]``, or one. The last predicate of every query
    is the one on the sensitive column.
    """
    q: int64_t
    w: int64_t
    row: int64_t
    group: int64_t
    here: int64_t
    found: int64_t
    at: int64_t
    part: cython.double
    total: cython.double
    word: uint64_t
    one: uint64_t = 1
    weighted: cython.bint = weights is not None
    with cython.nogil:
        for q in range(first, last):
            matching(q, columns.shape[1] - 1, columns, starts, rank_low, rank_high, step, order, prefix, bits, spare)
            at = q * columns.shape[1] + columns.shape[1] - 1
            flag_values(ticks, low, high, starts[at], starts[at + 1], flags)
            total = 0
            group = -1
            found = 0
            for w in range(bits.shape[0]):
                word = bits[w]
                while word:
                    row = w * 64 + bits_in((word & (~word + one)) - one)
                    word &= word - one
                    if row >= classes.shape[0]:
                        break
                    here = classes[row]
                    if here != group:
                        if group >= 0:
                            part = found * flagged_share(group, sizes, begins, codes, counts, flags)
                            total += weights[group] * part if weighted else part
                        group = here
                        found = 0
                    found += 1
            if group >= 0:
                part = found * flagged_share(group, sizes, begins, codes, counts, flags)
                total += weights[group] * part if weighted else part
            out[q] = total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def overlap(
    a: int64_t,
    a_end: int64_t,
    a_low: cython.const[int64_t][::1],
    a_high: cython.const[int64_t][::1],
    b: int64_t,
    b_end: int64_t,
    b_low: cython.const[int64_t][::1],
    b_high: cython.const[int64_t][::1],
) -> int64_t:
    """How many ticks are in both of two ascending lists of runs."""
    found: int64_t = 0
    left: int64_t
    right: int64_t
    while a < a_end and b < b_end:
        left = max(a_low[a], b_low[b])
        right = min(a_high[a], b_high[b])
        if left <= right:
            found += right - left + 1
        if a_high[a] < b_high[b]:
            a += 1
        else:
            b += 1
    return found


def estimates_by_box(
    first: int64_t,
    last: int64_t,
    columns: cython.const[int32_t][:, ::1],
    starts: cython.const[int64_t][::1],
    low: cython.const[int64_t][::1],
    high: cython.const[int64_t][::1],
    sensitive: cython.bint,
    of_box: cython.const[int32_t][:, ::1],
    offsets: cython.const[int64_t][::1],
    run_starts: cython.const[int64_t][::1],
    run_low: cython.const[int64_t][::1],
    run_high: cython.const[int64_t][::1],
    points: cython.const[int64_t][::1],
    box_starts: cython.const[int64_t][::1],
    boxes: cython.const[int32_t][:, ::1],
    weights: cython.const[Amount][::1],
    classes: cython.const[int32_t][::1],
    sizes: cython.const[int64_t][::1],
    begins: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    counts: cython.const[int64_t][::1],
    ticks: cython.const[int64_t][::1],
    flags: cython.uchar[::1],
    shares: cython.double[:, ::1],
    out: cython.double[::1],
) -> None:
    """Boxes: each box's rows by the share of the box that is inside the query, summed, for the queries first..last-1.

    Choice i of column c has number ``offsets[c] + i``; its runs are ``run_starts[number]`` onwards, and the boxes with
    it are ``boxes[c, box_starts[number + c] : box_starts[number + c + 1]]``. Only the boxes that the most selective
    predicate leaves are looked at.
    """
    q: int64_t
    p: int64_t
    c: int64_t
    choice: int64_t
    number: int64_t
    at: int64_t
    i: int64_t
    b: int64_t
    inside: int64_t
    predicates: int64_t = columns.shape[1] - 1 if sensitive else columns.shape[1]
    leading: int64_t
    fewest: int64_t
    left: int64_t
    lead: int64_t
    part: cython.double
    mine: cython.double
    total: cython.double
    with cython.nogil:
        for q in range(first, last):
            leading = 0
            fewest = -1
            for p in range(predicates):
                c = columns[q, p]
                at = q * columns.shape[1] + p
                left = 0
                for number in range(offsets[c], offsets[c + 1]):
                    inside = overlap(
                        run_starts[number],
                        run_starts[number + 1],
                        run_low,
                        run_high,
                        starts[at],
                        starts[at + 1],
                        low,
                        high,
                    )
                    part = cython.cast(cython.double, inside) / cython.cast(cython.double, points[number])
                    shares[p, number - offsets[c]] = part
                    if inside > 0:
                        left += box_starts[number + c + 1] - box_starts[number + c]
                if fewest < 0 or left < fewest:
                    fewest = left
                    leading = p
            if sensitive:
                at = q * columns.shape[1] + predicates
                flag_values(ticks, low, high, starts[at], starts[at + 1], flags)
            total = 0
            if predicates == 0:
                for b in range(weights.shape[0]):
                    part = weights[b]
                    if sensitive:
                        part *= flagged_share(classes[b], sizes, begins, codes, counts, flags)
                    total += part
                out[q] = total
                continue
            lead = columns[q, leading]
            for choice in range(offsets[lead + 1] - offsets[lead]):
                mine = shares[leading, choice]
                if mine == 0:
                    continue
                number = offsets[lead] + choice
                for i in range(box_starts[number + lead], box_starts[number + lead + 1]):
                    b = boxes[lead, i]
                    part = mine
                    for p in range(predicates):
                        if p != leading:
                            part *= shares[p, of_box[columns[q, p], b]]
                            if part == 0:
                                break
                    if part > 0:
                        part *= weights[b]
                        if sensitive:
                            part *= flagged_share(classes[b], sizes, begins, codes, counts, flags)
                        total += part
            out[q] = total
