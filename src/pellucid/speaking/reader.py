"""Who reads a page or a report: their language, and how a text is told to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from datetime import date, datetime
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

from pellucid.speaking.catalog import Catalog, read_catalog
from pellucid.speaking.cells import CellKind, cell_in
from pellucid.speaking.counted_rows import (
    AXIS,
    counting_rows,
    counts_people,
    in_rows,
    sentences_in_rows,
    template_counts_people,
)
from pellucid.speaking.forms import NUMBER, forms_of, gives_forms
from pellucid.speaking.page_words import in_plain_words, on_the_page
from pellucid.speaking.recognized import PLACE, PROTECTED, Recognized, is_number, is_sentence, is_words
from pellucid.text.figures import counted

LOCALE = Path(__file__).parent / "locale"
ENGLISH = "en"
PAGE, REPORT, LIBRARY = "page.po", "report.po", "library.po"  # what pages, reports and the library say
DEEPEST = 4  # texts inside of texts
_NUMBER = re.compile(f"(?:[<>] )?{NUMBER}(?:–{NUMBER})?")  # also from one to another
_SENTENCES = re.compile(r"(\n|(?<=[.!?]) (?=[A-Z0-9“\"]|row \d))")
_PERCENT = re.compile(r"(?:(?<=\d)|^) %(?!\w)")  # of a template, also behind the place of a number
LONGEST_RUN = 4  # parts of a sentence, between "; ", that a catalog may have together
LONGEST_NAME = 5  # words of a column's name before a colon
ANY = "any one of "  # several values, as what somebody may name
EACH = " (each by itself)"  # of values that are not meant together
EMPTY = "empty"  # a value that is not there; a text is told in quotes
_ROW = re.compile(r"(?:^|(?<=, )|(?<= and ))[Rr]ow (\d+)(?=, | and |$)")
_MORE = re.compile(r" and (\d+) more$")
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|(?<=['"\d]) (and|or) (?=['"\d]|empty$)""")  # a value in quotes stays whole
_LAST = re.compile(r" (and|or) (?!.* (?:and|or) )")
_JOINED = re.compile(r" (?:and|or) ")
_EVERY = r"any one person's|a value of"
_BEGINS = rf"(?:(?:any one of .+?|[^,]+?) as (?:{_EVERY})|{_EVERY}) "
_PROTECTED_PART = re.compile(
    rf"(?:(?P<every>{_EVERY})|(?P<values>.+?) (?P<some>as (?:{_EVERY}))) "
    rf"(?P<column>.+?)(?:(?P<between>, | and )(?={_BEGINS})|$)"
)
_KEPT = "\x00"  # a blank of a name, which no page shows
_DRAWN = re.compile(r"(<(?:text|title)\b[^>]*>)([^<]*)(</(?:text|title)>)")  # words and what is said beside a pointer
_LABEL = re.compile(r'(aria-label=")([^"]*)(")')


