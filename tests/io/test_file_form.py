"""What somebody says about a file: its encoding, its decimal comma; in a call, on the command line, in a schema."""

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid.app.cli import main
from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read, written_as
from pellucid.schema import Schema, TextForm
from workbooks import write_xlsx


def test_decimals_follow_a_comma_where_somebody_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "cost;count;pay;born;code;point\n3,5;1;1.234,5;2024-01-31;01;1.5\n-7;2;12;2024-02-01;02;2.5\n;3;1.000;;3;9\n"
    )
    assert load(path)[0]["cost"].dtype == pl.String
    with written_as(TextForm(decimal=",")):
        frame = load(path)[0]
        marked = load(path, missing={"cost": ["-7"]}, columns=["cost"])[0]
        verbatim = load(path, verbatim=True)[0]
    assert frame.to_dict(as_series=False) == {
        "cost": [3.5, -7.0, None],
        "count": [1, 2, 3],
        "pay": [1234.5, 12.0, 1000.0],
        "born": [dt.date(2024, 1, 31), dt.date(2024, 2, 1), None],
        "code": ["01", "02", "3"],
        "point": ["1.5", "2.5", "9"],
    }
    assert marked["cost"].to_list() == [3.5, None, None]
    assert verbatim["cost"].to_list() == ["3,5", "-7", None]


def test_an_encoding_that_somebody_names_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("město,věk\nPlzeň,30\nŘíčany,41\n".encode("cp1250"))
    with written_as(TextForm(encoding="windows-1250")):
        assert load(path)[0].to_dict(as_series=False) == {"město": ["Plzeň", "Říčany"], "věk": [30, 41]}
    for wrong in ("utf-8", "ascii"):
        with (
            pytest.raises(InputError, match=f"a.csv, line 1: byte 0x.. is not {wrong}; say another --encoding"),
            written_as(TextForm(encoding=wrong)),
        ):
            load(path)
    path.write_bytes("\ufeffa,b\n1,ü\n".encode("utf-16-le"))
    with written_as(TextForm(encoding="utf-16-le")):
        assert load(path)[0].rows() == [(1, "ü")]


def test_what_is_no_form_is_one_line() -> None:
    with pytest.raises(SchemaError, match="encoding: 'latin-99' is no encoding of text; write utf-8"):
        TextForm(encoding="latin-99")
    with pytest.raises(SchemaError, match="encoding: 'hex' is no encoding"):
        TextForm(encoding="hex")
    with pytest.raises(SchemaError, match="decimal"):
        read("patients", quasi="Age", sensitive="Disease", decimal=";")


def test_a_schema_says_it_for_every_verb(tmp_path: Path, capsys: Any) -> None:
    rows = [["age", "disease"], *([20 + i // 2, ["flu", "cold", "gout"][i % 3]] for i in range(60))]
    book = write_xlsx(tmp_path / "a.xlsx", {"notes": [["x"], [1]], "people": rows})
    schema, out = tmp_path / "s.toml", tmp_path / "out"
    assert main(["init", str(book), "--out", str(schema), "--quiet"]) == 2
    assert "--sheet" in capsys.readouterr().err
    assert main(["init", str(book), "--sheet", "people", "--out", str(schema), "--quiet"]) == 0
    assert Schema.load(schema).file == TextForm(sheet="people")
    roles = '[columns.age]\nrole = "quasi"\n\n[columns.disease]\nrole = "sensitive"\n'
    schema.write_text(TextForm(sheet="people").to_toml() + "\n" + roles)
    assert main(["publish", str(book), "--schema", str(schema), "--l", "2", "--out", str(out), "--quiet"]) == 0
    truth = ["attack", str(out), "--truth", str(book)]
    assert main([*truth, "--schema", str(schema)]) in (0, 1)
    assert main(truth) == 2
    assert "--sheet" in capsys.readouterr().err
    assert main([*truth, "--sheet", "people"]) in (0, 1)
