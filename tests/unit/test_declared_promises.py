"""What a method promises is declared by the method: nobody looks for a parameter of some name.

So is whether it draws coins: such a method gives other groups when it is run again, although an identifier orders the
rows.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Method, methods
from pellucid.core.coins import Coins
from plain.settings import SEVERAL_ROWS

SOURCE = Path(pc.__file__).parent
SETTINGS: list[dict[str, Any]] = [
    {"l": 3},
    {"l": 3, "p": 0.5},
    {"l": 3, "k": 5},
    {"l": 3, "k": 5, "sensitive": ("flu",)},
    {"alpha": 0.5, "k": 3},
    {"r": 3},
    {"k": 3},
]


def smallest(method: type[Method]) -> dict[str, Any]:
    """The first setting that a method takes."""
    for setting in SETTINGS:
        try:
            method(**setting)
        except pc.MethodError:
            continue
        return setting
    raise AssertionError(method.name)


@pytest.mark.parametrize("method", methods().values(), ids=list(methods()))
def test_a_setting_of_one_promises_nothing_and_one_of_three_something(method: type[Method]) -> None:
    given = smallest(method)
    assert not method(**given).promises_nothing
    if "alpha" not in given:  # k = 1 with a share still promises the share
        least = "l" if "l" in given else next(iter(given))
        assert method(**given | {least: 1}).promises_nothing


@pytest.mark.parametrize("method", methods().values(), ids=list(methods()))
def test_whoever_asks_for_diversity_is_told_the_model_that_groups_satisfy(method: type[Method]) -> None:
    given = smallest(method)
    satisfied = method(**given).satisfied()
    if method.name in SEVERAL_ROWS:  # groups below a stratum's size do
        assert (satisfied, method(**given).satisfied_below("ill")) == (None, pc.LDiversity(l=3))
    elif "l" in given and "sensitive" in given:  # these values count together
        assert satisfied == pc.LDiversity(l=3, sensitive=given["sensitive"], together=True)
    elif "l" in given:
        assert satisfied == pc.LDiversity(l=3)
    elif "alpha" in given:
        assert satisfied == pc.AlphaKAnonymity(alpha=0.5, k=3)
    else:
        assert satisfied == (pc.KAnonymity(k=3) if "k" in given else None)


def test_protected_values_are_those_that_any_parameter_names() -> None:
    chosen = [
        pc.SoftCut(l=2, values=("flu",)),
        pc.Mask(k=2, l=2, sensitive="flu"),
        pc.ART(r=2, sensitive=("flu",)),
        pc.AlphaK(alpha=0.5, k=2, sensitive=("flu",)),
        pc.GreedyGrouping(l=2, binary=("flu",)),
        pc.Tailor(model=pc.LDiversity(l=2, sensitive=("flu",))),
    ]
    assert [method.protects for method in chosen] == [("flu",)] * len(chosen)
    assert pc.SoftCut(l=2).protects is None


def test_no_code_digs_for_what_is_promised() -> None:
    """``l`` is looked up by name only to be shown as it was typed."""
    dug = re.compile(r"getattr\(\w*method\w*, \"(required|sensitive|binary|values|r|alpha)\"")
    assert [str(path) for path in SOURCE.rglob("*.py") if dug.search(path.read_text())] == []


BINARY = {"l": 2, "binary": "a"}


@pytest.mark.parametrize(
    ("method", "draws"),
    [
        (pc.Tailor(l=2), False),
        (pc.Mondrian(l=2), False),
        (pc.Hybrid(l=2), True),
        (pc.SoftCut(l=2), True),
        (pc.Ace(l=2), True),
        (pc.Anatomy(l=2), True),
        (pc.GreedyGrouping(**BINARY), False),
        (pc.SymmetricGrouping(**BINARY), False),
        (pc.RandomizedGreedyGrouping(**BINARY, p=0.5), True),
    ],
)
def test_what_a_method_says_of_its_coins_is_so(method: Method, draws: bool) -> None:
    random = Random(4)
    rows = range(80)
    frame = pl.DataFrame(
        {
            "name": list(rows),
            "age": [random.randrange(20, 60) for _ in rows],
            "zip": [random.randrange(9) for _ in rows],
            "s": [random.choice("aabbccdd") for _ in rows],
        }
    )
    table = pc.read(frame, quasi=["age", "zip"], sensitive="s", identifier="name")
    found = {method.group(table, Coins.from_seed(seed)).labels.tobytes() for seed in range(4)}
    assert method.draws_coins is draws
    assert (len(found) > 1) is draws
