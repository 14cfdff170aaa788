"""``pellucid publish``: what a person or a program gets for a table."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from cli.program import Program, everything_in
from pellucid.datasets import patients

ROLES = ["--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name"]


def test_a_table_becomes_a_folder_and_a_summary(folder: Path, call: Program) -> None:
    done = call("publish", "patients.csv", *ROLES, "--l", "2", "--out", "out")
    assert done.code == 0
    assert done.err == ""
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["data.csv", "recipe.json"]
    assert pl.read_csv("out/data.csv").columns == ["age", "zipcode", "disease"]
    said = " ".join(done.out.split())
    assert "rows 8 groups 4 of 2 rows" in said
    assert "1/2" in said
    assert "out/data.csv" in said


def test_a_schema_file_says_the_same_as_lists_of_columns(folder: Path, call: Program) -> None:
    assert call("init", "patients.csv").code == 0
    by_file = ["--schema", "patients.toml", "--out", "by-file"]
    for words in (by_file, [*ROLES, "--out", "by-list"]):
        assert call("publish", "patients.csv", *words, "--l", "2", "--seed", "5").code == 0
    assert (folder / "by-file/data.csv").read_bytes() == (folder / "by-list/data.csv").read_bytes()


def test_options_may_repeat_a_schema_and_not_contradict_it(folder: Path, call: Program) -> None:
    assert call("init", "patients.csv").code == 0
    published = ["publish", "patients.csv", "--schema", "patients.toml", "--l", "2", "--out", "out"]
    done = call(*published, "--identifier", "zipcode")
    assert (done.code, (folder / "out").exists()) == (2, False)
    assert "in patients.toml identifier is name; write it there, or leave --identifier out" in done.err
    assert call(*published, "--quasi", "zipcode,age").code == 2  # in another order they steer otherwise
    assert call(*published, *ROLES).code == 0


def test_json_is_one_document_and_nothing_else(folder: Path, run: Program) -> None:
    done = run("publish", "patients.csv", *ROLES, "--l", "2", "--out", "out", "--json")
    assert (done.code, done.err) == (0, "")
    document = done.document
    assert document["rows"] == 8
    assert document["groups"] == 4
    assert document["group_sizes"] == {"min": 2, "median": 2, "max": 2}
    assert document["suppressed_rows"] == 0
    assert set(document["information_kept"]) == {"age", "zipcode"}
    assert "1/2" in document["guarantee"]
    assert document["recipe"] == json.loads((folder / "out/recipe.json").read_text())
    assert sorted(document["files"]) == ["data.csv", "recipe.json"]


def test_quiet_says_nothing(folder: Path, call: Program) -> None:
    done = call("publish", "patients.csv", *ROLES, "--l", "2", "--out", "out", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (folder / "out/data.csv").exists()


def test_an_embedded_table_brings_its_own_schema(folder: Path, call: Program) -> None:
    assert call("publish", "census:2000", "--l", "8", "--out", "out", "--json").document["group_sizes"]["min"] >= 8
    assert pl.read_csv(folder / "out/data.csv").columns == ["age", "gender", "education", "birthplace", "occupation"]


@pytest.mark.parametrize(
    ("recode", "files"),
    [
        ("intervals", ["data.csv", "recipe.json"]),
        ("taxonomy", ["data.csv", "recipe.json"]),
        ("anatomy", ["quasi_identifiers.csv", "recipe.json", "sensitive.csv"]),
        ("suppression", ["data.csv", "recipe.json"]),
    ],
)
def test_every_recoding_can_be_chosen(recode: str, files: list[str], folder: Path, call: Program) -> None:
    done = call("publish", "patients.csv", *ROLES, "--l", "2", "--recode", recode, "--out", "out", "--json")
    assert done.document["files"] == files
    assert sorted(path.name for path in (folder / "out").iterdir()) == files


@pytest.mark.usefixtures("folder")
def test_anatomy_keeps_every_quasi_identifier_and_suppression_less_than_intervals(call: Program) -> None:
    kept = {
        recode: call(
            "publish", "patients.csv", *ROLES, "--l", "2", "--recode", recode, "--out", recode, "--json"
        ).document["information_kept"]
        for recode in ("anatomy", "intervals", "suppression")
    }
    assert kept["anatomy"] == {"age": 1, "zipcode": 1}
    assert kept["suppression"] == {"age": 0.25, "zipcode": 0.25}  # only Gill and Hera, who agree in both
    assert 0.25 < kept["intervals"]["age"] < 1


def test_split_intervals_are_numbers(folder: Path, call: Program) -> None:
    words = ["--l", "2", "--split-intervals", "--format", "parquet", "--out", "out"]
    assert call("publish", "patients.csv", *ROLES, *words).code == 0
    frame = pl.read_parquet(folder / "out/data.parquet")
    assert frame.width == 5
    assert sum(dtype.is_integer() for dtype in frame.dtypes) == 4


@pytest.mark.parametrize("file_format", ["csv", "parquet", "arrow"])
def test_every_format_can_be_chosen(file_format: str, folder: Path, call: Program) -> None:
    words = ["--l", "2", "--format", file_format, "--out", "out"]
    assert call("publish", "patients.csv", *ROLES, *words).code == 0
    assert (folder / f"out/data.{file_format}").stat().st_size > 0


@pytest.mark.usefixtures("folder")
def test_parameters_may_stand_before_the_source_and_use_an_equals_sign(call: Program) -> None:
    done = call("publish", "--l=2", "--method", "Tailor", "patients.csv", *ROLES, "--out", "out", "--json")
    assert done.document["groups"] == 3


def test_a_seed_gives_the_same_release_for_any_number_of_threads_and_a_warning(folder: Path, call: Program) -> None:
    for name, threads in (("one", "1"), ("two", "2")):
        words = ["--seed", "11", "--threads", threads, "--out", name]
        done = call("publish", "census:3000", "--l", "4", *words)
        assert done.code == 0
        assert done.err.startswith("warning: --seed")
        assert len(done.err.splitlines()) == 1
    assert everything_in(folder / "one") == everything_in(folder / "two")


@pytest.mark.usefixtures("folder")
def test_a_seeded_json_run_keeps_stdout_pure(run: Program) -> None:
    done = run("publish", "patients", "--l", "2", "--seed", "3", "--out", "out", "--json")
    assert done.document["warnings"] == [done.err.strip().removeprefix("warning: ")]


def test_a_guessed_encoding_is_a_warning_and_not_an_error(folder: Path, call: Program) -> None:
    (folder / "old.csv").write_bytes(
        "name,age,disease\nJos\u00e9,21,flu\nBob,27,cold\nAl,41,flu\nBo,47,cold\n".encode("cp1252")
    )
    done = call("publish", "old.csv", "--quasi", "age", "--sensitive", "disease", "--l", "2", "--out", "out", "--json")
    assert done.code == 0
    assert [f"warning: {text}" for text in done.document["warnings"]] == done.err.splitlines()
    assert len(done.document["warnings"]) == 1


@pytest.mark.parametrize("more", [[], ["--method", "soft-cut"], ["--method", "mondrian"], ["--recode", "anatomy"]])
@pytest.mark.usefixtures("folder")
def test_the_promise_is_told_in_parts_that_are_all_of_it(call: Program, more: list[str]) -> None:
    words = ["publish", "census:200", "--l", "2", *more, "--seed", "1"]
    told = call(*words, "--out", "out", "--json").document
    assert " ".join(told["promise"].values()) == told["guarantee"] == told["recipe"]["sentence"]
    shown = call(*words, "--out", "again").out.split("\n")
    labels = [line.split("  ")[0] for line in shown if line[:1].strip()]
    places = [labels.index(part) for part in ("promise", "assumption", "not covered")]
    assert places == sorted(places)
    assert labels.index("column") < places[0]


def test_an_existing_folder_is_refused_before_anything_is_read(folder: Path, call: Program) -> None:
    (folder / "out").mkdir()
    (folder / "out/precious.txt").write_text("mine")
    (folder / "nothing.csv").touch()  # which would be refused if it were read
    done = call("publish", "nothing.csv", *ROLES, "--l", "2", "--out", "out")
    assert "overwrite" in done.error
    assert "nowhere" not in done.error
    assert (folder / "out/precious.txt").read_text() == "mine"


def test_overwrite_replaces_a_release(folder: Path, call: Program) -> None:
    assert call("publish", "patients.csv", *ROLES, "--l", "2", "--out", "out").code == 0
    assert call("publish", "patients.csv", *ROLES, "--l", "4", "--out", "out", "--overwrite").code == 0
    assert json.loads((folder / "out/recipe.json").read_text())["parameters"] == {"l": 4}
    assert [path.name for path in folder.iterdir() if path.is_dir()] == ["out"]


def test_several_sensitive_columns_are_protected_by_the_default_and_by_tailor(folder: Path, call: Program) -> None:
    patients().with_columns(ward=pl.Series(["a", "b", "c", "d"] * 2)).write_csv("wards.csv")
    words = [
        "publish",
        "wards.csv",
        "--quasi",
        "age,zipcode",
        "--sensitive",
        "disease,ward",
        "--l",
        "2",
        "--out",
        "out",
    ]
    for method in ("soft-cut", "tailor"):
        assert call(*words, "--method", method, "--overwrite").code == 0
        assert pl.read_csv(folder / "out/data.csv").height == 8


def test_two_sensitive_columns_are_told_of_before_anything_about_l(folder: Path, call: Program) -> None:
    assert folder
    patients().with_columns(ward=pl.Series(["a"] * 7 + ["b"])).write_csv("wards.csv")
    words = ["--quasi", "age,zipcode", "--sensitive", "disease", "--sensitive", "ward", "--l", "5", "--out", "out"]
    for method in ("anatomy", "audited"):
        error = call("publish", "wards.csv", *words, "--method", method).error
        assert "use soft-cut, which protects each of them on its own" in error
        assert "no promise covers two releases of the same people" in error
        assert "not feasible" not in error


def test_the_help_names_the_exit_codes(call: Program) -> None:
    said = " ".join(call("publish", "--help").out.split())
    assert "Exit codes: 0 done, 2 the call or the input is wrong, 130 stopped with Ctrl-C." in said
