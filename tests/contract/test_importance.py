"""Columns that matter more: they keep more, the recipe tells it, and whoever forms the groups again uses it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.cli.request_options import importance_in
from pellucid.core.importance import weighed, without_effect
from pellucid.core.schema import Role
from pellucid.errors import AttackError, SchemaError
from pellucid.job import Job
from pellucid.metrics.kept import information_kept
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople

pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
]
ROLES: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": "ill", "identifier": "name"}
WEIGHING = [
    *(pc.SoftCut(l=3), pc.Hybrid(l=3), pc.Tailor(l=3), pc.Ace(l=3), pc.Audited(l=3)),
    *(pc.Mondrian(k=6), pc.Mdav(k=6), pc.Strata(l=3, size=20)),
]


def people(rows: int = 600, seed: int = 4) -> pl.DataFrame:
    random = Random(seed)
    return pl.DataFrame(
        {
            "name": [f"p{row:04}" for row in range(rows)],
            "age": [random.randrange(100) for _ in range(rows)],
            "zip": [random.randrange(100) for _ in range(rows)],
            "ill": [random.choice("abcdefghijkl") for _ in range(rows)],
        }
    )


@pytest.mark.parametrize("method", WEIGHING, ids=[method.name for method in WEIGHING])
def test_what_matters_more_keeps_more(method: pc.Method) -> None:
    table = pc.read(people(), **ROLES)
    kept = {}
    for importance in ({}, {"age": 5}, {"zip": 5}):
        heavy = weighed(table, importance)
        release = pc.publish(heavy, method, seed=1)
        kept[tuple(importance)] = information_kept(heavy, release.private.grouping)
    assert kept["age",]["age"] > kept[()]["age"] > kept["zip",]["age"]
    assert kept["zip",]["zip"] > kept[()]["zip"] > kept["age",]["zip"]


def test_only_how_much_more_it_matters_counts() -> None:
    """Twice as much of everything is what it was."""
    table = pc.read(people(), **ROLES)
    labels = [
        pc.publish(weighed(table, importance), pc.Hybrid(l=3), seed=1).private.labels.tolist()
        for importance in ({}, {"age": 7, "zip": 7}, {"age": 2})
    ]
    assert labels[0] == labels[1]
    assert labels[0] != labels[2]


def test_every_method_that_uses_it_says_so() -> None:
    assert {name for name, kind in methods().items() if kind.weighs_columns} == {
        *(one.name for one in WEIGHING),
        "incognito",  # its levels are those of an enumeration, in tests/property
    }
    table = weighed(pc.read(people(), **ROLES), {"age": 3})
    assert without_effect(table, pc.Tailor(l=2)) == ""
    assert "changes nothing: anatomy" in without_effect(table, pc.Anatomy(l=2))


def test_the_recipe_tells_it_and_an_attack_uses_it(tmp_path: Path) -> None:
    """Mondrian's groups are formed again from the folder alone; without the importance they would be others."""
    truth = people(200)
    release = pc.publish(truth, pc.Mondrian(l=2), importance={"age": 3}, **ROLES)
    release.write(tmp_path / "out")
    assert [column.get("importance") for column in release.recipe["columns"]] == [3, None, None]
    found = gather(tmp_path / "out", pc.Roles(identifier="name"), KnownPeople(truth=truth))
    assert [one.importance for one in found.evidence.people.attributes if one.role is Role.QUASI] == [3, 1]
    in_memory = pc.attack(release, truth=truth, **ROLES)
    from_folder = pc.attack(tmp_path / "out", truth=truth, identifier="name")
    assert from_folder.risk.tolist() == in_memory.risk.tolist()
    assert not from_folder.lacking
    told = json.loads((tmp_path / "out" / "recipe.json").read_text())
    del told["columns"][0]["importance"]
    (tmp_path / "out" / "recipe.json").write_text(json.dumps(told))
    with pytest.raises(AttackError, match="it is not known who is in which group"):
        pc.attack(tmp_path / "out", truth=truth, identifier="name")


@pytest.mark.parametrize("method", WEIGHING, ids=[method.name for method in WEIGHING])
def test_a_decimal_gives_the_groups_of_the_whole_numbers_in_its_proportion(method: pc.Method) -> None:
    table = pc.read(people(), **ROLES)
    labels = [
        pc.publish(weighed(table, importance), method, seed=1).private.labels.tolist()
        for importance in ({"age": 2.5}, {"age": 5, "zip": 2}, {"age": "0.5", "zip": 0.2}, {"age": 2}, {"age": 3})
    ]
    assert labels[0] == labels[1] == labels[2]
    assert labels[0] != labels[3] or labels[0] != labels[4]


