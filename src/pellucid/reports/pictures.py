"""A chart as a picture inside a page: SVG without any script, that can be read aloud, printed, and seen on dark paper.

vl-convert draws a chart without a browser and without a network. What it draws is cleaned here:
lines and text take the colour of the page, names of parts are made unique (several pictures share one page), and a
reader of the screen hears the title and the caption instead of hundreds of shapes.
"""

from __future__ import annotations

import html
import re
import warnings
from dataclasses import dataclass
from xml.etree import ElementTree

from pellucid.charts.charting import as_text
from pellucid.charts.drawing import WHY, NotDrawn, draw
from pellucid.charts.vega_lite import SCHEMA, Part
from pellucid.messages import Message
from pellucid.messages.speaker import told

INK = "#010203"  # stands for the colour of the page's text until the picture is cleaned
FONT = "Helvetica, Arial, DejaVu Sans, sans-serif"
SVG = "http://www.w3.org/2000/svg"
LOOKS = {
    "font": FONT,
    "background": "transparent",
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": INK,
        "gridOpacity": 0.15,
        "tickColor": INK,
        "tickOpacity": 0.5,
        "domainColor": INK,
        "domainOpacity": 0.5,
    },
    "view": {"stroke": None},
}
SPOKEN = ("role", "class", "pointer-events", "aria-hidden", "aria-label", "aria-roledescription")


@dataclass(frozen=True)
class Picture:
    """A drawn chart with the title above it and, below, the sentence that says how to read it.

    ``svg`` is markup that is safe to put into a page as it is; ``title`` and ``caption`` are plain text.
    """

    title: str
    caption: str
    svg: str

    @property
    def figure(self) -> str:
        """The picture as a part of a page, with everything escaped.

        >>> Picture("A < B", "Read it so.", "<svg></svg>").figure
        '<figure><p class="title">A &lt; B</p><svg></svg><figcaption>Read it so.</figcaption></figure>'
        """
        title, caption = html.escape(self.title), html.escape(self.caption)
        return f'<figure><p class="title">{title}</p>{self.svg}<figcaption>{caption}</figcaption></figure>'


def picture(chart: Part, *, title: str, caption: str, name: str) -> Picture:
    """Draw a chart; ``name`` tells it from the other pictures of the page."""
    dressed = {"$schema": SCHEMA, **chart, "padding": 4, "config": LOOKS}
    try:
        drawn = draw(as_text(dressed), "svg").decode()
    except NotDrawn as wrong:
        warnings.warn(Message("{title}: {wrong}", title=title, wrong=wrong), UserWarning, stacklevel=2)
        return Picture(told(title), told(f"This chart is missing: {WHY}."), "")
    title, caption = told(title), told(caption)
    return Picture(title, caption, cleaned(drawn, label=f"{title}. {caption}", name=name))


def _for_page(key: str, value: str, name: str) -> str:
    """An attribute of a part: the page's ink, and names of parts, and references to them, that are its own."""
    if value == INK:
        return "currentColor"
    if key == "id":
        return f"{name}-{value}"
    is_reference = value.startswith(("url(#", "#")) and not re.fullmatch("#[0-9a-fA-F]{3,8}", value)
    return value.replace("#", f"#{name}-", 1) if is_reference else value


def _shows_nothing(part: ElementTree.Element) -> bool:
    return part.get("display") == "none" or part.get("d") in ("", "M0,0h0v0h0Z")


def cleaned(drawn: str, *, label: str, name: str) -> str:
    """The drawing for a page: parts named after ``name``, the page's ink, and ``label`` as what is read aloud.

    >>> cleaned(f'<svg xmlns="{SVG}"><text fill="{INK}">a</text></svg>', label='"b"', name="c").removeprefix("<svg ")
    'xmlns="http://www.w3.org/2000/svg" role="img" aria-label="&quot;b&quot;"><text fill="currentColor">a</text></svg>'
    """
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(drawn)
    for part in root.iter():
        for spoken in SPOKEN:
            part.attrib.pop(spoken, None)
        for key, value in part.attrib.items():
            part.set(key, _for_page(key, value, name))
    for parent in list(root.iter()):
        for part in list(parent):
            if _shows_nothing(part):
                parent.remove(part)
    root.set("role", "img")
    root.set("aria-label", label)
    return ElementTree.tostring(root, encoding="unicode")
