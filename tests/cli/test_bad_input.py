"""Bad input, one after the other: exit 2, one line that says what is wrong and what to do, nothing written."""

from __future__ import annotations

import re
import resource
import subprocess
from pathlib import Path

import pytest

from cli.program import PROGRAM, Outcome, Program, everything_in

GOOD = "name,age,disease\nAnn,21,flu\nBob,27,cold\nCate,32,flu\nDon,35,cold\n"
SCHEMA = """
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
kind = "number"
[columns.disease]
role = "sensitive"
"""

# file content, further words of the call, what the message must name
BAD_TABLES = {
    "missing file": (None, [], ["table.csv"]),
    "empty file": (b"", [], ["table.csv"]),
    "header only": (b"name,age,disease\n", [], ["table.csv"]),
    "ragged": (b"name,age,disease\nAnn,21,flu\nBob,27\nCate,32,flu,more\n", [], ["table.csv"]),
    "wrong encoding": (b"name,age,disease\nAnn,21,flu\n\x81\x8d,27,\x9d\n", [], ["table.csv"]),
    "duplicate columns": (b"name,age,age,disease\nAnn,21,22,flu\nBob,27,22,cold\n", [], ["age"]),
    "duplicate identifiers": (GOOD.replace("Bob", "Ann").encode(), [], ["name", "Ann"]),
    "all-null sensitive": (b"name,age,disease\nAnn,21,\nBob,27,\nCate,32,\n", [], ["disease"]),
    "unknown column": (GOOD.encode(), ["--carry", "ward"], ["ward"]),
    "l of zero": (GOOD.encode(), ["--l", "0"], ["l", "0"]),
    "l not whole": (GOOD.encode(), ["--l", "1.5"], ["l = 1.5: must be a whole number"]),
    "l too large": (GOOD.encode(), ["--l", "3"], ["disease", "2"]),
    "no such method": (GOOD.encode(), ["--method", "magic"], ["magic", "hybrid"]),
    "no such parameter": (GOOD.encode(), ["--split-intervals", "--recode", "anatomy"], ["--split-intervals"]),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_or_parameter_is_refused_and_nothing_is_written(case: str, folder: Path, call: Program) -> None:
    content, words, named = BAD_TABLES[case]
    if content is not None:
        (folder / "table.csv").write_bytes(content)
    before = everything_in(folder)
    roles = ["--quasi", "age", "--sensitive", "disease", "--identifier", "name"]
    parameters = [] if "--l" in words else ["--l", "2"]
    done = call("publish", "table.csv", *roles, *parameters, *words, "--out", "out")
    assert all(word in done.error for word in named), done.error
    assert done.out == ""
    assert everything_in(folder) == before
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    "words", [[], ["--schema", "none.toml"], ["--method", "magic"], ["--quasi", "age", "--l", "0"]]
)
@pytest.mark.parametrize("verb", ["publish", "compare"])
def test_a_file_that_is_not_there_is_said_before_all_else(verb: str, words: list[str], call: Program) -> None:
    words = [word.replace("--method", "--methods") for word in words] if verb == "compare" else words
    done = call(verb, "nofile.csv", *words, "--out", "out")
    assert done.error.startswith("error: there is no file 'nofile.csv'"), done.error


@pytest.mark.usefixtures("folder")
def test_a_table_of_people_is_called_as_it_was_given(call: Program) -> None:
    assert call("publish", "census:60", "--l", "2", "--out", "out").code == 0
    for option, called in (("--truth", "the original table"), ("--population", "the population")):
        assert f"{called} has no column 'gender'" in call("attack", "out", option, "patients").error


def test_verify_advises_its_own_options_alone(folder: Path, call: Program) -> None:
    (folder / "release.csv").write_text("age,disease\n20-30,flu\n20-30,cold\n30-40,flu\n30-40,hiv\n")
    (folder / "table.csv").write_text("age,disease\n21,flu\n25,cold\n31,flu\n35,hiv\n")
    asked = ["--quasi", "age", "--sensitive", "disease", "--require", "m-confidentiality=2", "--truth", "table.csv"]
    assert call("verify", "release.csv", *asked).error.endswith("name it with --made-by")


@pytest.mark.usefixtures("folder")
def test_nothing_sensitive_and_an_l_name_the_way_out(call: Program) -> None:
    done = call("publish", "census:60", "--quasi", "age", "--nothing-sensitive", "--l", "2", "--out", "out")
    assert "hide people among k others with mondrian and k" in done.error


BAD_SCHEMAS = {
    "missing schema": (None, ["roles.toml"]),
    "not TOML": ("[columns.age\nrole = 1", ["roles.toml"]),
    "unknown column": (SCHEMA + '[columns.ward]\nrole = "quasi"\n', ["ward"]),
    "unknown role": (SCHEMA.replace('"quasi"', '"quasy"'), ["roles.toml", "quasy"]),
    "no sensitive column": (SCHEMA.replace('"sensitive"', '"drop"'), ["sensitive"]),
    "taxonomy misses a value": (SCHEMA.replace('"number"', '"category"\ntaxonomy = "ages.csv"'), ["35"]),
    "taxonomy with a cycle": (SCHEMA.replace('"number"', '"category"\ntaxonomy = "cycle.json"'), ["young"]),
    "taxonomy file missing": (SCHEMA.replace('"number"', '"category"\ntaxonomy = "gone.csv"'), ["gone.csv"]),
}


