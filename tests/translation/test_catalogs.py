"""The catalogs: complete, with the places of the texts that they translate, read as gettext itself reads them."""

from __future__ import annotations

import ast
import re
from datetime import datetime
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.speaking.catalog import Catalog, Entry, read_catalog
from pellucid.speaking.reader import LIBRARY, LOCALE, PAGE, REPORT, reader_of, report_reader_of
from pellucid.speaking.recognized import PLACE, is_number
from translation.extracting import FOLDERS, PACKAGE, templates_of, texts

CATALOGS = sorted(LOCALE.glob("*/LC_MESSAGES/*.po"))
PLACES = re.compile(r"%\(\w+\)s|\{\w+\}|%%|</?[a-z]+[^>]*>")


def places(text: str) -> list[str]:
    return sorted(PLACES.findall(text))


@pytest.mark.parametrize("domain", FOLDERS)
@pytest.mark.parametrize("language", sorted({path.parts[-3] for path in CATALOGS}))
def test_every_text_of_pages_and_reports_is_translated_and_nothing_else(language: str, domain: str) -> None:
    """Bring a catalog up to date with ``python tests/translation/extracting.py``, and fill in what is empty."""
    known = read_catalog(LOCALE / language / "LC_MESSAGES" / domain).entries
    found = texts(domain)
    assert sorted(found.keys() - known.keys()) == [], "not translated"
    assert sorted(known.keys() - found.keys()) == [], "no text any more"


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_a_translation_has_the_places_and_tags_of_its_text(path: Path) -> None:
    for entry in read_catalog(path).entries.values():
        if entry.context == "date":
            continue
        for told in entry.told:
            assert places(told) in (places(entry.text), places(entry.plural)), (entry.text, told)


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_a_catalog_is_read_as_gettext_reads_it(path: Path) -> None:
    pofile = pytest.importorskip("babel.messages.pofile", reason="Babel is not installed")
    with path.open("rb") as file:
        known = pofile.read_po(file, abort_invalid=True)
    told = {}
    for message in known:
        one, several = message.id if isinstance(message.id, tuple) else (message.id, "")
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        if one and all(forms):
            told[f"{message.context}\x04{one}" if message.context else one] = (several, tuple(forms))
    ours = read_catalog(path)
    assert {key: (entry.plural, entry.told) for key, entry in ours.entries.items()} == told
    assert [ours.form_of(n) for n in range(4)] == [1, 0, 1, 1] or path.parts[-3] != "de"


def test_a_fuzzy_translation_and_a_missing_one_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "page.po"
    path.write_text(
        'msgid ""\nmsgstr "Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n<5 ? 1 : 2);\\n"\n\n'
        '#, fuzzy\nmsgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr ""\n\n'
        'msgid "{n} row"\nmsgid_plural "{n} rows"\nmsgstr[0] "{n} x"\nmsgstr[1] "{n} y"\nmsgstr[2] "{n} "\n"z\\"\\n"\n',
        encoding="utf-8",
    )
    read = read_catalog(path)
    assert list(read.entries) == ["{n} row"]
    assert [read.plural("{n} row", n) for n in (1, 3, 9)] == ["{n} x", "{n} y", '{n} z"\n']
    assert read.text("c") is None


def test_there_is_a_catalog_of_the_page_for_every_language() -> None:
    assert {path.parts[-3] for path in CATALOGS if path.name == PAGE} >= {"de"}
    assert Catalog({"a": Entry("a", "", ("b",))}).text("a") == "b"


# Sentences of the library


def filled(template: str, sample: str = "xy") -> str:
    """A sentence of a template, as the library would write it."""
    return PLACE.sub(lambda place: "12" if is_number(place[1]) else sample, template)


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_a_sentence_is_recognised_by_its_own_template_and_no_other(path: Path) -> None:
    reader = (report_reader_of if path.name == REPORT else reader_of)(path.parts[-3])
    for entry in read_catalog(path).entries.values():
        if entry.context or "%(" in entry.text or not PLACE.search(entry.text):
            continue
        sentence = filled(entry.text)
        found = reader._recognized.template_of(sentence)
        assert found is not None, entry.text
        assert found[0] in entry.told or len(found[0]) >= len(entry.told[0]), (entry.text, found[0])


