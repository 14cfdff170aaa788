"""The whole walk of a steward who never opens a terminal: from a file to the signed report in the download.

Two tables that nobody's data are in: a census-like excerpt with codes, and an SPSS file whose values have labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from journeys.census import census_table
from journeys.drawing import Drawn
from web.windows import settles

if TYPE_CHECKING:
    from playwright.sync_api import Download, Page

# what only a programmer would understand
FOR_PROGRAMMERS = {
    "an option of the command line": r"(?<![\w-])--[a-z]",
    "a traceback": r"Traceback|File \".*\", line \d|\b[A-Z]\w+(Error|Exception)\b",
    "a path into a document": r"\$\.\w|\w\[\d+\]\.\w|\w\['\w+'\]|(?<!\w)/(tmp|home|usr|proc)/",
    "a line of a file": r'\w = "',
    "a value of Python": r"\b(None(?! of)|True|False|NaN|nan|inf|dtype|repr|kwargs)\b|<class|object at 0x",
    "a command": r"\bpellucid (publish|attack|init|verify|report|measure|compare|serve|run|inspect)\b",
    "a library": r"\b(polars|pyarrow|pydantic|numpy|starlette|duckdb|SQLAlchemy|pyreadstat|calamine)\b",
}
NAME_OF_CODE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
LABELS: dict[str, dict[float, str]] = {
    "sex": {1: "female", 2: "male"},
    "region": {1: "North", 2: "East", 3: "South", 4: "West", 5: "Islands"},
    "schooling": {1: "none", 2: "primary", 3: "secondary", 4: "vocational", 5: "university"},
    "diagnosis": {1: "asthma", 2: "diabetes", 3: "depression", 4: "hypertension", 5: "migraine", 6: "none of these"},
}
TITLES = {"age": "Age in years", "sex": "Sex", "region": "Where the person lives", "diagnosis": "Main diagnosis"}


def write_census(folder: Path, rows: int = 3_000) -> Path:
    """A census-like excerpt with codes, as a CSV file."""
    path = folder / "census-excerpt.csv"
    path.write_text(census_table(rows), encoding="utf-8")
    return path


def write_survey(folder: Path, rows: int = 1_500) -> Path:
    """A health survey as SPSS writes it: numbers with labels, 99 for an answer that was refused."""
    import pyreadstat

    drawn, path = Drawn(31), folder / "health-survey.sav"
    people = [_answers(drawn, number) for number in range(rows)]
    columns = {name: [person[name] for person in people] for name in people[0]}
    titles: list[str | None] = [TITLES.get(name, name) for name in columns]
    pyreadstat.write_sav(
        pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64)),
        path,
        column_labels=titles,
        variable_value_labels=LABELS,
        missing_ranges={"schooling": [99]},
        variable_measure={"sex": "nominal", "region": "nominal", "schooling": "ordinal", "diagnosis": "nominal"},
    )
    return path


def _answers(drawn: Drawn, number: int) -> dict[str, float]:
    age = drawn.whole(18, 89)
    often = {1: 10, 2: 5 + age // 8, 3: 12, 4: age // 4, 5: 14, 6: 40}
    return {
        "respondent": 10_001 + number,
        "age": age,
        "sex": drawn.one_of([1, 2]),
        "region": drawn.one_of({1: 30, 2: 20, 3: 25, 4: 20, 5: 5}),
        "schooling": drawn.one_of({1: 4, 2: 16, 3: 38, 4: 22, 5: 18, 99: 2}),
        "diagnosis": drawn.one_of(often),
    }


def programmers_words(text: str, names: Collection[str] = ()) -> list[str]:
    """What of a page only a programmer would understand; names of columns are the steward's own words."""
    found = [
        f"{what}: {text[max(0, one.start() - 40) : one.end() + 40]!r}"
        for what, pattern in FOR_PROGRAMMERS.items()
        for one in re.finditer(pattern, text)
    ]
    return found + [f"a name of the code: {one}" for one in NAME_OF_CODE.findall(text) if one not in names]


