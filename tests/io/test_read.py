"""The one way in: any source, a schema or roles."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid.core.schema import Role, Schema
from pellucid.errors import InputError, SchemaError
from pellucid.io import load, read

CSV = "name,age,zip,ill\nAnn,30,01234,flu\nBob,,90210,\nCat,21,,cold\nDan,30,01234,flu\n"


@pytest.fixture
def patients(tmp_path: Path) -> Any:
    path = tmp_path / "patients.csv"
    path.write_text(CSV)
    return path


def decoded(table: Any) -> Any:
    """The table's rows as values again."""
    return {
        attribute.name: attribute.values.gather(codes).to_list()
        for attribute, codes in zip(table.attributes, table.codes, strict=True)
    }


def test_codes_lead_back_to_every_row_nulls_included(patients: Path) -> None:
    table = read(patients, quasi=["age", "zip"], sensitive="ill", identifier="name")
    assert len(table) == 4
    assert decoded(table) == {
        "age": [30, None, 21, 30],
        "zip": ["01234", "90210", None, "01234"],
        "ill": ["flu", None, "cold", "flu"],
    }
    assert table.order is not None
    assert table.order.tolist() == [0, 1, 2, 3]


def test_a_schema_comes_from_a_file_or_as_a_value(patients: Path, tmp_path: Path) -> None:
    schema = Schema.of(quasi=["age"], sensitive="ill", kinds={"age": "number"})
    (tmp_path / "patients.toml").write_text(schema.to_toml())
    for given in (schema, tmp_path / "patients.toml", str(tmp_path / "patients.toml")):
        table = read(str(patients), schema=given)
        assert [attribute.name for attribute in table.attributes] == ["age", "ill"]


def test_a_table_is_returned_as_it_is(patients: Path) -> None:
    table = read(patients, quasi="age", sensitive="ill")
    assert read(table) is table
    with pytest.raises(SchemaError, match="a Table has its schema already"):
        read(table, quasi="age", sensitive="ill")


def test_embedded_tables_have_names_and_bring_their_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = read("census:200")
    assert len(table) == 200
    assert len(table.having(Role.QUASI)) == 4
    assert load("patients")[0].height == 8
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients").write_text(CSV)
    assert load("patients")[0].height == 4  # a file of that name goes first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"nothing says what the columns are where the table is read; give that call quasi= and sensitive=, or"),
        ({"quasi": "age"}, r"quasi is given but sensitive is not"),
        ({"sensitive": "ill"}, r"sensitive is given but quasi is not"),
        ({"schema": Schema.of(quasi="age", sensitive="ill"), "quasi": "age"}, r"schema and quasi both say"),
        ({"quasi": ["age", "ill"], "sensitive": "ill"}, r"'ill' is quasi and sensitive, and a column has one role"),
        ({"quasi": ["agee"], "sensitive": "ill"}, r"no column 'agee'; did you mean 'age'\?"),
        ({"schema": "nowhere.toml"}, r"nowhere.toml: there is no such schema file"),
    ],
)  # fmt: skip
def test_contradictory_or_missing_roles_are_one_line(patients: Path, arguments: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message) as error:
        read(patients, **arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (CSV + "Ann,50,1,flu\n", r"identifier 'name': 'Ann' occurs 2 times; .* leave it out"),
        (CSV + ",50,1,flu\n", r"identifier 'name' is null in 1 of 5 rows"),
        ("name,age,zip,ill\nAnn,1,2,\nBob,3,4,\n", r"sensitive column 'ill' is null in all 2 rows"),
    ],
)
def test_rows_that_cannot_be_published_are_one_line(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "patients.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as error:
        read(path, quasi=["age", "zip"], sensitive="ill", identifier="name")
    assert "\n" not in str(error.value)


def test_the_order_of_the_rows_is_the_only_thing_that_a_permutation_changes(patients: Path) -> None:
    frame = load(patients)[0]
    shuffled = frame[[3, 1, 0, 2]]
    roles: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": "ill", "identifier": "name"}
    one, two = read(frame, **roles), read(shuffled, **roles)
    for first, second in zip(one.attributes, two.attributes, strict=True):
        assert first.values.to_list() == second.values.to_list()
        assert first.positions.tolist() == second.positions.tolist()
    rows = pl.DataFrame({"order": one.order, **{str(i): codes for i, codes in enumerate(one.codes)}})
    other_rows = pl.DataFrame({"order": two.order, **{str(i): codes for i, codes in enumerate(two.codes)}})
    assert rows.sort("order").equals(other_rows.sort("order"))
    assert not rows.equals(other_rows)
