"""A benchmark says what it measured."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


def test_the_benchmark_of_queries_counts_the_classes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(__file__).parents[2] / "benchmark" / "queries.py"
    spec = importlib.util.spec_from_file_location("queries_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    for name, size in {"ROWS": 600, "GROUPS": 60, "QUERIES": 5}.items():
        monkeypatch.setattr(benchmark, name, size)
    benchmark.main()
    told = capsys.readouterr().out
    assert "anatomy: 600 boxes in 60 classes" in told
    assert "intervals: 60 boxes in 60 classes" in told
