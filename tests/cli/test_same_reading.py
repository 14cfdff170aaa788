"""The same reading everywhere: every verb sees the table that somebody would have cleaned by hand.

One table is written as tables are found (codes for missing values, dates with dots, numbers among texts) and comes with
a schema that uses every field; the other says the same cleanly. Whatever a verb finds out about one, it finds out about
the other.
"""

from __future__ import annotations

import inspect
import json
import re
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.program import Outcome, Program
from pellucid.cli.program import VERBS
from pellucid.core.schema import Column
from pellucid.runtime.progress import SILENT
from pellucid.web.tasks.attack_budget import reported
from pellucid.web.tasks.publishing import Setting, publish
from pellucid.web.worker_state import Desk

SCHEMA = """
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
kind = "number"
domain = [0, 120]
importance = 2
{age}
[columns.school]
role = "quasi"
kind = "ordered"
order = ["none", "primary", "tertiary"]
{school}
[columns.town]
role = "quasi"
taxonomy = {{ tree = {{ "*" = {{ warm = ["Rome", "Pisa"], cold = ["Oslo"] }} }} }}
importance = 2
{town}
[columns.born]
role = "quasi"
taxonomy = {{ dates = ["month", "year"] }}
{born}
[columns.kids]
role = "carry"
round = 1
{kids}
[columns.kg]
role = "quasi"
cap = {{ percent = [10, 90] }}
{kg}
[columns.stands]
role = "weight"
digits = 2
{stands}
[columns.disease]
role = "sensitive"
{disease}
"""
DIRTY = {
    "age": 'missing = ["N", "-1"]',
    "school": 'missing = ["?"]',
    "town": 'missing = ["unknown"]',
    "born": 'kind = "date"\ndate_order = "dmy"\nmissing = ["00.00.0000"]',
    "kids": 'missing = ["99"]',
    "kg": 'missing = ["-1", "999"]',  # beyond both ends, so that a cap in percent would see them
    "stands": 'kind = "number"',
    "disease": 'missing = ["NA"]\nnulls = "value"',
}
PROTECTED = 'protect = ["flu"]'  # for methods that protect some values only
MARKS = {"age": ["N", "-1"], "school": ["?"], "town": ["unknown"], "born": ["00.00.0000"], "kids": ["99"]}
MARKS |= {"kg": ["-1", "999"]}


def people() -> list[dict[str, str]]:
    random = Random(7)
    found = []
    for i in range(120):
        month = random.choice([3, 11])
        one = {
            "name": f"p{i:03}",
            "age": str(random.choice([20, 30, 41])),
            "school": random.choice(["none", "primary", "tertiary"]),
            "town": random.choice(["Rome", "Pisa", "Oslo"]),
            "born": f"{random.choice([5, 28])}.{month}.1980",
            "kids": str(random.choice([0, 1])),
            "kg": str(random.randint(40, 140)),
            "stands": f"{random.randint(1, 90000) / 100}",
            "disease": random.choice(["flu", "gout", "cold", "ulcer", "asthma", "mumps"]),
        }
        for column, marks in MARKS.items():
            if random.random() < 0.2:
                one[column] = random.choice(marks)
        one["disease"] = "NA" if random.random() < 0.1 else one["disease"]
        found.append(one)
    return found


def cleaned(one: dict[str, str]) -> dict[str, str]:
    marks = MARKS | {"disease": ["NA"]}
    known = {column: "" if value in marks.get(column, ()) else value for column, value in one.items()}
    if known["born"]:
        day, month, year = known["born"].split(".")
        known["born"] = f"{year}-{int(month):02}-{int(day):02}"
    return known


def written(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]) + "\n")


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Program) -> Path:
    """Both tables, their schemas and a release of each; the release is one and the same."""
    monkeypatch.chdir(tmp_path)
    rows = people()
    written(Path("dirty.csv"), rows)
    written(Path("clean.csv"), [cleaned(one) for one in rows])
    Path("dirty.toml").write_text(SCHEMA.format(**DIRTY))
    Path("clean.toml").write_text(SCHEMA.format(**dict.fromkeys(DIRTY, "")))
    for which in ("dirty", "clean"):
        told = f"{which}.csv --schema {which}.toml --method mondrian --l 2 --strict --seed 3 --out {which} --quiet"
        assert call("publish", *told.split()).code == 0
    assert Path("dirty/data.csv").read_bytes() == Path("clean/data.csv").read_bytes()
    return tmp_path


NAMED = ("release", "original", "source", "schema", "out", "files", "seconds", "origin", "recipe", "warnings", "sha256")


def said(outcome: Outcome) -> Any:
    """What a verb found out, without the names of files and the time it took."""
    assert outcome.code in (0, 1), outcome
    return json.loads(json.dumps(_bare(outcome.document)).replace("dirty", "clean"))


def _bare(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: _bare(value) for key, value in document.items() if key not in NAMED}
    return [_bare(one) for one in document] if isinstance(document, list) else document


WORDS = [
    "levels {0} --population {0}.csv --schema {0}.toml",
    "verify {0} --population {0}.csv --schema {0}.toml --require k-map=2 --require delta-presence=0,1",
    "verify {0} --truth {0}.csv --schema {0}.toml --require m-confidentiality=2",
    "attack {0} --truth {0}.csv --schema {0}.toml",
    "attack {0} --population {0}.csv --schema {0}.toml --identifier name",
    "measure {0} --original {0}.csv --schema {0}.toml",
    "report {0} --original {0}.csv --schema {0}.toml --out {0}.html",
    "compare {0}.csv --schema {0}.toml --methods tailor,anatomy --l 2 --out {0}-compared --workers 1",
    "run {0}-job.toml",
]


