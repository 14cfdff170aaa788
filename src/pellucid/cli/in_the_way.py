"""Which protected value makes groups large, how frequent it is, and what each way out would keep, measured.

A value that more than one row in 2 l has leaves few cuts that are allowed: each side needs l rows for one of its own.
Up to there detail falls slowly with l, and beyond at once. What is measured are trials on a part of the rows, with
coins of their own. Nothing of them is published.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pellucid.anonymize.method import sensitive_counts
from pellucid.anonymize.methods import Method, methods
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.anonymize.recode import Recoder
from pellucid.cli.remarks import Remark
from pellucid.core.coins import Coins
from pellucid.core.table import Attribute, Table
from pellucid.errors import PellucidError
from pellucid.messages import Message, Share, Value
from pellucid.metrics.kept import information_kept
from pellucid.text.values import in_quotes

ROWS = 10_000  # of a trial
FEW = 200  # rows; of fewer a trial says little
GAIN = 0.05  # of what is kept on average: less is not worth a word
MOST_VALUES = 50  # of a column of which all but one are named


def in_the_way(table: Table, method: Method, recoder: Recoder) -> list[Remark]:
    """A note on the value that is in the way of smaller groups, where some way out would keep more."""
    if not isinstance(method, ProtectingMethod) or len(table) < FEW:
        return []
    if table.clusters is not None or method.as_one:
        return []
    found = _most_frequent(table, method)
    if found is None:
        return []
    attribute, code, share, l = found
    rows = np.unique(np.linspace(0, len(table) - 1, min(len(table), ROWS)).astype(np.int64))
    part = table.rows(rows)
    now = _kept(part, method, recoder)
    measured = {words: _kept(part, way, recoder) for words, way in _ways(method, attribute, code, share, l).items()}
    better = {words: kept for words, kept in measured.items() if now is not None and kept is not None}
    if now is None or not any(kept >= now + GAIN for kept in better.values()):
        return []
    told = [Message("{kept} {words}", kept=Share(kept), words=words) for words, kept in better.items()]
    return [
        Remark(
            "note",
            Message(
                "{column} = {value} is {share} of the rows, more than 1/{twice}. Groups with l = {l} grow around it. "
                "Quasi-identifiers keep {now} on average. They would keep {told}{tried}",
                column=attribute.name,
                value=Value(attribute.values[code]),
                share=Share(share),
                twice=2 * l,
                l=l,
                now=Share(now),
                told=Message.joined(told, ", "),
                tried="" if len(rows) == len(table) else f" (tried on {len(rows):,} rows)",
            ),
        )
    ]


def _most_frequent(table: Table, method: ProtectingMethod) -> tuple[Attribute, int, float, int] | None:
    """The protected value with the largest share beside its l, where that is more than 1 / (2 l)."""
    found = []
    for attribute, counts in sensitive_counts(table):
        protected = method.protecting(attribute.name)
        held = np.where(protected.marks(attribute), counts, 0)
        code = int(held.argmax())
        share = int(held[code]) / len(table)
        found.append((share * protected.l, attribute, code, share, protected.l))
    worst = max(found, key=lambda one: one[0])
    return worst[1:] if worst[0] > 1 / 2 and worst[4] > 1 else None


def _ways(method: ProtectingMethod, attribute: Attribute, code: int, share: float, l: int) -> dict[str, Method]:
    """What could be asked instead, in words."""
    ways: dict[str, Method] = {}
    if isinstance(getattr(method, "l", None), int) and l > 2:
        smaller = max(2, min(l - 1, int(1 / (2 * share))))
        ways[f"with l = {smaller}"] = method.model_copy(update={"l": smaller})
    others = tuple(value for n, value in enumerate(attribute.values.to_list()) if n != code)
    about = method.protects
    if method.about(attribute.name) is None and 0 < len(others) <= MOST_VALUES and not isinstance(about, tuple):
        values = {**about, attribute.name: others} if isinstance(about, Mapping) else {attribute.name: others}
        ways[f"if all values but {in_quotes(attribute.values[code])} are protected"] = method.model_copy(
            update={"values": values}
        )
    if method.name != "strata":
        ways["with strata"] = methods()["strata"](l=l)
    return ways


def _kept(table: Table, method: Method, recoder: Recoder) -> float | None:
    """How much of the quasi-identifiers is kept on average; None where it cannot be tried."""
    try:
        grouping = method.group(table, Coins.from_seed("a trial"), threads=1)
        return float(np.mean([*information_kept(table, grouping, recoder).values()]))
    except PellucidError:
        return None
