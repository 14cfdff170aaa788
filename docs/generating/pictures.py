"""Pictures of ours stand in the page itself, so that they take its colours, light or dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes

DRAWN = Path(__file__).parents[1] / "img" / "explained"


def drawn_inline(app: Any, doctree: nodes.document, _page: str) -> None:
    """Put the drawing where its image was; other formats keep the image."""
    if app.builder.format != "html":
        return
    for image in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir) / image["uri"]
        if path.parent == DRAWN:
            drawing = path.read_text(encoding="utf-8")
            alone = isinstance(image.parent, nodes.paragraph) and len(image.parent) == 1
            place = image.parent if alone else image
            place.replace_self(nodes.raw("", f'<div class="drawing" tabindex="0">{drawing}</div>', format="html"))
