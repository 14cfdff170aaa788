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
from pellucid.group.cluster_method import for_clusters
from pellucid.reporting.published import ROLES as ROLES_TOLD
from pellucid.schema import Role
from pellucid.speaking.catalog import Catalog, read_catalog
from pellucid.speaking.counted_rows import (
    AXIS,
    PAGES,
    SENTENCES,
    counting_rows,
    counts_people,
    in_rows,
    template_counts_people,
)
from pellucid.speaking.reader import LIBRARY, LOCALE, PAGE, REPORT, called, reader_of, report_reader_of
from pellucid.speaking.recognized import PLACE, expression_of, is_number
from translation.english import english_words

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")

COUNTS = re.compile(
    r"(?:\d|%\(\w+\)s|\{\w+\}|\bcounts?(?: the)?|\bhow many|\bnumber of|\bshare of(?: the)?|\ball"
    r"|(?:%|\)s|\}) of(?: the)?|\bBars:|\bsurest of one) (?:people|person)\b"
    r"|\bare people of whom\b|^[Pp]eople(?: above.*)?$",
)
KEPT = {  # weights, the population, what is given, settings, and what methods are about in general
    "the promise counts people one by one",  # where rows belong together another sentence stands for it
    "the least number of people in the population who share a group's values",
    'give it a role if somebody needs it: one if others know it, another if it is to be protected, "weight" if it says '
    "for how many people a row stands",
    "if it says for how many people a row stands, give it the role weight: each group then shows its mean",
    "estimated by the weights: no group's rows stand for fewer than about {k} people; the population may have fewer "
    "who are like a row, and even nobody else",
    "weight: for how many people a row stands, the mean of its group",
    "For how many people a row stands (weight): of a survey; each group shows the mean of its rows",
    "a count below {n} people (delta = {n2} of all) is off by its error divided by that: {n3} of the counts",
    "an added value never repeats one that the group has, so a repeated value is real, and whoever knows how many "
    "people a group has can be certain of it",
    "It withstands one who knows that publishers avoid needless changes, not one who knows how it works and how many "
    "people a group has: a value that occurs twice in a group is always real",
    "the release has {n} rows and {n2} people are given: records may have been added that nobody is behind, and nobody "
    "says which",
    "Some group fits only {n} people of the population, so a row of it is given to the right person with probability "
    "{n2}",
    "Some group fits only 1 person of the population, so a row of it is given to the right person with probability "
    "{n2}",
    "{n_same} people differ from {wanted} only in upper and lower case: {names}; type one as it is here",
    "Groups of at least 5 people (k-anonymity)",
    "This is the count error (query-error). Estimated with %(n)s random questions such as “how many people of this "
    "age, from here, have that value?”, each about %(share)s of the rows.",
    *(  # told as rows where they are made
        f"In this release, who knows the rest of a row is certain of {some}{{column}} for {{n}} of {people}"
        for some in ("", "{values} of ")
        for people in ("{n2} people", "1 person")
    ),
}


@pytest.fixture
def rows() -> Iterator[None]:
    """Rows are counted."""
    token = counting_rows.set(True)
    yield
    counting_rows.reset(token)


def english() -> list[str]:
    """Every text that is translated."""
    catalogs: list[Catalog] = [read_catalog(LOCALE / "de" / "LC_MESSAGES" / name) for name in (PAGE, REPORT, LIBRARY)]
    entries = [entry for catalog in catalogs for entry in catalog.entries.values()]
    return sorted({text for entry in entries for text in (entry.text, entry.plural) if text})


def filled(template: str) -> str:
    """A text that fits a template of the library."""
    return PLACE.sub(lambda place: "7" if is_number(place[1]) else "2 people", template)


@pytest.mark.usefixtures("rows")
def test_every_text_that_counts_people_is_known_as_such_or_kept_for_a_reason() -> None:
    counting = {text for text in english() if COUNTS.search(text)} - {AXIS}
    known = {text for text in counting if template_counts_people(text) or counts_people(filled(text))}
    assert counting - known == KEPT


def test_every_text_that_is_known_is_said_somewhere() -> None:
    texts = english()
    assert PAGES - set(texts) == set()
    said = [filled(text) for text in texts]
    for template in SENTENCES:
        assert any(expression_of(template.rstrip(".")).fullmatch(one.rstrip(".")) for one in said), template


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("template", SENTENCES)
def test_what_stands_in_a_place_is_never_changed(template: str) -> None:
    text = filled(template)
    told = reader_of("en").plainly(text)
    assert told == PLACE.sub(lambda place: "7" if is_number(place[1]) else "2 people", in_rows(template))
    assert told != text


