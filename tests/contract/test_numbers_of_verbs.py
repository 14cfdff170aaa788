"""Every number that a public verb takes: what is none, or out of its range, is refused in words of ours.

One table: the argument, how it is given, what is refused and what is taken. A refusal names the argument, the value as
it was given and the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import inf, nan
from typing import Any

import polars as pl
import pytest

import pellucid as pc

pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
]

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
NO_NUMBER = (nan, inf, -inf, True, "3", "many", [])
NO_WHOLE = (*NO_NUMBER, -1, 1.5)
NO_SECONDS = (*NO_NUMBER, 0, -1, 10**30)
BLACK_BOX: dict[str, Any] = {"quasi": "age", "sensitive": "disease", "steps": 20, "worlds_budget": 0}


@cache
def people() -> pl.DataFrame:
    return pc.datasets.patients()


@cache
def release() -> pc.Release:
    return pc.publish(people(), pc.Tailor(l=2), **ROLES)


def all_adversaries(**given: Any) -> pc.AttackReport:
    return pc.attack_all(release(), truth=people(), adversaries=["nothing"], classic=False, **ROLES, **given)


def compared(**given: Any) -> Any:
    return pc.compare(people(), [pc.Tailor(l=2)], [pc.Discernibility()], [], **{"workers": 1, **ROLES, **given})


def black_box(**given: Any) -> pc.Beliefs:
    return pc.attack_anonymizer(lambda table: table, people(), **BLACK_BOX | given)


def published(**given: Any) -> pc.Release:
    return pc.publish(people(), pc.Tailor(l=2), **ROLES, **given)


def attacked() -> pc.Beliefs:
    return pc.attack(release(), truth=people(), **ROLES)


def verified(*models: Any, **given: Any) -> Any:
    return pc.verify(release(), models, **given)


ARGUMENTS: list[tuple[str, Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = [
    ("budget", lambda **it: pc.attack(release(), truth=people(), **ROLES, **it), (*NO_WHOLE, 0, None), (1,)),
    ("budget", all_adversaries, (*NO_WHOLE, 0, None), (1,)),
    ("patience", all_adversaries, NO_SECONDS, (None, 0.5, 60)),
    ("patience", lambda **it: verified(pc.KAnonymity(k=2), **it), NO_SECONDS, (None, 5)),
    (
        "patience",
        lambda **it: verified(pc.TransparentLDiversity(l=2), truth=people(), **ROLES, **it),
        NO_SECONDS,
        (None, 60),
    ),
    ("patience", lambda **it: pc.report(release(), audience="public", **it), NO_SECONDS, ()),
    ("patience", compared, (*NO_SECONDS, None), ()),
    ("seed", compared, (nan, 1.5, True, [], None), ()),
    ("workers", compared, (*NO_WHOLE, 0), ()),
    (
        "seed",
        published,
        (nan, inf, 1.5, True, []),
        (None, -1, "x"),
    ),
    ("threads", published, (*NO_WHOLE, 0), (None, 1)),
    ("threads", lambda **it: pc.read(people(), **ROLES, **it), (*NO_WHOLE, 0), (None, 1)),
    ("threads", lambda **it: pc.levels(release(), **it), (*NO_WHOLE, 0), (None, 1)),
    ("threads", lambda **it: pc.examine(release(), **it), (*NO_WHOLE, 0), (None, 1)),
    ("threads", lambda **it: verified(pc.KAnonymity(k=2), **it), (*NO_WHOLE, 0), (None, 1)),
    ("steps", black_box, (*NO_WHOLE, 0, None), (1,)),
    ("runs", black_box, (*NO_WHOLE, 0, None), (1,)),
    ("worlds_budget", black_box, NO_WHOLE, (0, None)),
    ("seed", black_box, (*NO_WHOLE, None), (0,)),
    ("confidence", black_box, (*NO_NUMBER, 0, 1, -1, None), (0.9,)),
    ("most", lambda most: all_adversaries().standing(most), (*NO_NUMBER, 0, -1, 1.5), (1, 0.5, Fraction(1, 3))),
    (
        "most",
        lambda most: attacked().standing(most),
        (*NO_NUMBER, 0, 2, None),
        (0.5,),
    ),
    ("iterations", pc.Learned, (*NO_WHOLE, 0, None), (1,)),
    ("smoothing", pc.Learned, (*NO_NUMBER, 0, -1, None), (0.5,)),
    ("l", pc.SoftCut, (*NO_WHOLE, 0, None), (2,)),
    ("k", pc.KAnonymity, (*NO_WHOLE, 0, None), (2,)),
    ("k", lambda **it: pc.SoftCut(l=2, **it), (*NO_WHOLE, 0), (2, None)),
    ("t", pc.TCloseness, (nan, inf, True, "3", [], -1, None), (0.2,)),
    ("rows_per_worker", pc.Spark, (*NO_WHOLE, 0, None), (1,)),
]
CASES = [pytest.param(*case, id=f"{number} {case[0]}") for number, case in enumerate(ARGUMENTS)]


@pytest.mark.parametrize(("name", "call", "refused", "taken"), CASES)
def test_a_number_is_taken_or_refused_in_words(
    name: str, call: Callable[..., Any], refused: tuple[Any, ...], taken: tuple[Any, ...]
) -> None:
    for value in taken:
        call(**{name: value})
    for value in refused:
        with pytest.raises(pc.PellucidError) as error:
            call(**{name: value})
        said = str(error.value)
        shown = repr(value) if repr(value) in said else str(value)
        assert f"{name} = {shown}" in said or f"{name}={shown}" in said, (value, said)
        assert "must be" in said or "needs" in said, (value, said)
