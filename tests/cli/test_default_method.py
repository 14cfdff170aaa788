"""Where no method is named it is SoftCut; with Spark only where Spark can divide it among machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pellucid as pc
from cli.program import Program
from pellucid.app import publish_on_spark
from pellucid.app.publish_on_spark import divisible
from pellucid.app.verbs import publish as verb
from pellucid.request import Request
from pellucid.spark.engine.publish import check_possible

WORDS = ("patients.csv", "--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name", "--l", "2")


def test_publish_without_a_method_is_soft_cut(folder: Path, call: Program) -> None:
    assert call("publish", *WORDS, "--out", "out").code == 0
    assert json.loads((folder / "out/recipe.json").read_text())["method"] == "soft-cut"
    assert call("publish", *WORDS, "--method", "hybrid", "--out", "named").code == 0
    assert json.loads((folder / "named/recipe.json").read_text())["method"] == "hybrid"


def test_one_method_is_marked_as_the_default(call: Program) -> None:
    assert [one["name"] for one in call("methods", "--json").document if one["default"]] == ["soft-cut"]
    listed = " ".join(call("methods").out.split())
    assert listed.count("the default") == 1
    assert "soft-cut the default:" in listed
    assert "soft-cut, unless given" in " ".join(call("publish", "--help").out.replace("│", " ").split())


@pytest.mark.usefixtures("folder")
def test_the_default_is_compared_first(call: Program) -> None:
    found = call("compare", *WORDS, "--json").document
    assert [one["method"] for one in found["settings"]] == ["soft-cut", "tailor", "ace", "mondrian", "anatomy"]
    assert any(sentence.startswith("SoftCut at l=2 ") for sentence in found["sentences"])


@pytest.mark.usefixtures("folder")
def test_the_demo_says_what_the_default_is(call: Program) -> None:
    said = " ".join(call("demo").out.split())
    assert "published with SoftCut at l = 2" in said
    assert "published with SoftCut at l = 8" in said
    assert "a secret random slack, so that a refusal tells almost nothing" in said


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("able", "chosen"), [(True, "soft-cut"), (False, "hybrid")])
def test_with_spark_the_default_is_what_it_can_divide(
    call: Program, monkeypatch: pytest.MonkeyPatch, able: bool, chosen: str
) -> None:
    asked: list[Request] = []

    def keep(request: Request, *_: Any, **__: Any) -> None:
        asked.append(request)

    monkeypatch.setattr(verb, "publish_and_tell", keep)
    monkeypatch.setattr(publish_on_spark, "divisible", lambda method: able or method.name != "soft-cut")
    for named in ([], ["--method", "tailor"], ["--method", "soft-cut"]):  # what is named is never exchanged
        assert call("publish", *WORDS, *named, "--engine", "spark", "--out", "out").code == 0
    assert [job.method.name for job in asked] == [chosen, "tailor", "soft-cut"]
    assert asked[0].method.model_dump()["l"] == 2


def test_the_engine_is_asked_what_it_can_divide() -> None:
    assert divisible(pc.Hybrid(l=2))
    assert not divisible(pc.Mondrian(l=2))
    with pytest.raises(pc.MethodError, match="cannot divide it"):
        check_possible(pc.Mondrian(l=2), pc.Intervals())