@pytest.mark.parametrize("case", BAD_SCHEMAS)
def test_a_bad_schema_is_refused_and_nothing_is_written(case: str, folder: Path, call: Program) -> None:
    content, named = BAD_SCHEMAS[case]
    (folder / "table.csv").write_text(GOOD)
    (folder / "ages.csv").write_text("21;young;*\n27;young;*\n32;old;*\n")
    (folder / "cycle.json").write_text('{"*": {"young": {"old": {"young": ["21", "27", "32", "35"]}}}}')
    if content is not None:
        (folder / "roles.toml").write_text(content)
    before = everything_in(folder)
    done = call("publish", "table.csv", "--schema", "roles.toml", "--l", "2", "--out", "out")
    assert all(word in done.error for word in named), done.error
    assert everything_in(folder) == before
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "--schema"),
        (["--quasi", "age"], "--sensitive"),
        (["--sensitive", "disease"], "--quasi"),
        (["--schema", "x.toml", "--quasi", "age"], "x.toml"),
        (["--quasi", "age,disease", "--sensitive", "disease"], "disease"),
    ],
)
def test_roles_that_are_missing_or_contradict_are_refused(
    words: list[str], named: str, folder: Path, call: Program
) -> None:
    assert named in call("publish", "patients.csv", *words, "--l", "2", "--out", "out").error
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("folder")
def test_a_missing_parameter_is_named_with_its_meaning(call: Program) -> None:
    error = call("publish", "patients", "--out", "out").error
    assert "--l" in error
    assert "1/l" in error


@pytest.mark.usefixtures("folder")
def test_a_target_below_a_file_is_refused(call: Program) -> None:
    assert "patients.csv" in call("publish", "patients", "--l", "2", "--out", "patients.csv/out").error


def test_a_target_that_is_a_file_is_refused_even_with_overwrite(folder: Path, call: Program) -> None:
    before = everything_in(folder)
    assert "patients.csv" in call("publish", "patients", "--l", "2", "--out", "patients.csv", "--overwrite").error
    assert everything_in(folder) == before


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that not even root may write to")
def test_a_target_that_is_not_writable_is_refused(folder: Path, call: Program) -> None:
    before = everything_in(folder)
    error = call("publish", "patients", "--l", "2", "--out", "/proc/self/out").error
    assert error.startswith("error: /proc/self/out cannot be written: you may not write there")
    assert everything_in(folder) == before


@pytest.mark.usefixtures("folder")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nothing can be made")
def test_what_the_system_says_comes_without_its_numbers_and_our_temporary_names(call: Program) -> None:
    error = call("publish", "patients", "--l", "2", "--out", "/proc/x").error
    assert error.startswith("error: /proc/x cannot be written: ")
    assert "Errno" not in error
    assert "pellucid-new" not in error


@pytest.mark.parametrize("verb", ["publish", "demo"])
def test_a_target_is_named_as_it_was_typed(verb: str, folder: Path, call: Program) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/mine.txt").write_text("mine")
    words = ["demo"] if verb == "demo" else ["publish", "patients", "--l", "2"]
    assert call(*words, "--out", "sub").error.startswith("error: sub ")


@pytest.mark.usefixtures("folder")
def test_the_way_out_is_an_option_and_not_an_argument_of_python(call: Program) -> None:
    assert call("publish", "patients", "--l", "2", "--out", "out").code == 0
    error = call("publish", "patients", "--l", "2", "--out", "out").error
    assert "add --overwrite" in error
    warning = call("publish", "patients", "--l", "2", "--seed", "3", "--out", "again", "--json").document["warnings"]
    assert warning[0].startswith("--seed fixes the coins")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--threads", "0"], "--threads 0: must be at least 1"),
        (["--threads=-2"], "--threads -2: must be at least 1"),
        (["--threads", "two"], "--threads two: must be a whole number"),
        (["--seed", "x"], "--seed x: must be a whole number"),
    ],
)
def test_a_wrong_number_is_repeated_with_its_rule(words: list[str], said: str, call: Program) -> None:
    assert said in call("publish", "patients", "--l", "2", *words, "--out", "out").error


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("size", ["99999999999", "99_999_999_999:7", "9" * 30])
@pytest.mark.parametrize("verb", ["publish", "init"])
def test_a_census_that_no_machine_can_hold_is_refused(verb: str, size: str, call: Program) -> None:
    words = ["--l", "2", "--out", "out"] if verb == "publish" else ["--out", "out.toml"]
    error = call(verb, f"census:{size}", *words).error
    assert f"not enough memory for census:{size}" in error
    assert "fewer rows" in error


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("pellucid.cli.verbs.publish.carry_out", ["publish", "patients", "--l", "2", "--out", "out"]),
        ("pellucid.cli.verbs.init.load", ["init", "patients.csv"]),
        ("pellucid.cli.verbs.methods.known_methods", ["methods"]),
    ],
)
def test_a_lack_of_memory_is_one_line(
    function: str, words: list[str], folder: Path, call: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(function, greedy)
    before = everything_in(folder)
    assert re.search("not enough memory for .*; use fewer rows or columns, or", call(*words).error)
    assert everything_in(folder) == before


def test_a_draft_on_a_full_disk_is_refused(folder: Path, call: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pellucid.runtime.whole_file.os.fsync", full)
    before = everything_in(folder)
    assert "patients.toml: cannot be written: the disk is full; free some space" in call("init", "patients.csv").error
    assert everything_in(folder) == before


def test_a_release_that_finds_no_room_is_refused_and_leaves_nothing(folder: Path) -> None:
    before = everything_in(folder)
    done = subprocess.run(
        [*PROGRAM, "publish", "census:5000", "--l", "8", "--out", "out"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),  # no file may be larger
    )
    assert "cannot be written" in Outcome(done.returncode, done.stdout, done.stderr).error
    assert everything_in(folder) == before
    assert not [path for path in folder.iterdir() if path.is_dir()]
