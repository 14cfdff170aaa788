"""Strata from Spark are those in memory with the same coins, row for row, and so is what is said of them."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from engines.tables import SCHEMAS, crowded, in_parts, people, published, schema_of
from pellucid.anonymize.disclosure.beyond_the_bound import beyond_the_bound
from pellucid.anonymize.recode import TwoTables
from pellucid.anonymize.self_check import Countable
from pellucid.cli.remarks import bounds_of_strata
from pellucid.core.coins import Coins
from pellucid.errors import PromiseNotKept
from pellucid.spark.engine.publish import Particulars, publish_with_spark

pytestmark = pytest.mark.spark


def local(frame: Any, schema: pc.Schema, method: pc.Strata, recoder: Any, seed: int) -> pc.Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        return pc.publish(frame, method, schema=schema, recode=recoder, seed=seed)


def drawn(random: Random, kind: str, sensitive: tuple[str, ...], frame: pl.DataFrame) -> pc.Strata:
    """A setting for these columns."""
    l: Any = random.choice([2, 3, 4])
    size = random.choice([5, 12, 30])
    quasi = [name for name, column in SCHEMAS[kind].items() if column.role == "quasi"]
    small = [name for name in quasi if frame[name].value_counts()["count"].min() >= size]
    same = tuple(random.sample(small, min(len(small), random.choice([0, 0, 1]))))
    if kind == "taxonomies" and random.random() < 0.7:
        same = ("town:1", *same) if "town" not in same else ("zip:2", "town:1")
    ill = sorted(frame["ill"].drop_nulls().unique())
    values: Any = random.choice([None, None, tuple(random.sample(ill, 2))]) if len(sensitive) == 1 else None
    if len(sensitive) > 1 and random.random() < 0.3:
        values = {"ill": ("flu",), "cost": tuple(range(20))}
    if len(sensitive) > 1 and random.random() < 0.5:
        l = {"ill": l, "cost": 5}
    inside = random.choice(["hybrid", "hybrid", "none", *(["lot"] if values is None and len(sensitive) == 1 else [])])
    k = None if values is None else random.choice([1, 4])  # unsaid it is l, where a request is made of it
    return pc.Strata(l=l, size=size, inside=inside, same=same, values=values, k=k)


def remarks(schema: pc.Schema, frame: pl.DataFrame, method: pc.Strata, release: pc.Release) -> list[str]:
    return list(map(str, bounds_of_strata(pc.read(frame, schema=schema), method, release)))


def of_spark(method: pc.Strata, release: Any) -> list[str]:
    return list(map(str, beyond_the_bound(method, release.figures["above"], release.figures["outline"].rows)))


def test_random_tables(spark: Any, tmp_path: Path, thorough: bool) -> None:
    """Thorough: 50 tables. Several columns, values, what is kept apart, all that may be done inside."""
    seen: Counter[str] = Counter()
    for number in range(50) if thorough else (2, 7, 23):
        random = Random(f"strata on Spark {number}")
        by_name = number % 3 > 0
        sensitive = ("ill", "cost") if number % 5 == 2 else ("ill",)
        kind = random.choice(["ties", "many values", "taxonomies", "three", "six"])
        rows = random.randint(200, 500)
        frame = crowded(rows, 2, seed=number) if number % 2 else people(rows, seed=number)
        schema = schema_of(kind, identifier=by_name, sensitive=sensitive)
        method = drawn(random, kind, sensitive, frame)
        recoder = random.choice([pc.Intervals(), pc.Intervals(split=True), pc.Taxonomy(), pc.Suppression()])
        arrow = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        source = (
            spark.createDataFrame(arrow).repartition(random.choice([1, 2, 5]))
            if by_name
            else in_parts(frame, tmp_path / f"{number}.parquet", random.choice([1, 3]))
        )
        settings, how = pc.Spark(rows_per_worker=random.choice([30, 60, 100])), Particulars(bins=random.choice([4, 64]))
        release = publish_with_spark(source, schema, method, recoder, Coins.from_seed(number), settings, how)
        here = local(frame, schema, method, recoder, number)
        assert release.parts is not None
        assert release.figures is not None
        assert published(release.parts["data"]).equals(here.frame), (number, method)
        assert release.recipe == here.recipe, (number, method)  # with what strata fix
        seen.update(pin["how"] for pin in release.recipe["strata"]["pins"])
        assert of_spark(method, release) == remarks(schema, frame, method, here), (number, method)
        seen += Counter(parts=release.figures["parts"] > 1, apart=bool(method.same), several=len(sensitive) > 1)
        seen += Counter(values=method.values is not None, whole=release.figures["above"]["ill"].groups > 0)
        seen[method.inside] += 1
    assert not thorough or min(seen[kind] for kind in ("apart", "several", "values", "whole", "lot", "none")) > 1, seen
    assert seen["parts"], seen


def refused(work: Any) -> str:
    with pytest.raises(pc.PellucidError) as told:
        work()
    return str(told.value)


@pytest.mark.parametrize(
    "setting",
    [
        {"size": 30, "most": "2/5"},  # asked of all parts together: the sums are said
        {"size": 30, "most": "2/5", "inside": "none"},
        {"size": 10, "same": ("age", "town")},  # enough people of each age, and too few of some age and town
        {"size": 10, "same": ("zip",)},
        {"size": 20, "same": ("street",)},
        {"size": 160, "same": ("zip:1",)},
        {"size": 301},
        {"size": 20, "values": ("gout",)},
    ],
)
def test_what_cannot_be_is_refused_in_the_same_words(spark: Any, tmp_path: Path, setting: dict[str, Any]) -> None:
    frame, schema = crowded(300), schema_of("six")
    method = pc.Strata(l=4, **setting)
    source = in_parts(frame, tmp_path / "people.parquet", 2)
    assert spark is not None
    engine = pc.Spark(rows_per_worker=40, work=tmp_path / "work")
    engine.work.mkdir()  # type: ignore[union-attr]
    here = refused(lambda: local(frame, schema, method, pc.Intervals(), 3))
    there = refused(lambda: publish_with_spark(source, schema, method, pc.Intervals(), Coins.from_seed(3), engine))
    assert there == here
    assert list(tmp_path.joinpath("work").iterdir()) == []


def test_workers_count_the_groups_below_a_stratum(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are told that more was promised of these; strata of so many rows may hold anything."""
    source = in_parts(people(120), tmp_path / "people.parquet", 1)
    assert spark is not None
    stricter = Countable({"ill": pc.LDiversity(l=50)}, whole_from=20)
    monkeypatch.setattr("pellucid.spark.engine.publish.Countable.of", lambda *_: stricter)

    def publish(inside: Any) -> object:
        method, engine = pc.Strata(l=2, size=20, inside=inside), pc.Spark(rows_per_worker=40)
        schema = schema_of("six")
        return publish_with_spark(source, schema, method, pc.Intervals(), Coins.from_seed(3), engine)

    with pytest.raises(PromiseNotKept, match="has more than 1/50"):
        publish("hybrid")
    publish("none")


