"""Where rows belong together, what counts people says rows, and nothing else is said in other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.messages import Speaker, spoken_by
from pellucid.reporting.published import ROLES as ROLES_TOLD
from pellucid.schema import Role
from pellucid.speaking.counted_rows import SENTENCES, called, in_rows, told
from pellucid.speaking.page_words import drawn

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")
PLACE = re.compile(r"\{(\w+)\}")


@pytest.fixture
def rows() -> Iterator[None]:
    """Rows are counted."""
    with spoken_by(Speaker(rows=True)):
        yield


def filled(template: str) -> str:
    """A text that fits a template of the library."""
    return PLACE.sub(lambda place: "7" if re.fullmatch(r"n\d*", place[1]) else "2 people", template)


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("template", SENTENCES)
def test_what_stands_in_a_place_is_never_changed(template: str) -> None:
    assert told(filled(template)) == filled(in_rows(template)) != filled(template)


@pytest.mark.parametrize(
    "text",
    [
        "2 people, 3 people are no numbers; choose another kind",
        "the column also has 2 people, 3 people; write every value",
        "household has 3 different values: 1 person, 2 people",
        "The project of 5 people.csv is open",
        "people: 2 people, 3 people are no numbers; choose another kind",
        "3 people",
        "people",
        "which values go with which people (such as number of people by age)",
        "6 people are in no group.",  # the name of a column
    ],
)
def test_values_names_and_files_stay(text: str) -> None:
    token = called.set(["people", "a. 6 people are in no group."])
    with spoken_by(Speaker(rows=True)):
        assert told(text) == text
    called.reset(token)


@pytest.mark.usefixtures("rows")
def test_a_sentence_among_others_and_behind_a_name_counts_rows() -> None:
    text = "2 people: 6 people are in no group. So say 2 people; not known for 3 people: 2 people say so."
    assert told(text) == text.replace("6 people", "6 rows").replace("3 people", "3 rows")


@pytest.mark.usefixtures("rows")
def test_a_share_of_people_is_one_of_rows_and_is_written_as_before() -> None:
    text = "Who only guesses the most frequent number of people is right for 9\N{NO-BREAK SPACE}% of the people"
    said = text.removesuffix("people") + "rows"
    assert told(text) == said
    assert told(f"{text}, who counts; 2 people.") == f"{said}, who counts; 2 people."
    assert told(f"{text} whose rows are published.") == f"{said} that are published."


@pytest.mark.usefixtures("rows")
def test_the_axis_of_a_chart_counts_rows_and_its_other_words_stay() -> None:
    chart = "<svg><text>people</text><text>2 people</text><title>1 person</title></svg>"
    assert drawn(chart) == chart.replace(">people<", ">rows<")


def test_a_column_whose_name_is_a_sentence_that_counts_is_called_so_in_the_promise() -> None:
    frame = homes("a. 6 people are in no group. B")
    release = pc.publish(frame, pc.SoftCut(l=2), quasi="age", sensitive=frame.columns[2], cluster="home", seed=1)
    assert release.recipe["sentence"] in unescape(pc.report(release, audience="public").html)


def homes(sensitive: str) -> pl.DataFrame:
    """Thirty homes of two people, with a column whose name counts people."""
    coins, n = np.random.default_rng(0), 60
    return pl.DataFrame(
        {
            "home": np.arange(n) // 2,
            "age": coins.integers(20, 80, n),
            sensitive: [f"{i % 6 + 2} people" for i in range(n)],
            "stands for": coins.integers(8, 90, n) / 8,
        }
    )


@pytest.mark.parametrize("name", ["number of people", "all people"])
def test_a_report_has_the_promise_word_for_word_and_weights_stand_for_people(name: str) -> None:
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": name, "cluster": "home", "weight": "stands for"}
    frame = homes(name)
    release = pc.publish(frame, pc.SoftCut(l=2), **roles, seed=1)
    for audience in ("public", "private"):
        original = frame if audience == "private" else None
        page = unescape(pc.report(release, original, audience=audience).html)
        assert release.recipe["sentence"] in page
        assert ROLES_TOLD[Role.WEIGHT] in page
        assert not re.search(r"number of rows|all rows by|\d rows</text>", page)
    assert "60 rows are, or may be, in the table." in page


def test_how_many_are_certain_of_another_column_is_told_of_rows() -> None:
    frame = homes("ill").with_columns(cost=pl.Series([f"c{i % 5}" for i in range(60)]))
    release = pc.publish(frame, pc.SoftCut(l=2), quasi="age", sensitive=["ill", "cost"], cluster="home", seed=1)
    page = unescape(pc.report(release, frame, audience="private").html)
    for name in ("ill", "cost"):
        assert re.search(rf"is certain of {name} for \d+ of 60 rows\.", page)
