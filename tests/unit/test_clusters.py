"""Rows that belong together: how they are read, what is refused, and what is said of them."""

from __future__ import annotations

import re
from random import Random

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.cluster_method import ClusterMethod, for_clusters
from pellucid.anonymize.clusters import units_of
from pellucid.anonymize.method import largest_feasible
from pellucid.anonymize.methods import methods
from pellucid.core.coins import Coins
from pellucid.errors import Infeasible, InputError, MethodError, SchemaError

ROLES = {"quasi": ["age", "town"], "sensitive": "ill", "cluster": "home"}
HOMES = pl.DataFrame(
    {
        "home": [1, 1, 2, 2, 3, 3, 4, 4, 5, 6],
        "age": [40, 38, 41, 39, 60, 64, 63, 61, 20, 21],
        "town": ["Oslo", "Oslo", "Oslo", "Oslo", "Rome", "Rome", "Rome", "Rome", "Oslo", "Rome"],
        "ill": ["flu", "flu", "gout", "cold", "flu", "ulcer", "acne", "cold", "flu", "cold"],
    }
)


def test_the_column_is_never_published_and_the_sentence_is_about_clusters() -> None:
    release = pc.publish(HOMES, pc.SoftCut(l=2), **ROLES)
    assert release.frame.columns == ["age", "town", "ill"]
    assert "home" not in str(release.recipe["columns"])
    assert release.recipe["parameters"] == {"l": 2, "cluster_rows": 2}
    said = release.recipe["sentence"]
    assert "a value of ill that any one home has, in whichever of its rows, with probability at most 1/2" in said
    assert "Somebody who knows what one row of a home has, such as one of its members, is not covered" in said
    assert "taken as several" not in said


def test_rows_of_a_cluster_are_in_different_groups_which_hold_rows_of_the_same_clusters() -> None:
    labels = pc.publish(HOMES, pc.Ace(l=2), **ROLES).private.labels.tolist()
    homes = HOMES["home"].to_list()
    holding = {label: sorted(homes[row] for row in range(10) if labels[row] == label) for label in labels}
    for home in range(1, 5):
        first, second = (labels[row] for row in range(10) if homes[row] == home)
        assert first != second
        assert holding[first] == holding[second]
    assert holding[labels[8]] == [5, 6]  # clusters of one row are among themselves


def test_units_are_laid_side_by_side_in_the_order_of_quasi_identifiers() -> None:
    units = units_of(pc.read(HOMES, **ROLES), 2, Coins.from_seed(1))
    assert [some.size for some in units] == [1, 2]
    assert units[1].rows.tolist() == [[1, 0], [3, 2], [4, 5], [7, 6]]
    # age at both places, the town once as it is the same throughout, and two columns for the set of values
    assert [attribute.name for attribute in units[1].table.attributes] == ["age", "age", "town", "ill", "ill"]
    assert units[1].table.attributes[-1].absent


EACH = "Each of these values is meant by itself: that a home has one or another of them is not promised, and may be"


@pytest.mark.parametrize("kind", [pc.SoftCut, pc.Hybrid, pc.Ace])
def test_a_promise_about_some_values_names_them_and_means_each_by_itself(kind: type[ClusterMethod]) -> None:
    table = pc.read(HOMES, **ROLES)
    said = for_clusters(kind(l=2, values=("gout", "acne")), table).sentence(table)
    assert "names any one of 'gout' and 'acne' as a value of ill that any one home has, in whichever" in said
    assert f"with probability at most 1/2. {EACH} certain." in said
    said = for_clusters(kind(l=2, values=("gout",), k=3), table).sentence(table)
    assert "except ill names 'gout' as a value of ill that any one home has" in said
    assert "at most 1/2. Every group has at least 3 rows." in said


def test_where_several_columns_are_protected_the_values_of_each_are_named() -> None:
    table = pc.read(HOMES, quasi="age", sensitive=["town", "ill"], cluster="home")
    said = for_clusters(pc.SoftCut(l=2, values={"ill": ("gout", "acne")}), table).sentence(table)
    assert "names a value of town and any one of 'gout' and 'acne' as a value of ill that any one home has, in" in said
    assert f"whichever of its rows, each by itself, with probability at most 1/2. {EACH} certain." in said
    said = for_clusters(pc.SoftCut(l=2), table).sentence(table)
    assert "names a value of each single one of these columns that any one home has" in said
    assert EACH not in said


