"""What an attack is told, and what it need not be told: names, roles, groups, how a release was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
COLUMNS: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease"}
INFORMED = pc.Adversary(knows="algorithm")
pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")


def many(rows: int = 60, seed: int = 3) -> pl.DataFrame:
    """People whose boxes overlap: few different ages, in no order."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"p{i:03}" for i in random.permutation(rows)],
            "age": random.integers(20, 40, rows),
            "zipcode": random.integers(100, 130, rows),
            "disease": random.choice(["flu", "cold", "gout", "HIV", "mumps"], rows),
        }
    )


# --- names


def test_names_survive_a_table() -> None:
    table = pc.read(pc.datasets.patients(), **ROLES)
    release = pc.publish(table, pc.Tailor(l=2))
    beliefs = pc.attack(release, INFORMED, truth=table)
    assert beliefs.explain("Ann").startswith("Ann is in a group of 4 rows")
    assert beliefs.posterior("Ann", "gastritis") == 0.5
    facts = pc.Adversary(facts=[pc.Not("Ann", "gastritis")])
    assert pc.attack(release, facts, truth=table).posterior("Ann", "gastritis") == 0


def test_names_survive_a_table_as_the_population_of_a_file(tmp_path: Path) -> None:
    table = pc.read(pc.datasets.patients(), **ROLES)
    pc.publish(table, pc.Tailor(l=2)).write(tmp_path / "out")
    beliefs = pc.attack(tmp_path / "out", population=table)
    assert beliefs.explain("Ann").startswith("Ann ")


def test_names_are_not_published(tmp_path: Path) -> None:
    table = pc.read(pc.datasets.patients(), **ROLES)
    release = pc.publish(table, pc.Tailor(l=2))
    release.write(tmp_path / "out")
    told = "".join(path.read_text() for path in (tmp_path / "out").iterdir()) + repr(release) + repr(table)
    assert not any(name in told for name in pc.datasets.patients()["name"])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (pc.Not("An", "flu"), "nobody in the population is called 'An'; did you mean 'Ann'?"),
        (pc.Has("Zacharias", "flu"), "names are those of the identifier"),
        (pc.Has("Ann", "fluu"), "no published row has 'fluu' in 'disease'; did you mean 'flu'?"),
        (pc.Not("Ann", "xyz"), "its values are "),
        (pc.Implies(pc.Has("Ann", "flu"), pc.Has("Bob", "flu?")), "did you mean 'flu'?"),
    ],
)
def test_a_fact_about_nobody_or_nothing_is_refused(ask: Any, said: str) -> None:
    """Silently, it would have told nothing, and the attack would have looked safe."""
    release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **ROLES)
    with pytest.raises(pc.AttackError) as refused:
        pc.attack(release, pc.Adversary(facts=[ask]), truth=pc.datasets.patients())
    assert said in str(refused.value)


# --- roles


@pytest.mark.parametrize(
    "method", [pc.Tailor(l=2), pc.Mondrian(l=2), pc.GreedyGrouping(l=2), pc.Anatomy(l=2)], ids=repr
)
def test_a_release_knows_how_its_table_was_read(method: Any) -> None:
    frame = many()
    release = pc.publish(frame, method, **ROLES)
    told = pc.attack(release, INFORMED, truth=frame, **ROLES)
    assert pc.attack(release, INFORMED, truth=frame).risk.tolist() == told.risk.tolist()
    assert pc.attack(release, INFORMED, truth=frame, identifier="name").risk.tolist() == told.risk.tolist()
    assert pc.attack(release, truth=frame).evidence.names == frame["name"].to_list()


def test_it_knows_taxonomies_too() -> None:
    towns = {"tree": {"*": {"north": ["a", "b"], "south": ["c", "d"]}}}
    columns = {
        "town": pc.core.schema.Column(role="quasi", taxonomy=towns),
        "ill": pc.core.schema.Column(role="sensitive"),
    }
    frame = pl.DataFrame({"town": list("abcdabcd"), "ill": list("xyxyyxyx")})
    release = pc.publish(frame, pc.Mondrian(l=2), schema=pc.Schema(columns=columns))
    (town,) = [a for a in pc.attack(release, truth=frame).evidence.people.attributes if a.name == "town"]
    assert town.taxonomy is not None


