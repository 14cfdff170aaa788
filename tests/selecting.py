"""Which tests run, and which of them in one process, by the names that pytest gives them; tests/conftest.py asks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from random import Random

# The tests that share one Spark session go to one process; the other tests of engines start Java themselves or need
# none, and go wherever there is time. Files with something that is made once for all their tests go as a whole.
SPARK = "tests/engines/"
WITHOUT_THE_SESSION = (
    "test_one_pass.py",
    "test_parts_of_groups.py",
    "test_spark_driver_killed.py",
    "test_spark_ended.py",
    "test_spark_files.py",
    "test_spark_interrupted_start.py",
    "test_spark_program.py",
    "test_top_of_the_tree.py",
)
BY_FILE = (
    "tests/cli/test_safe_roles.py",
    "tests/cli/test_start.py",
    "tests/contract/test_agreement_with_pycanon.py",
    "tests/contract/test_attack_on_real_tables.py",
    "tests/contract/test_attack_population.py",
    "tests/contract/test_attack_report.py",
    "tests/contract/test_audit.py",
    "tests/contract/test_charts_are_vega_lite.py",
    "tests/contract/test_comparing.py",
    "tests/contract/test_functions_of_one_idea.py",
    "tests/contract/test_guessing_beside_the_promise.py",
    "tests/contract/test_peers_numbers.py",
    "tests/contract/test_reproducing.py",
    "tests/contract/test_soft_cut_attacked.py",
    "tests/documentation/test_links.py",
    "tests/documentation/test_recipes.py",
    "tests/documentation/test_site.py",
    "tests/engines/test_spark_ended.py",
    "tests/engines/test_spark_files.py",
    "tests/faults/test_fuzz.py",
    "tests/journeys/",
    "tests/property/test_tailor_by_model.py",
    "tests/report/",
    "tests/unit/test_datasets.py",
    "tests/unit/test_proved.py",
    "tests/unit/test_what_a_cell_stands_for.py",
    "tests/web/",
)

# Groups and tests that take longest, by the time that they take; all others are short and fill the gaps in the end.
LONGEST_FIRST = (
    SPARK,
    "tests/documentation/",
    "tests/web/",
    "tests/journeys/",
    "tests/report/",
    "tests/faults/",
    "tests/smoke/",
    "tests/cli/test_interrupt.py",
    "tests/contract/test_attack_on_real_tables.py",
    "tests/contract/test_benchmarks.py",
    "tests/contract/test_comparing.py",
)

# Where functions have cases by the hundred, drawn or enumerated, a run has so many of each: others the next time, since
# they are chosen by the seed of the run (--randomly-seed), and all of them with --thorough. A case that is only numbers
# is one more draw of the same kind, in any folder; one with a name may be a kind of its own.
ENUMERATED = ("tests/property/", "tests/oracle/", "tests/statistical/", "tests/engines/")
MOST_CASES = 3
MOST_ON_SPARK = 1  # a single case takes seconds there
REMEMBERED = re.compile(r"once_(was_)?wrong")  # what a name says so of is no draw: all of them, always
NUMBER = re.compile(r"\d+(-\d+)*")
MOST_NUMBERS = 2
# Every method with every recoder and format, or with every shape of a table. Each function draws methods of its own, so
# that a run has every method many times.
PRODUCTS = (
    "tests/contract/test_channels.py",
    "tests/contract/test_kept.py",
    "tests/contract/test_methods.py",
    "tests/contract/test_odd_values_measured.py",
    "tests/report/test_public_everywhere.py",
)
MOST_PRODUCTS = 4
# Pages that a browser draws and looks through, seconds for each, and walks through all of them, half a minute for each:
# what is wrong with one is mostly wrong with all.
LOOKED_THROUGH = ("tests/web/test_accessibility.py::test_a_page_with_everything_on_it",)
MOST_LOOKED_THROUGH = 2
WALKED = ("tests/web/test_walk.py::test_the_walk_from_a_file_to_the_signed_report",)
MOST_WALKED = 1

# Functions of which one case takes a second or more, in any folder. Where all worlds are asked a run has two of them,
# each with a whole configuration that is drawn: nothing else finds a verdict that is wrong.
SLOW = Path(__file__).parent / "slow.txt"
MOST_SLOW = 1
WHOLE_CONFIGURATIONS = "tests/oracle/"
MOST_CONFIGURATIONS = 2

# What --quick leaves out: whole folders, functions that take long, and of many cases all but two.
NOT_QUICK = tuple(
    f"tests/{folder}/"
    for folder in (
        *("cli", "documentation", "engines", "faults", "journeys", "property", "report", "smoke", "statistical"),
        "web",
    )
)
QUICK_CASES = 2


def together(name: str) -> str:
    """What a test is run together with: its group, or nothing but itself."""
    file = name.partition("::")[0]
    if file.startswith(SPARK) and not file.endswith(WITHOUT_THE_SESSION):
        return "spark"
    return file if file.startswith(BY_FILE) else name


def turn(name: str) -> int:
    """When a test begins: what takes longest goes first, or in the end one process waits for the other."""
    return next((at for at, start in enumerate(LONGEST_FIRST) if name.startswith(start)), len(LONGEST_FIRST))


def quick(names: Iterable[str], seed: int) -> set[str]:
    """The tests of --quick."""
    slow = set(slow_functions())
    return _sample(
        [name for name in names if not name.startswith(NOT_QUICK) and _function(name) not in slow], QUICK_CASES, seed
    )


def usual(names: Iterable[str], seed: int) -> set[str]:
    """The tests that run when nothing else is asked for."""
    every, slow = set(names), set(slow_functions())
    left = {name for name in every if _case(name) and not REMEMBERED.search(_function(name))}
    chosen = every - left
    for kind, most in (
        (lambda name: name.startswith(SPARK), MOST_ON_SPARK),
        (lambda name: _function(name) in slow and name.startswith(WHOLE_CONFIGURATIONS), MOST_CONFIGURATIONS),
        (lambda name: _function(name) in slow, MOST_SLOW),
        (lambda name: NUMBER.fullmatch(_case(name)), MOST_NUMBERS),
        (lambda name: name.startswith(ENUMERATED), MOST_CASES),
        (lambda name: name.startswith(PRODUCTS), MOST_PRODUCTS),
        (lambda name: name.startswith(LOOKED_THROUGH), MOST_LOOKED_THROUGH),
        (lambda name: name.startswith(WALKED), MOST_WALKED),
    ):
        some = {name for name in left if kind(name)}
        left -= some
        chosen |= _sample(some, most, seed)
    return chosen | left


def slow_functions() -> list[str]:
    """Functions of which one case takes more than about a second: --quick has none of them, a run a few cases."""
    return SLOW.read_text(encoding="utf-8").splitlines()


def _function(name: str) -> str:
    """What a test is a case of."""
    return name.partition("[")[0]


def _case(name: str) -> str:
    """Which case it is; nothing where there is one only."""
    return name.partition("[")[2].removesuffix("]")


def _sample(names: Iterable[str], most: int, seed: int) -> set[str]:
    """At most so many cases of each function, drawn by the seed: the same ones in every process."""
    cases: dict[str, list[str]] = {}
    for name in sorted(names):
        cases.setdefault(_function(name), []).append(name)
    return {
        name
        for function, each in cases.items()
        for name in (each if len(each) <= most else Random(f"{seed} {function}").sample(each, most))
    }
