"""What was published as one value: equal exactly when the same rows were published, in whatever order."""

from __future__ import annotations

import random
from collections import Counter

import polars as pl
import pytest

from pellucid.risk.views import fingerprint as module
from pellucid.risk.views.fingerprint import fingerprint

TEXTS = [None, "", "a", "b", "a,b", '"a"', "a\nb", "1", "é", " a"]


def drawn(coins: random.Random) -> pl.DataFrame:
    """A small frame of few texts, so that equal frames are drawn too."""
    columns = ["x", "y", "z"][: coins.randint(1, 3)]
    rows = coins.randint(0, 3)
    few = coins.sample(TEXTS, 2)
    return pl.DataFrame({name: pl.Series(coins.choices(few, k=rows), dtype=pl.String) for name in columns})


def content(frame: pl.DataFrame) -> object:
    return sorted(frame.columns), Counter(frame.select(sorted(frame.columns)).rows())


# how few rows are sorted as they are, and the largest number: with 2, numbers are counted through at every column
WAYS = {"as they are": (module.FEW, 2**62), "by places": (-1, 2**62), "counted through": (-1, 2)}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    few, largest = request.param
    monkeypatch.setattr(module, "FEW", few)
    monkeypatch.setattr(module, "LARGEST", largest)
    return few, largest


def test_equal_prints_mean_equal_rows(way: tuple[int, int]) -> None:
    coins = random.Random(str(way))
    frames = [drawn(coins) for _ in range(120)]
    prints = [fingerprint(frame) for frame in frames]
    same = 0
    for first in range(len(frames)):
        for second in range(first):
            alike = content(frames[first]) == content(frames[second])
            assert (prints[first] == prints[second]) == alike, (frames[first], frames[second])
            same += alike
    assert same > 20


@pytest.mark.usefixtures("way")
def test_order_of_rows_and_columns_tells_nothing() -> None:
    coins = random.Random(1)
    for _ in range(60):
        frame = drawn(coins)
        shuffled = frame.sample(fraction=1, shuffle=True, seed=coins.randrange(2**32))
        assert fingerprint(shuffled.select(reversed(frame.columns))) == fingerprint(frame)


def test_a_frame_without_columns_has_a_print() -> None:
    assert fingerprint(pl.DataFrame()) == fingerprint(pl.DataFrame())
    assert fingerprint(pl.DataFrame()) != fingerprint(pl.DataFrame({"x": []}))
