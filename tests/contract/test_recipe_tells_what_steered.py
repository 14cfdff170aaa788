"""A recipe tells everything that the groups depend on, so that an attack on a folder needs no schema."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.recipe import FORMAT, Recipe
from pellucid.core.schema import Column, Schema
from pellucid.core.taxonomy import Taxonomy
from pellucid.risk.inference.require_inputs import NotKnown

PLACES = Taxonomy.from_tree({"*": {"south": ["d", "c"], "north": ["b", "a"], "coast": ["a", "d"]}})  # in this order
WHERE = {"*": {"south": ["d", "c"], "north": ["b", "a"]}}
DECLARED: dict[str, Column] = {
    "id": Column(role="identifier"),
    "kids": Column(role="quasi", kind="number", domain=[0, 20], missing=["-9"]),
    "born": Column(role="quasi", domain=[date(1950, 1, 1), date(2020, 1, 1)]),
    "seen": Column(role="carry", domain=[datetime(2020, 1, 1, 8), datetime(2021, 1, 1)]),
    "place": Column(role="quasi", taxonomy=PLACES),
    "age": Column(role="quasi", taxonomy={"ladder": [5, 10]}),
    "size": Column(role="quasi", kind="ordered", order=["small", "large"], nulls="reject"),
    "zip": Column(role="quasi", kind="category", taxonomy={"prefix": [2]}),
    "pain": Column(role="sensitive", kind="ordered", order=["none", "some", "much"]),
}
TABLE = pl.DataFrame(
    {
        "id": range(4),
        "kids": [1, 2, -9, 3],
        "born": [date(1990, 1, day) for day in (1, 2, 3, 4)],
        "seen": [datetime(2020, 5, 1, hour) for hour in (1, 2, 3, 4)],
        "place": ["a", "b", "c", "d"],
        "age": [21, 34, 44, 51],
        "size": ["small", "large", "large", "small"],
        "zip": ["131", "132", "145", "146"],
        "pain": ["none", "much", "some", "none"],
    }
)


def test_what_is_declared_is_read_back_from_the_file(tmp_path: Path) -> None:
    """Also the order of leaves and several parents, which a nested mapping with sorted keys would lose."""
    release = pc.publish(TABLE, pc.Tailor(l=2), schema=Schema(columns=DECLARED))
    recipe = json.loads((release.write(tmp_path / "out") / "recipe.json").read_text())
    assert recipe["format"] == FORMAT
    assert (recipe["row_order"], recipe["ordered_as"]) == ("identifier", "numbers")
    told = Recipe.of(recipe).declared()
    assert list(told) == [name for name in DECLARED if name != "id"]
    for name, column in told.items():
        meant = DECLARED[name]
        for key in ("role", "domain", "order", "nulls", "missing", "taxonomy"):
            assert getattr(column, key) == getattr(meant, key), (name, key)
    place = told["place"].taxonomy
    assert place is not None
    assert place.ready is not None
    assert place.ready.leaves == PLACES.leaves
    assert Recipe.of(recipe).schema is not None


def test_what_is_not_declared_is_not_written() -> None:
    """The lowest and highest values follow from the people; where rows are withheld they would tell about them."""
    frame = pl.DataFrame({"q": [1, 2, 3, 4, 99], "s": ["a", "b", "a", "b", "c"]})
    with pytest.warns(pc.InformedAttackerWarning):
        release = pc.publish(frame, pc.GreedyGrouping(l=2), quasi="q", sensitive="s")
    assert release.recipe["suppressed"] == 1
    assert release.recipe["columns"] == [
        {"name": "q", "role": "quasi", "kind": "number"},
        {"name": "s", "role": "sensitive", "kind": "category"},
    ]
    assert "99" not in json.dumps(release.recipe)


def test_an_older_recipe_still_reads() -> None:
    columns = [{"name": "q", "role": "quasi", "kind": "ordered"}, {"name": "s", "role": "sensitive", "kind": "number"}]
    told = Recipe.of({"columns": columns}).declared()
    assert (told["q"].kind, told["s"].kind) == ("category", "number")
    assert Recipe.of({"columns": columns}).schema is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"domain": [5]},
        {"domain": ["yesterday", "today"]},
        {"kind": "colour"},
        {"order": 3, "kind": "ordered"},
        {"taxonomy": {"nodes": [["*", 0, 1], ["a", 7, 0]]}},
        {"taxonomy": {"nodes": "a"}},
        {"taxonomy": {"nodes": [["*", 0, 2], ["A", 0, 1], ["a", 1, 0]], "further": [[1, 1]]}},
        {"taxonomy": {"nodes": [["*", 0, 2], ["A", 0, 1], ["B", 0, 1], ["a", 2, 0]], "further": [[1, 2], [2, 1]]}},
        {"taxonomy": 3},
        {"missing": 1},
    ],
)
def test_a_recipe_that_says_nonsense_is_refused_in_one_line(wrong: dict[str, Any]) -> None:
    column = {"name": "q", "role": "quasi", "kind": "number"} | wrong
    with pytest.raises(pc.InputError, match=r"^the recipe does not say what the column 'q' is: .*$"):
        Recipe.of({"format": 2, "columns": [column]}).declared()


def people(**columns: list[Any]) -> pl.DataFrame:
    count = len(next(iter(columns.values())))
    return pl.DataFrame({"id": range(count), **columns})


CASES: dict[str, tuple[pl.DataFrame, dict[str, Any]]] = {
    "domain": (
        people(kids=[0, 1, 1, 1, 1, 1, 1], age=[30, 30, 40, 40, 40, 40, 40], s=list("ffgcaum")),
        {"kids": {"kind": "number", "domain": [0, 20]}, "age": {}},
    ),
    "taxonomy": (
        people(place=list("aabbccdd"), age=[1, 2, 3, 4, 1, 2, 3, 4], s=list("ffgcaumx")),
        {"place": {"taxonomy": {"tree": WHERE}}, "age": {}},
    ),
    "order": (
        people(size=["s", "s", "m", "m", "l", "l", "xl"], age=[1, 1, 3, 4, 1, 2, 3], s=list("ffgcaum")),
        {"size": {"kind": "ordered", "order": ["s", "m", "l", "xl"]}, "age": {}},
    ),
}
METHODS = [
    pc.Mondrian(l=2, strict=True, retry=False),
    pc.Mondrian(l=2, strict=True),
    pc.GreedyGrouping(l=2),
    pc.GreedyGrouping(l=2, order="hilbert"),
    pc.Audited(l=2),
]


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: repr(method))
@pytest.mark.parametrize("case", CASES)
def test_a_folder_says_as_much_as_the_release_and_its_schema(case: str, method: pc.Method, tmp_path: Path) -> None:
    frame, columns = CASES[case]
    declared = {name: {"role": "quasi", **told} for name, told in columns.items()}
    schema = Schema.model_validate({"columns": {"id": {"role": "identifier"}, **declared, "s": {"role": "sensitive"}}})
    try:
        release = pc.publish(frame, method, schema=schema)
    except pc.Infeasible:
        pytest.skip("this method makes no release of this table")
    folder = release.write(tmp_path / "out")
    with_all = risks(release, truth=frame, schema=schema)
    assert risks(folder, truth=frame, identifier="id") == with_all
    assert risks(folder, truth=frame, schema=schema) == with_all
    assert risks(release, truth=frame, quasi=list(columns), sensitive="s", identifier="id") == with_all


def risks(source: Any, **given: Any) -> Any:
    """What is believed of everybody, and how sure that is; the kind of error where nothing is."""
    try:
        beliefs = pc.attack(source, **given)
    except pc.AttackError as wrong:
        return type(wrong).__name__
    return beliefs.risk.tolist(), beliefs.exactness


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
def test_a_table_that_is_read_otherwise_is_noticed() -> None:
    """In memory too: other roles than those of the schema that it was published with, or another table."""
    frame, columns = CASES["domain"]
    declared = {name: {"role": "quasi", **told} for name, told in columns.items()}
    schema = Schema.model_validate({"columns": {"id": {"role": "identifier"}, **declared, "s": {"role": "sensitive"}}})
    release = pc.publish(frame, METHODS[0], schema=schema)
    assert pc.attack(release, truth=frame).max_risk == 1
    with pytest.raises(pc.AttackError, match="in this order"):
        pc.attack(release, truth=frame, quasi=["age", "kids"], sensitive="s", identifier="id")
    with pytest.raises(pc.AttackError, match="not made of this table"):
        pc.attack(release, truth=frame.with_columns(s=pl.lit("f")))
    with pytest.raises(pc.AttackError, match="domain of 'kids' is not declared"):
        pc.attack(release, truth=pc.read(frame, quasi=["kids", "age"], sensitive="s", identifier="id"))


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning", "ignore::pellucid.SecretSeedWarning")
def test_an_identifier_that_ordered_nothing_does_not_order() -> None:
    """A release of rows in the order of coins: naming people tells nothing about their order."""
    frame = people(q=[0, 0, 0, 0], s=["a", "a", "b", "c"])
    made = (pc.publish(frame, pc.GreedyGrouping(l=2), quasi="q", sensitive="s", seed=seed) for seed in range(99))
    release = next(one for one in made if one.private.grouping.sizes.tolist() == [4])  # the first bucket: a, a
    beliefs = pc.attack(release, truth=frame, quasi="q", sensitive="s", identifier="id")
    assert beliefs.exactness.value == "not known"
    assert beliefs.lacking
    assert list(beliefs.evidence.names or []) == list(range(4))
    ordered = pc.publish(frame, pc.GreedyGrouping(l=2), quasi="q", sensitive="s", identifier="id")
    assert pc.attack(ordered, truth=frame).exactness.value == "exact"


def test_values_of_another_kind_than_the_method_saw_show_nothing(tmp_path: Path) -> None:
    frame = people(q=[1, 2, 10, 11], r=[0, 0, 1, 1], s=list("abab"))
    release = pc.publish(frame, pc.Audited(l=2), quasi=["q", "r"], sensitive="s", identifier="id")
    path = release.write(tmp_path / "out") / "recipe.json"
    recipe = json.loads(path.read_text())
    recipe["columns"][0]["kind"] = "category"
    path.write_text(json.dumps(recipe))
    texts = frame.with_columns(q=pl.col("q").cast(pl.String) + "!").drop("s")
    with pytest.raises(pc.AttackError):
        pc.attack(path.parent, population=texts, identifier="id")
    recipe["columns"][1]["kind"] = "date"
    path.write_text(json.dumps(recipe))
    with pytest.raises((NotKnown, pc.PellucidError)):
        pc.attack(path.parent, population=frame.drop("s"), identifier="id")
