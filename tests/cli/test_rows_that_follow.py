"""Person-years without a number of the person are told by rows that follow each other; sorted files are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from cli.program import Program
from pellucid.cli.rows_that_follow import rows_that_follow

OTHERS = ["sex", "born", "town", "plan", "asked"]


def people(seed: int, rows: int = 900) -> pl.DataFrame:
    coins = np.random.default_rng(seed)
    region = coins.integers(0, 6, rows)
    return pl.DataFrame(
        {
            "sex": coins.integers(0, 2, rows),
            "born": coins.integers(1930, 2005, rows),
            "region": region,
            "town": 5 * region + coins.integers(0, 5, rows),
            "plan": coins.integers(0, 3, rows),
            "ill": coins.choice([*"abcde"], rows),
        }
    )


def years(seed: int, most: int = 5) -> pl.DataFrame:
    coins = np.random.default_rng(seed)
    whose = np.repeat(np.arange(300), coins.integers(1, most + 1, 300))
    own = people(seed, 300)[whose]
    ill, asked = coins.choice([*"abcde"], len(whose)), coins.integers(0, 4, len(whose))
    return own.with_columns(ill=pl.Series(ill), asked=pl.Series(asked))


def notes(table: pl.DataFrame, quasi: list[str]) -> list[str]:
    return list(map(str, rows_that_follow(pc.read(table, quasi=quasi, sensitive="ill"))))


@pytest.mark.parametrize("seed", range(8))
def test_person_years_are_told_and_in_another_order_are_not(seed: int) -> None:
    table = years(seed)
    (said,) = notes(table, OTHERS)
    assert said.startswith("rows that follow each other look like the same person: ")
    assert "people='NUMBER=person'" in said
    assert notes(table.sample(fraction=1.0, shuffle=True, seed=seed), OTHERS) == []
    assert notes(table, OTHERS[:2]) == []


@pytest.mark.parametrize("seed", range(30))
def test_people_in_any_order_are_not_told(seed: int) -> None:
    """As they come, in the order of one column or several, published or not, in blocks of regions, and expanded."""
    table, quasi = people(seed), ["sex", "born", "town", "plan"]
    names = np.random.default_rng(seed).permutation(["sex", "born", "region", "town", "plan"]).tolist()
    for by in ([], names[:1], names[:2], names):
        ordered = table.sort(by) if by else table
        for columns in (quasi, [*quasi, "region"], ["region", "town", "born"]):
            assert notes(ordered, columns) == [], (by, columns)
    blocks = pl.concat(table.filter(region=region) for region in np.random.default_rng(seed).permutation(6))
    assert notes(blocks, [*quasi, "region"]) == []


def test_publish_says_it_and_the_recipe_does_not(folder: Path, call: Program) -> None:
    years(1).write_csv(folder / "t.csv")
    done = call("publish", "t.csv", "--quasi", ",".join(OTHERS), "--sensitive", "ill", "--l", "2", "--out", "out")
    assert done.code == 0
    assert "note: rows that follow each other look like the same person: " in done.err
    assert "with a column that numbers people and --people NUMBER=person" in done.err
    assert "follow" not in (folder / "out" / "recipe.json").read_text()
