"""A release that refutes its own promise says so on every page about it, and nobody is told to sign it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.anonymize.recode import RECODERS
from pellucid.cli.program import main
from pellucid.errors import Infeasible, MethodError
from pellucid.reports.contradiction import contradictions
from pellucid.reports.opened import given_of
from plain.settings import SETTINGS

ROLES: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": "ill", "identifier": "who"}
ILL = ["flu", "cold", "gout", "mumps", "HIV"]


def people(random: Random, rows: int) -> pl.DataFrame:
    ill = [ILL[i % len(ILL)] for i in range(rows)]
    random.shuffle(ill)
    return pl.DataFrame(
        {
            "who": random.sample(range(10 * rows), rows),
            "age": [random.randint(20, 60) for _ in range(rows)],
            "town": [random.choice(["Rome", "Oslo", "Bonn"]) for _ in range(rows)],
            "ill": ill,
            "pay": [random.randint(1, 6) for _ in range(rows)],
        }
    )


def tampered(folder: Path, value: str) -> None:
    """The first published group has this value in all of its rows."""
    file = folder / "data.csv"
    data = pl.read_csv(file, infer_schema=False)
    first = pl.all_horizontal(pl.col(name) == pl.col(name).first() for name in ("age", "town"))
    data.with_columns(pl.when(first).then(pl.lit(value)).otherwise("ill").alias("ill")).write_csv(file)


@pytest.mark.parametrize("audience", ["public", "private"])
def test_the_page_and_the_exit_code_say_it(audience: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = people(Random(1), 60)
    table.write_csv(tmp_path / "people.csv")
    out, page = tmp_path / "out", tmp_path / "page.html"
    pc.publish(table, pc.SoftCut(l=4), **ROLES).write(out)
    call = ["report", str(out), "--audience", audience, "--out", str(page), "--json"]
    assert main(call) == 0
    assert json.loads(capsys.readouterr().out)["contradicted"] == ""
    assert "contradicts" not in page.read_text()
    assert ("<p>Released by</p>" in page.read_text()) == (audience == "public")  # nobody was attacked
    tampered(out, "flu")
    assert main([*call, "--overwrite"]) == 1
    told = capsys.readouterr()
    said = json.loads(told.out)
    assert said["contradicted"].startswith("The release contradicts this: counted in what is published, l-diversity of")
    assert said["contradicted"].endswith("ill is 1, and 4 is promised.")
    assert "the release contradicts what is promised about ill" in said["problems"]
    assert "do not sign it" in told.err
    assert f"<strong>{said['contradicted']}</strong> Do not publish this; please report it." in page.read_text()
    assert '<blockquote class="open">' in page.read_text()
    assert "Nobody should sign this release as it is" in page.read_text()
    assert "<p>Released by</p>" not in page.read_text()


@pytest.mark.parametrize("value", ["HIV", "flu"])
def test_only_what_the_promise_is_about_contradicts_it(value: str, tmp_path: Path) -> None:
    table = people(Random(2), 60)
    pc.publish(table, pc.SoftCut(l=3, values=["HIV", "gout"]), **ROLES).write(tmp_path / "out")
    tampered(tmp_path / "out", value)
    found = contradictions(given_of(tmp_path / "out"))
    assert [(one.column, one.model, one.promised) for one in found] == [("ill", "l-diversity", 3)] * (value == "HIV")


def test_a_protected_value_that_nobody_has_any_more_contradicts_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    pc.publish(people(Random(3), 60), pc.SoftCut(l=3, values=["HIV"]), **ROLES).write(out)
    file = out / "data.csv"
    file.write_text(file.read_text().replace("HIV", "flu"))
    assert contradictions(given_of(out)) == ()


def test_a_model_of_another_form_and_of_somebody_else_is_counted(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pc.publish(people(Random(4), 60), pc.Mondrian(k=5), **ROLES).write(tmp_path / "out")
    data = pl.read_csv(tmp_path / "out" / "data.csv", infer_schema=False)
    data[1:].write_csv(tmp_path / "data.csv")  # no recipe
    roles = {"quasi": ROLES["quasi"], "sensitive": ROLES["sensitive"]}
    least = data[1:].group_by(ROLES["quasi"]).len()["len"].min()
    given = given_of(tmp_path / "data.csv", pc.Roles(**roles), made_by=pc.Mondrian(k=least + 1))
    assert [(one.column, one.model, one.found) for one in contradictions(given)] == [(None, "k-anonymity", least)]
    assert contradictions(given)[0].sentence.endswith(f"k-anonymity is {least}, and {least + 1} is promised.")
    assert contradictions(given_of(tmp_path / "data.csv", pc.Roles(**roles), made_by=pc.Mondrian(k=least))) == ()
    assert contradictions(given_of(tmp_path / "data.csv", pc.Roles(**roles))) == ()


@pytest.mark.parametrize("name", sorted(set(methods()) & set(SETTINGS)))
def test_no_release_of_ours_contradicts_itself(name: str) -> None:
    random, made = Random(name), 0
    for number in range(6):
        frame = people(random, 8 if name == "opt-gen" else random.choice([16, 40]))
        table = pc.read(frame, **ROLES)
        method = SETTINGS[name](random.randint(1, 3), table)
        fields = type(method).model_fields
        if "values" in fields and random.random() < 0.5:
            method = method.model_copy(update={"values": tuple(random.sample(ILL, random.randint(1, 4)))})
        several = type(method).several and "values" not in method.model_fields_set and random.random() < 0.5
        roles = ROLES | ({"sensitive": ["ill", "pay"]} if several else {})
        recode = random.choice(
            [None, *(recode for recode in RECODERS if name != "spurious-records" or recode != "anatomy")]
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                release = pc.publish(frame, method, **roles, recode=recode, seed=number)
            except (Infeasible, MethodError):
                continue
        made += 1
        assert contradictions(given_of(release)) == (), (method, recode)
    assert made


def test_rows_of_a_group_that_are_promised_beside_l_and_rows_of_the_recipe_are_counted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    pc.publish(people(Random(5), 60), pc.SoftCut(l=2, k=5), **ROLES).write(out)
    assert contradictions(given_of(out)) == ()
    file = out / "data.csv"
    whole = file.read_text()
    rows = whole.splitlines(keepends=True)
    alone = rows[1].replace(rows[1].split(",")[0], "99", 1) if '"' not in rows[1] else '99,"{Rome}",' + ILL[0] + "\n"
    file.write_text("".join([rows[0], alone, *rows[2:]]))
    assert ("k-anonymity", 5, 1) in [(one.model, one.promised, one.found) for one in contradictions(given_of(out))]
    file.write_text("".join(rows[:-1]))
    said = [one.sentence for one in contradictions(given_of(out)) if one.said]
    assert said == ["The release contradicts its recipe: it has 59 rows, and the recipe says 60."]
    assert "the release has other rows than its recipe says" in pc.report(out, audience="public").summary["problems"]


def test_a_model_beside_the_whole_table_is_not_asked_where_rows_were_withheld(tmp_path: Path) -> None:
    ages = [39, 31, 28, 24, 25, 20, 30, 36, 34, 39, 22, 30, 37]
    ill = ["gout", "cold", "cold", "flu", "gout", "gout", "flu", "flu", "flu", "flu", "gout", "gout", "flu"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method = pc.GreedyGrouping(model="beta-likeness=1")
        release = pc.publish(pl.DataFrame({"age": ages, "ill": ill}), method, quasi="age", sensitive="ill", seed=1)
    assert release.recipe["suppressed"] == 1
    assert not pc.verify(release, [pc.BetaLikeness(beta=1)])[0].holds  # beside the rows that are published
    assert contradictions(given_of(release)) == ()
    release.write(tmp_path / "out")
    assert contradictions(given_of(tmp_path / "out")) == ()


def test_nobody_signs_where_attackers_could_not_be_tried(tmp_path: Path) -> None:
    """Without the groups some attackers are not tried: that page says what to give, and has no line to sign on."""
    table = people(Random(1), 60)
    release = pc.publish(table, pc.SoftCut(l=4), **ROLES)
    release.write(tmp_path / "out")
    groups = tmp_path / "groups.csv"
    pl.DataFrame({"group": release.private.labels}).write_csv(groups)
    without = pc.report(tmp_path / "out", table, **ROLES).html
    assert "Not to be signed yet: attackers could not be tried. Report again with groups=." in without
    assert "<p>Released by</p>" not in without
    for whole in (pc.report(tmp_path / "out", table, groups=groups, **ROLES), pc.report(release, table, **ROLES)):
        assert "Not to be signed" not in whole.html
        assert "<p>Released by</p>" in whole.html
