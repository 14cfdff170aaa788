"""``pellucid measure``: what it prints, what a program reads, how it refuses."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from cli import program
from cli.program import Program
from pellucid.metrics import metrics

valid = partial(program.valid, verb="measure")

TOLD = set(metrics()) - {"sse", "weighted-totals"}  # of a file nobody knows the groups, and it has no weights


@pytest.fixture
def out(folder: Path, call: Program) -> Path:
    """A release of the patients."""
    assert call("publish", "patients", "--method", "tailor", "--l", "2", "--out", "out").code == 0
    return folder / "out"


@pytest.mark.usefixtures("out")
def test_every_metric_is_told_with_unit_direction_and_meaning(call: Program) -> None:
    done = call("measure", "out/", "--original", "patients.csv")
    assert (done.code, done.err) == (0, "")
    assert "8 rows in 3 classes of rows published alike, by age, zipcode" in done.out
    assert re.search(r"^perimeter +0\.4295  lower   mean sum of extents per row$", done.out, re.MULTILINE)
    assert re.search(r"^discernibility +24  lower ", done.out, re.MULTILINE)
    assert all(re.search(rf"^{name}[ :]", done.out, re.MULTILINE) for name in TOLD)
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_document_follows_the_schema(out: Path, call: Program) -> None:
    document = valid(call("measure", out, "--original", "patients.csv", "--json"))
    found = {score["metric"]: score for score in document["scores"]}
    assert {*found, *(each["metric"] for each in document["unanswered"])} == TOLD
    assert found["discernibility"]["value"] == 24
    assert found["loss"]["details"]["columns"] == {"age": 0.45, "zipcode": 0.45}


def test_metrics_are_chosen_by_name_with_parameters(out: Path, call: Program) -> None:
    words = ["--metric", "class-size:k=2", "--metric", "query-error:queries=50,seed=3,dimensions=1", "--json"]
    first = valid(call("measure", out, "--original", "patients.csv", *words))
    assert [score["metric"] for score in first["scores"]] == ["class-size", "query-error"]
    assert first["scores"][0]["value"] == pytest.approx(8 / 3 / 2)
    assert first["scores"][1]["details"]["queries"] == 50
    assert valid(call("measure", out, "--original", "patients.csv", *words)) == first


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--metric", "los"], "did you mean 'loss'"),
        (["--metric", "query-error:selectivity=0"], "selectivity = 0"),
        (["--metric", "query-error:selectivity=1.5"], "selectivity = 1.5"),
        (["--metric", "query-error:dimensions=3"], "the table has 2 quasi-identifiers"),
        (["--metric", "loss:k"], "'k' has no value"),
        (["--metric", "loss:k=2"], "loss has no parameter 'k'"),
        (["--quasi", "age", "--sensitive", "name"], "no column 'name'"),
        (["--quasi", "age"], "sensitive"),
    ],
)
def test_a_wrong_call_is_one_line(words: list[str], said: str, out: Path, call: Program) -> None:
    assert said in call("measure", out, "--original", "patients.csv", *words).error


def test_a_release_of_another_table_is_refused(out: Path, folder: Path, call: Program) -> None:
    lines = (folder / "patients.csv").read_text().splitlines()
    (folder / "fewer.csv").write_text("\n".join(lines[:-1]) + "\n")
    assert "the release has 8 rows, and the original has 7" in call("measure", out, "--original", "fewer.csv").error
    (folder / "older.csv").write_text("\n".join([lines[0], *(line.replace(",2", ",7") for line in lines[1:])]) + "\n")
    assert "'age', such as 71, that no published value" in call("measure", out, "--original", "older.csv").error
    (folder / "well.csv").write_text("\n".join(lines).replace("diabetes", "flu") + "\n")
    assert "'diabetes' is a published 'disease'" in call("measure", out, "--original", "well.csv").error
    (folder / "ill.csv").write_text("\n".join([*lines[:-1], lines[-1].replace("diabetes", "flu"), ""]))
    assert "'diabetes'" in call("measure", out, "--original", "ill.csv").error


def test_metrics_are_named_with_commas_and_queries_are_read_from_a_file(out: Path, call: Program, folder: Path) -> None:
    table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease")
    pc.Workload.of(table, dimensions=1, selectivity=0.3, queries=7, seed=2).save(folder / "queries.json")
    words = "loss,query-error:workload=queries.json,delta=0.1,precision"
    document = valid(call("measure", out, "--original", "patients.csv", "--metric", words, "--json"))
    loss, error, precision = document["scores"]
    assert "values as they are would have 20.0%" in loss["meaning"]  # five ages, five zip codes
    assert "7 given queries over 1 quasi-identifier and the sensitive column" in error["meaning"]
    assert "without taxonomies" in precision["meaning"]


def test_help_names_every_metric_and_its_parameters(call: Program) -> None:
    said = " ".join(call("measure", "--help").out.split()).replace("- ", "-")  # lines may end with a hyphen
    for name, kind in metrics().items():
        assert name in said
        assert all(field in said for field in kind.model_fields if field != "weights")


SCHEMA_TEXT = """
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
kind = "number"
taxonomy = { ladder = [20] }
[columns.zipcode]
role = "quasi"
kind = "number"
taxonomy = { ladder = [20000] }
[columns.disease]
role = "sensitive"
"""


def test_taxonomies_that_are_not_at_hand_are_told(folder: Path, call: Program) -> None:
    (folder / "s.toml").write_text(SCHEMA_TEXT)
    words = ("--method", "tailor", "--l", "2", "--recode", "taxonomy", "--out", "named")
    assert call("publish", "patients.csv", "--schema", "s.toml", *words).code == 0
    asked = ("measure", "named", "--original", "patients.csv", "--metric", "precision", "--json")
    told_by_recipe = call(*asked)
    known = call(*asked, "--schema", "s.toml")
    assert valid(told_by_recipe) == valid(known)
    assert valid(known)["warnings"] == []
    recipe = json.loads((folder / "named" / "recipe.json").read_text())
    early = {key: value for key, value in recipe.items() if key != "format"}  # as the first version wrote it
    for column in early["columns"]:
        column.pop("taxonomy", None)
    (folder / "named" / "recipe.json").write_text(json.dumps(early))
    without = call(*asked)
    (told,) = valid(without)["warnings"]
    assert "made with taxonomies" in told
    assert "--schema" in told
    assert told in without.err
    assert call(*asked, "--schema", "s.toml").document["scores"] == known.document["scores"]
    assert "height of their taxonomies" in known.document["scores"][0]["meaning"]


def test_columns_that_are_named_keep_the_order_of_the_recipe(tmp_path: Path, call: Program) -> None:
    """--quasi and --sensitive say which columns are meant; what the recipe knows of them is not forgotten."""
    schools = ["none", "school", "college", "doctor"]
    rows = range(120)
    people = {"age": [20 + i % 40 for i in rows], "schooling": [schools[i // 3 % 4] for i in rows]}
    table = tmp_path / "people.csv"
    pl.DataFrame({**people, "ill": [["flu", "gout", "cold"][i % 3] for i in rows]}).write_csv(table)
    schema = tmp_path / "people.toml"
    schema.write_text(
        '[columns.age]\nrole = "quasi"\n[columns.schooling]\nrole = "quasi"\nkind = "ordered"\n'
        f"order = {schools}\n[columns.ill]\nrole = 'sensitive'\n",
        encoding="utf-8",
    )
    out = str(tmp_path / "out")
    assert call("publish", table, "--schema", schema, "--l", "3", "--method", "hybrid", "--out", out).code == 0
    by_recipe = call("measure", out, "--original", table, "--json").document["scores"]
    named = call("measure", out, "--original", table, "--quasi", "age,schooling", "--sensitive", "ill", "--json")
    assert named.code == 0, named.err
    assert named.document["scores"] == by_recipe


@pytest.mark.parametrize("asked", [["--people", "patient=one"], ["--people", "patient=row", "--where", "age >= 30"]])
def test_rows_that_were_left_out_are_known_by_the_groups(tmp_path: Path, call: Program, asked: list[str]) -> None:
    """One row of each person, by lot, or some rows by a condition: publishing keeps which these were."""
    rows = range(240)
    people = {"patient": [i // 2 for i in rows], "age": [20 + i // 2 % 40 for i in rows]}
    table, groups, out = tmp_path / "stays.csv", tmp_path / "groups.csv", tmp_path / "out"
    pl.DataFrame({**people, "ill": [["flu", "gout", "cold", "cough"][i % 4] for i in rows]}).write_csv(table)
    roles = ["--quasi", "age", "--sensitive", "ill", "--l", "2", "--method", "hybrid", *asked]
    assert call("publish", table, *roles, "--keep-groups", groups, "--out", out).code == 0
    found = call("measure", out, "--original", table, "--groups", groups, "--metric", "loss", "--json")
    assert found.code == 0, found.err
    assert found.document["rows"] == found.document["original_rows"] == len(pl.read_csv(out / "data.csv"))
    without = call("measure", out, "--original", table, "--metric", "loss")
    assert (without.code == 2) == (asked[1] == "patient=one"), without.err
    assert without.code == 0 or "one row of each person was published; give --groups" in without.err
