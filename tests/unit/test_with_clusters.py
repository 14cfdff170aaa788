"""How large a draft says that l can be with a cluster: what publishing with that cluster allows."""

from __future__ import annotations

import random

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.method import largest_feasible
from pellucid.drafting.choice import suggest
from pellucid.drafting.draft import counted
from pellucid.drafting.with_clusters import largest_l, with_clusters
from pellucid.runtime.progress import SILENT


def homes(draw: random.Random) -> pl.DataFrame:
    """People of homes of one to three, with few values."""
    sizes = [draw.randint(1, 3) for _ in range(draw.randint(4, 30))]
    numbers = [home for home, size in enumerate(sizes) for _ in range(size)]
    draw.shuffle(numbers)
    ill = [draw.choice("abcdefgh") for _ in numbers]
    return pl.DataFrame({"hh_no": numbers, "age": [draw.randint(1, 90) for _ in numbers], "disease": ill})


@pytest.mark.parametrize("seed", range(60))
def test_it_is_what_publishing_allows(seed: int) -> None:
    frame = homes(random.Random(seed))
    table = pc.read(frame, quasi="age", sensitive="disease", cluster="hh_no")
    assert largest_l(frame["hh_no"], frame["disease"]) == largest_feasible(table).largest


def test_a_draft_says_it_where_it_is_less() -> None:
    values = ["flu", "cold", "gout", "ulcer"]
    frame = pl.DataFrame(
        {
            "age": [20 + row % 50 for row in range(160)],
            "hh_no": [row // 2 for row in range(160)],
            "disease": [values[row % 4] for row in range(160)],
        }
    )
    reasons = {one.name: str(one.in_full) for one in with_clusters(suggest(counted(frame, SILENT), frame), frame)}
    assert reasons["disease"] == "the name says so (disease); l can be up to 4, with hh_no as cluster up to 2"
    apart = frame.with_columns(hh_no=pl.Series([row % 80 for row in range(160)]))  # both of a home have the same
    reasons = {one.name: str(one.in_full) for one in with_clusters(suggest(counted(apart, SILENT), apart), apart)}
    assert reasons["disease"] == "the name says so (disease); l can be up to 4"
    same = frame.with_columns(disease=pl.Series(["flu", "cold", "flu", "gout"] * 40))
    reasons = {one.name: str(one.in_full) for one in with_clusters(suggest(counted(same, SILENT), same), same)}
    assert reasons["disease"].endswith("l can be up to 2, with hh_no as cluster only 1, which protects nobody")
