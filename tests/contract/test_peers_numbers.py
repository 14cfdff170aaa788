"""The expected values of other tools: each is equal, or differs for a reason that comes out when it is computed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmark"
EVERY = 61


@pytest.fixture(scope="module")
def numbers() -> ModuleType:
    sys.path.insert(0, str(BENCHMARK))
    try:
        spec = importlib.util.spec_from_file_location("peers_numbers", BENCHMARK / "peers_numbers.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["peers_numbers"] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARK))
    return module


@pytest.mark.filterwarnings("ignore")
def test_no_difference_is_unexplained(numbers: ModuleType) -> None:
    """Some of ARX's and all of sdcMicro's; those whose table is not at hand are left out."""
    found = numbers.answers(EVERY)
    assert [one for one in found if one.standing == numbers.WHY] == []
    assert sum(one.standing == numbers.EQUAL for one in found) >= len(found) / 2
    assert len(found) >= 27
    assert "**0 are unexplained.**" in numbers.page(found)


def test_a_wrong_expectation_is_found(numbers: ModuleType) -> None:
    table = {"table": "two", "keys": {"A": [1, 1]}, "weights": [2.0, 3.0], "fk": [2, 2], "Fk": [5.0, 5.0], "n1": 0}
    assert {one.standing for one in numbers.frequencies_of(table | {"n2": 2})} == {numbers.EQUAL}
    wrong = numbers.frequencies_of(table | {"n2": 1})
    assert [one.what for one in wrong if one.standing == numbers.WHY] == ["two: n2"]
