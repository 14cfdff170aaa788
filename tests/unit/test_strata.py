"""What Strata refuses, and what it says of strata that are published whole."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.parameters import build_method
from pellucid.cli.remarks import bounds_of_strata
from pellucid.core.coins import Coins
from plain import strata
from plain.soft_cut import PlainCuts
from plain.tables import inputs_and_draws

COINS = Coins.from_seed(1)


def people(*quasi: str) -> pc.Table:
    ages = (20, 20, 21, 21, 60, 60, 61, 61)
    frame = pl.DataFrame({"age": ages, "sex": list("fmfmfmfm"), "ill": list("aabcaaab")})
    return pc.read(frame, quasi=list(quasi) or ["age"], sensitive="ill")


def test_a_stratum_with_a_frequent_value_is_whole_and_the_other_is_divided() -> None:
    method = pc.Strata(l=2, size=4)
    grouping = method.group(people(), COINS)
    assert sorted(grouping.sizes.tolist()) == [2, 2, 4]
    assert set(grouping.labels[4:]) == {int(np.argmax(grouping.sizes))}
    assert sorted(method.bounds(people(), grouping)["ill"].tolist()) == [0.5, 0.5, 0.75]


def test_publish_warns_of_values_that_strata_tell() -> None:
    """Four of five who are certain are in one stratum; of two others one value is more than a half."""
    ages = [20] * 4 + [40] * 4 + [60] * 4 + [80] * 4
    frame = pl.DataFrame({"age": ages, "ill": list("aaaaaaababcdbbbc")})
    told = "of 4 people in 1 stratum the release tells ill for certain, and of 8 others one value with more than 1/2"
    with pytest.warns(pc.TellingStrataWarning, match=told):
        release = pc.publish(frame, pc.Strata(l=2, size=4), quasi="age", sensitive="ill")
    assert release.bound == (
        "the bound is 1/2 for 4 of 16 people (25 %), and for 12 people in 3 strata the share of the value there, "
        "up to 100 %"
    )
    assert release.bound in repr(release)
    assert release.bound in release._repr_html_()
    assert pc.publish(frame, pc.Tailor(l=1), quasi="age", sensitive="ill").bound == ""


def test_where_some_values_are_protected_nobody_stands_alone_inside_strata() -> None:
    table = pc.datasets.census(400, seed=3)
    some = pc.Strata(l=3, values=(14,))
    sizes = {
        k: pc.publish(
            table, some.model_copy(update={"k": k}), quasi=["age", "gender"], sensitive="occupation"
        ).private.grouping.sizes.min()
        for k in (None, 1)
    }
    assert sizes[None] >= 3 > sizes[1]


def test_most_is_asked_of_no_column_below_its_own_bound() -> None:
    """Of drug, l = 2 allows half; most = 3/10 is about ill."""
    frame = pl.DataFrame({"age": range(16), "ill": list("abcdefgh") * 2, "drug": list("xy") * 8})
    table = pc.read(frame, quasi="age", sensitive=["ill", "drug"])
    assert len(pc.Strata(l={"ill": 4, "drug": 2}, size=8, most="3/10").group(table, COINS)) >= 2


def test_most_refuses_a_stratum_that_says_too_much() -> None:
    assert len(pc.Strata(l=2, size=4, most="3/4").group(people(), COINS)) == 3
    with pytest.raises(pc.Infeasible, match=r"most = 2/3 is not feasible: in 1 stratum of 4 people .* up to 75 %"):
        pc.Strata(l=2, size=4, most=Fraction(2, 3)).group(people(), COINS)


def test_columns_of_same_are_not_mixed() -> None:
    grouping = pc.Strata(l=2, size=2, same=("sex",), inside="none").group(people("age", "sex"), COINS)
    sexes = np.array(list("fmfmfmfm"))
    assert all(len(set(sexes[grouping.labels == group])) == 1 for group in range(len(grouping)))
    mixed = pc.Strata(l=2, size=4, inside="none").group(people("age"), COINS)
    assert any(len(set(sexes[mixed.labels == group])) == 2 for group in range(len(mixed)))


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ({"l": 3, "size": 2}, "size = 2 is below l = 3"),
        ({"l": 2, "size": 9}, "size = 9 is not feasible: the table has 8 rows"),
        ({"l": 2, "size": 4, "k": 3, "inside": "lot"}, "k = 3 would put groups that are drawn by lot together"),
        ({"l": 2, "size": 4, "k": 5, "inside": "none"}, "size = 4 is below k = 5"),
        ({"l": 2, "size": 4, "most": "1/3"}, "most = 1/3 is below 1/2"),
        ({"l": 2, "size": 4, "inside": "lot", "values": ("a",)}, "inside = lot is for all values"),
        ({"l": 2, "size": 4, "same": ("sexx",)}, "did you mean 'sex'"),
        ({"l": 2, "size": 4, "same": ("age",)}, "same = age is not feasible: 2 people with age = 20"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(setting: dict[str, object], problem: str) -> None:
    with pytest.raises(pc.PellucidError, match=problem):
        pc.Strata(**setting).group(people("age", "sex"), COINS)


def test_clusters_are_refused() -> None:
    frame = pl.DataFrame({"age": range(8), "home": [1, 1, 2, 2, 3, 3, 4, 4], "ill": list("abababab")})
    with pytest.raises(pc.MethodError, match="strata takes every row as a person of its own"):
        pc.publish(frame, pc.Strata(l=2, size=4), quasi="age", sensitive="ill", cluster="home")


def test_the_self_check_counts_groups_below_a_stratum(monkeypatch: pytest.MonkeyPatch) -> None:
    from pellucid.anonymize.methods import Grouping
    from pellucid.errors import PromiseNotKept

    broken = Grouping.from_labels(np.array([0, 0, 1, 1, 2, 2, 2, 2], np.int32))  # two of one value in a group of two
    monkeypatch.setattr(pc.Strata, "group", lambda *_, **__: broken)
    with pytest.raises(PromiseNotKept):
        pc.publish(people(), pc.Strata(l=2, size=4))


def test_no_bound_is_declared_for_everybody() -> None:
    """It is 1/l for some, and the share in their stratum for others: a figure for all would be a false promise."""
    method = pc.Strata(l=3)
    assert (method.proved, method.counted, method.promised, method.at_most) == (None, None, None, None)


def test_bounds_look_at_every_sensitive_column() -> None:
    frame = pl.DataFrame({"age": [20] * 4 + [60] * 4, "ill": list("abcdabcd"), "pay": list("xxxyxyzw")})
    table = pc.read(frame, quasi="age", sensitive=["ill", "pay"])
    method = pc.Strata(l=2, size=4, inside="none")
    bounds = method.bounds(table, method.group(table, COINS))
    assert {name: sorted(shares.tolist()) for name, shares in bounds.items()} == {"ill": [0.5, 0.5], "pay": [0.5, 0.75]}
    with pytest.raises(pc.Infeasible, match="up to 75 %"):
        pc.Strata(l=2, size=4, most="1/2").group(table, COINS)


def test_k_makes_larger_groups_whose_bound_is_said() -> None:
    """Groups may be put together: that somebody tells them apart is bounded by 1/l, and known by all who judge."""
    frame = pl.DataFrame({"age": range(40), "ill": list("abcd") * 10})
    table = pc.read(frame, quasi="age", sensitive="ill")
    joined = pc.Strata(l=2, size=10, k=5)
    assert joined.group(table, COINS).sizes.min() >= 5
    assert pc.Strata(l=2, size=10).group(table, COINS).sizes.min() < 5
    assert joined.at_most == Fraction(1, 2)
    assert "at least 5 rows" in str(joined.sentence(table))
    each = pc.Strata(l={"ill": 4, "drug": 2}, size=8, k=5)
    assert each.at_most == Fraction(1, 2), "the largest of their bounds"
    assert pc.Strata(l=2, size=4, k=2).at_most is None, "groups have l rows in any case"
    assert pc.Strata(l=2, size=4, k=3, inside="none").at_most is None, "groups are strata"
    assert pc.Strata(l=2, size=4, k=2, values=("a",)).at_most == Fraction(1, 2)


@pytest.mark.parametrize("inside", ["hybrid", "lot", "none"])
def test_large_tables_give_the_same_groups_for_any_number_of_threads(inside: str) -> None:
    """Above 50,000 rows threads cut the table; strata so large that they must not cut through one."""
    random = np.random.default_rng(3)
    rows = 70_000
    frame = pl.DataFrame(
        {"a": random.integers(0, 50, rows), "b": random.integers(0, 9, rows), "ill": random.integers(0, 12, rows)}
    )
    table = pc.read(frame, quasi=["a", "b"], sensitive="ill")
    for size in (40, 36_000):
        method = pc.Strata(l=4, size=size, inside=inside)  # type: ignore[arg-type]
        one, two = (method.group(table, COINS, threads=threads) for threads in (1, 2))
        assert (one.labels == two.labels).all()
        assert one.sizes.max() >= (size if inside == "none" else 4)


def test_where_strata_read_alike_the_largest_share_is_said() -> None:
    """Forty towns become one star: whoever knows no stratum believes the mixture, which is more than the own share."""
    towns = [f"t{i:02}" for i in range(40)]
    frame = pl.DataFrame(
        {"town": towns, "ill": ["hiv"] * 18 + ["flu", "flu"] + ["hiv"] * 4 + [f"v{i}" for i in range(16)]}
    )
    stars = pc.Intervals(largest_set=12)
    result = pc.publish(frame, pc.Strata(l=3, size=20, inside="none"), quasi="town", sensitive="ill", recode=stars)
    assert result.frame["town"].unique().to_list() == ["*"]
    table = pc.read(frame, quasi="town", sensitive="ill")
    (told,) = bounds_of_strata(table, pc.Strata(l=3, size=20, inside="none"), result)
    assert "for 0 of 40 people (0 %)" in told
    assert "up to 90 %" in told
    assert "where two strata are published alike, attackers who see only the release" in result.promise


def test_a_release_that_refutes_itself_is_not_signed() -> None:
    frame = pl.DataFrame({"age": [20, 20, 21, 21, 60, 60, 61, 61], "ill": list("abcdaaab")})
    release = pc.publish(frame, pc.Strata(l=2, size=4), quasi="age", sensitive="ill")
    assert "contradicts" not in pc.report(release, audience="public").html
    published = release.frame.with_columns(ill=pl.Series(["a"] * 8))
    page = pc.report(published, made_by=pc.Strata(l=2, size=40), quasi="age", sensitive="ill", audience="public").html
    assert "l-diversity of ill is 1, and 2 is promised" in page


def two_columns() -> pl.DataFrame:
    """Two strata: in the first both columns can be divided, in the second pay has one value too often for l = 4."""
    ill, pay = list("abababab") + list("abababab"), list("wxyzwxyz") + list("wwwxxyyz")
    return pl.DataFrame({"age": [20] * 8 + [60] * 8, "ill": ill, "pay": pay})


def test_each_column_has_its_own_l() -> None:
    table = pc.read(two_columns(), quasi="age", sensitive=["ill", "pay"])
    method = pc.Strata(l={"ill": 2, "pay": 4}, size=8)
    grouping = method.group(table, COINS)
    assert sorted(grouping.sizes.tolist()) == [4, 4, 8]
    bounds = {name: sorted(set(shares.tolist())) for name, shares in method.bounds(table, grouping).items()}
    assert bounds == {"ill": [0.5], "pay": [0.25, 0.375]}
    assert pc.Strata(l={"ill": 2, "pay": 2}, size=8).group(table, COINS).sizes.max() < 8
    promise = method.sentence(table)
    assert "ill with probability at most 1/2 and the value of pay with probability at most 1/4" in promise


def test_a_schema_says_the_l_of_a_column() -> None:
    columns = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}, "pay": {"role": "sensitive", "l": 4}}
    schema = pc.Schema.model_validate({"columns": columns})
    release = pc.publish(two_columns(), pc.Strata(l=2, size=8), schema=schema)
    assert release.recipe["parameters"]["l"] == {"ill": 2, "pay": 4}
    assert pc.Schema.model_validate(schema.model_dump()).columns["pay"].l == 4
    asked = pc.publish(two_columns(), pc.Strata(l=5, size=8), schema=schema)
    assert asked.recipe["parameters"]["l"] == {"ill": 5, "pay": 5}  # a schema lowers nothing that was asked for
    with pytest.raises(pc.SchemaError, match=r"says l = 4 of 'pay', and soft-cut has l = 2"):
        pc.publish(two_columns(), pc.SoftCut(l=2), schema=schema)
    with pytest.raises(pc.SchemaError, match=r"says l = 4 of 'pay', and strata has l = 3"):
        pc.publish(two_columns(), pc.Strata(l={"ill": 2, "pay": 3}, size=8), schema=schema)
    with pytest.raises(pc.SchemaError, match=r"says l = 4 of 'pay', and mondrian promises no l"):
        pc.publish(two_columns(), pc.Mondrian(k=2), schema=schema)


@pytest.mark.parametrize(
    ("l", "problem"),
    [
        ({"ill": 2}, "l is said of some sensitive columns, and not of pay"),
        ({"ill": 2, "pay": 4, "job": 2}, "l of 'job': no sensitive column is called so"),
        ({"ill": 2, "pai": 4}, "did you mean 'pay'"),
        ({"ill": 1, "pay": 4}, "one of at least 2 for each sensitive column"),
        ({}, "one of at least 2 for each sensitive column"),
        ({"ill": 2.5, "pay": 4}, "one of at least 2 for each sensitive column"),
        (True, "must be a whole number of at least 1"),
        ("4", "must be a whole number of at least 1"),
        ({"ill": 2, "pay": 9}, "size = 8 is below l = 9"),
    ],
)
def test_an_l_of_columns_that_cannot_be_is_refused(l: object, problem: str) -> None:
    with pytest.raises(pc.MethodError, match=problem):
        pc.publish(two_columns(), pc.Strata(l=l, size=8), quasi="age", sensitive=["ill", "pay"])  # type: ignore[arg-type]


def test_methods_with_one_bound_refuse_an_l_of_each_column() -> None:
    with pytest.raises(pc.MethodError, match="soft-cut has one l for all sensitive columns; use strata"):
        pc.SoftCut(l={"ill": 2})  # type: ignore[arg-type]


def test_the_self_check_counts_each_column_with_its_own_l(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of four with every pay once and every ill twice; halves of them would do for ill, and not for pay."""
    from pellucid.anonymize.methods import Grouping
    from pellucid.errors import PromiseNotKept

    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3, *[4] * 8], np.int32)
    monkeypatch.setattr(pc.Strata, "group", lambda *_, **__: Grouping.from_labels(labels))
    roles = {"quasi": "age", "sensitive": ["ill", "pay"]}
    pc.publish(two_columns(), pc.Strata(l=2, size=8), **roles)
    with pytest.raises(PromiseNotKept, match="one value of pay has more than 1/4"):
        pc.publish(two_columns(), pc.Strata(l={"ill": 2, "pay": 4}, size=8), **roles)


