"""Terms in formatted strings, until all texts are templates: they stand marked, and a message reads them."""

from __future__ import annotations

import json
import re
from typing import Any

from pellucid.messages.message import Message
from pellucid.messages.speaker import Speaker
from pellucid.messages.values import Term

_BEGIN, _NEXT, _END, _SO = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"  # characters that are none, and that no text has
_TERM = re.compile(f"{_BEGIN}([^{_NEXT}]*){_NEXT}([^{_NEXT}]*){_NEXT}([^{_END}]*){_END}")


def mark(term: Term) -> str:
    """A term in a formatted string."""
    return f"{_BEGIN}{term.name}{_NEXT}{json.dumps(term.value)}{_NEXT}{term.python}{_END}"


def marked(text: str) -> str:
    """A text to be put into a formatted string: where it is a message, with its terms."""
    if not isinstance(text, Message):
        return text
    if text.way_out:
        return f"{marked(text.problem)}{_SO}{marked(text.way_out)}"
    return text.told(Speaker(mark))


def unmarked(text: str) -> tuple[str, dict[str, Any]]:
    """The template and the values of a text with marks."""
    problem, so, way_out = text.partition(_SO)
    if so:
        return "{problem}; {way_out}", {"problem": Message(problem), "way_out": Message(way_out)}
    parts = _TERM.split(text)
    terms = {f"term{n // 4}": Term(parts[n], parts[n + 2], json.loads(parts[n + 1])) for n in range(1, len(parts), 4)}
    between = [part.replace("{", "{{").replace("}", "}}") for part in parts[::4]]
    return between[0] + "".join(f"{{{name}}}{rest}" for name, rest in zip(terms, between[1:], strict=True)), terms
