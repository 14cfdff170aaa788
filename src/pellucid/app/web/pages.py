"""Templates become pages; everything that comes from a table is escaped on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pellucid.app.web.assets import asset
from pellucid.app.web.speaking import say
from pellucid.app.web.speaking.reader import languages, reader
from pellucid.app.web.terms import TERMS
from pellucid.attacking.telling.guarantee_coverage import RISK, TITLES
from pellucid.measuring.kept import KEPT
from pellucid.text.figures import figure, percent, probability
from pellucid.text.plain_text import fit_for_pages

HERE = Path(__file__).parent
LONG = 400  # characters of a cell or an explanation that are shown
STEPS = (
    ("data", say("Data")),
    ("roles", say("Roles")),
    ("method", say("Method")),
    ("result", say("Result")),
    ("release", say("Release")),
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
        extensions=["jinja2.ext.i18n"],
    )
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(  # type: ignore[attr-defined]  # of the extension; whoever reads is asked each time
        lambda text: reader().gettext(text),
        lambda one, several, number: reader().ngettext(one, several, number),
        newstyle=True,
        pgettext=lambda context, text: reader().pgettext(context, text),
        npgettext=lambda context, one, several, number: reader().npgettext(context, one, several, number),
    )
    made.filters |= {
        "percent": _plainly(percent),
        "probability": _plainly(probability),
        "figure": _plainly(figure),
        "count": lambda number, thing, things=None: reader().counted(number, thing, things),
        "few": few,
        "capital": capital,
        "duration": duration,
        "short": short,
        "before": lambda text, sign: text.partition(sign)[0],
        "after": lambda text, sign: text.partition(sign)[2],
        "told": lambda text: reader().told(text),  # a text of Python in the reader's language
        "plainly": lambda text: reader().plainly(text),  # the same inside of an attribute or an option
        "drawn": lambda svg: reader().drawn(svg),  # a chart
        "moment": lambda when: reader().moment(when),  # a date with its time
    }
    made.globals |= {"STEPS": STEPS, "TERMS": TERMS, "KEPT": KEPT, "COVERAGE": TITLES, "RISK": RISK, "asset": asset}
    return made


def render(template: str, **values: Any) -> str:
    """The text of a page or of a part of one."""
    values |= {"language": reader().language, "languages": languages()}
    return str(fit_for_pages(environment().get_template(template).render(**values)))


def _plainly(written: Callable[[Any], str]) -> Callable[[Any], str]:
    """A figure as the reader writes it."""
    return lambda value: reader().plainly(written(value))


def few(names: Sequence[str], most: int = 6) -> str:
    """Some names, and how many more there are.

    >>> few(["a", "b"]), few(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    if len(names) <= most:
        return ", ".join(names)
    more = len(names) - most
    return f"{', '.join(names[:most])} {reader().plainly(say(f'and {more:,} more'))}"


def capital(text: str) -> str:
    """The text with a capital first letter, unless its first word is a name: a file, a column, a parameter such as l.

    >>> capital("a count is off"), capital("l = 9 is not feasible"), capital("town: is no number")
    ('A count is off', 'l = 9 is not feasible', 'town: is no number')
    """
    first = text.partition(" ")[0]
    return text[0].upper() + text[1:] if first == "a" or (len(first) > 1 and first.isalpha()) else text


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
        return reader().plainly(say("a moment"))
    if seconds < 90:
        return reader().counted(round(seconds), "second")
    return reader().counted(round(seconds / 60), "minute")