def test_a_black_box_is_given_a_table_and_nothing_else() -> None:
    people = pl.DataFrame({"name": list("abcdef"), "age": [20, 20, 30, 30, 30, 30], "ill": ["yes"] * 2 + ["no"] * 4})

    def merges_when_needed(table: pl.DataFrame) -> pl.DataFrame:
        assert table.columns == ["name", "age", "ill"]
        share: Any = table.group_by("age").agg((pl.col("ill") == "yes").mean())["ill"].max()
        return table.drop("name") if share <= 0.5 else table.select(pl.lit("20-30").alias("age"), "ill")

    table = pc.read(people, quasi="age", sensitive="ill", identifier="name")
    beliefs = pc.attack_anonymizer(merges_when_needed, table)
    assert beliefs.posterior("a", "yes") == 1
    with pytest.raises(pc.AttackError, match="leave quasi= out"):
        pc.attack_anonymizer(merges_when_needed, table, quasi=["age"])
    with pytest.raises(pc.SchemaError, match="quasi= and sensitive="):
        pc.attack_anonymizer(merges_when_needed, people)


# --- how it was made


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"made_by": pc.Mondrian(l=2)}, "made_by= says mondrian, l = 2.*recipe says tailor, l = 2"),
        ({"made_by": pc.Tailor(l=3)}, "made_by= says tailor, l = 3.*recipe says tailor, l = 2"),
        ({"model": pc.LDiversity(l=3)}, r"l-diversity \(l = 3\) is said.*recipe says tailor, l = 2"),
    ],
)
def test_a_recipe_is_not_contradicted(more: dict[str, Any], said: str, tmp_path: Path) -> None:
    patients = pc.datasets.patients()
    release = pc.publish(patients, pc.Tailor(l=2), **ROLES)
    release.write(tmp_path / "out")
    for source in (release, tmp_path / "out", tmp_path / "out" / "data.csv"):
        with pytest.raises(pc.AttackError, match=said):
            pc.attack(source, truth=patients, **more)
    agreeing = pc.attack(release, truth=patients, made_by=pc.Tailor(l=2), model=pc.LDiversity(l=2))
    assert agreeing.max_risk == 0.5


# --- who is in which group


@pytest.mark.parametrize("kept", [False, True])
def test_of_a_folder_and_its_table_the_groups_are_found_again(kept: bool, tmp_path: Path) -> None:
    """Mondrian's boxes overlap, and what it gives away depends on who is where: the figures are those of the owner."""
    frame = many()
    release = pc.publish(frame, pc.Mondrian(l=3), **ROLES)
    owners = pc.attack(release, INFORMED, truth=frame)
    release.write(tmp_path / "out")
    groups = {"groups": release.private.labels} if kept else {}
    found = pc.attack(tmp_path / "out", INFORMED, truth=frame, identifier="name", **groups)
    assert found.risk.tolist() == owners.risk.tolist()
    assert found.evidence.membership is None
    assert any("is taken as known" in note for note in found.evidence.notes)


def test_where_coins_decide_the_groups_are_told(tmp_path: Path) -> None:
    frame = many()
    release = pc.publish(frame, pc.Hybrid(l=3), **ROLES)
    release.write(tmp_path / "out")
    learned = pc.Adversary(prior=pc.Learned())
    with pytest.raises(pc.AttackError, match="groups="):
        pc.attack(tmp_path / "out", learned, truth=frame, identifier="name")
    found = pc.attack(tmp_path / "out", learned, truth=frame, identifier="name", groups=release.private.labels)
    assert np.allclose(found.risk, pc.attack(release, learned, truth=frame).risk)


