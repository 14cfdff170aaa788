"""Functions have one idea: outside of kernels few are above complexity 10, none above 15; only verbs take much.

Counted by ``benchmark/house.py``, where every branch of an expression and every loop of a comprehension counts.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import pellucid as pc

ROOT = Path(__file__).parents[2]
VERBS = "src/pellucid/cli/verbs/"  # the options of a verb are its parameters


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", ROOT / "benchmark" / "house.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["house"] = module
    spec.loader.exec_module(module)
    return module


def test_no_function_is_above_15_and_only_public_ones_take_more_than_8_parameters(
    house: ModuleType,
) -> None:
    public = {*pc.__all__, *pc.posterior.__all__}
    functions = [one for one in house.functions(ROOT) if not one.kernel]
    assert len(functions) > 3000
    assert [one.place for one in functions if one.complexity > 15] == []
    assert sum(one.complexity > 10 for one in functions) <= 0.03 * len(functions)
    many = [one.place for one in functions if one.parameters > 8]
    assert [place for place in many if place.split()[-1] not in public and not place.startswith(VERBS)] == []


def test_the_count_sees_what_a_reader_has_to_follow(house: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "made.py").write_text(
        "def f(a, *, b):\n"
        "    if a and b:\n"
        "        return [x if x else 0 for x in a if x]\n"
        "    for _ in a:\n"
        "        pass\n"
    )
    (only,) = house.functions(tmp_path)
    assert (only.complexity, only.parameters) == (7, 2)
