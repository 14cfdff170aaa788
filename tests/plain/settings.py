"""How the tests that hold for every method set it up: a setting whose published groups are l-diverse for a given l.

Those of :data:`SIZES` have at least l rows instead.

A method that is registered without a line here fails the contract tests.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.coins import Coins
from pellucid.errors import Infeasible, MethodError
from pellucid.group import Grouping, Method, methods
from pellucid.model import PrivacyModel
from pellucid.model.k_anonymity import KAnonymity
from pellucid.model.l_diversity import LDiversity
from pellucid.schema import Role
from pellucid.table import Table


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
