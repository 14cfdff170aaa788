"""What is distinctive of a method happens in the settings in which the tests try it."""

from __future__ import annotations

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from plain.settings import REACHING, SETTINGS, TINY

CASES = [(name, number) for name, several in REACHING.items() for number in range(len(several))]


def census(rows: int) -> Table:
    people = pc.datasets.census(rows, seed=1).select("age", "gender", "education", "occupation")
    classes = people.with_columns((pl.col("occupation") % 12).alias("occupation"))
    return pc.read(classes, quasi=["age", "gender", "education"], sensitive="occupation")


def test_every_method_has_a_setting_that_reaches_its_step() -> None:
    assert REACHING.keys() == SETTINGS.keys() == methods().keys()


@pytest.mark.parametrize(("name", "number"), CASES)
def test_the_distinctive_step_happens(name: str, number: int) -> None:
    table = census(12 if name in TINY else 400)
    usual = SETTINGS[name](2 if name in (*TINY, "spurious-records") else 3, table)
    reaching = REACHING[name][number]
    given = {**usual.model_dump(exclude_unset=True), **reaching.parameters}
    method = type(usual)(**{parameter: value for parameter, value in given.items() if value is not None})
    made, before = (one.group(table, Coins.from_seed(1), threads=1) for one in (method, usual))
    assert reaching.shows(table, made, before)
