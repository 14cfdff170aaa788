"""A process that is killed while it writes leaves the old bundle or the new one, never a mixture."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid.io import write_bundle

# One process imports the library and forks a writer for each moment: starting Python thirty times takes too long.
WRITERS = """
import os, sys
import polars as pl
from pellucid.io import bundle
if sys.argv[2] == "two renames":
    bundle.exchange = lambda one, other: False
for _ in sys.stdin:
    writer = os.fork()
    if writer:
        print(writer, flush=True)
        os.waitpid(writer, 0)
        print("killed", flush=True)
        continue
    frames = [pl.DataFrame({"x": [word] * 20_000}) for word in ("odd", "even")]
    while True:
        for number, frame in enumerate(frames):
            tables = {"quasi_identifiers": frame, "sensitive": frame} if number else {"data": frame}
            bundle.write_bundle(tables, {"number": number}, sys.argv[1], overwrite=True)
"""
MOMENTS = 30


def contents(folder: Any) -> Any:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("way", ["exchange", "two renames"])
def test_a_kill_at_any_moment_leaves_one_of_the_two_bundles(tmp_path: Path, way: str) -> None:
    bundles = []
    for number, word in enumerate(("odd", "even")):
        frame = pl.DataFrame({"x": [word] * 20_000})
        tables = {"quasi_identifiers": frame, "sensitive": frame} if number else {"data": frame}
        write_bundle(tables, {"number": number}, tmp_path / word)
        bundles.append(contents(tmp_path / word))
    target = tmp_path / "place" / "out"
    write_bundle({"data": pl.DataFrame({"x": ["odd"] * 20_000})}, {"number": 0}, target)
    moments = random.Random(5)
    ended_as, left_over = set(), 0
    command = [sys.executable, "-c", WRITERS, str(target), way]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as writers:
        assert writers.stdout is not None
        kills = 0
        # on a busy machine it may take more kills until one fell into a write and one between two writes
        while kills < MOMENTS or (kills < 20 * MOMENTS and (ended_as != {0, 1} or left_over == 0)):
            kills += 1
            print("write", file=writers.stdin)
            writer = int(writers.stdout.readline())
            time.sleep(moments.uniform(0.03, 0.15))
            os.kill(writer, signal.SIGKILL)
            assert writers.stdout.readline() == "killed\n"
            left_over += len(list(target.parent.iterdir())) > 1
            if way == "two renames" and not target.exists():  # the documented gap: the old bundle waits beside
                [aside] = [path for path in target.parent.iterdir() if ".pellucid-old-" in path.name]
                assert contents(aside) in bundles
                continue
            assert contents(target) in bundles
            ended_as.add(bundles.index(contents(target)))
    assert ended_as == {0, 1}, "the writer was never killed between two writes: the moments are wrong"
    assert left_over > 0, "no kill fell into a write: the moments are wrong"
    write_bundle({"data": pl.DataFrame({"x": ["odd"] * 20_000})}, {"number": 0}, target, overwrite=True)
    assert contents(target) == bundles[0]
    assert [path.name for path in target.parent.iterdir()] == ["out"]