@pytest.mark.parametrize("words", WORDS)
def test_the_schemas_missing_is_not_ignored_by_any_verb(both: Path, call: Program, words: str) -> None:
    for which in ("dirty", "clean"):
        job = f'source = "{which}.csv"\nschema = "{which}.toml"\nout = "{which}-run"\nseed = 1\n'
        (both / f"{which}-job.toml").write_text(job + '[method]\nname = "tailor"\nl = 2\n')
    found = {which: said(call(*words.format(which).split(), "--json")) for which in ("dirty", "clean")}
    assert found["dirty"] == found["clean"]
    if words.startswith("run"):
        assert Path("dirty-run/data.csv").read_bytes() == Path("clean-run/data.csv").read_bytes()


def test_values_to_protect_are_read_alike_by_every_verb(both: Path, call: Program) -> None:
    for which in ("dirty", "clean"):
        schema = both / f"{which}.toml"
        schema.write_text(f"{schema.read_text().rstrip()}\n{PROTECTED}\n")
        told = f"{which}.csv --schema {which}.toml --method hybrid --l 2 --seed 3 --out {which} --overwrite --quiet"
        assert call("publish", *told.split(), "--keep-groups", f"{which}-groups.csv").code == 0
    assert Path("dirty/data.csv").read_bytes() == Path("clean/data.csv").read_bytes()
    for words in (
        "levels {0} --values flu --schema {0}.toml",
        "verify {0} --truth {0}.csv --groups {0}-groups.csv --schema {0}.toml --require m-confidentiality=2",
        "attack {0} --truth {0}.csv --groups {0}-groups.csv --schema {0}.toml --adversary algorithm",
        "measure {0} --original {0}.csv --schema {0}.toml --metric kept,query-error",
    ):
        found = [said(call(*words.format(which).split(), "--json")) for which in ("dirty", "clean")]
        assert found[0] == found[1], words


def test_the_schema_of_this_walk_uses_every_field() -> None:
    used = set(re.findall(r"^(\w+) = ", SCHEMA + "\n".join([*DIRTY.values(), PROTECTED]), re.MULTILINE))
    alone = {"l", "applies", "ruled_out"}  # of one method
    alone |= {"people", "merge", "labels"}  # of numbers of people; tests/unit/test_merged_values.py reads these
    assert used == set(Column.model_fields) - alone


def test_this_walk_visits_every_verb_that_takes_a_schema() -> None:
    taking = {
        verb
        for verb in VERBS
        if "schema" in inspect.signature(import_module(f"pellucid.cli.verbs.{verb}").command()).parameters
    }
    walked = {words.partition(" ")[0] for words in WORDS}
    assert taking - walked == {"publish"}  # which the fixture does
    assert walked - taking == {"run"}  # whose job names the schema


def test_the_page_attacks_the_table_that_it_published(both: Path) -> None:
    beliefs = []
    for which in ("dirty", "clean"):
        desk = Desk(both)
        source = {"place": f"{which}.csv", "name": which}
        text = (both / f"{which}.toml").read_text()
        setting: Setting = {"method": "tailor", "parameters": {"l": "2"}, "options": {}, "seed": None}
        about = {"source": source, "schema": text, "setting": setting}
        publish(desk, **about, accept_known=[], place=str(both / f"{which}-p"), progress=SILENT)
        found = reported(desk, source, text, ["algorithm", "nothing"], SILENT)
        beliefs.append([round(float(one.beliefs.max_risk), 9) for one in found.attempts])
    assert beliefs[0] == beliefs[1]
    assert beliefs[0]


def test_k_map_counts_everybody_whose_value_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Program
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"p{i},{'N' if i < 15 else 30},{'flu' if i % 2 else 'cold'}" for i in range(40)]
    Path("t.csv").write_text("\n".join(["name,age,disease", *rows]) + "\n")
    Path("s.toml").write_text(
        '[columns.name]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\nkind = "number"\nmissing = ["N"]\n'
        '[columns.disease]\nrole = "sensitive"\n'
    )
    made = "t.csv --schema s.toml --method tailor --l 2 --out out --quiet"
    assert call("publish", *made.split()).code == 0
    for told in ("--schema s.toml", ""):  # the recipe tells what stands for a missing value, too
        verdict = call("verify", *f"out --population t.csv --require k-map=40 {told} --json".split())
        assert verdict.document["verdicts"][0]["level"] == 40
        assert call("attack", *f"out --truth t.csv --identifier name {told}".split()).code == 0
        page = call("report", *f"out --original t.csv --out page.html --overwrite --json {told}".split())
        assert page.code == 0
        assert "Nothing was found out" not in page.out


def test_a_report_that_found_nothing_out_does_not_end_with_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Program
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"p{i},{20 + i},{'flu' if i % 2 else 'cold'}" for i in range(8)]
    Path("t.csv").write_text("\n".join(["name,age,disease", *rows]) + "\n")
    Path("other.csv").write_text("\n".join(["name,age,disease", *(row.replace(",2", ",7") for row in rows)]) + "\n")
    roles = "--quasi age --sensitive disease --identifier name"
    assert call("publish", *f"t.csv {roles} --method tailor --l 2 --out out --quiet".split()).code == 0
    assert call("report", *["out", "--original", "t.csv", "--out", "page.html"]).code == 0
    assert call("report", *["out", "--original", "other.csv", "--out", "other.html"]).code in (1, 2)
