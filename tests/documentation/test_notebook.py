"""The notebook runs from top to bottom and shows what it was saved with; --rewrite-golden saves it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FILE = Path(__file__).parents[2] / "docs" / "tutorials" / "whole-job.ipynb"
# A reader's coins are secret. Here they are fixed, so that there is something to compare; the cell is not kept.
FIXED_COINS = """
from pellucid.core.coins import Coins
Coins.fresh = classmethod(lambda cls: cls.from_seed("the pages"))
"""


@pytest.mark.filterwarnings("ignore")  # of Jupyter's own libraries
def test_the_notebook_shows_what_it_was_saved_with(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    saved = FILE.read_text(encoding="utf-8")
    now = text_of(executed(tmp_path))
    if request.config.getoption("--rewrite-golden"):
        FILE.write_text(now, encoding="utf-8")
    for before, after in zip(json.loads(saved)["cells"], json.loads(now)["cells"], strict=True):
        assert before == after
    assert saved == now


def test_the_notebook_does_the_whole_job() -> None:
    code = "".join("".join(cell["source"]) for cell in json.loads(FILE.read_text())["cells"])
    for step in ("pc.read", "pc.publish", "pc.verify", "pc.attack", "pc.measure", "pc.report"):
        assert step in code


def executed(folder: Path) -> Any:
    """The notebook as it looks after it was run in this folder."""
    notebook = nbformat.read(FILE, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FIXED_COINS))
    NotebookClient(
        notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    del notebook.cells[0]
    return tidied(notebook)


def tidied(notebook: Any) -> Any:
    """Without what differs from run to run: times, counts, the kernel's version."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(notebook.cells):
        cell.metadata = {}
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = None
                output.pop("metadata", None) if output.output_type == "stream" else output.update(metadata={})
    return notebook


def text_of(notebook: Any) -> str:
    """The file."""
    return str(nbformat.writes(notebook)) + "\n"
