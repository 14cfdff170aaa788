"""Small files that unpack to much are refused before they fill the memory, whatever their headers say."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bombs import BOMBS
from pellucid.core.schema import TextForm
from pellucid.errors import InputError
from pellucid.io import read, written_as
from pellucid.io.loading import load
from pellucid.io.unpacking import at_most
from workbooks import write_ods, write_xlsx

ALONE = """
import json, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_DATA, (3 << 30, 3 << 30))
from pellucid.errors import InputError
from pellucid.io.loading import load
try:
    load(Path(sys.argv[1]))
except InputError as wrong:
    print(json.dumps(str(wrong)))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux holds a process to such a limit")
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused(bomb: str, tmp_path: Path) -> None:
    name, make = BOMBS[bomb]
    make(tmp_path / name)
    done = subprocess.run([sys.executable, "-c", ALONE, str(tmp_path / name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    told = json.loads(done.stdout)
    assert told.startswith(f"{name} unpacks to more than ") or told.startswith(f"{name} is damaged"), told


def test_a_limit_of_ones_own_holds_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"age,town\n" + b"30,Rome\n" * 400_000))
    with pytest.raises(InputError, match=r"unpacks to more than 1 MB.*say max_unpacked= if"):
        read(path, quasi="age", sensitive="town", max_unpacked=1)
    with at_most(1_000_000), pytest.raises(InputError, match="unpacks to more than 1 MB"):
        load(path)
    with written_as(TextForm(max_unpacked=10)), at_most(1_000):  # what is said holds
        assert load(path)[0].height == 400_000


@pytest.mark.parametrize("write", [write_xlsx, write_ods])
def test_a_sheet_of_many_rows_is_read(write: object, tmp_path: Path) -> None:
    rows = [["age", "town"], *([at % 90, "Rome"] for at in range(30_000))]
    path = write(tmp_path / f"people.{write.__name__[6:]}", {"people": rows})  # type: ignore[operator, attr-defined]
    assert load(path)[0].shape == (30_000, 2)
