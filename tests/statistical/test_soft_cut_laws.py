"""Over the coins, SoftCut's die follows its law, at each node by itself, and draws below a refusal are uniform.

The tables have two far regions. Tailor parts them; inside the first, one value is common, and the one cut between
different codes is tried: its two sides have a chosen slack. Groups that reach across it show that it was refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from plain.tables import line, secret, table_of
from statistical.frequencies import distance, follows, tolerance

Rows = Sequence[tuple[int, int, int]]  # region, side, value
SLACKS = (0, 1, 2, 5)
SAMPLES = 4_000  # enough to tell each of the wrong laws below; thorough: 20,000


def tried_region(region: int, l: int, slack: int, first_value: int) -> Rows:
    """Two sides of equal size, one of which could bear ``slack`` more rows of the common value.

    20 rows have that value; the others come in pairs. There are 60 rows at l = 2 and 100 at l = 3: too few for a
    certain cut, and enough for one that leaves each side half of them to be tried.
    """
    half = {2: 30, 3: 50}[l]
    common = half // l - slack
    sides = []
    for side, many in enumerate((common, 20 - common)):
        others = [first_value + 1 + (30 * side) + i // 2 for i in range(half - many)]
        sides += [(region, side, value) for value in [first_value] * many + others]
    return sides


def far_region(region: int, l: int) -> Rows:
    """People who all look alike, with pairs of values that nobody else has: nothing is tried among them."""
    return [(region, 0, 1000 + i // 2) for i in range({2: 60, 3: 60}[l])]


def table_with(rows: Rows) -> Table:
    regions, sides, values = zip(*rows, strict=True)
    return table_of([line("region", regions), line("side", sides), secret("s", values)], list(range(len(rows))))


def refusals(rows: Rows, l: int, coins: Iterable[Coins], regions: Sequence[int]) -> list[tuple[bool, ...]]:
    """For each of the coins, whether some group reaches across the two sides of each region."""
    table, method, found = table_with(rows), SoftCut(l=l), []
    sides = {
        region: [[r for r, row in enumerate(rows) if row[:2] == (region, s)] for s in (0, 1)] for region in regions
    }
    for one in coins:
        labels = method.group(table, one, threads=1).labels
        found.append(tuple(bool(np.isin(*(labels[side] for side in sides[region])).any()) for region in regions))
    return found


def law(l: int, slack: int) -> dict[bool, Fraction]:
    refused = Fraction(l - 1, l) ** (slack + 1)
    return {True: refused, False: 1 - refused}


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize("l", [2, 3])
def test_the_die_follows_its_law(l: int, slack: int, thorough: bool) -> None:
    rows = [*tried_region(0, l, slack, 0), *far_region(9, l)]
    coins = (Coins.fresh() for _ in range(20_000 if thorough else SAMPLES))
    assert follows((refused for (refused,) in refusals(rows, l, coins, [0])), law(l, slack))


@pytest.mark.parametrize("l", [2, 3])
def test_a_side_with_too_many_of_a_value_is_always_refused(l: int) -> None:
    rows = [*tried_region(0, l, -1, 0), *far_region(9, l)]
    assert all(refused for (refused,) in refusals(rows, l, map(Coins.from_seed, range(50)), [0]))


WRONG: dict[str, Callable[[int, int], Fraction]] = {
    "no die": lambda l, t: Fraction(0),  # noqa: ARG005
    "one side more": lambda l, t: Fraction(l, l + 1) ** (t + 1),
    "one throw less": lambda l, t: Fraction(l - 1, l) ** t,
    "one throw more": lambda l, t: Fraction(l - 1, l) ** (t + 2),
    "a coin whatever the slack": lambda l, t: Fraction(l - 1, l),  # noqa: ARG005
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("l", [2, 3])
def test_a_wrong_law_of_the_die_is_rejected(l: int, wrong: str) -> None:
    """At some slack, samples of it would fail the test above."""
    refused = {slack: WRONG[wrong](l, slack) for slack in SLACKS}
    far = {slack: distance({True: p, False: 1 - p}, law(l, slack)) for slack, p in refused.items()}
    slack = max(far, key=lambda one: far[one])
    assert far[slack] > 2 * tolerance(2, SAMPLES)
    random = Random(wrong)
    assert not follows((random.random() < refused[slack] for _ in range(SAMPLES)), law(l, slack))


def test_every_node_has_a_die_of_its_own() -> None:
    rows = [*tried_region(0, 2, 0, 0), *tried_region(9, 2, 1, 500)]
    joint = {(a, b): law(2, 0)[a] * law(2, 1)[b] for a, b in product((True, False), repeat=2)}
    assert follows(refusals(rows, 2, (Coins.fresh() for _ in range(SAMPLES)), [0, 9]), joint)
    shared = {(True, True): Fraction(1, 4), (True, False): Fraction(1, 4), (False, False): Fraction(1, 2)}
    assert distance(shared, joint) > 2 * tolerance(4, SAMPLES)


def test_draws_below_a_refusal_are_uniform() -> None:
    """Three values with 20 rows each, 19 of the first on one side: refused for sure, and then drawn by lot."""
    sides = [
        (0, side, value)
        for side, counts in enumerate([(19, 6, 5), (1, 14, 15)])
        for value in range(3)
        for _ in range(counts[value])
    ]
    rows = [*sides, *far_region(9, 2)]
    seconds = [row for row, (_, _, value) in enumerate(rows) if value == 1]
    partners, table = [], table_with(rows)
    for _ in range(SAMPLES):
        labels = SoftCut(l=2).group(table, Coins.fresh(), threads=1).labels.tolist()
        partners.append(next(row for row in seconds if labels[row] == labels[0]))
    uniform = {row: Fraction(1, 20) for row in seconds}
    assert follows(partners, uniform)
    near = {row: Fraction(1, 6) for row in seconds[:6]}  # what dividing by quasi-identifiers would favour
    assert distance(near, uniform) > 2 * tolerance(20, SAMPLES)
