"""Texts that count people, where rows are counted: several belong to one person, so none of them is one.

Texts of templates say ``people("people who")``. Which texts of the library count people is written down below, each
with places for what it holds. A text that fits one of them from its begin to its end (alone, as a sentence of several,
or behind a name and a colon) has "rows" for "people" in the words of the template. What stands in a place, such as
a column, a value or a number, stays as it is, and so does every text that is not written down: the promise, names of
columns and files, values, and for how many people a row stands (weights).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextvars import ContextVar
from functools import cache

from pellucid.messages.speaker import now_speaking

called: ContextVar[Collection[str]] = ContextVar("called", default=())  # the columns of the table that is spoken of

_STATISTIC = "people who share a value ({n2} for each value of {column}, and at least {n3}, make a statistic)"
_SUREST = "They are surest of one person's {column} with probability {words}"
_GUESSED = "Who only guesses the most frequent {column} is right for {n} of the people"
SENTENCES = (
    "Bars: people",
    "Bars: people by how sure this attacker is, from 0 % to 100 %; the line is {limit}",
    "How much somebody who {words_attacker} believes of how many people",
    "Somebody who {words_attacker}: how much is believed of how many people",
    "Each bar counts the people about whose likeliest value this attacker is that sure; the figure above it is their "
    "number.",
    "Orange bars, right of the dashed line, are people of whom more than {limit} is believed.",
    "Not known: nothing is shown about what somebody who {words} believes of {n} people",
    "Not known: nothing is shown about what somebody who {words} believes of 1 person",
    "nothing is shown about what somebody who {words} believes of {n} people",
    "nothing is shown about what somebody who {words} believes of 1 person",
    "it learned from {n} people in {n2} groups, drawn by lot, which values people who look like this one have",
    "an estimate by somebody who learned from a lot of {n} people",
    "it is an estimate by somebody who learned from a lot of {n} people, which bounds nothing",
    "{n} people are alone in a group",
    "By their exact quasi-identifiers {n} people of {n2} would be, {n3} withheld among these {n4}",
    "By their exact quasi-identifiers {n} people of {n2} would be",
    "By their exact quasi-identifiers 1 person of {n} would be",
    "{n} people need no fact at all: their groups have one value",
    "{n} people are in groups that need no more",
    "{n} people are in groups where some value gains more than {n2}",
    "Who knows {n} person of a group of {n2} is right about another with probability {n3} in the worst case",
    "{n} people of {n2} can become certain in this way",
    "The figures of {n} people are the most that can be believed: a cut above their groups may have been refused, and "
    "a secret die decided over it",
    "{method} may have some (of what somebody believes who {words}: not known for {n} people: {words_why})",
    "Somebody who {words} may take {n} more people above 1/l: not known for {n2} people: {words_why}",
    "share of the people who are alone in their group",
    "share of the people whose value is certain",
    "share of the people in groups with different values that are alike",
    "{n} people are known to have another one, which nothing is promised about",
    "{n} people are in {n2} groups with different values that are alike; in the largest everybody has {value} to "
    "{value2}",
    "it is not known who is in which group ({n} people fit several), and facts and priors by which people differ need "
    "that",
    "it is not known who is in which group ({n} people fit several)",
    "{n} people fit several groups, or one that may hold these, in too many ways to count: their risk is the largest "
    "over the groups that they fit, an upper bound",
    "a group of {n} people under this prior: a group of {n2} rows with {n3} different distributions and {n4} values "
    "needs {n5} states, and the budget is {n6}",
    "{n} person is in no group, withheld for quasi-identifiers alone: nothing of theirs is published",
    "{n} people are in no group, withheld for quasi-identifiers alone: nothing of theirs is published",
    "{n} people are in no group",
    "{n} people are in {n2} group where everybody has the same {column}, so their value is certain",
    "{n} people are in {n2} groups where everybody has the same {column}, so their value is certain",
    "sampled for {n} people whose groups have too many arrangements to count",
    "not known for {n} people",
    "not known for {n} people: {words}",
    "not known for 1 person",
    "not known for 1 person: {words}",
    f"these figures rest on fewer than {{n}} {_STATISTIC}",
    f"Not counted in this: {{words}}, whose figures rest on fewer than {{n}} {_STATISTIC}",
    f"Not counted in this: {{words}}, whose figures rest on fewer than {{n}} {_STATISTIC}; and {{words2}}",
    "the most, {words}, is believed by {words2} (values that fewer than {n3} people have are not counted)",
    _GUESSED,
    f"{_GUESSED}, {{words}}",
    f"{_GUESSED} whose rows are published",
    f"{_GUESSED} whose rows are published, {{words}}",
    _SUREST,
    f"{_SUREST}, which is not more than {{n}}: nobody is above {{n}}",
    f"{_SUREST}, {{n}} times {{n2}}: {{n3}} people are above {{n2}}",
    f"{_SUREST}, {{n}} times {{n2}}: {{n3}} people are above {{n2}}, {{words2}} of them already before seeing the "
    "release",
    f"{_SUREST}, {{n}} times {{n2}}: 1 person is above {{n2}}",
    f"{_SUREST}, {{n}} times {{n2}}: 1 person is above {{n2}}, already before seeing the release",
    f"{_SUREST}, {{n}} times {{n2}}: 1 person is above {{n2}}, all of them already before seeing the release",
)
_SENTENCES = re.compile(r"(\n|(?<=[.!?]) (?=[A-Z0-9“\"]))")
_LONGEST_RUN = 4  # parts of a sentence, between "; ", that a template may have together
_ENDS = ".:?!,"
_DEEPEST = 4  # texts inside of texts
_WORDS = {  # and what becomes of them; longer ones first
    "people whose rows are": "rows that are",
    "people who": "rows that",
    "people of whom": "rows of which",
    "person of whom": "row of which",
    "people": "rows",
    "People": "Rows",
    "person": "row",
}
_ANY = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b")
_PLACE = re.compile(r"\{(\w+)\}")
_NUMBER = r"[-−]?\d(?:[\d,]*\d)?(?:\.\d+)?(?:e[-+]?\d+)?(?:/\d+)?(?:[ \xa0]%)?"  # 12,345 and 0.25 and 1/3 and 87 %
_BORDER = re.compile(r"[.!?;:] \w")
_SPOKEN = re.compile(r"\b(?:the|of|is|are|was|were|and|that|who|whom|which|does|could|somebody|nobody|though)\b")
_LONGEST = 4_000  # characters of a text that is looked at; nobody wrote a longer one, but a value may be a book


def told(text: str) -> str:
    """A text of the library, in which rows are counted where they are, whatever columns are called."""
    return sentences_in_rows(now_speaking().tell(text), called.get())


def in_rows(template: str) -> str:
    """A template of a text that counts people, as one that counts rows; its places stay.

    >>> in_rows("{n} people are above")
    '{n} rows are above'
    """
    parts = re.split(r"(\{\w+\})", template)
    parts[::2] = [_ANY.sub(lambda found: _WORDS[found[0]], part) for part in parts[::2]]
    return "".join(parts)


def sentences_in_rows(text: str, names: Collection[str] = ()) -> str:
    """An English text, of which those sentences that count people count rows, where rows are counted.

    ``names`` are columns, which stay what they are called.

    >>> sentences_in_rows("2 people are in no group. It is about 2 people.")
    '2 people are in no group. It is about 2 people.'
    >>> from pellucid.messages import Speaker, spoken_by
    >>> with spoken_by(Speaker(rows=True)):
    ...     sentences_in_rows("2 people are in no group. It is about 2 people.")
    '2 rows are in no group. It is about 2 people.'
    """
    return _in_rows(text, names, 0) if now_speaking().rows and _ANY.search(text) else text


def _in_rows(text: str, names: Collection[str], depth: int) -> str:
    found = None if depth > _DEEPEST else _fitting(text, names)
    if found is not None:
        template, values, end = found
        told = {p: _in_rows(v, names, depth + 1) if _is_words(p) else v for p, v in values.items()}
        filled = _PLACE.sub(lambda place: told[place[1]], template) + end
        return text[:1] + filled[1:] if text[:1].lower() == filled[:1].lower() else filled
    pieces = _SENTENCES.split(text)
    if len(pieces) > 1:
        pieces[::2] = [_in_rows(piece, names, depth) for piece in pieces[::2]]
        return "".join(pieces)
    parts = text.split("; ")
    if len(parts) > 1:
        return "; ".join(_of_parts(parts, names, depth))
    label, colon, rest = text.partition(": ")
    return f"{label}: {_in_rows(rest, names, depth + 1)}" if colon and depth <= _DEEPEST else text


def _of_parts(parts: list[str], names: Collection[str], depth: int) -> list[str]:
    """Parts of a sentence, as many at once as a template has together."""
    told = []
    while parts:
        runs = [
            last for last in range(min(len(parts), _LONGEST_RUN), 1, -1) if _fitting("; ".join(parts[:last]), names)
        ]
        last = runs[0] if runs else 1
        told.append(_in_rows("; ".join(parts[:last]), names, depth))
        parts = parts[last:]
    return told


def _fitting(text: str, names: Collection[str]) -> tuple[str, dict[str, str], str] | None:
    """The template, as one that counts rows, that a text fits, what its places have, and the sign at its end."""
    if len(text) > _LONGEST or any(text in name for name in names):
        return None
    end = text[-1:] if text[-1:] in _ENDS else ""
    for one in dict.fromkeys((text, text.replace("\N{NO-BREAK SPACE}%", " %"))):
        for sign in dict.fromkeys((end, "")):
            for template, expression in _expressions():
                found = expression.fullmatch(one.removesuffix(sign))
                if found and not any(map(_is_sentence, (v for p, v in found.groupdict().items() if not _is_words(p)))):
                    return template, found.groupdict(), sign
    return None


@cache
def _expressions() -> list[tuple[str, re.Pattern[str]]]:
    """The sentences as templates that count rows, with what fits them; those with most words of their own first."""
    by_length = sorted(SENTENCES, key=lambda text: -sum(map(len, _PLACE.split(text)[::2])))
    return [(in_rows(text), _expression_of(text)) for text in by_length]


def _expression_of(template: str) -> re.Pattern[str]:
    """What fits a template; its first letter may be large or small.

    Values come from tables, and may be as long and as odd as somebody likes. So what follows a value is looked for
    once and never again (atomic groups): the time grows with the length of the text and not with a power of it.
    """
    parts = _PLACE.split(template)
    last = next((place for place in reversed(parts[1::2]) if not _is_number(place)), "")
    pieces, seen, opened = [], set(), False
    for number, piece in enumerate(parts):
        if number % 2 == 0:
            first = piece[:1] if number == 0 else ""
            begin = f"[{first.upper()}{first.lower()}]" if first.isalpha() else re.escape(first)
            pieces.append(begin + re.escape(piece[len(first) :]))
        elif piece in seen:
            pieces.append(f"(?P={piece})")
        elif _is_number(piece):
            pieces.append(f"(?P<{piece}>{_NUMBER})")
        else:
            pieces.append((")" if opened else "") + ("" if piece == last else "(?>") + f"(?P<{piece}>.+?)")
            opened = piece != last
        if number % 2:
            seen.add(piece)
    return re.compile("".join(pieces), re.DOTALL)


def _is_number(place: str) -> bool:
    return re.fullmatch(r"n\d*", place) is not None


def _is_words(place: str) -> bool:
    """Whether a place has a text that may count people itself."""
    return place.startswith("words")


def _is_sentence(value: str) -> bool:
    """Whether this is the end of one sentence and the begin of the next rather than a value of a table or a name."""
    return _BORDER.search(value) is not None and _SPOKEN.search(value) is not None
