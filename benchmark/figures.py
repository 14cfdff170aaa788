"""What benchmarks share: figures with their limits and the table of them, the machine, what is kept of runs, pages."""

from __future__ import annotations

import json
import os
import platform
import struct
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.runtime.whole_file import write_whole

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


def kept(path: Path) -> dict[str, Any]:
    """What earlier runs found, by case."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def keep(path: Path, results: Mapping[str, Any]) -> None:
    """Write what was found so far, a line per case."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in results.items())
    write_whole(path, f"{{\n{lines}\n}}\n".encode())


def smaller(png: bytes) -> bytes:
    """The same picture, compressed as far as it goes."""
    out, packed, at = [png[:8]], b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        chunk = png[at : at + 12 + length]
        if kind == b"IDAT":
            packed += chunk[8:-4]
        elif kind == b"IEND":
            data = zlib.compress(zlib.decompress(packed), 9)
            sum_of = struct.pack(">I", zlib.crc32(b"IDAT" + data))
            out += [struct.pack(">I", len(data)) + b"IDAT" + data + sum_of, chunk]
        else:
            out.append(chunk)
        at += 12 + length
    return b"".join(out)


def write_page(out: Path, page: str, chart: str, picture: bytes) -> None:
    """A page and, beside it, its chart."""
    write_whole(out.parent / chart, smaller(picture))
    write_whole(out, page.encode())
    say(f"wrote {out}")
