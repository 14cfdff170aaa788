"""Who reads the page now: their language, and how a text is told to them."""

from __future__ import annotations

import re
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

from pellucid.speaking.catalog import Catalog, read_catalog
from pellucid.speaking.forms import NUMBER, forms_of
from pellucid.speaking.page_words import in_page_words
from pellucid.speaking.recognized import PLACE, Recognized, is_number, is_words
from pellucid.text.figures import counted

LOCALE = Path(__file__).parent / "locale"
ENGLISH = "en"
DOMAINS = ("page.po", "library.po")  # what the page says, which every language has; what the library says
DEEPEST = 4  # texts inside of texts
_NUMBER = re.compile(f"{NUMBER}(?:–{NUMBER})?")  # also from one to another
_BETWEEN = re.compile(r"(; |\n|(?<=[.!?]) (?=[A-Z0-9“]))")
_DRAWN = re.compile(r"(<text[^>]*>)([^<]*)(</text>)")
_LABEL = re.compile(r'(aria-label=")([^"]*)(")')


class Reader:
    """Somebody who reads a language. English is what the code says; everything else is in the catalogs."""

    def __init__(self, language: str, catalogs: tuple[Catalog, ...]) -> None:
        self.language = language
        self._catalogs = catalogs
        self._recognized = Recognized(catalogs)
        self.forms = forms_of(catalogs[0] if catalogs else Catalog())

    @property
    def english(self) -> bool:
        """Whether all is told as it is written."""
        return not self._catalogs

    def gettext(self, text: str) -> str:
        """A text of a template."""
        return next((told for one in self._catalogs if (told := one.text(text)) is not None), text)

    def ngettext(self, one: str, several: str, number: int) -> str:
        """A text of a template about so many things."""
        found = (told for catalog in self._catalogs if (told := catalog.plural(one, number)) is not None)
        return next(found, one if number == 1 else several)

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
        text = in_page_words(str(text))
        return text if self.english else self._told(text, tagged=True)

    def plainly(self, text: str) -> str:
        """The same where no tag can stand: in an attribute, or in an option of a list."""
        text = in_page_words(str(text))
        return text if self.english else str(self._told(text, tagged=False))

    def counted(self, number: int, thing: str, things: str | None = None) -> str:
        """A number and what is counted."""
        return self.plainly(counted(number, thing, things))

    def moment(self, when: datetime) -> str:
        """A date with its time."""
        return self.forms.moment(when)

    def drawn(self, svg: str) -> Markup:
        """A chart with its words and numbers."""
        if self.english:
            return Markup(svg)
        for part in (_DRAWN, _LABEL):
            svg = part.sub(lambda found: f"{found[1]}{self._in_chart(found[2])}{found[3]}", svg)
        return Markup(svg)

    def _in_chart(self, escaped: str) -> str:
        return str(escape(self.plainly(Markup(escaped).unescape())))

    def _told(self, text: str, *, tagged: bool, depth: int = 0) -> Markup | str:
        whole = self._translated(text, tagged=tagged, depth=depth)
        if whole is not None:
            return whole
        label, colon, rest = text.partition(": ")
        named = self._recognized.exactly(label) if colon and depth <= DEEPEST else None  # a table has any text
        if named is not None:  # a field, then what is wrong with it
            after = self._told(rest, tagged=tagged, depth=depth + 1)
            return (Markup("") if tagged else "").join([_as(f"{named}: ", tagged=tagged), after])
        if colon and (said := self._translated(rest, tagged=tagged, depth=depth)) is not None:  # of a column, then what
            return (Markup("") if tagged else "").join([_as(f"{label}: ", tagged=tagged), said])
        pieces = _BETWEEN.split(text)
        if len(pieces) > 1:
            told = [
                _as(piece, tagged=tagged) if number % 2 else self._told(piece, tagged=tagged, depth=depth)
                for number, piece in enumerate(pieces)
                if piece
            ]
            return Markup("").join(told) if tagged else "".join(told)
        return Markup('<span lang="en">{}</span>').format(text) if tagged else text

    def _translated(self, text: str, *, tagged: bool, depth: int) -> Markup | str | None:
        """A sentence in the reader's language; a point at its end may be missing in the catalog."""
        if _NUMBER.fullmatch(text):
            return _as(self.forms.number(text), tagged=tagged)
        found, end = self._recognized.template_of(text), ""
        if found is None and text[-1:] in ".:?!," and len(text) > 1:
            found, end = self._recognized.template_of(text[:-1]), text[-1]
        if found is None or depth > DEEPEST:
            return None
        template, values = found
        told = {place: self._value(place, value, tagged=tagged, depth=depth) for place, value in values.items()}
        pieces = [
            told.get(piece, _as("", tagged=tagged)) if number % 2 else _as(piece, tagged=tagged)
            for number, piece in enumerate(PLACE.split(template))
        ]
        filled = (Markup("") if tagged else "").join([*pieces, _as(end, tagged=tagged)])
        return filled[:1].upper() + filled[1:] if text[:1].isupper() and filled[:1].islower() else filled

    def _value(self, place: str, value: str, *, tagged: bool, depth: int) -> Markup | str:
        if is_number(place) or place.startswith("share"):
            return _as(self.forms.number(value), tagged=tagged)
        if is_words(place):
            return self._told(value, tagged=tagged, depth=depth + 1)
        return _as(value, tagged=tagged)


def _as(text: str, *, tagged: bool) -> Markup | str:
    return escape(text) if tagged else text


@cache
def reader_of(language: str) -> Reader:
    """Somebody who reads this language, as far as there are catalogs of it."""
    folder = LOCALE / language / "LC_MESSAGES"
    found = tuple(read_catalog(folder / name) for name in DOMAINS if (folder / name).is_file())
    return Reader(language if found or language == ENGLISH else ENGLISH, found)


@cache
def languages() -> dict[str, str]:
    """The languages that there are, each with its own name for itself."""
    found = {ENGLISH: "English"}
    for folder in sorted(LOCALE.iterdir()):
        if (folder / "LC_MESSAGES" / DOMAINS[0]).is_file():
            found[folder.name] = reader_of(folder.name).pgettext("language", "English")
    return found


reading: ContextVar[str] = ContextVar("reading", default=ENGLISH)  # the language of the request that is answered


def reader() -> Reader:
    """Whoever reads the answer that is being made."""
    return reader_of(reading.get())
