"""How the tests that hold for every method set it up: a setting whose published groups are l-diverse for a given l.

Those of :data:`SIZES` have at least l rows instead.

A method that is registered without a line here fails the contract tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.anonymize.methods import Grouping, Method, methods
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError
from pellucid.models import PrivacyModel
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.l_diversity import LDiversity


def most_frequent_value(table: Table) -> object:
    (column,) = table.having(Role.SENSITIVE)
    return table.attributes[column].values[int(np.bincount(table.codes[column]).argmax())]


SETTINGS: dict[str, Callable[[int, Table], Method]] = {
    "ace": lambda l, _: methods()["ace"](l=l),
    "alpha-k": lambda l, _: methods()["alpha-k"](alpha=f"1/{l}", k=l),
    "anatomy": lambda l, _: methods()["anatomy"](l=l),
    "art": lambda l, _: methods()["art"](r=l),
    "audited": lambda l, _: methods()["audited"](l=l),
    "greedy-grouping": lambda l, _: methods()["greedy-grouping"](l=l),
    "hybrid": lambda l, _: methods()["hybrid"](l=l),
    "incognito": lambda l, _: methods()["incognito"](l=l),
    # no rules on small tables, where they can leave nobody together
    "injector": lambda l, _: methods()["injector"](l=l, expectation=60.0),
    "mdav": lambda l, _: methods()["mdav"](k=l),
    "mask": lambda l, table: methods()["mask"](k=l, l=l, sensitive=(most_frequent_value(table),)),
    "mondrian": lambda l, _: methods()["mondrian"](l=l),
    "opt-gen": lambda l, _: methods()["opt-gen"](l=l),
    "randomized-greedy-grouping": lambda l, _: methods()["randomized-greedy-grouping"](l=l, p=0.3),
    "soft-cut": lambda l, _: methods()["soft-cut"](l=l),
    "spurious-records": lambda l, _: methods()["spurious-records"](k=l, l=l),
    # strata of which some are whole are tried in tests/property/test_strata_equals_definition.py: here there is one
    "strata": lambda l, table: methods()["strata"](l=l, size=max(2, len(table), l if isinstance(l, int) else 2)),
    "symmetric-grouping": lambda l, _: methods()["symmetric-grouping"](l=l),
    "tailor": lambda l, _: methods()["tailor"](l=l),
}

# These may find a table infeasible that is l-diverse as a whole, for reasons of their own: a line of rows whose every
# beginning fails, rules that exclude too much, groups with too few values to add, groups none of which may lend values.
REFUSING = {"art", "greedy-grouping", "randomized-greedy-grouping", "injector", "mask", "spurious-records"}
COARSE = {"alpha-k", "incognito"}  # columns without a taxonomy are whole or open
SIZES = {"mdav"}  # promise how many rows a group has, and nothing about values
QUADRATIC = {"mdav"}  # compare every row with all others
SEVERAL_ROWS = {"strata"}  # have strata of two rows at least, which are published whole where a value is too frequent
TINY = {"opt-gen"}  # at most 12 distinct vectors


def promised(name: str, table: Table, l: int) -> PrivacyModel:
    """What the published groups satisfy."""
    if name == "mask":
        return LDiversity(l=l, sensitive=(most_frequent_value(table),), together=True)
    return KAnonymity(k=l) if name in SIZES else LDiversity(l=l)


def grouped(name: str, table: Table, l: int, *, seed: int = 1, threads: int = 1) -> Grouping | None:
    """The method's groups; None where it refuses for a reason of its own."""
    try:
        return SETTINGS[name](l, table).group(table, Coins.from_seed(seed), threads=threads)
    except Infeasible:
        if name in REFUSING:
            return None
        raise
    except MethodError as wrong:
        if name in TINY and "12" in str(wrong):
            return None
        raise


@dataclass(frozen=True)
class Reaching:
    """A setting of a method in which its distinctive step happens, and how the groups show that it did.

    ``shows`` is given the table, the groups, and those of the setting above.
    """

    parameters: Mapping[str, Any]
    shows: Callable[[Table, Grouping, Grouping], bool]


def _sizes(low: int, high: int) -> Callable[[Table, Grouping, Grouping], bool]:
    return lambda _, made, __: bool((made.sizes >= low).all() and (made.sizes <= high).all() and len(made) > 1)


def _otherwise(_: Table, made: Grouping, usual: Grouping) -> bool:
    return not np.array_equal(made.labels, usual.labels) and len(made) > 1


def _other_than(name: str) -> Callable[[Table, Grouping, Grouping], bool]:
    return lambda table, made, _: not np.array_equal(made.labels, _of(name, table).labels) and len(made) > 1


def _more_than(name: str) -> Callable[[Table, Grouping, Grouping], bool]:
    return lambda table, made, _: len(made) > len(_of(name, table)) > 1


def _of(name: str, table: Table) -> Grouping:
    return SETTINGS[name](3, table).group(table, Coins.from_seed(1), threads=1)


def _replaced(table: Table, made: Grouping, _: Grouping) -> bool:
    (column,) = table.having(Role.SENSITIVE)
    return made.sensitive is not None and bool((made.sensitive != table.codes[column]).any())


# With l = 3 and the parameters beside, on a census of few rows.
REACHING: dict[str, tuple[Reaching, ...]] = {
    "ace": (Reaching({}, _sizes(3, 5)), Reaching({"k": 10}, _sizes(10, 40))),
    "alpha-k": (Reaching({"k": 10}, _otherwise),),
    "anatomy": (Reaching({}, _sizes(3, 4)), Reaching({"k": 6}, _sizes(6, 11))),
    "art": (Reaching({"r": 5}, _otherwise),),
    "audited": (Reaching({}, _other_than("mondrian")),),
    "greedy-grouping": (Reaching({"order": "hilbert"}, _otherwise), Reaching({"anatomize": True}, _otherwise)),
    "hybrid": (Reaching({}, _more_than("tailor")), Reaching({"k": 10}, _otherwise)),
    "incognito": (
        Reaching({}, lambda _, made, __: made.levels is not None and any(made.levels)),
        Reaching({"l": None, "k": 5, "max_suppressed": 0.1}, lambda _, made, __: made.suppressed > 0),
    ),
    "injector": (Reaching({"expectation": 1.0}, _otherwise),),  # rules that rows of a group must not break
    "mdav": (Reaching({}, _sizes(3, 5)), Reaching({"k": 7}, _sizes(7, 13))),
    "mask": (Reaching({}, _replaced), Reaching({"k": 10, "l": 6}, _replaced)),
    "mondrian": (Reaching({"strict": True}, _otherwise), Reaching({"retry": False}, _otherwise)),
    "opt-gen": (Reaching({}, lambda _, made, __: len(made) > 1),),
    "randomized-greedy-grouping": (Reaching({"p": 0.9}, _otherwise), Reaching({}, _other_than("greedy-grouping"))),
    "soft-cut": (Reaching({}, _other_than("hybrid")), Reaching({"k": 10}, _otherwise)),
    "spurious-records": (
        Reaching({"k": 2, "l": 2}, lambda _, made, __: made.added is not None and len(made.added[0]) > 0),
    ),
    "symmetric-grouping": (Reaching({}, _other_than("greedy-grouping")),),
    "strata": (Reaching({"size": 40}, _otherwise),),
    "tailor": (Reaching({}, lambda _, made, __: len(made) > 1),),
}
