"""What an attacker who knows one sensitive column learns of another: counts equal a plain definition."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.disclosure.one_tells_another import told_of
from pellucid.audit import Audit, examine
from pellucid.cli.summary import told_by_others
from pellucid.publishing import release_of

SECRETS = ["ill", "pay", "job"]


def plainly(
    frame: pl.DataFrame, known: list[str], told: str, values: list[str], bound: Fraction
) -> tuple[int, int, int, int] | None:
    """Row by row: of how many people with one of the values all of the like have theirs; of how many people more than
    the bound of the like have some value; of how many this is theirs; and how many have one of the values.
    """
    rows = frame.rows(named=True)
    certain = above = right = people = 0
    for row in rows:
        like = [other for other in rows if all(other[c] == row[c] for c in frame.columns if c not in SECRETS)]
        like = [other for other in like if all(other[c] == row[c] for c in known)]
        chance = Fraction(sum(other[told] == row[told] for other in like), len(like))
        every = [Fraction(sum(other[told] == value for other in like), len(like)) for value in values]
        above += max(every) > bound
        if row[told] in values:
            certain, right, people = certain + (chance == 1), right + (chance > bound), people + 1
    return (certain, above, right, people) if people else None


@pytest.mark.parametrize("seed", range(12))
def test_counts_equal_their_definition_from_the_groups_and_from_the_files(seed: int, tmp_path: Path) -> None:
    coins = np.random.default_rng(seed)
    people = pl.DataFrame(
        {"age": coins.integers(20, 40, 60), "sex": coins.choice(["f", "m"], 60)}
        | {name: coins.choice(["x", "y", "z"], 60, p=[0.2, 0.3, 0.5]) for name in SECRETS}
    )
    values = {"ill": ["x", "y"], "pay": ["x"], "job": ["x"]}
    method = pc.SoftCut(l=2, values=values) if seed % 2 else pc.Strata(l=2, size=20, values=values)
    table = pc.read(people, quasi=["age", "sex"], sensitive=SECRETS)
    release = release_of(table, method, seed=seed)
    bound = Fraction(1, 2)
    found = told_by_others(table, release)["told_by_another"]
    release.write(tmp_path / "out")
    audit = examine(tmp_path / "out")
    assert isinstance(audit, Audit)
    figures = ("certain", "above", "right", "people")
    pairs = {(one["known"], one["column"]): tuple(one[name] for name in figures) for one in found}
    made = people.select(SECRETS).with_columns(group=release.private.labels)
    expected, in_files = {}, {}
    for told in SECRETS:
        others = [name for name in SECRETS if name != told]
        for known in (*others, None):
            asked: tuple[Any, ...] = ([known] if known else others, told, values[told], bound)
            plain = plainly(release.frame, *asked)
            if plain is not None:
                expected[known, told] = plainly(made, *asked)
                in_files[known, told] = plain
                partition = audit.groups_by(known, told) if known else audit.groups_beside(told)
                from_file = told_of(partition.groups, known, method)
                assert from_file is not None
                assert tuple(getattr(from_file, name) for name in figures) == plain
    assert pairs == expected
    for source, counts in ((release, expected), (tmp_path / "out", in_files)):
        for name in SECRETS:
            attacked = pc.attack_all(source, truth=table, sensitive=name, adversaries=["nothing"], classic=False)
            rest = attacked.document()["told_by_the_rest"]
            counted = None if rest is None else tuple(rest[figure] for figure in figures)
            assert counted == counts.get((None, name))
    assert max(certain for certain, *_ in pairs.values()) > 0