def test_two_tables_and_what_reads_alike(spark: Any, tmp_path: Path) -> None:
    """Two tables tell groups apart; behind stars all strata read alike, and the largest share is that of everybody."""
    frame, schema = crowded(300), schema_of("six")
    source = in_parts(frame, tmp_path / "people.parquet", 2)
    assert spark is not None
    method, people_above = pc.Strata(l=4, size=30, inside="none"), []
    for recoder in (TwoTables(), pc.Suppression()):
        release = publish_with_spark(source, schema, method, recoder, Coins.from_seed(3), pc.Spark(rows_per_worker=40))
        here = local(frame, schema, method, recoder, 3)
        assert release.parts is not None
        assert release.figures is not None
        for name, folder in release.parts.items():
            assert published(folder).equals(here.public.frames[name])
        assert of_spark(method, release) == remarks(schema, frame, method, here)
        people_above.append(release.figures["above"]["ill"].rows)
    assert people_above[0] < people_above[1]


def test_what_is_meant_unsaid_is_meant_with_spark_too(spark: Any, tmp_path: Path) -> None:
    """Groups of at least l rows where some values are protected, and the warning of what strata tell."""
    frame, schema = people(300), schema_of("six")
    source = in_parts(frame, tmp_path / "people.parquet", 2)
    assert spark is not None
    method, engine = pc.Strata(l=3, size=30, values=("flu",)), pc.Spark(rows_per_worker=80)
    here = local(frame, schema, method, None, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        there = pc.publish(source, method, schema=schema, seed=3, engine=engine)
    assert there.recipe["parameters"]["k"] == here.recipe["parameters"]["k"] == 3
    same = frame.with_columns(ill=pl.when(pl.int_range(300) < 290).then(pl.lit("flu")).otherwise(pl.lit("gout")))
    alike = in_parts(same, tmp_path / "alike.parquet", 2)
    with pytest.warns(pc.TellingStrataWarning, match="the release tells") as spoken:
        pc.publish(alike, pc.Strata(l=2, size=30), schema=schema, engine=engine)
    with pytest.warns(pc.TellingStrataWarning) as told:
        pc.publish(same, pc.Strata(l=2, size=30), schema=schema)
    assert str(spoken[0].message) == str(told[0].message)
