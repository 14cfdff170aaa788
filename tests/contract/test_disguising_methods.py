"""Releases that are partly untrue: what is published, what is said about it, what stays, and that nothing true leaks.

The contract of tests/contract/test_methods.py holds for the published counts of Mask (the sensitive set, together) and
SpuriousRecords (every value) and not for the true ones, so these methods and their neighbours are held to it here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pyarrow.parquet
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping, Method
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError
from plain.random_tables import random_table
from plain.tables import line, secret, table_of

pytestmark = pytest.mark.filterwarnings(
    "ignore::pellucid.InformedAttackerWarning", "ignore::pellucid.SecretSeedWarning"
)

RECODERS = [pc.Intervals(), pc.Intervals(split=True), pc.Taxonomy(), pc.Anatomy(), pc.Suppression()]
every_recoder = pytest.mark.parametrize("recoder", RECODERS, ids=repr)
every_single_table = pytest.mark.parametrize("recoder", [r for r in RECODERS if r != pc.Anatomy()], ids=repr)


def mask(table: Table, l: int) -> Method:
    """Mask for the most frequent value."""
    (column,) = table.having(Role.SENSITIVE)
    value = table.attributes[column].values[int(np.bincount(table.codes[column]).argmax())]
    return pc.Mask(k=l, l=l, sensitive=[value])


METHODS: dict[str, Callable[[Table, int], Method]] = {
    "mask": mask,
    "spurious-records": lambda _, l: pc.SpuriousRecords(k=l, l=l),
    "injector": lambda _, l: pc.Injector(l=l),
}
every_method = pytest.mark.parametrize("name", METHODS)


def facts(grouping: Grouping) -> list[list[int] | None]:
    """All that a method decides."""
    added = grouping.added or (None, None)
    parts = (grouping.labels, grouping.members, grouping.sensitive, *added)
    return [None if part is None else part.tolist() for part in parts]


def decided(name: str, table: Table, l: int, *, seed: int = 1, threads: int = 1) -> Grouping | None:
    """What the method decides; None when it is infeasible."""
    try:
        return METHODS[name](table, l).group(table, Coins.from_seed(seed), threads=threads)
    except Infeasible:
        return None


@every_method
def test_decisions_depend_neither_on_threads_nor_on_the_order_of_the_rows(name: str) -> None:
    done = 0
    for seed in range(40):
        random = Random(f"{name} {seed}")
        table, l = random_table(random)
        found = decided(name, table, l, seed=seed)
        if found is None:
            continue
        done += 1
        again = decided(name, table, l, seed=seed, threads=2)
        assert again is not None
        assert facts(again) == facts(found)
        assert table.order is not None
        rows = np.array(random.sample(range(len(table)), len(table)))
        permuted = table.rows(rows)
        other = decided(name, permuted, l, seed=seed)
        assert other is not None
        assert other.labels.tolist() == found.labels[rows].tolist()
        if found.sensitive is not None and other.sensitive is not None:
            assert other.sensitive.tolist() == found.sensitive[rows].tolist()
        if found.added is not None and other.added is not None:
            assert [part.tolist() for part in other.added] == [part.tolist() for part in found.added]
    assert done > 15


@every_method
def test_a_large_table_gives_the_same_on_one_and_two_threads(name: str) -> None:
    generator = np.random.default_rng(1)
    n = 40_000
    columns = [line(f"q{i}", generator.integers(0, width, n).tolist()) for i, width in enumerate((79, 2, 17))]
    hidden = secret("s", generator.triangular(0, 5, 50, n).astype(int).tolist())
    table = table_of([*columns, hidden], generator.permutation(n))
    one, two = decided(name, table, 6, threads=1), decided(name, table, 6, threads=2)
    assert one is not None
    assert two is not None
    assert facts(one) == facts(two)


@every_method
def test_arguments_are_left_as_they_were_and_may_be_read_only(name: str) -> None:
    table, l = random_table(Random("read-only 3"), largest=100)
    before = [codes.copy() for codes in table.codes]
    found = decided(name, table, l)
    assert found is not None
    assert all(codes.flags.writeable for codes in table.codes)  # not frozen with the grouping either
    for array in (*table.codes, table.order):
        assert array is not None
        array.flags.writeable = False
    again = decided(name, table, l)
    assert again is not None
    assert facts(again) == facts(found)
    assert all(np.array_equal(now, then) for now, then in zip(table.codes, before, strict=True))


@every_method
def test_small_and_plain_tables(name: str) -> None:
    empty = table_of([line("age", []), secret("s", [])], [])
    method = pc.Mask(k=1, l=1, sensitive="x") if name == "mask" else METHODS[name](empty, 1)
    with pytest.raises(MethodError, match="no rows"):
        method.group(empty, Coins.from_seed(1))
    single = table_of([line("age", [40]), secret("s", [3])], [0])
    found = decided(name, single, 1)
    assert found is not None
    assert found.labels.tolist() == [0]
    assert decided(name, single, 2) is None
    alike = table_of([line("age", [7] * 60), secret("s", [row % 6 for row in range(60)])], range(60))
    found = decided(name, alike, 4)
    assert found is not None
    assert (found.labels >= 0).all()
    assert decided(name, table_of([line("age", list(range(9))), secret("s", [1] * 9)], range(9)), 2) is None
    many = Random(1)
    quasi = [line(f"q{i}", [many.randrange(9) for _ in range(800)]) for i in range(12)]
    wide = table_of([*quasi, secret("s", [many.randrange(30) for _ in range(800)])], range(800))
    found = decided(name, wide, 3)
    assert found is not None
    assert len(found) > 10


@every_method
def test_a_hundred_thousand_distinct_values(name: str) -> None:
    n = 100_000
    generator = np.random.default_rng(7)
    columns = [line("age", generator.integers(0, 79, n).tolist()), line("zip", generator.permutation(n).tolist())]
    table = table_of([*columns, secret("s", generator.integers(0, 40, n).tolist())], generator.permutation(n))
    found = decided(name, table, 4, threads=2)
    assert found is not None
    assert len(found) > 1000


@every_method
def test_several_sensitive_columns_are_refused_with_a_way_out(name: str) -> None:
    table, l = random_table(Random(1), secrets=2)
    method = pc.Mask(k=2, l=2, sensitive="x") if name == "mask" else METHODS[name](table, l)
    with pytest.raises(MethodError, match=r"use (strata|soft-cut), which protects each"):
        method.group(table, Coins.from_seed(1))


@every_method
def test_the_sentence_says_what_is_not_promised(name: str) -> None:
    table = table_of([line("age", [1, 2]), secret("disease", [1, 2])], [0, 1])
    method = METHODS[name](table, 7)
    sentence = method.sentence(table)
    assert "1/7" in sentence
    assert "disease" in sentence
    assert "Somebody who knows the method may" in sentence or "somebody who does may" in sentence
    assert method.warning is not None
    assert "use strata" in method.warning


def hospital(n: int = 120) -> pl.DataFrame:
    """People of whom two neighbours share a disease that nobody else has."""
    random = Random(5)
    diseases = [random.choice(["flu", "cold", "cough", "gout", "mumps", "colic"]) for _ in range(n)]
    diseases[0] = diseases[1] = "zebrapox"
    return pl.DataFrame(
        {
            "name": [f"person {number:03}" for number in range(n)],
            "age": [20 + number // 2 for number in range(n)],
            "town": [("Ur", "Uruk", "Nippur")[number // 7 % 3] for number in range(n)],
            "disease": diseases,
        }
    )


SCHEMA = {"quasi": ["age", "town"], "sensitive": "disease", "identifier": "name"}
DISTORTING = pc.Mask(k=2, l=2, sensitive=["zebrapox", "gout"], donors="all")
ADDING = pc.SpuriousRecords(k=2, l=2)


def boxes(release: pc.Release) -> list[tuple[str, list[str]]]:
    """What the public reads: every group's values, or those of groups that are published alike."""
    frames = release.public.frames
    if "data" not in frames:
        return [(str(key), part["disease"].to_list()) for key, part in frames["sensitive"].group_by("group")]
    keys = [name for name in frames["data"].columns if name != "disease"]
    return [(str(key), part["disease"].to_list()) for key, part in frames["data"].group_by(keys)]


