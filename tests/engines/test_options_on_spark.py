"""Every option that Spark has shows in the recipe of a release that it made, whatever the table of options has."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from contract.test_options import ROLES, Made, folder, sample_of
from pellucid.core.request import OPTIONS, Request, recoder_with
from pellucid.publishing import carry_out
from pellucid.web.option_fields import RECODE

__all__ = ["folder"]
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]
ALONE = ("source", "out", "schema", "quasi", "sensitive", "nothing_sensitive", "kind", "method", "engine")
TOGETHER = [
    one for one in OPTIONS if one.on("spark") and one.name not in (*ALONE, RECODE.name) and one.makes != "engine"
]


def test_every_option_of_spark_shows_in_its_recipe(spark: Any, folder: Path) -> None:
    """All of them at once, of a DataFrame; the files and the session of the command line are tried with these."""
    frame = spark.createDataFrame(pl.read_csv("people.csv").to_arrow(compat_level=pl.CompatLevel.oldest()))
    given = {option.name: sample_of(option).value for option in TOGETHER}
    roles = {**ROLES, **{name: given.pop(name) for name in ("identifier", "carry")}}
    settings = {
        option.name: given.pop(option.name) for option in OPTIONS if option.makes == "recode" and option in TOGETHER
    }
    assert {*given} <= {one.name for one in fields(Request)}
    roles["identifier"] = roles["identifier"][0]
    asked = Request(frame, pc.Hybrid(l=2), roles=pc.Roles(**roles), recode=recoder_with("intervals", settings), **given)
    with pytest.warns(pc.SecretSeedWarning) as warned:
        made = Made(carry_out(asked).release.recipe, folder, said=" ".join(str(one.message) for one in warned))
    for option in TOGETHER:
        assert sample_of(option).shows(made), f"spark does not hand {option.name} over"
