"""What a reader can tell apart is counted the same in a release that was written and in one that was looked at."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.recode import published, sets
from pellucid.anonymize.recode.lazy_frames import MadeWhenAsked
from pellucid.cli.program import main
from pellucid.cli.summary import class_sizes, figures_of
from pellucid.core.request import Request
from pellucid.publishing import carry_out

ROLES: dict[str, Any] = {"quasi": ["age", "gender", "education"], "sensitive": "occupation"}
METHODS: list[Any] = [
    pc.SoftCut(l=2),
    pc.Mondrian(k=3),
    pc.Incognito(k=4, max_suppressed=0.2),
    pc.SpuriousRecords(k=4, l=2),
    pc.AlphaK(alpha=0.6, k=3),
]


def people(rng: np.random.Generator) -> pl.DataFrame:
    """Few people with few values, so that many groups read alike; some values read like a group."""
    return pl.DataFrame(
        {
            "age": rng.integers(20, 26, 60),
            "town": rng.choice(["Rome", "Oslo", "*", "{Rome, Oslo}"], 60),
            "weight": rng.choice([1.0, 2.5], 60),
            "ill": rng.choice(["a", "b", "c", "d"], 60),
        }
    )


@pytest.mark.parametrize("recode", ["intervals", "taxonomy", "suppression", "anatomy"])
def test_classes_are_counted_from_boxes_as_from_groups(recode: Any) -> None:
    counted = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        for method in METHODS:
            weight = "weight" if method.name != "spurious-records" and rng.random() < 0.5 else None
            table = pc.read(people(rng), quasi=["age", "town"], sensitive="ill", weight=weight)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    release = pc.publish(table, method, recode=recode, seed=seed)
            except pc.PellucidError:  # not with this recoder, or not with these people
                continue
            first, figures = np.sort(class_sizes(table, release)), figures_of(table, release)
            assert isinstance(release.public.frames, MadeWhenAsked) == (recode != "anatomy")
            _ = release.frames
            assert np.array_equal(first, np.sort(class_sizes(table, release)))
            assert figures == figures_of(table, release)
            assert figures["class_sizes"]["median"] == np.median(first)
            counted += 1
    assert counted >= 20


def test_publishing_finds_the_ends_and_sets_of_groups_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    for module, name in ((published, "ranges_of"), (sets, "_found_sets")):
        find = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda attribute, *rest, find=find: found.append(attribute.name) or find(attribute, *rest)
        )
    pc.datasets.census(2_000, seed=1).write_csv(tmp_path / "people.csv")
    roles = ["--quasi", "age,gender,education", "--sensitive", "occupation"]
    assert main(["publish", str(tmp_path / "people.csv"), *roles, "--l", "4", "--out", str(tmp_path / "out")]) == 0
    assert sorted(found) == ["age", "education", "gender"]


@pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")
def test_figures_are_the_same_whether_what_is_found_is_kept() -> None:
    table = pc.read(pc.datasets.census(2_000, seed=1), **ROLES)
    seen: list[dict[str, Any]] = []
    asked = Request(table, pc.Hybrid(l=3), seed="one")
    kept = carry_out(asked, look=lambda made: seen.append(figures_of(table, made.release))).release
    assert seen == [figures_of(table, kept)]
    assert kept.frame.equals(pc.publish(table, pc.Hybrid(l=3), seed="one").frame)
