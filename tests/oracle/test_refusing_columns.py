"""That a table is published says that no column determines the sensitive one: which tells nothing beside strata."""

from __future__ import annotations

import warnings
from itertools import product
from random import Random
from typing import Any

import polars as pl

import pellucid as pc
from pellucid.core.attribute_disclosure import traded_within
from pellucid.core.coins import Coins

ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill", "identifier": "name"}
AGES = [*range(20, 40), *range(60, 80), *range(100, 120)]


def table(i: int, j: int) -> pl.DataFrame:
    """Three strata of twenty: a throughout; b but for one d; c but for one d."""
    second, third = ["b"] * 20, ["c"] * 20
    second[i] = third[j] = "d"
    return pl.DataFrame({"name": [f"p{k:02}" for k in range(60)], "age": AGES, "ill": ["a"] * 20 + second + third})


def published(frame: pl.DataFrame, method: pc.Method) -> bool:
    try:
        pc.publish(frame, method, **ROLES)
    except pc.errors.SchemaError:
        return False
    return True


def test_what_strata_nearly_tell_is_refused_whoever_has_which_value(thorough: bool) -> None:
    """Of 400 arrangements 18 were published, all with the second d at one place, where 1/20 have it."""
    places = list(product(range(20), repeat=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.TellingColumnWarning)
        some = places if thorough else [*((i, 18) for i in range(20)), *Random(1).sample(places, 20)]
        found = {published(table(i, j), pc.Strata(l=8, size=20)) for i, j in some}
    assert found == {False}


def test_what_strata_do_not_tell_is_published() -> None:
    random = Random(2)
    ill = [random.choice("abcdefghij") for _ in range(60)]
    assert published(table(0, 0).with_columns(ill=pl.Series(ill)), pc.Strata(l=2, size=20))


def test_values_are_traded_inside_strata_and_whole() -> None:
    frame = pl.DataFrame({"age": AGES, "ill": [str(k) for k in range(60)], "drug": [str(k) for k in range(60)]})
    own = pc.read(frame, quasi="age", sensitive=["ill", "drug"])
    strata = pc.Strata(l=2, size=20).strata(own)
    traded = traded_within(own, strata, Coins.from_seed(1).draws(own.codes[0].astype("int64")))
    assert traded.codes[1].tolist() != own.codes[1].tolist()
    as_pairs = [
        sorted(zip(*(one.codes[c][strata == s] for c in (1, 2)), strict=True))
        for one in (own, traded)
        for s in range(3)
    ]
    assert as_pairs[:3] == as_pairs[3:]
