"""Output a person can use: sets end, sizes are told, dates and numbers are what they are, outliers are capped."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pellucid as pc
from cli.program import Program
from pellucid.anonymize.methods import Grouping
from pellucid.core.recipe import Recipe
from pellucid.errors import InputError, SchemaError
from pellucid.published.matcher import CellMatcher

ILL = ["flu", "gout", "cold", "ulcer"]


def table(path: Path, columns: dict[str, list[object]]) -> None:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def weights(here: Path, cap: str, rows: int = 400) -> None:
    random = Random(5)
    kg: list[object] = [random.randint(45, 110) for _ in range(rows - 2)] + [231, 21]
    table(
        here / "t.csv", {"name": [f"p{i:03}" for i in range(rows)], "kg": kg, "ill": [ILL[i % 4] for i in range(rows)]}
    )
    (here / "s.toml").write_text(
        '[columns.name]\nrole = "identifier"\n[columns.kg]\nrole = "quasi"\n'
        + cap
        + '[columns.ill]\nrole = "sensitive"\n'
    )


@pytest.mark.parametrize(
    ("cap", "ends"),
    [("cap = { percent = [1, 99] }\n", None), ("cap = { low = 50, high = 105 }\n", {"low": 50, "high": 105})],
)
@pytest.mark.parametrize("split", ["", "--split-intervals"])
def test_top_and_bottom_coding_per_column(
    here: Path, call: Program, cap: str, ends: dict[str, int] | None, split: str
) -> None:
    weights(here, cap)
    made = call("publish", *f"t.csv --schema s.toml --method tailor --l 2 --out out --quiet {split}".split())
    assert made.code == 0, made
    told = json.loads((here / "out/recipe.json").read_text())["columns"][0]["cap"]
    assert ends is None or told == ends
    published = (here / "out/data.csv").read_text()
    assert "231" not in published
    assert "21" not in {word for line in published.splitlines() for word in line.replace("[", ",").split(",")}
    if not split:  # the heaviest are "that or more", alone or as an end
        assert f">={told['high']}" in published
        assert f"<={told['low']}" in published
    for words in (
        "verify out --population t.csv --require k-map=2",
        "attack out --truth t.csv --identifier name --adversary algorithm --max-risk 1/2",
        "measure out --original t.csv --metric kept",
        "report out --original t.csv --identifier name --out page.html --overwrite",
        "report out --audience public --out public.html --overwrite",
    ):
        for schema in ("", " --schema s.toml"):
            found = call(*f"{words}{schema}".split())
            assert found.code == 0, (words, schema, found)


def test_the_ends_of_a_cap_in_percent_are_reached_by_three_people(here: Path) -> None:
    weights(here, "cap = { percent = [1, 99] }\n", rows=120)
    cap = pc.read("t.csv", schema="s.toml").attributes[0].cap
    assert cap is not None
    ages = sorted(int(row["kg"]) for row in rows_of(here / "t.csv"))
    assert (cap.low, cap.high) == (ages[2], ages[-3])
    table(here / "t.csv", {"name": range(120), "kg": range(40, 160), "ill": [ILL[i % 4] for i in range(120)]})
    few = pc.read("t.csv", schema="s.toml").attributes[0].cap
    assert few is not None
    assert (few.low, few.high) == (42, 157)  # one row in a hundred are two people


def test_an_informed_reader_sees_that_an_end_stands_for_more() -> None:
    schema = pc.Schema(columns={"kg": pc.Column(role="quasi", cap={"high": 100}), "ill": pc.Column(role="sensitive")})
    frame = pl.DataFrame({"kg": [50, 60, 99, 140, 100, 231, None, 300], "ill": list("abababab")})
    grouping = [0, 0, 1, 1, 2, 2, 3, 3]
    read = pc.read(frame, schema=schema)
    groups = Grouping.from_labels(np.array(grouping, np.int32))
    texts = set(pc.Intervals().recode(read, groups)["data"]["kg"].to_list())
    assert texts == {"[50, 60]", "[99, >=100]", ">=100", ">=100 or null"}
    # whoever has the uncapped values reads them right without knowing the cap
    raw = CellMatcher(pl.Series([None, 50, 60, 99, 140, 231]))
    assert raw.of("[99, >=100]").tolist() == [False, False, False, True, True, True]
    assert raw.of(">=100 or null").tolist() == [True, False, False, False, True, True]
    sets = pc.Taxonomy().recode(read, groups)["data"]["kg"].to_list()
    assert "{99, >=100}" in sets
    assert raw.of("{99, >=100}").tolist() == [False, False, False, True, True, True]
    days = CellMatcher(pl.Series(["2019-12-31", "2020-01-01", "2021-05-05"]).str.to_date())
    assert days.of(">=2020-01-01").tolist() == [False, True, True]
    assert days.of("[<=2019-12-31, 2020-01-01]").tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("cap = [1, 99]", "may be percent or values; write cap = {percent = [1, 99]} or cap = {low = 40, high = 150}"),
        ("cap = { percent = [1, 99], high = 150 }", "a cap is in percent or in values"),
        ("cap = { low = 9, high = 3 }", "low = 9 is not below high = 3"),
        ("cap = { top = 3 }", "there is no key 'top' here, only low, high, percent"),
        ('kind = "category"\ncap = { high = 3 }', "it caps numbers, and the kind is category"),
    ],
)
def test_a_cap_says_whether_it_is_percent_or_values(here: Path, said: str, rule: str) -> None:
    weights(here, said + "\n")
    with pytest.raises(SchemaError) as wrong:
        pc.read("t.csv", schema="s.toml")
    assert rule in str(wrong.value)
    assert "s.toml, line" in str(wrong.value)


def test_what_is_protected_is_not_capped_and_a_share_below_a_person_is_refused(here: Path) -> None:
    with pytest.raises(SchemaError, match="a cap is for columns that others may know, and the role is sensitive"):
        pc.Column(role="sensitive", cap={"high": 3})
    weights(here, "cap = { percent = [0.1, 99.9] }\n")
    with pytest.raises(SchemaError, match=r"0\.1 % of 400 rows is less than one person.*cap = \{high = 150\}"):
        pc.read("t.csv", schema="s.toml")


def zips(here: Path, rows: int = 3000) -> None:
    random = Random(2)
    codes: list[object] = [f"z{random.randrange(800):04}" for _ in range(rows)]
    table(here / "t.csv", {"zip": codes, "age": [30] * rows, "ill": [ILL[i % 4] for i in range(rows)]})


def test_a_set_of_more_than_a_few_values_becomes_a_star(here: Path, call: Program) -> None:
    zips(here)
    words = "publish t.csv --quasi zip,age --sensitive ill --l 2 --method anatomy --recode intervals --quiet"
    sizes = {}
    for largest in (None, 2, 500):
        extra = "" if largest is None else f" --largest-set {largest}"
        made = call(*f"{words} --out out{largest}{extra}".split())
        assert made.code == 0, made
        sets = {row["zip"].count(",") + 1 for row in rows_of(here / f"out{largest}/data.csv") if row["zip"][0] == "{"}
        assert max(sets, default=0) <= (largest or 12)
        recipe = json.loads((here / f"out{largest}/recipe.json").read_text())
        assert recipe["recode_parameters"]["largest_set"] == (largest or 12)
        assert Recipe.of(recipe).recoder == pc.Intervals(largest_set=largest or 12)
        found = call(*f"measure out{largest} --original t.csv --metric kept,class-size --json".split()).document
        sizes[largest] = [score["value"] for score in found["scores"]]
    assert call(*["attack", "outNone", "--truth", "t.csv", "--adversary", "nothing"]).code == 0


@pytest.mark.parametrize("largest", [1, 3, 12, None])
@pytest.mark.parametrize("kind", ["intervals", "taxonomy"])
@pytest.mark.usefixtures("here")
def test_a_large_set_is_measured_alike_in_memory_and_on_disk(largest: int | None, kind: str) -> None:
    random = Random(largest or 0)
    frame = pl.DataFrame(
        {
            "zip": [random.choice([None, *"abcdefghijklmnopqrstuvwxyz"]) for _ in range(200)],
            "kg": [random.choice([None, *range(40, 99)]) for _ in range(200)],
            "ill": [ILL[i % 4] for i in range(200)],
        }
    )
    recoder = (pc.Intervals if kind == "intervals" else pc.Taxonomy)(largest_set=largest)
    roles = {"quasi": ["zip"], "carry": ["kg"], "sensitive": "ill"}
    read = pc.read(frame, **roles)
    release = pc.publish(read, pc.Tailor(l=2), recode=recoder)
    release.write("out")
    metrics = [pc.Kept(), pc.AverageClassSize(), pc.Discernibility(), pc.QueryError(queries=50)]
    mine = [score.value for score in pc.measure(release, read, metrics)]
    named = {"quasi": ["zip"], "sensitive": "ill"}
    found = pc.measure("out", frame, metrics, **named)
    assert mine == [score.value for score in found]
    assert pc.levels("out").audit.groups == found[1].details["classes"]


def test_a_release_of_ten_times_the_size_is_announced(here: Path, call: Program) -> None:
    zips(here, rows=20_000)
    words = "publish t.csv --quasi zip,age --sensitive ill --l 2 --method tailor --out out"
    quiet = call(*f"{words}1".split())
    assert "the release has about" not in quiet.err
    loud = call(*f"{words}2 --largest-set 100000".split())
    assert "the release has about" in loud.err
    assert "'zip'" in loud.err
    assert (here / "out2/data.csv").stat().st_size > 10 * (here / "t.csv").stat().st_size


def test_a_taxonomy_that_ruins_a_column_is_said(here: Path, call: Program) -> None:
    random = Random(3)
    puma: list[object] = [f"{random.choice(range(100, 14000, 17)):05d}" for _ in range(4000)]
    age: list[object] = [random.randint(18, 90) for _ in puma]
    table(here / "t.csv", {"age": age, "puma": puma, "ill": [random.choice("abcdefgh") for _ in puma]})
    text = '[columns.age]\nrole = "quasi"\n[columns.puma]\nrole = "quasi"\n{}[columns.ill]\nrole = "sensitive"\n'
    (here / "with.toml").write_text(text.format("taxonomy = { prefix = [4, 3, 2, 1] }\n"))
    (here / "without.toml").write_text(text.format(""))
    said = call(*["publish", "t.csv", "--schema", "with.toml", "--l", "4", "--out", "out1"])
    assert "'puma' keeps" in said.err
    assert "that is what shortening costs" in said.err
    assert "take the taxonomy out" not in said.err, "whole codes side by side are no advice"
    assert "taxonomy" not in call(*["publish", "t.csv", "--schema", "without.toml", "--l", "4", "--out", "out2"]).err


@pytest.mark.parametrize(
    ("column", "how", "out_of_it"),
    [
        ("born", 'kind = "date"\ntaxonomy = { dates = ["month", "year"] }\n', "and {} as ranges: publish ranges"),
        ("weight", 'kind = "number"\ntaxonomy = { ladder = [5, 10] }\n', "and {} as ranges: publish ranges"),
        (
            "zip",
            'kind = "category"\ntaxonomy = { prefix = [4, 3] }\n',
            "and {} without it: that is what shortening costs",
        ),
    ],
)
def test_what_is_kept_without_the_taxonomy_is_what_is_measured(
    column: str, how: str, out_of_it: str, here: Path, call: Program
) -> None:
    random = Random(5)
    values: dict[str, list[object]] = {
        "born": [f"{1930 + random.randrange(80)}-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(1500)],
        "weight": [random.randrange(400, 1200) for _ in range(1500)],
        "zip": [f"{random.choice(range(10000, 90000, 997))}" for _ in range(1500)],
    }
    ages: list[object] = [random.randint(18, 90) for _ in range(1500)]
    table(here / "t.csv", {"age": ages, column: values[column], "ill": [random.choice("abcdefgh") for _ in ages]})
    text = f'[columns.age]\nrole = "quasi"\n[columns.{column}]\nrole = "quasi"\n{{}}[columns.ill]\nrole = "sensitive"\n'
    (here / "with.toml").write_text(text.format(how))
    (here / "without.toml").write_text(text.format(how.partition("taxonomy")[0]))
    words = "publish t.csv --method mondrian --l 4 --seed 1"
    said = call(*f"{words} --schema with.toml --recode taxonomy --out out1".split()).err
    recode = "taxonomy" if column == "zip" else "intervals"
    assert call(*f"{words} --schema without.toml --recode {recode} --out out2".split()).code == 0
    (found,) = pc.measure("out2", "t.csv", [pc.Kept()], schema="without.toml")
    before, _, after = out_of_it.partition("{}")
    told = said.partition(f"'{column}' keeps ")[2].partition(before)[2].partition(after)[0]
    assert told, said
    measured = found.details["columns"][column]
    assert float(told.removesuffix("%")) / 100 == pytest.approx(measured, abs=0.08)  # coins decide between rows


def test_a_limit_of_several_sensitive_columns_is_said_where_one_publishes(here: Path, call: Program) -> None:
    table(here / "t.csv", {"age": list(range(20, 36)), "ill": ILL * 4, "pay": [*"abcdefgh", *"abcdefgh"]})
    words = "publish t.csv --quasi age --l 2"
    two = " ".join(call(*f"{words} --sensitive ill --sensitive pay --out out1".split()).out.split())
    assert two.count(
        "who knows ill of a person and who is in which group is certain of pay for 16 of 16 people, and more than 1/2 "
        "sure of a value for 16 (16 rightly)."
    )
    assert "is certain of" not in call(*f"{words} --sensitive ill --out out2".split()).out


def test_split_intervals_numbers_stay_numbers(here: Path, call: Program) -> None:
    table(here / "t.csv", {"age": ["30", "N", "41", "52"] * 2, "ill": ILL * 2})
    (here / "s.toml").write_text(
        '[columns.age]\nrole = "quasi"\nkind = "number"\nmissing = ["N"]\n[columns.ill]\nrole = "sensitive"\n'
    )
    made = call(
        *[
            "publish",
            "t.csv",
            "--schema",
            "s.toml",
            "--l",
            "2",
            "--split-intervals",
            "--format",
            "parquet",
            "--out",
            "out",
            "--quiet",
        ]
    )
    assert made.code == 0, made
    types = pl.read_parquet("out/data.parquet").schema
    assert types["age_low"] == types["age_high"] == pl.Int64


@pytest.mark.parametrize(
    ("texts", "order", "iso"),
    [
        (["31.12.1980", "1.2.1990"], "", "1990-02-01"),
        (["1.2.1990", "3.4.1990"], "", "1990-02-01"),  # between dots the day is first
        (["31/12/1980", "1/2/1990"], "", "1990-02-01"),
        (["12/31/1980", "1/2/1990"], "", "1990-01-02"),
        (["1/2/1990", "3/4/1990"], "dmy", "1990-02-01"),
        (["1/2/1990", "3/4/1990"], "mdy", "1990-01-02"),
        (["1990/2/1", "1980/12/31"], "", "1990-02-01"),
    ],
)
def test_dates_in_day_month_year_are_understood(here: Path, texts: list[str], order: str, iso: str) -> None:
    said = f'date_order = "{order}"' if order else 'kind = "date"'
    table(here / "t.csv", {"born": texts * 2, "ill": ILL})
    (here / "s.toml").write_text(f'[columns.born]\nrole = "quasi"\n{said}\n[columns.ill]\nrole = "sensitive"\n')
    read = pc.read("t.csv", schema="s.toml").attributes[0]
    assert read.values.dtype == pl.Date
    assert iso in map(str, read.values.to_list())


def test_dates_that_may_be_read_in_two_ways_are_refused(here: Path) -> None:
    table(here / "t.csv", {"born": ["1/2/1990", "3/4/1990"] * 2, "ill": ILL})
    (here / "s.toml").write_text('[columns.born]\nrole = "quasi"\nkind = "date"\n[columns.ill]\nrole = "sensitive"\n')
    with pytest.raises(SchemaError, match=r"line 3.*told apart in no row; say which is first with date_order"):
        pc.read("t.csv", schema="s.toml")


def test_integer_column_names_of_pandas() -> None:
    frame = pd.DataFrame({0: [20, 30, 40, 50], 1: [1, 2, 3, 4], 2: list("abcd")})
    release = pc.publish(frame, pc.Tailor(l=2), quasi=[0, 1], sensitive=2)  # type: ignore[list-item, arg-type]
    assert list(release.frame.columns) == ["0", "1", "2"]
    assert pc.attack(release, truth=frame).max_risk == 0.5
    assert pc.levels(release.frame, quasi=[0, 1], sensitive=2)[0].level == 2  # type: ignore[list-item, arg-type]


@pytest.mark.parametrize("separator", ["^", "~", "#", "="])
def test_an_unusual_separator_does_not_go_unnoticed(here: Path, call: Program, separator: str) -> None:
    lines = ["age,ill", *(f"{20 + i},{ILL[i % 4]}" for i in range(8))]
    (here / "t.csv").write_text("\n".join(line.replace(",", separator) for line in lines) + "\n")
    words = "publish t.csv --quasi age --sensitive ill --l 2 --out out --quiet"
    if separator in "^~":
        assert call(*words.split()).code == 0
    else:
        assert f"say --separator '{separator}'" in call(*words.split()).error
        assert call(*words.split(), "--separator", separator).code == 0
    assert len(rows_of(here / "out/data.csv")) == 8
    assert pc.read("t.csv", quasi="age", sensitive="ill", separator=separator).attributes[0].values.to_list()[0] == 20


def test_a_headerless_file_does_not_lose_its_first_row(here: Path, call: Program) -> None:
    (here / "t.csv").write_text("".join(f"{20 + i},{ILL[i % 4]}\n" for i in range(8)))
    assert "line 1 has '20' where a column's name should be" in call("init", "t.csv").error
    assert (
        "--no-header"
        in call(*["publish", "t.csv", "--quasi", "age", "--sensitive", "ill", "--l", "2", "--out", "out"]).error
    )
    assert call("init", "t.csv", "--no-header").code == 0
    text = (here / "t.toml").read_text()
    assert text.endswith("\n[file]\nheader = false\n")
    assert "[columns.column_1]" in text
    (here / "s.toml").write_text(
        '[file]\nheader = false\n[columns.column_1]\nrole = "quasi"\n[columns.column_2]\nrole = "sensitive"\n'
    )
    assert call(*["publish", "t.csv", "--schema", "s.toml", "--l", "2", "--out", "out", "--quiet"]).code == 0
    assert len(rows_of(here / "out/data.csv")) == 8
    for words in (
        "attack out --truth t.csv --schema s.toml",
        "measure out --original t.csv --schema s.toml --metric kept",
        "verify out --population t.csv --no-header --require k-map=1",
    ):
        assert call(*words.split()).code == 0, words


@pytest.mark.parametrize("header", ["city,2010,2015", "city,0,1", "name,age,ill", '"1",b,c'])
def test_headers_that_are_names_are_kept(here: Path, header: str) -> None:
    (here / "t.csv").write_text(header + "\nRome,7,x\nOslo,8,y\nPisa,9,z\n")
    assert pc.io.load("t.csv")[0].height == 3
    (here / "u.csv").write_text("Rome,7,x\nRome,8,y\nRome,9,z\n")
    with pytest.raises(InputError, match="header = true if these are names"):
        pc.io.load("u.csv")


def test_measure_counts_classes_with_what_is_carried_as_levels_does(here: Path, call: Program) -> None:
    random = Random(1)
    columns: dict[str, list[object]] = {
        "age": [random.randint(20, 60) for _ in range(600)],
        "town": [random.choice("abc") for _ in range(600)],
        "ill": [random.choice(ILL) for _ in range(600)],
    }
    table(here / "t.csv", columns)
    words = "publish t.csv --quasi age --carry town --sensitive ill --l 2 --out out --json"
    made = call(*words.split()).document
    audit = call(*["levels", "out", "--json"]).document
    found = call(*["measure", "out", "--original", "t.csv", "--metric", "class-size", "--json"]).document
    assert found["classes"] == audit["groups"] == made["classes"]
    assert found["carried"] == ["town"]
    assert found["scores"][0]["value"] == pytest.approx(made["rows_per_class"])
    release = pc.publish(pc.read("t.csv", quasi="age", carry="town", sensitive="ill"), pc.Tailor(l=2))
    inside = pc.measure(release, "t.csv", [pc.AverageClassSize()])[0]
    assert inside.details["classes"] == len(release.frame.select("age", "town").unique())


def test_query_error_says_that_small_counts_are_floored() -> None:
    frame = pl.DataFrame({"age": range(200), "ill": ILL * 50})
    release = pc.publish(frame, pc.Tailor(l=2), quasi=["age"], sensitive="ill")
    score = pc.measure(release, frame, [pc.QueryError(queries=50)])[0]
    assert "a count below 1 rows (delta = 0.005 of all) is off by its error divided by that" in score.meaning
    assert score.details["delta"] == 0.005
    assert 0 <= score.details["below_delta"] <= 50
