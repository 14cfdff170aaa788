"""``pellucid report``: the page it writes, what a program reads, how it refuses."""

from __future__ import annotations

import html
import os
import re
import stat
from functools import partial
from pathlib import Path

import pytest

from cli import program
from cli.program import Program, everything_in

valid = partial(program.valid, verb="report")


def test_a_private_report_is_for_the_file(out: Path, folder: Path, call: Program) -> None:
    done = call("report", out, "--original", "patients.csv")
    assert (done.code, done.err) == (0, "")
    assert "report.html (private)" in done.out
    assert "at most 1/2" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Private." in page
    assert "knows the algorithm" in page


def test_only_its_owner_can_read_a_private_report(out: Path, folder: Path, call: Program) -> None:
    page = folder / "report.html"
    before = os.umask(0o022)
    try:
        assert call("report", out, "--original", "patients.csv", "--audience", "public").code == 0
        assert stat.S_IMODE(page.stat().st_mode) == 0o644
        assert call("report", out, "--original", "patients.csv", "--overwrite").code == 0
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
    finally:
        os.umask(before)


@pytest.mark.parametrize("inside", ["report.html", "more/report.html", "../out/report.html"])
def test_a_private_report_does_not_lie_in_the_folder_that_is_handed_out(out: Path, call: Program, inside: str) -> None:
    (out / "more").mkdir()
    before = everything_in(out)
    done = call("report", out, "--original", "patients.csv", "--out", f"{out}/{inside}")
    assert done.code == 2
    assert "a private report names people" in " ".join(done.err.split())
    assert "--audience public" in done.err
    assert everything_in(out) == before


def test_a_public_report_names_no_disease_of_eight_patients(out: Path, call: Program) -> None:
    done = call(
        "report", out, "--original", "patients.csv", "--audience", "public", "--out", out / "report.html", "--json"
    )
    document = valid(done)
    assert document["verdicts"] == {}
    assert sorted(path.name for path in out.iterdir()) == ["data.csv", "recipe.json", "report.html"]
    page = (out / "report.html").read_text(encoding="utf-8")
    page = re.sub('<section id="limits">.*?</section>', "", page, flags=re.DOTALL)  # whose examples are of a flu
    assert [word for word in ("flu", "gastritis", "dyspepsia", "Ann", "Bruce") if word in page] == []


def test_the_document_follows_the_schema(out: Path, call: Program) -> None:
    document = valid(call("report", out, "--original", "patients.csv", "--identifier", "name", "--json"))
    assert document["audience"] == "private"
    assert document["guarantee"] == "algorithm"
    assert "1/2" in document["verdicts"]["disease"]


def test_without_the_original_it_says_what_it_lacks(out: Path, folder: Path, call: Program) -> None:
    assert call("report", out).code == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "The original was not given, so nothing was measured." in page
    assert "it is measured on the true table" in page


def test_a_release_of_somebody_else_is_promised_nothing(folder: Path, call: Program) -> None:
    words = ["--quasi", "age", "--sensitive", "disease", "--audience", "public"]
    done = call("report", "patients.csv", *words, "--original", "patients.csv")
    assert (done.code, done.err) == (0, "")
    assert "nothing is promised" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "data.csv"], "ends with .html"),
        (["--out", "nowhere/report.html"], "there is no folder nowhere"),
        (["--out", "there.html"], "--overwrite"),
        (["--audience", "everybody"], "--audience"),
        (["--original", "missing.csv"], "missing.csv"),
        (["--original", "fewer.csv"], "the release has 8 rows, and the original has 7"),
    ],
)
def test_a_wrong_call_is_one_line_and_writes_nothing(
    words: list[str], said: str, out: Path, folder: Path, call: Program
) -> None:
    lines = (folder / "patients.csv").read_text().splitlines()
    (folder / "fewer.csv").write_text("\n".join(lines[:-1]) + "\n")
    (folder / "there.html").write_text("mine")
    before = everything_in(folder)
    assert said in call("report", out, *words).error
    assert everything_in(folder) == before


