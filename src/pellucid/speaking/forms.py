"""Numbers and dates as people of a language write them.

A catalog says it by example: what it has for ``1,234.5`` and for a date. So a translator needs no code for it either.
Figures of pages and reports take this form, and cells where rows stand before and after
(:mod:`pellucid.speaking.cells`); elsewhere values of a table are shown as they are published.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from pellucid.speaking.catalog import Catalog

FIGURE = r"[-−]?\d(?:[\d,]*\d)?(?:\.\d+)?(?:e[-+]?\d+)?"
NUMBER = rf"{FIGURE}(?:/\d+)?(?:[ \xa0]%)?"  # as the library writes them: 12,345 and 0.25 and 1/3 and 87 %
EXAMPLE = "1,234.5"
DATE = "%d %B %Y, %H:%M"
DAY = "%d %B %Y"
SHORT = "%Y-%m-%d"
PART = "%Y-%m"
MONTHS = "January February March April May June July August September October November December"
_ENGLISH = MONTHS.split()  # whatever the locale of the machine
_FIGURE = re.compile(FIGURE)
_MONTH = re.compile("%B")


@dataclass(frozen=True, slots=True)
class Forms:
    """Which sign stands between thousands, which before decimals, and how dates are written: in words, in figures."""

    thousands: str = ","
    decimal: str = "."
    moments: str = DATE
    days: str = DAY
    months: tuple[str, ...] = ()
    dates: str = SHORT
    parts: str = PART

    def number(self, text: str) -> str:
        """A number that is written in the English way.

        >>> Forms(".", ",").number("12,345.6"), Forms(".", ",").number("0.25"), Forms().number("0.25")
        ('12.345,6', '0,25', '0.25')
        """
        signs = str.maketrans({",": self.thousands, ".": self.decimal})
        return _FIGURE.sub(lambda found: found[0].translate(signs), text).replace(" %", "\xa0%")

    def moment(self, when: datetime) -> str:
        """A date with its time.

        >>> Forms().moment(datetime(2026, 11, 6, 15, 4))
        '6 November 2026, 15:04'
        """
        return self._written(when, self.moments)

    def day(self, when: date) -> str:
        """A date.

        >>> Forms().day(date(2026, 11, 6))
        '6 November 2026'
        """
        return self._written(when, self.days)

    def _written(self, when: date, form: str) -> str:
        month = self.months[when.month - 1] if self.months else _ENGLISH[when.month - 1]
        return when.strftime(_MONTH.sub(month, form)).removeprefix("0")


def gives_forms(catalog: Catalog) -> bool:
    """Whether a catalog has the examples."""
    return catalog.text(EXAMPLE, "number") is not None


def forms_of(catalog: Catalog) -> Forms:
    """The forms that a catalog gives by example."""
    example = catalog.text(EXAMPLE, "number") or EXAMPLE
    found = re.fullmatch(r"1(.?)234(.)5", example)
    thousands, decimal = (found[1], found[2]) if found else (",", ".")
    months = (catalog.text(MONTHS, "months") or "").split()
    moments, days, dates, parts = (catalog.text(form, "date") or form for form in (DATE, DAY, SHORT, PART))
    return Forms(thousands, decimal, moments, days, tuple(months), dates, parts)
