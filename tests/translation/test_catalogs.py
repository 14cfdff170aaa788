"""The catalogs: complete, with the places of the texts that they translate, read as gettext itself reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.app.web.speaking.catalog import Catalog, Entry, read_catalog
from pellucid.app.web.speaking.reader import DOMAINS, LOCALE
from translation.extracting import texts

CATALOGS = sorted(LOCALE.glob("*/LC_MESSAGES/*.po"))
PLACES = re.compile(r"%\(\w+\)s|\{\w+\}|%%|</?[a-z]+[^>]*>")


def places(text: str) -> list[str]:
    return sorted(PLACES.findall(text))


@pytest.mark.parametrize("language", sorted({path.parts[-3] for path in CATALOGS}))
def test_every_text_of_the_page_is_translated_and_nothing_else(language: str) -> None:
    """Bring a catalog up to date with ``python tests/translation/extracting.py``, and fill in what is empty."""
    known = read_catalog(LOCALE / language / "LC_MESSAGES" / DOMAINS[0]).entries
    found = texts()
    assert sorted(found.keys() - known.keys()) == [], "not translated"
    assert sorted(known.keys() - found.keys()) == [], "no text of the page any more"


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
    assert {path.parts[-3] for path in CATALOGS if path.name == DOMAINS[0]} >= {"de"}
    assert Catalog({"a": Entry("a", "", ("b",))}).text("a") == "b"
