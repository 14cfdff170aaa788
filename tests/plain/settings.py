"""How the tests that hold for every method set it up: name -> the method whose groups are l-diverse for a given l.

A method that is registered without a line here fails the contract tests.
"""

from __future__ import annotations

from collections.abc import Callable

from pellucid.group import Method, methods

Setting = Callable[[int], Method]

SETTINGS: dict[str, Setting] = {
    "ace": lambda l: methods()["ace"](l=l),
    "hybrid": lambda l: methods()["hybrid"](l=l),
    # no rules on small tables, where they can leave nobody together
    "injector": lambda l: methods()["injector"](l=l, expectation=60.0),
    # its model is over one set of values, so which values are protected depends on the table
    "mask": lambda l: methods()["mask"](k=l, l=l, sensitive=("s 0",)),
    "mondrian": lambda l: methods()["mondrian"](l=l),
    "opt-gen": lambda l: methods()["opt-gen"](l=l),  # at most 12 distinct vectors
    "spurious-records": lambda l: methods()["spurious-records"](k=l, l=l),
    "tailor": lambda l: methods()["tailor"](l=l),
}
