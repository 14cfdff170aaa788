"""What a group tells when there is too much to count: arrangements are drawn, and those that do not fit are dropped.

Where a cut was refused, hardly any would fit; a random walk finds those (:mod:`pellucid.posterior.mcmc`). Otherwise
draws are independent: every part takes its rows from what is left of each value, all rows being equally likely, and the
arrangement is kept with the probability that the method makes the group of it. A person's value in a kept arrangement
is one draw from what is believed of the person, so the share of kept arrangements has Wilson's interval. The average
over the rows of a part varies less than a single row, so the interval holds with at least its confidence.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.mcmc import CONFIDENCE, FEWEST_MOVES, Estimate, Web, walked
from pellucid.posterior.rare_violations import RareEntropies, Violations
from pellucid.posterior.refusal.shape import Refused
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.posterior.shape import Arrangements, Merged, Plain, Shape, met_by
from pellucid.posterior.shared_cuts import JointGroups, SharedCut, Tied
from pellucid.posterior.unordered import Loose, Unsettled

Floats = NDArray[np.float64]
WANTED = 5_000  # arrangements to keep
CELLS = 1_000_000  # numbers drawn at a time
MOST = 40 * CELLS  # numbers drawn at all
FEWEST = 200  # kept arrangements below which nothing is said


def draw(column: SensitiveColumn, sizes: tuple[int, ...], number: int, random: np.random.Generator) -> Arrangements:
    """So many arrangements of a group's values over its parts, each equally likely by rows.

    >>> draw(SensitiveColumn(["a", "b"], [2, 1]), (1, 2), 3, np.random.default_rng(0)).sum(axis=1).tolist()
    [[2, 1], [2, 1], [2, 1]]
    """
    drawn = np.zeros((number, len(sizes), len(column.counts)), dtype=np.int64)
    left = np.tile(np.array(column.counts, dtype=np.int64), (number, 1))
    for part, size in enumerate(sizes[:-1]):
        open_, rest = np.full(number, size), left.sum(axis=1)
        for value in range(len(column.counts)):
            here = left[:, value]
            rest = rest - here
            taken = random.hypergeometric(here, rest, open_) if value < len(column.counts) - 1 else open_
            drawn[:, part, value] = taken
            open_ = open_ - taken
        left = left - drawn[:, part]
    drawn[:, -1] = left
    return drawn


def _limits_of(shape: Shape) -> SideLimits | None:
    """The limits that the model of a shape comes down to, its own or that of the groups it belongs to."""
    return SideLimits.of(getattr(shape, "model", None) or getattr(getattr(shape, "joint", None), "model", None))


def sampled(
    shape: Shape, column: SensitiveColumn, *, wanted: int = WANTED, seed: int = 0, fewest: int = FEWEST_MOVES
) -> Estimate:
    """What is believed of each part of a group, estimated; an error when too few arrangements fit to say anything.

    A walk makes at least ``fewest`` moves; with fewer of them the bounds are wider.
    """
    limits = _limits_of(shape)
    if isinstance(shape, Tied):
        return _of_joint(shape, column, wanted, seed, limits, fewest)
    if isinstance(shape, Loose):
        estimate = _walked_in_some_order(shape.web, seed, fewest)[shape.first : shape.first + len(shape.sizes)]
        return estimate.of(column.values, shape.web.values)
    if isinstance(shape, Unsettled):
        return nothing_shown(column)
    if isinstance(shape, Refused) and limits is not None:
        return walked(_web_of_cuts(shape, column, limits), seed=seed, fewest=fewest)
    random = np.random.default_rng(seed)
    cells = len(shape.sizes) * len(column.counts)
    rare = _rare_violations(shape, column)
    try:
        if rare is None:
            kept = _kept(lambda number: _fitting(shape, column, number, random), cells, wanted)
        else:
            violates = partial(_violates, shape, column)
            kept = _kept(lambda number: rare.draw(number, random, violates), cells, wanted, most_fit=True)
    except AttackError:
        if isinstance(shape, Merged) and limits is not None:
            return walked(_web_of_classes(shape, column, limits), seed=seed, fewest=fewest)
        raise
    return _estimate(kept, shape.sizes)


def nothing_shown(column: SensitiveColumn) -> Estimate:
    """An estimate of a group of one part that says nothing: everything from 0 to 1."""
    shares = np.array([column.counts], dtype=np.float64) / column.total
    return Estimate(shares, np.zeros_like(shares), np.ones_like(shares), 0, stuck=True)


def web_alone(shape: Shape, column: SensitiveColumn) -> tuple[Web, int] | None:
    """The web that a walk about a group goes through, and the group's first part in it; None where there is none."""
    if isinstance(shape, Plain):  # no cut was refused
        whole = tuple(zip(column.values, column.counts, strict=True))
        free = JointGroups((shape.sizes,), (tuple(column.counts),), (), LDiversity(l=1), whole)
        return web_of(free, SideLimits(1, Fraction(1), None, False)), 0
    limits = SideLimits.of(getattr(shape, "model", None) or getattr(getattr(shape, "joint", None), "model", None))
    if limits is None:
        return None
    if isinstance(shape, Tied):
        return web_of(shape.joint, limits), sum(len(sizes) for sizes in shape.joint.sizes[: shape.place])
    if isinstance(shape, Refused):
        return _web_of_cuts(shape, column, limits), 0
    return (_web_of_classes(shape, column, limits), 0) if isinstance(shape, Merged) else None


