"""Where rows belong together, what counts people says rows, and nothing else is said in other words."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.schema import Role
from pellucid.reports.published import ROLES as ROLES_TOLD

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")


def test_a_column_whose_name_is_a_sentence_that_counts_is_called_so_in_the_promise() -> None:
    frame = homes("a. 6 people are in no group. B")
    release = pc.publish(frame, pc.SoftCut(l=2), quasi="age", sensitive=frame.columns[2], cluster="home", seed=1)
    assert release.recipe["sentence"] in unescape(pc.report(release, audience="public").html)


def homes(sensitive: str) -> pl.DataFrame:
    """Thirty homes of two people, with a column whose name counts people."""
    coins, n = np.random.default_rng(0), 60
    return pl.DataFrame(
        {
            "home": np.arange(n) // 2,
            "age": coins.integers(20, 80, n),
            sensitive: [f"{i % 6 + 2} people" for i in range(n)],
            "stands for": coins.integers(8, 90, n) / 8,
        }
    )


@pytest.mark.parametrize("name", ["number of people", "all people"])
def test_a_report_has_the_promise_word_for_word_and_weights_stand_for_people(name: str) -> None:
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": name, "cluster": "home", "weight": "stands for"}
    frame = homes(name)
    release = pc.publish(frame, pc.SoftCut(l=2), **roles, seed=1)
    for audience in ("public", "private"):
        original = frame if audience == "private" else None
        page = unescape(pc.report(release, original, audience=audience).html)
        assert release.recipe["sentence"] in page
        assert ROLES_TOLD[Role.WEIGHT] in page
        assert not re.search(r"number of rows|all rows by|\d rows</text>", page)
    assert "60 rows are, or may be, in the table." in page


def test_how_many_are_certain_of_another_column_is_told_of_rows() -> None:
    frame = homes("ill").with_columns(cost=pl.Series([f"c{i % 5}" for i in range(60)]))
    release = pc.publish(frame, pc.SoftCut(l=2), quasi="age", sensitive=["ill", "cost"], cluster="home", seed=1)
    page = unescape(pc.report(release, frame, audience="private").html)
    for name in ("ill", "cost"):
        assert re.search(rf"is certain of {name} for \d+ of 60 rows[,.]", page)
