"""Arguments of Python calls that may be one thing or several."""

from __future__ import annotations

from typing import Any

from pellucid.errors import PellucidError


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
        raise refusal(f"{name} = {given!r}: must be {rule}") from None