def test_larger_clusters_are_taken_as_several_and_the_sentence_says_so() -> None:
    release = pc.publish(HOMES, pc.SoftCut(l=2, cluster_rows=1), **ROLES)
    said = release.recipe["sentence"]
    assert "any one home of at most 1 row has" in said
    assert "A home of more than 1 row is taken as several of one row each that have nothing to do" in said


def test_what_is_not_feasible_names_the_clusters_that_it_is_about() -> None:
    with pytest.raises(Infeasible, match=r"of the 2 rows that are a cluster of their own: l = 3 is not feasible"):
        pc.publish(HOMES, pc.SoftCut(l=3), **ROLES)
    four = HOMES.filter(pl.col("home") < 5)
    with pytest.raises(
        Infeasible, match=r"of the 4 clusters of 2 rows: .* some row of 2 of 4 clusters \(50.0%\), .* use l = 2"
    ):
        pc.publish(four, pc.SoftCut(l=3), **ROLES)
    feasible = largest_feasible(pc.read(four, **ROLES))
    assert feasible.largest == 2
    assert feasible.sentence == "l up to 2: of those with 2 rows (by home), 50 % have 'cold' in one of them"
    alone = largest_feasible(pc.read(four, **ROLES), cluster_rows=1)
    assert alone.sentence == "l up to 2: of the parts with a single row (by home), 38 % have 'flu' in it"


@pytest.mark.parametrize("name", [name for name, kind in methods().items() if not issubclass(kind, ClusterMethod)])
def test_a_method_for_which_nothing_is_proved_refuses(name: str) -> None:
    kind = methods()[name]
    method = kind.model_construct()
    with pytest.raises(MethodError, match=r"takes every row as a person of its own.*use soft-cut, hybrid or ace"):
        for_clusters(method, pc.read(HOMES, **ROLES))


def test_cluster_rows_without_clusters_is_refused() -> None:
    with pytest.raises(MethodError, match="no column says which do"):
        pc.publish(HOMES, pc.SoftCut(l=2, cluster_rows=2), quasi=["age"], sensitive="ill")


def test_two_clusters_and_null_are_refused_and_a_repeated_identifier_is_told_of_it() -> None:
    with pytest.raises(SchemaError, match="'town' is a cluster besides 'home', and there is at most one"):
        pc.Schema(columns={name: {"role": "cluster"} for name in ("home", "town")})
    with pytest.raises(InputError, match="cluster 'home' is null in 1 of 10 rows"):
        pc.read(HOMES.with_columns(pl.col("home").replace(6, None)), **ROLES)
    with pytest.raises(InputError, match='several rows of one person, give it role = "cluster"'):
        pc.read(HOMES, quasi="age", sensitive="ill", identifier="home")


def test_an_attack_takes_what_is_proved_as_the_bound() -> None:
    release = pc.publish(HOMES, pc.SoftCut(l=2), **ROLES)
    beliefs = pc.attack(release, pc.Adversary(knows="algorithm"), truth=pc.read(HOMES, **ROLES))
    assert beliefs.max_risk == 0.5
    assert any("clusters of at most 2 rows were grouped as a whole" in note for note in beliefs.notes)


def stays(sizes: dict[int, int], common: float = 0.0, quasi: int = 1) -> pl.DataFrame:
    """So many patients of so many stays each; a share of the stays is for flu, all others are for something else."""
    coins = Random(3)
    patients = [number for size, many in sizes.items() for _ in range(many) for number in [size]]
    rows = [(patient, f"ill {coins.randrange(40)}") for patient, size in enumerate(patients) for _ in range(size)]
    ill = ["flu" if coins.random() < common else other for _, other in rows]
    ages = {f"q{number}": [coins.randrange(90) for _ in rows] for number in range(quasi)}
    return pl.DataFrame({"patient": [patient for patient, _ in rows], "ill": ill, **ages})


