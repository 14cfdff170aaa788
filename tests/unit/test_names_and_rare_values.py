"""Names are not published unasked, and people with values that nobody protects do not stand alone unasked."""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.cli.program import main
from pellucid.errors import SchemaError


def table(seed: int = 1, rows: int = 600, share: float = 0.04) -> pl.DataFrame:
    coins = Random(seed)
    return pl.DataFrame(
        {
            "name": [f"Ann {number % (rows - 5)}" for number in range(rows)],
            "age": [coins.randrange(20, 90) for _ in range(rows)],
            "town": [coins.choice("abcdefgh") for _ in range(rows)],
            "ill": [
                "HIV" if number % round(1 / share) == 0 else coins.choice(["flu", "none", None])
                for number in range(rows)
            ],
        }
    )


@pytest.mark.parametrize("role", ["quasi", "carry"])
def test_a_column_of_names_is_refused_until_it_is_accepted_by_name(role: str) -> None:
    roles = {"quasi": ["age", "name"]} if role == "quasi" else {"quasi": ["age"], "carry": ["name"]}
    with pytest.raises(SchemaError, match=r"name names people.*accept it with accept_known=\['name'\]"):
        pc.publish(table(), pc.SoftCut(l=2, values=["HIV"]), sensitive="ill", **roles)
    made = pc.publish(table(), pc.SoftCut(l=2, values=["HIV"]), sensitive="ill", accept_known=["name"], **roles)
    assert made.recipe["accepted_known"] == ["name"]


def test_the_command_line_says_its_own_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table().write_csv(tmp_path / "t.csv")
    asked = [
        "publish",
        str(tmp_path / "t.csv"),
        "--quasi",
        "age,name",
        "--sensitive",
        "ill",
        "--values",
        "HIV",
        "--l",
        "2",
    ]
    assert main([*asked, "--out", str(tmp_path / "out")]) == 2
    assert "--accept-known name" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_few_share_under_a_name_that_names_nobody_is_published() -> None:
    assert pc.publish(table(), pc.SoftCut(l=2, values=["HIV"]), quasi=["age", "town"], sensitive="ill").recipe["rows"]
    namesakes = table().with_columns(name=pl.Series([f"Ann {number % 90}" for number in range(600)]))
    assert pc.publish(namesakes, pc.SoftCut(l=2, values=["HIV"]), quasi=["age", "name"], sensitive="ill").recipe["rows"]


@pytest.mark.parametrize("name", ["soft-cut", "hybrid", "ace", "anatomy"])
@pytest.mark.parametrize("l", [2, 3, 5])
def test_nobody_stands_alone_unless_that_is_asked(name: str, l: int) -> None:
    for seed in range(4):
        drawn, roles = table(seed, rows=200 + 100 * seed, share=0.02 * (seed + 1)), {"quasi": ["age", "town"]}
        made = pc.publish(drawn, methods()[name](l=l, values=["HIV"]), sensitive="ill", **roles)
        assert made.private.grouping.sizes.min() >= l
        assert made.recipe["parameters"]["k"] == l
    asked = pc.publish(drawn, methods()[name](l=l, values=["HIV"], k=1), sensitive="ill", **roles)
    assert asked.recipe["parameters"]["k"] == 1
    every = drawn.with_columns(ill=pl.Series([str(number % 9) for number in range(drawn.height)]))
    assert "k" not in pc.publish(every, methods()[name](l=l), sensitive="ill", **roles).recipe["parameters"]


def test_a_schema_that_protects_some_values_does_the_same() -> None:
    columns = {"age": {"role": "quasi"}, "ill": {"role": "sensitive", "protect": ["HIV"]}}
    made = pc.publish(table(), pc.SoftCut(l=4), schema=pc.Schema(columns=columns))
    assert made.private.grouping.sizes.min() >= 4


def test_it_is_said_how_many_times_as_likely_a_rare_value_becomes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table(share=0.04).write_csv(tmp_path / "t.csv")
    asked = ["publish", str(tmp_path / "t.csv"), "--quasi", "age", "--sensitive", "ill", "--values", "HIV"]
    assert main([*asked, "--l", "3", "--out", str(tmp_path / "three")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "4.0% of all people have it, and up to 1/3 of a group, 8 times as many. With l = 13 it is at most 2" in said
    assert main([*asked, "--l", "13", "--out", str(tmp_path / "thirteen")]) == 0
    assert "times as many" not in capsys.readouterr().err


def test_no_l_that_leaves_nothing_is_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 6,000 people four have it: an l of 750 would be asked for."""
    ill = [*["HIV"] * 4, *["flu", "cold"] * 2_998]
    rare = pl.DataFrame({"age": [n * 7 // 13 % 60 for n in range(6_000)], "ill": ill})
    rare.write_csv(tmp_path / "t.csv")
    asked = ["publish", str(tmp_path / "t.csv"), "--quasi", "age", "--sensitive", "ill", "--values", "HIV"]
    assert main([*asked, "--l", "3", "--out", str(tmp_path / "three")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "up to 1/3 of a group, 500 times as many. With l = 20 it is at most 75 times as many; l = 750 would" in said
    assert "merge HIV with like values" in said
    pay = rare.select("age", income=pl.Series([n * 7919 % 700 for n in range(6_000)]))
    pay.write_csv(tmp_path / "pay.csv")
    assert main(["init", str(tmp_path / "pay.csv")]) == 0
    assert "l can be up to 666, 3 to 10 are usual" in " ".join(capsys.readouterr().out.split())
