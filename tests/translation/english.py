"""English in a German text: its small words, and its way to write numbers."""

from __future__ import annotations

import re

# Words that every English sentence has one of and no German one has; tables in these tests have values without them.
_WORDS = re.compile(
    r"\b(?:the|of|and|or|is|are|were|been|with|which|who|whom|whoever|has|have|from|than|every|each|everybody|nobody"
    r"|somebody|anybody|row|rows|group|groups|value|values|person|people|most|least|more|less|not|by|to|it|they|this"
    r"|that|what|where|when|only|empty|share|seconds"
    r"|The|Of|And|Is|Are|With|Who|Whoever|From|Every|Each|Everybody|Nobody|Somebody|Rows|Groups|Values|People|Most"
    r"|More|By|To|It|They|This|That|What|Where|When|Only)\b"
)
# Said as it is typed or called: options with what follows, arguments, a metric's name in brackets, a published cell.
_TYPED = re.compile(r"--[\w-]+(?: [A-Z]+\b)?|\b\w+=\S*|\([a-z]+(?:-[a-z]+)+\)|\S+ or null\b")
_DECIMAL = re.compile(r"(?<![\w.,:=/-])(?:0\.\d+|\d+\.\d{1,2}|\d+\.\d{4,})(?![\w.:/-]|,\d)")
_THOUSANDS = re.compile(r"(?<![\w.,:=/-])[1-9]\d{0,2}(?:,\d{3})+(?![\w/,-]|\.\d\d\d)")


def english_words(text: str) -> list[str]:
    """The words of a text that are English.

    >>> english_words("Wer zählt, ist sicher; 2 of them are not"), english_words("mit --groups FILE (k-map)")
    (['of', 'are', 'not'], [])
    """
    return _WORDS.findall(_TYPED.sub(" ", text))


def english_decimals(text: str) -> list[str]:
    """Numbers with a decimal point; 1.234 may be a German thousand.

    >>> english_decimals("0.33 und 12.5 %, 0,33 und 1.234 und 1.234,5, am 17.11.2026, Version 3.11.2")
    ['0.33', '12.5']
    """
    return _DECIMAL.findall(text)


def english_thousands(text: str) -> list[str]:
    """Numbers with commas between thousands; 1,234 may be a German decimal, so compare with the English text.

    >>> english_thousands("1,234 rows, 12,345.6 and 0,125")
    ['1,234', '12,345']
    """
    return _THOUSANDS.findall(text)
