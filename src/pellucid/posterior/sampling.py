"""What a group tells when there is too much to count: arrangements are drawn, and those that do not fit are dropped.

Draws are independent: every part takes its rows from what is left of each value, all rows being equally likely, and the
arrangement is kept with the probability that the method makes the group of it. A person's value in a kept arrangement
is one draw from what is believed of the person, so the share of kept arrangements has Wilson's interval. The average
over the rows of a part varies less than a single row, so the interval holds with at least its confidence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.shape import Arrangements, Shape
from pellucid.posterior.tied import Joint, Tied

Floats = NDArray[np.float64]
WANTED = 10_000  # arrangements to keep
CELLS = 4_000_000  # numbers drawn at a time
MOST = 40 * CELLS  # numbers drawn at all
FEWEST = 200  # kept arrangements below which nothing is said
CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Estimate:
    """Shares [part, value] with bounds that hold, for any one person, with the confidence for all values at once."""

    shares: Floats
    lower: Floats
    upper: Floats
    kept: int


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


def sampled(shape: Shape, column: SensitiveColumn, *, wanted: int = WANTED, seed: int = 0) -> Estimate:
    """What is believed of each part of a group, estimated; an error when too few arrangements fit to say anything."""
    random = np.random.default_rng(seed)
    if isinstance(shape, Tied):
        return _of_joint(shape, column, wanted, random)
    kept = _kept(lambda n: _fitting(shape, column, n, random), len(shape.sizes) * len(column.counts), wanted)
    return _estimate(kept, shape.sizes)


def _fitting(shape: Shape, column: SensitiveColumn, number: int, random: np.random.Generator) -> Arrangements:
    drawn = draw(column, shape.sizes, number, random)
    weights = np.array([float(w) for w in shape.weights(drawn, column)])
    return drawn[random.random(number) < weights]


def _kept(fitting: Callable[[int], Arrangements], cells: int, wanted: int) -> Arrangements:
    """Draw until enough arrangements fit, or too much was drawn."""
    at_once = max(1, min(4 * wanted, CELLS // cells))
    found, kept, spent = [], 0, 0
    while kept < wanted and spent < MOST:
        found.append(fitting(at_once))
        kept += len(found[-1])
        spent += at_once * cells
    if kept < FEWEST:
        raise AttackError(
            f"{kept} of {spent // cells:,} drawn arrangements fit the release, and at least {FEWEST} are needed to say "
            "something; raise budget= to count them exactly, or attack the method as a black box"
        )
    return np.concatenate(found)


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


def _of_joint(shape: Tied, column: SensitiveColumn, wanted: int, random: np.random.Generator) -> Estimate:
    """Every group by itself fits the cuts through it alone first; the rest of the cuts then decide about all."""
    joint = shape.joint
    whole = joint.column
    columns = [SensitiveColumn(whole.values, list(counts)) for counts in joint.counts]
    cells = sum(len(sizes) for sizes in joint.sizes) * len(whole.values)
    own, shared = _parted(joint)
    first = np.append(0, np.cumsum([len(sizes) for sizes in joint.sizes]))

    def fitting(number: int) -> Arrangements:
        pools = []
        for group, sizes in enumerate(joint.sizes):
            if not own[group].cuts:
                pools.append(draw(columns[group], sizes, number, random))
                continue
            alone = partial(_alone, columns[group], sizes, own[group], random)
            pool = _kept(alone, len(sizes) * len(whole.values), number)
            pools.append(pool[:number])
        fewest = min(map(len, pools))
        return _where(np.concatenate([pool[:fewest] for pool in pools], axis=1), shared)

    kept = _kept(fitting, cells, wanted)
    mine = kept[:, first[shape.place] : first[shape.place + 1]]
    code = {value: number for number, value in enumerate(whole.values)}
    return _estimate(mine[:, :, [code[value] for value in column.values]], shape.sizes)


def _alone(
    column: SensitiveColumn, sizes: tuple[int, ...], own: Joint, random: np.random.Generator, number: int
) -> Arrangements:
    return _where(draw(column, sizes, number, random), own)


def _where(drawn: Arrangements, joint: Joint) -> Arrangements:
    return drawn[joint.refused(drawn)] if joint.cuts else drawn


def _parted(joint: Joint) -> tuple[list[Joint], Joint]:
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
        Joint((joint.sizes[g],), (joint.counts[g],), tuple(own[g]), joint.model, joint.table_counts)  # type: ignore[arg-type]
        for g in range(len(joint.sizes))
    ]
    return alone, Joint(joint.sizes, joint.counts, tuple(shared), joint.model, joint.table_counts)
