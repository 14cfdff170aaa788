"""A table made to look like a health survey: 76 columns, -1 and 999 for missing, diseases as Yes and No, two ages.

Nobody in it exists. What matters to a steward is as in the real ones: an identifier called ID, diseases that most
people do not have, ages that others know (years and months) beside ages that they do not (of the first cigarette), a
body weight with outliers, numbers of partners, blood pressures, and questions that only some are asked.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import exp

from journeys.drawing import Drawn

ROWS = 3_000
FIRST_ID = 51_624
REFUSED, NOT_KNOWN = -1, 999
ENDS = [0, 5_000, 10_000, 15_000, 20_000, 25_000, 35_000, 45_000, 55_000, 65_000, 75_000, 100_000, 150_000]
INCOMES = [(low, high - 1) for low, high in pairwise(ENDS)]
SEVERAL_DAYS = {"None": 64, "Several": 24, "Most": 12}


@cache
def health_table(rows: int = ROWS) -> str:
    """The table as the text of a CSV file."""
    drawn = Drawn(2_012)
    people = [_person(drawn, FIRST_ID + row) for row in range(rows)]
    lines = [",".join(people[0]), *(",".join(map(_written, person.values())) for person in people)]
    return "\n".join(lines) + "\n"


def _written(value: object) -> str:
    return "" if value is None else str(value)


def _person(drawn: Drawn, number: int) -> dict[str, object]:
    age = min(80, drawn.whole(0, 84))
    female = drawn.chance(0.5)
    return (
        {"ID": number, "SurveyYr": drawn.one_of(["2009_10", "2011_12"])}
        | _who(drawn, age, female)
        | _household(drawn, age)
        | _body(drawn, age, female)
        | _pressure(drawn, age)
        | _laboratory(drawn, age, female)
        | _health(drawn, age)
        | _births(drawn, age, female)
        | _days(drawn, age)
        | _habits(drawn, age)
        | _private(drawn, age, female)
    )


def _yes(drawn: Drawn, share: float) -> str:
    return "Yes" if drawn.chance(share) else "No"


def _asked(asked: bool, value: object) -> object:
    """The answer of those who were asked; nothing is written for the others."""
    return value if asked else None


def _or_code(drawn: Drawn, value: object, code: int, share: float = 0.02) -> object:
    """The value, or a code for a missing one."""
    return code if drawn.chance(share) else value


def _who(drawn: Drawn, age: int, female: bool) -> dict[str, object]:
    race = drawn.one_of({"White": 63, "Black": 12, "Mexican": 10, "Hispanic": 6, "Asian": 6, "Other": 3})
    schools = {"8th Grade": 6, "9 - 11th Grade": 12, "High School": 21, "Some College": 31, "College Grad": 30}
    married = {"Married": 54, "NeverMarried": 19, "Divorced": 10, "LivePartner": 8, "Widowed": 6, "Separated": 3}
    return {
        "Gender": "female" if female else "male",
        "Age": age,
        "AgeDecade": " 70+" if age >= 70 else f" {age // 10 * 10}-{age // 10 * 10 + 9}",
        "AgeMonths": _or_code(drawn, min(age * 12 + drawn.whole(0, 11), 959), NOT_KNOWN, 0.04),
        "Race1": "Other" if race == "Asian" else race,
        "Race3": race,
        "Education": _asked(age >= 20, drawn.one_of(schools)),
        "MaritalStatus": _asked(age >= 20, drawn.one_of(married)),
    }


def _household(drawn: Drawn, age: int) -> dict[str, object]:
    low, high = drawn.one_of(INCOMES)
    middle = (low + high + 1) // 2
    return {
        "HHIncome": f"{low}-{high}" if high < 100_000 else "more 99999",
        "HHIncomeMid": middle,
        "Poverty": round(min(5.0, middle / 20_000 + abs(drawn.bell(0, 0.4))), 2),
        "HomeRooms": drawn.whole(1, 13),
        "HomeOwn": drawn.one_of({"Own": 65, "Rent": 33, "Other": 2}),
        "Work": _asked(age >= 16, drawn.one_of({"Working": 60, "NotWorking": 36, "Looking": 4})),
    }


def _body(drawn: Drawn, age: int, female: bool) -> dict[str, object]:
    tall = drawn.bell(162 if female else 176, 7) if age >= 16 else 75 + 5.6 * age + drawn.bell(0, 5)
    heavy = exp(drawn.bell(0.0, 0.2)) * (tall / 100) ** 2 * (26.5 if age >= 16 else 15.5 + age / 2)
    if drawn.chance(0.001):
        heavy = 200 + abs(drawn.bell(15, 10))  # a few people weigh far more than everybody else
    kilograms, centimetres = round(heavy, 1), round(tall, 1)
    bmi = round(kilograms / (centimetres / 100) ** 2, 2)
    who = "12.0_18.5" if bmi < 18.5 else "18.5_to_24.9" if bmi < 25 else "25.0_to_29.9" if bmi < 30 else "30.0_plus"
    child = drawn.one_of({"UnderWeight": 4, "NormWeight": 63, "OverWeight": 15, "Obese": 18})
    return {
        "Weight": _or_code(drawn, kilograms, REFUSED),
        "Length": _asked(age <= 3, round(70 + 9 * age + drawn.bell(0, 3), 1)),
        "HeadCirc": _asked(age == 0, round(drawn.bell(41, 2), 1)),
        "Height": _asked(age >= 2, centimetres),
        "BMI": _asked(age >= 2, bmi),
        "BMICatUnder20yrs": _asked(2 <= age < 20, child),
        "BMI_WHO": _asked(age >= 2, who),
    }


def _pressure(drawn: Drawn, age: int) -> dict[str, object]:
    upper, lower = drawn.bell(104 + age * 0.4, 13), drawn.bell(66 + age * 0.06, 11)
    named: dict[str, object] = {"Pulse": _asked(age >= 8, round(drawn.bell(73, 12) / 2) * 2)}
    for which in ("Ave", "1", "2", "3"):
        named[f"BPSys{which}"] = _asked(age >= 8, round(upper + drawn.bell(0, 4)) // 2 * 2)
        named[f"BPDia{which}"] = _asked(age >= 8, max(round(lower + drawn.bell(0, 4)) // 2 * 2, 0))
    return named


def _laboratory(drawn: Drawn, age: int, female: bool) -> dict[str, object]:
    second = drawn.chance(0.15)
    return {
        "Testosterone": _asked(age >= 6, round(exp(drawn.bell(3.1 if female else 5.8, 0.5)), 2)),
        "DirectChol": _asked(age >= 6, round(exp(drawn.bell(0.27, 0.28)), 2)),
        "TotChol": _asked(age >= 6, round(drawn.bell(4.9, 1.0), 2)),
        "UrineVol1": _asked(age >= 6, max(5, round(drawn.bell(118, 80)))),
        "UrineFlow1": _asked(age >= 6, round(exp(drawn.bell(-0.4, 0.8)), 3)),
        "UrineVol2": _asked(age >= 6 and second, max(5, round(drawn.bell(119, 80)))),
        "UrineFlow2": _asked(age >= 6 and second, round(exp(drawn.bell(0, 0.9)), 3)),
    }


def _health(drawn: Drawn, age: int) -> dict[str, object]:
    diabetic = drawn.chance(age / 500)
    general = drawn.one_of({"Excellent": 11, "Vgood": 33, "Good": 39, "Fair": 14, "Poor": 3})
    return {
        "Diabetes": "Yes" if diabetic else "No",
        "DiabetesAge": _asked(diabetic, max(1, age - drawn.whole(0, 20))),
        "HealthGen": _asked(age >= 12, general),
        "DaysPhysHlthBad": _asked(age >= 12, _or_code(drawn, drawn.one_of({0: 64, 2: 14, 5: 10, 30: 6}), 99)),
        "DaysMentHlthBad": _asked(age >= 12, _or_code(drawn, drawn.one_of({0: 61, 2: 15, 7: 8, 30: 6}), 99)),
        "LittleInterest": _asked(age >= 18, drawn.one_of(SEVERAL_DAYS)),
        "Depressed": _asked(age >= 18, drawn.one_of(SEVERAL_DAYS)),
    }


def _births(drawn: Drawn, age: int, female: bool) -> dict[str, object]:
    mother = female and age >= 20 and drawn.chance(0.7)
    births = drawn.one_of({1: 20, 2: 38, 3: 24, 4: 11, 5: 5, 6: 2})
    return {
        "nPregnancies": _asked(mother, births + drawn.one_of({0: 60, 1: 27, 2: 13})),
        "nBabies": _asked(mother, births),
        "Age1stBaby": _asked(mother, drawn.whole(15, 38)),
    }


def _days(drawn: Drawn, age: int) -> dict[str, object]:
    watched = {"0_hrs": 3, "0_to_1_hr": 12, "1_hr": 18, "2_hr": 27, "3_hr": 17, "4_hr": 11, "More_4_hr": 12}
    return {
        "SleepHrsNight": _asked(age >= 16, _or_code(drawn, drawn.one_of({5: 11, 6: 25, 7: 32, 8: 25, 9: 7}), 99)),
        "SleepTrouble": _asked(age >= 16, _yes(drawn, 0.25)),
        "PhysActive": _asked(age >= 12, _yes(drawn, 0.55)),
        "PhysActiveDays": _asked(age >= 12 and drawn.chance(0.55), drawn.whole(1, 7)),
        "TVHrsDay": _asked(age >= 2, drawn.one_of(watched)),
        "CompHrsDay": _asked(age >= 2, drawn.one_of(watched)),
        "TVHrsDayChild": _asked(2 <= age <= 11, drawn.whole(0, 6)),
        "CompHrsDayChild": _asked(2 <= age <= 11, drawn.whole(0, 6)),
    }


def _habits(drawn: Drawn, age: int) -> dict[str, object]:
    drinks, smoked = drawn.chance(0.79), drawn.chance(0.44)
    return {
        "Alcohol12PlusYr": _asked(age >= 18, "Yes" if drinks else "No"),
        "AlcoholDay": _asked(age >= 18 and drinks, _or_code(drawn, drawn.one_of({1: 36, 2: 27, 3: 16, 6: 9}), 999)),
        "AlcoholYear": _asked(age >= 18, _or_code(drawn, drawn.one_of([0, 3, 12, 52, 104, 156, 260, 364]), 999)),
        "SmokeNow": _asked(age >= 20 and smoked, _yes(drawn, 0.45)),
        "Smoke100": _asked(age >= 20, "Yes" if smoked else "No"),
        "Smoke100n": _asked(age >= 20, "Smoker" if smoked else "Non-Smoker"),
        "SmokeAge": _asked(age >= 20 and smoked, _or_code(drawn, drawn.whole(10, 30), 999, 0.04)),
    }


def _private(drawn: Drawn, age: int, female: bool) -> dict[str, object]:
    marijuana, regular = drawn.chance(0.58), drawn.chance(0.28)
    asked, ever = 18 <= age <= 59, drawn.chance(0.96)
    partners = min(round(exp(drawn.bell(1.7, 1.1))), 400)
    leaning = {"Heterosexual": 95, "Bisexual": 3, "Homosexual": 2}
    return {
        "Marijuana": _asked(asked, "Yes" if marijuana else "No"),
        "AgeFirstMarij": _asked(asked and marijuana, _or_code(drawn, drawn.whole(11, 26), REFUSED, 0.04)),
        "RegularMarij": _asked(asked, "Yes" if regular else "No"),
        "AgeRegMarij": _asked(asked and regular, _or_code(drawn, drawn.whole(13, 29), REFUSED, 0.05)),
        "HardDrugs": _asked(18 <= age <= 69, _yes(drawn, 0.18)),
        "SexEver": _asked(18 <= age <= 69, "Yes" if ever else "No"),
        "SexAge": _asked(18 <= age <= 69 and ever, drawn.whole(12, 25)),
        "SexNumPartnLife": _asked(18 <= age <= 69, _or_code(drawn, partners if ever else 0, NOT_KNOWN, 0.05)),
        "SexNumPartYear": _asked(asked, _or_code(drawn, drawn.one_of({0: 13, 1: 70, 2: 8, 3: 9}), REFUSED)),
        "SameSex": _asked(18 <= age <= 69, _yes(drawn, 0.08)),
        "SexOrientation": _asked(asked, drawn.one_of(leaning)),
        "PregnantNow": _asked(female and 20 <= age <= 44, drawn.one_of({"No": 86, "Yes": 5, "Unknown": 9})),
    }