class Reader:
    """Somebody who reads a language. English is what the code says; everything else is in the catalogs.

    ``words`` puts what the library says into the words of the page, or of the report, that is read.
    """

    def __init__(self, language: str, catalogs: tuple[Catalog, ...], words: Callable[[str], str] = on_the_page) -> None:
        self.language = language
        self._words = words
        self._catalogs = catalogs
        self._recognized = Recognized(catalogs)
        self.forms = next((forms_of(one) for one in catalogs if gives_forms(one)), forms_of(Catalog()))

    @property
    def english(self) -> bool:
        """Whether all is told as it is written."""
        return not self._catalogs

    def gettext(self, text: str) -> str:
        """A text of a template."""
        told = next((told for one in self._catalogs if (told := one.text(text)) is not None), text)
        return in_rows(told) if template_counts_people(text) else told

    def ngettext(self, one: str, several: str, number: int) -> str:
        """A text of a template about so many things."""
        found = (told for catalog in self._catalogs if (told := catalog.plural(one, number)) is not None)
        told = next(found, one if number == 1 else several)
        return in_rows(told) if template_counts_people(one) else told

    def pgettext(self, context: str, text: str) -> str:
        """A text of a template that means something in particular."""
        return next((told for one in self._catalogs if (told := one.text(text, context)) is not None), text)

    def npgettext(self, context: str, one: str, several: str, number: int) -> str:
        """Both of it; no template needs it yet, and jinja2 asks for it."""
        del context
        return self.ngettext(one, several, number)

    def told(self, text: str) -> str | Markup:
        """A text of Python for a page; what nobody translated is marked as English, so that it is read out as such."""
        if isinstance(text, Markup) or not text:
            return text
        text = self._words(str(text))
        return sentences_in_rows(text, called.get()) if self.english else self._told(_breakable(text), tagged=True)

    def plainly(self, text: str) -> str:
        """The same where no tag can stand: in an attribute, or in an option of a list."""
        text = self._words(str(text))
        return (
            sentences_in_rows(text, called.get()) if self.english else str(self._told(_breakable(text), tagged=False))
        )

    def counted(self, number: int, thing: str, things: str | None = None) -> str:
        """A number and what is counted."""
        return self.plainly(counted(number, thing, things))

    def moment(self, when: datetime) -> str:
        """A date with its time."""
        return self.forms.moment(when)

    def day(self, when: date) -> str:
        """A date without a time; in English as documents are dated, 2026-11-06."""
        return when.isoformat() if self.english else self.forms.day(when)

    def number(self, written: str) -> str:
        """A number that is written in the English way, in the reader's."""
        return written if self.english else self.forms.number(written)

    def cell(self, text: str, kind: CellKind) -> str:
        """A cell of a column of numbers or dates, in the reader's form."""
        return text if self.english else cell_in(self.forms, text, kind)

    def drawn(self, svg: str) -> Markup:
        """A chart with its words and numbers."""
        if self.english and not counting_rows.get():
            return Markup(svg)
        for part in (_DRAWN, _LABEL):
            svg = part.sub(lambda found: f"{found[1]}{self._in_chart(found[2])}{found[3]}", svg)
        return Markup(svg)

    def _in_chart(self, escaped: str) -> str:
        text = Markup(escaped).unescape()
        return str(escape(self.axis() if text == AXIS else self.plainly(text)))

    def axis(self) -> str:
        """The title of an axis along which people are counted, or rows."""
        told = self.plainly(AXIS)
        return in_rows(told) if counting_rows.get() else told

    def _told(self, text: str, *, tagged: bool, depth: int = 0) -> Markup | str:
        whole = self._translated(text, tagged=tagged, depth=depth)
        if whole is not None:
            return whole
        labelled = self._labelled(text, tagged=tagged, depth=depth)
        if labelled is not None:
            return labelled
        pieces = _SENTENCES.split(text)
        if len(pieces) > 1:
            told = [
                _as(piece, tagged=tagged) if number % 2 else self._told(piece, tagged=tagged, depth=depth)
                for number, piece in enumerate(pieces)
                if piece
            ]
            return Markup("").join(told) if tagged else "".join(told)
        parts = text.split("; ")
        if len(parts) > 1:
            runs = self._of_parts(parts, tagged=tagged, depth=depth)
            return _as("; ", tagged=tagged).join(runs)
        return self.untranslated(text, tagged=tagged)

    def _labelled(self, text: str, *, tagged: bool, depth: int) -> Markup | str | None:
        """A field, then what is wrong with it; or a column, then what is said of it; None where it is neither."""
        label, colon, rest = text.partition(": ")
        if not colon or depth > DEEPEST:
            return None
        named = None if label in called.get() else self._recognized.exactly(label)  # a table has any text
        if named is not None:
            after: Markup | str | None = self._told(rest, tagged=tagged, depth=depth + 1)
        else:
            after = self._translated(rest, tagged=tagged, depth=depth) if _is_name(label) else None
        before = _as(f"{label if named is None else named}: ", tagged=tagged)
        return None if after is None else (Markup("") if tagged else "").join([before, after])

    def _of_parts(self, parts: list[str], *, tagged: bool, depth: int) -> list[Markup | str]:
        """Parts of a sentence, as many at once as a catalog has together."""
        told: list[Markup | str] = []
        while parts:
            runs = ("; ".join(parts[:last]) for last in range(min(len(parts), LONGEST_RUN), 1, -1))
            found = ((run, whole) for run in runs if (whole := self._translated(run, tagged=tagged, depth=depth)))
            run, whole = next(found, (parts[0], None))
            told.append(self._told(run, tagged=tagged, depth=depth) if whole is None else whole)
            parts = parts[run.count("; ") + 1 :]
        return told

    def untranslated(self, text: str, *, tagged: bool) -> Markup | str:
        """A text that no catalog has: it stays, and where a tag can stand it says that this is English."""
        return Markup('<span lang="en">{}</span>').format(text) if tagged else text

    def _translated(self, text: str, *, tagged: bool, depth: int) -> Markup | str | None:
        """A sentence in the reader's language; a point at its end may be missing in the catalog."""
        if _NUMBER.fullmatch(text):
            return _as(self.forms.number(text), tagged=tagged)
        found, end = self._template_of(text)
        if found is None or depth > DEEPEST:
            return None
        template, values = found
        template = in_rows(template) if counts_people(text, called.get()) else template
        told = {place: self._value(place, value, tagged=tagged, depth=depth) for place, value in values.items()}
        own = (_PERCENT.sub("\N{NO-BREAK SPACE}%", piece) for piece in PLACE.split(template))  # names have no blank
        pieces = [
            told.get(piece, _as("", tagged=tagged)) if number % 2 else _as(piece, tagged=tagged)
            for number, piece in enumerate(own)
        ]
        filled = (Markup("") if tagged else "").join([*pieces, _as(end, tagged=tagged)])
        return filled[:1].upper() + filled[1:] if text[:1].isupper() and filled[:1].islower() else filled

    def _template_of(self, text: str) -> tuple[tuple[str, Mapping[str, str]] | None, str]:
        """The template of a sentence with what its places have, and the sign at its end if the catalog has none."""
        found = self._recognized.template_of(text)
        if text[-1:] in ".:?!," and len(text) > 1 and (found is None or _swallows(found[1], text[-1])):
            without = self._recognized.template_of(text[:-1])
            return (without, text[-1]) if without is not None else (found, "")
        return found, ""

    def _value(self, place: str, value: str, *, tagged: bool, depth: int) -> Markup | str:
        if is_number(place) or place.startswith("share"):
            return _as(self.forms.number(value), tagged=tagged)
        if is_words(place):
            return self._told(value, tagged=tagged, depth=depth + 1)
        if place == PROTECTED:
            return self._protected(value, tagged=tagged, depth=depth)
        if place.startswith("value") and value == EMPTY:
            return _as(self.gettext(EMPTY), tagged=tagged)
        if place.startswith("value") and value.endswith(EACH):
            each = self.gettext(EACH.strip())
            return self._value(place, value.removesuffix(EACH), tagged=tagged, depth=depth) + _as(
                f" {each}", tagged=tagged
            )
        if place.startswith("value") and value.startswith(ANY):
            of = self._value(place, value.removeprefix(ANY), tagged=tagged, depth=depth)
            return _as(f"{self.gettext(ANY.strip())} ", tagged=tagged) + of
        if place.startswith("value"):
            value = _QUOTED.sub(lambda found: f" {self.gettext(found[1])} " if found[1] else found[0], value)
        if place.startswith("people"):
            value = _ROW.sub(lambda found: self.gettext("row {n}").replace("{n}", found[1]), value)
        if place.startswith(("people", "names", "columns")):
            value = _MORE.sub(lambda found: self.gettext(" and {n} more").replace("{n}", found[1]), value)
            value = _LAST.sub(lambda found: f" {self.gettext(found[1])} ", _kept(value)).replace(_KEPT, " ")
        return _as(value, tagged=tagged)

    def _protected(self, value: str, *, tagged: bool, depth: int) -> Markup | str:
        """What several columns are protected from, one after the other: some values of a column, or all of them."""
        told: list[Markup | str] = []
        for between, values, how, column in protected_in(_kept(value)):
            word = between.strip()
            told.append(_as(f" {self.gettext(word)} " if word.isalpha() else between, tagged=tagged))
            template = self.pgettext(PROTECTED, f"{{values}} {how} {{column}}" if values else f"{how} {{column}}")
            filled = {"values": values.replace(_KEPT, " "), "column": column.replace(_KEPT, " ")}
            told += [
                self._value(piece, filled[piece], tagged=tagged, depth=depth)
                if number % 2
                else _as(piece, tagged=tagged)
                for number, piece in enumerate(PLACE.split(template))
            ]
        return (Markup("") if tagged else "").join(told)


