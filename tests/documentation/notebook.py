"""Runs the notebook cell by cell in a kernel of its own, with fixed coins, and keeps what a reader would see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FILE = Path(__file__).parents[2] / "docs" / "tutorials" / "whole-job.ipynb"
# A reader's coins are secret. Here they are fixed, so that there is something to compare; the cell is not kept.
FIXED_COINS = """
from pellucid.coins import Coins
Coins.fresh = classmethod(lambda cls: cls.from_seed("the pages"))
"""


def executed(folder: Path) -> Any:
    """The notebook as it looks after it was run in this folder."""
    notebook = nbformat.read(FILE, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FIXED_COINS))
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
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
