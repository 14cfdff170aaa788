"""A release that is written from its boxes has the bytes that its frame has, whatever its columns are."""

from __future__ import annotations

import datetime
import io
import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import RECODERS
from pellucid.anonymize.recode.lazy_frames import BoxedRows, MadeWhenAsked
from pellucid.anonymize.recode.size import boxed_bytes, text_bytes
from pellucid.io import csv_lines
from pellucid.io.csv_lines import Column, lines_of, spell

TEXTS = [
    "a",
    "",
    " b",
    'he said "no"',
    '"',
    "x, y",
    ";",
    "tab\t",
    "\r",
    "ä\u2028ö",
    "*",
    "[1, 2]",
    "null",
    "a" * 40,
    "0",
]
NUMBERS = [0, -1, 7, 10**15, 3]
FLOATS = [0.0, -1.5, 1e300, 1e-7, 0.1, 123456789.125]
DAY = datetime.date(2024, 2, 29)
TIME = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)


def values_of_some_type(rng: random.Random, name: str) -> pl.Series:
    """Distinct values, null perhaps among them, of one of the types that a release may have."""
    several: list[tuple[list[Any], pl.DataType]] = [
        (TEXTS, pl.String()),
        (NUMBERS, pl.Int64()),
        (FLOATS, pl.Float64()),
        ([0.1, 2.5], pl.Float32()),
        ([True, False], pl.Boolean()),
        ([DAY + datetime.timedelta(days) for days in range(4)], pl.Date()),
        ([TIME + datetime.timedelta(seconds=s) for s in range(4)], pl.Datetime(rng.choice(["us", "ms"]))),
        ([TIME], pl.Datetime("us", "UTC")),
        ([1, 250], pl.UInt8()),
    ]
    values, dtype = rng.choice(several)
    chosen = rng.sample(values, rng.randint(1, len(values)))
    if rng.random() < 0.3:
        chosen.insert(rng.randrange(len(chosen) + 1), None)
    return pl.Series(name, chosen, dtype=dtype)