def test_values_stay_and_numbers_take_the_readers_form() -> None:
    german = reader_of("de")
    assert german.plainly("<b>.csv has no rows; there is nothing to publish").startswith("<b>.csv hat keine Zeilen")
    assert german.told("<b>.csv has no rows; there is nothing to publish").startswith("&lt;b&gt;.csv hat keine")
    assert german.told("nobody ever wrote this") == '<span lang="en">nobody ever wrote this</span>'
    assert german.plainly("12,345.6") == "12.345,6"
    assert german.counted(1, "row") == "1 Zeile"
    assert german.counted(1_200, "row") == "1.200 Zeilen"
    assert reader_of("en").told("12,345.6 rows") == "12,345.6 rows"
    assert german.plainly("The most, 5 %, is believed by somebody who knows the distribution by age.").endswith(
        "kennt."
    )
    assert german.moment(datetime(2026, 3, 6, 9, 5)) == "6. März 2026, 09:05 Uhr"


def test_the_share_of_rows_that_stand_alone_is_told() -> None:
    said = (
        "70 % of the rows (1,042 of 1,489) are each a group of their own and published as they are, because nothing "
        "but 'd0' and 'd1' is protected; use k = 5 for groups of at least 5 rows"
    )
    assert reader_of("de").plainly(said) == (
        "70\N{NO-BREAK SPACE}% der Zeilen (1.042 von 1.489) sind je eine Gruppe für sich und werden veröffentlicht, "
        "wie sie sind, weil nur 'd0' und 'd1' geschützt ist; mit k = 5 hat jede Gruppe mindestens 5 Zeilen"
    )


def test_a_long_or_odd_value_takes_no_time() -> None:
    """What follows a value is looked for once; with a power of the length this would not end."""
    odd = "; ".join(f"{n} of {n} rows, and more: {n}" for n in range(300))
    reader_of("de").told(odd)
    reader_of("de").told(f"{'a and ' * 600}b has {'1,' * 600} rows")


