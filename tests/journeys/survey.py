"""Tables with the traps of real ones, and the roles that an expert gives their columns: ``init`` drafts whole tables.

A health survey of 76 columns in which people have several rows, as a package publishes it after drawing again by
weights; another in other words, whose columns say several times nearly the same and in the wrong order; employees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from io import StringIO

import polars as pl

from journeys.census import census_table
from journeys.drawing import Drawn
from journeys.health import health_table
from journeys.traps import clinic_table

PEOPLE, ROWS = 2_000, 3_000


@dataclass(frozen=True)
class Expert:
    """What an expert would say: what others know, one name of each set; what to protect; what may also be known."""

    known: tuple[str, ...]  # "Race1/Race3": one of them, and not both
    protected: tuple[str, ...]  # one of these
    may_be_known: tuple[str, ...] = ()


@cache
def survey_table() -> str:
    """The health survey, from which people were drawn again until there were 3,000 rows, with their ID."""
    lines = health_table(PEOPLE).splitlines()
    drawn = Drawn(35)
    again = [1 + drawn.whole(0, PEOPLE - 1) for _ in range(ROWS)]
    return "\n".join([lines[0], *(lines[row] for row in again)]) + "\n"


@cache
def panel_table() -> str:
    """A panel in other words: months before years, bands of age, two incomes, two lists of ethnic groups, HIV."""
    drawn = Drawn(36)
    lines = [
        "resp_id,age_months,age_group,age,yob,gender,ethnic_5,ethnic_9,region,region_code,schooling,marital_status,"
        "gross_income,net_income,height_cm,number_of_children,general_health,sexual_orientation,hiv_status,screen_time"
    ]
    for number in range(1_500):
        age, ethnic, region = drawn.whole(18, 90), drawn.whole(1, 9), drawn.whole(1, 12)
        gross = 900 + 50 * drawn.whole(0, 110)
        cells = (
            40_000 + number * 7,
            age * 12 + drawn.whole(0, 11),
            f"{age // 10 * 10}-{age // 10 * 10 + 9}",
            age,
            2024 - age,
            drawn.one_of(["f", "m"]),
            "ABCDE"[min(ethnic - 1, 4)],
            f"E{ethnic}",
            f"Region {chr(64 + region)}",
            region,
            drawn.one_of(["primary", "secondary", "tertiary"]),
            drawn.one_of(["single", "married", "widowed", "divorced"]),
            gross,
            round(gross * 0.62),
            round(drawn.bell(170, 9), 1),
            drawn.one_of({0: 40, 1: 20, 2: 25, 3: 15}),
            drawn.one_of(["very good", "good", "fair", "bad"]),
            drawn.one_of({"heterosexual": 88, "homosexual": 5, "bisexual": 4, "other": 3}),
            drawn.one_of({"negative": 90, "positive": 4, "unknown": 6}),
            drawn.whole(0, 9),
        )
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


@cache
def staff_table() -> str:
    """Employees: a date of birth beside the age, two names of one department, a salary, a rating, a sick note."""
    drawn = Drawn(37)
    lines = [
        "employee_no,date_of_birth,age,sex,department,dept_code,job_title,hire_date,salary,rating,sick_days,depression"
    ]
    for number in range(900):
        age, department = drawn.whole(19, 64), drawn.whole(1, 8)
        cells = (
            10_000 + number,
            f"{2024 - age}-{drawn.whole(1, 12):02}-{drawn.whole(1, 28):02}",
            age,
            drawn.one_of(["F", "M"]),
            ["Sales", "Legal", "Plant", "Lab", "Desk", "Store", "Audit", "Fleet"][department - 1],
            100 + department,
            drawn.one_of(["clerk", "lead", "engineer", "assistant", "driver"]),
            f"{drawn.whole(2000, 2023)}-{drawn.whole(1, 12):02}-01",
            2_000 + 100 * drawn.whole(0, 60),
            drawn.whole(1, 5),
            drawn.whole(0, 30),
            drawn.one_of({"none": 40, "mild": 30, "moderate": 20, "severe": 10}),
        )
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


SURVEY = Expert(
    ("Gender", "Age", "Race1/Race3", "Education", "MaritalStatus", "Work", "HomeOwn"),
    ("HardDrugs", "SexOrientation", "SameSex", "Depressed", "Marijuana", "RegularMarij"),
    ("HomeRooms",),
)
WHOLE = {
    "health survey, each person once": (health_table, SURVEY),
    "health survey, people several times": (survey_table, SURVEY),
    "health survey, 400 people": (lambda: health_table(400), SURVEY),
    "panel": (
        panel_table,
        Expert(
            ("age/yob", "gender", "ethnic_5/ethnic_9", "region/region_code", "schooling", "marital_status"),
            ("sexual_orientation", "hiv_status"),
            ("number_of_children",),
        ),
    ),
    "employees": (
        staff_table,
        Expert(("age/date_of_birth", "sex", "department/dept_code", "job_title", "hire_date"), ("depression",)),
    ),
    "stays": (clinic_table, Expert(("age", "zip", "admitted"), ("diagnosis",))),
    "census": (
        census_table,
        Expert(
            ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "EDU", "INDP"),
            ("PINCP", "PINCP_DECILE"),
            ("HOUSING_TYPE", "OWN_RENT", "NPF", "INDP_CAT", "DENSITY"),
        ),
    ),
}


def frame_of(text: str) -> pl.DataFrame:
    """A table as a file has it."""
    return pl.read_csv(StringIO(text), infer_schema_length=None)
