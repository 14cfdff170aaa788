"""Releases of other tools, as files and database tables: semicolons, stars and NA as ARX and R write them."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import pytest

from cli.program import Program

ARX = "age;sex;disease\n[20, 40[;M;flu\n[20, 40[;M;cold\n[20, 40[;M;flu\n*;*;cold\n*;*;flu\n"
SDC = '"","age","sex","disease"\n"1","20s",NA,"flu"\n"2","20s",NA,"cold"\n"3","30s","F","flu"\n"4","30s","F","cold"\n'
ROLES = ["--quasi", "age,sex", "--sensitive", "disease"]


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