def test_the_self_check_finds_a_group_as_large_as_a_stratum_that_is_none() -> None:
    """A stratum of 16 in groups of 8 and 8: neither is published whole, and both have to be diverse."""
    from pellucid.anonymize.methods import Grouping
    from pellucid.anonymize.self_check import Countable
    from pellucid.errors import PromiseNotKept

    table = pc.read(two_columns(), quasi="age", sensitive=["ill", "pay"])
    count = Countable.of(pc.Strata(l={"ill": 2, "pay": 4}, size=8), ["ill", "pay"])
    grouping = Grouping.from_labels(np.array([0] * 8 + [1] * 8, np.int32))
    grouping.strata = np.array([0, 1])
    count.require_kept(table, grouping)
    grouping.strata = np.array([0, 0])
    with pytest.raises(PromiseNotKept, match="one value of pay"):
        count.require_kept(table, grouping)


TOWNS = {"*": {"Peru": ["Lima", "Cuzco"], "Italy": ["Rome", "Pisa"]}}


def towns() -> pc.Table:
    """Few people of Cuzco and Pisa, enough of Peru and Italy; and ages with a ladder."""
    town = ["Lima"] * 9 + ["Cuzco"] * 3 + ["Rome"] * 8 + ["Pisa"] * 4
    frame = pl.DataFrame({"town": town, "age": [20 + 3 * (i % 6) for i in range(24)], "ill": list("abcdef") * 4})
    roles = {
        "town": {"role": "quasi", "taxonomy": {"tree": TOWNS}},
        "age": {"role": "quasi", "taxonomy": {"ladder": [10]}},
        "ill": {"role": "sensitive"},
    }
    return pc.read(frame, schema=pc.Schema.model_validate({"columns": roles}))


