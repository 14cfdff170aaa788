"""Which value stops l: its share, and what each way out keeps, as publishing that way keeps it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.in_the_way import in_the_way
from pellucid.cli.program import main
from pellucid.core.coins import Coins
from pellucid.metrics.kept import information_kept
from pellucid.text.figures import percent

COINS = Random("in the way")


def people(share: float, rows: int = 1200) -> pl.DataFrame:
    ill = ["flu" if COINS.random() < share else COINS.choice("abcdefghij") for _ in range(rows)]
    return pl.DataFrame(
        {"age": [COINS.randint(16, 90) for _ in ill], "zip": [COINS.randint(0, 99) for _ in ill], "ill": ill}
    )


@pytest.mark.parametrize("method", [pc.SoftCut(l=4), pc.Hybrid(l=4)])
def test_the_value_its_share_and_what_the_ways_out_keep(method: pc.Method) -> None:
    table = pc.read(people(0.22), quasi=["age", "zip"], sensitive="ill")
    (said,) = [str(remark.text) for remark in in_the_way(table, method, pc.Intervals())]
    flu = float(np.mean(np.array(table.attributes[-1].values.to_list())[table.codes[-1]] == "flu"))
    assert said.startswith(f"ill = flu is {percent(flu)} of the rows, more than 1/8. Groups with l = 4 grow")
    for words, way in (("with l = 2", 2), ("with strata", None)):
        tried = method.model_copy(update={"l": 2}) if way else pc.Strata(l=4)
        grouping = tried.group(table, Coins.from_seed("a trial"))
        kept = np.mean([*information_kept(table, grouping, pc.Intervals()).values()])
        assert f"{percent(float(kept))} {words}" in said
    assert "if all values but 'flu' are protected" in said


def test_nothing_is_said_where_no_value_is_in_the_way() -> None:
    table = pc.read(people(0.05), quasi=["age", "zip"], sensitive="ill")
    assert in_the_way(table, pc.SoftCut(l=4), pc.Intervals()) == []


def test_publishing_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people(0.22).write_csv(tmp_path / "t.csv")
    asked = ["publish", str(tmp_path / "t.csv"), "--quasi", "age,zip", "--sensitive", "ill", "--l", "4"]
    assert main([*asked, "--method", "hybrid", "--out", str(tmp_path / "out")]) == 0
    assert "ill = flu is" in " ".join(capsys.readouterr().err.split())
