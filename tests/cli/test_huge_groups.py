"""Much of a release in few groups that are many times as large as the others: the steward hears it."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from cli.program import Program
from pellucid.anonymize import protecting, several
from pellucid.anonymize.methods import Grouping
from pellucid.cli.remarks import huge_groups
from pellucid.cli.wording import in_options

ILL = "abcdefghijkl"


def table(ages: list[int]) -> pc.Table:
    frame = pl.DataFrame({"age": ages, "ill": [ILL[i % 12] for i in range(len(ages))]})
    return pc.read(frame, quasi="age", sensitive="ill")


def grouped(*sizes: int) -> Grouping:
    return Grouping.from_labels(np.repeat(np.arange(len(sizes)), sizes).astype(np.int32))


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([3] * 50 + [61], "29 % of the rows are in one group of 61 rows that were not divided further"),
        ([3] * 50 + [61, 70], "47 % of the rows are in 2 groups of 61 to 70 rows that were not divided further"),
        ([3] * 50 + [60], ""),  # twenty times the usual is not more than that
        ([3] * 600 + [61], ""),  # little of the table
        ([61, 61], ""),
        ([1] * 50 + [61] * 2, "71 % of the rows are in 2 groups of 61 rows"),
        ([1] * 50 + [60] * 2, ""),  # with l = 3 a group of 3 is as it should be, though most have one row
        ([500], ""),  # another remark says it
    ],
)
def test_the_remark_is_about_few_large_groups(sizes: list[int], said: str) -> None:
    told = huge_groups(table(list(range(sum(sizes)))), pc.SoftCut(l=3), grouped(*sizes))
    assert len(told) == bool(said)
    assert all(remark.text.startswith(said) for remark in told)


def test_rows_that_look_alike_lose_nothing_by_being_many() -> None:
    town = table([*range(150), *[200] * 70])
    assert huge_groups(town, pc.SoftCut(l=3), grouped(*[3] * 50, 70)) == []
    assert len(huge_groups(table([*range(150), *[200] * 69, 201]), pc.SoftCut(l=3), grouped(*[3] * 50, 70))) == 1


def test_the_ways_out_are_some() -> None:
    people, groups = table(list(range(240))), grouped(*[2] * 70, 100)
    ways = {
        pc.SoftCut(l=3): "; use a smaller l, or protect fewer values (--values)",
        pc.SoftCut(l=2): "; protect fewer values (--values)",
        pc.SoftCut(l=3, values=["a"]): "; use a smaller l",
        pc.SoftCut(l=2, values=["a"]): "",
        pc.Tailor(l=3): "; use a smaller l",  # it protects all values
        pc.Mondrian(l=2): "",
    }
    for method, way in ways.items():
        (remark,) = huge_groups(people, method, groups)
        assert in_options(remark.text).partition(" at most 2 rows")[2] == way


def homes(folder: Path) -> list[str]:
    """The words that publish households of one and of four, whose values are in nearly one of l of them."""
    random = Random(3)
    sizes = [size for size in (1, 4) for _ in range(300)]
    lines = [
        f"{home},{random.randrange(90)},{random.randrange(400)},{random.choice(ILL)}"
        for home, size in enumerate(sizes)
        for _ in range(size)
    ]
    (folder / "homes.csv").write_text("\n".join(["home,age,zip,ill", *lines]) + "\n")
    return ["publish", "homes.csv", "--quasi", "age,zip", "--sensitive", "ill", "--l", "3"]


def group_sizes(folder: Path) -> pl.Series:
    return pl.read_csv(folder / "groups.csv")["group"].value_counts()["count"]


def test_large_households_are_in_small_groups(folder: Path, call: Program) -> None:
    """They were once in four groups of 273."""
    done = call(*homes(folder), "--cluster", "home", "--out", "out", "--keep-groups", "groups.csv")
    assert group_sizes(folder).max() <= 24
    assert "not divided" not in done.err


def test_publish_says_it_of_households_that_differ_too_much(
    folder: Path, call: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if more than three different sets of values were too many to look at; it is more than 4,096."""
    for module in (protecting, several):
        monkeypatch.setattr(module, "MOST_VECTORS", 3)
    words = homes(folder)
    done = call(*words, "--cluster", "home", "--out", "out", "--keep-groups", "groups.csv")
    sizes = group_sizes(folder)
    (largest,) = sizes.filter(sizes > 100).unique()
    assert largest == 300
    (said,) = re.findall(r"note: (.* rows are in .*)", done.err)
    assert said.startswith("80 % of the rows are in 4 groups of 300 rows")
    assert "not divided" not in call(*words, "--out", "single").err
