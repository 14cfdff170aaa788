"""Assign where several sensitive columns are protected at once: which vectors of values make the next bucket.

In a bucket of w columns no value of a sensitive column stands in more than w / l of them, and what is left over has
none in more than one row in l. A bucket of 2 l columns or more is taken apart where that can be: a piece, which it has
once or more, and the other columns are handed out anew. Where sensitive columns have an l each, l is the largest, so
that buckets are as wide as it asks, and a value is counted with its own. The plain definition is ``together`` in
tests/plain/several.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.string import memset
from cython.cimports.pellucid.kernels.arena import Room, claimed, int32s, int64s, zeroed, zeros

MOVES_EACH = cython.declare(int64_t, 16)  # of columns, after which a piece is looked for no more: by vector
MOVES = cython.declare(int64_t, 1000)  # and at most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_together(
    t: cython.pointer(Together),
    parts: cython.pointer(cython.const[int32_t]),
    columns: int64_t,
    fewer: cython.pointer(cython.const[int64_t]),
    values: int64_t,
    rows: int64_t,
    most: int64_t,
    memory: cython.pointer(Room),
) -> cython.void:
    """Room for leaves of so many rows."""
    different: int64_t = min(rows, most) + 1
    t.parts = parts
    t.columns = columns
    t.fewer = fewer
    t.most = most
    t.held = cython.cast(cython.pointer(int64_t), zeroed(memory, (values + 1) * cython.sizeof(int64_t)))
    t.standing = zeros(memory, values + 1)
    t.more = int64s(memory, values + 1)
    t.less = int64s(memory, values + 1)
    t.waiting = cython.cast(cython.pointer(Waiting), claimed(memory, (rows + 2) * cython.sizeof(Waiting)))
    t.picked = int32s(memory, rows + 1)
    t.chosen = int32s(memory, rows + 1)
    t.bucket_vectors = int32s(memory, different)
    t.bucket_counts = int64s(memory, different)
    t.piece = int64s(memory, different)
    t.added = int32s(memory, different)
    t.taken = int32s(memory, different)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hold(t: cython.pointer(Together), vector: int32_t, rows: int64_t) -> cython.void:
    """So many more rows of a vector are left; fewer when negative."""
    i: int64_t
    part: cython.pointer(cython.const[int32_t]) = t.parts + vector * t.columns
    for i in range(t.columns):
        if part[i] >= 0:
            t.held[part[i]] += rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stand(t: cython.pointer(Together), vector: int32_t, columns: int32_t) -> cython.void:
    """A vector takes so many more columns of the bucket."""
    i: int64_t
    part: cython.pointer(cython.const[int32_t]) = t.parts + vector * t.columns
    for i in range(t.columns):
        if part[i] >= 0:
            t.standing[part[i]] += columns


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def most_urgent(
    t: cython.pointer(Together),
    vectors: cython.pointer(cython.const[int32_t]),
    counts: cython.pointer(cython.const[int64_t]),
    distinct: int64_t,
    l: int64_t,
    times: int64_t,
) -> int64_t:
    """The place of the vector that fits and has the most frequent value; ties: the sum over its values, its rows.

    A value's rows are counted times its l. -1 when none fits.
    """
    i: int64_t
    j: int64_t
    best: int64_t = -1
    own: int64_t
    most: int64_t
    total: int64_t
    best_most: int64_t = 0
    best_total: int64_t = 0
    fits: cython.bint
    part: cython.pointer(cython.const[int32_t])
    for j in range(distinct):
        if counts[j] <= t.picked[j]:
            continue
        part = t.parts + vectors[j] * t.columns
        most = 0
        total = 0
        fits = True
        for i in range(t.columns):
            if part[i] < 0:
                continue
            own = l - t.fewer[part[i]]
            if (t.standing[part[i]] + 1) * own > times * l:
                fits = False
                break
            most = max(most, own * t.held[part[i]])
            total += own * t.held[part[i]]
        if not fits:
            continue
        if best >= 0:
            if most != best_most:
                if most < best_most:
                    continue
            elif total != best_total:
                if total < best_total:
                    continue
            elif counts[j] < counts[best] or (counts[j] == counts[best] and vectors[j] > vectors[best]):
                continue
        best = j
        best_most = most
        best_total = total
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def tallest(
    t: cython.pointer(Together),
    vectors: cython.pointer(cython.const[int32_t]),
    counts: cython.pointer(cython.const[int64_t]),
    distinct: int64_t,
    remaining: int64_t,
    l: int64_t,
) -> int64_t:
    """How many rows each column of the bucket at hand may have so that what is left over is diverse; 0: none."""
    i: int64_t
    j: int64_t
    value: int64_t
    own: int64_t
    spare: int64_t
    alpha: int64_t = remaining
    part: cython.pointer(cython.const[int32_t])
    for j in range(distinct):
        if t.picked[j] > 0:
            alpha = min(alpha, counts[j] // t.picked[j])
        part = t.parts + vectors[j] * t.columns
        for i in range(t.columns):
            if part[i] < 0:
                continue
            value = part[i]
            own = l - t.fewer[value]
            spare = t.width - own * t.standing[value]
            if spare > 0:
                alpha = min(alpha, (remaining - own * t.held[value]) // spare)
    return alpha


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_bucket(
    t: cython.pointer(Together),
    vectors: cython.pointer(cython.const[int32_t]),
    counts: cython.pointer(cython.const[int64_t]),
    distinct: int64_t,
    remaining: int64_t,
    l: int64_t,
    times: int64_t,
) -> int64_t:
    """Add columns, no value in more than so many of them, until what is left over is diverse; 0 when it never is."""
    j: int64_t
    alpha: int64_t = 0
    best: int64_t
    t.width = 0
    memset(t.picked, 0, distinct * cython.sizeof(int32_t))
    while alpha == 0 and t.width < min(2 * times * l - 1, remaining):
        best = most_urgent(t, vectors, counts, distinct, l, times)
        if best < 0:
            break
        t.chosen[t.width] = cython.cast(int32_t, best)
        t.width += 1
        t.picked[best] += 1
        stand(t, vectors[best], 1)
        if t.width >= times * l:
            alpha = tallest(t, vectors, counts, distinct, remaining, l)
    for j in range(t.width):
        stand(t, vectors[t.chosen[j]], -1)
    return alpha


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def choose(
    t: cython.pointer(Together),
    vectors: cython.pointer(cython.const[int32_t]),
    counts: cython.pointer(cython.const[int64_t]),
    distinct: int64_t,
    l: int64_t,
) -> int64_t:
    """The next bucket of these vectors, into ``chosen``; returns how many rows each of its columns has."""
    i: int64_t
    j: int64_t
    alpha: int64_t
    times: int64_t = 1
    while distinct <= t.most and times * l < t.remaining:
        alpha = fill_bucket(t, vectors, counts, distinct, t.remaining, l, times)
        if alpha > 0:
            return alpha
        times *= 2
    t.width = 0
    for j in range(distinct):  # all the rest, each row a column
        for i in range(counts[j]):
            t.chosen[t.width] = cython.cast(int32_t, j)
            t.width += 1
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weigh(t: cython.pointer(Together), vector: int32_t, l: int64_t, size: int64_t) -> cython.void:
    """What one column more, or one fewer, of each of its values would change in a piece of so many."""
    i: int64_t
    value: int64_t
    now: int64_t
    most: int64_t  # in so many columns of the piece, and of the others, it may stand
    most_others: int64_t
    part: cython.pointer(cython.const[int32_t]) = t.parts + vector * t.columns
    for i in range(t.columns):
        if part[i] < 0:
            continue
        value = part[i]
        most = size // (l - t.fewer[value])
        most_others = (t.width - t.copies * size) // (l - t.fewer[value])
        now = above(t, value, 0, most, most_others)
        t.more[value] = above(t, value, 1, most, most_others) - now
        t.less[value] = above(t, value, -1, most, most_others) - now


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def above(t: cython.pointer(Together), value: int64_t, change: int64_t, most: int64_t, most_others: int64_t) -> int64_t:
    """The square of how many columns a value has too many, in the piece or among the others, after a change."""
    standing: int64_t = t.standing[value] + change
    too_many: int64_t = max(standing - most, t.held[value] - t.copies * standing - most_others)
    return too_many * too_many if too_many > 0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_move(t: cython.pointer(Together), few: cython.bint, step: int64_t) -> int64_t:
    """The place of the vector of which a column is added to the piece, or taken back; -1 when there is none.

    It leaves values least above what they may have (ties: the order of the vectors), and was not moved the other way in
    the last steps, a quarter of as many as there are vectors.
    """
    i: int64_t
    j: int64_t
    growth: int64_t
    best: int64_t = -1
    best_growth: int64_t = 0
    part: cython.pointer(cython.const[int32_t])
    change: cython.pointer(int64_t) = t.more if few else t.less
    moved: cython.pointer(int32_t) = t.taken if few else t.added
    since: int64_t = step - t.bucket_distinct // 4
    for j in range(t.bucket_distinct):
        if (t.copies * (t.piece[j] + 1) > t.bucket_counts[j] if few else t.piece[j] == 0) or moved[j] >= since:
            continue
        part = t.parts + t.bucket_vectors[j] * t.columns
        growth = 0
        for i in range(t.columns):
            if part[i] >= 0:
                growth += change[part[i]]
        if best < 0 or growth < best_growth or (growth == best_growth and t.bucket_vectors[j] < t.bucket_vectors[best]):
            best = j
            best_growth = growth
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fine(t: cython.pointer(Together), l: int64_t, size: int64_t) -> cython.bint:
    """Whether no value of the bucket stands in more columns than it may, in the piece and among the others."""
    i: int64_t
    j: int64_t
    own: int64_t
    others: int64_t = t.width - t.copies * size
    part: cython.pointer(cython.const[int32_t])
    for j in range(t.bucket_distinct):
        part = t.parts + t.bucket_vectors[j] * t.columns
        for i in range(t.columns):
            if part[i] < 0:
                continue
            own = l - t.fewer[part[i]]
            if own * t.standing[part[i]] > size:
                return False
            if own * (t.held[part[i]] - t.copies * t.standing[part[i]]) > others:
                return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_piece(t: cython.pointer(Together), size: int64_t, l: int64_t) -> cython.bint:
    """So many columns that they, and the others without ``copies`` of them, are diverse; False: none are found."""
    j: int64_t
    best: int64_t
    total: int64_t = 0
    step: int64_t
    found: cython.bint = False
    few: cython.bint
    for j in range(t.bucket_distinct):
        t.piece[j] = t.bucket_counts[j] * size // t.width  # hence too few columns, or just enough
        t.added[j] = -0x40000000
        t.taken[j] = -0x40000000
        total += t.piece[j]
        stand(t, t.bucket_vectors[j], cython.cast(int32_t, t.piece[j]))
    for j in range(t.bucket_distinct):
        weigh(t, t.bucket_vectors[j], l, size)
    for step in range(min(MOVES_EACH * t.bucket_distinct, MOVES + t.bucket_distinct) + 1):
        few = total < size
        if not few and fine(t, l, size):
            found = True
            break
        best = best_move(t, few, step)
        if best < 0:
            break
        if few:
            t.piece[best] += 1
            t.added[best] = cython.cast(int32_t, step)
            total += 1
        else:
            t.piece[best] -= 1
            t.taken[best] = cython.cast(int32_t, step)
            total -= 1
        stand(t, t.bucket_vectors[best], 1 if few else -1)
        weigh(t, t.bucket_vectors[best], l, size)
    for j in range(t.bucket_distinct):
        stand(t, t.bucket_vectors[j], -cython.cast(int32_t, t.piece[j]))
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def push(t: cython.pointer(Together), height: int64_t, largest: int64_t, others: cython.bint) -> cython.void:
    """The piece at hand, or the other columns of the bucket, wait to be handed out anew."""
    j: int64_t
    count: int64_t
    last: cython.pointer(Waiting) = t.waiting + t.waits - 1
    start: int64_t = last.start + last.distinct if t.waits > 0 else 0
    distinct: int64_t = 0
    for j in range(t.bucket_distinct):
        count = t.bucket_counts[j] - t.copies * t.piece[j] if others else t.piece[j]
        if count > 0:
            t.vectors[start + distinct] = t.bucket_vectors[j]
            t.counts[start + distinct] = count
            distinct += 1
    last += 1
    last.start = cython.cast(int32_t, start)
    last.distinct = cython.cast(int32_t, distinct)
    last.height = cython.cast(int32_t, height)
    last.largest = cython.cast(int32_t, largest)
    t.waits += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def take_apart(t: cython.pointer(Together), l: int64_t, height: int64_t, largest: int64_t) -> cython.bint:
    """A piece of the bucket at hand and its other columns wait then; False where no piece is found."""
    j: int64_t
    times: int64_t
    found: cython.bint = False
    t.copies = min(t.width // t.bucket_distinct, t.width // l - 1)
    times = min(t.width // ((t.copies + 1) * l), largest)
    for j in range(t.bucket_distinct):
        hold(t, t.bucket_vectors[j], t.bucket_counts[j])
    while times > 0:
        found = find_piece(t, times * l, l)
        if found:
            break
        if t.copies > 1:
            t.copies //= 2
            times = min(t.width // ((t.copies + 1) * l), largest)
        else:
            times //= 2
    for j in range(t.bucket_distinct):
        hold(t, t.bucket_vectors[j], -t.bucket_counts[j])
    if found:
        push(t, height, times, True)
        push(t, t.copies * height, times, False)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_together(
    t: cython.pointer(Together),
    vectors: cython.pointer(int32_t),
    counts: cython.pointer(int64_t),
    distinct: int64_t,
) -> cython.void:
    """A leaf with so many rows of these vectors; both lists, with room for all its rows, are used up."""
    t.vectors = vectors
    t.counts = counts
    t.waits = 1 if distinct > 0 else 0
    t.remaining = -1
    t.waiting[0].start = 0
    t.waiting[0].distinct = cython.cast(int32_t, distinct)
    t.waiting[0].height = 1
    t.waiting[0].largest = 0x7FFFFFFF


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def next_together(t: cython.pointer(Together), l: int64_t) -> int64_t:
    """The vectors of the next bucket of the leaf, into ``chosen``; returns how many rows each column has; 0: none."""
    j: int64_t
    kept: int64_t
    alpha: int64_t
    place: int64_t
    wide: cython.bint
    last: cython.pointer(Waiting)
    vectors: cython.pointer(int32_t)
    counts: cython.pointer(int64_t)
    while t.waits > 0:
        last = t.waiting + t.waits - 1
        vectors = t.vectors + last.start
        counts = t.counts + last.start
        if t.remaining < 0:
            t.remaining = 0
            for j in range(last.distinct):
                t.remaining += counts[j]
                hold(t, vectors[j], counts[j])
        alpha = choose(t, vectors, counts, last.distinct, l)
        wide = t.width >= 2 * l and last.distinct <= t.most
        if wide:
            bucket_at_hand(t, vectors, last.distinct)
        for j in range(t.width):
            place = t.chosen[j]
            t.chosen[j] = vectors[place]
            counts[place] -= alpha
            hold(t, vectors[place], -alpha)
        t.remaining -= alpha * t.width
        kept = 0
        for j in range(last.distinct):
            if counts[j] > 0:
                vectors[kept] = vectors[j]
                counts[kept] = counts[j]
                kept += 1
        last.distinct = cython.cast(int32_t, kept)
        alpha *= last.height
        if wide or kept == 0:
            for j in range(kept):
                hold(t, vectors[j], -counts[j])
            t.remaining = -1
            if kept == 0:
                t.waits -= 1
        if not wide or not take_apart(t, l, alpha, last.largest):
            return alpha
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bucket_at_hand(
    t: cython.pointer(Together), vectors: cython.pointer(cython.const[int32_t]), distinct: int64_t
) -> cython.void:
    """The bucket whose places are ``chosen``, each vector once."""
    j: int64_t
    memset(t.picked, 0, distinct * cython.sizeof(int32_t))
    for j in range(t.width):
        t.picked[t.chosen[j]] += 1
    t.bucket_distinct = 0
    for j in range(distinct):
        if t.picked[j] > 0:
            t.bucket_vectors[t.bucket_distinct] = vectors[j]
            t.bucket_counts[t.bucket_distinct] = t.picked[j]
            t.bucket_distinct += 1
