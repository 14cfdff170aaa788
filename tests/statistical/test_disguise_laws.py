"""Over the coins, Mask, SpuriousRecords and Injector follow the law of their definitions; wrong laws are noticed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.methods.injector import Injector
from pellucid.anonymize.methods.mask import Mask
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.anonymize.methods.spurious_records import SpuriousRecords
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from plain import disguise, injector
from plain.tables import line, secret, table_of
from statistical.frequencies import SAMPLES, follows, is_far_enough

GROUPS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11))
VALUES = (0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 1, 1)  # only the first group has too many of value 0 at l = 3
TABLE = table_of([line("age", list(range(12))), secret("s", VALUES)], range(12))

REPEATED = (0, 0, 1, 2, 3, 4, 4, 4)
PAIRS = ((0, 1), (2, 3), (4, 5), (6, 7))

SEX = (0, 0, 0, 1, 1, 1)
DISEASES = (0, 1, 2, 0, 1, 3)  # at half an expected row, the first three cannot have 3 and the others not 2

JOINING = (0, 0, 1, 1, 2)  # everybody is alike, and the last one joins one of two groups

Law = Mapping[Hashable, Fraction]


def mask_law(**changes: object) -> dict[tuple[int, ...], Fraction]:
    arguments = {"groups": GROUPS, "values": VALUES, "protected": {0}, "l": 3, "rule": "all", **changes}
    return disguise.mask_law(**arguments)  # type: ignore[arg-type]


def grouped(table: Table, k: int, expected: Sequence[Sequence[int]]) -> Grouping:
    """The k-anonymous groups, which have no coins when there is an identifier."""
    grouping = Mondrian(k=k).group(table, Coins.fresh(), threads=1)
    rows = [grouping.members[a:b].tolist() for a, b in pairwise(grouping.starts.tolist())]
    assert rows == [list(group) for group in expected]
    return grouping


def injector_law(*, ruled: bool = True) -> dict[injector.Labels, Fraction]:
    never = injector.excluded([(sex,) for sex in SEX], DISEASES, Fraction(1, 2), 1)
    assert never == [{3}] * 3 + [{2}] * 3
    return injector.law(DISEASES, never if ruled else [set() for _ in DISEASES], 2)


def assert_rejected(wrong: Law, law: Law) -> None:
    """The exact laws are far enough apart for the test to notice, and it does."""
    assert is_far_enough(wrong, law)
    outcomes = list(wrong)
    sample = Random(1).choices(outcomes, [float(wrong[outcome]) for outcome in outcomes], k=SAMPLES)
    assert not follows(sample, law)


@pytest.mark.parametrize("rule", ["all", "highest"])
def test_mask_follows_its_law(rule: str) -> None:
    law = mask_law(rule=rule)
    assert sum(law.values()) == 1
    assert len(law) > 5
    method = Mask(k=3, l=3, sensitive="s 0", donors=rule)
    groups, codes, protected = grouped(TABLE, 3, GROUPS), TABLE.codes[1], np.array([True, False, False])
    order = np.arange(12)
    sample = [tuple(method.distort(codes, protected, groups, order, Coins.fresh(), 1).tolist()) for _ in range(SAMPLES)]
    assert follows(sample, law)


def test_a_wrong_mask_is_rejected() -> None:
    law = mask_law()
    assert_rejected(mask_law(rule="highest"), law)
    assert_rejected(mask_law(outside={1: 1, 2: 1}), law)
    last_row_stays = {values: p for values, p in law.items() if values[0] != 0 and values[1] != 0}
    whole = sum(last_row_stays.values())
    assert_rejected({values: p / whole for values, p in last_row_stays.items()}, law)


def test_spurious_records_follow_their_law() -> None:
    law = disguise.spurious_law(PAIRS, REPEATED, 2)
    assert len(law) == 36
    table = table_of([line("age", list(range(8))), secret("s", REPEATED)], range(8))
    sample = []
    groups = grouped(table, 2, PAIRS)
    for _ in range(SAMPLES):
        added = SpuriousRecords(k=2, l=2).records(table.codes[1], table.attributes[1], groups, Coins.fresh())
        records = [[REPEATED[row] for row in group] for group in PAIRS]
        for group, value in zip(*(part.tolist() for part in added), strict=True):
            records[group].append(value)
        sample.append(tuple(tuple(sorted(group)) for group in records))
    assert follows(sample, law)


def test_records_with_the_first_values_instead_of_drawn_ones_are_rejected() -> None:
    law = disguise.spurious_law(PAIRS, REPEATED, 2)
    assert_rejected({min(law): Fraction(1)}, law)
    same_for_all = {release: p for release, p in law.items() if set(release[0][2:]) & set(release[3][:2])}
    whole = sum(same_for_all.values())
    assert_rejected({release: p / whole for release, p in same_for_all.items()}, law)


def test_injector_follows_its_law() -> None:
    method = Injector(l=2, expectation=0.5, size=1)
    joining = injector.law(JOINING, [set() for _ in JOINING], 2)
    for sex, diseases, law, outcomes in ((SEX, DISEASES, injector_law(), 4), ((0,) * 5, JOINING, joining, 8)):
        assert len(law) == outcomes
        table = table_of([line("sex", sex), secret("s", diseases)], range(len(sex)))
        coins = (Coins.fresh() for _ in range(SAMPLES // 2))
        assert follows([tuple(method.group(table, one, threads=1).labels.tolist()) for one in coins], law)


def test_an_injector_without_coins_or_without_rules_is_rejected() -> None:
    law = injector_law()
    assert_rejected({max(law, key=lambda outcome: law[outcome]): Fraction(1)}, law)
    assert_rejected(injector_law(ruled=False), law)
    joining = injector.law(JOINING, [set() for _ in JOINING], 2)
    first = {labels: 2 * p for labels, p in joining.items() if labels[4] == 0}
    assert_rejected(first, joining)
