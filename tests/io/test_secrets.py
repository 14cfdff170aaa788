"""Whatever an address looks like, its secret is in nothing that is shown, said or written."""

from __future__ import annotations

import json
import sqlite3
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest

import pellucid as pc
from pellucid.cli.program import main
from pellucid.errors import InputError
from pellucid.io.database import read_database
from pellucid.io.secrets import without_password
from pellucid.reports.origin import origin_of

PARTS = ("Zq7", "xW9")  # of a secret, between them what ends a password elsewhere
BETWEEN = ("", ":", "::", "/", "//", "@", "?", "#", ";", "&", "%2F", "?key=", "@h::", "::select")
FORMS = (
    "postgresql://ann:{}@host/db::patients",
    "postgresql://ann:{}@host/db",
    "POSTGRESQL+psycopg://ann%40x:{}@host:5432/db?sslmode=require::SELECT a::text FROM t",
    "postgresql://ann:{}@host/db::select * from t where mail = 'a@b'",
    "postgresql://:{}@host/db::patients",
    "oracle://ann/{}@host/db::patients",
    "jdbc:oracle:thin:ann/{}@//host:1521/db::patients",
    "jdbc:sqlserver://host;user=sa;password={};encrypt=true::patients",
    "jdbc:sqlserver://host;user=sa;Password={}::patients",
    "postgresql://host/db?user=ann&password={}::patients",
    "postgresql://host/db?user=ann&password={}&a=1::patients",
    "postgresql://host/db?a=1&API_TOKEN={}::SELECT * FROM t",
    "snowflake://ann@host/db?private_key={}&client_secret={}::patients",
    "mssql+pyodbc://host/db?driver=x;PWD={};a=1::patients",
    "mssql+pyodbc:///?odbc_connect=DRIVER={{x}};UID=sa;PWD={};::patients",
    "mssql+pyodbc:///?odbc_connect=DRIVER={{x}};UID=sa;PWD={{{}}}::patients",
)
SECRETS = [between.join(PARTS) for between in BETWEEN]
ADDRESSES = [form.format(secret, secret) for form, secret in product(FORMS, SECRETS)]
ADDRESSES += [form.format(quote(secret, safe=""), "x") for form, secret in product(FORMS, SECRETS)]
ADDRESSES += [
    "mssql+pyodbc:///?odbc_connect=" + quote(f"DRIVER={{x}};UID=sa;PWD={secret};") + "::patients" for secret in SECRETS
]


def leaks(text: str) -> bool:
    return any(part in text for part in PARTS)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_secret_is_not_shown(address: str) -> None:
    shown = without_password(address)
    assert "***" in shown
    assert not leaks(shown)
    assert without_password(shown).count("***") >= 1
    assert not leaks(str(origin_of(address)))


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_in_no_message_about_a_database_that_cannot_be_read(form: str) -> None:
    for secret in SECRETS:
        with pytest.raises(InputError) as said:
            read_database(form.format(secret, secret).replace("host", "127.0.0.1:1"))
        assert not leaks(str(said.value)), secret


@pytest.mark.parametrize(
    "plain",
    [
        "clinic.csv",
        "C:/data/a@b.csv",
        "sqlite:///clinic.db::patients",
        "sqlite:////data/a@b.db::SELECT * FROM t WHERE mail = 'a@b'",
        "postgresql://ann@host/db?sslmode=require::public.patients",
        "postgresql://host/db::SELECT a::text FROM t",
    ],
)
def test_what_has_no_secret_is_shown_as_it_is(plain: str) -> None:
    assert without_password(plain) == plain


@pytest.mark.parametrize("address", ADDRESSES[:: len(SECRETS)])
def test_a_usage_error_repeats_no_secret(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["methods", "ace", address], ["measure", "out", "x", address], ["publish", f"--l={address}", "x"]):
        assert main([*words, "--json"]) == 2
        said = capsys.readouterr()
        assert not leaks(said.out + said.err)


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a table, with a parameter that is a secret."""
    monkeypatch.chdir(tmp_path)
    people = pc.datasets.patients()
    pc.publish(people, pc.Hybrid(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name").write("out")
    connection = sqlite3.connect("clinic.db")
    people.to_pandas().to_sql("patients", connection, index=False)
    connection.close()
    Path("file:clinic.db").touch()  # that the file is there is asked before SQLite reads the address
    return "sqlite:///file:clinic.db?uri=true&token=Zq7xW9::patients"


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_secret_is_in_no_document_of_a_verb(clinic: str, more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["measure", "out", "--original", clinic], ["report", "out", "--original", clinic, "--overwrite"]):
        assert main([*words, *more]) == 0
        said = capsys.readouterr()
        assert not leaks(said.out + said.err)
        assert not more or "token=***" in json.loads(said.out)["original"]
    assert not leaks(Path("report.html").read_text(encoding="utf-8"))
