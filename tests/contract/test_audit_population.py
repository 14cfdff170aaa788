"""k-map and delta-presence: which people of a population a published row may be about."""

from __future__ import annotations

from datetime import date
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.taxonomy import Taxonomy
from pellucid.published.matcher import CellMatcher


def covered(published: object, values: list[Any], **known: Any) -> list[Any]:
    series = pl.Series(values)
    return series.filter(pl.Series(CellMatcher(series, **known).of(published))).to_list()


@pytest.mark.parametrize(
    ("published", "values", "expected"),
    [
        ("27", [21, 27, None], [27]),
        (27, [21, 27, None], [27]),
        ("27.0", [21, 27, None], [27]),
        ("27", ["21", "27", None], ["27"]),
        ("[21, 27]", [20, 21, 25, 27, 28, None], [21, 25, 27]),
        ("[20, 30)", [19, 20, 29, 30], [20, 29]),
        ("[-1.5, 2.5]", [-2.0, -1.5, 0.0, 2.5, 3.0], [-1.5, 0.0, 2.5]),
        ("[21, 27] or null", [20, 21, None], [21, None]),
        ("27 or null", [20, 27, None], [27, None]),
        ("{flu, cold}", ["cold", "cough", "flu"], ["cold", "flu"]),
        ('{"a, b", "say ""x"""}', ["a, b", 'say "x"', "a"], ["a, b", 'say "x"']),
        ("130**", ["13053", "13168", "1305", None], ["13053"]),
        ("*", [1, 2, None], [1, 2, None]),
        (None, [1, 2, None], [None]),
        ("[2024-01-01, 2024-03-31]", [date(2023, 12, 31), date(2024, 3, 31), date(2024, 4, 1)], [date(2024, 3, 31)]),
        ("[low, high]", ["low", "high", "mid"], []),
        ("Europe", ["France", "Japan"], []),
        ("", ["", None, "a"], [""]),
        ("[a, b]", [1, 2], []),
        ("9007199254740993", [9007199254740992, 9007199254740993], [9007199254740993]),
        ("[9007199254740993, 1e16]", [9007199254740992, 9007199254740993], [9007199254740993]),
        ("9007199254740993", ["9007199254740992", "9007199254740993", "1.5"], ["9007199254740993"]),
        ("[0.1, 0.3]", [0.1, 0.3, 0.30000000000000004], [0.1, 0.3]),
        ("[1, 3]", ["1", "2", "3", "9", None], ["1", "2", "3"]),
        ("[1, 3]", ["1", "02", "x", None], ["1", "02"]),
        ("1", ["01", "1.0", "x"], []),
        ("1", ["1.0", "1", "2.5"], ["1.0", "1"]),
        ("(20, 30]", [20, 25, 30], [25, 30]),
        ("(20, 30)", [20, 25, 30], [25]),
        ("[20, 30[", [20, 25, 30], [20, 25]),
        ("]20, 30]", [20, 25, 30], [25, 30]),
        ("[20, inf)", [19, 20, 10**15], [20, 10**15]),
        (
            "(2020-01, 2020-03]",
            [date(2020, 1, 31), date(2020, 2, 1), date(2020, 3, 31)],
            [date(2020, 2, 1), date(2020, 3, 31)],
        ),
        (
            "[2020-01, 2020-02]",
            [date(2019, 12, 31), date(2020, 1, 1), date(2020, 2, 29), date(2020, 3, 1)],
            [date(2020, 1, 1), date(2020, 2, 29)],
        ),
        ("[2020-01, 2020-02)", [date(2020, 1, 31), date(2020, 2, 1)], [date(2020, 1, 31)]),
        ("black or null", ["black or null", "black", None], ["black or null"]),
        ("black or null", ["white", "black", None], ["black", None]),
        ("True", [True, False], [True]),
        ("20-29", [19, 20, 29, 30, None], [20, 29]),
        ("20 \N{EN DASH} 29", [19, 20, 29, 30], [20, 29]),
        ("20 to 29", ["19", "20", "29", "30"], ["20", "29"]),
        ("-5--1", [-6, -5, -1, 0], [-5, -1]),
        (">=30", [29, 30, 31], [30, 31]),
        ("\N{GREATER-THAN OR EQUAL TO} 30", [29, 30, 31], [30, 31]),
        (">30", [29, 30, 31], [31]),
        ("<30", [29.5, 30.0], [29.5]),
        ("<= 30", [29, 30, 31], [29, 30]),
        ("30+", [29, 30, 99, None], [30, 99]),
        ("[20-30)", [19, 20, 29, 30], [20, 29]),
        ("(20,30]", [20, 25, 30], [25, 30]),
        ("[20-30[", [20, 25, 30], [20, 25]),
        ("[20;30]", [20, 25, 30, 31], [20, 25, 30]),
        ("20-29 or null", [20, 30, None], [20, None]),
        ("2****", ["23053", "2305", "13053"], ["23053"]),
        ("2*", [2, 20, 29, 30], [20, 29]),
        ("***53", ["13053", "13054", "53"], ["13053"]),
        ("1*0.3", ["100.3", "1x0.3", "1000.3", "10073"], ["100.3", "1x0.3"]),
        ("*****", ["13053", "x", None], ["13053", "x", None]),
        ("*****", ["*****", "13053"], ["*****"]),
        ("flu,cold", ["cold", "cough", "flu"], ["cold", "flu"]),
        ("flu,gout", ["cold", "cough", "flu"], []),
        ("1-4", ["1-4", "2", "5"], ["1-4"]),
        ("30-20", [20, 25, 30], []),
        ("2020-03", [date(2020, 3, 1)], []),
        ("-5", [-5, 5], [-5]),
    ],
)
def test_what_a_published_value_covers(published: object, values: list[Any], expected: list[Any]) -> None:
    assert covered(published, values) == expected


