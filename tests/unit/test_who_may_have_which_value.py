"""``applies`` and ``ruled_out`` of a schema: boundaries that groups never cross, declared and never found by values."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.program import main
from pellucid.errors import MethodError, SchemaError

RANDOM = Random("applies")
AGES = [RANDOM.randint(0, 60) for _ in range(600)]
SEX = [RANDOM.choice("fm") for _ in AGES]
PAY = [None if age < 15 else RANDOM.choice(["low", "mid", "high", "top", None]) for age in AGES]
STATE = [RANDOM.choice(["pregnant", "ill", "well"] if sex == "f" else ["ill", "well", "tired"]) for sex in SEX]
PEOPLE = pl.DataFrame({"age": AGES, "sex": SEX, "pay": PAY, "state": STATE})
SIDES = np.array(AGES) >= 15


def schema(**columns: dict[str, Any]) -> pc.Schema:
    return pc.Schema(columns={"age": {"role": "quasi"}, "sex": {"role": "quasi"}, **columns})


INCOME = schema(pay={"role": "sensitive", "applies": "age >= 15"})
PREGNANT = schema(state={"role": "sensitive", "ruled_out": {"pregnant": 'sex = "m"'}})


def test_no_group_has_people_of_both_sides_and_values_are_bounded() -> None:
    release = pc.publish(PEOPLE.select("age", "sex", "pay"), pc.Strata(l=3, size=20), schema=INCOME)
    for group in range(len(release.private.grouping)):
        members = np.flatnonzero(release.private.labels == group)
        assert len(set(SIDES[members].tolist())) == 1
        held = [PAY[row] for row in members if PAY[row] is not None]
        if len(members) < 20:
            assert all(held.count(value) * 3 <= len(members) for value in set(held))
    assert release.recipe["parameters"]["same"] == ["age >= 15"]
    assert "pay applies where age >= 15" in release.recipe["sentence"]
    told = next(one for one in release.recipe["columns"] if one["name"] == "pay")
    assert told["applies"] == "age >= 15"


def test_children_are_no_risk_and_what_is_promised_holds() -> None:
    people = PEOPLE.select("age", "sex", "pay")
    release = pc.publish(people, pc.Strata(l=3, size=20), schema=INCOME)
    assert [v.holds for v in pc.verify(release, [pc.Promised()], truth=people)] == [True]
    risk = pc.attack(release, truth=people).risk
    assert np.nan_to_num(risk)[~SIDES].max() == 0  # null is no secret of a child
    assert risk[SIDES].max() > 0


def test_a_call_says_the_same_as_a_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.select("age", "sex", "pay").write_csv("people.csv")
    strata = ["--method", "strata", "--l", "3", "--size", "20", "--out", "out"]
    roles = ["--quasi", "age,sex", "--sensitive", "pay", "--applies", "pay=age >= 15"]
    assert main(["publish", "people.csv", *roles, *strata]) == 0
    assert json.loads(Path("out/recipe.json").read_text())["parameters"]["same"] == ["age >= 15"]


def test_whoever_it_is_ruled_out_for_is_apart() -> None:
    release = pc.publish(PEOPLE.select("age", "sex", "state"), pc.Strata(l=2, size=20), schema=PREGNANT)
    women = np.array(SEX) == "f"
    assert all(len(set(women[release.private.labels == g].tolist())) == 1 for g in range(len(release.private.grouping)))
    assert "pregnant is ruled out" in release.recipe["sentence"]


def test_other_methods_refuse_with_the_reason() -> None:
    for method in (pc.SoftCut(l=2), pc.Hybrid(l=2)):
        with pytest.raises(MethodError, match="strikes the others out"):
            pc.publish(PEOPLE.select("age", "sex", "pay"), method, schema=INCOME)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (schema(pay={"role": "sensitive", "applies": "age >= 30"}), "said to apply where age >= 30, and"),
        (
            schema(pay={"role": "sensitive", "applies": "age >= 15", "ruled_out": {"top": "age >= 50"}}),
            "pay = top is said to be ruled out where age >= 50, and",
        ),
    ],
)
def test_a_rule_that_is_not_true_is_refused(wrong: pc.Schema, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        pc.publish(PEOPLE.select("age", "sex", "pay"), pc.Strata(l=2, size=20), schema=wrong)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"pay": {"role": "sensitive", "applies": "pay = 1"}}, "which is no quasi-identifier"),
        ({"pay": {"role": "sensitive", "applies": "age >="}}, "where a number, or a text"),
        ({"pay": {"role": "sensitive", "ruled_out": []}}, "rules nothing out"),
        ({"pay": {"role": "sensitive"}, "zip": {"role": "quasi", "applies": "age > 3"}}, "applies is for role"),
    ],
)
def test_a_schema_says_what_is_wrong_with_it(columns: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        schema(**columns)


def test_a_side_that_is_too_small_names_the_way_out() -> None:
    few = PEOPLE.filter(pl.Series(SIDES) | (pl.Series(range(600)) < 40)).select("age", "sex", "pay")
    with pytest.raises(pc.Infeasible, match=r"not age >= 15, and a stratum has at least 50; .*where"):
        pc.publish(few, pc.Strata(l=2, size=50), schema=INCOME)


def test_a_schema_is_written_as_it_is_read() -> None:
    for one in (INCOME, PREGNANT):
        assert pc.Schema(**tomllib.loads(one.to_toml())) == one
