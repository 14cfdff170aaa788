"""A finished report: one HTML file without any script, every text escaped, that needs no network and prints on A4."""

from __future__ import annotations

import html
import platform
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pellucid.errors import OutputError
from pellucid.messages.speaker import people, told
from pellucid.runtime.whole_file import write_whole
from pellucid.text.figures import percent, probability
from pellucid.text.plain_text import fit_for_pages
from pellucid.text.rows import first_row
from pellucid.text.values import begun

if TYPE_CHECKING:
    from jinja2 import Environment

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


def render(content: dict[str, Any]) -> str:
    """The page of this content."""
    return str(fit_for_pages(environment().get_template("report.html").render(content)))


@cache
def environment() -> Environment:
    """The templates, with autoescape on for all of them; compiled once."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("pellucid.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "probability": probability,
        "number": "{:,}".format,
        "percent": percent,
        "told": told,  # a sentence that may count people, or rows
        "begun": lambda text: begun(told(text)),  # the same as a sentence of its own
    }
    made.globals["people"] = people
    made.globals["first_row"] = first_row
    return made


def versions() -> dict[str, str]:
    """The programs that took part."""
    by_name = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            by_name[library] = version(library)
        except PackageNotFoundError:
            continue
    return by_name
