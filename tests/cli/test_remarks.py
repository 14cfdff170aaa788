"""A release that promises nothing or tells nothing says so, in words and in the document."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.program import Outcome, Program
from pellucid.text.figures import percent

STRICT = ("--method", "soft-cut")


def write(path: Path, diseases: list[str], **more: list[object]) -> None:
    rows = len(diseases)
    ages = np.random.default_rng(3).permutation(rows)
    pl.DataFrame({"age": ages, "disease": diseases, **more}).write_csv(path)


def published(call: Program, *words: str) -> Outcome:
    done = call(
        "publish", "t.csv", "--quasi", "age", "--sensitive", "disease", *words, "--out", "out", "--json", "--overwrite"
    )
    assert done.code == 0, done
    return done


@pytest.fixture
def flu(folder: Path) -> Path:
    """A hundred rows, of which nine have the flu: Tailor cuts the whole table up to l = 100 // 18 = 5."""
    write(folder / "t.csv", ["flu"] * 9 + [f"d{i}" for i in range(91)])
    return folder


@pytest.mark.usefixtures("flu")
def test_tailor_that_cannot_cut_says_why_and_the_largest_l_that_can(call: Program) -> None:
    done = published(call, "--method", "tailor", "--l", "8")
    (note,) = done.document["warnings"]
    assert done.err == f"note: {note}\n"
    assert note == (
        "all rows are in one group; Tailor could not cut: 'flu' is the disease of 9 % of the rows and a cut needs at "
        "most 1/(2 l) = 1/16; use --method soft-cut, or l = 5 or less"
    )
    assert published(call, "--method", "tailor", "--l", "5").document["warnings"] == []
    assert published(call, "--method", "tailor", "--l", "6").document["groups"] == 1
    assert published(call, "--l", "8").document["warnings"] == []


def test_with_two_sensitive_columns_the_default_is_a_way_out_too(folder: Path, call: Program) -> None:
    write(folder / "t.csv", [f"d{i}" for i in range(40)], drug=[f"p{i % 4}" for i in range(40)])
    (note,) = published(call, "--method", "tailor", "--sensitive", "drug", "--l", "3").document["warnings"]
    assert "is the drug of 25 % of the rows" in note
    assert note.endswith("use --method soft-cut, or l = 2 or less")
    assert "fewer quasi-identifiers" not in note
    done = published(call, "--method", "soft-cut", "--sensitive", "drug", "--l", "3")
    assert (done.document["warnings"], done.document["groups"]) == ([], 13)


def test_a_release_that_keeps_next_to_nothing_says_so(folder: Path, call: Program) -> None:
    write(folder / "t.csv", [f"d{i}" for i in range(60)])
    (note,) = published(call, *STRICT, "--l", "3", "--recode", "suppression").document["warnings"]
    assert note.startswith("less than 5 % of every quasi-identifier is kept; use --recode intervals, or a smaller l")
    assert published(call, *STRICT, "--l", "3").document["warnings"] == []


def test_one_quasi_identifier_that_is_kept_is_enough(folder: Path, call: Program) -> None:
    write(folder / "t.csv", [f"d{i}" for i in range(60)], sex=["f"] * 60)
    words = ["--quasi", "sex", *STRICT, "--l", "3", "--recode", "suppression"]
    assert published(call, *words).document["warnings"] == []


@pytest.mark.usefixtures("flu")
def test_l_of_one_is_a_warning_even_when_quiet(call: Program) -> None:
    words = ["--quasi", "age", "--sensitive", "disease", "--l", "1", "--out", "out"]
    done = call("publish", "t.csv", *words, "--quiet")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("warning: l = 1 promises nothing: rows are published as they are")


def test_l_of_one_does_not_say_that_rows_are_published_as_they_are_when_they_are_not(
    folder: Path, call: Program
) -> None:
    write(folder / "t.csv", ["flu"] * 9 + ["cold"])
    (warning,) = published(call, "--method", "tailor", "--l", "1").document["warnings"]
    assert "l = 1 promises nothing: a group may have a single sensitive value" in warning


def test_rows_that_stand_alone_are_noted_where_some_values_only_are_protected(folder: Path, call: Program) -> None:
    write(folder / "t.csv", [f"d{i // 6}" for i in range(60)])
    words = [*STRICT, "--l", "3", "--k", "1", "--values", "d0", "--keep-groups", "groups.csv"]
    (_, note) = published(call, *words).document["warnings"]
    alone = int((pl.read_csv("groups.csv")["group"].value_counts()["count"] == 1).sum())
    assert 30 < alone < 60  # six have d0, and each at least two others beside them
    assert note == (
        f"{percent(alone / 60)} of the rows ({alone} of 60) are each a group of their own and published as they are, "
        "because nothing but 'd0' is protected; use --k 5 for groups of at least 5 rows"
    )
    (times,) = published(call, *STRICT, "--l", "3", "--values", "d0").document["warnings"]
    assert times.startswith("disease = d0: 10.0% of all people have it, and up to 1/3 of a group, 3 times as many")


