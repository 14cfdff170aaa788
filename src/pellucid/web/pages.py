"""Templates become pages; everything that comes from a table is escaped on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pellucid.messages.speaker import now_speaking, people
from pellucid.metrics.kept import KEPT
from pellucid.published.grammar import OR_NULL
from pellucid.risk.report.guarantee_coverage import RISK, TITLES
from pellucid.text.figures import MOST_PARTS, against, counted, figure, percent
from pellucid.text.plain_text import fit_for_pages
from pellucid.text.values import few
from pellucid.web.assets import asset
from pellucid.web.terms import TERMS

HERE = Path(__file__).parent
_FILE_FIRST = re.compile(  # its name is what the sentence is about, and may have blanks
    r"(?![^.]*\b(?:the|of|in|no|line|file|from|with) )"
    r"[\w() -]+\.[A-Za-z]\w{1,7}(?:\.\w{2,3})?(?=[,:]| (?:is|has|was|starts|cannot)\b)"
)
_ONE_OF_SEVERAL = re.compile(r"^null(?=[,;] | or )|(?<=[,;] )null(?=[,;] | or )")
MONTHS = (  # whatever the locale of the machine
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_LOOSE = re.compile(r"(?<=\d) %(?!\w)")
LONG = 400  # characters of a cell or an explanation that are shown
STEPS = (
    ("data", "Data"),
    ("roles", "Roles"),
    ("method", "Method"),
    ("result", "Result"),
    ("release", "Release"),
)


@cache
def environment() -> Environment:
    """The templates, with autoescape on for all of them."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "percent": _unbroken(percent),
        "chance": lambda value, limit="": told(chance(value, limit)),
        "share": _unbroken(share),
        "figure": _unbroken(figure),
        "count": counted,
        "few": few,
        "capital": capital,
        "duration": duration,
        "short": short,
        "begun": begun,
        "or_empty": or_empty,
        "before": lambda text, sign: text.partition(sign)[0],
        "after": lambda text, sign: text.partition(sign)[2],
        "told": told,  # a text of the library in the words of the page
        "drawn": Markup,  # a chart
        "written_moment": written_moment,
        "moment": moment,
    }
    made.globals |= {"STEPS": STEPS, "TERMS": TERMS, "KEPT": KEPT, "COVERAGE": TITLES, "RISK": RISK}
    made.globals |= {"asset": asset, "people": people}
    return made


def render(template: str, **values: Any) -> str:
    """The text of a page or of a part of one."""
    return str(fit_for_pages(environment().get_template(template).render(**values)))


def told(text: str) -> str:
    r"""A text in the words of the page, with each percent sign on the line of its number.

    >>> told("5 % of all").split(" ")
    ['5\xa0%', 'of', 'all']
    """
    if isinstance(text, Markup) or not text:
        return text
    said = now_speaking().tell(str(text) if not isinstance(text, str) else text)
    return _LOOSE.sub("\N{NO-BREAK SPACE}%", said)


def _unbroken(written: Callable[[Any], str]) -> Callable[[Any], str]:
    """A figure with its percent sign on the same line."""
    return lambda value: told(written(value))


def moment(when: datetime) -> str:
    """A date with its time, whatever the locale of the machine.

    >>> moment(datetime(2026, 11, 6, 15, 4))
    '6 November 2026, 15:04'
    """
    return f"{when.day} {MONTHS[when.month - 1]} {when:%Y, %H:%M}"


def written_moment(text: str) -> str:
    """A date with its time, as a file has it, for a person; what is none stays as it is.

    >>> written_moment("today")
    'today'
    """
    try:
        return moment(datetime.fromisoformat(text))
    except ValueError:
        return text


def capital(text: str) -> str:
    """The text with a capital first letter, unless its first word is a name: a file, a column, a parameter such as l.

    >>> capital("a count is off"), capital("l = 9 is not feasible"), capital("town: is no number")
    ('A count is off', 'l = 9 is not feasible', 'town: is no number')
    >>> capital("our people.csv is empty"), capital("the file people.csv is empty")
    ('our people.csv is empty', 'The file people.csv is empty')
    """
    text = told(text)
    if _FILE_FIRST.match(text):
        return text
    first = text.partition(" ")[0]
    return text[0].upper() + text[1:] if first == "a" or (len(first) > 1 and first.isalpha()) else text


def begun(text: str) -> str:
    """A sentence about a row with a capital first letter; a person's name stays as it is.

    >>> begun("row 17 is in a group"), begun("ann is in a group")
    ('Row 17 is in a group', 'ann is in a group')
    """
    return f"R{text[1:]}" if re.match(r"row \d", text) else text


def chance(value: float, limit: str = "") -> str:
    """How sure somebody is, in one form everywhere: one over a whole number as that, anything else in percent.

    It has as many digits as tell it from the limit that is promised.

    >>> chance(1 / 3), chance(0.5), chance(0.7151), chance(1), chance(0.33341, "1/3")
    ('1/3', '1/2', '72 %', '100 %', '33.34 %')
    """
    parts = round(1 / value) if value >= 1 / MOST_PARTS else 1
    if parts > 1 and abs(value * parts - 1) <= 1e-9:
        return f"1/{parts}"
    return against(value, Fraction(limit) if limit else None)


def share(value: float | None) -> str:
    """A share to compare with others, so with one decimal.

    >>> share(0.77442), share(1), share(None)
    ('77.4 %', '100.0 %', 'none')
    """
    return figure(value) if value is None else f"{100 * value:.1f} %"


def or_empty(text: str, *, alone: bool = False) -> str:
    """What is published of a value, as the page says it: where a file has null among what a value may be, empty.

    >>> or_empty("{1, 6} or null"), or_empty("null, 1 or 3"), or_empty("null"), or_empty('{"null", a}')
    ('{1, 6} or empty', 'empty, 1 or 3', 'null', '{"null", a}')
    """
    if alone and text == "null":  # where a text has no other way to say that nothing is there
        return "empty"
    if text.endswith(OR_NULL):
        text = f"{text.removesuffix(OR_NULL)} or empty"
    return _ONE_OF_SEVERAL.sub("empty", text)


def one_line(text: str) -> str:
    r"""A text as a form sends it back, whatever the browser makes of its blanks and line ends.

    >>> one_line("a\n b") == one_line("a\r\n b")
    True
    """
    return " ".join(str(fit_for_pages(text)).split())


def short(text: str, most: int = LONG) -> str:
    """A text that a person still looks at; a value of a table may be a whole book.

    >>> short("abc"), short("abcdef", 4)
    ('abc', 'abc…')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def duration(seconds: float) -> str:
    """A time to wait, as a person says it.

    >>> duration(0.4), duration(45), duration(130)
    ('a moment', '45 seconds', '2 minutes')
    """
    if seconds < 2:
        return "a moment"
    if seconds < 90:
        return counted(round(seconds), "second")
    return counted(round(seconds / 60), "minute")
