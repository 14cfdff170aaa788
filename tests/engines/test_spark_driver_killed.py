"""SIGKILL of Spark's driver at any moment leaves the old release or the new one, and no Java."""

from __future__ import annotations

import json
import random
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path

import polars as pl
import psutil
import pytest

import pellucid as pc
from engines.tables import in_parts, people, published, schema_of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("java")]

KILLS = (1, 15)  # usually, and when thorough
ENOUGH = 900.0  # seconds in which Java ends, on a machine that is busy
FOREVER = """
import sys
from pellucid.cli.program import main
words = sys.argv[1:]
while True:
    for l in ("2", "3"):
        print(l, main([*words, "--l", l]), flush=True)
"""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The call, without its l."""
    schema = tmp_path / "people.toml"
    schema.write_text(schema_of("many values").to_toml(), encoding="utf-8")
    folder = in_parts(people(60), tmp_path / "people.parquet", 2)
    call = ["publish", str(folder), "--schema", str(schema), "--engine", "spark", "--method", "tailor", "--seed", "3"]
    call += ["--master", "local[1]", "--rows-per-worker", "40", "--spark-option", "spark.sql.shuffle.partitions=1"]
    return [*call, "--overwrite", "--quiet", "--out", str(tmp_path / "out")]


def test_a_driver_that_is_killed_leaves_the_old_or_the_new(
    tmp_path: Path, words: list[str], environment: dict[str, str], thorough: bool
) -> None:
    out, draw, publishing = tmp_path / "out", random.Random(8), 0.0
    known = {l: locally(tmp_path, l) for l in (2, 3)}
    for kill in range(KILLS[thorough]):
        command = [sys.executable, "-W", "ignore", "-c", FOREVER, *words]
        began = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as program:
            assert program.stdout is not None
            if kill % 3 == 0:  # the first release is there: while the next is made
                assert program.stdout.readline() == "2 0\n"
                publishing = publishing or (time.monotonic() - began) / 2
                time.sleep(draw.uniform(0, publishing))
            else:  # also while Java starts
                time.sleep(draw.uniform(0, 3 * publishing))
            started = psutil.Process(program.pid).children(recursive=True)
            program.kill()
        _, going_on = psutil.wait_procs(started, ENOUGH)
        for process in going_on:
            process.kill()
        assert not going_on
        l = json.loads((out / "recipe.json").read_text(encoding="utf-8"))["parameters"]["l"]
        assert published(out / "data.parquet").equals(known[l])
        left = [path for path in tmp_path.iterdir() if ".pellucid-" in path.name]
        assert not [path.name for path in left if stat.S_IMODE(path.stat().st_mode) & 0o077 and any(path.iterdir())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        release = pc.publish(tmp_path / "people.parquet", pc.Tailor(l=2), schema=tmp_path / "people.toml", seed=3)
    release.write(out, format="parquet", overwrite=True)
    assert [path.name for path in tmp_path.iterdir() if ".pellucid-" in path.name] == []


def locally(folder: Path, l: int) -> pl.DataFrame:
    """The same release without Spark: it is equal row for row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        made = pc.publish(folder / "people.parquet", pc.Tailor(l=l), schema=folder / "people.toml", seed=3)
    frame: pl.DataFrame = made.frame
    return frame
