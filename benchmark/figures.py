"""What benchmarks share: a figure with its limit, the table that shows figures, and the machine they come from."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("PELLUCID_DATA", ROOT.parent / "shared" / "data"))
MACHINE = f"Machine: {os.cpu_count()} cores, Python {platform.python_version()}, {platform.machine()}."


@dataclass
class Figure:
    """One line of the table: what was measured, and the limit we set ourselves."""

    what: str
    measured: float
    unit: str
    limit: float | None
    note: str
    at_least: bool = False

    @property
    def met(self) -> str:
        if self.limit is None:
            return ""
        return "yes" if (self.measured >= self.limit if self.at_least else self.measured <= self.limit) else "**no**"

    @property
    def line(self) -> str:
        limit = "" if self.limit is None else f"{'at least ' if self.at_least else ''}{self.limit:g}"
        measured = f"{self.measured:,.2f}" if self.measured < 1e6 else f"{self.measured:.1e}"
        return f"| {self.what} | {measured} {self.unit} | {limit} | {self.met} | {self.note} |"


def as_table(figures: Iterable[Figure]) -> str:
    return (
        "\n".join(["| what | measured | limit | met | |", "|---|---|---|---|---|", *(f.line for f in figures)]) + "\n"
    )


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def replace_between_marks(path: Path, mark: str, text: str) -> None:
    """Put `text` between `<!-- mark -->` and `<!-- end of mark -->` of a document that people wrote the rest of."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    _, after = rest.split(end)
    path.write_text(before + begin + text + end + after, encoding="utf-8")
