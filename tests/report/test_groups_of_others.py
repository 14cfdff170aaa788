"""Groups that are not those of the release are refused; an original in another order is looked at as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc

pytest.importorskip("jinja2")
pytestmark = pytest.mark.filterwarnings("ignore")

ROLES: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": "ill", "identifier": "name"}
N = 48


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    draw = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(N)],
            "age": draw.integers(20, 80, N),
            "zip": [f"z{i}" for i in draw.integers(0, 4, N)],
            "ill": [f"v{i % 6}" for i in range(N)],
            "cost": [f"c{i % 5}" for i in draw.permutation(N)],
        }
    )


@pytest.fixture(scope="module")
def release(people: pl.DataFrame) -> pc.Release:
    return pc.publish(people, pc.SoftCut(l=2), seed=1, **ROLES)


@pytest.fixture(scope="module")
def folder(release: pc.Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release.write(tmp_path_factory.mktemp("groups") / "out")


@pytest.mark.parametrize("what", ["another release", "another order", "too few", "texts", "no file", "below -1"])
@pytest.mark.parametrize("where", ["memory", "folder"])
def test_other_groups_are_refused(
    what: str, where: str, people: pl.DataFrame, release: pc.Release, folder: Path
) -> None:
    own = release.private.labels
    groups: Any = {
        "another release": lambda: pc.publish(people, pc.SoftCut(l=3), seed=2, **ROLES).private.labels,
        "another order": lambda: own[::-1].copy(),
        "too few": lambda: own[:5],
        "texts": lambda: ["a"] * N,
        "no file": lambda: str(folder / "not there.csv"),
        "below -1": lambda: own - np.int32(2),
    }[what]()
    source = release if where == "memory" else folder
    known: dict[str, Any] = {"attacks": pc.attack_all(release, truth=people, adversaries=["nothing"], **ROLES)}
    refused = pc.InputError if what == "no file" else pc.MeasureError
    with pytest.raises(refused):
        pc.measure(source, people, [pc.SSE()], groups=groups)
    with pytest.raises(refused):
        pc.report(source, people, metrics=[pc.Kept()], groups=groups, identifier="name", **known)
    with pytest.raises(refused):
        pc.report(source, people, scores=[], groups=groups, identifier="name", **known)


def test_its_own_groups_are_taken_whatever_their_numbers(people: pl.DataFrame, release: pc.Release) -> None:
    groups = release.private.labels.astype(np.int64) * 7 + 3
    scores = [pc.measure(release, people, [pc.SSE()], groups=told)[0] for told in (None, groups)]
    assert scores[0] == scores[1]


def test_a_method_that_adds_records_is_measured_without_groups(people: pl.DataFrame, tmp_path: Path) -> None:
    release = pc.publish(people, pc.SpuriousRecords(k=2, l=2), seed=1, **ROLES)
    folder = release.write(tmp_path / "out")
    attacks = pc.attack_all(release, truth=people, adversaries=["nothing"], **ROLES)
    asked: dict[str, Any] = {"attacks": attacks, "metrics": [pc.Kept()], "identifier": "name"}
    pages = [pc.report(folder, people, groups=told, **asked).html for told in (None, release.private.labels)]
    assert pages[0] == pages[1]
    with pytest.raises(pc.MeasureError, match="has 5 numbers"):
        pc.report(folder, people, groups=release.private.labels[:5], **asked)


@pytest.mark.parametrize("sensitive", ["ill", ["ill", "cost"]])
def test_an_original_in_another_order_is_attacked_as_beside_files(
    sensitive: Any, people: pl.DataFrame, tmp_path: Path
) -> None:
    roles = {**ROLES, "sensitive": sensitive}
    release = pc.publish(people, pc.SoftCut(l=2), seed=1, **roles)
    folder = release.write(tmp_path / "out")
    mixed = people.sample(fraction=1.0, shuffle=True, seed=3)
    asked: dict[str, Any] = {"metrics": [pc.Kept()], **roles}
    here, there = (pc.report(source, mixed, **asked).summary for source in (release, folder))
    assert here["verdicts"] == there["verdicts"]
    assert not here["problems"]
    with pytest.raises(pc.AttackError, match="or its rows are in another order"):
        pc.attack_all(release, truth=mixed, **{**roles, "sensitive": "ill"})


def test_rows_of_an_original_in_another_order_are_not_shown_as_a_group(
    people: pl.DataFrame, release: pc.Release
) -> None:
    mixed = people.sample(fraction=1.0, shuffle=True, seed=3)
    pages = [pc.report(release, original, metrics=[pc.Kept()], **ROLES).html for original in (people, mixed)]
    assert [("groups of a usual size" in page, "The first rows of both tables" in page) for page in pages] == [
        (True, False),
        (False, True),
    ]