def test_an_order_and_a_taxonomy_say_what_is_between_and_below() -> None:
    assert covered("[mid, high]", ["low", "mid", "high"], order=["low", "mid", "high"]) == ["mid", "high"]
    places = Taxonomy.from_tree({"*": {"Europe": ["France", "Italy"], "Asia": ["Japan"]}})
    assert covered("Europe", ["France", "Japan", "Italy", "Mars"], taxonomy=places) == ["France", "Italy"]


def test_whatever_is_below_a_node_along_any_of_its_parents_is_covered() -> None:
    places = Taxonomy.from_tree({"*": {"Europe": ["France", "Turkey"], "Asia": ["Japan", "Turkey"]}})
    assert covered("Europe", ["France", "Japan", "Turkey"], taxonomy=places) == ["France", "Turkey"]
    assert covered("Asia", ["France", "Japan", "Turkey"], taxonomy=places) == ["Japan", "Turkey"]


def test_ranges_that_meet_at_somebodys_number_are_refused() -> None:
    release = pl.DataFrame({"age": ["20-30", "20-30", "30-40", "30-40"], "ill": ["a", "b", "a", "b"]})
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "ill"}
    clear = pl.DataFrame({"age": [20, 25, 31, 40, 40]})
    assert level(pc.levels(release, **roles, population=clear), "k-map").level == 2
    with pytest.raises(pc.InputError, match=r"age: '20-30' and '30-40' both end at 30.*\[20, 30\)"):
        pc.levels(release, **roles, population=pl.DataFrame({"age": [20, 25, 30, 40, 40]}))
    spelled = release.with_columns(pl.col("age").str.replace("20-30", "[20-30)", literal=True))
    assert level(pc.levels(spelled, **roles, population=clear.vstack(pl.DataFrame({"age": [30]}))), "k-map").level == 2
    beside = release.with_columns(pl.col("age").str.replace("30-40", "30+", literal=True))
    with pytest.raises(pc.InputError, match=r"'30\+'"):
        pc.levels(beside, **roles, population=pl.DataFrame({"age": [20, 25, 30, 40]}))


