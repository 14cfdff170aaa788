"""A health survey with several sensitive columns: it can be published, and what is said about it is true."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from jsonschema import Draft202012Validator

import pellucid as pc
from cli.program import Outcome, Program
from pellucid.anonymize import protecting, several
from pellucid.anonymize.method import check_diverse
from pellucid.anonymize.protecting import as_schema_says
from pellucid.cli.attack_document import document_of_several
from pellucid.comparison import Inquiry, Risk, cell
from pellucid.comparison.cell import fill

N = 900
STRICT = ("--method", "soft-cut")  # of which each bound is 1/l
charts = pytest.mark.skipif(find_spec("vl_convert") is None, reason="the extra charts is not installed")


def survey() -> pl.DataFrame:
    """People with two diseases, of which few have either, and two answers of which some are frequent."""
    random = np.random.default_rng(7)
    age = random.integers(18, 90, N)
    return pl.DataFrame(
        {
            "id": np.arange(N),
            "age": age,
            "sex": random.choice(["F", "M"], N),
            "region": random.choice(list("ABCDEF"), N),
            "diabetes": np.where(random.random(N) < 0.03 + 0.001 * age, "Yes", "No"),
            "depressed": np.where(random.random(N) < 0.1, "Yes", "No"),
            "health": random.choice(["excellent", "good", "fair", "poor"], N, p=[0.3, 0.3, 0.25, 0.15]),
            "smoking": random.choice(["never", "former", "daily", "some"], N, p=[0.42, 0.28, 0.2, 0.1]),
        }
    )


@pytest.fixture
def health(folder: Path) -> Path:
    survey().write_csv(folder / "h.csv")
    return folder


def publish(call: Program, sensitive: str, *words: str) -> Outcome:
    known = ["--quasi", "age,sex,region", "--identifier", "id", "--sensitive", sensitive]
    return call("publish", "h.csv", *known, *words, "--out", "out", "--overwrite", "--json")


@pytest.mark.usefixtures("health")
def test_tailor_makes_one_group_of_a_survey_and_the_advice_is_true(call: Program) -> None:
    done = publish(call, "health,smoking", "--method", "tailor", "--l", "2")
    assert done.document["groups"] == 1
    (note,) = done.document["warnings"]
    assert "'never' is the smoking of" in note
    assert note.endswith("use --method soft-cut")
    better = publish(call, "health,smoking", "--method", "soft-cut", "--l", "2")
    assert (better.document["groups"], better.document["warnings"]) == (N // 2, [])
    assert min(better.document["information_kept"].values()) > 0.7


def test_yes_and_no_cannot_both_be_protected_and_the_way_out_is_true(health: Path, call: Program) -> None:
    for method in ("tailor", "soft-cut"):
        refused = publish(call, "diabetes,depressed", "--method", method, "--l", "3")
        assert refused.code == 2
        assert "l = 3 is not feasible: 'No' is the 'diabetes' of" in refused.error
        assert "protect 'Yes' only: l up to" in refused.error
        assert ("use soft-cut and protect" in refused.error) == (method == "tailor")
    done = publish(call, "diabetes,depressed", *STRICT, "--values", "Yes", "--l", "3")
    assert done.code == 0
    sentence = json.loads((health / "out/recipe.json").read_text())["sentence"]
    assert "names 'Yes' as any one person's diabetes and 'Yes' as any one person's depressed" in sentence


@pytest.mark.usefixtures("health")
def test_values_that_not_every_column_has_are_told_by_column(call: Program) -> None:
    refused = publish(call, "diabetes,smoking", "--values", "Yes", "--l", "3")
    assert refused.code == 2
    assert "no row has it in 'smoking'; say which values of which column: --values COLUMN=VALUES" in refused.error


def test_values_are_typed_with_their_column_as_verify_has_it(health: Path, call: Program) -> None:
    done = publish(
        call, "diabetes,smoking", *STRICT, "--values", "diabetes=Yes", "--values", "smoking=daily,some", "--l", "3"
    )
    assert done.code == 0
    recipe = json.loads((health / "out/recipe.json").read_text())
    assert recipe["parameters"]["values"] == {"diabetes": ["Yes"], "smoking": ["daily", "some"]}
    assert call("verify", "out", "--require", "l-diversity=3").code == 0
    mixed = publish(call, "diabetes,smoking", "--values", "Yes", "--values", "smoking=daily", "--l", "3")
    assert "--values Yes names no column and others do" in mixed.error
    alone = publish(call, "diabetes", "--values", "diabetes=Yes", "--l", "3")
    assert alone.document["recipe"]["parameters"]["values"] == ["Yes"]


@pytest.mark.usefixtures("health")
def test_what_is_not_known_of_any_column_is_said_once(call: Program) -> None:
    known = ["--quasi", "age,sex,region", "--identifier", "id"]
    done = call("publish", "h.csv", *known, "--sensitive", "health,smoking", "--l", "2", "--out", "out")
    said = " ".join(done.out.split())
    assert said.count("how often somebody is right who learns from the release") == 1
    assert "Who only guesses the most frequent health is right for" in said
    assert "the most frequent smoking for" in said


@pytest.mark.usefixtures("health")
def test_one_of_several_sensitive_columns_is_measured_with_what_the_recipe_says(call: Program) -> None:
    assert publish(call, "health,smoking", "--l", "2").code == 0
    asked = ("measure", "out", "--original", "h.csv", "--metric", "query-error:queries=20")
    assert call(*asked, "--sensitive", "smoking", "--json").document["sensitive"] == ["smoking"]
    assert "'sex' is no sensitive column of the release" in call(*asked, "--sensitive", "sex").error
    typed = call(*asked[:-1], "query-error:queries=20,sensitive=False", "--json").document
    assert typed == call(*asked[:-1], "query-error:queries=20,sensitive=false", "--json").document
    assert typed["scores"]


@pytest.mark.usefixtures("health")
def test_a_comparison_says_why_a_method_has_no_release(call: Program) -> None:
    known = ["--quasi", "age,sex,region", "--identifier", "id", "--sensitive", "diabetes"]
    found = call("compare", "h.csv", *known, "--methods", "ace,mondrian", "--l", "4", "--values", "diabetes=Yes")
    assert found.code == 0
    said = " ".join(found.out.split())
    assert "No release by Mondrian: " in said
    assert "the most frequent 'diabetes' is 'No'" in said


SCHEMA = """
[columns.id]
role = "identifier"
[columns.age]
role = "quasi"
[columns.sex]
role = "quasi"
[columns.region]
role = "quasi"
[columns.diabetes]
role = "sensitive"
protect = ["Yes"]
[columns.health]
role = "sensitive"
[columns.smoking]
role = "sensitive"
protect = ["daily", "some"]
"""


def test_every_verb_speaks_about_each_column(health: Path, call: Program) -> None:
    """Publish with values by column, then verify, attack and report: each column by the values that are protected."""
    (health / "s.toml").write_text(SCHEMA)
    said = ["--schema", "s.toml"]
    done = call("publish", "h.csv", *said, *STRICT, "--l", "3", "--out", "out", "--keep-groups", "groups.csv", "--json")
    assert done.code == 0, done
    recipe = json.loads((health / "out/recipe.json").read_text())
    sentence = recipe["sentence"]
    assert "any one person's health and any one of 'daily' and 'some' as any one person's smoking" in sentence
    assert "Other values of diabetes and smoking are not protected" in sentence
    assert recipe["parameters"]["values"] == {"diabetes": ["Yes"], "smoking": ["daily", "some"]}
    assert recipe["guarantee"] == "algorithm"
    held = call("verify", "out", "--require", "l-diversity=3", "--json")
    assert held.code == 0
    assert [one["sensitive"] for one in held.document["verdicts"]] == ["diabetes", "health", "smoking"]
    assert call("verify", "out", "--require", "l-diversity=4").code == 1
    truth = ["--truth", "h.csv", *said, "--groups", "groups.csv"]
    held = call("verify", "out", *truth, "--require", "transparent l-diversity=3", "--json")
    assert (held.code, [one["holds"] for one in held.document["verdicts"]]) == (0, [True] * 3)
    each = call("attack", "out", *truth, "--adversary", "algorithm", "--max-risk", "1/3")
    assert (each.code, each.out.count("holds: somebody who knows the algorithm")) == (0, 3)
    assert "3 sensitive columns (diabetes, health, smoking): All of them hold." in " ".join(each.out.split())
    two = call(
        "attack", "out", *truth, "--sensitive", "health,smoking", "--adversary", "algorithm", "--max-risk", "1/4"
    )
    assert two.code == 1
    assert "1/4 is exceeded or not shown for health, smoking." in " ".join(two.out.split())
    for column in ("diabetes", "health", "smoking"):
        words = ["attack", "out", *truth, "--sensitive", column, "--adversary", "algorithm", "--max-risk"]
        assert call(*words, "1/3").code == 0
        assert call(*words, "1/4").code == 1


def check_document(document: Mapping[str, Any]) -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs/schemas/attack.schema.json").read_text())
    Draft202012Validator(schema).validate(document)


def test_an_attack_on_several_columns_is_one_document(health: Path, call: Program) -> None:
    """What a program reads is what each column says by itself, and one verdict on all of them."""
    (health / "s.toml").write_text(SCHEMA)
    said = ["--schema", "s.toml"]
    done = call("publish", "h.csv", *said, *STRICT, "--l", "3", "--out", "out", "--keep-groups", "groups.csv", "--json")
    assert done.code == 0
    truth = ["attack", "out", "--truth", "h.csv", *said, "--groups", "groups.csv", "--adversary", "algorithm", "--json"]
    held = call(*truth, "--max-risk", "1/3")
    assert (held.code, held.document["holds"], held.document["required"]) == (0, True, "1/3")
    assert held.document["sensitive"] == ["diabetes", "health", "smoking"]
    assert held.document["verdict"] == "3 sensitive columns (diabetes, health, smoking): All of them hold."
    alone = [call(*truth, "--max-risk", "1/3", "--sensitive", name).document for name in held.document["sensitive"]]
    assert held.document["columns"] == alone
    failing = call(*truth, "--max-risk", "1/4")
    assert (failing.code, failing.document["holds"]) == (1, None)  # bounds: nobody knows that somebody is above
    assert "1/4 is exceeded or not shown for diabetes, health, smoking" in failing.document["verdict"]
    figures = call(*truth, "--sensitive", "health,smoking")
    assert (figures.code, figures.document["holds"], figures.document["required"]) == (0, None, None)
    for one in (held, failing, figures):
        check_document(one.document)


@charts
def test_an_attack_on_several_columns_is_one_picture(health: Path, call: Program) -> None:
    done = publish(call, "health,smoking", "--l", "2", "--keep-groups", "groups.csv")
    assert done.code == 0
    words = ["attack", "out", "--truth", "h.csv", "--identifier", "id", "--groups", "groups.csv"]
    drawn = call(*words, "--adversary", "nothing,algorithm", "--chart", "x.json")
    assert drawn.code == 0
    assert "Chart: x.json" in drawn.out
    panels = json.loads((health / "x.json").read_text())["hconcat"]
    assert [panel["title"]["text"].rpartition(" ")[2] for panel in panels] == ["health", "smoking"]
    assert [len(panel["vconcat"]) for panel in panels] == [3, 3]
    assert call(*words, "--adversary", "algorithm", "--chart", "x.svg").code == 0
    assert (health / "x.svg").read_bytes().startswith(b"<svg")


STANDING = {True: "holds", False: "fails", None: "not shown"}


@pytest.mark.parametrize(
    ("each", "together"), [([True, True], True), ([True, None], None), ([None, False], False), ([True, False], False)]
)
def test_one_column_that_does_not_hold_decides(each: list[bool | None], together: bool | None) -> None:
    names = ("health", "smoking")
    told = [
        {"source": "out", "sensitive": name, "required": "1/3", "holds": holds, "warnings": ["old"]}
        | {"standing": {"verdict": STANDING[holds], "bound": "1/3", "by": "asked", "why": None}}
        for name, holds in zip(names, each, strict=True)
    ]
    whole = document_of_several(told)
    assert (whole["holds"], whole["warnings"]) == (together, ["old"])
    assert (whole["standing"]["verdict"], whole["standing"]["bound"]) == (STANDING[together], "1/3")
    assert ("All of them hold" in whole["verdict"]) is (together is True)


def test_a_survey_of_too_many_combinations_says_so(
    health: Path, call: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert health
    for module in (protecting, several):
        monkeypatch.setattr(module, "MOST_VECTORS", 3)
    monkeypatch.setattr("pellucid.cli.remarks.MOST_VECTORS", 3)
    assert (
        publish(call, "health,smoking", *STRICT, "--l", "2").document["groups"] == 1
    )  # no part of 2,048 rows has so few
    told = publish(call, "health,smoking", *STRICT, "--l", "2").document["warnings"]
    (note,) = [one for one in told if "combinations" in one]
    assert "health and smoking have 16 different combinations of values, too many to divide" in note


@pytest.mark.parametrize("method", [pc.Ace, pc.Hybrid, pc.SoftCut])
def test_groups_are_diverse_in_every_column(method: type[pc.Method]) -> None:
    frame = survey()
    columns = ["diabetes", "depressed", "health"]
    values = {"diabetes": ["Yes"], "depressed": ["Yes"]}
    roles = {"quasi": ["age", "sex", "region"], "sensitive": columns, "identifier": "id"}
    release = pc.publish(frame, method(l=3, values=values), **roles)
    groups = frame.with_columns(group=pl.Series(release.private.labels))
    sizes = groups.group_by("group").len()
    for column in columns:
        counts = groups.group_by("group", column).len(name="held").join(sizes, on="group")
        if column in values:
            counts = counts.filter(pl.col(column) == "Yes")
        assert (counts["held"] * 3 <= counts["len"]).all()
    assert release.private.grouping.sizes.max() <= 6


def test_values_of_a_column_that_is_not_sensitive_are_refused() -> None:
    roles = {"quasi": ["age"], "sensitive": ["diabetes", "depressed"], "identifier": "id"}
    with pytest.raises(
        pc.MethodError, match="values of 'smoking' are said to be protected, which is no sensitive column"
    ):
        pc.publish(survey(), pc.SoftCut(l=3, values={"smoking": ["daily"]}), **roles)


def test_an_attack_on_one_of_several_columns_runs_no_worlds_of_that_column_alone() -> None:
    """The method saw both columns: of worlds of one it would publish something else, which proves nothing."""
    frame = (
        survey()
        .head(8)
        .with_columns(diabetes=pl.Series(["Yes", "Yes", "No", "No"] * 2), depressed=pl.Series(["a", "b", "c", "d"] * 2))
    )
    roles = {"quasi": ["age"], "sensitive": ["diabetes", "depressed"]}
    release = pc.publish(frame.drop("id"), pc.Tailor(l=2), **roles)
    for column in roles["sensitive"]:
        found = pc.attack(release, pc.Adversary(knows="algorithm"), population=frame.select("age"), sensitive=column)
        assert found.max_risk <= 0.5


def test_a_promise_is_feasible_where_each_column_is() -> None:
    table = pc.read(survey(), quasi=["age"], sensitive=["health", "smoking"], identifier="id")
    assert check_diverse(table, 2) == max(survey()["smoking"].value_counts()["count"])
    assert pc.Ace(l=2).check(table) == check_diverse(table, 2)


def test_spark_divides_one_sensitive_column_and_says_what_else_can_be_done() -> None:
    table = pc.read(survey(), quasi=["age"], sensitive=["health", "smoking"], identifier="id")
    counts = [np.bincount(table.codes[column]) for column in (1, 2)]
    for method in (pc.SoftCut(l=2), pc.Hybrid(l=2), pc.Ace(l=2)):
        with pytest.raises(pc.MethodError, match=f"with Spark {method.name} protects one sensitive column.*use tailor"):
            method.check_counts(table, counts)
    pc.Tailor(l=2).check_counts(table, counts)


def test_a_schema_and_a_method_that_name_other_values_contradict_each_other() -> None:
    columns = {"age": pc.Column(role="quasi"), "ill": pc.Column(role="sensitive", protect=["Yes"])}
    both = pc.Schema(columns=columns | {"sad": pc.Column(role="sensitive", protect=["often"])})
    assert as_schema_says(pc.Ace(l=2), both).values == {"ill": ("Yes",), "sad": ("often",)}
    for method in (pc.ART(r=2), pc.AlphaK(alpha=0.5, k=2)):
        assert as_schema_says(method, pc.Schema(columns=columns)).sensitive == ("Yes",)
    same = pc.Ace(l=2, values={"ill": ["Yes"], "sad": ["often"]})
    assert as_schema_says(same, both) == same
    for values, said in (({"ill": ["Yes"]}, "told all of them"), (["Yes"], "is told 'Yes'")):
        with pytest.raises(pc.SchemaError, match=f"'often' of 'sad' is to be protected.*{said}"):
            as_schema_says(pc.Ace(l=2, values=values), both)


def test_publish_names_the_attack_that_works(health: Path, call: Program) -> None:
    """Where groups overlap it takes the groups; several columns are attacked one after the other."""
    (health / "s.toml").write_text(SCHEMA)
    words = ["publish", "h.csv", "--schema", "s.toml", "--l", "3", "--out", "out"]
    said = " ".join(call(*words, "--keep-groups", "groups.csv").out.split())
    assert "'pellucid attack out --truth h.csv --groups groups.csv' tells it" in said
    said = " ".join(call(*words, "--overwrite").out.split())
    assert "--truth h.csv --groups GROUPS' (publish --keep-groups GROUPS keeps these) tells it" in said


@pytest.mark.usefixtures("health")
def test_compare_attacks_every_sensitive_column_and_recommends(call: Program) -> None:
    known = ["--quasi", "age,sex,region", "--identifier", "id", "--sensitive", "diabetes,health"]
    words = ["--values", "diabetes=Yes", "--methods", "soft-cut,ace", "--l", "3", "--knows", "nothing,algorithm"]
    done = call("compare", "h.csv", *known, *words)
    said = " ".join(done.out.split())
    assert done.code == 0
    assert "2 sensitive columns (diabetes, health): each is attacked, and the largest risk counts" in said
    assert "SoftCut at l=3 has no row above 1/3" in said
    assert "patience" not in said
    found = call("compare", "h.csv", *known, *words, "--json").document
    assert [(row["safe"], row["remarks"]) for row in found["settings"]] == [("yes", "")] * 2
    assert all(row["query-error"] is not None for row in found["settings"])


def test_what_is_not_known_of_one_column_is_not_hidden_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest risk of all columns counts, wherever the column stands, and one that fails makes it unknown."""
    table = pc.read(survey(), quasi=["age", "sex"], sensitive=["health", "smoking"], identifier="id")
    question = Inquiry([pc.Loss()], [pc.Adversary(knows="nothing")], 45.0, 1)
    method = pc.SoftCut(l=2)
    assert fill(table, method, question).safe
    attacked = cell._attacked
    for column in ("health", "smoking"):
        unsafe = Risk("knows only the release", True, 0.9, 4)
        failed = Risk("knows only the release", False, how="too much to count")
        for risk, expected in ((unsafe, (True, 0.9, 4)), (failed, (False, None, None))):
            with monkeypatch.context() as patched:
                patched.setattr(cell, "_attacked", lambda *g, r=risk, c=column: r if g[-1] == c else attacked(*g))
                found = fill(table, method, question)
            assert not found.safe
            assert (found.known, found.largest, found.above) == expected
    assert found.risks[0].how == "smoking: too much to count"


