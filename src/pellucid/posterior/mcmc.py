"""What refused cuts tell where arrangements are too many to count and too few of those drawn at random would fit.

A random walk (:mod:`pellucid.kernels.refusals`) exchanges values inside groups and counts the arrangements in which
every cut is refused; several walks start from arrangements of their own. What the walks say on average is the estimate;
how far they, and stretches of them, disagree gives the interval, so walks that have not met yet make it wide. Where
none finds an arrangement that fits, or none moves, nothing is said: the interval is everything from 0 to 1.

A fact about a single person (:func:`walked_with_facts`) is one more cut of the person's group that must be refused.
"Has v" puts the person alone on a side that may have no row of v; "does not have v" puts everybody else on a side that
may have all rows of v but one. A cut is refused where a side has too much of anything, so the other values are
kept from ever being too many: v has a head start on that side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.kernels import refusals as kernel
from pellucid.posterior.exclusion import OverBudget
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.runtime.parallel import run, thread_count

Floats = NDArray[np.float64]
CHAINS = 12
STRETCHES = 8  # of each walk, between which it is compared with itself
MOVES_PER_ROW = 40  # of each walk, on average over large groups
FEWEST_MOVES = 20_000  # of each walk
CONFIDENCE = 0.95
NEVER = 1 << 24  # rows of a side that nothing can be too many on


@dataclass(frozen=True, eq=False)
class Estimate:
    """Shares [part, value] with bounds that hold, for any one person, with the confidence for all values at once.

    ``kept`` arrangements were counted. A ``stuck`` estimate says nothing: its bounds are 0 and 1.
    """

    shares: Floats
    lower: Floats
    upper: Floats
    kept: int
    stuck: bool = False

    def __getitem__(self, parts: slice) -> Estimate:
        """The estimate of some parts alone."""
        return Estimate(self.shares[parts], self.lower[parts], self.upper[parts], self.kept, self.stuck)

    def of(self, some: Sequence[Any], values: Sequence[Any]) -> Estimate:
        """The estimate of some of the values."""
        place = {value: code for code, value in enumerate(values)}
        mine = [place[value] for value in some]
        return Estimate(self.shares[:, mine], self.lower[:, mine], self.upper[:, mine], self.kept, self.stuck)


@dataclass(frozen=True, eq=False)
class Web:
    """Groups that cuts run through, row by row: rows lie group after group, and inside a group part after part.

    ``held[group]`` counts the group's rows by value. ``side[row, cut]`` is the row's side of a cut, -1 where the cut
    does not concern the row's group. ``fixed[cut, side, value]`` counts rows of other groups, which lie on one side
    altogether, and ``sizes[cut, side]`` has all rows of a side (0 where a cut has fewer sides than others).

    Where the row order is not known: ``tied[row, cut]`` marks the rows that it sent to their side, ``key`` is an order
    that fits, and ``made`` marks the cuts that were made, which only the order must keep to. The rows of the web are
    all that these cuts sent to either side by the order.
    """

    part_sizes: tuple[int, ...]
    groups: tuple[int, ...]  # rows of each group
    held: NDArray[np.int64]
    side: NDArray[np.int32]
    fixed: NDArray[np.int64]
    sizes: NDArray[np.int64]
    limits: SideLimits
    values: tuple[Any, ...]
    tied: NDArray[np.uint8] | None = None
    key: NDArray[np.int64] | None = None
    made: NDArray[np.uint8] | None = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.side)


def walked(
    web: Web, *, seed: int = 0, chains: int = CHAINS, moves: int | None = None, fewest: int = FEWEST_MOVES
) -> Estimate:
    """What is believed of each part, estimated; the same for the same seed, which is no secret."""
    number = max(fewest, MOVES_PER_ROW * web.rows) if moves is None else moves
    walks = [_Walk(web, np.random.default_rng([seed, chain]), number) for chain in range(chains)]
    run([walk.go for walk in walks], min(2, thread_count(None)))
    return _together(web, walks)


class _Walk:
    """One walk: the values of the rows, and what was counted in each stretch."""

    def __init__(self, web: Web, random: np.random.Generator, moves: int) -> None:
        self.web, self.random, self.moves = web, random, moves
        self.tallies = np.zeros((STRETCHES, len(web.part_sizes), len(web.values)), np.int64)
        self.kept = np.zeros(STRETCHES, np.int64)
        self.accepted = 0

    def go(self) -> None:
        """Find an arrangement that fits, then count."""
        web, random = self.web, self.random
        codes = np.arange(len(web.values), dtype=np.int32)
        values = np.concatenate([random.permutation(np.repeat(codes, counts)) for counts in web.held]).astype(np.int32)
        cuts = web.side.shape[1]
        side = web.side.copy()
        tied = np.zeros_like(side, dtype=np.uint8) if web.tied is None else web.tied
        made = np.zeros(cuts, np.uint8) if web.made is None else web.made
        key = np.arange(web.rows, dtype=np.int64) if web.key is None else web.key.copy()
        floor, ceiling = np.full(cuts, -1, np.int64), np.full(cuts, 1 << 62, np.int64)  # no rows of other webs
        count, limit, set_of = _counted(web, values)
        group_starts = np.append(0, np.cumsum(web.groups)).astype(np.int64)
        part_starts = np.append(0, np.cumsum(web.part_sizes)).astype(np.int64)
        group_of = np.repeat(np.arange(len(web.groups), dtype=np.int32), web.groups)
        part_of = np.repeat(np.arange(len(web.part_sizes), dtype=np.int32), web.part_sizes)
        nothing = np.zeros_like(self.tallies[0])
        every = max(1, web.rows // 2)
        beta = 0.5

        def walk(moves: int, tally: NDArray[np.int64], adapting: bool) -> tuple[float, int, int, int]:
            seed = int(random.integers(1 << 62))
            steps: tuple[float, int, int, int] = kernel.walk(
                values, key, np.argsort(key), side, tied, made, floor, ceiling, count, limit, set_of, group_of,
                group_starts, part_of, part_starts, web.tied is not None, beta, adapting, moves, every, seed, tally,
            )  # fmt: skip
            return steps

        for _ in range(4):
            beta, _, _, gaps = walk(self.moves // 4, nothing, True)
            if gaps == 0:
                break
        for stretch in range(STRETCHES):
            _, kept, accepted, _ = walk(max(every, self.moves // STRETCHES), self.tallies[stretch], False)
            self.kept[stretch] = kept
            self.accepted += accepted


def _counted(web: Web, values: NDArray[np.int32]) -> tuple[Any, Any, Any]:
    """The counts of each cut's sides by protected set, their limits, and the set of each value."""
    of_web = dict(zip(web.values, (web.held.sum(axis=0) + web.fixed.sum(axis=(0, 1))).tolist(), strict=True))
    set_of = np.full(len(web.values), -1, np.int32)
    place = {value: code for code, value in enumerate(web.values)}
    sets = web.limits.sets(of_web)
    for number, some in enumerate(sets):
        set_of[[place[value] for value in some]] = number
    cuts, sides = web.sizes.shape
    count = np.zeros((cuts, sides, max(1, len(sets))), np.int32)
    own = set_of[values]
    for cut in range(cuts):
        here = (web.side[:, cut] >= 0) & (own >= 0)
        np.add.at(count[cut], (web.side[here, cut], own[here]), 1)
        for value in np.flatnonzero(set_of >= 0).tolist():
            count[cut, :, set_of[value]] += web.fixed[cut, :, value].astype(np.int32)
    share = web.limits.share
    limit = np.ascontiguousarray((web.sizes * share.numerator // share.denominator).astype(np.int32))
    return np.ascontiguousarray(count), limit, set_of


def _led_nowhere(walks: Sequence[_Walk], kept: NDArray[np.int64]) -> bool:
    """Whether most walks kept no arrangement, or none ever left the first one."""
    return bool((kept > 0).sum() < max(2, len(walks) // 2)) or not any(walk.accepted for walk in walks)


def _together(web: Web, walks: Sequence[_Walk]) -> Estimate:
    sizes = np.array(web.part_sizes, dtype=np.float64)[:, None]
    kept = np.array([walk.kept.sum() for walk in walks])
    shape = (len(web.part_sizes), len(web.values))
    whole = sum(walk.tallies.sum(axis=0) for walk in walks)
    if _led_nowhere(walks, kept):
        owner = np.searchsorted(np.cumsum(web.groups), np.cumsum(web.part_sizes) - 1, side="right")
        shares = web.held[owner] / np.array(web.groups)[owner][:, None]
        return Estimate(shares, np.zeros(shape), np.ones(shape), int(kept.sum()), stuck=True)
    shares = np.asarray(whole / (kept.sum() * sizes))
    means = np.stack([w.tallies.sum(axis=0) / (w.kept.sum() * sizes) for w in walks if w.kept.sum()])
    stretches = np.stack([t / (k * sizes) for w in walks for t, k in zip(w.tallies, w.kept, strict=True) if k])
    between = means.std(axis=0, ddof=1) / sqrt(len(means))
    within = 1.25 * stretches.std(axis=0, ddof=1) / sqrt(len(stretches))  # stretches of a walk are not independent
    tail = (1 - CONFIDENCE) / (2 * len(web.values))  # for all values of a part at once
    half = student(len(means) - 1, tail) * np.maximum(between, within)
    z = NormalDist().inv_cdf(1 - tail)
    unseen = z * z / (len(stretches) + z * z)  # what was never met, or always, in so many stretches
    half = np.maximum(half, np.where((shares <= 0) | (shares >= 1), unseen, 0.0))
    # a value that its group lacks is nobody's
    possible = np.repeat(web.held, _parts_of_groups(web), axis=0) > 0
    lower, upper = np.maximum(0.0, shares - half), np.minimum(1.0, shares + half)
    return Estimate(shares, np.where(possible, lower, 0.0), np.where(possible, upper, 0.0), int(kept.sum()))


def _parts_of_groups(web: Web) -> NDArray[np.int64]:
    """How many parts each group has."""
    ends = np.searchsorted(np.cumsum(web.part_sizes), np.cumsum(web.groups)) + 1
    return np.diff(np.append(0, ends))


def student(freedom: int, tail: float) -> float:
    """The quantile of Student's t that leaves this much above it (Cornish and Fisher's expansion).

    >>> round(student(10, 0.025), 2)
    2.23
    """
    z = NormalDist().inv_cdf(1 - tail)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


@dataclass(frozen=True)
class PersonFacts:
    """What is known of one person: the part of the web that the person is in, and the facts: has it, or has it not."""

    part: int
    facts: tuple[tuple[bool, int], ...]  # the number of the value


@dataclass(frozen=True, eq=False)
class Apart:
    """An estimate in which people of whom something is known are parts of their own."""

    estimate: Estimate
    own: list[int]  # the part of each of them
    rest: list[int]  # the part of everybody else of each part; -1 where nobody is left


def walked_with_facts(web: Web, people: Sequence[PersonFacts], *, seed: int = 0, moves: int | None = None) -> Apart:
    """What is believed of everybody, estimated, given facts about some people."""
    sizes, own, rest, first_rows = _parted(web, people)
    facts = [(row, has, code) for row, person in zip(first_rows, people, strict=True) for has, code in person.facts]
    return Apart(walked(_bound_by(replace(web, part_sizes=sizes), facts), seed=seed, moves=moves), own, rest)


def _parted(web: Web, people: Sequence[PersonFacts]) -> tuple[tuple[int, ...], list[int], list[int], list[int]]:
    """The sizes of parts when these people are parts of their own, who is where, and the people's rows."""
    sizes: list[int] = []
    own, rows, rest = [0] * len(people), [0] * len(people), []
    row = 0
    for part, size in enumerate(web.part_sizes):
        here = [number for number, person in enumerate(people) if person.part == part]
        for place, number in enumerate(here):
            own[number], rows[number] = len(sizes), row + place
            sizes.append(1)
        left = size - len(here)
        rest.append(len(sizes) if left else -1)
        sizes += [left] if left else []
        row += size
    return tuple(sizes), own, rest, rows


def _refuse_unprotected(web: Web, codes: Sequence[int]) -> None:
    """Raise for a value that is protected only together with others, or not at all."""
    of_web = dict(zip(web.values, (web.held.sum(axis=0) + web.fixed.sum(axis=(0, 1))).tolist(), strict=True))
    alone = {values[0] for values in web.limits.sets(of_web) if len(values) == 1}
    for code in codes:
        if web.values[code] not in alone:
            raise OverBudget(
                f"a fact about {web.values[code]!r}, which is not protected by itself, is not combined with sampling"
            )


def _bound_by(web: Web, facts: Sequence[tuple[int, bool, int]]) -> Web:
    """The web with a cut for each fact about a row."""
    starts = np.append(0, np.cumsum(web.groups))
    cuts, sides = web.sizes.shape
    sides = max(2, sides)
    more = [(row, has, code) for row, has, code in facts if has or web.held[_group(starts, row), code]]
    _refuse_unprotected(web, [code for _, _, code in more])
    side = np.full((web.rows, cuts + len(more)), -1, np.int32)
    fixed = np.zeros((cuts + len(more), sides, len(web.values)), np.int64)
    sizes = np.zeros((cuts + len(more), sides), np.int64)
    if cuts:
        side[:, :cuts], fixed[:cuts, : web.fixed.shape[1]], sizes[:cuts, : web.sizes.shape[1]] = (
            web.side,
            web.fixed,
            web.sizes,
        )
    for cut, (row, has, code) in enumerate(more, start=cuts):
        group = _group(starts, row)
        ahead = int(web.held[group].max())
        side[starts[group] : starts[group + 1], cut] = 1 if has else 0
        side[row, cut] = 0 if has else 1
        fixed[cut, 0, code] = ahead
        most = ahead if has else ahead + int(web.held[group, code]) - 1
        share = web.limits.share
        sizes[cut] = NEVER
        sizes[cut, 0] = -(-most * share.denominator // share.numerator)
    return replace(web, side=np.ascontiguousarray(side), fixed=fixed, sizes=sizes)


def _group(starts: np.ndarray[tuple[int], np.dtype[np.int64]], row: int) -> int:
    return int(np.searchsorted(starts, row, side="right")) - 1
