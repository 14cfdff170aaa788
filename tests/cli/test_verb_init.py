"""``pellucid init`` drafts a schema that loads, that publishes, and that says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.program import Program
from pellucid.core.schema import Kind, Role, Schema


def hospital(rows: int = 400) -> pl.DataFrame:
    coins = np.random.default_rng(1)
    births = pl.date_range(pl.date(1930, 1, 1), pl.date(2005, 1, 1), "1d", eager=True)
    return pl.DataFrame(
        {
            "patient_id": np.arange(rows) + 1000,
            "birth date": births.gather(coins.integers(0, len(births), rows)),
            "sex": coins.choice(["f", "m"], rows),
            "zip": coins.integers(10000, 10400, rows),
            "nurse": pl.Series(["Ada", "Bea", None]).gather(coins.integers(0, 3, rows)),
            "country": ["Utopia"] * rows,
            "remarks": [
                f"came back after {number} days with the same complaint" for number in coins.integers(1, 999, rows)
            ],
            "diagnosis": coins.choice(["flu", "cold", "asthma", "gout"], rows),
            "income": coins.integers(1, 20, rows) * 1000,
        }
    )


@pytest.fixture
def draft(folder: Path, call: Program) -> str:
    hospital().write_csv("visits.csv")
    assert call("init", "visits.csv").code == 0
    return (folder / "visits.toml").read_text()


def test_the_order_of_dates_is_advised_that_they_show_though_one_of_them_is_none(folder: Path, call: Program) -> None:
    """It advised "dmy" or "mdy" beside "day.month.year": with 31.02. among them the draft itself says no order."""
    days = ["31.02.1980", *(f"{1 + i % 28}.{1 + i % 12:02}.19{50 + i}" for i in range(40))]
    (folder / "t.csv").write_text("born,disease\n" + "".join(f"{day},{'abc'[i % 3]}\n" for i, day in enumerate(days)))
    said = " ".join(call("init", "t.csv").out.split())
    assert 'looks like dates written day.month.year; say kind = "date" and date_order = "dmy", else each is' in said


def test_how_much_a_column_tells_is_said_where_there_is_something_to_say(folder: Path, call: Program) -> None:
    """It "tells 0 % of disease" was said of every column of the eight patients."""
    said = call("init", "patients.csv").out
    assert "tells" not in said
    assert "tells" not in (folder / "patients.toml").read_text()
    said = call("init", "census:2000").out
    shares = {line.split()[0]: line for line in said.splitlines() if "of income" in line}
    assert "tells 3" in shares["gender"]
    assert "birthplace" not in shares  # 3 %
    assert "How much a column tells of income: 0 % is nothing, 100 % gives it away; publish" in " ".join(said.split())
    draft = (folder / "census.toml").read_text()
    assert draft.count("of income (0 % is nothing, 100 % gives it away).") == len(shares) - 1


def test_roles_and_kinds_follow_from_names_and_counts(draft: str, folder: Path) -> None:
    assert draft
    columns = Schema.load(folder / "visits.toml").columns
    assert {name: column.role for name, column in columns.items()} == {
        "patient_id": Role.IDENTIFIER,
        "birth date": Role.QUASI,
        "sex": Role.QUASI,
        "zip": Role.QUASI,
        "nurse": Role.DROP,
        "country": Role.DROP,
        "remarks": Role.DROP,
        "diagnosis": Role.SENSITIVE,
        "income": Role.DROP,
    }
    assert columns["birth date"].kind is Kind.DATE
    assert columns["zip"].kind is Kind.NUMBER
    assert columns["sex"].kind is Kind.CATEGORY


def test_every_reason_stands_in_the_draft(draft: str) -> None:
    for reason in [
        "every row has a value of its own",
        "other people know it (birth)",
        "has the same value in every row",
        "long text",
        "the name says so (diagnosis)",
        "sensitive too",
        "nulls",
    ]:
        assert reason in draft


def test_uniqueness_is_counted_exactly(draft: str) -> None:
    table = hospital()
    columns = ["birth date", "sex", "zip"]
    alone = table.group_by(columns).len().filter(pl.col("len") == 1).height
    assert f"unique on birth date + sex + zip ({alone} of 400)." in draft.replace("\n# ", " ")
    pairs = {
        (a, b): table.group_by(a, b).len().filter(pl.col("len") == 1).height
        for number, a in enumerate(columns)
        for b in columns[number + 1 :]
    }
    (a, b), most = max(pairs.items(), key=lambda pair: pair[1])
    assert f"unique on {a} + {b} ({most} of 400)." in draft.replace("\n# ", " ")


def test_the_draft_publishes(draft: str, folder: Path, call: Program) -> None:
    assert draft
    done = call("publish", "visits.csv", "--schema", "visits.toml", "--l", "3", "--out", "out")
    assert done.code == 0, done
    published = pl.read_csv(folder / "out/data.csv")
    assert published.height == 400
    assert set(published.columns) == {"birth date", "sex", "zip", "diagnosis"}


@pytest.mark.usefixtures("folder")
def test_the_output_tells_the_same_as_the_draft(call: Program) -> None:
    said = call("init", "patients.csv")
    assert "25 % of rows are unique" not in said.out
    assert "of rows are unique on age + zipcode (3 of 8)" in " ".join(said.out.split())
    assert "Draft: patients.toml" in said.out


def test_json_is_one_document(folder: Path, call: Program) -> None:
    document = call("init", "patients.csv", "--json").document
    assert document["columns"]["disease"]["role"] == "sensitive"
    assert document["columns"]["name"]["nulls"] == 0
    assert document["uniqueness"] == [{"columns": ["age", "zipcode"], "unique_rows": 3, "share": 0.375}]
    assert (folder / document["draft"]).exists()


def test_a_draft_is_not_overwritten_unless_asked(folder: Path, call: Program) -> None:
    (folder / "patients.toml").write_text("mine")
    assert "--overwrite" in call("init", "patients.csv").error
    assert (folder / "patients.toml").read_text() == "mine"
    assert call("init", "patients.csv", "--overwrite").code == 0
    assert Schema.load(folder / "patients.toml").names(Role.SENSITIVE) == ["disease"]


def test_a_table_without_a_sensitive_column_says_so_in_the_draft_and_in_the_output(folder: Path, call: Program) -> None:
    pl.DataFrame({"age": [20, 21, 20], "city": ["a", "b", "b"]}).write_csv("people.csv")
    done = call("init", "people.csv")
    assert done.code == 0
    assert "No column looks sensitive" in done.out
    assert "No column looks sensitive" in (folder / "people.toml").read_text()


def test_odd_names_survive_the_draft(folder: Path, call: Program) -> None:
    odd = ['zip "code"', "âge", "a.b", "tab\there", "back\\slash", "1", "disease"]
    pl.DataFrame({name: [1, 2, 1, 2] for name in odd}).write_parquet("odd.parquet")
    assert call("init", "odd.parquet").code == 0
    assert list(Schema.load(folder / "odd.toml").columns) == odd


@pytest.mark.parametrize("name", ["gone.csv", "empty.csv"])
def test_a_file_that_cannot_be_read_is_refused(name: str, folder: Path, call: Program) -> None:
    (folder / "empty.csv").write_text("")
    assert name in call("init", name).error
    assert not (folder / name).with_suffix(".toml").exists()


def test_a_draft_of_an_embedded_table_goes_to_the_current_folder(folder: Path, call: Program) -> None:
    assert call("init", "census:2000").code == 0
    schema = Schema.load(folder / "census.toml")
    assert schema.names(Role.SENSITIVE) == ["income"]
    assert "age" in schema.names(Role.QUASI)


def test_nulls_are_not_counted_as_a_value(folder: Path, call: Program) -> None:
    frame = pl.DataFrame({"age": [20, 30] * 20, "smokes": ["yes", "no", *[None] * 38], "flag": ["x", *[None] * 39]})
    frame.write_csv("people.csv")
    columns = call("init", "people.csv", "--json").document["columns"]
    assert (columns["smokes"]["distinct"], columns["smokes"]["nulls"]) == (2, 38)
    draft = (folder / "people.toml").read_text()
    assert "# 2 different values, 38 nulls:" in draft
    assert "# 1 value, 39 nulls:" in draft
    assert columns["flag"]["role"] == "drop"


@pytest.mark.usefixtures("folder")
def test_the_list_of_hipaa_identifiers_has_its_evidence_and_is_told_where_it_is_asked(call: Program) -> None:
    done = call("init", "patients.csv", "--out", "mine.toml", "--hipaa", "--json")
    found = {one["column"]: (one["letter"], one["evidence"]) for one in done.document["safe_harbor"]}
    assert found["name"] == ("A", "its name says so (name)")
    assert found["zipcode"] == ("B", "its name says so (zipcode)")
    assert "disease" not in found
    said = call("init", "patients.csv", "--out", "mine.toml", "--hipaa", "--overwrite").out
    assert "- (A) names: 'name', its name says so (name); drop it" in said
    assert max(map(len, said.splitlines())) <= 80
    assert "HIPAA" not in call("init", "patients.csv", "--out", "mine.toml", "--overwrite").out


def test_the_header_names_every_role_and_what_draft_does(draft: str, folder: Path, call: Program) -> None:
    header = " ".join(draft.partition("\ndraft = true")[0].replace("\n# ", " ").split())
    assert all(f"{role} (" in header for role in Role)
    assert "draft = true may stay: with it, more than ten quasi-identifiers publish nothing." in header
    wide = "".join(f'[columns.q{number}]\nrole = "quasi"\n' for number in range(11))
    table = {f"q{number}": [1, 2] for number in range(11)} | {"ill": ["flu", "cold"]}
    pl.DataFrame(table).write_csv("wide.csv")
    for first, code in (("draft = true\n", 2), ("", 0)):
        (folder / "wide.toml").write_text(f'{first}{wide}[columns.ill]\nrole = "sensitive"\n')
        assert call("publish", "wide.csv", "--schema", "wide.toml", "--l", "2", "--out", "out").code == code


def test_levels_of_education_are_advised_to_be_ordered_and_schools_are_not(folder: Path, call: Program) -> None:
    levels, schools = ["primary", "secondary", "doctorate"] * 20, ["Yale", "Brown", "Rice College"] * 20
    ill = ["flu", "cold", "gout", "ulcer"] * 15
    pl.DataFrame({"education": levels, "college": schools, "disease": ill}).write_csv("studies.csv")
    columns = call("init", "studies.csv", "--json").document["columns"]
    assert "give it the kind ordered and list them in their order, lowest first" in columns["education"]["check"]
    assert columns["college"]["check"] == ""
    assert "if its values are levels" in (folder / "studies.toml").read_text()
