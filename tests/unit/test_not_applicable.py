"""Where a value is missing because it cannot be there, the steward hears it, with the condition that helps."""

from __future__ import annotations

import tomllib
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.not_applicable import not_applicable, proposals
from pellucid.cli.program import main


def households(seed: int = 1, missing: float = 0.0, rows: int = 800) -> pl.DataFrame:
    coins = Random(seed)
    ages = [coins.randrange(0, 90) for _ in range(rows)]
    return pl.DataFrame(
        {
            "age": ages,
            "sex": [coins.choice("mf") for _ in ages],
            "income": [
                None if age < 15 or coins.random() < missing else coins.choice(["low", "mid", "high", "top", "none"])
                for age in ages
            ],
        }
    )


def told(table: pl.DataFrame, quasi: list[str], sensitive: str = "income") -> list[str]:
    one_group = np.zeros(table.height, np.int32)
    return list(map(str, not_applicable(pc.read(table, quasi=quasi, sensitive=sensitive), one_group)))


def test_children_without_an_income_are_found_and_leaving_them_out_settles_it() -> None:
    for seed in range(6):
        table = households(seed, missing=0.05 * (seed % 3))
        (said,) = told(table, ["age", "sex"])
        children = table.filter(pl.col("age") < 15).height
        assert said.startswith(f"income is null for 100 % of the {children} people with age below 15")
        assert "Leave them out with where='age >= 15', or say so with applies='income=age >= 15'" in said
        adults = pc.read(table, quasi=["age", "sex"], sensitive="income", where="age >= 15")
        assert len(adults) == 800 - children
        assert not_applicable(adults, np.zeros(len(adults), np.int32)) == []


def test_codes_that_are_numbers_are_proposed_without_quotation_marks() -> None:
    """A condition compares numbers with numbers, also of a category: publishing a draft was refused for a text."""
    jobs = [n % 5 for n in range(300)]
    table = pl.DataFrame({"job": jobs, "pay": [None if job > 2 else "abcd"[n % 4] for n, job in enumerate(jobs)]})
    columns = {"job": pc.Column(role="quasi", kind="category"), "pay": pc.Column(role="sensitive")}
    read = pc.read(table, schema=pc.Schema(columns=columns))
    (said,) = map(str, not_applicable(read, np.zeros(300, np.int32)))
    assert "pay is null for 100 % of the 120 people with job = 3 or 4" in said
    (proposal,) = proposals(read)
    assert proposal.line == 'applies = "job not in [3, 4]"'
    columns["pay"] = pc.Column(role="sensitive", applies=proposal.condition)
    assert not proposals(pc.read(table, schema=pc.Schema(columns=columns)))


def test_who_is_asked_may_have_two_ends_and_the_proposal_can_be_published() -> None:
    """Drugs are asked of people from 18 to 69: with one end alone the age would tell who was asked."""
    coins = Random(5)
    ages = [coins.randrange(90) for _ in range(900)]
    drugs = [coins.choice("abc") if 18 <= age <= 69 else None for age in ages]
    table = pl.DataFrame({"age": ages, "drugs": drugs})
    (said,) = told(table, ["age"], "drugs")
    assert "people with age below 18 or above 69. " in said
    assert "applies='drugs=age >= 18 and age <= 69'" in said
    release = pc.publish(
        table, pc.Strata(l=2, k=2), quasi="age", sensitive="drugs", applies="drugs=age >= 18 and age <= 69"
    )
    assert release.recipe["rows"] == 900


def test_a_value_that_is_missing_by_chance_asks_nothing() -> None:
    coins = Random(3)
    for share in (0.02, 0.3, 0.7):
        table = households().with_columns(
            income=pl.Series([None if coins.random() < share else coins.choice("abcde") for _ in range(800)])
        )
        assert told(table, ["age", "sex"]) == []


@pytest.mark.parametrize(
    ("column", "values", "condition"),
    [
        ("sex", pl.col("sex"), """sex not in ["m"]"""),
        ("born there", pl.col("sex"), """`born there` not in ["m"]"""),
        ("year", 2020 - pl.col("age"), "year <= 2005"),
    ],
)
def test_the_condition_is_one_that_is_understood(column: str, values: pl.Expr, condition: str) -> None:
    rule = pl.col("age") < 15 if column == "year" else pl.col("sex") == "m"
    table = households().with_columns(values.alias(column), ill=pl.when(~rule).then(pl.col("age") % 5))
    (said,) = told(table, [column], "ill")
    assert f"Leave them out with where={condition!r}, or" in said
    left = pc.read(table, quasi=column, sensitive="ill", where=condition)
    assert len(left) == table.filter(~rule).height


