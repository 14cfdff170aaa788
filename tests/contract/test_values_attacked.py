"""Only some values are protected: attacks and verdicts are about these, and never about one that nobody has."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.program import main
from pellucid.core.schema import Roles
from pellucid.errors import AttackError, ModelError
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.risk.inference.select_engine import as_promised
from pellucid.risk.inference.untold_view import larger
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople

ROLES: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "identifier": "name"}
NINE = pl.DataFrame({"name": list("abcdefghi"), "age": range(20, 29), "ill": ["hiv", *["flu"] * 8]})
MODELS = [pc.TransparentLDiversity(l=2), pc.MConfidentiality(m=2), pc.RRobustness(r=2)]


def people(ill: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"name": [f"p{i}" for i in range(len(ill))], "age": range(20, 20 + len(ill)), "ill": ill})


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A release that protects hiv, its table, and its rows alone."""
    table = people(["hiv", "flu", "flu", "flu", "cold", "flu", "hiv", "cold"])
    table.write_csv(tmp_path / "people.csv")
    release = pc.publish(table, pc.Hybrid(l=2, values=("hiv",)), **ROLES)
    release.write(tmp_path / "out")
    pl.read_csv(tmp_path / "out/data.csv").write_csv(tmp_path / "bare.csv")
    return tmp_path


def edited(folder: Path, values: list[Any]) -> Path:
    recipe = json.loads((folder / "out/recipe.json").read_text())
    recipe["parameters"]["values"] = values
    (folder / "out/recipe.json").write_text(json.dumps(recipe))
    return folder / "out"


def test_a_yes_or_no_is_attacked_in_a_folder_as_in_memory(tmp_path: Path) -> None:
    table = people([True, False, False, True, False, False, False, False])
    release = pc.publish(table, pc.Hybrid(l=2, values=(True,)), **ROLES)
    release.write(tmp_path / "out")
    table.write_csv(tmp_path / "people.csv")
    given: dict[str, Any] = {"truth": tmp_path / "people.csv", "identifier": "name"}
    beliefs = [pc.attack(release, truth=table, **ROLES), pc.attack(tmp_path / "out", **given)]
    assert [one.max_risk for one in beliefs] == [0.5, 0.5]
    for asked in (None, [True], ["true"]):
        models = [pc.TransparentLDiversity(l=2), pc.LDiversity(l=2)]
        assert [one.level for one in pc.verify(tmp_path / "out", models, values=asked, **given)] == [2, 2]
    limits = SideLimits.of(pc.LDiversity(l=2, sensitive=(True,)))
    assert limits is not None
    assert limits.sets({"true": 1, "false": 2}) == [["true"]]


@pytest.mark.parametrize("values", [["zzz"], ["hiv", "zzz"], ["HIV"], [None], [True]])
def test_a_recipe_that_protects_a_value_of_nobody_is_refused(made: Path, values: list[Any]) -> None:
    folder = edited(made, values)
    given: dict[str, Any] = {"truth": made / "people.csv", "identifier": "name"}
    for ask in (
        lambda: pc.attack(folder, **given),
        lambda: pc.attack(folder),
        lambda: pc.verify(folder, [pc.TransparentLDiversity(l=2)], **given),
    ):
        with pytest.raises(AttackError, match=r"no published row has .* in 'ill', .* are 'cold', 'flu', 'hiv'"):
            ask()


