"""Survey weights: how they are read, what is refused, what is published of them, and what is estimated by them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping, methods
from pellucid.anonymize.recode import RECODERS
from pellucid.anonymize.recode.before_after import all_beside
from pellucid.anonymize.recode.weights import mean_weights, rounded_mean
from pellucid.audit import Audit
from pellucid.audit.wording import level_words
from pellucid.core.schema import Role
from pellucid.errors import InputError, MeasureError, MethodError, ModelError, SchemaError
from pellucid.models.population_uniqueness import individual_risk, population_uniqueness
from pellucid.spark.engine.publish import _refuse_weights

ROLES: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": "ill", "weight": "w"}
PEOPLE = pl.DataFrame(
    {
        "age": [20, 21, 22, 40, 41, 42, 60, 61],
        "town": ["Oslo", "Oslo", "Rome", "Rome", "Oslo", "Oslo", "Rome", "Rome"],
        "w": [1.5, 2.5, 4.0, 1000.0, 250.25, 3.0, 17.0, 19.0],
        "ill": ["flu", "gout", "cold", "acne", "ulcer", "mumps", "asthma", "none"],
    }
)


def by_group(release: pc.Release, truth: pl.DataFrame) -> dict[int, list[float]]:
    """The true weights of each group, by the labels that stay with the publisher."""
    found: dict[int, list[float]] = {}
    for label, weight in zip(release.private.labels.tolist(), truth["w"], strict=True):
        found.setdefault(label, []).append(weight)
    return found


@pytest.mark.parametrize("recode", sorted(RECODERS))
def test_every_row_of_a_group_shows_the_rounded_mean_and_no_row_its_own(recode: Any) -> None:
    release = pc.publish(PEOPLE, pc.Tailor(l=2), **ROLES, recode=recode)
    frame = release.frames["quasi_identifiers"] if recode == "anatomy" else release.frame
    expected = sorted(
        float(f"{sum(held) / len(held):.3g}") for held in by_group(release, PEOPLE).values() for _ in held
    )
    assert sorted(frame["w"].to_list()) == expected
    assert frame["w"].dtype == pl.Float64
    assert not set(frame["w"]) & set(PEOPLE["w"])


def test_weights_do_not_steer_the_groups() -> None:
    coins = np.random.default_rng(3)
    for seed in range(4):
        other = PEOPLE.with_columns(w=pl.Series(coins.permutation(PEOPLE["w"].to_numpy())))
        with pytest.warns(pc.SecretSeedWarning):
            one, two = (pc.publish(people, pc.SoftCut(l=2), **ROLES, seed=seed) for people in (PEOPLE, other))
        assert one.private.labels.tolist() == two.private.labels.tolist()


def test_the_mean_does_not_depend_on_the_order_of_rows() -> None:
    """A sum of floats does, if it is made row after row."""
    weights = [0.1, 0.2, 0.3, 1e15, 0.7, 1e-9] * 50
    coins = np.random.default_rng(1)
    means = {rounded_mean(coins.permutation(weights).tolist(), 6) for _ in range(20)}
    assert len(means) == 1
    assert len({sum(coins.permutation(weights).tolist()) for _ in range(20)}) > 1


def test_the_number_of_digits_is_the_schemas_and_stands_in_the_recipe(tmp_path: Path) -> None:
    schema = pc.Schema.of(**ROLES)
    columns = schema.columns | {"w": pc.Column(role="weight", digits=1)}
    coarse = pc.publish(PEOPLE, pc.Tailor(l=2), schema=pc.Schema(columns=columns))
    assert all(f"{weight:.0e}" == f"{weight:.5e}".replace(".00000", "") for weight in coarse.frame["w"])
    (told,) = (column for column in coarse.recipe["columns"] if column["role"] == "weight")
    assert told == {"name": "w", "role": "weight", "kind": "number", "digits": 1}
    written = json.loads((coarse.write(tmp_path / "out") / "recipe.json").read_text())
    assert told in written["columns"]
    usual = pc.publish(PEOPLE, pc.Tailor(l=2), **ROLES)
    assert (
        "to 3 significant digits: the sum of the weights of all published rows is right to 0.5 %, sums over a"
        in usual.recipe["sentence"]
    )
    assert (
        "to 1 significant digit: the sum of the weights of all published rows is right to 50 %, sums over a"
        in coarse.recipe["sentence"]
    )


def test_sums_of_published_weights_are_right_within_rounding() -> None:
    census = pc.datasets.census(2000)
    frame = pl.DataFrame(census).with_columns(w=pl.Series(np.random.default_rng(5).lognormal(4, 1, 2000)))
    whole = math.fsum(frame["w"])
    for digits in (1, 3, 6):
        columns = {
            "age": pc.Column(role="quasi"),
            "gender": pc.Column(role="quasi"),
            "occupation": pc.Column(role="sensitive", kind="category"),
            "w": pc.Column(role="weight", digits=digits),
        }
        release = pc.publish(frame, pc.Hybrid(l=4), schema=pc.Schema(columns=columns))
        assert abs(release.frame["w"].sum() / whole - 1) <= 5 / 10**digits
        for held in by_group(release, frame).values():
            assert abs(rounded_mean(held, digits) * len(held) / math.fsum(held) - 1) <= 5 / 10**digits * (1 + 1e-12)


ASKED: dict[str, dict[str, Any]] = {  # of every method that publishes weights; those that withhold rows do so below
    "incognito": {"k": 3, "max_suppressed": 0.3},
    "alpha-k": {"alpha": 0.5, "k": 3},
    "art": {"r": 3},
    "randomized-greedy-grouping": {"l": 2, "p": 0.5},
    "mask": {"k": 2, "l": 2, "sensitive": "v0"},
    "mdav": {"k": 3},
}


@pytest.mark.parametrize("name", sorted(methods().keys() - {"spurious-records"}))
@pytest.mark.filterwarnings("ignore")
def test_the_sum_over_all_published_rows_is_right_whatever_is_withheld(name: str) -> None:
    """As the sentence says, of no other sum: the weights of withheld rows are in none."""
    withheld = 0
    for seed, recode in enumerate(sorted(RECODERS)):
        coins, n = np.random.default_rng(seed), 12 if name == "opt-gen" else 60
        frame = pl.DataFrame(
            {
                "age": coins.integers(20, 25 if name == "opt-gen" else 60, n),
                "town": ["A"] * (n - 2) + ["B", "C"],
                "w": [*coins.lognormal(3, 2, n - 2), 1e4, 1e4],
                "ill": [f"v{i}" for i in coins.permutation(np.arange(n) % 12)],
            }
        )
        method = methods()[name](**ASKED.get(name, {"l": 2}))
        release = pc.publish(frame, method, **ROLES, recode=recode, seed=seed)
        published = release.frames["quasi_identifiers"] if recode == "anatomy" else release.frame
        inside = release.private.labels >= 0
        withheld += int((~inside).sum())
        assert len(published) == inside.sum()
        assert published["w"].sum() == pytest.approx(math.fsum(frame["w"].to_numpy()[inside]), rel=0.005)
        assert "the sum of the weights of all published rows is right to 0.5 %" in release.recipe["sentence"]
        if withheld:
            assert published["w"].sum() < 0.99 * frame["w"].sum()
    assert (withheld > 0) == (name == "incognito")


def test_group_numbers_of_two_tables_depend_on_what_is_published_alone() -> None:
    """Two groups alike in all but their weights are numbered by these, however the rows stand in the file."""
    people = pl.DataFrame(
        {"age": [30, 30, 30, 30], "w": [5.0, 7.0, 100.0, 300.0], "ill": ["flu", "gout", "flu", "gout"]}
    )
    seen = set()
    for order in ([0, 1, 2, 3], [2, 3, 0, 1], [3, 1, 2, 0]):
        table = pc.read(people[order], quasi="age", sensitive="ill", weight="w")
        labels = np.array([0 if table_row < 2 else 1 for table_row in order], np.int32)
        for numbering in (labels, 1 - labels):
            frames = RECODERS["anatomy"]().recode(table, Grouping.from_labels(numbering))
            seen.add(str([frame.rows() for frame in frames.values()]))
    assert len(seen) == 1
    assert "(1, 30, 6.0)" in next(iter(seen))


def test_groups_that_differ_in_weight_alone_can_be_told_apart() -> None:
    people = pl.DataFrame(
        {"age": [30] * 4, "w": [5.0, 7.0, 100.0, 300.0], "ill": ["flu", "gout", "flu", "cold"], "id": list("abcd")}
    )
    release = pc.publish(people, pc.Ace(l=2), quasi="age", sensitive="ill", weight="w", identifier="id")
    assert len(set(release.private.labels.tolist())) == 2
    found = {level.model: level.level for level in pc.levels(release)}
    assert found["k-anonymity"] == 2  # and not 4, as somebody would think who overlooks the weights


def test_before_and_after_show_the_own_weight_and_that_of_the_group() -> None:
    table = pc.read(PEOPLE, **ROLES)
    for recode in ("intervals", "anatomy"):
        release = pc.publish(table, pc.Tailor(l=2), recode=recode)
        both = all_beside(table, release.private.grouping, release.public.recipe.recoder)
        assert both.before["w"].cast(pl.String).to_list() == [str(weight) for weight in PEOPLE["w"]]
        shown = mean_weights(table, release.private.grouping)[release.private.labels]
        assert both.after["w"].cast(pl.String).to_list() == [str(weight) for weight in shown]


def test_integers_and_texts_are_weights_too() -> None:
    for weights in (pl.Series("w", [1, 2, 3, 4, 5, 6, 7, 8]), pl.Series("w", list("12345678"))):
        table = pc.read(PEOPLE.with_columns(weights), **ROLES)
        assert table.attributes[-1].role is Role.WEIGHT
        assert mean_weights(table, Grouping.from_labels(np.zeros(8, np.int32))).tolist() == [4.5]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0, None, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "weight 'w' is null in 1 of 8 rows; every row stands for somebody"),
        ([1.0, 0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "weight 'w' has 0, and a weight is above 0"),
        ([1.0, -2.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "weight 'w' has -2.5, and a weight is above 0"),
        ([1.0, 1e16, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "weight 'w' has 1e+16, and a weight is at most 1e15"),
        (["1", "many", *"123456"], "'many' is not a number"),
        ([True, False] * 4, "weight 'w' has no numbers"),
    ],
)
def test_what_is_no_weight_is_refused_with_a_way_out(weights: list[Any], said: str) -> None:
    with pytest.raises((InputError, SchemaError)) as caught:
        pc.read(PEOPLE.with_columns(pl.Series("w", weights)), **ROLES)
    message = str(caught.value)
    assert said in message
    assert "\n" not in message
    assert any(way in message for way in ('role = "drop"', "give numbers", "divide all of them"))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ({"kind": "category"}, "a weight is a number"),
        ({"cap": {"high": 9}}, "take cap out"),
        ({"round": 5}, "take round out"),
        ({"domain": [0, 9]}, "take domain out"),
        ({"taxonomy": {"ladder": [5]}}, "take taxonomy out"),
        ({"digits": 0}, "0 is no number of significant digits"),
        ({"digits": 7}, "7 is no number of significant digits"),
        ({"digits": True}, "is no number of significant digits"),
        ({"digits": 2.5}, "is no number of significant digits"),
        ({"role": "quasi", "digits": 3}, 'digits is for role = "weight"'),
    ],
)
def test_a_weight_says_nothing_but_its_digits(what: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaError, match=said.replace("(", r"\(")):
        pc.Column(**{"role": "weight"} | what)


def test_there_is_one_weight() -> None:
    columns = {name: pc.Column(role="weight") for name in ("w", "v")}
    columns |= {"age": pc.Column(role="quasi"), "ill": pc.Column(role="sensitive")}
    with pytest.raises(SchemaError, match="'v' is a weight besides 'w', and there is at most one"):
        pc.Schema(columns=columns)


def test_a_schema_file_brings_the_weight_back(tmp_path: Path) -> None:
    columns = pc.Schema.of(**ROLES).columns | {"w": pc.Column(role="weight", digits=4)}
    schema = pc.Schema(columns=columns)
    path = tmp_path / "s.toml"
    path.write_text(schema.to_toml())
    assert pc.Schema.load(path) == schema
    assert pc.Schema.load(path).columns["w"].digits == 4


def test_a_weight_that_gives_the_sensitive_value_away_is_refused() -> None:
    """Such as one that was made to fit known totals of that very value."""
    people = pl.DataFrame({"age": [20, 30, 40, 50] * 50, "ill": ["flu", "gout", "cold", "acne"] * 50})
    people = people.with_columns(w=pl.col("ill").replace_strict({"flu": 1.0, "gout": 2.0, "cold": 3.0, "acne": 4.0}))
    people = people.with_columns(age=pl.Series(np.random.default_rng(1).integers(20, 60, 200)))
    roles = {"quasi": "age", "sensitive": "ill", "weight": "w"}
    with pytest.raises(SchemaError, match="w tells 100 % of ill"):
        pc.publish(people, pc.Hybrid(l=2), **roles)
    release = pc.publish(people, pc.Hybrid(l=2), **roles, accept_known="w")
    assert release.recipe["accepted_known"] == ["w"]


def test_records_that_stand_for_nobody_have_no_weight() -> None:
    with (
        pytest.raises(MethodError, match="adds records that stand for nobody"),
        pytest.warns(pc.InformedAttackerWarning),
    ):
        pc.publish(PEOPLE, pc.SpuriousRecords(k=2, l=2), **ROLES)


def test_spark_says_in_one_line_that_it_makes_no_means() -> None:
    with pytest.raises(MethodError) as caught:
        _refuse_weights(pc.Schema.of(**ROLES))
    assert str(caught.value) == (
        "'w' is a weight, and the mean weight of a group is not made with Spark; publish without Spark, or give the "
        'column role = "drop"'
    )
    _refuse_weights(pc.Schema.of(quasi="age", sensitive="ill"))


def test_rows_that_belong_together_may_have_weights() -> None:
    homes = PEOPLE.with_columns(home=pl.Series([1, 1, 2, 2, 3, 3, 4, 4]))
    release = pc.publish(homes, pc.Ace(l=2), **ROLES, cluster="home")
    held = by_group(release, PEOPLE)
    assert sorted(release.frame["w"]) == sorted(rounded_mean(weights, 3) for weights in held.values() for _ in weights)


def test_estimated_k_map_is_the_least_sum_of_weights_of_those_who_look_alike() -> None:
    table = pc.read(PEOPLE, **ROLES)
    release = pc.publish(table, pc.Tailor(l=2))
    sums = release.frame.group_by("age", "town").agg(pl.col("w").sum())["w"]
    found = {level.model: level for level in pc.levels(release)}
    assert found["k-map"].level == math.floor(sums.min())
    assert found["k-map"].meaning.startswith("estimated by the weights: ")
    assert [level.model for level in found.values() if level.estimated] == ["k-map"]
    assert level_words(found["k-map"]) == f"{math.floor(sums.min())}, estimated"
    alone = {level.model: level for level in pc.levels(PEOPLE, **ROLES)}
    assert alone["k-map"].level == 1  # everybody is alone, and the least weight is 1.5
    for k in (1, math.floor(sums.min()), math.floor(sums.min()) + 1):
        with pytest.raises(ModelError, match=r"the weights only estimate .* shows nothing"):
            pc.verify(release, [pc.KMap(k=k)])
    with pytest.raises(ModelError, match="needs a population"):
        pc.verify(release, [pc.DeltaPresence(low=0, high=1)])


def test_a_population_counts_for_more_than_its_estimate() -> None:
    release = pc.publish(PEOPLE, pc.Tailor(l=2), **ROLES)
    found = {level.model: level for level in pc.levels(release, population=PEOPLE)}
    assert "estimate" not in found["k-map"].meaning
    assert not found["k-map"].estimated
    assert level_words(found["k-map"]) == "2"
    assert found["k-map"].level == 2  # and not 4, the least sum of weights


def test_relative_weights_estimate_nothing_without_the_number_of_people() -> None:
    relative = PEOPLE.with_columns(w=pl.col("w") / pl.col("w").sum())
    audit = pc.levels(relative, **ROLES).audit
    assert isinstance(audit, Audit)
    assert audit.weighed_people is None
    assert "k-map" not in {level.model for level in audit.levels()}
    estimated = audit.population_uniqueness(1297)
    assert estimated.weighted
    exactly = pc.levels(PEOPLE, **ROLES).audit
    assert isinstance(exactly, Audit)
    assert exactly.weighed_people == 1297
    assert estimated.highest_risk == pytest.approx(exactly.population_uniqueness(1297).highest_risk)


def test_individual_risk_takes_the_sum_of_the_weights_of_a_class() -> None:
    """As sdcMicro: of a unique row of weight w it is log(w) / (w - 1)."""
    sizes, sums = np.array([1, 1, 3]), np.array([10.0, 1000.0, 60.0])
    found = population_uniqueness(sizes, 1070, sums)
    risks = individual_risk(sizes, sums)
    assert risks[0] == pytest.approx(math.log(10) / 9)
    assert risks[1] == pytest.approx(math.log(1000) / 999)
    assert found.highest_risk == pytest.approx(risks.max())
    assert found.mean_risk == pytest.approx((risks[0] + risks[1] + 3 * risks[2]) / 5)
    assert found.weighted
    equal = population_uniqueness(sizes, 1070)
    assert equal.highest_risk != pytest.approx(found.highest_risk)


def test_weights_are_taken_as_they_are() -> None:
    """sdcMicro's francdat: the weights add up to 765.5, and a class stands for what its own add up to."""
    people = pl.DataFrame(
        {
            "key": ["a", "b", "a", "c", "d", "d", "e", "a"],
            "w": [18.0, 45.5, 39.0, 17.0, 541.0, 8.0, 5.0, 92.0],
            "ill": list("xyxyxyxy"),
        }
    )
    assert people["w"].sum() == 765.5
    risks = pc.examine(people, quasi="key", sensitive="ill", weight="w").row_risks()
    assert risks.people_alike is not None
    assert risks.people_alike.tolist() == [149.0, 45.5, 149.0, 17.0, 549.0, 549.0, 5.0, 149.0]
    assert risks.risk is not None
    assert risks.risk[6] == pytest.approx(math.log(5) / 4, rel=1e-12)


