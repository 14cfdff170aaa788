"""Sentences that arrive as plain English, recognised by their template.

The library speaks English, its messages are written by other processes and kept for later: when a page shows one, all
there is is a text such as ``patients.csv has no rows; there is nothing to publish``. The catalogs have its template,
``{name} has no rows; there is nothing to publish``; a text that fits it is told with the same values in the other
language. Where several fit, the one with most words of its own is meant. What the names of places in a template mean:

    {n} {n2} {n_rows}      a number; it is written as the reader writes numbers
    {protected}            values of several columns, a list whose parts are told
    {words} {words_why}    a text that is told itself; where nobody knows it, it stays English
    {people} {people2}     what people are called: their names stay, and "row 7", where they have none, is told
    {names} {columns} {values}   several of them, with "and" or "or" before the last, which is told; where it belongs
                           to the name of a column of the table that is spoken of (``reader.called``) it stays
    {value} {value2}       a value; it stays as it is, in quotes, and "empty", where there is none, is told
    {name} {anything}      a value; it stays as it is

>>> from pellucid.speaking.catalog import Catalog, Entry
>>> told = Recognized([Catalog({"": Entry("{n} rows of {name}", "", ("{name} hat {n} Zeilen",))})])
>>> told.template_of("8 rows of patients.csv")
('{name} hat {n} Zeilen', {'n': '8', 'name': 'patients.csv'})
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pellucid.speaking.catalog import Catalog
from pellucid.speaking.forms import NUMBER

LONGEST = 4_000  # characters of a text that is looked at; nobody wrote a longer one, but a value may be a book
PROTECTED = "protected"
LIST = 40  # letters of its own that such a list has at least
PLACE = re.compile(r"\{(\w+)\}")
_JINJA = re.compile(r"%\((\w+)\)s")
_BORDER = re.compile(r"[.!?;:] \w")
_SPOKEN = re.compile(r"\b(?:the|of|is|are|was|were|and|that|who|whom|which|does|could|somebody|nobody|though)\b")
_WORD = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A template, and which entry of which catalog it belongs to."""

    template: str
    own: int  # letters of its own
    holds: str  # the longest of its own words, which is quickly looked for
    catalog: Catalog
    key: str
    counts: bool

    def told(self, values: dict[str, str]) -> str:
        """The template in the other language; where it is about a number, the form of that number."""
        if self.counts and "n" in values:
            told = self.catalog.plural(self.key, _whole(values["n"]))
        else:
            told = self.catalog.text(self.key)
        assert told is not None
        return told


class Recognized:
    """The templates of some catalogs."""

    def __init__(self, catalogs: Sequence[Catalog]) -> None:
        self._exact: dict[str, Pattern] = {}
        self._patterns: dict[str, list[Pattern]] = {}  # by the first word, where a template begins with one
        for catalog in reversed(catalogs):
            for key, entry in catalog.entries.items():
                for text in (entry.text, entry.plural):
                    if text and not entry.context and not _JINJA.search(text):
                        self._add(text, catalog, key, counts=bool(entry.plural))
        for patterns in self._patterns.values():
            patterns.sort(key=lambda pattern: -pattern.own)

    def _add(self, text: str, catalog: Catalog, key: str, *, counts: bool) -> None:
        holds = max((piece[number == 0 :] for number, piece in enumerate(PLACE.split(text)[::2])), key=len)
        made = Pattern(text, letters_of(text), holds, catalog, key, counts)
        if not PLACE.search(text):
            self._exact[text] = self._exact[lower_first(text)] = made
            return
        found = _WORD.match(text)
        begins = found[0].lower() if found and text[found.end() : found.end() + 1] == " " else ""
        self._patterns.setdefault(begins, []).append(made)

    def exactly(self, text: str) -> str | None:
        """The translation of a text without places; None where there is none."""
        found = self._exact.get(text)
        return None if found is None else found.told({})

    def template_of(self, text: str) -> tuple[str, dict[str, str]] | None:
        """The translated template that a text fits, and the values in it; None where none does."""
        exact = self._exact.get(text)
        if exact is not None:
            return exact.told({}), {}
        if len(text) > LONGEST:
            return None
        first = _WORD.match(text)
        found = [*self._patterns.get(first[0].lower() if first else "", ()), *self._patterns.get("", ())]
        for pattern in sorted(found, key=lambda pattern: -pattern.own):
            match = expression_of(pattern.template).fullmatch(text) if pattern.holds in text else None
            values = {} if match is None else match.groupdict()
            if match and not any(is_sentence(value) for place, value in values.items() if not is_words(place)):
                return pattern.told(values), values
        return None


