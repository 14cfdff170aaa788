"""What somebody who runs ``levels`` and ``verify`` for the first time stumbled over.

Releases of other tools, as files and database tables: semicolons, stars and NA as ARX and R write them.
"""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from cli.program import Program

PROGRAM = Path(sys.executable).parent / "pellucid"
TABLE = "age,zip,disease,pay\n20,1,flu,10\n20,1,flu,20\n20,1,cold,30\n30,?,flu,10\n30,?,flu,10\n30,,cold,20\n"
ARX = "age;sex;disease\n[20, 40[;M;flu\n[20, 40[;M;cold\n[20, 40[;M;flu\n*;*;cold\n*;*;flu\n"
SDC = '"","age","sex","disease"\n"1","20s",NA,"flu"\n"2","20s",NA,"cold"\n"3","30s","F","flu"\n"4","30s","F","cold"\n'
ROLES = ["--quasi", "age,sex", "--sensitive", "disease"]


@pytest.fixture
def table(folder: Path) -> str:
    (folder / "r.csv").write_text(TABLE)
    return "r.csv"


def words_of(text: str) -> str:
    return " ".join(text.split())


def test_what_looks_like_null_is_said_beside_nulls(table: str, call: Program) -> None:
    said = words_of(call("levels", table, "--quasi", "age,zip", "--sensitive", "disease").out)
    assert "nulls zip 1" in said
    assert "'?' in 2 rows; it counts as a value like any other, different from null" in said


def test_parameters_are_printed_as_typed_and_all_that_is_reached_is_told(table: str, call: Program) -> None:
    words = ["verify", table, "--quasi", "age", "--sensitive", "pay", "--population", table]
    for requirement in ("(k,e)-anonymity=2,5", "recursive (c,l)-diversity=3,2", "delta-presence=0,0.5"):
        words += ["--require", requirement]
    said = call(*words).out
    assert "holds  (k,e)-anonymity: k = 2, e = 5 (reached: k 3, e 10)" in said
    assert "holds  recursive (c,l)-diversity: c = 3, l = 2 (reached: c > 2, l 2)" in said
    assert "FAILS  delta-presence: low = 0, high = 0.5 (reached: low 1, high 1)" in said


def test_the_rows_of_the_worst_group_are_named(table: str, call: Program) -> None:
    for words in (["levels"], ["verify", "--require", "k-anonymity=2"]):
        said = words_of(call(*words, table, "--quasi", "age,zip").out)
        assert "1 row: age 30, zip null (row 5)" in said
        assert "Rows are counted from 0" in said


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize("target", ["/dev/full", None])
@pytest.mark.parametrize("column", ["age", "agee"])
def test_an_output_that_cannot_be_written_is_one_line_and_2(
    options: list[str], target: str | None, column: str, tmp_path: Path
) -> None:
    (tmp_path / "r.csv").write_text(TABLE)
    call = f"'{PROGRAM}' verify r.csv --quasi {column} --require k-anonymity=1 {' '.join(options)}"
    done = subprocess.run(
        f"{call} >{target or '&-'}", shell=True, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False
    )
    lines = done.stderr.splitlines()
    assert done.returncode == 2
    assert all(line.startswith("error: ") for line in lines), done.stderr
    if column == "age" or target is None:
        assert "the output cannot be written" in lines[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["verify", "--quasi", "age", "--require", "k-map=2"], "give it with --population"),
        (["verify", "--quasi", "age", "--require", "l-diversity=2"], "name it with --sensitive"),
        (["levels"], "give --quasi and --sensitive, or --schema,"),
        (["levels", "--sensitive", "disease"], "--quasi is not; name what an attacker may know, as in --quasi age,zip"),
        (["levels", "--quasi", "age", "--together"], "name the values to protect with --values"),
        (["levels", "--quasi", "age", "--sensitive", "disease", "--values", ""], "--values names no value"),
        (["levels", "--quasi", "nothing"], "no column 'nothing'; its columns: 'age'"),
        (["levels", "--quasi", "age", "--sensitive", "disease", "--values", "FLU"], "did you mean 'flu'?"),
    ],
)
def test_messages_speak_of_options(words: list[str], said: str, table: str, call: Program) -> None:
    assert said in call(words[0], table, *words[1:]).error


def test_the_group_number_is_asked_for_by_its_option(folder: Path, call: Program) -> None:
    (folder / "two").mkdir()
    (folder / "two/quasi_identifiers.csv").write_text("g,h,age\n1,1,20\n1,1,30\n")
    (folder / "two/sensitive.csv").write_text("g,h,disease\n1,1,flu\n1,1,cold\n")
    assert "with --group" in call("levels", "two").error
    assert call("levels", "two", "--group", "g").code == 0


def test_two_tables_are_given_by_name() -> None:
    frame = pl.DataFrame({"group": [1], "age": [2]})
    with pytest.raises(pc.InputError, match=r"a tuple of 2; a release in two tables names them, as in \{'quasi"):
        pc.levels((frame, frame))  # type: ignore[arg-type]  # that is the slip


def test_a_population_smaller_than_the_table_is_refused(folder: Path, table: str, call: Program) -> None:
    (folder / "people.csv").write_text("age\n20\n30\n")
    done = call("verify", table, "--quasi", "age", "--population", "people.csv", "--require", "k-map=1")
    assert "the population has 2 people and the table 6 rows" in done.error


def levels(call: Program, *words: str | Path) -> dict[str, object]:
    document = call("levels", *words, *ROLES, "--json").document
    return {level["model"]: level["level"] for level in document["levels"]} | {"rows": document["rows"]}


def test_semicolons_and_stars_as_arx_writes_them(folder: Path, call: Program) -> None:
    (folder / "arx.csv").write_text(ARX)
    found = levels(call, "arx.csv")
    assert (found["rows"], found["k-anonymity"]) == (5, 2)
    assert levels(call, "arx.csv", "--exempt-suppressed")["k-anonymity"] == 3
    said = call("levels", "arx.csv", *ROLES).out
    assert "2 of 5 rows are suppressed" in " ".join(said.split())


def test_row_names_and_na_as_r_writes_them(folder: Path, call: Program) -> None:
    (folder / "sdc.csv").write_text(SDC)
    document = call("levels", "sdc.csv", *ROLES, "--json").document
    assert document["levels"][0]["level"] == 2
    assert document["nulls"]["sex"] == 0  # NA is a text here, and the output says that it is there
    assert ["'NA' in 2 rows" in finding["sentence"] for finding in document["findings"]] == [True]


def test_a_table_of_a_database(folder: Path, call: Program) -> None:
    pytest.importorskip("sqlalchemy")
    with sqlite3.connect(folder / "x.db") as database:
        database.execute("create table t (age integer, sex text, disease text)")
        rows = [(1, "F", "flu"), (1, "F", "cold"), (2, None, "flu")]
        database.executemany("insert into t values (?, ?, ?)", rows)
    database.close()
    assert levels(call, f"sqlite:///{folder / 'x.db'}::t")["k-anonymity"] == 1


def test_a_compressed_file(folder: Path, call: Program) -> None:
    (folder / "arx.csv.gz").write_bytes(gzip.compress(ARX.encode()))
    assert levels(call, "arx.csv.gz")["k-anonymity"] == 2
