"""What workers hand each other in files of the work folder arrives whole: rows by part, lines in order, codes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from engines.tables import people
from pellucid.errors import EngineError
from pellucid.spark.engine import ordered_lines, shipments
from pellucid.spark.engine.blocks import PassTally, Rows, merged
from pellucid.spark.engine.cuts import Cuts
from pellucid.spark.engine.local_codes import own_codes
from pellucid.spark.engine.operations import ALL_ORDERS, Outline, Request
from pellucid.spark.engine.ordered_lines import BOXES, Ordered, bounds, keep
from pellucid.spark.engine.shipments import SHIPPED, arrived, shipped
from pellucid.spark.engine.tasks import added_up, answers


def random_rows(seed: int, n: int) -> tuple[Rows, Outline]:
    table = pc.read(people(n, seed=seed), quasi=["age", "town"], sensitive="ill", carry=["grade"])
    counts = tuple(np.bincount(codes, minlength=len(a)) for codes, a in zip(table.codes, table.attributes, strict=True))
    orders = np.random.default_rng(seed).permutation(n).astype(np.int64)
    return Rows.of(table, orders), Outline(table.attributes, counts, n, ordered=True)


@pytest.mark.parametrize("seed", range(6))
def test_every_row_arrives_at_its_part_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(shipments, "ROWS", 70)
    rows, outline = random_rows(seed, 200)
    (tmp_path / SHIPPED).mkdir()
    draw = np.random.default_rng(seed)
    parts = draw.choice([3, 5, 70_000], 200) if seed % 2 else draw.integers(0, 9, 200)
    blocks = [(parts[a : a + 30], rows.at(np.arange(a, min(a + 30, 200)))) for a in range(0, 200, 30)]
    told = list(shipped(blocks, tmp_path))
    assert len(told) == 3
    for part in np.unique(parts).tolist():
        found, expected = arrived(part, told, tmp_path, outline), rows.at(np.flatnonzero(parts == part))
        for name in ("quasi", "sensitive", "carried", "orders"):
            assert np.array_equal(getattr(found, name), getattr(expected, name))


def test_a_shipment_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    rows, outline = random_rows(1, 20)
    (tmp_path / SHIPPED).mkdir()
    (told,) = shipped([(np.zeros(20, np.int32), rows)], tmp_path)
    file = tmp_path / SHIPPED / told.file
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(EngineError, match="118 numbers, 120 were written"):
        arrived(0, [told], tmp_path, outline)
    file.unlink()
    with pytest.raises(EngineError, match="does not see the work folder"):
        arrived(0, [told], tmp_path, outline)


@pytest.mark.parametrize("seed", range(8))
def test_lines_of_all_parts_are_in_order_and_numbered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(ordered_lines, "LEAST_BETWEEN", 3)
    (tmp_path / BOXES).mkdir()
    draw = np.random.default_rng(seed)
    frames, samples, files = [], [], []
    for part in range(int(draw.integers(1, 6))):
        n = int(draw.integers(1, 60))
        texts = [None if v == 0 else "aÄzß𝄞"[v % 5] * v for v in draw.integers(0, 6, n).tolist()]
        frame = pl.DataFrame({"key0": draw.integers(-3, 3, n), "key1": pl.Series(texts, dtype=pl.String)})
        frame = frame.with_columns(rows=draw.integers(1, 9, n))
        columns: dict[str, Any] = {
            "key0": frame["key0"].to_numpy(),
            "key1": frame["key1"],
            "rows": frame["rows"].to_numpy(),
        }
        samples.append(keep(columns, ["key0", "key1"], tmp_path / BOXES / str(part)))
        frames.append(frame)
        files.append(str(part))
    whole = pl.concat(frames).sort("key0", "key1", nulls_last=False)
    rows = int(whole["rows"].sum())
    wanted = int(draw.integers(1, 6))
    lines: Any = SimpleNamespace(keys=["key0", "key1"])
    ordered = Ordered(lines, tmp_path, files, bounds(samples, rows, wanted))
    assert ordered.stretches <= wanted
    found, before = [], 0
    for number in range(ordered.stretches):
        some, first = ordered.stretch(number)
        assert first == before
        before += len(some)
        found.append(pl.DataFrame(pl.from_arrow(some)))
    keys = ["key0", "key1"]
    assert pl.concat(found).select(keys).equals(whole.select(keys))
    assert sum(int(some["rows"].sum()) for some in found) == rows
    ends = [some.select(keys).rows() for some in found if some.height]
    assert not any(one[-1] == other[0] for one, other in pairwise(ends))  # equal keys stay together


def test_files_have_about_as_many_rows_as_asked_for(tmp_path: Path) -> None:
    (tmp_path / BOXES).mkdir()
    draw = np.random.default_rng(3)
    samples = []
    for part in range(5):
        columns = {"key0": draw.integers(0, 10**9, 4000), "rows": np.full(4000, 5)}
        samples.append(keep(columns, ["key0"], tmp_path / BOXES / str(part)))
    lines: Any = SimpleNamespace(keys=["key0"])
    ordered = Ordered(lines, tmp_path, list("01234"), bounds(samples, 100_000, 4))
    sizes = [int(ordered.stretch(number)[0]["rows"].to_numpy().sum()) for number in range(4)]
    assert sum(sizes) == 100_000
    assert max(sizes) - min(sizes) < 6000
    assert sum(map(len, samples)) <= 5 * ordered_lines.MOST_SAMPLED


def test_answers_of_two_tasks_are_those_of_one() -> None:
    rows, outline = random_rows(4, 90)
    asked = [Request(0, 0, 0, 50, *ALL_ORDERS, False, 2), Request(0, 1, 0, 9, *ALL_ORDERS, False, 0)]
    tallies = [PassTally(outline, Cuts(), asked, [0]) for _ in range(3)]
    tallies[0].add(rows)
    tallies[1].add(rows.at(np.arange(0, 40)))
    tallies[2].add(rows.at(np.arange(40, 90)))
    whole, both = tallies[0].sparse(), merged(tallies[1].sparse(), tallies[2].sparse())
    assert whole.keys() == both.keys()
    assert all(np.array_equal(whole[name], both[name]) for name in whole)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([3, None, 1, 3], dtype=pl.Int16),
        pl.Series([0.5, -0.0, float("nan"), 0.0]),
        pl.Series([None, None], dtype=pl.String),
        pl.Series([None, None], dtype=pl.Null),
        pl.Series(["b", "a", "b"], dtype=pl.Categorical),
        pl.Series([True, False, True]),
    ],
)
def test_codes_of_a_chunk_lead_back_to_its_values(column: pl.Series) -> None:
    values, codes = own_codes(column)
    assert values.n_unique() == len(values)
    back = values.gather(codes.astype(np.uint32)).to_list()
    assert back == [None if value != value else value for value in column.to_list()]


@pytest.mark.spark
def test_a_session_without_context_asks_by_a_query(spark: Any) -> None:
    """As Spark Connect is, which has no tasks of its own."""
    connected: Any = SimpleNamespace(range=spark.range)

    def squared(numbers: Any) -> Any:
        for number in numbers:
            yield number * number

    for session in (spark, connected):
        assert sorted(answers(session, squared, 5)) == [0, 1, 4, 9, 16]
        assert sorted(answers(session, squared, 5, 9)) == [0, 1, 4, 9, 16]
        assert added_up(session, squared, 7, int.__add__) == 91