def some_boxes(rng: random.Random) -> tuple[list[Column], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Columns of boxes and of rows in any order, boxes of any size, and a key for each row."""
    boxes, keys = rng.randint(1, 6), rng.randint(1, 5)
    columns = []
    for i in range(rng.randint(1, 5)):
        values, of_row = values_of_some_type(rng, rng.choice(["a", "b,", 'c"', "d e"]) + str(i)), rng.random() < 0.4
        places = [rng.randrange(len(values)) for _ in range(keys if of_row else boxes)]
        columns.append(Column(values, np.array(places, np.uint32), of_row))
    starts = np.append(0, np.cumsum([rng.randint(1, 9) for _ in range(boxes)])).astype(np.int64)
    return columns, starts, np.array([rng.randrange(keys) for _ in range(starts[-1])], np.int32)


def plain(columns: list[Column], starts: np.ndarray[Any, Any], keys: np.ndarray[Any, Any]) -> pl.DataFrame:
    """The definition: every row has the value of its box, or of its key."""
    box = [b for b in range(len(starts) - 1) for _ in range(starts[b + 1] - starts[b])]
    return pl.DataFrame(
        [
            column.values.gather(
                [int(column.places[keys[row] if column.of_row else box[row]]) for row in range(len(box))]
            )
            for column in columns
        ]
    )


def test_lines_are_what_polars_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(400):
        rng = random.Random(seed)
        columns, starts, keys = some_boxes(rng)
        monkeypatch.setattr(csv_lines, "PIECE", rng.choice([1, 3, 1 << 19]))  # lines of a box in several parts
        monkeypatch.setattr(csv_lines, "BUFFER", rng.choice([1, 64, 1 << 20]))  # and of a part in several writes
        lines = lines_of(columns, starts, keys)
        units = {c.values.dtype.time_unit for c in columns if isinstance(c.values.dtype, pl.Datetime)}
        assert (lines is None) == (len(columns) < 2 or len(units) > 1)
        boxes = BoxedRows(columns, starts, keys, threads=rng.choice([1, 2]))
        expected = plain(columns, starts, keys)
        for column, whole in zip(columns, expected.get_columns(), strict=True):
            assert boxed_bytes(boxes, column) == text_bytes(whole)
        if lines is not None:
            lines.write(tmp_path / "data.csv", rng.choice([1, 2]))
            assert (tmp_path / "data.csv").read_bytes() == expected.write_csv().encode(), seed
        assert boxes.frame().equals(expected)


def test_a_cell_of_several_lines_is_left_to_polars() -> None:
    assert spell(pl.Series(["a", "b\nc"]), last=False) is None


def people(rng: random.Random, rows: int) -> pl.DataFrame:
    """A table with every kind of column, some values of which must be quoted."""
    drawn = {
        "age": [rng.randint(20, 29) for _ in range(rows)],
        "town": [rng.choice(["Rome", "O'Hare, IL", 'the "city"', "", "*"]) for _ in range(rows)],
        "born": [DAY + datetime.timedelta(rng.randint(0, 5)) for _ in range(rows)],
        "income": [rng.choice([None, 1.5, 2.25, 1e9]) for _ in range(rows)],
        "weight": [rng.choice([0.5, 1.0, 3.0]) for _ in range(rows)],
        "ill": [rng.choice(["flu", "cold, bad", None, "x"]) for _ in range(rows)],
        "score": [rng.randint(1, 4) for _ in range(rows)],
    }
    return pl.DataFrame(drawn, schema_overrides={"born": pl.Date})


def a_schema(rng: random.Random, columns: list[str]) -> pc.Schema:
    """Some columns in some order with some roles; caps and rounding, several sensitive columns or none."""
    chosen: dict[str, pc.Column] = {}
    sensitive = set(rng.choice([("ill",), ("ill",), ("score",), ("ill", "score")]))
    for name in rng.sample(columns, len(columns)):
        if name in sensitive:
            chosen[name] = pc.Column(role="sensitive")
        elif name == "weight":
            chosen[name] = pc.Column(role=rng.choice(["weight", "drop"]))
        elif name == "age":
            more = rng.choice(
                [{}, {"cap": {"low": 22, "high": 27}}, {"round": [20, 23, 26]}, {"taxonomy": {"ladder": [5]}}]
            )
            chosen[name] = pc.Column.model_validate({"role": "quasi", **more})
        elif name in ("town", "born", "income"):
            chosen[name] = pc.Column(role=rng.choice(["quasi", "carry", "drop"]))
    return pc.Schema(columns=chosen)


def test_every_recoder_writes_what_its_frame_has(tmp_path: Path) -> None:
    for seed in range(150):
        rng = random.Random(seed)
        table = pc.read(people(rng, 40), schema=a_schema(rng, people(rng, 1).columns))
        labels = np.array([rng.randint(-1 if rng.random() < 0.3 else 0, 5) for _ in range(40)], np.int32)
        recoder = RECODERS[rng.choice([name for name in RECODERS if name != "anatomy"])]()
        first, again = (recoder.recode(table, Grouping.from_labels(_from_zero(labels)), threads=t) for t in (1, 2))
        assert isinstance(first, MadeWhenAsked)
        assert first.write_csv("data", tmp_path / "data.csv")
        file = io.BytesIO()
        again["data"].write_csv(file)
        assert (tmp_path / "data.csv").read_bytes() == file.getvalue(), seed
        assert not again.write_csv("data", tmp_path / "none.csv")  # type: ignore[attr-defined]
        assert not (tmp_path / "none.csv").exists()


def _from_zero(labels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The labels that occur, numbered from 0."""
    numbers = {label: number for number, label in enumerate(sorted({*labels.tolist()} - {-1}))}
    return np.array([numbers.get(label, -1) for label in labels.tolist()], np.int32)


def test_a_release_is_written_without_being_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = pc.datasets.census(3_000, seed=3).select("age", "gender", "education", "occupation")
    roles = {"quasi": ["age", "gender", "education"], "sensitive": "occupation"}
    with pytest.warns(pc.SecretSeedWarning):
        looked_at, written = (pc.publish(people, pc.SoftCut(l=4), **roles, seed=1) for _ in range(2))
    frame = looked_at.frame
    looked_at.write(tmp_path / "made")
    monkeypatch.setattr(BoxedRows, "frame", lambda _: pytest.fail("the frame was made"))
    written.write(tmp_path / "lines")
    for name in ("data.csv", "recipe.json"):
        assert (tmp_path / "made" / name).read_bytes() == (tmp_path / "lines" / name).read_bytes()
    assert frame.equals(pl.read_csv(tmp_path / "lines" / "data.csv", schema=frame.schema))


def test_a_frame_that_could_not_be_made_is_made_when_it_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    columns, starts, keys = next(
        boxes
        for boxes in map(some_boxes, map(random.Random, itertools.count()))
        if len({c.of_row for c in boxes[0]}) > 1
    )
    frames = MadeWhenAsked(BoxedRows(columns, starts, keys, 1))
    with monkeypatch.context() as patch:
        patch.setattr(BoxedRows, "_of_boxes", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            frames["data"]
    assert not frames.write_csv("data", Path("nowhere.csv"))
    assert frames["data"].equals(plain(columns, starts, keys))
    assert list(frames) == ["data"]
    with pytest.raises(KeyError):
        frames["other"]
