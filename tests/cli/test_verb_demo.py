"""``pellucid demo`` tells the whole story, on any terminal, as often as one likes."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from cli.program import Program, everything_in
from pellucid.datasets import patients


def test_the_demo_shows_both_tables_and_where_the_release_is(folder: Path, call: Program) -> None:
    done = call("demo")
    assert (done.code, done.err) == (0, "")
    for row in patients().rows():
        assert "  ".join([f"{row[0]:<4}", f"{row[1]:>3}", f"{row[2]:>7}", row[3]]) in done.out
    assert "[54, 60]" in done.out
    assert "1/8" in done.out
    assert "demo-release/data.csv" in done.out
    assert pl.read_csv(folder / "demo-release/data.csv").height == 50_000


@pytest.mark.usefixtures("folder")
def test_every_line_fits_eighty_columns_and_has_no_colour(run: Program) -> None:
    done = run("demo", FORCE_COLOR="1")
    assert max(map(len, done.out.splitlines())) <= 80
    assert "\x1b" not in done.out


@pytest.mark.usefixtures("folder")
def test_a_terminal_without_unicode_gets_plain_bars(run: Program) -> None:
    done = run("demo", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "########" in done.out


def test_the_demo_runs_twice_and_draws_new_coins(folder: Path, call: Program) -> None:
    assert call("demo", "--out", "again", "--quiet").out == ""
    first = everything_in(folder / "again")
    assert call("demo", "--out", "again").code == 0
    assert everything_in(folder / "again").keys() == first.keys()
    assert everything_in(folder / "again") != first


def test_the_demo_keeps_what_the_attack_takes_that_it_names(folder: Path, call: Program) -> None:
    said = " ".join(call("demo").out.split())
    named = "attack demo-release --truth census:50000 --groups demo-release-groups.csv"
    assert f"'pellucid {named}' tells it" in said
    tried = call(*named.split(), "--adversary", "nothing,learned", "--max-risk", "1/8", "--json")
    assert tried.document["guessing"]["learned"] > tried.document["guessing"]["frequent"]
    assert (folder / "demo-release-groups.csv").stat().st_mode & 0o077 == 0


def test_the_demo_replaces_no_file_that_has_no_groups(folder: Path, call: Program) -> None:
    (folder / "demo-release-groups.csv").write_text("mine")
    assert "demo-release-groups.csv: what is there is no file of groups" in call("demo").error
    assert (folder / "demo-release-groups.csv").read_text() == "mine"


def test_the_demo_replaces_no_folder_that_is_not_a_release(folder: Path, call: Program) -> None:
    (folder / "demo-release").mkdir()
    (folder / "demo-release/thesis.txt").write_text("mine")
    assert "demo-release" in call("demo").error
    assert everything_in(folder / "demo-release") == {"thesis.txt": b"mine"}


def test_json_is_one_document(folder: Path, call: Program) -> None:
    document = call("demo", "--json").document
    assert len(document["patients"]) == 8
    assert document["census"]["rows"] == 50_000
    assert document["census"]["group_sizes"]["min"] >= 8
    assert json.loads((folder / "demo-release/recipe.json").read_text())