def test_ranges_that_meet_are_read_where_other_columns_say_who_is_in_which() -> None:
    release = pl.DataFrame({"age": ["18-21"] * 3 + ["21-28"] * 3, "zip": ["1-3"] * 3 + ["4-9"] * 3, "ill": [*"abcabc"]})
    people = pl.DataFrame({"n": [*"abcdef"], "age": [18, 21, 20, 21, 25, 28], "zip": [1, 2, 3, 5, 6, 7]})
    roles: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": "ill"}
    report = pc.attack_all(release, population=people, identifier="n", **roles)
    assert report.max_risk == pytest.approx(1 / 3)
    assert report.standing(1 / 3).standing.value != "FAILS"
    open_zip = release.with_columns(zip=pl.lit("1-9"))
    more = people.vstack(people[:1].with_columns(n=pl.lit("g")))
    for published, known in ((open_zip, people), (release, more)):  # in either range; or in the table or not
        with pytest.raises(pc.InputError, match="both end at 21"):
            pc.attack_all(published, population=known, identifier="n", **roles)


@pytest.mark.parametrize(
    ("published", "clear", "unclear", "said"),
    [
        (["20-29", "30-39"], [20, 29, 30, 39], 29.5, r"age: '20-29' does not say whether it covers 29.5"),
        (["20-29", "30-39"], [20, 29, 30, 39], 39.5, r"age: '30-39' does not say whether it covers 39.5"),
        (["1.0-1.9", "2.0-2.9"], [1.5, 3.0], 1.95, r"does not say whether it covers 1.95"),
        (["20-29", "30+"], [20, 29, 30, 90], 29.5, r"'20-29' does not say whether it covers 29.5"),
        (["20,29", "30,39"], [20, 29, 30, 39], 25, r"age: '20,29' may be two numbers .*such as 25.*\{20, 29\} or \[20"),
        (["20-30", "31"], [20, 25, 31], 31.0, None),
        (["20-30", "30"], [20, 25, 31], 30, r"age: '20-30' and '30' both end at 30"),
        (["30", "30-40"], [35, 40], 30, r"both end at 30"),
        (["[20, 30]", "30-40"], [20, 35], 30, r"'\[20, 30\]' and '30-40' both end at 30"),
        (["[20, 30]", "[30, 40]"], [20, 35], 30, None),
        (["1*"], [10, 11], 100, r"age: '1\*' may hide one character or more, as in 100"),
        (["1*", "1**"], [10, 11], 100, None),
        (["1*"], [10, 11], 200, None),
        (["[20, 29]", "[30, 39]"], [20, 29, 30], 29.5, None),
        (["20-29", "[29.5, 39]"], [20, 29, 30], 29.5, None),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(
    published: list[str], clear: list[float], unclear: float, said: str | None
) -> None:
    """Reading it one way silently leaves out people whom the other way covers."""
    whole = all(float(value).is_integer() for value in [*clear, unclear])
    kind = pl.Int64 if whole else pl.Float64
    CellMatcher(pl.Series(clear, dtype=kind, strict=False)).refuse_unclear(published, "age")
    with_it = CellMatcher(pl.Series([*clear, unclear], dtype=kind, strict=False))
    if said is None:
        with_it.refuse_unclear(published, "age")
    else:
        with pytest.raises(pc.InputError, match=said):
            with_it.refuse_unclear(published, "age")


def test_an_attack_does_not_leave_out_whom_an_unclear_value_may_cover() -> None:
    release = pl.DataFrame({"age": ["20-29"] * 3 + ["30-39"] * 3, "d": ["flu", "flu", "hiv", "flu", "cold", "hiv"]})
    people = pl.DataFrame({"n": list("abcdefg"), "age": [20.0, 25.0, 29.0, 30.0, 35.0, 39.0, 29.5]})
    with pytest.raises(pc.InputError, match=r"29\.5"):
        pc.attack(release, pc.Adversary(), population=people, quasi="age", sensitive="d", identifier="n")


def level(answers: Any, model: str) -> Any:
    (found,) = [answer for answer in answers if answer.model == model]
    return found


def population(n: int, seed: int) -> pl.DataFrame:
    random = Random(seed)
    return pl.DataFrame(
        {
            "age": [random.choice([None, *range(20, 32)]) for _ in range(n)],
            "town": [random.choice(["Ur", "Uruk", "Nippur", None]) for _ in range(n)],
            "disease": [f"d{random.randrange(6)}" for _ in range(n)],
        }
    )


def inside(value: object, published: str | None) -> bool:
    """Whether a person's value fits a published one; the plain definition for the forms that our recoders write."""
    if published is None or value is None:
        return (value is None) == (published is None) or (published or "").endswith(("or null", "*"))
    published = published.removesuffix(" or null")
    if published.startswith("["):
        low, high = published[1:-1].split(", ")
        return int(low) <= int(str(value)) <= int(high)
    if published.startswith("{"):
        return str(value) in published[1:-1].split(", ")
    return published in ("*", str(value))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("recoder", [pc.Intervals(), pc.Suppression(), pc.Intervals(split=True)], ids=lambda r: repr(r))
def test_people_are_counted_by_trying_everyone_against_every_group(recoder: Any, seed: int, tmp_path: Path) -> None:
    people = population(150, seed)
    drawn = people.with_row_index("id").sample(60, seed=seed)
    roles: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": "disease", "identifier": "id"}
    release = pc.publish(drawn, pc.Tailor(l=2), **roles, recode=recoder)
    answers = pc.levels(release, population=people)
    published = release.frame
    if getattr(recoder, "split", False):
        published = pc.publish(drawn, pc.Tailor(l=2), **roles).frame
    boxes = published.select("age", "town").unique().rows()
    fits = {
        box: [all(map(inside, person, box)) for person in people.select("age", "town").iter_rows()] for box in boxes
    }
    assert level(answers, "k-map").level == min(sum(flags) for flags in fits.values())
    assert level(answers, "k-map").worst.population == level(answers, "k-map").level
    sizes = published.group_by("age", "town").len().rows()
    shares = [rows / sum(fits[age, town]) for age, town, rows in sizes]
    times = [sum(flags) for flags in zip(*fits.values(), strict=True)]
    found = level(answers, "delta-presence")
    if max(times) == 1:
        assert found.level == pytest.approx(max(shares))
        assert float(found.parameters["low"]) == pytest.approx(min(shares) if min(times) else 0)
    else:  # who fits two groups is likelier in the table
        assert max(shares) < found.level <= 1
    people.write_csv(tmp_path / "people.csv")
    assert level(pc.levels(release, population=tmp_path / "people.csv"), "k-map").level == level(answers, "k-map").level


def test_nodes_of_a_taxonomy_cover_their_leaves() -> None:
    tree = {"*": {"south": ["Ur", "Uruk"], "north": ["Nippur", "Assur"]}}
    schema = pc.Schema(
        columns={"town": pc.Column(role="quasi", taxonomy={"tree": tree}), "disease": pc.Column(role="sensitive")}
    )
    release = pl.DataFrame({"town": ["south", "south", "Assur"], "disease": ["flu", "cold", "flu"]})
    people = pl.DataFrame({"town": ["Ur", "Uruk", "Uruk", "Nippur", "Assur"]})
    found = level(pc.levels(release, schema=schema, population=people), "delta-presence")
    assert found.level == 1
    assert found.worst.published == {"town": "Assur"}
    assert level(pc.levels(release, schema=schema, population=people), "k-map").level == 1


def test_two_tables_are_compared_by_their_own_quasi_identifiers() -> None:
    frame = pl.DataFrame({"age": [20, 21, 22, 23], "disease": ["flu", "cold", "flu", "cold"]})
    release = pc.publish(frame, pc.Tailor(l=2), quasi="age", sensitive="disease", recode=pc.Anatomy())
    people = pl.DataFrame({"age": [20, 20, 21, 21, 22, 22, 23, 23, 24]})
    answers = pc.levels(release, population=people)
    assert level(answers, "k-map").level == 2
    assert level(answers, "delta-presence").level == 0.5
    assert level(answers, "k-map").worst.published == {"age": 20}


def test_a_table_with_a_carried_column_has_a_population_too() -> None:
    frame = pl.DataFrame({"age": [20, 20], "town": ["Ur", "Uruk"], "disease": ["flu", "cold"]})
    table = pc.read(frame, quasi="age", sensitive="disease", carry=["town"])
    people = pl.DataFrame({"age": [20, 20, 20], "town": ["Ur", "Uruk", "Ur"]})
    assert level(pc.levels(table, population=people), "k-map").level == 1


def test_people_like_no_row_are_known_to_be_absent() -> None:
    release = pl.DataFrame({"age": [20, 20], "disease": ["flu", "cold"]})
    people = pl.DataFrame({"age": [20, 20, 20, 20, 30, 31, 32]})
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "disease", "population": people}
    (verdict,) = pc.verify(release, [pc.DeltaPresence(low=0.1, high=1)], **roles)
    assert not verdict.holds
    assert verdict.worst is not None
    assert (verdict.worst.size, verdict.worst.population, verdict.worst.published) == (0, 3, {})
    assert pc.verify(release, [pc.DeltaPresence(low=0, high=0.5)], **roles)[0].holds


def test_a_population_in_text_is_read_as_the_schema_says() -> None:
    schema = pc.Schema.of(quasi="age", sensitive="disease", kinds={"age": "number"})
    release = pl.DataFrame({"age": ["[20, 29]"] * 2, "disease": ["flu", "cold"]})
    people = pl.DataFrame({"age": ["021", "29", "30", None]})
    assert level(pc.levels(release, schema=schema, population=people), "k-map").level == 2


def test_a_suppressed_row_may_be_anybody_s() -> None:
    people = pl.DataFrame({"age": [20, 20, 21], "town": ["Ur"] * 3})
    for hidden in ("*", None):
        release = pl.DataFrame({"age": ["20", hidden], "town": ["Ur", hidden], "disease": ["flu", "cold"]})
        answers = pc.levels(release, quasi=["age", "town"], sensitive="disease", population=people)
        assert level(answers, "k-map").level == 2


@pytest.mark.parametrize("hidden", ["*", None])
def test_nobody_is_known_to_be_absent_when_a_row_may_be_anybody_s(hidden: str | None) -> None:
    people = pl.DataFrame({"age": [20, 20, 30, 40], "town": ["Ur"] * 4})
    release = pl.DataFrame({"age": ["20", hidden], "town": ["Ur", hidden], "disease": ["flu", "cold"]})
    (found,) = [a for a in pc.levels(release, quasi=["age", "town"], population=people) if a.model == "delta-presence"]
    assert found.parameters["low"] > 0
    without = pc.levels(release.head(1), quasi=["age", "town"], population=people)
    assert level(without, "delta-presence").parameters["low"] == 0


def test_a_population_that_does_not_include_the_table_says_so() -> None:
    release = pl.DataFrame({"age": [20, 20, 20], "disease": ["flu", "cold", "flu"]})
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "disease"}
    others = pl.DataFrame({"age": [20, 30, 31, 32]})
    answers = pc.levels(release, **roles, population=others)
    assert "population that includes everyone" in answers.unanswered["delta-presence"]
    with pytest.raises(pc.ModelError, match="population that includes everyone"):
        pc.verify(release, [pc.DeltaPresence(low=0, high=1)], **roles, population=others)
    for model in (pc.KMap(k=1), pc.DeltaPresence(low=0, high=1)):
        with pytest.raises(pc.InputError, match="the population has 2 people and the table 3 rows"):
            pc.verify(release, [model], **roles, population=pl.DataFrame({"age": [20, 20]}))


def test_without_a_population_they_are_refused_and_left_out() -> None:
    release = pl.DataFrame({"age": [20, 20], "disease": ["flu", "cold"]})
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "disease"}
    assert not {"k-map", "delta-presence"} & {answer.model for answer in pc.levels(release, **roles)}
    for model in (pc.KMap(k=2), pc.DeltaPresence(low=0, high=1)):
        with pytest.raises(pc.ModelError, match="population"):
            pc.verify(release, [model], **roles)
    with pytest.raises(pc.SchemaError, match=r"the population.* no column 'age'"):
        pc.levels(release, **roles, population=pl.DataFrame({"years": [20]}))


def test_a_large_population_takes_no_product_of_people_and_groups() -> None:
    people = pl.DataFrame([{"a": a, "b": b, "c": c} for a, b, c in product(range(40), range(40), range(20))])
    release = people.with_columns(s=pl.col("a") % 3)
    answers = pc.levels(release, quasi=["a", "b", "c"], sensitive="s", population=people)
    assert level(answers, "k-map").level == 1
    assert level(answers, "delta-presence").level == 1
