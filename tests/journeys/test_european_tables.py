"""A personnel table as offices in Europe write it, and an age with zeros before it: drafted, published, attacked."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import polars as pl
import pytest

from pellucid.cli.program import main
from pellucid.core.schema import Schema

ROWS = 600


def personnel(folder: Path) -> Path:
    """Semicolons, Windows-1252, decimal commas, 31.12.1980, -9 and 999 for what is missing."""
    coins = Random(4)
    lines = ["Personalnummer;Geburtsdatum;PLZ;Abteilung;Monatsgehalt;Jahresgehalt;Krankheitstage;Beschäftigungsgrad"]
    for row in range(ROWS):
        born = f"{coins.randint(1, 28):02}.{coins.randint(1, 12):02}.{coins.randint(1958, 2004)}"
        pay = coins.gauss(3200, 500)
        written = [f"{money:.2f}".replace(".", ",") for money in (pay, 13.5 * pay)]
        sick = coins.choice([0, 1, 2, 3, 4, 5, 7, 9, 12, -9])
        place = f"{coins.choice(['01067', '10115', '80331'])}"
        part = coins.choice(["1,00", "0,75", "0,50"])
        lines.append(";".join([f"P{row}", born, place, coins.choice(["Lager", "Labor"]), *written, str(sick), part]))
    file = folder / "personal.csv"
    file.write_bytes("\r\n".join([*lines, ""]).encode("cp1252"))
    return file


def said(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    capsys.readouterr()
    assert main([str(word) for word in words]) == code, capsys.readouterr().err
    told = capsys.readouterr()
    return " ".join(f"{told.out} {told.err}".split())


def test_decimal_commas_are_drafted_and_every_verb_reads_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The draft said "write them as plain numbers", and pay by the year named everybody's pay by the month."""
    file, draft, out, groups = (
        personnel(tmp_path),
        tmp_path / "personal.toml",
        tmp_path / "out",
        tmp_path / "groups.csv",
    )
    told = said(capsys, "init", file)
    assert (
        'Monatsgehalt, Jahresgehalt, Beschäftigungsgrad: numbers with a decimal comma; the draft has decimal = ","'
        in told
    )
    schema = Schema.load(draft)
    assert schema.file is not None
    assert schema.file.decimal == ","
    assert str(schema.columns["Krankheitstage"].role) == "sensitive"
    assert str(schema.columns["Abteilung"].role) == "quasi"
    for pay in ("Monatsgehalt", "Jahresgehalt"):
        assert "sensitive too: the name says so" in told
        assert str(schema.columns[pay].role) == "drop"
    edited = draft.read_text().replace(
        '[columns.Monatsgehalt]\nrole = "drop"', '[columns.Monatsgehalt]\nrole = "sensitive"'
    )
    both = edited.replace('[columns.Jahresgehalt]\nrole = "drop"', '[columns.Jahresgehalt]\nrole = "carry"')
    draft.write_text(both)
    publish = ("publish", file, "--schema", draft, "--l", "3", "--out", out, "--keep-groups", groups)
    assert "Jahresgehalt tells" in said(capsys, *publish, code=2)
    draft.write_text(edited)
    said(capsys, *publish)
    assert pl.read_csv(out / "data.csv")["Monatsgehalt"].dtype == pl.Float64
    for words in (
        ("attack", out, "--truth", file, "--groups", groups, "--max-risk", "1/3"),
        ("measure", out, "--original", file, "--metric", "kept"),
        ("verify", out, "--population", file, "--require", "k-map=3"),
    ):
        said(capsys, *words)  # the recipe says what is a number, and the file is read as it is written
        said(capsys, *words, "--schema", draft)


def test_a_comma_that_may_stand_between_thousands_is_not_guessed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    coins = Random(5)
    frame = pl.DataFrame(
        {
            "age": [str(coins.randint(20, 60)) for _ in range(60)],
            "pay": [f"{coins.randint(1, 9)},{coins.randint(100, 999)}" for _ in range(60)],
            "ill": [coins.choice("abcdef") for _ in range(60)],
        }
    )
    frame.write_csv(tmp_path / "t.csv", separator=";")
    roles = {"age": '{role = "quasi"}', "pay": '{role = "carry", kind = "number"}', "ill": '{role = "sensitive"}'}
    (tmp_path / "t.toml").write_text("[columns]\n" + "".join(f"{name} = {role}\n" for name, role in roles.items()))
    told = said(
        capsys,
        "publish",
        tmp_path / "t.csv",
        "--schema",
        tmp_path / "t.toml",
        "--l",
        "2",
        "--out",
        tmp_path / "o",
        code=2,
    )
    assert "is not a number" in told


def test_an_age_with_zeros_before_it_is_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was drafted as a category, so that groups were published as sets of ages and 99 counted as one."""
    coins = Random(6)
    ages = [coins.choice([*range(98), *[99] * 20]) for _ in range(2_000)]
    frame = pl.DataFrame(
        {
            "AGE": [f"{age:02}" for age in ages],
            "ZIP": [f"0{age % 7}123" for age in ages],
            "disease": [coins.choice("abcdefgh") for _ in ages],
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    said(capsys, "init", tmp_path / "t.csv")
    columns = Schema.load(tmp_path / "t.toml").columns
    assert (str(columns["AGE"].kind), columns["AGE"].missing) == ("number", ("99",))
    assert str(columns["ZIP"].kind) == "category"
    told = said(
        capsys,
        "publish",
        tmp_path / "t.csv",
        "--schema",
        tmp_path / "t.toml",
        "--l",
        "2",
        "--out",
        tmp_path / "o",
        "--json",
    )
    assert json.loads(told.partition("warning:")[0])["recipe"]["columns"][0]["kind"] == "number"
