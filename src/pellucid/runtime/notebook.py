"""Small views for a notebook: a line, some facts, a table; everything escaped, nothing to load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pellucid.text.values import shortened

STYLE = "text-align:left;vertical-align:top;white-space:normal;overflow-wrap:anywhere"
LONGEST = 200  # characters of a cell


def view(*parts: str) -> str:
    """Parts below each other."""
    return "<div>" + "".join(parts) + "</div>"


def line(text: object, *, strong: bool = False) -> str:
    """A paragraph.

    >>> line("a < b")
    '<p>a &lt; b</p>'
    """
    inside = _escaped(str(text))
    return f"<p><strong>{inside}</strong></p>" if strong else f"<p>{inside}</p>"


def _escaped(text: str) -> str:
    import html  # here: it brings a table of two thousand names, and nobody needs them to publish

    return html.escape(text)


def facts(named: Mapping[str, object]) -> str:
    """Names and what is said of each, on one line.

    >>> facts({"rows": 8, "method": "<hybrid>"})
    '<p>rows: 8 · method: &lt;hybrid&gt;</p>'
    """
    return line(" · ".join(f"{name}: {what}" for name, what in named.items()))


def table(heads: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table; a long cell is cut.

    >>> "&lt;script&gt;" in table(["a"], [["<script>"]])
    True
    """
    above = f"<caption>{_escaped(caption)}</caption>" if caption else ""
    top = "".join(f'<th style="{STYLE}">{_escaped(str(head))}</th>' for head in heads)
    cells = ((shortened("null" if value is None else str(value), LONGEST) for value in row) for row in rows)
    body = "".join(
        "<tr>" + "".join(f'<td style="{STYLE}">{_escaped(cell)}</td>' for cell in row) + "</tr>" for row in cells
    )
    return f"<table>{above}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
