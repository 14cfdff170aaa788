"""Arguments of Python calls: one thing or several, one of some words, a number; what is none of these is refused.

A frame or an array cannot be compared with a word, nor be asked whether it is true: types come first here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from pellucid.errors import PellucidError
from pellucid.text.values import shortened


def several(given: Any, name: str, rule: str, refusal: type[PellucidError]) -> list[Any]:
    """What a caller gave as a list of things; a text is one thing, and a number is no list.

    >>> several("age", "quasi", "a list", PellucidError), several(("a", "b"), "", "", PellucidError)
    (['age'], ['a', 'b'])
    >>> several(3, "quasi", "a list", PellucidError)
    Traceback (most recent call last):
    pellucid.errors.PellucidError: quasi = 3: must be a list
    """
    if isinstance(given, str):
        return [given]
    try:
        return list(given)
    except TypeError:
        raise refusal(f"{name} = {brief(given)}: must be {rule}") from None


def one_of(given: Any, choices: Iterable[str], name: str, refusal: type[PellucidError]) -> Any:
    """What a caller chose among words; anything that is no word is refused, also what cannot be compared with one.

    >>> one_of("both", ("both", "separate"), "views", PellucidError)
    'both'
    >>> one_of([1], ("both", "separate"), "views", PellucidError)
    Traceback (most recent call last):
    pellucid.errors.PellucidError: views = [1] is not one of both, separate; choose one of them
    """
    choices = tuple(choices)
    if not isinstance(given, str) or given not in choices:
        raise refusal(f"{name} = {brief(given)} is not one of {', '.join(choices)}; choose one of them")
    return given


def yes_or_no(given: Any, name: str, refusal: type[PellucidError]) -> bool:
    """True or False, and nothing that only may stand for it.

    >>> yes_or_no(None, "exact", PellucidError)
    Traceback (most recent call last):
    pellucid.errors.PellucidError: exact = None: must be True or False
    """
    if not isinstance(given, bool | np.bool_):
        raise refusal(f"{name} = {brief(given)}: must be True or False")
    return bool(given)


def mapping(given: Any, name: str, rule: str, refusal: type[PellucidError]) -> Mapping[Any, Any]:
    """What a caller gave by name; nothing is an empty one.

    >>> mapping(None, "kinds", "", PellucidError), mapping({"age": "number"}, "kinds", "", PellucidError)
    ({}, {'age': 'number'})
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise refusal(f"{name} = {brief(given)}: must be {rule}")
    return given


def whole_number(given: Any, name: str, refusal: type[PellucidError], *, least: int = 0) -> int:
    """A whole number that is not too small.

    >>> whole_number(True, "l", PellucidError)
    Traceback (most recent call last):
    pellucid.errors.PellucidError: l = True: must be a whole number of at least 0
    """
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
        raise refusal(f"{name} = {brief(given)}: must be a whole number of at least {least}")
    return int(given)


def number_between(
    given: Any, name: str, refusal: type[PellucidError], *, above: float, below: float, meaning: str
) -> float:
    """A number strictly between two others; true is none, nor is what is no number (nan), nor a text.

    >>> number_between(0.5, "confidence", PellucidError, above=0, below=1, meaning="how sure an interval is")
    0.5
    >>> number_between(-1, "patience", PellucidError, above=0, below=9, meaning="seconds")
    Traceback (most recent call last):
    pellucid.errors.PellucidError: patience = -1: must be a number above 0 and below 9; it is seconds
    """
    number = isinstance(given, Real | Decimal) and not isinstance(given, bool | np.bool_)
    if not number or not above < given < below:
        raise refusal(f"{name} = {brief(given)}: must be a number above {above:g} and below {below:g}; it is {meaning}")
    return float(given)


def seed_given(given: Any, name: str, refusal: type[PellucidError]) -> int | str:
    """What coins are made of: a whole number or a text.

    >>> seed_given([], "seed", PellucidError)
    Traceback (most recent call last):
    pellucid.errors.PellucidError: seed = []: must be a whole number or a text; without one coins are new
    """
    if isinstance(given, bool) or not isinstance(given, int | np.integer | str):
        raise refusal(f"{name} = {brief(given)}: must be a whole number or a text; without one coins are new")
    return given if isinstance(given, str) else int(given)


def brief(given: Any) -> str:
    """A value in a message: in one line, and not all of it where it is long; a table writes several.

    >>> brief("a" * 90)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    return shortened(" ".join(repr(given).split()), 60)