def library_words() -> str:
    """All that the library's texts consist of, outside of comments."""
    parsed = (ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py"))
    constants = (node.value for tree in parsed for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(" ".join(text.split()) for text in constants if isinstance(text, str))


def test_the_library_still_says_what_its_catalog_translates() -> None:
    """Of most of each template: the page says some of it in its own words, as in "is 50 % sure of"."""
    said = library_words().lower()
    for path in CATALOGS:
        for entry in read_catalog(path).entries.values() if path.name == LIBRARY else ():
            pieces = [" ".join(piece.split()) for piece in PLACE.split(entry.text)[::2]]
            runs = [run for piece in pieces for run in _runs(piece)]
            gone = [run for run in runs if run.lower() not in said]
            assert len(gone) <= len(runs) / 2, (entry.text, gone)


def _runs(piece: str, of: int = 2) -> list[str]:
    words = piece.strip(" ,.;:()").split()
    return [" ".join(words[n : n + of]) for n in range(max(len(words) - of + 1, min(len(words), 1)))]


# What somebody who waits is told


def stages() -> list[str]:
    """Every text that some code names a stage of its work by; a name that is made elsewhere is not looked for."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py")))
    calls = (
        node
        for text in texts
        if ".stage(" in text  # every process that collects tests reads them all: only these are worth parsing
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "stage"
    )
    named = [call.args[0] for call in calls if call.args]
    said = [one.args[0] if isinstance(one, ast.Call) and one.args else one for one in named]
    return sorted({text for one in said for text in templates_of(one)})


@pytest.mark.parametrize("stage", stages())
def test_every_stage_of_some_work_is_told(stage: str) -> None:
    sentence = PLACE.sub(lambda place: "12" if is_number(place[1]) else "grouping", stage)
    for language in {path.parts[-3] for path in CATALOGS}:
        for begun in (sentence, sentence[0].upper() + sentence[1:]):
            assert 'lang="en"' not in reader_of(language).told(begun), begun


def test_stages_are_found_wherever_they_are_named() -> None:
    assert {"grouping", "drawing", "reading the table", "looking at the file"} <= set(stages())


def test_a_stage_of_one_attacker_among_several_is_told() -> None:
    told = reader_of("de").plainly("attacker 1 of 2, who knows the algorithm: learning from the release")
    assert told == "Angreifer 1 von 2, der das Verfahren kennt: aus der Veröffentlichung wird gelernt"


# Sentences that stewards met in English, or worded wrongly


MET = {
    "Who only guesses the most frequent Befund is right for 9 % of the people, who counts in the groups for 13 %, and "
    "for at least 25 % by the published counts if told who is in which; who learns from the release, whom no promise "
    "covers, for 30 %.": (
        "Wer nur den häufigsten Wert von Befund rät, hat bei 9 % der Personen recht, wer in den Gruppen zählt, bei "
        "13 %, und nach den veröffentlichten Anzahlen bei mindestens 25 %, wenn er weiß, wer in welcher ist; wer aus "
        "der Veröffentlichung lernt, den keine Zusicherung erfasst, bei 30 %."
    ),
    "What is said of Lohn is about its values rounded to multiples of 500.": (
        "Was über Lohn gesagt ist, gilt für die Werte, auf Vielfache von 500 gerundet."
    ),
    "What is said of Tag is about its values by month.": "Was über Tag gesagt ist, gilt für die Werte, nach Monaten.",
    "befund.csv is not text (it has a zero byte); "
    "give a table: CSV, Excel, LibreOffice, SPSS, Stata, SAS, Parquet or Arrow": (
        "befund.csv ist kein Text (die Datei enthält ein Nullbyte); geben Sie "
        "eine Tabelle: CSV, Excel, LibreOffice, SPSS, Stata, SAS, Parquet oder Arrow"
    ),
    "Comparing 6 releases": "Vergleich von 6 Veröffentlichungen",
    "87 % of rows are unique on all 10 quasi-identifiers together (87 of 100).": (
        "87 % der Zeilen sind einzigartig in allen 10 Quasi-Identifikatoren zusammen (87 von 100)."
    ),
    "'x' has 0.25 of a group of 4 rows and 5e-05 of the table, a gain of 0.25.": (
        "'x' hat 25 % einer Gruppe von 4 Zeilen und 0,005 % der Tabelle, ein Zuwachs von 25 %."
    ),
    "'x' has 0.25 of a group of 4 rows and 2e-08 of the table, a gain of 0.25.": (
        "'x' hat 25 % einer Gruppe von 4 Zeilen und unter 0,001 % der Tabelle, ein Zuwachs von 25 %."
    ),
    "SoftCut at l=4 has no row above 1/4 (query-error 0.04986).": (
        "SoftCut mit l=4 hat keine Zeile über 1/4 (query-error 5,0 %)."
    ),
    "SoftCut at l=3 is ahead in the chart (query-error 0.1929 against 0.2083, largest risk 0.333 against 0.5), but "
    "tells less: its loss, what cells leave open, is 0.6311 against 0.3468.": (
        "SoftCut mit l=3 liegt im Diagramm vorn (query-error 19,3 % gegen 20,8 %, größtes Risiko 0,333 gegen 0,5), "
        "sagt aber weniger: Was Zellen offen lassen (loss), ist 0,6311 gegen 0,3468."
    ),
    "Not weighed, though safe: Anatomy (publishes exact quasi-identifiers, so that its accuracy cannot be compared); "
    "Ace at l=2 (does not promise it). ": (
        "Nicht gewogen, obwohl sicher: Anatomy (veröffentlicht genaue Quasi-Identifikatoren, sodass sich seine "
        "Genauigkeit nicht vergleichen lässt); Ace mit l=2 (sichert es nicht zu)."
    ),
    "protect 'ja' only: l up to 3, and 'nein' is then not protected": (
        "schützen Sie nur 'ja': l bis 3, und 'nein' ist dann nicht geschützt"
    ),
    "protect all values but 'a' and 'b': l up to 3, and 'a' and 'b' are then not protected": (
        "schützen Sie alle Werte außer 'a' und 'b': l bis 3, und 'a' und 'b' sind dann nicht geschützt"
    ),
    "no row has 'ja' in 'Lohn', which is said to be sensitive; take it out of the set": (
        "keine Zeile hat 'ja' in 'Lohn', was sensibel sein soll; nehmen Sie ihn aus der Menge heraus"
    ),
    "not attacked by somebody who knows minimality: not done after 45 seconds": (
        "nicht angegriffen von jemandem, der von der Minimalität weiß: nach 45 Sekunden nicht fertig"
    ),
    "knows the distribution by a quasi-identifier": "die Verteilung nach einem Quasi-Identifikator kennt",
    "ours (docs/softcut.md), after Xiao, Tao: T, 2010": "eigenes Verfahren (docs/softcut.md), nach Xiao, Tao: T, 2010",
}


@pytest.mark.parametrize("sentence", MET)
def test_what_a_steward_met_in_english_is_german(sentence: str) -> None:
    for reader in (reader_of("de"), report_reader_of("de")):
        assert reader.plainly(sentence.strip()).replace("\N{NO-BREAK SPACE}", " ") == MET[sentence]


REMARKS = {
    "befund.csv, line 21: the quotation mark that opens a field there is not closed before line 26, which makes a "
    "record of 5 fields, and the header has 10; close it, or double it inside text; if the field is to have several "
    "lines, correct the record": (
        "befund.csv, Zeile 21: Das Anführungszeichen, mit dem dort ein Feld beginnt, wird erst in Zeile 26 "
        "geschlossen; so entsteht ein Satz mit 5 Feldern, und die Kopfzeile hat 10; schließen Sie es, oder verdoppeln "
        "Sie es im Text; wenn das Feld mehrere Zeilen haben soll, berichtigen Sie den Satz"
    ),
    "34 % of the rows are in 4 groups of 421 rows that were not divided further, and half of all groups have at most "
    "3 rows; use a smaller l, or protect fewer values (--values)": (
        "34 % der Zeilen sind in 4 Gruppen mit je 421 Zeilen, die nicht weiter geteilt wurden, und die Hälfte aller "
        "Gruppen hat höchstens 3 Zeilen; nehmen Sie ein kleineres l, oder schützen Sie weniger Werte"
    ),
    "34 % of the rows are in one group of 1,421 rows that were not divided further, and half of all groups have at "
    "most 1 row; protect fewer values (--values)": (
        "34 % der Zeilen sind in einer Gruppe mit 1.421 Zeilen, die nicht weiter geteilt wurde, und die Hälfte aller "
        "Gruppen hat höchstens 1 Zeile; schützen Sie weniger Werte"
    ),
    "34 % of the rows are in 2 groups of 400 to 421 rows that were not divided further, and half of all groups have "
    "at most 3 rows; use a smaller l": (
        "34 % der Zeilen sind in 2 Gruppen mit 400 bis 421 Zeilen, die nicht weiter geteilt wurden, und die Hälfte "
        "aller Gruppen hat höchstens 3 Zeilen; nehmen Sie ein kleineres l"
    ),
}


@pytest.mark.parametrize("sentence", REMARKS)
def test_what_the_page_shows_is_german(sentence: str) -> None:
    assert reader_of("de").plainly(sentence).replace("\N{NO-BREAK SPACE}", " ") == REMARKS[sentence]


def test_one_thing_has_one_word() -> None:
    told = [
        text
        for path in CATALOGS
        if path.parts[-3] == "de"
        for one in read_catalog(path).entries.values()
        for text in one.told
    ]
    assert [text for text in told if re.search("Strichpunkt|Garantie|Zusage|aufgehoben|mit Kommas", text)] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_percent_sign_stays_on_the_line_of_its_number(language: str) -> None:
    told = reader_of(language).plainly("counting alone gives 33 %")
    assert "33\N{NO-BREAK SPACE}%" in told
    whole = reader_of(language).told("0 %: nothing is told")
    assert whole.startswith("0\N{NO-BREAK SPACE}%: ")


def test_a_value_in_quotes_stays_as_it_is_in_german() -> None:
    told = reader_of("de").told(
        "Somebody who knows the method, its parameters and everything about everyone except ill names any one of "
        "'1 or 2' or '3' as any one person's ill with probability at most 1/3"
    )
    assert "&#39;1 or 2&#39; oder &#39;3&#39;" in told


def test_what_facts_make_certain_is_the_value_and_not_whether_it_is() -> None:
    told = "2 facts of the form 'this person does not have that value' make somebody's ill being 'flu' certain"
    assert "gewiss, dass ill" in reader_of("de").told(told)