@pytest.mark.usefixtures("health")
def test_counts_are_made_with_each_sensitive_column(call: Program) -> None:
    publish(call, "health,smoking", "--l", "2")
    asked = ("measure", "out", "--original", "h.csv", "--metric", "query-error:queries=20", "--json")
    (score,) = call(*asked).document["scores"]
    alone = [call(*asked[:-1], "--sensitive", name, "--json").document["scores"][0] for name in ("health", "smoking")]
    assert score["details"]["queries"] == 20
    assert [one["details"]["queries"] for one in alone] == [20, 20]
    assert score["value"] == pytest.approx(sum(score["details"]["columns"].values()) / 2)
    ten = "query-error:queries=10"
    for name, mean in score["details"]["columns"].items():
        (one,) = call(*asked[:5], ten, "--sensitive", name, "--json").document["scores"]
        assert one["value"] == pytest.approx(mean)


@pytest.mark.usefixtures("health")
def test_measure_shows_what_it_can_and_says_the_rest_in_options(call: Program) -> None:
    publish(call, "health,smoking", "--l", "2")
    done = call("measure", "out", "--original", "h.csv", "--metric", "kept,kl-divergence")
    assert done.code == 2
    assert "kept" in done.out
    assert "kl-divergence is with one sensitive column, and the table has 2 (health, smoking)" in done.error
    assert "--sensitive health" in done.error
    alone = call("measure", "out", "--original", "h.csv", "--metric", "kl-divergence")
    assert (alone.code, alone.out) == (2, "")


@pytest.mark.usefixtures("health")
def test_a_report_with_the_kept_groups_tries_everybody_on_every_column(call: Program) -> None:
    done = publish(call, "health,smoking", "--method", "soft-cut", "--l", "2", "--keep-groups", "g.csv")
    assert done.code == 0
    told = ["report", "out", "--original", "h.csv", "--identifier", "id", "--json"]
    without = call(*told, "--out", "a.html").document
    assert without["not_tried"]  # boxes overlap
    found = call(*told, "--out", "b.html", "--groups", "g.csv").document
    assert found["not_tried"] == []
    assert set(found["verdicts"]) == {"health", "smoking"}
