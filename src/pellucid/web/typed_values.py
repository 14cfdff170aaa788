"""Numbers, dates and lists as people type them into a form."""

from __future__ import annotations

import re
from datetime import date

from pellucid.errors import SchemaError

MOST_PARTS = 10_000  # values of a list in a form


def parts_in(text: str) -> list[str]:
    """The values of a list, with commas or line breaks between them."""
    parts = [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]
    if len(parts) > MOST_PARTS:
        raise SchemaError(f"a list has {len(parts):,} values, more than the {MOST_PARTS:,} that the page works with")
    return parts


def number_in(text: str) -> int | float:
    """A number."""
    try:
        return int(text) if re.fullmatch(r"[+-]?\d{1,4000}", text) else float(text)
    except ValueError:
        raise SchemaError("{text!r} is not a number; write numbers such as 5 or 2.5", text=text) from None


def date_in(text: str) -> date:
    """A date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise SchemaError("{text!r} is not a date; write dates as 2024-01-31", text=text) from None
