"""What the site makes of the package when it is built, so that no page of the reference can be out of date.

A page writes ``<!-- generated: methods -->`` where the text of :mod:`generating.methods` belongs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from generating import adversaries, fields, methods, metrics, models, names, notebook, pictures, schemas, verbs

PLACE = re.compile(r"^<!-- generated: (\S+) -->$", re.MULTILINE)
TEXTS: Mapping[str, Callable[[], str]] = {
    "verbs": verbs.text,
    "methods": methods.text,
    "models": models.text,
    "metrics": metrics.text,
    "adversaries": adversaries.text,
    "names": names.text,
    "fields": fields.text,
    "schemas": schemas.text,
    "notebook": notebook.text,
}


def fill(page: str) -> str:
    """A page with its places filled; an unknown one is an error of the build."""
    return PLACE.sub(lambda place: TEXTS[place[1]](), page)


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx when to ask."""
    app.connect("source-read", lambda _app, _page, source: source.__setitem__(0, fill(source[0])))
    app.connect("doctree-resolved", pictures.drawn_inline)
    app.connect("build-finished", notebook.copied)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
