"""The notebook as a page: its texts, its code, and the outputs that it was saved with."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from generating.markdown import paragraphs

FILE = Path(__file__).parents[1] / "tutorials" / "whole-job.ipynb"
FENCE = "``````"


def text() -> str:
    """Every cell."""
    cells = json.loads(FILE.read_text(encoding="utf-8"))["cells"]
    return paragraphs(*(part for cell in cells for part in parts(cell)))


def parts(cell: Mapping[str, Any]) -> Iterator[str]:
    """A text as it is; code with what it showed."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"{FENCE}python\n{source}\n{FENCE}"
    for output in cell["outputs"]:
        yield shown(output)


def shown(output: Mapping[str, Any]) -> str:
    """One output: a view, a picture or lines of text."""
    data = output.get("data", {})
    if "text/html" in data:
        return f'{FENCE}{{raw}} html\n<div class="shown">{"".join(data["text/html"])}</div>\n{FENCE}'
    lines = "".join(output.get("text") or data.get("text/plain", ""))
    return f"{FENCE}text\n{lines.rstrip()}\n{FENCE}"


def copied(app: Any, wrong: Exception | None) -> None:
    """Lay the notebook and the JSON schemas beside the pages that link them."""
    if wrong is None and app.builder.format == "html":
        root = Path(app.outdir)
        (root / "tutorials").mkdir(exist_ok=True)
        shutil.copy(FILE, root / "tutorials" / FILE.name)
        shutil.copytree(FILE.parents[1] / "schemas", root / "schemas", dirs_exist_ok=True)
