"""``attack`` and ``verify`` never say that a bound holds when it does not: cases in which they once did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pellucid as pc
from cli.program import Program

PEOPLE = """name,age,kids,disease
Ann,30,0,flu
Bob,30,1,flu
Cid,40,1,gout
Dan,40,1,cold
Eva,40,1,asthma
Fay,40,1,ulcer
Gus,40,1,mumps
"""
SWAPPED = "\n".join(
    ",".join([one[0], one[2], one[1], one[3]]) for one in (line.split(",") for line in PEOPLE.splitlines())
)
SCHEMA = """[columns.name]
role = "identifier"
[columns.kids]
role = "quasi"
kind = "number"
domain = [0, 20]
[columns.age]
role = "quasi"
[columns.disease]
role = "sensitive"
"""
MONDRIAN = ["--method", "mondrian", "--l", "2", "--strict", "--no-retry", "--out", "out"]
ASKED = ["--max-risk", "1/2", "--adversary", "algorithm"]
REQUIRED = ["--require", "transparent l-diversity=2"]


def without(column: int, text: str) -> str:
    return "\n".join(",".join(p for i, p in enumerate(line.split(",")) if i != column) for line in text.splitlines())


@pytest.fixture
def voters(folder: Path, call: Program) -> list[str]:
    """Seven people who were published, and one who was not, whose age nobody in the table has."""
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "voters.csv").write_text(without(3, PEOPLE) + "\nZoe,95,1\n")
    columns = ["--quasi", "age,kids", "--sensitive", "disease", "--identifier", "name"]
    assert call("publish", "people.csv", *columns, *MONDRIAN).code == 0
    return ["--population", "voters.csv", "--identifier", "name"]


@pytest.fixture
def declared(folder: Path, call: Program) -> list[str]:
    """The same people, with a domain that made the ages the widest column."""
    (folder / "people.csv").write_text(SWAPPED)
    (folder / "voters.csv").write_text(without(3, SWAPPED))
    (folder / "schema.toml").write_text(SCHEMA)
    assert call("publish", "people.csv", "--schema", "schema.toml", *MONDRIAN).code == 0
    return ["--population", "voters.csv", "--identifier", "name"]


def largest(document: Any) -> float:
    (one,) = document["adversaries"]
    return float(one["max_risk"])


def test_an_outsider_changes_nothing(voters: list[str], call: Program) -> None:
    """Somebody in no group has no part in the extents that steered: P(Ann has flu) = 1, and was said to be 2/7."""
    done = call("attack", "out", *voters, *ASKED, "--json")
    assert done.code == 1
    assert largest(done.document) == 1
    assert done.document["holds"] is False
    assert done.document["adversaries"][0]["exactness"] == "exact"
    verified = call("verify", "out", *REQUIRED, *voters)
    assert verified.code == 1
    assert "FAILS  transparent l-diversity: l = 2 (reached: 1)" in verified.out


@pytest.mark.parametrize("more", [[], ["--schema", "schema.toml"]])
def test_the_recipe_tells_the_domain_that_steered(declared: list[str], more: list[str], call: Program) -> None:
    """Without --schema 2/7 was said, and with it 1."""
    done = call("attack", "out", *declared, *more, *ASKED, "--json")
    assert (done.code, largest(done.document)) == (1, 1.0)
    verified = call("verify", "out", *REQUIRED, *declared, *more, "--json")
    assert (verified.code, verified.document["verdicts"][0]["level"]) == (1, 1)


def test_a_recipe_that_does_not_tell_it_shows_nothing(folder: Path, declared: list[str], call: Program) -> None:
    """Recipes of earlier versions: attack and verify say what to give, and end with 1."""
    path = folder / "out" / "recipe.json"
    recipe = json.loads(path.read_text())
    del recipe["format"], recipe["columns"][0]["domain"], recipe["ordered_as"]
    path.write_text(json.dumps(recipe))
    done = call("attack", "out", *declared, *ASKED, "--json")
    assert (done.code, done.document["holds"], done.document["adversaries"]) == (1, None, [])
    assert "give the --schema" in done.document["not_tried"][0]["why"]
    verified = call("verify", "out", *REQUIRED, *declared)
    assert verified.code == 1
    assert "NOT SHOWN  transparent l-diversity: l = 2" in verified.out
    assert "--schema" in " ".join(verified.out.split())
    assert "1 of 1 requirements is not shown." in verified.out
    told = call("attack", "out", *declared, "--schema", "schema.toml", *ASKED, "--json")
    assert (told.code, largest(told.document)) == (1, 1.0)


@pytest.mark.usefixtures("declared")
@pytest.mark.parametrize(
    ("line", "other", "what"),
    [
        ("domain = [0, 20]\n", "domain = [0, 10]\n", "domain of 'kids' is [0, 10]"),
        ("domain = [0, 20]\n", "", "domain of 'kids' is not declared"),
        ('kind = "number"\ndomain = [0, 20]\n', 'kind = "category"\n', "kind of 'kids' is category"),
        ("domain = [0, 20]\n", "domain = [0, 20]\ntaxonomy = {ladder = [5]}\n", "taxonomy of 'kids'"),
        ("domain = [0, 20]\n", 'domain = [0, 20]\nmissing = ["0"]\n', "missing of 'kids'"),
    ],
)
def test_a_schema_that_contradicts_the_recipe_is_noticed(
    folder: Path, line: str, other: str, what: str, call: Program
) -> None:
    (folder / "other.toml").write_text(SCHEMA.replace(line, other))
    people = ["--population", "voters.csv", "--schema", "other.toml"]
    for done in (call("attack", "out", *people, *ASKED), call("verify", "out", *REQUIRED, *people)):
        assert what in done.error
        assert "the release's recipe says" in done.error


@pytest.mark.usefixtures("declared")
def test_the_order_of_the_columns_is_part_of_the_recipe(folder: Path, call: Program) -> None:
    kids, age = SCHEMA.index("[columns.kids]"), SCHEMA.index("[columns.age]")
    end = SCHEMA.index("[columns.disease]")
    (folder / "other.toml").write_text(SCHEMA[:kids] + SCHEMA[age:end] + SCHEMA[kids:age] + SCHEMA[end:])
    done = call("attack", "out", "--population", "voters.csv", "--schema", "other.toml", *ASKED)
    assert "age, kids, in this order" in done.error


LINE = """id,q,s
p86,1,v0
p14,0,v1
p24,0,v1
p03,1,v2
p81,0,v1
p17,0,v0
"""


@pytest.mark.parametrize("reverse", [None, False, True])
def test_look_alikes_are_told_apart_by_their_identifier(folder: Path, reverse: bool | None, call: Program) -> None:
    """However the file is ordered: p24 is certain and was given 1/2, p17 was given 1 and is not."""
    head, *rows = LINE.splitlines()
    (folder / "people.csv").write_text(LINE)
    lines = rows if reverse is None else sorted(rows, reverse=reverse)
    (folder / "crowd.csv").write_text("\n".join(without(2, line) for line in [head, *lines]))
    columns = ["--quasi", "q", "--sensitive", "s", "--identifier", "id"]
    assert call("publish", "people.csv", *columns, "--method", "greedy-grouping", "--l", "2", "--out", "out").code == 0
    beliefs = pc.attack("out", population="crowd.csv", identifier="id", exact=True)
    assert {
        name: str(max(beliefs.posterior_of(row).values())) for row, name in enumerate(beliefs.evidence.names or [])
    } == {
        "p86": "1/2",
        "p14": "1/2",
        "p24": "1",
        "p03": "1/2",
        "p81": "1",
        "p17": "1/2",
    }
    done = call("attack", "out", "--population", "crowd.csv", "--identifier", "id", *ASKED, "--json")
    assert (done.code, largest(done.document), done.document["holds"]) == (1, 1.0, False)


@pytest.mark.parametrize("wrong", ["unnamed", "text"])
def test_without_the_identifier_that_ordered_the_rows_nothing_is_shown(folder: Path, wrong: str, call: Program) -> None:
    """Nor where its values are ordered otherwise: 9 is before 10, and behind it as a text."""
    numbered = LINE.replace("p03", "3").replace("p86", "9").replace("p", "")
    (folder / "people.csv").write_text(numbered)
    crowd = without(2, numbered)
    (folder / "crowd.csv").write_text(crowd if wrong == "unnamed" else crowd + "\nB7,900\n")
    columns = ["--quasi", "q", "--sensitive", "s", "--identifier", "id"]
    assert call("publish", "people.csv", *columns, "--method", "greedy-grouping", "--l", "2", "--out", "out").code == 0
    named = [] if wrong == "unnamed" else ["--identifier", "id"]
    done = call("attack", "out", "--population", "crowd.csv", *named, *ASKED, "--json")
    assert (done.code, done.document["holds"]) == (1, None)
    why = done.document["not_tried"][0]["why"]
    assert ("with --identifier" if wrong == "unnamed" else "ordered by identifiers that are numbers") in why
    verified = call("verify", "out", "--require", "transparent l-diversity=2", "--population", "crowd.csv", *named)
    assert verified.code == 1
    assert "NOT SHOWN" in verified.out


def test_not_being_sure_who_is_there_shows_nothing_for_who_is(folder: Path, call: Program) -> None:
    """Two of four people whom the group covers have the two rows: 1/4 for who is not sure, 1/2 for who is."""
    (folder / "people.csv").write_text("id,q,s\n1,1,a\n2,4,b\n")
    (folder / "crowd.csv").write_text("id,q\n1,1\n2,4\n3,1\n4,4\n")
    columns = ["--quasi", "q", "--sensitive", "s", "--identifier", "id", "--method", "tailor", "--l", "2"]
    assert call("publish", "people.csv", *columns, "--out", "out").code == 0
    people = ["--population", "crowd.csv", "--identifier", "id"]
    for who in ("nothing", "algorithm"):
        asked = ["attack", "out", *people, "--adversary", who, "--json", "--max-risk"]
        assert call(*asked, "1/2").code == 0
        done = call(*asked, "1/3")
        assert (done.code, done.document["holds"]) == (1, None)
        assert "who is sure believes up to 0.5" in done.document["not_shown"]
