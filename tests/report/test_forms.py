"""What a report says of how cells are written is what the published cells are, also where a taxonomy names them."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.published.forms import KnownNames, counted
from pellucid.publishing import release_of
from pellucid.risk.report.worst_groups import worst_groups
from pellucid.text.figures import percent

SPACE = "\N{NO-BREAK SPACE}"


def people(rows: int = 240) -> pl.DataFrame:
    draw = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(rows)],
            "age": draw.integers(20, 80, rows),
            "zip": [str(10100 + int(x)) for x in draw.integers(0, 30, rows)],
            "sex": draw.choice(["male", "female"], rows),
            "ill": [f"d{x}" for x in draw.integers(0, 8, rows)],
        }
    )


def schema() -> pc.Schema:
    return pc.Schema(
        columns={
            "name": pc.Column(role="identifier"),
            "age": pc.Column(role="quasi"),
            "zip": pc.Column(role="quasi", kind="category", taxonomy={"prefix": [4, 3]}),  # type: ignore[arg-type]
            "sex": pc.Column(role="quasi", taxonomy={"tree": {"person": ["male", "female"]}}),  # type: ignore[arg-type]
            "ill": pc.Column(role="sensitive"),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    release = release_of(pc.read(people(), schema=schema()), pc.Hybrid(l=4), recode=pc.Taxonomy(), seed=1)
    return release.write(tmp_path_factory.mktemp("made") / "out")


def told(page: pc.Report) -> dict[str, dict[str, str]]:
    """The shares of forms that a page tells of each column."""
    text = unescape(page.html).replace(SPACE, " ")
    found = re.findall(r'<tr><th scope="row">(\w+)</th><td>quasi[^<]*</td><td>\w+</td><td>([^<]*)</td>', text)
    parts = re.compile(r"(.+) ((?:over |under )?\d+ %)")
    return {name: dict(parts.fullmatch(one).groups() for one in shown.split(", ")) for name, shown in found}  # type: ignore[misc,union-attr]


def share(cells: pl.Series) -> str:
    return percent(float(cells.mean()))  # type: ignore[arg-type]


@pytest.mark.parametrize("audience", ["private", "public"])
def test_names_prefixes_and_values_are_told_apart(audience: Any, folder: Path) -> None:
    frame = pl.read_csv(folder / "data.csv", infer_schema=False)
    found = told(pc.report(folder, people(), audience=audience, schema=schema()))
    person = frame["sex"] == "person"
    assert 0 < person.sum() < frame.height
    assert found["sex"] == {"broader name": share(person), "single value": share(~person)}
    star = frame["zip"] == "*"
    prefix = frame["zip"].str.ends_with("*") & ~star
    assert found["zip"]["prefix"] == share(prefix)
    assert found["zip"].get("nothing (*)", "0 %") == share(star)
    assert found["zip"].get("single value", "0 %") == share(~prefix & ~star)


def test_what_nobody_declares_is_not_called_a_value(folder: Path, tmp_path: Path) -> None:
    assert told(pc.report(folder, audience="public"))["sex"].keys() == {"broader name", "single value"}
    older = shutil.copytree(folder, tmp_path / "older")  # by a version whose recipes did not tell what was declared
    recipe = json.loads((older / "recipe.json").read_text())
    (older / "recipe.json").write_text(json.dumps({key: value for key, value in recipe.items() if key != "format"}))
    page = pc.report(older, audience="public")
    assert told(page)["sex"] == {"value or broader name": "100 %"}
    assert "a value or a broader name" in page.html


def test_the_sentence_names_what_there_is(folder: Path) -> None:
    page = pc.report(folder, people(), schema=schema()).html
    assert "interval of numbers" not in page
    assert "Rows of a group show the same: the set of its values, a broader name that covers its values, " in page


def test_a_few_single_values_are_not_none() -> None:
    assert counted(["[1, 2]", "3"], [796, 4], KnownNames(plain=True)) == {"interval": 796, "single value": 4}

    assert percent(4 / 800) == "under 1 %"


def test_a_mean_over_some_columns_names_them_and_the_others(folder: Path) -> None:
    """Prefixes stand for values that the release does not name, and sets of ages are not read as numbers."""
    page = unescape(pc.report(folder, audience="public", schema=schema()).html).replace(SPACE, " ")
    (meaning,) = re.findall(r'<tr><th scope="row">kept without age and zip</th>.*<td>([^<]*)</td></tr>', page)
    assert re.match(r"sex keeps \d+ %; of age and zip it cannot be told from the release alone", meaning)
    assert "the quasi-identifiers keep" not in page
    assert "Not drawn, because the release alone does not tell it: age, zip." in page


def test_the_public_report_names_the_columns_that_are_in_no_figure_of_it() -> None:
    people = pl.DataFrame({"age": [20, 30, 40, 50], "bmi": [20, 21, 25, 30], "ill": ["a", "b", "a", "b"]})
    declared = {"age": {"role": "quasi"}, "bmi": {"role": "carry"}, "ill": {"role": "sensitive"}}
    release = pc.publish(people, pc.SoftCut(l=2), schema=pc.Schema(columns=declared))
    said = "bmi goes along (carry) and is in no figure of this report."
    assert said in pc.report(release, audience="public").html
    assert said not in pc.report(release, people, schema=pc.Schema(columns=declared)).html  # which has its figure


def test_the_least_is_the_least_of_those_that_are_told(tmp_path: Path) -> None:
    made = release_of(pc.read(people(), schema=schema()), pc.Hybrid(l=4), seed=1).write(tmp_path / "out")
    page = unescape(pc.report(made, audience="public", schema=schema()).html).replace(SPACE, " ")
    told = r"age and sex keep \d+ % on average, (age|sex) the least of these with \d+ %; of zip it cannot be told"
    assert re.search(told, page)


@pytest.mark.parametrize("recode", [pc.Taxonomy(), pc.Intervals(), pc.Suppression(), pc.Intervals(split=True)])
def test_the_worst_groups_show_what_is_published(recode: Any) -> None:
    table = pc.read(people(), schema=schema())
    release = release_of(table, pc.Hybrid(l=4), recode=recode, seed=1)
    report = pc.attack_all(release, truth=table, adversaries=["nothing"], classic=False)
    frame = release.frame
    if "age_low" in frame.columns:
        ends = pl.format("[{}, {}]", "age_low", "age_high")
        frame = frame.with_columns(
            age=pl.when(pl.col("age_low") == pl.col("age_high")).then(pl.col("age_low").cast(pl.String)).otherwise(ends)
        )
    rows = {tuple(map(str, row)) for row in frame.select("age", "zip", "sex").iter_rows()}
    for group in worst_groups(report.attempts[0], most=100):
        assert tuple(group.worst.published.values()) in rows
    assert tuple(report.attempts[0].worst.published.values()) in rows
