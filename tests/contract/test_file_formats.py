"""docs/schemas describes the files that pellucid reads and writes as they are, and says which version it describes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

import pellucid as pc
from pellucid.anonymize.method import Guarantee, RecoderName
from pellucid.core.recipe import FORMAT
from pellucid.core.release import Format
from pellucid.core.schema import Column, Kind, Role, Schema
from pellucid.core.schema.cap import Cap
from pellucid.core.schema.taxonomy_source import TaxonomySource
from pellucid.core.schema.text_form import TextForm
from pellucid.core.taxonomy.rules import DATE_PARTS
from pellucid.job import KEYS, Job

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"
DOCUMENTS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
REGISTRY: Registry[Any] = Registry().with_resources(
    (name, Resource.from_contents(document)) for name, document in DOCUMENTS.items()
)

SCHEMA = """
draft = true
where = "age >= 20"
[file]
separator = ";"
header = true
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
kind = "number"
domain = [0, 120]
nulls = "reject"
taxonomy = { ladder = [5, 10] }
[columns.income]
role = "quasi"
importance = 2
cap = { percent = [10, 90] }
[columns.weight]
role = "carry"
round = 2
cap = { low = 40, high = 150 }
[columns.born]
role = "quasi"
kind = "date"
date_order = "dmy"
taxonomy = { dates = ["month", "year"] }
[columns.joined]
role = "carry"
kind = "date"
domain = [2000-01-01, 2030-12-31]
[columns.school]
role = "quasi"
kind = "ordered"
order = ["primary", "secondary", "tertiary"]
[columns.zip]
role = "quasi"
kind = "category"
taxonomy = { prefix = [3, 2] }
[columns.town]
role = "quasi"
taxonomy = { tree = { "*" = { warm = ["Rome", "Bari"], cold = ["Oslo"] } } }
[columns.disease]
role = "sensitive"
missing = ["?"]
protect = ["HIV", "flu"]
[columns.stands]
role = "weight"
digits = 2
[columns.note]
role = "drop"
people = "row"
"""
ROWS = 12


def checker(name: str) -> Draft202012Validator:
    return Draft202012Validator(DOCUMENTS[name], registry=REGISTRY)


def as_json(content: Mapping[str, Any]) -> Any:
    """TOML has dates; a program that checks it against a JSON schema sees their texts."""
    return json.loads(json.dumps(content, default=date.isoformat))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    header = "name;age;income;weight;born;joined;school;zip;town;disease;stands;note"
    lines = [
        f"p{i};{20 + i};{900 + 10 * i};{50 + i};{i + 1:02}.03.1980;2020-01-{i + 1:02};"
        f"{('primary', 'secondary', 'tertiary')[i % 3]};1{i:04};{('Rome', 'Bari', 'Oslo')[i % 3]};"
        f"{('HIV', 'flu', '?', 'gout', 'cold', 'mumps')[i % 6]};{3 + i * i % 7};x"
        for i in range(ROWS)
    ]
    (tmp_path / "patients.csv").write_text("\n".join([header, *lines]) + "\n")
    (tmp_path / "patients.toml").write_text(SCHEMA)
    return tmp_path


@pytest.fixture
def recipe(files: Path) -> Any:
    release = pc.publish(files / "patients.csv", pc.SoftCut(l=2), schema=files / "patients.toml")
    return json.loads(json.dumps(release.recipe))


def alternatives(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a document may be: one of the definitions that it names, or what it says itself."""
    named = [one["$ref"].removeprefix("#/$defs/") for one in document.get("oneOf", ())]
    return [document["$defs"][name] for name in named] or [document]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_description_is_a_json_schema_with_a_version_and_its_own_name(name: str) -> None:
    document = DOCUMENTS[name]
    Draft202012Validator.check_schema(document)
    assert name.endswith(".schema.json")
    assert document["$id"] == name
    assert isinstance(document["version"], int)
    for one in alternatives(document):
        assert one["additionalProperties"] is False, "a field that is not described would go unnoticed"


def test_a_recipe_that_tells_of_everything_is_as_described(recipe: Any) -> None:
    checker("recipe.schema.json").validate(recipe)
    told = {key for column in recipe["columns"] for key in column}
    described = DOCUMENTS["recipe.schema.json"]["properties"]["columns"]["items"]["properties"]
    assert told == set(described), "this table was made to show every field of a column"
    taxonomies = {key for column in recipe["columns"] for key in column.get("taxonomy", {})}
    assert taxonomies == {"ladder", "dates", "prefix", "nodes", "further"}


