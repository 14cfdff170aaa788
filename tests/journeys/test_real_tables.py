"""Tables as they come, from ``init`` to the report: each trap is met with one question or one sentence."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from journeys.conftest import Setting
from journeys.drawing import Drawn
from journeys.traps import clinic_table
from workbooks import Cell, write_xlsx

CLINIC = "publish clinic.csv --schema clinic.toml --l 3 --seed 7 --out release"


def test_a_survey_in_which_people_have_several_rows(set_out: Setting) -> None:
    journey = set_out("survey")
    publish = "publish survey.csv --schema survey.toml --l 2 --seed 7 --out release --keep-groups groups.csv"
    journey.types("init survey.csv")
    journey.types(publish, ends=2)
    journey.arrives("whose-rows")

    journey.edits("survey.toml", "ID", 'role = "drop"', 'role = "drop"', 'people = "one"')
    journey.edits(
        "survey.toml", "HardDrugs", 'role = "sensitive"', 'role = "sensitive"', 'applies = "Age >= 18 and Age <= 69"'
    )
    journey.types(publish)
    journey.arrives("one-row-of-each-and-to-whom-it-applies")

    truth = "--truth survey.csv --schema survey.toml --groups groups.csv"
    journey.types(f"attack release {truth}")
    journey.arrives("attack")
    original = "--original survey.csv --schema survey.toml --groups groups.csv"
    journey.types(f"measure release {original}")
    journey.types(f"report release {original} --out for-the-file.html")
    journey.reads("for-the-file.html")
    journey.arrives("measure-and-report")


def test_hospital_stays_by_patient(set_out: Setting) -> None:
    """The real table of 101,766 stays: 71,518 patients, of whom some came forty times."""
    journey = set_out("diabetes130")
    table, schema = "diabetes130.csv.gz", "diabetes130.toml"
    publish = f"publish {table} --schema {schema} --l 5 --seed 7"
    journey.types(f"init {table} --out {schema}")
    journey.types(f"{publish} --out release", ends=2)
    journey.arrives("whose-rows")

    journey.types(f"{publish} --out rows --keep-groups rows.csv --people patient_nbr=row")
    intersected = journey.types(f"attack rows --truth {table} --schema {schema} --groups rows.csv")
    assert "intersecting the groups of these rows leaves one value" in " ".join(intersected.split())
    journey.arrives("each-row")

    journey.types(f"{publish} --out whole --keep-groups whole.csv --people patient_nbr=person", ends=2)
    journey.types(f"{publish} --out whole --keep-groups whole.csv --people patient_nbr=person --cluster-rows 2")
    journey.arrives("whole-patients")

    journey.types(f"{publish} --out release --keep-groups groups.csv --people patient_nbr=one")
    journey.types(f"attack release --truth {table} --schema {schema} --groups groups.csv")
    journey.types(f"report release --original {table} --schema {schema} --groups groups.csv --out for-the-file.html")
    journey.reads("for-the-file.html")
    journey.arrives("one-row-of-each-to-the-report")


def test_values_that_are_read_as_one(set_out: Setting) -> None:
    journey = set_out("clinic-merged")
    journey.types("init clinic.csv --quiet")
    journey.edits("clinic.toml", "patient_nbr", 'role = "drop"', 'role = "drop"', 'people = "one"')
    journey.edits(
        "clinic.toml",
        "diagnosis",
        'role = "sensitive"',
        'role = "sensitive"',
        'merge = { infection = ["flu", "pneumonia"], "long illness" = ["asthma", "diabetes", "migraine"] }',
    )
    journey.edits("clinic.toml", "admitted", 'role = "quasi"', 'role = "drop"')
    journey.types(CLINIC)
    journey.types(CLINIC.replace("--l 3", "--l 2") + " --overwrite")
    data = Path("release/data.csv").read_text()
    assert "infection" in data
    assert "pneumonia" not in data
    journey.types("report release --audience public --out release/report.html")
    journey.reads("release/report.html")
    journey.arrives("merged")


def test_a_spreadsheet_with_a_title_sums_and_decimal_commas(set_out: Setting) -> None:
    journey = set_out("clinic-spreadsheet")
    Path("clinic.csv").unlink()
    drawn = Drawn(41)
    rows: list[list[Cell]] = [["Aufenthalte 2023, vertraulich"], [], [None, "Alter", "PLZ", "Kosten", "Diagnose"]]
    for before, now in pairwise(clinic_table().splitlines()[1:202]):
        if before.split(",")[0] == now.split(",")[0]:
            continue
        _, age, place, _, _, ill = now.split(",")
        cost = "k.A." if drawn.chance(0.03) else f"{drawn.whole(500, 9000)},{drawn.whole(10, 99)}"
        rows.append([None, int(age), place, cost, ill])
    write_xlsx(Path("stays.xlsx"), {"Aufenthalte": [*rows, [], [None, "Summe", "", "1.000.000,00", ""]]})
    journey.types("init stays.xlsx")
    journey.types("publish stays.xlsx --schema stays.toml --l 3 --seed 7 --out release")
    journey.reads("release/data.csv", lines=6)
    journey.arrives("what-was-taken")
