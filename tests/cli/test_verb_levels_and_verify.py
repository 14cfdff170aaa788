"""``pellucid levels`` and ``pellucid verify``: what they print, what a program reads, how they end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from cli.program import Program, valid

PATIENTS = ["patients.csv", "--quasi", "age,zipcode", "--sensitive", "disease"]
PROGRAM = Path(sys.executable).parent / "pellucid"


# --- levels


@pytest.mark.usefixtures("out")
def test_levels_of_a_release_need_no_word_about_its_columns(call: Program) -> None:
    done = call("levels", "out/")
    assert (done.code, done.err) == (0, "")
    assert "out: 8 rows in 4 groups by age, zipcode" in done.out
    assert re.search(r"^k-anonymity +2 +2 rows: age ", done.out, re.MULTILINE)
    assert re.search(r"^distinct l-diversity +2 ", done.out, re.MULTILINE)
    assert max(map(len, done.out.splitlines())) <= 80


def test_levels_as_a_document_follow_the_schema(out: Path, call: Program) -> None:
    document = valid(call("levels", out, "--json"), "levels")
    assert document["rows"] == 8
    assert document["nulls"] == {"age": 0, "zipcode": 0, "disease": 0}
    k = document["levels"][0]
    assert (k["model"], k["level"], k["worst"]["size"]) == ("k-anonymity", 2, 2)


def test_a_sample_is_told_how_many_are_unique_in_its_population(call: Program) -> None:
    found = valid(call("levels", "census:2000", "--population-size", "100000", "--json"), "levels")
    estimated = found["population_uniqueness"]
    assert (estimated["population"], estimated["believed"]) == (100_000, "pitman")
    assert 0 < estimated["pitman"] < estimated["zayatz"] < 1
    refused = call("levels", "census:2000", "--population-size", "10")
    assert refused.code == 2
    assert "a sample is not larger than its population" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        ["census:3000"],
        ["census:3000", "--population-size", "60000"],
        ["census:3000", "--quasi", "age,gender", "--sensitive", "occupation,income"],
        ["census:3000", "--quasi", "gender", "--sensitive", "occupation", "--kind", "occupation=category"],
        ["patients.csv", "--quasi", "age,zipcode"],
        ["patients.csv", "--quasi", "age", "--sensitive", "disease", "--population", "patients"],
        ["table.csv", "--quasi", "q,r", "--sensitive", "s", "--exempt-suppressed"],
        ["table.csv", "--quasi", "q,r", "--sensitive", "s"],
    ],
)
def test_every_kind_of_answer_follows_the_schema(words: list[str], folder: Path, call: Program) -> None:
    table = {"q": ["*", "1", "1", None], "r": [None, "a", "a", "a"], "s": [1.5, 2, None, 2]}
    pl.DataFrame(table, strict=False).write_csv(folder / "table.csv")
    document = valid(call("levels", *words, "--json"), "levels")
    if words[0] == "table.csv":
        assert document["suppressed_rows"] == 1
        assert document["suppressed_exempt"] is ("--exempt-suppressed" in words)
        assert {finding["name"] for finding in document["findings"]} >= {"suppressed", "nulls"}
    said = call("levels", *words)
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 80


@pytest.mark.usefixtures("folder")
def test_columns_that_are_harmonised_are_printed_side_by_side(call: Program) -> None:
    said = call("levels", "census:3000", "--quasi", "gender", "--sensitive", "occupation,income").out
    for column in ("occupation", "income"):
        part = said.partition(f"{column}\n{'-' * len(column)}\n")[2]
        for model in ("distinct l-diversity", "t-closeness"):
            assert re.search(rf"^{model} +[0-9.]+ .*\n( {{4}}.*\n)+  harmonised +[0-9.]+ ", part, re.MULTILINE)


def test_two_tables_in_a_folder(folder: Path, call: Program) -> None:
    assert call("publish", "patients", "--l", "2", "--recode", "anatomy", "--out", "out").code == 0
    assert valid(call("levels", "out", "--json"), "levels")["quasi"] == ["group"]
    frame = pl.read_csv(folder / "out" / "sensitive.csv")
    frame.head(7).write_csv(folder / "out" / "sensitive.csv")
    assert "do not join" in call("levels", "out").error


# --- verify


@pytest.mark.usefixtures("out")
def test_what_holds_ends_with_0(call: Program) -> None:
    done = call("verify", "out", "--require", "k-anonymity=2", "--require", "l-diversity=2")
    assert (done.code, done.err) == (0, "")
    assert len(re.findall(r"^holds  ", done.out, re.MULTILINE)) == 2
    assert "Everything required holds." in done.out


@pytest.mark.usefixtures("out")
def test_what_fails_ends_with_1_and_is_named(call: Program) -> None:
    done = call("verify", "out", "--require", "k-anonymity=2", "--require", "l-diversity=3")
    assert (done.code, done.err) == (1, "")
    assert re.search(r"^FAILS  l-diversity: l = 3 \(reached: 2\)$", done.out, re.MULTILINE)
    assert re.search(r"^holds  k-anonymity", done.out, re.MULTILINE)
    assert "1 of 2 requirements fails." in done.out


@pytest.mark.usefixtures("out")
def test_a_process_ends_with_the_same_codes(run: Program) -> None:
    assert run("verify", "out", "--require", "k-anonymity=2").code == 0
    assert run("verify", "out", "--require", "k-anonymity=5", "--json").code == 1


@pytest.mark.usefixtures("out")
def test_verdicts_as_a_document_follow_the_schema(call: Program) -> None:
    done = call("verify", "out", "--require", "k-anonymity=3", "--require", "t-closeness=1/3", "--json")
    assert (done.code, done.err) == (1, "")
    document = valid(done, "verify")
    assert document["holds"] is False
    assert [verdict["required"]["k"] for verdict in document["verdicts"] if "k" in verdict["required"]] == [3]


@pytest.mark.usefixtures("folder")
def test_a_schema_says_what_the_columns_are(call: Program) -> None:
    assert call("init", "patients.csv").code == 0
    done = call("verify", "patients.csv", "--schema", "patients.toml", "--require", "k-anonymity=1")
    assert done.code == 0
    assert "names people" in done.out  # the original has the names, and a release must not


@pytest.mark.usefixtures("folder")
def test_harmonised_columns_are_required_on_request(call: Program) -> None:
    words = ["verify", "census:3000", "--quasi", "gender", "--sensitive", "occupation,income", "--json"]
    words += ["--require", "distinct l-diversity=2"]
    assert [v["view"] for v in valid(call(*words), "verify")["verdicts"]] == ["separate"] * 2
    views = [v["view"] for v in valid(call(*words, "--harmonised"), "verify")["verdicts"]]
    assert views == ["separate", "harmonised"] * 2


@pytest.mark.usefixtures("out")
def test_values_that_are_protected_each_or_together(call: Program) -> None:
    words = ["verify", "out", "--require", "l-diversity=2", "--values", "flu,gastritis", "--json"]
    each, as_one = call(*words), call(*words, "--together")
    assert valid(each, "verify")["holds"] is True
    assert valid(as_one, "verify")["verdicts"][0]["level"] <= each.document["verdicts"][0]["level"]
    assert "'flue'" in call("levels", "out", "--values", "flue").error
    assert "together" in call("levels", "out", "--together").error


def test_people_who_are_like_no_row_are_the_worst_group(folder: Path, call: Program) -> None:
    pl.DataFrame({"age": [20, 20], "disease": ["flu", "cold"]}).write_csv(folder / "release.csv")
    pl.DataFrame({"age": [20, 20, 30]}).write_csv(folder / "people.csv")
    words = ["verify", "release.csv", "--quasi", "age", "--population", "people.csv"]
    words += ["--require", "delta-presence=0.1,1"]
    said = call(*words)
    assert said.code == 1
    assert "worst group, 1 person of the population like no row" in " ".join(said.out.split())
    assert valid(call(*words, "--json"), "verify")["verdicts"][0]["worst"]["population"] == 1


def test_values_of_several_columns(folder: Path, call: Program) -> None:
    (folder / "two.csv").write_text("q,s,r\nu,1,HIV\nu,2,flu\nu,,cold\n")
    words = ["verify", "two.csv", "--quasi", "q", "--sensitive", "r,s", "--json", "--require", "l-diversity=3"]
    for values in (["HIV"], ["HIV,1.0"], ["r=HIV", "s=1,null"], ["null", "HIV"]):
        done = call(*words, *(word for value in values for word in ("--values", value)))
        document = valid(done, "verify")
        assert (done.code, [v["holds"] for v in document["verdicts"]]) == (0, [True, True])
    assert document["values"] == ["null", "HIV"]
    assert "did you mean 'HIV'" in call(*words[:-3], "--require", "l-diversity=3", "--values", "hiv").error
    assert "--values r=1" in call(*words[:-3], "--require", "l-diversity=3", "--values", "r=HIV", "--values", "1").error


# --- bad input

BAD_LEVELS: dict[str, tuple[list[str], list[str]]] = {
    "no such file": (["gone.csv", "--quasi", "age"], ["gone.csv"]),
    "missing column": (["patients.csv", "--quasi", "agee", "--sensitive", "disease"], ["agee", "age"]),
    "sensitive and quasi": (["patients.csv", "--quasi", "age", "--sensitive", "age"], ["'age'", "quasi and sensitive"]),
    "nothing said": (["patients.csv"], ["quasi", "schema"]),
    "schema and quasi": (["patients.csv", "--schema", "x.toml", "--quasi", "age"], ["--schema and --quasi"]),
    "empty table": (["empty.csv", "--quasi", "age", "--sensitive", "disease"], ["empty.csv"]),
    "all null": (["nulls.csv", "--quasi", "age", "--sensitive", "disease"], ["disease", "null in all 2 rows"]),
    "a kind without a column": ([*PATIENTS, "--kind", "category"], ["--kind category", "icd=category"]),
    "no such kind": ([*PATIENTS, "--kind", "disease=text"], ["'text'", "category"]),
    "population without the columns": ([*PATIENTS, "--population", "nulls.csv"], ["population", "zipcode"]),
    "a folder that is no release": ([".", "--quasi", "age"], ["data.csv"]),
}


@pytest.mark.parametrize("case", BAD_LEVELS)
@pytest.mark.parametrize("verb", ["levels", "verify"])
def test_bad_input_is_one_line_and_2(case: str, verb: str, folder: Path, call: Program) -> None:
    (folder / "empty.csv").write_text("age,disease\n")
    (folder / "nulls.csv").write_text("age,disease\n1,\n2,\n")
    words, named = BAD_LEVELS[case]
    done = call(verb, *words, *(["--require", "k-anonymity=1"] if verb == "verify" else []))
    assert all(word in done.error for word in named), done.error
    assert done.out == ""
    assert call(verb, *words, *(["--require", "k-anonymity=1"] if verb == "verify" else []), "--json").document["error"]


@pytest.mark.parametrize(
    ("requirement", "named"),
    [
        ("k-anonymity=0", ["k = 0", "1"]),
        ("t-closeness=1.5", ["t = ", "1.5"]),
        ("l-diversity=1.5", ["l", "1.5"]),
        ("k-anonymity=many", ["k", "many"]),
        ("k-anonymity", ["k-anonymity=5"]),
        ("k-anonimity=5", ["k-anonymity"]),
        ("k-map=5", ["population"]),
        ("recursive (c,l)-diversity=3", ["c and l"]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_requirement_that_makes_no_sense_is_refused(requirement: str, named: list[str], call: Program) -> None:
    done = call("verify", *PATIENTS, "--require", requirement)
    assert all(word in done.error for word in named), done.error


@pytest.mark.usefixtures("folder")
def test_a_requirement_is_required(call: Program) -> None:
    assert "--require" in call("verify", *PATIENTS).error


@pytest.mark.usefixtures("folder")
def test_a_model_about_values_needs_a_sensitive_column(call: Program) -> None:
    done = call("verify", "patients.csv", "--quasi", "age", "--require", "l-diversity=2")
    assert "needs a sensitive column" in done.error


OURS = ["publish", "patients.csv", "--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name"]
ABOUT_ATTACKERS = ["--require", "transparent l-diversity=2", "--require", "m-confidentiality=2"]


@pytest.mark.usefixtures("folder")
def test_models_about_an_attacker_are_verified_against_the_table(call: Program) -> None:
    assert call(*OURS, "--method", "tailor", "--l", "2", "--out", "made").code == 0
    known = ["--truth", "patients.csv", "--identifier", "name"]
    done = call("verify", "made", *ABOUT_ATTACKERS, "--require", "k-anonymity=2", *known, "--json")
    assert done.code == 0
    assert [verdict["level"] for verdict in done.document["verdicts"]] == [2, 2, 2]
    assert call("verify", "made", "--require", "m-confidentiality=3", *known).code == 1
    assert call("verify", "made", *ABOUT_ATTACKERS, "--population", "patients.csv").code == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--require", "m-confidentiality=2"], "give the table as --truth or its people as --population"),
        (["--require", "k-anonymity=2", "--truth", "patients.csv"], "--truth is for models about an attacker"),
        (
            ["--require", "m-confidentiality=2", "--truth", "patients.csv", "--made-by", "mondrian l=2 strict"],
            "--made-by says mondrian",
        ),
        (["--require", "m-confidentiality=2", "--truth", "patients.csv", "--made-by", "tailer l=2"], "'tailer'"),
    ],
)
def test_what_a_model_about_an_attacker_lacks_is_named(more: list[str], said: str, call: Program) -> None:
    assert call(*OURS, "--method", "tailor", "--l", "2", "--out", "made").code == 0
    assert said in call("verify", "made", *more).error


def test_a_group_of_many_columns_stands_below_its_level_at_full_width(call: Program, folder: Path) -> None:
    names = [f"column_{i}" for i in range(10)]
    rows = "\n".join(",".join([*["a rather long published value"] * 10, sick]) for sick in ("flu", "gout"))
    (folder / "wide.csv").write_text(",".join([*names, "sick"]) + "\n" + rows + "\n")
    said = call("levels", "wide.csv", "--quasi", ",".join(names), "--sensitive", "sick").out.splitlines()
    place = next(i for i, line in enumerate(said) if line.startswith("k-anonymity "))
    assert said[place].split() == ["k-anonymity", "2"]
    assert said[place + 1].startswith("    2 rows: column_0 a rather long published value, ")
    assert len(said) < 200


@pytest.mark.usefixtures("folder")
def test_levels_names_the_options_of_the_verb_that_has_them(call: Program) -> None:
    said = " ".join(call("levels", "patients.csv", "--quasi", "age", "--sensitive", "disease").out.split())
    assert "pellucid verify judges it, with --require and the table as --truth or its people as --population" in said
    assert "truth=" not in said
    assert "population=" not in said


@pytest.mark.usefixtures("folder")
def test_levels_says_what_harmonised_is(call: Program) -> None:
    said = call(
        "levels", "patients.csv", "--quasi", "age", "--sensitive", "disease,zipcode", "--kind", "zipcode=category"
    )
    words = " ".join(said.out.split())
    assert "harmonised: the same for somebody who knows a person's other sensitive columns" in words
    below = [part.split("distinct")[0] for part in words.split("harmonised 1")[1:]]
    assert below
    assert not any("quasi-identifiers alone" in part[:200] for part in below)


@pytest.mark.usefixtures("folder")
def test_a_method_and_its_parameters_are_named_alike_to_attack_and_verify(call: Program) -> None:
    made = ["publish", "patients.csv", "--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name"]
    assert call(*made, "--method", "mondrian", "--l", "2", "--out", "out", "-q").code == 0
    people = ["out/data.csv", "--quasi", "age,zipcode", "--sensitive", "disease", "--truth", "patients.csv"]
    asked = [*people, "--identifier", "name"]
    for how in (["--made-by", "mondrian", "--l", "2"], ["--made-by", "mondrian l=2"]):
        assert call("verify", *asked, *how, "--require", "transparent l-diversity=1").code == 0
        assert call("attack", *asked, *how, "--max-risk", "1").code == 0
    assert (
        "name it with --made-by" in call("verify", *asked, "--l", "2", "--require", "transparent l-diversity=1").error
    )


@pytest.mark.usefixtures("folder")
def test_levels_says_which_models_look_at_unprotected_values_too(call: Program) -> None:
    words = ["levels", "patients.csv", "--quasi", "age", "--sensitive", "disease"]
    said = " ".join(call(*words, "--values", "flu").out.split())
    note = "look at all values of a column, protected or not"
    (sentence,) = [one for one in said.split(". ") if note in one]
    assert "enhanced beta-likeness" in sentence
    assert "distinct l-diversity" not in sentence.partition("beta-likeness")[2]
    assert note not in " ".join(call(*words).out.split())


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_verify_with_a_reader_that_left_does_not_end_with_zero(options: list[str], tmp_path: Path) -> None:
    table = tmp_path / "same.csv"
    table.write_text("a,d\n" + "1,x\n" * 3000)
    command = [PROGRAM, "verify", table, "--quasi", "a", "--sensitive", "d", "--require", "l-diversity=3", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as verify:
        assert verify.stdout is not None
        verify.stdout.close()
        assert verify.wait() != 0


def test_risks_of_finding_people_are_not_claimed_of_a_release_that_publishes_quasi_identifiers_as_they_are() -> None:
    release = pc.publish(
        pc.datasets.census(2000),
        pc.Hybrid(l=4),
        quasi=["age", "gender", "education", "birthplace"],
        sensitive="occupation",
        recode=pc.Anatomy(),
    )
    found = pc.levels(release)
    risky = {"maximum re-identification risk", "average re-identification risk", "sample uniqueness"}
    assert risky <= set(found.unanswered)
    assert not risky & {level.model for level in found}
    with pytest.raises(pc.ModelError, match="published as they are"):
        pc.verify(release, [pc.SampleUniqueness(share=0)])


def test_models_take_their_parameters_by_name_and_numbers_from_numpy() -> None:
    with pytest.raises(pc.ModelError, match=r"write KAnonymity\(k=5\)"):
        pc.KAnonymity(5)
    assert pc.KAnonymity(k=np.int64(5)) == pc.KAnonymity(k=5)


@pytest.mark.usefixtures("folder")
def test_null_as_any_value_stands_beside_the_strict_view(call: Program) -> None:
    """sdcMicro's k is there too, named as what it is, and only where a cell is null or ``*``."""
    Path("keys.csv").write_text("age,sex,ill\n20,f,flu\n20,m,gout\n,f,flu\n20,f,gout\n")
    document = json.loads(call("levels", "keys.csv", "--quasi", "age,sex", "--sensitive", "ill", "--json").out)
    assert document["rows_below"]["2"] == 2
    assert document["nulls_match"] == {"k": 1, "rows_below": {"2": 1, "3": 1, "5": 4}}
    said = call("levels", "keys.csv", "--quasi", "age,sex", "--sensitive", "ill", "--rows", "risks.csv").out
    assert "null and * match every value: k = 1, and 1 row" in " ".join(said.split())
    assert pl.read_csv("risks.csv")["rows_matched"].to_list() == [3, 1, 3, 3]
    assert "match every value" not in call("levels", "patients").out


@pytest.mark.usefixtures("folder")
def test_which_columns_make_people_unique_is_said_and_of_whom(call: Program) -> None:
    words = ["levels", "patients.csv", "--quasi", "age,zipcode", "--sensitive", "disease", "--who"]
    said = call(*words, "--rows", "risks.csv").out
    assert "columns that make people unique" in said
    document = json.loads(call(*words, "--json").out)
    assert [(one["columns"], one["alone"]) for one in document["identifying"]][:2] == [
        (["age"], 3),
        (["zipcode"], 3),
    ]
    assert "sets, those by which" not in said  # three are shown, and there are three
    many = " ".join(call("levels", "census:300", "--who").out.split())
    everything = json.loads(call("levels", "census:300", "--who", "--json").out)["identifying"]
    assert f"10 of {len(everything)} sets, those by which most rows are alone; --json has all." in many
    alone = pl.read_csv("risks.csv")
    assert alone["alone_by"].drop_nulls().to_list() == ["age"] * 3
    assert alone.filter(pl.col("alone_by").is_not_null())["rows_alike"].to_list() == [1] * 3