@dataclass
class Walk:
    """One tab on its way; `look` is called at every step with the step's name, when there is something to see."""

    page: Page
    origin: str
    look: Callable[[str], object] = str
    names: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def arrives(self, name: str) -> None:
        """Read all of the page, folded parts too; nothing on it needs a programmer."""
        self.settles()
        text = self.page.evaluate("() => document.title + '\\n' + document.querySelector('body').textContent")
        labels = self.page.eval_on_selector_all("[aria-label]", "all => all.map((one) => one.ariaLabel).join('\\n')")
        self.wrong += [f"{name}: {one}" for one in programmers_words(f"{text}\n{labels}", self.names)]
        self.wrong += [f"{name}: {one}" for one in self.page.locator(".alert:visible").all_inner_texts()]
        self.look(name)

    def settles(self) -> None:
        """Until the page is there whole and shows no work going on."""
        settles(self.page)

    def press(self, name: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=name, exact=True).click()
        self.settles()

    def follow(self, name: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("link", name=name, exact=True).click()

    def role(self, column: str, role: str) -> None:
        self.page.get_by_label(f"Role of {column}", exact=True).select_option(role)

    def download(self, name: re.Pattern[str]) -> Download:
        with self.page.expect_download() as waiting:
            self.page.get_by_role("link", name=name).click()
        return waiting.value

    # the steps

    def opens(self, table: Path, change: Callable[[], None] = lambda: None) -> None:
        """Step 1: from nothing to a table and how it is read."""
        self.arrives("1-nothing-yet")
        self.page.get_by_label("A table, one row per person").set_input_files(table)
        self.press("Open")
        self.arrives("1-opened")
        reading = self.page.locator("#reading > summary")
        if reading.count():
            reading.click()
            self.page.get_by_label("Between the fields").dispatch_event("change")
            self.page.get_by_text("rows as they would be read").wait_for()
            self.arrives("1-how-it-is-read")
            reading.click()
        change()
        self.follow("Next: Roles")

    def says_roles(self, roles: Mapping[str, str], details: str) -> None:
        """Step 2: the roles as they are suggested, those that the steward changes, one column in detail."""
        self.arrives("2-suggested")
        for column, role in roles.items():
            self.role(column, role)
        self.page.wait_for_timeout(700)  # what follows a change is shown at once
        self.arrives("2-chosen")
        self.press(f"Details of {details}")
        self.arrives("2-one-column")
        self.follow("Back to all columns")
        self.press("Next: Method")

    def publishes(self, l: int) -> None:
        """Step 3: the setting, the sentence that one would sign; publish."""
        self.page.get_by_label("Strength, l:").fill(str(l))
        self.page.get_by_text(f"with probability at most 1/{l}").first.wait_for()
        self.arrives("3-method")
        self.press("Publish with this setting")

    def looks_at_the_result(self, who: str, label: str) -> None:
        """Step 4: rows, attackers, one person, utility, other settings."""
        self.arrives("4-result")
        self.follow("Next: Risk")
        self.arrives("4-risk")
        self.page.locator(".attacker.outside summary").first.click()
        self.arrives("4-one-attacker")
        self.page.get_by_label(label).fill(who)
        self.page.get_by_role("button", name="Attack", exact=True).click()
        self.page.locator("#person-answer h4").wait_for()
        self.arrives("4-one-person")
        self.follow("Next: Utility")
        self.arrives("4-utility")
        self.follow("Next: Compare")
        self.page.get_by_label("to", exact=True).fill("4")
        self.press("Compare")
        self.arrives("4-compare")

    def hands_it_out(self, folder: Path) -> dict[str, Path]:
        """Step 5: the bundle, both reports, the private groups; where they were saved."""
        self.page.goto(f"{self.origin}/release")
        self.arrives("5-release")
        for title in ("the public report", "the report for your records"):
            self.press(f"Make {title}")
        self.arrives("5-reports-made")
        saved = {}
        for name in ("Download the bundle", "Download the public", "Download the report for", "Download the groups"):
            got = self.download(re.compile(name))
            saved[name.removeprefix("Download the ")] = folder / got.suggested_filename
            got.save_as(folder / got.suggested_filename)
        return saved


CENSUS_ROLES = {"HOUSING_TYPE": "drop", "INDP": "quasi", "INTERVIEWED": "carry"}


def walk_census(walk: Walk, folder: Path, rows: int = 3_000) -> dict[str, Path]:
    """The census-like excerpt, with three roles changed."""
    walk.opens(write_census(folder, rows))
    walk.says_roles(CENSUS_ROLES, "AGEP")
    walk.publishes(3)
    walk.looks_at_the_result("17", "Row number")
    return walk.hands_it_out(folder)


def walk_survey(walk: Walk, folder: Path, rows: int = 1_500) -> dict[str, Path]:
    """The SPSS file, as it is suggested."""
    walk.opens(write_survey(folder, rows))
    walk.says_roles({}, "region")
    walk.publishes(2)
    walk.looks_at_the_result("10017", "Name, as in the identifier column")
    return walk.hands_it_out(folder)
