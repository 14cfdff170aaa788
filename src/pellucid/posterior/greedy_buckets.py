"""E3: what greedy grouping tells. A group went on taking buckets, so the buckets before the last did not satisfy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf, log, prod
from operator import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import ModelError
from pellucid.models import PrivacyModel
from pellucid.models.exact import exact as exactly
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.column import Posterior, SensitiveColumn, restricted
from pellucid.posterior.exclusion import BUDGET, Vector, multinomial, refuse_above, vectors_of
from pellucid.runtime.arguments import whole_number, yes_or_no

Weights = dict[Vector, Any]


def greedy_buckets(  # noqa: PLR0913  (a public verb)
    l: int,
    buckets: int,
    counts: Mapping[Any, int],
    p: float | Fraction | str = 0.0,
    sensitive: Iterable[Any] | None = None,
    *,
    together: bool = False,
    model: PrivacyModel | None = None,
    table_counts: Mapping[Any, int] | None = None,
    exact: bool = False,
    budget: int = BUDGET,
) -> list[Posterior]:
    """What somebody believes of a person of each bucket of a group that greedy grouping made.

    The group has so many buckets of l rows and these ``counts``. It went on after bucket j because the rows so far did
    not satisfy l-diversity, or did and a coin of probability ``p`` said so (``p`` = 0: GG, above: RGG). ``sensitive``
    restricts the model to those values, ``together`` counts them as one. ``model`` replaces simple l-diversity.

    >>> greedy_buckets(2, 2, {"yes": 2, "no": 2}, sensitive=["yes"])
    [{'no': 0.0, 'yes': 1.0}, {'no': 1.0, 'yes': 0.0}]

    Reference: Cormode, Srivastava, Li, Li: Minimizing minimality and maximizing utility. VLDB 2010, sections 4 and D.
    """
    exact = yes_or_no(exact, "exact", ModelError)
    l, buckets = whole_number(l, "l", ModelError, least=1), whole_number(buckets, "buckets", ModelError)
    column = SensitiveColumn.of(counts, {} if table_counts is None else table_counts)
    _check_buckets(l, buckets, sum(column.counts))
    going_on = _probability_of_going_on(p)
    rule = restricted(LDiversity(l=l) if model is None else model, sensitive, together=together)
    lumps, satisfied = _lumped(column, rule, column.whole_table(table_counts), l)
    sums = [sum(column.counts[code] for code in lump) for lump in lumps]
    chance: Any = going_on if exact else float(going_on)
    event = column.event(rule)
    if event is not None and not exact:
        beliefs = event_posterior(l, buckets, sums[0], event[1], chance)
        return [_told(column, lumps, sums, [share, 1 - share], exact=False) for share in beliefs]
    shares = bucket_posterior(l, buckets, sums, satisfied, chance, budget=budget)
    return [_told(column, lumps, sums, share, exact=exact) for share in shares]


Satisfied = Callable[[NDArray[np.int64]], NDArray[np.bool_]]


def _check_buckets(l: int, buckets: int, rows: int) -> None:
    if rows != l * buckets or buckets < 1:
        raise ModelError(
            f"{buckets} buckets of {l} rows and {rows} values",
            "a group of greedy grouping has l rows in every bucket",
        )


def _probability_of_going_on(p: Any) -> Fraction:
    try:
        going_on = exactly(p)
    except (ValueError, TypeError):
        raise ModelError("p = {p}: the probability of going on must be at least 0 and at most 1", p=p) from None
    if not 0 <= going_on <= 1:
        raise ModelError("p = {p}: the probability of going on must be at least 0 and at most 1", p=p)
    return going_on


def _lumped(
    column: SensitiveColumn, model: PrivacyModel, table: NDArray[np.int64], first: int
) -> tuple[list[list[int]], Satisfied]:
    """Values that the model cannot tell apart, as lists of codes, and the model on counts of these lists.

    ``first`` is the size of a bucket, the fewest rows that the model is asked of.
    """
    event = column.event(model)
    if event is not None:
        codes, l = event
        return [codes, _others(column, codes)], lambda vectors: vectors[:, 0] * l <= vectors.sum(axis=1)
    if isinstance(model, LDiversity):
        protected = range(len(column.values)) if model.sensitive is None else column.codes(model.sensitive)
        acting = [code for code in protected if column.counts[code] * model.l > first]  # others never violate
        l = model.l
        return (
            [*([code] for code in acting), _others(column, acting)],
            lambda vectors: (vectors[:, :-1] * l <= vectors.sum(axis=1, keepdims=True)).all(axis=1),
        )
    return [[code] for code in range(len(column.values))], lambda vectors: column.satisfied(model, vectors, table)


def _others(column: SensitiveColumn, codes: Sequence[int]) -> list[int]:
    return [code for code in range(len(column.values)) if code not in codes]


def bucket_posterior(
    l: int, buckets: int, counts: Sequence[int], satisfied: Satisfied, p: Any, *, budget: int = BUDGET
) -> list[list[Any]]:
    """For each bucket the share of each value among its rows; ``satisfied`` looks at the counts of the rows so far."""
    states, steps = prod(c + 1 for c in counts[:-1]), prod(min(c, l) + 1 for c in counts[:-1])
    refuse_above(budget, buckets * states * steps, f"{buckets} buckets and {len(counts)} kinds of values")
    filling = _Filling([(vector, multinomial(vector)) for vector in vectors_of(l, counts)], counts, satisfied, p)
    whole = tuple(counts)
    if not bool(satisfied(np.array([whole], dtype=np.int64))[0]):
        raise ModelError("the group does not satisfy the model", "greedy grouping does not make such a group")
    forward = [{(0,) * len(counts): filling.one}]
    for _ in range(1, buckets):
        forward.append(filling.weigh(filling.grow(forward[-1], 1)))
    if whole not in filling.grow(forward[-1], 1):
        raise _closed_before()
    backward = [{whole: filling.one}]
    for _ in range(buckets - 1, 0, -1):
        backward.append(filling.weigh(filling.grow(backward[-1], -1)))
    backward.reverse()  # backward[j - 1] weighs the states after bucket j
    shares = []
    for before, after in zip(forward, backward, strict=True):
        rows, total = filling.rows(before, after)
        shares.append([row / (total * l) for row in rows])
    return shares


@dataclass(frozen=True)
class _Filling:
    """Buckets that are filled one after the other: a state is how many rows of each value there are so far."""

    steps: Sequence[tuple[Vector, int]]  # what a bucket can hold, and in how many ways
    counts: Sequence[int]
    satisfied: Satisfied
    p: Any

    @property
    def one(self) -> Any:
        return self.p * 0 + 1

    def weigh(self, states: Weights) -> Weights:
        """Multiply by the chance that the group goes on from each state."""
        if not states:
            return states
        weighed = self.weighed(states, self.p, self.one)
        largest = max(weighed.values(), default=self.one)
        scale = largest if isinstance(largest, float) else self.one  # floats stay in their range
        return {state: w / scale for state, w in weighed.items()}

    def weighed(self, states: Weights, met: Any, unmet: Any) -> Weights:
        """Those of the states that are possible, times one chance where the model holds, else times the other."""
        holds = self.satisfied(np.array(list(states), dtype=np.int64)).tolist() if states else []
        found = {state: w * (met if ok else unmet) for (state, w), ok in zip(states.items(), holds, strict=True)}
        return {state: w for state, w in found.items() if w}

    def grow(self, states: Weights, sign: int) -> Weights:
        """The states with one bucket more, or with sign -1 one less."""
        nothing = self.one * 0
        grown: Weights = defaultdict(lambda: nothing)
        for state, weight in states.items():
            for vector, ways in self.steps:
                now = tuple(a + sign * b for a, b in zip(state, vector, strict=True))
                if all(0 <= n <= c for n, c in zip(now, self.counts, strict=True)):
                    grown[now] += weight * ways
        return dict(grown)

    def rows(self, before: Weights, after: Weights) -> tuple[list[Any], Any]:
        """The weight of all arrangements, once for each row of a value in a bucket between two states, and once."""
        rows: list[Any] = [self.one * 0] * len(self.counts)
        total: Any = self.one * 0
        for state, weight in before.items():
            for vector, ways in self.steps:
                now = tuple(a + b for a, b in zip(state, vector, strict=True))
                later = after.get(now)
                if later is not None:
                    here = weight * ways * later
                    total += here
                    for v, count in enumerate(vector):
                        rows[v] += count * here
        return rows, total


def event_posterior(bucket: int, buckets: int, positives: int, l: int, p: float) -> list[float]:
    """For each bucket the share of positives among its rows, in floats: all sums are of positive terms.

    Positives fall independently with their share in the group, which is conditioned on, so that nothing overflows.
    """
    rows = bucket * buckets
    if not 0 <= positives * l <= rows:
        raise ModelError("the group does not satisfy the model", "greedy grouping does not make such a group")
    if positives in (0, rows):
        if p == 0 and buckets > 1:
            raise _closed_before()
        return [positives / rows] * buckets
    share = positives / rows
    k = np.arange(bucket + 1)
    ways = np.array([comb(bucket, int(j)) for j in k], dtype=np.float64) * share**k * (1 - share) ** (bucket - k)
    so_far = np.arange(positives + 1)
    weights = [np.where(so_far * l <= j * bucket, p, 1.0) for j in range(buckets)]
    forward = _positives_before(ways, weights, positives)
    later = np.zeros(positives + 1)
    later[positives] = 1.0
    beliefs = [0.0] * buckets
    for j in range(buckets, 0, -1):
        before = np.correlate(np.append(later, np.zeros(bucket)), ways, "valid")
        total = float(forward[j - 1] @ before)
        if not total > 0:
            raise _closed_before()
        with_rows = np.correlate(np.append(later, np.zeros(bucket)), ways * k, "valid")
        beliefs[j - 1] = float(forward[j - 1] @ with_rows) / (total * bucket)
        later = before * weights[j - 1]
        later /= later.max() or 1.0
    return beliefs


def _told(
    column: SensitiveColumn, lumps: Sequence[Sequence[int]], sums: Sequence[int], shares: Sequence[Any], *, exact: bool
) -> Posterior:
    """The share of each lump split among its values by their counts."""
    share_of = {}
    for lump, total, share in zip(lumps, sums, shares, strict=True):
        for code in lump:
            part = Fraction(column.counts[code], total) if total else Fraction(0)
            share_of[code] = share * part if exact else float(share) * float(part)
    return {value: share_of[code] for code, value in enumerate(column.values)}


def _positives_before(
    ways: NDArray[np.float64], weights: Sequence[NDArray[np.float64]], positives: int
) -> list[NDArray[np.float64]]:
    """Before each bucket how likely so many positives were met and the group went on, up to a factor."""
    forward = [np.zeros(positives + 1)]
    forward[0][0] = 1.0
    for weight in weights[1:]:
        grown = np.convolve(forward[-1], ways)[: positives + 1] * weight
        if not grown.max() > 0:
            raise _closed_before()
        forward.append(grown / grown.max())
    return forward


def _closed_before() -> ModelError:
    return ModelError("greedy grouping would have closed this group before its last bucket", "it did not make it")


def ways_to_fill(
    bucket: int, buckets: int, counts: Sequence[int], satisfied: Satisfied, p: float, rest: int | None = None
) -> float:
    """The logarithm of how many arrangements of these values greedy grouping makes one group of, by its coins.

    With ``rest``, of how many it makes none: after the last bucket the model does not hold, and so many rows follow.
    Minus infinity where there is none.

    >>> from math import exp
    >>> def half(vectors):
    ...     return vectors[:, 0] * 2 <= vectors.sum(axis=1)
    >>> round(exp(ways_to_fill(2, 2, (2, 2), half, 0.0))), round(exp(ways_to_fill(2, 1, (2, 1), half, 0.0, rest=1)))
    (1, 1)
    """
    filling = _Filling([(vector, multinomial(vector)) for vector in vectors_of(bucket, counts)], counts, satisfied, p)
    states: Weights = {(0,) * len(counts): 1.0}
    scale = 0.0
    closes = float(rest is None), float(rest is not None)
    for number in range(1, buckets + 1):
        states = filling.weighed(filling.grow(states, 1), *(closes if number == buckets else (p, 1.0)))
        if not states:
            return -inf
        largest = max(states.values())
        scale += log(largest)
        states = {state: weight / largest for state, weight in states.items()}
    total = sum(weight * multinomial([*map(sub, counts, state)]) for state, weight in states.items())
    return scale + log(total) if total else -inf
