"""A comparison of twelve settings that can be stopped after two of them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pellucid as pc
from pellucid.runtime.progress import SILENT, Progress

ROWS = 3000


class StopsAfterTwo:
    """Progress that says when two settings are done, and then waits to be killed."""

    def stage(self, name: str, total: int) -> None:
        """Nothing is said of stages."""

    def advance(self, done: int) -> None:
        """Wait for ever once two settings are done."""
        if done >= 2 * ROWS:
            print("two", flush=True)
            time.sleep(3600)


def compare_twelve(out: Path, progress: Progress = SILENT) -> None:
    """Compare them, one after the other."""
    methods = [method(l=l) for method in (pc.Hybrid, pc.Anatomy) for l in range(2, 8)]
    # exact attacks alone: one that is not done when patience ends may be, the next time
    attackers = [pc.Adversary(), pc.Adversary(knows="algorithm")]
    source = f"census:{ROWS}"
    schema = pc.datasets.schema_of(source)
    pc.compare(source, methods, [pc.Perimeter()], attackers, schema=schema, out=out, workers=1, progress=progress)


if __name__ == "__main__":
    compare_twelve(Path(sys.argv[1]), StopsAfterTwo())
