"""The notebook runs from top to bottom and shows what it was saved with; --rewrite-golden saves it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from documentation import notebook


@pytest.mark.filterwarnings("ignore")  # of Jupyter's own libraries
def test_the_notebook_shows_what_it_was_saved_with(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    saved = notebook.FILE.read_text(encoding="utf-8")
    now = notebook.text_of(notebook.executed(tmp_path))
    if request.config.getoption("--rewrite-golden"):
        notebook.FILE.write_text(now, encoding="utf-8")
    for before, after in zip(json.loads(saved)["cells"], json.loads(now)["cells"], strict=True):
        assert before == after
    assert saved == now


def test_the_notebook_does_the_whole_job() -> None:
    code = "".join("".join(cell["source"]) for cell in json.loads(notebook.FILE.read_text())["cells"])
    for step in ("pc.read", "pc.publish", "pc.verify", "pc.attack", "pc.measure", "pc.report"):
        assert step in code