def test_groups_that_have_nothing_but_protected_values_are_counted(folder: Path, call: Program) -> None:
    """Of each value by itself at most 1/l is believed, and that a person has one of the three is certain."""
    sad = ["mild", "some", "much"]
    write(folder / "t.csv", [*sad * 12, *["none"] * 24])
    only = (*STRICT, "--l", "3", "--values", ",".join(sad), "--k", "3")
    done = published(call, *only, "--keep-groups", "groups.csv", "--overwrite")
    group = pl.read_csv("groups.csv")["group"]
    table = pl.read_csv("t.csv").with_columns(group=group)
    alike = table.filter((pl.col("disease") != "none").all().over("group"))
    assert len(alike) > 0
    (warning,) = [one for one in done.document["warnings"] if "one of them is certain" in one]
    assert warning.startswith(
        f"{len(alike)} rows are in groups where everybody's disease is 'mild' or 'some' or 'much': each value by itself"
    )
    each = "that a person has one or another of them is not promised, and may be certain."
    assert each in done.document["guarantee"]
    attacked = call("attack", "out", "--truth", "t.csv", "--groups", "groups.csv")
    assert "disease being 'mild' or 'much' or 'some' (each by itself)" in attacked.out.replace("\n", " ")
    alone = published(call, *STRICT, "--l", "3", "--values", "mild", "--k", "3", "--overwrite").document
    assert each not in alone["guarantee"]
    assert not [one for one in alone["warnings"] if "certain" in one]


@pytest.mark.parametrize(
    ("written", "order"), [("%d.%m.%Y", '"dmy"'), ("%m/%d/%Y", '"mdy"'), ("%Y/%m/%d", '"ymd"'), ("", '"dmy" or "mdy"')]
)
def test_dates_that_nobody_called_dates_are_named_with_the_way_out(
    folder: Path, call: Program, written: str, order: str
) -> None:
    days = [date(1990, 1, 1) + timedelta(days=37 * i) for i in range(60)]
    born = [day.strftime(written or "%d/%m/%Y") for day in days if written or day.day <= 12] * 3
    sick = [f"d{i % 7}" for i in range(len(born))]
    pl.DataFrame({"born": born, "age": range(len(born)), "sick": sick}).write_csv(folder / "d.csv")
    done = call("publish", "d.csv", "--quasi", "born,age", "--sensitive", "sick", "--l", "2", "--out", "o", "--json")
    (note,) = [one for one in done.document["warnings"] if "'born' looks like dates written" in one]
    assert f'say kind = "date" and date_order = {order} in a schema' in note
    if written:
        roles = {"born": 'role = "quasi"\nkind = "date"', "age": 'role = "quasi"', "sick": 'role = "sensitive"'}
        (folder / "d.toml").write_text("\n".join(f"[columns.{name}]\n{said}" for name, said in roles.items()))
        again = call("publish", "d.csv", "--schema", "d.toml", "--l", "2", "--out", "again", "--json")
        assert not any("looks like dates" in one for one in again.document["warnings"])


def test_columns_that_become_a_star_for_want_of_a_taxonomy_are_named(folder: Path, call: Program) -> None:
    rows = [f"{age},{'abc'[age % 3]},{'flu' if age % 2 else 'cold'}" for age in range(20, 60)]
    (folder / "ages.csv").write_text("\n".join(["age,town,ill", *rows]) + "\n")
    asked = ("publish", "ages.csv", "--sensitive", "ill", "--method", "incognito", "--k", "5", "--out", "out")
    told = " ".join(call(*asked, "--quasi", "age,town").err.split())
    assert (
        "note: 'age' has no taxonomy, so incognito publishes its values as they are or as *, and here it is *" in told
    )
    assert "taxonomy = { ladder = [5, 10, 20] }" in told
    (folder / "ages.toml").write_text(
        '[columns.age]\nrole = "quasi"\ntaxonomy = { ladder = [10, 20] }\n[columns.town]\nrole = "quasi"\n'
        '[columns.ill]\nrole = "sensitive"\n'
    )
    asked = ("publish", "ages.csv", "--schema", "ages.toml", "--method", "incognito", "--k", "3", "--out", "other")
    assert "'age' has no taxonomy" not in call(*asked).err
