"""Everywhere a promise is shown it says what it assumes and whom it does not cover; who drops that fails here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from cli.program import Program
from pellucid.anonymize.methods import methods
from pellucid.core.sentence import promises_nothing, sentence_of
from plain.promise_words import plainly, says_its_assumption
from plain.settings import SETTINGS
from plain.tables import line, secret, table_of

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
WIDE = pl.DataFrame(
    {"age": range(12), "kids": [0, 1, 2] * 4, "ill": list("abcdef" * 2), "pay": [i // 2 for i in range(12)]}
)


@pytest.mark.parametrize("name", sorted(methods()))
def test_the_sentence_of_every_method_says_its_assumption(name: str) -> None:
    table = table_of([line("age", [1, 2]), secret("disease", [1, 2])], [0, 1])
    said = sentence_of(table, SETTINGS[name](7, table), pc.Intervals())
    assert says_its_assumption(said.text)
    assert said.text.startswith(said.bound)
    assert "  " not in said.text
    method = SETTINGS[name](7, table)
    if not method.reckons_with and method.assumption is None:
        assert "(such as disease by age)" in said.not_covered


@pytest.mark.parametrize(
    ("method", "more"),
    [
        (pc.SoftCut(l=2, values=["a"]), "Other values of ill are not protected"),
        (pc.Hybrid(l=2, k=4), "Every group has at least 4 rows."),
        (pc.Tailor(model="t-closeness=0.5"), "no more than its frequencies"),
        (pc.Tailor(model="k-anonymity=3"), "no more than its frequencies"),
        (pc.Mondrian(model="k-anonymity=3"), "which row is whose"),
        (pc.Incognito(k=3), "which row is whose"),
        (pc.Mondrian(model="maximum re-identification risk=1/3"), "which row is whose"),
        (pc.AlphaK(alpha="1/2", k=2), "The bound holds for"),
        (pc.Audited(model=pc.AlphaKAnonymity(alpha="1/2", k=2)), "at most 1/2"),
        (pc.ART(r=2), "more than these statistics"),
        (pc.Injector(l=2), "more than these rules"),
        (pc.Strata(l=2, size=4), "the share of the value among the at least 4 people"),
    ],
)
def test_the_assumption_fits_what_is_promised(method: pc.Method, more: str) -> None:
    table = pc.read(WIDE, quasi=["age", "kids"], sensitive="ill")
    said = sentence_of(table, method, pc.Intervals()).text
    assert says_its_assumption(said)
    assert more in said


def test_several_columns_what_was_accepted_and_caps_keep_the_assumption() -> None:
    several = pc.read(WIDE, quasi=["age", "kids"], sensitive=["ill", "pay"])
    said = sentence_of(several, pc.Tailor(l=2), pc.Intervals(), ["kids"]).text
    assert says_its_assumption(said)
    assert said.endswith("What kids gives away about ill and pay by itself was accepted and is not covered.")
    columns = {
        "age": {"role": "quasi", "cap": {"high": 9}},
        "kids": {"role": "carry"},
        "ill": {"role": "sensitive", "protect": ["a"]},
        "pay": {"role": "drop"},
    }
    schema = pc.Schema(columns={name: pc.Column(**column) for name, column in columns.items()})
    release = pc.publish(pc.read(WIDE, schema=schema), pc.SoftCut(l=2))
    assert says_its_assumption(release.promise)
    assert release.promise.endswith("Other values of ill are not protected and may be told with certainty.")


@pytest.mark.parametrize("method", [pc.SoftCut(l=1), pc.Tailor(model="k-anonymity=1"), pc.ART(r=1), pc.Mondrian(l=1)])
def test_what_promises_nothing_assumes_nothing(method: pc.Method) -> None:
    table = pc.read(WIDE, quasi=["age", "kids"], sensitive="ill")
    assert promises_nothing(method)
    assert "equally likely" not in sentence_of(table, method, pc.Intervals()).text


def test_publish_and_its_recipe_say_the_assumption(folder: Path, call: Program) -> None:
    words = ["publish", "patients.csv", "--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name"]
    told = plainly(call(*words, "--l", "2", "--out", "out").out)
    assert says_its_assumption(told)
    assert "Who only guesses the most frequent disease is right for 25 % of the people" in told
    assert "'pellucid attack out --truth patients.csv" in told  # with --groups where the coins made groups overlap
    assert says_its_assumption(json.loads((folder / "out/recipe.json").read_text())["sentence"])
    document = call(*words, "--l", "2", "--out", "again", "--json").document
    assert says_its_assumption(document["guarantee"])
    assert document["most_frequent"] == {"disease": 0.25}


def test_a_job_says_the_assumption(folder: Path, call: Program) -> None:
    (folder / "roles.toml").write_text(pc.Schema.of(**ROLES).to_toml())
    (folder / "job.toml").write_text(
        'source = "patients.csv"\nschema = "roles.toml"\nout = "out/"\n[method]\nname = "ace"\nl = 2\n'
    )
    assert says_its_assumption(call("run", "job.toml").out)


def test_the_demo_says_the_assumption(folder: Path, call: Program) -> None:
    told = plainly(call("demo", "--out", folder / "out").out)
    patients, census = told.split("A census of 50,000 people")
    assert says_its_assumption(census)
    assert "Who only guesses the most frequent occupation is right for" in census
    assert "to whoever thinks all ways of handing these diseases out equally likely" in patients
    assert "Somebody who learns from the release, or knows from elsewhere" in patients
    assert "the promise does not cover that" in patients


@pytest.mark.parametrize("audience", ["public", "private"])
def test_the_report_says_the_assumption(folder: Path, call: Program, audience: str) -> None:
    release = pc.publish(pc.datasets.patients(), pc.Ace(l=2), **ROLES)
    release.write(folder / "out")
    words = ["report", "out", "--original", "patients.csv", "--identifier", "name", "--audience", audience]
    told = call(*words, "--out", "page.html").out
    assert says_its_assumption(told)
    summary = (folder / "page.html").read_text().partition('<section id="published">')[0]
    assert says_its_assumption(summary)
    line = "Who only guesses the most frequent disease is right for 25"
    assert (line in plainly(summary)) == (line in plainly(told)) == (audience == "private")


def test_the_report_adds_the_assumption_to_a_recipe_of_an_earlier_version(folder: Path) -> None:
    pc.publish(pc.datasets.patients(), pc.Ace(l=2), **ROLES).write(folder / "out")
    recipe = json.loads((folder / "out/recipe.json").read_text())
    whole = recipe["sentence"]
    recipe["sentence"] = whole.partition(" This holds")[0]
    assert not says_its_assumption(recipe["sentence"])
    (folder / "out/recipe.json").write_text(json.dumps(recipe))
    assert pc.report(folder / "out", audience="public").summary["sentence"] == whole


def test_a_release_in_python_says_the_assumption() -> None:
    release = pc.publish(pc.datasets.patients(), pc.SoftCut(l=2), **ROLES)
    assert says_its_assumption(release.promise)
    assert release.promise == release.recipe["sentence"]
    assert says_its_assumption(release._repr_html_())
    assert "promise says what it assumes and whom it does not cover" in repr(release)


@pytest.mark.parametrize("name", sorted(methods()))
def test_the_list_of_methods_says_the_assumption(call: Program, name: str) -> None:
    if methods()[name].guarantee == "none":  # of sensitive values; a bound on sizes assumes nothing
        assert "Promises nothing about sensitive values" in call("methods", name).out
        return
    assert says_its_assumption(call("methods", name).out)
    assert all(says_its_assumption(one["promise"]) for one in call("methods", "--json").document if one["name"] == name)


@pytest.mark.parametrize("page", ["README.md", "docs/limits.md"])
def test_the_papers_say_the_assumption(page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text().replace("\n>", "\n")
    assert says_its_assumption(text)


def test_nothing_says_that_no_method_prevents_learning() -> None:
    root = Path(__file__).parents[2]
    texts = [*root.glob("src/**/*.py"), *root.glob("src/**/*.html"), *root.glob("docs/*.md"), root / "README.md"]
    assert len(texts) > 100
    assert [path for path in texts if "useful data" in path.read_text(encoding="utf-8")] == []
