"""``merge``, ``labels`` and ``unique`` of a schema, and values that differ in blanks or capital letters alone."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.program import main
from pellucid.cli.spelled_alike import spelled_alike
from pellucid.errors import SchemaError
from pellucid.models import parse
from pellucid.models.all_of import AllOf
from pellucid.risk.views.how_made import described
from pellucid.text.figures import percent

COINS = Random("merge")
MOODS = ["None", "None", "Never", "Never", "Several", "Most", None]
PEOPLE = pl.DataFrame(
    {
        "age": [COINS.randint(20, 60) for _ in range(200)],
        "mood": [COINS.choice(MOODS) for _ in range(200)],
        "smokes": [COINS.choice([1, 2]) for _ in range(200)],
        "person": [number // 2 for number in range(200)],
    }
)


def schema(mood: dict[str, Any] | None = None, **more: Any) -> pc.Schema:
    columns = {
        "age": {"role": "quasi"},
        "smokes": {"role": "quasi", "labels": {"1": "yes", "2": "no"}},
        "mood": {"role": "sensitive", **(mood or {"merge": {"often": ["Several", "Most"]}})},
    }
    return pc.Schema(columns=columns, **more)


def test_values_are_read_as_one_and_called_so() -> None:
    table = pc.read(PEOPLE.drop("person"), schema=schema())
    assert table.attributes[2].values.to_list() == [None, "Never", "None", "often"]
    assert table.attributes[1].values.to_list() == ["no", "yes"]
    often = PEOPLE["mood"].is_in(["Several", "Most"]).fill_null(value=False).to_numpy()
    assert np.array_equal(table.codes[2] == 3, often)


def test_the_recipe_tells_it_and_the_release_is_attacked_and_measured_with_the_original() -> None:
    people = PEOPLE.drop("person")
    release = pc.publish(people, pc.Hybrid(l=2), schema=schema())
    told = {one["name"]: one for one in release.recipe["columns"]}
    assert told["mood"]["merge"] == {"often": ["Several", "Most"]}
    assert told["smokes"]["labels"] == {"1": "yes", "2": "no"}
    assert set(release.frame["mood"].unique()) <= {None, "Never", "None", "often"}
    assert pc.attack(release, truth=people).max_risk <= 0.5
    assert pc.measure(release, people, [pc.Kept()])


def test_a_release_on_disk_is_attacked_with_the_original(tmp_path: Path) -> None:
    people = PEOPLE.drop("person")
    pc.publish(people, pc.Hybrid(l=2), schema=schema()).write(tmp_path / "out")
    assert pc.attack(tmp_path / "out", truth=people).max_risk <= 1
    assert pc.measure(tmp_path / "out", people, [pc.Kept()])


def test_a_schema_is_written_as_it_is_read() -> None:
    one = schema(unique="person")
    assert pc.Schema(**tomllib.loads(one.to_toml())) == one


@pytest.mark.parametrize(
    ("mood", "said"),
    [
        ({"merge": {}}, "merges nothing"),
        ({"merge": {"a": ["x", "y"], "b": ["x"]}}, "is in two of them"),
        ({"labels": []}, "labels nothing"),
        ({"merge": {"a": ["x"]}, "kind": "number"}, "is for categories, and the kind is number"),
    ],
)
def test_what_is_no_merging_is_refused(mood: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        schema(mood)


def test_a_slip_is_refused() -> None:
    with pytest.raises(SchemaError, match="no row has 'Sevral'; did you mean 'Several'"):
        pc.read(PEOPLE.drop("person"), schema=schema({"merge": {"often": ["Sevral"]}}))


def test_unique_leaves_one_row_of_each_person() -> None:
    release = pc.publish(PEOPLE, pc.Hybrid(l=2), schema=schema(unique="person"))
    assert release.recipe["people"] == "person=one"
    assert release.frame.height == 100


def test_values_that_differ_in_blanks_alone_are_said_with_what_to_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sex = ["F", "F", "F ", "f", "M"] * 20
    table = pl.DataFrame({"sex": sex, "ill": [COINS.choice("abcd") for _ in sex]})
    (said,) = map(str, spelled_alike(pc.read(table, quasi="sex", sensitive="ill")))
    assert said.startswith("sex has 'F' and 'F ' (20 rows), which differ in blanks or capital letters alone")
    written = tomllib.loads(f"[columns.sex]\nrole = 'quasi'\n{said.partition('put ')[2].partition(' into')[0]}")
    merged = pc.Schema(columns={**written["columns"], "ill": {"role": "sensitive"}})
    assert spelled_alike(pc.read(table, schema=merged)) == []
    table.write_csv(tmp_path / "t.csv")
    asked = ["publish", str(tmp_path / "t.csv"), "--quasi", "sex", "--sensitive", "ill", "--l", "2"]
    assert main([*asked, "--out", str(tmp_path / "out")]) == 0
    assert "differ in blanks" in " ".join(capsys.readouterr().err.split())


def test_what_is_kept_is_said_beside_how_many_rows_show_one_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    areas = {"area": [f"P{n % 60:02}" for n in range(1200)], "ill": [COINS.choice("abcdefgh") for _ in range(1200)]}
    pl.DataFrame(areas | {"age": [COINS.randint(16, 90) for _ in range(1200)]}).write_csv(tmp_path / "t.csv")
    asked = ["publish", str(tmp_path / "t.csv"), "--quasi", "age,area", "--sensitive", "ill", "--l", "4"]
    assert main([*asked, "--method", "hybrid", "--out", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    shown = float(pl.read_csv(tmp_path / "out" / "data.csv")["area"].str.contains("[{*]").not_().mean())  # type: ignore[arg-type]
    assert re.search(rf"column kept one value age \d+ % (\d+ % )?area \d+ % {percent(shown)} ", said)


def test_a_posterior_is_what_beliefs_are() -> None:
    """A shape may be sampled where chances are exact."""
    people = PEOPLE.drop("person")
    release = pc.publish(people, pc.Hybrid(l=2), schema=schema())
    found = pc.attack(release, truth=people)
    sampled = replace(found, posterior_of=lambda _: {"often": 0.123, "None": 0.877})
    assert sampled.posterior(0, "often") == sampled.belief("often")[0] != 0.123


def test_two_models_that_are_declared_are_told_as_two() -> None:
    both = AllOf(models=(parse("k-anonymity=4"), parse("l-diversity=2")))
    assert str(described(both)) == "k-anonymity (k = 4) and l-diversity (l = 2)"
