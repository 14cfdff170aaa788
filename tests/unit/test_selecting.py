"""Which tests run: all of them by and by, the same ones in every process, and every name in the lists is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import selecting

ROOT = Path(__file__).parents[2]
CASES = [f"tests/oracle/test_many.py::test_kind[kind {number}]" for number in range(250)]
DRAWS = [f"tests/unit/test_few.py::test_seed[{seed}-{rows}]" for seed in range(20) for rows in (3, 4)]
PRODUCTS = [f"{selecting.PRODUCTS[0]}::test_all[{one}-{other}]" for one in "abcdefgh" for other in "abcdefgh"]
ALONE = ["tests/oracle/test_many.py::test_one", "tests/unit/test_few.py::test_one"]


def test_a_run_has_some_of_many_cases_and_all_of_few() -> None:
    found = selecting.usual([*CASES, *DRAWS, *PRODUCTS, *ALONE], seed=1)
    assert len(found & set(CASES)) == selecting.MOST_CASES
    assert len(found & set(DRAWS)) == selecting.MOST_NUMBERS
    assert len(found & set(PRODUCTS)) == selecting.MOST_PRODUCTS
    assert found >= set(ALONE)
    pages = {f"{selecting.LOOKED_THROUGH[0]}[/page-{number}]" for number in range(30)}
    assert len(selecting.usual(pages, seed=1)) == selecting.MOST_LOOKED_THROUGH
    assert len(selecting.usual([f"{selecting.WALKED[0]}[a-1]", f"{selecting.WALKED[0]}[b-2]"], seed=1)) == 1
    slow = {f"{selecting.slow_functions()[0]}[kind {number}]" for number in range(30)}
    assert len(selecting.usual(slow, seed=1)) == selecting.MOST_SLOW
    worlds = next(name for name in selecting.slow_functions() if name.startswith(selecting.WHOLE_CONFIGURATIONS))
    assert len(selecting.usual([f"{worlds}[{seed}]" for seed in range(9)], seed=1)) == selecting.MOST_CONFIGURATIONS
    few = set(CASES[: selecting.MOST_CASES])
    assert selecting.usual(few, seed=1) == few
    on_spark = {name.replace("oracle", "engines") for name in CASES}
    assert len(selecting.usual(on_spark, seed=1)) == selecting.MOST_ON_SPARK
    remembered = {name.replace("test_kind", "test_what_once_was_wrong_is_not") for name in CASES}
    assert selecting.usual(remembered, seed=1) == remembered
    named = [name.replace("oracle", "unit") for name in CASES]
    assert selecting.usual(named, seed=1) == set(named)  # a list of names outside of these folders is no enumeration


def test_every_process_chooses_the_same_ones_and_another_run_others() -> None:
    assert selecting.usual(CASES, seed=1) == selecting.usual(CASES[::-1], seed=1)
    assert selecting.usual(CASES, seed=1) != selecting.usual(CASES, seed=2)
    for many in (CASES, DRAWS, PRODUCTS):
        assert set().union(*(selecting.usual(many, seed=seed) for seed in range(800))) == set(many)


def test_quick_is_a_part_without_what_takes_long() -> None:
    slow = selecting.slow_functions()[0]
    found = selecting.quick([*CASES, *ALONE, "tests/web/test_serve.py::test_x", f"{slow}[1]", slow], seed=1)
    assert len(found & set(CASES)) == selecting.QUICK_CASES
    assert found - set(CASES) == set(ALONE)


@pytest.mark.parametrize(
    "name",
    [
        *selecting.slow_functions(),
        *selecting.BY_FILE,
        *selecting.LONGEST_FIRST,
        *selecting.PRODUCTS,
        *selecting.LOOKED_THROUGH,
        *selecting.WALKED,
    ],
)
def test_what_is_listed_exists(name: str) -> None:
    file, _, function = name.partition("::")
    assert (ROOT / file).exists(), f"{name} is in tests/selecting.py or tests/slow.txt; it has moved"
    assert not function or f"def {function.split('::')[-1]}(" in (ROOT / file).read_text(encoding="utf-8")


def test_a_file_with_something_that_is_made_once_for_its_tests_is_listed() -> None:
    """Dealt one by one, its tests would make it in every process."""
    shared = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r'^@pytest\.fixture\(scope="(module|session)"', path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(shared) > 20
    assert [file for file in shared if selecting.together(f"{file}::test_x") not in (file, "spark")] == []


def test_what_takes_longest_begins_first() -> None:
    java, page, short = "tests/engines/test_spark_audit.py::x", "tests/web/test_flow.py::x", "tests/unit/test_die.py::x"
    assert sorted([short, page, java], key=selecting.turn) == [java, page, short]


def test_one_process_has_the_session_of_spark_and_a_file_with_something_shared_is_not_parted() -> None:
    assert selecting.together("tests/engines/test_spark_audit.py::test_x[1]") == "spark"
    for file in selecting.WITHOUT_THE_SESSION:
        path = f"tests/engines/{file}"
        assert (ROOT / path).exists()
        assert selecting.together(f"{path}::test_x") == (path if path in selecting.BY_FILE else f"{path}::test_x")
    assert selecting.together("tests/web/test_flow.py::test_x") == "tests/web/test_flow.py"