def test_same_of_a_level_keeps_its_names_apart() -> None:
    table = towns()
    inputs, _ = inputs_and_draws(table, COINS)
    country = [town in ("Rome", "Pisa") for town in table.attributes[0].values.gather(table.codes[0])]
    expected = [
        part
        for italian in (False, True)
        for part in strata.strata(
            PlainCuts(inputs.codes, inputs.order, inputs.geometry), [r for r in range(24) if country[r] == italian], 5
        )
    ]
    grouping = pc.Strata(l=2, size=5, same=["town:1"]).group(table, COINS)
    of_rows = np.repeat(grouping.strata, grouping.sizes)
    found = [sorted(grouping.members[of_rows == one].tolist()) for one in np.unique(of_rows)]
    assert sorted(found) == sorted(expected)
    assert len(expected) > 2
    assert "No stratum mixes values of level 1 of town." in pc.Strata(l=2, size=5, same="town:1").sentence(table)


@pytest.mark.parametrize(
    ("same", "problem"),
    [
        (["town"], r"3 people with town = Cuzco, and a stratum has at least 5; use same = town:1$"),
        (["town", "age:1"], r"use same = age:1$"),
        (["town:2"], "the levels of town that tell people apart are 0 to 1"),
        (["town:x"], "no quasi-identifier is called so; did you mean 'town'"),
        (["ill"], "no quasi-identifier is called so"),
        (["age:1", "age"], "same names age twice"),
        ([""], "same = : no quasi-identifier is called so"),
    ],
)
def test_same_that_cannot_be_names_what_would_do(same: list[str], problem: str) -> None:
    with pytest.raises(pc.PellucidError, match=problem):
        pc.Strata(l=2, size=5, same=same).group(towns(), COINS)


def test_publish_and_reports_say_how_far_strata_pin_columns_down() -> None:
    release = pc.publish(people("age", "sex"), pc.Strata(l=2, size=4))
    assert release.recipe["strata"] == {
        "number": 2,
        "pins": [
            {"column": "age", "how": "mixed", "half": 41, "all": 41},
            {"column": "sex", "how": "constant"},
        ],
    }
    told = "age mixed (within 41 for half of the people and 41 for all), sex the same. An attacker who knows statistics"
    for audience in ("public", "private"):
        assert told in pc.report(release, audience=audience).html  # type: ignore[arg-type]
    assert "strata" not in pc.publish(two_columns(), pc.SoftCut(l=2), quasi="age", sensitive="ill").recipe


def test_an_l_of_other_columns_than_the_release_has_is_refused_in_words() -> None:
    with pytest.raises(pc.errors.MethodError, match="l of 't': no sensitive column is called so"):
        pc.Strata(l={"t": 2}, size=3).protecting("s")


def test_an_l_given_twice_for_one_column_is_refused() -> None:
    with pytest.raises(pc.errors.MethodError, match="--l s: given 2 times"):
        build_method("strata", {"l": "s=2,s=3", "size": "3"})
