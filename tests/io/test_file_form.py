"""What somebody says about a file: its encoding, its decimal comma; in a call, on the command line, in a schema."""

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest

from pellucid.cli.program import main
from pellucid.core.schema import Schema, TextForm
from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read, written_as
from workbooks import write_ods, write_xlsx


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


def _written(people: pl.DataFrame, path: Path) -> Path:
    rows = [people.columns, *map(list, people.rows())]
    if path.suffix == ".xlsx":
        return write_xlsx(path, {"people": rows})
    if path.suffix == ".ods":
        return write_ods(path, {"people": rows})
    if path.suffix == ".sav":
        pyreadstat.write_sav(people.to_pandas(), str(path))
    elif path.suffix == ".parquet":
        people.write_parquet(path)
    elif path.suffix == ".arrow":
        people.with_columns(pl.col("bmi").cast(pl.Categorical)).write_ipc(path)
    return path


@pytest.mark.parametrize("ending", ["xlsx", "ods", "sav", "parquet", "arrow"])
def test_texts_with_a_decimal_comma_are_numbers_in_every_file(tmp_path: Path, ending: str) -> None:
    bmi = ["13,4", "27", None, "1.234,5"]
    people = pl.DataFrame({"bmi": bmi, "plz": ["01067", "80331", "80331", "50667"], "note": ["a, b", "c", "d", "e"]})
    people = people.with_columns(pl.Series("code", ["12345", "23456", "34567", "45678"]))
    path = _written(people, tmp_path / f"people.{ending}")
    assert load(path)[0]["bmi"].to_list() == bmi, "nobody said so"
    with written_as(TextForm(decimal=",")):
        frame = load(path)[0]
        marked = load(path, columns=["bmi"], missing={"bmi": ["13,4", "1.234,5"]})[0]
        none = load(path, columns=["bmi"], missing={"bmi": ["27"]})[0]
        assert load(path, verbatim=True)[0]["bmi"].to_list() == bmi
    assert frame["bmi"].to_list() == [13.4, 27.0, None, 1234.5]
    assert frame.drop("bmi").to_dict(as_series=False) == people.drop("bmi").to_dict(as_series=False), "codes stay"
    assert not marked["bmi"].dtype.is_float(), "what has no comma stays as the file has it"
    assert none["bmi"].to_list() == [13.4, None, None, 1234.5]
    schema = tmp_path / "s.toml"
    schema.write_text('[columns.bmi]\nrole = "quasi"\n[columns.plz]\nrole = "sensitive"\n[file]\ndecimal = ","\n')
    assert read(path, schema=schema).attributes[0].values.to_list() == [None, 13.4, 27.0, 1234.5]
    table = read(path, quasi="bmi", sensitive="plz", decimal=",")
    assert table.attributes[0].values.to_list() == [None, 13.4, 27.0, 1234.5]


def test_the_command_line_takes_the_decimal_comma_of_a_workbook(tmp_path: Path) -> None:
    people = [["bmi", "disease"], *([f"{20 + i // 4},5", ["flu", "cold", "gout", "ulcer"][i % 4]] for i in range(40))]
    book = write_xlsx(tmp_path / "people.xlsx", {"people": people})
    options = ["--quasi", "bmi", "--sensitive", "disease", "--l", "2", "--decimal", ","]
    assert main(["publish", str(book), *options, "--out", str(tmp_path / "out"), "--quiet"]) == 0
    assert '"' not in "".join(pl.read_csv(tmp_path / "out" / "data.csv")["bmi"].cast(pl.String)), "no sets of texts"
    assert main(["init", str(book), "--quiet"]) == 0
    assert 'decimal = ","' in (tmp_path / "people.toml").read_text()


def test_an_encoding_that_somebody_names_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("město,věk\nPlzeň,30\nŘíčany,41\n".encode("cp1250"))
    with written_as(TextForm(encoding="windows-1250")):
        assert load(path)[0].to_dict(as_series=False) == {"město": ["Plzeň", "Říčany"], "věk": [30, 41]}
    for wrong in ("utf-8", "ascii"):
        with (
            pytest.raises(InputError, match=f"a.csv, line 1: byte 0x.. is not {wrong}; say another encoding under"),
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
