"""A process that forks, with a table, a schema and a job in the folder that its children work in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from faults.forking import Forks, forks

SCHEMA = """
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
[columns.zip]
role = "quasi"
[columns.ill]
role = "sensitive"
"""
JOB = """
source = "people.csv"
schema = "people.toml"
out = "release"
overwrite = true
threads = 1
[method]
name = "mondrian"
l = {l}
"""


def people(rows: int = 3000) -> pl.DataFrame:
    draw = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "name": [f"p{i:05}" for i in range(rows)],
            "age": draw.integers(0, 90, rows),
            "zip": draw.integers(1000, 1040, rows),
            "ill": [f"d{x}" for x in draw.integers(0, 9, rows)],
        }
    )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """The process that forks, which all tests share: what they do is done by its children."""
    if sys.platform == "win32":
        pytest.skip("there is no fork")
    with forks(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def forked(server: Forks, tmp_path: Path) -> Forks:
    folder = tmp_path / "work"
    folder.mkdir()
    people().write_csv(folder / "people.csv")
    (folder / "people.toml").write_text(SCHEMA)
    for l in (2, 3):
        (folder / f"job{l}.toml").write_text(JOB.format(l=l))
    return replace(server, folder=folder)