def letters_of(template: str) -> int:
    """How many letters a template has of its own.

    >>> letters_of("{n} rows of {name}"), letters_of("{protected}, {protected}")
    (9, 42)
    """
    parts = PLACE.split(template)
    return sum(map(len, parts[::2])) + (LIST if PROTECTED in parts[1::2] else 0)


@cache
def expression_of(template: str) -> re.Pattern[str]:
    """What fits a template; its first letter may be large or small.

    There are thousands, and few texts come near more than some: each is compiled when it is first asked for.

    Values come from tables, and may be as long and as odd as somebody likes. So what follows a value is looked for
    once and never again (atomic groups): the time grows with the length of the text and not with a power of it.

    >>> expression_of("{n} rows of {name}").fullmatch("1,200 rows of a b")["name"]
    'a b'
    >>> expression_of("{name} is out; {why}, {name}").fullmatch("Ann is out; it rains, Ann")["why"]
    'it rains'
    >>> expression_of("{name} and {n} more").fullmatch("a and b and 3 more")["name"]
    'a and b'
    """
    parts = PLACE.split(template)
    values = dict.fromkeys(place for place in parts[1::2] if not is_number(place))
    last = next(reversed(values), "")
    pieces, seen = [], set()
    opened = False
    for number, piece in enumerate(parts):
        if number % 2 == 0:
            pieces.append(_either_case(piece) if number == 0 and piece else re.escape(piece))
        elif piece in seen:
            pieces.append(f"(?P={piece})")
        elif is_number(piece):
            pieces.append(f"(?P<{piece}>{NUMBER})")
        else:
            pieces.append((")" if opened else "") + ("" if piece == last else "(?>") + f"(?P<{piece}>.+?)")
            opened = piece != last
        if number % 2:
            seen.add(piece)
    return re.compile("".join(pieces), re.DOTALL)


def is_number(place: str) -> bool:
    """Whether a place of a template has a number.

    >>> is_number("n"), is_number("n2"), is_number("n_rows"), is_number("name")
    (True, True, True, False)
    """
    return re.fullmatch(r"n\d*|n_\w+", place) is not None


def is_words(place: str) -> bool:
    """Whether a place has a text that is told itself.

    >>> is_words("words"), is_words("words_why"), is_words("name")
    (True, True, False)
    """
    return re.fullmatch(r"words\d*|words_\w+", place) is not None


def is_sentence(value: str) -> bool:
    """Whether this is the end of one sentence and the begin of the next rather than a value of a table or a name.

    >>> is_sentence("illness; this bounds what somebody learns"), is_sentence("Dr. Who"), is_sentence("St. John: 4")
    (True, False, False)
    """
    return _BORDER.search(value) is not None and _SPOKEN.search(value) is not None


def lower_first(text: str) -> str:
    """The text with a small first letter; also its other form is looked for."""
    return text[:1].swapcase() + text[1:] if text[:1].isalpha() else text


def _either_case(piece: str) -> str:
    first = piece[0]
    begin = f"[{first.upper()}{first.lower()}]" if first.isalpha() else re.escape(first)
    return begin + re.escape(piece[1:])


def _whole(number: str) -> int:
    digits = re.sub(r"\D", "", number.partition(".")[0])
    return int(digits) if digits else 0