def test_a_method_that_protects_a_value_of_nobody_is_refused(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    asked = ["attack", "bare.csv", "--quasi", "age", "--sensitive", "ill", "--made-by", "hybrid", "--l", "2"]
    assert main([*asked, "--values", "HIV", "--max-risk", "1/100"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "no published row has 'HIV' in 'ill'" in said
    assert "hiv" in said


def test_a_value_of_nobody_is_an_error_where_it_is_asked_about() -> None:
    release = pc.publish(NINE, pc.Hybrid(l=3, values=("hiv",)), **ROLES)
    evidence = gather(release, Roles(**ROLES), KnownPeople(NINE)).evidence
    assert evidence.protected is not None
    assert [evidence.values[code] for code in evidence.protected] == ["hiv"]
    with pytest.raises(AttackError, match="'measles'"):
        pc.verify(release, MODELS, truth=NINE, values=["measles"], **ROLES)


def test_a_table_of_unknown_make_is_attacked_about_the_values_that_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """[W] table 1(c): two of seven have HIV, and that they were merged says that both are of q1."""
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"q": ["*"] * 7, "ill": ["HIV"] * 2 + ["ns"] * 5}).write_csv("c.csv")
    pl.DataFrame({"name": list("abcdefg"), "q": ["q1"] * 2 + ["q2"] * 5}).write_csv("people.csv")
    columns = {"q": {"role": "quasi"}, "ill": {"role": "sensitive", "protect": ["HIV"]}, "name": {"role": "identifier"}}
    Path("schema.toml").write_text(pc.Schema(columns=columns).to_toml())
    asked = ["attack", "c.csv", "--population", "people.csv", "--l", "2", "--max-risk", "1/2"]
    named = ["--quasi", "q", "--sensitive", "ill", "--identifier", "name"]
    for words in ([*named, "--values", "HIV"], ["--schema", "schema.toml"]):
        assert main([*asked, *words]) == 1
        said = " ".join(capsys.readouterr().out.split())
        assert "somebody who knows minimality believes 1 of a person's ill being 'HIV'" in said
        assert "knows only the release 0.2857" in said
    for words in ([*named, "--values", "HIV"], ["--schema", "schema.toml"]):  # as if minimal for the l that it has
        assert main(["attack", "c.csv", "--population", "people.csv", *words]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "as an assumption: if groups were to have 2-diversity, which they have" in said
        assert "the probability is 1 for a person's ill being 'HIV', and above 1/2 for 2 people" in said
        assert main(["attack", "c.csv", "--population", "people.csv", "--max-risk", "1/2", *words]) == 1  # not shown
        assert "FAILS" not in capsys.readouterr().out
    given: dict[str, Any] = {"population": Path("people.csv"), "quasi": "q", "sensitive": "ill", "identifier": "name"}
    report = pc.attack_all("c.csv", model=pc.LDiversity(l=2, sensitive=("HIV",)), **given)
    assert (report.max_risk, report.standing().holds) == (1, False)


def test_a_release_that_says_what_it_protects_is_not_judged_by_other_values(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    asked = ["attack", "out", "--truth", "people.csv", "--identifier", "name", "--max-risk", "promised"]
    assert main([*asked, "--values", "flu"]) == 2
    assert "so which values hybrid protects; leave --values out" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_models_about_an_attacker_judge_the_values_that_are_asked_about(made: Path, model: Any) -> None:
    given: dict[str, Any] = {"truth": made / "people.csv", "identifier": "name"}
    (own,) = pc.verify(made / "out", [model], **given)
    assert "'s ill being 'hiv'" in own.meaning
    for values in (["flu"], {"ill": ["flu"]}, ["hiv", "flu"], "flu"):
        (asked,) = pc.verify(made / "out", [model], values=values, **given)
        assert not asked.holds
        assert "being 'flu'" in asked.meaning
    if not isinstance(model, pc.RRobustness):
        assert own.holds
        (same,) = pc.verify(made / "out", [model], values=["hiv"], **given)
        assert (same.holds, same.level, same.exact) == (own.holds, own.level, own.exact)
    (both,) = pc.verify(made / "out", [model], values=["hiv", "flu"], together=True, **given)
    assert not both.holds
    assert "being 'flu' or 'hiv'" in both.meaning
    assert "each by itself" not in both.meaning
    with pytest.raises(ModelError, match="together"):
        pc.verify(made / "out", [model], together=True, **given)


def test_the_command_line_judges_them_as_well_and_names_them(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    known = ["--truth", "people.csv", "--identifier", "name"]
    required = ["verify", "out", *known, "--require", "transparent l-diversity=2"]
    assert main([*required]) == 0
    assert "of anybody's ill being 'hiv'" in " ".join(capsys.readouterr().out.split())
    assert main([*required, "--values", "flu"]) == 1
    assert "of anybody's ill being 'flu'" in " ".join(capsys.readouterr().out.split())
    assert main(["attack", "out", *known, "--adversary", "nothing,algorithm", "--max-risk", "1/2"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "believes more than 1/2 of anybody's ill being 'hiv'." in said
    assert "of anybody." not in said


def test_what_is_proved_of_protected_values_bounds_no_others() -> None:
    table = people(["hiv", *["flu"] * 11])
    release = pc.publish(table, pc.Hybrid(l=2, values=("hiv",), k=4), **ROLES)
    (own,) = pc.verify(release, [pc.TransparentLDiversity(l=2)], truth=table, **ROLES)
    (asked,) = pc.verify(release, [pc.TransparentLDiversity(l=1)], truth=table, values=["flu"], **ROLES)
    assert (own.holds, own.level) == (True, 2)
    assert asked.level == 1
    found = gather(release, Roles(**ROLES), KnownPeople(table)).evidence
    assert found.promise_covers
    assert found.proved == found.method.proved  # type: ignore[union-attr]


@pytest.mark.parametrize("l", [2, 3, 4])
def test_verify_reaches_what_the_attack_says_where_others_are_certain(l: int) -> None:
    release = pc.publish(NINE, pc.Hybrid(l=l, values=("hiv",), k=1), **ROLES)
    beliefs = pc.attack(release, truth=NINE, **ROLES)
    assert np.isclose(beliefs.max_risk, 1 / l)
    (verdict,) = pc.verify(release, [pc.TransparentLDiversity(l=l)], truth=NINE, **ROLES)
    assert (verdict.holds, verdict.level, verdict.exact) == (True, l, l)
    (more,) = pc.verify(release, [pc.TransparentLDiversity(l=l + 1)], truth=NINE, **ROLES)
    assert not more.holds


def test_who_is_not_told_the_groups_may_believe_more_of_a_protected_value_and_less_of_another() -> None:
    """Told: surely not hiv. Not told: hiv with 0.4, and nothing with more than 0.6; the larger figure of hiv counts."""
    release = pc.publish(NINE, pc.Hybrid(l=3, values=("hiv",)), **ROLES)
    told = pc.attack(release, truth=NINE, **ROLES)
    told, alone = (
        replace(
            told,
            risk=np.full(9, 1 - hiv),
            chance_of=None,
            posterior_of=lambda _, hiv=hiv: {"hiv": hiv, "flu": 1 - hiv},
        )
        for hiv in (0.1, 0.4)
    )
    assert as_promised(larger(told, alone)).max_risk == 0.4
    assert as_promised(larger(alone, told)).max_risk == 0.4


def test_what_was_believed_before_is_about_the_protected_values_too() -> None:
    table = people(["hiv", *["flu"] * 5, "hiv", *["flu"] * 5]).with_columns(sex=pl.Series(list("fm") * 6))
    roles = ROLES | {"quasi": ["age", "sex"]}
    release = pc.publish(table, pc.Hybrid(l=2, values=("hiv",)), **roles)
    prior = pc.Distribution(["sex"])
    beliefs = pc.attack(release, pc.Adversary(prior=prior), truth=table, **roles)
    assert beliefs.before is not None
    assert beliefs.before.max() == pytest.approx(2 / 6)  # that flu is likely was known before, and does not count
