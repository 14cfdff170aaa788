"""A walk through arrangements in which facts about single people hold too.

A fact is one more cut of the person's group that must be refused. "Has v" puts the person alone on a side that may have
no row of v; "does not have v" puts everybody else on a side that may have all rows of v but one. A cut is refused where
a side has too much of anything, so the other values are kept from ever being too many: v has a head start on that side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pellucid.posterior.exclusion import OverBudget
from pellucid.posterior.walking import Estimate, Web, walked

NEVER = 1 << 24  # rows of a side that nothing can be too many on


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