@every_recoder
def test_what_mask_publishes_keeps_the_bound_and_the_truth_stays(recoder: object) -> None:
    frame = hospital()
    release = pc.publish(frame, DISTORTING, recode=recoder, seed=3, **SCHEMA)
    ours = {"zebrapox", "gout"}
    for _, values in boxes(release):
        assert sum(value in ours for value in values) * 2 <= len(values)
    for published in release.public.frames.values():
        assert published.height == frame.height == release.recipe["rows"]
    assert release.recipe["changes"] == ["some sensitive values may be replaced by others"]
    assert release.recipe["suppressed"] == 0
    private = release.private
    assert private.truth is not None
    assert private.changed.shape == (frame.height,)
    assert private.added.tolist() == [0] * len(private.grouping)
    changed = frame.filter(pl.Series(private.changed))
    assert changed.height > 0
    assert set(changed["disease"]) <= ours
    # the published multiset is the truth with exactly the changed rows replaced
    table = pc.read(frame, **SCHEMA)
    assert private.grouping.sensitive is not None
    book = table.attributes[table.having(Role.SENSITIVE)[0]].values
    assert sorted(value for _, values in boxes(release) for value in values) == sorted(
        book[code] for code in private.grouping.sensitive.tolist()
    )
    verdict, *_ = pc.verify(release, [pc.LDiversity(l=2, sensitive=("gout",))])
    assert verdict.holds