def test_a_page_is_replaced_when_asked(out: Path, folder: Path, call: Program) -> None:
    (folder / "report.html").write_text("old")
    assert call("report", out, "--audience", "public", "--overwrite").code == 0
    assert "at most 1/2" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def overlapping(folder: Path, call: Program) -> Path:
    """A release whose groups overlap, with the groups kept beside it: 120 people, six diseases."""
    lines = [f"p{i},{20 + i * i * 7 % 53},{i * 11 % 37},d{i * i % 31 % 6}" for i in range(120)]
    (folder / "people.csv").write_text("\n".join(["name,age,shoe,ill", *lines]) + "\n")
    words = [
        "--quasi",
        "age,shoe",
        "--sensitive",
        "ill",
        "--identifier",
        "name",
        "--method",
        "soft-cut",
        "--l",
        "3",
        "--keep-groups",
        "groups.csv",
    ]
    assert call("publish", "people.csv", *words, "--out", "out").code == 0
    return folder / "out"


def summary_of(page: Path) -> str:
    text = html.unescape(page.read_text(encoding="utf-8"))
    return text[text.index('<section id="summary">') : text.index('<section id="published">')]


def test_kept_groups_make_a_private_report_full(overlapping: Path, folder: Path, call: Program) -> None:
    words = ["report", overlapping, "--original", "people.csv", "--identifier", "name", "--json"]
    open_, told = valid(call(*words)), valid(call(*words, "--groups", "groups.csv", "--out", "full.html"))
    assert "knows minimality" in open_["not_tried"]
    verdict = open_["verdicts"]["ill"]
    assert verdict.startswith("None of the 2 attackers whom the promise covers believes more than 1/3 of anybody. ")
    missed = "knows minimality; learns from the release; knows the distribution by age, shoe"
    assert verdict.endswith(f" 4 of 6 attackers could not be tried, which says nothing about safety: {missed}.")
    assert "--groups FILE, groups= in Python" in open_["guessing"]["ill"]
    assert told["not_tried"] == []
    page = html.unescape((folder / "report.html").read_text(encoding="utf-8"))
    assert "--groups FILE" in page  # the advice is one that can be followed
    assert "Best guesses are scored for somebody who does not know who is in which group" in page
    assert "does not know who is in which group" not in (folder / "full.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("groups", [[], ["--groups", "groups.csv"]])
def test_the_terminal_says_what_the_page_says(
    groups: list[str], overlapping: Path, folder: Path, call: Program
) -> None:
    words = ["report", overlapping, "--original", "people.csv", "--identifier", "name", *groups]
    verdict = valid(call(*words, "--json"))["verdicts"]["ill"]
    assert f"<p>{verdict}" in summary_of(folder / "report.html")
    said = call(*words, "--overwrite").out
    assert verdict in " ".join(said.split())


def test_groups_of_another_release_are_refused(overlapping: Path, folder: Path, call: Program) -> None:
    lines = (folder / "groups.csv").read_text().splitlines()
    (folder / "others.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    words = ["report", overlapping, "--identifier", "name", "--groups", "others.csv"]
    assert "--groups does not give this release" in call(*words, "--original", "people.csv").error
    assert "give the original too" in call(*words).error
    assert not (folder / "report.html").exists()


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
def test_a_report_on_a_release_that_is_not_what_it_says_does_not_end_with_0(folder: Path, call: Program) -> None:
    made = ["publish", "patients", "--method", "mondrian", "--l", "2", "--out", "out", "--quiet"]
    assert call(*made).code == 0
    recipe = folder / "out" / "recipe.json"
    assert call("report", "out", "--original", "patients.csv", "--identifier", "name", "--out", "true.html").code == 0
    recipe.write_text(recipe.read_text().replace('"l": 2', '"l": 3'))
    done = call("report", "out", "--original", "patients.csv", "--identifier", "name", "--out", "false.html", "--json")
    assert done.code == 1
    problem, counted = valid(done)["problems"]
    assert problem == "the release is not what it is said to be, as disease shows"
    assert counted == "the release contradicts what is promised about disease"
    assert f"{problem}: do not sign it" in done.err
    assert "The release is not what it is said to be" in (folder / "false.html").read_text(encoding="utf-8")


def test_a_quiet_report_is_written_and_prints_nothing(folder: Path, call: Program) -> None:
    assert call("publish", "patients", "--l", "2", "--out", "quiet", "--seed", "1").code == 0
    done = call("report", "quiet", "--audience", "public", "--out", "quiet.html", "-q")
    assert (done.code, done.out) == (0, "")
    assert (folder / "quiet.html").exists()
