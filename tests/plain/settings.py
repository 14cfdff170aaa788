"""How the tests that hold for every method set it up: name -> the method whose groups are l-diverse for a given l.

A method that is registered without a line here fails the contract tests.
"""

from __future__ import annotations

from collections.abc import Callable

from pellucid.group import Method, methods

Setting = Callable[[int], Method]

SETTINGS: dict[str, Setting] = {
    "ace": lambda l: methods()["ace"](l=l),
    "alpha-k": lambda l: methods()["alpha-k"](alpha=f"1/{l}", k=l),
    "anatomy": lambda l: methods()["anatomy"](l=l),
    "greedy-grouping": lambda l: methods()["greedy-grouping"](l=l),
    "audited": lambda l: methods()["audited"](l=l),
    "hybrid": lambda l: methods()["hybrid"](l=l),
    "incognito": lambda l: methods()["incognito"](l=l),
    "mondrian": lambda l: methods()["mondrian"](l=l),
    "randomized-greedy-grouping": lambda l: methods()["randomized-greedy-grouping"](l=l, p=0.3),
    "symmetric-grouping": lambda l: methods()["symmetric-grouping"](l=l),
    # no rules on small tables, where they can leave nobody together
    "injector": lambda l: methods()["injector"](l=l, expectation=60.0),
    # its model is over one set of values, so which values are protected depends on the table
    "mask": lambda l: methods()["mask"](k=l, l=l, sensitive=("s 0",)),
    "mondrian": lambda l: methods()["mondrian"](l=l),
    "opt-gen": lambda l: methods()["opt-gen"](l=l),  # at most 12 distinct vectors
    "spurious-records": lambda l: methods()["spurious-records"](k=l, l=l),
    "tailor": lambda l: methods()["tailor"](l=l),
}
