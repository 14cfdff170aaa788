"""The page: the template filled in, every text escaped."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pellucid.errors import OutputError
from pellucid.text.figures import probability
from pellucid.text.plain_text import fit_for_pages

INSTALL = (
    "a report needs Jinja, Altair and vl-convert, which are not all installed; run: pip install 'pellucid[report]'"
)
LIBRARIES = ("pellucid", "numpy", "polars", "altair", "vl-convert-python", "jinja2")


def check_installed() -> None:
    """Raise before any work is done when a report could not be drawn."""
    try:
        import altair  # noqa: F401
        import jinja2  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError:
        raise OutputError(INSTALL) from None


def render(content: dict[str, Any]) -> str:
    """The page of this content."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pellucid.reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["probability"] = probability
    return str(fit_for_pages(environment.get_template("report.html").render(content)))


def versions() -> dict[str, str]:
    """The programs that took part."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
