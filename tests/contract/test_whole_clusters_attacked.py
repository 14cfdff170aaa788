"""A promise about households is audited for households: groups that break it are not passed, though rows keep it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.program import main
from pellucid.publishing import SecretSeedWarning

HOMES = 40
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill", "identifier": "who"}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Households of two, published with l = 2; and the same people with values traded in their groups."""
    ill = ["flu", "cold", "gout", "mumps", "HIV", "asthma", "none", "ulcer"]
    people = pl.DataFrame(
        {
            "who": range(2 * HOMES),
            "home": [row // 2 for row in range(2 * HOMES)],
            "age": [20 + row % 37 for row in range(2 * HOMES)],
            "ill": [ill[row // 2 % len(ill)] for row in range(2 * HOMES)],
        }
    )
    people.write_csv(tmp_path / "people.csv")
    with pytest.warns(SecretSeedWarning):
        release = pc.publish(people, pc.SoftCut(l=2), **ROLES, cluster="home", seed=1)
    release.write(tmp_path / "out")
    labels = release.private.labels
    pl.DataFrame({"group": labels}).write_csv(tmp_path / "groups.csv")
    traded(people, labels.tolist()).write_csv(tmp_path / "traded.csv")
    return tmp_path


def traded(people: pl.DataFrame, groups: list[int]) -> pl.DataFrame:
    """Households share their value; a member of one trades with one of another in the same group, which stays.

    Both then have both values: two households of two, or of three.
    """
    ill = people["ill"].to_list()
    one, other = [row for row, group in enumerate(groups) if group == groups[0]][:2]
    ill[one], ill[other] = ill[other], ill[one]
    return people.with_columns(pl.Series("ill", ill))


def calls(folder: Path, truth: str) -> list[list[str]]:
    known = ["--truth", str(folder / truth), "--groups", str(folder / "groups.csv"), "--identifier", "who"]
    out = str(folder / "out")
    return [
        ["attack", out, *known, "--max-risk", "1/2"],
        ["verify", out, "--require", "transparent l-diversity=2", *known],
        ["report", out, "--original", *known[1:], "--out", str(folder / f"{truth}.html")],
    ]


def test_groups_in_which_too_many_households_have_a_value_are_not_passed(
    published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in calls(published, "people.csv"):
        assert main(words) == 0, words
    capsys.readouterr()
    for words in calls(published, "traded.csv"):
        assert main(words) != 0, words
        told = capsys.readouterr()
        assert (
            "each home taken as a whole, and soft-cut makes no such group" in " ".join((told.out + told.err).split())
            or "not what it is said to be" in told.err
        )
