"""A comparison outlives a process that dies or fails once, and says what happened when it fails twice."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

import pellucid as pc
from pellucid.comparison import Inquiry
from pellucid.comparison.workers import filled
from plain.failing_methods import DiesAtFirst

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}


def compared(path: Path, lines: list[str], **how: Any) -> pc.Comparison:
    path.write_text("\n".join(lines))
    methods = [pc.Tailor(l=2), DiesAtFirst(k=2, file=str(path)), pc.Anatomy(l=2)]
    return pc.compare(pc.datasets.patients(), methods, [pc.Perimeter()], [pc.Adversary()], **how, **ROLES)


@pytest.mark.parametrize("once", ["die", "fail"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_that_dies_or_fails_once_costs_nothing(tmp_path: Path, once: str, workers: int) -> None:
    found = compared(tmp_path / "lines", [once], workers=workers)
    assert [cell.groups > 0 for cell in found.cells] == [True, True, True]
    assert (tmp_path / "lines").read_text() == ""  # it did fail


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("die", "ended with code 9, perhaps for want of memory"),
        ("secret value", r"bug of pellucid \(ZeroDivisionError in failing_methods.py, line \d+\)"),
    ],
)
def test_who_fails_twice_is_one_line_and_what_is_done_stays(tmp_path: Path, how: str, told: str) -> None:
    out = tmp_path / "out"
    found = compared(tmp_path / "lines", [how, how], out=out, workers=1)
    assert [cell.failed for cell in found.cells] == [False, True, False]
    assert [cell.groups > 0 for cell in found.cells] == [True, False, True]
    assert re.search(told, str(found.cells[1].refused))
    assert "secret value" not in str(found.cells[1].refused)
    assert "failed" in found.in_short().row(1)
    assert sorted(path.name[:6] for path in (out / "cells").glob("*.json")) == ["anatom", "tailor"]
    again = compared(tmp_path / "lines", [], out=out, workers=1)
    assert [cell.method for cell in again.cells] == ["tailor", "dies-at-first", "anatomy"]


def test_where_every_setting_fails_that_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("die\ndie")
    failing = [DiesAtFirst(k=2, file=str(tmp_path / "lines"))]
    with pytest.raises(pc.MethodError, match="ended with code 9"):
        pc.compare(pc.datasets.patients(), failing, [pc.Perimeter()], [pc.Adversary()], workers=1, **ROLES)


def test_closing_ends_every_process_also_before_the_first_answer() -> None:
    table = pc.read(pc.datasets.patients(), **ROLES)
    mine = psutil.Process()
    before = set(mine.children(recursive=True))
    question = Inquiry([pc.Perimeter()], [pc.Adversary()], 10.0, 1)
    cells = filled(table, [pc.Tailor(l=2)] * 6, question, workers=2, threads=1)
    next(cells)
    cells.close()
    assert set(mine.children(recursive=True)) <= before


def test_a_thread_that_cannot_be_started_is_the_error_that_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    table = pc.read(pc.datasets.patients(), **ROLES)
    monkeypatch.setattr(threading.Thread, "start", full)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        next(filled(table, [pc.Tailor(l=2)], Inquiry([pc.Perimeter()], [], 1.0, 1), workers=1, threads=1))
