"""The program as a whole: help, exit codes, completion, speed of its start."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cli.program import PROGRAM, Program
from pellucid.anonymize.methods import methods
from pellucid.cli.program import VERBS, main


def examples_in(text: str) -> list[list[str]]:
    """The command lines that a help text shows."""
    joined = re.sub(r" \\\n +", " ", text)
    return [line.split() for line in re.findall(r"^ +pellucid (.+)$", joined, re.MULTILINE)]


def test_help_lists_every_verb(call: Program) -> None:
    help_text = call("--help")
    assert help_text.code == 0
    assert all(re.search(rf"^  {verb} ", help_text.out, re.MULTILINE) for verb in VERBS)


def test_without_arguments_the_program_explains_itself(call: Program) -> None:
    assert call() == call("--help")


def test_help_takes_less_than_seven_tenths_of_a_second(run: Program) -> None:
    def seconds() -> float:
        """Of the processor: the wall clock would measure what else the machine does."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run("--help").code == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.7


# serve runs until it is stopped: tests/web/test_serve.py starts and stops it
@pytest.mark.parametrize("verb", [None, *(verb for verb in VERBS if verb != "serve")])
def test_every_example_of_a_help_text_runs(verb: str | None, folder: Path, call: Program) -> None:
    words = [verb] if verb else []
    shown = examples_in(call(*words, "--help").out)
    assert shown
    if verb in ("publish", "run"):
        assert call("init", "patients.csv").code == 0
    if verb == "run":
        (folder / "job.toml").write_text(JOB)
    for number, example in enumerate(shown):
        done = call(*example)
        assert (done.code, done.err) == (0, ""), (example, done)
        if verb == "init":  # both examples start from the same folder
            assert (folder / ("hospital.toml" if number else "patients.toml")).exists()


JOB = """
source = "patients.csv"
schema = "patients.toml"
out = "release/"
require = ["l-diversity=2"]

[method]
name = "hybrid"
l = 2
"""


def test_every_help_text_fits_a_terminal_of_eighty_columns(call: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in [[], *([verb] for verb in VERBS)]:
        lines = call(*words, "--help").out.splitlines()
        assert [line for line in lines if len(line) > 80] == []


def test_version_is_printed(call: Program) -> None:
    assert re.fullmatch(r"pellucid \d+\.\d+\.\d+\S*\n", call("--version").out)


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (["pubish", "x.csv"], "publish", "pellucid --help"),
        (["publish"], "SOURCE", "pellucid publish --help"),
        (["publish", "patients", "--out"], "--out", "pellucid publish --help"),
        (["publish", "patients", "--l", "2", "--ouput", "x"], "--out", "pellucid publish --help"),
        (
            ["publish", "patients", "--ll", "2", "--out", "x"],
            "parameters of the methods: --",
            "pellucid publish --help",
        ),
        (["publish", "patients", "--l", "2"], "--out", "pellucid publish --help"),
        (["publish", "patients", "--l", "2", "--out", "x", "--recode", "magic"], "magic", "pellucid publish --help"),
        (["publish", "patients", "--l", "2", "--out", "x", "--threads", "0"], "--threads", "pellucid publish --help"),
        (["publish", "patients", "more", "--l", "2", "--out", "x"], "more", "pellucid publish --help"),
        (["--loud"], "--loud", "pellucid --help"),
    ],
)
def test_a_wrong_call_is_one_line_with_a_hint(
    words: list[str], said: str, hint: str, folder: Path, call: Program
) -> None:
    done = call(*words)
    assert said in done.error
    assert done.error.endswith(f"(see {hint})")
    assert done.out == ""
    assert [path.name for path in folder.iterdir()] == ["patients.csv"]


def test_a_wrong_call_exits_with_2_as_a_process_too(run: Program) -> None:
    assert "nonsense" in run("nonsense").error


@pytest.mark.usefixtures("folder")
def test_with_json_an_error_is_a_document_too(call: Program) -> None:
    done = call("publish", "nowhere.csv", "--quasi", "a", "--sensitive", "b", "--l", "2", "--out", "out", "--json")
    assert done.error == f"error: {done.document['error']}"


def test_a_bug_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("pellucid.cli.verbs.methods.known_methods", broken)
    assert main(["methods"]) == 3


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("pellucid pub", "publish"), ("pellucid publish --rec", "--recode"), ("pellucid publish --l", "--l")],
)
def test_bash_completes_verbs_options_and_parameters(typed: str, expected: str, run: Program) -> None:
    asked = {"_PELLUCID_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    assert expected in run(**asked).out.splitlines()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("pellucid publish --method ", sorted(methods())),
        ("pellucid publish --method h", ["hybrid"]),
        ("pellucid methods h", ["hybrid"]),
        ("pellucid publish --recode t", ["taxonomy"]),
        ("pellucid publish --format ", ["csv", "parquet", "arrow"]),
        ("pellucid publish pat", []),  # nothing of ours, so the shell offers files
    ],
)
def test_bash_completes_values(typed: str, expected: list[str], run: Program) -> None:
    words = typed.split(" ")
    asked = {"_PELLUCID_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    assert sorted(run(**asked).out.split()) == sorted(expected)


def test_a_reader_that_stops_early_does_not_make_a_traceback() -> None:
    program = subprocess.Popen([*PROGRAM, "methods", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    complaint = program.stderr.read().decode()
    program.stderr.close()
    assert program.wait(timeout=600) == 0
    assert complaint == ""


def test_the_program_is_installed_under_its_name() -> None:
    installed = Path(sys.executable).with_name("pellucid")
    done = subprocess.run([installed, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("pellucid ")
