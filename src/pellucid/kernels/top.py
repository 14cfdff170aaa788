"""What one pass over a block of rows does for the top of Tailor's tree: find each row's node, and fill bins.

A table that is too large for one machine is a sequence of blocks. A block's rows walk down the cuts that are known
(:func:`route`), and every node asks for bins of its rows by (code, row order) on some attributes (:func:`fill`). Bins
are counts, smallest and largest codes of every attribute, and smallest and largest row order: they add up over blocks.

The plain definitions are in tests/engines/plain.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t


def route(
    codes: cython.const[int32_t][:, ::1],
    orders: cython.const[int64_t][::1],
    attributes: cython.const[int32_t][::1],
    values: cython.const[int32_t][::1],
    thresholds: cython.const[int64_t][::1],
    lefts: cython.const[int32_t][::1],
    rights: cython.const[int32_t][::1],
    nodes: int32_t[::1],
) -> None:
    """The node that each row ends in, starting from node 0; a node that is not cut has attribute -1.

    A row goes left when its code is below the cut's, or equal to it with a row order up to the threshold.
    """
    row: cython.Py_ssize_t
    node: int32_t
    attribute: int32_t
    code: int32_t
    with cython.nogil:
        for row in range(codes.shape[0]):
            node = 0
            attribute = attributes[0]
            while attribute >= 0:
                code = codes[row, attribute]
                if code < values[node] or (code == values[node] and orders[row] <= thresholds[node]):
                    node = lefts[node]
                else:
                    node = rights[node]
                attribute = attributes[node]
            nodes[row] = node


def fill(
    codes: cython.const[int32_t][:, ::1],
    orders: cython.const[int64_t][::1],
    nodes: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    requests: cython.const[int64_t][:, ::1],
    counts: int64_t[::1],
    lows: int32_t[:, ::1],
    highs: int32_t[:, ::1],
    earliest: int64_t[::1],
    latest: int64_t[::1],
) -> None:
    """Add every row to the bin it falls in, for each request of its node.

    Node n's requests are ``requests[starts[n]:starts[n + 1]]``, each (attribute, first code, last code, first order,
    last order, by order, shift, slot): rows with a code and an order in these ranges fall into the bin
    slot + ((code or order) - first >> shift).
    """
    row: cython.Py_ssize_t
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    d: cython.Py_ssize_t = codes.shape[1]
    code: int64_t
    order: int64_t
    slot: int64_t
    value: int32_t
    with cython.nogil:
        for row in range(codes.shape[0]):
            order = orders[row]
            for r in range(starts[nodes[row]], starts[nodes[row] + 1]):
                code = codes[row, requests[r, 0]]
                if code < requests[r, 1] or code > requests[r, 2]:
                    continue
                if requests[r, 5]:
                    if order < requests[r, 3] or order > requests[r, 4]:
                        continue
                    slot = requests[r, 7] + ((order - requests[r, 3]) >> requests[r, 6])
                else:
                    slot = requests[r, 7] + ((code - requests[r, 1]) >> requests[r, 6])
                counts[slot] += 1
                for i in range(d):
                    value = codes[row, i]
                    if value < lows[slot, i]:
                        lows[slot, i] = value
                    if value > highs[slot, i]:
                        highs[slot, i] = value
                if order < earliest[slot]:
                    earliest[slot] = order
                if order > latest[slot]:
                    latest[slot] = order
