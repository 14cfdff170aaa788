"""A table made to look like an excerpt of the American Community Survey: 24 columns, codes, N for "does not apply".

Nobody in it exists. What matters to a steward is as in the real excerpts: codes written as numbers, ``N`` where a
question is not asked (no income below 15 years), an income beside its decile, weights and replicate weights, areas as
codes whose digits mean nothing, dates written day.month.year.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from math import exp

from journeys.drawing import Drawn

ROWS = 3_000
STATES = [1, 6, 13, 17, 24, 28, 36, 48]
AREAS = [f"{STATES[number % 8]:02}-{101 + 37 * number:05}" for number in range(300)]
INDUSTRIES = [170, 770, 1070, 2870, 3690, 4470, 4971, 5381, 6170, 6870, 7071, 7860, 8191, 8680, 9160, 9590]
FIRST_INTERVIEW = date(2022, 1, 3)
NOT_ASKED = "N"


@cache
def census_table(rows: int = ROWS) -> str:
    """The table as the text of a CSV file."""
    drawn = Drawn(20_221)
    people = [_person(drawn) for _ in range(rows)]
    _add_deciles(people)
    lines = [",".join(people[0]), *(",".join(map(str, person.values())) for person in people)]
    return "\n".join(lines) + "\n"


def _person(drawn: Drawn) -> dict[str, object]:
    area = drawn.whole(0, len(AREAS) - 1)
    age = min(drawn.whole(0, 99), drawn.whole(0, 99) + 12, 94)
    grown, school = age >= 15, _school(drawn, age)
    earns = grown and drawn.chance(0.88)
    income = round(exp(drawn.bell(9.3 + 0.14 * school - 0.0004 * (age - 48) ** 2, 0.75))) // 100 * 100 if earns else 0
    weight = max(1, round(exp(drawn.bell(4.4, 0.7))))
    group_quarters = drawn.chance(0.04)
    disabled = age / 400
    return {
        "PUMA": AREAS[area],
        "AGEP": age,
        "SEX": drawn.one_of([1, 2]),
        "MSP": drawn.one_of({1: 45, 2: 4, 3: 2, 4: 6, 5: 11, 6: 32}) if grown else NOT_ASKED,
        "HISP": drawn.one_of({0: 80, 1: 12, 2: 3, 3: 2, 4: 3}),
        "RAC1P": drawn.one_of({1: 66, 2: 16, 3: 1, 5: 1, 6: 6, 7: 1, 8: 5, 9: 4}),
        "NOC": NOT_ASKED if group_quarters else drawn.one_of({0: 60, 1: 18, 2: 14, 3: 6, 4: 2}),
        "HOUSING_TYPE": 2 if group_quarters else 1,
        "OWN_RENT": 0 if group_quarters else drawn.one_of({1: 65, 2: 35}),
        "DENSITY": round(30 * 1.03**area, 1),
        "INDP": drawn.one_of(INDUSTRIES) if grown and drawn.chance(0.7) else NOT_ASKED,
        "EDU": school if age >= 3 else NOT_ASKED,
        "INTERVIEWED": f"{FIRST_INTERVIEW + timedelta(days=drawn.whole(0, 360)):%d.%m.%Y}",
        "PINCP": income if grown else NOT_ASKED,
        "PINCP_DECILE": NOT_ASKED,
        "POVPIP": NOT_ASKED if group_quarters else min(501, max(0, round(income / 150 + drawn.bell(90, 60)))),
        "DREM": _yes(drawn, 0.02 + disabled / 3) if age >= 5 else NOT_ASKED,
        "DPHY": _yes(drawn, disabled) if age >= 5 else NOT_ASKED,
        "DEYE": _yes(drawn, 0.01 + disabled / 4),
        "DEAR": _yes(drawn, disabled / 2),
        "PWGTP": weight,
        "PWGTP1": max(1, round(weight * exp(drawn.bell(0, 0.4)))),
        "PWGTP2": max(1, round(weight * exp(drawn.bell(0, 0.4)))),
        "WGTP": 0 if group_quarters else max(1, round(weight * exp(drawn.bell(0, 0.2)))),
    }


def _school(drawn: Drawn, age: int) -> int:
    """Years of school in twelve classes: children are still on their way."""
    if age < 18:
        return max(1, min(age // 3, 6))
    return drawn.one_of({2: 3, 3: 4, 4: 5, 5: 24, 6: 4, 7: 22, 8: 9, 9: 17, 10: 8, 11: 2, 12: 2})


def _yes(drawn: Drawn, share: float) -> int:
    return 1 if drawn.chance(share) else 2


def _add_deciles(people: list[dict[str, object]]) -> None:
    """The tenth of the incomes that a person's income is in; equal incomes are in the same one."""
    incomes = sorted(int(str(person["PINCP"])) for person in people if person["PINCP"] != NOT_ASKED)
    ends = [incomes[len(incomes) * tenth // 10] for tenth in range(1, 10)]
    for person in people:
        if person["PINCP"] != NOT_ASKED:
            person["PINCP_DECILE"] = sum(int(str(person["PINCP"])) >= end for end in ends)
