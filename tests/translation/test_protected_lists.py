"""A promise about some values of several columns is German as a whole, whatever it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.speaking.reader import called, reader_of

COLUMNS = ("ill", "bread and butter", "job", "car")
ENGLISH = re.compile(r"\b(?:as|any one|person's|value of|each by|itself|and|names)\b|lang=")


def promise_of(about: dict[str, Sequence[str]], columns: int, *, clusters: bool) -> str:
    rows = 240
    said: dict[str, Any] = {name: pc.Column(role="sensitive") for name in COLUMNS[:columns]}
    frame = pl.DataFrame(
        {
            "home": [f"h{i // 2}" for i in range(rows)],
            "age": [20 + i % 40 for i in range(rows)],
            **{name: ["xyzuvw"[(i * (n + 1) + i // 7) % 6] for i in range(rows)] for n, name in enumerate(COLUMNS)},
        }
    )
    said |= {"age": pc.Column(role="quasi")} | ({"home": pc.Column(role="cluster")} if clusters else {})
    together = {"cluster_rows": 2} if clusters else {}
    release = pc.publish(frame, pc.SoftCut(l=2, values=about, **together), schema=pc.Schema(columns=said))
    return release.promise


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("columns", [2, 3, 4])
@pytest.mark.parametrize("values", ["x", "xy"])
@pytest.mark.parametrize("left_out", [0, 1])
def test_every_part_of_the_list_is_german(columns: int, values: str, left_out: int, clusters: bool) -> None:
    about = {name: list(values) for name in COLUMNS[: columns - left_out]}
    promise = promise_of(about, columns, clusters=clusters)
    known = called.set(COLUMNS)
    try:
        told = reader_of("de").plainly(promise)
    finally:
        called.reset(known)
    assert ENGLISH.search(told.replace("bread and butter", "bread")) is None, told
    for name in about:
        assert re.search(rf"'x'(?: und 'y')? als (?:Wert von )?{name}\b", told), name
    for name in COLUMNS[columns - left_out : columns]:
        assert f"einen Wert von {name}" in told if clusters else f"und {name} einer beliebigen Person" in told