def _web_of_cuts(shape: Refused, column: SensitiveColumn, limits: SideLimits) -> Web:
    """One group with its refused cuts."""
    cuts = tuple(
        SharedCut(tuple(map(int, cut)), (0,) * len(column.counts), (0,) * len(column.counts)) for cut in shape.left
    )
    whole = tuple(zip(column.values, column.counts, strict=True))
    return web_of(JointGroups((shape.sizes,), (tuple(column.counts),), cuts, shape.model, whole), limits)


def _web_of_classes(shape: Merged, column: SensitiveColumn, limits: SideLimits) -> Web:
    """A merge is a cut into all classes at once that was refused."""
    classes = len(shape.sizes)
    return Web(
        shape.sizes,
        (sum(shape.sizes),),
        np.array([column.counts], dtype=np.int64),
        np.repeat(np.arange(classes, dtype=np.int32), shape.sizes)[:, None].copy(),
        np.zeros((1, classes, len(column.counts)), np.int64),
        np.array([shape.sizes], dtype=np.int64),
        limits,
        tuple(column.values),
    )


def web_of(joint: JointGroups, limits: SideLimits) -> Web:
    """The rows of a joint's groups; cuts that fail by the size of a side tell nothing and are left out."""
    part_sizes = tuple(size for sizes in joint.sizes for size in sizes)
    sizes = np.array(part_sizes, dtype=np.int64)
    sides, fixed, of_sides = [], [], []
    for cut in joint.cuts:
        side = np.array(cut.side)
        rows = [int(sizes[side == which].sum()) + sum(others) for which, others in ((1, cut.left), (0, cut.right))]
        if min(rows) >= limits.least:
            sides.append(np.where(side < 0, -1, 1 - side))  # the left side is number 0
            fixed.append([cut.left, cut.right])
            of_sides.append(rows)
    values = tuple(value for value, _ in joint.table_counts)
    by_part = np.array(sides, dtype=np.int32).reshape(len(sides), len(part_sizes)).T
    return Web(
        part_sizes,
        tuple(map(sum, joint.sizes)),
        np.array(joint.counts, dtype=np.int64),
        np.ascontiguousarray(np.repeat(by_part, sizes, axis=0)),
        np.array(fixed, dtype=np.int64).reshape(len(sides), 2, len(values)),
        np.array(of_sides, dtype=np.int64).reshape(len(sides), 2),
        limits,
        values,
    )


def _rare_violations(shape: Shape, column: SensitiveColumn) -> Violations | RareEntropies | None:
    """What a class does that violates, where hardly any arrangement has such a class and it is known; else None."""
    if not isinstance(shape, Merged):
        return None
    given = (shape.model, shape.sizes, column)
    violations = Violations.of(*given) or RareEntropies.of(*given)
    return violations if violations is not None and violations.rare else None