@pytest.mark.parametrize("broken", [{"format": 1}, {"rows": "12"}, {"guarantee": "sure"}, {"another": 1}])
def test_a_recipe_of_another_kind_is_not_as_described(recipe: Any, broken: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        checker("recipe.schema.json").validate(recipe | broken)


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
@pytest.mark.parametrize("method", [pc.Tailor(l=2), pc.Anatomy(l=2), pc.Mondrian(l=2), pc.AlphaK(alpha=0.6, k=2)])
def test_recipes_of_other_methods_are_as_described(method: Any) -> None:
    census = pc.datasets.census(300, seed=1)
    release = pc.publish(census, method, quasi=["age", "education"], sensitive="occupation")
    checker("recipe.schema.json").validate(json.loads(json.dumps(release.recipe)))


def test_the_version_of_a_recipe_is_its_format() -> None:
    document = DOCUMENTS["recipe.schema.json"]
    assert document["version"] == document["properties"]["format"]["const"] == FORMAT
    assert set(document["properties"]["guarantee"]["enum"]) == set(get_args(Guarantee))
    assert set(document["properties"]["recode"]["enum"]) == set(get_args(RecoderName))


def test_a_schema_file_is_as_described(files: Path) -> None:
    assert Schema.load(files / "patients.toml")
    checker("schema.schema.json").validate(as_json(tomllib.loads(SCHEMA)))


def test_a_table_that_was_read_writes_a_schema_as_described(files: Path) -> None:
    table = pc.read(files / "patients.csv", schema=files / "patients.toml")
    assert table.schema is not None
    written = tomllib.loads(table.schema.to_toml())
    assert "measured" in written["columns"]["income"]["cap"]
    checker("schema.schema.json").validate(as_json(written))


def branches(description: Mapping[str, Any]) -> Iterator[str]:
    """The properties of a description, in whichever of its alternatives."""
    yield from description.get("properties", ())
    for one in description.get("oneOf", ()):
        yield from branches(one)


def test_a_schema_file_has_the_fields_that_are_described() -> None:
    document = DOCUMENTS["schema.schema.json"]
    column = document["$defs"]["column"]
    for kind, described in (
        (Schema, document),
        (TextForm, document["properties"]["file"]),
        (Column, column),
        (Cap, column["properties"]["cap"]),
    ):
        assert set(branches(described)) == set(kind.model_fields)
    written = set(TaxonomySource.model_fields) - {"ready"}  # which only Python can give
    assert set(branches(column["properties"]["taxonomy"])) == written
    for field, choices in (("role", Role), ("kind", Kind)):
        assert column["properties"][field]["enum"] == [choice.value for choice in choices]
    parts = next(one for one in column["properties"]["taxonomy"]["oneOf"] if "dates" in one.get("properties", ()))
    assert parts["properties"]["dates"]["items"]["enum"] == list(DATE_PARTS)


@pytest.mark.parametrize(
    "wrong",
    ['role = "known"', 'role = "quasi"\ncap = { low = 1, percent = [1, 99] }', 'role = "quasi"\nrange = [1, 2]'],
    ids=["a role", "a cap in both ways", "a key"],
)
def test_what_is_refused_when_read_is_not_as_described(wrong: str, tmp_path: Path) -> None:
    text = f'[columns.disease]\nrole = "sensitive"\n[columns.age]\n{wrong}\n'
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(pc.SchemaError):
        Schema.load(tmp_path / "wrong.toml")
    with pytest.raises(ValidationError):
        checker("schema.schema.json").validate(tomllib.loads(text))


JOB = """
source = "patients.csv"
out = "release"
accept_known = ["age"]
people = "note=row"
where = "age >= 20"
applies = "disease=age >= 0"
importance = { age = 3 }
recode = "intervals"
split_intervals = true
median = false
largest_set = 9
format = "parquet"
spreadsheet_safe = true
overwrite = true
threads = 1
seed = "coins"
require = ["k-anonymity=2"]
keep_groups = "groups.csv"
project = {version = 1}
[method]
name = "soft-cut"
l = 2
"""


@pytest.mark.parametrize("schema", ['schema = "patients.toml"', "columns"])
def test_a_job_file_is_as_described(files: Path, schema: str) -> None:
    inside = "\n".join(
        line.replace("[columns", "[schema.columns") for line in SCHEMA.partition("header = true")[2].splitlines()
    )
    text = JOB + inside if schema == "columns" else f"{schema}\n{JOB}"
    (files / "job.toml").write_text(text)
    assert Job.load(files / "job.toml").require
    content = tomllib.loads(text)
    assert set(content) == set(KEYS), "this job was made to show every key"
    checker("job.schema.json").validate(as_json(content))
    with pytest.raises(ValidationError):
        checker("job.schema.json").validate(as_json({**content, "format": "xlsx"}))


def test_a_job_file_has_the_keys_that_are_described() -> None:
    described = DOCUMENTS["job.schema.json"]["properties"]
    assert set(described) == set(KEYS)
    assert described["format"]["enum"] == list(get_args(Format))
    assert described["recode"]["enum"] == list(get_args(RecoderName))
