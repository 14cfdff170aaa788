"""Templates become pages; everything that comes from a table is escaped on the way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pellucid.app.web.terms import TERMS
from pellucid.attacking.telling.guarantee_coverage import RISK, TITLES
from pellucid.measuring.kept import KEPT
from pellucid.text.figures import counted, figure, percent, probability
from pellucid.text.plain_text import fit_for_pages

HERE = Path(__file__).parent
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
        "percent": percent,
        "probability": probability,
        "figure": figure,
        "count": counted,
        "few": few,
        "capital": capital,
        "duration": duration,
        "short": short,
    }
    made.globals |= {"STEPS": STEPS, "TERMS": TERMS, "KEPT": KEPT, "COVERAGE": TITLES, "RISK": RISK}
    return made


def render(template: str, **values: Any) -> str:
    """The text of a page or of a part of one."""
    return str(fit_for_pages(environment().get_template(template).render(**values)))


def few(names: Sequence[str], most: int = 6) -> str:
    """Some names, and how many more there are.

    >>> few(["a", "b"]), few(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


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
        return "a moment"
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes"
