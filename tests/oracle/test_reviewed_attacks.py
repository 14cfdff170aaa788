"""Answers that a hostile reader found to be called exact, or to hold, and that were not."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from oracle import more_methods
from oracle.attacker import Attacker, Setting, content, every_world, risk
from pellucid.core.coins import Coins
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.method_at_work import partition_of
from pellucid.risk.verdict import Standing, verdict_of
from pellucid.risk.views.row_orders import every_order, order_is_idle
from plain.transparent import as_grouping, assign, inputs_of, slice_bucket

pytestmark = pytest.mark.filterwarnings(
    "ignore::pellucid.publishing.SecretSeedWarning", "ignore::pellucid.publishing.InformedAttackerWarning"
)

INFORMED = pc.Adversary(knows="algorithm")


@pytest.mark.parametrize("p", ["0.25", "0.5", "0.97"])
def test_coins_that_agree_are_no_law(p: str) -> None:
    """Two draws of randomized greedy grouping give the same in most worlds, and yet not in all."""
    roles = {"quasi": ["q0"], "sensitive": "ill", "identifier": "name"}
    people = pl.DataFrame({"name": ["Fay", "Dan", "Bob", "Jim"], "q0": [0] * 4, "ill": ["b", "b", "c", "a"]})
    method = pc.RandomizedGreedyGrouping(l=2, p=float(p))
    release = pc.publish(people, method, **roles)
    law = more_methods.randomized(2, p)
    setting = Setting(people.drop("ill"), "ill", roles, method, None, law)
    alone = Attacker(setting, list(every_world(4, [("a", "b", "b", "c")]))).alone[content(release)]
    truth = max(risk(belief) for belief in alone)
    try:
        found = pc.attack(release, INFORMED, population=people.drop("ill"), identifier="name")
    except pc.PellucidError:
        return
    just_below = float(truth) - 1e-4
    assert verdict_of(found, just_below).standing is not Standing.HOLDS
    assert found.exactness is not Exactness.EXACT or found.max_risk == pytest.approx(float(truth))


@pytest.mark.parametrize("method", [pc.Anatomy(l=2), pc.Hybrid(l=2), pc.Ace(l=2)])
def test_what_reads_as_one_group_may_be_several_among_more_people_too(method: pc.Method) -> None:
    """All rows read alike; somebody who is sure who is in the table believes 5/12, and 2/5 is the frequency."""
    roles = {"quasi": ["q0", "q1"], "sensitive": "ill", "identifier": "name"}
    columns = {"name": ["Ann", "Eva", "Fay", "Dan", "Bob"], "q0": [4, 1, 3, 1, 2], "q1": [2, 2, 1, 2, 1]}
    people = pl.DataFrame({**columns, "ill": ["b", "c", "a", "a", "c"]})
    crowd = pl.concat([people.drop("ill"), pl.DataFrame({"name": ["Gus"], "q0": [1], "q1": [1]})])
    for seed in range(200):
        release = pc.publish(people, method, recode="suppression", seed=seed, **roles)
        if release.frame.select("q0", "q1").unique().rows() == [("*", "*")]:
            break
    found = pc.attack(release, INFORMED, population=crowd, identifier="name")
    assert verdict_of(found, 0.41).standing is not Standing.HOLDS
    assert verdict_of(found, 1 / 2).standing is Standing.HOLDS  # which is proved


SIX = pl.DataFrame({"id": range(6), "a": range(6), "s": ["x", "x", "y", "y", "z", "z"]})


def test_a_fact_about_one_group_tells_of_another_that_was_divided_with_it() -> None:
    """In every world and with all draws that lead to {0, 2, 4} and {1, 3, 5}, persons 0 and 1 have the same value."""
    worlds = set(permutations(SIX["s"].to_list()))
    together = set()
    for world in worlds:
        values = [ord(value) for value in world]
        table = pc.read(SIX.with_columns(s=pl.Series(world)), quasi="a", sensitive="s", identifier="id")
        inputs = inputs_of(table)
        for draw in ((0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0)):
            buckets = assign(range(6), [(value,) for value in values], 3, draw)
            groups = [g for b in buckets for g in slice_bucket(b, inputs.codes, inputs.order, inputs.geometry)]
            if set(as_grouping(groups)) == {(0, 2, 4), (1, 3, 5)}:
                together.add(world[0] == world[1])
    assert together == {True}


@pytest.mark.parametrize("method", [pc.Ace(l=3), pc.Hybrid(l=3), pc.SoftCut(l=3)])
@pytest.mark.parametrize(
    "adversary",
    [
        pc.Adversary(knows="algorithm", facts=[pc.Not(0, "y"), pc.Not(1, "z")]),
        pc.Adversary(knows="algorithm", facts=[pc.Has(0, "x")]),
        pc.Adversary(knows="algorithm", prior=pc.Distribution("a")),
    ],
    ids=["not and not", "has", "a distribution"],
)
def test_nothing_is_claimed_for_somebody_who_knows_the_method_and_more(
    method: pc.Method, adversary: pc.Adversary
) -> None:
    release = pc.publish(SIX, method, quasi="a", sensitive="s", identifier="id", recode="anatomy", seed=0)
    try:
        found = pc.attack(release, adversary, truth=SIX)
    except pc.PellucidError:
        return
    assert not found.exactness.sound
    assert verdict_of(found, 0.999).standing is not Standing.HOLDS


def told_by_all_worlds(
    population: pl.DataFrame,
    members: list[int],
    ill: list[str],
    reading: dict[str, Any],
    method: pc.Method,
    recode: Any,
) -> tuple[pc.Release, list[dict[Any, Fraction]]]:
    """A release of some of a population, and what is believed of everybody by it and the population."""
    table = population[members].with_columns(ill=pl.Series(ill))
    release = pc.publish(table, method, recode=recode, **reading)
    setting = Setting(population, "ill", reading, method, recode)
    worlds = list(every_world(population.height, [tuple(sorted(ill))]))
    return release, Attacker(setting, worlds).alone[content(release)]


CAPPED = pl.DataFrame(
    {
        "name": ["Ann", "Hal", "Fay", "Gus", "Ida", "Eva"],
        "kg": [3, 3, 4, 9, 7, 8],
        "kids": [1, 5, 4, 5, 4, 2],
    }
)


@pytest.mark.parametrize("method", [pc.AlphaK(alpha=0.5, k=2), pc.Mondrian(k=2), pc.Tailor(l=2)])
def test_a_column_that_ends_by_shares_ends_elsewhere_for_other_people(method: pc.Method, tmp_path: Path) -> None:
    """The recipe tells where kg ends, and only with some of the six in the table does it end there."""
    columns = {"name": pc.Column(role="identifier"), "ill": pc.Column(role="sensitive")}
    columns |= {"kg": pc.Column(role="quasi", cap={"percent": [50, 100]}), "kids": pc.Column(role="quasi")}
    reading = {"schema": pc.Schema(columns=columns)}
    release, so = told_by_all_worlds(CAPPED, [0, 3, 4, 5], ["c", "d", "c", "d"], reading, method, pc.Suppression())
    most = float(max(map(risk, so)))
    (told,) = (one for one in release.recipe["columns"] if one["name"] == "kg")
    assert told["cap"] == {"low": 8, "measured": [50, 100]}
    for source in (release, release.write(tmp_path / "release")):
        if method.name == "alpha-k":  # which gives something away, and nobody knows what
            with pytest.raises(pc.AttackError, match="which depends on who is in it"):
                pc.attack(source, INFORMED, population=CAPPED, identifier="name")
            continue
        found = pc.attack(source, INFORMED, population=CAPPED, identifier="name")
        assert found.exactness is not Exactness.EXACT
        assert verdict_of(found, most - 1e-6).standing is not Standing.HOLDS
    exactly = pc.attack(release, INFORMED, population=CAPPED[[0, 3, 4, 5]], identifier="name")
    assert exactly.exactness is Exactness.EXACT  # of these very people it is known where the column ends


def test_groups_that_were_compared_with_rows_that_nobody_sees_tell_nothing_for_sure() -> None:
    """Ranks are those of the values that a table has, and the row that was left over may have another one."""
    roles = {"quasi": ["age"], "sensitive": "ill", "identifier": "name"}
    names = ["Ann", "Bob", "Cid", "Dan", "Eva"]
    people = pl.DataFrame({"name": names, "age": [1, 2, 3, 4, 5], "ill": [1, 1, 1, 2, 2]})
    release = pc.publish(people, pc.GreedyGrouping(model="ordered t-closeness=0.2"), **roles)
    assert release.recipe["suppressed"] == 1
    with pytest.raises(pc.AttackError, match="compared with the whole table"):
        pc.attack(release, INFORMED, truth=people, **roles)


def test_counts_are_no_lower_bound_where_groups_are_put_together() -> None:
    """A pool and a bucket share a group of three: who is told believes 1/4 of a protected value, not 1/3."""
    roles = {"quasi": ["age"], "sensitive": "ill", "identifier": "name"}
    people = pl.DataFrame(
        {"name": ["Ida", "Gus", "Dan", "Jim", "Ann"], "age": [2, 1, 1, 3, 4], "ill": ["a", "b", "b", "c", "a"]}
    )
    for seed in range(40):
        release = pc.publish(people, pc.Hybrid(l=2, values=("a", "b"), k=2), recode="anatomy", seed=seed, **roles)
        found = pc.attack(release, INFORMED, truth=people, **roles)
        assert verdict_of(found, 0.3).standing is not Standing.FAILS
        assert verdict_of(found, 1 / 2).standing is Standing.HOLDS


def test_whoever_gives_the_table_asks_about_those_who_are_told_too(tmp_path: Path) -> None:
    """Without an identifier nobody can find the groups again: the folder leaves open what its owner may tell."""
    towns = {"tree": {"*": {"north": ["oslo", "riga"], "south": ["rome", "nice"]}}}
    columns = {"q0": pc.Column(role="quasi", taxonomy={"prefix": [2]}), "q1": pc.Column(role="quasi", taxonomy=towns)}
    schema = pc.Schema(columns={**columns, "ill": pc.Column(role="sensitive")})
    people = pl.DataFrame(
        {"q0": ["2401", "1401", "2401", "1301"], "q1": ["rome", "rome", "rome", "riga"], "ill": ["a", "c", "b", "c"]}
    )
    for seed in range(6):
        release = pc.publish(people, pc.AlphaK(alpha=0.5, k=2), schema=schema, seed=seed)
        told = pc.attack(release, INFORMED, truth=people, schema=schema)
        read = pc.attack(release.write(tmp_path / str(seed)), INFORMED, truth=people, schema=schema)
        for bound in (1 / 2, 2 / 3, 0.99):
            if verdict_of(told, bound).standing is Standing.FAILS:
                assert verdict_of(read, bound).standing is not Standing.HOLDS


def test_a_row_of_two_tables_without_any_value_may_be_anybodys() -> None:
    ages = [1, None, 0, None, 0, None]
    people = pl.DataFrame({"name": [*"abcdef"], "age": ages, "ill": ["d", "a", "d", "b", "a", "d"]})
    roles = {"quasi": ["age"], "sensitive": "ill"}
    release = pc.publish(people, pc.Hybrid(l=2, values=("a",)), recode="anatomy", identifier="name", seed=1, **roles)
    found = pc.attack(
        dict(release.public.frames), truth=people, made_by=pc.Hybrid(l=2, values=("a",)), identifier="name", **roles
    )
    assert found.exactness is not Exactness.EXACT


LOOK_ALIKES = pl.DataFrame(
    {
        "name": ["p86", "p14", "p24", "p03", "p81", "p17"],
        "age": [1, 0, 0, 1, 0, 0],
        "ill": ["v0", "v1", "v1", "v2", "v1", "v0"],
    }
)


@pytest.mark.parametrize("knows", ["nothing", "algorithm"])
def test_the_order_of_a_file_tells_nobody_apart(knows: Any, tmp_path: Path) -> None:
    """Two groups read [0, 1] and the look-alikes are in both: by their names, in whatever order they are written."""
    roles = {"quasi": ["age"], "sensitive": "ill", "identifier": "name"}
    release = pc.publish(LOOK_ALIKES, pc.GreedyGrouping(l=2), **roles)
    folder = release.write(tmp_path / "release")
    said = []
    for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 3, 4], [4, 5, 1, 3, 2, 0]):
        crowd = LOOK_ALIKES.drop("ill")[order]
        found = pc.attack(folder, pc.Adversary(knows=knows), population=crowd, identifier="name")
        said.append(dict(sorted(zip(crowd["name"].to_list(), found.risk.round(9).tolist(), strict=True))))
    assert all(one == said[0] for one in said)


METHODS_WITHOUT_COINS = [
    pc.Mondrian(l=2),
    pc.Mondrian(l=2, strict=True),
    pc.Mondrian(l=2, retry=False),
    pc.GreedyGrouping(l=2),
    pc.GreedyGrouping(l=2, order="hilbert"),
    pc.SymmetricGrouping(l=2),
    pc.Tailor(l=2),
    pc.Audited(l=2),
    pc.Incognito(k=2),
    pc.OptGen(l=2),
    pc.AlphaK(alpha=0.5, k=2),
]


@pytest.mark.parametrize("method", METHODS_WITHOUT_COINS, ids=repr)
def test_where_an_order_is_said_to_be_idle_all_orders_make_the_same_groups(method: pc.Method) -> None:
    random, idle = Random("orders"), 0
    for _ in range(25):
        rows = random.choice([4, 5])
        columns = {f"q{i}": random.choices(range(random.choice([2, 9, 30])), k=rows) for i in range(2)}
        frame = pl.DataFrame({**columns, "ill": random.choices("abc", k=rows)})
        table = pc.read(frame, quasi=["q0", "q1"], sensitive="ill")
        if not order_is_idle(method, table):
            continue
        found = set()
        for order in every_order(table) or ():
            try:
                found.add(partition_of(method.group(order, Coins.from_seed(0))))
            except pc.PellucidError:
                found.add(frozenset())
        assert len(found) == 1
        idle += 1
    assert idle or method.order_decides == "anything"


def test_of_rows_in_a_secret_order_nothing_is_exact_because_some_orders_agree() -> None:
    """Six people without an identifier: AlphaK may take rows by their order, and 720 orders are not tried."""
    people = pl.DataFrame({"age": [1, 1, 2, 2, 3, 3], "ill": ["a", "b", "a", "b", "a", "b"]})
    release = pc.publish(people, pc.AlphaK(alpha=0.5, k=2), quasi="age", sensitive="ill")
    with pytest.raises(pc.AttackError):
        pc.attack(release, INFORMED, population=people.drop("ill"))


def test_coins_that_agree_on_the_true_table_are_no_law_of_other_worlds() -> None:
    """Each group lacks one value, so that its spurious record is certain; in other worlds two may be drawn."""
    people = pl.DataFrame({"name": [*"ABCDEF"], "age": range(6), "ill": [*"aabcbc"]})
    roles = {"quasi": "age", "sensitive": "ill", "identifier": "name"}
    release = pc.publish(people, pc.SpuriousRecords(k=2, l=2), **roles)
    with pytest.raises(pc.AttackError, match="what was true is counted only for mask"):
        pc.attack(release, INFORMED, truth=people, **roles)