def test_publishing_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    households().write_csv(tmp_path / "t.csv")
    asked = ["publish", str(tmp_path / "t.csv"), "--quasi", "age,sex", "--sensitive", "income", "--l", "3"]
    assert main([*asked, "--out", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "warning: income is null for 100 % of the" in said
    assert "Leave them out with --where 'age >= 15'" in said
    assert main([*asked, "--where", "age >= 15", "--out", str(tmp_path / "adults")]) == 0
    assert "income is null" not in capsys.readouterr().err
    assert "Only rows are published for which age >= 15." in (tmp_path / "adults" / "recipe.json").read_text()


def test_what_a_quasi_identifier_rules_out_is_proposed_with_its_support() -> None:
    coins = Random(5)
    sex = [coins.choice("fm") for _ in range(600)]
    state = [coins.choice(["pregnant", "ill", "well"] if one == "f" else ["ill", "well"]) for one in sex]
    table = pl.DataFrame({"sex": sex, "state": state})
    (found,) = proposals(pc.read(table, quasi="sex", sensitive="state"))
    men = sex.count("m")
    assert found.line == """ruled_out = {pregnant = 'sex in ["m"]'}"""
    assert str(found.finding).startswith(f"none of the {men} people with sex = m has state = pregnant")
    said = pc.Schema(**tomllib.loads(f"[columns.sex]\nrole = 'quasi'\n[columns.state]\nrole='sensitive'\n{found.line}"))
    assert proposals(pc.read(table, schema=said)) == []
    pc.publish(table, pc.Strata(l=2, size=20), schema=said)


def test_a_value_that_chance_alone_leaves_out_is_not_ruled_out() -> None:
    coins = Random(6)
    table = pl.DataFrame(
        {"sex": [coins.choice("fm") for _ in range(60)], "ill": [coins.choice("abcdefgh") for _ in range(60)]}
    )
    assert proposals(pc.read(table, quasi="sex", sensitive="ill")) == []


@pytest.mark.parametrize("rows", [15_000, 25_000])
def test_values_that_are_seldom_together_make_no_list_of_rules(rows: int) -> None:
    coins = Random(7)
    cells = [(coins.randrange(100), coins.randrange(50), coins.randrange(17)) for _ in range(rows)]
    table = pl.DataFrame(cells, schema=["job", "pay", "school"], orient="row")
    names = table.with_columns(pl.all().cast(pl.String))  # 3 or 5 people of a job have each pay: zeros by chance
    assert proposals(pc.read(names, quasi=["job", "school"], sensitive="pay")) == []
    assert proposals(pc.read(pc.datasets.census(20_000, seed=1), quasi=["age", "education"], sensitive="income")) == []
    strict = names.with_columns(
        pl.when(pl.col("school") == pl.col("pay")).then(pl.lit("0")).otherwise(pl.col("pay")).alias("pay")
    )
    found = proposals(pc.read(strict, quasi=["school"], sensitive="pay"))
    assert len(found) == 3
    assert all(one.people > 700 and " or " not in one.whom for one in found)


def test_a_draft_proposes_and_declares_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    households().write_csv(tmp_path / "t.csv")
    assert main(["init", str(tmp_path / "t.csv")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert 'write applies = "age >= 15" under income' in said
    assert "confidence 100 %" in said
    assert "applies" not in (tmp_path / "t.toml").read_text()


def test_publish_speaks_of_nobody_who_pads_no_group_and_counts_whose_absence_is_certain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sixty men have no number of pregnancies, and of sixty women a third have none either."""
    frame = pl.DataFrame(
        {"sex": ["m"] * 60 + ["f"] * 60, "age": [*range(60)] * 2, "births": [None] * 80 + [*"1234"] * 10}
    )
    table = pc.read(frame, quasi=["sex", "age"], sensitive="births")
    apart, mixed = np.arange(120, dtype=np.int32) // 60, np.arange(120, dtype=np.int32) % 60
    assert not_applicable(table, apart) == []
    assert len(not_applicable(table, mixed)) == 1
    frame.write_csv(tmp_path / "births.csv")
    words = ["publish", str(tmp_path / "births.csv"), "--quasi", "sex,age", "--sensitive", "births", "--l", "2"]
    assert main([*words, "--applies", 'births=sex = "f"', "--size", "4", "--out", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    data = pl.read_csv(tmp_path / "out" / "data.csv").filter(pl.col("sex") == "f")
    groups = data.group_by("age").agg(n=pl.len(), some=pl.col("births").is_not_null().sum())
    certain = groups.filter(pl.col("some") == 0)["n"].sum()
    assert certain > 0
    assert f"of 60 people to whom births applies, having none is told for certain for {certain}" in said


@pytest.mark.parametrize("code", ["99", "-1", "NA (child)", "Inap."])
def test_a_code_that_only_children_have_is_proposed_as_none_and_what_is_proposed_keeps_them_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    coins = Random(11)
    values = ["low", "mid", "high", "top", "none"] if code.isalpha() or len(code) > 2 else [*"12345"]
    rows = [(age, coins.choice("mf"), code if age < 15 else coins.choice(values)) for age in [*range(90)] * 12]
    table = pl.DataFrame(rows, schema=["age", "sex", "income"], orient="row")
    table.write_csv(tmp_path / "t.csv")
    (found,) = [one for one in proposals(pc.read(table, quasi=["age", "sex"], sensitive="income")) if one.code]
    assert (str(found.missing), found.line) == (f'missing = ["{code}"]', 'applies = "age >= 15"')
    assert (found.people, found.share) == (180, 1.0)

    assert main(["init", str(tmp_path / "t.csv")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    if code in ("99", "-1"):  # which the draft takes as missing by itself
        assert "income is null for 100 % of the 180 people with age below 15" in said
    else:
        assert f'write missing = ["{code}"] and applies = "age >= 15" under income (and role = "quasi"' in said
        assert "ruled_out" not in said
    columns = {"age": "quasi", "sex": "quasi", "income": "sensitive"}
    text = "\n".join(f"[columns.{name}]\nrole = '{role}'" for name, role in columns.items())
    declared = pc.Schema(**tomllib.loads(f"{text}\n{found.missing}\n{found.line}"))
    release = pc.publish(table, pc.Strata(l=3), schema=declared)
    groups = release.private.grouping.labels
    children = table["age"].to_numpy() < 15
    assert not set(groups[children]) & set(groups[~children])
    assert proposals(pc.read(table, schema=declared)) == []


def test_publish_says_that_a_code_pads_the_groups_of_others_and_a_refusal_names_the_way() -> None:
    coins = Random(12)
    rows = [(age, coins.choice("mf"), -1 if age < 15 else coins.randrange(5, 60) * 100) for age in [*range(90)] * 12]
    table = pl.DataFrame(rows, schema=["age", "sex", "income"], orient="row")
    (said,) = told(table, ["age", "sex"])
    assert said.startswith("income is -1 for 100 % of the 180 people with age below 15. If -1 means that")
    assert 'where=\'age >= 15\', or write missing = ["-1"] and applies = "age >= 15" under income' in said
    named = table.with_columns(income=pl.when(pl.col("age") < 15).then(pl.lit("none yet")).otherwise(pl.col("sex")))
    with pytest.raises(pc.SchemaError, match="if none yet means that income does not apply to them, declare it"):
        pc.publish(named, pc.Strata(l=2), quasi="age", sensitive="income")


def test_a_value_that_is_only_frequent_among_the_old_is_no_code() -> None:
    coins = Random(13)
    rows = [
        (age, "retired" if age > 70 or (age > 50 and coins.random() < 0.5) else coins.choice("abcdef"))
        for age in [*range(18, 90)] * 10
    ]
    table = pl.DataFrame(rows, schema=["age", "work"], orient="row")
    assert [one for one in proposals(pc.read(table, quasi="age", sensitive="work")) if one.code] == []


def test_a_code_that_few_have_is_found_among_frequent_values() -> None:
    """Sixteen of 300 people are below 4, and every other value is more frequent than their code."""
    coins = Random(14)
    rows = [(age % 75, "Inap." if age % 75 < 4 else coins.choice("uvwxyz")) for age in range(300)]
    table = pl.DataFrame(rows, schema=["age", "state"], orient="row")
    (found,) = proposals(pc.read(table, quasi="age", sensitive="state"))
    assert (str(found.missing), found.line, found.people) == ('missing = ["Inap."]', 'applies = "age >= 4"', 16)


@pytest.mark.parametrize(
    ("known", "whom", "condition"),
    [
        (lambda n: None if n < 30 else n, "wait.time null", "`wait.time` is not null"),
        (lambda n: None if n < 30 else "abc"[n % 3], "wait.time null", "`wait.time` is not null"),
        (lambda n: None if n < 15 else n, "wait.time below 30 or null", "`wait.time` >= 30"),
        (lambda n: None if n < 15 else "abcd"[n // 30], "wait.time = a or null", None),
        (lambda n: None if n > 75 else n, "wait.time below 30", "`wait.time` >= 30 or `wait.time` is null"),
    ],
)
def test_who_has_null_in_another_column_may_have_none(known: Any, whom: str, condition: str | None) -> None:
    """Of heart patients who wait for a transplant nobody can reject one."""
    coins = Random(15)
    table = pl.DataFrame(
        {
            "wait.time": pl.Series([known(n % 90) for n in range(450)], strict=False),
            "reject": [None if n % 90 < 30 else coins.choice("ab") for n in range(450)],
        }
    )
    (said,) = told(table, ["wait.time"], "reject")
    condition = condition or '`wait.time` not in ["a"] and `wait.time` is not null'
    assert f"people with {whom}. " in said
    assert f"say so with applies={f'reject={condition}'!r}" in said
    release = pc.publish(table, pc.Strata(l=2), quasi="wait.time", sensitive="reject", applies=f"reject={condition}")
    assert release.recipe["rows"] == 450


def test_a_value_is_not_ruled_out_for_people_of_whom_the_other_column_is_null() -> None:
    rows = [
        (None if n % 6 == 0 else n % 90, "pregnant" if n % 90 >= 20 and n % 4 == 0 else "ab"[n % 2])
        for n in range(1800)
    ]
    table = pl.DataFrame(rows, schema=["age", "state"], orient="row")
    (found,) = proposals(pc.read(table, quasi="age", sensitive="state"))
    assert found.condition == "not (age >= 20 or age is null)"
