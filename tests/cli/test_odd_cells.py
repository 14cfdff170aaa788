"""A cell that makes texts of all numbers of a column is told, with its line; where texts are meant it is not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cli.program import Outcome, Program

WAY_OUT = (
    'in a schema (pellucid init drafts one), or say kind = "category" there if texts are meant'  # how the note ends
)


def write(path: Path, ages: list[str], separator: str = ",") -> None:
    lines = [separator.join((f"p{i}", age, "abc"[i % 3])) for i, age in enumerate(ages)]
    path.write_text("\n".join([separator.join(("name", "age", "disease")), *lines, ""]))


def ages(rows: int, low: int = 20, high: int = 90) -> list[str]:
    random = Random(7)
    return [str(random.randrange(low, high)) for _ in range(rows)]


def published(call: Program, *words: str) -> Outcome:
    roles = ["--quasi", "age", "--sensitive", "disease", "--identifier", "name"]
    done = call("publish", "t.csv", *roles, "--l", "2", "--out", "out", "--overwrite", *words)
    assert done.code == 0, done
    return done


def notes(done: Outcome) -> list[str]:
    return [line for line in done.err.splitlines() if "no number" in line]


def test_a_bad_cell_is_told_with_its_line_and_the_ways_out(folder: Path, call: Program) -> None:
    table = ages(200)
    table[30] = "3x"
    write(folder / "t.csv", table)
    assert notes(published(call)) == [
        "note: 1 of 200 values of 'age' is no number ('3x' in line 32), so that all of them are texts in no order; "
        f'correct it, list it in missing = ["3x"] {WAY_OUT}'
    ]
    assert notes(published(call, "--kind", "age=category")) == []
    said = " ".join(call("init", "t.csv").out.split())
    assert (
        "age: 1 of 200 values is no number ('3x' in line 32), so that all of them are texts in no order; correct it, "
        'or list it in missing = ["3x"] and say kind = "number", unless texts are meant' in said
    )
    draft = (folder / "t.toml").read_text()
    assert "'3x' in line 32" in " ".join(draft.replace("# ", "").split())
    # each way out is one: as it was drafted nobody hears of it again, and the cell listed makes numbers of the others
    drafted = call("publish", "t.csv", "--schema", "t.toml", "--l", "2", "--out", "out", "--overwrite")
    assert (drafted.code, notes(drafted)) == (0, [])
    with_missing = draft.replace(
        '[columns.age]\nrole = "quasi"\nkind = "category"',
        '[columns.age]\nrole = "quasi"\nkind = "number"\nmissing = ["3x"]',
    )
    (folder / "t.toml").write_text(with_missing)
    mended = call("publish", "t.csv", "--schema", "t.toml", "--l", "2", "--out", "out", "--overwrite")
    assert (mended.code, notes(mended)) == (0, [])
    assert " or null" in (folder / "out" / "data.csv").read_text()


def test_several_are_counted_and_the_most_frequent_is_the_example(folder: Path, call: Program) -> None:
    table = ages(200)
    table[30], table[50], table[51] = "3x", "unknown", "unknown"
    write(folder / "t.csv", table)
    (note,) = notes(published(call))
    assert note.startswith("note: 3 of 200 values of 'age' are no numbers (such as 'unknown' in line 52), so that all")
    assert 'correct them, list them in missing = ["unknown", ...] in a schema' in note


@pytest.mark.parametrize(
    "odd",
    [
        ["3x"] * 11,  # more than one in twenty
        ["007"],  # a code: zeros before a number are part of it
        [],
    ],
)
def test_texts_that_are_meant_are_not_remarked(folder: Path, call: Program, odd: list[str]) -> None:
    write(folder / "t.csv", [*ages(200 - len(odd)), *odd])
    assert notes(published(call)) == []
    assert "no number" not in call("init", "t.csv").out


def test_codes_and_few_answers_are_not_remarked(folder: Path, call: Program) -> None:
    write(folder / "t.csv", [*ages(199, 10_000, 99_999), "K1A 0B1"])
    (folder / "t.csv").write_text((folder / "t.csv").read_text().replace("age", "zip", 1))
    done = call("publish", "t.csv", "--quasi", "zip", "--sensitive", "disease", "--l", "2", "--out", "out")
    assert (done.code, notes(done)) == (0, [])
    write(folder / "t.csv", [*ages(199, 1, 4), "other"])  # three answers, numbered, and another
    assert notes(published(call)) == []


def test_decimals_may_follow_a_comma(folder: Path, call: Program) -> None:
    table = [f"{age},5" for age in ages(200)]
    table[40] = "4o,5"
    write(folder / "t.csv", table, ";")
    (note,) = notes(published(call, "--decimal", ","))
    assert "('4o,5' in line 42)" in note


def test_a_job_says_it_too(folder: Path, call: Program) -> None:
    table = ages(200)
    table[30] = "3x"
    write(folder / "t.csv", table)
    (folder / "t.toml").write_text('[columns.age]\nrole = "quasi"\n[columns.disease]\nrole = "sensitive"\n')
    (folder / "job.toml").write_text(
        'source = "t.csv"\nschema = "t.toml"\nout = "out"\n[method]\nname = "soft-cut"\nl = 2\n'
    )
    done = call("run", "job.toml")
    assert done.code == 0
    assert "('3x' in line 32)" in "".join(notes(done))


def codes(done: Outcome) -> list[str]:
    return [line for line in done.err.splitlines() if "looks like a code" in line]


def test_a_code_for_a_missing_number_is_told_until_the_schema_says_it(folder: Path, call: Program) -> None:
    write(folder / "t.csv", [*ages(200), "99", "199", "99"])
    assert codes(published(call)) == []
    write(folder / "t.csv", [*ages(200), "999", "50", "999"])
    assert codes(published(call)) == [
        "warning: 999 in 2 rows of age looks like a code for a missing value, and is taken for a number; if it is one, "
        'write missing = ["999"] under age in a schema (pellucid init drafts it)'
    ]
    assert codes(published(call, "--kind", "age=number")) == []
    call("init", "t.csv")
    assert 'missing = ["999"]' in (folder / "t.toml").read_text()
    drafted = call("publish", "t.csv", "--schema", "t.toml", "--l", "2", "--out", "out", "--overwrite")
    assert codes(drafted) == []