@pytest.mark.parametrize("number", range(20))
def test_with_a_number_of_people_only_the_proportion_of_weights_counts(number: int) -> None:
    draw = np.random.default_rng(number)
    sizes = draw.integers(1, 9, size=30)
    weights = sizes * draw.uniform(1, 50, size=30)
    people = int(weights.sum()) + int(draw.integers(0, 500))
    first = population_uniqueness(sizes, people, weights)
    second = population_uniqueness(sizes, people, weights * float(draw.uniform(0.001, 1000)))
    assert second.highest_risk == pytest.approx(first.highest_risk, rel=1e-9)
    assert second.mean_risk == pytest.approx(first.mean_risk, rel=1e-9)
    alone = population_uniqueness(sizes, None, weights)
    assert alone.population == round(weights.sum())
    assert alone.highest_risk == pytest.approx(float(individual_risk(sizes, weights).max()), rel=1e-12)


def test_equal_weights_estimate_what_no_weights_do() -> None:
    sizes = np.array([1, 2, 2, 5, 1, 9])
    with_weights = population_uniqueness(sizes, 2000, sizes * 4.25)
    without = population_uniqueness(sizes, 2000)
    assert with_weights.highest_risk == pytest.approx(without.highest_risk)
    assert with_weights.mean_risk == pytest.approx(without.mean_risk)