def protected_in(text: str) -> list[tuple[str, str, str, str]]:
    """The parts of such a list: what stands before each, the values, how they are said to be of a column, the column.

    >>> for part in protected_in("any one of 'x' and 'y' as a value of ill, 'x' as a value of pay and a value of job"):
    ...     print(part)
    ('', "any one of 'x' and 'y'", 'as a value of', 'ill')
    (', ', "'x'", 'as a value of', 'pay')
    (' and ', '', 'a value of', 'job')
    """
    found, at, between = [], 0, ""
    while part := _PROTECTED_PART.match(text, at):
        found.append((between, part["values"] or "", part["some"] or part["every"], part["column"]))
        between, at = part["between"] or "", part.end()
    return found


def _kept(value: str) -> str:
    """A list of names in which those that have "and" or "or" themselves, such as "bread and butter", are one word."""
    if not _JOINED.search(value):
        return value
    for name in sorted(filter(_JOINED.search, called.get()), key=len, reverse=True):
        value = value.replace(name, name.replace(" ", _KEPT))
    return value


def _swallows(values: Mapping[str, str], end: str) -> bool:
    """Whether the sign at the end of a sentence was taken for a part of a value, such as the name of a column."""
    return any(value.endswith(end) for value in values.values())


def _is_name(label: str) -> bool:
    """Whether this may be what a column or a person is called, and is no sentence."""
    return not is_sentence(label) and len(label.split()) <= LONGEST_NAME


