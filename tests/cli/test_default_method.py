"""Where no method is named it is Strata, and its strict form SoftCut where a table has no strata.

With Spark only where Spark can divide it among machines.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pellucid as pc
from cli.program import Program
from pellucid.cli import publish_on_spark
from pellucid.cli.publish_on_spark import divisible
from pellucid.cli.verbs import publish as verb
from pellucid.core.request import Request
from pellucid.spark.engine.publish import check_possible

WORDS = ("patients.csv", "--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name", "--l", "2")


def recipe(folder: Path, out: str = "out") -> dict[str, Any]:
    return json.loads((folder / out / "recipe.json").read_text())


def test_publish_without_a_method_is_strata(folder: Path, call: Program) -> None:
    done = call("publish", "census:200", "--l", "4", "--out", "out")
    assert done.code == 0
    assert (recipe(folder)["method"], recipe(folder)["parameters"]["size"]) == ("strata", 50)
    assert done.out.startswith("bound ")
    some = call("publish", "census:200", "--l", "4", "--size", "20", "--out", "sized")
    assert (some.code, recipe(folder, "sized")["parameters"]["size"]) == (0, 20)


@pytest.mark.parametrize("rows", [99, 100])
def test_a_table_with_fewer_rows_than_a_stratum_has_the_strict_form(folder: Path, call: Program, rows: int) -> None:
    done = call("publish", f"census:{rows}", "--l", "2", "--out", "out")
    assert done.code == 0
    assert recipe(folder)["method"] == ("soft-cut" if rows < 100 else "strata")
    assert ("99 rows are fewer than two strata of 50 have" in " ".join(done.out.split())) == (rows < 100)
    assert call("publish", f"census:{rows}", "--l", "2", "--method", "strata", "--out", "named").code == 0
    assert recipe(folder, "named")["method"] == "strata"  # what is named is never exchanged
    sized = call("publish", f"census:{rows}", "--l", "2", "--size", "10", "--out", "sized")
    assert (sized.code, recipe(folder, "sized")["method"]) == (0, "strata")


@pytest.mark.parametrize("more", [[], ["--cluster-rows", "1"]])
def test_where_people_are_clusters_it_is_the_strict_form(folder: Path, call: Program, more: list[str]) -> None:
    lines = [f"{i // 2},{20 + i % 50},{'abcdefgh'[i * 7 % 8]}" for i in range(120)]
    (folder / "homes.csv").write_text("\n".join(["home,age,ill", *lines]) + "\n")
    words = ["homes.csv", "--quasi", "age", "--sensitive", "ill", "--cluster", "home", "--l", "2"]
    done = call("publish", *words, *more, "--out", "out")
    assert (done.code, recipe(folder)["method"]) == (0, "soft-cut"), done
    assert more or "strata takes rows that belong together as people of their own" in " ".join(done.out.split())
    named = call("publish", *words, "--method", "strata", "--out", "named")
    assert "use soft-cut, hybrid or ace" in named.error


def test_what_is_named_is_taken(folder: Path, call: Program) -> None:
    assert call("publish", *WORDS, "--method", "hybrid", "--out", "named").code == 0
    assert json.loads((folder / "named/recipe.json").read_text())["method"] == "hybrid"


def test_one_method_is_marked_as_the_default(call: Program) -> None:
    assert [one["name"] for one in call("methods", "--json").document if one["default"]] == ["strata"]
    listed = " ".join(call("methods").out.split())
    assert listed.count("the default") == 1
    assert "strata the default:" in listed
    assert "strata, unless given" in " ".join(call("publish", "--help").out.replace("│", " ").split())


@pytest.mark.usefixtures("folder")
def test_the_default_is_compared_first(call: Program) -> None:
    found = call("compare", *WORDS, "--json").document
    assert [one["method"] for one in found["settings"]] == [
        "strata",
        "soft-cut",
        "tailor",
        "ace",
        "mondrian",
        "anatomy",
    ]
    assert any(sentence.startswith("SoftCut at l=2 ") for sentence in found["sentences"])


@pytest.mark.usefixtures("folder")
def test_the_demo_says_what_the_default_is(call: Program) -> None:
    said = " ".join(call("demo").out.split())
    assert "too few for strata: published with SoftCut at l = 2" in said
    assert "published with Strata at l = 8" in said
    assert "bound the bound is 1/8 for" in said
    assert "The strict form is SoftCut" in said


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("able", "chosen"), [(True, "strata"), (False, "hybrid")])
def test_with_spark_the_default_is_what_it_can_divide(
    call: Program, monkeypatch: pytest.MonkeyPatch, able: bool, chosen: str
) -> None:
    asked: list[Request] = []

    def keep(request: Request, *_: Any, **__: Any) -> None:
        asked.append(request)

    monkeypatch.setattr(verb, "publish_and_tell", keep)
    monkeypatch.setattr(publish_on_spark, "divisible", lambda method: able or method.name != "strata")
    for named in ([], ["--method", "tailor"], ["--method", "soft-cut"]):  # what is named is never exchanged
        assert call("publish", *WORDS, *named, "--engine", "spark", "--out", "out").code == 0
    assert [job.method.name for job in asked] == [chosen, "tailor", "soft-cut"]
    assert asked[0].method.model_dump()["l"] == 2


def test_the_engine_is_asked_what_it_can_divide() -> None:
    assert divisible(pc.Hybrid(l=2))
    assert not divisible(pc.Mondrian(l=2))
    with pytest.raises(pc.MethodError, match="cannot divide it"):
        check_possible(pc.Mondrian(l=2), pc.Intervals())
