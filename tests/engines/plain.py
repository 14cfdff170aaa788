"""Plain definitions of what one pass over rows does for the top of a tree."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.spark.engine.cuts import NOT_CUT, Cuts
from pellucid.spark.engine.operations import Request


def node_of(cuts: Cuts, codes: Sequence[int], order: int) -> int:
    """Where a row ends: left with a smaller code, or with this code and an order up to the threshold."""
    node = 0
    while cuts.attributes[node] != NOT_CUT:
        key = codes[cuts.attributes[node]], order
        left = key <= (cuts.codes[node], cuts.thresholds[node])
        node = cuts.lefts[node] if left else cuts.rights[node]
    return node


def bins_of(
    request: Request, nodes: Sequence[int], rows: Sequence[Sequence[int]], orders: Sequence[int]
) -> dict[int, list[int]]:
    """The rows of each bin of a request."""
    found: dict[int, list[int]] = {}
    for row, (node, codes, order) in enumerate(zip(nodes, rows, orders, strict=True)):
        code = codes[request.attribute]
        if node != request.node or not request.first_code <= code <= request.last_code:
            continue
        if request.by_order and not request.first_order <= order <= request.last_order:
            continue
        x = order - request.first_order if request.by_order else code - request.first_code
        found.setdefault(x // 2**request.shift, []).append(row)
    return dict(sorted(found.items()))
