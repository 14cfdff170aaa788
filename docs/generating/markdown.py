"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: object) -> str:
    """A text that may stand in a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; nothing at all when it has no rows."""
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *lines]) if lines else ""


def paragraphs(*texts: str) -> str:
    """Texts with a line between them, without those that are empty."""
    return "\n\n".join(text for text in texts if text) + "\n"


def sentence(text: str) -> str:
    """A text with a capital and a full stop."""
    return text[:1].upper() + text[1:].rstrip(".") + "." if text else ""
