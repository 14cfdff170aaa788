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
INPUTS |= {"groups": 3, "workload": 150, "command": 4, "python": 60}


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
def test_the_unchanged_corpus_is_read(fuzz: ModuleType, place: Any) -> None:
    for name, todo in {"schema": "load", "recipe": "open", "workload": "load", "groups": "attack"}.items():
        for content in place.corpus[name]:
            assert fuzz.KINDS[name].work((todo, content), place) == "read"
    for ending, content in zip((".csv", ".json", ".toml"), place.corpus["taxonomy"], strict=True):
        assert fuzz.KINDS["taxonomy"].work((ending, content), place) == "read"


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
