"""Tables and queries of a database."""

import datetime as dt
import sqlite3
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read


@pytest.fixture
def clinic(tmp_path: Path) -> Any:
    """The URL of an SQLite database."""
    path = tmp_path / "clinic.db"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "all patients" (name TEXT, age INTEGER, cost NUMERIC, born DATE, "the zip" TEXT)')
    rows = [("Ann", 30, 1.5, "1990-01-01", "01234"), ("Bob", None, 2, None, ""), ("Cat", 21, None, "2000-02-29", None)]
    connection.executemany('INSERT INTO "all patients" VALUES (?, ?, ?, ?, ?)', rows)
    connection.execute('CREATE VIEW young AS SELECT name, age FROM "all patients" WHERE age < 25')
    connection.execute("CREATE TABLE odd (value)")
    connection.executemany("INSERT INTO odd VALUES (?)", [(1,), ("two",)])
    connection.execute("CREATE TABLE growing (value)")
    connection.executemany("INSERT INTO growing VALUES (?)", [*((None,) for _ in range(60_000)), (1,), (2.5,)])
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


def test_a_table_is_read_in_the_types_of_the_database(clinic: str) -> None:
    frame, native = load(f"{clinic}::all patients")
    assert native == "polars"
    assert frame.to_dict(as_series=False) == {
        "name": ["Ann", "Bob", "Cat"],
        "age": [30, None, 21],
        "cost": [1.5, 2.0, None],
        "born": [dt.date(1990, 1, 1), None, dt.date(2000, 2, 29)],
        "the zip": ["01234", "", None],
    }


def test_only_the_columns_of_the_schema_are_read(clinic: str) -> None:
    table = read(f"{clinic}::all patients", quasi=["the zip", "age"], sensitive="name")
    assert [attribute.name for attribute in table.attributes] == ["the zip", "age", "name"]


def test_a_view_and_a_query_are_read(clinic: str) -> None:
    assert load(f"{clinic}::young")[0].rows() == [("Cat", 21)]
    query = "SELECT age + 1 AS next, name FROM 'all patients'\n WHERE age IS NOT NULL ORDER BY age"
    assert load(f"{clinic}::{query}", columns=["next"])[0].rows() == [(22,), (31,)]
    assert load(f"{clinic}::with x as (select 1 as one) select * from x")[0].rows() == [(1,)]


def test_nulls_before_numbers_do_not_decide_the_type(clinic: str) -> None:
    frame = load(f"{clinic}::growing")[0]
    assert frame["value"].dtype == pl.Float64
    assert frame["value"][-2:].to_list() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("what", "error", "message"),
    [
        ("::pateints", InputError, r"the database has no table 'pateints'; it has 'all patients', .*'young'"),
        ("::odd", InputError, r"column 'value' mixes int and str; a column has one type: CAST it in a query"),
        ("::SELECT * FROM nowhere", InputError, r"cannot be read \(no such table: nowhere\); check the URL"),
        ("::SELECT 1 AS a, 2 AS a", InputError, r"column 'a' occurs 2 times"),
        ("", InputError, r"names no table; write <url>::<table> or <url>::SELECT"),
    ],
)
def test_what_cannot_be_read_is_one_line(clinic: str, what: str, error: Any, message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        load(clinic + what)
    assert "\n" not in str(raised.value)


def test_an_unknown_column_is_named(clinic: str) -> None:
    for source in ("young", "SELECT name, age FROM young"):
        with pytest.raises(SchemaError, match=r"no column 'agee'; did you mean 'age'\?"):
            load(f"{clinic}::{source}", columns=["agee"])


@pytest.mark.parametrize(
    ("url", "driver", "package"),
    [("postgresql+psycopg2", "psycopg2", "psycopg2-binary"), ("mysql+pymysql", "pymysql", "pymysql")],
)
def test_a_driver_that_is_not_installed_is_named(
    url: str, driver: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, driver, None)
    with pytest.raises(InputError, match=rf"needs the driver {driver}, which is not installed; pip install {package}$"):
        load(f"{url}://ann:hunter2@localhost/clinic::patients")


def test_a_missing_database_is_not_created(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.db"
    with pytest.raises(InputError, match=r"there is no database file '.*nowhere.db'"):
        load(f"sqlite:///{path}::patients")
    assert not path.exists()


@pytest.mark.parametrize("source", ["nosuchdb://ann:hunter2@host/db::patients", "nosuchdb://ann:hunter2@host/db"])
def test_a_password_never_appears_in_a_message(source: Any) -> None:
    with pytest.raises(InputError) as error:
        load(source)
    assert "hunter2" not in str(error.value)


def test_a_password_is_in_no_draft_and_no_message_of_a_verb(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    from pellucid.cli.program import main

    frame = pl.DataFrame({"age": [30, 41] * 20, "disease": ["flu", "cold", "gout", "flu"] * 10})
    monkeypatch.setattr("pellucid.io.loading.read_database", lambda _source, _columns: frame)
    address, draft = "postgresql://ann:hun/ter2@host/db?sslkey=hunter2::young", tmp_path / "young.toml"
    assert main(["init", address, "--out", str(draft)]) == 0
    assert main(["publish", address, "--out", str(tmp_path / "out")]) == 2
    assert main(["levels", address, "--quasi", "age", "--sensitive", "disease", "--json"]) == 0
    said = "".join(capsys.readouterr()) + draft.read_text()
    assert "ann:***@host/db" in said
    assert "ter2" not in said
