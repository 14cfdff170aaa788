"""Sensitive values that count as one: every method that promises a set, by values and by a node, to every verdict."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from cli.program import Program

TREE = {"*": {"chest": ["flu", "tb", "asthma"], "blood": ["hiv", "anemia"], "well": ["none"]}}
ROLES: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": "ill", "identifier": "name"}

pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning"),
]


def people(rows: int = 60, seed: int = 1) -> pl.DataFrame:
    random = Random(seed)
    ill = random.choices(["flu", "tb", "hiv", "anemia", "none"], [2, 1, 2, 3, 12], k=rows)
    given = {"name": range(rows), "age": random.choices(range(20, 60), k=rows), "zip": random.choices(range(9), k=rows)}
    return pl.DataFrame({**given, "ill": ill})


def schema() -> pc.Schema:
    columns = {"name": pc.Column(role="identifier"), "age": pc.Column(role="quasi"), "zip": pc.Column(role="quasi")}
    return pc.Schema(columns={**columns, "ill": pc.Column(role="sensitive", taxonomy={"tree": TREE})})


SET: dict[str, Any] = {"values": ["flu", "tb"], "together": True}
METHODS = [
    pc.SoftCut(l=3, **SET),
    pc.Hybrid(l=3, **SET),
    pc.Ace(l=3, **SET),
    pc.Anatomy(l=3, **SET),
    pc.Strata(l=3, size=12, **SET),
    pc.AlphaK(alpha="1/3", k=2, **SET),
    pc.Mask(k=3, l=3, sensitive=["flu", "tb"]),
    pc.Tailor(model=pc.LDiversity(l=3, sensitive=["flu", "tb"], together=True)),
]


LOW = pl.col("pay").is_between(10, 29)
BANDS: dict[str, tuple[dict[str, Any], Any]] = {  # what the schema makes of a number, and the same by hand
    "round": ({"round": 10}, (pl.col("pay") + 5) // 10 * 10),
    "classes": (
        {"round": [0, 10, 20, 35]},
        pl.when(pl.col("pay") >= 35).then(35).otherwise(pl.min_horizontal(pl.col("pay") // 10 * 10, 20)),
    ),
    "merge": (
        {"merge": {"low": [str(pay) for pay in range(10, 30)]}},
        pl.when(LOW).then(pl.lit("low")).otherwise(pl.col("pay").cast(pl.String)),
    ),
}


@pytest.mark.parametrize("becomes", BANDS)
@pytest.mark.parametrize("method", [pc.SoftCut, pc.Hybrid, pc.Ace, pc.Anatomy, pc.Strata], ids=lambda m: m.name)
def test_a_set_of_rounded_or_merged_values_is_grouped_as_in_a_table_that_has_them(method: Any, becomes: str) -> None:
    made, by_hand = BANDS[becomes]
    table = (
        people().with_columns(pay=pl.Series(Random(2).choices([n for n in range(50) if n % 10 != 5], k=60))).drop("ill")
    )
    kind = "category" if becomes == "merge" else "number"
    columns = {"name": pc.Column(role="identifier"), "age": pc.Column(role="quasi"), "zip": pc.Column(role="quasi")}
    size = {"size": 12} if method is pc.Strata else {}
    asked = method(l=2, values=["low", "1"] if becomes == "merge" else [10, 20], together=True, **size)
    found = []
    for given, how in ((table, made), (table.with_columns(pay=by_hand), {})):
        schema = pc.Schema(columns={**columns, "pay": pc.Column(role="sensitive", kind=kind, **how)})
        release = pc.publish(given, asked, schema=schema, seed=1)
        found.append((release.private.labels.tolist(), [frame.to_dicts() for frame in release.frames.values()]))
    assert found[0] == found[1]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_set_has_one_row_in_l_of_each_group_and_true_values_are_published(method: Any) -> None:
    table = people()
    release = pc.publish(table, method, seed=1, **ROLES)
    ill = table["ill"].to_numpy()
    if release.recipe["changes"]:
        attribute = pc.read(table, **ROLES).attributes[-1]
        ill = attribute.values.to_numpy()[release.private.grouping.sensitive]
    groups = pl.DataFrame({"g": release.private.labels, "ill": ill}).group_by("g")
    counts = groups.agg(n=pl.len(), some=pl.col("ill").is_in(["flu", "tb"]).sum()).sort("g")
    small = counts if method.name != "strata" else counts.filter(pl.col("n") < 12)
    assert (small["some"] * 3 <= small["n"]).all()
    (verdict,) = pc.verify(release, [pc.LDiversity(l=3)], **ROLES)
    assert verdict.holds == bool((counts["some"] * 3 <= counts["n"]).all())
    if method.claim == "algorithm":
        assert pc.attack(release, truth=table, identifier="name").belief("flu", "tb").max() <= max(
            1 / 3, float((counts["some"] / counts["n"]).max())
        )


def test_value_by_value_a_set_is_certain_in_some_group() -> None:
    table = people(12).with_columns(ill=pl.Series(["flu", "tb"] * 4 + ["none"] * 4))
    release = pc.publish(table, pc.Ace(l=2, values=["flu", "tb"], k=1), seed=1, **ROLES)
    assert pc.attack(release, truth=table, identifier="name").belief("flu", "tb").max() == 1
    with pytest.raises(pc.Infeasible, match="'flu or tb' is the 'ill' of 8 of 12 rows"):
        pc.publish(table, pc.Ace(l=2, values=["flu", "tb"], k=1, together=True), **ROLES)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_node_is_the_set_of_the_values_below_it(method: Any) -> None:
    """``asthma`` is below it and nobody has it; a release by node is that by values."""
    field = "values" if hasattr(method, "values") else "sensitive"
    changed = {field: ("chest",)} | ({"together": False} if "together" in type(method).model_fields else {})
    if method.name == "tailor":
        changed = {"model": pc.LDiversity(l=3, sensitive=["chest"])}
    by_node = pc.publish(people(), method.model_copy(update=changed), schema=schema(), seed=1)
    by_values = pc.publish(people(), method, schema=schema(), seed=1)
    assert by_node.private.labels.tolist() == by_values.private.labels.tolist()
    assert by_node.recipe["parameters"] == by_values.recipe["parameters"]
    (verdict,) = pc.verify(by_node, [pc.LDiversity(l=2)], values=["chest"], together=True, schema=schema())
    (same,) = pc.verify(by_node, [pc.LDiversity(l=2)], values=["flu", "tb"], together=True, schema=schema())
    assert verdict.level == same.level


def test_a_schema_may_protect_a_node() -> None:
    columns = dict(schema().columns)
    columns["ill"] = pc.Column(role="sensitive", taxonomy={"tree": TREE}, protect=["chest"])
    release = pc.publish(people(), pc.SoftCut(l=3), schema=pc.Schema(columns=columns), seed=1)
    assert release.recipe["parameters"]["values"] == ["flu", "tb"]
    assert release.recipe["parameters"]["together"] is True


def test_what_is_not_clear_is_refused() -> None:
    with pytest.raises(pc.PellucidError, match="none are given"):
        pc.publish(people(), pc.Hybrid(l=2, together=True), **ROLES)
    with pytest.raises(pc.PellucidError, match="other values are named beside it"):
        pc.publish(people(), pc.Hybrid(l=2, values=["chest", "hiv"]), schema=schema())
    release = pc.publish(people(), pc.Hybrid(l=2, values=["chest", "hiv"], together=True), schema=schema())
    assert sorted(release.recipe["parameters"]["values"]) == ["flu", "hiv", "tb"]
    with pytest.raises(pc.PellucidError, match="names a node"):
        pc.verify(release, [pc.LDiversity(l=2)], values=["chest"], schema=schema())


def test_several_columns_have_a_set_each() -> None:
    table = people().with_columns(job=pl.Series(Random(2).choices(["spy", "monk", "cook"], [1, 1, 8], k=60)))
    roles = {**ROLES, "sensitive": ["ill", "job"]}
    values = {"ill": ["flu", "tb"], "job": ["spy", "monk"]}
    for method in (
        pc.SoftCut(l=2, values=values, together=True),
        pc.Strata(l=2, size=10, values=values, together=True),
    ):
        labels = pc.publish(table, method, seed=1, **roles).private.labels
        for column, some in values.items():
            held = table.with_columns(g=labels).group_by("g").agg(n=pl.len(), s=pl.col(column).is_in(some).sum())
            assert (held.filter(pl.col("n") < 10)["s"] * 2 <= held.filter(pl.col("n") < 10)["n"]).all()


def test_several_sets_may_overlap_and_each_is_bounded(call: Program, tmp_path: Path) -> None:
    """[W] definition 2: 'flu or tb' and 'tb or hiv' have one row in l each, though not both together."""
    table = people(200, seed=4)
    sets = [("flu", "tb"), ("tb", "hiv")]
    models = [pc.LDiversity(l=3, sensitive=some, together=True) for some in sets]
    union = {"flu", "tb", "hiv"}
    for method in (pc.Tailor(model=models), pc.Mondrian(model=models)):
        release = pc.publish(table, method, seed=1, **ROLES)
        held = table.with_columns(g=release.private.labels).group_by("g")
        for some in sets:
            counted = held.agg(n=pl.len(), some=pl.col("ill").is_in(some).sum())
            assert (counted["some"] * 3 <= counted["n"]).all()
    counted = held.agg(n=pl.len(), some=pl.col("ill").is_in(union).sum())
    assert not (counted["some"] * 3 <= counted["n"]).all()
    told = pc.attack_all(release, adversaries=["nothing"], truth=table, **ROLES)
    most = max((held.agg(p=pl.col("ill").is_in(some).mean())["p"].max() or 0) for some in sets)
    assert told.max_risk == pytest.approx(most)
    assert told.standing(1 / 3).standing.value != "FAILS"
    (verdict,) = pc.verify(release, [pc.LDiversity(l=3)], quasi=ROLES["quasi"], sensitive="ill")
    (level,) = [one for one in pc.levels(release, quasi=ROLES["quasi"], sensitive="ill") if one.model == "l-diversity"]
    assert (verdict.holds, level.level) == (True, int(1 / most))
    release = pc.publish(table, pc.Tailor(model=models), seed=1, **ROLES)
    assert pc.attack_all(release, truth=table, **ROLES).standing().holds
    for asked, covered in ((["tb"], True), (["hiv", "tb"], True)):
        given = {"values": asked, "together": len(asked) > 1, "truth": table}
        (verdict,) = pc.verify(release, [pc.TransparentLDiversity(l=3)], **given, **ROLES)
        assert verdict.holds == covered
    table.write_csv(tmp_path / "people.csv")
    release.write(tmp_path / "out")
    done = call("attack", tmp_path / "out", "--truth", tmp_path / "people.csv", "--identifier", "name")
    assert "'flu' or 'tb'; or 'hiv' or 'tb' (each set by itself)" in " ".join(done.out.split())
    assert "{}" not in done.out
    done = call("verify", tmp_path / "out", "--require", "l-diversity=3")
    assert (done.code, "'flu' or 'tb'; 'tb' or 'hiv'; each set as one" in " ".join(done.out.split())) == (0, True)


def test_sets_of_which_different_shares_are_asked_are_refused() -> None:
    one, other = pc.LDiversity(l=3, sensitive=("flu",)), pc.LDiversity(l=2, sensitive=("tb", "hiv"), together=True)
    with pytest.raises(pc.MethodError, match="ask the same of each set"):
        pc.Tailor(model=[one, other])
    with pytest.raises(pc.MethodError, match="name some in each"):
        pc.Tailor(model=[pc.LDiversity(l=2), other])


def test_households_have_one_of_a_set_as_one() -> None:
    table = people(48).with_columns(home=pl.Series([number // 2 for number in range(48)]))
    release = pc.publish(table, pc.SoftCut(l=2, **SET), cluster="home", seed=1, **ROLES)
    assert "'flu' or 'tb', whichever it is" in release.promise
    assert "meant by itself" not in release.promise


def test_on_the_command_line(call: Program, tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    words = ["--quasi", "age,zip", "--sensitive", "ill", "--identifier", "name"]
    values = ["--values", "flu,tb", "--together"]
    done = call("publish", tmp_path / "people.csv", "-o", tmp_path / "out", "--l", "3", *values, *words)
    assert done.code == 0, done.err
    told = call("attack", tmp_path / "out", "--truth", tmp_path / "people.csv", *words)
    assert told.code == 0
    assert "'flu' or 'tb'" in told.out
    assert "each by itself" not in told.out