def _breakable(text: str) -> str:
    """The text as catalogs have it: with a plain blank before each percent sign."""
    return text.replace("\N{NO-BREAK SPACE}%", " %")


def _as(text: str, *, tagged: bool) -> Markup | str:
    return escape(text) if tagged else text


@cache
def reader_of(language: str) -> Reader:
    """Somebody who reads pages in this language, as far as there are catalogs of it."""
    found = _catalogs_of(language, (PAGE, LIBRARY))
    return Reader(language if found or language == ENGLISH else ENGLISH, found)


@cache
def report_reader_of(language: str) -> Reader:
    """Somebody who reads reports in it. A report has no fields, and English is told as the library tells it."""
    found = _catalogs_of(language, (REPORT, LIBRARY, PAGE))
    return Reader(language, found, in_plain_words) if found else Reader(ENGLISH, (), str)


def _catalogs_of(language: str, domains: tuple[str, ...]) -> tuple[Catalog, ...]:
    folder = LOCALE / language / "LC_MESSAGES"
    return tuple(read_catalog(folder / name) for name in domains if (folder / name).is_file())


@cache
def languages() -> dict[str, str]:
    """The languages that there are, each with its own name for itself."""
    found = {ENGLISH: "English"}
    for folder in sorted(LOCALE.iterdir()):
        if (folder / "LC_MESSAGES" / PAGE).is_file():
            found[folder.name] = reader_of(folder.name).pgettext("language", "English")
    return found


reading: ContextVar[str] = ContextVar("reading", default=ENGLISH)  # the language of the request that is answered
called: ContextVar[Collection[str]] = ContextVar("called", default=())  # the columns of the table that is spoken of


def reader() -> Reader:
    """Whoever reads the answer that is being made."""
    return reader_of(reading.get())