@pytest.mark.usefixtures("rows")
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
    for reader in (reader_of("en"), report_reader_of("en")):
        assert reader.plainly(text) == str(reader.told(text)) == text
    called.reset(token)


@pytest.mark.usefixtures("rows")
def test_a_sentence_among_others_and_behind_a_name_counts_rows() -> None:
    text = "2 people: 6 people are in no group. So say 2 people; not known for 3 people: 2 people say so."
    assert reader_of("en").plainly(text) == text.replace("6 people", "6 rows").replace("3 people", "3 rows")


@pytest.mark.usefixtures("rows")
def test_a_share_of_people_is_one_of_rows_and_is_written_as_before() -> None:
    text = "Who only guesses the most frequent number of people is right for 9\N{NO-BREAK SPACE}% of the people"
    told = text.removesuffix("people") + "rows"
    assert reader_of("en").plainly(text) == told
    assert reader_of("en").plainly(f"{text}, who counts; 2 people.") == f"{told}, who counts; 2 people."
    assert reader_of("en").plainly(f"{text} whose rows are published.") == f"{told} that are published."
    german = "Wer nur den häufigsten Wert von number of people rät, hat bei 9\N{NO-BREAK SPACE}% der Zeilen recht"
    assert reader_of("de").plainly(text) == german
    assert reader_of("de").plainly(f"{text} whose rows are published.") == f"{german}, die veröffentlicht sind."


@pytest.mark.usefixtures("rows")
def test_the_axis_of_a_chart_counts_rows_and_its_other_words_stay() -> None:
    chart = "<svg><text>people</text><text>2 people</text><title>1 person</title></svg>"
    assert reader_of("en").drawn(chart) == chart.replace(">people<", ">rows<")
    assert reader_of("de").drawn(chart) == chart.replace(">people<", ">Zeilen<")


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
        told = {
            language: unescape(pc.report(release, original, audience=audience, language=language).html)
            for language in ("en", "de")
        }
        assert release.recipe["sentence"] in told["en"]
        assert f"außer {name} kennt, nennt einen Wert von {name}, den ein" in told["de"]
        assert ROLES_TOLD[Role.WEIGHT] in told["en"]
        assert "für wie viele Personen eine Zeile steht" in told["de"]
        for said in told.values():
            assert not re.search(r"number of rows|all rows by|\d rows</text>|\d Zeilen</text>", said)
    assert "60 rows are, or may be, in the table." in told["en"]
    assert "60 Zeilen sind oder können in der Tabelle sein." in told["de"]


@pytest.mark.parametrize(
    "about", [None, {"ill": ("v0", "v1")}, {"cost": ("c0",)}, {"ill": ("v0",), "cost": ("c0", "c1")}]
)
@pytest.mark.parametrize("most", [None, 1])
@pytest.mark.parametrize("sensitive", [["ill"], ["ill", "cost"]])
def test_promises_about_rows_that_belong_together_are_german(
    about: Any, most: int | None, sensitive: list[str]
) -> None:
    numbers = range(24)
    frame = pl.DataFrame(
        {"home": [i // 2 for i in numbers], "age": list(numbers), "ill": [f"v{i % 6}" for i in numbers]}
    ).with_columns(cost=pl.Series([f"c{i % 5}" for i in numbers]))
    values = (about and {column: some for column, some in about.items() if column in sensitive}) or None
    table = pc.read(frame, quasi="age", sensitive=sensitive, cluster="home")
    method = for_clusters(pc.SoftCut(l=2, values=values, cluster_rows=most), table)
    said = " ".join([method.sentence(table), *method.left_open(table)])
    assert english_words(said)
    german = reader_of("de").plainly(said)
    assert english_words(german) == []
    assert ("at most 1 row has" in said, "mehr als 1 Zeile wird als mehrere von je einer Zeile" in german) == (
        most == 1,
        most == 1,
    )
    assert not re.search(r"\b1 rows", said)
    assert not re.search(r"\b1 Zeilen", german)


def test_how_many_are_certain_of_another_column_is_told_of_rows_in_both_languages() -> None:
    frame = homes("ill").with_columns(cost=pl.Series([f"c{i % 5}" for i in range(60)]))
    release = pc.publish(frame, pc.SoftCut(l=2), quasi="age", sensitive=["ill", "cost"], cluster="home", seed=1)
    told = {
        language: unescape(pc.report(release, frame, audience="private", language=language).html)
        for language in ("en", "de")
    }
    for name in ("ill", "cost"):
        assert re.search(rf"is certain of {name} for \d+ of 60 rows\.", told["en"])
        assert re.search(rf"kennt, {name} von \d+ der 60 Zeilen mit Gewissheit\.", told["de"])
