"""A health survey, from the table to the signature, and the wrong turns on the way."""

from __future__ import annotations

import re
from pathlib import Path

from journeys.conftest import Setting
from journeys.walking import edited_lines

PUBLISH = "publish health.csv --schema health.toml --l 3 --k 5 --seed 7 --out release"
ORIGINAL = "--original health.csv --schema health.toml"
TRUTH = "--truth health.csv --identifier ID"


def test_a_health_survey_is_published_after_three_edits(set_out: Setting) -> None:
    journey = set_out("health")
    journey.types("init health.csv")
    journey.reads("health.toml")
    journey.arrives("init")
    draft = Path("health.toml").read_text()

    journey.edits("health.toml", "HardDrugs", 'role = "sensitive"', 'role = "drop"')
    journey.edits("health.toml", "Diabetes", 'role = "drop"', 'role = "sensitive"', 'protect = ["Yes"]')
    journey.edits("health.toml", "Weight", 'role = "drop"', 'role = "carry"', "cap = { percent = [1, 99] }")
    assert len(edited_lines(draft, Path("health.toml").read_text())) == 3
    journey.types(f"{PUBLISH} --keep-groups groups.csv")
    journey.reads("release/data.csv", lines=12)
    journey.reads("release/recipe.json")
    journey.arrives("publish")

    journey.types("verify release --require k-anonymity=3 --values Yes --require l-diversity=3")
    journey.types("verify release --truth health.csv --identifier ID --groups groups.csv --require promised")
    journey.arrives("verify")

    journey.types(f"attack release {TRUTH} --groups groups.csv --max-risk promised")
    journey.arrives("attack")

    journey.measures_and_reports(ORIGINAL)


def test_wrong_turns_with_a_health_survey_are_refused_or_said(set_out: Setting) -> None:
    journey = set_out("health-wrong-turns")
    journey.types("init health.csv --quiet")
    journey.told.clear()

    journey.edits("health.toml", "HardDrugs", 'role = "sensitive"', 'role = "drop"')
    journey.types(PUBLISH, ends=2)
    journey.arrives("nothing-to-protect")

    journey.edits("health.toml", "Diabetes", 'role = "drop"', 'role = "sensitive"')
    journey.types(PUBLISH.replace("--out release", "--out whole"))
    journey.types(f"{PUBLISH} --method soft-cut", ends=2)
    journey.arrives("nine-in-ten-have-the-same-value")

    for name in ("Weight", "Height", "nBabies"):
        journey.edits("health.toml", name, 'role = "drop"', 'role = "quasi"')
    journey.edits("health.toml", "Diabetes", 'role = "sensitive"', 'role = "sensitive"', 'protect = ["Yes"]')
    journey.types(PUBLISH, ends=2)
    journey.arrives("eleven-quasi-identifiers")

    journey.edits("health.toml", "HomeRooms", 'role = "quasi"', 'role = "drop"')
    journey.types(PUBLISH.replace("--k 5", "--k 1"))
    journey.types(f"{PUBLISH} --overwrite")
    heaviest = max(float(cell) for cell in re.findall(r"\d+\.\d", Path("release/data.csv").read_text()))
    journey.arrives("rows-that-stand-alone")

    assert heaviest > 200
    journey.edits("health.toml", "Weight", 'role = "quasi"', 'role = "quasi"', "cap = { percent = [1, 99] }")
    journey.types(f"{PUBLISH} --overwrite --split-intervals")
    journey.reads("release/data.csv", lines=4)
    assert str(heaviest) not in Path("release/data.csv").read_text()
    journey.arrives("the-heaviest-person")

    journey.edits("health.toml", "HardDrugs", 'role = "drop"', 'role = "sensitive"')
    journey.types(f"{PUBLISH} --overwrite")
    journey.types(f"{PUBLISH} --overwrite --method tailor".replace("--k 5 ", ""), ends=2)
    journey.arrives("two-columns-to-protect")
