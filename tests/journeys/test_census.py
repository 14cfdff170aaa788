"""A census excerpt, from the table to the signature, and the wrong turns on the way."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from journeys.conftest import Setting
from journeys.walking import Journey, edited_lines

PUBLISH = "publish census.csv --schema census.toml --l 3 --seed 7 --out release"
ORIGINAL = "--original census.csv --schema census.toml"


def drafted(journey: Journey) -> str:
    journey.types("init census.csv")
    journey.reads("census.toml")
    journey.arrives("init")
    return Path("census.toml").read_text()


def test_a_census_excerpt_is_published_after_three_edits(set_out: Setting) -> None:
    journey = set_out("census")
    draft = drafted(journey)

    journey.edits("census.toml", "HOUSING_TYPE", 'role = "quasi"', 'role = "drop"')
    journey.edits("census.toml", "INDP", 'role = "drop"', 'role = "quasi"')
    journey.edits("census.toml", "INTERVIEWED", 'role = "drop"', 'role = "carry"')
    assert len(edited_lines(draft, Path("census.toml").read_text())) == 3
    journey.types("levels census.csv --quasi PUMA,AGEP,SEX --sensitive PINCP_DECILE --who --rows who.csv")
    journey.reads("who.csv", lines=5)
    journey.arrives("who-is-unique")
    journey.types(PUBLISH)
    journey.types(f"{PUBLISH} --overwrite --keep-groups groups.csv --largest-set 100")  # else strata read alike
    journey.reads("release/data.csv", lines=12)
    journey.reads("release/recipe.json")
    journey.arrives("publish")

    journey.types("verify release --require k-anonymity=3")
    journey.types("verify release --truth census.csv --groups groups.csv --require promised")
    journey.arrives("verify")

    journey.types("attack release --truth census.csv --groups groups.csv --max-risk promised")
    journey.arrives("attack")

    journey.measures_and_reports(ORIGINAL)


def test_wrong_turns_with_a_census_excerpt_are_refused_or_said(set_out: Setting) -> None:
    journey = set_out("census-wrong-turns")
    journey.types("init census.csv --quiet")
    journey.told.clear()

    pl.read_csv("census.csv", infer_schema=False).select(
        "PUMA", "AGEP", "SEX", "HOUSING_TYPE", "OWN_RENT", "PWGTP"
    ).write_csv("homes.csv")
    journey.types("init homes.csv")
    journey.types("publish homes.csv --schema homes.toml --l 3 --out release", ends=2)
    journey.arrives("a-draft-without-edits")

    journey.edits("census.toml", "PINCP", 'role = "drop"', 'role = "quasi"')
    journey.types(PUBLISH, ends=2)
    journey.arrives("eleven-quasi-identifiers")

    journey.edits("census.toml", "HOUSING_TYPE", 'role = "quasi"', 'role = "drop"')
    journey.types(PUBLISH, ends=2)
    journey.types(f"{PUBLISH} --accept-known PINCP")
    journey.reads("release/recipe.json")
    journey.arrives("income-beside-its-decile")

    journey.edits("census.toml", "PINCP", 'role = "quasi"', 'role = "drop"')
    journey.edits("census.toml", "PUMA", 'kind = "category"', 'kind = "category"', "taxonomy = { prefix = [2] }")
    journey.types(f"{PUBLISH} --overwrite")
    journey.arrives("a-taxonomy-that-ruins-a-column")

    journey.edits("census.toml", "PUMA", "taxonomy = { prefix = [2] }")
    journey.types(f"{PUBLISH} --overwrite --method tailor --largest-set 1000")
    journey.types(f"{PUBLISH} --overwrite --method tailor")
    journey.reads("release/data.csv", lines=3)
    journey.arrives("sets-of-hundreds-of-areas")
