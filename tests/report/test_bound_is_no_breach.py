"""A bound from above that is above 1/l is no broken promise: the report says that it is not shown, and what to give."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.attacking.suite import attack_all
from pellucid.attacking.telling.undetermined import surely_exceeds
from pellucid.datasets import schema_of
from pellucid.reporting.promise_status import standing_of

CENSUS = "census:60"


@pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")
def test_a_bound_from_above_is_no_broken_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As before something was proved of the method, which bounds the figure from above today."""
    monkeypatch.setattr(import_module("pellucid.attacking.inference.believe"), "as_proved", lambda beliefs: beliefs)
    schema = schema_of(CENSUS)
    release = pc.publish(pc.read(CENSUS, schema=schema), pc.SoftCut(l=2), seed=1)
    release.write(tmp_path / "out")
    report = attack_all(tmp_path / "out", truth=CENSUS, schema=schema, adversaries=["nothing", "algorithm"])
    informed = report.attempts[1]
    assert informed.exceeds  # by the figure from above
    assert not len(informed.surely_above)
    assert surely_exceeds(informed) is None
    standing = standing_of(report, "algorithm")
    assert not standing.broken
    assert "It is not shown that somebody who knows the algorithm stays within 1/2" in standing.covered
    assert "believes more than" not in standing.covered
    private = pc.report(tmp_path / "out", CENSUS, schema=schema, attacks=report, scores=[]).html
    assert "The promise is not kept" not in private
    assert "--groups FILE" in private


def test_a_promise_about_some_values_can_be_broken_too(tmp_path: Path) -> None:
    ill = ["hiv", "flu", "flu", "flu", "cold", "flu", "hiv", "cold"]
    table = pl.DataFrame({"name": list("abcdefgh"), "age": range(20, 28), "ill": ill})
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "identifier": "name"}
    folder = pc.publish(table, pc.Hybrid(l=2, values=("hiv",)), **roles).write(tmp_path / "out")
    table.write_csv(tmp_path / "people.csv")
    for l, kept in ((2, True), (4, False)):  # the second recipe promises what was not done
        recipe = json.loads((folder / "recipe.json").read_text())
        recipe["parameters"]["l"] = l
        (folder / "recipe.json").write_text(json.dumps(recipe))
        given: dict[str, Any] = {"truth": tmp_path / "people.csv", "identifier": "name", "adversaries": ["nothing"]}
        report = attack_all(folder, **given)
        standing = standing_of(report, "algorithm", "hiv")
        assert standing.broken is not kept
        assert "'s ill being 'hiv'" in standing.covered
        page = pc.report(folder, tmp_path / "people.csv", identifier="name", attacks=report, scores=[]).html
        assert ("The promise is not kept" in page) is not kept
        assert "the figures are about every value" not in page
