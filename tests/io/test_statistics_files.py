"""Files of SPSS, Stata and SAS as tables; labels of values become categories."""

import datetime as dt
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyreadstat
import pytest

from pellucid.core.schema import TextForm
from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read, written_as
from pellucid.io.statistics_files import DeclaredMissing, declared_missing

LABELS = {
    "sex": {1: "male", 2: "female"},
    "likes": {1: "not at all", 10: "very much"},
    "why": {1: "other", 2: "other", 3: "none"},
    "age": {999: "refused"},
}


def survey() -> pd.DataFrame:
    born = [dt.date(1990, 1, 1), None, dt.date(1991, 1, 1), dt.date(1992, 2, 29)]
    return pd.DataFrame(
        {
            "age": [30.0, 41.0, None, 999.0],
            "sex": [1.0, 2.0, 1.0, None],
            "likes": [1.0, 5.0, 10.0, 3.0],
            "why": [1.0, 2.0, 3.0, 1.0],
            "name": ["Ann", "", "Bob", "Ünal"],
            "born": born,
            "cost": [1.5, 2.0, None, 2.5],
        }
    )


FOUND = {
    "age": [30, 41, None, None],
    "sex": ["male", "female", "male", None],
    "likes": [1, 5, 10, 3],
    "why": ["other (1)", "other (2)", "none", "other (1)"],
    "name": ["Ann", None, "Bob", "Ünal"],
    "born": [dt.date(1990, 1, 1), None, dt.date(1991, 1, 1), dt.date(1992, 2, 29)],
    "cost": [1.5, 2.0, None, 2.5],
}


@pytest.mark.parametrize("compress", [False, True])
def test_labels_of_spss_become_categories_and_its_missing_values_nulls(tmp_path: Path, compress: bool) -> None:
    path = tmp_path / ("survey.zsav" if compress else "survey.sav")
    pyreadstat.write_sav(survey(), path, variable_value_labels=LABELS, missing_ranges={"age": [999]}, compress=compress)
    frame = load(path)[0]
    assert frame.to_dict(as_series=False) == FOUND
    assert frame.dtypes[:3] == [pl.Int64, pl.String, pl.Int64]
    table = read(path, quasi=["age", "sex"], sensitive="likes")
    assert [attribute.name for attribute in table.attributes] == ["age", "sex", "likes"]
    with pytest.raises(SchemaError, match="has no column 'sexe'; did you mean 'sex'"):
        load(path, columns=["sexe"])


def test_stata_and_sas_files_are_read(tmp_path: Path) -> None:
    plain = {name: values for name, values in FOUND.items() if name in ("likes", "born", "cost")}
    for version in (15, 10):  # the second begins with another mark
        path = tmp_path / f"survey{version}.dta"
        whole = survey().assign(sex=[1, 2, 1, 2])
        pyreadstat.write_dta(whole, path, variable_value_labels={"sex": LABELS["sex"]}, version=version)
        frame = load(path)[0]
        assert frame["sex"].to_list() == ["male", "female", "male", "female"]
        assert frame.select(list(plain)).to_dict(as_series=False) == plain
        assert frame["age"].to_list() == [30, 41, None, 999]
        form = TextForm(encoding=None if version == 15 else "utf-8")  # what old versions do not say
        with written_as(form):
            assert load(path, columns=["name"])[0]["name"].to_list() == FOUND["name"]
    transport = tmp_path / "survey.xpt"
    pyreadstat.write_xport(survey(), transport, file_format_version=5)
    assert load(transport)[0].select(list(plain)).to_dict(as_series=False) == plain


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    whole = tmp_path / "survey.sav"
    pyreadstat.write_sav(survey(), whole)
    for name, content in (
        ("cut.sav", whole.read_bytes()[:900]),
        ("odd.sav", b"$FL2 and so on"),
        ("a.sas7bdat", bytes(12) + b"\xc2\xea\x81\x60" + bytes(2_000)),
        ("a.dta", b"<stata_dta><header>"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=f"{name} is damaged or incomplete") as raised:
            load(tmp_path / name)
        assert "\n" not in str(raised.value)
    (tmp_path / "text.sav").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="this is not SPSS"):
        load(tmp_path / "text.sav")


def test_without_the_extra_the_message_names_it(tmp_path: Path, monkeypatch: Any) -> None:
    pyreadstat.write_sav(survey(), tmp_path / "survey.sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(InputError, match=r"a file of SPSS, which needs pyreadstat; pip install 'pellucid\[statistics"):
        load(tmp_path / "survey.sav")


def test_codes_declared_as_missing_are_counted_one_by_one(tmp_path: Path) -> None:
    rows = pd.DataFrame({"pay": [1.0, 97.0, 99.0, 99.0, 500.0, None], "sex": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]})
    labels = {"pay": {97: "refused", 99: "not known"}}
    spss = tmp_path / "survey.sav"
    pyreadstat.write_sav(rows, spss, variable_value_labels=labels, missing_ranges={"pay": [{"lo": 97, "hi": 99}]})
    refused, unknown = DeclaredMissing("97", "refused", 1), DeclaredMissing("99", "not known", 2)
    assert declared_missing(spss) == {"pay": [refused, unknown]}
    assert load(spss)[0]["pay"].to_list() == [1, None, None, None, 500, None]
    stata = tmp_path / "survey.dta"
    letters = pd.DataFrame({"pay": [1.0, "a", "b", "b", 500.0, None]})
    named = {"pay": {"a": "refused"}}
    pyreadstat.write_dta(letters, stata, missing_user_values={"pay": ["a", "b"]}, variable_value_labels=named)
    assert declared_missing(stata) == {"pay": [DeclaredMissing("a", "refused", 1), DeclaredMissing("b", "", 2)]}
    plain = tmp_path / "plain.sav"
    pyreadstat.write_sav(rows, plain)
    assert declared_missing(plain) == {}
    assert declared_missing(tmp_path / "none.sav") == {}
