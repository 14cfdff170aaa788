"""Who is told everybody's group takes it as told; and what was counted with loops is counted the same without."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.errors import AttackError
from pellucid.models import Groups
from pellucid.risk.attacks.corruption import kinds_of_groups
from pellucid.risk.views import Evidence, opened_release
from pellucid.risk.views.known_groups import evidence_of_groups
from pellucid.risk.views.reader_view import _merged
from pellucid.risk.views.regrouping import kept_groups


def drawn(seed: int) -> tuple[pc.Table, Any]:
    """A table of a few people, and a group for each."""
    random = np.random.default_rng(seed)
    people, values = int(random.integers(1, 60)), int(random.integers(1, 8))
    frame = pl.DataFrame({"q": random.integers(0, 5, people), "s": random.integers(0, values, people).astype(str)})
    _, labels = np.unique(random.integers(0, max(1, people // 4), people), return_inverse=True)
    return pc.read(frame, quasi="q", sensitive="s"), labels.astype(np.int32)


def test_told_groups_are_not_looked_for_in_what_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = pc.datasets.census(300, seed=1).with_row_index("id")
    roles: dict[str, Any] = {"quasi": ["age", "gender"], "sensitive": "occupation", "identifier": "id"}
    release = pc.publish(people, pc.SoftCut(l=3), **roles)
    release.write(tmp_path / "out")

    def looked(*_: Any) -> None:
        raise AssertionError("nobody needs to look whom published values cover")

    monkeypatch.setattr(opened_release, "who_is_where", looked)
    told: dict[str, Any] = {"truth": people, "groups": release.private.labels, "identifier": "id"}
    found = pc.attack(tmp_path / "out", pc.Adversary(knows="algorithm"), **told)
    assert np.array_equal(found.risk, pc.attack(release, pc.Adversary(knows="algorithm"), truth=people, **roles).risk)
    others = np.roll(release.private.labels, 1)
    with pytest.raises(AttackError, match="does not give this release of the table"):
        pc.attack(tmp_path / "out", truth=people, groups=others, identifier="id")
    with pytest.raises(AssertionError, match="nobody needs to look"):
        pc.attack(tmp_path / "out", truth=people, identifier="id")


@pytest.mark.parametrize("wrong", [[0, -2], [0, 2**31], [0, 1.5], [0, True], np.array([0, -2]), np.array([0.0, 1.0])])
def test_what_is_no_number_of_a_group_is_refused(wrong: Any) -> None:
    with pytest.raises(AttackError, match="the number of each row's group"):
        kept_groups(wrong)


def test_groups_may_be_numbers_of_any_kind() -> None:
    for kind in (np.int8, np.int32, np.int64):
        assert kept_groups(np.array([0, 3, -1], kind)).tolist() == [0, 3, -1]
    assert kept_groups(np.array([0, 200], np.uint8)).tolist() == [0, 200]


@pytest.mark.parametrize("seed", range(40))
def test_classes_are_counted_as_the_groups_of_their_people(seed: int) -> None:
    table, labels = drawn(seed)
    groups = Groups.of(labels, table.codes[1], table.attributes[1])
    _, alike = np.unique(
        np.random.default_rng(seed).integers(0, 1 + len(groups) // 2, len(groups)), return_inverse=True
    )
    merged = _merged(groups, alike.astype(np.int64))
    counted = Groups.of(alike[labels].astype(np.int32), table.codes[1], table.attributes[1])
    for name in ("sizes", "starts", "codes", "counts", "table_counts"):
        assert np.array_equal(getattr(merged, name), getattr(counted, name)), name


def by_loops(evidence: Evidence) -> Counter[tuple[tuple[int, ...], int]]:
    """The definition: for each group its counts of values that count, ascending, and its other rows."""
    kinds: Counter[tuple[tuple[int, ...], int]] = Counter()
    for group in range(len(evidence.published)):
        codes, counts = evidence.counts(group)
        pairs = zip(codes.tolist(), counts.tolist(), strict=True)
        kind = tuple(sorted(count for code, count in pairs if evidence.counts_as_risk(code)))
        kinds[kind, int(counts.sum()) - sum(kind)] += 1
    return kinds


@pytest.mark.parametrize("seed", range(40))
def test_kinds_of_groups_are_as_defined(seed: int) -> None:
    table, labels = drawn(seed)
    evidence = evidence_of_groups(table, labels.tolist())
    assert kinds_of_groups(evidence) == by_loops(evidence)
    some = replace(evidence, asked=(evidence.values[0],))
    assert kinds_of_groups(some) == by_loops(some)