def test_groups_of_something_else_are_refused(tmp_path: Path) -> None:
    frame = many()
    release = pc.publish(frame, pc.Hybrid(l=3), **ROLES)
    release.write(tmp_path / "out")
    labels = release.private.labels
    wrong: list[tuple[Any, str]] = [
        (np.roll(labels, 1), "does not give this release"),
        (labels[:-1], "tells of 59 rows and the table has 60"),
        (["a"] * 60, "the number of each row's group"),
    ]
    for groups, said in wrong:
        with pytest.raises(pc.AttackError, match=said):
            pc.attack(tmp_path / "out", INFORMED, truth=frame, identifier="name", groups=groups)
    with pytest.raises(pc.AttackError, match="give that table as truth="):
        pc.attack(tmp_path / "out", INFORMED, population=frame, groups=labels)


def test_an_identifier_that_is_missing_is_asked_for(tmp_path: Path) -> None:
    frame = many()
    pc.publish(frame, pc.Mondrian(l=3), **ROLES).write(tmp_path / "out")
    found = pc.attack(tmp_path / "out", pc.Adversary(), truth=frame)
    assert any("name it with identifier='name'" in note for note in found.evidence.notes)


# --- notations of others


def test_a_release_in_notations_of_others_is_attacked() -> None:
    people = pl.DataFrame(
        {"age": [21, 25, 34, 38, 41, 49], "zip": ["13053", "13068", "14850", "14853", "14850", "14853"]}
    )
    release = pl.DataFrame(
        {
            "age": ["20-29", "20-29", ">=30", ">=30", ">=30", ">=30"],
            "zip": ["130**", "130**", "1485*", "1485*", "1485*", "1485*"],
            "ill": ["flu", "cold", "flu", "flu", "gout", "cold"],
        }
    )
    beliefs = pc.attack(release, pc.Adversary(), population=people, quasi=["age", "zip"], sensitive="ill")
    assert beliefs.risk.tolist() == [0.5] * 6
    strange = release.with_columns(pl.col("age").str.replace("20-29", "twenties"))
    with pytest.raises(pc.AttackError, match="nobody in it has a 'age' like the published 'twenties'"):
        pc.attack(strange, pc.Adversary(), population=people, quasi=["age", "zip"], sensitive="ill")


def test_runs_that_read_alike_and_group_other_people_leave_open_who_is_where(tmp_path: Path) -> None:
    """Both runs read like the release and neither has its groups: an arbitrary one is not taken as known."""
    frame = pl.DataFrame({"q0": [1, 1, 0, 1, 1, 1, 1, 1], "q1": [1, 0, 0, 1, 0, 0, 1, 0], "d": list("caacdacd")})
    roles: dict[str, Any] = {"quasi": ["q0", "q1"], "sensitive": "d"}
    with pytest.warns(pc.SecretSeedWarning):
        release = pc.publish(frame, pc.Mondrian(l=2, retry=True), **roles, seed=0)
    release.write(tmp_path / "out")
    beliefs = pc.attack(tmp_path / "out", pc.Adversary(), truth=frame)
    assert any("who is in which group stays open" in note and "groups=" in note for note in beliefs.notes)
    assert (beliefs.evidence.grouping.labels < 0).any()
    told = pc.attack(tmp_path / "out", pc.Adversary(), truth=frame, groups=release.private.labels)
    assert (told.evidence.grouping.labels >= 0).all()


@pytest.mark.parametrize("groups", [3, [2**40] * 8, [0.5] * 8, [True] * 8, ["a"] * 8, [0] * 7, [0, 1] * 4, [-2] * 8])
def test_groups_that_are_not_those_of_a_release_in_memory_are_refused(groups: Any) -> None:
    roles: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    with pytest.raises(pc.AttackError, match=r"^groups"):
        pc.attack(release, truth=pc.datasets.patients(), groups=groups, **roles)
    own = (release.private.labels.max() - release.private.labels).tolist()  # the same groups by other numbers
    assert pc.attack(release, truth=pc.datasets.patients(), groups=own, **roles).max_risk <= 0.5
