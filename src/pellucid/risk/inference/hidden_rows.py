"""Greedy grouping that compared groups with a whole table of which the last rows are not published.

Groups closed where the model held, and it looked at the whole table. Somebody who sees the groups does not know what
the rows that were left over have: every way to fill them is a world, as likely as any other. For each that differs in
its counts, the groups tell what they tell of that whole table (E3). They count by how many arrangements of all groups,
and of what is left over, the method makes this release of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement
from math import comb, exp, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.consecutive import bucket_of
from pellucid.anonymize.methods.greedy_grouping import GreedyMethod
from pellucid.errors import PellucidError
from pellucid.messages import Count, Message
from pellucid.models import PrivacyModel
from pellucid.posterior.column import SensitiveColumn, TableCounts, by_value
from pellucid.posterior.exclusion import BUDGET
from pellucid.posterior.greedy_buckets import ways_to_fill
from pellucid.posterior.shape import met_by
from pellucid.risk.adversary import Adversary
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.infer import infer
from pellucid.risk.views import Evidence
from pellucid.risk.views.reader_view import told_who
from pellucid.runtime.progress import SILENT, Progress

MOST = 300  # whole tables that are tried
SLIGHT = -40.0  # the logarithm of a weight, beside the largest, of which the figures show nothing
Longs = NDArray[np.int64]


def can_be_filled(evidence: Evidence, adversary: Adversary) -> bool:
    """Whether all that is not known is what the rows have that greedy grouping left over, and there are few ways."""
    method, people = evidence.method, evidence.people
    if not isinstance(method, GreedyMethod) or method.anatomize or len(evidence.lacking) != 1:
        return False
    if not told_who(evidence) or people.order is None or evidence.beside:
        return False
    if adversary.prior != "uniform" or adversary.facts:
        return False
    hidden, values = int(evidence.withheld.sum()), len(evidence.values)
    return hidden > 0 and comb(hidden + values - 1, hidden) <= MOST and not _compares_values(method.model)


def _compares_values(model: PrivacyModel | None) -> bool:
    """Whether a model has distances between the values that a table has, which some ways to fill it lack."""
    return model is not None and any(getattr(part, "distance", "equal") != "equal" for part in model.parts)


def over_hidden_rows(
    evidence: Evidence, adversary: Adversary, *, exact: bool = False, budget: int = BUDGET, progress: Progress = SILENT
) -> Beliefs | None:
    """What is believed over all ways in which the rows that were left over can be filled; None where it is unclear."""
    published = replace(evidence.published, table_counts=evidence.published.shown_counts)
    known = replace(evidence, published=published, lacking=())
    weighed = _weighed(known)
    if not weighed:
        return None
    most = max(weight for weight, _ in weighed)
    codes = np.arange(len(evidence.values))
    chances = np.zeros((len(evidence.people), len(codes)))
    total, found = 0.0, None
    for weight, counts in weighed:
        if weight - most < SLIGHT:
            continue
        whole = replace(published, table_counts=published.table_counts + counts)
        found = _in_one_table(replace(known, published=whole), adversary, exact, budget, progress)
        if found is None or found.chance_of is None:
            return None
        total += exp(weight - most)
        chances += exp(weight - most) * np.stack([found.chance_of(codes[[code]]) for code in codes], axis=1)
    assert found is not None
    return _as_beliefs(found, replace(evidence, lacking=()), chances / total, len(weighed))


def _weighed(known: Evidence) -> list[tuple[float, Longs]]:
    """Every way to fill the rows that were left over under which the groups may be, with its weight."""
    ways = _ways_to_have(int(known.withheld.sum()), len(known.values))
    return [(weight, counts) for counts in ways if (weight := _weight(known, counts)) > -inf]


def _in_one_table(
    evidence: Evidence, adversary: Adversary, exact: bool, budget: int, progress: Progress
) -> Beliefs | None:
    """What the groups tell where the whole table is known; None where that is not exact."""
    try:
        found = infer(evidence, adversary, exact=exact, budget=budget, progress=progress)
    except PellucidError:
        return None
    return None if found.sampled or not found.exactness.sound else found


def _ways_to_have(rows: int, values: int) -> Iterator[Longs]:
    """Every way to have so many rows, by how many have each value."""
    for some in combinations_with_replacement(range(values), rows):
        yield np.bincount(some, minlength=values).astype(np.int64)


def _weight(evidence: Evidence, hidden: Longs) -> float:
    """How many arrangements lead to this release where the rows left over have these values; a logarithm."""
    method, published = evidence.method, evidence.published
    assert isinstance(method, GreedyMethod)
    model, chance = method.required, float(method.probability)
    bucket = method.bucket or bucket_of(model)
    table = TableCounts.of(evidence.attribute, (published.table_counts + hidden).tolist())
    ways: dict[tuple[int, ...], float] = {}

    def of(counts: tuple[int, ...], rest: int | None = None) -> float:
        held = {evidence.values[code]: count for code, count in enumerate(counts) if count}
        column = SensitiveColumn.of(held, by_value(table))
        rows = sum(counts)
        filled = [held.get(value, 0) for value in column.values]
        return ways_to_fill(
            bucket, rows // bucket, filled, lambda groups: met_by(model, column, table, groups), chance, rest
        )

    total = of(tuple(hidden.tolist()), rest=int(hidden.sum()) % bucket)
    for group in range(len(published)):
        if total == -inf:
            break
        counts = np.zeros(len(evidence.values), np.int64)
        codes, held = evidence.counts(group)
        counts[codes] = held
        key = tuple(counts.tolist())
        ways[key] = ways[key] if key in ways else of(key)
        total += ways[key]
    return total


def _as_beliefs(one: Beliefs, evidence: Evidence, chances: NDArray[np.float64], tables: int) -> Beliefs:
    """The beliefs with these chances, made of those in one whole table."""
    hidden = evidence.withheld
    risk = chances.max(axis=1)
    risk[hidden] = 1.0

    def posterior_of(row: int) -> dict[Any, float]:
        if hidden[row]:
            return {}
        return {evidence.values[code]: float(p) for code, p in enumerate(chances[row]) if p}

    note = Message(
        "groups were compared with the whole table, and {rows} of it are not published: every way to fill them is "
        "counted ({tables} whole tables lead to this release)",
        rows=Count(int(hidden.sum()), "row"),
        tables=tables,
    )
    return replace(
        one,
        evidence=evidence,
        risk=risk,
        lower=np.where(hidden, 0.0, risk),
        upper=risk,
        engine=Message("{engine}, over {tables} whole tables", engine=one.engine, tables=tables),
        posterior_of=posterior_of,
        reason_of=one.reason_of,
        notes=(*one.notes, note),
        chance_of=lambda codes: np.asarray(chances[:, codes].sum(axis=1)),
        guesses=None,
        exactness=Exactness.BOUND,
    )