def test_a_release_without_weights_says_so_where_they_are_asked_for() -> None:
    release = pc.publish(PEOPLE, pc.Tailor(l=2), quasi=["age", "town"], sensitive="ill")
    for metric in (pc.QueryError(weighted=True), pc.Loss(weighted=True), pc.WeightedTotals()):
        with pytest.raises(MeasureError, match='the release has no weights; publish one with role = "weight"'):
            pc.measure(release, PEOPLE, [metric])
    assert "weighted-totals" not in {score.metric for score in pc.measure(release, PEOPLE)}
    weighed = pc.publish(PEOPLE, pc.Tailor(l=2), **ROLES)
    assert "weighted-totals" in {score.metric for score in pc.measure(weighed, PEOPLE)}


def test_exact_weights_in_a_table_of_others_are_told_and_form_no_groups() -> None:
    audit = pc.levels(PEOPLE, **ROLES).audit
    assert audit.quasi == ("age", "town")
    assert [finding.name for finding in audit.findings] == ["weights"]
    assert "whoever knows a person's may find the row" in audit.findings[0].sentence


def test_a_verdict_takes_weights_without_a_recipe_to_tell_groups_apart() -> None:
    boxes = pl.DataFrame(
        {"age": ["[20, 23]"] * 8, "w": [1.0, 1.0, 100.0, 100.0, 50.5, 50.5, 7.0, 7.0], "d": list("abcdefgh")}
    )
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "d"}
    without, with_weights = (
        [verdict.holds for verdict in pc.verify(boxes, [pc.LDiversity(l=4), pc.KAnonymity(k=4)], **roles, **more)]
        for more in ({}, {"weight": "w"})
    )
    assert (without, with_weights) == ([True, True], [False, False])
    assert all(verdict.holds for verdict in pc.verify(boxes, [pc.LDiversity(l=2)], **roles, weight="w"))


def test_attacks_and_reports_read_the_original_with_its_weights(tmp_path: Path) -> None:
    people = PEOPLE.with_columns(id=pl.Series(list("abcdefgh")))
    for recode in ("intervals", "anatomy"):
        release = pc.publish(people, pc.Tailor(l=2), **ROLES, identifier="id", recode=recode)
        folder = release.write(tmp_path / recode)
        for given in (release, folder):
            assert pc.attack(given, truth=people, identifier="id").max_risk == 0.5
            assert pc.attack(given, population=people.drop("w", "ill"), identifier="id").max_risk <= 0.5
            page = tmp_path / "report.html"
            page.unlink(missing_ok=True)
            pc.report(given, original=people).write(page)
            assert "the mean of its group" in page.read_text()
