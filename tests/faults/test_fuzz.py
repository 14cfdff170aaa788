"""A small, fixed part of benchmark/fuzz.py: nothing that is read ends with a traceback; the fuzzer sees what does."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmark"
INPUTS = {"csv": 25, "parquet": 15, "arrow": 15, "schema": 60, "job": 60, "taxonomy": 150, "recipe": 50}
INPUTS |= {"groups": 5, "workload": 150, "command": 8, "python": 120, "expression": 60, "header": 60}
INPUTS |= {"merge": 60}


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    sys.path.insert(0, str(BENCHMARK))
    try:
        return importlib.import_module("fuzz")
    finally:
        sys.path.remove(str(BENCHMARK))


@pytest.fixture
def place(fuzz: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)  # undone at the end; Workplace moves there too
    return fuzz.Workplace.made(tmp_path)


@pytest.mark.filterwarnings("ignore")
def test_no_input_ends_with_a_traceback(fuzz: ModuleType, place: Any, thorough: bool) -> None:
    assert set(INPUTS) == set(fuzz.KINDS)
    for name, inputs in INPUTS.items():
        for number in range(inputs * (20 if thorough else 1)):
            answer, where, trace = fuzz.try_one(fuzz.KINDS[name], place, 1, number)
            assert answer in ("read", "refused"), f"{name} {number}: {where}\n{trace}"


@pytest.mark.filterwarnings("ignore")
def test_what_was_found_before_is_refused_or_read(fuzz: ModuleType, place: Any) -> None:
    """Every input that once ended with a traceback, or worse; a process that ends with it ends this test too."""
    found = sys.modules["fuzzed"].kept_findings()
    assert {kind for kind, _ in found} >= {"schema", "arrow", "parquet", "command", "python"}
    for kind, made in found:
        answer, where, trace = fuzz.try_made(fuzz.KINDS[kind], place, made)
        assert answer in ("read", "refused"), f"{kind} {made}: {where}\n{trace}"


@pytest.mark.filterwarnings("ignore")
def test_the_unchanged_corpus_is_read(fuzz: ModuleType, place: Any) -> None:
    todo = {"schema": "{}", "job": "{}", "recipe": "open out", "workload": "also", "groups": "folder"}
    for name, what in todo.items():
        for file, content in place.corpus[name].items():
            done = fuzz.KINDS[name].work((what.format(Path(file).stem), content), place)
            assert done == "read", (name, file)
    for bundle, content in place.recipes.items():
        for what in ("tell", "open", "levels", "verify", "attack", "measure"):
            assert fuzz.KINDS["recipe"].work((f"{what} {bundle}", content), place) == "read"
    for file, content in place.corpus["taxonomy"].items():
        assert fuzz.KINDS["taxonomy"].work((Path(file).suffix, content), place) == "read"


@pytest.mark.filterwarnings("ignore")
def test_a_process_that_hangs_or_ends_is_found_and_the_next_goes_on(
    fuzz: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first process is ended from outside, as a library that aborts would: the inputs after it are worked on."""
    real = fuzz.Member.start
    ended: list[int] = []

    def started(member: Any) -> None:
        real(member)
        if not ended:
            assert member.pipe.poll(120)
            ended.append(member.process.pid)
            member.process.kill()

    monkeypatch.setattr(fuzz.Member, "start", started)
    tally = fuzz.fuzz(["workload", "taxonomy"], seed=1, seconds=120, inputs=200, findings=tmp_path)
    (what,) = tally.findings
    assert "ends the process (-9)" in what
    assert sum(tally.done.values()) >= 200


@pytest.mark.filterwarnings("ignore")
def test_the_fuzzer_sees_what_is_wrong(fuzz: ModuleType, place: Any) -> None:
    def broken(_made: object, _place: object) -> str:
        raise KeyError("x")

    def greedy(_made: object, _place: object) -> str:
        return "read" if len(b"x" * (2 * fuzz.BESIDE)) else ""

    kind = fuzz.KINDS["csv"]
    answer, where, _ = fuzz.try_one(fuzz.Kind("csv", kind.make, broken), place, 1, 1)
    assert (answer, where.split(" ")[0]) == ("found", "KeyError")
    if Path("/proc/self/clear_refs").exists():
        answer, where, _ = fuzz.try_one(fuzz.Kind("csv", kind.make, greedy), place, 1, 1)
        assert answer == "found"
        assert "MiB" in where
