"""How the tests that hold for every method set it up: name -> the method whose groups are l-diverse for a given l.

A method that is registered without a line here fails the contract tests.
"""

from __future__ import annotations

from collections.abc import Callable

from pellucid.group import Method, methods

Setting = Callable[[int], Method]

SETTINGS: dict[str, Setting] = {
    "ace": lambda l: methods()["ace"](l=l),
    "art": lambda l: methods()["art"](r=l),
    "hybrid": lambda l: methods()["hybrid"](l=l),
    "tailor": lambda l: methods()["tailor"](l=l),
}
