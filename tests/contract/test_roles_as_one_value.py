"""Every verb that is told what columns are takes it as one value, ``roles``, and does with it what keywords do."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.schema import Role

PATIENTS = pc.datasets.patients()
READER = pc.Adversary(knows="nothing")
NAMED: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
CONTRADICTS = r"^quasi = \['age'\] and roles say \['age', 'zipcode'\]; give one of the two$"


def published(**said: Any) -> pc.Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        return pc.publish(PATIENTS, pc.Hybrid(l=2), seed=1, **said)


def frame() -> pl.DataFrame:
    """A release without its recipe, so that nothing but the caller says what its columns are."""
    return published(**NAMED).frame


def told_by_table(table: pc.Table) -> Any:
    return [(column.name, column.role, column.kind) for column in table.attributes], [c.tolist() for c in table.codes]


def told_by_answers(answers: Any) -> Any:
    return [(one.model, one.sensitive, str(one.level)) for one in answers], answers.audit.quasi


def told_by_attackers(found: pc.AttackReport) -> Any:
    return [(one.name, one.max_risk) for one in found.attempts], [str(one) for one in found.findings]


def kept(table: pl.DataFrame) -> pl.DataFrame:
    return table.drop("name").with_columns(age=pl.lit("*"))


CALLS: dict[str, Callable[..., Any]] = {
    "read": lambda **said: told_by_table(pc.read(PATIENTS, **said)),
    "publish": lambda **said: (published(**said).frame.rows(), published(**said).recipe),
    "levels": lambda **said: told_by_answers(pc.levels(frame(), **said)),
    "examine": lambda **said: repr(pc.examine(frame(), **said)),
    "verify": lambda **said: told_by_answers(pc.verify(frame(), [pc.KAnonymity(k=2), pc.LDiversity(l=2)], **said)),
    "attack": lambda **said: pc.attack(frame(), READER, truth=PATIENTS, **said).risk.tolist(),
    "attack_all": lambda **said: told_by_attackers(pc.attack_all(frame(), adversaries=["nothing"], **said)),
    "attack_anonymizer": lambda **said: pc.attack_anonymizer(kept, PATIENTS, worlds_budget=8, steps=9, **said).max_risk,
    "measure": lambda **said: str(pc.measure(frame(), PATIENTS, [pc.Loss(), pc.Discernibility()], **said)),
    "compare": lambda **said: str(
        pc.compare(PATIENTS, [pc.Anatomy(l=2)], [pc.Perimeter()], [], **said).cells[0].scores
    ),
    "report": lambda **said: pc.report(frame(), PATIENTS, audience="public", **said).html,
}


def parameters(verb: str) -> set[str]:
    return {*inspect.signature(getattr(pc, verb)).parameters}


def by_keyword(verb: str) -> dict[str, Any]:
    return {name: value for name, value in NAMED.items() if name in parameters(verb)}


def test_every_function_that_is_told_columns_takes_roles_and_is_tried_here() -> None:
    functions = [name for name in pc.__all__ if inspect.isfunction(getattr(pc, name))]
    told = {name for name in functions if {"quasi", "sensitive"} <= parameters(name)}
    assert told == {*CALLS}
    assert [name for name in CALLS if "roles" not in parameters(name)] == []


@pytest.mark.parametrize("verb", CALLS)
def test_roles_do_what_the_keywords_do(verb: str) -> None:
    expected = CALLS[verb](**by_keyword(verb))
    assert CALLS[verb](roles=pc.Roles(**NAMED)) == expected
    assert CALLS[verb](roles=pc.Roles(**NAMED), sensitive="disease") == expected


@pytest.mark.parametrize("verb", CALLS)
def test_roles_and_keywords_that_differ_are_refused(verb: str) -> None:
    with pytest.raises(pc.SchemaError, match=CONTRADICTS):
        CALLS[verb](roles=pc.Roles(**NAMED), quasi=["age"])
    with pytest.raises(pc.SchemaError, match=r"^roles = \{'quasi': .*: give pellucid\.Roles\("):
        CALLS[verb](roles=NAMED)


def test_schema_files_are_the_same_by_their_path(tmp_path: Path) -> None:
    file = tmp_path / "patients.toml"
    file.write_text(pc.Schema.of(**NAMED).to_toml(), encoding="utf-8")
    roles = pc.Roles(schema=file)
    assert pc.read(PATIENTS, roles=roles, schema=str(file)).having(Role.QUASI) == [0, 1]
    with pytest.raises(pc.SchemaError, match="schema and quasi both say what the columns are"):
        pc.read(PATIENTS, roles=roles, quasi=["age"], sensitive="disease")


def test_names_that_can_be_read_once_serve_several_verbs() -> None:
    roles = pc.Roles(quasi=iter(["age", "zipcode"]), sensitive=iter(["disease"]), identifier="name")
    release = published(roles=roles)
    assert pc.attack(release, truth=PATIENTS, roles=roles).max_risk == 0.5
    assert pc.levels(release.frame, roles=roles).audit.quasi == ("age", "zipcode")


def test_a_carried_column_tells_rows_apart_whoever_is_asked() -> None:
    """What is carried stands in the release: an audit or an attack that left it out would say that too much holds."""
    table = pl.DataFrame({"age": ["*"] * 4, "town": ["a", "a", "a", "b"], "ill": ["x", "y", "x", "y"]})
    roles = pc.Roles(quasi="age", sensitive="ill", carry="town")
    assert pc.levels(table, roles=roles)[0].level == 1
    assert pc.levels(table, roles=pc.Roles(quasi="age", carry="town"))[0].level == 1
    assert pc.verify(table, [pc.KAnonymity(k=2)], roles=roles)[0].holds is False
    assert pc.attack(table, READER, roles=roles).max_risk == 1
    assert '<th scope="row">town</th><td>quasi-identifier' in pc.report(table, audience="public", roles=roles).html


def test_kinds_are_kinds_wherever_a_table_is_read() -> None:
    roles = pc.Roles(quasi="age", sensitive="icd", kinds={"age": "category"})
    table = pl.DataFrame({"age": [20, 30, 40], "icd": ["a", "b", "c"]})
    assert pc.read(table, roles=roles).attributes[0].kind == "category"
    with pytest.raises(pc.SchemaError, match="schema and kinds both say what the columns are"):
        pc.read(table, roles=pc.Roles(schema=pc.Schema.of(quasi="age", sensitive="icd"), kinds={"age": "category"}))
    with pytest.raises(pc.SchemaError, match="kinds is given but quasi is not"):
        pc.read("patients", roles=pc.Roles(kinds={"age": "category"}))


def test_one_sensitive_column_of_a_list_can_be_attacked_and_of_several_none() -> None:
    release = published(**NAMED)
    alone = pc.Roles(**{**NAMED, "sensitive": ["disease"]})
    assert pc.attack(release, truth=PATIENTS, roles=alone).max_risk == 0.5
    assert pc.attack(release.frame, READER, roles=alone).max_risk == 0.5
    for given in ({"truth": PATIENTS}, {}):
        with pytest.raises(pc.AttackError, match="an attack is on one sensitive column"):
            pc.attack(release, roles=pc.Roles(**{**NAMED, "sensitive": ["disease", "age"]}), **given)