def test_two_tables_would_show_where_records_are_added_and_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MethodError, match="sees where records were added; use another recoding"):
        pc.publish(hospital(), ADDING, recode=pc.Anatomy(), seed=3, **SCHEMA).write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("method", [pc.Mask, pc.SpuriousRecords])
def test_an_l_beyond_any_table_is_refused(method: type[Method]) -> None:
    with pytest.raises(MethodError, match="l = "):
        method(k=4, l=2**62, **({"sensitive": "gout"} if method is pc.Mask else {}))


@every_single_table
def test_what_spurious_records_publish_keeps_the_bound_and_the_truth_stays(recoder: object) -> None:
    frame = hospital()
    release = pc.publish(frame, ADDING, recode=recoder, seed=3, **SCHEMA)
    for _, values in boxes(release):
        assert max(map(values.count, values)) * 2 <= len(values)
    private = release.private
    assert private.added.sum() > 0
    assert not private.changed.any()
    for published in release.public.frames.values():
        assert published.height == frame.height + private.added.sum() == release.recipe["rows"]
    assert release.recipe["changes"] == ["records that nobody is behind may be added"]
    assert pc.verify(release, [pc.LDiversity(l=2)])[0].holds
    plain = pc.publish(frame, pc.Mondrian(k=2), recode=recoder, seed=3, **SCHEMA)
    if "data" in plain.public.frames:  # the added records carry boxes that are there, and no box grows
        names = [name for name in plain.public.frames["data"].columns if name != "disease"]
        assert set(release.public.frames["data"].select(names).rows()) == set(
            plain.public.frames["data"].select(names).rows()
        )
    assert [level.model for level in pc.levels(release)]


@every_recoder
@pytest.mark.parametrize("format_", ["csv", "parquet", "arrow"])
def test_no_trace_of_a_replaced_value_is_written(recoder: object, format_: str, tmp_path: Path) -> None:
    """The rare disease of two neighbours is replaced altogether, and no file holds it any more."""
    frame = hospital(16).with_columns(age=pl.Series(range(16)), town=pl.lit("Ur"))
    method = pc.Mask(k=2, l=2, sensitive="zebrapox", donors="all")
    release = pc.publish(frame, method, recode=recoder, seed=3, **SCHEMA)
    assert release.private.changed.sum() == 2
    release.write(tmp_path / "out", format=format_)
    for path in (tmp_path / "out").iterdir():
        if path.name == "recipe.json":
            recipe = json.loads(path.read_text())
            assert recipe["parameters"]["sensitive"] == ["zebrapox"]  # the set is public, who had it is not
            assert "changed" not in recipe
            assert "added" not in recipe
            continue
        assert b"zebrapox" not in path.read_bytes()
        if path.suffix == ".parquet":
            for column in pyarrow.parquet.read_table(path).columns:
                assert "zebrapox" not in column.to_pylist()


@pytest.mark.parametrize("method", [DISTORTING, ADDING], ids=lambda method: method.name)
@every_single_table
def test_permuting_the_input_leaves_the_released_bytes_unchanged(
    method: Method, recoder: object, tmp_path: Path
) -> None:
    frame = hospital()
    texts = []
    for number, rows in enumerate((frame, frame.sort("disease"), frame.sample(fraction=1, shuffle=True, seed=1))):
        release = pc.publish(rows, method, recode=recoder, seed=3, **SCHEMA)
        release.write(tmp_path / str(number))
        texts.append({path.name: path.read_bytes() for path in (tmp_path / str(number)).iterdir()})
    assert texts[0] == texts[1] == texts[2]


def test_a_table_without_anything_to_change_is_described_alike() -> None:
    """Whether something was changed would tell about the table."""
    calm = hospital().with_columns(disease=pl.Series([f"disease {number}" for number in range(120)]))
    for method, told in ((pc.Mask(k=2, l=2, sensitive="disease 7"), "replaced"), (ADDING, "added")):
        release = pc.publish(calm, method, seed=1, **SCHEMA)
        assert not release.private.changed.any()
        assert release.private.added.sum() == 0
        assert told in release.recipe["changes"][0]
        assert release.recipe["rows"] == 120
