"""A clinic's table as it comes: each trap is met with one question or one sentence."""

from __future__ import annotations

from journeys.conftest import Setting

PUBLISH = "publish clinic.csv --quasi age,zip --l 3 --seed 7 --out release"


def test_patients_with_several_stays_are_asked_about(set_out: Setting) -> None:
    journey = set_out("clinic")
    ill = f"{PUBLISH} --sensitive diagnosis"
    journey.types("init clinic.csv")
    journey.types(ill, ends=2)
    journey.arrives("whose-rows")

    journey.types(f"{ill} --people patient_nbr=one")
    journey.types(f"{ill} --people 'patient_nbr=last by admitted' --overwrite")
    journey.types(f"{ill} --people 'patient_nbr=last by diagnosis' --overwrite", ends=2)
    journey.arrives("one-row-of-each")

    journey.types(f"{ill} --people patient_nbr=person --overwrite")
    journey.types(f"{ill} --people patient_nbr=person --overwrite".replace("--l 3", "--l 5"), ends=2)
    journey.arrives("whole-patients")

    journey.types(f"{ill} --people patient_nbr=row --overwrite")
    journey.arrives("each-row")


def test_children_have_no_income(set_out: Setting) -> None:
    journey = set_out("clinic-children")
    income = f"{PUBLISH} --sensitive income --people patient_nbr=one"
    journey.types(income)
    journey.types(f"{income} --where 'age >= 15' --overwrite")
    journey.types(f"{income} --where 'income = \"low\"' --overwrite", ends=2)
    journey.types(f"{income} --where 'age >=' --overwrite", ends=2)
    journey.arrives("not-applicable")