def test_a_decimal_is_told_and_read_everywhere(tmp_path: Path) -> None:
    truth = people(200)
    schema = pc.Schema.of(**ROLES)
    columns = {
        name: one.model_copy(update={"importance": 0.25} if name == "zip" else {})
        for name, one in schema.columns.items()
    }
    declared = pc.Schema(columns=columns)
    (tmp_path / "s.toml").write_text(declared.to_toml())
    assert "importance = 0.25" in declared.to_toml()
    read = pc.read(truth, schema=tmp_path / "s.toml")
    assert [one.importance for one in read.attributes if one.role is Role.QUASI] == [4, 1]
    by_call = weighed(read, {"age": 0.75})  # beside the schema's 0.25
    assert [one.importance for one in by_call.attributes if one.role is Role.QUASI] == [3, 1]
    pc.publish(read, pc.Mondrian(l=2)).write(tmp_path / "out")
    told = json.loads((tmp_path / "out" / "recipe.json").read_text())
    assert [column.get("importance") for column in told["columns"]] == [None, 0.25, None]
    found = gather(tmp_path / "out", pc.Roles(identifier="name"), KnownPeople(truth=truth))
    assert [one.importance for one in found.evidence.people.attributes if one.role is Role.QUASI] == [4, 1]
    assert importance_in(["age=2.5"]) == {"age": 2.5}


def test_a_schema_that_says_otherwise_is_refused(tmp_path: Path) -> None:
    pc.publish(people(200), pc.Mondrian(l=2), importance={"age": 3}, **ROLES).write(tmp_path / "out")
    kinds = {"name": "identifier", "age": "quasi", "zip": "quasi", "ill": "sensitive"}
    schema = pc.Schema(columns={name: pc.Column(role=role) for name, role in kinds.items()})
    with pytest.raises(AttackError, match="importance of 'age' is 1, and the release's recipe says 3"):
        pc.attack(tmp_path / "out", truth=people(200), schema=schema)


def test_it_is_said_in_options_in_a_job_and_in_a_schema(tmp_path: Path) -> None:
    people(200).write_csv(tmp_path / "people.csv")
    lines = [f'[columns.{name}]\nrole = "{role}"\n' for name, role in (("name", "identifier"), ("ill", "sensitive"))]
    lines += ['[columns.age]\nrole = "quasi"\nimportance = 4\n[columns.zip]\nrole = "quasi"\n']
    (tmp_path / "people.toml").write_text("\n".join(lines))
    schema = pc.Schema.load(tmp_path / "people.toml")
    assert schema.columns["age"].importance == 4
    assert "importance = 4" in schema.columns["age"].to_toml("age")
    job = 'source = "people.csv"\nschema = "people.toml"\nout = "out"\nimportance = { zip = 6 }\n'
    job += '[method]\nname = "tailor"\nl = 2\n'
    (tmp_path / "job.toml").write_text(job)
    release, _ = Job.load(tmp_path / "job.toml").run()
    assert [column.get("importance") for column in release.recipe["columns"] if column["role"] == "quasi"] == [4, 6]
    assert importance_in(["age=3", "a=b=2"]) == {"age": 3, "a=b": 2}


@pytest.mark.parametrize(
    ("importance", "said"),
    [
        ({"age": 0}, "0 is no number from 0.01 to 100 with at most two decimals"),
        ({"age": 101}, "101 is no number from 0.01 to 100"),
        ({"age": 1.555}, "1.555 is no number from 0.01 to 100"),
        ({"age": "nan"}, "no number from 0.01 to 100"),
        ({"age": True}, "True is no number from 0.01 to 100"),
        ({"age": 99.99}, "9,999 parts of the common measure, and at most 1,000"),
        ({"ill": 2}, "importance of 'ill': no quasi-identifier"),
        (3, "importance = 3: say it of each column"),
    ],
)
def test_what_is_no_importance_is_refused(importance: Any, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        pc.publish(people(50), pc.Tailor(l=2), importance=importance, **ROLES)


def test_options_that_say_none_are_refused() -> None:
    for word in ("age", "=3"):
        with pytest.raises(SchemaError, match=f"--importance {word}: write a column and a number"):
            importance_in([word])
    for word in ("age=", "age=x", "age=-1", "age=1000", "zip=2,age=0.001"):
        with pytest.raises(SchemaError, match=r"--importance: '.*' is no number from 0.01 to 100 with at most two dec"):
            importance_in([word])
    with pytest.raises(SchemaError, match="it says how quasi-identifiers are weighed, and the role is carry"):
        pc.Column(role="carry", importance=2)
