"""A finished report: one HTML file without any script, every text escaped, that needs no network and prints on A4."""

from __future__ import annotations

import html
import platform
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pellucid.errors import OutputError
from pellucid.published.forms import BROADER_INTERVAL, CENTRES, IN_A_SENTENCE
from pellucid.reporting.language import ENGLISH
from pellucid.speaking import say
from pellucid.text.figures import probability
from pellucid.text.plain_text import fit_for_pages
from pellucid.whole_file import write_whole

if TYPE_CHECKING:
    from jinja2 import Environment

    from pellucid.speaking.reader import Reader

Audience = Literal["private", "public"]


@dataclass(frozen=True, repr=False)
class Report:
    """Made by :func:`pellucid.report`. ``html`` is the whole page; ``summary`` has its main figures for a program.

    ``summary`` of a public report is as public as the page.
    """

    html: str
    audience: Audience
    title: str
    summary: dict[str, Any] = field(default_factory=dict)

    def write(self, target: str | Path) -> Path:
        """Write the page, whole or not at all, and say where it is; a private one only its owner may read."""
        path = Path(target)
        write_whole(path, self.html.encode("utf-8"), private=self.audience == "private")
        return path

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its looks do not touch the notebook's."""
        inside = html.escape(self.html, quote=True)
        name = html.escape(self.title, quote=True)
        return (
            f'<iframe sandbox="" title="{name}" srcdoc="{inside}" '
            'style="width:100%;height:640px;border:1px solid #888"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report({self.title!r}, for {self.audience} eyes, {len(self.html):,} characters)"


INSTALL = "a report needs Jinja and vl-convert, which are not both installed; run: pip install 'pellucid[report]'"
LIBRARIES = ("pellucid", "numpy", "polars", "vl-convert-python", "jinja2")


def check_installed() -> None:
    """Raise before any work is done when a report could not be drawn."""
    try:
        import jinja2  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError:
        raise OutputError(INSTALL) from None


def render(content: dict[str, Any], language: str = ENGLISH) -> str:
    """The page of this content."""
    template = environment(language).get_template("report.html")
    return str(fit_for_pages(template.render(content, language=language)))


@cache
def environment(language: str = ENGLISH) -> Environment:
    """The templates, with autoescape on for all of them, for whoever reads a language; compiled once."""
    import jinja2

    from pellucid.speaking.reader import report_reader_of

    reader = report_reader_of(language)
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("pellucid.reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(reader.gettext, reader.ngettext, newstyle=True)  # type: ignore[attr-defined]
    made.filters |= {
        "probability": lambda figure: reader.number(probability(figure)),
        "number": lambda count: reader.number(f"{count:,}"),
        "told": reader.told,  # a text of Python, in the reader's language
        "begun": lambda text: reader.told(text[:1].upper() + text[1:]),  # the same as a sentence of its own
        "day": reader.day,
        "forms": lambda text: ", ".join(map(reader.plainly, text.split(", "))) if "%" in text else reader.told(text),
        "shown": lambda text: shown_in(text, reader),
    }
    return made


SHOWN = "Rows of a group show the same: "


def shown_in(text: str, reader: Reader) -> str:
    """What the rows of a group show, which a sentence enumerates."""
    if reader.english or not text.startswith(SHOWN):
        return reader.told(text)
    kinds = [*IN_A_SENTENCE.values(), BROADER_INTERVAL, *CENTRES.values()]
    forms = "|".join(map(re.escape, sorted(kinds, key=len, reverse=True)))
    pieces = re.split(f"({forms})", text.removeprefix(SHOWN))
    if any(len(between) > len(", or ") for between in pieces[::2]):  # another sentence, told as a whole
        return reader.told(text)
    pieces[::2] = [between.replace(" or ", f" {reader.gettext(say('or'))} ") for between in pieces[::2]]
    pieces[1::2] = map(reader.plainly, pieces[1::2])
    return reader.gettext(say("Rows of a group show the same:")) + " " + "".join(pieces)


def versions() -> dict[str, str]:
    """The programs that took part."""
    by_name = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            by_name[library] = version(library)
        except PackageNotFoundError:
            continue
    return by_name
