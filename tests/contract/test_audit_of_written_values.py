"""Whoever reads a text file sees what is written: values that are written differently are different."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import polars as pl
import pytest

import pellucid as pc


def audited(folder: Path, text: str, **roles: object) -> pc.audit.Answers[pc.audit.AuditedLevel]:
    (folder / "release.csv").write_text(text)
    return pc.levels(folder / "release.csv", **({"quasi": "q", "sensitive": "s"} | roles))


PAIRS = {
    "an integer and a decimal": ("1", "1.0"),
    "an exponent": ("1e3", "1000"),
    "trailing zeros": ("0.50", "0.5"),
    "booleans": ("true", "True"),
    "integers that no float tells apart": ("9007199254740993", "9007199254740992"),
    "a sign before zero": ("-0", "0"),
    "moments": ("2024-01-31T12:00:00", "2024-01-31 12:00:00"),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))
@pytest.mark.parametrize("beside", ["1.5", "true", "2", "2024-01-31 13:00:00", "x"])
def test_two_spellings_are_two_groups(pair: tuple[str, str], beside: str, tmp_path: Path) -> None:
    rows = [*pair, beside, beside]
    found = audited(tmp_path, "q,s\n" + "".join(f"{q},{s}\n" for q, s in zip(rows, "abcd", strict=True)))
    assert found[0].model == "k-anonymity"
    assert found[0].level == 1


def test_an_empty_field_is_null_in_numbers_and_in_texts(tmp_path: Path) -> None:
    for value in ("1", "1.5", "x"):
        found = audited(tmp_path, f"q,r,s\n{value},1,a\n{value},1,b\n,1,c\n,1,d\n", quasi=["q", "r"])
        assert found[0].level == 2
        assert found.audit.nulls["q"] == 2


def test_sensitive_numbers_are_numbers_and_sensitive_names_are_texts(tmp_path: Path) -> None:
    text = "q,s\n1.0,1\n1.0,1.0\n1.0,3.5\n"
    numbers = audited(tmp_path, text)
    assert numbers[0].worst is not None
    assert next(found for found in numbers if found.model == "(k,e)-anonymity").parameters["e"] == 2.5
    assert next(found for found in numbers if found.model == "distinct l-diversity").level == 2
    names = audited(tmp_path, text, kinds={"s": "category"})
    assert next(found for found in names if found.model == "distinct l-diversity").level == 3


def test_a_packed_file_and_a_pipe_are_read_alike(tmp_path: Path) -> None:
    text = b"q,s\n1,a\n1.0,b\n"
    (tmp_path / "release.csv.gz").write_bytes(gzip.compress(text))
    assert pc.levels(tmp_path / "release.csv.gz", quasi="q", sensitive="s")[0].level == 1
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    assert pc.levels(pipe, quasi="q", sensitive="s")[0].level == 1
    writer.join()


def test_a_frame_has_the_types_that_it_has() -> None:
    frame = pl.DataFrame({"q": [1.0, 1.0], "s": ["a", "b"]})
    assert pc.levels(frame, quasi="q", sensitive="s")[0].level == 2


def test_written_values_find_their_people(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(
        "q,born,member\n1,2024-01-31 12:00:00,true\n1.0,2024-01-31 12:00:00,TRUE\n2.5,2024-02-01 00:00:00,false\n"
    )
    found = audited(
        tmp_path,
        "q,born,member,s\n1.0,2024-01-31T12:00:00,True,a\n2.50,2024-02-01T00:00:00,False,b\n",
        quasi=["q", "born", "member"],
        population=tmp_path / "people.csv",
    )
    assert next(one for one in found if one.model == "k-map").level == 1
    assert next(one for one in found if one.model == "delta-presence").parameters["low"] == 0.5
