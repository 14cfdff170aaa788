"""What the library says, in the words of the page: chances in percent, "empty" for null.

The library has one word for each thing, and so have its documents and the command line, which a steward of the page
never sees. The page says 50 % where the library says 0.5, keeps 1/l for what is promised, and calls a value that is not
there empty, as a spreadsheet does.
"""

from __future__ import annotations

import re

from pellucid.text.figures import percent

_CHANCE = r"(?P<over>over )?(?P<chance>0\.\d+(?:e-\d+)?|1/\d+|[01](?![\d.,/]))"
_SURE = re.compile(rf"\b(?P<verb>believes?)(?P<bound> at most| up to| more than)? {_CHANCE} of (?=\S)")
_GIVEN = [
    re.compile(rf"(?P<before>counting alone gives(?: at most)? ){_CHANCE}"),
    re.compile(rf"(?P<before>the most, ){_CHANCE}(?=, is believed)"),
    re.compile(rf"(?P<before>The most that is believed of anybody[^.;]{{0,200}}? is ){_CHANCE}(?=, by)"),
    re.compile(rf"(?P<before>is up to ){_CHANCE}(?= sure of)"),
    re.compile(rf"(?P<before>sampled worlds give ){_CHANCE}"),
    re.compile(rf"(?P<before>which may be up to ){_CHANCE}"),
]
_NULLS = [
    (re.compile(r"(?<![\w'\"“\[])[Aa] null(?![\w'\"”])"), "an empty value"),
    (re.compile(r"(?<![\w'\"“\[])nulls(?![\w'\"”=]| =)"), "empty values"),
    (re.compile(r"(?<![\w'\"“\[])null(?![\w'\"”=]| =)"), "empty"),
]


def in_page_words(text: str) -> str:
    """A sentence of the library as the page says it.

    >>> in_page_words("Somebody who knows minimality believes 0.5 of 'flu', as counting alone")
    "Somebody who knows minimality is 50 % sure of 'flu', as counting alone"
    >>> in_page_words("None of them believes more than 1/3 of anybody; the most, 0.3333, is believed by 2 of them")
    'None of them is more than 1/3 sure of anybody; the most, 33.33 %, is believed by 2 of them'
    >>> in_page_words("2 believe up to 1 of somebody; 3 of 8 rows are null, and 'null' is a text")
    "2 are up to 100 % sure of somebody; 3 of 8 rows are empty, and 'null' is a text"
    """
    if "believe" in text or "counting" in text or "sure of" in text or "sampled" in text:
        text = _SURE.sub(_sure, text)
        for pattern in _GIVEN:
            text = pattern.sub(lambda found: found["before"] + _percent(found), text)
    if "null" in text:
        for pattern, word in _NULLS:
            text = pattern.sub(word, text)
    return text


def _sure(found: re.Match[str]) -> str:
    limit = found["bound"] in (" at most", " more than") and "/" in found["chance"]
    told = found["chance"] if limit else _percent(found)
    return f"{'is' if found['verb'] == 'believes' else 'are'}{found['bound'] or ''} {told} sure of "


def _percent(found: re.Match[str]) -> str:
    """As many digits as the library tells, for these tell more from equal."""
    one, _, parts = found["chance"].partition("/")
    told = percent(1 / int(parts)) if parts else f"{100 * float(one):.4g} %"
    return f"{found['over'] or ''}{told}"