def _violates(shape: Shape, column: SensitiveColumn, classes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which classes violate the model of a merge."""
    assert isinstance(shape, Merged)
    return ~met_by(shape.model, column, shape.table_counts, classes)


def _fitting(shape: Shape, column: SensitiveColumn, number: int, random: np.random.Generator) -> Arrangements:
    drawn = draw(column, shape.sizes, number, random)
    weights = np.array(shape.weights(drawn, column), dtype=np.float64)
    return drawn[random.random(number) < weights]


def _kept(fitting: Callable[[int], Arrangements], cells: int, wanted: int, *, most_fit: bool = False) -> Arrangements:
    """Draw until enough arrangements fit, or too much was drawn; where ``most_fit``, hardly more than are wanted."""
    at_once = max(1, min((1 if most_fit else 4) * wanted, CELLS // cells))
    batches, kept, spent = [], 0, 0
    while kept < wanted and spent < MOST:
        number = at_once
        if most_fit and kept:  # as many as it takes, as things are
            number = min(at_once, 1 + (wanted - kept) * spent * 9 // (8 * kept * cells))
        batches.append(fitting(number))
        kept += len(batches[-1])
        spent += number * cells
    if kept < FEWEST:
        raise AttackError(
            "{kept} of {spent:,} drawn arrangements fit the release, and at least {fewest} are needed to say something",
            "raise {THE_BUDGET} to count them exactly, or attack the method as a black box",
            kept=kept,
            spent=spent // cells,
            fewest=FEWEST,
        )
    return np.concatenate(batches)


def _estimate(kept: Arrangements, sizes: tuple[int, ...]) -> Estimate:
    per_row = np.array([max(1, size) for size in sizes], dtype=np.float64)[:, None]
    shares = kept.mean(axis=0) / per_row
    lower, upper = wilson(shares, len(kept), CONFIDENCE, shares.shape[1])
    return Estimate(shares, lower, upper, len(kept))


def wilson(shares: Floats, draws: int, confidence: float, together: int = 1) -> tuple[Floats, Floats]:
    """Wilson's interval of shares of so many draws; ``together`` of them hold at once (Bonferroni).

    >>> [bound.round(3).tolist() for bound in wilson(np.array([0.5]), 100, 0.95)]
    [[0.404], [0.596]]
    """
    z = NormalDist().inv_cdf(1 - (1 - confidence) / (2 * together))
    middle = (shares + z * z / (2 * draws)) / (1 + z * z / draws)
    half = z / (1 + z * z / draws) * np.sqrt(shares * (1 - shares) / draws + (z / (2 * draws)) ** 2)
    return np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)


def _of_joint(
    shape: Tied, column: SensitiveColumn, wanted: int, seed: int, limits: SideLimits | None, fewest: int
) -> Estimate:
    """The part of a group in what was drawn for all groups of its joint."""
    joint = shape.joint
    first = sum(len(sizes) for sizes in joint.sizes[: shape.place])
    values = [value for value, _ in joint.table_counts]
    here = slice(first, first + len(shape.sizes))
    if limits is not None:
        return _walked_together(joint, limits, seed, fewest)[here].of(column.values, values)
    mine = [values.index(value) for value in column.values]
    return _estimate(_drawn_together(joint, wanted, seed)[:, here][:, :, mine], shape.sizes)


@lru_cache(maxsize=1024)
def _walked_in_some_order(web: Web, seed: int, fewest: int) -> Estimate:
    return walked(web, seed=seed, fewest=fewest)


@lru_cache(maxsize=1024)
def _walked_together(joint: JointGroups, limits: SideLimits, seed: int, fewest: int) -> Estimate:
    return walked(web_of(joint, limits), seed=seed, fewest=fewest)


@lru_cache(maxsize=4)
def _drawn_together(joint: JointGroups, wanted: int, seed: int) -> Arrangements:
    """Every group by itself fits the cuts through it alone first; the rest of the cuts then decide about all."""
    random = np.random.default_rng(seed)
    values = joint.column.values
    columns = [SensitiveColumn(values, list(counts)) for counts in joint.counts]
    own, shared = _parted(joint)

    def fitting(number: int) -> Arrangements:
        pools = []
        for group, sizes in enumerate(joint.sizes):
            if own[group].cuts:
                alone = partial(_alone, columns[group], sizes, own[group], random)
                pools.append(_kept(alone, len(sizes) * len(values), number)[:number])
            else:
                pools.append(draw(columns[group], sizes, number, random))
        fewest = min(map(len, pools))
        return _where(np.concatenate([pool[:fewest] for pool in pools], axis=1), shared)

    return _kept(fitting, sum(len(sizes) for sizes in joint.sizes) * len(values), wanted)


def _alone(
    column: SensitiveColumn, sizes: tuple[int, ...], own: JointGroups, random: np.random.Generator, number: int
) -> Arrangements:
    return _where(draw(column, sizes, number, random), own)


def _where(drawn: Arrangements, joint: JointGroups) -> Arrangements:
    return drawn[joint.refused(drawn)] if joint.cuts else drawn


def _parted(joint: JointGroups) -> tuple[list[JointGroups], JointGroups]:
    """The cuts through each group alone, and the others."""
    first = np.append(0, np.cumsum([len(sizes) for sizes in joint.sizes]))
    own: list[list[object]] = [[] for _ in joint.sizes]
    shared = []
    for cut in joint.cuts:
        side = np.array(cut.side)
        concerned = [g for g in range(len(joint.sizes)) if (side[first[g] : first[g + 1]] >= 0).any()]
        if len(concerned) == 1 and not any(cut.left) and not any(cut.right):
            (g,) = concerned
            own[g].append(type(cut)(tuple(side[first[g] : first[g + 1]].tolist()), cut.left, cut.right))
        else:
            shared.append(cut)
    alone = [
        JointGroups((joint.sizes[g],), (joint.counts[g],), tuple(own[g]), joint.model, joint.table_counts)  # type: ignore[arg-type]
        for g in range(len(joint.sizes))
    ]
    return alone, JointGroups(joint.sizes, joint.counts, tuple(shared), joint.model, joint.table_counts)