WAYS = {
    "a size of few patients": (
        stays({1: 200, 2: 90, 3: 2}),
        4,
        r"cluster_rows=2, or publish one row of each patient, by lot, with people=.patient",
    ),
    "a value that many have": (stays({1: 300, 2: 120, 3: 60}, 0.2), 4, r"use l = 2 or less, or take .* but 'flu'"),
    "too many columns side by side": (
        stays({1: 100, 2: 90, 13: 60}, quasi=5),
        2,
        r"65 quasi-identifiers, and at most 60 are supported; take .*=12, or",
    ),
}


@pytest.mark.parametrize("case", WAYS)
def test_every_way_out_of_clusters_in_the_way_leads_on(case: str) -> None:
    """Each was refused in turn by the next size, down to '61 quasi-identifiers; drop some' of a table with six."""
    table, l, said = WAYS[case]
    roles = {"quasi": [name for name in table.columns if name[0] == "q"], "sensitive": "ill", "cluster": "patient"}
    with pytest.raises(Infeasible, match=said) as refused:
        pc.publish(table, pc.SoftCut(l=l), **roles)
    told = str(refused.value.message.way_out)
    tried = 0
    if found := re.search(r"cluster_rows=(\d+)", told):
        tried += len(pc.publish(table, pc.SoftCut(l=l, cluster_rows=int(found[1])), **roles).frame) > 0
        with pytest.raises(Infeasible):
            pc.publish(table, pc.SoftCut(l=l, cluster_rows=int(found[1]) + 1), **roles)
    if found := re.search(r"use l = (\d+) or less", told):
        tried += len(pc.publish(table, pc.SoftCut(l=int(found[1])), **roles).frame) > 0
        with pytest.raises(Infeasible):
            pc.publish(table, pc.SoftCut(l=int(found[1]) + 1), **roles)
    for answer in re.findall(r"people='(patient=\w+)'", told):
        rows = {name: columns for name, columns in roles.items() if name != "cluster"}
        tried += len(pc.publish(table, pc.SoftCut(l=l), people=answer, **rows).frame) > 0
    if found := re.search(r"all values but ('.*?'), and", told):
        rest = sorted(set(table["ill"]) - {found[1].strip("'")})
        tried += len(pc.publish(table, pc.SoftCut(l=l, values=rest), **roles).frame) > 0
    assert tried == len(told.split(", or "))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("drawn", range(40))
def test_whether_a_release_can_be_made_does_not_differ_from_try_to_try(drawn: int) -> None:
    """Else whoever tries until it works publishes what a refusal that looked at values did not stop."""
    random = Random(drawn)
    sizes = random.choice([(4, 4), (3, 3, 1, 1), (4, 4, 2, 2), (3, 3, 3, 1), (5, 5, 4)])
    homes = [home for home, rows in enumerate(sizes) for _ in range(rows)]
    people = pl.DataFrame(
        {
            "home": homes,
            "age": [random.choice([20, 30]) for _ in homes],
            "ill": [random.choice("abcde") for _ in homes],
            "number": range(len(homes)),
        }
    )
    cluster_rows = random.choice([2, 2, 3])
    method = pc.SoftCut(l=2, cluster_rows=cluster_rows)
    answers: dict[bool, set[str]] = {}
    for named in (False, True):
        roles = {"quasi": "age", "sensitive": "ill", "cluster": "home", **({"identifier": "number"} if named else {})}
        table = pc.read(people if named else people.drop("number"), **roles)
        answers[named] = set()
        for seed in range(12):
            try:
                pc.publish(table, method, seed=seed)
                answers[named].add("published")
            except (Infeasible, MethodError) as refused:
                answers[named].add("infeasible" if isinstance(refused, Infeasible) else str(refused))
        assert len(answers[named]) == 1
    assert not any("drawn by lot" in answer for answer in answers[True])
    tied = max(sizes) > cluster_rows and any(
        len(rows) > cluster_rows and rows["age"].sort()[end - 1] == rows["age"].sort()[end]
        for _, rows in people.group_by("home")
        for end in range(cluster_rows, len(rows), cluster_rows)
    )
    assert any("drawn by lot" in answer for answer in answers[False]) == tied
