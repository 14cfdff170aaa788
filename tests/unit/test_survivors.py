"""What a wrong program could do without another test seeing it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.io import write_bundle
from pellucid.io.bundle import Format


def grouping(labels: list[int]) -> Grouping:
    return Grouping.from_labels(np.array(labels, np.int32))


@pytest.mark.parametrize("sensitive", [["s", "t"], ["t", "s"]])
def test_any_sensitive_column_can_be_the_one_that_is_in_the_way(sensitive: list[str]) -> None:
    frame = pl.DataFrame({"id": range(8), "x": range(8), "s": list("abcdefgh"), "t": [*["HIV"] * 3, *"vwxyz"]})
    with pytest.raises(pc.Infeasible, match=r"'HIV' is the 't' of 3 of 8 rows.*use l = 2 or less"):
        pc.publish(frame, pc.Tailor(l=3), quasi=["x"], sensitive=sensitive, identifier="id")
    release = pc.publish(frame, pc.Tailor(l=2), quasi=["x"], sensitive=sensitive, identifier="id")
    assert sorted(release.frame["t"].to_list()) == sorted(frame["t"].to_list())


def test_anatomy_numbers_groups_with_equal_vectors_by_their_sensitive_values() -> None:
    random = Random(1)
    groups, size = 40, 3
    for _ in range(5):
        secrets = random.sample([f"s{i:03}" for i in range(200)], groups * size)
        frame = pl.DataFrame({"x": list(range(size)) * groups, "s": secrets})
        table = pc.read(frame, quasi=["x"], sensitive="s")
        first = pc.Anatomy().recode(table, grouping([g for g in range(groups) for _ in range(size)]))
        renumber = random.sample(range(groups), groups)
        second = pc.Anatomy().recode(table, grouping([renumber[g] for g in range(groups) for _ in range(size)]))
        assert first["sensitive"].equals(second["sensitive"])
        assert first["quasi_identifiers"].equals(second["quasi_identifiers"])
        assert first["sensitive"]["group"].n_unique() == groups


@pytest.mark.parametrize("distinct", [2, 30, 64, 65, 300])
@pytest.mark.parametrize("nulls", [False, True])
def test_sets_are_published_in_the_order_of_their_texts_whatever_the_numbers_of_groups(
    distinct: int, nulls: bool
) -> None:
    random = Random(distinct)
    groups, n = 60, 400
    values = [f"t{i:03}" for i in range(distinct)]
    random.shuffle(values)
    # the order in which values first appear is not the order of texts, nor are all there before the last row
    towns = [*values, *(random.choice([*values[:4], None] if nulls else values[:4]) for _ in range(n - distinct))]
    labels = [*random.sample(range(groups), groups), *(random.randrange(groups) for _ in range(n - groups))]
    frame = pl.DataFrame({"town": towns, "s": [random.choice("uvwxyz") for _ in range(n)]})
    table = pc.read(frame, quasi=["town"], sensitive="s")
    first = pc.Intervals().recode(table, grouping(labels))["data"]
    renumber = random.sample(range(groups), groups)
    second = pc.Intervals().recode(table, grouping([renumber[label] for label in labels]))["data"]
    assert first.equals(second)
    assert first.rows() == sorted(first.rows(), key=lambda row: (row[0] is not None, row))


LITERALS = [
    # recoder, a value, how it is ordered if it is, what a group has that is published as the same text
    (pc.Suppression(), "*", None, ["a", "b"]),
    (pc.Suppression(), "*", None, ["a", None]),
    (pc.Suppression(), "*", ["*", "a", "b"], ["a", "b"]),
    (pc.Suppression(), "*", ["a", "*", "b"], ["a", "b"]),
    (pc.Suppression(), "*", ["a", "*", "b"], ["*", "b"]),
    (pc.Intervals(), "{a, b}", None, ["a", "b"]),
    (pc.Intervals(), "{a, b} or null", None, ["a", "b", None]),
    (pc.Intervals(), "a or null", None, ["a", None]),
    (pc.Intervals(), "a or null", ["a", "b", "a or null"], ["a", None]),
    (pc.Intervals(), "a or null", ["a or null", "b", "a"], ["a", None]),
    (pc.Intervals(), "[1, 2]", ["1", "2", "[1, 2]"], ["1", "2"]),
    (pc.Intervals(), "[1, 2]", ["[1, 2]", "1", "2"], ["1", "2"]),
    (pc.Intervals(), "[1, 2] or null", ["[1, 2] or null", "1", "2"], ["1", "2", None]),
]


@pytest.mark.parametrize(("recoder", "literal", "order", "general"), LITERALS)
@pytest.mark.parametrize("places", [3, 80])
def test_a_value_that_reads_like_a_generalisation_cannot_be_told_from_it_by_the_order_of_rows(
    recoder: pc.Intervals, literal: str, order: list[str] | None, general: list[str | None], places: int
) -> None:
    others = [f"{'!am~'[i % 4]}{i:02}" for i in range(places)]  # texts before, between and behind
    used = [literal, *(value for value in general if value is not None)]
    column = (
        pc.Column(role="quasi")
        if order is None
        else pc.Column(role="quasi", kind="ordered", order=(*others[::2], *order, *others[1::2]))
    )
    schema = pc.Schema(columns={"town": column, "x": pc.Column(role="quasi"), "s": pc.Column(role="sensitive")})
    size = len(general)
    towns = [*[literal] * size, *general, *others, *used, literal]
    labels = [*[0] * size, *[1] * size, *(2 + i for i in range(places + len(used) + 1))]
    ages = [*[5] * (2 * size + places), *[6] * (len(used) + 1)]
    published = []
    for first, second in [("uxz", "vwy"), ("vwy", "uxz")]:  # the two groups change their secrets
        secrets = [*first[:size], *second[:size], *"k" * (places + len(used) + 1)]
        table = pc.read(pl.DataFrame({"town": towns, "x": ages, "s": secrets}), schema=schema)
        renumber = Random(places).sample(range(max(labels) + 1), max(labels) + 1)
        published += [
            recoder.recode(table, grouping(numbers))["data"]
            for numbers in (labels, [renumber[label] for label in labels])
        ]
    frame = published[0]
    alike = frame.filter((pl.col("town") == literal) & (pl.col("x") == "5"))
    assert sorted(alike["s"].to_list()) == sorted("uxz"[:size] + "vwy"[:size])
    assert alike["s"].to_list() == sorted(alike["s"].to_list())
    assert frame["town"].rle_id().n_unique() == frame["town"].n_unique()  # rows with one text stand together
    assert all(frame.equals(other) for other in published[1:])


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("replaced", [False, True])
def test_every_file_of_a_bundle_and_its_folder_and_the_one_above_are_flushed_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Format, replaced: bool
) -> None:
    frames = {"quasi_identifiers": pl.DataFrame({"x": [1, 2]}), "sensitive": pl.DataFrame({"s": ["a", None]})}
    if replaced:
        write_bundle(frames, {"l": 1}, tmp_path / "out", format=kind)
    flushed: list[tuple[int, bool]] = []
    fsync = os.fsync

    def counted(descriptor: int) -> None:
        found = os.fstat(descriptor)
        flushed.append((found.st_ino, stat.S_ISDIR(found.st_mode)))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    write_bundle(frames, {"l": 2}, tmp_path / "out", format=kind, overwrite=replaced)
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) == 3
    assert {path.stat().st_ino for path in files} <= {number for number, folder in flushed if not folder}
    folders = [number for number, folder in flushed if folder]
    assert (tmp_path / "out").stat().st_ino in folders
    assert folders[-1] == flushed[-1][0] == tmp_path.stat().st_ino  # last of all, the new name itself


def test_the_place_of_a_text_does_not_tell_whether_a_group_holds_the_literal_value() -> None:
    frame = pl.DataFrame({"town": ["*", "*", "a", "b", "c", "c"], "s": list("uvwxyz")})
    together = pc.read(frame, quasi=["town"], sensitive="s")
    other = pc.read(frame[[0, 2, 1, 3, 4, 5]].with_columns(frame["s"]), quasi=["town"], sensitive="s")
    labels = Grouping.from_labels(np.array([0, 0, 1, 1, 2, 2], np.int32))
    first = pc.Suppression().recode(together, labels)["data"]  # groups * *, a b, c c
    second = pc.Suppression().recode(other, labels)["data"]  # groups * a, * b, c c
    assert first.equals(second)
